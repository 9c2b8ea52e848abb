/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a generation holds of algorithm userprio: tables of sched/run/records.h. What is of a cycle
 * is of the last one, which may be some runs ago.
 */
#ifndef SCHED_RUN_RECORDS_USERPRIO_H
#define SCHED_RUN_RECORDS_USERPRIO_H

#include <stdint.h>

#include "shm/layout.h"

struct negotiation_record {			/* TABLE_NEGOTIATION: one */
	uint64_t cycle;				/* from 1; 0: there was none yet */
	int64_t begin, last_update;		/* epoch seconds; of the cycle, of user priorities; 0 */
	int64_t next;				/* when the next cycle is due at the latest; 0: unknown */
	uint64_t duration_ns, account_ns, quota_ns, slice_ns, match_ns;
	double pool_weight, pool_counted, least_weight;	/* of slots */
	uint32_t matches, preemptions, spins, rounds;
	uint32_t slots, trimmed;
	uint32_t submitters, customers;		/* that took part; that are known */
	double halflife;			/* seconds */
	uint32_t use_weights, consider_preemption;
};

struct customer_record {			/* TABLE_CUSTOMERS: groups first, breadth first, then by name */
	uint32_t name;				/* string id; the root is "<none>" */
	uint32_t group;				/* TABLE_CUSTOMERS: its group; of a group its parent */
	uint32_t is_group;
	uint32_t used;				/* slots */
	double rup, factor;
	double weight_used, tree_used;
	double accumulated, weight_accumulated;	/* seconds */
	int64_t begin, last;			/* of usage; 0 */
	int64_t ceiling, floor;			/* -1: none; 0: none */
	int64_t lease_until[3];			/* factor, ceiling, floor; 0: none */
	double lease_before[3];
	/* TABLE_SUBMITTERS, of a group TABLE_GROUPS; NONE: it took no part in the cycle */
	uint32_t took_part;
	uint32_t pad;
};

struct submitter_record {			/* TABLE_SUBMITTERS: those of the last cycle, in order of contact */
	uint32_t customer;			/* TABLE_CUSTOMERS */
	uint32_t group;				/* TABLE_GROUPS: in which it was served */
	uint32_t idle, running;			/* tasks */
	double weight_idle, weight_running;
	double share, slice, limit;		/* sched/negotiation/negotiation.h */
	uint32_t spins, visits, matches, preemptions, rejected;
	uint32_t stop;				/* enum stop */
};

struct group_record {				/* TABLE_GROUPS: breadth first, the root first */
	uint32_t customer;			/* TABLE_CUSTOMERS */
	uint32_t parent;			/* TABLE_GROUPS; of the root itself */
	double configured, quota, subtree_quota;
	double requested, first_allocated, allocated;	/* at the beginning; of the first and the last round */
	double uncut, limit; /* weight that it could use; as it was cut; < 0: it was not negotiated with */
	double tree_used;
	double sort_key;
	uint32_t is_static, accepts_surplus, autoregroup;
	uint32_t capped_by;			/* TABLE_GROUPS; NONE */
	uint32_t order;				/* of service, from 1; 0 */
	/* string ids: the macros that say so; NONE: the default */
	uint32_t quota_by, surplus_by, autoregroup_by;
};

struct slot_record {				/* TABLE_SLOTS: in the order of the list */
	uint32_t name;				/* string id */
	uint32_t state;				/* enum slot_state of sched/negotiation/negotiation.h */
	uint32_t customer, preempting;		/* TABLE_CUSTOMERS; NONE */
	double weight, current_rank;
	int64_t since;				/* of the claim, epoch seconds; 0 */
	uint32_t job, task;			/* that runs there; 0 */
	uint32_t winner_job, winner_task;	/* that waits for it; 0 */
};

struct contact_record {				/* TABLE_CONTACTS: visits of the cycle, in order */
	uint32_t submitter;			/* TABLE_SUBMITTERS */
	uint32_t group;				/* TABLE_GROUPS */
	uint32_t spin, pad;
};

struct match_record {				/* TABLE_MATCHES: of the cycle, in order */
	uint32_t submitter;			/* TABLE_SUBMITTERS */
	uint32_t slot;				/* TABLE_SLOTS; NONE: a piece that there is no more */
	uint32_t job, task;
	uint32_t preemption;			/* enum preemption of sched/negotiation/negotiation.h */
	uint32_t loser;				/* TABLE_CUSTOMERS; NONE: nobody had to go */
	uint32_t loser_job, loser_task;		/* 0: a claim that was told */
	double weight, rank;
};

struct limit_record {				/* TABLE_LIMITS: concurrency limits in use, by name */
	uint32_t name;				/* string id */
	uint32_t pad;
	double most, used;
};

struct refusal_record {				/* TABLE_REFUSALS: why a class of a submitter's jobs did not start */
	uint32_t refusal;			/* enum refusal */
	uint32_t slots, by_job, by_slot, by_caller, claimed;
	uint32_t limit;				/* TABLE_LIMITS; NONE */
	uint32_t pad;
	double units;				/* of the limit, that it needs */
};

struct userprio_results {			/* of each job; behind struct job_results */
	uint32_t customer[CHUNK_ROWS];		/* TABLE_CUSTOMERS */
	uint32_t place[CHUNK_ROWS];		/* in the order of its submitter's jobs, from 1; 0: none */
	uint32_t refusal[CHUNK_ROWS];		/* TABLE_REFUSALS; NONE: it was not looked at */
};

#endif
