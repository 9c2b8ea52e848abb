/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cycle has found: matches become starts; one that drives somebody out makes a slot be
 * vacated, whose owner is charged until he is gone. A match that dispatch has no room for, since of
 * something that several instances share there is less than each of them said, is taken back.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/policy/userprio/inside.h"

struct gathering {			/* slots of a parallel job, until it has all */
	uint32_t submitter, request;
	uint32_t *instances;
	double *weights;
	uint32_t n, wanted;
};

struct match_taking {
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	struct gathering *gathered;
	size_t ngathered;
};

static uint32_t customer_of(const struct match_taking *t, const struct match *m)
{
	return t->u->requests.submitters[m->submitter].customer;
}

/* As if it had not been made. */
static void undo(struct match_taking *t, uint32_t customer, double weight)
{
	customers_remove_match(&t->p->accountant.customers, customer, weight, t->run->now, t->run->now);
}

static int show(struct match_taking *t, const struct match *m, uint32_t job, uint32_t task)
{
	const struct listed_slot *place = &t->u->slots.places[m->slot];
	const struct claim_key *victim = m->preemption == PREEMPTS_NOBODY || place->claim == NONE ? NULL :
					 pool_key(&t->p->accountant.keys, place->claim);

	return shown_match(t->p, t->run, &(struct shown_match){
		.submitter = m->submitter, .slot = t->run->mirror->state->instance_names[place->instance], .job = job, .task = task,
		.preemption = m->preemption, .loser = victim ? t->p->accountant.claims[place->claim].customer : CUSTOMER_NONE,
		.loser_job = victim ? victim->job : 0, .loser_task = victim ? victim->task : 0, .weight = m->weight, .rank = m->rank });
}

/* What was started last. */
static int show_started(struct match_taking *t, const struct match *m)
{
	const struct claim_key *key = &t->u->ordered[t->u->nordered - 1];

	return show(t, m, key->job, key->task);
}

/* Starts */

static int start(struct match_taking *t, const struct match *m, uint32_t place)
{
	const struct start_wish wish = { .place = place, .instance = t->u->slots.places[m->slot].instance, .customer = customer_of(t, m),
					 .weight = m->weight, .rank = m->rank, .negotiating_group = m->group, .autoregroup = m->autoregroup,
					 .begun = t->run->now };
	int rc = starts_make(t->p, t->run, t->places, &wish);

	if (rc == -EAGAIN)
		undo(t, wish.customer, m->weight);
	return rc == -EAGAIN ? 0 : rc ? rc : show_started(t, m);
}

/* Parallel jobs */

static struct gathering *gathering_of(struct match_taking *t, const struct match *m, uint32_t wanted)
{
	struct gathering *g;

	for (size_t i = 0; i < t->ngathered; i++)
		if (t->gathered[i].submitter == m->submitter && t->gathered[i].request == m->request)
			return &t->gathered[i];
	g = array_add(&t->gathered, &t->ngathered, sizeof(*g));
	if (!g)
		return NULL;
	*g = (struct gathering){ m->submitter, m->request, malloc(wanted * sizeof(*g->instances)), malloc(wanted * sizeof(*g->weights)), 0, wanted };
	return g->instances && g->weights ? g : NULL;
}

static void gathering_undo(struct match_taking *t, struct gathering *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		undo(t, t->u->requests.submitters[g->submitter].customer, g->weights[i]);
	g->n = 0;
}

/* Each of its slots was charged; what it is granted in the end is charged anew. */
static int gather(struct match_taking *t, const struct match *m, uint32_t place, const struct ad_class *c)
{
	struct gathering *g = gathering_of(t, m, c->cpus);
	struct start_wish wish = { .place = place, .customer = customer_of(t, m), .weight = -1.0, .rank = m->rank, .negotiating_group = m->group,
				   .autoregroup = m->autoregroup, .begun = t->run->now, .charge = true };
	int rc;

	if (!g)
		return -ENOMEM;
	g->instances[g->n] = t->u->slots.places[m->slot].instance;
	g->weights[g->n++] = m->weight;
	if (g->n < g->wanted)
		return 0;
	wish.instances = g->instances;
	wish.ninstances = g->n;
	gathering_undo(t, g);
	rc = starts_make(t->p, t->run, t->places, &wish);
	return rc == -EAGAIN ? 0 : rc ? rc : show_started(t, m);
}

static void gathered_free(struct match_taking *t)
{
	for (size_t i = 0; i < t->ngathered; i++) {
		gathering_undo(t, &t->gathered[i]);
		free(t->gathered[i].instances);
		free(t->gathered[i].weights);
	}
	free(t->gathered);
}

/* Those who have to go */

static const struct classad *job_ad(const struct match_taking *t, uint32_t task)
{
	uint32_t class = task == NONE ? NONE : ad_classes_of(t->p, t->run, t->run->mirror->state->tasks.items[task].row);

	return class == NONE ? NULL : t->u->classes.items[class].ad;
}

/* Behind a winner there already is the slot is being vacated. */
static int vacate(struct match_taking *t, const struct listed_slot *place, const struct slot *slot, const struct winner *winner, enum vacate_reason reason)
{
	const struct claim_key victim = *(const struct claim_key *)pool_key(&t->p->accountant.keys, place->claim);
	const struct vacate_wish wish = { .task = place->task, .instance = place->instance, .slot = slot, .job = job_ad(t, place->task),
					  .reason = reason,
					  .winner = winner->job ? t->u->requests.names[winner->customer] : NULL };

	if (winners_add(t->p, t->run->strings, &victim, winner))
		return -ENOMEM;
	return place->winner != NONE ? 0 : vacate_order(t->p, t->run, t->places, &wish);
}

/* What has only started in this very run can't be told to go yet. */
static bool has_just_started(const struct match_taking *t, const struct listed_slot *place)
{
	return place->task == NONE && ((const struct claim_key *)pool_key(&t->p->accountant.keys, place->claim))->job != 0;
}

static int preempt(struct match_taking *t, const struct match *m, uint32_t place)
{
	const struct winner winner = { .job = job_fact(&t->run->mirror->state->jobs, t->run->waiting.rows[place], number),
				       .customer = customer_of(t, m), .rank = m->rank, .negotiating_group = m->group,
				       .autoregroup = m->autoregroup, .since = t->run->now };

	if (has_just_started(t, &t->u->slots.places[m->slot]))
		return 0;
	if (starts_reserve(t->u, place) || show(t, m, winner.job, 0))
		return -ENOMEM;
	return vacate(t, &t->u->slots.places[m->slot], &t->u->slots.slots[m->slot], &winner,
		      m->preemption == PREEMPTS_BY_RANK ? VACATE_RANK : VACATE_PRIORITY);
}

/* The machine's own policy, whoever wants it: before the cycle, which leaves these slots alone. */
int matches_evict(struct userprio_policy *p, struct run *run, const struct places *places)
{
	struct userprio_cell *u = p->in_force;
	struct match_taking t = { .p = p, .u = u, .run = run, .places = places };
	const struct winner nobody = { .since = run->now, .negotiating_group = UINT32_MAX };
	int rc = 0;

	for (size_t i = 0; vacate_may_be_due(u) && i < u->slots.n && rc == 0; i++) {
		struct listed_slot *place = &u->slots.places[i];

		if (place->task == NONE || place->winner != NONE)
			continue;
		rc = vacate_is_due(p, run, &u->slots.slots[i], job_ad(&t, place->task));
		u->nstaying += rc == 0;
		if (rc <= 0)
			continue;
		rc = vacate(&t, place, &u->slots.slots[i], &nobody, VACATE_POLICY);
		u->slots.slots[i].open = false;
	}
	return rc;
}

/* All */

static int match_take(struct match_taking *t, const struct match *m)
{
	uint32_t place = requests_next(t->u, t->run, m->submitter, m->request), class;

	if (place == NONE) {
		if (m->preemption == PREEMPTS_NOBODY)
			undo(t, customer_of(t, m), m->weight);
		return 0;
	}
	class = ad_classes_of(t->p, t->run, t->run->waiting.rows[place]);
	if (class == NONE)
		return -ENOMEM;
	if (m->preemption != PREEMPTS_NOBODY)
		return preempt(t, m, place);
	if (t->u->classes.items[class].parallel)
		return gather(t, m, place, &t->u->classes.items[class]);
	return start(t, m, place);
}

int matches_take(struct userprio_policy *p, struct run *run, const struct places *places)
{
	struct userprio_cell *u = p->in_force;
	struct match_taking t = { .p = p, .u = u, .run = run, .places = places };
	int rc = 0;

	for (size_t i = 0; i < u->slots.n; i++)
		if (u->slots.places[i].claim != NONE)
			winners_step_back(p, run, &p->accountant.claims[u->slots.places[i].claim], &u->slots.charged[i]);
	for (size_t i = 0; i < u->result.nmatches && rc == 0; i++)
		rc = match_take(&t, &u->result.matches[i]);
	gathered_free(&t);
	return rc;
}
