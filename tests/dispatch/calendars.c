/* SPDX-License-Identifier: Apache-2.0 */
/* Which instances calendars close, now and later: what has been told, or what the cell's say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "sched/qmaster/json/event_write.h"
#include "sched/reader/handle.h"
#include "sched/run/retell.h"
#include "tests/dispatch/cell.h"

/* NOW is a tuesday, 2023-11-14 22:13:20 in UTC. */
#define TODAY (NOW - 80000)

/* One host, with one queue of two slots. */
static int calendars_setup(void **state)
{
	char path[200];
	struct fixture *f;

	setenv("TZ", "UTC", 1);
	tzset();
	if (dispatch_setup(state))
		return -1;
	f = *state;
	snprintf(path, sizeof(path), "%s/calendar", f->cell.directory);
	if (mkdir(path, 0755))
		return -1;
	set_sched_conf(f, "max_reservation", "5");
	set_sched_conf(f, "params", "DURATION_OFFSET=0");
	put_queue(f, "all.q", "ada bly", "2", "calendar NONE,[ada=c]\n");
	reload(f);
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	tell_instance(f, "all.q@ada", 2);
	return 0;
}

#define CALENDARS_TEST(name) cmocka_unit_test_setup_teardown(name, calendars_setup, teardown)

static void week(struct fixture *f, const char *text)
{
	put_text(f, "calendar/c", "calendar_name c\nyear NONE\nweek %s\n", text);
	reload(f);
}

static void add(struct fixture *f, unsigned number, const char *seconds)
{
	TELL(f, ADD "%u,'owner':'ann','reserve':true,'hard_resource_list':'h_rt=%s'}", number, seconds);
}

static void test_what_is_off_now_is_reserved_for_when_it_is_not(void **state)
{
	struct fixture *f = *state;

	week(f, "22-23");
	add(f, 1, "60");
	run(f, NOW);
	WAITS(f, 1, "all.q@ada");
	assert_int_equal(reserved(f, 1), TODAY + 23 * 3600);
	run(f, TODAY + 23 * 3600 - 1);
	assert_int_equal(started(f, 1), 0);
	run(f, TODAY + 23 * 3600);
	assert_int_equal(started(f, 1), 1);
}

static void test_what_is_suspended_now_is_reserved_for_when_it_is_not_too(void **state)
{
	struct fixture *f = *state;

	week(f, "22-23=suspended");
	add(f, 1, "60");
	TELL(f, ADD "2,'owner':'ann','hard_resource_list':'h_rt=60'}");
	run(f, NOW);
	WAITS(f, 1, "all.q@ada");
	WAITS(f, 2, "all.q@ada");
	assert_int_equal(reserved(f, 1), TODAY + 23 * 3600);
}

static void test_who_would_run_into_the_time_does_not_start(void **state)
{
	struct fixture *f = *state;

	week(f, "22:30-23=suspended");
	add(f, 1, "1001");
	add(f, 2, "1000");
	run(f, NOW);
	assert_int_equal(started(f, 1), 0);
	assert_int_equal(reserved(f, 1), TODAY + 23 * 3600);
	assert_int_equal(started(f, 2), 1);
}

static void test_without_reservations_nobody_looks_ahead(void **state)
{
	struct fixture *f = *state;

	set_sched_conf(f, "max_reservation", "0");
	week(f, "22:30-23");
	add(f, 1, "100000");
	run(f, NOW);
	assert_int_equal(started(f, 1), 1);
}

/* It begins before the night is over that 8.1.9 knows nothing of yet. */
static void test_the_state_after_the_next_one_is_not_known(void **state)
{
	struct fixture *f = *state;

	week(f, "22-23 23:30-24");
	add(f, 1, "3000");
	run(f, NOW);
	assert_int_equal(reserved(f, 1), TODAY + 23 * 3600);
}

static void test_parallel_jobs_find_the_gap(void **state)
{
	struct fixture *f = *state;

	week(f, "22-22:30");
	TELL(f, ADD "1,'owner':'ann','reserve':true,'hard_resource_list':'h_rt=60','pe':'mpi','pe_range':'2'}");
	run(f, NOW);
	assert_int_equal(reserved(f, 1), TODAY + 22 * 3600 + 1800);
}

static void test_only_the_hosts_of_a_calendar_are_closed(void **state)
{
	struct fixture *f = *state;

	week(f, "off");
	add(f, 1, "60");
	run(f, NOW);
	assert_int_equal(started(f, 1), 0);
	tell_instance(f, "all.q@bly", 1);
	run(f, NOW + 1);
	assert_int_equal(started(f, 1), 1);
}

static void test_what_was_told_counts_and_not_the_calendar(void **state)
{
	struct fixture *f = *state;

	week(f, "off");
	add(f, 1, "60");
	add(f, 2, "600");
	TELL(f, "{'event':'queue_instance','queue':'all.q@ada','slots':1,'state_changes':[{'state':'','until':%d},{'state':'D'}]}", NOW + 120);
	run(f, NOW);
	assert_int_equal(started(f, 1), 1);
	assert_int_equal(started(f, 2), 0);
	assert_int_equal(reserved(f, 2), 0);
	TELL(f, "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state_changes':[]}");
	run(f, NOW + 1);
	assert_int_equal(started(f, 2), 1);
}

static void test_a_state_that_is_over_gives_way_to_the_next(void **state)
{
	struct fixture *f = *state;

	add(f, 1, "60");
	TELL(f, "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state_changes':[{'state':'D','until':%d},{'state':'','until':%d},"
	     "{'state':'C','until':%d}]}", NOW, NOW + 30, NOW + 100);
	run(f, NOW);
	assert_int_equal(started(f, 1), 0);
	assert_int_equal(reserved(f, 1), NOW + 100);
	TELL(f, "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state':'D','state_changes':[]}");
	run(f, NOW + 200);
	assert_int_equal(started(f, 1), 0);
}

static void test_a_run_says_when_the_next_change_is(void **state)
{
	struct fixture *f = *state;

	week(f, "22:30-23");
	run(f, NOW);
	assert_int_equal(f->sched->run.next_change, TODAY + 22 * 3600 + 1800);
	TELL(f, "{'event':'queue_instance','queue':'all.q@bly','slots':2,'state_changes':[{'state':'D','until':%d}]}", NOW + 60);
	run(f, NOW + 1);
	assert_int_equal(f->sched->run.next_change, NOW + 60);
	week(f, "NONE");
	run(f, NOW + 60);
	assert_int_equal(f->sched->run.next_change, INT64_MAX);
}

static void test_changes_to_come_are_in_order_and_of_three_states(void **state)
{
	struct fixture *f = *state;

#define CHANGES(list) "{'event':'queue_instance','queue':'all.q@ada','state_changes':" list "}"
	REFUSE(f, "state_changes: entry 1: state: \\\"S\\\" is none of", CHANGES("[{'state':'S','until':5}]"));
	REFUSE(f, "state_changes: entry 1: state: missing", CHANGES("[{'until':5}]"));
	REFUSE(f, "state_changes: entry 2 is not later than the one before", CHANGES("[{'state':'D','until':5},{'state':'','until':5}]"));
	REFUSE(f, "state_changes: entry 2 is not later than the one before", CHANGES("[{'state':'D'},{'state':'','until':5}]"));
	REFUSE(f, "state_changes: an array is expected", CHANGES("{}"));
	REFUSE(f, "state_changes: entry 1: until: ", CHANGES("[{'state':'D','until':-1}]"));
}

static int write_instance(void *context, const struct event *e)
{
	if (e->type == EVENT_QUEUE_INSTANCE)
		event_write(context, 1, e);
	return 0;
}

static void test_changes_to_come_are_told_again(void **state)
{
	struct fixture *f = *state;
	struct out out;
	struct retell_calls calls = { .context = &out, .event = write_instance };
	const char *text;
	size_t length;

#define TELLS(words) assert_non_null(memmem(text, length, words, strlen(words)))
	TELL(f, "{'event':'queue_instance','queue':'all.q@ada','slots':2,'state_changes':[{'state':'','until':%d},{'state':'C','until':%d},{'state':'D'}]}",
	     NOW + 60, NOW + 70);
	TELL(f, "{'event':'queue_instance','queue':'all.q@bly','slots':2,'state_changes':[]}");
	tell_instance(f, "all.q@other", 2);
	run(f, NOW);
	assert_int_equal(out_open_memory(&out, 10000), 0);
	assert_int_equal(retell_events(&f->view->view, &calls), 0);
	assert_int_equal(out_held(&out, &text, &length), 0);
	TELLS("\"state\":\"\",\"state_changes\":[{\"state\":\"\",\"until\":1700000060},{\"state\":\"C\",\"until\":1700000070},{\"state\":\"D\"}]}");
	TELLS("all.q@bly\",\"slots\":2,\"state\":\"\",\"state_changes\":[]}");
	TELLS("all.q@other\",\"slots\":2,\"state\":\"\"}");
	out_close(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALENDARS_TEST(test_what_is_off_now_is_reserved_for_when_it_is_not),
		CALENDARS_TEST(test_what_is_suspended_now_is_reserved_for_when_it_is_not_too),
		CALENDARS_TEST(test_who_would_run_into_the_time_does_not_start),
		CALENDARS_TEST(test_without_reservations_nobody_looks_ahead),
		CALENDARS_TEST(test_the_state_after_the_next_one_is_not_known),
		CALENDARS_TEST(test_parallel_jobs_find_the_gap),
		CALENDARS_TEST(test_only_the_hosts_of_a_calendar_are_closed),
		CALENDARS_TEST(test_what_was_told_counts_and_not_the_calendar),
		CALENDARS_TEST(test_a_state_that_is_over_gives_way_to_the_next),
		CALENDARS_TEST(test_a_run_says_when_the_next_change_is),
		CALENDARS_TEST(test_changes_to_come_are_in_order_and_of_three_states),
		CALENDARS_TEST(test_changes_to_come_are_told_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
