/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of associations that no tree has: what a store gives back before it is known whom it
 * belongs to, what a reload of the cell carries over, and what was used by those whom the cell no
 * longer has, so that somebody who is removed and added again goes on where he was. With it goes
 * the clock by which it decayed. An association is known by its names.
 */
#ifndef SCHED_POLICY_MULTIFACTOR_PAST_H
#define SCHED_POLICY_MULTIFACTOR_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm/strings.h"

struct past_usage {
	uint32_t account, user, partition;	/* string ids, held; NONE */
	long double usage;		/* raw, TRES seconds */
	int64_t time_stamp;		/* up to when it is decayed, epoch seconds */
};

struct decay {				/* of all usage of a tree */
	int64_t since, until;		/* epoch seconds */
	double left;			/* what it was multiplied by: 0..1 */
};

struct past {
	struct past_usage *items;
	size_t n, capacity;
	/*
	 * that a store has seen, in their order: older usage goes through them step by step, to the
	 * same bits
	 */
	struct decay *decays;
	size_t ndecays, decays_capacity;
	/* of the tree that was last in force, see struct multifactor; 0: unknown */
	int64_t pass, last_reset;
	bool passed;
	bool changed;			/* since it was last stored */
};

/* One more. The names are those of no other, as the cell spells them; "": none. -ENOMEM. */
int past_add(struct past *past, struct strings *strings, const char *const names[3], long double usage,
	     int64_t time_stamp);
int past_add_decay(struct past *past, const struct decay *decay);
void past_free(struct past *past, struct strings *strings);

struct multifactor;

/*
 * Room for all usage of a tree (NULL: there is none), so that the next past_leave() cannot fail.
 * -ENOMEM.
 */
int past_reserve(struct past *past, const struct multifactor *multifactor);

/* All usage of a tree that goes out of force, and its clock. There is room. */
void past_leave(struct past *past, struct strings *strings, const struct multifactor *multifactor);

/*
 * Give a tree what its users have used, decayed as long as nobody had it; the rest stays. Accounts
 * are not summed up.
 */
void past_take(struct past *past, struct strings *strings, struct multifactor *multifactor);

#endif
