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

static double parameter(const struct advice_change *change, const char *name)
{
	const char *value = fl_param(change->view, name);

	return value ? strtod(value, NULL) : 0.0;
}

double change_prio_at(const struct advice_change *change, uint64_t place)
{
	struct fl_job job;

	return fl_get(change->before, FL_PENDING, standing_row(change->before, place), &job) == 0 ? job.prio : 0.0;
}

/* Number of steps of each kind */

static void priority_begin(struct advice_change *change)
{
	change->from = change->job->priority;
	change->most = PRIORITY_MOST - change->from;
	change->is_linear = true;
	if (parameter(change, "weight_priority") == 0.0)
		change->never = "weight_priority is 0: -p has no effect";
	else if (change->most <= 0)
		change->never = "-p is 1024, the highest value";
}

/*
 * Set the limits of nice. A point of nice is a point of priority, so the search ends a little above
 * the priority of the first job.
 */
static void nice_begin(struct advice_change *change)
{
	double distance = change_prio_at(change, 1) - change->trials[0].prio;
	struct fl_factors factors;

	if (fl_factors(change->before, change->job->job_number, 0, &factors) == 0) {
		change->from = factors.nice;
		if (factors.direct_priority)
			change->never = "its priority was set by an operator: nice has no effect";
	}
	change->most = (int64_t)fmin(fmax(distance, 0.0) + 2.0, (double)(change->from - NICE_LEAST));
	change->is_linear = true;
	if (change->most <= 0)
		change->never = "nice has the lowest value";
}

static int64_t said_prio(const struct fl_claimant *claimant, const struct fl_job *job)
{
	return claimant->has_job_prio ? claimant->job_prio : job->priority;
}

/* Set the limits of JobPrio: up to one more than the highest of the submitter's other jobs. */
static void job_prio_begin(struct advice_change *change)
{
	struct fl_claimant own, claimant;
	struct fl_job job;

	if (fl_claimant(change->before, change->job->job_number, &own)) {
		change->exists = false;
		return;
	}
	change->from = said_prio(&own, change->job);
	change->most = 1;
	for (size_t k = 0; fl_get(change->before, FL_PENDING, k, &job) == 0; k++)
		if (strcmp(job.owner, change->job->owner) == 0 &&
		    fl_claimant(change->before, job.job_number, &claimant) == 0 &&
		    strcmp(claimant.submitter, own.submitter) == 0 &&
		    said_prio(&claimant, &job) - change->from + 1 > change->most)
			change->most = said_prio(&claimant, &job) - change->from + 1;
	if (change->most > INT32_MAX - change->from)
		change->most = INT32_MAX - change->from;
	if (change->most <= 0)
		change->never = "its job priority has the highest value";
}

static void factor_begin(struct advice_change *change)
{
	struct fl_claimant own;
	struct fl_customer customer;

	change->from = 1;
	change->exists = fl_claimant(change->before, change->job->job_number, &own) == 0;
	for (size_t k = 0; change->exists && fl_customer(change->before, k, &customer) == 0; k++)
		if (!customer.is_group && strcmp(customer.name, own.submitter) == 0)
			change->from = (int64_t)ceil(fmin(customer.factor, 1e9));
	change->most = change->from - 1;
	if (change->most <= 0)
		change->never = "the priority factor is 1, the lowest value";
}

static void waiting_begin(struct advice_change *change)
{
	change->is_scanned = true;
	change->most = ADVICE_WAIT_S / ADVICE_STEP_S;
}

static void usage_begin(struct advice_change *change)
{
	enum advice_policy algorithm = algorithm_of(change->view);
	struct fl_multifactor multifactor;

	change->most = DECAY_STEPS;
	if (algorithm == GRIDENGINE &&
	    (parameter(change, "weight_tickets_share") == 0.0 || parameter(change, "weight_ticket") == 0.0))
		change->never = "usage has no effect: weight_tickets_share or weight_ticket is 0";
	else if (algorithm == GRIDENGINE && parameter(change, "halftime") == 0.0)
		change->never = "usage does not decay: halftime is 0";
	else if (fl_multifactor(change->view, &multifactor) == 0 && multifactor.weight_fairshare == 0)
		change->never = "usage has no effect: PriorityWeightFairshare is 0";
}

static const struct change_kind {
	unsigned algorithms;
	void (*begin)(struct advice_change *change);
} kinds[ADVICE_KINDS] = {
	[ADVICE_PRIORITY] = { GRIDENGINE, priority_begin },
	[ADVICE_NICE] = { MULTIFACTOR, nice_begin },
	[ADVICE_JOB_PRIO] = { USERPRIO, job_prio_begin },
	[ADVICE_FACTOR] = { USERPRIO, factor_begin },
	[ADVICE_WAITING] = { GRIDENGINE | MULTIFACTOR | USERPRIO, waiting_begin },
	[ADVICE_USAGE] = { GRIDENGINE | MULTIFACTOR | USERPRIO, usage_begin },
};

int change_open(struct advice_change *change)
{
	struct fl_job first;
	int rc;

	change->exists = kinds[change->kind].algorithms & algorithm_of(change->view);
	if (!change->exists)
		return 0;
	rc = whatif_open(&change->whatif, change->view, change->error);
	if (rc == 0 && change->kind == ADVICE_USAGE)
		whatif_reconfigured(change->whatif);
	rc = rc ? rc : whatif_before(change->whatif, &change->before, change->error);
	if (rc)
		return rc;
	change->runs_already = fl_find(change->view, change->job->job_number, 0, &first) == 0 && first.is_started;
	change_read(change, change->before, &change->trials[0]);
	change->ntrials = 1;
	kinds[change->kind].begin(change);
	return 0;
}

void change_close(struct advice_change *change)
{
	whatif_close(change->whatif);
}

int64_t change_value(const struct advice_change *change, int64_t steps)
{
	switch (change->kind) {
	case ADVICE_NICE:
	case ADVICE_FACTOR:
		return change->from - steps;
	case ADVICE_WAITING:
	case ADVICE_USAGE:
		return steps * ADVICE_STEP_S;
	default:
		return change->from + steps;
	}
}

/* Changes of the run */

static int suppose_modified(const struct advice_change *change, int64_t value, struct suppositions *suppositions)
{
	struct event event;

	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = change->job->job_number;
	if (change->kind == ADVICE_PRIORITY) {
		event.job.given = JOB_PRIORITY;
		event.job.priority = (int32_t)value;
	} else if (change->kind == ADVICE_NICE) {
		event.job.slurm.given = SLURM_NICE;
		event.job.slurm.nice = (int32_t)value;
	} else {
		event.job.condor.given = CONDOR_JOB_PRIO;
		event.job.condor.job_prio = (int32_t)value;
	}
	return suppose_event(suppositions,
			     kinds[change->kind].algorithms == GRIDENGINE ? "-p"
			     : change->kind == ADVICE_NICE		 ? "nice"
									 : "job_prio",
			     &event);
}

int change_suppose(const struct advice_change *change, int64_t steps, struct suppositions *suppositions)
{
	int64_t value = change_value(change, steps);
	struct fl_claimant own;

	switch (change->kind) {
	case ADVICE_WAITING:
		return suppose_after(suppositions, "waiting", value);
	case ADVICE_USAGE:
		return suppose_decay(suppositions, "usage", change->job->owner, value);
	case ADVICE_FACTOR:
		if (fl_claimant(change->before, change->job->job_number, &own))
			return -ENOENT;
		return suppose_sharer(suppositions, "factor", SUPPOSE_USER, own.submitter, SUPPOSE_FACTOR,
				      (double)value, change->error);
	default:
		return suppose_modified(change, value, suppositions);
	}
}
