/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A minimal policy: the youngest job comes first, and no values of it are shown. The second part
 * adds a negotiation of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/dispatch.h"
#include "sched/policy/places.h"
#include "tests/dispatch/cell.h"

static int collect(struct policy *policy, struct run *run)
{
	(void)policy;
	return run_collect_listed(run);
}

static int by_youth(struct policy *policy, struct run *run)
{
	const struct jobs *jobs = &run->mirror->state->jobs;

	(void)policy;
	run->record.report_pending = 1;
	for (size_t i = 0; i < run->waiting.n; i++)
		run->waiting.prio[i] = job_fact(jobs, run->waiting.rows[i], number);
	return 0;
}

static double in_tenths(double key)
{
	return key / 10;
}

static const struct policy_kind youth = {
	.name = "youth", .collect = collect, .normalize = by_youth, .shown = in_tenths
};

/* Keep the order of the list and start no job. */
static int negotiate(struct policy *policy, struct run *run, const struct places *places)
{
	(void)policy;
	assert_false(places->off);
	run->order.items = (uint64_t *)(void *)run->scratch.keys;
	run->order.n = run->waiting.n;
	for (size_t i = 0; i < run->waiting.n; i++)
		run->order.items[i] = i;
	return 0;
}

static const struct policy_kind talks = {
	.name = "talks", .collect = collect, .normalize = by_youth, .negotiate = negotiate
};

/* Check the rows and the order that a reader sees. */
static void assert_order(const struct fixture *fixture, const uint32_t *numbers, size_t n)
{
	struct fl_job job;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(fl_get(fixture->view, FL_PENDING, i, &job), 0);
		assert_int_equal(job.job_number, numbers[i]);
	}
	assert_true(fl_get(fixture->view, FL_PENDING, n, &job) != 0);
}

static void add_jobs(struct fixture *fixture)
{
	for (unsigned number = 1; number <= 10; number++)
		TELL(fixture, ADD "%u,'owner':'ann'}", number);
}

static void test_the_key_decides_the_starts_and_the_displayed_order(void **state)
{
	struct fixture *fixture = *state;
	struct policy own = { &youth }, *before = fixture->sched->policies.in_force;
	const uint32_t left[] = { 2, 1 };

	add_jobs(fixture);
	fixture->sched->policies.in_force = &own;
	run(fixture, NOW);		/* eight slots */
	for (unsigned number = 1; number <= 10; number++)
		assert_int_equal(started(fixture, number), number > 2);
	assert_order(fixture, left, 2);
	CHECK(orders_find(sched_orders(fixture->sched), 8)->start.prio, 0.3);
	CHECK(orders_find(sched_orders(fixture->sched), 8)->start.ntckts, 0.5);
	fixture->sched->policies.in_force = before;
}

static void test_a_negotiation_replaces_order_and_dispatch(void **state)
{
	struct fixture *fixture = *state;
	struct policy own = { &talks }, *before = fixture->sched->policies.in_force;
	const uint32_t listed[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

	add_jobs(fixture);
	fixture->sched->policies.in_force = &own;
	run(fixture, NOW);
	assert_order(fixture, listed, 10);
	assert_int_equal(sched_orders(fixture->sched)->last, 0);
	fixture->sched->policies.in_force = before;
	run(fixture, NOW + 15);	/* the cell's own policy continues */
	assert_int_equal(sched_orders(fixture->sched)->last, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_the_key_decides_the_starts_and_the_displayed_order),
		DISPATCH_TEST(test_a_negotiation_replaces_order_and_dispatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
