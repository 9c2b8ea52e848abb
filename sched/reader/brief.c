/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs without their texts, for programs that count them. Pending jobs are read in the order of
 * their rows, which is several times as fast as the order of priorities.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/dispatch/why/why.h"
#include "sched/negotiation/negotiation.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"

/* Reasons */

/* Return the first condition of a job that is not eligible. */
static uint16_t flags_reason(const struct fl_view *view, uint32_t row, uint16_t flags)
{
	static const struct {
		uint16_t flag, kind;
	} conditions[] = { { JOB_IN_ERROR, WHY_IN_ERROR },
			   { JOB_ON_HOLD, WHY_ON_HOLD },
			   { JOB_PREDECESSOR, WHY_PREDECESSOR },
			   { JOB_TASK_LIMIT, WHY_TASK_LIMIT } };
	const struct job_facts *facts = records_facts(&view->view, row);
	uint32_t extra = facts ? LOAD_ONCE(facts->extra[row % CHUNK_ROWS]) : NONE;
	struct extra_record record;

	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (flags & conditions[i].flag)
			return conditions[i].kind;
	return extra != NONE && RECORD_COPY(view, TABLE_EXTRAS, extra, &record) &&
			       record.numbers.execution_time > LOAD_ONCE(records_run(&view->view)->now)
		       ? WHY_EXECUTION_TIME
		       : FL_NO_REASON;
}

/* Return the first reason of a list, or of the lists that continue it. */
static uint16_t list_reason(const struct fl_view *view, uint32_t number)
{
	const struct why_list_record *list;
	const struct why_record *why;

	for (int depth = 0; depth < 4; depth++, number = LOAD_ONCE(list->next)) {
		list = view_record(&view->view, TABLE_WHY_LISTS, sizeof(*list), number);
		if (!list)
			break;
		why = LOAD_ONCE(list->count) ? view_record(&view->view, TABLE_WHY, sizeof(*why), LOAD_ONCE(list->first))
					     : NULL;
		if (why)
			return LOAD_ONCE(why->kind);
		if (number == 0)
			break;
	}
	return FL_NO_REASON;
}

static uint16_t stop_reason(const struct fl_view *view, const struct submitter_record *submitter)
{
	static const uint16_t kinds[] = {
		[STOP_SLICE] = WHY_SLICE + 1,	     [STOP_CEILING] = WHY_CEILING + 1,
		[STOP_GROUP] = WHY_GROUP_LIMIT + 1,  [STOP_NO_SLOTS] = WHY_NOT_REACHED + 1,
		[STOP_TIME_CYCLE] = WHY_TIME_UP + 1, [STOP_TIME_SUBMITTER] = WHY_TIME_UP + 1,
		[STOP_TIME_SPIN] = WHY_TIME_UP + 1,
	};
	uint32_t stop = submitter->stop;
	struct negotiation_record cycle;

	if (stop < sizeof(kinds) / sizeof(*kinds) && kinds[stop])
		return kinds[stop] - 1;
	return RECORD_COPY(view, TABLE_NEGOTIATION, 0, &cycle) && cycle.next > 0 ? WHY_NEXT_CYCLE : FL_NO_REASON;
}

static uint16_t refusal_reason(uint32_t refusal)
{
	static const uint16_t kinds[] = {
		[REFUSED_CONCURRENCY_LIMIT] = WHY_CONCURRENCY_LIMIT,
		[REFUSED_PREEMPTION] = WHY_PREEMPTION,
		[REFUSED_RANK] = WHY_RANK,
		[REFUSED_SUBMITTER_LIMIT] = WHY_SLICE,
		[REFUSED_GROUP_LIMIT] = WHY_GROUP_LIMIT,
		[REFUSED_CEILING] = WHY_CEILING,
		[REFUSED_NO_MATCH] = WHY_NO_MATCH,
	};

	return refusal < sizeof(kinds) / sizeof(*kinds) && refusal > REFUSED_NOT_REACHED ? kinds[refusal]
											 : WHY_NOT_REACHED;
}

/* Return the first reason of the last negotiation cycle, without the slots that are vacated. */
static uint16_t cycle_reason(const struct fl_view *view, const struct userprio_results *results, size_t i)
{
	uint32_t customer = LOAD_ONCE(results->customer[i]), number = LOAD_ONCE(results->refusal[i]);
	struct customer_record record;
	struct submitter_record submitter;
	struct refusal_record refusal;

	if (customer == NONE)
		return WHY_NO_SUBMITTER;
	if (!RECORD_COPY(view, TABLE_CUSTOMERS, customer, &record) || record.took_part == NONE || record.is_group ||
	    !RECORD_COPY(view, TABLE_SUBMITTERS, record.took_part, &submitter))
		submitter = (struct submitter_record){ .stop = STOP_NONE };
	else if (number != NONE && RECORD_COPY(view, TABLE_REFUSALS, number, &refusal))
		return refusal_reason(refusal.refusal);
	return stop_reason(view, &submitter);
}

static uint16_t reason(const struct fl_view *view, uint32_t row, uint16_t flags, uint16_t list)
{
	const struct userprio_results *results;

	if (!(flags & JOB_ELIGIBLE))
		return flags_reason(view, row, flags);
	results = records_userprio(&view->view, row);
	if (results)
		return cycle_reason(view, results, row % CHUNK_ROWS);
	return list == WHY_UNKNOWN ? FL_NO_REASON : list_reason(view, list);
}

const char *fl_reason(uint16_t number)
{
	return number < WHY_KINDS ? why_kind_name(number) : NULL;
}

/* Pending jobs */

/* Count the ids of an array. `left` limits the ranges that are read in all. */
static uint64_t tasks_count(const struct fl_view *view, const struct extra_record *extra, uint64_t *left)
{
	uint64_t all, tasks = 0;
	const struct range_record *ranges = view_table(&view->view, TABLE_RANGES, sizeof(*ranges), &all);
	struct range_record range;

	for (uint64_t k = extra->ranges; k < (uint64_t)extra->ranges + extra->nranges && k<all && * left> 0; k++) {
		view_copy(&range, &ranges[k], sizeof(range));
		if (range.step > 0 && range.max >= range.min)
			tasks += ((uint64_t)range.max - range.min) / range.step + 1;
		--*left;
	}
	return tasks;
}

static bool brief_fill(const struct fl_view *view, uint32_t row, uint64_t *ranges_left, struct fl_brief *brief)
{
	const struct job_facts *facts = records_facts(&view->view, row);
	const struct job_results *results = records_results(&view->view, row);
	size_t i = row % CHUNK_ROWS;
	struct extra_record record;
	uint32_t extra;
	uint16_t flags;

	if (!facts || !results)
		return false;
	flags = LOAD_ONCE(results->flags[i]);
	extra = LOAD_ONCE(facts->extra[i]);
	*brief = (struct fl_brief){ .job_number = LOAD_ONCE(facts->number[i]),
				    .task = 1,
				    .group = LOAD_ONCE(facts->class_id[i]),
				    .request = LOAD_ONCE(facts->category[i]),
				    .reason = reason(view, row, flags, LOAD_ONCE(results->why[i])),
				    .is_held = flags & JOB_HELD,
				    .is_in_error = flags & JOB_IN_ERROR,
				    .tasks = 1,
				    .submission_time = LOAD_ONCE(facts->submission[i]) };
	if (flags & JOB_ARRAY && extra != NONE && RECORD_COPY(view, TABLE_EXTRAS, extra, &record)) {
		brief->tasks = tasks_count(view, &record, ranges_left);
		brief->is_mixed = record.nheld > 0 || record.nerror > 0;
	}
	return brief->job_number != 0;
}

/*
 * Mark the rows of pending jobs, each once. `rows` is set to their limit. NULL: no memory. No
 * generation has more rows than the file has room for: each chunk occupies two extents.
 */
static uint64_t *rows_mark(const struct fl_view *view, uint64_t *rows)
{
	uint64_t most = view->view.file_bytes / (2 * EXTENT_BYTES) * CHUNK_ROWS, count;
	const uint32_t *order = view_table(&view->view, TABLE_ORDER, sizeof(*order), &count);
	uint64_t *marks;

	*rows = LOAD_ONCE(view->view.directory->rows);
	*rows = *rows < most ? *rows : most;
	count = count < *rows ? count : *rows;
	marks = calloc(*rows / 64 + 1, sizeof(*marks));
	for (uint64_t k = 0; marks && k < count; k++) {
		uint32_t row = LOAD_ONCE(order[k]);

		if (row < *rows)
			marks[row / 64] |= UINT64_C(1) << row % 64;
	}
	return marks;
}

int fl_each_pending(const struct fl_view *view, fl_visit *visit, void *context)
{
	uint64_t rows, ranges_left, *marks = rows_mark(view, &rows);
	struct fl_brief brief;

	if (!marks)
		return -ENOMEM;
	view_table(&view->view, TABLE_RANGES, sizeof(struct range_record), &ranges_left);
	for (uint64_t word = 0; word <= rows / 64; word++)
		for (uint64_t bits = marks[word]; bits; bits &= bits - 1)
			if (brief_fill(view, (uint32_t)(word * 64 + (unsigned)__builtin_ctzll(bits)), &ranges_left,
				       &brief))
				visit(context, &brief);
	free(marks);
	return 0;
}

/* Started tasks */

/* Rows to prefetch ahead. Tasks are read in their order, but the rows of their jobs are not. */
#define AHEAD 12u

static void started_prefetch(const struct fl_view *view, const struct task_record *tasks, uint64_t count, uint64_t k)
{
	uint32_t row = k + AHEAD < count ? LOAD_ONCE(tasks[k + AHEAD].job_row) : NONE;
	const struct job_facts *facts = row == NONE ? NULL : records_facts(&view->view, row);

	if (!facts)
		return;
	__builtin_prefetch(&facts->class_id[row % CHUNK_ROWS]);
	__builtin_prefetch(&facts->category[row % CHUNK_ROWS]);
	__builtin_prefetch(&facts->submission[row % CHUNK_ROWS]);
}

void fl_each_started(const struct fl_view *view, fl_visit *visit, void *context)
{
	uint64_t count;
	const struct task_record *tasks = view_table(&view->view, TABLE_TASKS, sizeof(*tasks), &count);
	struct task_record task;

	for (uint64_t k = 0; k < count; k++) {
		const struct job_facts *facts;

		started_prefetch(view, tasks, count, k);
		view_copy(&task, &tasks[k], sizeof(task));
		facts = records_facts(&view->view, task.job_row);
		if (!facts)
			continue;
		struct fl_brief brief = { .job_number = task.number,
					  .task = task.task,
					  .group = LOAD_ONCE(facts->class_id[task.job_row % CHUNK_ROWS]),
					  .request = LOAD_ONCE(facts->category[task.job_row % CHUNK_ROWS]),
					  .reason = FL_NO_REASON,
					  .is_started = true,
					  .tasks = 1,
					  .slots = task.slots,
					  .submission_time = LOAD_ONCE(facts->submission[task.job_row % CHUNK_ROWS]),
					  .start_time = task.start_time,
					  .queue = view_string(&view->view, task.queue) };

		memcpy(brief.state, task.state, sizeof(brief.state));
		brief.state[sizeof(brief.state) - 1] = '\0';
		visit(context, &brief);
	}
}

/* Properties that many jobs share */

static const char *text(const struct fl_view *view, uint32_t id)
{
	return id == NONE ? "" : view_string(&view->view, id);
}

size_t fl_job_groups(const struct fl_view *view)
{
	uint64_t count;

	view_table(&view->view, TABLE_CLASSES, sizeof(struct class_record), &count);
	return count;
}

int fl_job_group(const struct fl_view *view, size_t k, struct fl_job_group *group)
{
	struct class_record record;

	if (!RECORD_COPY(view, TABLE_CLASSES, k, &record))
		return -ENOENT;
	*group = (struct fl_job_group){ .owner = text(view, record.owner),
					.project = text(view, record.project),
					.department = text(view, record.department),
					.account = text(view, record.account) };
	return 0;
}

size_t fl_job_requests(const struct fl_view *view)
{
	uint64_t count;

	view_table(&view->view, TABLE_CATEGORIES, sizeof(struct category_record), &count);
	return count;
}

int fl_job_request(const struct fl_view *view, size_t k, struct fl_job_request *request)
{
	struct request_state state = { .hard_queues = NONE, .partition = NONE };
	struct category_record record;
	const uint8_t *states;
	uint64_t count;

	if (!RECORD_COPY(view, TABLE_CATEGORIES, k, &record))
		return -ENOENT;
	states = view_state_part(&view->view, STATE_REQUESTS, sizeof(state), &count);
	if (k < count)
		view_copy(&state, states + k * sizeof(state), sizeof(state));
	*request = (struct fl_job_request){ .hard_resources = text(view, record.hard),
					    .pe = text(view, record.pe),
					    .hard_queues = text(view, state.hard_queues),
					    .partitions = text(view, state.partition),
					    .slots = record.slots };
	return 0;
}
