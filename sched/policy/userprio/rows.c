/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stored customers and claims. Numbers are stored to the bit. The changes of a cycle are one
 * transaction together with their claims, so that a scheduler that loads them finds each second
 * charged exactly once. Groups have rows too, but the configuration determines their position in
 * the tree.
 */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "sched/policy/userprio/userprio.h"
#include "sched/run/run.h"

enum { CUSTOMER, CLAIM };		/* tables */
enum {
	NAME,
	PRIORITY,
	FACTOR,
	USED,
	WEIGHT,
	TREE_WEIGHT,
	UNCHARGED,
	WEIGHT_UNCHARGED,
	ACCUMULATED,
	WEIGHT_ACCUMULATED,
	BEGIN_USAGE,
	LAST_USAGE,
	CEILING,
	FLOOR,
	FACTOR_UNTIL,
	FACTOR_BEFORE,
	CEILING_UNTIL,
	CEILING_BEFORE,
	FLOOR_UNTIL,
	FLOOR_BEFORE,
	CUSTOMER_COLUMNS
};
enum {
	SLOT,
	JOB_NUMBER,
	TASK_ID,
	CLAIMED_BY,
	CHARGED,
	CLAIM_WEIGHT,
	SINCE,
	BEGUN,
	START_TIME,
	RANKED,
	CURRENT_RANK,
	CLAIM_COLUMNS
};
enum { LAST_UPDATE, CYCLE, CYCLE_BEGIN, CYCLE_END, NUMBERS };

#define WHOLE_MOST 9007199254740992.0	/* 2^53 */
#define WHOLE(LEAST, MOST) .type = ROW_INTEGER, .least = (LEAST), .most = (MOST)
#define REAL(LEAST, MOST) .type = ROW_REAL, .least = (LEAST), .most = (MOST)
#define EPOCH_SECONDS WHOLE(0.0, WHOLE_MOST)
#define USAGE REAL(0.0, CUSTOMER_MOST)
#define CORRECTION REAL(-CUSTOMER_MOST, CUSTOMER_MOST)

static const struct row_column customer_columns[] = {
	[NAME] = { "name", ROW_TEXT, .is_key = true }, [PRIORITY] = { "priority", REAL(RUP_LEAST, CUSTOMER_MOST) },
	[FACTOR] = { "factor", REAL(0.0, CUSTOMER_MOST) }, [USED] = { "slots", WHOLE(0.0, UINT32_MAX) },
	[WEIGHT] = { "weight", USAGE }, [TREE_WEIGHT] = { "tree_weight", USAGE },
	[UNCHARGED] = { "uncharged", CORRECTION },
	[WEIGHT_UNCHARGED] = { "weight_uncharged", CORRECTION }, [ACCUMULATED] = { "accumulated", USAGE },
	[WEIGHT_ACCUMULATED] = { "weight_accumulated", USAGE }, [BEGIN_USAGE] = { "begin_usage", EPOCH_SECONDS },
	[LAST_USAGE] = { "last_usage", EPOCH_SECONDS }, [CEILING] = { "ceiling", WHOLE(CEILING_NONE, WHOLE_MOST) },
	[FLOOR] = { "floor", WHOLE(0.0, WHOLE_MOST) }, [FACTOR_UNTIL] = { "factor_until", EPOCH_SECONDS },
	[FACTOR_BEFORE] = { "factor_before", REAL(0.0, CUSTOMER_MOST) },
	[CEILING_UNTIL] = { "ceiling_until", EPOCH_SECONDS },
	[CEILING_BEFORE] = { "ceiling_before", WHOLE(CEILING_NONE, WHOLE_MOST) },
	[FLOOR_UNTIL] = { "floor_until", EPOCH_SECONDS },
	[FLOOR_BEFORE] = { "floor_before", WHOLE(0.0, WHOLE_MOST) },
};

static const struct row_column claim_columns[] = {
	[SLOT] = { "slot", ROW_TEXT, .is_key = true },
	[JOB_NUMBER] = { "job_number", WHOLE(0.0, UINT32_MAX), .is_key = true },
	[TASK_ID] = { "task_id", WHOLE(0.0, UINT32_MAX), .is_key = true },
	[CLAIMED_BY] = { "customer", ROW_TEXT, .is_key = false },
	[CHARGED] = { "charged", WHOLE(0.0, 1.0) }, [CLAIM_WEIGHT] = { "weight", USAGE },
	[SINCE] = { "since", EPOCH_SECONDS },
	[BEGUN] = { "begun", EPOCH_SECONDS }, [START_TIME] = { "start_time", EPOCH_SECONDS },
	[RANKED] = { "ranked", WHOLE(0.0, 1.0) },
	[CURRENT_RANK] = { "current_rank", REAL(-DBL_MAX, DBL_MAX) },
};

_Static_assert(CUSTOMER_COLUMNS <= ROW_COLUMNS_MOST && CLAIM_COLUMNS <= ROW_COLUMNS_MOST,
	       "ROW_COLUMNS_MOST is too small");

static const struct row_table tables[] = {
	[CUSTOMER] = { "customer", customer_columns, CUSTOMER_COLUMNS, .age = ROW_AGELESS },
	[CLAIM] = { "claim", claim_columns, CLAIM_COLUMNS, .age = ROW_AGELESS },
};

static const char *const numbers[] = {
	[LAST_UPDATE] = "userprio_last_update", [CYCLE] = "userprio_cycle", [CYCLE_BEGIN] = "userprio_cycle_begin",
	[CYCLE_END] = "userprio_cycle_end",
};

static struct userprio_policy *own(struct policy *policy)
{
	return (struct userprio_policy *)policy;
}

/* Loading */

/*
 * Forget everything known so far, which comes from the start of the configuration: groups stay, all
 * other customers are hidden.
 */
static void begin(struct policy *policy, struct run *run)
{
	struct userprio_policy *o = own(policy);
	struct accountant *accountant = &o->accountant;

	pool_each(i, &accountant->keys) {
		const struct claim_key key = *(const struct claim_key *)pool_key(&accountant->keys, i);

		accountant_claim_drop(accountant, run->strings, &key);
	}
	for (uint32_t i = 0; i < accountant->customers.n; i++) {
		struct customer *customer = &accountant->customers.items[i];

		customer_begin(customer, customer->group, customer->is_group, 0.0);
		accountant->hidden[i] = i >= accountant->ngroups;
		accountant->stored[i] = false;
	}
	accountant->customers.last_update = 0;
	o->cycle = (struct cycle_times){ 0 };
}

/* Load a lease: its end, and the value restored then. False: only the value is set. */
static bool lease_load(struct lease *lease, const struct row_value *values, size_t until, double before)
{
	*lease = (struct lease){ values[until].integer, before };
	return lease->until != 0 || before == 0.0;
}

static size_t customer_fill(struct customer *customer, const struct row_value *values)
{
	customer->rup = values[PRIORITY].real;
	customer->factor = values[FACTOR].real;
	customer->used = (uint32_t)values[USED].integer;
	customer->weight_used = values[WEIGHT].real;
	customer->tree_used = values[TREE_WEIGHT].real;
	customer->uncharged = values[UNCHARGED].real;
	customer->weight_uncharged = values[WEIGHT_UNCHARGED].real;
	customer->accumulated = values[ACCUMULATED].real;
	customer->weight_accumulated = values[WEIGHT_ACCUMULATED].real;
	customer->begin = values[BEGIN_USAGE].integer;
	customer->last = values[LAST_USAGE].integer;
	customer->ceiling = values[CEILING].integer;
	customer->floor = values[FLOOR].integer;
	customer->changed = false;
	if (customer->factor > 0.0 && customer->factor < FACTOR_LEAST)
		return FACTOR;
	if (!lease_load(&customer->leases[SETTING_FACTOR], values, FACTOR_UNTIL, values[FACTOR_BEFORE].real) ||
	    (values[FACTOR_BEFORE].real > 0.0 && values[FACTOR_BEFORE].real < FACTOR_LEAST))
		return FACTOR_BEFORE;
	if (!lease_load(&customer->leases[SETTING_CEILING], values, CEILING_UNTIL,
			(double)values[CEILING_BEFORE].integer))
		return CEILING_BEFORE;
	if (!lease_load(&customer->leases[SETTING_FLOOR], values, FLOOR_UNTIL, (double)values[FLOOR_BEFORE].integer))
		return FLOOR_BEFORE;
	return CUSTOMER_COLUMNS;
}

static int customer_load(struct userprio_policy *policy, struct run *run, const struct row_value *values,
			 size_t *column)
{
	struct accountant *accountant = &policy->accountant;
	uint32_t i;

	*column = NAME;
	if (*values[NAME].text == '\0')
		return -EUCLEAN;
	i = accountant_customer(accountant, run->strings, policy->conf, values[NAME].text);
	if (i == CUSTOMER_NONE)
		return -ENOMEM;
	accountant->stored[i] = true;
	*column = customer_fill(&accountant->customers.items[i], values);
	return *column == CUSTOMER_COLUMNS ? 0 : -EUCLEAN;
}

static int claim_load(struct userprio_policy *policy, struct run *run, const struct row_value *values, size_t *column)
{
	struct accountant *accountant = &policy->accountant;
	uint32_t customer = accountant_find(accountant, run->strings, values[CLAIMED_BY].text);
	const struct claim as = { .customer = customer,
				  .free_of_charge = !values[CHARGED].integer,
				  .weight = values[CLAIM_WEIGHT].real,
				  .since = values[SINCE].integer,
				  .begun = values[BEGUN].integer,
				  .start = values[START_TIME].integer,
				  .is_ranked = values[RANKED].integer,
				  .current_rank = values[CURRENT_RANK].real,
				  .negotiating_group = UINT32_MAX };
	struct claim_key key = { NONE, (uint32_t)values[JOB_NUMBER].integer, (uint32_t)values[TASK_ID].integer };
	struct claim *claim;

	*column = *values[SLOT].text ? CLAIMED_BY : SLOT;
	if (*column == SLOT || customer == CUSTOMER_NONE || accountant->hidden[customer])
		return -EUCLEAN;
	key.slot = strings_hold(run->strings, values[SLOT].text);
	if (key.slot == NONE)
		return -ENOMEM;
	claim = accountant_claim_add(accountant, run->strings, &key, &as);
	strings_drop(run->strings, key.slot);
	if (!claim)
		return -ENOMEM;
	claim->changed = false;
	claim->stored = true;
	return 0;
}

static int load(struct policy *policy, struct run *run, size_t table, const struct row_value *values, size_t *column)
{
	return table == CUSTOMER ? customer_load(own(policy), run, values, column)
				 : claim_load(own(policy), run, values, column);
}

static void loaded(struct policy *policy, struct run *run, const int64_t *values)
{
	struct userprio_policy *o = own(policy);

	o->accountant.customers.last_update = values[LAST_UPDATE];
	o->cycle = (struct cycle_times){ values[CYCLE], values[CYCLE_BEGIN], values[CYCLE_END] };
	o->saving = o->saved = (struct userprio_numbers){ values[LAST_UPDATE], o->cycle };
	o->loaded = true;
	if (!o->conf)
		return;
	userprio_agree(o);
	accountant_choose_factors(&o->accountant, run->strings, o->conf);
	userprio_take_over(o, run);
}

/* Saving */

static int customer_put(const struct row_sink *sink, const char *name, const struct customer *customer)
{
	const struct lease *factor = &customer->leases[SETTING_FACTOR], *ceiling = &customer->leases[SETTING_CEILING],
			   *floor = &customer->leases[SETTING_FLOOR];
	const struct row_value values[] = {
		[NAME] = { .text = name },
		[PRIORITY] = { .real = customer->rup },
		[FACTOR] = { .real = customer->factor },
		[USED] = { .integer = customer->used },
		[WEIGHT] = { .real = customer->weight_used },
		[TREE_WEIGHT] = { .real = customer->tree_used },
		[UNCHARGED] = { .real = customer->uncharged },
		[WEIGHT_UNCHARGED] = { .real = customer->weight_uncharged },
		[ACCUMULATED] = { .real = customer->accumulated },
		[WEIGHT_ACCUMULATED] = { .real = customer->weight_accumulated },
		[BEGIN_USAGE] = { .integer = customer->begin },
		[LAST_USAGE] = { .integer = customer->last },
		[CEILING] = { .integer = customer->ceiling },
		[FLOOR] = { .integer = customer->floor },
		[FACTOR_UNTIL] = { .integer = factor->until },
		[FACTOR_BEFORE] = { .real = factor->before },
		[CEILING_UNTIL] = { .integer = ceiling->until },
		[CEILING_BEFORE] = { .integer = (int64_t)ceiling->before },
		[FLOOR_UNTIL] = { .integer = floor->until },
		[FLOOR_BEFORE] = { .integer = (int64_t)floor->before },
	};

	return sink->put(sink->context, CUSTOMER, values);
}

static int claim_put(const struct accountant *accountant, const struct strings *strings, const struct row_sink *sink,
		     uint32_t i)
{
	const struct claim_key *key = pool_key(&accountant->keys, i);
	const struct claim *claim = &accountant->claims[i];
	const struct row_value values[] = {
		[SLOT] = { .text = strings_text(strings, key->slot) },
		[JOB_NUMBER] = { .integer = key->job },
		[TASK_ID] = { .integer = key->task },
		[CLAIMED_BY] = { .text = strings_text(strings, accountant->names[claim->customer]) },
		[CHARGED] = { .integer = !claim->free_of_charge },
		[CLAIM_WEIGHT] = { .real = fmin(claim->weight, CUSTOMER_MOST) },
		[SINCE] = { .integer = claim->since },
		[BEGUN] = { .integer = claim->begun },
		[START_TIME] = { .integer = claim->start },
		[RANKED] = { .integer = claim->is_ranked },
		[CURRENT_RANK] = { .real = isfinite(claim->current_rank) ? claim->current_rank : 0.0 },
	};

	return sink->put(sink->context, CLAIM, values);
}

/* Delete rows first, since a customer or claim of the same name may exist again. */
static int erase_gone(const struct accountant *accountant, const struct strings *strings, const struct row_sink *sink)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < accountant->ngone_names; i++)
		rc = sink->erase(sink->context, CUSTOMER,
				 (const struct row_value[]){
					 [NAME] = { .text = strings_text(strings, accountant->gone_names[i]) } });
	for (size_t i = 0; rc == 0 && i < accountant->ngone_claims; i++)
		rc = sink->erase(sink->context, CLAIM,
				 (const struct row_value[]){
					 [SLOT] = { .text = strings_text(strings, accountant->gone_claims[i].slot) },
					 [JOB_NUMBER] = { .integer = accountant->gone_claims[i].job },
					 [TASK_ID] = { .integer = accountant->gone_claims[i].task } });
	return rc;
}

static bool is_to_save(const struct accountant *accountant, size_t customer)
{
	return accountant->customers.items[customer].changed && !accountant->hidden[customer];
}

static int save_rows(const struct accountant *accountant, const struct strings *strings, const struct row_sink *sink)
{
	int rc = erase_gone(accountant, strings, sink);

	for (size_t i = 0; rc == 0 && i < accountant->customers.n; i++)
		if (is_to_save(accountant, i))
			rc = customer_put(sink, strings_text(strings, accountant->names[i]),
					  &accountant->customers.items[i]);
	pool_each(i, &accountant->keys)
		if (rc == 0 && accountant->claims[i].changed)
			rc = claim_put(accountant, strings, sink, i);
	return rc;
}

static int save_numbers(const struct userprio_policy *policy, const struct row_sink *sink)
{
	const int64_t now[NUMBERS] = { [LAST_UPDATE] = policy->saving.last_update,
				       [CYCLE] = policy->saving.cycle.number,
				       [CYCLE_BEGIN] = policy->saving.cycle.begin,
				       [CYCLE_END] = policy->saving.cycle.end };
	const int64_t before[NUMBERS] = { [LAST_UPDATE] = policy->saved.last_update,
					  [CYCLE] = policy->saved.cycle.number,
					  [CYCLE_BEGIN] = policy->saved.cycle.begin,
					  [CYCLE_END] = policy->saved.cycle.end };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < NUMBERS; i++)
		if (now[i] != before[i])
			rc = sink->number(sink->context, numbers[i], now[i]);
	return rc;
}

static int save(struct policy *policy, struct run *run, const struct row_sink *sink)
{
	struct userprio_policy *o = own(policy);
	int rc;

	o->saving = (struct userprio_numbers){ o->accountant.customers.last_update, o->cycle };
	rc = save_numbers(o, sink);
	return rc ? rc : save_rows(&o->accountant, run->strings, sink);
}

static void saved(struct policy *policy, struct run *run)
{
	struct userprio_policy *o = own(policy);
	struct accountant *accountant = &o->accountant;

	o->saved = o->saving;
	for (size_t i = 0; i < accountant->customers.n; i++)
		if (is_to_save(accountant, i)) {
			accountant->customers.items[i].changed = false;
			accountant->stored[i] = true;
		}
	pool_each(i, &accountant->keys)
		if (accountant->claims[i].changed) {
			accountant->claims[i].changed = false;
			accountant->claims[i].stored = true;
		}
	for (size_t i = 0; i < accountant->ngone_names; i++)
		strings_drop(run->strings, accountant->gone_names[i]);
	for (size_t i = 0; i < accountant->ngone_claims; i++)
		strings_drop(run->strings, accountant->gone_claims[i].slot);
	accountant->ngone_names = accountant->ngone_claims = 0;
	userprio_edits_settle(o, run->strings);
}

const struct policy_rows userprio_rows = {
	.tables = tables, .ntables = sizeof(tables) / sizeof(*tables), .numbers = numbers,
	.nnumbers = sizeof(numbers) / sizeof(*numbers),
	.begin = begin, .load = load, .loaded = loaded, .save = save, .saved = saved,
};
