/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a generation for algorithm userprio (sched/run/records.h). Values of a cycle belong to
 * the last cycle, which may be some runs ago.
 */
#ifndef SCHED_RUN_RECORDS_USERPRIO_H
#define SCHED_RUN_RECORDS_USERPRIO_H

#include <stdint.h>

#include "shm/layout.h"

struct negotiation_record {			/* TABLE_NEGOTIATION: one record */
	uint64_t cycle;				/* from 1; 0: no cycle yet */
	/* epoch seconds; of the cycle, of user priorities; 0 */
	int64_t begin, last_update;
	int64_t next;				/* latest time of the next cycle; 0: unknown */
	uint64_t duration_ns, account_ns, quota_ns, slice_ns, match_ns;
	double pool_weight, pool_counted, least_weight;	/* weights of slots */
	uint32_t matches, preemptions, spins, rounds;
	uint32_t slots, trimmed;
	uint32_t submitters, customers;		/* considered submitters; known customers */
	double halflife;			/* seconds */
	uint32_t use_weights, consider_preemption;
};

/* TABLE_CUSTOMERS: groups first, breadth first, then by name */
struct customer_record {
	uint32_t name;				/* string id; the root is "<none>" */
	uint32_t group;				/* TABLE_CUSTOMERS: its group; parent of a group */
	uint32_t is_group;
	uint32_t used;				/* slots */
	double rup, factor;
	double weight_used, tree_used;
	double accumulated, weight_accumulated;	/* seconds */
	int64_t begin, last;			/* times of usage; 0 */
	int64_t ceiling, floor;			/* -1: none; 0: none */
	int64_t lease_until[3];			/* factor, ceiling, floor; 0: none */
	double lease_before[3];
	/*
	 * index in TABLE_SUBMITTERS, of a group in TABLE_GROUPS; NONE: not considered in the cycle
	 */
	uint32_t took_part;
	uint32_t pad;
};

/* TABLE_SUBMITTERS: submitters of the last cycle, in order of contact */
struct submitter_record {
	uint32_t customer;			/* TABLE_CUSTOMERS */
	uint32_t group;				/* TABLE_GROUPS: group in which it was served */
	uint32_t idle, running;			/* tasks */
	double weight_idle, weight_running;
	double share, slice, limit;		/* sched/negotiation/negotiation.h */
	uint32_t spins, visits, matches, preemptions, rejected;
	uint32_t stop;				/* enum stop */
};

struct group_record {				/* TABLE_GROUPS: breadth first, the root first */
	uint32_t customer;			/* TABLE_CUSTOMERS */
	uint32_t parent;			/* TABLE_GROUPS; the root refers to itself */
	double configured, quota, subtree_quota;
	/* at the beginning; of the first and the last round */
	double requested, first_allocated, allocated;
	/* weight that it could use; same after the cut; < 0: not negotiated with */
	double uncut, limit;
	double tree_used;
	double sort_key;
	uint32_t is_static, accepts_surplus, autoregroup;
	uint32_t capped_by;			/* TABLE_GROUPS; NONE */
	uint32_t order;				/* order of service, from 1; 0: not served */
	/* string ids: the macros that set it; NONE: the default */
	uint32_t quota_by, surplus_by, autoregroup_by;
};

struct slot_record {				/* TABLE_SLOTS: in the order of the list */
	uint32_t name;				/* string id */
	/* enum slot_state of sched/negotiation/negotiation.h */
	uint32_t state;
	uint32_t customer, preempting;		/* TABLE_CUSTOMERS; NONE */
	double weight, current_rank;
	int64_t since;				/* begin of the claim, epoch seconds; 0 */
	uint32_t job, task;			/* running job and task; 0 */
	uint32_t winner_job, winner_task;	/* job and task that wait for the slot; 0 */
};

struct contact_record {				/* TABLE_CONTACTS: visits of the cycle, in order */
	uint32_t submitter;			/* TABLE_SUBMITTERS */
	uint32_t group;				/* TABLE_GROUPS */
	uint32_t spin, pad;
};

struct match_record {				/* TABLE_MATCHES: matches of the cycle, in order */
	uint32_t submitter;			/* TABLE_SUBMITTERS */
	/* TABLE_SLOTS; NONE: a dynamic slot that no longer exists */
	uint32_t slot;
	uint32_t job, task;
	/* enum preemption of sched/negotiation/negotiation.h */
	uint32_t preemption;
	uint32_t loser;				/* TABLE_CUSTOMERS; NONE: no job was preempted */
	uint32_t loser_job, loser_task;		/* 0: a claim without a reported job */
	double weight, rank;
};

/* TABLE_LIMITS: concurrency limits in use, by name */
struct limit_record {
	uint32_t name;				/* string id */
	uint32_t pad;
	double most, used;
};

/* TABLE_REFUSALS: why a class of a submitter's jobs did not start */
struct refusal_record {
	uint32_t refusal;			/* enum refusal */
	uint32_t slots, by_job, by_slot, by_caller, claimed;
	uint32_t limit;				/* TABLE_LIMITS; NONE */
	uint32_t pad;
	double units;				/* units of the limit that the class needs */
};

struct userprio_results {			/* columns of each job, after struct job_results */
	uint32_t customer[CHUNK_ROWS];		/* TABLE_CUSTOMERS */
	/* position among its submitter's jobs, from 1; 0: none */
	uint32_t place[CHUNK_ROWS];
	uint32_t refusal[CHUNK_ROWS];		/* TABLE_REFUSALS; NONE: the job was not examined */
};

#endif
