/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/classes.h"

#include <stdlib.h>

#include "conf/array.h"

void classes_create(struct classes *c, struct strings *strings, struct objects *objects)
{
	*c = (struct classes){ .strings = strings, .objects = objects };
	pool_create(&c->pool, sizeof(struct class_key));
}

void classes_destroy(struct classes *c)
{
	pool_destroy(&c->pool);
	free(c->items);
	free(c->made);
	*c = (struct classes){ 0 };
}

const struct class_key *classes_key(const struct classes *c, uint32_t id)
{
	return pool_key(&c->pool, id);
}

void classes_make_user(struct classes *c, uint32_t user, uint32_t oticket, uint32_t fshare)
{
	struct objects *users = &c->objects[SHARER_USER];

	users->items[user].exists = users->items[user].is_automatic = true;
	users->sharers[user].oticket = oticket;
	users->sharers[user].fshare = fshare;
	c->new_user = true;
}

void classes_enforce_user(struct classes *c, const struct cell *cell, uint32_t owner)
{
	uint32_t id;

	if (!cell->global.enforce_user_auto)
		return;
	id = objects_find(&c->objects[SHARER_USER], owner);
	if (id != INDEX_NONE && c->objects[SHARER_USER].items[id].exists)
		return;
	id = objects_add(&c->objects[SHARER_USER], c->strings, strings_text(c->strings, owner));
	if (id == UINT32_MAX)
		return;
	classes_make_user(c, id, cell->global.auto_user_oticket, cell->global.auto_user_fshare);
}

static uint32_t existing(const struct objects *o, uint32_t name)
{
	uint32_t id = name == NONE ? INDEX_NONE : objects_find(o, name);

	return id != INDEX_NONE && o->items[id].exists ? id : TICKETS_NONE;
}

static void resolve(struct classes *c, uint32_t id)
{
	const struct class_key *key = classes_key(c, id);
	struct ticket_class *class = &c->items[id];

	class->sharer[SHARER_USER] = existing(&c->objects[SHARER_USER], key->owner);
	class->sharer[SHARER_PROJECT] = existing(&c->objects[SHARER_PROJECT], key->project);
	class->sharer[SHARER_DEPARTMENT] = existing(&c->objects[SHARER_DEPARTMENT], key->department);
	class->jobshare = key->jobshare;
	class->override_tickets = key->override_tickets;
}

static void drop_strings(struct classes *c, const struct class_key *key)
{
	strings_drop(c->strings, key->owner);
	strings_drop(c->strings, key->project);
	strings_drop(c->strings, key->department);
	strings_drop(c->strings, key->account);
	if ((key->accounting_group & key->accounting_group_user & key->uid_domain) == NONE)	/* most have none */
		return;
	strings_drop(c->strings, key->accounting_group);
	strings_drop(c->strings, key->accounting_group_user);
	strings_drop(c->strings, key->uid_domain);
}

static bool hold_text(struct classes *c, const char *text, uint32_t *id)
{
	*id = text && *text ? strings_hold(c->strings, text) : NONE;
	return *id != NONE || !text || !*text;
}

static bool reserve(struct classes *c)
{
	if (pool_reserve(&c->pool) || objects_reserve(&c->objects[SHARER_USER]))
		return false;
	if (c->pool.capacity <= c->capacity)
		return true;
	if (array_grow(&c->items, c->pool.capacity, sizeof(*c->items)) || array_grow(&c->made, c->pool.capacity, sizeof(*c->made)))
		return false;
	c->capacity = c->pool.capacity;
	return true;
}

uint32_t classes_hold(struct classes *c, const struct class_texts *texts)
{
	struct class_key key = { NONE, NONE, NONE, NONE, NONE, NONE, NONE, texts->jobshare, texts->override_tickets };
	uint32_t id = UINT32_MAX;
	bool is_new = false;

	if (reserve(c) && hold_text(c, texts->owner, &key.owner) && hold_text(c, texts->project, &key.project) &&
	    hold_text(c, texts->department, &key.department) && hold_text(c, texts->account, &key.account) &&
	    hold_text(c, texts->accounting_group, &key.accounting_group) &&
	    hold_text(c, texts->accounting_group_user, &key.accounting_group_user) && hold_text(c, texts->uid_domain, &key.uid_domain))
		id = pool_hold(&c->pool, &key, &is_new);
	if (id == UINT32_MAX || !is_new) {
		drop_strings(c, &key);
		return id;
	}
	c->items[id] = (struct ticket_class){ .node = TICKETS_NONE };
	c->made[id] = ++c->nmade;
	resolve(c, id);
	return id;
}

void classes_admit(struct classes *c, const struct cell *cell, uint32_t id)
{
	if (c->pool.holders[id] > 1)	/* somebody was admitted to it before */
		return;
	classes_enforce_user(c, cell, classes_key(c, id)->owner);
	resolve(c, id);
}

void classes_hold_again(struct classes *c, uint32_t id)
{
	c->pool.holders[id]++;
}

void classes_drop(struct classes *c, uint32_t id)
{
	struct class_key key = *classes_key(c, id);

	if (!pool_drop(&c->pool, id))
		return;
	drop_strings(c, &key);
	c->items[id] = (struct ticket_class){ .node = TICKETS_NONE };
}

void classes_reload(struct classes *c, const struct cell *cell)
{
	pool_each(id, &c->pool) {
		classes_enforce_user(c, cell, classes_key(c, id)->owner);
		resolve(c, id);
	}
}
