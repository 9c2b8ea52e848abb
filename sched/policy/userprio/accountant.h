/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's accountant: customers by name, and who is charged for which slot. It outlives
 * configurations, and schedulers by way of rows.c. How usage becomes priority is
 * tickets/customers.h.
 *
 * Customers keep their numbers until a configuration with other groups is in force: its groups
 * stand in front then, in its order, the root first. Names are string ids that the accountant
 * holds.
 */
#ifndef SCHED_POLICY_USERPRIO_ACCOUNTANT_H
#define SCHED_POLICY_USERPRIO_ACCOUNTANT_H

#include "conf/condor.h"
#include "sched/mirror/pool.h"
#include "shm/strings.h"
#include "tickets/customers.h"

struct claim_key {			/* what somebody has */
	uint32_t slot;			/* its name's string id, held by the claim */
	uint32_t job, task;		/* that runs there, or in a piece of it; 0, 0: a claim that was told */
};

struct claim {				/* the accountant's record of a slot, or of a piece of one */
	uint32_t customer;
	bool free_of_charge;		/* the customer has it, but nobody is charged: a slot that is hidden */
	uint32_t cpus;			/* slots of the instance */
	double weight;			/* at the match */
	int64_t since;			/* of the match, epoch seconds */
	int64_t begun;			/* when the first job of the claim got it: CLAIM_WORKLIFE */
	double current_rank;
	bool is_ranked;			/* that is known */
	/* with whose slice it was matched: of conf->groups, or UINT32_MAX; in the root's turn */
	uint32_t negotiating_group;
	bool autoregroup;
	int64_t start;			/* of the task, as told; 0: unknown */
	bool ordered;			/* its start is ordered, and not told yet */
	uint64_t seen;			/* the last run that has found it */
	bool changed;			/* since it was last stored: rows.c */
	bool stored;			/* there is a row of it */
};

struct accountant {			/* zero-initialise, then accountant_create() */
	struct customers customers;
	uint32_t *names;
	/* was deleted: not shown until it is in use again, with default values */
	bool *hidden;
	bool *stored;			/* there is a row of it: rows.c */
	size_t ngroups, capacity;
	struct index index;		/* by name */

	struct pool keys;		/* of claims: struct claim_key */
	struct claim *claims;		/* by number of `keys` */
	size_t claims_capacity;

	/* rows that are to go: of customers, of claims; held. Only what was stored is listed. */
	uint32_t *gone_names;
	struct claim_key *gone_claims;
	size_t ngone_names, ngone_claims;
};

void accountant_create(struct accountant *accountant);
void accountant_free(struct accountant *accountant, struct strings *strings);

/* CUSTOMER_NONE: there is none of this name, hidden or not. */
uint32_t accountant_find(const struct accountant *accountant, const struct strings *strings, const char *name);
/*
 * The customer of a name, made with default values if there is none; one that was hidden is shown
 * again. `conf` NULL: the policy is not in force, and group and factor wait until it is.
 * CUSTOMER_NONE: no memory.
 */
uint32_t accountant_customer(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
			     const char *name);
/* Factors that nobody has chosen are, as fairlead-condor(5) has it. */
void accountant_choose_factors(struct accountant *accountant, const struct strings *strings,
			       const struct condor_conf *conf);
/*
 * EDIT_DELETE: default values; hidden until it is used again, at once if it uses something, which
 * is charged to it from now on. Groups stay.
 */
void accountant_forget(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
		       uint32_t customer, int64_t now);

/*
 * A configuration is to be in force: room for its groups beside all that are known. -ENOMEM. Then
 * that it is, which can't fail: groups in front, all others behind in their order, claims follow;
 * room->moved says where each customer has gone.
 */
struct accountant_room {
	uint32_t *groups;		/* names, held */
	uint32_t *moved;		/* by customer: its new number */
	size_t ngroups;
	struct accountant grown;
};
int accountant_prepare(const struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
		       struct accountant_room *room);
void accountant_replace(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
			struct accountant_room *room);
void accountant_room_free(struct accountant_room *room, struct strings *strings);

/* Claims. NULL: there is none; no memory. */
struct claim *accountant_claim_find(const struct accountant *accountant, const struct claim_key *key);
/*
 * A new one. accountant_charge() charges for it from `claim->since` on; a claim that is read back
 * is charged already, as part of its customer's record.
 */
struct claim *accountant_claim_add(struct accountant *accountant, struct strings *strings, const struct claim_key *key,
				   const struct claim *claim);
void accountant_charge(struct accountant *accountant, const struct claim *claim);
/* It has ended then: the customer is charged up to there; since nobody knows when, now. */
void accountant_claim_end(struct accountant *accountant, struct strings *strings, const struct claim_key *key,
			  int64_t end);
/* The same without a change of what the customer is charged: that was done. */
void accountant_claim_drop(struct accountant *accountant, struct strings *strings, const struct claim_key *key);

#endif
