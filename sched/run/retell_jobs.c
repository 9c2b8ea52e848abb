/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs, as they were added and changed. */
#include "sched/mirror/state.h"
#include "sched/run/retell_inside.h"

struct job_at {				/* what the tables have of a row */
	uint32_t row, number, class_id;
	struct class_record class;
	struct category_record category;
	struct request_state request;
	struct extra_record extra;
	struct extra_state more;
	bool has_extra;
};

static int ranges_of(const struct retelling *t, struct scratch *s, struct state_slice slice, struct ranges *ranges)
{
	size_t n;
	const struct range_record *records = retell_slice(t, s, STATE_RANGES, sizeof(*records), slice, &n);
	struct range *items = records ? scratch_alloc(s, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct range){ records[i].min, records[i].max, records[i].step };
	*ranges = (struct ranges){ .items = items, .n = n };
	return 0;
}

static int job_look(const struct retelling *t, uint32_t row, struct job_at *j)
{
	const struct job_facts *facts = records_facts(t->view, row);
	uint32_t i = row % CHUNK_ROWS, extra;

	if (!facts)
		return -EPROTO;
	*j = (struct job_at){ .row = row, .number = LOAD_ONCE(facts->number[i]), .class_id = LOAD_ONCE(facts->class_id[i]) };
	extra = LOAD_ONCE(facts->extra[i]);
	j->has_extra = extra != NONE;
	if (j->has_extra && (!retell_table(t->view, TABLE_EXTRAS, extra, &j->extra, sizeof(j->extra)) || !PART_COPY(t, STATE_EXTRAS, extra, &j->more)))
		return -EPROTO;
	if (!retell_table(t->view, TABLE_CLASSES, j->class_id, &j->class, sizeof(j->class)) ||
	    !retell_table(t->view, TABLE_CATEGORIES, LOAD_ONCE(facts->category[i]), &j->category, sizeof(j->category)) ||
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

static void fill_class(const struct retelling *t, const struct job_at *j, struct job_spec *job)
{
	job->owner = view_string(t->view, j->class.owner);
	job->given |= JOB_OWNER;
	give(job, JOB_PROJECT, &job->project, retell_text(t, j->class.project));
	give(job, JOB_DEPARTMENT, &job->department, retell_text(t, j->class.department));
	give(job, JOB_ACCOUNT, &job->account, retell_text(t, j->class.account));
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

static void fill_request(const struct retelling *t, const struct job_at *j, struct job_spec *job)
{
	const struct request_state *r = &j->request;

	give(job, JOB_HARD, &job->hard, retell_text(t, j->category.hard));
	give(job, JOB_SOFT, &job->soft, retell_text(t, j->category.soft));
	give(job, JOB_PE, &job->pe, retell_text(t, j->category.pe));
	give(job, JOB_PE_RANGE, &job->pe_range, retell_text(t, j->category.pe_range));
	give(job, JOB_HARD_QUEUES, &job->hard_queues, retell_text(t, r->hard_queues));
	give(job, JOB_SOFT_QUEUES, &job->soft_queues, retell_text(t, r->soft_queues));
	give(job, JOB_MASTER_QUEUES, &job->master_queues, retell_text(t, r->master_queues));
	give(job, JOB_CKPT, &job->ckpt, retell_text(t, r->checkpoint));
	give(job, JOB_GROUP, &job->group, retell_text(t, r->group));
	give_slurm(job, SLURM_PARTITION, &job->slurm.partition, retell_text(t, r->partition));
	give_slurm(job, SLURM_QOS, &job->slurm.qos, retell_text(t, r->qos));
	give_slurm(job, SLURM_TRES, &job->slurm.tres, retell_text(t, r->tres));
	job->now = r->now;
	job->as_typed = r->as_typed;
	job->ar = r->ar;
	job->given |= (r->now ? JOB_NOW : 0) | (r->as_typed ? JOB_AS_TYPED : 0) | (r->ar ? JOB_AR : 0);
	job->slurm.nodes = r->nodes;
	job->slurm.cpus = r->cpus;
	job->slurm.time_limit = r->time_limit;
	job->slurm.given |= (r->nodes ? SLURM_NODES : 0) | (r->cpus ? SLURM_CPUS : 0) | (r->time_limit != NONE ? SLURM_TIME_LIMIT : 0);
}

static void fill_numbers(const struct job_at *j, struct job_spec *job)
{
	const struct job_numbers *x = &j->extra.numbers;
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

static void fill_allocated(const struct retelling *t, const struct job_at *j, struct job_spec *job)
{
	struct request_state r;

	if (!j->has_extra || j->more.allocated == 0 || !PART_COPY(t, STATE_REQUESTS, j->more.allocated - 1, &r))
		return;
	job->slurm.given |= SLURM_ALLOCATED;
	job->slurm.allocated = (struct request_allocated){ retell_text(t, r.partition), retell_text(t, r.tres), r.cpus, false };
}

static int fill_extra(const struct retelling *t, struct scratch *s, const struct job_at *j, struct job_spec *job)
{
	size_t n = 0;

	if (!j->has_extra)
		return 0;
	fill_numbers(j, job);
	if (job->error)
		job->error_reason = retell_text(t, j->extra.error_reason);
	for (int k = 0; k < HOLD_KINDS; k++) {
		if (ranges_of(t, s, j->more.sets[k], &job->hold[k]))
			return -ENOMEM;
		job->given |= job->hold[k].n > 0 ? JOB_HOLD : 0;
	}
	job->hold_jid = retell_slice(t, s, STATE_NUMBERS, sizeof(uint32_t), j->more.hold_jid, &n);
	job->nhold_jid = n;
	job->given |= n > 0 ? JOB_HOLD_JID : 0;
	job->hold_jid_ad = retell_slice(t, s, STATE_NUMBERS, sizeof(uint32_t), j->more.hold_jid_ad, &n);
	job->nhold_jid_ad = n;
	job->given |= n > 0 ? JOB_HOLD_JID_AD : 0;
	return job->hold_jid && job->hold_jid_ad ? 0 : -ENOMEM;
}

static void fill_facts(const struct retelling *t, const struct job_at *j, struct job_spec *job)
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
static uint64_t tasks_of(const struct retelling *t, uint32_t number, uint64_t *first)
{
	uint64_t low = 0, high = t->ntasks, n = 0;
	struct task_record r;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!retell_table(t->view, TABLE_TASKS, middle, &r, sizeof(r)))
			return 0;
		if (r.number < number)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	while (low + n < t->ntasks && retell_table(t->view, TABLE_TASKS, low + n, &r, sizeof(r)) && r.number == number)
		n++;
	return n;
}

/* The ids of an array that are not started, and those that are: their starts are told behind it. */
static int fill_tasks(const struct retelling *t, struct scratch *s, const struct job_at *j, struct job_spec *job)
{
	uint64_t n, first = 0, all;
	const struct range_record *ranges;
	struct ranges ids = { 0 };
	struct task_record r;
	int rc = 0;

	if (!j->has_extra || !j->more.is_array)
		return 0;
	ranges = view_table(t->view, TABLE_RANGES, sizeof(*ranges), &all);
	for (uint32_t k = 0; rc == 0 && k < j->extra.nranges && j->extra.ranges + (uint64_t)k < all; k++) {
		struct range_record range;

		if (!retell_more(&t->retold->ranges, 1, all))
			return ranges_free(&ids), -EPROTO;
		view_copy(&range, &ranges[j->extra.ranges + k], sizeof(range));
		rc = ranges_append(&ids, &(struct range){ range.min, range.max, range.step });
	}
	n = tasks_of(t, j->number, &first);
	rc = rc == 0 && !retell_more(&t->retold->tasks, n, t->ntasks) ? -EPROTO : rc;
	for (uint64_t k = 0; rc == 0 && k < n; k++)
		rc = retell_table(t->view, TABLE_TASKS, first + k, &r, sizeof(r)) ? ranges_add(&ids, r.task) : -EPROTO;
	if (rc == 0) {
		struct range *items = scratch_alloc(s, ids.n + 1, sizeof(*items));	/* perhaps none */

		if (items && ids.n > 0)
			memcpy(items, ids.items, ids.n * sizeof(*items));
		job->tasks = (struct ranges){ .items = items, .n = ids.n };
		job->given |= JOB_TASKS;
		rc = items ? 0 : -ENOMEM;
	}
	ranges_free(&ids);
	return rc == -ENOMEM || rc == 0 ? rc : -EPROTO;
}

/*
 * Those whose start was ordered and is not confirmed were enrolled before: it is told behind this.
 */
static int add_ordered(const struct retelling *t, uint32_t number, struct ranges *ids)
{
	uint64_t first = 0, n = tasks_of(t, number, &first);
	struct task_state state;
	struct task_record r;
	int rc = retell_more(&t->retold->ordered, n, t->ntasks) ? 0 : -EPROTO;

	for (uint64_t k = 0; rc == 0 && k < n; k++) {
		if (!retell_table(t->view, TABLE_TASKS, first + k, &r, sizeof(r)) || !PART_COPY(t, STATE_TASKS, first + k, &state))
			return -EPROTO;
		if (state.order && state.enrolled)
			rc = ranges_add(ids, r.task);
	}
	return rc == -EEXIST ? -EPROTO : rc;
}

static int tell_enrolled(const struct retelling *t, struct scratch *s, const struct job_at *j)
{
	struct ranges shown = { 0 }, ids = { 0 };
	struct event e;
	int rc;

	if (!j->has_extra)
		return 0;
	event_init(&e, EVENT_TASKS_ENROLLED);
	rc = ranges_of(t, s, j->more.sets[TASK_ENROLLED], &shown);
	if (rc == 0 && j->more.sets[TASK_ERROR].count > 0)
		rc = ranges_of(t, s, j->more.sets[TASK_ERROR], &e.enrolled.error);
	if (rc == 0)
		rc = ranges_copy(&ids, &shown);
	if (rc == 0)
		rc = add_ordered(t, j->number, &ids);
	e.enrolled.job_number = j->number;
	e.enrolled.tasks = ids;
	e.enrolled.error_reason = e.enrolled.error.n > 0 ? retell_text(t, j->extra.error_reason) : NULL;
	if (rc == 0 && ids.n > 0)
		rc = retell_tell(t, &e);
	ranges_free(&ids);
	return rc;
}

int retell_job(const struct retelling *t, uint32_t row)
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
		rc = retell_condor_job(t, &s, row, j.class_id, j.request.ad, &e.job.condor);
	if (rc == 0)
		rc = retell_tell(t, &e);
	if (rc == 0)
		rc = tell_enrolled(t, &s, &j);
	scratch_clear(&s);
	return rc;
}

/* A job that is told already comes to the end of the list: this changes nothing else. */
int retell_move(const struct retelling *t, uint32_t row)
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
	return retell_tell(t, &e);
}
