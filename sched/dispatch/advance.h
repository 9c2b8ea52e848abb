/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advance reservations in a run: qrsub(1). From its beginning to its end a reservation has the
 * slots that were granted to it, and the consumables that it asks for by name; for all others they
 * are booked in time, as if a task ran there. Its jobs find exactly this, in each of its queue
 * instances: what hosts and the cluster have left is none of their business, nor are quotas, nor
 * what a consumable takes by default. Whatever is no consumable counts for them as for all jobs.
 *
 *     advances_begin(d, run)              a run begins: what is reserved is booked
 *     dispatch_advance(d, number)          that of a category with -ar
 *     category_offer(...)                 what an object has for a category: in an advance
 *                                         reservation that which is kept free there
 */
#ifndef SCHED_DISPATCH_ADVANCE_H
#define SCHED_DISPATCH_ADVANCE_H

#include "conf/index.h"
#include "sched/dispatch/search/search.h"

struct advance_reservation;
struct run;

struct advance_place {			/* a queue instance in which it has slots */
	uint32_t instance;
	bool master;			/* the first one granted */
	uint32_t slots;
};

struct advance {
	uint32_t number;
	const struct advance_reservation *told;	/* the mirror's */
	/* what a job would be that takes what it takes; and what of that it keeps for its jobs */
	struct category category;
	bool *keeps;			/* for each of cluster->consumables */
	struct strlist access, no_access;
	uint32_t pe;			/* of cell->pes; NONE */
	struct advance_place *places;	/* by instance */
	size_t nplaces;
	uint32_t first_place;		/* in the count of all */
	struct offer *offers;		/* by place and consumable */
};

struct advances {
	struct advance *items;
	size_t n;
	uint32_t nplaces;		/* of all */
	struct index index;		/* by number */
	uint32_t *numbers;
};

/* All that were told, booked. -ENOMEM. */
int advances_begin(struct dispatch *dispatch, const struct run *run);
void advances_free(struct dispatch *dispatch);

/* NULL: there is none of this number. */
struct advance *dispatch_advance(const struct dispatch *dispatch, uint32_t number);

/* Has it begun, and can something start in it? Else the reason is noted. */
bool advance_is_open(struct search *search);
/* May this user, of this group, use it? */
bool advance_admits(const struct dispatch *dispatch, const struct advance *advance, const char *user,
		    const char *group);
bool advance_has(const struct advance *advance, uint32_t instance);
/* Any instance of a cluster queue? */
bool advance_has_queue(const struct dispatch *dispatch, const struct advance *advance, uint32_t queue);

/* What it has of the k-th consumable in an instance; NULL: none. */
struct offer *advance_offer(const struct advance *advance, const struct cluster *cluster, size_t k, uint32_t instance);
/* The number of a place of it among all; NONE. */
uint32_t advance_place(const struct advance *advance, uint32_t instance);

/*
 * The time that jobs may run in its places: whatever the queue says, as long as it lasts itself. False:
 * the complex is about something else.
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
