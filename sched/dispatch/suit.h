/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queue instances that somebody names, by what qstat(1) has for it, and whether a request could go
 * to one of them: as they are configured and loaded, as if nothing were booked. For who shows a run
 * rather than makes one, between two runs, behind dispatch_look_ahead().
 */
#ifndef SCHED_DISPATCH_SUIT_H
#define SCHED_DISPATCH_SUIT_H

#include "sched/dispatch/dispatch.h"

struct suit_wishes {			/* all of which must be so; NULL, 0: nothing is wished */
	const char *queues;		/* -q: QUEUE, QUEUE@HOST, QUEUE@@GROUP, patterns, commas between */
	const char *resources;		/* -l: offered there */
	const char *const *pes;		/* -pe: one of these, names or patterns, is in its pe_list */
	size_t npes;
	const char *const *users;	/* -U: one of these users and @groups may use it */
	size_t nusers;
};

/*
 * By instance, whether it is meant. -ENOENT: none is, with the sentence; -EINVAL: there is no such
 * resource; -ENOMEM.
 */
int suit_choose(struct dispatch *dispatch, const struct suit_wishes *wishes, unsigned char *chosen,
		struct error *error);

/* Could a task of this request start on one of those chosen? -ENOMEM. */
int suit_request(struct dispatch *dispatch, const struct category_facts *facts, const unsigned char *chosen,
		 bool *suits);

#endif
