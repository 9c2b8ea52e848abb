/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are told by what they have in common with others. */
#include <errno.h>

#include "sched/mirror/mirror.h"
#include "sched/mirror/tables.h"

uint32_t mirror_job_row(struct mirror *m, uint32_t job_number)
{
	return jobs_find(&mirror_target(m)->jobs, job_number);
}

static int reserve(struct jobs *j, const struct job_like *like)
{
	return jobs_reserve(j) || (like->computed && jobs_reserve_slurm(j)) || (like->numbers && jobs_reserve_condor(j)) ? -ENOMEM : 0;
}

static void fill(struct mirror *m, struct jobs *j, uint32_t row, const struct job_like *like)
{
	job_fact(j, row, submission) = like->submission_time;
	job_fact(j, row, priority) = (uint16_t)(1024 + like->priority);
	job_fact(j, row, wishes) = like->reserve ? JOB_WISHES_RESERVATION : 0;
	j->kind[row] = JOB_PENDING;
	if (like->computed) {
		j->slurm[row].accrue = like->accrue_time;
		j->slurm[row].priority = like->slurm_priority;
	}
	if (like->numbers)
		condor_set_numbers(&j->condor[row], like->numbers);
	classes_hold_again(&m->classes, job_fact(j, row, class_id));
	requests_hold_again(&m->requests, job_fact(j, row, category));
	strings_hold_again(m->strings, job_fact(j, row, name));
}

int mirror_job_add_like(struct mirror *m, const struct job_like *like, struct error *error)
{
	struct jobs *j = &mirror_target(m)->jobs;
	uint32_t row;

	if (like->priority < -1023 || like->priority > 1024 || like->submission_time < 0 || like->job_number == 0)
		return error_set(error, -EINVAL, "job %u: number, priority or submission time can't be so", like->job_number);
	if (jobs_find(j, like->job_number) != INDEX_NONE)
		return error_set(error, -EEXIST, "job %u exists already", like->job_number);
	if (like->class_of >= j->rows || like->request_of >= j->rows || like->name_of >= j->rows)
		return error_set(error, -ENOENT, "there is no job that job %u is like", like->job_number);
	if (reserve(j, like))
		return error_set(error, -ENOMEM, "out of memory for job %u", like->job_number);
	row = jobs_insert(j, like->job_number);
	job_fact(j, row, class_id) = job_fact(j, like->class_of, class_id);
	job_fact(j, row, category) = job_fact(j, like->request_of, category);
	job_fact(j, row, name) = job_fact(j, like->name_of, name);
	fill(m, j, row, like);
	return 0;
}
