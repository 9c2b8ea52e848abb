/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/userprio/accountant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "conf/lists.h"
#include "sched/mirror/facts.h"

/* Customers */

static struct customer customer_new(uint32_t group)
{
	return (struct customer){ .rup = RUP_LEAST, .group = group, .ceiling = CEILING_NONE, .changed = true };
}

void accountant_create(struct accountant *accountant)
{
	*accountant = (struct accountant){ 0 };
	pool_create(&accountant->keys, sizeof(struct claim_key));
}

static void table_free(struct accountant *accountant)
{
	free(accountant->customers.items);
	free(accountant->names);
	free(accountant->hidden);
	free(accountant->stored);
	index_free(&accountant->index);
}

void accountant_free(struct accountant *accountant, struct strings *strings)
{
	pool_each(i, &accountant->keys)
		strings_drop(strings, ((const struct claim_key *)pool_key(&accountant->keys, i))->slot);
	for (size_t i = 0; i < accountant->customers.n; i++)
		strings_drop(strings, accountant->names[i]);
	for (size_t i = 0; i < accountant->ngone_names; i++)
		strings_drop(strings, accountant->gone_names[i]);
	for (size_t i = 0; i < accountant->ngone_claims; i++)
		strings_drop(strings, accountant->gone_claims[i].slot);
	free(accountant->gone_names);
	free(accountant->gone_claims);
	free(accountant->claims);
	pool_destroy(&accountant->keys);
	table_free(accountant);
	*accountant = (struct accountant){ 0 };
}

static int table_reserve(struct accountant *accountant, size_t n)
{
	size_t capacity = accountant->capacity + accountant->capacity / 2 + 64;

	if (n <= accountant->capacity)
		return index_reserve_rows(&accountant->index, accountant->names, n);
	if (capacity < n)
		capacity = n;
	if (array_grow(&accountant->customers.items, capacity, sizeof(*accountant->customers.items)) ||
	    array_grow(&accountant->names, capacity, sizeof(*accountant->names)) ||
	    array_grow(&accountant->hidden, capacity, sizeof(*accountant->hidden)) ||
	    array_grow(&accountant->stored, capacity, sizeof(*accountant->stored)) ||
	    index_reserve_rows(&accountant->index, accountant->names, capacity))
		return -ENOMEM;
	accountant->capacity = capacity;
	return 0;
}

/* Add a customer. There is room, and the name is held for it. */
static uint32_t table_add(struct accountant *accountant, uint32_t name, const struct customer *customer)
{
	uint32_t i = (uint32_t)accountant->customers.n++;

	accountant->names[i] = name;
	accountant->customers.items[i] = *customer;
	accountant->hidden[i] = accountant->stored[i] = false;
	index_insert(&accountant->index, accountant->names, i);
	return i;
}

uint32_t accountant_find(const struct accountant *a, const struct strings *strings, const char *name)
{
	uint32_t id = strings_find(strings, name), i = id == NONE ? INDEX_NONE : index_find(&a->index, a->names, id);

	return i == INDEX_NONE ? CUSTOMER_NONE : i;
}

static void choose_factor(struct accountant *accountant, const struct strings *strings, const struct condor_conf *conf,
			  uint32_t i)
{
	struct customer *customer = &accountant->customers.items[i];

	if (customer->factor >= FACTOR_LEAST)
		return;
	customer->factor = condor_factor(conf, strings_text(strings, accountant->names[i]),
					 i < accountant->ngroups ? i : customer->group);
	customer->changed = true;
}

void accountant_choose_factors(struct accountant *accountant, const struct strings *strings,
			       const struct condor_conf *conf)
{
	for (uint32_t i = 0; i < accountant->customers.n; i++)
		choose_factor(accountant, strings, conf, i);
}

/* Return the group of a customer. A name without @ is a group that no longer exists. */
static uint32_t group_of(const struct condor_conf *conf, const char *name)
{
	return conf && strchr(name, '@') ? condor_group_of(conf, name, NULL) : 0;
}

uint32_t accountant_customer(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
			     const char *name)
{
	uint32_t i = accountant_find(accountant, strings, name), id;
	struct customer fresh;

	if (i != CUSTOMER_NONE) {
		accountant->hidden[i] = false;
		return i;
	}
	if (accountant->customers.n == CUSTOMER_NONE - 1 || table_reserve(accountant, accountant->customers.n + 1))
		return CUSTOMER_NONE;
	id = strings_hold(strings, name);
	if (id == NONE)
		return CUSTOMER_NONE;
	fresh = customer_new(group_of(conf, name));
	i = table_add(accountant, id, &fresh);
	if (conf)
		choose_factor(accountant, strings, conf, i);
	return i;
}

void accountant_forget(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
		       uint32_t customer, int64_t now)
{
	/* deletion resets the factor, which is chosen again */
	static const struct customer_edit deletion = { .kind = EDIT_DELETE };
	struct customer *c = &accountant->customers.items[customer];
	uint32_t *name;

	customer_edit(&accountant->customers, customer, &deletion, now, NULL);
	if (customer >= accountant->ngroups && c->used == 0)
		accountant->hidden[customer] = true;
	if (accountant->hidden[customer] && accountant->stored[customer] &&
	    (name = array_add(&accountant->gone_names, &accountant->ngone_names, sizeof(*name)))) {
		*name = strings_hold(strings, strings_text(strings, accountant->names[customer]));
		accountant->stored[customer] = false;
	}
	if (conf)
		choose_factor(accountant, strings, conf, customer);
}

/* Configurations */

int accountant_prepare(const struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
		       struct accountant_room *room)
{
	*room = (struct accountant_room){ .groups = calloc(conf->ngroups, sizeof(*room->groups)),
					  .ngroups = conf->ngroups,
					  .moved = malloc((accountant->customers.n + 1) * sizeof(*room->moved)) };
	if (!room->groups || !room->moved || table_reserve(&room->grown, accountant->customers.n + conf->ngroups)) {
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

/* Compute the usage of groups from their submitters. The root counts only its own. */
static void groups_sum(struct accountant *accountant)
{
	struct customer *items = accountant->customers.items;

	for (size_t g = 0; g < accountant->ngroups; g++) {
		items[g].used = 0;
		items[g].weight_used = items[g].tree_used = 0.0;
	}
	for (size_t i = accountant->ngroups; i < accountant->customers.n; i++) {
		uint32_t g = items[i].group;

		items[g].used += items[i].used;
		items[g].weight_used += items[i].weight_used;
		items[g].tree_used += items[i].weight_used;
		for (; g != 0 && items[g].group != 0; g = items[g].group)
			items[items[g].group].tree_used += items[i].weight_used;
	}
}

/* Copy a customer of the old table to the new one. */
static void customer_move(struct accountant *accountant, struct accountant_room *room, uint32_t from,
			  const struct customer *as)
{
	uint32_t i = table_add(&room->grown, accountant->names[from], as);

	room->grown.hidden[i] = accountant->hidden[from];
	room->grown.stored[i] = accountant->stored[from];
	room->moved[from] = i;
}

static void groups_place(struct accountant *a, const struct condor_conf *conf, struct accountant_room *room,
			 struct strings *strings)
{
	for (uint32_t g = 0; g < conf->ngroups; g++) {
		uint32_t old = index_find(&a->index, a->names, room->groups[g]);
		struct customer customer = old == INDEX_NONE ? customer_new(0) : a->customers.items[old];

		customer.group = conf->groups[g].parent;
		customer.is_group = true;
		if (old == INDEX_NONE) {
			table_add(&room->grown, room->groups[g], &customer);
			continue;
		}
		customer_move(a, room, old, &customer);
		room->grown.hidden[g] = false;
		/* the accountant holds the name once already */
		strings_drop(strings, room->groups[g]);
	}
	room->ngroups = 0;
}

void accountant_replace(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
			struct accountant_room *room)
{
	for (size_t i = 0; i < accountant->customers.n; i++)
		room->moved[i] = CUSTOMER_NONE;
	groups_place(accountant, conf, room, strings);
	for (uint32_t i = 0; i < accountant->customers.n; i++) {
		struct customer customer = accountant->customers.items[i];

		if (room->moved[i] != CUSTOMER_NONE)
			continue;
		customer.group = group_of(conf, strings_text(strings, accountant->names[i]));
		customer.is_group = false;
		customer_move(accountant, room, i, &customer);
	}
	pool_each(k, &accountant->keys)
		accountant->claims[k].customer = room->moved[accountant->claims[k].customer];
	room->grown.customers.last_update = accountant->customers.last_update;
	table_free(accountant);
	accountant->customers = room->grown.customers;
	accountant->names = room->grown.names;
	accountant->hidden = room->grown.hidden;
	accountant->stored = room->grown.stored;
	accountant->index = room->grown.index;
	accountant->capacity = room->grown.capacity;
	accountant->ngroups = conf->ngroups;
	accountant->customers.root = 0;
	accountant->customers.halflife = conf->halflife;
	accountant->customers.six_decimals = conf->six_decimals;
	groups_sum(accountant);
	accountant_choose_factors(accountant, strings, conf);
	room->grown = (struct accountant){ 0 };
}

/* Claims */

struct claim *accountant_claim_find(const struct accountant *accountant, const struct claim_key *key)
{
	uint32_t i = pool_find(&accountant->keys, key);

	return i == UINT32_MAX ? NULL : &accountant->claims[i];
}

struct claim *accountant_claim_add(struct accountant *accountant, struct strings *strings, const struct claim_key *key,
				   const struct claim *claim)
{
	bool is_new;
	uint32_t i;

	if (pool_reserve(&accountant->keys))
		return NULL;
	if (array_reserve(&accountant->claims_capacity, accountant->keys.capacity, COLUMN(accountant->claims)))
		return NULL;
	i = pool_hold(&accountant->keys, key, &is_new);
	/* the slot's name is held already: no memory is needed */
	strings_hold(strings, strings_text(strings, key->slot));
	accountant->claims[i] = *claim;
	accountant->claims[i].changed = true;
	return &accountant->claims[i];
}

void accountant_charge(struct accountant *accountant, const struct claim *claim)
{
	if (!claim->free_of_charge)
		customers_add_match(&accountant->customers, claim->customer, claim->weight, claim->since);
}

void accountant_claim_end(struct accountant *accountant, struct strings *strings, const struct claim_key *key,
			  int64_t end)
{
	const struct claim *claim = accountant_claim_find(accountant, key);

	if (!claim)
		return;
	if (!claim->free_of_charge)
		customers_remove_match(&accountant->customers, claim->customer, claim->weight, claim->since, end);
	accountant_claim_drop(accountant, strings, key);
}

void accountant_claim_drop(struct accountant *accountant, struct strings *strings, const struct claim_key *key)
{
	uint32_t i = pool_find(&accountant->keys, key);
	const struct claim_key was = *key;
	struct claim_key *gone;

	if (i == UINT32_MAX)
		return;
	gone = accountant->claims[i].stored
		       ? array_add(&accountant->gone_claims, &accountant->ngone_claims, sizeof(*gone))
		       : NULL;
	if (gone)
		*gone = was;
	pool_drop(&accountant->keys, i);
	if (!gone)
		strings_drop(strings, was.slot);
}
