/* SPDX-License-Identifier: Apache-2.0 */
/* The time of the next run, given the events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/qmaster/due.h"

#define S 1000000000ull
#define RAN (1000 * S)		/* when the last run was over */

static const struct sched_conf plain = { .schedule_interval = 15 };
static const struct sched_conf flush = { .schedule_interval = 15, .flush_submit_sec = 4, .flush_finish_sec = 1 };

static struct due_run after_run(const struct sched_conf *conf)
{
	struct due_run due = { 0 };

	due_ran(&due, conf, RAN, UINT64_MAX);
	return due;
}

/* Return when a run is due after these events in a turn that ends at `now`. */
static uint64_t due_after(struct due_run due, const struct sched_conf *conf, uint64_t now, enum event_type a,
			  enum event_type b)
{
	due_event(&due, a);
	due_event(&due, b);
	due_look(&due, conf, now);
	return due.ns;
}

static void test_the_first_run_is_due_at_once(void **unused)
{
	const struct due_run due = { 0 };

	(void)unused;
	assert_int_equal(due.ns, 0);
}

static void test_a_run_is_due_an_interval_after_the_last_one(void **unused)
{
	static const struct sched_conf none = { .schedule_interval = 0 };

	(void)unused;
	assert_int_equal(after_run(&plain).ns, RAN + 15 * S);
	assert_int_equal(after_run(&none).ns, RAN + S);
}

static void test_submissions_and_finishes_have_no_effect_unless_they_flush(void **unused)
{
	(void)unused;
	assert_int_equal(due_after(after_run(&plain), &plain, RAN + S, EVENT_JOB_ADD, EVENT_TASK_FINISH), RAN + 15 * S);
	assert_int_equal(due_after(after_run(&flush), &flush, RAN + S, EVENT_JOB_MODIFY, EVENT_USAGE), RAN + 15 * S);
}

static void test_a_run_follows_a_submission_or_a_finish_that_flushes(void **unused)
{
	(void)unused;
	assert_int_equal(due_after(after_run(&flush), &flush, RAN + S, EVENT_JOB_ADD, EVENT_USAGE), RAN + S + 3 * S);
	assert_int_equal(due_after(after_run(&flush), &flush, RAN + S, EVENT_TASK_FINISH, EVENT_USAGE), RAN + S);
	assert_int_equal(due_after(after_run(&flush), &flush, RAN + S, EVENT_JOB_ADD, EVENT_TASK_FINISH), RAN + S);
	assert_int_equal(due_after(after_run(&flush), &flush, RAN + S, EVENT_ADVANCE_RESERVATION, EVENT_USAGE),
			 RAN + S + 3 * S);
	assert_int_equal(due_after(after_run(&flush), &flush, RAN + S, EVENT_ADVANCE_RESERVATION_DELETE, EVENT_USAGE),
			 RAN + S);
	assert_int_equal(due_after(after_run(&flush), &flush, RAN + 14 * S, EVENT_JOB_ADD, EVENT_JOB_ADD),
			 RAN + 15 * S);
}

static void test_a_run_that_flushes_waits_as_long_as_the_last_one_took(void **unused)
{
	struct due_run due = after_run(&flush);

	(void)unused;
	due.took_ns = 2 * S;
	assert_int_equal(due_after(due, &flush, RAN + S, EVENT_TASK_FINISH, EVENT_USAGE), RAN + 3 * S);
	assert_int_equal(due_after(due, &flush, RAN + S, EVENT_JOB_ADD, EVENT_USAGE), RAN + 4 * S);
}

static void test_a_run_follows_a_snapshot_or_a_reload_at_once(void **unused)
{
	struct due_run due = after_run(&plain);

	(void)unused;
	due.took_ns = 2 * S;
	assert_int_equal(due_after(due, &plain, RAN + S, EVENT_SNAPSHOT_END, EVENT_USAGE), RAN + S);
	assert_int_equal(due_after(due, &plain, RAN + S, EVENT_CONFIG_CHANGED, EVENT_USAGE), RAN + S);
	assert_int_equal(due_after(due, &plain, RAN + S, EVENT_SNAPSHOT_BEGIN, EVENT_USAGE), RAN + 15 * S);
}

static void test_events_of_one_turn_count_once(void **unused)
{
	struct due_run due = after_run(&flush);

	(void)unused;
	due_event(&due, EVENT_TASK_FINISH);
	due_look(&due, &flush, RAN + S);
	due_ran(&due, &flush, RAN + 2 * S, UINT64_MAX);
	due_look(&due, &flush, RAN + 3 * S);
	assert_int_equal(due.ns, RAN + 17 * S);
}

static void test_a_run_is_due_when_a_calendar_changes_something(void **unused)
{
	struct due_run due = { 0 };

	(void)unused;
	due_ran(&due, &plain, RAN, RAN + 4 * S);
	assert_int_equal(due.ns, RAN + 4 * S);
	due_ran(&due, &plain, RAN, RAN + 40 * S);
	assert_int_equal(due.ns, RAN + 15 * S);
	due_ran(&due, &plain, RAN, RAN - S);
	assert_int_equal(due.ns, RAN);
}

static void test_deliveries_pace_runs_and_a_timed_run_comes_only_when_they_fail(void **unused)
{
	struct due_run due = { .paced = true };

	(void)unused;
	due_ran(&due, &flush, RAN, UINT64_MAX);
	assert_int_equal(due.ns, RAN + 16 * S);
	assert_int_equal(due_after(due, &flush, RAN + S, EVENT_JOB_ADD, EVENT_TASK_FINISH), RAN + 16 * S);
	due_hurry(&due);
	due_look(&due, &flush, RAN + 2 * S);
	assert_int_equal(due.ns, RAN + 2 * S);
}

static void test_runs_after_deliveries_leave_as_much_time_as_they_take(void **unused)
{
	struct due_run due = { .paced = true, .took_ns = 3 * S };

	(void)unused;
	due_ran(&due, &plain, RAN, UINT64_MAX);
	due_hurry(&due);
	due_look(&due, &plain, RAN + S);
	assert_int_equal(due.ns, RAN + 3 * S);
}

static void test_an_eager_policy_has_a_run_after_every_event(void **unused)
{
	static const enum event_type types[] = { EVENT_JOB_ADD, EVENT_TASK_FINISH, EVENT_VACATED,
						 EVENT_SLOT,	EVENT_SLOT_REMOVE, EVENT_CLAIM };
	struct due_run eager = after_run(&plain), other = after_run(&plain), flushing = after_run(&flush);

	(void)unused;
	eager.eager = true;
	eager.took_ns = S / 2;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		assert_int_equal(due_after(eager, &plain, RAN + S, types[i], EVENT_USAGE), RAN + S + S / 2);
	assert_int_equal(due_after(eager, &flush, RAN + S, EVENT_JOB_ADD, EVENT_USAGE), RAN + S + S / 2);
	assert_int_equal(due_after(eager, &plain, RAN + S, EVENT_JOB_MODIFY, EVENT_SUBMITTER_EDIT), RAN + 15 * S);
	assert_int_equal(due_after(other, &plain, RAN + S, EVENT_VACATED, EVENT_CLAIM), RAN + 15 * S);
	assert_int_equal(due_after(flushing, &flush, RAN + S, EVENT_VACATED, EVENT_CLAIM), RAN + S);
}

/* Return the state after a run of this duration and its follow-up. */
static struct due_run after_slow_run(uint64_t took_ns)
{
	struct due_run due = { 0 };

	due.took_ns = took_ns;
	due_ran(&due, &plain, RAN, UINT64_MAX);
	due_shown(&due, RAN, 0);
	return due;
}

/* Change the state at `now`. Return when readers see the change. */
static uint64_t shown_after(struct due_run *due, uint64_t now)
{
	due_show(due, now);
	due_look(due, &plain, now);
	return due->show_ns;
}

static void test_a_change_is_shown_at_once_and_the_next_run_keeps_its_time(void **unused)
{
	struct due_run due = after_slow_run(S / 1000);

	(void)unused;
	assert_true(due_show(&due, RAN + S));
	due_look(&due, &plain, RAN + S);
	assert_int_equal(due.show_ns, RAN + S);
	assert_int_equal(due.ns, RAN + 15 * S);
	due_shown(&due, RAN + S, S / 1000);
	assert_int_equal(due.show_ns, UINT64_MAX);
	assert_int_equal(due.ns, RAN + 15 * S);
}

static void test_a_change_is_shown_by_a_run_that_is_due_as_soon(void **unused)
{
	struct due_run due = after_slow_run(S / 1000);

	(void)unused;
	due_event(&due, EVENT_TASK_FINISH);
	due_show(&due, RAN + S);
	due_look(&due, &flush, RAN + S);
	assert_int_equal(due.ns, RAN + S);
}

static void test_a_change_is_shown_without_waiting_for_a_slow_run(void **unused)
{
	struct due_run due = after_slow_run(S / 4);

	(void)unused;
	assert_false(due_show(&due, RAN + S));
	due_look(&due, &plain, RAN + S);
	assert_int_equal(due.show_ns, RAN + S);
}

static void test_showing_changes_takes_a_tenth_of_the_time(void **unused)
{
	struct due_run due = after_slow_run(S / 4);
	uint64_t now = RAN + S, end = RAN + 100 * S, runs = 0;

	(void)unused;
	for (; now < end; now += S / 100) {		/* repeated changes */
		shown_after(&due, now);
		if (due.show_ns <= now) {
			now += S / 4;
			due_shown(&due, now, S / 4);
			runs++;
		}
	}
	assert_in_range(runs, 38, 42);
}

static void test_a_change_after_a_storm_of_changes_is_shown_when_there_is_time(void **unused)
{
	struct due_run due = after_slow_run(S / 4);

	(void)unused;
	assert_int_equal(shown_after(&due, RAN + 10 * S), RAN + 10 * S);
	due_shown(&due, RAN + 10 * S, S / 2);
	assert_int_equal(shown_after(&due, RAN + 10 * S), RAN + 14 * S);
	assert_int_equal(shown_after(&due, RAN + 12 * S), RAN + 14 * S);
}

static void test_an_eager_policy_shows_a_change_in_a_run(void **unused)
{
	struct due_run due = after_slow_run(S / 1000);

	(void)unused;
	due.eager = true;
	shown_after(&due, RAN + S);
	assert_int_equal(due.ns, RAN + S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_run_is_due_at_once),
		cmocka_unit_test(test_a_run_is_due_an_interval_after_the_last_one),
		cmocka_unit_test(test_submissions_and_finishes_have_no_effect_unless_they_flush),
		cmocka_unit_test(test_a_run_follows_a_submission_or_a_finish_that_flushes),
		cmocka_unit_test(test_a_run_that_flushes_waits_as_long_as_the_last_one_took),
		cmocka_unit_test(test_a_run_follows_a_snapshot_or_a_reload_at_once),
		cmocka_unit_test(test_events_of_one_turn_count_once),
		cmocka_unit_test(test_a_run_is_due_when_a_calendar_changes_something),
		cmocka_unit_test(test_deliveries_pace_runs_and_a_timed_run_comes_only_when_they_fail),
		cmocka_unit_test(test_runs_after_deliveries_leave_as_much_time_as_they_take),
		cmocka_unit_test(test_an_eager_policy_has_a_run_after_every_event),
		cmocka_unit_test(test_a_change_is_shown_at_once_and_the_next_run_keeps_its_time),
		cmocka_unit_test(test_a_change_is_shown_by_a_run_that_is_due_as_soon),
		cmocka_unit_test(test_a_change_is_shown_without_waiting_for_a_slow_run),
		cmocka_unit_test(test_showing_changes_takes_a_tenth_of_the_time),
		cmocka_unit_test(test_a_change_after_a_storm_of_changes_is_shown_when_there_is_time),
		cmocka_unit_test(test_an_eager_policy_shows_a_change_in_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
