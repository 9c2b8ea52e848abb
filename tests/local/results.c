/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a request when memory is exhausted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "sched/qmaster/local/local.h"
#include "sched/qmaster/local/request.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

static void test_parts_of_a_missing_result_are_not_added_to_the_one_before(void **state)
{
	struct client client = { .fd = -1 };
	struct client_results *results = &client.request.results;
	long before = alive;

	(void)state;
	result_add_object(&client, REPLY_DONE, "all.q@a", "first");
	for (uint32_t number = 1; results->n < results->capacity; number++)
		result_add(&client, REPLY_NO_JOB, number, 0, "job %u", number);
	left = 0;
	result_add_object(&client, REPLY_DENIED, "all.q@b", "no memory");
	left = -1;
	result_note(&client, "a note");
	assert_true(results->incomplete);
	assert_string_equal(results->items[0].object, "all.q@a");
	assert_null(results->items[results->n - 1].object);
	assert_null(results->items[results->n - 1].note);

	result_add_object(&client, REPLY_DENIED, "all.q@b", "memory again");
	result_note(&client, "a note");
	assert_string_equal(results->items[results->n - 1].object, "all.q@b");
	assert_string_equal(results->items[results->n - 1].note, "a note");
	results_free(results);
	assert_int_equal(alive, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_of_a_missing_result_are_not_added_to_the_one_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
