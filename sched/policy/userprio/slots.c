/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of slots for a negotiation cycle. Instances are in the order in which they were first
 * reported. The entry of a partitionable slot is what is left in it, and the pieces that tasks have
 * follow it. A slot that is being vacated for a winner belongs to the winner already as far as
 * shares are concerned.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/policy/userprio/inside.h"

struct listing {			/* the list being made */
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	const struct state *state;
};

/* Memory */

static int ads_reserve(struct slot_ad **ads, size_t *capacity, size_t n)
{
	if (n <= *capacity)
		return 0;
	n += n / 4 + 64;
	if (array_grow(ads, n, sizeof(**ads)))
		return -ENOMEM;
	memset(*ads + *capacity, 0, (n - *capacity) * sizeof(**ads));
	*capacity = n;
	return 0;
}

static int born_compare(const void *a, const void *b, void *instances)
{
	const struct instance *instance = instances;
	uint64_t x = instance[*(const uint32_t *)a].born, y = instance[*(const uint32_t *)b].born;

	return x < y ? -1 : x > y;
}

/*
 * Sort instances in the order in which they were first reported. They are in that order already
 * unless some were removed.
 */
int slot_list_order(struct slot_list *slots, const struct state *state)
{
	bool sorted = true;

	if (array_reserve(&slots->order_capacity, state->ninstances, COLUMN(slots->order)))
		return -ENOMEM;
	for (uint32_t i = 0; i < state->ninstances; i++) {
		slots->order[i] = i;
		sorted = sorted && (i == 0 || state->instances[i - 1].born <= state->instances[i].born);
	}
	if (!sorted)
		qsort_r(slots->order, state->ninstances, sizeof(*slots->order), born_compare, state->instances);
	return 0;
}

/* Attributes of the running job */

/* Return the ad of the job that has a claim; NULL: the job is unknown, or memory is exhausted. */
static const struct classad *job_ad(const struct listing *listing, uint32_t claim)
{
	const struct claim_key *key = pool_key(&listing->p->accountant.keys, claim);
	uint32_t row = key->job ? jobs_find(&listing->state->jobs, key->job) : INDEX_NONE;
	uint32_t class = row == INDEX_NONE ? NONE : ad_classes_of(listing->p, listing->run, row);

	return class == NONE ? NULL : listing->u->classes.items[class].ad;
}

/* Return the job's ConcurrencyLimits. A text that is not constant is kept with the list. */
static const char *limits_of(struct listing *listing, const struct classad *job, const struct classad *slot)
{
	const struct classad_expression *expression = job ? classad_find(job, "ConcurrencyLimits") : NULL;
	struct classad_value value;
	uint32_t number;
	const char *text = NULL;

	if (!expression)
		return NULL;
	if (classad_is_constant(expression, &value))
		return value.type == CLASSAD_STRING ? value.text : NULL;
	classad_evaluate(expression, &(struct classad_pair){ job, slot }, &listing->u->room, &value);
	if (value.type == CLASSAD_STRING && text_set_add(&listing->u->slots.texts, value.text, &number) == 0)
		text = listing->u->slots.texts.texts[number];
	classad_room_reset(&listing->u->room);
	return text;
}

static double rank_of(struct listing *listing, const struct classad *slot, const struct classad *job)
{
	struct classad_value value;
	double rank;

	classad_attribute(&(struct classad_pair){ slot, job }, "Rank", &listing->u->room, &value);
	if (!classad_number(&value, &rank) || !(rank - rank == 0.0))
		rank = 0.0;
	classad_room_reset(&listing->u->room);
	return rank;
}

/* Entries */

static int entry_add(struct listing *listing, uint32_t instance, const struct slot_ad *ad, const struct classad *reported,
		     struct slot **entry, struct listed_slot **place)
{
	struct slot_list *list = &listing->u->slots;
	uint32_t slots;

	if (array_reserve(&list->capacity, list->n + 1, COLUMN(list->slots), COLUMN(list->charged),
			  COLUMN(list->places)))
		return -ENOMEM;
	*entry = &list->slots[list->n];
	**entry = (struct slot){ .name = strings_text(listing->run->strings, listing->state->instance_names[instance]),
				 .ad = ad->ad ? ad->ad : reported,
				 .made = ad->made,
				 .weight = ad->weight,
				 .state = SLOT_UNCLAIMED,
				 .customer = CUSTOMER_NONE,
				 .preempting_customer = CUSTOMER_NONE,
				 .negotiating_group = UINT32_MAX,
				 .open = listing->places->open(listing->places->self, instance, &slots) };
	list->charged[list->n] = (struct charged_slot){ .customer = CUSTOMER_NONE };
	*place = &list->places[list->n++];
	**place = (struct listed_slot){ .instance = instance, .task = NONE, .claim = NONE, .winner = NONE };
	return 0;
}

/* Set the owner of a slot, and the times of its claim. */
static void slot_claim(const struct listing *listing, struct slot *slot, uint32_t number)
{
	const struct claim *claim = &listing->p->accountant.claims[number];
	const struct claim_key *key = pool_key(&listing->p->accountant.keys, number);

	slot->state = SLOT_CLAIMED;
	slot->customer = claim->customer;
	slot->current_rank = claim->current_rank;
	slot->since = claim->begun;
	slot->claim_is_reported = key->job == 0;
	slot->job_start = slot->claim_is_reported ? claim->begun : claim->start > 0 ? claim->start : claim->since;
	slot->negotiating_group = claim->negotiating_group;
	slot->autoregroup = claim->autoregroup;
}

/* Set the claim of an entry. */
static void entry_claim(struct listing *listing, struct slot *slot, struct listed_slot *place, uint32_t number)
{
	struct slot_list *list = &listing->u->slots;
	struct claim *claim = &listing->p->accountant.claims[number];
	const struct reported_claim *reported = listing->state->instances[place->instance].claim;
	uint32_t task = list->claim_task[number];
	const struct classad *job = job_ad(listing, number);
	struct charged_slot *charged = &list->charged[place - list->places];

	place->claim = number;
	place->task = task;
	if (!claim->is_ranked && job) {
		claim->current_rank = rank_of(listing, slot->ad, job);
		claim->is_ranked = true;
	}
	slot_claim(listing, slot, number);
	slot->limits = task == NONE && reported && reported->limits != NONE ? mirror_text(listing->run->mirror, reported->limits)
								    : limits_of(listing, job, slot->ad);
	slot->suspended = task == NONE ? reported && reported->suspended : listing->state->tasks.items[task].suspended;
	*charged = (struct charged_slot){ claim->free_of_charge ? CUSTOMER_NONE : claim->customer, claim->weight,
					  claim->since };
	if (task == NONE && reported && reported->preempting != NONE) {
		slot->state = SLOT_PREEMPTING;
		slot->preempting_customer = accountant_find(&listing->p->accountant, listing->run->strings,
							    mirror_text(listing->run->mirror, reported->preempting));
		slot->current_rank = reported->preempting_rank;
	}
	winners_stand_in(listing->p, listing->run, slot, place, charged);
}

/* Instances */

/* Return the remaining retirement in seconds; -ENOMEM. */
static int64_t retirement_of(struct listing *listing, uint32_t claim, const struct classad *ad)
{
	const struct classad *job = job_ad(listing, claim);
	struct slot slot = { .ad = ad };

	slot_claim(listing, &slot, claim);
	return job ? vacate_retirement_left(listing->p, listing->run, &slot, job) : 0;
}

static int static_add(struct listing *listing, uint32_t instance)
{
	const struct instance *i = &listing->state->instances[instance];
	struct slot_ad *ad = &listing->u->slots.ads[instance];
	uint32_t claim = listing->u->slots.first_claim[instance];
	int64_t retirement = claim == NONE ? 0 : retirement_of(listing, claim, i->ad);
	struct slot *slot;
	struct listed_slot *place;
	int rc = retirement < 0 ? -ENOMEM : slot_ad_reported(listing->u, ad, i, &(struct taken){ 0 }, retirement);

	if (rc == 0)
		rc = entry_add(listing, instance, ad, i->ad, &slot, &place);
	if (rc == 0 && claim != NONE)
		entry_claim(listing, slot, place, claim);
	return rc;
}

static int pieces_add(struct listing *listing, uint32_t instance, const struct slot_ad *whole)
{
	struct slot_list *list = &listing->u->slots;
	const struct instance *i = &listing->state->instances[instance];
	const struct classad *base = i->ad ? i->ad : whole->ad;
	uint64_t made = i->ad ? i->made : whole->made;
	uint32_t number = 0;
	int rc = 0;

	for (uint32_t c = list->first_claim[instance]; c != NONE && rc == 0; c = list->next_claim[c]) {
		struct slot_piece piece = { .slot = strings_text(listing->run->strings,
								 listing->state->instance_names[instance]),
					    .number = ++number,
					    .retirement = retirement_of(listing, c, base) };
		struct slot *slot;
		struct listed_slot *place;

		if (piece.retirement < 0)
			return -ENOMEM;
		piece.taken =
			slot_ad_taken(listing->u, job_ad(listing, c), base, listing->p->accountant.claims[c].cpus);
		rc = slot_ad_piece(listing->u, &list->pieces[c], &piece, base, made);
		if (rc == 0)
			rc = entry_add(listing, instance, &list->pieces[c], NULL, &slot, &place);
		if (rc)
			break;
		slot->weight = listing->p->accountant.claims[c].weight;
		place->is_piece = true;
		entry_claim(listing, slot, place, c);
	}
	return rc;
}

static struct taken taken_of(struct listing *listing, uint32_t instance, const struct classad *base)
{
	const struct slot_list *list = &listing->u->slots;
	struct taken sum = { 0 };

	for (uint32_t c = list->first_claim[instance]; c != NONE; c = list->next_claim[c]) {
		const struct taken taken =
			slot_ad_taken(listing->u, job_ad(listing, c), base, listing->p->accountant.claims[c].cpus);

		sum = (struct taken){ sum.cpus + taken.cpus, sum.memory + taken.memory, sum.disk + taken.disk,
				      sum.gpus + taken.gpus };
	}
	return sum;
}

/*
 * Add what is left of a partitionable slot, then its pieces. A slot of which nothing is left has an
 * entry of weight 0.
 */
static int partitionable_add(struct listing *listing, uint32_t instance)
{
	const struct instance *i = &listing->state->instances[instance];
	const char *name = strings_text(listing->run->strings, listing->state->instance_names[instance]);
	struct slot_ad *ad = &listing->u->slots.ads[instance];
	const struct taken taken = taken_of(listing, instance, i->ad);
	struct slot *slot;
	struct listed_slot *place;
	int rc = i->ad ? slot_ad_reported(listing->u, ad, i, &taken, 0)
		       : slot_ad_gridengine(listing->u, ad, listing->places, instance, name, taken.memory);

	if (rc == 0)
		rc = entry_add(listing, instance, ad, i->ad, &slot, &place);
	if (rc)
		return rc;
	slot->partitionable = place->is_partitionable = true;
	return pieces_add(listing, instance, ad);
}

static bool is_partitionable(struct listing *listing, uint32_t instance)
{
	const struct instance *i = &listing->state->instances[instance];

	return !i->ad || slot_ad_is_partitionable(listing->u, &listing->u->slots.ads[instance], i);
}

/* Return whether an instance is a slot: it was reported as one, or dispatch knows it. */
static bool is_slot(const struct listing *listing, uint32_t instance)
{
	return listing->state->instances[instance].ad || listing->places->known(listing->places->self, instance);
}

int slot_list_look(struct userprio_policy *policy, const struct run *run)
{
	struct userprio_cell *cell = policy->in_force;
	const struct state *state = run->mirror->state;

	if (ads_reserve(&cell->slots.ads, &cell->slots.ads_capacity, state->ninstances))
		return -ENOMEM;
	for (size_t i = 0; i < state->ninstances; i++)
		if (state->instances[i].ad)
			slot_ad_is_partitionable(cell, &cell->slots.ads[i], &state->instances[i]);
	return 0;
}

int slot_list_take(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	struct userprio_cell *cell = policy->in_force;
	struct listing listing = { policy, cell, run, places, run->mirror->state };
	int rc = 0;

	cell->slots.n = 0;
	text_set_clear(&cell->slots.texts);
	if (ads_reserve(&cell->slots.ads, &cell->slots.ads_capacity, listing.state->ninstances) ||
	    ads_reserve(&cell->slots.pieces, &cell->slots.pieces_capacity, policy->accountant.keys.n) ||
	    slot_list_order(&cell->slots, listing.state))
		return -ENOMEM;
	for (size_t k = 0; k < listing.state->ninstances && rc == 0; k++) {
		uint32_t i = cell->slots.order[k];

		if (is_slot(&listing, i))
			rc = is_partitionable(&listing, i) ? partitionable_add(&listing, i) : static_add(&listing, i);
	}
	return rc;
}

double slot_list_weight(struct userprio_cell *cell, const struct run *run, uint32_t instance, uint32_t cpus)
{
	const struct instance *i = &run->mirror->state->instances[instance];
	double weight;

	if (!i->ad || cpus != i->slots)
		return slot_ad_weight(cell, i->ad, cpus);
	weight = slot_weight(cell->conf, i->ad, &cell->room);
	classad_room_reset(&cell->room);
	return weight;
}

void slot_list_free(struct slot_list *slots)
{
	for (size_t i = 0; i < slots->ads_capacity; i++)
		classad_free(slots->ads[i].ad);
	for (size_t i = 0; i < slots->pieces_capacity; i++)
		classad_free(slots->pieces[i].ad);
	free(slots->slots);
	free(slots->charged);
	free(slots->places);
	free(slots->ads);
	free(slots->pieces);
	free(slots->first_claim);
	free(slots->next_claim);
	free(slots->claim_task);
	free(slots->order);
	text_set_free(&slots->texts);
	*slots = (struct slot_list){ 0 };
}
