/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's customers and claims in a store, without a negotiating scheduler: the tests make its
 * changes. Include after cmocka.h and its headers.
 */
#ifndef TESTS_USERPRIO_ACCOUNTS_H
#define TESTS_USERPRIO_ACCOUNTS_H

#include "sched/policy/userprio/userprio.h"
#include "tests/store/cell.h"

#define BEGIN_TIME 1700000000

static struct accounts {
	struct fixture *f;		/* owner of the strings */
	struct condor_conf conf;
	struct userprio_policy policy;
	struct row_keeper keeper;
	struct durable durable;
} it;

static inline struct strings *strings_of(void)
{
	return sched_mirror(it.f->sched)->strings;
}

static inline struct customers *customers_of(void)
{
	return &it.policy.accountant.customers;
}

static inline struct run *run_of(void)
{
	return it.durable.run;
}

static inline void policy_begin(void)
{
	struct accountant_room room;

	it.policy = (struct userprio_policy){ .conf = &it.conf };
	accountant_create(&it.policy.accountant);
	assert_int_equal(accountant_prepare(&it.policy.accountant, strings_of(), &it.conf, &room), 0);
	accountant_replace(&it.policy.accountant, strings_of(), &it.conf, &room);
	accountant_room_free(&room, strings_of());
}

static inline void policy_end(void)
{
	userprio_edits_settle(&it.policy, strings_of());
	accountant_free(&it.policy.accountant, strings_of());
}

static inline void accounts_attach(void)
{
	const struct store_usage_options options = { .reported_again = true };

	it.keeper = (struct row_keeper){ &it.policy.policy, &userprio_rows };
	it.durable = (struct durable){ sched_durable(it.f->sched)->run, &it.keeper, 1 };
	ledger_destroy(run_of()->mirror->ledger);	/* of a store before this one */
	run_of()->mirror->ledger = NULL;
	OK(&file, store_usage_attach(file.store, &it.durable, &options, &file.error));
}

static inline void accounts_save(void)
{
	OK(&file, store_rows_save(file.store, &file.error));
	OK(&file, store_commit(file.store, &file.error));
}

/* Restart the store. Uncommitted changes are lost. */
static inline void accounts_restart(void)
{
	store_close(file.store);
	policy_end();
	OPEN(&file);
	policy_begin();
	accounts_attach();
}

static inline uint32_t customer_of(const char *name)
{
	uint32_t i = accountant_customer(&it.policy.accountant, strings_of(), &it.conf, name);

	assert_true(i != CUSTOMER_NONE);
	return i;
}

static inline const struct customer *find(const char *name)
{
	uint32_t i = accountant_find(&it.policy.accountant, strings_of(), name);

	return i == CUSTOMER_NONE || it.policy.accountant.hidden[i] ? NULL : &customers_of()->items[i];
}

static inline void claim_begin(const char *slot, uint32_t job, const char *name, double weight, int64_t since)
{
	struct claim_key key = { strings_hold(strings_of(), slot), job, job ? 1 : 0 };
	const struct claim as = {
		.customer = customer_of(name), .weight = weight, .since = since, .begun = since, .current_rank = 1.0 / 3
	};

	assert_non_null(accountant_claim_add(&it.policy.accountant, strings_of(), &key, &as));
	accountant_charge(&it.policy.accountant, accountant_claim_find(&it.policy.accountant, &key));
	strings_drop(strings_of(), key.slot);
}

static inline void claim_end(const char *slot, uint32_t job, int64_t end)
{
	const struct claim_key key = { strings_find(strings_of(), slot), job, job ? 1 : 0 };

	accountant_claim_end(&it.policy.accountant, strings_of(), &key, end);
}

static inline int edit(const char *name, enum customer_edit_kind kind, double value, int64_t duration, int64_t now)
{
	const struct customer_edit customer_edit = { kind, value, duration };

	file.error.text[0] = '\0';
	return userprio_edit(&it.policy.policy, run_of(), name, &customer_edit, now, &file.error);
}

/* Return the contents as text, exact to the bit, sorted by name. The caller frees it. */
static inline int line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline char *all_of_it(void)
{
	const struct accountant *accountant = &it.policy.accountant;
	char *lines[4096], *text = NULL;
	size_t size, n = 0;
	FILE *out;

	for (size_t i = 0; i < accountant->customers.n; i++) {
		const struct customer *customer = &accountant->customers.items[i];

		if (accountant->hidden[i])
			continue;
		assert_true(asprintf(&lines[n++],
				     "%s %u %d %a %a %u %a %a %a %a %a %a %lld %lld %lld %lld %lld %a %lld %a %lld %a",
				     strings_text(strings_of(), accountant->names[i]), customer->group,
				     customer->is_group, customer->rup, customer->factor, customer->used,
				     customer->weight_used, customer->tree_used, customer->uncharged,
				     customer->weight_uncharged, customer->accumulated, customer->weight_accumulated,
				     (long long)customer->begin, (long long)customer->last,
				     (long long)customer->ceiling, (long long)customer->floor,
				     (long long)customer->leases[0].until, customer->leases[0].before,
				     (long long)customer->leases[1].until, customer->leases[1].before,
				     (long long)customer->leases[2].until, customer->leases[2].before) > 0);
	}
	pool_each(i, &accountant->keys) {
		const struct claim_key *key = pool_key(&accountant->keys, i);
		const struct claim *claim = &accountant->claims[i];

		assert_true(asprintf(&lines[n++], "%s %u %u %s %a %lld %lld %a", strings_text(strings_of(), key->slot),
				     key->job, key->task,
				     strings_text(strings_of(), accountant->names[claim->customer]), claim->weight,
				     (long long)claim->since, (long long)claim->begun, claim->current_rank) > 0);
	}
	qsort(lines, n, sizeof(*lines), line_compare);
	out = open_memstream(&text, &size);
	fprintf(out, "%lld %lld %lld %lld\n", (long long)accountant->customers.last_update,
		(long long)it.policy.cycle.number, (long long)it.policy.cycle.begin, (long long)it.policy.cycle.end);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	fclose(out);
	return text;
}

static inline void cycle(int64_t now)
{
	customers_end_leases(customers_of(), now);
	customers_update(customers_of(), now);
	it.policy.cycle = (struct cycle_times){ it.policy.cycle.number + 1, now, now + 1 };
}

static inline int accounts_setup(void **state)
{
	if (setup(state) || store_file_make(&file) || condor_defaults(&it.conf))
		return -1;
	it.f = *state;
	OPEN(&file);
	policy_begin();
	accounts_attach();
	return 0;
}

static inline int accounts_teardown(void **state)
{
	int code;

	store_close(file.store);
	policy_end();
	code = teardown(state);
	condor_free(&it.conf);
	directory_clear(file.directory);
	return rmdir(file.directory) || code;
}

#endif
