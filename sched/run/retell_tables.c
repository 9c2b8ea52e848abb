/* SPDX-License-Identifier: Apache-2.0 */
/* Usage of users, projects and associations, what is debited, and the cluster. */
#include "sched/run/retell_inside.h"

#include <math.h>

/* what events may say: `values` has all of it */
#define USAGE_TOLD_MOST 1e30

/* Usage */

int retell_usage(const struct retelling *t, struct scratch *s, struct state_slice slice, struct usage_values *usage)
{
	size_t n;
	const struct usage_value_record *records = retell_slice(t, s, STATE_USAGE, sizeof(*records), slice, &n);
	struct usage_value *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct usage_value){ view_string(t->view, records[i].name), records[i].value };
	*usage = (struct usage_values){ items, n };
	return 0;
}

static int projects_of(const struct retelling *t, struct scratch *s, struct state_slice slice, struct object_usage *object)
{
	size_t n;
	const struct user_project_record *records = retell_slice(t, s, STATE_PROJECTS, sizeof(*records), slice, &n);
	struct project_usage *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		items[i].project = view_string(t->view, records[i].project);
		if (retell_usage(t, s, records[i].usage, &items[i].usage) || retell_usage(t, s, records[i].long_term, &items[i].long_term))
			return -ENOMEM;
	}
	object->projects = items;
	object->nprojects = n;
	return 0;
}

int retell_object(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct object_record *r = record;
	struct event e;

	event_init(&e, r->kind == 0 ? EVENT_USER_USAGE : EVENT_PROJECT_USAGE);
	e.object.name = view_string(t->view, r->name);
	e.object.time_stamp = r->time_stamp;
	if (r->automatic && r->kind == 0) {
		e.object.automatic = true;
		e.object.oticket = r->oticket;
		e.object.fshare = r->fshare;
	}
	if (retell_usage(t, s, r->usage, &e.object.usage) || retell_usage(t, s, r->long_term, &e.object.long_term) ||
	    (r->kind == 0 && projects_of(t, s, r->projects, &e.object)))
		return -ENOMEM;
	return retell_tell(t, &e);
}

int retell_debited(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct debited_record *r = record;
	struct event e;
	const struct debited_task_record *records;
	struct debited_task_usage *tasks;
	size_t n;

	event_init(&e, EVENT_DEBITED_USAGE);
	e.debited.job_number = r->job_number;
	e.debited.submission_time = r->submission_time;
	records = retell_slice(t, s, STATE_DEBITED_TASKS, sizeof(*records), r->tasks, &n);
	tasks = records ? scratch_alloc(s, n, sizeof(*tasks)) : NULL;
	if (!tasks || retell_usage(t, s, r->usage, &e.debited.usage))
		return -ENOMEM;
	for (size_t k = 0; k < n; k++) {
		tasks[k].task = records[k].task;
		tasks[k].start_time = records[k].start_time;
		if (retell_usage(t, s, records[k].usage, &tasks[k].usage))
			return -ENOMEM;
	}
	e.debited.tasks = tasks;
	e.debited.ntasks = n;
	return retell_tell(t, &e);
}

static long double precisely(struct precise x)
{
	return ldexpl((long double)x.mantissa, x.exponent);
}

int retell_association(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct association_state *r = record;
	struct association_values values;
	struct event e;

	(void)s;
	values = (struct association_values){ .usage = precisely(r->usage), .norm_usage = precisely(r->norm_usage), .effective_usage = precisely(r->effective_usage),
					      .child_usage = precisely(r->child_usage), .norm_shares = r->norm_shares, .factor = r->factor,
					      .level_fs = r->level_fs, .rank = r->rank };
	event_init(&e, EVENT_ASSOCIATION_USAGE);
	e.association = (struct association_event){ .account = view_string(t->view, r->account), .user = retell_text(t, r->user),
						    .partition = retell_text(t, r->partition), .usage_raw = fmin((double)values.usage, USAGE_TOLD_MOST),
						    .values = &values };
	return retell_tell(t, &e);
}

/* The cluster */

int retell_grants(const struct retelling *t, struct scratch *s, struct state_slice slice, struct grants *grants)
{
	size_t n;
	const struct grant_record *records = retell_slice(t, s, STATE_GRANTS, sizeof(*records), slice, &n);
	struct granted *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct granted){ .queue = view_string(t->view, records[i].queue), .slots = records[i].slots };
	*grants = (struct grants){ items, n };
	return 0;
}

static int tell_avoided_by(const struct retelling *t, struct scratch *s, const struct host_record *r)
{
	struct event e;
	size_t n;
	const uint32_t *numbers = retell_slice(t, s, STATE_NUMBERS, sizeof(*numbers), r->avoided_by, &n);
	struct task_name *tasks = numbers ? scratch_alloc(s, n / 2, sizeof(*tasks)) : NULL;

	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < n / 2; i++)
		tasks[i] = (struct task_name){ numbers[2 * i], numbers[2 * i + 1] };
	event_init(&e, EVENT_RESCHEDULE_UNKNOWN);
	e.host.host = view_string(t->view, r->name);
	e.host.avoided_by = (struct task_names){ tasks, n / 2 };
	return n > 1 ? retell_tell(t, &e) : 0;
}

int retell_host(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct host_record *r = record;
	const struct load_record *records;
	struct load_report *items;
	struct event e;
	size_t n;
	int rc;

	event_init(&e, EVENT_HOST_STATE);
	e.host.host = view_string(t->view, r->name);
	e.host.available = !r->down;
	rc = r->down || !r->has_load ? retell_tell(t, &e) : 0;
	if (rc == 0)
		rc = tell_avoided_by(t, s, r);
	if (rc || !r->has_load)
		return rc;
	records = retell_slice(t, s, STATE_LOADS, sizeof(*records), r->load, &n);
	items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;
	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		items[k] = (struct load_report){ view_string(t->view, records[k].name), view_string(t->view, records[k].value) };
	e.type = EVENT_HOST_LOAD;
	e.host.load = (struct load_reports){ items, n };
	return retell_tell(t, &e);
}

int retell_pe(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct pe_record *r = record;
	struct event e;

	(void)s;
	event_init(&e, EVENT_PARALLEL_ENVIRONMENT);
	e.pe = (struct pe_event){ view_string(t->view, r->name), r->place };
	return retell_tell(t, &e);
}

int retell_by_pe_place(const void *a, const void *b)
{
	const struct pe_record *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

int retell_by_job(const void *a, const void *b)
{
	const struct debited_record *x = a, *y = b;

	return x->job_number < y->job_number ? -1 : x->job_number > y->job_number;
}

int retell_by_birth(const void *a, const void *b)
{
	const struct instance_record *x = a, *y = b;

	return x->born < y->born ? -1 : x->born > y->born;
}

static int instance_changes(const struct retelling *t, struct scratch *s, const struct instance_record *r, struct instance_event *to)
{
	const struct change_record *records;
	struct calendar_change *items;
	size_t n;

	records = retell_slice(t, s, STATE_CHANGES, sizeof(*records), r->changes, &n);
	items = records ? scratch_alloc(s, n + 1, sizeof(*items)) : NULL;
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct calendar_change){ records[i].state <= CALENDAR_SUSPENDED ? records[i].state : CALENDAR_UNSAID, records[i].until };
	to->state_changes = (struct calendar_changes){ items, n };
	return 0;
}

int retell_instance(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct instance_record *r = record;
	char state[sizeof(r->state) + 1] = "";
	struct event e;

	if (r->ad != NONE)
		return retell_slot(t, s, r);
	memcpy(state, r->state, sizeof(r->state));
	event_init(&e, EVENT_QUEUE_INSTANCE);
	e.instance = (struct instance_event){ .queue = view_string(t->view, r->name), .slots = r->slots, .state = state,
					      .place = r->place, .suspend_checked = r->suspend_checked };
	return r->changes_told && instance_changes(t, s, r, &e.instance) ? -ENOMEM : retell_tell(t, &e);
}

int retell_by_number(const void *a, const void *b)
{
	const struct advance_record *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

int retell_advance(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct advance_record *r = record;
	struct event e;

	event_init(&e, EVENT_ADVANCE_RESERVATION);
	e.advance.number = r->number;
	for (size_t k = 0; k < ADVANCE_TEXTS; k++)
		e.advance.texts[k] = retell_text(t, r->texts[k]);
	e.advance.submission_time = r->submission_time;
	e.advance.start_time = r->start_time;
	e.advance.end_time = r->end_time;
	e.advance.hard_error = r->hard_error;
	return retell_grants(t, s, r->granted, &e.advance.granted) ? -ENOMEM : retell_tell(t, &e);
}
