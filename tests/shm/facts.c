/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shm/facts.h"
#include "tests/failing_memory.h"
#include "tests/shm/publish.h"

/* The column of numbers that a chunk begins with. */
static uint32_t *numbers_of(const struct facts *facts, uint32_t row)
{
	return facts_chunk(facts, row);
}

static void write_number(struct facts *facts, uint32_t row, uint32_t number)
{
	assert_int_equal(facts_reserve(facts, row), 0);
	numbers_of(facts, row)[row % CHUNK_ROWS] = number;
}

/* A table of chunks whose first rows have the numbers 100, 101, ... */
static struct facts facts_make(struct fixture *fixture, uint32_t chunks)
{
	struct facts table = { .segment = &fixture->segment, .chunk_bytes = EXTENT_BYTES };

	for (uint32_t i = 0; i < chunks; i++)
		write_number(&table, i * CHUNK_ROWS, 100 + i);
	return table;
}

/* Show a table as a run does. Return 0 or -ENOMEM. *shared is set as by facts_show(). */
static int show(struct fixture *fixture, struct facts *table, size_t *shared)
{
	uint64_t before = generation_current(&fixture->segment);
	struct generation_writer writer;

	assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
	if (!generation_results(&writer, 0, EXTENT_BYTES) || facts_show(table, &writer, before, shared)) {
		generation_abandon(&writer);
		return -ENOMEM;
	}
	writer.directory->rows = table->n * (uint64_t)CHUNK_ROWS;
	generation_publish(&writer);
	assert_int_equal(segment_announce(&fixture->segment), 0);
	return 0;
}

static size_t shown(struct fixture *fixture, struct facts *table)
{
	size_t shared;

	assert_int_equal(show(fixture, table, &shared), 0);
	return shared;
}

static uint32_t number_at(const struct view *view, uint32_t row)
{
	const uint32_t *numbers = view_facts(view, row, 0, CHUNK_ROWS * sizeof(*numbers));

	assert_non_null(numbers);
	return numbers[row % CHUNK_ROWS];
}

static uint32_t number_seen(struct attachment *attachment, uint32_t row)
{
	struct view view;
	uint32_t number;

	attach_begin(attachment, &view);
	number = number_at(&view, row);
	assert_int_equal(attach_end(attachment, &view), 0);
	return number;
}

static void test_an_unpublished_chunk_is_written_in_place(void **state)
{
	struct facts table = facts_make(*state, 2);
	const void *first = facts_chunk(&table, 0);

	for (uint32_t row = 0; row < 1000; row++)
		write_number(&table, row, row);
	assert_ptr_equal(facts_chunk(&table, 0), first);
	assert_int_equal(((struct fixture *)*state)->segment.extents_held, 2);
	facts_free(&table);
}

static void test_a_published_chunk_is_copied_before_a_write(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = facts_make(fixture, 2);
	const void *first = facts_chunk(&table, 0), *second = facts_chunk(&table, CHUNK_ROWS);
	struct attachment a;
	struct view view;

	shown(fixture, &table);
	attach(fixture, &a);
	attach_begin(&a, &view);
	write_number(&table, 0, 7);
	assert_ptr_not_equal(facts_chunk(&table, 0), first);
	assert_ptr_equal(facts_chunk(&table, CHUNK_ROWS), second);
	write_number(&table, 1, 8);
	/* A single copy is enough for the following writes. */
	assert_int_equal(numbers_of(&table, 0)[0], 7);
	assert_int_equal(number_at(&view, 0), 100);
	shown(fixture, &table);
	assert_int_equal(number_at(&view, 0), 100);
	assert_int_equal(number_at(&view, CHUNK_ROWS), 101);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_int_equal(number_seen(&a, 0), 7);
	assert_int_equal(number_seen(&a, 1), 8);
	assert_int_equal(number_seen(&a, CHUNK_ROWS), 101);
	attach_close(&a);
	facts_free(&table);
}

static void test_unchanged_chunks_are_shared(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = facts_make(fixture, 4);

	assert_int_equal(shown(fixture, &table), 0);
	assert_int_equal(shown(fixture, &table), 4);
	write_number(&table, CHUNK_ROWS + 5, 1);
	assert_int_equal(shown(fixture, &table), 3);
	for (uint32_t row = 0; row < 4 * CHUNK_ROWS; row += CHUNK_ROWS)
		write_number(&table, row, 1);
	assert_int_equal(shown(fixture, &table), 0);
	write_number(&table, 4 * CHUNK_ROWS, 1);
	assert_int_equal(shown(fixture, &table), 4);
	facts_free(&table);
}

/*
 * The results of two directories, the table's chunks, and the chunks that only the previous
 * generation shows.
 */
static void test_an_extent_is_freed_with_its_last_holder(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = facts_make(fixture, 3);
	struct attachment attachment;
	struct view view;

	shown(fixture, &table);
	shown(fixture, &table);
	assert_int_equal(fixture->segment.extents_held, 2 + 3);
	for (int i = 0; i < 10; i++) {
		write_number(&table, 0, 1);
		assert_int_equal(fixture->segment.extents_held, 2 + 3 + 1);
		shown(fixture, &table);
		shown(fixture, &table);
		assert_int_equal(fixture->segment.extents_held, 2 + 3);
	}
	attach(fixture, &attachment);
	attach_begin(&attachment, &view);
	for (int i = 0; i < 10; i++) {
		write_number(&table, 0, 2);
		shown(fixture, &table);
	}
	/* A slow reader keeps the extents of its own generation, not those of every generation. */
	assert_int_equal(fixture->segment.extents_held, 3 + 3 + 2);
	assert_int_equal(number_at(&view, 0), 1);
	assert_int_equal(attach_end(&attachment, &view), 0);
	shown(fixture, &table);
	shown(fixture, &table);
	assert_int_equal(fixture->segment.extents_held, 2 + 3);
	attach_close(&attachment);
	facts_free(&table);
}

static void test_a_freed_table_stays_visible_to_its_readers(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = facts_make(fixture, 3), other = facts_make(fixture, 1);
	struct attachment a;

	shown(fixture, &table);
	write_number(&table, 0, 7);
	assert_int_equal(fixture->segment.extents_held, 1 + 3 + 1 + 1);
	facts_free(&table);
	assert_int_equal(table.n, 0);
	assert_int_equal(fixture->segment.extents_held, 1 + 3 + 1);
	attach(fixture, &a);
	assert_int_equal(number_seen(&a, 0), 100);
	assert_int_equal(number_seen(&a, 2 * CHUNK_ROWS), 102);
	shown(fixture, &other);
	shown(fixture, &other);
	assert_int_equal(fixture->segment.extents_held, 2 + 1);
	attach_close(&a);
	facts_free(&other);
}

/* Allocate all remaining shared memory. Return the number of extents. */
static size_t fill_up(struct fixture *fixture, uint64_t *offsets, size_t most)
{
	size_t n = 0;

	while (n < most && (offsets[n] = segment_alloc(&fixture->segment, EXTENT_BYTES)) != 0)
		n++;
	assert_true(n < most);
	return n;
}

static void test_a_chunk_is_private_until_shared_memory_is_available(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = facts_make(fixture, 2);
	uint64_t offsets[200];
	struct attachment a;
	size_t n, shared;

	shown(fixture, &table);
	shown(fixture, &table);
	attach(fixture, &a);
	n = fill_up(fixture, offsets, 200);
	write_number(&table, 0, 7);
	write_number(&table, 2 * CHUNK_ROWS, 8);	/* a new one */
	write_number(&table, 1, 9);
	assert_int_equal(fixture->segment.extents_held, n + 2 + 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(show(fixture, &table, &shared), -ENOMEM);
		assert_int_equal(number_seen(&a, 0), 100);
	}
	segment_free(&fixture->segment, offsets[--n], EXTENT_BYTES);
	assert_int_equal(show(fixture, &table, &shared), -ENOMEM);	/* memory for one of two */
	write_number(&table, 2, 10);
	segment_free(&fixture->segment, offsets[--n], EXTENT_BYTES);
	segment_free(&fixture->segment, offsets[--n], EXTENT_BYTES);
	assert_int_equal(show(fixture, &table, &shared), 0);
	assert_int_equal(shared, 1);
	assert_int_equal(number_seen(&a, 0), 7);
	assert_int_equal(number_seen(&a, 1), 9);
	assert_int_equal(number_seen(&a, 2), 10);
	assert_int_equal(number_seen(&a, CHUNK_ROWS), 101);
	assert_int_equal(number_seen(&a, 2 * CHUNK_ROWS), 8);
	shown(fixture, &table);
	assert_int_equal(fixture->segment.extents_held, n + 2 + 3);
	attach_close(&a);
	facts_free(&table);
}

static void test_private_chunks_are_freed_with_their_table(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = facts_make(fixture, 1);
	uint64_t offsets[200];

	shown(fixture, &table);
	fill_up(fixture, offsets, 200);
	write_number(&table, 0, 7);
	write_number(&table, CHUNK_ROWS, 8);
	facts_free(&table);		/* an address sanitizer would report a leak */
	assert_int_equal(table.n, 0);
}

static void test_a_chunk_may_be_larger_than_an_extent(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = { .segment = &fixture->segment, .chunk_bytes = 2 * EXTENT_BYTES };
	const uint32_t last = 2 * EXTENT_BYTES / sizeof(uint32_t) - 1;
	struct attachment a;
	struct view view;

	for (uint32_t number = 1; number < 6; number++) {
		write_number(&table, 0, number);
		write_number(&table, CHUNK_ROWS, number);
		numbers_of(&table, CHUNK_ROWS)[last] = number;
		assert_int_equal(shown(fixture, &table), 0);
	}
	assert_int_equal(fixture->segment.extents_held, 2 + 2 * 2 * 2);
	attach(fixture, &a);
	attach_begin(&a, &view);
	assert_int_equal(number_at(&view, 0), 5);
	assert_int_equal(((const uint32_t *)view_facts(&view, CHUNK_ROWS, 0, 2 * EXTENT_BYTES))[last], 5);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_close(&a);
	facts_free(&table);
}

static void test_the_number_of_rows_is_limited(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = { .segment = &fixture->segment, .chunk_bytes = EXTENT_BYTES };

	assert_int_equal(facts_reserve(&table, (uint64_t)MAX_CHUNKS * CHUNK_ROWS), -ENOMEM);
	assert_int_equal(table.n, 0);
	facts_free(&table);
}

#ifdef CAN_FAIL
/*
 * Reserve with the first, the second ... allocation failing until it succeeds. Return how many
 * failed.
 */
static long reserve_at_last(struct facts *table, uint64_t row)
{
	const struct facts before = *table;

	for (long n = 0; ; n++) {
		int code;

		left = n;
		code = facts_reserve(table, row);
		left = -1;
		if (code == 0)
			return n;
		assert_int_equal(code, -ENOMEM);
		assert_int_equal(table->n, before.n);
		for (size_t i = 0; i < table->n; i++)
			assert_int_equal(numbers_of(table, i * CHUNK_ROWS)[0], 100 + i);
	}
}

static void test_without_private_memory_the_table_is_unchanged(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = facts_make(fixture, 1);
	uint64_t offsets[200];
	long before;
	size_t n;

	shown(fixture, &table);
	n = fill_up(fixture, offsets, 200);
	before = alive;
	assert_int_equal(reserve_at_last(&table, 0), 1);
	assert_int_equal(reserve_at_last(&table, 0), 0);
	assert_int_equal(reserve_at_last(&table, CHUNK_ROWS), 1);
	assert_int_equal(alive, before + 2);
	numbers_of(&table, CHUNK_ROWS)[0] = 101;
	for (size_t i = 0; i < n; i++)
		segment_free(&fixture->segment, offsets[i], EXTENT_BYTES);
	shown(fixture, &table);
	assert_int_equal(alive, before);
	facts_free(&table);
}

/*
 * The list of chunks is allocated first, then the counts of their holders. Without them a chunk is
 * private.
 */
static void test_a_new_table_that_gets_no_memory_stays_empty(void **state)
{
	struct fixture *fixture = *state;
	struct facts table = { .segment = &fixture->segment, .chunk_bytes = EXTENT_BYTES };

	assert_int_equal(reserve_at_last(&table, 0), 1);
	assert_int_equal(fixture->segment.extents_held, 0);
	numbers_of(&table, 0)[0] = 100;
	shown(fixture, &table);
	assert_int_equal(fixture->segment.extents_held, 2);
	facts_free(&table);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_unpublished_chunk_is_written_in_place),
		TEST(test_a_published_chunk_is_copied_before_a_write),
		TEST(test_unchanged_chunks_are_shared),
		TEST(test_an_extent_is_freed_with_its_last_holder),
		TEST(test_a_freed_table_stays_visible_to_its_readers),
		TEST(test_a_chunk_is_private_until_shared_memory_is_available),
		TEST(test_private_chunks_are_freed_with_their_table),
		TEST(test_a_chunk_may_be_larger_than_an_extent),
		TEST(test_the_number_of_rows_is_limited),
#ifdef CAN_FAIL
		TEST(test_without_private_memory_the_table_is_unchanged),
		TEST(test_a_new_table_that_gets_no_memory_stays_empty),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
