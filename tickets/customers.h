/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's accountant: customers (submitters and groups), what they use, their real and effective
 * user priorities. Sources: HTCondor's manual, "User Priorities and Negotiation"; the releases up
 * to 25.10, where they and the manual differ (fairlead-condor(5)). One difference: a match that
 * begins and ends between two updates is charged in full, as the manual promises.
 *
 * Pure: arrays of the caller, no names, no clock. Weights are >= 0 and finite, times epoch seconds,
 * usage weight-seconds. Whatever goes in, all numbers stay finite.
 *
 *     customers_update()          once in a cycle, before anything else
 *     customers_add_match(), customers_remove_match()
 *                                 when somebody gets a slot, and when it is free again
 *     customers_end_leases(), customer_edit()
 *                                 what operators set, for good or for a time
 */
#ifndef TICKETS_CUSTOMERS_H
#define TICKETS_CUSTOMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUSTOMER_NONE UINT32_MAX
#define RUP_LEAST 0.5
#define FACTOR_LEAST 1.0
#define CEILING_NONE (-1)
/* of priorities, factors and usage: so that a product of two is finite */
#define CUSTOMER_MOST 1e150

enum customer_setting { SETTING_FACTOR, SETTING_CEILING, SETTING_FLOOR, SETTINGS };

struct lease {				/* a setting for a limited time */
	int64_t until;			/* 0: none */
	double before;			/* what it is then again; of the factor 0: to be chosen */
};

struct customer {
	double rup;			/* real user priority, RUP_LEAST to CUSTOMER_MOST */
	/*
	 * FACTOR_LEAST to CUSTOMER_MOST; 0: not chosen yet. The caller chooses it once
	 * (condor_factor()); what the configuration says later does not matter to it.
	 */
	double factor;
	uint32_t group; /* the customer that is its group, or of a group its parent; of the root itself */
	bool is_group;
	/* now in use */
	uint32_t used;			/* slots */
	double weight_used;
	double tree_used;		/* groups: by the whole subtree; the root: by its own submitters */
	/* corrections of the next update, seconds */
	double uncharged, weight_uncharged;
	/* since the beginning, seconds */
	double accumulated, weight_accumulated;
	int64_t begin, last;		/* of usage; 0: never */
	int64_t ceiling, floor;		/* weight; CEILING_NONE, 0 */
	struct lease leases[SETTINGS];
	/* it is another one than when it was last stored: the caller clears it */
	bool changed;
};

struct customers {			/* all of them; zero-initialise */
	struct customer *items;		/* the caller's */
	size_t n;
	uint32_t root;			/* <none>: users outside groups belong to it */
	int64_t last_update;		/* 0: there was none */
	double halflife;		/* seconds, > 0 */
	/* values as HTCondor keeps them, with six decimals, after each change; else as computed */
	bool six_decimals;
};

/* A new one, that has used nothing; marked as changed. */
void customer_begin(struct customer *customer, uint32_t group, bool is_group, double factor);

/* The phase: usage up to `now` counts. A clock that went back changes nothing but last_update. */
void customers_update(struct customers *customers, int64_t now);

/*
 * Somebody has a slot from `since` on, or has had it up to `end`; `weight` as at the match. Exactly
 * the time between them is charged, whatever updates lie in between, also if they are told late.
 */
void customers_add_match(struct customers *customers, uint32_t customer, double weight, int64_t since);
void customers_remove_match(struct customers *customers, uint32_t customer, double weight, int64_t since, int64_t end);

/* Effective user priority: finite, > 0 once there is a factor. */
static inline double customer_eup(const struct customer *customer)
{
	return customer->rup * customer->factor;
}

/*
 * Leases that have ended by `now` give back what was before. How many did; factors may be to be
 * chosen.
 */
size_t customers_end_leases(struct customers *customers, int64_t now);

/* What operators change; condor_userprio(1), "Options". */
enum customer_edit_kind {
	EDIT_FACTOR, EDIT_PRIORITY, EDIT_CEILING, EDIT_FLOOR, EDIT_ACCUMULATED, EDIT_BEGIN, EDIT_LAST,
	EDIT_CANCEL_FACTOR_LEASE, EDIT_CANCEL_CEILING_LEASE, EDIT_CANCEL_FLOOR_LEASE,
	EDIT_RESET_USAGE, EDIT_RESET_ALL, EDIT_DELETE
};

struct customer_edit {
	enum customer_edit_kind kind;
	double value;			/* of the first seven */
	int64_t duration;		/* seconds of a lease, up to INT32_MAX; 0: for good */
};

struct error;
/*
 * -EINVAL: a value outside of its range; -EALREADY: a lease is in force; -ENOENT: there is none to
 * cancel; with the sentence, and nothing has changed but what follows. Its leases that have run out
 * end first. A permanent value ends the lease of its setting: 0, and the sentence says that.
 *
 * EDIT_RESET_ALL is EDIT_RESET_USAGE here: the caller does it with all. EDIT_DELETE makes it a
 * beginner again, with the factor in `value`; what it has in use stays in use, and is charged to it
 * from `now` on. Whether to drop it from the table is the caller's.
 */
int customer_edit(struct customers *customers, uint32_t customer, const struct customer_edit *edit, int64_t now,
		  struct error *error);

#endif
