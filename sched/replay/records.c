/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
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

static int grow(struct records *records)
{
	if (records->nfree > 0)
		return 0;
	return array_reserve(&records->capacity, records->n + 1, COLUMN(records->items), COLUMN(records->free),
			     COLUMN(records->running));
}

struct replay_record *record_new(struct records *records)
{
	struct replay_record *record = grow(records) ? NULL : calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->row = records->nfree > 0 ? records->free[--records->nfree] : (uint32_t)records->n++;
	record->task.job = &record->job;
	record->stamp = ++records->stamps;
	records->items[record->row] = record;
	return record;
}

void record_free(struct records *records, struct replay_record *record)
{
	if (record->numbered)
		index_take_out(&records->by_number, record->row, number_of, records);
	records->items[record->row] = NULL;
	records->free[records->nfree++] = record->row;
	free((void *)record->task.granted.items);
	free(record->instances);
	free(record);
}

void records_free(struct records *records)
{
	for (size_t i = 0; i < records->n; i++)
		if (records->items[i])
			record_free(records, records->items[i]);
	index_free(&records->by_task);
	index_free(&records->by_number);
	free(records->items);
	free(records->free);
	free(records->running);
	*records = (struct records){ 0 };
}

int record_enter(struct records *records, struct replay_record *record)
{
	if (index_make_room(&records->by_task, records->by_task.used + 1, key_of, records))
		return -ENOMEM;
	index_put(&records->by_task, key_of(records, record->row), record->row);
	return 0;
}

void record_leave(struct records *records, struct replay_record *record)
{
	index_take_out(&records->by_task, record->row, key_of, records);
}

struct replay_record *record_find(const struct records *records, uint32_t job_number, uint32_t task)
{
	uint32_t row;

	index_search(row, &records->by_task, key(job_number, task),
		     records->items[row]->task.job_number == job_number &&
			     records->items[row]->task.task_number == task);
	return row == INDEX_NONE ? NULL : records->items[row];
}

struct replay_record *record_numbered(const struct records *records, uint32_t number)
{
	uint32_t row;

	index_search(row, &records->by_number, number, records->items[row]->job.number == number);
	return row == INDEX_NONE ? NULL : records->items[row];
}

int record_number(struct records *records, struct replay_record *record)
{
	struct replay_record *before = record_numbered(records, record->job.number);

	if (index_make_room(&records->by_number, records->by_number.used + 1, number_of, records))
		return -ENOMEM;
	if (before) {
		index_take_out(&records->by_number, before->row, number_of, records);
		before->numbered = false;
	}
	index_put(&records->by_number, record->job.number, record->row);
	record->numbered = true;
	return 0;
}

void record_runs(struct records *records, struct replay_record *record)
{
	record->state = RECORD_RUNNING;
	record->place = (uint32_t)records->nrunning;
	records->running[records->nrunning++] = record->row;
}

void record_stops(struct records *records, struct replay_record *record)
{
	uint32_t last = records->running[--records->nrunning];

	records->running[record->place] = last;
	records->items[last]->place = record->place;
	record->state = RECORD_WAITING;
	record->stamp = ++records->stamps;
}
