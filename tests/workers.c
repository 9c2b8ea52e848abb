/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shm/workers.h"

#define ITEMS 10000

struct sums {
	uint32_t done[ITEMS];		/* how often each item was done */
	_Atomic size_t calls;
};

static void do_item(void *context, size_t i)
{
	struct sums *s = context;

	s->done[i]++;
	atomic_fetch_add(&s->calls, 1);
}

static void run_with(unsigned n)
{
	struct sums *s = calloc(1, sizeof(*s));
	struct workers *w;

	assert_int_equal(workers_create(&w, n), 0);
	assert_int_equal(workers_count(w), n);
	for (size_t round = 1; round <= 200; round++) {
		size_t items = round % 7 == 0 ? round % 3 : ITEMS / round;

		atomic_store(&s->calls, 0);
		workers_run(w, do_item, s, items);
		assert_int_equal(s->calls, items);
		for (size_t i = 0; i < ITEMS; i++) {
			assert_int_equal(s->done[i], i < items);
			s->done[i] = 0;
		}
	}
	workers_destroy(w);
	free(s);
}

static void test_each_item_is_done_once_by_any_number_of_workers(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 7; n++)
		run_with(n);
}

static void test_nobody_is_no_worker(void **state)
{
	struct workers *w;

	(void)state;
	assert_int_equal(workers_create(&w, 0), -EINVAL);
	workers_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_item_is_done_once_by_any_number_of_workers),
		cmocka_unit_test(test_nobody_is_no_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
