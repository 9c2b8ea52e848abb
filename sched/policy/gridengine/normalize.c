/* SPDX-License-Identifier: Apache-2.0 */
/* prio: the weighted sum of urgency, tickets and POSIX priority, each normalized to 0..1. */
#include "sched/policy/gridengine/gridengine.h"
#include "sched/run/account.h"
#include "urgency/normalize.h"

/* Compute prio of each job's first task that could start. Leave its tickets in list order. */
static void block_normalize(const struct block *block)
{
	const struct gridengine *gridengine = block->context;
	const struct run *run = block->run;
	const struct run_record *record = &run->record;
	const struct jobs *jobs = &run->mirror->state->jobs;

	for (size_t i = block->begin; i < block->end; i++) {
		uint32_t first = run->waiting.first[i];
		double tickets, nurg, npprior;

		pending_fetch(&run->waiting, &gridengine->pending, i);
		run->scratch.keys[i] = 0.0;
		if (first == NONE) {
			run->waiting.prio[i] = 0.0;
			continue;
		}
		tickets = run->scratch.keys[i] =
			tickets_total((struct tickets[]){ pending_tickets(&gridengine->pending, first) });
		nurg = normalize_used(record->use_urgency,
				      normalize(run->waiting.prio[i], record->urg_min, record->urg_max));
		npprior = normalize_used(record->use_priority,
					 normalize_posix(job_fact(jobs, run->waiting.rows[i], priority)));
		run->waiting.prio[i] =
			normalize_prio(record->weight_urgency, nurg, record->weight_ticket,
				       normalize(tickets, 0.0, record->tix_max), record->weight_priority, npprior);
	}
}

/* Sum up the tickets in list order. Most jobs have one task. */
static double sum_of_pending(const struct gridengine *gridengine, const struct run *run)
{
	const struct pending_columns *columns = &run->pending;
	double sum = 0.0;

	for (size_t i = 0; i < run->waiting.n; i++) {
		uint32_t task = run->waiting.first[i];

		sum += run->scratch.keys[i];
		while (run->waiting.arrays && task != NONE && ++task < columns->n && columns->job[task] == i)
			sum += tickets_total((struct tickets[]){ pending_tickets(&gridengine->pending, task) });
	}
	return sum;
}

int gridengine_normalize(struct policy *policy, struct run *run)
{
	struct gridengine *gridengine = (struct gridengine *)policy;
	const struct sched_conf *conf = &run->cell->sched;
	struct run_record *record = &run->record;

	record->weight_ticket = weight_bounded(conf->weight_ticket);
	record->weight_urgency = weight_bounded(conf->weight_urgency);
	record->weight_priority = weight_bounded(conf->weight_priority);
	record->tix_max = gridengine->totals.max;
	record->running_tickets = gridengine->totals.running;
	record->use_urgency = conf->weight_urgency != 0 || conf->report_pjob_tickets;
	record->use_priority = conf->weight_priority != 0 || conf->report_pjob_tickets;
	record->report_pending = conf->report_pjob_tickets;
	run_show_columns(record, COLUMNS_TICKETS, sizeof(struct ticket_results));
	run_blocks(run, block_normalize, gridengine);
	record->pending_tickets = sum_of_pending(gridengine, run);
	return 0;
}

/* Functions called while jobs start */

void gridengine_given(const struct policy *policy, const struct run *run, uint32_t task, struct policy_given *given)
{
	const struct gridengine *gridengine = (const struct gridengine *)policy;

	given->tickets = pending_tickets(&gridengine->pending, task);
	given->ntckts = normalize(tickets_total(&given->tickets), 0.0, run->record.tix_max);
}

double gridengine_next(const struct policy *policy, const struct run *run, uint32_t place, uint32_t task, bool enrolled)
{
	double (*prio)(double, double, double, double, double, double) =
		enrolled ? normalize_prio : normalize_prio_again;
	const struct gridengine *gridengine = (const struct gridengine *)policy;
	const struct jobs *jobs = &run->mirror->state->jobs;
	uint32_t row = run->waiting.rows[place];
	const struct run_record *record = &run->record;
	struct policy_given given;

	gridengine_given(policy, run, task, &given);
	return prio(record->weight_urgency,
		    normalize_used(record->use_urgency,
				   normalize(urgency_of_job(gridengine, run, row), record->urg_min, record->urg_max)),
		    record->weight_ticket, given.ntckts, record->weight_priority,
		    normalize_used(record->use_priority, normalize_posix(job_fact(jobs, row, priority))));
}
