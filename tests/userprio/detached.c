/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that is detached from a published run negotiates that run again: the same orders and
 * the same customers, exact to the bit. Random pools; FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sched/detach.h"
#include "sched/reader/handle.h"
#include "tests/userprio/pool.h"

enum { POOLS = 20, RUNS = 25, SLOTS = 12 };

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* Events between two runs */

static void submit(struct fixture *fixture, uint32_t *number)
{
	static const char *const owners[] = { "ann", "bob", "cat", "dan" };

	for (uint32_t n = below(6); n > 0; n--)
		TELL(fixture, ADD "%u,'owner':'%s','job_prio':%d%s%s}", ++*number, owners[below(4)], (int)below(3) - 1,
		     below(3) == 0 ? ",'accounting_group':'physics'" : "", below(4) == 0 ? ",'tasks':'1-4'" : "");
}

/* Let ordered tasks begin, end, or vacate. */
static void go_on(struct fixture *fixture, int64_t now)
{
	const struct state *state = sched_mirror(fixture->sched)->state;
	uint32_t tasks[1000], n = 0;

	pool_each(t, &state->tasks.pool)
		tasks[n++] = t;
	for (uint32_t i = 0; i < n; i++) {
		const struct task *task = &state->tasks.items[tasks[i]];
		uint32_t number = job_fact(&state->jobs, task->row, number), id = task->id;
		const char *queue = strings_text(fixture->sched->strings, task->granted[0].queue);

		if (task->order)
			TELL(fixture,
			     "{'event':'task_start','job_number':%u,'task':%u,'start_time':%lld,'granted':[{'queue':'%s','slots':1}]}",
			     number, id, (long long)now, queue);
		else if (below(5) == 0)
			TELL(fixture, "{'event':'task_finish','job_number':%u,'task':%u,'end_time':%lld}", number, id,
			     (long long)now - below(3));
		else if (below(9) == 0)
			TELL(fixture, "{'event':'vacated','job_number':%u,'task':%u,'how':'soft'}", number, id);
	}
}

/* Comparison */

static void customers_are_equal(const struct fixture *fixture, const struct sched *a, const struct sched *b)
{
	const struct accountant *x = &((const struct userprio_policy *)a->policies.in_force)->accountant;
	const struct accountant *y = &((const struct userprio_policy *)b->policies.in_force)->accountant;

	(void)fixture;
	assert_int_equal(x->customers.n, y->customers.n);
	assert_int_equal(x->customers.last_update, y->customers.last_update);
	assert_int_equal(x->keys.used, y->keys.used);
	for (size_t i = 0; i < x->customers.n; i++) {
		const struct customer *customer = &x->customers.items[i], *d = &y->customers.items[i];

		assert_string_equal(strings_text(a->strings, x->names[i]), strings_text(b->strings, y->names[i]));
		assert_true(customer->rup == d->rup && customer->factor == d->factor &&
			    customer->weight_used == d->weight_used && customer->tree_used == d->tree_used);
		assert_true(customer->uncharged == d->uncharged && customer->weight_uncharged == d->weight_uncharged);
		assert_true(customer->accumulated == d->accumulated &&
			    customer->weight_accumulated == d->weight_accumulated);
		assert_int_equal(customer->used, d->used);
	}
}

static void orders_are_equal(struct orders *a, struct orders *b, uint64_t after)
{
	assert_int_equal(a->last, b->last);
	for (uint64_t number = after + 1; number <= a->last; number++) {
		const struct order *x = orders_find(a, number), *y = orders_find(b, number);

		assert_non_null(x);
		assert_non_null(y);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->job_number, y->job_number);
		assert_int_equal(x->task, y->task);
		if (x->kind == ORDER_START)
			assert_string_equal(x->start.granted.items[0].queue, y->start.granted.items[0].queue);
		else
			assert_string_equal(x->vacate.queue, y->vacate.queue);
	}
}

static void again(struct fixture *fixture, uint64_t after)
{
	const struct detach_options options = { .segment_bytes = 64 << 20 };
	struct sched *detached;
	struct fl_run run;

	fl_run(fixture->view, &run);
	assert_int_equal(sched_detach(&detached, &fixture->view->view, &options, &fixture->error), 0);
	sched_orders(detached)->limits = order_line_limits;
	assert_int_equal(sched_run(detached, run.now, run.event, &fixture->error), 0);
	orders_are_equal(sched_orders(fixture->sched), sched_orders(detached), after);
	customers_are_equal(fixture, fixture->sched, detached);
	sched_destroy(detached);
}

static void test_a_detached_run_equals_the_live_one(void **state)
{
	struct fixture *fixture = *state;
	uint32_t number = 0;
	int64_t now = NOW;

	put(fixture, "condor_config",
	    "UID_DOMAIN = pool\nPRIORITY_HALFLIFE = 300\nGROUP_NAMES = physics\nGROUP_QUOTA_physics = 5\n"
	    "GROUP_ACCEPT_SURPLUS = true\nPREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n");
	reload(fixture);
	slots_add(fixture, SLOTS);
	for (unsigned i = 0; i < RUNS; i++, now += 1 + below(40)) {
		uint64_t after;

		submit(fixture, &number);
		go_on(fixture, now);
		take_orders(fixture);
		after = sched_orders(fixture->sched)->last;
		run(fixture, now);
		again(fixture, after);
	}
}

int main(void)
{
	struct CMUnitTest tests[POOLS];

	seed = getenv("FAIRLEAD_SEED") ? strtoull(getenv("FAIRLEAD_SEED"), NULL, 10) : 1;
	printf("FAIRLEAD_SEED=%llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < POOLS; i++)
		tests[i] = (struct CMUnitTest)POOL_TEST(test_a_detached_run_equals_the_live_one);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
