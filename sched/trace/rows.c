/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/rows.h"

#include <string.h>

#include "conf/base/columns.h"

#define UNKNOWN UINT32_MAX		/* value of `wait` */

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

/* Hash the addresses of texts: equal texts have equal addresses. */
static uint32_t common_hash(const struct trace_common *common)
{
	const char *const texts[] = { common->user,	  common->group, common->project,
				      common->department, common->queue, common->partition,
				      common->pe,	  common->hard,	 common->qos };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		hash = (hash ^ (uintptr_t)texts[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
	return (uint32_t)(hash >> 32);
}

static int common_find(struct rows *rows, const struct trace_common *common, uint32_t *at)
{
	uint32_t hash = common_hash(common);

	index_search(*at, &rows->index, hash, memcmp(&rows->common[*at], common, sizeof(*common)) == 0);
	if (*at != INDEX_NONE)
		return 0;
	if (array_reserve(&rows->common_capacity, rows->ncommon + 1, COLUMN(rows->common), COLUMN(rows->hashes)))
		return -ENOMEM;
	if (index_reserve(&rows->index, rows->hashes))
		return -ENOMEM;
	*at = (uint32_t)rows->ncommon++;
	rows->common[*at] = *common;
	rows->hashes[*at] = hash;
	index_insert(&rows->index, rows->hashes, *at);
	return 0;
}

int rows_add(struct rows *rows, const struct trace_job *job)
{
	const struct trace_common common = { job->user,	     job->group, job->project, job->department, job->queue,
					     job->partition, job->pe,	 job->hard,    job->qos };
	uint32_t number;

	if (rows->n == UINT32_MAX / 2)
		return -E2BIG;
	if (array_reserve(&rows->capacity, rows->n + 1, COLUMN(rows->items)))
		return -ENOMEM;
	if (common_find(rows, &common, &number))
		return -ENOMEM;
	rows->items[rows->n++] =
		(struct trace_row){ .submit = job->submit,
				    .memory_bytes = job->memory_bytes,
				    .cpu_s = job->cpu_s,
				    .name = job->name,
				    .number = job->number,
				    .task = job->task,
				    .line = (uint32_t)job->line,
				    .common = number,
				    .wait_s = job->start ? (uint32_t)(job->start - job->submit) : UNKNOWN,
				    .run_s = (uint32_t)job->run_s,
				    .limit_s = (uint32_t)job->limit_s,
				    .slots = job->slots,
				    .after = job->after,
				    .think_s = (uint32_t)job->think_s,
				    .status = (uint8_t)job->status,
				    .is_array = job->is_array };
	return 0;
}

static bool same_job(const struct trace_row *a, const struct trace_row *b)
{
	return a->submit == b->submit && a->number == b->number && a->is_array == b->is_array && a->task == b->task;
}

static int order_compare(const void *a, const void *b, void *items)
{
	const struct trace_row *x = (const struct trace_row *)items + *(const uint32_t *)a,
			       *y = (const struct trace_row *)items + *(const uint32_t *)b;

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

int rows_sort(struct rows *rows)
{
	rows->order = malloc((rows->n + 1) * sizeof(*rows->order));
	if (!rows->order)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n; i++)
		rows->order[i] = (uint32_t)i;
	if (rows->n > 1)
		qsort_r(rows->order, rows->n, sizeof(*rows->order), order_compare, rows->items);
	return 0;
}

bool rows_next(struct rows *rows, struct trace_job *job, bool *again)
{
	const struct trace_row *row = rows->next < rows->n ? &rows->items[rows->order[rows->next++]] : NULL;
	const struct trace_common *common;

	if (!row)
		return false;
	*again = rows->next < rows->n && same_job(row, &rows->items[rows->order[rows->next]]);
	common = &rows->common[row->common];
	*job = (struct trace_job){ .line = row->line,
				   .number = row->number,
				   .task = row->task,
				   .is_array = row->is_array,
				   .status = (enum trace_status)row->status,
				   .submit = row->submit,
				   .start = row->wait_s == UNKNOWN ? 0 : row->submit + row->wait_s,
				   .run_s = row->run_s,
				   .limit_s = row->limit_s,
				   .slots = row->slots,
				   .memory_bytes = row->memory_bytes,
				   .cpu_s = row->cpu_s,
				   .after = row->after,
				   .think_s = row->think_s,
				   .user = common->user,
				   .group = common->group,
				   .project = common->project,
				   .department = common->department,
				   .queue = common->queue,
				   .partition = common->partition,
				   .pe = common->pe,
				   .hard = common->hard,
				   .qos = common->qos,
				   .name = row->name };
	return true;
}

void rows_free(struct rows *rows)
{
	free(rows->items);
	free(rows->order);
	free(rows->common);
	free(rows->hashes);
	index_free(&rows->index);
	*rows = (struct rows){ 0 };
}
