/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps of random items, compared with a linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conf/base/heap.h"

#define MOST 200
#define ROUNDS 20000

struct item {
	int rank;
	unsigned number;
};

static unsigned comparisons;

static bool is_before(unsigned *count, const struct item *a, const struct item *b)
{
	++*count;
	return a->rank > b->rank;
}

static int best_rank(const struct item *items, size_t n)
{
	int best = items[0].rank;

	for (size_t i = 1; i < n; i++)
		best = items[i].rank > best ? items[i].rank : best;
	return best;
}

static struct item take(struct item *items, size_t *n)
{
	struct item best = items[0];

	items[0] = items[--*n];
	heap_sink(items, *n, 0, is_before, &comparisons);
	return best;
}

static void test_the_best_item_is_first_after_any_change(void **state)
{
	struct item items[MOST];
	size_t n = 0;

	(void)state;
	srandom(1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		if (n < MOST && (n == 0 || random() % 2)) {
			items[n++] = (struct item){ (int)(random() % 50), i };
			heap_rise(items, n - 1, is_before, &comparisons);
		} else {
			int best = best_rank(items, n);

			assert_int_equal(take(items, &n).rank, best);
		}
		if (n > 0)
			assert_int_equal(items[0].rank, best_rank(items, n));
	}
}

static void test_items_in_any_order_become_a_heap_with_each_of_them_once(void **state)
{
	(void)state;
	srandom(2);
	for (size_t all = 0; all <= MOST; all++) {
		struct item items[MOST + 1];
		bool seen[MOST] = { false };
		size_t n = all;
		int last = 1000;

		for (size_t i = 0; i < n; i++)
			items[i] = (struct item){ (int)(random() % 50), (unsigned)i };
		heap_build(items, n, is_before, &comparisons);
		while (n > 0) {
			struct item best = take(items, &n);

			assert_true(best.rank <= last && !seen[best.number]);
			last = best.rank;
			seen[best.number] = true;
		}
	}
}

static void test_an_item_with_a_lower_rank_sinks_to_its_position(void **state)
{
	struct item items[MOST];

	(void)state;
	srandom(3);
	for (size_t i = 0; i < MOST; i++)
		items[i] = (struct item){ 1000 + (int)(random() % 1000), (unsigned)i };
	heap_build(items, MOST, is_before, &comparisons);
	for (int i = 0; i < ROUNDS; i++) {
		items[0].rank -= (int)(random() % 300);
		heap_sink(items, MOST, 0, is_before, &comparisons);
		assert_int_equal(items[0].rank, best_rank(items, MOST));
	}
}

static void test_removing_an_item_costs_two_comparisons_per_level(void **state)
{
	struct item items[MOST];
	size_t n = MOST;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		items[i] = (struct item){ (int)(i * 7919 % MOST), (unsigned)i };
	heap_build(items, n, is_before, &comparisons);
	while (n > 0) {
		comparisons = 0;
		take(items, &n);
		assert_in_range(comparisons, 0, 2 * 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_best_item_is_first_after_any_change),
		cmocka_unit_test(test_items_in_any_order_become_a_heap_with_each_of_them_once),
		cmocka_unit_test(test_an_item_with_a_lower_rank_sinks_to_its_position),
		cmocka_unit_test(test_removing_an_item_costs_two_comparisons_per_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
