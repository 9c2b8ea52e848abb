/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of urgency/ and tickets/, applied to the columns of a run. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/run.h"
#include "urgency/normalize.h"

#define WEIGHT_LIMIT 1e100	/* so that no sum of products leaves the doubles */

static double weight(double value)
{
	return fmin(fmax(value, -WEIGHT_LIMIT), WEIGHT_LIMIT);
}

/* ---- configuration ----------------------------------------------------------------------------------------------------------------- */

static void configure_scalars(struct sched *s)
{
	const struct sched_conf *c = &s->cell->sched;

	s->urgency.weight_waiting_time = weight(c->weight_waiting_time);
	s->urgency.weight_deadline = weight(c->weight_deadline);
	s->tickets = (struct ticket_params){
		.share_tickets = c->weight_tickets_share, .functional_tickets = c->weight_tickets_functional,
		.weight_user = c->weight_user, .weight_project = c->weight_project,
		.weight_department = c->weight_department, .weight_job = c->weight_job,
		.compensation_factor = c->compensation_factor, .share_functional_shares = c->share_functional_shares,
		.share_override_tickets = c->share_override_tickets,
		.max_functional_jobs_to_schedule = c->max_functional_jobs_to_schedule,
	};
	memcpy(s->tickets.policy_hierarchy, c->policy_hierarchy, sizeof(s->tickets.policy_hierarchy));
	s->decay.constant = decay_constant(60.0 * c->halftime);
}

/* Weights and half-lives of single usage names. Without a list finished_jobs is forgotten at once. */
static int configure_usage(struct sched *s)
{
	static const struct pair finished_jobs = { .name = "finished_jobs", .value = -1.0 };
	const struct pairs *weights = &s->cell->sched.usage_weight_list, *decays = &s->cell->sched.halflife_decay_list;
	const struct pairs implicit = { .items = (struct pair *)&finished_jobs, .n = 1 };
	size_t n;

	decays = decays->n > 0 ? decays : &implicit;
	for (size_t i = 0; i < weights->n; i++)
		if (usage_name(&s->mirror.usage_names, s->strings, weights->items[i].name) == UINT32_MAX)
			return -ENOMEM;
	for (size_t i = 0; i < decays->n; i++)
		if (usage_name(&s->mirror.usage_names, s->strings, decays->items[i].name) == UINT32_MAX)
			return -ENOMEM;
	n = s->mirror.usage_names.n;
	if (array_grow(&s->decay_by_name, n, sizeof(double)) || array_grow(&s->weight_by_name, n, sizeof(double)) ||
	    array_grow(&s->weight_listed, n, sizeof(bool)))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		s->decay_by_name[i] = NAN;
		s->weight_by_name[i] = 0.0;
		s->weight_listed[i] = false;
	}
	s->weights = (struct usage_weights){ .by_name = s->weight_by_name, .listed = s->weight_listed, .n = n };
	for (size_t i = 0; i < weights->n; i++) {
		uint32_t name = usage_name(&s->mirror.usage_names, s->strings, weights->items[i].name);

		s->weight_by_name[name] = weight(weights->items[i].value);
		s->weight_listed[name] = true;
		s->weights.sum += weight(weights->items[i].value);
	}
	for (size_t i = 0; i < decays->n; i++)
		s->decay_by_name[usage_name(&s->mirror.usage_names, s->strings, decays->items[i].name)] =
			decay_constant(decays->items[i].value);
	s->decay.by_name = s->decay_by_name;
	s->decay.n = n;
	return 0;
}

int policies_configure(struct sched *s)
{
	configure_scalars(s);
	return configure_usage(s);
}

/* ---- phases -------------------------------------------------------------------------------------------------------------------------- */

int run_urgency(struct sched *s)
{
	struct run *run = &s->run;
	struct urgency_jobs jobs = { .n = run->jobs.n, .submission = run->jobs.submission, .deadline = run->jobs.deadline,
				     .rrcontr = run->jobs.rrcontr, .urg = run->jobs.urg };

	s->urgency.now = run->now;
	run->spread = urgency_spread_start;
	urgency_compute(&s->urgency, &jobs, &run->spread);
	return 0;
}

/* Nodes of the classes, in the order in which their tasks are met: running ones first. */
static int assign_nodes(struct sched *s)
{
	struct ticket_class *classes = s->mirror.classes.items;
	struct run *run = &s->run;
	int code = 0;

	sharetree_reset(&s->tree);
	for (size_t i = 0; i < s->mirror.classes.pool.n; i++)
		classes[i].node = TICKETS_NONE;
	for (size_t i = 0; code == 0 && i < run->running.n; i++) {
		struct ticket_class *c = &classes[run->running.class_id[i]];

		if (c->node == TICKETS_NONE)
			code = sharetree_assign(&s->tree, c->sharer[SHARER_USER], c->sharer[SHARER_PROJECT], &c->node);
	}
	for (size_t i = 0; code == 0 && i < run->nclass_order; i++) {
		struct ticket_class *c = &classes[run->class_order[i]];

		if (c->node == TICKETS_NONE)
			code = sharetree_assign(&s->tree, c->sharer[SHARER_USER], c->sharer[SHARER_PROJECT], &c->node);
	}
	return code;
}

static struct ticket_tasks as_tasks(const struct task_columns *c)
{
	return (struct ticket_tasks){ .n = c->n, .class_id = c->class_id, .job_number = c->number, .task = c->task, .submission = c->submission,
				      .weight = c->weight, .tickets = c->tickets };
}

int run_tickets(struct sched *s)
{
	struct run *run = &s->run;
	struct ticket_tasks running = as_tasks(&run->running), pending = as_tasks(&run->pending);
	struct ticket_classes classes = { .items = s->mirror.classes.items, .n = s->mirror.classes.pool.n, .order = run->class_order,
					  .norder = run->nclass_order };
	struct sharers sharers;
	struct sharetree_sources sources = account_sources(s);
	int code;

	if (s->mirror.classes.new_user || s->tree_is_stale) {
		code = tree_configure(s);
		if (code != 0)
			return code;
	}
	for (int k = 0; k < SHARER_KINDS; k++) {
		sharers.items[k] = s->mirror.objects[k].sharers;
		sharers.n[k] = s->mirror.objects[k].n;
	}
	if (s->has_tree) {
		code = assign_nodes(s);
		if (code != 0)
			return code;
		run->clamped += sharetree_usage(&s->tree, &sources);
	}
	code = tickets_calculate(&s->tickets, &sharers, &classes, s->has_tree ? &s->tree : NULL, &running, &pending, &run->scratch,
				 &run->totals);
	run->clamped += run->totals.clamped;
	return code;
}

/* prio of each job's first task that could start, and the results where they are kept. */
int run_normalize(struct sched *s)
{
	const struct sched_conf *conf = &s->cell->sched;
	bool use_urgency = conf->weight_urgency != 0 || conf->report_pjob_tickets;
	bool use_priority = conf->weight_priority != 0 || conf->report_pjob_tickets;
	double weight_urgency = weight(conf->weight_urgency), weight_ticket = weight(conf->weight_ticket);
	double weight_priority = weight(conf->weight_priority);
	struct jobs *j = &s->mirror.state->jobs;
	struct run *run = &s->run;

	for (size_t i = 0; i < run->jobs.n; i++) {
		uint32_t first = run->jobs.first[i], row = run->jobs.row[i];
		double nurg, ntckts, npprior;

		if (first == NONE)
			continue;
		nurg = use_urgency ? normalize(run->jobs.urg[i], run->spread.min, run->spread.max) : 0.5;
		ntckts = normalize(tickets_total(&run->pending.tickets[first]), 0.0, run->totals.max);
		npprior = use_priority ? normalize_posix(j->priority[row]) : 0.5;
		run->jobs.prio[i] = normalize_prio(weight_urgency, nurg, weight_ticket, ntckts, weight_priority, npprior);
	}
	s->record = (struct run_record){
		.run = run->number, .now = run->now, .event = run->event, .free_slots = run->free_slots,
		.weight_ticket = weight_ticket, .weight_urgency = weight_urgency, .weight_priority = weight_priority,
		.weight_waiting_time = s->urgency.weight_waiting_time, .weight_deadline = s->urgency.weight_deadline,
		.urg_min = run->spread.min, .urg_max = run->spread.max, .tix_max = run->totals.max,
		.pending_tickets = run->totals.pending, .running_tickets = run->totals.running,
		.use_urgency = use_urgency, .use_priority = use_priority, .report_pending = conf->report_pjob_tickets,
	};
	return 0;
}
