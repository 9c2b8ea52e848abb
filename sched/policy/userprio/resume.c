/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where another scheduler has left off. What a run changes is published as it was before it, so
 * that whoever goes on there makes the same run: customers, who is charged for what, who waits for
 * a slot that is vacated, and when the last cycle was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/policy/userprio/inside.h"

/* Before a run */

static void names_drop(struct before_run *b, struct strings *strings)
{
	for (size_t i = 0; i < b->nnames; i++)
		strings_drop(strings, b->names[i]);
	b->nnames = 0;
}

void before_free(struct before_run *b, struct strings *strings)
{
	names_drop(b, strings);
	free(b->names);
	free(b->customers);
	free(b->hidden);
	free(b->waited);
	free(b->claims);
	free(b->claim_at);
	free(b->winners);
	*b = (struct before_run){ 0 };
}

/* A name that a record of before the run has, and that nobody may hold when that is published. */
void before_hold(struct before_run *b, struct strings *strings, uint32_t name)
{
	uint32_t *held = array_add(&b->names, &b->nnames, sizeof(*held));

	if (held)
		*held = strings_hold(strings, strings_text(strings, name));
}

void before_end(struct before_run *b, uint32_t number, int64_t ended, bool finished)
{
	if (number >= b->nnumbers || b->claim_at[number] == NONE)
		return;
	b->claims[b->claim_at[number]].ended = ended;
	b->claims[b->claim_at[number]].finished = finished;
}

static int customers_copy(struct before_run *b, const struct userprio_policy *p)
{
	const struct customers *c = &p->accountant.customers;
	const struct submitters *s = &p->in_force->submitters;
	size_t known = s->customers_capacity < c->n ? s->customers_capacity : c->n;

	b->ncustomers = 0;
	if (array_grow(&b->customers, c->n + 1, sizeof(*b->customers)) || array_grow(&b->hidden, c->n + 1, sizeof(*b->hidden)) ||
	    array_grow(&b->waited, c->n + 1, sizeof(*b->waited)))
		return -ENOMEM;
	memcpy(b->customers, c->items, c->n * sizeof(*b->customers));
	memcpy(b->hidden, p->accountant.hidden, c->n * sizeof(*b->hidden));
	memset(b->waited, 0, c->n * sizeof(*b->waited));
	if (known > 0)
		memcpy(b->waited, s->waited, known * sizeof(*b->waited));
	b->ncustomers = c->n;
	return 0;
}

static int claims_copy(struct before_run *b, const struct userprio_policy *p)
{
	b->nclaims = b->nwinners = b->nnumbers = 0;
	if (array_grow(&b->claim_at, p->accountant.keys.n + 1, sizeof(*b->claim_at)) ||
	    array_grow(&b->claims, p->accountant.keys.used + 1, sizeof(*b->claims)) ||
	    array_grow(&b->winners, p->winners.keys.used + 1, sizeof(*b->winners)))
		return -ENOMEM;
	memset(b->claim_at, 0xff, p->accountant.keys.n * sizeof(*b->claim_at));
	b->nnumbers = p->accountant.keys.n;
	pool_each(i, &p->accountant.keys) {
		b->claim_at[i] = (uint32_t)b->nclaims;
		b->claims[b->nclaims++] = (struct claim_before){ .key = *(const struct claim_key *)pool_key(&p->accountant.keys, i),
								 .claim = p->accountant.claims[i] };
	}
	pool_each(i, &p->winners.keys)
		b->winners[b->nwinners++] = (struct winner_before){ *(const struct claim_key *)pool_key(&p->winners.keys, i), p->winners.items[i] };
	return 0;
}

struct pool *userprio_places(struct policy *policy, size_t k)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;

	return k == 0 ? &p->accountant.keys : k == 1 ? &p->winners.keys : NULL;
}

/* Without memory nothing is kept: who goes on begins with users that nobody knows. */
void userprio_remember(const struct policy *policy, struct state_head *head)
{
	const struct userprio_policy *p = (const struct userprio_policy *)policy;
	struct before_run *b = &p->in_force->before;

	head->cycle = p->cycle.number;
	head->cycle_begin = p->cycle.begin;
	head->cycle_end = p->cycle.end;
	head->customers_updated = p->accountant.customers.last_update;
	head->cycle_wanted = p->in_force->wanted;
	head->negotiated = p->begun;
	b->is_stale = true;		/* its names are dropped when the run has strings at hand */
	if (customers_copy(b, p) || claims_copy(b, p))
		b->ncustomers = b->nclaims = b->nwinners = 0;
}

void before_begin(struct before_run *b, struct strings *strings)
{
	if (b->is_stale)
		names_drop(b, strings);
	b->is_stale = false;
}

/* Behind it */

static uint32_t group_name(const struct userprio_policy *p, uint32_t group)
{
	return group < p->accountant.ngroups ? p->accountant.names[group] : NONE;
}

static int customer_remain(const struct userprio_policy *p, struct state_publication *state, size_t i)
{
	const struct before_run *b = &p->in_force->before;
	const struct customer *c = &b->customers[i];
	struct customer_state *r = state_add(state, STATE_CUSTOMERS, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*r = (struct customer_state){
		.rup = c->rup, .factor = c->factor, .weight_used = c->weight_used, .tree_used = c->tree_used, .uncharged = c->uncharged,
		.weight_uncharged = c->weight_uncharged, .accumulated = c->accumulated, .weight_accumulated = c->weight_accumulated,
		.begin = c->begin, .last = c->last, .ceiling = c->ceiling, .floor = c->floor, .name = p->accountant.names[i], .used = c->used,
		.waited = b->waited[i], .is_group = c->is_group, .hidden = b->hidden[i] };
	for (size_t k = 0; k < SETTINGS; k++) {
		r->lease_until[k] = c->leases[k].until;
		r->lease_before[k] = c->leases[k].before;
	}
	return 0;
}

static int claim_remain(const struct userprio_policy *p, struct state_publication *state, const struct claim_before *of)
{
	struct charged_state *r = state_add(state, STATE_CHARGED, sizeof(*r));
	const struct claim *c = &of->claim;

	if (!r)
		return -ENOMEM;
	*r = (struct charged_state){
		.weight = c->weight, .current_rank = c->current_rank, .since = c->since, .begun = c->begun, .start = c->start,
		.slot = of->key.slot, .customer = p->accountant.names[c->customer], .negotiating_group = group_name(p, c->negotiating_group),
		.job = of->key.job, .task = of->key.task, .cpus = c->cpus, .is_ranked = c->is_ranked, .free_of_charge = c->free_of_charge,
		.autoregroup = c->autoregroup, .ordered = c->ordered, .ended = of->ended, .finished = of->finished };
	return 0;
}

static int winner_remain(const struct userprio_policy *p, struct state_publication *state, const struct winner_before *of)
{
	struct winner_state *r = state_add(state, STATE_WINNERS, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*r = (struct winner_state){ .rank = of->winner.rank, .since = of->winner.since, .slot = of->key.slot,
				    .customer = p->accountant.names[of->winner.customer],
				    .negotiating_group = group_name(p, of->winner.negotiating_group), .job = of->key.job, .task = of->key.task,
				    .winner = of->winner.job, .autoregroup = of->winner.autoregroup };
	return 0;
}

int userprio_remain(const struct policy *policy, struct state_publication *state)
{
	const struct userprio_policy *p = (const struct userprio_policy *)policy;
	const struct before_run *b = &p->in_force->before;
	int rc = 0;

	state->head.cycle_wanted = b->wanted;
	for (size_t i = 0; i < b->ncustomers && rc == 0; i++)
		rc = customer_remain(p, state, i);
	for (size_t i = 0; i < b->nclaims && rc == 0; i++)
		rc = claim_remain(p, state, &b->claims[i]);
	for (size_t i = 0; i < b->nwinners && rc == 0; i++)
		rc = winner_remain(p, state, &b->winners[i]);
	return rc;
}

/* Going on */

/*
 * One that is hidden stays so, though it has a slot that nobody is charged for, or waits for one.
 */
static uint32_t customer_of(struct userprio_policy *p, struct run *run, uint32_t name)
{
	const char *text = mirror_text(run->mirror, name);
	uint32_t i = accountant_find(&p->accountant, run->strings, text);

	return i == CUSTOMER_NONE ? accountant_customer(&p->accountant, run->strings, p->conf, text) : i;
}

static void customer_resume(struct userprio_policy *p, struct run *run, const struct told_customer *told)
{
	uint32_t i = accountant_customer(&p->accountant, run->strings, p->conf, mirror_text(run->mirror, told->name));
	struct customer *c;

	if (i == CUSTOMER_NONE || submitters_reserve(&p->in_force->submitters, p->accountant.customers.n))
		return;
	c = &p->accountant.customers.items[i];
	*c = (struct customer){ .group = c->group, .is_group = c->is_group };
	c->rup = told->values.rup;
	c->factor = told->values.factor;
	c->used = told->values.used;
	c->weight_used = told->values.weight_used;
	c->tree_used = told->values.tree_used;
	c->uncharged = told->values.uncharged;
	c->weight_uncharged = told->values.weight_uncharged;
	c->accumulated = told->values.accumulated;
	c->weight_accumulated = told->values.weight_accumulated;
	c->begin = told->values.begin;
	c->last = told->values.last;
	c->ceiling = told->values.ceiling;
	c->floor = told->values.floor;
	memcpy(c->leases, told->values.leases, sizeof(c->leases));
	c->changed = true;
	p->accountant.hidden[i] = told->hidden;
	p->in_force->submitters.waited[i] = told->waited;
}

static uint32_t group_of(const struct userprio_policy *p, const struct run *run, uint32_t name)
{
	uint32_t i = name == NONE ? CUSTOMER_NONE : accountant_find(&p->accountant, run->strings, mirror_text(run->mirror, name));

	return i < p->accountant.ngroups ? i : UINT32_MAX;
}

static void claim_resume(struct userprio_policy *p, struct run *run, const struct told_charge *told)
{
	const struct charge_values *v = &told->values;
	const struct claim_key key = { told->slot, v->job_number, v->task };
	const struct claim claim = {
		.customer = customer_of(p, run, told->customer),
		.free_of_charge = v->free_of_charge, .cpus = v->cpus, .weight = v->weight, .since = v->since, .begun = v->begun,
		.current_rank = v->current_rank, .is_ranked = v->is_ranked, .negotiating_group = group_of(p, run, told->negotiating_group),
		.autoregroup = v->autoregroup, .start = v->start, .ordered = v->ordered };

	if (claim.customer != CUSTOMER_NONE && !accountant_claim_find(&p->accountant, &key))
		accountant_claim_add(&p->accountant, run->strings, &key, &claim);
	if (v->ended)
		claims_note_end(p->in_force, &(struct claim_end){ v->job_number, v->task, v->start, v->ended, v->finished ? TASK_FINISHED : TASK_REQUEUED });
}

static void winner_resume(struct userprio_policy *p, struct run *run, const struct told_winner *told)
{
	const struct winner_values *v = &told->values;
	const struct claim_key key = { told->slot, v->job_number, v->task };
	const struct winner winner = {
		.job = v->winner, .customer = customer_of(p, run, told->customer),
		.rank = v->rank, .negotiating_group = group_of(p, run, told->negotiating_group), .autoregroup = v->autoregroup, .since = v->since };

	if (winner.customer != CUSTOMER_NONE)
		winners_add(p, run->strings, &key, &winner);
}

void userprio_resume(struct policy *policy, struct run *run, const struct scheduler_event *from)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;
	const struct resume *told = &run->mirror->resume;

	p->cycle = (struct cycle_times){ from->cycle, from->cycle_begin, from->cycle_end };
	p->accountant.customers.last_update = from->customers_updated;
	p->in_force->wanted = from->cycle_wanted;
	p->begun = from->negotiated;
	for (size_t i = 0; i < told->ncustomers; i++)
		customer_resume(p, run, &told->customers[i]);
	for (size_t i = 0; i < told->ncharges; i++)
		claim_resume(p, run, &told->charges[i]);
	for (size_t i = 0; i < told->nwinners; i++)
		winner_resume(p, run, &told->winners[i]);
}
