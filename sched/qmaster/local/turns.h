/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of requests.
 *
 * Users share each turn of the loop, regardless of their number of connections. A user gets TURN_NS
 * of the scheduler's processor time in each turn, for requests in the order of their arrival. A
 * request is divided only as far as possible, so a user may get more. Such a user gets nothing
 * until later turns have compensated for it. The waiting time of a request therefore depends on the
 * number of users, not on what they send. This module reads no clock; times are arguments.
 *
 *     turns_begin(turns);
 *     while ((waiter = turns_next(turns)) != NULL) {
 *             ... the request, or a part that takes at most turns_left(), if it can be divided ...
 *             turns_charge(turns, waiter->uid, ns);
 *             if (the request is not complete)
 *                     turns_add(turns, waiter);
 *     }
 */
#ifndef SCHED_QMASTER_LOCAL_TURNS_H
#define SCHED_QMASTER_LOCAL_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TURN_NS 5000000		/* share of a user */

struct waiter {			/* Place of a request in the queue; memory of the caller. */
	struct waiter *next;
	uid_t uid;
	bool waits;		/* in the queue */
	/* for the caller: turn in which the request arrived, and `served` at that time */
	uint64_t since, served;
};

struct turn_user;

struct turns {			/* Zero-initialized. */
	struct waiter *first, *last;	/* queue */
	struct turn_user *users;	/* users that wait or have had too much */
	size_t n, capacity;
	uint64_t number, served;	/* turns so far; requests and parts of them served so far */
};

void turns_free(struct turns *turns);

/* Append a new or a continued request. */
void turns_add(struct turns *turns, struct waiter *waiter);
/* Remove a request, if it is in the queue. */
void turns_remove(struct turns *turns, struct waiter *waiter);
static inline bool turns_wait(const struct turns *turns)
{
	return turns->first != NULL;
}

void turns_begin(struct turns *turns);
/* Remove and return the next request whose user has a share left in this turn; NULL: none. */
struct waiter *turns_next(struct turns *turns);
uint64_t turns_left(const struct turns *turns, uid_t uid);	/* ns */
void turns_charge(struct turns *turns, uid_t uid, uint64_t ns);

#endif
