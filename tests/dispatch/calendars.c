/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances that calendars close now and later, from reports of the qmaster or from the calendars
 * of the cell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "sched/qmaster/json/event_write.h"
#include "sched/reader/handle.h"
#include "sched/run/resend.h"
#include "tests/dispatch/cell.h"

/* NOW is a tuesday, 2023-11-14 22:13:20 in UTC. */
#define TODAY (NOW - 80000)

/* A host with one queue of two slots. */
static int calendars_setup(void **state)
{
	char path[200];
	struct fixture *fixture;

	setenv("TZ", "UTC", 1);
	tzset();
	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	snprintf(path, sizeof(path), "%s/calendar", fixture->cell.directory);
	if (mkdir(path, 0755))
		return -1;
	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "params", "DURATION_OFFSET=0");
	put_queue(fixture, "all.q", "ada bly", "2", "calendar NONE,[ada=c]\n");
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	report_instance(fixture, "all.q@ada", 2);
	return 0;
}

#define CALENDARS_TEST(name) cmocka_unit_test_setup_teardown(name, calendars_setup, teardown)

static void week(struct fixture *fixture, const char *text)
{
	put_text(fixture, "calendar/c", "calendar_name c\nyear NONE\nweek %s\n", text);
	reload(fixture);
}

static void add(struct fixture *fixture, unsigned number, const char *seconds)
{
	TELL(fixture, ADD "%u,'owner':'ann','reserve':true,'hard_resource_list':'h_rt=%s'}", number, seconds);
}

static void test_a_disabled_instance_is_reserved_from_its_opening(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "22-23");
	add(fixture, 1, "60");
	run(fixture, NOW);
	WAITS(fixture, 1, "all.q@ada");
	assert_int_equal(reserved(fixture, 1), TODAY + 23 * 3600);
	run(fixture, TODAY + 23 * 3600 - 1);
	assert_int_equal(started(fixture, 1), 0);
	run(fixture, TODAY + 23 * 3600);
	assert_int_equal(started(fixture, 1), 1);
}

static void test_a_suspended_instance_is_reserved_from_its_end_of_suspension(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "22-23=suspended");
	add(fixture, 1, "60");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=60'}");
	run(fixture, NOW);
	WAITS(fixture, 1, "all.q@ada");
	WAITS(fixture, 2, "all.q@ada");
	assert_int_equal(reserved(fixture, 1), TODAY + 23 * 3600);
}

static void test_a_job_that_would_run_into_a_closed_time_does_not_start(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "22:30-23=suspended");
	add(fixture, 1, "1001");
	add(fixture, 2, "1000");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 0);
	assert_int_equal(reserved(fixture, 1), TODAY + 23 * 3600);
	assert_int_equal(started(fixture, 2), 1);
}

static void test_without_reservations_closed_times_to_come_are_ignored(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "0");
	week(fixture, "22:30-23");
	add(fixture, 1, "100000");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
}

/* The second change begins before the end of the night, and 8.1.9 does not know that end yet. */
static void test_the_state_after_the_next_one_is_not_known(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "22-23 23:30-24");
	add(fixture, 1, "3000");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 1), TODAY + 23 * 3600);
}

static void test_parallel_jobs_find_the_gap(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "22-22:30");
	TELL(fixture, ADD "1,'owner':'ann','reserve':true,'hard_resource_list':'h_rt=60','pe':'mpi','pe_range':'2'}");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 1), TODAY + 22 * 3600 + 1800);
}

static void test_only_the_hosts_of_a_calendar_are_closed(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "off");
	add(fixture, 1, "60");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 0);
	report_instance(fixture, "all.q@bly", 1);
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1), 1);
}

static void test_reported_changes_override_the_calendar(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "off");
	add(fixture, 1, "60");
	add(fixture, 2, "600");
	TELL(fixture,
	     "{'event':'queue_instance','queue':'all.q@ada','slots':1,'state_changes':[{'state':'','until':%d},{'state':'D'}]}",
	     NOW + 120);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	assert_int_equal(started(fixture, 2), 0);
	assert_int_equal(reserved(fixture, 2), 0);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state_changes':[]}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 2), 1);
}

static void test_an_expired_state_is_replaced_by_the_next(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 1, "60");
	TELL(fixture,
	     "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state_changes':[{'state':'D','until':%d},{'state':'','until':%d},"
	     "{'state':'C','until':%d}]}",
	     NOW, NOW + 30, NOW + 100);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 0);
	assert_int_equal(reserved(fixture, 1), NOW + 100);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state':'D','state_changes':[]}");
	run(fixture, NOW + 200);
	assert_int_equal(started(fixture, 1), 0);
}

static void test_a_run_publishes_the_time_of_the_next_change(void **state)
{
	struct fixture *fixture = *state;

	week(fixture, "22:30-23");
	run(fixture, NOW);
	assert_int_equal(fixture->sched->run.next_change, TODAY + 22 * 3600 + 1800);
	TELL(fixture,
	     "{'event':'queue_instance','queue':'all.q@bly','slots':2,'state_changes':[{'state':'D','until':%d}]}",
	     NOW + 60);
	run(fixture, NOW + 1);
	assert_int_equal(fixture->sched->run.next_change, NOW + 60);
	week(fixture, "NONE");
	run(fixture, NOW + 60);
	assert_int_equal(fixture->sched->run.next_change, INT64_MAX);
}

static void test_changes_to_come_are_in_order_and_have_three_states(void **state)
{
	struct fixture *fixture = *state;

#define CHANGES(list) "{'event':'queue_instance','queue':'all.q@ada','state_changes':" list "}"
	REFUSE(fixture, "state_changes: entry 1: state: \\\"S\\\" is not one of", CHANGES("[{'state':'S','until':5}]"));
	REFUSE(fixture, "state_changes: entry 1: state: missing", CHANGES("[{'until':5}]"));
	REFUSE(fixture, "state_changes: entry 2 is not later than the entry before it",
	       CHANGES("[{'state':'D','until':5},{'state':'','until':5}]"));
	REFUSE(fixture, "state_changes: entry 2 is not later than the entry before it",
	       CHANGES("[{'state':'D'},{'state':'','until':5}]"));
	REFUSE(fixture, "state_changes: an array is expected", CHANGES("{}"));
	REFUSE(fixture, "state_changes: entry 1: until: ", CHANGES("[{'state':'D','until':-1}]"));
}

static int write_instance(void *context, const struct event *event)
{
	if (event->type == EVENT_QUEUE_INSTANCE)
		event_write(context, 1, event);
	return 0;
}

static void test_changes_to_come_are_replayed(void **state)
{
	struct fixture *fixture = *state;
	struct out out;
	struct resend_calls calls = { .context = &out, .event = write_instance };
	const char *text;
	size_t length;

#define TELLS(words) assert_non_null(memmem(text, length, words, strlen(words)))
	TELL(fixture,
	     "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state_changes':[{'state':'','until':%d},{'state':'C','until':%d},{'state':'D'}]}",
	     NOW + 60, NOW + 70);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@bly','slots':2,'state_changes':[]}");
	report_instance(fixture, "all.q@other", 2);
	run(fixture, NOW);
	assert_int_equal(out_open_memory(&out, 10000), 0);
	assert_int_equal(resend_events(&fixture->view->view, &calls), 0);
	assert_int_equal(out_held(&out, &text, &length), 0);
	TELLS("\"state\":\"\",\"state_changes\":[{\"state\":\"\",\"until\":1700000060},{\"state\":\"C\",\"until\":1700000070},{\"state\":\"D\"}]}");
	TELLS("all.q@bly\",\"slots\":2,\"state\":\"\",\"state_changes\":[]}");
	TELLS("all.q@other\",\"slots\":2,\"state\":\"\"}");
	out_close(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALENDARS_TEST(test_a_disabled_instance_is_reserved_from_its_opening),
		CALENDARS_TEST(test_a_suspended_instance_is_reserved_from_its_end_of_suspension),
		CALENDARS_TEST(test_a_job_that_would_run_into_a_closed_time_does_not_start),
		CALENDARS_TEST(test_without_reservations_closed_times_to_come_are_ignored),
		CALENDARS_TEST(test_the_state_after_the_next_one_is_not_known),
		CALENDARS_TEST(test_parallel_jobs_find_the_gap),
		CALENDARS_TEST(test_only_the_hosts_of_a_calendar_are_closed),
		CALENDARS_TEST(test_reported_changes_override_the_calendar),
		CALENDARS_TEST(test_an_expired_state_is_replaced_by_the_next),
		CALENDARS_TEST(test_a_run_publishes_the_time_of_the_next_change),
		CALENDARS_TEST(test_changes_to_come_are_in_order_and_have_three_states),
		CALENDARS_TEST(test_changes_to_come_are_replayed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
