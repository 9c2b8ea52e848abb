/* SPDX-License-Identifier: Apache-2.0 */
/* What the log tells stands in the run, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dispatch/cell.h"

static struct fl_health health(const struct fixture *f)
{
	struct fl_health h;

	assert_int_equal(fl_health(f->view, &h), 0);
	return h;
}

static void test_starts_and_what_becomes_of_their_orders_are_told(void **state)
{
	struct fixture *f = *state;

	TELL(f, ADD "1,'owner':'ann'}");
	TELL(f, ADD "2,'owner':'ann'}");
	run(f, NOW);
	assert_int_equal(health(f).starts, 2);
	assert_int_equal(health(f).orders_kept, 2);
	take_orders(f);
	run(f, NOW + 1);
	assert_int_equal(health(f).starts, 0);
	assert_int_equal(health(f).orders_kept, 0);
	assert_int_equal(health(f).refused, 0);
	TELL(f, "{'event':'order_refused','number':2,'job_number':2}");
	run(f, NOW + 2);
	assert_int_equal(health(f).refused, 1);
	assert_int_equal(health(f).starts, 1);
	assert_int_equal(health(f).withheld, 0);
	assert_int_equal(health(f).unbooked, 0);
}

static void test_what_the_process_says_of_itself_is_told(void **state)
{
	struct fixture *f = *state;

	run(f, NOW);
	assert_int_equal(health(f).hosts_up, 0);
	sched_process(f->sched, &(struct process_facts){ .hosts_up = 7, .store_failures = 3 });
	run(f, NOW);
	assert_int_equal(health(f).hosts_up, 7);
	assert_int_equal(health(f).store_failures, 3);
}

static void test_paths_of_what_the_qmaster_keeps_are_told(void **state)
{
	struct fixture *f = *state;
	struct fl_files files;

	run(f, NOW);
	assert_int_equal(fl_files(f->view, &files), 0);
	assert_string_equal(files.state, "");
	assert_string_equal(files.accounting, "");
	for (int k = 0; k < 3; k++) {		/* held once, whatever the number of runs */
		sched_process(f->sched, &(struct process_facts){ .files = { .state = "/state", .accounting = "/state/accounting" } });
		run(f, NOW + 1 + k);
		assert_int_equal(fl_files(f->view, &files), 0);
		assert_string_equal(files.state, "/state");
		assert_string_equal(files.accounting, "/state/accounting");
	}
	sched_process(f->sched, &(struct process_facts){ .hosts_up = 0 });
	run(f, NOW + 5);
	assert_int_equal(fl_files(f->view, &files), 0);
	assert_string_equal(files.accounting, "");
}

static void test_who_has_the_place_is_told_where_there_is_one(void **state)
{
	struct fixture *f = *state;
	struct fl_place place;

	run(f, NOW);
	assert_int_equal(fl_place(f->view, &place), -ENOENT);
	sched_process(f->sched, &(struct process_facts){ .place = { .state = PLACE_WATCHING, .since = NOW - 3, .known = 1, .living = 1,
								    .asked = 2, .done = 1, .host = "ada", .name = "fairlead.7",
								    .reason = "fairlead.7 on ada has the place" } });
	run(f, NOW);
	assert_int_equal(fl_place(f->view, &place), 0);
	assert_int_equal(place.state, FL_PLACE_WATCHING);
	assert_int_equal(place.since, NOW - 3);
	assert_true(place.known && place.living && !place.builtin && !place.us && !place.shadow);
	assert_true(place.asked == 2 && place.done == 1);
	assert_string_equal(place.host, "ada");
	assert_string_equal(place.name, "fairlead.7");
	assert_string_equal(place.reason, "fairlead.7 on ada has the place");
}

static void test_phases_are_told_by_name_in_their_order(void **state)
{
	struct fixture *f = *state;
	struct fl_phase phase;
	struct fl_run now;
	uint64_t sum = 0;
	size_t n = 0;

	run(f, NOW);
	fl_run(f->view, &now);
	for (; fl_phase(f->view, n, &phase) == 0; n++) {
		assert_string_equal(phase.name, phase_name((enum phase)n));
		sum += phase.ns;
	}
	assert_int_equal(n, PHASES);
	assert_true(sum > 0);
	/* publication is that of the run before: there was none */
	assert_true(sum <= now.run_ns);
	assert_int_equal(fl_phase(f->view, 1000, &phase), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_starts_and_what_becomes_of_their_orders_are_told),
		DISPATCH_TEST(test_what_the_process_says_of_itself_is_told),
		DISPATCH_TEST(test_paths_of_what_the_qmaster_keeps_are_told),
		DISPATCH_TEST(test_who_has_the_place_is_told_where_there_is_one),
		DISPATCH_TEST(test_phases_are_told_by_name_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
