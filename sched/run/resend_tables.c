/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of usage of users, projects and associations, of debited usage, and of the cluster. */
#include "sched/run/resend_inside.h"

#include <math.h>

/* maximum value in the usage of an event; `values` has the exact values */
#define USAGE_REPORTED_MOST 1e30

/* Usage */

int resend_usage(const struct state_replay *replay, struct scratch *scratch, struct state_slice slice,
		 struct usage_values *usage)
{
	size_t n;
	const struct usage_value_record *records =
		resend_slice(replay, scratch, STATE_USAGE, sizeof(*records), slice, &n);
	struct usage_value *items = records ? scratch_alloc(scratch, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct usage_value){ view_string(replay->view, records[i].name), records[i].value };
	*usage = (struct usage_values){ items, n };
	return 0;
}

static int projects_of(const struct state_replay *replay, struct scratch *scratch, struct state_slice slice,
		       struct object_usage *object)
{
	size_t n;
	const struct user_project_record *records =
		resend_slice(replay, scratch, STATE_PROJECTS, sizeof(*records), slice, &n);
	struct project_usage *items = records ? scratch_alloc(scratch, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		items[i].project = view_string(replay->view, records[i].project);
		if (resend_usage(replay, scratch, records[i].usage, &items[i].usage) ||
		    resend_usage(replay, scratch, records[i].long_term, &items[i].long_term))
			return -ENOMEM;
	}
	object->projects = items;
	object->nprojects = n;
	return 0;
}

int resend_object(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct object_record *object_record = record;
	struct event event;

	event_init(&event, object_record->kind == 0 ? EVENT_USER_USAGE : EVENT_PROJECT_USAGE);
	event.object.name = view_string(replay->view, object_record->name);
	event.object.time_stamp = object_record->time_stamp;
	if (object_record->automatic && object_record->kind == 0) {
		event.object.automatic = true;
		event.object.oticket = object_record->oticket;
		event.object.fshare = object_record->fshare;
	}
	if (resend_usage(replay, scratch, object_record->usage, &event.object.usage) ||
	    resend_usage(replay, scratch, object_record->long_term, &event.object.long_term) ||
	    (object_record->kind == 0 && projects_of(replay, scratch, object_record->projects, &event.object)))
		return -ENOMEM;
	return resend_send(replay, &event);
}

int resend_debited(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct debited_record *debited_record = record;
	struct event event;
	const struct debited_task_record *records;
	struct debited_task_usage *tasks;
	size_t n;

	event_init(&event, EVENT_DEBITED_USAGE);
	event.debited.job_number = debited_record->job_number;
	event.debited.submission_time = debited_record->submission_time;
	records = resend_slice(replay, scratch, STATE_DEBITED_TASKS, sizeof(*records), debited_record->tasks, &n);
	tasks = records ? scratch_alloc(scratch, n, sizeof(*tasks)) : NULL;
	if (!tasks || resend_usage(replay, scratch, debited_record->usage, &event.debited.usage))
		return -ENOMEM;
	for (size_t k = 0; k < n; k++) {
		tasks[k].task = records[k].task;
		tasks[k].start_time = records[k].start_time;
		if (resend_usage(replay, scratch, records[k].usage, &tasks[k].usage))
			return -ENOMEM;
	}
	event.debited.tasks = tasks;
	event.debited.ntasks = n;
	return resend_send(replay, &event);
}

static long double precisely(struct precise precise)
{
	return ldexpl((long double)precise.mantissa, precise.exponent);
}

int resend_association(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct association_state *state = record;
	struct association_values values;
	struct event event;

	(void)scratch;
	values = (struct association_values){ .usage = precisely(state->usage),
					      .norm_usage = precisely(state->norm_usage),
					      .effective_usage = precisely(state->effective_usage),
					      .child_usage = precisely(state->child_usage),
					      .norm_shares = state->norm_shares,
					      .factor = state->factor,
					      .level_fs = state->level_fs,
					      .rank = state->rank };
	event_init(&event, EVENT_ASSOCIATION_USAGE);
	event.association = (struct association_event){ .account = view_string(replay->view, state->account),
							.user = resend_text(replay, state->user),
							.partition = resend_text(replay, state->partition),
							.usage_raw = fmin((double)values.usage, USAGE_REPORTED_MOST),
							.values = &values };
	return resend_send(replay, &event);
}

/* The cluster */

int resend_grants(const struct state_replay *replay, struct scratch *scratch, struct state_slice slice,
		  struct grants *grants)
{
	size_t n;
	const struct grant_record *records = resend_slice(replay, scratch, STATE_GRANTS, sizeof(*records), slice, &n);
	struct granted *items = records ? scratch_alloc(scratch, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct granted){ .queue = view_string(replay->view, records[i].queue),
					     .slots = records[i].slots };
	*grants = (struct grants){ items, n };
	return 0;
}

static int replay_avoided_by(const struct state_replay *replay, struct scratch *scratch,
			     const struct host_record *record)
{
	struct event event;
	size_t n;
	const uint32_t *numbers =
		resend_slice(replay, scratch, STATE_NUMBERS, sizeof(*numbers), record->avoided_by, &n);
	struct task_name *tasks = numbers ? scratch_alloc(scratch, n / 2, sizeof(*tasks)) : NULL;

	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < n / 2; i++)
		tasks[i] = (struct task_name){ numbers[2 * i], numbers[2 * i + 1] };
	event_init(&event, EVENT_RESCHEDULE_UNKNOWN);
	event.host.host = view_string(replay->view, record->name);
	event.host.avoided_by = (struct task_names){ tasks, n / 2 };
	return n > 1 ? resend_send(replay, &event) : 0;
}

int resend_host(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct host_record *host_record = record;
	const struct load_record *records;
	struct load_report *items;
	struct event event;
	size_t n;
	int rc;

	event_init(&event, EVENT_HOST_STATE);
	event.host.host = view_string(replay->view, host_record->name);
	event.host.available = !host_record->down;
	rc = host_record->down || !host_record->has_load ? resend_send(replay, &event) : 0;
	if (rc == 0)
		rc = replay_avoided_by(replay, scratch, host_record);
	if (rc || !host_record->has_load)
		return rc;
	records = resend_slice(replay, scratch, STATE_LOADS, sizeof(*records), host_record->load, &n);
	items = records ? scratch_alloc(scratch, n, sizeof(*items)) : NULL;
	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		items[k] = (struct load_report){ view_string(replay->view, records[k].name),
						 view_string(replay->view, records[k].value) };
	event.type = EVENT_HOST_LOAD;
	event.host.load = (struct load_reports){ items, n };
	return resend_send(replay, &event);
}

int resend_pe(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct pe_record *pe_record = record;
	struct event event;

	(void)scratch;
	event_init(&event, EVENT_PARALLEL_ENVIRONMENT);
	event.pe = (struct pe_event){ view_string(replay->view, pe_record->name), pe_record->place };
	return resend_send(replay, &event);
}

int resend_by_pe_place(const void *a, const void *b)
{
	const struct pe_record *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

int resend_by_job(const void *a, const void *b)
{
	const struct debited_record *x = a, *y = b;

	return x->job_number < y->job_number ? -1 : x->job_number > y->job_number;
}

int resend_by_birth(const void *a, const void *b)
{
	const struct instance_record *x = a, *y = b;

	return x->born < y->born ? -1 : x->born > y->born;
}

static int instance_changes(const struct state_replay *replay, struct scratch *scratch,
			    const struct instance_record *record, struct instance_event *to)
{
	const struct change_record *records;
	struct calendar_change *items;
	size_t n;

	records = resend_slice(replay, scratch, STATE_CHANGES, sizeof(*records), record->changes, &n);
	items = records ? scratch_alloc(scratch, n + 1, sizeof(*items)) : NULL;
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct calendar_change){ records[i].state <= CALENDAR_SUSPENDED ? records[i].state
											    : CALENDAR_UNSAID,
						     records[i].until };
	to->state_changes = (struct calendar_changes){ items, n };
	return 0;
}

int resend_instance(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct instance_record *instance_record = record;
	char state[sizeof(instance_record->state) + 1] = "";
	struct event event;

	if (instance_record->ad != NONE)
		return resend_slot(replay, scratch, instance_record);
	memcpy(state, instance_record->state, sizeof(instance_record->state));
	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance = (struct instance_event){ .queue = view_string(replay->view, instance_record->name),
						  .slots = instance_record->slots,
						  .state = state,
						  .place = instance_record->place,
						  .suspend_checked = instance_record->suspend_checked };
	return instance_record->changes_reported && instance_changes(replay, scratch, instance_record, &event.instance)
		       ? -ENOMEM
		       : resend_send(replay, &event);
}

int resend_by_number(const void *a, const void *b)
{
	const struct advance_record *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

int resend_advance(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct advance_record *advance_record = record;
	struct event event;

	event_init(&event, EVENT_ADVANCE_RESERVATION);
	event.advance.number = advance_record->number;
	for (size_t k = 0; k < ADVANCE_TEXTS; k++)
		event.advance.texts[k] = resend_text(replay, advance_record->texts[k]);
	event.advance.submission_time = advance_record->submission_time;
	event.advance.start_time = advance_record->start_time;
	event.advance.end_time = advance_record->end_time;
	event.advance.hard_error = advance_record->hard_error;
	return resend_grants(replay, scratch, advance_record->granted, &event.advance.granted)
		       ? -ENOMEM
		       : resend_send(replay, &event);
}
