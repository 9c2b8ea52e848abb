/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken away under readers; the rest is tests/cli/clean.sh. */
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
	struct seen *s = context;

	s->places++;
	s->last = *place;
	s->last.name = NULL;
}

static struct seen clean(const struct fixture *f, bool dry)
{
	struct seen s = { 0 };

	assert_int_equal(clean_cells(f->cell.shm, NULL, dry, see, &s), 0);
	return s;
}

static void test_a_living_writer_keeps_what_it_has(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	publish(f, 3);
	s = clean(f, false);
	assert_int_equal(s.places, 1);
	assert_int_equal(s.last.state, CLEAN_LIVES);
	assert_int_equal(access(f->segment.paths.state, F_OK), 0);
}

static void test_readers_of_what_was_taken_away_find_the_next_writer(void **state)
{
	struct fixture *f = *state;
	struct attachment a;
	struct view view;
	struct seen s;
	uint64_t last = publish(f, 1000);

	attach(f, &a);
	segment_close(&f->segment);
	s = clean(f, true);
	assert_true(s.last.state == CLEAN_ENDED && s.last.bytes > 0);
	s = clean(f, false);
	assert_int_equal(s.last.state, CLEAN_ENDED);
	assert_int_equal(s.last.pid, getpid());
	assert_int_equal(clean(f, false).places, 0);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);

	assert_int_equal(segment_create(&f->segment, f->cell.directory, &small, NULL), 0);
	publish(f, 1);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), view.gen);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_true(attach_writer_alive(&a));
	attach_close(&a);
}

static void test_no_directory_is_an_error(void **state)
{
	struct seen s = { 0 };

	(void)state;
	assert_int_equal(clean_cells("/nonexistent", NULL, false, see, &s), -ENOENT);
	assert_int_equal(s.places, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_living_writer_keeps_what_it_has, setup, teardown),
		cmocka_unit_test_setup_teardown(test_readers_of_what_was_taken_away_find_the_next_writer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_directory_is_an_error, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
