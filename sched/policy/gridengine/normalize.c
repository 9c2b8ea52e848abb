/* SPDX-License-Identifier: Apache-2.0 */
/* prio: urgency, tickets and POSIX priority, each between 0 and 1, weighted. */
#include <errno.h>

#include "sched/policy/gridengine/gridengine.h"
#include "sched/run/account.h"
#include "urgency/normalize.h"

/*
 * prio of each job's first task that could start. Its tickets are left in list order, for the sum.
 */
static void block_normalize(const struct block *b)
{
	const struct gridengine *g = b->context;
	const struct run *run = b->run;
	const struct run_record *r = &run->record;
	const struct jobs *j = &run->mirror->state->jobs;

	for (size_t i = b->begin; i < b->end; i++) {
		uint32_t first = run->waiting.first[i];
		double tickets, nurg, npprior;

		pending_fetch(&run->waiting, &g->pending, i);
		run->scratch.keys[i] = 0.0;
		if (first == NONE) {
			run->waiting.prio[i] = 0.0;
			continue;
		}
		tickets = run->scratch.keys[i] = tickets_total((struct tickets[]){ pending_tickets(&g->pending, first) });
		nurg = normalize_used(r->use_urgency, normalize(run->waiting.prio[i], r->urg_min, r->urg_max));
		npprior = normalize_used(r->use_priority, normalize_posix(job_fact(j, run->waiting.rows[i], priority)));
		run->waiting.prio[i] =
			normalize_prio(r->weight_urgency, nurg, r->weight_ticket, normalize(tickets, 0.0, r->tix_max), r->weight_priority, npprior);
	}
}

/* In list order. Most jobs have one task. */
static double sum_of_pending(const struct gridengine *g, const struct run *run)
{
	const struct pending_columns *p = &run->pending;
	double sum = 0.0;

	for (size_t i = 0; i < run->waiting.n; i++) {
		uint32_t task = run->waiting.first[i];

		sum += run->scratch.keys[i];
		while (run->waiting.arrays && task != NONE && ++task < p->n && p->job[task] == i)
			sum += tickets_total((struct tickets[]){ pending_tickets(&g->pending, task) });
	}
	return sum;
}

int gridengine_normalize(struct policy *p, struct run *run)
{
	struct gridengine *g = (struct gridengine *)p;
	const struct sched_conf *conf = &run->cell->sched;
	struct run_record *r = &run->record;

	r->weight_ticket = weight_bounded(conf->weight_ticket);
	r->weight_urgency = weight_bounded(conf->weight_urgency);
	r->weight_priority = weight_bounded(conf->weight_priority);
	r->tix_max = g->totals.max;
	r->running_tickets = g->totals.running;
	r->use_urgency = conf->weight_urgency != 0 || conf->report_pjob_tickets;
	r->use_priority = conf->weight_priority != 0 || conf->report_pjob_tickets;
	r->report_pending = conf->report_pjob_tickets;
	run_show_columns(r, COLUMNS_TICKETS, sizeof(struct ticket_results));
	if (run_blocks(run, block_normalize, g))
		return -ENOMEM;
	r->pending_tickets = sum_of_pending(g, run);
	return 0;
}

/* While jobs start */

void gridengine_given(const struct policy *p, const struct run *run, uint32_t task, struct policy_given *given)
{
	const struct gridengine *g = (const struct gridengine *)p;

	given->tickets = pending_tickets(&g->pending, task);
	given->ntckts = normalize(tickets_total(&given->tickets), 0.0, run->record.tix_max);
}

double gridengine_next(const struct policy *p, const struct run *run, uint32_t place, uint32_t task, bool enrolled)
{
	double (*prio)(double, double, double, double, double, double) = enrolled ? normalize_prio : normalize_prio_again;
	const struct gridengine *g = (const struct gridengine *)p;
	const struct jobs *j = &run->mirror->state->jobs;
	uint32_t row = run->waiting.rows[place];
	const struct run_record *r = &run->record;
	struct policy_given given;

	gridengine_given(p, run, task, &given);
	return prio(r->weight_urgency, normalize_used(r->use_urgency, normalize(urgency_of_job(g, run, row), r->urg_min, r->urg_max)),
		    r->weight_ticket, given.ntckts, r->weight_priority, normalize_used(r->use_priority, normalize_posix(job_fact(j, row, priority))));
}
