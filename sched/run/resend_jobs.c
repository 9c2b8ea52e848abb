/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of jobs, as they were added and changed. */
#include "sched/mirror/state.h"
#include "sched/run/resend_inside.h"

struct job_at {				/* values of a row in the tables */
	uint32_t row, number, class_id;
	struct class_record class;
	struct category_record category;
	struct request_state request;
	struct extra_record extra;
	struct extra_state more;
	bool has_extra;
};

static int ranges_of(const struct state_replay *replay, struct scratch *scratch, struct state_slice slice,
		     struct ranges *ranges)
{
	size_t n;
	const struct range_record *records = resend_slice(replay, scratch, STATE_RANGES, sizeof(*records), slice, &n);
	struct range *items = records ? scratch_alloc(scratch, n, sizeof(*items)) : NULL;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct range){ records[i].min, records[i].max, records[i].step };
	*ranges = (struct ranges){ .items = items, .n = n };
	return 0;
}

static int job_read(const struct state_replay *replay, uint32_t row, struct job_at *job)
{
	const struct job_facts *facts = records_facts(replay->view, row);
	uint32_t i = row % CHUNK_ROWS, extra;

	if (!facts)
		return -EPROTO;
	*job = (struct job_at){ .row = row,
				.number = LOAD_ONCE(facts->number[i]),
				.class_id = LOAD_ONCE(facts->class_id[i]) };
	extra = LOAD_ONCE(facts->extra[i]);
	job->has_extra = extra != NONE;
	if (job->has_extra && (!resend_table(replay->view, TABLE_EXTRAS, extra, &job->extra, sizeof(job->extra)) ||
			       !PART_COPY(replay, STATE_EXTRAS, extra, &job->more)))
		return -EPROTO;
	if (!resend_table(replay->view, TABLE_CLASSES, job->class_id, &job->class, sizeof(job->class)) ||
	    !resend_table(replay->view, TABLE_CATEGORIES, LOAD_ONCE(facts->category[i]), &job->category,
			  sizeof(job->category)) ||
	    !PART_COPY(replay, STATE_REQUESTS, LOAD_ONCE(facts->category[i]), &job->request))
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

static void fill_class(const struct state_replay *replay, const struct job_at *job_at, struct job_spec *job)
{
	job->owner = view_string(replay->view, job_at->class.owner);
	job->given |= JOB_OWNER;
	give(job, JOB_PROJECT, &job->project, resend_text(replay, job_at->class.project));
	give(job, JOB_DEPARTMENT, &job->department, resend_text(replay, job_at->class.department));
	give(job, JOB_ACCOUNT, &job->account, resend_text(replay, job_at->class.account));
	job->jobshare = job_at->class.jobshare;
	job->override_tickets = job_at->class.override_tickets;
	job->given |= (job->jobshare ? JOB_JOBSHARE : 0) | (job->override_tickets ? JOB_OVERRIDE_TICKETS : 0);
}

static void give_slurm(struct job_spec *job, uint32_t member, const char **to, const char *text)
{
	if (!text || !*text)
		return;
	*to = text;
	job->slurm.given |= member;
}

static void fill_request(const struct state_replay *replay, const struct job_at *job_at, struct job_spec *job)
{
	const struct request_state *state = &job_at->request;

	give(job, JOB_HARD, &job->hard, resend_text(replay, job_at->category.hard));
	give(job, JOB_SOFT, &job->soft, resend_text(replay, job_at->category.soft));
	give(job, JOB_PE, &job->pe, resend_text(replay, job_at->category.pe));
	give(job, JOB_PE_RANGE, &job->pe_range, resend_text(replay, job_at->category.pe_range));
	give(job, JOB_HARD_QUEUES, &job->hard_queues, resend_text(replay, state->hard_queues));
	give(job, JOB_SOFT_QUEUES, &job->soft_queues, resend_text(replay, state->soft_queues));
	give(job, JOB_MASTER_QUEUES, &job->master_queues, resend_text(replay, state->master_queues));
	give(job, JOB_CKPT, &job->ckpt, resend_text(replay, state->checkpoint));
	give(job, JOB_GROUP, &job->group, resend_text(replay, state->group));
	give_slurm(job, SLURM_PARTITION, &job->slurm.partition, resend_text(replay, state->partition));
	give_slurm(job, SLURM_QOS, &job->slurm.qos, resend_text(replay, state->qos));
	give_slurm(job, SLURM_TRES, &job->slurm.tres, resend_text(replay, state->tres));
	job->now = state->now;
	job->as_typed = state->as_typed;
	job->ar = state->ar;
	job->given |= (state->now ? JOB_NOW : 0) | (state->as_typed ? JOB_AS_TYPED : 0) | (state->ar ? JOB_AR : 0);
	job->slurm.nodes = state->nodes;
	job->slurm.cpus = state->cpus;
	job->slurm.time_limit = state->time_limit;
	job->slurm.given |= (state->nodes ? SLURM_NODES : 0) | (state->cpus ? SLURM_CPUS : 0) |
			    (state->time_limit != NONE ? SLURM_TIME_LIMIT : 0);
}

static void fill_numbers(const struct job_at *job_at, struct job_spec *job)
{
	const struct job_numbers *numbers = &job_at->extra.numbers;
	struct slurm_spec *slurm = &job->slurm;

	job->deadline = numbers->deadline;
	job->execution_time = numbers->execution_time;
	job->task_concurrency = job_at->more.task_concurrency;
	job->depended = job_at->more.depends;
	job->error = job_at->more.error;
	job->given |= (numbers->deadline ? JOB_DEADLINE : 0) | (numbers->execution_time ? JOB_EXECUTION_TIME : 0) |
		      (job->task_concurrency ? JOB_TC : 0) | (job->depended ? JOB_DEPENDED : 0) |
		      (job->error ? JOB_ERROR : 0);
	if (numbers->eligible_time)
		slurm->eligible_time = numbers->eligible_time;
	slurm->nice = numbers->nice;
	slurm->site_factor = numbers->site_factor;
	slurm->direct_priority = numbers->direct_priority;
	slurm->given |= (slurm->eligible_time ? SLURM_ELIGIBLE_TIME : 0) | (numbers->nice ? SLURM_NICE : 0) |
			(numbers->site_factor ? SLURM_SITE_FACTOR : 0) |
			(numbers->direct_priority ? SLURM_DIRECT_PRIORITY : 0);
}

static void fill_allocated(const struct state_replay *replay, const struct job_at *job_at, struct job_spec *job)
{
	struct request_state state;

	if (!job_at->has_extra || job_at->more.allocated == 0 ||
	    !PART_COPY(replay, STATE_REQUESTS, job_at->more.allocated - 1, &state))
		return;
	job->slurm.given |= SLURM_ALLOCATED;
	job->slurm.allocated = (struct request_allocated){ resend_text(replay, state.partition),
							   resend_text(replay, state.tres), state.cpus, false };
}

static int fill_extra(const struct state_replay *replay, struct scratch *scratch, const struct job_at *job_at,
		      struct job_spec *job)
{
	size_t n = 0;

	if (!job_at->has_extra)
		return 0;
	fill_numbers(job_at, job);
	if (job->error)
		job->error_reason = resend_text(replay, job_at->extra.error_reason);
	for (int k = 0; k < HOLD_KINDS; k++) {
		if (ranges_of(replay, scratch, job_at->more.sets[k], &job->hold[k]))
			return -ENOMEM;
		job->given |= job->hold[k].n > 0 ? JOB_HOLD : 0;
	}
	job->hold_jid = resend_slice(replay, scratch, STATE_NUMBERS, sizeof(uint32_t), job_at->more.hold_jid, &n);
	job->nhold_jid = n;
	job->given |= n > 0 ? JOB_HOLD_JID : 0;
	job->hold_jid_ad =
		resend_slice(replay, scratch, STATE_NUMBERS, sizeof(uint32_t), job_at->more.hold_jid_ad, &n);
	job->nhold_jid_ad = n;
	job->given |= n > 0 ? JOB_HOLD_JID_AD : 0;
	return job->hold_jid && job->hold_jid_ad ? 0 : -ENOMEM;
}

static void fill_facts(const struct state_replay *replay, const struct job_at *job_at, struct job_spec *job)
{
	const struct job_facts *facts = records_facts(replay->view, job_at->row);
	const struct multifactor_results *results = records_multifactor(replay->view, job_at->row);
	uint32_t i = job_at->row % CHUNK_ROWS;

	job->name = view_string(replay->view, LOAD_ONCE(facts->name[i]));
	job->submission_time = LOAD_ONCE(facts->submission[i]);
	job->priority = LOAD_ONCE(facts->priority[i]) - 1024;
	job->reserve = LOAD_ONCE(facts->wishes[i]) & JOB_WISHES_RESERVATION;
	if (LOAD_ONCE(facts->wishes[i]) & JOB_ELIGIBLE_AT_SUBMISSION) {
		job->slurm.eligible_time = job->submission_time;
		job->slurm.given |= SLURM_ELIGIBLE_TIME;
	}
	job->given |= JOB_SUBMISSION_TIME | (*job->name ? JOB_NAME : 0) | (job->priority ? JOB_PRIORITY : 0) |
		      (job->reserve ? JOB_RESERVE : 0);
	if (!results)
		return;
	if (job_at->class.account == NONE || job_at->request.qos == NONE) {
		job->complete = true;
		job->given |= JOB_COMPLETE;
	}
	job->slurm.accrue_time = LOAD_ONCE(results->accrue[i]);
	job->slurm.priority = LOAD_ONCE(results->priority[i]);
	job->slurm.given |= (job->slurm.accrue_time ? SLURM_ACCRUE_TIME : 0) | SLURM_PRIORITY;
}

/*
 * Find the started tasks of a job in the table, which is sorted by job number and task. Returns
 * their number and sets the first one.
 */
static uint64_t tasks_of(const struct state_replay *replay, uint32_t number, uint64_t *first)
{
	uint64_t low = 0, high = replay->ntasks, n = 0;
	struct task_record record;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!resend_table(replay->view, TABLE_TASKS, middle, &record, sizeof(record)))
			return 0;
		if (record.number < number)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	while (low + n < replay->ntasks &&
	       resend_table(replay->view, TABLE_TASKS, low + n, &record, sizeof(record)) && record.number == number)
		n++;
	return n;
}

/*
 * Collect the ids of an array that are not started, and the started ids. Their starts are replayed
 * later.
 */
static int fill_tasks(const struct state_replay *replay, struct scratch *scratch, const struct job_at *job_at,
		      struct job_spec *job)
{
	uint64_t n, first = 0, all;
	const struct range_record *ranges;
	struct ranges ids = { 0 };
	struct task_record record;
	int rc = 0;

	if (!job_at->has_extra || !job_at->more.is_array)
		return 0;
	ranges = view_table(replay->view, TABLE_RANGES, sizeof(*ranges), &all);
	for (uint32_t k = 0; rc == 0 && k < job_at->extra.nranges && job_at->extra.ranges + (uint64_t)k < all; k++) {
		struct range_record range;

		if (!resend_more(&replay->copied->ranges, 1, all))
			return ranges_free(&ids), -EPROTO;
		view_copy(&range, &ranges[job_at->extra.ranges + k], sizeof(range));
		rc = ranges_append(&ids, &(struct range){ range.min, range.max, range.step });
	}
	n = tasks_of(replay, job_at->number, &first);
	rc = rc == 0 && !resend_more(&replay->copied->tasks, n, replay->ntasks) ? -EPROTO : rc;
	for (uint64_t k = 0; rc == 0 && k < n; k++)
		rc = resend_table(replay->view, TABLE_TASKS, first + k, &record, sizeof(record))
			     ? ranges_add(&ids, record.task)
			     : -EPROTO;
	if (rc == 0) {
		/* n may be 0 */
		struct range *items = scratch_alloc(scratch, ids.n + 1, sizeof(*items));

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
 * Add the ids of tasks that were enrolled and whose start is ordered but not confirmed. Their
 * starts are replayed later.
 */
static int add_ordered(const struct state_replay *replay, uint32_t number, struct ranges *ids)
{
	uint64_t first = 0, n = tasks_of(replay, number, &first);
	struct task_state state;
	struct task_record record;
	int rc = resend_more(&replay->copied->ordered, n, replay->ntasks) ? 0 : -EPROTO;

	for (uint64_t k = 0; rc == 0 && k < n; k++) {
		if (!resend_table(replay->view, TABLE_TASKS, first + k, &record, sizeof(record)) ||
		    !PART_COPY(replay, STATE_TASKS, first + k, &state))
			return -EPROTO;
		if (state.order && state.enrolled)
			rc = ranges_add(ids, record.task);
	}
	return rc == -EEXIST ? -EPROTO : rc;
}

static int replay_enrolled(const struct state_replay *replay, struct scratch *scratch, const struct job_at *job)
{
	struct ranges shown = { 0 }, ids = { 0 };
	struct event event;
	int rc;

	if (!job->has_extra)
		return 0;
	event_init(&event, EVENT_TASKS_ENROLLED);
	rc = ranges_of(replay, scratch, job->more.sets[TASK_ENROLLED], &shown);
	if (rc == 0 && job->more.sets[TASK_ERROR].count > 0)
		rc = ranges_of(replay, scratch, job->more.sets[TASK_ERROR], &event.enrolled.error);
	if (rc == 0)
		rc = ranges_copy(&ids, &shown);
	if (rc == 0)
		rc = add_ordered(replay, job->number, &ids);
	if (rc == 0 && job->more.sets[TASK_RESTARTED].count > 0)
		rc = ranges_of(replay, scratch, job->more.sets[TASK_RESTARTED], &event.enrolled.restarted);
	event.enrolled.job_number = job->number;
	event.enrolled.tasks = ids;
	event.enrolled.error_reason =
		event.enrolled.error.n > 0 ? resend_text(replay, job->extra.error_reason) : NULL;
	if (rc == 0 && (ids.n > 0 || event.enrolled.restarted.n > 0))
		rc = resend_send(replay, &event);
	ranges_free(&ids);
	return rc;
}

int resend_job(const struct state_replay *replay, uint32_t row)
{
	struct scratch scratch = { NULL };
	struct job_at job;
	struct event event;
	int rc = job_read(replay, row, &job);

	if (rc)
		return rc;
	event_init(&event, EVENT_JOB_ADD);
	event.job.job_number = job.number;
	fill_class(replay, &job, &event.job);
	fill_request(replay, &job, &event.job);
	fill_facts(replay, &job, &event.job);
	rc = fill_extra(replay, &scratch, &job, &event.job);
	if (rc == 0)
		rc = fill_tasks(replay, &scratch, &job, &event.job);
	fill_allocated(replay, &job, &event.job);
	if (rc == 0)
		rc = resend_condor_job(replay, &scratch, row, job.class_id, job.request.ad, &event.job.condor);
	if (rc == 0)
		rc = resend_send(replay, &event);
	if (rc == 0)
		rc = replay_enrolled(replay, &scratch, &job);
	scratch_clear(&scratch);
	return rc;
}

/* Move a job that was replayed already to the end of the list. Nothing else changes. */
int resend_move(const struct state_replay *replay, uint32_t row)
{
	struct job_at job;
	struct event event;
	int rc = job_read(replay, row, &job);

	if (rc)
		return rc;
	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = job.number;
	fill_facts(replay, &job, &event.job);
	event.job.given = JOB_AS_TYPED | JOB_COMPLETE;
	event.job.as_typed = job.request.as_typed;
	event.job.complete = true;
	event.job.slurm.given &= SLURM_PRIORITY;
	fill_allocated(replay, &job, &event.job);
	/* the replayed job starts may have set another allocation */
	if (job.has_extra && records_multifactor(replay->view, job.row) &&
	    !(event.job.slurm.given & SLURM_ALLOCATED)) {
		event.job.slurm.allocated.none = true;
		event.job.slurm.given |= SLURM_ALLOCATED;
	}
	return resend_send(replay, &event);
}
