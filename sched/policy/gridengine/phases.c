/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of urgency/ and tickets/, applied to the columns of a run. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/array.h"
#include "sched/run/run.h"
#include "urgency/normalize.h"

#define WEIGHT_LIMIT 1e100	/* so that no sum of products leaves the doubles */

static double weight(double value)
{
	return fmin(fmax(value, -WEIGHT_LIMIT), WEIGHT_LIMIT);
}

/* Configuration */

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

/*
 * Weights and half-lives of single usage names. Without a list finished_jobs is forgotten at once.
 */
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

/* Phases */

/* What each request is worth in this run; those of a category all the same. */
static int rrcontr_by_request(struct sched *s)
{
	const struct requests *r = &s->mirror.requests;
	struct run *run = &s->run;

	if (r->pool.n > run->rrcontr_capacity) {
		if (array_grow(&run->rrcontr, r->pool.capacity, sizeof(double)))
			return -ENOMEM;
		run->rrcontr_capacity = r->pool.capacity;
	}
	pool_each(i, &r->pool)
		run->rrcontr[i] = r->category[r->facts[i].category].rrcontr;
	return 0;
}

static int64_t deadline_of(const struct jobs *j, uint32_t row)
{
	const struct job_extra *extra = jobs_find_extra(j, row);

	return extra ? extra->deadline : 0;
}

#define AT_A_TIME 256

/* Jobs at a time, in columns that stay in the cache. */
struct urgency_batch {
	uint32_t place[AT_A_TIME];	/* in `waiting` */
	int64_t submission[AT_A_TIME], deadline[AT_A_TIME];
	double rrcontr[AT_A_TIME], urg[AT_A_TIME];
	size_t n;
};

static void batch_add(struct urgency_batch *batch, const struct sched *s, uint32_t row, size_t place)
{
	const struct jobs *j = &s->mirror.state->jobs;

	batch->place[batch->n] = (uint32_t)place;
	batch->submission[batch->n] = job_fact(j, row, submission);
	batch->deadline[batch->n] = deadline_of(j, row);
	batch->rrcontr[batch->n++] = s->run.rrcontr[job_fact(j, row, category)];
}

static void batch_compute(struct urgency_batch *batch, const struct sched *s, struct urgency_spread *spread)
{
	const struct urgency_jobs jobs = { .n = batch->n, .submission = batch->submission, .deadline = batch->deadline,
					   .rrcontr = batch->rrcontr, .urg = batch->urg };

	urgency_compute(&s->urgency, &jobs, spread);
	batch->n = 0;
}

static void block_urgency(const struct block *b)
{
	struct waiting_columns *w = &b->s->run.waiting;
	struct urgency_spread spread = urgency_spread_start;
	struct urgency_batch batch = { .n = 0 };

	for (size_t i = b->begin; i < b->end; ) {
		size_t n;

		for (; i < b->end && batch.n < AT_A_TIME; i++)
			if (w->first[i] != NONE)
				batch_add(&batch, b->s, w->rows[i], i);
		n = batch.n;
		batch_compute(&batch, b->s, &spread);
		for (size_t k = 0; k < n; k++)
			w->prio[batch.place[k]] = batch.urg[k];
	}
	b->values[0] = spread.min;
	b->values[1] = spread.max;
}

/* Jobs that only run count for the spread, too. */
static void running_urgency(struct sched *s)
{
	const struct state *state = s->mirror.state;
	struct urgency_batch batch = { .n = 0 };

	for (size_t i = 0; i < s->run.running.n; i++) {
		batch_add(&batch, s, state->tasks.items[s->run.running.index[i]].row, 0);
		if (batch.n == AT_A_TIME || i + 1 == s->run.running.n)
			batch_compute(&batch, s, &s->run.spread);
	}
}

int run_urgency(struct sched *s)
{
	struct run *run = &s->run;

	s->urgency.now = run->now;
	run->spread = urgency_spread_start;
	if (rrcontr_by_request(s) || run_blocks(s, block_urgency))
		return -ENOMEM;
	for (size_t i = 0; i < run_nblocks(run); i++) {
		run->spread.min = run->block[2 * i] < run->spread.min ? run->block[2 * i] : run->spread.min;
		run->spread.max = run->block[2 * i + 1] > run->spread.max ? run->block[2 * i + 1] : run->spread.max;
	}
	running_urgency(s);
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

static void share_work(void *self, void (*item)(void *context, size_t i), void *context, size_t items)
{
	workers_run(self, item, context, items);
}

int run_tickets(struct sched *s)
{
	struct run *run = &s->run;
	const struct waiting_columns *w = &run->waiting;
	const struct ticket_tasks running = { .n = run->running.n, .class_id = run->running.class_id, .weight = run->running.weight,
					      .tickets = run->running.tickets };
	const struct pending_tasks pending = {
		.n = run->pending.n, .job = run->pending.job, .weight = run->pending.weight, .age = w->by_age ? NULL : w->age,
		.number = w->by_number ? NULL : w->number, .override = run->pending.override, .functional = run->pending.functional,
		.share_tree = run->pending.share_tree, .accumulated = run->pending.accumulated };
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
	run->scratch.workers = (struct ticket_workers){ share_work, s->workers };
	code = tickets_calculate(&s->tickets, &sharers, &classes, s->has_tree ? &s->tree : NULL, &running, &pending, &run->scratch,
				 &run->totals);
	run->clamped += run->totals.clamped;
	return code;
}

static struct tickets pending_tickets(const struct pending_columns *p, size_t task)
{
	return (struct tickets){ .override = p->override[task], .functional = p->functional[task], .share_tree = p->share_tree[task] };
}

/*
 * prio of each job's first task that could start. Its tickets are left in list order, for the sum.
 */
static void block_normalize(const struct block *b)
{
	const struct run *run = &b->s->run;
	const struct run_record *r = &b->s->record;
	const struct jobs *j = &b->s->mirror.state->jobs;

	for (size_t i = b->begin; i < b->end; i++) {
		uint32_t first = run->waiting.first[i];
		double tickets, nurg, npprior;

		pending_fetch(&run->waiting, &run->pending, i);
		run->scratch.keys[i] = 0.0;
		if (first == NONE) {
			run->waiting.prio[i] = 0.0;
			continue;
		}
		tickets = run->scratch.keys[i] = tickets_total((struct tickets[]){ pending_tickets(&run->pending, first) });
		nurg = r->use_urgency ? normalize(run->waiting.prio[i], r->urg_min, r->urg_max) : 0.5;
		npprior = r->use_priority ? normalize_posix(job_fact(j, run->waiting.rows[i], priority)) : 0.5;
		run->waiting.prio[i] =
			normalize_prio(r->weight_urgency, nurg, r->weight_ticket, normalize(tickets, 0.0, r->tix_max), r->weight_priority, npprior);
	}
}

/* In list order. Most jobs have one task. */
static double sum_of_pending(const struct run *run)
{
	const struct pending_columns *p = &run->pending;
	double sum = 0.0;

	for (size_t i = 0; i < run->waiting.n; i++) {
		uint32_t task = run->waiting.first[i];

		sum += run->scratch.keys[i];
		while (run->waiting.arrays && task != NONE && ++task < p->n && p->job[task] == i)
			sum += tickets_total((struct tickets[]){ pending_tickets(p, task) });
	}
	return sum;
}

int run_normalize(struct sched *s)
{
	const struct sched_conf *conf = &s->cell->sched;
	bool use_urgency = conf->weight_urgency != 0 || conf->report_pjob_tickets;
	bool use_priority = conf->weight_priority != 0 || conf->report_pjob_tickets;
	double weight_urgency = weight(conf->weight_urgency), weight_ticket = weight(conf->weight_ticket);
	double weight_priority = weight(conf->weight_priority);
	struct run *run = &s->run;

	s->record = (struct run_record){
		.run = run->number, .now = run->now, .event = run->event, .free_slots = run->free_slots,
		.weight_ticket = weight_ticket, .weight_urgency = weight_urgency, .weight_priority = weight_priority,
		.weight_waiting_time = s->urgency.weight_waiting_time, .weight_deadline = s->urgency.weight_deadline,
		.urg_min = run->spread.min, .urg_max = run->spread.max, .tix_max = run->totals.max,
		.running_tickets = run->totals.running,
		.use_urgency = use_urgency, .use_priority = use_priority, .report_pending = conf->report_pjob_tickets,
	};
	run_show_columns(&s->record, COLUMNS_TICKETS, sizeof(struct ticket_results));
	if (run_blocks(s, block_normalize))
		return -ENOMEM;
	s->record.pending_tickets = sum_of_pending(run);
	return 0;
}
