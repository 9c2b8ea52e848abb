/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/turns.h"

#include <stdlib.h>

#include "conf/array.h"

struct turn_user {
	uid_t uid;
	size_t waiting;		/* requests in the queue */
	int64_t left;		/* ns of this turn; below 0: what turns to come must make up for */
};

void turns_free(struct turns *t)
{
	free(t->users);
	*t = (struct turns){ 0 };
}

/* There are few. */
static struct turn_user *user_find(const struct turns *t, uid_t uid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->users[i].uid == uid)
			return &t->users[i];
	return NULL;
}

/* NULL: no memory. Who has no account is served like one who has not had anything. */
static struct turn_user *user_get(struct turns *t, uid_t uid)
{
	struct turn_user *user = user_find(t, uid);

	if (user)
		return user;
	if (t->n == t->capacity) {
		if (array_grow(&t->users, 2 * t->capacity + 16, sizeof(*t->users)))
			return NULL;
		t->capacity = 2 * t->capacity + 16;
	}
	user = &t->users[t->n++];
	*user = (struct turn_user){ .uid = uid, .left = TURN_NS };
	return user;
}

void turns_add(struct turns *t, struct waiter *w)
{
	struct turn_user *user = user_get(t, w->uid);

	if (user)
		user->waiting++;
	w->next = NULL;
	w->waits = true;
	if (t->last)
		t->last->next = w;
	else
		t->first = w;
	t->last = w;
}

static void take_out(struct turns *t, struct waiter *w, struct waiter *before)
{
	struct turn_user *user = user_find(t, w->uid);

	if (before)
		before->next = w->next;
	else
		t->first = w->next;
	if (t->last == w)
		t->last = before;
	w->next = NULL;
	w->waits = false;
	if (user && user->waiting > 0)
		user->waiting--;
}

void turns_remove(struct turns *t, struct waiter *w)
{
	struct waiter *before = NULL;

	if (!w->waits)
		return;
	for (struct waiter *i = t->first; i != w; i = i->next)
		before = i;
	take_out(t, w, before);
}

/* Nobody saves anything: who was not there has no more than others. */
void turns_begin(struct turns *t)
{
	size_t n = 0;

	t->number++;
	for (size_t i = 0; i < t->n; i++) {
		struct turn_user *user = &t->users[i];

		user->left = user->left < 0 ? user->left + TURN_NS : TURN_NS;
		if (user->waiting > 0 || user->left < TURN_NS)
			t->users[n++] = *user;
	}
	t->n = n;
}

struct waiter *turns_next(struct turns *t)
{
	struct waiter *before = NULL;

	for (struct waiter *w = t->first; w; before = w, w = w->next)
		if (turns_left(t, w->uid) > 0) {
			take_out(t, w, before);
			t->served++;
			return w;
		}
	return NULL;
}

uint64_t turns_left(const struct turns *t, uid_t uid)
{
	const struct turn_user *user = user_find(t, uid);

	return !user ? TURN_NS : user->left > 0 ? (uint64_t)user->left : 0;
}

void turns_charge(struct turns *t, uid_t uid, uint64_t ns)
{
	struct turn_user *user = user_get(t, uid);

	if (user)
		user->left -= ns < INT64_MAX / 4 ? (int64_t)ns : INT64_MAX / 4;
}
