/* SPDX-License-Identifier: Apache-2.0 */
/* Values in the log are also published in the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dispatch/cell.h"

static struct fl_health health(const struct fixture *fixture)
{
	struct fl_health h;

	assert_int_equal(fl_health(fixture->view, &h), 0);
	return h;
}

static void test_starts_and_the_results_of_their_orders_are_published(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	run(fixture, NOW);
	assert_int_equal(health(fixture).starts, 2);
	assert_int_equal(health(fixture).orders_kept, 2);
	take_orders(fixture);
	run(fixture, NOW + 1);
	assert_int_equal(health(fixture).starts, 0);
	assert_int_equal(health(fixture).orders_kept, 0);
	assert_int_equal(health(fixture).refused, 0);
	TELL(fixture, "{'event':'order_refused','number':2,'job_number':2}");
	run(fixture, NOW + 2);
	assert_int_equal(health(fixture).refused, 1);
	assert_int_equal(health(fixture).starts, 1);
	assert_int_equal(health(fixture).withheld, 0);
	assert_int_equal(health(fixture).unbooked, 0);
}

static void test_facts_about_the_process_are_published(void **state)
{
	struct fixture *fixture = *state;

	run(fixture, NOW);
	assert_int_equal(health(fixture).hosts_up, 0);
	sched_process(fixture->sched, &(struct process_facts){ .hosts_up = 7, .store_failures = 3 });
	run(fixture, NOW);
	assert_int_equal(health(fixture).hosts_up, 7);
	assert_int_equal(health(fixture).store_failures, 3);
}

static void test_paths_of_the_qmasters_files_are_published(void **state)
{
	struct fixture *fixture = *state;
	struct fl_files files;

	run(fixture, NOW);
	assert_int_equal(fl_files(fixture->view, &files), 0);
	assert_string_equal(files.state, "");
	assert_string_equal(files.accounting, "");
	for (int k = 0; k < 3; k++) {		/* held once, for any number of runs */
		sched_process(
			fixture->sched,
			&(struct process_facts){ .files = { .state = "/state", .accounting = "/state/accounting" } });
		run(fixture, NOW + 1 + k);
		assert_int_equal(fl_files(fixture->view, &files), 0);
		assert_string_equal(files.state, "/state");
		assert_string_equal(files.accounting, "/state/accounting");
	}
	sched_process(fixture->sched, &(struct process_facts){ .hosts_up = 0 });
	run(fixture, NOW + 5);
	assert_int_equal(fl_files(fixture->view, &files), 0);
	assert_string_equal(files.accounting, "");
}

static void test_the_owner_of_the_scheduler_role_is_published(void **state)
{
	struct fixture *fixture = *state;
	struct fl_place place;

	run(fixture, NOW);
	assert_int_equal(fl_place(fixture->view, &place), -ENOENT);
	sched_process(fixture->sched,
		      &(struct process_facts){ .place = { .state = PLACE_WATCHING,
							  .since = NOW - 3,
							  .known = 1,
							  .living = 1,
							  .asked = 2,
							  .done = 1,
							  .host = "ada",
							  .name = "fairlead.7",
							  .reason = "fairlead.7 on ada has the scheduler role" } });
	run(fixture, NOW);
	assert_int_equal(fl_place(fixture->view, &place), 0);
	assert_int_equal(place.state, FL_PLACE_WATCHING);
	assert_int_equal(place.since, NOW - 3);
	assert_true(place.known && place.living && !place.builtin && !place.us && !place.shadow);
	assert_true(place.asked == 2 && place.done == 1);
	assert_string_equal(place.host, "ada");
	assert_string_equal(place.name, "fairlead.7");
	assert_string_equal(place.reason, "fairlead.7 on ada has the scheduler role");
}

static void test_phases_are_published_by_name_in_their_order(void **state)
{
	struct fixture *fixture = *state;
	struct fl_phase phase;
	struct fl_run now;
	uint64_t sum = 0;
	size_t n = 0;

	run(fixture, NOW);
	fl_run(fixture->view, &now);
	for (; fl_phase(fixture->view, n, &phase) == 0; n++) {
		assert_string_equal(phase.name, phase_name((enum phase)n));
		sum += phase.ns;
	}
	assert_int_equal(n, PHASES);
	assert_true(sum > 0);
	/* The publication phase is that of the previous run, and there was none. */
	assert_true(sum <= now.run_ns);
	assert_int_equal(fl_phase(fixture->view, 1000, &phase), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_starts_and_the_results_of_their_orders_are_published),
		DISPATCH_TEST(test_facts_about_the_process_are_published),
		DISPATCH_TEST(test_paths_of_the_qmasters_files_are_published),
		DISPATCH_TEST(test_the_owner_of_the_scheduler_role_is_published),
		DISPATCH_TEST(test_phases_are_published_by_name_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
