/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's accountant: customers by name, and the customer that is charged for each slot. It
 * survives configurations, and rows.c stores it for the next scheduler. tickets/customers.h
 * computes priority from usage.
 *
 * Customers keep their numbers until a configuration with other groups becomes active. Then its
 * groups come first, in its order, beginning with the root. Names are string ids that the
 * accountant holds.
 */
#ifndef SCHED_POLICY_USERPRIO_ACCOUNTANT_H
#define SCHED_POLICY_USERPRIO_ACCOUNTANT_H

#include "conf/condor.h"
#include "sched/mirror/pool.h"
#include "shm/strings.h"
#include "tickets/customers.h"

struct claim_key {			/* key of a claim */
	uint32_t slot;			/* string id of its name, held by the claim */
	/* job that runs in the slot or in a piece of it; 0, 0: the slot reported the claim */
	uint32_t job, task;
};

/* the accountant's record of a slot, or of a piece of one */
struct claim {
	uint32_t customer;
	/* the customer has the slot, but no customer is charged: the slot is hidden */
	bool free_of_charge;
	uint32_t cpus;			/* slots of the instance */
	double weight;			/* at the match */
	int64_t since;			/* time of the match, epoch seconds */
	/* time when the first job of the claim got it: CLAIM_WORKLIFE */
	int64_t begun;
	double current_rank;
	bool is_ranked;			/* current_rank is known */
	/* Group whose slice was used, of conf->groups; UINT32_MAX: in the root's turn. */
	uint32_t negotiating_group;
	bool autoregroup;
	int64_t start;			/* reported start of the task; 0: unknown */
	bool ordered;			/* start is ordered and not reported yet */
	uint64_t seen;			/* last run that has found it */
	bool changed;			/* since it was last stored: rows.c */
	bool stored;			/* the store has a row of it */
};

struct accountant {			/* zero-initialise, then accountant_create() */
	struct customers customers;
	uint32_t *names;
	/* Deleted customers, which are not shown until they are in use again. */
	bool *hidden;
	bool *stored;			/* the store has a row of it: rows.c */
	size_t ngroups, capacity;
	struct index index;		/* index by name */

	struct pool keys;		/* keys of claims: struct claim_key */
	struct claim *claims;		/* indexed by number of `keys` */
	size_t claims_capacity;

	/* Rows of customers and claims that must be deleted; held. Only stored rows are listed. */
	uint32_t *gone_names;
	struct claim_key *gone_claims;
	size_t ngone_names, ngone_claims;
};

void accountant_create(struct accountant *accountant);
void accountant_free(struct accountant *accountant, struct strings *strings);

/* Return the customer of this name, hidden or not; CUSTOMER_NONE: there is none. */
uint32_t accountant_find(const struct accountant *accountant, const struct strings *strings, const char *name);
/*
 * Return the customer of a name. Create it with default values if there is none; show it again if
 * it was hidden. `conf` NULL: the policy is not active, so group and factor are set when it becomes
 * active. CUSTOMER_NONE: memory is exhausted.
 */
uint32_t accountant_customer(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
			     const char *name);
/* Set the factors that no administrator has chosen, by the rules of fairlead-condor(5). */
void accountant_choose_factors(struct accountant *accountant, const struct strings *strings,
			       const struct condor_conf *conf);
/*
 * Reset a customer to default values (EDIT_DELETE) and hide it until it is used again. A customer
 * with slots is in use at once and is charged for them from now on. Groups stay visible.
 */
void accountant_forget(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
		       uint32_t customer, int64_t now);

/*
 * Reserve room for the groups of a new configuration beside all known customers. -ENOMEM.
 * accountant_replace() then activates it and cannot fail: groups come first, all others follow in
 * their order, and claims are adapted. room->moved has the new number of each customer.
 */
struct accountant_room {
	uint32_t *groups;		/* names, held */
	uint32_t *moved;		/* new number of each customer */
	size_t ngroups;
	struct accountant grown;
};
int accountant_prepare(const struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
		       struct accountant_room *room);
void accountant_replace(struct accountant *accountant, struct strings *strings, const struct condor_conf *conf,
			struct accountant_room *room);
void accountant_room_free(struct accountant_room *room, struct strings *strings);

/* Claims. NULL: not found, or memory is exhausted. */
struct claim *accountant_claim_find(const struct accountant *accountant, const struct claim_key *key);
/*
 * Add a claim. accountant_charge() charges for it from `claim->since` on. A claim that was loaded
 * is charged already, as part of its customer's record.
 */
struct claim *accountant_claim_add(struct accountant *accountant, struct strings *strings, const struct claim_key *key,
				   const struct claim *claim);
void accountant_charge(struct accountant *accountant, const struct claim *claim);
/* End a claim: the customer is charged up to `end`, or up to now if the end is unknown. */
void accountant_claim_end(struct accountant *accountant, struct strings *strings, const struct claim_key *key,
			  int64_t end);
/* Remove a claim without changing the customer's usage, because that was done before. */
void accountant_claim_drop(struct accountant *accountant, struct strings *strings, const struct claim_key *key);

#endif
