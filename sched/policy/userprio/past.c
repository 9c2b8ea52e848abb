/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a pool's own accountant (DIR/userprio): customers, and the slots that they had. It is
 * taken over once. A customer that was stored or charged since then continues from its stored
 * state.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sched/policy/userprio/userprio.h"
#include "sched/run/run.h"

/* Difference between sums of weights that is not taken for an error. */
#define NOISE 1e-3
#define WHOLE_MOST 9007199254740992.0	/* 2^53 */

/* Slots in use, summed up from claims */

struct claims_sum {
	uint32_t slots;
	double weight, tree;
};

static void agree(struct customer *customer, const struct claims_sum *use)
{
	if (customer->used == use->slots && fabs(customer->weight_used - use->weight) < NOISE &&
	    fabs(customer->tree_used - use->tree) < NOISE)
		return;
	customer->used = use->slots;
	customer->weight_used = use->weight;
	customer->tree_used = use->tree;
	customer->changed = true;
}

/*
 * Add a claim to the use of its submitter, of its group, and of the subtrees above. The root counts
 * only its own submitters.
 */
static void use_add(const struct accountant *accountant, struct claims_sum *uses, uint32_t customer, double weight)
{
	uint32_t group = customer < accountant->ngroups ? customer : accountant->customers.items[customer].group;

	uses[customer].slots++;
	uses[customer].weight += weight;
	if (accountant->ngroups == 0)
		return;
	if (group != customer) {
		uses[group].slots++;
		uses[group].weight += weight;
	}
	do {
		uses[group].tree += weight;
		group = accountant->customers.items[group].group;
	} while (group != accountant->customers.root);
}

void userprio_agree(struct userprio_policy *policy)
{
	struct accountant *accountant = &policy->accountant;
	struct claims_sum *uses = calloc(accountant->customers.n + 1, sizeof(*uses));

	if (!uses)	/* keep the recorded numbers then */
		return;
	pool_each(i, &accountant->keys)
		if (!accountant->claims[i].free_of_charge)
			use_add(accountant, uses, accountant->claims[i].customer, accountant->claims[i].weight);
	for (size_t i = 0; i < accountant->customers.n; i++)
		agree(&accountant->customers.items[i], &uses[i]);
	free(uses);
}

/* A pool's accountant */

static double least_most(double value, double least, double most)
{
	return value >= least ? fmin(value, most) : least;
}

static void lease_take(struct lease *lease, enum customer_setting setting, int64_t until, double before)
{
	static const double least[SETTINGS] = {
		[SETTING_FACTOR] = 0.0, [SETTING_CEILING] = CEILING_NONE, [SETTING_FLOOR] = 0.0
	};

	if (until <= 0)
		return;
	if (setting == SETTING_FACTOR)
		/* chosen later */
		before = before >= FACTOR_LEAST ? fmin(before, CUSTOMER_MOST) : 0.0;
	else
		before = trunc(least_most(before, least[setting], WHOLE_MOST));
	*lease = (struct lease){ until, before };
}

/* Take over a customer. `clock`: the time of the last priority update is known. */
static void customer_take(struct customer *customer, const struct condor_customer *from, bool clock)
{
	customer->rup = least_most(from->rup, RUP_LEAST, CUSTOMER_MOST);
	customer->factor = from->factor >= FACTOR_LEAST ? fmin(from->factor, CUSTOMER_MOST) : customer->factor;
	customer->accumulated = least_most(from->accumulated, 0.0, CUSTOMER_MOST);
	customer->weight_accumulated = least_most(from->weight_accumulated, 0.0, CUSTOMER_MOST);
	customer->uncharged = clock ? least_most(from->uncharged, -CUSTOMER_MOST, CUSTOMER_MOST) : 0.0;
	customer->weight_uncharged = clock ? least_most(from->weight_uncharged, -CUSTOMER_MOST, CUSTOMER_MOST) : 0.0;
	customer->begin = from->begin > 0 ? from->begin : 0;
	customer->last = from->last > 0 ? from->last : 0;
	customer->ceiling = (int64_t)least_most((double)from->ceiling, CEILING_NONE, WHOLE_MOST);
	customer->floor = (int64_t)least_most((double)from->floor, 0.0, WHOLE_MOST);
	for (size_t s = 0; s < SETTINGS; s++)
		lease_take(&customer->leases[s], s, from->leases[s].until, from->leases[s].before);
	customer->changed = true;
}

/*
 * Take over a claim that was charged up to the last update. Without the time of that update the
 * claim would have no end of charging, so it counts only from the time when it is reported again.
 */
static int resource_take(struct userprio_policy *policy, struct run *run, const struct condor_resource *from)
{
	struct claim claim = { .weight = least_most(from->weight, 0.0, CUSTOMER_MOST),
			       .since = from->since,
			       .begun = from->since };
	struct claim_key key = { .slot = strings_hold(run->strings, from->slot) };
	int rc = -ENOMEM;

	if (key.slot == NONE)
		return -ENOMEM;
	claim.customer = accountant_customer(&policy->accountant, run->strings, policy->conf, from->customer);
	if (claim.customer != CUSTOMER_NONE && (accountant_claim_find(&policy->accountant, &key) ||
						accountant_claim_add(&policy->accountant, run->strings, &key, &claim)))
		rc = 0;
	strings_drop(run->strings, key.slot);
	return rc;
}

static bool no_customer_is_known(const struct accountant *accountant)
{
	for (size_t i = accountant->ngroups; i < accountant->customers.n; i++)
		if (!accountant->hidden[i])
			return false;
	return accountant->customers.last_update == 0;
}

int userprio_take_over(struct userprio_policy *policy, struct run *run)
{
	const struct condor_conf *conf = policy->conf;
	struct accountant *accountant = &policy->accountant;

	/* the clock was set back meanwhile */
	if (run->now > 0 && run->now < accountant->customers.last_update)
		accountant->customers.last_update = run->now;
	if (!no_customer_is_known(accountant))
		return 0;
	for (size_t i = 0; i < conf->ncustomers; i++) {
		uint32_t c = accountant_customer(accountant, run->strings, conf, conf->customers[i].name);

		if (c == CUSTOMER_NONE)
			return -ENOMEM;
		customer_take(&accountant->customers.items[c], &conf->customers[i], conf->last_update > 0);
	}
	for (size_t i = 0; conf->last_update > 0 && i < conf->nresources; i++)
		if (resource_take(policy, run, &conf->resources[i]))
			return -ENOMEM;
	accountant->customers.last_update = conf->last_update;
	accountant_choose_factors(accountant, run->strings, conf);
	userprio_agree(policy);
	return 0;
}
