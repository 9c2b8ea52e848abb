/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/userprio/accountant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/mirror/facts.h"

/* Customers */

static struct customer customer_new(uint32_t group)
{
	return (struct customer){ .rup = RUP_LEAST, .group = group, .ceiling = CEILING_NONE, .changed = true };
}

void accountant_create(struct accountant *a)
{
	*a = (struct accountant){ 0 };
	pool_create(&a->keys, sizeof(struct claim_key));
}

static void table_free(struct accountant *a)
{
	free(a->customers.items);
	free(a->names);
	free(a->hidden);
	free(a->stored);
	index_free(&a->index);
}

void accountant_free(struct accountant *a, struct strings *strings)
{
	pool_each(i, &a->keys)
		strings_drop(strings, ((const struct claim_key *)pool_key(&a->keys, i))->slot);
	for (size_t i = 0; i < a->customers.n; i++)
		strings_drop(strings, a->names[i]);
	for (size_t i = 0; i < a->ngone_names; i++)
		strings_drop(strings, a->gone_names[i]);
	for (size_t i = 0; i < a->ngone_claims; i++)
		strings_drop(strings, a->gone_claims[i].slot);
	free(a->gone_names);
	free(a->gone_claims);
	free(a->claims);
	pool_destroy(&a->keys);
	table_free(a);
	*a = (struct accountant){ 0 };
}

static int table_reserve(struct accountant *a, size_t n)
{
	size_t capacity = a->capacity + a->capacity / 2 + 64;

	if (n <= a->capacity)
		return index_reserve_rows(&a->index, a->names, n);
	if (capacity < n)
		capacity = n;
	if (array_grow(&a->customers.items, capacity, sizeof(*a->customers.items)) || array_grow(&a->names, capacity, sizeof(*a->names)) ||
	    array_grow(&a->hidden, capacity, sizeof(*a->hidden)) || array_grow(&a->stored, capacity, sizeof(*a->stored)) ||
	    index_reserve_rows(&a->index, a->names, capacity))
		return -ENOMEM;
	a->capacity = capacity;
	return 0;
}

/* There is room; the name is held for it. */
static uint32_t table_add(struct accountant *a, uint32_t name, const struct customer *customer)
{
	uint32_t i = (uint32_t)a->customers.n++;

	a->names[i] = name;
	a->customers.items[i] = *customer;
	a->hidden[i] = a->stored[i] = false;
	index_insert(&a->index, a->names, i);
	return i;
}

uint32_t accountant_find(const struct accountant *a, const struct strings *strings, const char *name)
{
	uint32_t id = strings_find(strings, name), i = id == NONE ? INDEX_NONE : index_find(&a->index, a->names, id);

	return i == INDEX_NONE ? CUSTOMER_NONE : i;
}

static void choose_factor(struct accountant *a, const struct strings *strings, const struct condor_conf *conf, uint32_t i)
{
	struct customer *c = &a->customers.items[i];

	if (c->factor >= FACTOR_LEAST)
		return;
	c->factor = condor_factor(conf, strings_text(strings, a->names[i]), i < a->ngroups ? i : c->group);
	c->changed = true;
}

void accountant_choose_factors(struct accountant *a, const struct strings *strings, const struct condor_conf *conf)
{
	for (uint32_t i = 0; i < a->customers.n; i++)
		choose_factor(a, strings, conf, i);
}

/* A name without @ is none of a submitter: a group that there is no more. */
static uint32_t group_of(const struct condor_conf *conf, const char *name)
{
	return conf && strchr(name, '@') ? condor_group_of(conf, name, NULL) : 0;
}

uint32_t accountant_customer(struct accountant *a, struct strings *strings, const struct condor_conf *conf, const char *name)
{
	uint32_t i = accountant_find(a, strings, name), id;
	struct customer fresh;

	if (i != CUSTOMER_NONE) {
		a->hidden[i] = false;
		return i;
	}
	if (a->customers.n == CUSTOMER_NONE - 1 || table_reserve(a, a->customers.n + 1))
		return CUSTOMER_NONE;
	id = strings_hold(strings, name);
	if (id == NONE)
		return CUSTOMER_NONE;
	fresh = customer_new(group_of(conf, name));
	i = table_add(a, id, &fresh);
	if (conf)
		choose_factor(a, strings, conf, i);
	return i;
}

void accountant_forget(struct accountant *a, struct strings *strings, const struct condor_conf *conf, uint32_t customer, int64_t now)
{
	static const struct customer_edit deletion = { .kind = EDIT_DELETE };	/* its factor is to be chosen */
	struct customer *c = &a->customers.items[customer];
	uint32_t *name;

	customer_edit(&a->customers, customer, &deletion, now, NULL);
	if (customer >= a->ngroups && c->used == 0)
		a->hidden[customer] = true;
	if (a->hidden[customer] && a->stored[customer] && (name = array_add(&a->gone_names, &a->ngone_names, sizeof(*name)))) {
		*name = strings_hold(strings, strings_text(strings, a->names[customer]));
		a->stored[customer] = false;
	}
	if (conf)
		choose_factor(a, strings, conf, customer);
}

/* A configuration */

int accountant_prepare(const struct accountant *a, struct strings *strings, const struct condor_conf *conf, struct accountant_room *room)
{
	*room = (struct accountant_room){ .groups = calloc(conf->ngroups, sizeof(*room->groups)), .ngroups = conf->ngroups,
					  .moved = malloc((a->customers.n + 1) * sizeof(*room->moved)) };
	if (!room->groups || !room->moved || table_reserve(&room->grown, a->customers.n + conf->ngroups)) {
		room->ngroups = room->groups ? room->ngroups : 0;
		accountant_room_free(room, strings);
		return -ENOMEM;
	}
	for (size_t g = 0; g < conf->ngroups; g++) {
		room->groups[g] = strings_hold(strings, conf->groups[g].name);
		if (room->groups[g] == NONE) {
			room->ngroups = g;
			accountant_room_free(room, strings);
			return -ENOMEM;
		}
	}
	return 0;
}

void accountant_room_free(struct accountant_room *room, struct strings *strings)
{
	for (size_t g = 0; g < room->ngroups; g++)
		strings_drop(strings, room->groups[g]);
	free(room->groups);
	free(room->moved);
	table_free(&room->grown);
	*room = (struct accountant_room){ 0 };
}

/* What groups use is what their submitters use; the root counts only its own. */
static void groups_sum(struct accountant *a)
{
	struct customer *items = a->customers.items;

	for (size_t g = 0; g < a->ngroups; g++) {
		items[g].used = 0;
		items[g].weight_used = items[g].tree_used = 0.0;
	}
	for (size_t i = a->ngroups; i < a->customers.n; i++) {
		uint32_t g = items[i].group;

		items[g].used += items[i].used;
		items[g].weight_used += items[i].weight_used;
		items[g].tree_used += items[i].weight_used;
		for (; g != 0 && items[g].group != 0; g = items[g].group)
			items[items[g].group].tree_used += items[i].weight_used;
	}
}

/* One of the old table in its new place. */
static void customer_move(struct accountant *a, struct accountant_room *room, uint32_t from, const struct customer *as)
{
	uint32_t i = table_add(&room->grown, a->names[from], as);

	room->grown.hidden[i] = a->hidden[from];
	room->grown.stored[i] = a->stored[from];
	room->moved[from] = i;
}

static void groups_place(struct accountant *a, const struct condor_conf *conf, struct accountant_room *room, struct strings *strings)
{
	for (uint32_t g = 0; g < conf->ngroups; g++) {
		uint32_t old = index_find(&a->index, a->names, room->groups[g]);
		struct customer c = old == INDEX_NONE ? customer_new(0) : a->customers.items[old];

		c.group = conf->groups[g].parent;
		c.is_group = true;
		if (old == INDEX_NONE) {
			table_add(&room->grown, room->groups[g], &c);
			continue;
		}
		customer_move(a, room, old, &c);
		room->grown.hidden[g] = false;
		strings_drop(strings, room->groups[g]);		/* it is held once already */
	}
	room->ngroups = 0;
}

void accountant_replace(struct accountant *a, struct strings *strings, const struct condor_conf *conf, struct accountant_room *room)
{
	for (size_t i = 0; i < a->customers.n; i++)
		room->moved[i] = CUSTOMER_NONE;
	groups_place(a, conf, room, strings);
	for (uint32_t i = 0; i < a->customers.n; i++) {
		struct customer c = a->customers.items[i];

		if (room->moved[i] != CUSTOMER_NONE)
			continue;
		c.group = group_of(conf, strings_text(strings, a->names[i]));
		c.is_group = false;
		customer_move(a, room, i, &c);
	}
	pool_each(k, &a->keys)
		a->claims[k].customer = room->moved[a->claims[k].customer];
	room->grown.customers.last_update = a->customers.last_update;
	table_free(a);
	a->customers = room->grown.customers;
	a->names = room->grown.names;
	a->hidden = room->grown.hidden;
	a->stored = room->grown.stored;
	a->index = room->grown.index;
	a->capacity = room->grown.capacity;
	a->ngroups = conf->ngroups;
	a->customers.root = 0;
	a->customers.halflife = conf->halflife;
	a->customers.six_decimals = conf->six_decimals;
	groups_sum(a);
	accountant_choose_factors(a, strings, conf);
	room->grown = (struct accountant){ 0 };
}

/* Claims */

struct claim *accountant_claim_find(const struct accountant *a, const struct claim_key *key)
{
	uint32_t i = pool_find(&a->keys, key);

	return i == UINT32_MAX ? NULL : &a->claims[i];
}

struct claim *accountant_claim_add(struct accountant *a, struct strings *strings, const struct claim_key *key, const struct claim *claim)
{
	bool is_new;
	uint32_t i;

	if (pool_reserve(&a->keys))
		return NULL;
	if (a->keys.capacity > a->claims_capacity) {
		if (array_grow(&a->claims, a->keys.capacity, sizeof(*a->claims)))
			return NULL;
		a->claims_capacity = a->keys.capacity;
	}
	i = pool_hold(&a->keys, key, &is_new);
	strings_hold(strings, strings_text(strings, key->slot));	/* somebody holds it: no memory is needed */
	a->claims[i] = *claim;
	a->claims[i].changed = true;
	return &a->claims[i];
}

void accountant_charge(struct accountant *a, const struct claim *claim)
{
	if (!claim->free_of_charge)
		customers_add_match(&a->customers, claim->customer, claim->weight, claim->since);
}

void accountant_claim_end(struct accountant *a, struct strings *strings, const struct claim_key *key, int64_t end)
{
	const struct claim *claim = accountant_claim_find(a, key);

	if (!claim)
		return;
	if (!claim->free_of_charge)
		customers_remove_match(&a->customers, claim->customer, claim->weight, claim->since, end);
	accountant_claim_drop(a, strings, key);
}

void accountant_claim_drop(struct accountant *a, struct strings *strings, const struct claim_key *key)
{
	uint32_t i = pool_find(&a->keys, key);
	const struct claim_key was = *key;
	struct claim_key *gone;

	if (i == UINT32_MAX)
		return;
	gone = a->claims[i].stored ? array_add(&a->gone_claims, &a->ngone_claims, sizeof(*gone)) : NULL;
	if (gone)
		*gone = was;
	pool_drop(&a->keys, i);
	if (!gone)
		strings_drop(strings, was.slot);
}
