/* SPDX-License-Identifier: Apache-2.0 */
/* Of event.h: what is told of HTCondor's jobs, slots, claims, and of who is charged for them. */
#ifndef SCHED_MIRROR_EVENT_CONDOR_H
#define SCHED_MIRROR_EVENT_CONDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickets/customers.h"

/* Jobs */

enum condor_member { /* which members of a condor_spec are given; bits */
		     CONDOR_ACCOUNTING_GROUP = 1 << 0,
		     CONDOR_ACCOUNTING_GROUP_USER = 1 << 1,
		     CONDOR_UID_DOMAIN = 1 << 2,
		     CONDOR_NICE_USER = 1 << 3,
		     CONDOR_REQUIREMENTS = 1 << 4,
		     CONDOR_RANK = 1 << 5,
		     CONDOR_CONCURRENCY_LIMITS = 1 << 6,
		     CONDOR_KILL_SIG = 1 << 7,
		     CONDOR_REMOVE_KILL_SIG = 1 << 8,
		     CONDOR_HOLD_KILL_SIG = 1 << 9,
		     CONDOR_JOB_MAX_VACATE_TIME = 1 << 10,
		     CONDOR_MAX_JOB_RETIREMENT_TIME = 1 << 11,
		     CONDOR_AD = 1 << 12,
		     CONDOR_JOB_PRIO = 1 << 13,
		     CONDOR_PRE_JOB_PRIO1 = 1 << 14,
		     CONDOR_PRE_JOB_PRIO2 = 1 << 15,
		     CONDOR_POST_JOB_PRIO1 = 1 << 16,
		     CONDOR_POST_JOB_PRIO2 = 1 << 17,
		     CONDOR_CLUSTER = 1 << 18,
		     CONDOR_PROC = 1 << 19,
};

/* members that are attributes of the job's ad: bit CONDOR_REQUIREMENTS << i */
#define CONDOR_ATTRIBUTES 8

struct ad_attribute {
	const char *name;		/* letters, digits, _; no case */
	const char *expression;		/* conf/classad/classad.h */
};

struct ad_attributes {
	const struct ad_attribute *items;
	size_t n;
};

struct condor_spec {		/* what HTCondor's negotiation needs to know of a job */
	uint32_t given;			/* enum condor_member bits */
	/* NULL or "": none; the owner; the cell's UID_DOMAIN */
	const char *accounting_group, *accounting_group_user, *uid_domain;
	/*
	 * the group of the cell's NICE_USER_ACCOUNTING_GROUP_NAME and no retirement time, each
	 * unless something else is said
	 */
	bool nice_user;
	union {				/* expressions; NULL or "": none */
		struct {
			const char *requirements, *rank, *concurrency_limits, *kill_sig, *remove_kill_sig,
				*hold_kill_sig, *job_max_vacate_time, *max_job_retirement_time;
		};
		const char *attributes[CONDOR_ATTRIBUTES];
	};
	/*
	 * all others: none that has a member of its own, but for AccountingGroup, "group.user", in
	 * place of accounting_group and accounting_group_user
	 */
	struct ad_attributes ad;
	/* any number */
	int32_t job_prio;		/* not given: the job's `priority` */
	int32_t pre_job_prio1, pre_job_prio2, post_job_prio1, post_job_prio2;
	uint32_t cluster, proc;		/* not given: job number, task */
};

/* Slots */

/*
 * A slot as HTCondor has them, or a change of one: a queue instance of one slot, or, where the ad
 * is of a partitionable one, of as many as it has Cpus.
 */
struct slot_event {			/* slot; slot_remove: of one that goes its name */
	const char *slot;		/* "slot1@host" */
	const char *machine;		/* its host; NULL or "": what stands behind the last @ of `slot` */
	struct ad_attributes ad;
	/* among instances; UINT64_MAX: as it is, or behind all others */
	uint64_t place;
};

/*
 * A claim that the qmaster keeps for a submitter whose job it does not tell of. A task that is
 * started is a claim by itself.
 */
struct claim_event {
	const char *slot;
	const char *submitter;		/* "group.user@domain"; NULL or "": nobody has it any more */
	double weight;			/* >= 0; < 0: as the slot's ad says */
	int64_t since;			/* epoch seconds; 0: from when it is told */
	double current_rank;		/* RANK of the slot for what runs there */
	const char *concurrency_limits;	/* in use there; NULL or "": none */
	bool suspended;
	/* who waits for it, which is being vacated, and RANK for that; NULL or "": nobody */
	const char *preempting;
	double preempting_rank;
};

enum vacated_how { VACATED_UNSAID, VACATED_RETIRED, VACATED_SOFT, VACATED_HARD };

struct vacated_event {			/* a task gave back its slots, and waits again */
	uint32_t job_number, task;
	/* it ended within its retirement, on its signal, by SIGKILL */
	enum vacated_how how;
};

struct submitter_edit_event {		/* condor_userprio(1), "Options" */
	const char *customer;		/* NULL or "": EDIT_RESET_ALL */
	struct customer_edit edit;
};

/* Where a scheduler goes on */

/*
 * What HTCondor's accountant knows, in its own order; behind scheduler_state. The next run takes it
 * over.
 */
struct customer_event {			/* customer */
	const char *name;
	bool hidden;			/* it was deleted, and is not shown */
	uint32_t waited;		/* tasks that waited when the last run was over */
	struct customer values;		/* but for `group` and `changed` */
};

struct charge_values {			/* a slot, or a piece of one, that somebody is charged for */
	uint32_t job_number, task;	/* that runs there; 0, 0: a claim that was told */
	uint32_t cpus;			/* slots of the instance */
	bool is_ranked;			/* current_rank is known */
	bool free_of_charge;
	bool autoregroup;		/* matched in the root's turn */
	bool ordered;			/* its start is ordered, and not told yet */
	double weight, current_rank;
	/* of the match, of the claim, of the task; epoch seconds */
	int64_t since, begun, start;
	int64_t ended;			/* of the task, which is gone by now; 0: it is not */
	bool finished;			/* it did not give way, nor was deleted */
};

struct charge_event {			/* charged_slot */
	const char *slot, *customer;
	const char *negotiating_group;	/* with whose slice it was matched; NULL or "": none */
	struct charge_values values;
};

struct winner_values {			/* somebody for whom a slot is vacated */
	uint32_t job_number, task;	/* that have it; 0, 0: a claim that was told */
	uint32_t winner;		/* the job that is to have it; 0: none */
	bool autoregroup;
	double rank;
	int64_t since;			/* of the decision, epoch seconds */
};

struct winner_event {			/* winner */
	const char *slot, *customer, *negotiating_group;	/* as struct charge_event has them */
	struct winner_values values;
};

#endif
