/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be had in a cycle (pool.c): slots by class, free ones in lists, claimed ones in rows.
 */
#ifndef SCHED_NEGOTIATION_SLOT_POOL_H
#define SCHED_NEGOTIATION_SLOT_POOL_H

#include "sched/negotiation/clauses.h"

enum slot_place { PLACE_OUT, PLACE_FREE, PLACE_CLAIMED };

struct class_pool {
	uint32_t head, tail;		/* free slots, the best in front; NONE */
	float pre, post;		/* of the one in front */
	uint32_t free, were_free;	/* now; at the begin of the cycle */
	uint32_t claimed, nclaimed;	/* where they stand in `claimed` */
	bool listed;
	double least_rank;		/* least CurrentRank of the claimed ones */
	/* claimed ones in order, those in front that PREEMPTION_REQUIREMENTS may let go */
	int64_t sorted_in;		/* cycle */
	uint32_t eligible;
	double bound;			/* no eligible one's side of a comparison is above it */
};

struct claim_facts {			/* of a claimed slot, in a cycle */
	int64_t cycle;
	float pre, post, preemption;
	/* PREEMPTION_REQUIREMENTS, as far as the slot alone decides */
	enum clause_says says;
};

struct slot_node {
	float pre, post;		/* the slot's own ranks */
	uint32_t next, previous;	/* of the class; NONE */
};

struct slot_pool {
	uint8_t *places, *visible;	/* by slot: enum slot_place; NEGOTIATOR_SLOT_CONSTRAINT */
	struct slot_node *nodes;	/* by slot: free ones, in the list of their class */
	/* by slot: free ones of all classes in one list, the best in front */
	struct { uint32_t next, previous; } *walk;
	uint32_t walk_head;
	bool walks;			/* this list is kept */
	uint32_t *order;		/* slots, best of their class in front */
	uint32_t *current;		/* class in which a slot stands now, by slot */
	uint64_t *gave;			/* list that it has given a piece, by slot */
	uint32_t *claimed;		/* slots by class */
	struct claim_facts *claims;	/* by slot */
	struct class_pool *classes;
	uint32_t *lists[2];		/* classes that have, or had, free and claimed slots */
	size_t nlists[2];
	size_t slots, nclasses;		/* that there is room for */
	uint64_t ordered;		/* version of the classes that `order` is of */
	size_t norder;
	size_t nfree, nclaimed, were_free, were_claimed;
	size_t by_rank;			/* claimed slots whose RANK may prefer somebody */
	bool by_priority;		/* PREEMPTION_REQUIREMENTS can be true */
	bool lazy;			/* claimed ones need not all be looked at for each list */
	bool ranks_hold;		/* ranks of claimed slots are the same in each cycle */
	/* counts slots that have come into a class during the cycle */
	uint32_t revived;
	double weight, least, counted;
	uint32_t trimmed;
};

#endif
