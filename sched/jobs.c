/* SPDX-License-Identifier: Apache-2.0 */
/* The job table: rows that stay where they are, a hash by number, and Grid Engine's job list as an order of rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/state.h"

static int grow_columns(struct jobs *j, size_t n)
{
	void *words[] = { &j->number, &j->class_id, &j->request, &j->name, &j->extra, &j->first_task, &j->last_task, &j->first_waiting, &j->place };
	void *halves[] = { &j->priority, &j->flags };
	void *longs[] = { &j->submission, &j->otickets, &j->ftickets, &j->stickets };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (array_grow(words[i], n, sizeof(uint32_t)))
			return -ENOMEM;
	for (size_t i = 0; i < sizeof(halves) / sizeof(*halves); i++)
		if (array_grow(halves[i], n, sizeof(uint16_t)))
			return -ENOMEM;
	for (size_t i = 0; i < sizeof(longs) / sizeof(*longs); i++)
		if (array_grow(longs[i], n, sizeof(uint64_t)))
			return -ENOMEM;
	return 0;
}

static int reserve_row(struct jobs *j)
{
	size_t n = j->capacity + j->capacity / 4 + 1024;

	if (j->rows == 0)
		j->free_row = NONE;
	if (j->free_row != NONE || j->rows < j->capacity)
		return 0;
	if (n > (size_t)MAX_CHUNKS * CHUNK_JOBS)
		return -ENOMEM;
	if (grow_columns(j, n))
		return -ENOMEM;
	j->capacity = n;
	return 0;
}

/* Close the gaps when they are more than the jobs. */
static void list_compact(struct jobs *j)
{
	size_t end = 0;

	for (size_t i = 0; i < j->list_end; i++) {
		uint32_t row = j->list[i];

		if (row == NONE)
			continue;
		j->list[end] = row;
		j->place[row] = (uint32_t)end++;
	}
	j->list_end = end;
}

static int reserve_list(struct jobs *j)
{
	size_t n = j->list_capacity + j->list_capacity / 4 + 1024;

	if (j->list_end > 2 * j->used + 1024)
		list_compact(j);
	if (j->list_end < j->list_capacity)
		return 0;
	if (array_grow(&j->list, n, sizeof(uint32_t)))
		return -ENOMEM;
	j->list_capacity = n;
	return 0;
}

static void list_append(struct jobs *j, uint32_t row)
{
	j->place[row] = (uint32_t)j->list_end;
	j->list[j->list_end++] = row;
}

int jobs_reserve(struct jobs *j)
{
	if (reserve_row(j) || reserve_list(j) || index_reserve(&j->index, j->number))
		return -ENOMEM;
	return 0;
}

uint32_t jobs_insert(struct jobs *j, uint32_t number)
{
	uint32_t row = j->free_row;

	if (row != NONE)
		j->free_row = j->extra[row];
	else
		row = (uint32_t)j->rows++;
	j->number[row] = number;
	j->class_id[row] = j->request[row] = j->name[row] = j->extra[row] = j->first_task[row] = j->last_task[row] = NONE;
	j->first_waiting[row] = 1;
	j->priority[row] = 1024;
	j->flags[row] = 0;
	j->submission[row] = 0;
	j->otickets[row] = j->ftickets[row] = j->stickets[row] = 0.0;
	index_insert(&j->index, j->number, row);
	list_append(j, row);
	j->used++;
	return row;
}

uint32_t jobs_find(const struct jobs *j, uint32_t number)
{
	return index_find(&j->index, j->number, number);
}

void job_extra_clear(struct job_extra *extra)
{
	ranges_free(&extra->waiting);
	for (int k = 0; k < HOLD_KINDS; k++)
		ranges_free(&extra->hold[k]);
	free(extra->hold_jid);
}

static void extra_free(struct jobs *j, uint32_t row)
{
	struct job_extra *extra = jobs_find_extra(j, row);

	if (!extra)
		return;
	job_extra_clear(extra);
	free(extra);
	j->extras[j->extra[row]] = NULL;
	j->free_extras[j->nfree_extras++] = j->extra[row];
}

void jobs_remove(struct jobs *j, uint32_t row)
{
	index_remove(&j->index, j->number, j->number[row]);
	extra_free(j, row);
	j->list[j->place[row]] = NONE;
	j->number[row] = 0;
	j->flags[row] = 0;
	j->extra[row] = j->free_row;
	j->free_row = row;
	j->used--;
}

int jobs_move_to_end(struct jobs *j, uint32_t row)
{
	if (j->place[row] + 1 == j->list_end)
		return 0;
	if (reserve_list(j))
		return -ENOMEM;
	j->list[j->place[row]] = NONE;
	list_append(j, row);
	return 0;
}

struct job_extra *jobs_extra(struct jobs *j, uint32_t row)
{
	struct job_extra *extra = jobs_find_extra(j, row);
	size_t n = 2 * j->extras_capacity + 64;

	if (extra)
		return extra;
	if (j->nfree_extras == 0 && j->nextras == j->extras_capacity) {
		if (array_grow(&j->extras, n, sizeof(*j->extras)) || array_grow(&j->free_extras, n, sizeof(uint32_t)))
			return NULL;
		j->extras_capacity = n;
	}
	extra = calloc(1, sizeof(*extra));
	if (!extra)
		return NULL;
	j->extra[row] = j->nfree_extras > 0 ? j->free_extras[--j->nfree_extras] : (uint32_t)j->nextras++;
	j->extras[j->extra[row]] = extra;
	return extra;
}
