/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "conf/calendar.h"
#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, NULL);
	zone("UTC");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

static const struct calendar *calendar(const char *year, const char *week)
{
	char text[1000];

	snprintf(text, sizeof(text), "calendar_name c\nyear %s\nweek %s\n", year, week);
	cell_dir_write(&dir, "calendar/c", text);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	return cell_calendar(&dir.cell, "c");
}

/*
 * Convert local time. If a time occurs twice, a trailing D or S selects daylight saving time or
 * standard time.
 */
static int64_t moment(const char *text)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *rest = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);

	assert_non_null(rest);
	if (*rest == 'D' || *rest == 'S')
		tm.tm_isdst = *rest == 'D';
	return mktime(&tm);
}

static const char *const letters = ".DC";

/*
 * Check the next `times` changes after a moment, as "D 2026-11-23 20:00:00 . ...": each state with
 * its end, "-" for never.
 */
static void check(const struct calendar *calendar, const char *from, size_t times, const char *expected)
{
	struct calendar_change changes[10];
	size_t n = calendar_changes(calendar, moment(from), changes, times);
	char text[600] = "";

	for (size_t i = 0; i < n; i++) {
		struct tm tm;
		char *end = text + strlen(text);

		end += sprintf(end, "%s%c ", i ? ", " : "", letters[changes[i].state]);
		if (changes[i].until == CALENDAR_FOREVER)
			strcpy(end, "-");
		else
			strftime(end, 40, "%a %F %T %Z", localtime_r(&(time_t){ changes[i].until }, &tm));
	}
	assert_string_equal(text, expected);
}

static char at(const struct calendar *calendar, const char *text)
{
	return letters[calendar_state_at(calendar, moment(text))];
}

static void test_a_week_repeats_forever(void **state)
{
	const struct calendar *c = calendar("NONE", "mon-fri=6-20");

	(void)state;
	check(c, "2026-11-20 12:00:00", 3,
	      "D Fri 2026-11-20 20:00:00 UTC, . Mon 2026-11-23 06:00:00 UTC, D Mon 2026-11-23 20:00:00 UTC");
	check(c, "2099-01-03 00:00:00", 1, ". Mon 2099-01-05 06:00:00 UTC");
	check(calendar("NONE", "fri-mon"), "2026-11-19 12:00:00", 2,
	      ". Fri 2026-11-20 00:00:00 UTC, D Tue 2026-11-24 00:00:00 UTC");
}

static void test_a_time_excludes_its_end(void **state)
{
	const struct calendar *c = calendar("NONE", "12:30-12:30:15");

	(void)state;
	assert_int_equal(at(c, "2026-11-23 12:29:59"), '.');
	assert_int_equal(at(c, "2026-11-23 12:30:00"), 'D');
	assert_int_equal(at(c, "2026-11-23 12:30:14"), 'D');
	assert_int_equal(at(c, "2026-11-23 12:30:15"), '.');
}

static void test_a_time_over_midnight_covers_both_ends_of_its_day(void **state)
{
	const struct calendar *c = calendar("NONE", "mon=20-6=suspended");

	(void)state;
	check(c, "2026-11-22 12:00:00", 5,
	      ". Mon 2026-11-23 00:00:00 UTC, C Mon 2026-11-23 06:00:00 UTC, . Mon 2026-11-23 20:00:00 UTC, "
	      "C Tue 2026-11-24 00:00:00 UTC, . Mon 2026-11-30 00:00:00 UTC");
}

static void test_on_overrides_suspended_and_suspended_overrides_off(void **state)
{
	const struct calendar *c = calendar("NONE", "12-18 13-17=suspended tue=14-16=on");

	(void)state;
	check(c, "2026-11-24 11:00:00", 7,
	      ". Tue 2026-11-24 12:00:00 UTC, D Tue 2026-11-24 13:00:00 UTC, C Tue 2026-11-24 14:00:00 UTC, "
	      ". Tue 2026-11-24 16:00:00 UTC, C Tue 2026-11-24 17:00:00 UTC, D Tue 2026-11-24 18:00:00 UTC, "
	      ". Wed 2026-11-25 12:00:00 UTC");
}

static void test_the_year_overrides_the_week_only_at_its_own_times(void **state)
{
	const struct calendar *c = calendar("24.12.2026=10-12=on 25.12.2026=off", "suspended");

	(void)state;
	check(c, "2026-12-24 00:00:00", 5,
	      "C Thu 2026-12-24 10:00:00 UTC, . Thu 2026-12-24 12:00:00 UTC, C Fri 2026-12-25 00:00:00 UTC, "
	      "D Sat 2026-12-26 00:00:00 UTC, C -");
}

static void test_days_that_touch_at_midnight_are_one_time(void **state)
{
	const struct calendar *c = calendar("NONE", "mon-tue=0-6 sun=22-24");

	(void)state;
	check(c, "2026-11-22 12:00:00", 5,
	      ". Sun 2026-11-22 22:00:00 UTC, D Mon 2026-11-23 06:00:00 UTC, . Tue 2026-11-24 00:00:00 UTC, "
	      "D Tue 2026-11-24 06:00:00 UTC, . Sun 2026-11-29 22:00:00 UTC");
}

static void test_february_has_29_days_every_four_years(void **state)
{
	const struct calendar *c = calendar("28.2.2028-1.3.2028=12-13", "NONE");

	(void)state;
	check(c, "2028-02-28 12:30:00", 5,
	      "D Mon 2028-02-28 13:00:00 UTC, . Tue 2028-02-29 12:00:00 UTC, D Tue 2028-02-29 13:00:00 UTC, "
	      ". Wed 2028-03-01 12:00:00 UTC, D Wed 2028-03-01 13:00:00 UTC");
	check(calendar("28.2.2027-1.3.2027", "NONE"), "2027-02-01 00:00:00", 3,
	      ". Sun 2027-02-28 00:00:00 UTC, D Tue 2027-03-02 00:00:00 UTC, . -");
}

static void test_missing_days_of_a_month_do_not_occur(void **state)
{
	(void)state;
	check(calendar("31.4.2026,29.2.2026", "NONE"), "2026-01-01 00:00:00", 3, ". -");
	check(calendar("29.2.2026-31.4.2026", "NONE"), "2026-01-01 00:00:00", 3,
	      ". Sun 2026-03-01 00:00:00 UTC, D Fri 2026-05-01 00:00:00 UTC, . -");
}

static void test_an_empty_calendar_is_open_and_a_single_state_lasts_forever(void **state)
{
	(void)state;
	check(calendar("NONE", "NONE"), "2026-11-23 00:00:00", 3, ". -");
	check(calendar("NONE", "0-24"), "2026-11-23 00:00:00", 3, "D -");
	check(calendar("NONE", "sun-sat=suspended"), "2026-11-23 00:00:00", 3, "C -");
	check(calendar("on", "off"), "2026-11-23 00:00:00", 3, ". -");
	check(calendar("1.1.2037", "NONE"), "2026-11-23 00:00:00", 3,
	      ". Thu 2037-01-01 00:00:00 UTC, D Fri 2037-01-02 00:00:00 UTC, . -");
}

static void test_words_are_recognized_by_three_letters_in_any_case(void **state)
{
	(void)state;
	check(calendar("1.DECEMBER.2026=Susp 24.dec.2026=OFF", "NONE"), "2026-11-23 00:00:00", 4,
	      ". Tue 2026-12-01 00:00:00 UTC, C Wed 2026-12-02 00:00:00 UTC, . Thu 2026-12-24 00:00:00 UTC, "
	      "D Fri 2026-12-25 00:00:00 UTC");
	check(calendar("NONE", "Thurs-SATURDAY=8-9"), "2026-11-23 00:00:00", 2,
	      ". Thu 2026-11-26 08:00:00 UTC, D Thu 2026-11-26 09:00:00 UTC");
}

static void test_long_lines_are_folded_after_commas_and_blanks(void **state)
{
	const struct calendar *c =
		calendar("24.12.2026, \\\n       25.12.2026=8-9, \\\n      10-11 \\\n   1.1.2027", "NONE");

	(void)state;
	check(c, "2026-12-25 09:30:00", 4,
	      ". Fri 2026-12-25 10:00:00 UTC, D Fri 2026-12-25 11:00:00 UTC, . Fri 2027-01-01 00:00:00 UTC, "
	      "D Sat 2027-01-02 00:00:00 UTC");
}

static void test_a_state_that_does_not_change_for_years_ends_the_search(void **state)
{
	struct calendar_change changes[3];

	(void)state;
	assert_int_equal(calendar_changes(calendar("NONE", "mon=on"), 0, changes, 3), 1);
	assert_int_equal(changes[0].state, CALENDAR_UNSAID);
	assert_in_range(changes[0].until, 365 * (int64_t)CALENDAR_DAY, 10000 * (int64_t)CALENDAR_DAY);
}

static void test_moments_beyond_all_clocks_are_open(void **state)
{
	static const int64_t moments[] = { INT64_MIN,	     INT64_MIN + 1, -((int64_t)1 << 55),
					   (int64_t)1 << 52, INT64_MAX - 1, INT64_MAX };
	const struct calendar *c = calendar("off", "NONE");
	struct calendar_change changes[3];

	(void)state;
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++) {
		assert_int_equal(calendar_state_at(c, moments[i]), CALENDAR_UNSAID);
		assert_int_equal(calendar_changes(c, moments[i], changes, 3), 1);
	}
}

/* Summer time */

static void test_a_time_is_over_when_summer_begins_in_it(void **state)
{
	const struct calendar *c = calendar("NONE", "1-2:30");

	(void)state;
	zone("Europe/Berlin");
	check(c, "2026-03-29 00:00:00", 3,
	      ". Sun 2026-03-29 01:00:00 CET, D Sun 2026-03-29 03:00:00 CEST, . Mon 2026-03-30 01:00:00 CEST");
	zone("UTC");
}

static void test_a_time_in_the_skipped_hour_does_not_occur(void **state)
{
	const struct calendar *c = calendar("NONE", "2:15-2:45=suspended");

	(void)state;
	zone("America/New_York");
	check(c, "2027-03-14 00:00:00", 2, ". Mon 2027-03-15 02:15:00 EDT, C Mon 2027-03-15 02:45:00 EDT");
	zone("UTC");
}

static void test_a_time_in_the_repeated_hour_occurs_twice(void **state)
{
	const struct calendar *c = calendar("NONE", "1:15-1:45");

	(void)state;
	zone("America/New_York");
	check(c, "2026-11-01 00:00:00", 5,
	      ". Sun 2026-11-01 01:15:00 EDT, D Sun 2026-11-01 01:45:00 EDT, . Sun 2026-11-01 01:15:00 EST, "
	      "D Sun 2026-11-01 01:45:00 EST, . Mon 2026-11-02 01:15:00 EST");
	assert_int_equal(at(c, "2026-11-01 01:30:00D"), 'D');
	assert_int_equal(at(c, "2026-11-01 01:50:00D"), '.');
	assert_int_equal(at(c, "2026-11-01 01:30:00S"), 'D');
	zone("UTC");
}

static void test_nights_are_as_long_as_the_clocks_make_them(void **state)
{
	const struct calendar *c = calendar("NONE", "20-6");
	struct calendar_change changes[4];

	(void)state;
	zone("Europe/Berlin");
	assert_int_equal(calendar_changes(c, moment("2026-10-24 12:00:00"), changes, 2), 2);
	assert_int_equal(changes[1].until - changes[0].until, 11 * 3600);
	assert_int_equal(calendar_changes(c, moment("2026-03-28 12:00:00"), changes, 2), 2);
	assert_int_equal(changes[1].until - changes[0].until, 9 * 3600);
	zone("Australia/Lord_Howe");		/* half an hour */
	assert_int_equal(calendar_changes(c, moment("2026-04-04 12:00:00"), changes, 2), 2);
	assert_int_equal(changes[1].until - changes[0].until, 10 * 3600 + 1800);
	zone("UTC");
}

static void test_midnight_may_be_skipped(void **state)
{
	(void)state;
	zone("<-04>4<-03>,M9.1.6/24,M4.1.6/24");	/* Santiago: changes on Saturday at 24:00 */
	check(calendar("6.9.2026", "NONE"), "2026-09-05 12:00:00", 3,
	      ". Sun 2026-09-06 01:00:00 -03, D Mon 2026-09-07 00:00:00 -03, . -");
	zone("UTC");
}

/* Random calendars: the computed changes must match the states second by second around them. */

static uint64_t chance_state = 88172645463325252;

static unsigned chance(unsigned n)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (unsigned)(chance_state % n);
}

static void random_entry(char *text, bool week)
{
	static const char *const days[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat" }, *const states[] = {
		"", "=off", "=on", "=suspended"
	};
	unsigned first = chance(7), begin = chance(24);

	if (week && chance(2))
		text += sprintf(text, "%s-%s=", days[first], days[(first + 1 + chance(6)) % 7]);
	else if (week)
		text += sprintf(text, "%s=", days[first]);
	else
		text += sprintf(text, "%u.10.2026-%u.11.2026=", 18 + chance(13), 1 + chance(10));
	text += sprintf(text, "%u:%u-%u:30", begin, chance(60), (begin + 1 + chance(22)) % 24);
	sprintf(text, "%s ", states[chance(4)]);
}

static void check_reported(const struct calendar *calendar, int64_t from)
{
	struct calendar_change changes[8];
	size_t n = calendar_changes(calendar, from, changes, 8);
	int64_t at_this = from;

	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		int64_t until = changes[i].until, far = until == CALENDAR_FOREVER ? from + 30 * CALENDAR_DAY : until;

		assert_true(i == 0 || changes[i].state != changes[i - 1].state);
		for (int64_t t = at_this; t < far && t < from + 30 * CALENDAR_DAY; t += 600)
			assert_int_equal(calendar_state_at(calendar, t), changes[i].state);
		assert_int_equal(calendar_state_at(calendar, far - 1), changes[i].state);
		at_this = until;
	}
}

static void test_changes_match_the_state_of_each_moment(void **state)
{
	static const char *const zones[] = { "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
					     "Asia/Kathmandu" };

	(void)state;
	for (int round = 0; round < 100; round++) {
		char year[300] = "NONE", week[300] = "NONE";
		const struct calendar *c;

		for (unsigned i = 0, n = chance(3); i < n; i++)
			random_entry(i ? year + strlen(year) : year, false);
		for (unsigned i = 0, n = chance(4); i < n; i++)
			random_entry(i ? week + strlen(week) : week, true);
		c = calendar(year, week);
		zone(zones[chance(5)]);
		check_reported(c, moment("2026-10-20 00:00:00") + chance(12 * CALENDAR_DAY));
	}
	zone("UTC");
}

/* Cells */

static void test_a_queue_names_an_existing_calendar(void **state)
{
	(void)state;
	calendar("NONE", "mon");
	cell_dir_write(&dir, "queue/q", "qname q\nhostlist a b\nslots 1\ncalendar NONE,[a=c],[b=other]\n");
	cell_dir_load(&dir);
	assert_true(
		cell_dir_found(&dir, WARNING, "queue/q", 4, "calendar names \"other\", but there is no such calendar"));
	assert_int_equal(dir.report.warnings, 1);
}

static void test_a_line_of_ten_megabytes_is_read_in_time(void **state)
{
	size_t n = 10 << 20, length = 0;
	char *text = malloc(n + 100);
	struct calendar_change changes[2];

	(void)state;
	length = (size_t)sprintf(text, "calendar_name c\nweek NONE\nyear 1.1.2026");
	for (unsigned i = 0; length < n; i++)
		length += (size_t)sprintf(text + length, i % 3 ? ",%u.%u.2026" : "=on %u.%u.2026", 1 + i % 28,
					  1 + i % 12);
	strcpy(text + length, "=on\n");
	cell_dir_write(&dir, "calendar/c", text);
	free(text);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_true(calendar_changes(cell_calendar(&dir.cell, "c"), 1767225600, changes, 2) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_week_repeats_forever, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_time_excludes_its_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_time_over_midnight_covers_both_ends_of_its_day, setup, teardown),
		cmocka_unit_test_setup_teardown(test_on_overrides_suspended_and_suspended_overrides_off, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_the_year_overrides_the_week_only_at_its_own_times, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_days_that_touch_at_midnight_are_one_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_february_has_29_days_every_four_years, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing_days_of_a_month_do_not_occur, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_empty_calendar_is_open_and_a_single_state_lasts_forever, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_words_are_recognized_by_three_letters_in_any_case, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_long_lines_are_folded_after_commas_and_blanks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_state_that_does_not_change_for_years_ends_the_search, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_moments_beyond_all_clocks_are_open, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_time_is_over_when_summer_begins_in_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_time_in_the_skipped_hour_does_not_occur, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_time_in_the_repeated_hour_occurs_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nights_are_as_long_as_the_clocks_make_them, setup, teardown),
		cmocka_unit_test_setup_teardown(test_midnight_may_be_skipped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_changes_match_the_state_of_each_moment, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_queue_names_an_existing_calendar, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_line_of_ten_megabytes_is_read_in_time, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
