/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose request is next. Users share each turn of the loop, whatever number of connections they
 * have: each gets TURN_NS of the scheduler's processor a turn, for requests in the order in which
 * they came. Who has had more, since one request is not taken apart further than it can be, goes
 * without until turns have made up for it. So what somebody waits for depends on how many users
 * there are, not on what they send. Pure: times are told, no clock is read.
 *
 *     turns_begin(t);
 *     while ((w = turns_next(t)) != NULL) {
 *             ... its request, or a part of it that takes turns_left() at the most, if it can be parted ...
 *             turns_charge(t, w->uid, ns);
 *             if (the request is not done)
 *                     turns_add(t, w);
 *     }
 */
#ifndef SCHED_QMASTER_LOCAL_TURNS_H
#define SCHED_QMASTER_LOCAL_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TURN_NS 5000000		/* of a user */

struct waiter {			/* somebody with a request; the owner's memory */
	struct waiter *next;
	uid_t uid;
	bool waits;		/* is in the queue */
	/*
	 * the turn in which its request came, and how many had been served until then; the owner's
	 */
	uint64_t since, served;
};

struct turn_user;

struct turns {			/* zero at first */
	struct waiter *first, *last;	/* the queue */
	struct turn_user *users;	/* those who wait, or have had too much */
	size_t n, capacity;
	uint64_t number, served;	/* of turns, and of requests and parts of them, so far */
};

void turns_free(struct turns *turns);

/* A request has come, or goes on. */
void turns_add(struct turns *turns, struct waiter *waiter);
/* It is not waited for any more; a no-op if it isn't. */
void turns_remove(struct turns *turns, struct waiter *waiter);
static inline bool turns_wait(const struct turns *turns)
{
	return turns->first != NULL;
}

void turns_begin(struct turns *turns);
/*
 * The next one whose user has something left of this turn, out of the queue; NULL: there is none.
 */
struct waiter *turns_next(struct turns *turns);
uint64_t turns_left(const struct turns *turns, uid_t uid);	/* ns */
void turns_charge(struct turns *turns, uid_t uid, uint64_t ns);

#endif
