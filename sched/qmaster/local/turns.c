/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/turns.h"

#include <stdlib.h>

#include "conf/base/array.h"

struct turn_user {
	uid_t uid;
	size_t waiting;		/* requests in the queue */
	int64_t left;		/* ns of this turn; below 0: to be compensated by later turns */
};

void turns_free(struct turns *turns)
{
	free(turns->users);
	*turns = (struct turns){ 0 };
}

/* Find a user by a linear search, because there are few. */
static struct turn_user *user_find(const struct turns *turns, uid_t uid)
{
	for (size_t i = 0; i < turns->n; i++)
		if (turns->users[i].uid == uid)
			return &turns->users[i];
	return NULL;
}

/*
 * Return a user, who is added if necessary. NULL: memory is exhausted; a user without an account
 * has the full share.
 */
static struct turn_user *user_get(struct turns *turns, uid_t uid)
{
	struct turn_user *user = user_find(turns, uid);

	if (user)
		return user;
	if (turns->n == turns->capacity) {
		if (array_grow(&turns->users, 2 * turns->capacity + 16, sizeof(*turns->users)))
			return NULL;
		turns->capacity = 2 * turns->capacity + 16;
	}
	user = &turns->users[turns->n++];
	*user = (struct turn_user){ .uid = uid, .left = TURN_NS };
	return user;
}

void turns_add(struct turns *turns, struct waiter *waiter)
{
	struct turn_user *user = user_get(turns, waiter->uid);

	if (user)
		user->waiting++;
	waiter->next = NULL;
	waiter->waits = true;
	if (turns->last)
		turns->last->next = waiter;
	else
		turns->first = waiter;
	turns->last = waiter;
}

static void take_out(struct turns *turns, struct waiter *waiter, struct waiter *before)
{
	struct turn_user *user = user_find(turns, waiter->uid);

	if (before)
		before->next = waiter->next;
	else
		turns->first = waiter->next;
	if (turns->last == waiter)
		turns->last = before;
	waiter->next = NULL;
	waiter->waits = false;
	if (user && user->waiting > 0)
		user->waiting--;
}

void turns_remove(struct turns *turns, struct waiter *waiter)
{
	struct waiter *before = NULL;

	if (!waiter->waits)
		return;
	for (struct waiter *i = turns->first; i != waiter; i = i->next)
		before = i;
	take_out(turns, waiter, before);
}

/* Begin a turn. Unused shares are not saved: a user who was absent gets no more than others. */
void turns_begin(struct turns *turns)
{
	size_t n = 0;

	turns->number++;
	for (size_t i = 0; i < turns->n; i++) {
		struct turn_user *user = &turns->users[i];

		user->left = user->left < 0 ? user->left + TURN_NS : TURN_NS;
		if (user->waiting > 0 || user->left < TURN_NS)
			turns->users[n++] = *user;
	}
	turns->n = n;
}

struct waiter *turns_next(struct turns *turns)
{
	struct waiter *before = NULL;

	for (struct waiter *waiter = turns->first; waiter; before = waiter, waiter = waiter->next)
		if (turns_left(turns, waiter->uid) > 0) {
			take_out(turns, waiter, before);
			turns->served++;
			return waiter;
		}
	return NULL;
}

uint64_t turns_left(const struct turns *turns, uid_t uid)
{
	const struct turn_user *user = user_find(turns, uid);

	return !user ? TURN_NS : user->left > 0 ? (uint64_t)user->left : 0;
}

void turns_charge(struct turns *turns, uid_t uid, uint64_t ns)
{
	struct turn_user *user = user_get(turns, uid);

	if (user)
		user->left -= ns < INT64_MAX / 4 ? (int64_t)ns : INT64_MAX / 4;
}
