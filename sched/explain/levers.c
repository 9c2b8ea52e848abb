/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of changes: which there are with the algorithm in force, how far they go, what they
 * are.
 */
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

static double parameter(const struct advice_lever *l, const char *name)
{
	const char *value = fl_param(l->view, name);

	return value ? strtod(value, NULL) : 0.0;
}

double lever_prio_at(const struct advice_lever *l, uint64_t place)
{
	struct fl_job job;

	return fl_get(l->before, FL_PENDING, standing_row(l->before, place), &job) == 0 ? job.prio : 0.0;
}

/* Of each kind: how many steps there are */

static void priority_begin(struct advice_lever *l)
{
	l->from = l->job->priority;
	l->most = PRIORITY_MOST - l->from;
	l->is_linear = true;
	if (parameter(l, "weight_priority") == 0.0)
		l->never = "weight_priority is 0: -p does not count";
	else if (l->most <= 0)
		l->never = "-p is 1024, the most there is";
}

/* A point of nice is one of priority, wherever the first one is. */
static void nice_begin(struct advice_lever *l)
{
	double behind = lever_prio_at(l, 1) - l->trials[0].prio;
	struct fl_factors f;

	if (fl_factors(l->before, l->job->job_number, 0, &f) == 0) {
		l->from = f.nice;
		if (f.direct_priority)
			l->never = "its priority was set by an operator: nice does not count";
	}
	l->most = (int64_t)fmin(fmax(behind, 0.0) + 2.0, (double)(l->from - NICE_LEAST));
	l->is_linear = true;
	if (l->most <= 0)
		l->never = "nice is as low as it may be";
}

static int64_t said_prio(const struct fl_claimant *c, const struct fl_job *job)
{
	return c->has_job_prio ? c->job_prio : job->priority;
}

/* One more than the highest of its submitter's others. */
static void job_prio_begin(struct advice_lever *l)
{
	struct fl_claimant own, c;
	struct fl_job job;

	if (fl_claimant(l->before, l->job->job_number, &own)) {
		l->exists = false;
		return;
	}
	l->from = said_prio(&own, l->job);
	l->most = 1;
	for (size_t k = 0; fl_get(l->before, FL_PENDING, k, &job) == 0; k++)
		if (strcmp(job.owner, l->job->owner) == 0 && fl_claimant(l->before, job.job_number, &c) == 0 &&
		    strcmp(c.submitter, own.submitter) == 0 && said_prio(&c, &job) - l->from + 1 > l->most)
			l->most = said_prio(&c, &job) - l->from + 1;
	if (l->most > INT32_MAX - l->from)
		l->most = INT32_MAX - l->from;
	if (l->most <= 0)
		l->never = "its job priority is the highest there is";
}

static void factor_begin(struct advice_lever *l)
{
	struct fl_claimant own;
	struct fl_customer c;

	l->from = 1;
	l->exists = fl_claimant(l->before, l->job->job_number, &own) == 0;
	for (size_t k = 0; l->exists && fl_customer(l->before, k, &c) == 0; k++)
		if (!c.is_group && strcmp(c.name, own.submitter) == 0)
			l->from = (int64_t)ceil(fmin(c.factor, 1e9));
	l->most = l->from - 1;
	if (l->most <= 0)
		l->never = "the priority factor is 1, the least there is";
}

static void waiting_begin(struct advice_lever *l)
{
	l->is_scanned = true;
	l->most = ADVICE_WAIT_S / ADVICE_STEP_S;
}

static void usage_begin(struct advice_lever *l)
{
	enum advice_policy algorithm = algorithm_of(l->view);
	struct fl_multifactor m;

	l->most = DECAY_STEPS;
	if (algorithm == GRIDENGINE && (parameter(l, "weight_tickets_share") == 0.0 || parameter(l, "weight_ticket") == 0.0))
		l->never = "usage does not count: weight_tickets_share or weight_ticket is 0";
	else if (algorithm == GRIDENGINE && parameter(l, "halftime") == 0.0)
		l->never = "usage does not decay: halftime is 0";
	else if (fl_multifactor(l->view, &m) == 0 && m.weight_fairshare == 0)
		l->never = "usage does not count: PriorityWeightFairshare is 0";
}

static const struct lever_kind {
	unsigned algorithms;
	void (*begin)(struct advice_lever *l);
} kinds[ADVICE_KINDS] = {
	[ADVICE_PRIORITY] = { GRIDENGINE, priority_begin },
	[ADVICE_NICE] = { MULTIFACTOR, nice_begin },
	[ADVICE_JOB_PRIO] = { USERPRIO, job_prio_begin },
	[ADVICE_FACTOR] = { USERPRIO, factor_begin },
	[ADVICE_WAITING] = { GRIDENGINE | MULTIFACTOR | USERPRIO, waiting_begin },
	[ADVICE_USAGE] = { GRIDENGINE | MULTIFACTOR | USERPRIO, usage_begin },
};

int lever_open(struct advice_lever *l)
{
	struct fl_job first;
	int rc;

	l->exists = kinds[l->kind].algorithms & algorithm_of(l->view);
	if (!l->exists)
		return 0;
	rc = whatif_open(&l->whatif, l->view, l->error);
	if (rc == 0 && l->kind == ADVICE_USAGE)
		whatif_reconfigured(l->whatif);
	rc = rc ? rc : whatif_before(l->whatif, &l->before, l->error);
	if (rc)
		return rc;
	l->runs_already = fl_find(l->view, l->job->job_number, 0, &first) == 0 && first.is_started;
	lever_look(l, l->before, &l->trials[0]);
	l->ntrials = 1;
	kinds[l->kind].begin(l);
	return 0;
}

void lever_close(struct advice_lever *l)
{
	whatif_close(l->whatif);
}

int64_t lever_value(const struct advice_lever *l, int64_t steps)
{
	switch (l->kind) {
	case ADVICE_NICE:
	case ADVICE_FACTOR:
		return l->from - steps;
	case ADVICE_WAITING:
	case ADVICE_USAGE:
		return steps * ADVICE_STEP_S;
	default:
		return l->from + steps;
	}
}

/* What it is to be */

static int suppose_modified(const struct advice_lever *l, int64_t value, struct suppositions *s)
{
	struct event e;

	event_init(&e, EVENT_JOB_MODIFY);
	e.job.job_number = l->job->job_number;
	if (l->kind == ADVICE_PRIORITY) {
		e.job.given = JOB_PRIORITY;
		e.job.priority = (int32_t)value;
	} else if (l->kind == ADVICE_NICE) {
		e.job.slurm.given = SLURM_NICE;
		e.job.slurm.nice = (int32_t)value;
	} else {
		e.job.condor.given = CONDOR_JOB_PRIO;
		e.job.condor.job_prio = (int32_t)value;
	}
	return suppose_event(s, kinds[l->kind].algorithms == GRIDENGINE ? "-p" : l->kind == ADVICE_NICE ? "nice" : "job_prio", &e);
}

int lever_suppose(const struct advice_lever *l, int64_t steps, struct suppositions *s)
{
	int64_t value = lever_value(l, steps);
	struct fl_claimant own;

	switch (l->kind) {
	case ADVICE_WAITING:
		return suppose_after(s, "waiting", value);
	case ADVICE_USAGE:
		return suppose_decay(s, "usage", l->job->owner, value);
	case ADVICE_FACTOR:
		if (fl_claimant(l->before, l->job->job_number, &own))
			return -ENOENT;
		return suppose_sharer(s, "factor", SUPPOSE_USER, own.submitter, SUPPOSE_FACTOR, (double)value, l->error);
	default:
		return suppose_modified(l, value, s);
	}
}
