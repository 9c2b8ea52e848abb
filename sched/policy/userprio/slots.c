/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of slots, as a negotiation cycle is handed it: instances in the order in which they were
 * first told; behind a partitionable one, of which the entry is what is left in it, the pieces that
 * tasks have. One that is being vacated for somebody is his already, as far as shares go.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/policy/userprio/inside.h"

struct listing {			/* the list in the making */
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	const struct state *state;
};

/* Room */

static int list_reserve(struct slot_list *s, size_t n)
{
	if (n <= s->capacity)
		return 0;
	n += n / 4 + 64;
	if (array_grow(&s->slots, n, sizeof(*s->slots)) || array_grow(&s->charged, n, sizeof(*s->charged)) ||
	    array_grow(&s->places, n, sizeof(*s->places)))
		return -ENOMEM;
	s->capacity = n;
	return 0;
}

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
	const struct instance *i = instances;
	uint64_t x = i[*(const uint32_t *)a].born, y = i[*(const uint32_t *)b].born;

	return x < y ? -1 : x > y;
}

/* They lie in that order unless some have gone. */
int slot_list_order(struct slot_list *s, const struct state *state)
{
	bool sorted = true;

	if (state->ninstances > s->order_capacity) {
		if (array_grow(&s->order, state->ninstances, sizeof(*s->order)))
			return -ENOMEM;
		s->order_capacity = state->ninstances;
	}
	for (uint32_t i = 0; i < state->ninstances; i++) {
		s->order[i] = i;
		sorted = sorted && (i == 0 || state->instances[i - 1].born <= state->instances[i].born);
	}
	if (!sorted)
		qsort_r(s->order, state->ninstances, sizeof(*s->order), born_compare, state->instances);
	return 0;
}

/* What the job that runs says */

/* The ad of the job that has a claim; NULL: that is not known, or no memory. */
static const struct classad *job_ad(const struct listing *l, uint32_t claim)
{
	const struct claim_key *key = pool_key(&l->p->accountant.keys, claim);
	uint32_t row = key->job ? jobs_find(&l->state->jobs, key->job) : INDEX_NONE;
	uint32_t class = row == INDEX_NONE ? NONE : ad_classes_of(l->p, l->run, row);

	return class == NONE ? NULL : l->u->classes.items[class].ad;
}

/* ConcurrencyLimits, where they are no constant, are kept as long as the list. */
static const char *limits_of(struct listing *l, const struct classad *job, const struct classad *slot)
{
	const struct classad_expression *e = job ? classad_find(job, "ConcurrencyLimits") : NULL;
	struct classad_value value;
	uint32_t number;
	const char *text = NULL;

	if (!e)
		return NULL;
	if (classad_is_constant(e, &value))
		return value.type == CLASSAD_STRING ? value.text : NULL;
	classad_evaluate(e, &(struct classad_pair){ job, slot }, &l->u->room, &value);
	if (value.type == CLASSAD_STRING && text_set_add(&l->u->slots.texts, value.text, &number) == 0)
		text = l->u->slots.texts.texts[number];
	classad_room_reset(&l->u->room);
	return text;
}

static double rank_of(struct listing *l, const struct classad *slot, const struct classad *job)
{
	struct classad_value value;
	double rank;

	classad_attribute(&(struct classad_pair){ slot, job }, "Rank", &l->u->room, &value);
	if (!classad_number(&value, &rank) || !(rank - rank == 0.0))
		rank = 0.0;
	classad_room_reset(&l->u->room);
	return rank;
}

/* Entries */

static int entry_add(struct listing *l, uint32_t instance, const struct slot_ad *s, const struct classad *told, struct slot **entry,
		     struct listed_slot **place)
{
	struct slot_list *list = &l->u->slots;
	uint32_t slots;

	if (list_reserve(list, list->n + 1))
		return -ENOMEM;
	*entry = &list->slots[list->n];
	**entry = (struct slot){ .name = strings_text(l->run->strings, l->state->instance_names[instance]), .ad = s->ad ? s->ad : told,
				 .made = s->made, .weight = s->weight, .state = SLOT_UNCLAIMED, .customer = CUSTOMER_NONE,
				 .preempting_customer = CUSTOMER_NONE, .negotiating_group = UINT32_MAX,
				 .open = l->places->open(l->places->self, instance, &slots) };
	list->charged[list->n] = (struct charged_slot){ .customer = CUSTOMER_NONE };
	*place = &list->places[list->n++];
	**place = (struct listed_slot){ .instance = instance, .task = NONE, .claim = NONE, .winner = NONE };
	return 0;
}

/* Put into a slot whose claim it is, and its times. */
static void slot_claim(const struct listing *l, struct slot *slot, uint32_t number)
{
	const struct claim *claim = &l->p->accountant.claims[number];
	const struct claim_key *key = pool_key(&l->p->accountant.keys, number);

	slot->state = SLOT_CLAIMED;
	slot->customer = claim->customer;
	slot->current_rank = claim->current_rank;
	slot->since = claim->begun;
	slot->claim_is_reported = key->job == 0;
	slot->job_start = slot->claim_is_reported ? claim->begun : claim->start > 0 ? claim->start : claim->since;
	slot->negotiating_group = claim->negotiating_group;
	slot->autoregroup = claim->autoregroup;
}

/* Somebody has it. */
static void entry_claim(struct listing *l, struct slot *slot, struct listed_slot *place, uint32_t number)
{
	struct slot_list *list = &l->u->slots;
	struct claim *claim = &l->p->accountant.claims[number];
	const struct told_claim *told = l->state->instances[place->instance].claim;
	uint32_t task = list->claim_task[number];
	const struct classad *job = job_ad(l, number);
	struct charged_slot *charged = &list->charged[place - list->places];

	place->claim = number;
	place->task = task;
	if (!claim->is_ranked && job) {
		claim->current_rank = rank_of(l, slot->ad, job);
		claim->is_ranked = true;
	}
	slot_claim(l, slot, number);
	slot->limits = task == NONE && told && told->limits != NONE ? mirror_text(l->run->mirror, told->limits) : limits_of(l, job, slot->ad);
	slot->suspended = task == NONE ? told && told->suspended : l->state->tasks.items[task].suspended;
	*charged = (struct charged_slot){ claim->free_of_charge ? CUSTOMER_NONE : claim->customer, claim->weight, claim->since };
	if (task == NONE && told && told->preempting != NONE) {
		slot->state = SLOT_PREEMPTING;
		slot->preempting_customer = accountant_find(&l->p->accountant, l->run->strings, mirror_text(l->run->mirror, told->preempting));
		slot->current_rank = told->preempting_rank;
	}
	winners_stand_in(l->p, l->run, slot, place, charged);
}

/* Instances */

/* Seconds; -ENOMEM. */
static int64_t retirement_of(struct listing *l, uint32_t claim, const struct classad *ad)
{
	const struct classad *job = job_ad(l, claim);
	struct slot slot = { .ad = ad };

	slot_claim(l, &slot, claim);
	return job ? vacate_retirement_left(l->p, l->run, &slot, job) : 0;
}

static int static_add(struct listing *l, uint32_t instance)
{
	const struct instance *i = &l->state->instances[instance];
	struct slot_ad *s = &l->u->slots.ads[instance];
	uint32_t claim = l->u->slots.first_claim[instance];
	int64_t retirement = claim == NONE ? 0 : retirement_of(l, claim, i->ad);
	struct slot *slot;
	struct listed_slot *place;
	int rc = retirement < 0 ? -ENOMEM : slot_ad_told(l->u, s, i, &(struct taken){ 0 }, retirement);

	if (rc == 0)
		rc = entry_add(l, instance, s, i->ad, &slot, &place);
	if (rc == 0 && claim != NONE)
		entry_claim(l, slot, place, claim);
	return rc;
}

static int pieces_add(struct listing *l, uint32_t instance, const struct slot_ad *whole)
{
	struct slot_list *list = &l->u->slots;
	const struct instance *i = &l->state->instances[instance];
	const struct classad *base = i->ad ? i->ad : whole->ad;
	uint64_t made = i->ad ? i->made : whole->made;
	uint32_t number = 0;
	int rc = 0;

	for (uint32_t c = list->first_claim[instance]; c != NONE && rc == 0; c = list->next_claim[c]) {
		struct slot_piece piece = { .slot = strings_text(l->run->strings, l->state->instance_names[instance]), .number = ++number,
				       .retirement = retirement_of(l, c, base) };
		struct slot *slot;
		struct listed_slot *place;

		if (piece.retirement < 0)
			return -ENOMEM;
		piece.taken = slot_ad_taken(l->u, job_ad(l, c), base, l->p->accountant.claims[c].cpus);
		rc = slot_ad_piece(l->u, &list->pieces[c], &piece, base, made);
		if (rc == 0)
			rc = entry_add(l, instance, &list->pieces[c], NULL, &slot, &place);
		if (rc)
			break;
		slot->weight = l->p->accountant.claims[c].weight;
		place->is_piece = true;
		entry_claim(l, slot, place, c);
	}
	return rc;
}

static struct taken taken_of(struct listing *l, uint32_t instance, const struct classad *base)
{
	const struct slot_list *list = &l->u->slots;
	struct taken sum = { 0 };

	for (uint32_t c = list->first_claim[instance]; c != NONE; c = list->next_claim[c]) {
		const struct taken t = slot_ad_taken(l->u, job_ad(l, c), base, l->p->accountant.claims[c].cpus);

		sum = (struct taken){ sum.cpus + t.cpus, sum.memory + t.memory, sum.disk + t.disk, sum.gpus + t.gpus };
	}
	return sum;
}

/* What is left of it, then its pieces. One of which nothing is left has an entry of weight 0. */
static int partitionable_add(struct listing *l, uint32_t instance)
{
	const struct instance *i = &l->state->instances[instance];
	const char *name = strings_text(l->run->strings, l->state->instance_names[instance]);
	struct slot_ad *s = &l->u->slots.ads[instance];
	const struct taken taken = taken_of(l, instance, i->ad);
	struct slot *slot;
	struct listed_slot *place;
	int rc = i->ad ? slot_ad_told(l->u, s, i, &taken, 0) : slot_ad_gridengine(l->u, s, l->places, instance, name, taken.memory);

	if (rc == 0)
		rc = entry_add(l, instance, s, i->ad, &slot, &place);
	if (rc)
		return rc;
	slot->partitionable = place->is_partitionable = true;
	return pieces_add(l, instance, s);
}

static bool is_partitionable(struct listing *l, uint32_t instance)
{
	const struct instance *i = &l->state->instances[instance];

	return !i->ad || slot_ad_is_partitionable(l->u, &l->u->slots.ads[instance], i);
}

/*
 * An instance that nobody told of as a slot, and of which dispatch knows nothing either, is none.
 */
static bool is_slot(const struct listing *l, uint32_t instance)
{
	return l->state->instances[instance].ad || l->places->known(l->places->self, instance);
}

int slot_list_look(struct userprio_policy *p, const struct run *run)
{
	struct userprio_cell *u = p->in_force;
	const struct state *state = run->mirror->state;

	if (ads_reserve(&u->slots.ads, &u->slots.ads_capacity, state->ninstances))
		return -ENOMEM;
	for (size_t i = 0; i < state->ninstances; i++)
		if (state->instances[i].ad)
			slot_ad_is_partitionable(u, &u->slots.ads[i], &state->instances[i]);
	return 0;
}

int slot_list_take(struct userprio_policy *p, struct run *run, const struct places *places)
{
	struct userprio_cell *u = p->in_force;
	struct listing l = { p, u, run, places, run->mirror->state };
	int rc = 0;

	u->slots.n = 0;
	text_set_clear(&u->slots.texts);
	if (ads_reserve(&u->slots.ads, &u->slots.ads_capacity, l.state->ninstances) ||
	    ads_reserve(&u->slots.pieces, &u->slots.pieces_capacity, p->accountant.keys.n) || slot_list_order(&u->slots, l.state))
		return -ENOMEM;
	for (size_t k = 0; k < l.state->ninstances && rc == 0; k++) {
		uint32_t i = u->slots.order[k];

		if (is_slot(&l, i))
			rc = is_partitionable(&l, i) ? partitionable_add(&l, i) : static_add(&l, i);
	}
	return rc;
}

double slot_list_weight(struct userprio_cell *u, const struct run *run, uint32_t instance, uint32_t cpus)
{
	const struct instance *i = &run->mirror->state->instances[instance];
	double weight;

	if (!i->ad || cpus != i->slots)
		return slot_ad_weight(u, i->ad, cpus);
	weight = slot_weight(u->conf, i->ad, &u->room);
	classad_room_reset(&u->room);
	return weight;
}

void slot_list_free(struct slot_list *s)
{
	for (size_t i = 0; i < s->ads_capacity; i++)
		classad_free(s->ads[i].ad);
	for (size_t i = 0; i < s->pieces_capacity; i++)
		classad_free(s->pieces[i].ad);
	free(s->slots);
	free(s->charged);
	free(s->places);
	free(s->ads);
	free(s->pieces);
	free(s->first_claim);
	free(s->next_claim);
	free(s->claim_task);
	free(s->order);
	text_set_free(&s->texts);
	*s = (struct slot_list){ 0 };
}
