/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of associations that are not in the active tree. A store returns usage before its owner is
 * known, a reload of the cell carries usage over, and removed associations leave usage. If a
 * removed association is added again, it continues with its old usage. The clock by which usage
 * decayed is kept with it. An association is identified by its names.
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
	int64_t time_stamp;		/* time up to which it is decayed, epoch seconds */
};

struct decay {				/* a decay of all usage of a tree */
	int64_t since, until;		/* epoch seconds */
	double left;			/* factor by which usage was multiplied: 0..1 */
};

struct past {
	struct past_usage *items;
	size_t n, capacity;
	/*
	 * Decays that were stored, in their order. Older usage is decayed by them step by step, so
	 * that the bits are the same.
	 */
	struct decay *decays;
	size_t ndecays, decays_capacity;
	/* Clock of the tree that was last active, see struct multifactor; 0: unknown. */
	int64_t pass, last_reset;
	bool passed;
	bool changed;			/* since it was last stored */
};

/*
 * Add the usage of an association. No other entry has these names, spelled as in the cell; "" is an
 * empty name. -ENOMEM.
 */
int past_add(struct past *past, struct strings *strings, const char *const names[3], long double usage,
	     int64_t time_stamp);
int past_add_decay(struct past *past, const struct decay *decay);
void past_free(struct past *past, struct strings *strings);

struct multifactor;

/* Reserve room for all usage of a tree (NULL: none), so that past_leave() cannot fail. -ENOMEM. */
int past_reserve(struct past *past, const struct multifactor *multifactor);

/* Take all usage of a tree that becomes inactive, and its clock. Room was reserved. */
void past_leave(struct past *past, struct strings *strings, const struct multifactor *multifactor);

/*
 * Move usage to the users of a tree, decayed for the time in which no tree had it. Usage of other
 * users stays. Accounts are not summed up.
 */
void past_take(struct past *past, struct strings *strings, struct multifactor *multifactor);

#endif
