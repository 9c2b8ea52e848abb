/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of started tasks: start, usage and state. */
#include "sched/run/resend_inside.h"

static int replay_start(const struct state_replay *replay, struct scratch *scratch, const struct task_record *record,
			const struct task_state *state)
{
	struct event event;

	event_init(&event, EVENT_TASK_START);
	event.task.job_number = record->number;
	event.task.task = record->task;
	event.task.start_time = record->start_time;
	event.task.granted_pe = resend_text(replay, record->granted_pe);
	event.task.allocated =
		(struct allocated){ resend_text(replay, state->partition), resend_text(replay, state->tres) };
	event.task.order = state->order;
	event.task.charged_from = state->charged_from;
	event.task.charged_until = state->charged_until;
	event.task.booked = state->settled;
	event.task.wallclock_limit = state->wallclock_limit;
	return resend_grants(replay, scratch, state->grants, &event.task.granted) ? -ENOMEM
										  : resend_send(replay, &event);
}

static int replay_task_usage(const struct state_replay *replay, struct scratch *scratch,
			     const struct task_record *record, const struct task_state *state)
{
	struct event event;

	if (!record->has_usage)
		return 0;
	event_init(&event, EVENT_USAGE);
	event.task.job_number = record->number;
	event.task.task = record->task;
	return resend_usage(replay, scratch, state->usage, &event.task.usage) ? -ENOMEM
									      : resend_send(replay, &event);
}

static int replay_task_state(const struct state_replay *replay, const struct task_record *record,
			     const struct task_state *state)
{
	struct task_values values = { .otickets = record->otickets,
				      .ftickets = record->ftickets,
				      .stickets = record->stickets };
	char letters[sizeof(record->state) + 1] = "", *restarted;
	struct event event;

	memcpy(letters, record->state, sizeof(record->state));
	if (record->added_hold && *letters == 'h')
		memmove(letters, letters + 1, strlen(letters));
	/* EVENT_TASKS_ENROLLED reports that it was restarted */
	if ((restarted = strchr(letters, 'R')) != NULL)
		memmove(restarted, restarted + 1, strlen(restarted));
	if (strcmp(letters, state->order ? "t" : "r") == 0)
		return 0;
	event_init(&event, EVENT_TASK_STATE);
	event.task.job_number = record->number;
	event.task.task = record->task;
	event.task.state = letters;
	if (record->kept != NONE) {
		if (!resend_table(replay->view, TABLE_KEPT, record->kept, &values.kept, sizeof(values.kept)))
			return -EPROTO;
		event.task.values = &values;
	}
	return resend_send(replay, &event);
}

int resend_task(const struct state_replay *replay, uint32_t i)
{
	struct scratch scratch = { NULL };
	struct task_state state;
	struct task_record record;
	int rc;

	if (!resend_table(replay->view, TABLE_TASKS, i, &record, sizeof(record)) ||
	    !PART_COPY(replay, STATE_TASKS, i, &state))
		return -EPROTO;
	if (resend_is_of_this_run(replay, &state))
		return 0;
	rc = replay_start(replay, &scratch, &record, &state);
	if (rc == 0)
		rc = replay_task_usage(replay, &scratch, &record, &state);
	if (rc == 0)
		rc = replay_task_state(replay, &record, &state);
	scratch_clear(&scratch);
	return rc;
}
