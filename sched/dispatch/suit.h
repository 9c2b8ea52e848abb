/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queue instances that a user selects with options of qstat(1), and whether a request could go to
 * one of them. Configuration and load count, bookings do not. For programs that show a run, between
 * two runs, after dispatch_look_ahead().
 */
#ifndef SCHED_DISPATCH_SUIT_H
#define SCHED_DISPATCH_SUIT_H

#include "sched/dispatch/dispatch.h"

/* conditions, which must all be satisfied; NULL, 0: no condition */
struct suit_wishes {
	/* -q: QUEUE, QUEUE@HOST, QUEUE@@GROUP, patterns, separated by commas */
	const char *queues;
	const char *resources;		/* -l: must be offered */
	const char *const *pes;		/* -pe: one of these names or patterns must be in pe_list */
	size_t npes;
	const char *const *users;	/* -U: one of these users and @groups must be admitted */
	size_t nusers;
};

/*
 * Set chosen[i] to whether instance i is selected. Return 0, -ENOENT with a message if none is,
 * -EINVAL if a resource does not exist, or -ENOMEM.
 */
int suit_choose(struct dispatch *dispatch, const struct suit_wishes *wishes, unsigned char *chosen,
		struct error *error);

/*
 * Find out whether a task of this request could start on one of the chosen instances. Return 0 or
 * -ENOMEM.
 */
int suit_request(struct dispatch *dispatch, const struct category_facts *facts, const unsigned char *chosen,
		 bool *suits);

#endif
