/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "shm/numa.h"
#include "shm/pages.h"
#include "shm/segment.h"
#include "tests/shm/cell.h"

#define MIB ((uint64_t)1 << 20)

struct fixture {
	struct shm_cell cell;
	struct segment segment;
};

static int setup(void **state)
{
	static struct fixture fixture;
	const struct segment_options options = { .file_bytes = 64 * MIB, .group = -1 };

	*state = &fixture;
	return shm_cell_make(&fixture.cell) || segment_create(&fixture.segment, fixture.cell.directory, &options, NULL);
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	segment_close(&fixture->segment);
	shm_cell_clear(&fixture->cell);
	return 0;
}

static uint64_t bytes_there(const struct fixture *fixture)
{
	struct stat st;

	assert_int_equal(fstat(fixture->segment.fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void test_existing_pages_are_found_and_none_is_created(void **state)
{
	struct fixture *fixture = *state;
	const struct placement *plan = &fixture->segment.placement;
	const struct pages_file file = { fixture->segment.fd, fixture->segment.base, fixture->segment.homes,
					 fixture->segment.nextents };
	struct pages pages;

	for (int round = 0; round < 4; round++) {
		uint64_t offset = segment_alloc(&fixture->segment, 3 * EXTENT_BYTES), before;

		assert_int_equal(segment_populate(&fixture->segment, offset + 5 * PAGE_BYTES, EXTENT_BYTES), 0);
		before = bytes_there(fixture);
		int err = pages_look(&pages, &file, plan, HOME_NODE);

		assert_int_equal(bytes_there(fixture), before);
		assert_int_equal(pages.there, before);
		assert_true(err == 0 || err == -EPERM || err == -ENOSYS);
		if (err == 0)
			assert_int_equal(pages.on[0] + pages.elsewhere, before);
		assert_int_equal(pages_misplaced(&pages, plan, HOME_NODE), 0);
	}
}

/* Return the misplaced bytes of four nodes. */
static uint64_t misplaced(const struct topology *topology, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
			  uint64_t elsewhere, bool interleaved)
{
	struct pages pages = { .there = a + b + c + d + elsewhere, .on = { a, b, c, d }, .elsewhere = elsewhere };
	struct placement plan;

	numa_plan(&plan, topology);
	return pages_misplaced(&pages, &plan, interleaved ? HOME_ALL : HOME_NODE + 1);
}

static void test_a_page_on_the_wrong_node_is_misplaced(void **state)
{
	const struct topology four = { .nnodes = 4, .node = { { .os = 0 }, { .os = 1 }, { .os = 2 }, { .os = 5 } } };

	(void)state;
	assert_int_equal(misplaced(&four, 0, 0, 0, 0, 0, false), 0);
	assert_int_equal(misplaced(&four, 0, 8 * MIB, 0, 0, 0, false), 0);
	assert_int_equal(misplaced(&four, PAGE_BYTES, 8 * MIB, 0, 0, 0, false), PAGE_BYTES);
	assert_int_equal(misplaced(&four, 1, 8 * MIB, 2, 3, 4, false), 10);
	assert_int_equal(misplaced(&four, 0, 0, 0, 0, 0, true), 0);
	assert_int_equal(misplaced(&four, 8 * MIB, 8 * MIB, 8 * MIB, 8 * MIB, 0, true), 0);
	assert_int_equal(misplaced(&four, 8 * MIB, 8 * MIB, 8 * MIB, 8 * MIB, 7, true), 7);
	assert_int_equal(misplaced(&four, 32 * MIB, 0, 0, 0, 0, true), 18 * MIB);
	assert_int_equal(misplaced(&four, 2 * MIB, 0, 0, 0, 0, true), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_existing_pages_are_found_and_none_is_created),
		cmocka_unit_test(test_a_page_on_the_wrong_node_is_misplaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
