/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers are shown: customers and slots as they are now, and of the last cycle who took part,
 * with what share, in which order, and why not. sched/run/records_userprio.h says what the records
 * mean; shown.c is what is kept of a cycle until the next one.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/policy/userprio/inside.h"
#include "sched/run/publication.h"

/* No NaN or infinity leaves. */
static double bounded(double value)
{
	return isfinite(value) ? value : value > 0 ? DBL_MAX : value < 0 ? -DBL_MAX : 0.0;
}

static uint32_t row_of(const struct shown *s, uint32_t customer)
{
	return customer == CUSTOMER_NONE || customer >= s->ncustomers ? NONE : s->shown_at[customer];
}

/* Customers */

static struct customer_record customer_record(const struct userprio_policy *p, uint32_t i)
{
	const struct shown *s = &p->in_force->last;
	const struct customer *c = &p->accountant.customers.items[i];
	struct customer_record r = {
		.name = p->accountant.names[i], .group = row_of(s, c->group), .is_group = c->is_group, .used = c->used, .rup = c->rup,
		.factor = c->factor, .weight_used = c->weight_used, .tree_used = c->tree_used, .accumulated = c->accumulated,
		.weight_accumulated = c->weight_accumulated, .begin = c->begin, .last = c->last, .ceiling = c->ceiling, .floor = c->floor,
		.took_part = i < p->accountant.ngroups ? i : NONE };

	for (size_t k = 0; k < SETTINGS; k++) {
		r.lease_until[k] = c->leases[k].until;
		r.lease_before[k] = c->leases[k].before;
	}
	return r;
}

static int publish_customers(struct userprio_policy *p, struct generation_writer *w)
{
	const struct shown *s = &p->in_force->last;
	struct customer_record *records = records_table(w, TABLE_CUSTOMERS, s->ndisplayed);

	if (!records)
		return -ENOMEM;
	for (size_t k = 0; k < s->ndisplayed; k++)
		records[k] = customer_record(p, s->display[k]);
	for (size_t k = 0; k < s->nsubmitters; k++) {
		uint32_t row = row_of(s, s->submitters[s->contact_order[k]].customer);

		if (row != NONE)
			records[row].took_part = (uint32_t)k;
	}
	return 0;
}

/* The cycle */

static int publish_cycle(const struct userprio_policy *p, struct generation_writer *w)
{
	const struct shown *s = &p->in_force->last;
	struct negotiation_record *r = records_table(w, TABLE_NEGOTIATION, 1);

	if (!r)
		return -ENOMEM;
	*r = s->cycle;
	r->cycle = (uint64_t)p->cycle.number;
	r->begin = p->cycle.begin;
	r->last_update = p->accountant.customers.last_update;
	r->next = cycle_next(p);
	r->customers = (uint32_t)s->ndisplayed;
	r->halflife = p->conf->halflife;
	r->use_weights = p->conf->use_slot_weights;
	r->consider_preemption = p->conf->consider_preemption;
	return 0;
}

static int publish_submitters(const struct userprio_policy *p, struct generation_writer *w)
{
	const struct shown *s = &p->in_force->last;
	struct submitter_record *records = records_table(w, TABLE_SUBMITTERS, s->nsubmitters);

	if (!records)
		return -ENOMEM;
	for (size_t k = 0; k < s->nsubmitters; k++) {
		const struct shown_submitter *of = &s->submitters[s->contact_order[k]];
		const struct submitter_result *r = &of->result;

		records[k] = (struct submitter_record){
			.customer = row_of(s, of->customer), .group = r->group, .idle = of->idle, .running = of->running,
			.weight_idle = bounded(of->weight_idle), .weight_running = bounded(of->weight_running), .share = bounded(r->share),
			.slice = bounded(r->slice), .limit = bounded(r->limit), .spins = r->spins, .visits = r->visits,
			.matches = r->matches, .preemptions = r->preemptions, .rejected = r->rejected, .stop = r->stop };
	}
	return 0;
}

static struct group_record group_record(const struct userprio_policy *p, uint32_t g)
{
	const struct userprio_cell *u = p->in_force;
	const struct condor_group *conf = &p->conf->groups[g];
	struct group_record r = {
		.customer = row_of(&u->last, g), .parent = conf->parent, .configured = conf->quota, .limit = -1.0, .uncut = -1.0,
		.is_static = conf->is_static, .accepts_surplus = conf->accepts_surplus, .autoregroup = conf->autoregroup, .capped_by = NONE,
		.tree_used = p->accountant.customers.items[g].tree_used, .quota_by = u->group_texts[3 * g],
		.surplus_by = u->group_texts[3 * g + 1], .autoregroup_by = u->group_texts[3 * g + 2] };

	if (g < u->last.ngroups) {
		const struct group_result *of = &u->last.groups[g];

		r.quota = bounded(of->quota.quota);
		r.subtree_quota = bounded(of->quota.subtree_quota);
		r.requested = bounded(of->requested);
		r.first_allocated = bounded(of->first_allocated);
		r.allocated = bounded(of->quota.allocated);
		r.limit = bounded(of->limit);
		r.uncut = bounded(u->last.uncut[g]);
		r.sort_key = bounded(of->sort_key);
		r.capped_by = of->capped_by;
		r.order = of->order;
	}
	return r;
}

static int publish_groups(const struct userprio_policy *p, struct generation_writer *w)
{
	struct group_record *records = records_table(w, TABLE_GROUPS, p->accountant.ngroups);

	if (!records)
		return -ENOMEM;
	for (uint32_t g = 0; g < p->accountant.ngroups; g++)
		records[g] = group_record(p, g);
	return 0;
}

static int publish_limits(const struct shown *s, struct generation_writer *w)
{
	struct limit_record *limits = records_table(w, TABLE_LIMITS, s->nlimits);
	struct refusal_record *refusals = records_table(w, TABLE_REFUSALS, s->nrefusals);

	if (!limits || !refusals)
		return -ENOMEM;
	for (size_t i = 0; i < s->nlimits; i++)
		limits[i] = (struct limit_record){ s->limits[i].name, 0, bounded(s->limits[i].most), bounded(s->limits[i].used) };
	for (size_t i = 0; i < s->nrefusals; i++) {
		const struct class_refusal *r = &s->refusals[i];

		refusals[i] = (struct refusal_record){ r->refusal, r->slots, r->by_job, r->by_slot, r->by_caller, r->claimed, r->limit, 0,
						       bounded(r->units) };
	}
	return 0;
}

static int publish_contacts(const struct shown *s, struct generation_writer *w)
{
	struct contact_record *records = records_table(w, TABLE_CONTACTS, s->ncontacts);

	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < s->ncontacts; i++)
		records[i] = (struct contact_record){ s->contact_row[s->contacts[i].submitter], s->contacts[i].group, s->contacts[i].spin, 0 };
	return 0;
}

/* Slots */

struct slots_writing {			/* of all instances, with their claims: counted first, then written */
	const struct userprio_policy *p;
	const struct run *run;
	struct slot_record *records;	/* NULL: only counted */
	uint32_t *rows;			/* by instance: its first one */
	size_t n;
};

static struct slot_record claim_record(const struct slots_writing *t, uint32_t instance, uint32_t number)
{
	const struct userprio_cell *u = t->p->in_force;
	const struct claim_key *key = pool_key(&t->p->accountant.keys, number);
	const struct claim *c = &t->p->accountant.claims[number];
	uint32_t winner = winners_find(t->p, key);
	const struct winner *w = winner == NONE ? NULL : &t->p->winners.items[winner];

	return (struct slot_record){ .name = t->run->mirror->state->instance_names[instance], .state = w ? SLOT_PREEMPTING : SLOT_CLAIMED,
				     .customer = row_of(&u->last, c->customer), .weight = bounded(c->weight),
				     .preempting = w && w->job ? row_of(&u->last, w->customer) : NONE,
				     .current_rank = bounded(c->current_rank), .since = c->since, .job = key->job, .task = key->task,
				     .winner_job = w ? w->job : 0 };
}

static void instance_write(struct slots_writing *t, uint32_t instance)
{
	const struct userprio_cell *u = t->p->in_force;
	const struct slot_ad *ad = instance < u->slots.ads_capacity ? &u->slots.ads[instance] : NULL;
	bool whole = !t->run->mirror->state->instances[instance].ad || (ad && ad->partitionable);
	uint32_t first = u->slots.first_claim[instance];

	if (t->rows)
		t->rows[instance] = (uint32_t)t->n;
	if (whole || first == NONE) {
		if (t->records)
			t->records[t->n] = (struct slot_record){ .name = t->run->mirror->state->instance_names[instance], .state = SLOT_UNCLAIMED,
								 .customer = NONE, .preempting = NONE, .weight = ad ? bounded(ad->weight) : 0.0 };
		t->n++;
	}
	for (uint32_t c = first; c != NONE; c = u->slots.next_claim[c], t->n++)
		if (t->records)
			t->records[t->n] = claim_record(t, instance, c);
}

static void slots_write(struct slots_writing *t)
{
	t->n = 0;
	for (size_t k = 0; k < t->run->mirror->state->ninstances; k++)
		instance_write(t, t->p->in_force->slots.order[k]);
}

static struct match_record match_record(const struct slots_writing *t, const struct shown_match *m)
{
	const struct shown *s = &t->p->in_force->last;
	const struct state *state = t->run->mirror->state;
	uint32_t instance = index_find(&state->instance_index, state->instance_names, m->slot);

	return (struct match_record){ .submitter = s->contact_row[m->submitter], .slot = instance == INDEX_NONE ? NONE : t->rows[instance],
				      .job = m->job, .task = m->task, .preemption = m->preemption, .loser = row_of(s, m->loser),
				      .loser_job = m->loser_job, .loser_task = m->loser_task, .weight = bounded(m->weight), .rank = bounded(m->rank) };
}

static int publish_slots(const struct userprio_policy *p, const struct run *run, struct generation_writer *w)
{
	const struct shown *s = &p->in_force->last;
	struct slots_writing t = { .p = p, .run = run };
	struct match_record *matches = records_table(w, TABLE_MATCHES, s->nmatches);

	if (!matches || slot_list_order(&p->in_force->slots, run->mirror->state))
		return -ENOMEM;
	slots_write(&t);
	t.records = records_table(w, TABLE_SLOTS, t.n);
	t.rows = malloc((run->mirror->state->ninstances + 1) * sizeof(*t.rows));
	if (t.records && t.rows) {
		slots_write(&t);
		for (size_t i = 0; i < s->nmatches; i++)
			matches[i] = match_record(&t, &s->matches[i]);
	}
	free(t.rows);
	return t.records && t.rows ? 0 : -ENOMEM;
}

/* Jobs */

void userprio_block(struct policy *policy, const struct block *b, struct generation_writer *w)
{
	const struct userprio_policy *p = (struct userprio_policy *)policy;
	const struct userprio_cell *u = p->in_force;
	const struct results results = results_begin(w, b->run->record.columns_at[COLUMNS_USERPRIO]);
	const struct jobs *j = &b->run->mirror->state->jobs;
	const uint32_t *places = b->run->scratch.members;

	for (size_t k = b->begin; k < b->end; k++) {
		uint32_t row = b->run->waiting.rows[k], i = row % CHUNK_ROWS, class = ad_classes_known(&u->classes, b->run, row);
		struct userprio_results *r = results_of(results, row);

		r->customer[i] = row_of(&u->last, u->submitters.classes[job_fact(j, row, class_id)].customer);
		r->place[i] = places[k];
		r->refusal[i] = class == NONE ? NONE : u->classes.items[class].refusal;
	}
}

static void publish_started(const struct userprio_cell *u, const struct run *run, struct generation_writer *w)
{
	const struct results results = results_begin(w, run->record.columns_at[COLUMNS_USERPRIO]);
	const struct jobs *j = &run->mirror->state->jobs;

	for (size_t k = 0; k < run->started.n; k++) {
		uint32_t row = run->started.rows[k], i = row % CHUNK_ROWS;
		struct userprio_results *r = results_of(results, row);

		if (j->kind[row] & JOB_PENDING)
			continue;
		r->customer[i] = row_of(&u->last, u->submitters.classes[job_fact(j, row, class_id)].customer);
		r->place[i] = 0;
		r->refusal[i] = NONE;
	}
}

int userprio_publish(struct policy *policy, struct run *run, struct generation_writer *w)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;
	const struct shown *s = &p->in_force->last;

	publish_started(p->in_force, run, w);
	return publish_customers(p, w) || publish_cycle(p, w) || publish_submitters(p, w) || publish_groups(p, w) || publish_limits(s, w) ||
	       publish_contacts(s, w) || publish_slots(p, run, w) ? -ENOMEM : 0;
}
