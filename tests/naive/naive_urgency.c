/* SPDX-License-Identifier: Apache-2.0 */
/* Decay of usage, urgency, normalisation. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/naive/naive.h"

double naive_decay_constant(double half_life_minutes)
{
	if (half_life_minutes < 0)
		return 0.0;
	if (half_life_minutes == 0)
		return 1.0;
	return 1 - (-log(0.5) / (half_life_minutes * 60)) * 60;
}

double naive_decayed(double usage, double constant, double seconds)
{
	return usage * pow(constant, seconds / 60);
}

static double average(const struct naive_range *ranges, size_t n, uint32_t pe_slots)
{
	double sum = 0.0, ids = 0.0;
	for (size_t i = 0; i < n; i++)
		for (uint32_t id = ranges[i].min; id <= pe_slots && (ranges[i].open || id <= ranges[i].max);
		     id += ranges[i].step) {
			sum += id;
			ids++;
		}
	return ids > 0 ? sum / ids : 0;
}

uint32_t naive_assumed_slots(const struct naive_range *ranges, size_t n, const char *urgency_slots, uint32_t pe_slots)
{
	if (n == 0)
		return 1;
	if (n == 1 && !ranges[0].open && ranges[0].min == ranges[0].max)
		return ranges[0].min;
	if (strcmp(urgency_slots, "min") == 0)
		return ranges[0].min;
	if (strcmp(urgency_slots, "max") == 0)
		return ranges[n - 1].open ? pe_slots : ranges[n - 1].max;
	if (strcmp(urgency_slots, "avg") == 0)
		return (uint32_t)average(ranges, n, pe_slots);
	return (uint32_t)atoi(urgency_slots);
}

double naive_rrcontr(double slots_urgency, uint32_t slots, const struct naive_request *requests, size_t n)
{
	double sum = slots_urgency * 1.0 * slots;
	for (size_t i = 0; i < n; i++)
		sum += requests[i].numeric ? requests[i].value * requests[i].urgency * slots : requests[i].urgency;
	return sum;
}

double naive_norm(double value, double lo, double hi)
{
	if (hi - lo < 0.00001)
		return 0.5;
	return (value - lo) / (hi - lo);
}

double naive_prio(const struct naive_cell *cell, double nurg, double ntix, double npprior)
{
	double u = cell->weight_urgency != 0 || cell->report_pending ? nurg : 0.5;
	double p = cell->weight_priority != 0 || cell->report_pending ? npprior : 0.5;
	return cell->weight_urgency * u + cell->weight_ticket * ntix + cell->weight_priority * p;
}

static double deadline(const struct naive_cell *cell, const struct naive_job *job)
{
	int64_t left = job->deadline - cell->now;
	return job->deadline == 0 ? 0.0 : cell->weight_deadline / (left < 1 ? 1 : left);
}

void naive_urgency(struct naive_cell *cell)
{
	cell->urg_min = DBL_MAX;
	cell->urg_max = DBL_MIN;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
		job->npprior = job->priority / 2048.0;
		job->wtcontr = cell->weight_waiting_time * (uint32_t)(cell->now - job->submit);
		job->dlcontr = deadline(cell, job);
		job->urg = job->wtcontr + job->dlcontr + job->rrcontr;
		if (job->nrunning + job->npending == 0)
			continue;
		cell->urg_min = job->urg < cell->urg_min ? job->urg : cell->urg_min;
		cell->urg_max = job->urg > cell->urg_max ? job->urg : cell->urg_max;
	}
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		job->nurg = naive_norm(job->urg, cell->urg_min, cell->urg_max);
}

void naive_normalize(struct naive_cell *cell, struct naive_task **tasks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct naive_job *job = tasks[i]->job;
		tasks[i]->ntix = naive_norm(tasks[i]->tix, 0.0, cell->max_tix);
		tasks[i]->prio = naive_prio(cell, job->nurg, tasks[i]->ntix, job->npprior);
	}
}
