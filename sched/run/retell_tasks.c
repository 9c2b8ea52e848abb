/* SPDX-License-Identifier: Apache-2.0 */
/* Started tasks: their start, what they have used, their state. */
#include "sched/run/retell_inside.h"

static int tell_start(const struct retelling *t, struct scratch *s, const struct task_record *r, const struct task_state *state)
{
	struct event e;

	event_init(&e, EVENT_TASK_START);
	e.task.job_number = r->number;
	e.task.task = r->task;
	e.task.start_time = r->start_time;
	e.task.granted_pe = retell_text(t, r->granted_pe);
	e.task.allocated = (struct allocated){ retell_text(t, state->partition), retell_text(t, state->tres) };
	e.task.order = state->order;
	e.task.charged_from = state->charged_from;
	e.task.charged_until = state->charged_until;
	e.task.booked = state->settled;
	e.task.wallclock_limit = state->wallclock_limit;
	return retell_grants(t, s, state->grants, &e.task.granted) ? -ENOMEM : retell_tell(t, &e);
}

static int tell_task_usage(const struct retelling *t, struct scratch *s, const struct task_record *r, const struct task_state *state)
{
	struct event e;

	if (!r->has_usage)
		return 0;
	event_init(&e, EVENT_USAGE);
	e.task.job_number = r->number;
	e.task.task = r->task;
	return retell_usage(t, s, state->usage, &e.task.usage) ? -ENOMEM : retell_tell(t, &e);
}

static int tell_task_state(const struct retelling *t, const struct task_record *r, const struct task_state *state)
{
	struct task_values values = { .otickets = r->otickets, .ftickets = r->ftickets, .stickets = r->stickets };
	char letters[sizeof(r->state) + 1] = "";
	struct event e;

	memcpy(letters, r->state, sizeof(r->state));
	if (strcmp(letters, state->order ? "t" : "r") == 0)
		return 0;
	event_init(&e, EVENT_TASK_STATE);
	e.task.job_number = r->number;
	e.task.task = r->task;
	e.task.state = letters;
	if (r->kept != NONE) {
		if (!retell_table(t->view, TABLE_KEPT, r->kept, &values.kept, sizeof(values.kept)))
			return -EPROTO;
		e.task.values = &values;
	}
	return retell_tell(t, &e);
}

int retell_task(const struct retelling *t, uint32_t i)
{
	struct scratch s = { NULL };
	struct task_state state;
	struct task_record r;
	int rc;

	if (!retell_table(t->view, TABLE_TASKS, i, &r, sizeof(r)) || !PART_COPY(t, STATE_TASKS, i, &state))
		return -EPROTO;
	if (retell_is_of_this_run(t, &state))
		return 0;
	rc = tell_start(t, &s, &r, &state);
	if (rc == 0)
		rc = tell_task_usage(t, &s, &r, &state);
	if (rc == 0)
		rc = tell_task_state(t, &r, &state);
	scratch_clear(&s);
	return rc;
}
