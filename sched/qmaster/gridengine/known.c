/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/index.h"
#include "conf/text_set.h"
#include "sched/qmaster/gridengine/take_usage.h"

#define NONE UINT32_MAX

struct known_rows {				/* rows by a key; free ones in a chain */
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
	struct known_instance *instances;	/* by number of KNOWN_INSTANCE */
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
	const struct known_task *t = &((const struct known_task *)tasks)[row];

	return key_of_task(t->job_number, t->id);
}

/* A row that nobody has, with room in the index for it. NONE: no memory. */
static uint32_t row_reserve(struct known_rows *t, void *rows, size_t bytes, index_key_of *key_of)
{
	size_t capacity = t->capacity + t->capacity / 4 + 64;

	if (t->nfree == 0 && t->n == t->capacity) {
		if (array_grow(rows, capacity, bytes) || array_grow(&t->free_rows, capacity, sizeof(*t->free_rows)))
			return NONE;
		t->capacity = capacity;
	}
	if (index_make_room(&t->index, t->index.used + 1, key_of, *(void **)rows))
		return NONE;
	return t->nfree > 0 ? t->free_rows[--t->nfree] : (uint32_t)t->n++;
}

static void table_free(struct known_rows *t)
{
	index_free(&t->index);
	free(t->free_rows);
}

/* Jobs */

static uint32_t job_row(const struct known *k, uint32_t job_number)
{
	uint32_t row;

	index_search(row, &k->job_rows.index, job_number, k->jobs[row].job_number == job_number);
	return row;
}

struct known_job *known_job_find(struct known *k, uint32_t job_number)
{
	uint32_t row = job_row(k, job_number);

	return row == INDEX_NONE ? NULL : &k->jobs[row];
}

const struct known_job *known_job(const struct known *k, uint32_t job_number)
{
	return known_job_find((struct known *)k, job_number);
}

struct known_job *known_job_get(struct known *k, uint32_t job_number)
{
	uint32_t row = job_row(k, job_number);

	if (row != INDEX_NONE)
		return &k->jobs[row];
	row = row_reserve(&k->job_rows, &k->jobs, sizeof(*k->jobs), job_key);
	if (row == NONE)
		return NULL;
	k->jobs[row] = (struct known_job){ .job_number = job_number, .tasks = NONE };
	index_put(&k->job_rows.index, job_number, row);
	return &k->jobs[row];
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
	for (int kind = 0; kind < HOLD_KINDS; kind++) {
		ranges_free(&ids->held[kind]);
		ranges_free(&ids->enrolled_held[kind]);
	}
	free(ids);
}

/* Tasks */

static uint32_t task_row(const struct known *k, uint32_t job_number, uint32_t id)
{
	uint32_t row;

	index_search(row, &k->task_rows.index, key_of_task(job_number, id), k->tasks[row].job_number == job_number && k->tasks[row].id == id);
	return row;
}

struct known_task *known_task_find(struct known *k, uint32_t job_number, uint32_t id)
{
	uint32_t row = task_row(k, job_number, id);

	return row == INDEX_NONE ? NULL : &k->tasks[row];
}

struct known_task *known_task_get(struct known *k, struct known_job *job, uint32_t id)
{
	uint32_t row = task_row(k, job->job_number, id);

	if (row != INDEX_NONE)
		return &k->tasks[row];
	row = row_reserve(&k->task_rows, &k->tasks, sizeof(*k->tasks), task_key);
	if (row == NONE)
		return NULL;
	k->tasks[row] = (struct known_task){ .job_number = job->job_number, .id = id, .next = job->tasks, .previous = NONE };
	if (job->tasks != NONE)
		k->tasks[job->tasks].previous = row;
	job->tasks = row;
	index_put(&k->task_rows.index, key_of_task(job->job_number, id), row);
	return &k->tasks[row];
}

const struct known_task *known_task_next(const struct known *k, const struct known_job *job, const struct known_task *after)
{
	uint32_t row = after ? after->next : job->tasks;

	return row == NONE ? NULL : &k->tasks[row];
}

static void task_take_out(struct known *k, struct known_job *job, uint32_t row)
{
	struct known_task *t = &k->tasks[row];

	index_take_out(&k->task_rows.index, row, task_key, k->tasks);
	if (t->next != NONE)
		k->tasks[t->next].previous = t->previous;
	if (t->previous != NONE)
		k->tasks[t->previous].next = t->next;
	else
		job->tasks = t->next;
	pe_tasks_free(t->pe_tasks);
	t->pe_tasks = NULL;
	k->task_rows.free_rows[k->task_rows.nfree++] = row;
}

void known_task_remove(struct known *k, uint32_t job_number, uint32_t id)
{
	uint32_t row = task_row(k, job_number, id);

	if (row != INDEX_NONE)
		task_take_out(k, known_job_find(k, job_number), row);
}

void known_job_remove(struct known *k, uint32_t job_number)
{
	uint32_t row = job_row(k, job_number);

	if (row == INDEX_NONE)
		return;
	while (k->jobs[row].tasks != NONE)
		task_take_out(k, &k->jobs[row], k->jobs[row].tasks);
	index_take_out(&k->job_rows.index, row, job_key, k->jobs);
	ids_free(k->jobs[row].ids);
	k->jobs[row].ids = NULL;
	k->job_rows.free_rows[k->job_rows.nfree++] = row;
}

bool known_finished(const struct known *k, uint32_t job_number, uint32_t task)
{
	uint32_t row = task_row(k, job_number, task);

	return row != INDEX_NONE && k->tasks[row].status == KNOWN_FINISHED;
}

bool known_enrolled(const struct known *k, uint32_t job_number, uint32_t task)
{
	uint32_t row = task_row(k, job_number, task);

	return row != INDEX_NONE && k->tasks[row].status == KNOWN_IDLE;
}

/* Objects by name */

static uint32_t named_find(const struct known_names *n, const char *name)
{
	uint32_t i = text_set_find(&n->names, name);

	return i != INDEX_NONE && n->there[i] ? i : INDEX_NONE;
}

/* One number more has room. */
static int named_reserve(struct known *k, enum known_kind kind)
{
	struct known_names *n = &k->named[kind];
	size_t capacity = 2 * n->capacity + 64;

	if (n->names.n < n->capacity)
		return 0;
	if (array_grow(&n->numbers, capacity, sizeof(*n->numbers)) || array_grow(&n->there, capacity, sizeof(*n->there)) ||
	    (kind == KNOWN_INSTANCE && array_grow(&k->instances, capacity, sizeof(*k->instances))))
		return -ENOMEM;
	n->capacity = capacity;
	return 0;
}

int known_put(struct known *k, enum known_kind kind, const char *name, uint32_t number)
{
	struct known_names *n = &k->named[kind];
	size_t before = n->names.n;
	uint32_t i;

	if (named_reserve(k, kind) || text_set_add(&n->names, name, &i))
		return -ENOMEM;
	if (kind == KNOWN_INSTANCE && n->names.n > before)
		k->instances[i].changes = NULL;
	if (kind == KNOWN_INSTANCE && (n->names.n > before || !n->there[i])) {
		free(k->instances[i].changes);
		k->instances[i] = (struct known_instance){ 0 };
	}
	if (kind == KNOWN_INSTANCE)
		k->instances[i].version = number;
	n->numbers[i] = number;
	n->there[i] = true;
	return 0;
}

void known_drop(struct known *k, enum known_kind kind, const char *name)
{
	uint32_t i = named_find(&k->named[kind], name);

	if (i != INDEX_NONE)
		k->named[kind].there[i] = false;
}

static bool known_number(const struct known *k, enum known_kind kind, const char *name, uint32_t *number)
{
	uint32_t i = named_find(&k->named[kind], name);

	if (i == INDEX_NONE)
		return false;
	*number = k->named[kind].numbers[i];
	return true;
}

bool known_is(const struct known *k, enum known_kind kind, const char *name, uint32_t number)
{
	uint32_t found;

	return known_number(k, kind, name, &found) && found == number;
}

bool known_instance_version(const struct known *k, const char *queue, uint32_t *version)
{
	return known_number(k, KNOWN_INSTANCE, queue, version);
}

bool known_pe_controls_slaves(const struct known *k, const char *pe)
{
	uint32_t controls;

	return known_number(k, KNOWN_PE, pe, &controls) && controls;
}

bool known_user_version(const struct known *k, const char *user, uint32_t *version)
{
	return known_number(k, KNOWN_USER, user, version);
}

bool known_project_version(const struct known *k, const char *project, uint32_t *version)
{
	return known_number(k, KNOWN_PROJECT, project, version);
}

uint32_t known_avoided_by(const struct known *k, const char *host)
{
	uint32_t tasks;

	return known_number(k, KNOWN_HOST, host, &tasks) ? tasks : 0;
}

uint32_t known_tree_version(const struct known *k)
{
	return k->tree_version;
}

void known_set_tree_version(struct known *k, uint32_t version)
{
	k->tree_version = version;
}

struct known_instance *known_instance(struct known *k, const char *queue)
{
	uint32_t i = named_find(&k->named[KNOWN_INSTANCE], queue);

	return i == INDEX_NONE ? NULL : &k->instances[i];
}

const char *known_instance_at(const struct known *k, size_t n, bool *there)
{
	const struct known_names *instances = &k->named[KNOWN_INSTANCE];

	*there = n < instances->names.n && instances->there[n];
	return n < instances->names.n ? instances->names.texts[n] : NULL;
}

/* All of it */

struct known *known_create(void)
{
	return calloc(1, sizeof(struct known));
}

void known_destroy(struct known *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->task_rows.n; i++)
		pe_tasks_free(k->tasks[i].pe_tasks);
	for (size_t i = 0; i < k->job_rows.n; i++)
		ids_free(k->jobs[i].ids);
	for (size_t i = 0; i < k->named[KNOWN_INSTANCE].names.n; i++)
		free(k->instances[i].changes);
	for (int kind = 0; kind < KNOWN_KINDS; kind++) {
		text_set_free(&k->named[kind].names);
		free(k->named[kind].numbers);
		free(k->named[kind].there);
	}
	table_free(&k->job_rows);
	table_free(&k->task_rows);
	free(k->instances);
	free(k->tasks);
	free(k->jobs);
	free(k);
}
