/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Job table: rows that never move, a hash by number, and Grid Engine's job list as an order of
 * rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/mirror/state.h"

static int slurm_grow(struct jobs *jobs, size_t n)
{
	if (array_grow(&jobs->slurm, n, sizeof(*jobs->slurm)))
		return -ENOMEM;
	memset(jobs->slurm + jobs->slurm_capacity, 0, (n - jobs->slurm_capacity) * sizeof(*jobs->slurm));
	jobs->slurm_capacity = n;
	return 0;
}

static int condor_grow(struct jobs *jobs, size_t n)
{
	if (array_grow(&jobs->condor, n, sizeof(*jobs->condor)))
		return -ENOMEM;
	memset(jobs->condor + jobs->condor_capacity, 0, (n - jobs->condor_capacity) * sizeof(*jobs->condor));
	jobs->condor_capacity = n;
	return 0;
}

static int reserve_columns(struct jobs *jobs)
{
	size_t n = jobs->capacity + jobs->capacity / 16 + 1024;

	if (jobs->rows < jobs->capacity)
		return 0;
	if (array_grow(&jobs->first_task, n, sizeof(uint32_t)) || array_grow(&jobs->place, n, sizeof(uint32_t)) ||
	    array_grow(&jobs->kind, n, sizeof(uint16_t)) || (jobs->slurm && slurm_grow(jobs, n)) ||
	    (jobs->condor && condor_grow(jobs, n)))
		return -ENOMEM;
	jobs->capacity = n;
	return 0;
}

int jobs_reserve_slurm(struct jobs *jobs)
{
	return jobs->slurm_capacity >= jobs->capacity ? 0 : slurm_grow(jobs, jobs->capacity);
}

int jobs_reserve_condor(struct jobs *jobs)
{
	return jobs->condor_capacity >= jobs->capacity ? 0 : condor_grow(jobs, jobs->capacity);
}

static int reserve_row(struct jobs *jobs)
{
	if (jobs->rows == 0)
		jobs->free_row = NONE;
	if (jobs->free_row != NONE)
		return facts_reserve(&jobs->facts, jobs->free_row);
	return reserve_columns(jobs) || facts_reserve(&jobs->facts, jobs->rows) ? -ENOMEM : 0;
}

/* Close the gaps in the list when there are more gaps than jobs. */
static void list_compact(struct jobs *jobs)
{
	size_t end = 0;

	for (size_t i = 0; i < jobs->list_end; i++) {
		uint32_t row = jobs->list[i];

		if (row == NONE)
			continue;
		jobs->list[end] = row;
		jobs->place[row] = (uint32_t)end++;
	}
	jobs->list_end = end;
}

static int reserve_list(struct jobs *jobs)
{
	if (jobs->list_end > 2 * jobs->used + 1024)
		list_compact(jobs);
	return array_reserve(&jobs->list_capacity, jobs->list_end + 1, COLUMN(jobs->list));
}

static void list_append(struct jobs *jobs, uint32_t row)
{
	jobs->place[row] = (uint32_t)jobs->list_end;
	jobs->list[jobs->list_end++] = row;
}

static inline uint32_t number_of(const void *jobs, uint32_t row)
{
	const struct jobs *j = jobs;

	return job_fact(j, row, number);
}

int jobs_reserve(struct jobs *jobs)
{
	if (reserve_row(jobs) || reserve_list(jobs) ||
	    index_make_room(&jobs->index, jobs->index.used + 1, number_of, jobs))
		return -ENOMEM;
	return 0;
}

int jobs_reserve_row(struct jobs *jobs, uint32_t row)
{
	return facts_reserve(&jobs->facts, row);
}

int jobs_reserve_move(struct jobs *jobs)
{
	return reserve_list(jobs);
}

uint32_t jobs_insert(struct jobs *jobs, uint32_t number)
{
	uint32_t row = jobs->free_row;

	if (row != NONE)
		jobs->free_row = jobs->place[row];
	else
		row = (uint32_t)jobs->rows++;
	job_fact(jobs, row, number) = number;
	job_fact(jobs, row, class_id) = job_fact(jobs, row, category) = job_fact(jobs, row, name) =
		job_fact(jobs, row, extra) = NONE;
	job_fact(jobs, row, priority) = 1024;
	job_fact(jobs, row, wishes) = 0;
	job_fact(jobs, row, submission) = 0;
	jobs->first_task[row] = NONE;
	jobs->kind[row] = 0;
	if (jobs->slurm)
		jobs->slurm[row] = (struct slurm_job){ .association = NONE };
	if (jobs->condor)
		jobs->condor[row] = (struct condor_job){ 0 };
	index_put(&jobs->index, number, row);
	jobs->highest = number > jobs->highest ? number : jobs->highest;
	list_append(jobs, row);
	jobs->used++;
	return row;
}

uint32_t jobs_find(const struct jobs *jobs, uint32_t number)
{
	uint32_t row;

	if (number > jobs->highest)
		return INDEX_NONE;
	index_search(row, &jobs->index, number, job_fact(jobs, row, number) == number);
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

static void extra_free(struct jobs *jobs, uint32_t row)
{
	struct job_extra *extra = jobs_find_extra(jobs, row);

	if (!extra)
		return;
	job_extra_clear(extra);
	free(extra);
	jobs->extras[job_fact(jobs, row, extra)] = NULL;
	jobs->free_extras[jobs->nfree_extras++] = job_fact(jobs, row, extra);
}

void jobs_drop_extra(struct jobs *jobs, uint32_t row)
{
	extra_free(jobs, row);
	job_fact(jobs, row, extra) = NONE;
}

void jobs_remove(struct jobs *jobs, uint32_t row)
{
	index_take_out(&jobs->index, row, number_of, jobs);
	extra_free(jobs, row);
	jobs->list[jobs->place[row]] = NONE;
	jobs->kind[row] = 0;
	if (jobs->condor)
		jobs->condor[row].given = 0;
	jobs->place[row] = jobs->free_row;
	jobs->free_row = row;
	jobs->used--;
}

int jobs_move_to_end(struct jobs *jobs, uint32_t row)
{
	if (jobs->place[row] + 1 == jobs->list_end)
		return 0;
	if (reserve_list(jobs))
		return -ENOMEM;
	jobs->list[jobs->place[row]] = NONE;
	list_append(jobs, row);
	return 0;
}

struct job_extra *jobs_extra(struct jobs *jobs, uint32_t row)
{
	struct job_extra *extra = jobs_find_extra(jobs, row);
	uint32_t id;

	if (extra)
		return extra;
	if (jobs->nfree_extras == 0 &&
	    array_reserve(&jobs->extras_capacity, jobs->nextras + 1, COLUMN(jobs->extras), COLUMN(jobs->free_extras)))
		return NULL;
	extra = malloc(sizeof(*extra));
	if (!extra)
		return NULL;
	*extra = (struct job_extra){ .error_reason = NONE, .allocated = NONE };
	id = jobs->nfree_extras > 0 ? jobs->free_extras[--jobs->nfree_extras] : (uint32_t)jobs->nextras++;
	jobs->extras[id] = extra;
	job_fact(jobs, row, extra) = id;
	return extra;
}
