/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/rows.h"

#include <string.h>

#include "conf/array.h"

#define UNKNOWN UINT32_MAX		/* wait */

struct trace_common {
	const char *user, *group, *project, *department, *queue, *partition, *pe, *hard, *qos;
};

struct trace_row {
	int64_t submit;
	uint64_t memory_bytes;
	double cpu_s;
	const char *name;
	uint32_t number, task, line, common;
	uint32_t wait_s, run_s, limit_s, slots;
	uint32_t after, think_s;
	uint8_t status, is_array;
};

_Static_assert(sizeof(struct trace_row) == 80, "some 100 bytes a job is what trace.h says");

/* Equal texts have equal addresses. */
static uint32_t common_hash(const struct trace_common *c)
{
	const char *const texts[] = { c->user, c->group, c->project, c->department, c->queue, c->partition, c->pe, c->hard, c->qos };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		hash = (hash ^ (uintptr_t)texts[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
	return (uint32_t)(hash >> 32);
}

static int common_find(struct rows *r, const struct trace_common *c, uint32_t *at)
{
	uint32_t hash = common_hash(c);
	size_t capacity = r->common_capacity ? 2 * r->common_capacity : 256;

	index_search(*at, &r->index, hash, memcmp(&r->common[*at], c, sizeof(*c)) == 0);
	if (*at != INDEX_NONE)
		return 0;
	if (r->ncommon == r->common_capacity) {
		if (array_grow(&r->common, capacity, sizeof(*r->common)) || array_grow(&r->hashes, capacity, sizeof(*r->hashes)))
			return -ENOMEM;
		r->common_capacity = capacity;
	}
	if (index_reserve(&r->index, r->hashes))
		return -ENOMEM;
	*at = (uint32_t)r->ncommon++;
	r->common[*at] = *c;
	r->hashes[*at] = hash;
	index_insert(&r->index, r->hashes, *at);
	return 0;
}

int rows_add(struct rows *r, const struct trace_job *job)
{
	const struct trace_common common = { job->user, job->group, job->project, job->department, job->queue, job->partition, job->pe, job->hard,
					     job->qos };
	size_t capacity = r->capacity ? r->capacity + r->capacity / 2 : 1024;
	uint32_t number;

	if (r->n == UINT32_MAX / 2)
		return -E2BIG;
	if (r->n == r->capacity) {
		if (array_grow(&r->items, capacity, sizeof(*r->items)))
			return -ENOMEM;
		r->capacity = capacity;
	}
	if (common_find(r, &common, &number))
		return -ENOMEM;
	r->items[r->n++] = (struct trace_row){
		.submit = job->submit, .memory_bytes = job->memory_bytes, .cpu_s = job->cpu_s, .name = job->name, .number = job->number,
		.task = job->task, .line = (uint32_t)job->line, .common = number, .wait_s = job->start ? (uint32_t)(job->start - job->submit) : UNKNOWN,
		.run_s = (uint32_t)job->run_s, .limit_s = (uint32_t)job->limit_s, .slots = job->slots, .after = job->after,
		.think_s = (uint32_t)job->think_s, .status = (uint8_t)job->status, .is_array = job->is_array };
	return 0;
}

static bool same_job(const struct trace_row *a, const struct trace_row *b)
{
	return a->submit == b->submit && a->number == b->number && a->is_array == b->is_array && a->task == b->task;
}

static int order_compare(const void *a, const void *b, void *items)
{
	const struct trace_row *x = (const struct trace_row *)items + *(const uint32_t *)a, *y = (const struct trace_row *)items + *(const uint32_t *)b;

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->is_array != y->is_array)
		return x->is_array < y->is_array ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

int rows_sort(struct rows *r)
{
	r->order = malloc((r->n + 1) * sizeof(*r->order));
	if (!r->order)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++)
		r->order[i] = (uint32_t)i;
	if (r->n > 1)
		qsort_r(r->order, r->n, sizeof(*r->order), order_compare, r->items);
	return 0;
}

bool rows_next(struct rows *r, struct trace_job *job, bool *again)
{
	const struct trace_row *row = r->next < r->n ? &r->items[r->order[r->next++]] : NULL;
	const struct trace_common *c;

	if (!row)
		return false;
	*again = r->next < r->n && same_job(row, &r->items[r->order[r->next]]);
	c = &r->common[row->common];
	*job = (struct trace_job){
		.line = row->line, .number = row->number, .task = row->task, .is_array = row->is_array, .status = (enum trace_status)row->status,
		.submit = row->submit, .start = row->wait_s == UNKNOWN ? 0 : row->submit + row->wait_s, .run_s = row->run_s, .limit_s = row->limit_s,
		.slots = row->slots, .memory_bytes = row->memory_bytes, .cpu_s = row->cpu_s, .after = row->after,
		.think_s = row->think_s, .user = c->user, .group = c->group, .project = c->project, .department = c->department, .queue = c->queue,
		.partition = c->partition, .pe = c->pe, .hard = c->hard, .qos = c->qos, .name = row->name };
	return true;
}

double rows_progress(const struct rows *r)
{
	return r->n > 0 ? (double)r->next / (double)r->n : 1;
}

void rows_free(struct rows *r)
{
	free(r->items);
	free(r->order);
	free(r->common);
	free(r->hashes);
	index_free(&r->index);
	*r = (struct rows){ 0 };
}
