/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "shm/segment.h"
#include "tests/shm/cell.h"

static const struct segment_options small = { .file_bytes = 64 << 20, .group = -1 };

static long blocks(const struct segment *segment)
{
	struct stat st;

	assert_int_equal(fstat(segment->fd, &st), 0);
	return (long)st.st_blocks;
}

static void test_extents_are_allocated_first_fit_and_returned(void **state)
{
	struct shm_cell *cell = *state;
	struct segment segment;

	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	uint64_t a = segment_alloc(&segment, 1), b = segment_alloc(&segment, 2 * EXTENT_BYTES + 1),
		 c = segment_alloc(&segment, EXTENT_BYTES);

	assert_int_equal(a, EXTENT_BYTES);
	assert_int_equal(b, 2 * EXTENT_BYTES);
	assert_int_equal(c, 5 * EXTENT_BYTES);
	assert_int_equal(segment.extents_held, 5);
	segment_free(&segment, b, 2 * EXTENT_BYTES + 1);
	assert_int_equal(segment.extents_held, 2);
	assert_int_equal(segment_alloc(&segment, 4 * EXTENT_BYTES), 6 * EXTENT_BYTES);
	assert_int_equal(segment_alloc(&segment, 3 * EXTENT_BYTES), b);
	assert_int_equal(segment_alloc(&segment, 0), 0);
	segment_close(&segment);
}

static void test_an_exhausted_address_space_is_reported(void **state)
{
	struct shm_cell *cell = *state;
	struct segment segment;
	size_t n = 0;

	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	assert_int_equal(segment_alloc(&segment, UINT64_MAX), 0);
	assert_int_equal(segment_alloc(&segment, small.file_bytes), 0);
	while (segment_alloc(&segment, EXTENT_BYTES))
		n++;
	assert_int_equal(n, small.file_bytes / EXTENT_BYTES - 1);
	segment_close(&segment);
}

static void test_freed_memory_returns_to_the_kernel_after_a_while(void **state)
{
	struct shm_cell *cell = *state;
	struct segment segment;

	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	long before = blocks(&segment);
	uint64_t at = segment_alloc(&segment, 3 * EXTENT_BYTES);

	assert_int_equal(blocks(&segment), before);
	assert_int_equal(segment_populate(&segment, at, 3 * EXTENT_BYTES), 0);
	assert_int_equal(blocks(&segment), before + 3 * EXTENT_BYTES / 512);
	segment_free(&segment, at, 3 * EXTENT_BYTES);
	for (unsigned i = 0; i < RESERVE_RUNS; i++)
		segment_reclaim(&segment);
	assert_int_equal(blocks(&segment), before + 3 * EXTENT_BYTES / 512);	/* in reserve */
	assert_int_equal(segment_alloc(&segment, EXTENT_BYTES), at);
	for (unsigned i = 0; i < RESERVE_RUNS; i++)
		segment_reclaim(&segment);
	assert_int_equal(blocks(&segment), before + EXTENT_BYTES / 512);
	segment_free(&segment, at, EXTENT_BYTES);
	segment_trim(&segment);
	assert_int_equal(blocks(&segment), before);
	segment_close(&segment);
}

static void test_populating_keeps_the_contents(void **state)
{
	struct shm_cell *cell = *state;
	struct segment segment;

	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	uint64_t at = segment_alloc(&segment, EXTENT_BYTES);

	assert_int_equal(segment_populate(&segment, at, 10), 0);
	strcpy((char *)segment.base + at, "kept");
	assert_int_equal(segment_populate(&segment, at, EXTENT_BYTES), 0);
	assert_string_equal((char *)segment.base + at, "kept");
	segment_close(&segment);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, shm_cell_setup, shm_cell_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_extents_are_allocated_first_fit_and_returned),
		TEST(test_an_exhausted_address_space_is_reported),
		TEST(test_freed_memory_returns_to_the_kernel_after_a_while),
		TEST(test_populating_keeps_the_contents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
