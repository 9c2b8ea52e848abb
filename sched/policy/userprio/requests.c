/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What submitters ask for in a cycle: each one's jobs in its order, those next to each other that
 * are alike in what matters as one request. Who has slots and nothing to ask for is there, too: his
 * share counts.
 *
 * A parallel job asks for its slots one by one; it starts when it has been given all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/policy/userprio/inside.h"

static uint32_t place_at(const struct run *run, uint32_t at)
{
	return (uint32_t)run->order.items[at];
}

/* Tasks of a job that may be matched in this cycle. */
static uint32_t tasks_left(const struct userprio_cell *u, const struct run *run, uint32_t place)
{
	struct started_job job = starts_of(&u->started, place);
	uint32_t tasks = run_tasks_of(run, place), taken = job.started + job.reserved;

	return tasks > taken ? tasks - taken : 0;
}

/* The classes of all jobs that take part, so that the negotiator can tell which are alike. */
int requests_classes(struct userprio_policy *p, struct run *run)
{
	struct userprio_cell *u = p->in_force;

	for (size_t i = 0; i < u->submitters.n; i++) {
		const struct submitter *s = &u->submitters.items[i];

		for (uint32_t k = s->begin; k < s->begin + s->n; k++) {
			uint32_t place = place_at(run, k), class = ad_classes_of(p, run, run->waiting.rows[place]);

			if (class == NONE)
				return -ENOMEM;
			if (u->classes.items[class].seen != run->number) {
				u->classes.items[class].seen = run->number;
				u->classes.items[class].place = place;
				u->classes.items[class].refusal = NONE;
			}
		}
	}
	return ad_classes_give(p, run);
}

/* Room */

static int runs_reserve(struct requests_of_cycle *r)
{
	size_t n = r->runs_capacity + r->runs_capacity / 2 + 256;

	if (r->nruns < r->runs_capacity)
		return 0;
	if (array_grow(&r->runs, n, sizeof(*r->runs)) || array_grow(&r->cursors, n, sizeof(*r->cursors)))
		return -ENOMEM;
	r->runs_capacity = n;
	return 0;
}

static int asking_reserve(struct userprio_cell *u, size_t n)
{
	struct requests_of_cycle *r = &u->requests;
	size_t more = n + n / 2 + 64;

	if (n <= r->submitters_capacity)
		return 0;
	if (array_grow(&r->submitters, more, sizeof(*r->submitters)) || array_grow(&r->first_run, more, sizeof(*r->first_run)) ||
	    array_grow(&u->shown, more, sizeof(*u->shown)))
		return -ENOMEM;
	r->submitters_capacity = more;
	return 0;
}

static int clusters_find(struct userprio_cell *u)
{
	struct requests_of_cycle *r = &u->requests;

	if (u->classes.ngiven > r->clusters_capacity) {
		if (array_grow(&r->clusters, u->classes.given_capacity, sizeof(*r->clusters)))
			return -ENOMEM;
		r->clusters_capacity = u->classes.given_capacity;
	}
	for (uint32_t c = 0; c < u->classes.ngiven; c++)
		r->clusters[c] = negotiator_cluster(u->negotiator, c);
	return 0;
}

int requests_names(struct userprio_policy *p, const struct run *run)
{
	struct requests_of_cycle *r = &p->in_force->requests;
	size_t n = p->accountant.customers.n;

	if (n > r->names_capacity) {
		if (array_grow(&r->names, p->accountant.capacity, sizeof(*r->names)))
			return -ENOMEM;
		r->names_capacity = p->accountant.capacity;
	}
	for (size_t i = 0; i < n; i++)
		r->names[i] = strings_text(run->strings, p->accountant.names[i]);
	return 0;
}

/* Requests */

struct filling {			/* one submitter's */
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	uint32_t submitter;		/* of the cycle's */
	uint32_t cluster, class;	/* of the run at hand */
	int32_t prio;
};

/* With something that dispatch knows of places two classes may differ in what no ad says. */
static bool goes_on(const struct filling *f, uint32_t class)
{
	const struct requests_of_cycle *r = &f->u->requests;

	return r->first_run[f->submitter] < r->nruns && f->cluster == r->clusters[class] && (f->places->told_alone || f->class == class);
}

static int submitter_begin(struct filling *f, const struct submitter *s, int32_t prio)
{
	struct requests_of_cycle *r = &f->u->requests;
	const struct customer *c = &f->p->accountant.customers.items[s->customer];
	const struct uncharged *uncharged = &f->u->submitters.uncharged[s->customer];
	uint32_t running = c->used + uncharged->slots;
	double weight = c->weight_used + uncharged->weight;

	if (asking_reserve(f->u, r->nsubmitters + 1))
		return -ENOMEM;
	f->submitter = (uint32_t)r->nsubmitters++;
	f->prio = prio;
	r->first_run[f->submitter] = (uint32_t)r->nruns;
	r->submitters[f->submitter] = (struct cycle_submitter){ .name = r->names[s->customer], .customer = s->customer,
								.running = f->p->conf->weighted_demand ? weight : running,
								.job_prio = prio };
	f->u->shown[f->submitter] = (struct shown_submitter){ .customer = s->customer, .running = running, .weight_running = weight };
	return 0;
}

/* `tasks` of it may be matched; its demand is all that it has. */
static int job_add(struct filling *f, uint32_t at, uint32_t class, uint32_t tasks)
{
	struct requests_of_cycle *r = &f->u->requests;
	const struct ad_class *c = &f->u->classes.items[class];
	uint32_t count = c->parallel ? tasks * c->cpus : tasks;
	uint32_t place = place_at(f->run, at), wanted = tasks + (submitters_tasks(f->run, place) - run_tasks_of(f->run, place));
	double weight = c->weight * wanted;

	if (!goes_on(f, class)) {
		if (runs_reserve(r))
			return -ENOMEM;
		r->runs[r->nruns] = (struct request_run){ .class = class, .first = at };
		r->cursors[r->nruns++] = at;
		f->cluster = r->clusters[class];
		f->class = class;
	}
	r->runs[r->nruns - 1].count += count;
	r->submitters[f->submitter].idle += f->p->conf->weighted_demand ? weight : wanted;
	f->u->shown[f->submitter].idle += wanted;
	f->u->shown[f->submitter].weight_idle += weight;
	return 0;
}

static int submitter_fill(struct filling *f, const struct submitter *s)
{
	const struct jobs *j = &f->run->mirror->state->jobs;
	int rc = submitter_begin(f, s, s->n > 0 ? job_condor(j, f->run->waiting.rows[place_at(f->run, s->begin)]).job_prio : 0);

	for (uint32_t k = s->begin; k < s->begin + s->n && rc == 0; k++) {
		uint32_t place = place_at(f->run, k), row = f->run->waiting.rows[place], tasks = tasks_left(f->u, f->run, place);
		uint32_t class = tasks > 0 ? ad_classes_of(f->p, f->run, row) : NONE;

		if (tasks == 0)
			continue;
		if (class == NONE)
			return -ENOMEM;
		if (f->p->conf->use_global_job_prios && job_condor(j, row).job_prio != f->prio)
			rc = submitter_begin(f, s, job_condor(j, row).job_prio);
		rc = rc ? rc : job_add(f, k, class, tasks);
	}
	return rc;
}

/* Behind requests_classes(). */
int requests_take(struct userprio_policy *p, struct run *run, const struct places *places)
{
	struct userprio_cell *u = p->in_force;
	struct requests_of_cycle *r = &u->requests;
	struct filling f = { .p = p, .u = u, .run = run, .places = places };
	int rc;

	r->nsubmitters = r->nruns = 0;
	rc = clusters_find(u);
	for (size_t i = 0; i < u->submitters.n && rc == 0; i++)
		rc = submitter_fill(&f, &u->submitters.items[i]);
	for (size_t s = 0; s < r->nsubmitters && rc == 0; s++) {
		r->submitters[s].requests = array_end(r->runs, r->first_run[s]);
		r->submitters[s].n = (s + 1 < r->nsubmitters ? r->first_run[s + 1] : r->nruns) - r->first_run[s];
	}
	return rc;
}

uint32_t requests_next(struct userprio_cell *u, const struct run *run, uint32_t submitter, uint32_t request)
{
	struct requests_of_cycle *r = &u->requests;
	const struct submitter *s = &u->submitters.items[u->submitters.of_customer[r->submitters[submitter].customer]];
	uint32_t *at = &r->cursors[r->first_run[submitter] + request];

	/* what this run starts, or keeps a slot for, is counted by the job */
	while (*at < s->begin + s->n && tasks_left(u, run, place_at(run, *at)) == 0)
		++*at;
	return *at < s->begin + s->n ? place_at(run, *at) : NONE;
}

void requests_free(struct requests_of_cycle *r)
{
	free(r->submitters);
	free(r->names);
	free(r->runs);
	free(r->cursors);
	free(r->first_run);
	free(r->clusters);
	*r = (struct requests_of_cycle){ 0 };
}
