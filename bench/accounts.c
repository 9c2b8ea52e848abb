/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of HTCondor's accounting: user priorities of many customers are updated, stored, and read
 * again after a restart of the scheduler. All customers use something, so that each row is written
 * in each cycle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "sched/parts.h"
#include "sched/policy/userprio/userprio.h"
#include "sched/store/usage.h"

#define NOW 1700000000

static struct accounts {
	struct sched *sched;		/* provides strings and the mirror */
	struct condor_conf conf;
	struct userprio_policy policy;
	struct row_keeper keeper;
	struct durable durable;
	struct store *store;
	char path[BENCH_PATH + 20];
	unsigned n;
} it = { .n = 100000 };

static void must(int rc, const char *what, const struct error *error)
{
	if (rc == 0)
		return;
	fprintf(stderr, "accounts: %s: %s\n", what, error ? error->text : strerror(-rc));
	exit(1);
}

static void sched_begin(void)
{
	const struct cell_files none = { 0 };
	struct report report = { 0 };
	struct cell *cell = calloc(1, sizeof(*cell));
	struct segment segment;

	must(cell ? cell_load_files(cell, "(bench)", &none, &report) : -1, "the cell", NULL);
	must(segment_create_private(&segment, 1ull << 34, RECORDS_VERSION), "memory", NULL);
	must(sched_make(&it.sched, cell, &segment), "the scheduler", NULL);
	report_free(&report);
}

static void policy_begin(void)
{
	struct accountant_room room;

	it.policy = (struct userprio_policy){ .conf = &it.conf };
	accountant_create(&it.policy.accountant);
	must(accountant_prepare(&it.policy.accountant, it.sched->strings, &it.conf, &room), "groups", NULL);
	accountant_replace(&it.policy.accountant, it.sched->strings, &it.conf, &room);
	accountant_room_free(&room, it.sched->strings);
}

static void policy_end(void)
{
	accountant_free(&it.policy.accountant, it.sched->strings);
}

/* Open the store and read all of it. */
static double attach(void)
{
	const struct store_usage_options options = { .history_days = 0 };
	struct error error = { "" };
	double begin = now_ns();

	it.keeper = (struct row_keeper){ &it.policy.policy, &userprio_rows };
	it.durable = (struct durable){ &it.sched->run, &it.keeper, 1 };
	must(store_open(&it.store, it.path, &error), "the store", &error);
	must(store_usage_attach(it.store, &it.durable, &options, &error), "the store", &error);
	return now_ns() - begin;
}

static double save(void)
{
	struct error error = { "" };
	double begin = now_ns();

	must(store_rows_save(it.store, &error), "saving", &error);
	must(store_commit(it.store, &error), "saving", &error);
	return now_ns() - begin;
}

static void fill(void)
{
	struct strings *strings = it.sched->strings;
	char text[64];

	it.policy.accountant.customers.last_update = NOW;
	for (unsigned i = 0; i < it.n; i++) {
		struct claim claim = { .weight = 1 + i % 8, .since = NOW, .begun = NOW };
		struct claim_key key = { .job = i + 1, .task = 1 };

		snprintf(text, sizeof(text), "slot1_%u@node%u.example.org", i % 64, i / 64);
		key.slot = strings_hold(strings, text);
		snprintf(text, sizeof(text), "user%06u@example.org", i);
		claim.customer = accountant_customer(&it.policy.accountant, strings, &it.conf, text);
		must(accountant_claim_add(&it.policy.accountant, strings, &key, &claim) ? 0 : -1, "claims", NULL);
		accountant_charge(&it.policy.accountant, &claim);
		strings_drop(strings, key.slot);
	}
}

static void tell(const char *what, double *values, int n)
{
	struct figure figure = figure_of(values, n, 1.0);

	printf("{\"what\":\"accounts\",\"customers\":%u,\"step\":\"%s\",\"ns\":%.0f,\"best_ns\":%.0f}\n", it.n, what,
	       figure.median, figure.best);
}

enum { REPEATS = 7 };

static void measure(void)
{
	double update[REPEATS], store[REPEATS], both[REPEATS], restart[REPEATS];
	double first;

	attach();
	fill();
	first = save();
	for (int k = 0; k < REPEATS; k++) {
		double begin = now_ns();

		customers_update(&it.policy.accountant.customers, NOW + 60 * (k + 1));
		update[k] = now_ns() - begin;
		store[k] = save();
		both[k] = update[k] + store[k];
	}
	for (int k = 0; k < REPEATS; k++) {
		store_close(it.store);
		policy_end();
		policy_begin();
		restart[k] = attach();
	}
	tell("first_store", &first, 1);
	tell("update", update, REPEATS);
	tell("store", store, REPEATS);
	tell("update_and_store", both, REPEATS);
	tell("restart", restart, REPEATS);
}

static void store_remove(void)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-receipt" };
	char path[BENCH_PATH + 40];

	for (size_t k = 0; k < sizeof(suffixes) / sizeof(*suffixes); k++) {
		snprintf(path, sizeof(path), "%s%s", it.path, suffixes[k]);
		remove(path);
	}
	*strrchr(it.path, '/') = '\0';
	rmdir(it.path);
}

int main(int argc, char **argv)
{
	for (int k = 1; k < argc; k += 2)
		if (strcmp(argv[k], "--customers") != 0 || k + 1 == argc ||
		    (it.n = (unsigned)strtoul(argv[k + 1], NULL, 10)) == 0) {
			fprintf(stderr, "usage: accounts [--customers N]\n");
			return 2;
		}
	must(bench_directory(it.path), "a directory", NULL);
	strcat(it.path, "/store");
	must(condor_defaults(&it.conf), "the configuration", NULL);
	sched_begin();
	policy_begin();
	measure();
	store_close(it.store);
	policy_end();
	sched_destroy(it.sched);
	condor_free(&it.conf);
	store_remove();
	return 0;
}
