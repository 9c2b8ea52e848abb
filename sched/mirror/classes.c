/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/classes.h"

#include <stdlib.h>

#include "conf/base/columns.h"

void classes_create(struct classes *classes, struct strings *strings, struct objects *objects)
{
	*classes = (struct classes){ .strings = strings, .objects = objects };
	pool_create(&classes->pool, sizeof(struct class_key));
}

void classes_destroy(struct classes *classes)
{
	pool_destroy(&classes->pool);
	free(classes->items);
	free(classes->made);
	*classes = (struct classes){ 0 };
}

const struct class_key *classes_key(const struct classes *classes, uint32_t id)
{
	return pool_key(&classes->pool, id);
}

void classes_make_user(struct classes *classes, uint32_t user, uint32_t oticket, uint32_t fshare)
{
	struct objects *users = &classes->objects[SHARER_USER];

	users->items[user].exists = users->items[user].is_automatic = true;
	users->sharers[user].oticket = oticket;
	users->sharers[user].fshare = fshare;
	classes->new_user = true;
}

void classes_enforce_user(struct classes *classes, const struct cell *cell, uint32_t owner)
{
	uint32_t id;

	if (!cell->global.enforce_user_auto)
		return;
	id = objects_find(&classes->objects[SHARER_USER], owner);
	if (id != INDEX_NONE && classes->objects[SHARER_USER].items[id].exists)
		return;
	id = objects_add(&classes->objects[SHARER_USER], classes->strings, strings_text(classes->strings, owner));
	if (id == UINT32_MAX)
		return;
	classes_make_user(classes, id, cell->global.auto_user_oticket, cell->global.auto_user_fshare);
}

static uint32_t existing(const struct objects *objects, uint32_t name)
{
	uint32_t id = name == NONE ? INDEX_NONE : objects_find(objects, name);

	return id != INDEX_NONE && objects->items[id].exists ? id : TICKETS_NONE;
}

static void resolve(struct classes *classes, uint32_t id)
{
	const struct class_key *key = classes_key(classes, id);
	struct ticket_class *class = &classes->items[id];

	class->sharer[SHARER_USER] = existing(&classes->objects[SHARER_USER], key->owner);
	class->sharer[SHARER_PROJECT] = existing(&classes->objects[SHARER_PROJECT], key->project);
	class->sharer[SHARER_DEPARTMENT] = existing(&classes->objects[SHARER_DEPARTMENT], key->department);
	class->jobshare = key->jobshare;
	class->override_tickets = key->override_tickets;
}

static void drop_strings(struct classes *classes, const struct class_key *key)
{
	strings_drop(classes->strings, key->owner);
	strings_drop(classes->strings, key->project);
	strings_drop(classes->strings, key->department);
	strings_drop(classes->strings, key->account);
	/* most jobs have none */
	if ((key->accounting_group & key->accounting_group_user & key->uid_domain) == NONE)
		return;
	strings_drop(classes->strings, key->accounting_group);
	strings_drop(classes->strings, key->accounting_group_user);
	strings_drop(classes->strings, key->uid_domain);
}

static bool hold_text(struct classes *classes, const char *text, uint32_t *id)
{
	*id = text && *text ? strings_hold(classes->strings, text) : NONE;
	return *id != NONE || !text || !*text;
}

static bool reserve(struct classes *classes)
{
	if (pool_reserve(&classes->pool) || objects_reserve(&classes->objects[SHARER_USER]))
		return false;
	return array_reserve(&classes->capacity, classes->pool.capacity, COLUMN(classes->items),
			     COLUMN(classes->made)) == 0;
}

uint32_t classes_hold(struct classes *classes, const struct class_texts *texts)
{
	struct class_key key = { NONE, NONE, NONE, NONE, NONE, NONE, NONE, texts->jobshare, texts->override_tickets };
	uint32_t id = UINT32_MAX;
	bool is_new = false;

	if (reserve(classes) && hold_text(classes, texts->owner, &key.owner) &&
	    hold_text(classes, texts->project, &key.project) &&
	    hold_text(classes, texts->department, &key.department) &&
	    hold_text(classes, texts->account, &key.account) &&
	    hold_text(classes, texts->accounting_group, &key.accounting_group) &&
	    hold_text(classes, texts->accounting_group_user, &key.accounting_group_user) &&
	    hold_text(classes, texts->uid_domain, &key.uid_domain))
		id = pool_hold(&classes->pool, &key, &is_new);
	if (id == UINT32_MAX || !is_new) {
		drop_strings(classes, &key);
		return id;
	}
	classes->items[id] = (struct ticket_class){ .node = TICKETS_NONE };
	classes->made[id] = ++classes->nmade;
	resolve(classes, id);
	return id;
}

void classes_admit(struct classes *classes, const struct cell *cell, uint32_t id)
{
	if (classes->pool.holders[id] > 1)	/* the class was admitted before */
		return;
	classes_enforce_user(classes, cell, classes_key(classes, id)->owner);
	resolve(classes, id);
}

void classes_hold_again(struct classes *classes, uint32_t id)
{
	classes->pool.holders[id]++;
}

void classes_drop(struct classes *classes, uint32_t id)
{
	struct class_key key = *classes_key(classes, id);

	if (!pool_drop(&classes->pool, id))
		return;
	drop_strings(classes, &key);
	classes->items[id] = (struct ticket_class){ .node = TICKETS_NONE };
}

void classes_reload(struct classes *classes, const struct cell *cell)
{
	pool_each(id, &classes->pool) {
		classes_enforce_user(classes, cell, classes_key(classes, id)->owner);
		resolve(classes, id);
	}
}
