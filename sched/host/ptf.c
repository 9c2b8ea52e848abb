/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/ptf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ptf_init(struct ptf *ptf, int min, int max)
{
	*ptf = (struct ptf){ .weakest = min == PTF_UNSET ? 20 : min, .best = max == PTF_UNSET ? 0 : max };
	ptf->weakest = ptf->weakest > 20 ? 20 : ptf->weakest < -20 ? -20 : ptf->weakest;
	ptf->best = ptf->best < -20 ? -20 : ptf->best;
	if (ptf->best > ptf->weakest)
		ptf->best = ptf->weakest;
}

void ptf_free(struct ptf *ptf)
{
	free(ptf->jobs);
	ids_free(&ptf->rows);
	ptf->jobs = NULL;
	ptf->n = ptf->capacity = 0;
}

static struct ptf_job *find(const struct ptf *ptf, uint32_t job_number)
{
	uint32_t row = ids_find(&ptf->rows, job_number);

	return row == IDS_NONE ? NULL : &ptf->jobs[row];
}

static int room(struct ptf *ptf)
{
	size_t capacity = ptf->capacity ? 2 * ptf->capacity : 16;
	struct ptf_job *jobs;

	if (ptf->n < ptf->capacity)
		return 0;
	jobs = realloc(ptf->jobs, capacity * sizeof(*jobs));
	if (!jobs)
		return -ENOMEM;
	ptf->jobs = jobs;
	ptf->capacity = capacity;
	return 0;
}

int ptf_hold(struct ptf *ptf, uint32_t job_number)
{
	struct ptf_job *job = find(ptf, job_number);
	int rc = 0;

	if (!job) {
		rc = room(ptf);
		if (!rc)
			rc = ids_put(&ptf->rows, job_number, (uint32_t)ptf->n);
		if (rc)
			return rc;
		job = &ptf->jobs[ptf->n++];
		*job = (struct ptf_job){ .job_number = job_number, .tickets = 1, .nice = ptf->best };
	}
	job->tasks++;
	return 0;
}

/* Remove a task of the job. Other jobs keep their order, in which they are summed up. */
void ptf_drop(struct ptf *ptf, uint32_t job_number)
{
	struct ptf_job *job = find(ptf, job_number);
	size_t row;

	if (!job || --job->tasks)
		return;
	row = (size_t)(job - ptf->jobs);
	ids_remove(&ptf->rows, job_number);
	ptf->n--;
	memmove(job, job + 1, (ptf->n - row) * sizeof(*job));
	for (; row < ptf->n; row++)
		/* cannot fail: the id exists */
		ids_put(&ptf->rows, ptf->jobs[row].job_number, (uint32_t)row);
}

void ptf_tickets(struct ptf *ptf, uint32_t job_number, double tickets)
{
	struct ptf_job *job = find(ptf, job_number);

	if (!job)
		return;
	job->tickets = !(tickets > 1) ? 1 : tickets >= UINT32_MAX ? UINT32_MAX : (uint32_t)tickets;
	job->usage = 0.1 * job->usage > 1.0 ? 0.1 * job->usage : 1.0;
	job->current = 0;
}

void ptf_collect(struct ptf *ptf, uint32_t job_number, double cpu_s, uint32_t processes)
{
	struct ptf_job *job = find(ptf, job_number);

	if (!job)
		return;
	job->measuring_s += cpu_s;
	job->measuring += processes;
}

void ptf_collected(struct ptf *ptf)
{
	for (size_t k = 0; k < ptf->n; k++) {
		struct ptf_job *job = &ptf->jobs[k];
		double usage = job->usage + (job->measuring_s - job->collected_s);

		job->usage = usage > 1.0 ? usage : 1.0;
		job->collected_s = job->measuring_s;
		job->processes = job->measuring;
		job->measuring_s = 0;
		job->measuring = 0;
	}
}

static double shares(struct ptf *ptf, double all_tickets)
{
	double sum = 0;

	for (size_t k = 0; k < ptf->n; k++) {
		struct ptf_job *job = &ptf->jobs[k];

		job->share = job->tickets / all_tickets * 1000.0 + 1.0;
		job->proportion = job->share * job->share / (job->usage > 1.0 ? job->usage : 1.0);
		sum += job->proportion;
	}
	return sum;
}

/* Return the usage, which is raised if it exceeds twice the share of tickets. */
static double adjusted_usage(const struct ptf_job *job, double all_tickets, double all_proportions)
{
	double target = job->tickets / all_tickets;
	double current = all_proportions > 0 ? job->proportion / all_proportions : 0;
	double compare = 2.0 * target;

	return current > compare ? job->usage * (current / compare) : job->usage;
}

static int level(const struct ptf *ptf, double current, double least, double most)
{
	if (!(most > 0))
		return ptf->weakest;
	return ptf->best + (int)((ptf->weakest - ptf->best) * ((current - least) / most));
}

bool ptf_adjust(struct ptf *ptf, uint64_t now_ns)
{
	uint64_t tickets = 0;
	double all_tickets, all_proportions, least = 0, most = 0;

	if (now_ns < ptf->next_ns)
		return false;
	for (size_t k = 0; k < ptf->n; k++)
		tickets += ptf->jobs[k].tickets;
	all_tickets = tickets ? (double)tickets : 1.0;
	all_proportions = shares(ptf, all_tickets);
	for (size_t k = 0; k < ptf->n; k++) {
		struct ptf_job *job = &ptf->jobs[k];
		double processes = job->processes > 1 ? job->processes : 1;

		job->current +=
			adjusted_usage(job, all_tickets, all_proportions) * processes / (job->share * job->share);
		most = job->current > most ? job->current : most;
		least = k == 0 || job->current < least ? job->current : least;
	}
	for (size_t k = 0; k < ptf->n; k++)
		ptf->jobs[k].nice = level(ptf, ptf->jobs[k].current, least, most);
	ptf->next_ns = now_ns + PTF_DISTANCE_NS;
	return true;
}

int ptf_nice(const struct ptf *ptf, uint32_t job_number)
{
	const struct ptf_job *job = find(ptf, job_number);

	return job ? job->nice : ptf->best;
}
