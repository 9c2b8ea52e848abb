/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/run/retell.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/run/records_state.h"

/* what events may say: `values` has all of it */
#define USAGE_TOLD_MOST 1e30

struct telling {
	const struct view *view;
	const struct retell_calls *calls;
	struct state_head head;			/* checked and copied */
	uint64_t ntasks;
	/* of the task table and of the tasks' states: as they were started; and by job row */
	uint32_t *started;
	/* jobs that are told before the others, ascending */
	uint32_t *numbers;
	size_t nnumbers;
};

/* What lies in shared memory may change: a scratch for one event, which the event points into. */
struct scratch {
	struct block { struct block *next; max_align_t memory[]; } *blocks;
};

static void *scratch_alloc(struct scratch *s, size_t n, size_t bytes)
{
	struct block *block = n > SIZE_MAX / 2 / (bytes + 1) ? NULL : calloc(1, sizeof(*block) + n * bytes + 1);

	if (!block)
		return NULL;
	block->next = s->blocks;
	s->blocks = block;
	return block->memory;
}

static void scratch_clear(struct scratch *s)
{
	while (s->blocks) {
		struct block *next = s->blocks->next;

		free(s->blocks);
		s->blocks = next;
	}
}

static int tell(const struct telling *t, const struct event *event)
{
	return t->calls->event(t->calls->context, event);
}

/* One record, copied; false: there is none of this index. */
static bool part_copy(const struct telling *t, enum state_part part, uint64_t index, void *to, size_t bytes)
{
	uint64_t n;
	const uint8_t *records = view_state_part(t->view, part, bytes, &n);

	if (index >= n)
		return false;
	view_copy(to, records + index * bytes, bytes);
	return true;
}
#define PART_COPY(t, part, index, to) part_copy(t, part, index, to, sizeof(*(to)))

/* Those of a slice. NULL: no memory. */
static void *slice_copy(const struct telling *t, struct scratch *s, enum state_part part, size_t bytes, struct state_slice slice, size_t *n)
{
	const void *records = view_state_slice(t->view, part, bytes, slice, n);
	void *copy = scratch_alloc(s, *n, bytes);

	if (copy)
		view_copy(copy, records, *n * bytes);
	return copy;
}

static bool table_copy(const struct view *view, enum table_id id, uint64_t index, void *to, size_t bytes)
{
	const void *record = view_record(view, id, bytes, index);

	if (record)
		view_copy(to, record, bytes);
	return record;
}

static const char *text_or_none(const struct telling *t, uint32_t id)
{
	return id == NONE ? NULL : view_string(t->view, id);
}

/* Usage */

static int usage_of(const struct telling *t, struct scratch *s, struct state_slice slice, struct usage_values *usage)
{
	size_t n;
	const struct usage_value_record *records = slice_copy(t, s, STATE_USAGE, sizeof(*records), slice, &n);
	struct usage_value *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct usage_value){ view_string(t->view, records[i].name), records[i].value };
	*usage = (struct usage_values){ items, n };
	return 0;
}

static int projects_of(const struct telling *t, struct scratch *s, struct state_slice slice, struct object_usage *object)
{
	size_t n;
	const struct user_project_record *records = slice_copy(t, s, STATE_PROJECTS, sizeof(*records), slice, &n);
	struct project_usage *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		items[i].project = view_string(t->view, records[i].project);
		if (usage_of(t, s, records[i].usage, &items[i].usage) || usage_of(t, s, records[i].long_term, &items[i].long_term))
			return -ENOMEM;
	}
	object->projects = items;
	object->nprojects = n;
	return 0;
}

static int tell_object(const struct telling *t, struct scratch *s, const void *record)
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
	if (usage_of(t, s, r->usage, &e.object.usage) || usage_of(t, s, r->long_term, &e.object.long_term) ||
	    (r->kind == 0 && projects_of(t, s, r->projects, &e.object)))
		return -ENOMEM;
	return tell(t, &e);
}

static int tell_debited(const struct telling *t, struct scratch *s, const void *record)
{
	const struct debited_record *r = record;
	struct event e;
	const struct debited_task_record *records;
	struct debited_task_usage *tasks;
	size_t n;

	event_init(&e, EVENT_DEBITED_USAGE);
	e.debited.job_number = r->job_number;
	e.debited.submission_time = r->submission_time;
	records = slice_copy(t, s, STATE_DEBITED_TASKS, sizeof(*records), r->tasks, &n);
	tasks = records ? scratch_alloc(s, n, sizeof(*tasks)) : NULL;
	if (!tasks || usage_of(t, s, r->usage, &e.debited.usage))
		return -ENOMEM;
	for (size_t k = 0; k < n; k++) {
		tasks[k].task = records[k].task;
		tasks[k].start_time = records[k].start_time;
		if (usage_of(t, s, records[k].usage, &tasks[k].usage))
			return -ENOMEM;
	}
	e.debited.tasks = tasks;
	e.debited.ntasks = n;
	return tell(t, &e);
}

static long double precisely(struct precise x)
{
	return ldexpl((long double)x.mantissa, x.exponent);
}

static int tell_association(const struct telling *t, struct scratch *s, const void *record)
{
	const struct association_state *r = record;
	struct association_values values;
	struct event e;

	(void)s;
	values = (struct association_values){ .usage = precisely(r->usage), .norm_usage = precisely(r->norm_usage), .effective_usage = precisely(r->effective_usage),
					      .child_usage = precisely(r->child_usage), .norm_shares = r->norm_shares, .factor = r->factor,
					      .level_fs = r->level_fs, .rank = r->rank };
	event_init(&e, EVENT_ASSOCIATION_USAGE);
	e.association = (struct association_event){ .account = view_string(t->view, r->account), .user = text_or_none(t, r->user),
						    .partition = text_or_none(t, r->partition), .usage_raw = fmin((double)values.usage, USAGE_TOLD_MOST),
						    .values = &values };
	return tell(t, &e);
}

/* The cluster */

static int tell_host(const struct telling *t, struct scratch *s, const void *record)
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
	rc = r->down || !r->has_load ? tell(t, &e) : 0;
	if (rc || !r->has_load)
		return rc;
	records = slice_copy(t, s, STATE_LOADS, sizeof(*records), r->load, &n);
	items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;
	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		items[k] = (struct load_report){ view_string(t->view, records[k].name), view_string(t->view, records[k].value) };
	e.type = EVENT_HOST_LOAD;
	e.host.load = (struct load_reports){ items, n };
	return tell(t, &e);
}

static int tell_pe(const struct telling *t, struct scratch *s, const void *record)
{
	const struct pe_record *r = record;
	struct event e;

	(void)s;
	event_init(&e, EVENT_PARALLEL_ENVIRONMENT);
	e.pe = (struct pe_event){ view_string(t->view, r->name), r->place };
	return tell(t, &e);
}

static int by_pe_place(const void *a, const void *b)
{
	const struct pe_record *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_job(const void *a, const void *b)
{
	const struct debited_record *x = a, *y = b;

	return x->job_number < y->job_number ? -1 : x->job_number > y->job_number;
}

static int by_birth(const void *a, const void *b)
{
	const struct instance_record *x = a, *y = b;

	return x->born < y->born ? -1 : x->born > y->born;
}

static int tell_instance(const struct telling *t, struct scratch *s, const void *record)
{
	const struct instance_record *r = record;
	char state[sizeof(r->state) + 1] = "";
	struct event e;

	(void)s;
	memcpy(state, r->state, sizeof(r->state));
	event_init(&e, EVENT_QUEUE_INSTANCE);
	e.instance = (struct instance_event){ .queue = view_string(t->view, r->name), .slots = r->slots, .state = state,
					      .place = r->place, .suspend_checked = r->suspend_checked };
	return tell(t, &e);
}

/* Jobs */

struct job_at {				/* what the tables have of a row */
	uint32_t row, number;
	uint16_t flags;
	struct class_record class;
	struct category_record category;
	struct request_state request;
	struct extra_record extra;
	struct extra_state more;
	bool has_extra;
};

static int ranges_of(const struct telling *t, struct scratch *s, struct state_slice slice, struct ranges *ranges)
{
	size_t n;
	const struct range_record *records = slice_copy(t, s, STATE_RANGES, sizeof(*records), slice, &n);
	struct range *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct range){ records[i].min, records[i].max, records[i].step };
	*ranges = (struct ranges){ .items = items, .n = n };
	return 0;
}

static int job_look(const struct telling *t, uint32_t row, struct job_at *j)
{
	const struct job_facts *facts = records_facts(t->view, row);
	const struct job_results *results = records_results(t->view, row);
	uint32_t i = row % CHUNK_ROWS, extra;

	if (!facts || !results)
		return -EPROTO;
	*j = (struct job_at){ .row = row, .number = LOAD_ONCE(facts->number[i]), .flags = LOAD_ONCE(results->flags[i]) };
	extra = LOAD_ONCE(facts->extra[i]);
	j->has_extra = extra != NONE;
	if (j->has_extra && (!table_copy(t->view, TABLE_EXTRAS, extra, &j->extra, sizeof(j->extra)) || !PART_COPY(t, STATE_EXTRAS, extra, &j->more)))
		return -EPROTO;
	if (!table_copy(t->view, TABLE_CLASSES, LOAD_ONCE(facts->class_id[i]), &j->class, sizeof(j->class)) ||
	    !table_copy(t->view, TABLE_CATEGORIES, LOAD_ONCE(facts->category[i]), &j->category, sizeof(j->category)) ||
	    !PART_COPY(t, STATE_REQUESTS, LOAD_ONCE(facts->category[i]), &j->request))
		return -EPROTO;
	return 0;
}

static void give(struct job_spec *job, uint32_t member, const char **to, const char *text)
{
	if (!text || !*text)
		return;
	*to = text;
	job->given |= member;
}

static void fill_class(const struct telling *t, const struct job_at *j, struct job_spec *job)
{
	job->owner = view_string(t->view, j->class.owner);
	job->given |= JOB_OWNER;
	give(job, JOB_PROJECT, &job->project, text_or_none(t, j->class.project));
	give(job, JOB_DEPARTMENT, &job->department, text_or_none(t, j->class.department));
	give(job, JOB_ACCOUNT, &job->account, text_or_none(t, j->class.account));
	job->jobshare = j->class.jobshare;
	job->override_tickets = j->class.override_tickets;
	job->given |= (job->jobshare ? JOB_JOBSHARE : 0) | (job->override_tickets ? JOB_OVERRIDE_TICKETS : 0);
}

static void give_slurm(struct job_spec *job, uint32_t member, const char **to, const char *text)
{
	if (!text || !*text)
		return;
	*to = text;
	job->slurm.given |= member;
}

static void fill_request(const struct telling *t, const struct job_at *j, struct job_spec *job)
{
	const struct request_state *r = &j->request;

	give(job, JOB_HARD, &job->hard, text_or_none(t, j->category.hard));
	give(job, JOB_SOFT, &job->soft, text_or_none(t, j->category.soft));
	give(job, JOB_PE, &job->pe, text_or_none(t, j->category.pe));
	give(job, JOB_PE_RANGE, &job->pe_range, text_or_none(t, j->category.pe_range));
	give(job, JOB_HARD_QUEUES, &job->hard_queues, text_or_none(t, r->hard_queues));
	give(job, JOB_SOFT_QUEUES, &job->soft_queues, text_or_none(t, r->soft_queues));
	give(job, JOB_MASTER_QUEUES, &job->master_queues, text_or_none(t, r->master_queues));
	give(job, JOB_CKPT, &job->ckpt, text_or_none(t, r->checkpoint));
	give(job, JOB_GROUP, &job->group, text_or_none(t, r->group));
	give_slurm(job, SLURM_PARTITION, &job->slurm.partition, text_or_none(t, r->partition));
	give_slurm(job, SLURM_QOS, &job->slurm.qos, text_or_none(t, r->qos));
	give_slurm(job, SLURM_TRES, &job->slurm.tres, text_or_none(t, r->tres));
	job->now = r->now;
	job->as_typed = r->as_typed;
	job->given |= (r->now ? JOB_NOW : 0) | (r->as_typed ? JOB_AS_TYPED : 0);
	job->slurm.nodes = r->nodes;
	job->slurm.cpus = r->cpus;
	job->slurm.time_limit = r->time_limit;
	job->slurm.given |= (r->nodes ? SLURM_NODES : 0) | (r->cpus ? SLURM_CPUS : 0) | (r->time_limit != NONE ? SLURM_TIME_LIMIT : 0);
}

static void fill_numbers(const struct job_at *j, struct job_spec *job)
{
	const struct extra_record *x = &j->extra;
	struct slurm_spec *slurm = &job->slurm;

	job->deadline = x->deadline;
	job->execution_time = x->execution_time;
	job->task_concurrency = j->more.task_concurrency;
	job->depended = j->more.depends;
	job->error = j->more.error;
	job->given |= (x->deadline ? JOB_DEADLINE : 0) | (x->execution_time ? JOB_EXECUTION_TIME : 0) | (job->task_concurrency ? JOB_TC : 0) |
		      (job->depended ? JOB_DEPENDED : 0) | (job->error ? JOB_ERROR : 0);
	/* where nothing else counts it is what it would be anyway */
	if (x->eligible_time != job->submission_time || x->execution_time || j->more.depends || j->more.hold_jid.count)
		slurm->eligible_time = x->eligible_time;
	slurm->nice = x->nice;
	slurm->site_factor = x->site_factor;
	slurm->direct_priority = x->direct_priority;
	slurm->given |= (slurm->eligible_time ? SLURM_ELIGIBLE_TIME : 0) | (x->nice ? SLURM_NICE : 0) | (x->site_factor ? SLURM_SITE_FACTOR : 0) |
			(x->direct_priority ? SLURM_DIRECT_PRIORITY : 0);
}

static void fill_allocated(const struct telling *t, const struct job_at *j, struct job_spec *job)
{
	struct request_state r;

	if (!j->has_extra || j->more.allocated == 0 || !PART_COPY(t, STATE_REQUESTS, j->more.allocated - 1, &r))
		return;
	job->slurm.given |= SLURM_ALLOCATED;
	job->slurm.allocated = (struct request_allocated){ text_or_none(t, r.partition), text_or_none(t, r.tres), r.cpus, false };
}

static int fill_extra(const struct telling *t, struct scratch *s, const struct job_at *j, struct job_spec *job)
{
	size_t n = 0;

	if (!j->has_extra)
		return 0;
	fill_numbers(j, job);
	if (job->error)
		job->error_reason = text_or_none(t, j->extra.error_reason);
	for (int k = 0; k < HOLD_KINDS; k++) {
		if (ranges_of(t, s, j->more.hold[k], &job->hold[k]))
			return -ENOMEM;
		job->given |= job->hold[k].n > 0 ? JOB_HOLD : 0;
	}
	job->hold_jid = slice_copy(t, s, STATE_NUMBERS, sizeof(uint32_t), j->more.hold_jid, &n);
	job->nhold_jid = n;
	job->given |= n > 0 ? JOB_HOLD_JID : 0;
	return job->hold_jid ? 0 : -ENOMEM;
}

static void fill_facts(const struct telling *t, const struct job_at *j, struct job_spec *job)
{
	const struct job_facts *facts = records_facts(t->view, j->row);
	const struct multifactor_results *results = records_multifactor(t->view, j->row);
	uint32_t i = j->row % CHUNK_ROWS;

	job->name = view_string(t->view, LOAD_ONCE(facts->name[i]));
	job->submission_time = LOAD_ONCE(facts->submission[i]);
	job->priority = LOAD_ONCE(facts->priority[i]) - 1024;
	job->reserve = LOAD_ONCE(facts->wishes[i]) & JOB_WISHES_RESERVATION;
	job->given |= JOB_SUBMISSION_TIME | (*job->name ? JOB_NAME : 0) | (job->priority ? JOB_PRIORITY : 0) | (job->reserve ? JOB_RESERVE : 0);
	if (!results)
		return;
	if (j->class.account == NONE || j->request.qos == NONE) {
		job->complete = true;
		job->given |= JOB_COMPLETE;
	}
	job->slurm.accrue_time = LOAD_ONCE(results->accrue[i]);
	job->slurm.priority = LOAD_ONCE(results->priority[i]);
	job->slurm.given |= (job->slurm.accrue_time ? SLURM_ACCRUE_TIME : 0) | SLURM_PRIORITY;
}

/*
 * The tasks of a job that are started, in the table by job number and task: the first one, and how
 * many.
 */
static uint64_t tasks_of(const struct telling *t, uint32_t number, uint64_t *first)
{
	uint64_t low = 0, high = t->ntasks, n = 0;
	struct task_record r;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!table_copy(t->view, TABLE_TASKS, middle, &r, sizeof(r)))
			return 0;
		if (r.number < number)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	while (low + n < t->ntasks && table_copy(t->view, TABLE_TASKS, low + n, &r, sizeof(r)) && r.number == number)
		n++;
	return n;
}

/* The ids of an array that are not started, and those that are: their starts are told behind it. */
static int fill_tasks(const struct telling *t, struct scratch *s, const struct job_at *j, struct job_spec *job)
{
	uint64_t n, first = 0, all;
	const struct range_record *ranges;
	struct ranges ids = { 0 };
	struct task_record r;
	int rc = 0;

	if (!(j->flags & JOB_ARRAY))
		return 0;
	ranges = view_table(t->view, TABLE_RANGES, sizeof(*ranges), &all);
	for (uint32_t k = 0; rc == 0 && k < j->extra.nranges && j->extra.ranges + (uint64_t)k < all; k++) {
		struct range_record range;

		view_copy(&range, &ranges[j->extra.ranges + k], sizeof(range));
		rc = ranges_append(&ids, &(struct range){ range.min, range.max, range.step });
	}
	n = tasks_of(t, j->number, &first);
	for (uint64_t k = 0; rc == 0 && k < n; k++)
		rc = table_copy(t->view, TABLE_TASKS, first + k, &r, sizeof(r)) ? ranges_add(&ids, r.task) : -EPROTO;
	if (rc == 0 && ids.n > 0) {
		struct range *items = scratch_alloc(s, ids.n, sizeof(*items));

		if (items)
			memcpy(items, ids.items, ids.n * sizeof(*items));
		job->tasks = (struct ranges){ .items = items, .n = ids.n };
		job->given |= JOB_TASKS;
		rc = items ? 0 : -ENOMEM;
	}
	ranges_free(&ids);
	return rc == -ENOMEM || rc == 0 ? rc : -EPROTO;
}

static int tell_job(const struct telling *t, uint32_t row)
{
	struct scratch s = { NULL };
	struct job_at j;
	struct event e;
	int rc = job_look(t, row, &j);

	if (rc)
		return rc;
	event_init(&e, EVENT_JOB_ADD);
	e.job.job_number = j.number;
	fill_class(t, &j, &e.job);
	fill_request(t, &j, &e.job);
	fill_facts(t, &j, &e.job);
	rc = fill_extra(t, &s, &j, &e.job);
	if (rc == 0)
		rc = fill_tasks(t, &s, &j, &e.job);
	fill_allocated(t, &j, &e.job);
	if (rc == 0)
		rc = tell(t, &e);
	scratch_clear(&s);
	return rc;
}

/* A job that is told already comes to the end of the list: this changes nothing else. */
static int tell_move(const struct telling *t, uint32_t row)
{
	struct job_at j;
	struct event e;
	int rc = job_look(t, row, &j);

	if (rc)
		return rc;
	event_init(&e, EVENT_JOB_MODIFY);
	e.job.job_number = j.number;
	fill_facts(t, &j, &e.job);
	e.job.given = JOB_AS_TYPED | JOB_COMPLETE;
	e.job.as_typed = j.request.as_typed;
	e.job.complete = true;
	e.job.slurm.given &= SLURM_PRIORITY;
	fill_allocated(t, &j, &e.job);
	/* its starts are told, and may have said something else */
	if (j.has_extra && records_multifactor(t->view, j.row) && !(e.job.slurm.given & SLURM_ALLOCATED)) {
		e.job.slurm.allocated.none = true;
		e.job.slurm.given |= SLURM_ALLOCATED;
	}
	return tell(t, &e);
}

/* Started tasks */

static bool is_of_this_run(const struct telling *t, const struct task_state *state)
{
	return state->order > t->head.last_order;
}

static int granted_of(const struct telling *t, struct scratch *s, const struct task_state *state, struct grants *granted)
{
	size_t n;
	const struct grant_record *records = slice_copy(t, s, STATE_GRANTS, sizeof(*records), state->grants, &n);
	struct granted *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct granted){ .queue = view_string(t->view, records[i].queue), .slots = records[i].slots };
	*granted = (struct grants){ items, n };
	return 0;
}

static int tell_start(const struct telling *t, struct scratch *s, const struct task_record *r, const struct task_state *state)
{
	struct event e;

	event_init(&e, EVENT_TASK_START);
	e.task.job_number = r->number;
	e.task.task = r->task;
	e.task.start_time = r->start_time;
	e.task.granted_pe = text_or_none(t, r->granted_pe);
	e.task.allocated = (struct allocated){ text_or_none(t, state->partition), text_or_none(t, state->tres) };
	e.task.order = state->order;
	e.task.charged_from = state->charged_from;
	e.task.charged_until = state->charged_until;
	e.task.booked = state->settled;
	return granted_of(t, s, state, &e.task.granted) ? -ENOMEM : tell(t, &e);
}

static int tell_task_usage(const struct telling *t, struct scratch *s, const struct task_record *r, const struct task_state *state)
{
	struct event e;

	if (!r->has_usage)
		return 0;
	event_init(&e, EVENT_USAGE);
	e.task.job_number = r->number;
	e.task.task = r->task;
	return usage_of(t, s, state->usage, &e.task.usage) ? -ENOMEM : tell(t, &e);
}

static int tell_task_state(const struct telling *t, const struct task_record *r, const struct task_state *state)
{
	struct task_values values = { .otickets = r->otickets, .ftickets = r->ftickets, .stickets = r->stickets };
	char letters[sizeof(r->state) + 1] = "";
	struct kept_record kept;
	struct event e;

	memcpy(letters, r->state, sizeof(r->state));
	if (strcmp(letters, state->order ? "t" : "r") == 0)
		return 0;
	event_init(&e, EVENT_TASK_STATE);
	e.task.job_number = r->number;
	e.task.task = r->task;
	e.task.state = letters;
	if (r->kept != NONE) {
		if (!table_copy(t->view, TABLE_KEPT, r->kept, &kept, sizeof(kept)))
			return -EPROTO;
		values.prio = kept.prio;
		values.nurg = kept.nurg;
		values.ntckts = kept.ntckts;
		values.npprior = kept.npprior;
		values.urg = kept.urg;
		values.rrcontr = kept.rrcontr;
		values.wtcontr = kept.wtcontr;
		values.dlcontr = kept.dlcontr;
		values.share = kept.share;
		e.task.values = &values;
	}
	return tell(t, &e);
}

static int tell_task(const struct telling *t, uint32_t i)
{
	struct scratch s = { NULL };
	struct task_state state;
	struct task_record r;
	int rc;

	if (!table_copy(t->view, TABLE_TASKS, i, &r, sizeof(r)) || !PART_COPY(t, STATE_TASKS, i, &state))
		return -EPROTO;
	if (is_of_this_run(t, &state))
		return 0;
	rc = tell_start(t, &s, &r, &state);
	if (rc == 0)
		rc = tell_task_usage(t, &s, &r, &state);
	if (rc == 0)
		rc = tell_task_state(t, &r, &state);
	scratch_clear(&s);
	return rc;
}

/* The order of the list, and of the tasks */

struct place { uint32_t place, index; };

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* All tasks in the order in which they stand where nothing else decides; and whose they are. */
static int look_at_tasks(struct telling *t)
{
	struct place *places;
	struct task_state state;
	struct task_record r;
	uint64_t n;

	view_table(t->view, TABLE_TASKS, sizeof(struct task_record), &t->ntasks);
	view_state_part(t->view, STATE_TASKS, sizeof(struct task_state), &n);
	if (n != t->ntasks || n >= NONE)
		return -EPROTO;
	places = calloc(n + 1, sizeof(*places));
	t->started = calloc(n + 1, sizeof(*t->started));
	t->numbers = calloc(n + 1, sizeof(*t->numbers));
	if (!places || !t->started || !t->numbers) {
		free(places);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!PART_COPY(t, STATE_TASKS, i, &state) || !table_copy(t->view, TABLE_TASKS, i, &r, sizeof(r)))
			continue;
		places[i] = (struct place){ state.place, i };
		if (!is_of_this_run(t, &state))
			t->numbers[t->nnumbers++] = r.number;
	}
	qsort(places, n, sizeof(*places), by_place);
	qsort(t->numbers, t->nnumbers, sizeof(*t->numbers), by_number);
	for (size_t i = 0; i < n; i++)
		t->started[i] = places[i].index;
	free(places);
	return 0;
}

static bool is_early(const struct telling *t, uint32_t number)
{
	return t->nnumbers > 0 && bsearch(&number, t->numbers, t->nnumbers, sizeof(number), by_number);
}

enum pass { PASS_STARTED, PASS_LIST };

/*
 * Jobs that have started tasks come first, so that these can be told in their own order; the list
 * is then put in order by the others being told, and these being moved.
 */
static int tell_listed(const struct telling *t, uint32_t row, enum pass pass)
{
	const struct job_facts *facts = records_facts(t->view, row);
	bool early = facts && is_early(t, LOAD_ONCE(facts->number[row % CHUNK_ROWS]));

	if (!facts)
		return -EPROTO;
	if (pass == PASS_STARTED)
		return early ? tell_job(t, row) : 0;
	return early ? tell_move(t, row) : tell_job(t, row);
}

/* Rows of the chunks that there are: no list has more. */
static uint64_t rows_shown(const struct telling *t)
{
	uint64_t rows = LOAD_ONCE(t->view->directory->rows), n = 0;

	while (n < rows && records_facts(t->view, n))
		n += CHUNK_ROWS;
	return n < rows ? n : rows;
}

static int tell_list(const struct telling *t, enum pass pass)
{
	uint64_t n, rows = rows_shown(t), told = 0;
	struct list_record r;
	int rc = 0;

	view_state_part(t->view, STATE_LIST, sizeof(r), &n);
	for (uint64_t i = 0; rc == 0 && i < n && PART_COPY(t, STATE_LIST, i, &r); i++)
		for (uint64_t row = r.row; rc == 0 && row < (uint64_t)r.row + r.count; row++)
			rc = row < rows && told++ < rows ? tell_listed(t, (uint32_t)row, pass) : -EPROTO;
	return rc;
}

static int tell_jobs(const struct telling *t)
{
	int rc = tell_list(t, PASS_STARTED);

	for (uint64_t i = 0; rc == 0 && i < t->ntasks; i++)
		rc = tell_task(t, t->started[i]);
	return rc == 0 ? tell_list(t, PASS_LIST) : rc;
}

/* The whole */

/* Each record of a part; in the order of `compare`, NULL: as they stand. */
static int tell_part(const struct telling *t, enum state_part part, size_t bytes, int (*compare)(const void *, const void *),
		     int (*one)(const struct telling *, struct scratch *, const void *record))
{
	struct scratch all = { NULL }, s = { NULL };
	uint64_t n;
	const void *shared = view_state_part(t->view, part, bytes, &n);
	unsigned char *records = scratch_alloc(&all, n, bytes);
	int rc = records ? 0 : -ENOMEM;

	if (records)
		view_copy(records, shared, n * bytes);
	if (records && compare)
		qsort(records, n, bytes, compare);
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		rc = one(t, &s, records + i * bytes);
		scratch_clear(&s);
	}
	scratch_clear(&all);
	return rc;
}

static int tell_scheduler(const struct telling *t)
{
	struct scratch s = { NULL };
	struct event e;
	size_t n;
	int rc;

	event_init(&e, EVENT_SCHEDULER_STATE);
	e.scheduler = (struct scheduler_event){
		.orders = t->head.last_order, .tickets_ordered = t->head.tickets_ordered, .halftime = t->head.halftime,
		.range_costs = { t->head.range_scores[0], t->head.range_scores[1], t->head.range_scores[2] },
		.passed = t->head.passed, .last_pass = t->head.pass, .last_reset = t->head.last_reset };
	e.scheduler.removed = slice_copy(t, &s, STATE_NUMBERS, sizeof(uint32_t), t->head.removed, &n);
	e.scheduler.nremoved = n;
	rc = e.scheduler.removed ? tell(t, &e) : -ENOMEM;
	scratch_clear(&s);
	return rc;
}

static int tell_all(struct telling *t)
{
	int rc = look_at_tasks(t);

	if (rc == 0)
		rc = tell_scheduler(t);
	if (rc == 0)
		rc = tell_part(t, STATE_OBJECTS, sizeof(struct object_record), NULL, tell_object);
	if (rc == 0)
		rc = tell_part(t, STATE_ASSOCIATIONS, sizeof(struct association_state), NULL, tell_association);
	if (rc == 0)
		rc = tell_part(t, STATE_DEBITED, sizeof(struct debited_record), by_job, tell_debited);
	if (rc == 0)
		rc = tell_part(t, STATE_HOSTS, sizeof(struct host_record), NULL, tell_host);
	if (rc == 0)
		rc = tell_jobs(t);
	/* behind the starts, which change places */
	if (rc == 0)
		rc = tell_part(t, STATE_INSTANCES, sizeof(struct instance_record), by_birth, tell_instance);
	return rc == 0 ? tell_part(t, STATE_PES, sizeof(struct pe_record), by_pe_place, tell_pe) : rc;
}

int retell_events(const struct view *view, const struct retell_calls *calls)
{
	const struct state_head *head = view_state(view);
	struct telling t = { .view = view, .calls = calls };
	int rc;

	if (!head)
		return -ENODATA;
	view_copy(&t.head, head, sizeof(t.head));
	rc = tell_all(&t);
	free(t.started);
	free(t.numbers);
	return rc;
}

int retell_files(const struct view *view, struct cell_files *files)
{
	uint64_t n;
	const uint8_t *records = view_state_part(view, STATE_FILES, sizeof(struct file_record), &n);

	*files = (struct cell_files){ 0 };
	if (!view_state(view))
		return -ENODATA;
	files->items = calloc(n + 1, sizeof(*files->items));
	for (uint64_t i = 0; files->items && i < n; i++) {
		struct file_record r;
		struct cell_file *file = &files->items[files->n];

		view_copy(&r, records + i * sizeof(r), sizeof(r));
		*file = (struct cell_file){ strdup(view_string(view, r.name)), strdup(view_string(view, r.text)) };
		files->n++;
		if (!file->name || !file->text) {
			cell_files_free(files);
			return -ENOMEM;
		}
	}
	return files->items ? 0 : -ENOMEM;
}
