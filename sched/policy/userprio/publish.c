/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for readers. Customers and slots are current. Submitters are those of the last cycle, with
 * their shares, their order and the reasons of refusals. sched/run/records_userprio.h defines the
 * records. shown.c keeps the results of a cycle until the next one.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/policy/userprio/inside.h"
#include "sched/run/publication.h"

/* Replace NaN and infinity, which readers never get. */
static double bounded(double value)
{
	return isfinite(value) ? value : value > 0 ? DBL_MAX : value < 0 ? -DBL_MAX : 0.0;
}

static uint32_t row_of(const struct shown *shown, uint32_t customer)
{
	return customer == CUSTOMER_NONE || customer >= shown->ncustomers ? NONE : shown->shown_at[customer];
}

/* Customers */

static struct customer_record customer_record(const struct userprio_policy *policy, uint32_t i)
{
	const struct shown *shown = &policy->in_force->last;
	const struct customer *customer = &policy->accountant.customers.items[i];
	struct customer_record record = { .name = policy->accountant.names[i],
					  .group = row_of(shown, customer->group),
					  .is_group = customer->is_group,
					  .used = customer->used,
					  .rup = customer->rup,
					  .factor = customer->factor,
					  .weight_used = customer->weight_used,
					  .tree_used = customer->tree_used,
					  .accumulated = customer->accumulated,
					  .weight_accumulated = customer->weight_accumulated,
					  .begin = customer->begin,
					  .last = customer->last,
					  .ceiling = customer->ceiling,
					  .floor = customer->floor,
					  .took_part = i < policy->accountant.ngroups ? i : NONE };

	for (size_t k = 0; k < SETTINGS; k++) {
		record.lease_until[k] = customer->leases[k].until;
		record.lease_before[k] = customer->leases[k].before;
	}
	return record;
}

static int publish_customers(struct userprio_policy *policy, struct generation_writer *writer)
{
	const struct shown *shown = &policy->in_force->last;
	struct customer_record *records = records_table(writer, TABLE_CUSTOMERS, shown->ndisplayed);

	if (!records)
		return -ENOMEM;
	for (size_t k = 0; k < shown->ndisplayed; k++)
		records[k] = customer_record(policy, shown->display[k]);
	for (size_t k = 0; k < shown->nsubmitters; k++) {
		uint32_t row = row_of(shown, shown->submitters[shown->contact_order[k]].customer);

		if (row != NONE)
			records[row].took_part = (uint32_t)k;
	}
	return 0;
}

/* The cycle */

static int publish_cycle(const struct userprio_policy *policy, struct generation_writer *writer)
{
	const struct shown *shown = &policy->in_force->last;
	struct negotiation_record *record = records_table(writer, TABLE_NEGOTIATION, 1);

	if (!record)
		return -ENOMEM;
	*record = shown->cycle;
	record->cycle = (uint64_t)policy->cycle.number;
	record->begin = policy->cycle.begin;
	record->last_update = policy->accountant.customers.last_update;
	record->next = cycle_next(policy);
	record->customers = (uint32_t)shown->ndisplayed;
	record->halflife = policy->conf->halflife;
	record->use_weights = policy->conf->use_slot_weights;
	record->consider_preemption = policy->conf->consider_preemption;
	return 0;
}

static int publish_submitters(const struct userprio_policy *policy, struct generation_writer *writer)
{
	const struct shown *shown = &policy->in_force->last;
	struct submitter_record *records = records_table(writer, TABLE_SUBMITTERS, shown->nsubmitters);

	if (!records)
		return -ENOMEM;
	for (size_t k = 0; k < shown->nsubmitters; k++) {
		const struct shown_submitter *of = &shown->submitters[shown->contact_order[k]];
		const struct submitter_result *result = &of->result;

		records[k] = (struct submitter_record){ .customer = row_of(shown, of->customer),
							.group = result->group,
							.idle = of->idle,
							.running = of->running,
							.weight_idle = bounded(of->weight_idle),
							.weight_running = bounded(of->weight_running),
							.share = bounded(result->share),
							.slice = bounded(result->slice),
							.limit = bounded(result->limit),
							.spins = result->spins,
							.visits = result->visits,
							.matches = result->matches,
							.preemptions = result->preemptions,
							.rejected = result->rejected,
							.stop = result->stop };
	}
	return 0;
}

static struct group_record group_record(const struct userprio_policy *policy, uint32_t g)
{
	const struct userprio_cell *cell = policy->in_force;
	const struct condor_group *conf = &policy->conf->groups[g];
	struct group_record record = { .customer = row_of(&cell->last, g),
				       .parent = conf->parent,
				       .configured = conf->quota,
				       .limit = -1.0,
				       .uncut = -1.0,
				       .is_static = conf->is_static,
				       .accepts_surplus = conf->accepts_surplus,
				       .autoregroup = conf->autoregroup,
				       .capped_by = NONE,
				       .tree_used = policy->accountant.customers.items[g].tree_used,
				       .quota_by = cell->group_texts[3 * g],
				       .surplus_by = cell->group_texts[3 * g + 1],
				       .autoregroup_by = cell->group_texts[3 * g + 2] };

	if (g < cell->last.ngroups) {
		const struct group_result *of = &cell->last.groups[g];

		record.quota = bounded(of->quota.quota);
		record.subtree_quota = bounded(of->quota.subtree_quota);
		record.requested = bounded(of->requested);
		record.first_allocated = bounded(of->first_allocated);
		record.allocated = bounded(of->quota.allocated);
		record.limit = bounded(of->limit);
		record.uncut = bounded(cell->last.uncut[g]);
		record.sort_key = bounded(of->sort_key);
		record.capped_by = of->capped_by;
		record.order = of->order;
	}
	return record;
}

static int publish_groups(const struct userprio_policy *policy, struct generation_writer *writer)
{
	struct group_record *records = records_table(writer, TABLE_GROUPS, policy->accountant.ngroups);

	if (!records)
		return -ENOMEM;
	for (uint32_t g = 0; g < policy->accountant.ngroups; g++)
		records[g] = group_record(policy, g);
	return 0;
}

static int publish_limits(const struct shown *shown, struct generation_writer *writer)
{
	struct limit_record *limits = records_table(writer, TABLE_LIMITS, shown->nlimits);
	struct refusal_record *refusals = records_table(writer, TABLE_REFUSALS, shown->nrefusals);

	if (!limits || !refusals)
		return -ENOMEM;
	for (size_t i = 0; i < shown->nlimits; i++)
		limits[i] = (struct limit_record){ shown->limits[i].name, 0, bounded(shown->limits[i].most),
						   bounded(shown->limits[i].used) };
	for (size_t i = 0; i < shown->nrefusals; i++) {
		const struct class_refusal *refusal = &shown->refusals[i];

		refusals[i] = (struct refusal_record){ refusal->refusal,       refusal->slots,
						       refusal->by_job,	       refusal->by_slot,
						       refusal->by_caller,     refusal->claimed,
						       refusal->limit,	       0,
						       bounded(refusal->units) };
	}
	return 0;
}

static int publish_contacts(const struct shown *shown, struct generation_writer *writer)
{
	struct contact_record *records = records_table(writer, TABLE_CONTACTS, shown->ncontacts);

	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < shown->ncontacts; i++)
		records[i] = (struct contact_record){ shown->contact_row[shown->contacts[i].submitter],
						      shown->contacts[i].group, shown->contacts[i].spin, 0 };
	return 0;
}

/* Slots */

/* slots of all instances, with their claims: counted first, then written */
struct slots_writing {
	const struct userprio_policy *p;
	const struct run *run;
	struct slot_record *records;	/* NULL: only count */
	uint32_t *rows;			/* first row of each instance */
	size_t n;
};

static struct slot_record claim_record(const struct slots_writing *writing, uint32_t instance, uint32_t number)
{
	const struct userprio_cell *cell = writing->p->in_force;
	const struct claim_key *key = pool_key(&writing->p->accountant.keys, number);
	const struct claim *claim = &writing->p->accountant.claims[number];
	uint32_t winner = winners_find(writing->p, key);
	const struct winner *w = winner == NONE ? NULL : &writing->p->winners.items[winner];

	return (struct slot_record){ .name = writing->run->mirror->state->instance_names[instance],
				     .state = w ? SLOT_PREEMPTING : SLOT_CLAIMED,
				     .customer = row_of(&cell->last, claim->customer),
				     .weight = bounded(claim->weight),
				     .preempting = w && w->job ? row_of(&cell->last, w->customer) : NONE,
				     .current_rank = bounded(claim->current_rank),
				     .since = claim->since,
				     .job = key->job,
				     .task = key->task,
				     .winner_job = w ? w->job : 0 };
}

static void instance_write(struct slots_writing *writing, uint32_t instance)
{
	const struct userprio_cell *cell = writing->p->in_force;
	const struct slot_ad *ad = instance < cell->slots.ads_capacity ? &cell->slots.ads[instance] : NULL;
	bool whole = !writing->run->mirror->state->instances[instance].ad || (ad && ad->partitionable);
	uint32_t first = cell->slots.first_claim[instance];

	if (writing->rows)
		writing->rows[instance] = (uint32_t)writing->n;
	if (whole || first == NONE) {
		if (writing->records)
			writing->records[writing->n] =
				(struct slot_record){ .name = writing->run->mirror->state->instance_names[instance],
						      .state = SLOT_UNCLAIMED,
						      .customer = NONE,
						      .preempting = NONE,
						      .weight = ad ? bounded(ad->weight) : 0.0 };
		writing->n++;
	}
	for (uint32_t c = first; c != NONE; c = cell->slots.next_claim[c], writing->n++)
		if (writing->records)
			writing->records[writing->n] = claim_record(writing, instance, c);
}

static void slots_write(struct slots_writing *writing)
{
	writing->n = 0;
	for (size_t k = 0; k < writing->run->mirror->state->ninstances; k++)
		instance_write(writing, writing->p->in_force->slots.order[k]);
}

static struct match_record match_record(const struct slots_writing *writing, const struct shown_match *match)
{
	const struct shown *shown = &writing->p->in_force->last;
	const struct state *state = writing->run->mirror->state;
	uint32_t instance = index_find(&state->instance_index, state->instance_names, match->slot);

	return (struct match_record){ .submitter = shown->contact_row[match->submitter],
				      .slot = instance == INDEX_NONE ? NONE : writing->rows[instance],
				      .job = match->job,
				      .task = match->task,
				      .preemption = match->preemption,
				      .loser = row_of(shown, match->loser),
				      .loser_job = match->loser_job,
				      .loser_task = match->loser_task,
				      .weight = bounded(match->weight),
				      .rank = bounded(match->rank) };
}

static int publish_slots(const struct userprio_policy *policy, const struct run *run, struct generation_writer *writer)
{
	const struct shown *shown = &policy->in_force->last;
	struct slots_writing writing = { .p = policy, .run = run };
	struct match_record *matches = records_table(writer, TABLE_MATCHES, shown->nmatches);

	if (!matches || slot_list_order(&policy->in_force->slots, run->mirror->state))
		return -ENOMEM;
	slots_write(&writing);
	writing.records = records_table(writer, TABLE_SLOTS, writing.n);
	writing.rows = malloc((run->mirror->state->ninstances + 1) * sizeof(*writing.rows));
	if (writing.records && writing.rows) {
		slots_write(&writing);
		for (size_t i = 0; i < shown->nmatches; i++)
			matches[i] = match_record(&writing, &shown->matches[i]);
	}
	free(writing.rows);
	return writing.records && writing.rows ? 0 : -ENOMEM;
}

/* Jobs */

void userprio_block(struct policy *policy, const struct block *block, struct generation_writer *writer)
{
	const struct userprio_policy *p = (struct userprio_policy *)policy;
	const struct userprio_cell *cell = p->in_force;
	const struct results results = results_begin(writer, block->run->record.columns_at[COLUMNS_USERPRIO]);
	const struct jobs *jobs = &block->run->mirror->state->jobs;
	const uint32_t *places = block->run->scratch.members;

	for (size_t k = block->begin; k < block->end; k++) {
		uint32_t row = block->run->waiting.rows[k], i = row % CHUNK_ROWS,
			 class = ad_classes_known(&cell->classes, block->run, row);
		struct userprio_results *userprio_results = results_of(results, row);

		userprio_results->customer[i] =
			row_of(&cell->last, cell->submitters.classes[job_fact(jobs, row, class_id)].customer);
		userprio_results->place[i] = places[k];
		userprio_results->refusal[i] = class == NONE ? NONE : cell->classes.items[class].refusal;
	}
}

static void publish_started(const struct userprio_cell *cell, const struct run *run, struct generation_writer *writer)
{
	const struct results results = results_begin(writer, run->record.columns_at[COLUMNS_USERPRIO]);
	const struct jobs *jobs = &run->mirror->state->jobs;

	for (size_t k = 0; k < run->started.n; k++) {
		uint32_t row = run->started.rows[k], i = row % CHUNK_ROWS;
		struct userprio_results *userprio_results = results_of(results, row);

		if (jobs->kind[row] & JOB_PENDING)
			continue;
		userprio_results->customer[i] =
			row_of(&cell->last, cell->submitters.classes[job_fact(jobs, row, class_id)].customer);
		userprio_results->place[i] = 0;
		userprio_results->refusal[i] = NONE;
	}
}

int userprio_publish(struct policy *policy, struct run *run, struct generation_writer *writer)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;
	const struct shown *shown = &p->in_force->last;

	publish_started(p->in_force, run, writer);
	return publish_customers(p, writer) || publish_cycle(p, writer) || publish_submitters(p, writer) ||
			       publish_groups(p, writer) || publish_limits(shown, writer) ||
			       publish_contacts(shown, writer) || publish_slots(p, run, writer)
		       ? -ENOMEM
		       : 0;
}
