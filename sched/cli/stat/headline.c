/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headline on a terminal: the cell and the run, the numbers of running and pending jobs, and
 * whether the scheduler is alive.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/cli/age.h"
#include "sched/cli/stat/stat.h"
#include "sched/cli/width.h"
#include "sched/process/process_state.h"

struct headline {
	char text[1024];
	size_t n;
	const char *between;
};

static void __attribute__((format(printf, 2, 3))) add(struct headline *line, const char *format, ...)
{
	va_list arguments;
	int n;

	if (line->n > 0)
		line->n += (size_t)snprintf(line->text + line->n, sizeof(line->text) - line->n, "%s", line->between);
	va_start(arguments, format);
	n = vsnprintf(line->text + line->n, sizeof(line->text) - line->n, format, arguments);
	va_end(arguments);
	line->n = line->n + (size_t)n < sizeof(line->text) - 8 ? line->n + (size_t)n : sizeof(line->text) - 8;
}

static uint64_t slots_used(const struct fl_view *view)
{
	size_t n = fl_count(view, FL_STARTED);
	struct fl_job job;
	uint64_t slots = 0;

	for (size_t k = 0; k < n; k++)
		if (fl_get(view, FL_STARTED, k, &job) == 0)
			slots += job.slots;
	return slots;
}

static void add_scheduler(struct headline *line, const struct fl_run *run)
{
	int64_t age = run->scheduler_alive ? process_age_s(run->scheduler_pid) : -1;
	char text[AGE_BYTES], state = run->scheduler_alive ? process_state(run->scheduler_pid) : 0;

	if (run->scheduler_pid == 0)
		return;
	if (!run->scheduler_alive)
		add(line, "scheduler %" PRIu32 " has ended", run->scheduler_pid);
	else if (state == 'T' || state == 't')
		add(line, "scheduler %" PRIu32 " is stopped", run->scheduler_pid);
	else if (age >= 0) {
		age_text(age, text);
		add(line, "scheduler %" PRIu32 " up %s", run->scheduler_pid, text);
	} else
		add(line, "scheduler %" PRIu32, run->scheduler_pid);
}

static const char *colour_of(const struct fl_run *run, const struct run_age *age)
{
	return !run->scheduler_alive || process_state(run->scheduler_pid) == 'T' ? "\033[1;31m"
	       : age->age_s > age->late_s					 ? "\033[33m"
										 : "";
}

void headline_put(const struct fl_view *view, struct out *out, const struct job_listing *listing)
{
	struct headline line = { .between = listing->terminal.has_utf8 ? " · " : " | " };
	char *name = cli_cell_name(listing->cell), text[AGE_BYTES];
	struct run_age age;
	struct fl_run run;
	uint64_t used = slots_used(view);

	fl_run(view, &run);
	age_look(&age, view);
	age_text(age.age_s < 0 ? 0 : age.age_s, text);
	add(&line, "%.200s", name ? name : listing->cell);
	add(&line, "run %" PRIu64 ", %s ago, %.2f ms", run.run, text, (double)run.run_ns / 1e6);
	add(&line, "%zu running on %" PRIu64 " of %" PRIu64 " slots", run.started, used, used + run.free_slots);
	add(&line, "%zu waiting", run.pending);
	add_scheduler(&line, &run);
	free(name);
	out_text(out, listing->terminal.has_colour ? colour_of(&run, &age) : "");
	if (listing->terminal.columns && !listing->wide && width_of(line.text) > listing->terminal.columns)
		width_put(out, line.text, listing->terminal.columns, false, "");
	else
		width_put_all(out, line.text);
	out_text(out, listing->terminal.has_colour && *colour_of(&run, &age) ? "\033[0m\n" : "\n");
}
