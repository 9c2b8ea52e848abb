/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For any events: no slot is held by two tasks, the use of customers equals their claims, and
 * charged usage equals the time held. Random pools with preemption; FAIRLEAD_SEED=n sets the seed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/userprio/pool.h"

enum { POOLS = 12, RUNS = 40, SLOTS = 9, JOBS = 400, OWNERS = 4 };

static const char *const owners[OWNERS] = { "ann", "bob", "cat", "dan" };

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

struct history {			/* jobs by number */
	unsigned owner[JOBS + 1];
	int64_t since[JOBS + 1];	/* start of the use of its slot; 0: no slot */
	double held[OWNERS];		/* seconds */
	unsigned n;
};

static void submit(struct fixture *fixture, struct history *history)
{
	for (uint32_t n = below(7); n > 0 && history->n < JOBS; n--) {
		history->owner[++history->n] = below(OWNERS);
		TELL(fixture, ADD "%u,'owner':'%s'}", history->n, owners[history->owner[history->n]]);
	}
}

static void ended(struct history *history, uint32_t number, int64_t end)
{
	history->held[history->owner[number]] += (double)(end - history->since[number]);
	history->since[number] = 0;
}

/* Start ordered tasks. Some end with a late report, and vacated ones end in time. */
static void go_on(struct fixture *fixture, struct history *history, int64_t before, int64_t now, bool all)
{
	for (uint32_t number = 1; number <= history->n; number++) {
		int64_t end = before + below((uint32_t)(now - before) + 1);

		if (history->since[number] == 0)
			continue;
		if (all || below(6) == 0) {
			TELL(fixture, "{'event':'task_finish','job_number':%u,'end_time':%lld}", number,
			     (long long)end);
			ended(history, number, end);
		} else if (below(8) == 0) {
			TELL(fixture, "{'event':'vacated','job_number':%u,'how':'soft'}", number);
			ended(history, number, now);
		}
	}
}

static void look(struct fixture *fixture, struct history *history, int64_t now)
{
	const struct state *state = sched_mirror(fixture->sched)->state;
	const char *held[SLOTS];
	size_t n = 0;

	pool_each(t, &state->tasks.pool) {
		uint32_t number = job_fact(&state->jobs, state->tasks.items[t].row, number);

		assert_true(n < SLOTS);
		held[n] = strings_text(fixture->sched->strings, state->tasks.items[t].granted[0].queue);
		for (size_t k = 0; k < n; k++)
			assert_string_not_equal(held[k], held[n]);
		n++;
		if (history->since[number] == 0) {
			history->since[number] = now;
			task_confirm(fixture, number, now);
		}
	}
}

static void sums_agree(const struct fixture *fixture)
{
	const struct accountant *accountant =
		&((const struct userprio_policy *)fixture->sched->policies.in_force)->accountant;
	double used[64] = { 0.0 };

	pool_each(c, &accountant->keys)
		used[accountant->claims[c].customer] += accountant->claims[c].weight;
	for (size_t i = accountant->ngroups; i < accountant->customers.n; i++)
		assert_true(used[i] == accountant->customers.items[i].weight_used);
	assert_true(accountant->keys.used <= SLOTS);
}

static void test_a_slot_is_used_by_one_task_and_charged_for_its_time(void **state)
{
	struct fixture *fixture = *state;
	struct history history = { .n = 0 };
	int64_t now = NOW, before;

	put(fixture, "condor_config",
	    "UID_DOMAIN = pool\nPRIORITY_HALFLIFE = 300\nPREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n"
	    "ROUND_PRIORITIES = exact\nCLAIM_WORKLIFE = 50\n");
	reload(fixture);
	slots_add(fixture, SLOTS);
	for (unsigned i = 0; i < RUNS; i++) {
		before = now;
		now += 1 + below(45);
		go_on(fixture, &history, before, now, false);
		submit(fixture, &history);
		take_orders(fixture);
		run(fixture, now);
		look(fixture, &history, now);
		sums_agree(fixture);
	}
	before = now;
	now += 100;
	for (uint32_t number = 1; number <= history.n; number++)
		if (history.since[number] == 0)
			tell(fixture, DELETE "%u}", number);	/* unless it has ended */
	go_on(fixture, &history, before, now, true);
	run(fixture, now);
	run(fixture, now + 60);
	for (unsigned o = 0; o < OWNERS; o++) {
		char name[20];

		snprintf(name, sizeof(name), "%s@pool", owners[o]);
		if (history.held[o] > 0.0)
			assert_true(fabs(customer(fixture, name).weight_accumulated - history.held[o]) < 1e-6);
	}
}

int main(void)
{
	struct CMUnitTest tests[POOLS];

	seed = getenv("FAIRLEAD_SEED") ? strtoull(getenv("FAIRLEAD_SEED"), NULL, 10) : 1;
	printf("FAIRLEAD_SEED=%llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < POOLS; i++)
		tests[i] = (struct CMUnitTest)POOL_TEST(test_a_slot_is_used_by_one_task_and_charged_for_its_time);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
