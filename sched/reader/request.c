/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of jobs other than resources, their holds, and the queue instances of their tasks. */
#include <errno.h>

#include "conf/base/search.h"
#include "sched/mirror/event.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"

_Static_assert((int)FL_HOLD_USER == HOLD_USER && (int)FL_HOLD_OPERATOR == HOLD_OPERATOR &&
		       (int)FL_HOLD_SYSTEM == HOLD_SYSTEM && (int)FL_HOLD_ARRAY == HOLD_ARRAY,
	       "kinds of hold have the same numbers");

#define PART_COPY(view, part, index, to) part_copy(view, part, index, to, sizeof(*(to)))

static bool part_copy(const struct fl_view *view, enum state_part part, uint64_t index, void *to, size_t bytes)
{
	uint64_t n;
	const uint8_t *records = view_state_part(&view->view, part, bytes, &n);

	if (index < n)
		view_copy(to, records + index * bytes, bytes);
	return index < n;
}

static const struct job_facts *facts_find(const struct fl_view *view, uint32_t job_number, uint32_t *i)
{
	uint32_t row = job_number ? row_find(view, job_number) : NONE;

	*i = row % CHUNK_ROWS;
	return row == NONE ? NULL : records_facts(&view->view, row);
}

static const char *text(const struct fl_view *view, uint32_t id)
{
	return id == NONE ? "" : view_string(&view->view, id);
}

int fl_request(const struct fl_view *view, uint32_t job_number, struct fl_request *request)
{
	struct request_state state;
	uint32_t i;
	const struct job_facts *facts = facts_find(view, job_number, &i);
	uint32_t category = facts ? LOAD_ONCE(facts->category[i]) : NONE;

	if (!facts || !PART_COPY(view, STATE_REQUESTS, category, &state))
		return -ENOENT;
	*request = (struct fl_request){ .hard_queues = text(view, state.hard_queues),
					.soft_queues = text(view, state.soft_queues),
					.master_queues = text(view, state.master_queues),
					.checkpoint = text(view, state.checkpoint),
					.group = text(view, state.group),
					.now = state.now,
					.alike = (uint64_t)LOAD_ONCE(facts->class_id[i]) << 32 | category };
	return 0;
}

/* Find the rare attributes of a job. -ENOENT also if the job has none of them. */
static int extra_find(const struct fl_view *view, uint32_t job_number, struct extra_state *extra)
{
	uint32_t i;
	const struct job_facts *facts = facts_find(view, job_number, &i);
	uint32_t index = facts ? LOAD_ONCE(facts->extra[i]) : NONE;

	return index != NONE && PART_COPY(view, STATE_EXTRAS, index, extra) ? 0 : -ENOENT;
}

int fl_held(const struct fl_view *view, uint32_t job_number, enum fl_hold kind, const struct fl_range **ids, size_t *n)
{
	struct extra_state extra;

	*ids = NULL;
	*n = 0;
	if (kind >= FL_HOLDS || extra_find(view, job_number, &extra))
		return -ENOENT;
	*ids = view_state_slice(&view->view, STATE_RANGES, sizeof(struct range_record), extra.sets[kind], n);
	return *n > 0 ? 0 : -ENOENT;
}

int fl_predecessor(const struct fl_view *view, uint32_t job_number, bool by_task, size_t k, uint32_t *number)
{
	struct extra_state extra;
	const uint32_t *numbers;
	size_t n;

	if (extra_find(view, job_number, &extra))
		return -ENOENT;
	numbers = view_state_slice(&view->view, STATE_NUMBERS, sizeof(*numbers),
				   by_task ? extra.hold_jid_ad : extra.hold_jid, &n);
	if (k >= n)
		return -ENOENT;
	*number = LOAD_ONCE(numbers[k]);
	return 0;
}

int fl_detail(const struct fl_view *view, uint32_t job_number, struct fl_detail *detail)
{
	struct class_record class = { .account = NONE };
	struct extra_state extra;
	uint32_t i;
	const struct job_facts *facts = facts_find(view, job_number, &i);

	if (!facts)
		return -ENOENT;
	RECORD_COPY(view, TABLE_CLASSES, LOAD_ONCE(facts->class_id[i]), &class);
	*detail = (struct fl_detail){ .account = text(view, class.account),
				      .reserve = LOAD_ONCE(facts->wishes[i]) & JOB_WISHES_RESERVATION };
	if (extra_find(view, job_number, &extra) == 0)
		detail->task_concurrency = extra.task_concurrency;
	return 0;
}

/* Return whether `number` is in the slice. `left` limits the numbers that are read in all. */
static bool is_named(const struct fl_view *view, struct state_slice slice, uint32_t number, uint64_t *left)
{
	size_t n;
	const uint32_t *numbers = view_state_slice(&view->view, STATE_NUMBERS, sizeof(*numbers), slice, &n);

	for (size_t i = 0; i < n && *left > 0; i++, --*left)
		if (LOAD_ONCE(numbers[i]) == number)
			return true;
	return false;
}

size_t fl_successors(const struct fl_view *view, uint32_t job_number, uint32_t *numbers, size_t most)
{
	uint64_t rows = LOAD_ONCE(view->view.directory->rows), left;
	struct extra_state extra;
	size_t n = 0;

	/*
	 * Limit the reads to the length of the list, even if slices are damaged: a number belongs
	 * to one job.
	 */
	view_state_part(&view->view, STATE_NUMBERS, sizeof(uint32_t), &left);
	for (uint64_t row = 0; row < rows && left > 0; row++) {
		const struct job_facts *facts = records_facts(&view->view, row);
		uint32_t index = facts ? LOAD_ONCE(facts->extra[row % CHUNK_ROWS]) : NONE;
		uint32_t number = facts ? LOAD_ONCE(facts->number[row % CHUNK_ROWS]) : 0;

		if (!facts)
			break;
		if (index == NONE || number == 0 || !PART_COPY(view, STATE_EXTRAS, index, &extra) ||
		    (!is_named(view, extra.hold_jid, job_number, &left) &&
		     !is_named(view, extra.hold_jid_ad, job_number, &left)))
			continue;
		if (n < most)
			numbers[n] = number;
		n++;
	}
	return n;
}

/*
 * Return the index of a started task in the task table, which is also the index of its state; or
 * NONE.
 */
static uint64_t task_find(const struct fl_view *view, uint32_t job_number, uint32_t task)
{
	uint64_t count, at;
	const struct task_record *tasks = view_table(&view->view, TABLE_TASKS, sizeof(*tasks), &count);
	uint64_t key = (uint64_t)job_number << 32 | task;

	lower_bound(at, count, ((uint64_t)LOAD_ONCE(tasks[at].number) << 32 | LOAD_ONCE(tasks[at].task)) < key);
	return at < count && LOAD_ONCE(tasks[at].number) == job_number && LOAD_ONCE(tasks[at].task) == task ? at : NONE;
}

int fl_task_usage(const struct fl_view *view, uint32_t job_number, uint32_t task, size_t k,
		  struct fl_usage_value *value)
{
	struct usage_value_record record;
	const uint8_t *records;
	struct task_state state;
	size_t n;

	if (!PART_COPY(view, STATE_TASKS, task_find(view, job_number, task), &state))
		return -ENOENT;
	records = view_state_slice(&view->view, STATE_USAGE, sizeof(record), state.usage, &n);
	if (k >= n)
		return -ENOENT;
	view_copy(&record, records + k * sizeof(record), sizeof(record));
	*value = (struct fl_usage_value){ text(view, record.name), record.value };
	return 0;
}

int fl_granted(const struct fl_view *view, uint32_t job_number, uint32_t task, size_t k, struct fl_granted *granted)
{
	struct task_state state;
	const struct grant_record *grants;
	size_t n;

	if (!PART_COPY(view, STATE_TASKS, task_find(view, job_number, task), &state))
		return -ENOENT;
	grants = view_state_slice(&view->view, STATE_GRANTS, sizeof(*grants), state.grants, &n);
	if (k >= n)
		return -ENOENT;
	granted->queue = text(view, LOAD_ONCE(grants[k].queue));
	granted->slots = LOAD_ONCE(grants[k].slots);
	return 0;
}
