/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table and the set of texts, compared with a linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conf/base/index.h"
#include "conf/base/text_set.h"

#define ROWS 500
#define ROUNDS 100000

static uint32_t row_of(const uint32_t *keys, const bool *is_in, uint32_t key)
{
	for (uint32_t row = 0; row < ROWS; row++)
		if (is_in[row] && keys[row] == key)
			return row;
	return INDEX_NONE;
}

/* Use few keys, so that each is added and removed many times, far apart or next to each other. */
static void check_random_rows(uint32_t distance)
{
	struct index index = { 0 };
	uint32_t keys[ROWS];
	bool is_in[ROWS] = { false };
	size_t used = 0;

	srandom(distance);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t key = (uint32_t)(random() % (2 * ROWS)) * distance, row = row_of(keys, is_in, key);

		assert_int_equal(index_find(&index, keys, key), row);
		if (row != INDEX_NONE) {
			index_remove(&index, keys, key);
			is_in[row] = false;
			used--;
			continue;
		}
		for (row = 0; row < ROWS && is_in[row]; row++)
			;
		if (row == ROWS)
			continue;
		keys[row] = key;
		assert_int_equal(index_reserve(&index, keys), 0);
		index_insert(&index, keys, row);
		is_in[row] = true;
		used++;
		assert_int_equal(index.used, used);
		assert_true(2 * index.used <= index.size);
	}
	index_clear(&index);
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(index_find(&index, keys, keys[row]), INDEX_NONE);
	index_free(&index);
}

static void test_a_key_leads_to_its_row_after_any_change(void **state)
{
	(void)state;
	check_random_rows(1);
	check_random_rows(64);
	check_random_rows(2654435761u);		/* factor of the hash function */
	/* the inverse: all rows have the same or a neighbouring position */
	check_random_rows(244002641);
}

static void test_an_empty_index_has_no_row(void **state)
{
	struct index index = { 0 };

	(void)state;
	assert_int_equal(index_find(&index, NULL, 7), INDEX_NONE);
	index_clear(&index);
	assert_int_equal(index_find(&index, NULL, 7), INDEX_NONE);
	index_free(&index);
}

static void test_rows_with_the_same_hash_are_distinguished_by_the_comparison(void **state)
{
	enum { N = 100 };
	static const uint32_t hashes[N];	/* all zero */
	struct index x = { 0 };
	uint32_t row;

	(void)state;
	assert_int_equal(index_reserve_rows(&x, hashes, N), 0);
	for (uint32_t i = 0; i < N; i++)
		index_insert(&x, hashes, i);
	for (uint32_t i = 0; i < N; i += 2)
		index_remove_row(&x, hashes, i);
	for (uint32_t i = 0; i < N; i++) {
		index_search(row, &x, 0, row == i);
		assert_int_equal(row, i % 2 ? i : INDEX_NONE);
	}
	index_free(&x);
}

static void test_reserved_space_lasts_for_all_rows(void **state)
{
	static uint32_t keys[1000];
	struct index index = { 0 };
	uint32_t *rows;

	(void)state;
	assert_int_equal(index_reserve_rows(&index, keys, 1000), 0);
	rows = index.rows;
	for (uint32_t i = 0; i < 1000; i++) {
		keys[i] = i;
		assert_int_equal(index_reserve(&index, keys), 0);
		index_insert(&index, keys, i);
	}
	assert_ptr_equal(index.rows, rows);
	index_clear(&index);
	assert_int_equal(index_reserve_rows(&index, keys, 10), 0);
	assert_ptr_equal(index.rows, rows);
	index_free(&index);
}

static void test_texts_are_numbered_once_in_order_of_arrival(void **state)
{
	struct text_set set = { 0 };
	char text[16];
	uint32_t number;

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 1000; i++) {
			snprintf(text, sizeof(text), "%u", i % 300);
			assert_int_equal(text_set_find(&set, text), i < 300 ? INDEX_NONE : i % 300);
			assert_int_equal(text_set_add(&set, text, &number), 0);
			assert_int_equal(number, i % 300);
			assert_string_equal(set.texts[number], text);
		}
		assert_int_equal(set.n, 300);
		text_set_clear(&set);
		assert_int_equal(set.n, 0);
	}
	text_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_key_leads_to_its_row_after_any_change),
		cmocka_unit_test(test_an_empty_index_has_no_row),
		cmocka_unit_test(test_rows_with_the_same_hash_are_distinguished_by_the_comparison),
		cmocka_unit_test(test_reserved_space_lasts_for_all_rows),
		cmocka_unit_test(test_texts_are_numbered_once_in_order_of_arrival),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
