/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue list, compared with an array that is sorted each time. FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/search/queue_list.h"
#include "tests/failing_memory.h"

static unsigned seed_of(const char *what)
{
	const char *text = getenv("FAIRLEAD_SEED");
	unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : 4711;

	print_message("%s: FAIRLEAD_SEED=%u\n", what, seed);
	srandom(seed);
	return seed;
}

static unsigned pick(unsigned n)
{
	return (unsigned)random() % n;
}

enum { INSTANCES = 120, MARKS = 70 };	/* more marks than one word has bits */

static struct queue_key keys[INSTANCES];
static bool listed[INSTANCES], marked[INSTANCES][MARKS];

static int by_key(const void *a, const void *b)
{
	return queue_key_compare(&keys[*(const uint32_t *)a], &keys[*(const uint32_t *)b]);
}

static void walk_is(const struct queue_list *queues, uint32_t mark)
{
	uint32_t sorted[INSTANCES], n = 0, i = queue_list_first(queues, mark);

	for (uint32_t k = 0; k < INSTANCES; k++)
		if (listed[k] && (mark == QUEUE_LIST_NONE || marked[k][mark]))
			sorted[n++] = k;
	qsort(sorted, n, sizeof(*sorted), by_key);
	for (uint32_t k = 0; k < n; k++, i = queue_list_next(queues, i, mark))
		assert_int_equal(i, sorted[k]);
	assert_int_equal(i, QUEUE_LIST_NONE);
}

static void random_step(struct queue_list *queues, uint32_t *marks, int64_t step)
{
	uint32_t i = pick(INSTANCES);

	if (pick(40) == 0 && *marks < MARKS) {
		assert_int_equal(queue_list_mark(queues), *marks);
		for (uint32_t k = 0; k < INSTANCES; k++)
			marked[k][*marks] = true;
		++*marks;
	} else if (*marks > 0 && pick(2)) {
		uint32_t mark = pick(*marks);

		queue_list_unmark(queues, i, mark);
		marked[i][mark] = false;
	} else if (listed[i]) {
		queue_list_remove(queues, i);
		listed[i] = false;
	} else {
		keys[i] = (struct queue_key){ pick(5), pick(3), step };
		queue_list_insert(queues, i, keys[i]);
		listed[i] = true;
	}
}

static void test_a_queue_list_is_a_sorted_array(void **state)
{
	struct queue_list queues = { 0 };

	(void)state;
	seed_of("queue list");
	/* Begin again without state of the previous life. */
	for (int life = 0; life < 4; life++) {
		uint32_t marks = 0, n = 0;

		memset(listed, 0, sizeof(listed));
		memset(marked, 0, sizeof(marked));
		assert_int_equal(queue_list_begin(&queues, INSTANCES), 0);
		for (int64_t step = 0; step < 8000; step++) {
			random_step(&queues, &marks, step);
			if (step % 40)
				continue;
			walk_is(&queues, QUEUE_LIST_NONE);
			walk_is(&queues, marks ? pick(marks) : QUEUE_LIST_NONE);
		}
		for (uint32_t i = 0; i < INSTANCES; i++)
			n += listed[i];
		assert_int_equal(queue_list_count(&queues), n);
		assert_int_equal(marks, MARKS);
	}
	queue_list_free(&queues);
}

static void test_an_empty_queue_list_has_no_instances(void **state)
{
	struct queue_list queues = { 0 };

	(void)state;
	assert_int_equal(queue_list_begin(&queues, 0), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(queue_list_mark(&queues), i);
	assert_int_equal(queue_list_first(&queues, 99), QUEUE_LIST_NONE);
	assert_int_equal(queue_list_first(&queues, QUEUE_LIST_NONE), QUEUE_LIST_NONE);
	queue_list_free(&queues);
}

static void test_searches_continue_after_the_last_mark(void **state)
{
	struct queue_list queues = { 0 };
	uint32_t n = 0;

	(void)state;
	assert_int_equal(queue_list_begin(&queues, 3), 0);
	while (queue_list_mark(&queues) != QUEUE_LIST_NONE)
		assert_true(++n < 100000);
	assert_true(n >= 64);
	queue_list_insert(&queues, 2, (struct queue_key){ 1, 1, 1 });
	assert_int_equal(queue_list_first(&queues, QUEUE_LIST_NONE), 2);
	queue_list_free(&queues);
}

#ifdef CAN_FAIL
static void test_a_queue_list_is_unchanged_without_memory(void **state)
{
	struct queue_list queues = { 0 };
	long before = alive;

	(void)state;
	for (int k = 0; k < 2; k++) {
		left = k;
		assert_int_equal(queue_list_begin(&queues, 10), -ENOMEM);
		left = -1;
	}
	assert_int_equal(queue_list_begin(&queues, 10), 0);
	queue_list_insert(&queues, 7, (struct queue_key){ 0, 0, 0 });
	for (int k = 0; k < 64; k++)
		assert_int_equal(queue_list_mark(&queues), k);
	left = 0;
	assert_int_equal(queue_list_mark(&queues), QUEUE_LIST_NONE);
	left = -1;
	assert_int_equal(queue_list_first(&queues, 63), 7);
	assert_int_equal(queue_list_mark(&queues), 64);
	queue_list_unmark(&queues, 7, 63);
	assert_int_equal(queue_list_first(&queues, 64), 7);
	assert_int_equal(queue_list_first(&queues, 63), QUEUE_LIST_NONE);
	queue_list_free(&queues);
	assert_int_equal(alive, before);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_queue_list_is_a_sorted_array),
		cmocka_unit_test(test_an_empty_queue_list_has_no_instances),
		cmocka_unit_test(test_searches_continue_after_the_last_mark),
#ifdef CAN_FAIL
		cmocka_unit_test(test_a_queue_list_is_unchanged_without_memory),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
