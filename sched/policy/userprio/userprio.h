/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `algorithm userprio`: HTCondor's user priorities and negotiation, as a policy (policy.c).
 *
 *     configure   configure.c    what the cell says, beside what is in force
 *     collect     policy.c       who takes part, in the order of the list: run_collect_listed();
 *                 submitters.c   who submits what
 *     account     claims.c       who is charged for which slot, from when to when
 *                 accountant.c   customers by name; past.c: where a pool's own accountant has left
 *                                off
 *     tickets     sequence.c     submitters by priority, each one's jobs in its order
 *     normalize   policy.c       the list as readers are shown it
 *     negotiate   negotiate.c    is a cycle due? Else only what has its slot already starts:
 *                 winners.c      those for whom one was vacated
 *                 worklife.c     the next jobs of claims that are still good
 *                 slots.c        what can be claimed: told slots, instances as partitionable slots,
 *                                pieces of them; slot_ads.c: their ads
 *                 ad_classes.c   jobs alike in all that their ads say
 *                 requests.c     what submitters ask for
 *                 matches.c      what the cycle (sched/negotiation/) has found becomes starts:
 *                                starts.c
 *                 vacate.c       and what those who have to go are given to end
 *     publish     publish.c      the tables of records_userprio.h
 *     resume      resume.c       where another scheduler has left off
 *     rows        rows.c         customers, leases and claims, to the store and back
 *     edit        edits.c        what operators change
 *
 * inside.h is what these files share.
 */
#ifndef SCHED_POLICY_USERPRIO_USERPRIO_H
#define SCHED_POLICY_USERPRIO_USERPRIO_H

#include "sched/negotiation/negotiation.h"
#include "sched/policy/policy.h"
#include "sched/policy/userprio/accountant.h"

struct userprio_cell;			/* what is made for a cell: inside.h */

struct cycle_times {			/* epoch seconds; 0: never */
	int64_t number;			/* of the last cycle, from 1; 0: there was none */
	int64_t begin, end;
};

struct userprio_numbers {		/* what is stored beside rows */
	int64_t last_update;
	struct cycle_times cycle;
};

/* What an edit has changed, as it was before: until that is stored, or a run goes by it. */
struct edited_customer {
	uint32_t name;			/* string id, held */
	struct customer before;
	bool hidden, stored;
};

struct userprio_edits {
	struct edited_customer *items;	/* the last ones last */
	size_t n;
};

struct winner {				/* somebody for whom a slot is vacated */
	uint32_t job;			/* whose task is to start then; 0: nobody's, it is just to be free */
	uint32_t customer;
	double rank;			/* of the slot for that job */
	uint32_t negotiating_group;
	bool autoregroup;
	int64_t since;			/* of the decision, epoch seconds */
};

struct winners {
	struct pool keys;		/* struct claim_key: whose claim has to end first */
	struct winner *items;
	size_t capacity;
};

struct userprio_policy {
	struct policy policy;
	const struct condor_conf *conf;	/* of the cell in force; NULL: another policy is */
	struct userprio_cell *in_force;	/* NULL: another policy is */
	struct userprio_cell *prepared;	/* for a cell that is to be in force; NULL */
	struct accountant accountant;
	struct cycle_times cycle;
	struct winners winners;
	bool begun;			/* there was a run: the state of the configuration does not matter any more */
	bool loaded;			/* rows of a store were read: it goes on from there */
	/* since then the qmaster has told what there is: claims.c */
	bool told;
	struct userprio_numbers saving, saved;	/* rows.c: as they were handed over last, as they are stored */
	struct userprio_edits edits;
};

extern const struct policy_kind userprio_policy;

/* rows.c */
extern const struct policy_rows userprio_rows;
/* edits.c: struct policy_kind's `edit` and `unedit` */
int userprio_edit(struct policy *policy, struct run *run, const char *customer, const struct customer_edit *edit,
		  int64_t now, struct error *error);
void userprio_unedit(struct policy *policy, struct run *run);
/* They are for good: stored, or a run goes by them; and when the policy is destroyed. */
void userprio_edits_settle(struct userprio_policy *policy, struct strings *strings);
/*
 * edits.c: PURGE_AFTER_DAYS; who is at the least priority, has nothing that was set, and last used
 * something then. Only in a cycle of another day, UTC, than that of the last update before it:
 * `last`, epoch seconds.
 */
void userprio_purge(struct userprio_policy *policy, struct run *run, int64_t last);
/*
 * past.c: the policy is in force. Where nobody is known yet, nor has a priority ever been updated,
 * it goes on with what DIR/userprio says. -ENOMEM: with a part of it.
 */
int userprio_go_on(struct userprio_policy *policy, struct run *run);
/*
 * past.c: what customers and groups have in use is what their claims come to; where it is not, as
 * the groups are others now, say, that is mended.
 */
void userprio_agree(struct userprio_policy *policy);

#endif
