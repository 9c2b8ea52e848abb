/* SPDX-License-Identifier: Apache-2.0 */
/* Segments removed under readers. The other cases are in tests/cli/clean.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "shm/clean.h"
#include "tests/shm/publish.h"

struct seen {
	unsigned places;
	struct clean_place last;
};

static void see(void *context, const struct clean_place *place)
{
	struct seen *seen = context;

	seen->places++;
	seen->last = *place;
	seen->last.name = NULL;
}

static struct seen clean(const struct fixture *fixture, bool dry)
{
	struct seen seen = { 0 };

	assert_int_equal(clean_cells(fixture->cell.shm, NULL, dry, see, &seen), 0);
	return seen;
}

static void test_a_living_writer_keeps_its_segment(void **state)
{
	struct fixture *fixture = *state;
	struct seen seen;

	publish(fixture, 3);
	seen = clean(fixture, false);
	assert_int_equal(seen.places, 1);
	assert_int_equal(seen.last.state, CLEAN_LIVES);
	assert_int_equal(access(fixture->segment.paths.state, F_OK), 0);
}

static void test_readers_of_a_removed_segment_find_the_next_writer(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;
	struct seen seen;
	uint64_t last = publish(fixture, 1000);

	attach(fixture, &attachment);
	segment_close(&fixture->segment);
	seen = clean(fixture, true);
	assert_true(seen.last.state == CLEAN_ENDED && seen.last.bytes > 0);
	seen = clean(fixture, false);
	assert_int_equal(seen.last.state, CLEAN_ENDED);
	assert_int_equal(seen.last.pid, getpid());
	assert_int_equal(clean(fixture, false).places, 0);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&attachment, &view), 0);

	assert_int_equal(segment_create(&fixture->segment, fixture->cell.directory, &small, NULL), 0);
	publish(fixture, 1);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), view.gen);
	assert_int_equal(attach_end(&attachment, &view), 0);
	assert_true(attach_writer_alive(&attachment));
	attach_close(&attachment);
}

static void test_no_directory_is_an_error(void **state)
{
	struct seen seen = { 0 };

	(void)state;
	assert_int_equal(clean_cells("/nonexistent", NULL, false, see, &seen), -ENOENT);
	assert_int_equal(seen.places, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_living_writer_keeps_its_segment, setup, teardown),
		cmocka_unit_test_setup_teardown(test_readers_of_a_removed_segment_find_the_next_writer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_no_directory_is_an_error, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
