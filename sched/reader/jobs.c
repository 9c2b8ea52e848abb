/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of jobs and started tasks: stored columns, and values derived from them and the run. */
#include "sched/reader/handle.h"

#include "conf/base/search.h"
#include "urgency/normalize.h"

_Static_assert(sizeof(struct fl_range) == sizeof(struct range_record), "task ranges are shown in place");
_Static_assert(offsetof(struct fl_range, step) == offsetof(struct range_record, step), "in the same order");

struct row {				/* columns of one job, and the records that they refer to */
	uint32_t number, name, task;
	uint16_t priority, flags;
	int64_t submission;
	bool has_tickets;			/* true if the run shows tickets */
	double otickets, ftickets, stickets;
	bool multifactor;			/* true if the run shows multifactor columns */
	uint32_t multifactor_priority;
	/* effective user priority of its submitter; 0: none */
	double user_prio;
	struct class_record class;
	struct category_record category;
	struct extra_record extra;
};

static const struct class_record no_class = { .owner = NONE, .project = NONE, .department = NONE };
static const struct category_record no_category = {
	.hard = NONE, .soft = NONE, .pe = NONE, .pe_range = NONE, .slots = 1
};
static const struct extra_record no_extra;

static void row_records(const struct fl_view *view, struct row *row, uint32_t class_id, uint32_t category,
			uint32_t extra)
{
	if (!RECORD_COPY(view, TABLE_CLASSES, class_id, &row->class))
		row->class = no_class;
	if (!RECORD_COPY(view, TABLE_CATEGORIES, category, &row->category))
		row->category = no_category;
	if (extra == NONE || !RECORD_COPY(view, TABLE_EXTRAS, extra, &row->extra))
		row->extra = no_extra;
}

/* Return the effective user priority; lower is better. 0: HTCondor's columns are not shown. */
static double user_prio(const struct fl_view *view, uint32_t index)
{
	const struct userprio_results *results = records_userprio(&view->view, index);
	const struct customer_record *customer = NULL;

	if (results)
		customer = view_record(&view->view, TABLE_CUSTOMERS, sizeof(*customer),
				       LOAD_ONCE(results->customer[index % CHUNK_ROWS]));
	return customer ? LOAD_ONCE(customer->rup) * LOAD_ONCE(customer->factor) : 0.0;
}

/* Read the columns of the policy that the run shows. */
static void row_columns(const struct fl_view *view, uint32_t index, struct row *row)
{
	const struct ticket_results *tickets = records_tickets(&view->view, index);
	const struct multifactor_results *multifactor = records_multifactor(&view->view, index);
	size_t i = index % CHUNK_ROWS;

	row->has_tickets = tickets != NULL;
	row->otickets = tickets ? LOAD_ONCE(tickets->otickets[i]) : 0.0;
	row->ftickets = tickets ? LOAD_ONCE(tickets->ftickets[i]) : 0.0;
	row->stickets = tickets ? LOAD_ONCE(tickets->stickets[i]) : 0.0;
	row->multifactor = multifactor != NULL;
	row->multifactor_priority = multifactor ? LOAD_ONCE(multifactor->priority[i]) : 0;
	row->user_prio = user_prio(view, index);
}

static int row_read(const struct fl_view *view, uint32_t index, struct row *row)
{
	const struct job_facts *facts = records_facts(&view->view, index);
	const struct job_results *results = records_results(&view->view, index);
	size_t i = index % CHUNK_ROWS;

	if (!facts || !results)
		return -ENOENT;
	row->number = LOAD_ONCE(facts->number[i]);
	row->name = LOAD_ONCE(facts->name[i]);
	row->task = LOAD_ONCE(results->task[i]);
	row->priority = LOAD_ONCE(facts->priority[i]);
	row->flags = LOAD_ONCE(results->flags[i]);
	row->submission = LOAD_ONCE(facts->submission[i]);
	row_columns(view, index, row);
	row_records(view, row, LOAD_ONCE(facts->class_id[i]), LOAD_ONCE(facts->category[i]),
		    LOAD_ONCE(facts->extra[i]));
	return row->number ? 0 : -ENOENT;
}

/* Tables of view_string(), checked once for all strings of a row. */
struct texts {
	const uint32_t *offsets;
	const char *text;
	uint64_t strings, bytes;
};

static inline struct texts texts_of(const struct view *view)
{
	struct texts texts;

	texts.offsets = view_table(view, TABLE_STRINGS, sizeof(*texts.offsets), &texts.strings);
	texts.text = view_table(view, TABLE_TEXT, 1, &texts.bytes);
	return texts;
}

/* Return a string as view_string() does. */
static inline const char *texts_string(const struct texts *texts, uint32_t id)
{
	if (id >= texts->strings)
		return "";
	uint32_t at = LOAD_ONCE(texts->offsets[id]);

	return at < texts->bytes ? texts->text + at : "";
}

/* Fill in the members that pending rows and started tasks have in common. The others are zero. */
static void job_describe(const struct fl_view *view, const struct row *row, struct fl_job *job)
{
	const struct texts texts = texts_of(&view->view);

	*job = (struct fl_job) {
		.job_number = row->number,
		.task = row->task,
		.is_array = row->flags & JOB_ARRAY,
		.name = texts_string(&texts, row->name),
		.owner = texts_string(&texts, row->class.owner),
		.project = texts_string(&texts, row->class.project),
		.department = texts_string(&texts, row->class.department),
		.submission_time = row->submission,
		.deadline = row->extra.numbers.deadline,
		.execution_time = row->extra.numbers.execution_time,
		.priority = (int32_t)row->priority - 1024,
		.jobshare = row->class.jobshare,
		.override_tickets = row->class.override_tickets,
		.ar = row->category.ar,
		.hard_resources = texts_string(&texts, row->category.hard),
		.soft_resources = texts_string(&texts, row->category.soft),
		.pe = texts_string(&texts, row->category.pe),
		.pe_range = texts_string(&texts, row->category.pe_range),
		.granted_pe = "",
		.queue = "",
		.slots = row->category.slots,
	};
}

/* Priorities */

static void job_tickets(struct fl_job *job, double otickets, double ftickets, double stickets)
{
	job->otckt = otickets;
	job->ftckt = ftickets;
	job->stckt = stickets;
	job->tckts = stickets + ftickets + otickets;
}

static void job_urgency(struct fl_job *job, const struct urgency_contributions *urgency)
{
	job->urg = urgency->urg;
	job->rrcontr = urgency->rrcontr;
	job->wtcontr = urgency->wtcontr;
	job->dlcontr = urgency->dlcontr;
}

static void job_derive(struct fl_job *job, const struct run_record *run, const struct row *row, bool again,
		       double all_tickets)
{
	double (*prio)(double, double, double, double, double, double) = again ? normalize_prio_again : normalize_prio;
	const struct urgency_inputs inputs = { .submission = row->submission,
					       .deadline = row->extra.numbers.deadline,
					       .rrcontr = row->category.rrcontr };

	if (run->use_urgency) {	/* else it is not computed and stays 0 */
		const struct urgency_contributions urgency = urgency_contributions(&run->urgency, &inputs);

		job_urgency(job, &urgency);
		job->nurg = normalize(job->urg, run->urg_min, run->urg_max);
	}
	job->npprior = normalize_posix(row->priority);
	job->ntckts = normalize(job->tckts, 0.0, run->tix_max);
	job->share = job->tckts > 0.0 && all_tickets > 0.0 ? job->tckts / all_tickets : 0.0;
	job->prio = prio(run->weight_urgency, normalize_used(run->use_urgency, job->nurg), run->weight_ticket,
			 job->ntckts, run->weight_priority, normalize_used(run->use_priority, job->npprior));
}

static void job_keep(struct fl_job *job, const struct kept_record *kept)
{
	job->prio = kept->prio;
	job->nurg = kept->nurg;
	job->ntckts = kept->ntckts;
	job->npprior = kept->npprior;
	job_urgency(job, &kept->urgency);
	job->share = kept->share;
}

/*
 * Return the run without copying it. In an evicted section its numbers may change, but nothing else
 * depends on them.
 */
static const struct run_record *run_of(const struct fl_view *view)
{
	return records_run(&view->view);
}

/* Pending rows */

static void pending_state(uint16_t flags, bool restarted, char state[8])
{
	if (flags & JOB_IN_ERROR)
		*state++ = 'E';
	if (flags & JOB_HELD)
		*state++ = 'h';
	memcpy(state, restarted ? "Rq" : "qw", 3);
}

static void pending_tasks(const struct fl_view *view, const struct extra_record *extra, struct fl_job *job)
{
	uint64_t count;
	const struct fl_range *ranges = view_table(&view->view, TABLE_RANGES, sizeof(struct range_record), &count);
	uint64_t all = (uint64_t)extra->nranges + extra->nheld + extra->nerror + extra->nrestarted;

	if (extra->nranges == 0 || extra->ranges > count || all > count - extra->ranges)
		return;
	job->tasks = ranges + extra->ranges;
	job->nranges = extra->nranges;
	job->held = job->tasks + job->nranges;
	job->nheld = extra->nheld;
	job->in_error = job->held + job->nheld;
	job->nin_error = extra->nerror;
	job->restarted = job->in_error + job->nin_error;
	job->nrestarted = extra->nrestarted;
}

static int pending_fill(const struct fl_view *view, uint32_t index, struct fl_job *job)
{
	const struct run_record *run = run_of(view);
	struct row row;

	if (row_read(view, index, &row))
		return -ENOENT;
	job_describe(view, &row, job);
	pending_state(row.flags, row.extra.nrestarted > 0 && !(row.flags & JOB_ARRAY), job->state);
	pending_tasks(view, &row.extra, job);
	if (row.has_tickets && row.flags & JOB_ELIGIBLE && run->report_pending) {
		job_tickets(job, row.otickets, row.ftickets, row.stickets);
		job_derive(job, run, &row, row.flags & JOB_RANKED_AGAIN, run->pending_tickets);
	}
	if (row.multifactor)
		job->prio = row.multifactor_priority;
	else if (row.user_prio > 0.0 && row.flags & JOB_ELIGIBLE)
		job->prio = 1.0 / row.user_prio;
	return 0;
}

/*
 * Rows to prefetch ahead. A list is read from its beginning to its end, but its rows are scattered
 * in memory.
 */
#define AHEAD 12u

static void pending_prefetch(const struct fl_view *view, size_t k)
{
	uint32_t index;

	if (!RECORD_COPY(view, TABLE_ORDER, k + AHEAD, &index))
		return;
	const struct job_facts *facts = records_facts(&view->view, index);
	const struct job_results *results = records_results(&view->view, index);
	size_t i = index % CHUNK_ROWS;

	const struct ticket_results *tickets = records_tickets(&view->view, index);

	if (!facts || !results)
		return;
	__builtin_prefetch(&facts->number[i]);
	__builtin_prefetch(&facts->class_id[i]);
	__builtin_prefetch(&facts->category[i]);
	__builtin_prefetch(&facts->name[i]);
	__builtin_prefetch(&facts->extra[i]);
	__builtin_prefetch(&results->task[i]);
	__builtin_prefetch(&facts->priority[i]);
	__builtin_prefetch(&results->flags[i]);
	__builtin_prefetch(&facts->submission[i]);
	if (!tickets)
		return;
	__builtin_prefetch(&tickets->otickets[i]);
	__builtin_prefetch(&tickets->ftickets[i]);
	__builtin_prefetch(&tickets->stickets[i]);
}

static int pending_get(const struct fl_view *view, size_t k, struct fl_job *job)
{
	pending_prefetch(view, k);
	const uint32_t *index = view_record(&view->view, TABLE_ORDER, sizeof(*index), k);

	return index ? pending_fill(view, LOAD_ONCE(*index), job) : -ENOENT;
}

/* Started tasks */

static void started_describe(const struct fl_view *view, const struct task_record *task, struct fl_job *job)
{
	job->task = task->task;
	job->is_started = true;
	memcpy(job->state, task->state, sizeof(job->state));
	job->state[sizeof(job->state) - 1] = 0;
	job->start_time = task->start_time;
	job->granted_pe = view_string(&view->view, task->granted_pe);
	job->queue = view_string(&view->view, task->queue);
	job->slots = task->slots;
	job->has_usage = task->has_usage;
	job->cpu = task->cpu;
	job->mem = task->mem;
	job->io = task->io;
}

/* Fill in the priority. A suspended task is not considered and keeps its old values. */
static void started_prioritize(const struct fl_view *view, const struct task_record *task, const struct row *row,
			       struct fl_job *job)
{
	struct kept_record kept;

	if (row->has_tickets && task->kept != NONE) {
		job_tickets(job, task->otickets, task->ftickets, task->stickets);
		if (RECORD_COPY(view, TABLE_KEPT, task->kept, &kept))
			job_keep(job, &kept);
	} else if (row->has_tickets && row->flags & JOB_RUNNING) {
		job_tickets(job, task->otickets, task->ftickets, task->stickets);
		job_derive(job, run_of(view), row, false, run_of(view)->running_tickets);
	}
	if (row->multifactor)
		job->prio = row->multifactor_priority;
	else if (row->user_prio > 0.0)
		job->prio = 1.0 / row->user_prio;
}

static int started_get(const struct fl_view *view, size_t k, struct fl_job *job)
{
	struct task_record task;
	struct row row;

	if (!RECORD_COPY(view, TABLE_TASKS, k, &task) || row_read(view, task.job_row, &row) ||
	    row.number != task.number)
		return -ENOENT;
	job_describe(view, &row, job);
	started_describe(view, &task, job);
	started_prioritize(view, &task, &row, job);
	return 0;
}

/* Lists and look-up */

size_t fl_count(const struct fl_view *view, enum fl_list list)
{
	uint64_t count;

	if (list == FL_STARTED)
		view_table(&view->view, TABLE_TASKS, sizeof(struct task_record), &count);
	else
		view_table(&view->view, TABLE_ORDER, sizeof(uint32_t), &count);
	return count;
}

int fl_get(const struct fl_view *view, enum fl_list list, size_t k, struct fl_job *job)
{
	return list == FL_STARTED ? started_get(view, k, job) : pending_get(view, k, job);
}

/* Return the index of the first started task of a job with at least this number. */
static uint64_t started_from(const struct task_record *tasks, uint64_t count, uint64_t number)
{
	uint64_t at;

	lower_bound(at, count, LOAD_ONCE(tasks[at].number) < number);
	return at;
}

/*
 * Return the upper limit of probes, whatever the index contains. Between the hash position of a
 * number and the next empty entry there are at most as many entries as rows, each row once. Each
 * chunk of rows occupies two extents of the file.
 */
static uint64_t probes_most(const struct fl_view *view)
{
	uint64_t rows = LOAD_ONCE(view->view.directory->rows),
		 most = view->view.file_bytes / (2 * EXTENT_BYTES) * CHUNK_ROWS;

	return rows < most ? rows : most;
}

/* Look up a row. The capacity of the index is a power of two. */
uint32_t row_find(const struct fl_view *view, uint32_t number)
{
	uint64_t capacity;
	const uint32_t *places = view_table(&view->view, TABLE_INDEX, sizeof(*places), &capacity);

	if (capacity == 0 || capacity > (uint64_t)UINT32_MAX + 1 || (capacity & (capacity - 1)))
		return NONE;
	/* the upper bits of the 32-bit product */
	uint64_t at = (uint64_t)(number * 2654435761u) * capacity >> 32;

	for (uint64_t probes = probes_most(view); probes > 0; probes--, at = (at + 1) & (capacity - 1)) {
		uint32_t row = LOAD_ONCE(places[at]);
		const struct job_facts *facts = row == NONE ? NULL : records_facts(&view->view, row);

		if (row == NONE)
			return NONE;
		if (facts && LOAD_ONCE(facts->number[row % CHUNK_ROWS]) == number)
			return row;
	}
	return NONE;
}

int fl_find(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_job *job)
{
	uint64_t count;
	const struct task_record *tasks = view_table(&view->view, TABLE_TASKS, sizeof(*tasks), &count);
	uint64_t first = started_from(tasks, count, job_number),
		 started = started_from(tasks, count, (uint64_t)job_number + 1) - first;

	if (job_number == 0 || k > started)
		return -ENOENT;
	if (k < started)
		return started_get(view, first + k, job);
	uint32_t row = row_find(view, job_number);
	const struct job_results *results = row == NONE ? NULL : records_results(&view->view, row);

	if (!results || !(LOAD_ONCE(results->flags[row % CHUNK_ROWS]) & JOB_PENDING))
		return -ENOENT;
	return pending_fill(view, row, job);
}
