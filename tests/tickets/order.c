/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merge of runs, compared with qsort(3), on ranges of few runs, of many, and of runs of one
 * task. FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/naive/cells.h"
#include "tickets/order.h"

#define MOST 40000

struct item {
	double key;
	uint32_t rank, task;
};

static struct item expected[MOST];
static uint32_t tasks[MOST], other_tasks[MOST], job[MOST], rank[MOST];
static double keys[MOST], other_keys[MOST];
static uint64_t randomness;

static uint64_t below(uint64_t n)
{
	return random_below(&randomness, n);
}

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Make tasks 0..n-1 in any order, about `per_job` of a job. Ranks are a permutation of the jobs. */
static struct task_range range_make(uint32_t n, uint32_t per_job, bool ranked)
{
	uint32_t njobs = 0;

	for (uint32_t i = 0; i < n; i++) {
		tasks[i] = i;
		job[i] = njobs;
		njobs += below(per_job) == 0;
	}
	for (uint32_t i = 0; i <= njobs && i < MOST; i++)
		rank[i] = i;
	for (uint32_t i = njobs; i > 1; i--) {
		uint32_t k = (uint32_t)below(i), swap = rank[i - 1];

		rank[i - 1] = rank[k];
		rank[k] = swap;
	}
	return (struct task_range){ .tasks = tasks,
				    .keys = keys,
				    .other_tasks = other_tasks,
				    .other_keys = other_keys,
				    .n = n,
				    .job = job,
				    .rank = ranked ? rank : NULL };
}

static void tasks_shuffle(uint32_t n, uint64_t swaps)
{
	for (; n > 1 && swaps > 0; swaps--) {
		uint32_t a = (uint32_t)below(n), b = (uint32_t)below(n), task = tasks[a];

		tasks[a] = tasks[b];
		tasks[b] = task;
	}
}

static void expect_of(const struct task_range *range)
{
	for (uint32_t i = 0; i < range->n; i++)
		expected[i] = (struct item){ range->keys[i], range_rank(range, i), range->tasks[i] };
	qsort(expected, range->n, sizeof(*expected), by_key);
}

static void check_merged(const struct task_range *range)
{
	struct tournament order;

	expect_of(range);
	order_begin(&order, range);
	for (uint32_t i = 0; i < range->n; i++) {
		assert_true(order_left(&order));

		uint32_t at = order_next(&order);

		assert_int_equal(range->tasks[at], expected[i].task);
		assert_true(range->keys[at] == expected[i].key);
	}
	assert_false(order_left(&order));
}

static void check_sorted(const struct task_range *range)
{
	expect_of(range);
	order_sort(range);
	for (uint32_t i = 0; i < range->n; i++) {
		assert_int_equal(range->tasks[i], expected[i].task);
		assert_true(range->keys[i] == expected[i].key);
	}
}

/* Check both ways from the same state. */
static void check(const struct task_range *range)
{
	static uint32_t kept_tasks[MOST];
	static double kept_keys[MOST];

	memcpy(kept_tasks, range->tasks, range->n * sizeof(*kept_tasks));
	memcpy(kept_keys, range->keys, range->n * sizeof(*kept_keys));
	check_merged(range);
	memcpy(range->tasks, kept_tasks, range->n * sizeof(*kept_tasks));
	memcpy(range->keys, kept_keys, range->n * sizeof(*kept_keys));
	check_sorted(range);
}

static void test_random_ranges_are_sorted(void **state)
{
	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint32_t n = (uint32_t)below(round % 100 == 0 ? 5000 : 300);
		struct task_range range = range_make(n, 1 + (uint32_t)below(6), below(2));
		uint64_t values = 1 + below(below(2) ? 4 : 1000000);

		tasks_shuffle(n, below(2) ? n : below(20));
		for (uint32_t i = 0; i < n; i++)
			keys[i] = (double)below(values) - (double)values / 2;
		check(&range);
	}
}

/* Runs of about equal length that are sorted already: the input of a share tree's node. */
static void test_pieces_that_are_in_order_are_merged(void **state)
{
	static const uint32_t pieces[] = {
		1, 2, 3, 64, ORDER_FAN - 1, ORDER_FAN, ORDER_FAN + 1, 2 * ORDER_FAN, 5 * ORDER_FAN + 1, 3000
	};

	(void)state;
	for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++)
		for (int ranked = 0; ranked < 2; ranked++) {
			struct task_range range = range_make(6000, 3, ranked);

			tasks_shuffle(range.n, range.n);
			for (uint32_t i = 0; i < range.n; i++)
				keys[i] = (double)below(50);
			for (uint32_t k = 0; k < pieces[p]; k++) {
				uint32_t begin = range.n * k / pieces[p], end = range.n * (k + 1) / pieces[p];
				struct task_range piece = range;

				piece.tasks += begin;
				piece.keys += begin;
				piece.n = end - begin;
				expect_of(&piece);
				for (uint32_t i = 0; i < piece.n; i++) {
					piece.tasks[i] = expected[i].task;
					piece.keys[i] = expected[i].key;
				}
			}
			check(&range);
		}
}

static void test_a_range_in_the_opposite_order_is_as_many_runs_as_tasks(void **state)
{
	static const uint32_t sizes[] = { 2, ORDER_FAN, ORDER_FAN + 1, 3 * ORDER_FAN, MOST };

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		struct task_range range = range_make(sizes[k], 1, false);

		for (uint32_t i = 0; i < range.n; i++)
			keys[i] = i;
		check(&range);
		for (uint32_t i = 0; i < range.n; i++) {	/* with equal keys the tasks decide */
			tasks[i] = range.n - 1 - i;
			keys[i] = 0.0;
		}
		check(&range);
	}
}

static void test_extreme_doubles_are_sorted(void **state)
{
	static const double ends[] = { -1.7e308, -5e-324, -0.0, 0.0, 5e-324, 1e-300, 1.0, 1.7e308 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct task_range range = range_make(500, 2, round % 2);

		for (uint32_t i = 0; i < range.n; i++)
			keys[i] = ends[below(sizeof(ends) / sizeof(*ends))];
		check(&range);
	}
}

static void test_an_empty_range_is_in_order(void **state)
{
	struct task_range range = range_make(0, 1, false);

	(void)state;
	check(&range);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_range_is_in_order),
		cmocka_unit_test(test_random_ranges_are_sorted),
		cmocka_unit_test(test_pieces_that_are_in_order_are_merged),
		cmocka_unit_test(test_a_range_in_the_opposite_order_is_as_many_runs_as_tasks),
		cmocka_unit_test(test_extreme_doubles_are_sorted),
	};

	randomness = seed_get("order");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
