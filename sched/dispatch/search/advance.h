/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advance reservations in a run: qrsub(1). From its begin to its end a reservation keeps the slots
 * that were granted to it, and the consumables that it requests by name. For all other jobs these
 * are booked in time, as if a task ran there. Its own jobs find exactly these amounts in each of
 * its queue instances. The amounts left on hosts and in the cluster, quotas and default
 * consumptions do not apply to them. Attributes that are not consumable apply as for all jobs.
 *
 *     advance_find(advances, number)      the reservation of a category with -ar
 *     category_offer(...)                 what an object offers to a category: in an advance
 *                                         reservation the amount that is kept there
 */
#ifndef SCHED_DISPATCH_ADVANCE_H
#define SCHED_DISPATCH_ADVANCE_H

#include "conf/base/index.h"
#include "sched/dispatch/search/category.h"

struct advance_reservation;
struct strings;

struct advance_place {			/* a queue instance in which it has slots */
	uint32_t instance;
	bool master;			/* first instance of the grant */
	uint32_t slots;
};

struct advance {
	uint32_t number;
	const struct advance_reservation *reported;	/* record of the mirror */
	/*
	 * Category of a job with the same requests, and which of its consumables the reservation
	 * keeps for its jobs.
	 */
	struct category category;
	bool *keeps;			/* indexed like cluster->consumables */
	struct strlist access, no_access;
	uint32_t pe;			/* index into cell->pes; NONE */
	struct advance_place *places;	/* sorted by instance */
	size_t nplaces;
	uint32_t first_place;		/* number of the first place, over all reservations */
	struct offer *offers;		/* per place and consumable */
};

struct advances {
	struct advance *items;
	size_t n;
	struct strings *strings;	/* borrowed */
	uint32_t nplaces;		/* total of all reservations */
	struct index index;		/* index of `numbers` */
	uint32_t *numbers;
};

/* Return the reservation with a number, or NULL. */
struct advance *advance_find(const struct advances *advances, uint32_t number);

/* Return whether this user, with this group, may use the reservation. */
bool advance_admits(const struct cell *cell, const struct advance *advance, const char *user,
		    const char *group);
bool advance_has(const struct advance *advance, uint32_t instance);
/* Return whether the reservation has an instance of a cluster queue. */
bool advance_has_queue(const struct advance *advance, const struct cluster *cluster, uint32_t queue);

/* Return the offer of consumable k that the reservation has in an instance, or NULL. */
struct offer *advance_offer(const struct advance *advance, const struct cluster *cluster, size_t k, uint32_t instance);
/* Return the number of its place on an instance, over all reservations, or NONE. */
uint32_t advance_place(const struct advance *advance, uint32_t instance);

/*
 * Get the run time limit for jobs in a reservation: its own duration, whatever the queue's limit
 * is. False: the complex is not h_rt or s_rt.
 */
bool advance_lasts(const struct advance *advance, const char *complex, double *seconds);

static inline struct offer *category_offer(const struct cluster *cluster, const struct category *category,
					   struct column *column, enum level level, uint32_t object)
{
	if (!category->advance || column->complex->consumable == CONSUMABLE_NO)
		return column_offer(column, level, object);
	if (level != LEVEL_QUEUE || column->consumable == UINT32_MAX)
		return NULL;
	return advance_offer(category->advance, cluster, column->consumable, object);
}

#endif
