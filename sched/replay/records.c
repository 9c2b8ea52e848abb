/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/replay/inside.h"

static uint32_t key(uint32_t job_number, uint32_t task)
{
	return job_number + task * 0x9e3779b9u;
}

static uint32_t key_of(const void *owner, uint32_t row)
{
	const struct replay_task *task = &((const struct records *)owner)->items[row]->task;

	return key(task->job_number, task->task_number);
}

static uint32_t number_of(const void *owner, uint32_t row)
{
	return ((const struct records *)owner)->items[row]->job.number;
}

static int grow(struct records *r)
{
	size_t capacity = 2 * r->capacity + 256;

	if (r->nfree > 0 || r->n < r->capacity)
		return 0;
	if (capacity >= INDEX_NONE || array_grow(&r->items, capacity, sizeof(*r->items)) || array_grow(&r->free, capacity, sizeof(*r->free)) ||
	    array_grow(&r->running, capacity, sizeof(*r->running)))
		return -ENOMEM;
	r->capacity = capacity;
	return 0;
}

struct replay_record *record_new(struct records *r)
{
	struct replay_record *record = grow(r) ? NULL : calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->row = r->nfree > 0 ? r->free[--r->nfree] : (uint32_t)r->n++;
	record->task.job = &record->job;
	record->stamp = ++r->stamps;
	r->items[record->row] = record;
	return record;
}

void record_free(struct records *r, struct replay_record *record)
{
	if (record->numbered)
		index_take_out(&r->by_number, record->row, number_of, r);
	r->items[record->row] = NULL;
	r->free[r->nfree++] = record->row;
	free((void *)record->task.granted.items);
	free(record->instances);
	free(record);
}

void records_free(struct records *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i])
			record_free(r, r->items[i]);
	index_free(&r->by_task);
	index_free(&r->by_number);
	free(r->items);
	free(r->free);
	free(r->running);
	*r = (struct records){ 0 };
}

int record_enter(struct records *r, struct replay_record *record)
{
	if (index_make_room(&r->by_task, r->by_task.used + 1, key_of, r))
		return -ENOMEM;
	index_put(&r->by_task, key_of(r, record->row), record->row);
	return 0;
}

void record_leave(struct records *r, struct replay_record *record)
{
	index_take_out(&r->by_task, record->row, key_of, r);
}

struct replay_record *record_find(const struct records *r, uint32_t job_number, uint32_t task)
{
	uint32_t row;

	index_search(row, &r->by_task, key(job_number, task),
		     r->items[row]->task.job_number == job_number && r->items[row]->task.task_number == task);
	return row == INDEX_NONE ? NULL : r->items[row];
}

struct replay_record *record_numbered(const struct records *r, uint32_t number)
{
	uint32_t row;

	index_search(row, &r->by_number, number, r->items[row]->job.number == number);
	return row == INDEX_NONE ? NULL : r->items[row];
}

int record_number(struct records *r, struct replay_record *record)
{
	struct replay_record *before = record_numbered(r, record->job.number);

	if (index_make_room(&r->by_number, r->by_number.used + 1, number_of, r))
		return -ENOMEM;
	if (before) {
		index_take_out(&r->by_number, before->row, number_of, r);
		before->numbered = false;
	}
	index_put(&r->by_number, record->job.number, record->row);
	record->numbered = true;
	return 0;
}

void record_runs(struct records *r, struct replay_record *record)
{
	record->state = RECORD_RUNNING;
	record->place = (uint32_t)r->nrunning;
	r->running[r->nrunning++] = record->row;
}

void record_stops(struct records *r, struct replay_record *record)
{
	uint32_t last = r->running[--r->nrunning];

	r->running[record->place] = last;
	r->items[last]->place = record->place;
	record->state = RECORD_WAITING;
	record->stamp = ++r->stamps;
}
