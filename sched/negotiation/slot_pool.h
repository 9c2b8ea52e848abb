/* SPDX-License-Identifier: Apache-2.0 */
/* Available slots of a cycle (pool.c) by class: free ones in lists, claimed ones in rows. */
#ifndef SCHED_NEGOTIATION_SLOT_POOL_H
#define SCHED_NEGOTIATION_SLOT_POOL_H

#include "sched/negotiation/clauses.h"

enum slot_place { PLACE_OUT, PLACE_FREE, PLACE_CLAIMED };

struct class_pool {
	uint32_t head, tail;		/* free slots, the best first; NONE */
	float pre, post;		/* ranks of the first one */
	uint32_t free, were_free;	/* now; at the beginning of the cycle */
	uint32_t claimed, nclaimed;	/* range in `claimed` */
	bool listed;
	double least_rank;		/* least CurrentRank of the claimed slots */
	/* Sorted claimed slots: first those that PREEMPTION_REQUIREMENTS may release */
	int64_t sorted_in;		/* cycle */
	uint32_t eligible;
	/* upper bound of the eligible slots' side of a comparison */
	double bound;
};

struct claim_facts {			/* facts about a claimed slot, in a cycle */
	int64_t cycle;
	float pre, post, preemption;
	/* PREEMPTION_REQUIREMENTS, as far as the slot alone decides. */
	enum clause_says says;
};

struct slot_node {
	float pre, post;		/* the slot's own ranks */
	uint32_t next, previous;	/* in its class; NONE */
};

struct slot_pool {
	/* enum slot_place of each slot; result of NEGOTIATOR_SLOT_CONSTRAINT */
	uint8_t *places, *visible;
	struct slot_node *nodes;	/* nodes of free slots, in the list of their class */
	/* Links of free slots of all classes in one list, the best first. Indexed by slot. */
	struct { uint32_t next, previous; } *walk;
	uint32_t walk_head;
	bool walks;			/* `walk` is maintained */
	uint32_t *order;		/* slots, the best of their class first */
	uint32_t *current;		/* current class of each slot */
	/* number of the list to which each slot has given a piece */
	uint64_t *gave;
	uint32_t *claimed;		/* slots by class */
	struct claim_facts *claims;	/* by slot */
	struct class_pool *classes;
	uint32_t *lists[2];		/* classes that have, or had, free and claimed slots */
	size_t nlists[2];
	size_t slots, nclasses;		/* capacities */
	uint64_t ordered;		/* version of the classes for which `order` is valid */
	size_t norder;
	size_t nfree, nclaimed, were_free, were_claimed;
	size_t by_rank;			/* claimed slots whose RANK may prefer another job */
	bool by_priority;		/* PREEMPTION_REQUIREMENTS can be true */
	bool lazy;			/* claimed slots need not all be evaluated for each list */
	bool ranks_hold;		/* ranks of claimed slots are the same in each cycle */
	/* number of slots that were added to a class during the cycle */
	uint32_t revived;
	double weight, least, counted;
	uint32_t trimmed;
};

#endif
