/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conf/base/columns.h"
#include "tests/failing_memory.h"

struct table {
	uint32_t *names;
	double *values;
	unsigned char *keys;		/* 3 bytes each */
	size_t n, capacity;
};

static int reserve(struct table *table, size_t n)
{
	return array_reserve(&table->capacity, n, COLUMN(table->names), COLUMN(table->values),
			     COLUMN_OF(table->keys, 3));
}

static void add(struct table *table, uint32_t i)
{
	table->names[i] = i;
	table->values[i] = i / 2.0;
	table->keys[3 * i] = table->keys[3 * i + 2] = (unsigned char)i;
	table->n++;
}

static void check(const struct table *table)
{
	for (uint32_t i = 0; i < table->n; i++) {
		assert_int_equal(table->names[i], i);
		assert_true(table->values[i] == i / 2.0);
		assert_int_equal(table->keys[3 * i], i % 256);
		assert_int_equal(table->keys[3 * i + 2], i % 256);
	}
}

static void table_free(struct table *table)
{
	free(table->names);
	free(table->values);
	free(table->keys);
}

static void test_columns_grow_together_and_keep_their_elements(void **state)
{
	struct table table = { 0 };
	unsigned moves = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		size_t before = table.capacity;

		assert_int_equal(reserve(&table, table.n + 1), 0);
		assert_true(table.capacity > table.n);
		moves += table.capacity != before;
		add(&table, i);
	}
	assert_true(moves < 60);
	check(&table);
	table_free(&table);
}

static void test_room_that_exists_is_not_changed(void **state)
{
	struct table table = { 0 };
	size_t capacity;

	(void)state;
	assert_int_equal(reserve(&table, 0), 0);
	assert_int_equal(table.capacity, 0);
	assert_null(table.names);
	assert_int_equal(reserve(&table, 1000), 0);
	capacity = table.capacity;
	assert_int_equal(reserve(&table, 999), 0);
	assert_int_equal(table.capacity, capacity);
	table_free(&table);
}

static void test_more_elements_than_numbers_are_refused(void **state)
{
	struct table table = { 0 };

	(void)state;
	assert_int_equal(reserve(&table, UINT32_MAX), -ENOMEM);
	assert_int_equal(reserve(&table, SIZE_MAX), -ENOMEM);
	assert_int_equal(table.capacity, 0);
	table_free(&table);
}

#ifdef CAN_FAIL
static void test_without_memory_elements_and_capacity_are_kept(void **state)
{
	struct table table = { 0 };
	size_t capacity;

	(void)state;
	assert_int_equal(reserve(&table, 10), 0);
	capacity = table.capacity;
	for (uint32_t i = 0; i < capacity; i++)
		add(&table, i);
	for (long n = 0; n < 3; n++) {
		left = n;
		assert_int_equal(reserve(&table, capacity + 1), -ENOMEM);
		left = -1;
		assert_int_equal(table.capacity, capacity);
		check(&table);
	}
	assert_int_equal(reserve(&table, capacity + 1), 0);
	add(&table, (uint32_t)capacity);
	check(&table);
	table_free(&table);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_grow_together_and_keep_their_elements),
		cmocka_unit_test(test_room_that_exists_is_not_changed),
		cmocka_unit_test(test_more_elements_than_numbers_are_refused),
#ifdef CAN_FAIL
		cmocka_unit_test(test_without_memory_elements_and_capacity_are_kept),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
