/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "tickets/usage_decay.h"

/* Half-life */

/* 300000 TRES seconds, an hour and a second later: recorded from a real Slurm. */
static void test_usage_fades_as_recorded(void **state)
{
	static const struct {
		uint32_t half_life;
		const char *left;
	} recorded[] = {
		{ 604800, "298764.705797" }, { 86400, "291458.998220" }, { 3600, "149983.193774" },
		{ 600, "4674.974516" },	     { 0, "300000.000000" },
	};
	char text[40];
	(void)state;
	for (size_t i = 0; i < sizeof(recorded) / sizeof(*recorded); i++) {
		snprintf(text, sizeof(text), "%.6f",
			 300000 * half_life_left(half_life_decay(recorded[i].half_life), 3601));
		assert_string_equal(text, recorded[i].left);
	}
}

/*
 * Half-life 10 minutes: 57 seconds of 2 cpus up to a pass, 13 more to the end, and 21 seconds,
 * counted twice, in a pass of 60 seconds earlier.
 */
static void test_running_jobs_are_charged_as_recorded(void **state)
{
	const double decay = half_life_decay(600);
	char text[40];
	(void)state;
	snprintf(text, sizeof(text), "%.6f", half_life_charged(decay, 57) * 2 + half_life_charged(decay, 13) * 2);
	assert_string_equal(text, "132.344771");
	snprintf(text, sizeof(text), "%.6f", half_life_charged(decay, 21) * 2 * half_life_left(decay, 60));
	assert_string_equal(text, "38.246825");
}

static void test_decayed_usage_does_not_become_zero_at_once(void **state)
{
	(void)state;
	assert_true(half_life_left(half_life_decay(600), 30 * 86400) == DBL_MIN);
	assert_true(half_life_left(half_life_decay(1), INT64_MAX) == DBL_MIN);
	assert_true(half_life_left(0, 1) == DBL_MIN);
}

static void test_a_clock_that_goes_back_changes_no_usage(void **state)
{
	(void)state;
	assert_true(half_life_left(0.5, 0) == 1);
	assert_true(half_life_left(0.5, -3600) == 1);
	assert_true(half_life_charged(0.5, -3600) == 0);
}

static void test_very_long_slices_charge_a_number(void **state)
{
	(void)state;
	assert_true(half_life_charged(0.5, INT64_MAX) == 0);
	assert_true(half_life_charged(1, 1000) == 1000);
}

/* Reset */

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static int64_t at(int year, int month, int day, int hour, int minute)
{
	struct tm tm = { .tm_year = year - 1900,
			 .tm_mon = month - 1,
			 .tm_mday = day,
			 .tm_hour = hour,
			 .tm_min = minute,
			 .tm_isdst = -1 };

	return mktime(&tm);
}

static void test_periods_end_at_the_next_local_midnight_that_begins_one(void **state)
{
	const int64_t last = at(2026, 11, 21, 13, 50);	/* a Saturday */
	(void)state;
	assert_int_equal(reset_next(RESETS_DAILY, last), at(2026, 11, 22, 0, 0));
	assert_int_equal(reset_next(RESETS_WEEKLY, last), at(2026, 11, 22, 0, 0));
	assert_int_equal(reset_next(RESETS_MONTHLY, last), at(2026, 12, 1, 0, 0));
	assert_int_equal(reset_next(RESETS_QUARTERLY, last), at(2027, 1, 1, 0, 0));
	assert_int_equal(reset_next(RESETS_YEARLY, last), at(2027, 1, 1, 0, 0));
	assert_int_equal(reset_next(RESETS_NEVER, last), INT64_MAX);
}

static void test_week_from_sunday_midnight_ends_a_week_later(void **state)
{
	(void)state;
	assert_int_equal(reset_next(RESETS_WEEKLY, at(2026, 11, 22, 0, 0)), at(2026, 11, 29, 0, 0));
}

static void test_quarters_begin_in_january_april_july_and_october(void **state)
{
	static const int next[] = { 4, 4, 4, 7, 7, 7, 10, 10, 10, 1, 1, 1 };
	(void)state;
	for (int month = 1; month <= 12; month++)
		assert_int_equal(reset_next(RESETS_QUARTERLY, at(2025, month, 28, 23, 59)),
				 at(month < 10 ? 2025 : 2026, next[month - 1], 1, 0, 0));
}

/* In 2026 Berlin's clocks go forward on 29 March and back on 25 October. */
static void test_days_and_weeks_are_always_as_long_but_months_end_by_the_calendar(void **state)
{
	(void)state;
	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	assert_int_equal(reset_next(RESETS_DAILY, at(2026, 3, 29, 1, 0)), at(2026, 3, 30, 1, 0));
	assert_int_equal(reset_next(RESETS_WEEKLY, at(2026, 3, 24, 12, 0)), at(2026, 3, 29, 0, 0));
	assert_int_equal(reset_next(RESETS_WEEKLY, at(2026, 3, 29, 12, 0)), at(2026, 4, 5, 1, 0));
	assert_int_equal(reset_next(RESETS_DAILY, at(2026, 10, 25, 12, 0)), at(2026, 10, 25, 23, 0));
	assert_int_equal(reset_next(RESETS_MONTHLY, at(2026, 3, 15, 12, 0)), at(2026, 4, 1, 0, 0));
	assert_int_equal(reset_next(RESETS_MONTHLY, at(2026, 10, 15, 12, 0)), at(2026, 11, 1, 0, 0));
	zone("UTC0");
}

/* Otherwise usage would be reset in each pass of that hour. */
static void test_last_hour_of_a_day_of_25_is_not_due_for_ever(void **state)
{
	int64_t last;
	(void)state;
	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	last = at(2026, 10, 25, 23, 0);
	assert_int_equal(reset_due(RESETS_DAILY, &last, at(2026, 10, 25, 23, 5)), 0);
	last = at(2026, 10, 25, 23, 30);
	assert_true(reset_next(RESETS_DAILY, last) > last);
	zone("UTC0");
}

/* Asuncion's clocks went back at the end of Saturday, 23 March 2024. The week ends in the hour that occurs twice. */
static void test_last_hour_of_a_week_with_a_day_of_25_is_not_due_for_ever(void **state)
{
	int64_t first, last;
	(void)state;
	zone("<-04>4<-03>,M10.1.0/0,M3.4.0/0");
	first = at(2024, 3, 17, 12, 0);
	last = at(2024, 3, 24, 0, 0) - 1800;
	assert_int_equal(reset_next(RESETS_WEEKLY, first), at(2024, 3, 24, 0, 0) - 3600);
	assert_int_equal(reset_next(RESETS_WEEKLY, last), at(2024, 3, 24, 0, 0) + 23 * 3600);
	zone("UTC0");
}

static void test_a_reset_is_due_from_its_second_on_and_once(void **state)
{
	int64_t last = at(2026, 11, 21, 13, 50);
	(void)state;
	assert_int_equal(reset_due(RESETS_DAILY, &last, at(2026, 11, 22, 0, 0) - 1), 0);
	assert_int_equal(last, at(2026, 11, 21, 13, 50));
	assert_int_equal(reset_due(RESETS_DAILY, &last, at(2026, 11, 22, 0, 0)), 1);
	assert_int_equal(last, at(2026, 11, 22, 0, 0));
	assert_int_equal(reset_due(RESETS_DAILY, &last, at(2026, 11, 22, 0, 0)), 0);
}

static void test_days_and_weeks_that_were_missed_are_made_up_for_at_once(void **state)
{
	int64_t last = at(2026, 11, 1, 12, 0);
	(void)state;
	assert_int_equal(reset_due(RESETS_DAILY, &last, at(2026, 11, 20, 7, 0)), 1);
	assert_int_equal(last, at(2026, 11, 20, 0, 0));
	last = at(2026, 11, 2, 12, 0);
	assert_int_equal(reset_due(RESETS_WEEKLY, &last, at(2026, 11, 21, 7, 0)), 1);
	assert_int_equal(last, at(2026, 11, 15, 0, 0));
}

static void test_months_are_made_up_for_one_by_one(void **state)
{
	int64_t last = at(2026, 1, 31, 12, 0);
	(void)state;
	assert_int_equal(reset_due(RESETS_MONTHLY, &last, at(2026, 3, 20, 0, 0)), 1);
	assert_int_equal(last, at(2026, 2, 1, 0, 0));
	assert_int_equal(reset_due(RESETS_MONTHLY, &last, at(2026, 3, 20, 0, 0)), 1);
	assert_int_equal(last, at(2026, 3, 1, 0, 0));
	assert_int_equal(reset_due(RESETS_MONTHLY, &last, at(2026, 3, 20, 0, 0)), 0);
}

static void test_times_without_a_year_are_never_due(void **state)
{
	static const int64_t times[] = { INT64_MIN, INT64_MAX, INT64_MAX - 86400, 67768036191676799 };
	(void)state;
	for (enum reset_period period = RESETS_NEVER; period <= RESETS_YEARLY; period++)
		for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
			int64_t next = reset_next(period, times[i]);
			assert_true(next > times[i] || next == INT64_MAX);
		}
}

static void test_a_leap_of_the_clock_to_its_end_causes_no_overflow(void **state)
{
	int64_t last = -62135596800;
	(void)state;
	assert_int_equal(reset_due(RESETS_WEEKLY, &last, INT64_MAX), 1);
	assert_true(INT64_MAX - last < 7 * 86400);
}

static int utc(void **state)
{
	(void)state;
	zone("UTC0");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage_fades_as_recorded),
		cmocka_unit_test(test_running_jobs_are_charged_as_recorded),
		cmocka_unit_test(test_decayed_usage_does_not_become_zero_at_once),
		cmocka_unit_test(test_a_clock_that_goes_back_changes_no_usage),
		cmocka_unit_test(test_very_long_slices_charge_a_number),
		cmocka_unit_test(test_periods_end_at_the_next_local_midnight_that_begins_one),
		cmocka_unit_test(test_week_from_sunday_midnight_ends_a_week_later),
		cmocka_unit_test(test_quarters_begin_in_january_april_july_and_october),
		cmocka_unit_test(test_days_and_weeks_are_always_as_long_but_months_end_by_the_calendar),
		cmocka_unit_test(test_last_hour_of_a_day_of_25_is_not_due_for_ever),
		cmocka_unit_test(test_last_hour_of_a_week_with_a_day_of_25_is_not_due_for_ever),
		cmocka_unit_test(test_a_reset_is_due_from_its_second_on_and_once),
		cmocka_unit_test(test_days_and_weeks_that_were_missed_are_made_up_for_at_once),
		cmocka_unit_test(test_months_are_made_up_for_one_by_one),
		cmocka_unit_test(test_times_without_a_year_are_never_due),
		cmocka_unit_test(test_a_leap_of_the_clock_to_its_end_causes_no_overflow),
	};
	return cmocka_run_group_tests(tests, utc, NULL);
}
