/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a reader does not grow with the contents of a hostile segment. It is counted by the
 * pages that it touches, which were not present before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/reader/cell.h"

#define INDEX_BYTES (64u << 20)
#define UNKNOWN 77777u			/* no job has this number */

/*
 * Make an index without an empty entry, whose pages are created on access: each entry contains row
 * 0.
 */
static void index_forge(struct fixture *fixture, uint64_t rows)
{
	uint64_t offset = segment_alloc(&fixture->segment, INDEX_BYTES);

	assert_int_not_equal(offset, 0);
	fill(fixture);
	fixture->w.directory->tables[TABLE_INDEX] =
		(struct table){ .offset = offset, .count = INDEX_BYTES / sizeof(uint32_t) };
	if (rows)
		fixture->w.directory->rows = rows;
	publish(fixture);
}

static uint64_t memory(const struct fixture *fixture)
{
	struct stat st;

	assert_int_equal(fstat(fixture->segment.fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* Return the bytes of the index that a search for a job makes resident. */
static uint64_t cost(struct fixture *fixture)
{
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_factors factors;
	struct fl_job job;
	struct fl_why why;
	uint64_t before = memory(fixture);

	assert_int_equal(fl_find(view, UNKNOWN, 0, &job), -ENOENT);
	assert_int_equal(fl_why(view, UNKNOWN, 0, &why), -ENOENT);
	assert_int_equal(fl_factors(view, UNKNOWN, 0, &factors), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
	return memory(fixture) - before;
}

static void test_the_number_of_probes_is_limited_to_the_rows(void **state)
{
	struct fixture *fixture = *state;

	index_forge(fixture, 0);
	assert_in_range(cost(fixture), 1, 2 * PAGE_BYTES);
}

static void test_the_number_of_rows_is_limited_by_the_file(void **state)
{
	struct fixture *fixture = *state;

	index_forge(fixture, UINT64_MAX);
	assert_in_range(cost(fixture), 1, fixture->segment.grown / 16 + 2 * PAGE_BYTES);
}

static void test_existing_jobs_are_found_in_a_hostile_segment(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_job job;

	for (unsigned i = 0; i < ROWS; i++)
		assert_int_equal(fl_find(view, numbers[i], 0, &job), 0);
	assert_int_equal(fl_end(fixture->reader), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_number_of_probes_is_limited_to_the_rows),
		TEST(test_the_number_of_rows_is_limited_by_the_file),
		TEST(test_existing_jobs_are_found_in_a_hostile_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
