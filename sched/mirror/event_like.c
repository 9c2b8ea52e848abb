/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are reported by reference to other jobs with common properties. */
#include <errno.h>

#include "sched/mirror/mirror.h"
#include "sched/mirror/inside.h"

uint32_t mirror_job_row(struct mirror *mirror, uint32_t job_number)
{
	return jobs_find(&mirror_target(mirror)->jobs, job_number);
}

static int reserve(struct jobs *jobs, const struct job_like *like)
{
	return jobs_reserve(jobs) || (like->computed && jobs_reserve_slurm(jobs)) ||
			       (like->numbers && jobs_reserve_condor(jobs))
		       ? -ENOMEM
		       : 0;
}

static void fill(struct mirror *mirror, struct jobs *jobs, uint32_t row, const struct job_like *like)
{
	job_fact(jobs, row, submission) = like->submission_time;
	job_fact(jobs, row, priority) = (uint16_t)(1024 + like->priority);
	job_fact(jobs, row, wishes) = (like->reserve ? JOB_WISHES_RESERVATION : 0) |
				      (like->eligible_at_submission ? JOB_ELIGIBLE_AT_SUBMISSION : 0);
	jobs->kind[row] = JOB_PENDING;
	if (like->computed) {
		jobs->slurm[row].accrue = like->accrue_time;
		jobs->slurm[row].priority = like->slurm_priority;
	}
	if (like->numbers)
		condor_set_numbers(&jobs->condor[row], like->numbers);
	classes_hold_again(&mirror->classes, job_fact(jobs, row, class_id));
	requests_hold_again(&mirror->requests, job_fact(jobs, row, category));
	strings_hold_again(mirror->strings, job_fact(jobs, row, name));
}

int mirror_job_add_like(struct mirror *mirror, const struct job_like *like, struct error *error)
{
	struct jobs *jobs = &mirror_target(mirror)->jobs;
	uint32_t row;

	if (like->priority < -1023 || like->priority > 1024 || like->submission_time < 0 || like->job_number == 0)
		return error_set(error, -EINVAL, "job %u: number, priority or submission time is out of range",
				 like->job_number);
	if (jobs_find(jobs, like->job_number) != INDEX_NONE)
		return error_set(error, -EEXIST, "job %u exists already", like->job_number);
	if (like->class_of >= jobs->rows || like->request_of >= jobs->rows || like->name_of >= jobs->rows)
		return error_set(error, -ENOENT, "a job that job %u refers to does not exist", like->job_number);
	if (reserve(jobs, like))
		return error_set(error, -ENOMEM, "out of memory for job %u", like->job_number);
	row = jobs_insert(jobs, like->job_number);
	job_fact(jobs, row, class_id) = job_fact(jobs, like->class_of, class_id);
	job_fact(jobs, row, category) = job_fact(jobs, like->request_of, category);
	job_fact(jobs, row, name) = job_fact(jobs, like->name_of, name);
	fill(mirror, jobs, row, like);
	return 0;
}
