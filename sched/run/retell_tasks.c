/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of started tasks: start, usage and state. */
#include "sched/run/retell_inside.h"

static int tell_start(const struct retelling *replayed, struct scratch *scratch, const struct task_record *record,
		      const struct task_state *state)
{
	struct event event;

	event_init(&event, EVENT_TASK_START);
	event.task.job_number = record->number;
	event.task.task = record->task;
	event.task.start_time = record->start_time;
	event.task.granted_pe = retell_text(replayed, record->granted_pe);
	event.task.allocated =
		(struct allocated){ retell_text(replayed, state->partition), retell_text(replayed, state->tres) };
	event.task.order = state->order;
	event.task.charged_from = state->charged_from;
	event.task.charged_until = state->charged_until;
	event.task.booked = state->settled;
	event.task.wallclock_limit = state->wallclock_limit;
	return retell_grants(replayed, scratch, state->grants, &event.task.granted) ? -ENOMEM
										    : retell_tell(replayed, &event);
}

static int tell_task_usage(const struct retelling *replayed, struct scratch *scratch, const struct task_record *record,
			   const struct task_state *state)
{
	struct event event;

	if (!record->has_usage)
		return 0;
	event_init(&event, EVENT_USAGE);
	event.task.job_number = record->number;
	event.task.task = record->task;
	return retell_usage(replayed, scratch, state->usage, &event.task.usage) ? -ENOMEM
										: retell_tell(replayed, &event);
}

static int tell_task_state(const struct retelling *replayed, const struct task_record *record,
			   const struct task_state *state)
{
	struct task_values values = { .otickets = record->otickets,
				      .ftickets = record->ftickets,
				      .stickets = record->stickets };
	char letters[sizeof(record->state) + 1] = "";
	struct event event;

	memcpy(letters, record->state, sizeof(record->state));
	if (strcmp(letters, state->order ? "t" : "r") == 0)
		return 0;
	event_init(&event, EVENT_TASK_STATE);
	event.task.job_number = record->number;
	event.task.task = record->task;
	event.task.state = letters;
	if (record->kept != NONE) {
		if (!retell_table(replayed->view, TABLE_KEPT, record->kept, &values.kept, sizeof(values.kept)))
			return -EPROTO;
		event.task.values = &values;
	}
	return retell_tell(replayed, &event);
}

int retell_task(const struct retelling *replayed, uint32_t i)
{
	struct scratch scratch = { NULL };
	struct task_state state;
	struct task_record record;
	int rc;

	if (!retell_table(replayed->view, TABLE_TASKS, i, &record, sizeof(record)) ||
	    !PART_COPY(replayed, STATE_TASKS, i, &state))
		return -EPROTO;
	if (retell_is_of_this_run(replayed, &state))
		return 0;
	rc = tell_start(replayed, &scratch, &record, &state);
	if (rc == 0)
		rc = tell_task_usage(replayed, &scratch, &record, &state);
	if (rc == 0)
		rc = tell_task_state(replayed, &record, &state);
	scratch_clear(&scratch);
	return rc;
}
