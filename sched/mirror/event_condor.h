/* SPDX-License-Identifier: Apache-2.0 */
/* Part of event.h: HTCondor's jobs, slots and claims, and the state of its accountant. */
#ifndef SCHED_MIRROR_EVENT_CONDOR_H
#define SCHED_MIRROR_EVENT_CONDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickets/customers.h"

/* Jobs */

enum condor_member { /* bits of condor_spec.given: members that are set */
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
	const char *name;		/* letters, digits, _; case is ignored */
	const char *expression;		/* conf/classad/classad.h */
};

struct ad_attributes {
	const struct ad_attribute *items;
	size_t n;
};

struct condor_spec {		/* properties of a job for HTCondor's negotiation */
	uint32_t given;			/* enum condor_member bits */
	/* NULL or "": none; the owner; the cell's UID_DOMAIN */
	const char *accounting_group, *accounting_group_user, *uid_domain;
	/*
	 * group NICE_USER_ACCOUNTING_GROUP_NAME of the cell and no retirement time, each unless
	 * another value is set
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
	 * remaining attributes, without those that have a member of their own. AccountingGroup,
	 * "group.user", replaces accounting_group and accounting_group_user
	 */
	struct ad_attributes ad;
	/* any number */
	int32_t job_prio;		/* default: the job's `priority` */
	int32_t pre_job_prio1, pre_job_prio2, post_job_prio1, post_job_prio2;
	uint32_t cluster, proc;		/* defaults: job number, task */
};

/* Slots */

/*
 * A slot of HTCondor, or a change of one. It is a queue instance of one slot. If the ad is that of
 * a partitionable slot, the instance has as many slots as the ad has Cpus.
 */
struct slot_event {			/* slot; slot_remove: only its name */
	const char *slot;		/* "slot1@host" */
	/* host; NULL or "": the part of `slot` after the last @ */
	const char *machine;
	struct ad_attributes ad;
	/* order among instances; UINT64_MAX: unchanged, or after all others */
	uint64_t place;
};

/*
 * A claim that the qmaster keeps for a submitter whose job it does not report. A started task is a
 * claim by itself.
 */
struct claim_event {
	const char *slot;
	const char *submitter;		/* "group.user@domain"; NULL or "": the claim has ended */
	double weight;			/* >= 0; < 0: as in the slot's ad */
	int64_t since;			/* epoch seconds; 0: time of the event */
	double current_rank;		/* RANK of the slot for its job */
	const char *concurrency_limits;	/* limits in use there; NULL or "": none */
	bool suspended;
	/* submitter for which the slot is being vacated, and its RANK; NULL or "": none */
	const char *preempting;
	double preempting_rank;
};

enum vacated_how { VACATED_UNSAID, VACATED_RETIRED, VACATED_SOFT, VACATED_HARD };

struct vacated_event {			/* a task has released its slots and is pending again */
	uint32_t job_number, task;
	/* end of the task: within its retirement, on its signal, or by SIGKILL */
	enum vacated_how how;
};

struct submitter_edit_event {		/* condor_userprio(1), "Options" */
	const char *customer;		/* NULL or "": EDIT_RESET_ALL */
	struct customer_edit edit;
};

/* State from which a scheduler continues */

/*
 * A customer of HTCondor's accountant, in the accountant's order. Reported after scheduler_state.
 * The next run takes it over.
 */
struct customer_event {			/* customer */
	const char *name;
	bool hidden;			/* deleted and not shown */
	uint32_t waited;		/* pending tasks at the end of the last run */
	struct customer values;		/* without `group` and `changed` */
};

/* a slot, or a dynamic slot, that is charged to a customer */
struct charge_values {
	uint32_t job_number, task;	/* task that runs there; 0, 0: a reported claim */
	uint32_t cpus;			/* slots of the instance */
	bool is_ranked;			/* current_rank is known */
	bool free_of_charge;
	bool autoregroup;		/* matched in the turn of the root group */
	bool ordered;			/* start is ordered and not reported yet */
	double weight, current_rank;
	/* times of the match, of the claim, of the task; epoch seconds */
	int64_t since, begun, start;
	int64_t ended;			/* end of the task, if it is gone by now; 0: it is not */
	bool finished;			/* neither preempted nor deleted */
};

struct charge_event {			/* charged_slot */
	const char *slot, *customer;
	/* group whose slice was used for the match; NULL or "": none */
	const char *negotiating_group;
	struct charge_values values;
};

struct winner_values {			/* a match for which a slot is vacated */
	uint32_t job_number, task;	/* task that has the slot; 0, 0: a reported claim */
	uint32_t winner;		/* job that gets the slot; 0: none */
	bool autoregroup;
	double rank;
	int64_t since;			/* time of the decision, epoch seconds */
};

struct winner_event {			/* winner */
	const char *slot, *customer, *negotiating_group;	/* see struct charge_event */
	struct winner_values values;
};

#endif
