/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of changes: which exist with the active algorithm, their limits and their values. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/explain/advice_inside.h"
#include "sched/explain/standing.h"

#define PRIORITY_MOST 1024
#define NICE_LEAST (-(int64_t)SLURM_NICE_MOST)
#define DECAY_STEPS (365 * 1440)

enum advice_policy { GRIDENGINE = 1, MULTIFACTOR = 2, USERPRIO = 4 };

static enum advice_policy algorithm_of(const struct fl_view *view)
{
	struct fl_multifactor multifactor;
	struct fl_negotiation negotiation;

	if (fl_multifactor(view, &multifactor) == 0)
		return MULTIFACTOR;
	return fl_negotiation(view, &negotiation) == 0 ? USERPRIO : GRIDENGINE;
}

static double parameter(const struct advice_lever *lever, const char *name)
{
	const char *value = fl_param(lever->view, name);

	return value ? strtod(value, NULL) : 0.0;
}

double lever_prio_at(const struct advice_lever *lever, uint64_t place)
{
	struct fl_job job;

	return fl_get(lever->before, FL_PENDING, standing_row(lever->before, place), &job) == 0 ? job.prio : 0.0;
}

/* Number of steps of each kind */

static void priority_begin(struct advice_lever *lever)
{
	lever->from = lever->job->priority;
	lever->most = PRIORITY_MOST - lever->from;
	lever->is_linear = true;
	if (parameter(lever, "weight_priority") == 0.0)
		lever->never = "weight_priority is 0: -p has no effect";
	else if (lever->most <= 0)
		lever->never = "-p is 1024, the highest value";
}

/*
 * Set the limits of nice. A point of nice is a point of priority, so the search ends a little above
 * the priority of the first job.
 */
static void nice_begin(struct advice_lever *lever)
{
	double behind = lever_prio_at(lever, 1) - lever->trials[0].prio;
	struct fl_factors factors;

	if (fl_factors(lever->before, lever->job->job_number, 0, &factors) == 0) {
		lever->from = factors.nice;
		if (factors.direct_priority)
			lever->never = "its priority was set by an operator: nice has no effect";
	}
	lever->most = (int64_t)fmin(fmax(behind, 0.0) + 2.0, (double)(lever->from - NICE_LEAST));
	lever->is_linear = true;
	if (lever->most <= 0)
		lever->never = "nice has the lowest value";
}

static int64_t said_prio(const struct fl_claimant *claimant, const struct fl_job *job)
{
	return claimant->has_job_prio ? claimant->job_prio : job->priority;
}

/* Set the limits of JobPrio: up to one more than the highest of the submitter's other jobs. */
static void job_prio_begin(struct advice_lever *lever)
{
	struct fl_claimant own, claimant;
	struct fl_job job;

	if (fl_claimant(lever->before, lever->job->job_number, &own)) {
		lever->exists = false;
		return;
	}
	lever->from = said_prio(&own, lever->job);
	lever->most = 1;
	for (size_t k = 0; fl_get(lever->before, FL_PENDING, k, &job) == 0; k++)
		if (strcmp(job.owner, lever->job->owner) == 0 &&
		    fl_claimant(lever->before, job.job_number, &claimant) == 0 &&
		    strcmp(claimant.submitter, own.submitter) == 0 &&
		    said_prio(&claimant, &job) - lever->from + 1 > lever->most)
			lever->most = said_prio(&claimant, &job) - lever->from + 1;
	if (lever->most > INT32_MAX - lever->from)
		lever->most = INT32_MAX - lever->from;
	if (lever->most <= 0)
		lever->never = "its job priority has the highest value";
}

static void factor_begin(struct advice_lever *lever)
{
	struct fl_claimant own;
	struct fl_customer customer;

	lever->from = 1;
	lever->exists = fl_claimant(lever->before, lever->job->job_number, &own) == 0;
	for (size_t k = 0; lever->exists && fl_customer(lever->before, k, &customer) == 0; k++)
		if (!customer.is_group && strcmp(customer.name, own.submitter) == 0)
			lever->from = (int64_t)ceil(fmin(customer.factor, 1e9));
	lever->most = lever->from - 1;
	if (lever->most <= 0)
		lever->never = "the priority factor is 1, the lowest value";
}

static void waiting_begin(struct advice_lever *lever)
{
	lever->is_scanned = true;
	lever->most = ADVICE_WAIT_S / ADVICE_STEP_S;
}

static void usage_begin(struct advice_lever *lever)
{
	enum advice_policy algorithm = algorithm_of(lever->view);
	struct fl_multifactor multifactor;

	lever->most = DECAY_STEPS;
	if (algorithm == GRIDENGINE &&
	    (parameter(lever, "weight_tickets_share") == 0.0 || parameter(lever, "weight_ticket") == 0.0))
		lever->never = "usage has no effect: weight_tickets_share or weight_ticket is 0";
	else if (algorithm == GRIDENGINE && parameter(lever, "halftime") == 0.0)
		lever->never = "usage does not decay: halftime is 0";
	else if (fl_multifactor(lever->view, &multifactor) == 0 && multifactor.weight_fairshare == 0)
		lever->never = "usage has no effect: PriorityWeightFairshare is 0";
}

static const struct lever_kind {
	unsigned algorithms;
	void (*begin)(struct advice_lever *lever);
} kinds[ADVICE_KINDS] = {
	[ADVICE_PRIORITY] = { GRIDENGINE, priority_begin },
	[ADVICE_NICE] = { MULTIFACTOR, nice_begin },
	[ADVICE_JOB_PRIO] = { USERPRIO, job_prio_begin },
	[ADVICE_FACTOR] = { USERPRIO, factor_begin },
	[ADVICE_WAITING] = { GRIDENGINE | MULTIFACTOR | USERPRIO, waiting_begin },
	[ADVICE_USAGE] = { GRIDENGINE | MULTIFACTOR | USERPRIO, usage_begin },
};

int lever_open(struct advice_lever *lever)
{
	struct fl_job first;
	int rc;

	lever->exists = kinds[lever->kind].algorithms & algorithm_of(lever->view);
	if (!lever->exists)
		return 0;
	rc = whatif_open(&lever->whatif, lever->view, lever->error);
	if (rc == 0 && lever->kind == ADVICE_USAGE)
		whatif_reconfigured(lever->whatif);
	rc = rc ? rc : whatif_before(lever->whatif, &lever->before, lever->error);
	if (rc)
		return rc;
	lever->runs_already = fl_find(lever->view, lever->job->job_number, 0, &first) == 0 && first.is_started;
	lever_look(lever, lever->before, &lever->trials[0]);
	lever->ntrials = 1;
	kinds[lever->kind].begin(lever);
	return 0;
}

void lever_close(struct advice_lever *lever)
{
	whatif_close(lever->whatif);
}

int64_t lever_value(const struct advice_lever *lever, int64_t steps)
{
	switch (lever->kind) {
	case ADVICE_NICE:
	case ADVICE_FACTOR:
		return lever->from - steps;
	case ADVICE_WAITING:
	case ADVICE_USAGE:
		return steps * ADVICE_STEP_S;
	default:
		return lever->from + steps;
	}
}

/* Changes of the run */

static int suppose_modified(const struct advice_lever *lever, int64_t value, struct suppositions *suppositions)
{
	struct event event;

	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = lever->job->job_number;
	if (lever->kind == ADVICE_PRIORITY) {
		event.job.given = JOB_PRIORITY;
		event.job.priority = (int32_t)value;
	} else if (lever->kind == ADVICE_NICE) {
		event.job.slurm.given = SLURM_NICE;
		event.job.slurm.nice = (int32_t)value;
	} else {
		event.job.condor.given = CONDOR_JOB_PRIO;
		event.job.condor.job_prio = (int32_t)value;
	}
	return suppose_event(suppositions,
			     kinds[lever->kind].algorithms == GRIDENGINE ? "-p"
			     : lever->kind == ADVICE_NICE		 ? "nice"
									 : "job_prio",
			     &event);
}

int lever_suppose(const struct advice_lever *lever, int64_t steps, struct suppositions *suppositions)
{
	int64_t value = lever_value(lever, steps);
	struct fl_claimant own;

	switch (lever->kind) {
	case ADVICE_WAITING:
		return suppose_after(suppositions, "waiting", value);
	case ADVICE_USAGE:
		return suppose_decay(suppositions, "usage", lever->job->owner, value);
	case ADVICE_FACTOR:
		if (fl_claimant(lever->before, lever->job->job_number, &own))
			return -ENOENT;
		return suppose_sharer(suppositions, "factor", SUPPOSE_USER, own.submitter, SUPPOSE_FACTOR,
				      (double)value, lever->error);
	default:
		return suppose_modified(lever, value, suppositions);
	}
}
