/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's accountant: customers (submitters and groups), their usage, and their real and
 * effective user priorities. Sources: HTCondor's manual, "User Priorities and Negotiation"; the
 * releases up to 25.10 where they differ from the manual (fairlead-condor(5)). One difference: a
 * match that begins and ends between two updates is charged in full, as the manual promises.
 *
 * Pure arithmetic: arrays of the caller, no names, no clock. Weights are finite and >= 0, times are
 * seconds since 1970, usage is in weight-seconds. Whatever the input is, all numbers stay finite.
 *
 *     customers_update()          once per cycle, before anything else
 *     customers_add_match(), customers_remove_match()
 *                                 when a customer gets a slot, and when the slot is free again
 *     customers_end_leases(), customer_edit()
 *                                 settings by operators, permanent or for a limited time
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
/* Limit of priorities, factors and usage: a product of two of them is finite. */
#define CUSTOMER_MOST 1e150

enum customer_setting { SETTING_FACTOR, SETTING_CEILING, SETTING_FLOOR, SETTINGS };

struct lease {				/* a setting for a limited time */
	int64_t until;			/* 0: none */
	double before;			/* value after the lease; for a factor 0: to be chosen */
};

struct customer {
	double rup;			/* real user priority, RUP_LEAST to CUSTOMER_MOST */
	/*
	 * FACTOR_LEAST to CUSTOMER_MOST; 0: not chosen yet. The caller chooses it once
	 * (condor_factor()); later changes of the configuration do not affect it.
	 */
	double factor;
	/* group of a submitter, parent of a group; the root is its own group */
	uint32_t group;
	bool is_group;
	/* now in use */
	uint32_t used;			/* slots */
	double weight_used;
	/* group: weight in its whole subtree; root: weight of its own submitters */
	double tree_used;
	/* Corrections for the next update, seconds. */
	double uncharged, weight_uncharged;
	/* Totals since the beginning, seconds. */
	double accumulated, weight_accumulated;
	int64_t begin, last;		/* begin and last time of usage; 0: never */
	int64_t ceiling, floor;		/* weight; CEILING_NONE, 0 */
	struct lease leases[SETTINGS];
	/* Changed since it was last stored. The caller clears it. */
	bool changed;
};

struct customers {			/* zero-initialise */
	struct customer *items;		/* owned by the caller */
	size_t n;
	uint32_t root;			/* the group <none>, for users outside groups */
	int64_t last_update;		/* 0: there was none */
	double halflife;		/* seconds, > 0 */
	/* Round values to six decimals after each change, as HTCondor stores them. */
	bool six_decimals;
};

/* Initialise a customer without usage; it is marked as changed. */
void customer_begin(struct customer *customer, uint32_t group, bool is_group, double factor);

/* Charge usage up to `now`. If the clock went back, only last_update changes. */
void customers_update(struct customers *customers, int64_t now);

/*
 * Begin a match at `since`, or end it at `end`. `weight` is the weight at the begin. Exactly the
 * time between both is charged, regardless of updates in between, and also if begin or end is
 * reported late.
 */
void customers_add_match(struct customers *customers, uint32_t customer, double weight, int64_t since);
void customers_remove_match(struct customers *customers, uint32_t customer, double weight, int64_t since, int64_t end);

/* Return the effective user priority: finite, > 0 if there is a factor. */
static inline double customer_eup(const struct customer *customer)
{
	return customer->rup * customer->factor;
}

/*
 * End the leases that expire by `now` and restore the values before them. Return their number; some
 * factors may have to be chosen again.
 */
size_t customers_end_leases(struct customers *customers, int64_t now);

/* Changes by operators; condor_userprio(1), "Options". */
enum customer_edit_kind {
	EDIT_FACTOR, EDIT_PRIORITY, EDIT_CEILING, EDIT_FLOOR, EDIT_ACCUMULATED, EDIT_BEGIN, EDIT_LAST,
	EDIT_CANCEL_FACTOR_LEASE, EDIT_CANCEL_CEILING_LEASE, EDIT_CANCEL_FLOOR_LEASE,
	EDIT_RESET_USAGE, EDIT_RESET_ALL, EDIT_DELETE
};

struct customer_edit {
	enum customer_edit_kind kind;
	double value;			/* for the first seven kinds and EDIT_DELETE */
	int64_t duration;		/* seconds of a lease, up to INT32_MAX; 0: permanent */
};

/* Return whether a customer is a submitter of this user: "physics.ann@pool" is one of ann. */
bool customer_is_of(const char *customer, const char *user);

struct error;
/*
 * Apply a change. Expired leases of the customer end first. Return 0, -EINVAL for a value out of
 * range, -EALREADY if a lease is in effect, or -ENOENT if there is no lease to cancel. After an
 * error `error` has the message and nothing else has changed. A permanent value ends the lease of
 * its setting: the result is 0, and `error` has a message about it.
 *
 * EDIT_RESET_ALL acts like EDIT_RESET_USAGE: the caller applies it to all customers. EDIT_DELETE
 * resets the customer, with the factor in `value`. Slots in use stay in use, and are charged to it
 * from `now` on. The caller decides whether to remove it from the table.
 */
int customer_edit(struct customers *customers, uint32_t customer, const struct customer_edit *edit, int64_t now,
		  struct error *error);

#endif
