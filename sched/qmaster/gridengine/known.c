/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/index.h"
#include "conf/base/text_set.h"
#include "sched/qmaster/gridengine/take_usage.h"

#define NONE UINT32_MAX

struct known_rows {				/* rows by a key, with a chain of free rows */
	struct index index;
	uint32_t *free_rows;
	size_t n, nfree, capacity;
};

struct known_names {				/* objects by name, which keep their numbers */
	struct text_set names;
	uint32_t *numbers;
	bool *there;
	size_t capacity;
};

struct known {
	struct known_job *jobs;
	struct known_rows job_rows;
	struct known_task *tasks;
	struct known_rows task_rows;
	struct known_names named[KNOWN_KINDS];
	struct known_instance *instances;	/* indexed by the number of KNOWN_INSTANCE */
	size_t instances_capacity;
	uint32_t tree_version;
};

/* Rows */

static uint32_t job_key(const void *jobs, uint32_t row)
{
	return ((const struct known_job *)jobs)[row].job_number;
}

static uint32_t key_of_task(uint32_t job_number, uint32_t id)
{
	uint64_t both = (uint64_t)job_number << 32 | id;

	both = (both ^ both >> 29) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(both >> 32);
}

static uint32_t task_key(const void *tasks, uint32_t row)
{
	const struct known_task *task = &((const struct known_task *)tasks)[row];

	return key_of_task(task->job_number, task->id);
}

/* Return a free row, with room in the index for it. NONE: no memory. */
static uint32_t row_reserve(struct known_rows *known_rows, void *rows, size_t bytes, index_key_of *key_of)
{
	size_t capacity = known_rows->capacity + known_rows->capacity / 4 + 64;

	if (known_rows->nfree == 0 && known_rows->n == known_rows->capacity) {
		if (array_grow(rows, capacity, bytes) ||
		    array_grow(&known_rows->free_rows, capacity, sizeof(*known_rows->free_rows)))
			return NONE;
		known_rows->capacity = capacity;
	}
	if (index_make_room(&known_rows->index, known_rows->index.used + 1, key_of, *(void **)rows))
		return NONE;
	return known_rows->nfree > 0 ? known_rows->free_rows[--known_rows->nfree] : (uint32_t)known_rows->n++;
}

static void table_free(struct known_rows *rows)
{
	index_free(&rows->index);
	free(rows->free_rows);
}

/* Jobs */

static uint32_t job_row(const struct known *known, uint32_t job_number)
{
	uint32_t row;

	index_search(row, &known->job_rows.index, job_number, known->jobs[row].job_number == job_number);
	return row;
}

struct known_job *known_job_find(struct known *known, uint32_t job_number)
{
	uint32_t row = job_row(known, job_number);

	return row == INDEX_NONE ? NULL : &known->jobs[row];
}

const struct known_job *known_job(const struct known *known, uint32_t job_number)
{
	return known_job_find((struct known *)known, job_number);
}

struct known_job *known_job_get(struct known *known, uint32_t job_number)
{
	uint32_t row = job_row(known, job_number);

	if (row != INDEX_NONE)
		return &known->jobs[row];
	row = row_reserve(&known->job_rows, &known->jobs, sizeof(*known->jobs), job_key);
	if (row == NONE)
		return NULL;
	known->jobs[row] = (struct known_job){ .job_number = job_number, .tasks = NONE };
	index_put(&known->job_rows.index, job_number, row);
	return &known->jobs[row];
}

struct known_ids *known_job_ids(struct known_job *job)
{
	if (!job->ids)
		job->ids = calloc(1, sizeof(*job->ids));
	return job->ids;
}

static void ids_free(struct known_ids *ids)
{
	if (!ids)
		return;
	ranges_free(&ids->free);
	ranges_free(&ids->enrolled);
	ranges_free(&ids->in_error);
	ranges_free(&ids->restarted);
	for (int kind = 0; kind < HOLD_KINDS; kind++) {
		ranges_free(&ids->held[kind]);
		ranges_free(&ids->enrolled_held[kind]);
	}
	free(ids);
}

/* Tasks */

static uint32_t task_row(const struct known *known, uint32_t job_number, uint32_t id)
{
	uint32_t row;

	index_search(row, &known->task_rows.index, key_of_task(job_number, id),
		     known->tasks[row].job_number == job_number && known->tasks[row].id == id);
	return row;
}

struct known_task *known_task_find(struct known *known, uint32_t job_number, uint32_t id)
{
	uint32_t row = task_row(known, job_number, id);

	return row == INDEX_NONE ? NULL : &known->tasks[row];
}

struct known_task *known_task_get(struct known *known, struct known_job *job, uint32_t id)
{
	uint32_t row = task_row(known, job->job_number, id);

	if (row != INDEX_NONE)
		return &known->tasks[row];
	row = row_reserve(&known->task_rows, &known->tasks, sizeof(*known->tasks), task_key);
	if (row == NONE)
		return NULL;
	known->tasks[row] =
		(struct known_task){ .job_number = job->job_number, .id = id, .next = job->tasks, .previous = NONE };
	if (job->tasks != NONE)
		known->tasks[job->tasks].previous = row;
	job->tasks = row;
	index_put(&known->task_rows.index, key_of_task(job->job_number, id), row);
	return &known->tasks[row];
}

const struct known_task *known_task_next(const struct known *known, const struct known_job *job,
					 const struct known_task *after)
{
	uint32_t row = after ? after->next : job->tasks;

	return row == NONE ? NULL : &known->tasks[row];
}

static void task_take_out(struct known *known, struct known_job *job, uint32_t row)
{
	struct known_task *task = &known->tasks[row];

	index_take_out(&known->task_rows.index, row, task_key, known->tasks);
	if (task->next != NONE)
		known->tasks[task->next].previous = task->previous;
	if (task->previous != NONE)
		known->tasks[task->previous].next = task->next;
	else
		job->tasks = task->next;
	pe_tasks_free(task->pe_tasks);
	task->pe_tasks = NULL;
	known->task_rows.free_rows[known->task_rows.nfree++] = row;
}

void known_task_remove(struct known *known, uint32_t job_number, uint32_t id)
{
	uint32_t row = task_row(known, job_number, id);

	if (row != INDEX_NONE)
		task_take_out(known, known_job_find(known, job_number), row);
}

void known_job_remove(struct known *known, uint32_t job_number)
{
	uint32_t row = job_row(known, job_number);

	if (row == INDEX_NONE)
		return;
	while (known->jobs[row].tasks != NONE)
		task_take_out(known, &known->jobs[row], known->jobs[row].tasks);
	index_take_out(&known->job_rows.index, row, job_key, known->jobs);
	ids_free(known->jobs[row].ids);
	known->jobs[row].ids = NULL;
	known->job_rows.free_rows[known->job_rows.nfree++] = row;
}

/* Objects by name */

static uint32_t named_find(const struct known_names *names, const char *name)
{
	uint32_t i = text_set_find(&names->names, name);

	return i != INDEX_NONE && names->there[i] ? i : INDEX_NONE;
}

/* Make room for one more number. */
static int named_reserve(struct known *known, enum known_kind kind)
{
	struct known_names *names = &known->named[kind];
	size_t capacity = 2 * names->capacity + 64;

	if (names->names.n < names->capacity)
		return 0;
	if (array_grow(&names->numbers, capacity, sizeof(*names->numbers)) ||
	    array_grow(&names->there, capacity, sizeof(*names->there)) ||
	    (kind == KNOWN_INSTANCE && array_grow(&known->instances, capacity, sizeof(*known->instances))))
		return -ENOMEM;
	names->capacity = capacity;
	return 0;
}

int known_put(struct known *known, enum known_kind kind, const char *name, uint32_t number)
{
	struct known_names *names = &known->named[kind];
	size_t before = names->names.n;
	uint32_t i;

	if (named_reserve(known, kind) || text_set_add(&names->names, name, &i))
		return -ENOMEM;
	if (kind == KNOWN_INSTANCE && names->names.n > before)
		known->instances[i].changes = NULL;
	if (kind == KNOWN_INSTANCE && (names->names.n > before || !names->there[i])) {
		free(known->instances[i].changes);
		known->instances[i] = (struct known_instance){ 0 };
	}
	if (kind == KNOWN_INSTANCE)
		known->instances[i].version = number;
	names->numbers[i] = number;
	names->there[i] = true;
	return 0;
}

void known_drop(struct known *known, enum known_kind kind, const char *name)
{
	uint32_t i = named_find(&known->named[kind], name);

	if (i != INDEX_NONE)
		known->named[kind].there[i] = false;
}

static bool known_number(const struct known *known, enum known_kind kind, const char *name, uint32_t *number)
{
	uint32_t i = named_find(&known->named[kind], name);

	if (i == INDEX_NONE)
		return false;
	*number = known->named[kind].numbers[i];
	return true;
}

bool known_is(const struct known *known, enum known_kind kind, const char *name, uint32_t number)
{
	uint32_t found;

	return known_number(known, kind, name, &found) && found == number;
}

bool known_instance_version(const struct known *known, const char *queue, uint32_t *version)
{
	return known_number(known, KNOWN_INSTANCE, queue, version);
}

bool known_pe_controls_slaves(const struct known *known, const char *pe)
{
	uint32_t controls;

	return known_number(known, KNOWN_PE, pe, &controls) && controls;
}

bool known_user_version(const struct known *known, const char *user, uint32_t *version)
{
	return known_number(known, KNOWN_USER, user, version);
}

bool known_project_version(const struct known *known, const char *project, uint32_t *version)
{
	return known_number(known, KNOWN_PROJECT, project, version);
}

uint32_t known_avoided_by(const struct known *known, const char *host)
{
	uint32_t tasks;

	return known_number(known, KNOWN_HOST, host, &tasks) ? tasks : 0;
}

uint32_t known_tree_version(const struct known *known)
{
	return known->tree_version;
}

void known_set_tree_version(struct known *known, uint32_t version)
{
	known->tree_version = version;
}

struct known_instance *known_instance(struct known *known, const char *queue)
{
	uint32_t i = named_find(&known->named[KNOWN_INSTANCE], queue);

	return i == INDEX_NONE ? NULL : &known->instances[i];
}

const char *known_instance_at(const struct known *known, size_t n, bool *there)
{
	const struct known_names *instances = &known->named[KNOWN_INSTANCE];

	*there = n < instances->names.n && instances->there[n];
	return n < instances->names.n ? instances->names.texts[n] : NULL;
}

/* Creation and destruction */

struct known *known_create(void)
{
	return calloc(1, sizeof(struct known));
}

void known_destroy(struct known *known)
{
	if (!known)
		return;
	for (size_t i = 0; i < known->task_rows.n; i++)
		pe_tasks_free(known->tasks[i].pe_tasks);
	for (size_t i = 0; i < known->job_rows.n; i++)
		ids_free(known->jobs[i].ids);
	for (size_t i = 0; i < known->named[KNOWN_INSTANCE].names.n; i++)
		free(known->instances[i].changes);
	for (int kind = 0; kind < KNOWN_KINDS; kind++) {
		text_set_free(&known->named[kind].names);
		free(known->named[kind].numbers);
		free(known->named[kind].there);
	}
	table_free(&known->job_rows);
	table_free(&known->task_rows);
	free(known->instances);
	free(known->tasks);
	free(known->jobs);
	free(known);
}
