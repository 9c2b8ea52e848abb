/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/json.h"

void json_run(struct out *o, const struct fl_view *view)
{
	struct fl_run run;

	fl_run(view, &run);
	json_number(o, "\"run\":{\"generation\":", (int64_t)run.generation);
	json_number(o, ",\"run\":", (int64_t)run.run);
	json_number(o, ",\"now\":", run.now);
	json_number(o, ",\"run_ns\":", (int64_t)run.run_ns);
	json_number(o, ",\"pending\":", (int64_t)run.pending);
	json_number(o, ",\"started\":", (int64_t)run.started);
	json_number(o, ",\"free_slots\":", (int64_t)run.free_slots);
	json_number(o, ",\"event\":", (int64_t)run.event);
	json_number(o, ",\"bytes\":", (int64_t)run.bytes);
	json_number(o, ",\"scheduler_pid\":", run.scheduler_pid);
	json_bool(o, ",\"scheduler_alive\":", run.scheduler_alive);
	json_literal(o, "}");
}
