/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `algorithm userprio`: HTCondor's user priorities and negotiation, as a policy (policy.c).
 *
 *     configure   configure.c    read the cell without changing the active configuration
 *     collect     policy.c       eligible tasks in the order of the list: run_collect_listed()
 *                 submitters.c   the submitter of each job
 *     account     claims.c       the submitter that is charged for each slot, from when to when
 *                 accountant.c   customers by name; past.c: the state of a pool's own accountant
 *     tickets     sequence.c     submitters by priority, and the jobs of each in their order
 *     normalize   policy.c       the list in the order that readers see
 *     negotiate   negotiate.c    decide whether a cycle is due. If not, start only tasks that
 *                                have their slot already:
 *                 winners.c      tasks for which a slot was vacated
 *                 worklife.c     the next jobs of claims that are still valid
 *                 slots.c        slots that can be claimed: reported slots, instances as
 *                                partitionable slots, pieces of both; slot_ads.c: their ads
 *                 ad_classes.c   jobs with the same attributes in their ads
 *                 requests.c     requests of submitters
 *                 matches.c      start the matches that the cycle (sched/negotiation/) has found:
 *                                starts.c
 *                 vacate.c       the time that a preempted task has to end
 *     publish     publish.c      the tables of records_userprio.h
 *     resume      resume.c       the state of another scheduler
 *     rows        rows.c         save and load customers, leases and claims
 *     edit        edits.c        changes by operators
 *
 * inside.h has the declarations that these files share.
 */
#ifndef SCHED_POLICY_USERPRIO_USERPRIO_H
#define SCHED_POLICY_USERPRIO_USERPRIO_H

#include "sched/negotiation/negotiation.h"
#include "sched/policy/policy.h"
#include "sched/policy/userprio/accountant.h"

struct userprio_cell;			/* made for each configuration: inside.h */

struct cycle_times {			/* epoch seconds; 0: never */
	int64_t number;			/* number of the last cycle, from 1; 0: no cycle yet */
	int64_t begin, end;
};

struct userprio_numbers {		/* numbers stored beside the rows */
	int64_t last_update;
	struct cycle_times cycle;
};

/* A customer before an edit. Kept until the edit is stored, or a run has used it. */
struct edited_customer {
	uint32_t name;			/* string id, held */
	struct customer before;
	bool hidden, stored;
};

struct userprio_edits {
	struct edited_customer *items;	/* the latest edits last */
	size_t n;
};

struct winner {				/* job for which a slot is vacated */
	/* job whose task starts then; 0: none, the slot only becomes free */
	uint32_t job;
	uint32_t customer;
	double rank;			/* rank of the slot for that job */
	uint32_t negotiating_group;
	bool autoregroup;
	int64_t since;			/* time of the decision, epoch seconds */
};

struct winners {
	struct pool keys;		/* struct claim_key: the claim that has to end first */
	struct winner *items;
	size_t capacity;
};

struct userprio_policy {
	struct policy policy;
	const struct condor_conf *conf;	/* active configuration; NULL: another policy is active */
	struct userprio_cell *in_force;	/* NULL: another policy is active */
	struct userprio_cell *prepared;	/* for a configuration that is not active yet; NULL */
	struct accountant accountant;
	struct cycle_times cycle;
	struct winners winners;
	/* a run was made, so the initial state in the configuration no longer matters */
	bool begun;
	bool loaded;			/* rows were loaded, and the policy continues from them */
	/* The qmaster has reported its state since the rows were loaded: claims.c */
	bool is_reported;
	struct userprio_numbers saving, saved;	/* rows.c: as saved last, and as stored */
	struct userprio_edits edits;
};

extern const struct policy_kind userprio_policy;

/* rows.c */
extern const struct policy_rows userprio_rows;
/* migrate.c */
extern const struct policy_file userprio_file;
extern const struct policy_migration userprio_migration;
/* edits.c: functions `edit` and `unedit` of struct policy_kind */
int userprio_edit(struct policy *policy, struct run *run, const char *customer, const struct customer_edit *edit,
		  int64_t now, struct error *error);
void userprio_unedit(struct policy *policy, struct run *run);
/* Make the edits permanent: stored, or used by a run. Also called by destroy(). */
void userprio_edits_settle(struct userprio_policy *policy, struct strings *strings);
/*
 * edits.c: apply PURGE_AFTER_DAYS. Removes customers at the least priority, without any setting,
 * whose last use is that many days ago. Acts only in a cycle on another day (UTC) than the last
 * update before it. `last`: time of that update, epoch seconds.
 */
void userprio_purge(struct userprio_policy *policy, struct run *run, int64_t last);
/*
 * past.c: take over the state in DIR/userprio if no customer is known and no priority has ever been
 * updated. The policy is active. -ENOMEM: a part has been taken over.
 */
int userprio_take_over(struct userprio_policy *policy, struct run *run);
/*
 * past.c: correct the slots in use of customers and groups where they differ from the sum of their
 * claims, for example because the groups have changed.
 */
void userprio_agree(struct userprio_policy *policy);

#endif
