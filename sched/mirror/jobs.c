/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job table: rows that stay where they are, a hash by number, and Grid Engine's job list as an
 * order of rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/mirror/state.h"

static int slurm_grow(struct jobs *j, size_t n)
{
	if (array_grow(&j->slurm, n, sizeof(*j->slurm)))
		return -ENOMEM;
	memset(j->slurm + j->slurm_capacity, 0, (n - j->slurm_capacity) * sizeof(*j->slurm));
	j->slurm_capacity = n;
	return 0;
}

static int condor_grow(struct jobs *j, size_t n)
{
	if (array_grow(&j->condor, n, sizeof(*j->condor)))
		return -ENOMEM;
	memset(j->condor + j->condor_capacity, 0, (n - j->condor_capacity) * sizeof(*j->condor));
	j->condor_capacity = n;
	return 0;
}

static int reserve_columns(struct jobs *j)
{
	size_t n = j->capacity + j->capacity / 16 + 1024;

	if (j->rows < j->capacity)
		return 0;
	if (array_grow(&j->first_task, n, sizeof(uint32_t)) || array_grow(&j->place, n, sizeof(uint32_t)) ||
	    array_grow(&j->kind, n, sizeof(uint16_t)) || (j->slurm && slurm_grow(j, n)) || (j->condor && condor_grow(j, n)))
		return -ENOMEM;
	j->capacity = n;
	return 0;
}

int jobs_reserve_slurm(struct jobs *j)
{
	return j->slurm_capacity >= j->capacity ? 0 : slurm_grow(j, j->capacity);
}

int jobs_reserve_condor(struct jobs *j)
{
	return j->condor_capacity >= j->capacity ? 0 : condor_grow(j, j->capacity);
}

static int reserve_row(struct jobs *j)
{
	if (j->rows == 0)
		j->free_row = NONE;
	if (j->free_row != NONE)
		return facts_reserve(&j->facts, j->free_row);
	return reserve_columns(j) || facts_reserve(&j->facts, j->rows) ? -ENOMEM : 0;
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
	size_t n = j->list_capacity + j->list_capacity / 16 + 1024;

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

static inline uint32_t number_of(const void *jobs, uint32_t row)
{
	const struct jobs *j = jobs;

	return job_fact(j, row, number);
}

int jobs_reserve(struct jobs *j)
{
	if (reserve_row(j) || reserve_list(j) || index_make_room(&j->index, j->index.used + 1, number_of, j))
		return -ENOMEM;
	return 0;
}

int jobs_reserve_row(struct jobs *j, uint32_t row)
{
	return facts_reserve(&j->facts, row);
}

int jobs_reserve_move(struct jobs *j)
{
	return reserve_list(j);
}

uint32_t jobs_insert(struct jobs *j, uint32_t number)
{
	uint32_t row = j->free_row;

	if (row != NONE)
		j->free_row = j->place[row];
	else
		row = (uint32_t)j->rows++;
	job_fact(j, row, number) = number;
	job_fact(j, row, class_id) = job_fact(j, row, category) = job_fact(j, row, name) = job_fact(j, row, extra) = NONE;
	job_fact(j, row, priority) = 1024;
	job_fact(j, row, wishes) = 0;
	job_fact(j, row, submission) = 0;
	j->first_task[row] = NONE;
	j->kind[row] = 0;
	if (j->slurm)
		j->slurm[row] = (struct slurm_job){ .association = NONE };
	if (j->condor)
		j->condor[row] = (struct condor_job){ 0 };
	index_put(&j->index, number, row);
	j->highest = number > j->highest ? number : j->highest;
	list_append(j, row);
	j->used++;
	return row;
}

uint32_t jobs_find(const struct jobs *j, uint32_t number)
{
	uint32_t row;

	if (number > j->highest)
		return INDEX_NONE;
	index_search(row, &j->index, number, job_fact(j, row, number) == number);
	return row;
}

void job_extra_clear(struct job_extra *extra)
{
	ranges_free(&extra->waiting);
	for (int k = 0; k < TASK_SETS; k++)
		ranges_free(&extra->sets[k]);
	free(extra->hold_jid);
	free(extra->hold_jid_ad);
}

static void extra_free(struct jobs *j, uint32_t row)
{
	struct job_extra *extra = jobs_find_extra(j, row);

	if (!extra)
		return;
	job_extra_clear(extra);
	free(extra);
	j->extras[job_fact(j, row, extra)] = NULL;
	j->free_extras[j->nfree_extras++] = job_fact(j, row, extra);
}

void jobs_remove(struct jobs *j, uint32_t row)
{
	index_take_out(&j->index, row, number_of, j);
	extra_free(j, row);
	j->list[j->place[row]] = NONE;
	j->kind[row] = 0;
	if (j->condor)
		j->condor[row].given = 0;
	j->place[row] = j->free_row;
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
	uint32_t id;

	if (extra)
		return extra;
	if (j->nfree_extras == 0 && j->nextras == j->extras_capacity) {
		if (array_grow(&j->extras, n, sizeof(*j->extras)) || array_grow(&j->free_extras, n, sizeof(uint32_t)))
			return NULL;
		j->extras_capacity = n;
	}
	extra = malloc(sizeof(*extra));
	if (!extra)
		return NULL;
	*extra = (struct job_extra){ .error_reason = NONE, .allocated = NONE };
	id = j->nfree_extras > 0 ? j->free_extras[--j->nfree_extras] : (uint32_t)j->nextras++;
	j->extras[id] = extra;
	job_fact(j, row, extra) = id;
	return extra;
}
