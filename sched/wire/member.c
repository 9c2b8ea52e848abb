/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/member.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
	const struct member *const *x = a, *const *y = b;

	return strcmp((*x)->key.key.text, (*y)->key.key.text);
}

static int by_name(const void *a, const void *b)
{
	const struct member *const *x = a, *const *y = b;

	return strcmp((*x)->key.name, (*y)->key.name);
}

struct member *member_by_key(const struct members *members, const char *key)
{
	struct member wanted, *address = &wanted, **found;

	if (members->n == 0 || strlen(key) != KEY_CHARS)
		return NULL;
	strcpy(wanted.key.key.text, key);
	found = bsearch(&address, members->by_key, members->n, sizeof(address), by_key);
	return found ? *found : NULL;
}

struct member *member_by_name(const struct members *members, const char *name)
{
	struct member wanted, *address = &wanted, **found;

	if (members->n == 0 || strlen(name) > HOST_NAME_CHARS)
		return NULL;
	strcpy(wanted.key.name, name);
	found = bsearch(&address, members->by_name, members->n, sizeof(address), by_name);
	return found ? *found : NULL;
}

static void member_free(struct member *member)
{
	if (member)
		free(member->tasks);
	free(member);
}

void members_free(struct members *members)
{
	for (size_t i = 0; i < members->n; i++)
		member_free(members->by_key[i]);
	free(members->by_key);
	free(members->by_name);
	*members = (struct members){ 0 };
}

/* Return the member that had the same key and name before, or NULL. */
static struct member *member_before(const struct members *members, const struct host_key *key)
{
	struct member *old = member_by_key(members, key->key.text);

	return old && strcmp(old->key.name, key->name) == 0 ? old : NULL;
}

/* Allocate all memory first, so that nothing can fail when the state of old members is moved. */
static int members_make(struct members *new, const struct host_keys *keys)
{
	new->by_key = calloc(keys->n + 1, sizeof(*new->by_key));
	new->by_name = calloc(keys->n + 1, sizeof(*new->by_name));
	if (!new->by_key || !new->by_name)
		return -ENOMEM;
	for (; new->n < keys->n; new->n++) {
		struct member *member = calloc(1, sizeof(*member));

		if (!member)
			return -ENOMEM;
		member->key = keys->items[new->n];
		new->by_key[new->n] = new->by_name[new->n] = member;
	}
	return 0;
}

int members_renew(struct members *members, const struct host_keys *keys)
{
	struct members new = { 0 };

	if (members_make(&new, keys)) {
		members_free(&new);
		return -ENOMEM;
	}
	for (size_t i = 0; i < new.n; i++) {
		struct member *old = member_before(members, &keys->items[i]);

		if (old) {
			*new.by_key[i] = *old;
			old->tasks = NULL;	/* moved to the new member */
		}
	}
	if (new.n)
		qsort(new.by_name, new.n, sizeof(*new.by_name), by_name);
	members_free(members);
	*members = new;
	return 0;
}

int member_tasks(struct member *member, const struct wire_task *tasks, size_t n)
{
	struct wire_task *copy = malloc((n + 1) * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, tasks, n * sizeof(*copy));
	free(member->tasks);
	member->tasks = copy;
	member->ntasks = n;
	member->has_tasks = member->dirty = true;
	return 0;
}
