/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's strings, times and output for a terminal, a parser or a full disk. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/process/json.h"
#include "sched/cli/memo.h"
#include "sched/cli/text.h"

static uint64_t state;

static uint64_t next_random(void)		/* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void check_column(const char *text, size_t width, const char *expected)
{
	char found[128];

	*text_column(found, text, width) = '\0';
	assert_string_equal(found, expected);
}

static void test_columns_are_cut_and_filled_up(void **unused)
{
	(void)unused;
	check_column("ann", 5, "ann  ");
	check_column("defaultdepartment", 10, "defaultdep");
	check_column("", 3, "   ");
	check_column("exact", 5, "exact");
}

static void test_control_characters_do_not_reach_a_terminal(void **unused)
{
	(void)unused;
	check_column("a\x1b[2Jb", 8, "a?[2Jb  ");
	check_column("a\nb\tc\x7f", 6, "a?b?c?");
	check_column("\xc2\x9b" "31m", 6, "??31m ");		/* U+009B is an escape of its own */
	check_column("\xff\xfe", 4, "??  ");
	check_column("\xc0\xaf\xed\xa0\x80", 6, "????? ");	/* overlong, surrogate */
}

static void test_characters_are_not_cut_in_the_middle(void **unused)
{
	(void)unused;
	check_column("\xc3\xa9t\xc3\xa9", 5, "\xc3\xa9t\xc3\xa9");
	check_column("\xc3\xa9t\xc3\xa9", 4, "\xc3\xa9t ");
	check_column("abc\xf0\x9f\x98\x80", 6, "abc   ");
	check_column("abc\xe2\x82", 6, "abc?? ");
}

/*
 * Return the text that a printer made. The caller frees it. One buffer is used for all calls,
 * because sanitizers count each new large one.
 */
static char *printed(void (*print)(struct out *, const char *), const char *text)
{
	static struct out out = { .fd = -1 };

	if (!out.buffer)
		assert_int_equal(out_open(&out, -1), 0);
	out_rewind(&out);
	print(&out, text);
	out_bytes(&out, "", 1);
	return strdup(out.buffer);
}

static void check_printed(void (*print)(struct out *, const char *), const char *text, const char *expected)
{
	char *found = printed(print, text);

	assert_string_equal(found, expected);
	free(found);
}

static void test_strings_are_escaped_for_xml(void **unused)
{
	(void)unused;
	check_printed(text_xml, "a<b>&\"c'\x01\xff", "a&lt;b&gt;&amp;&quot;c&apos;??");
	check_printed(text_plain, "a<b>&\"c'\x01\xff\xc3\xa9", "a<b>&\"c'\?\?\xc3\xa9");
}

static void test_ranges_are_written_as_qstat_does(void **unused)
{
	static const struct fl_range ranges[] = {
		{ 1, 1000, 1 }, { 1005, 1005, 1 }, { 1010, 1011, 1 }, { 2000, 2004, 4 }, { 3000, 4294967295, 5 }
	};
	struct out out;

	(void)unused;
	assert_int_equal(out_open(&out, -1), 0);
	text_ranges(&out, ranges, 5);
	out_bytes(&out, "", 1);
	assert_string_equal(out.buffer, "1-1000:1,1005,1010,1011,2000,2004,3000-4294967295:5");
	out_close(&out);
}

static struct memo memo;

/* Make a text of any length, mostly short and mostly without escapes. */
static void random_text(char *text, size_t most)
{
	size_t n = next_random() % most;
	bool wild = next_random() % 4 == 0;

	for (size_t i = 0; i < n; i++)
		text[i] = (char)(wild ? 1 + next_random() % 255 : 'a' + next_random() % 26);
	text[n] = '\0';
}

static void check_memo(const char *text, size_t width)
{
	char expected[256], found[256], *end;

	*text_column(expected, text, width) = '\0';
	*memo_column(&memo, found, text, width) = '\0';
	assert_string_equal(found, expected);
	char *json = printed(json_text, text);

	end = memo_json(&memo, found, text);
	if (end)
		*end = '\0';
	if (end)
		assert_string_equal(found, json);
	else	/* long text, or text that needs escapes or a check of its bytes */
		assert_true(strlen(json) > MEMO_BYTES || strspn(text, "abcdefghijklmnopqrstuvwxyz") < strlen(text));
	free(json);
}

/*
 * More strings than cache entries, so that they replace each other. Each is formatted in several
 * widths, repeatedly.
 */
static void test_repeated_strings_are_formatted_the_same(void **unused)
{
	enum { TEXTS = 20000, TEXT_BYTES = 80 };
	static char texts[TEXTS][TEXT_BYTES];

	(void)unused;
	for (int k = 0; k < TEXTS; k++)
		random_text(texts[k], TEXT_BYTES);
	for (int k = 0; k < 5 * TEXTS; k++)
		check_memo(texts[next_random() % (k % 2 ? 50 : TEXTS)], k % 3 ? 10 : 1 + next_random() % MEMO_BYTES);
}

/* Another run may have another text at the same address. */
static void test_a_new_section_forgets_strings(void **unused)
{
	char text[] = "ann", found[MEMO_BYTES + 1];

	(void)unused;
	memo_forget(&memo);
	memo_column(&memo, found, text, 5);
	strcpy(text, "bob");
	memo_column(&memo, found, text, 5);
	assert_memory_equal(found, "ann  ", 5);		/* otherwise the cache would be empty */
	memo_forget(&memo);
	memo_column(&memo, found, text, 5);
	assert_memory_equal(found, "bob  ", 5);
}

static void check_duration(double seconds, const char *expected)
{
	char found[64];

	*text_duration(found, seconds) = '\0';
	assert_string_equal(found, expected);
}

static void test_durations_are_days_hours_minutes_seconds(void **unused)
{
	(void)unused;
	check_duration(0, "0:00:00:00");
	check_duration(68.9, "0:00:01:08");
	check_duration(86399, "0:23:59:59");
	check_duration(86400 * 123.0 + 3661, "123:01:01:01");
	check_duration(-5, "0:00:00:00");
	check_duration(NAN, "0:00:00:00");
}

static struct local_clock wall;

static void check_times(const char *zone)
{
	char expected[64], found[64];

	setenv("TZ", zone, 1);
	tzset();
	memset(&wall, 0, sizeof(wall));
	for (int k = 0; k < 50000; k++) {
		/*
		 * Times near a few moments, so that minutes recur, around a change to summer time,
		 * and minutes with the same cache entry.
		 */
		time_t t = (time_t)(k % 2 ? 1795267945 + next_random() % 400 : 1774745000 + next_random() % 9000);
		struct tm tm;

		t += (time_t)(next_random() % 3 * 60 * CLOCK_MINUTES);
		localtime_r(&t, &tm);
		strftime(expected, sizeof(expected), "%m/%d/%Y %H:%M:%S", &tm);
		*clock_put(&wall, found, t, TIME_TABLE) = '\0';
		assert_string_equal(found, expected);
		strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S", &tm);
		*clock_put(&wall, found, t, TIME_ISO) = '\0';
		assert_string_equal(found, expected);
	}
}

static void test_times_are_local_times(void **unused)
{
	(void)unused;
	check_times("UTC0");
	check_times("CET-1CEST,M3.5.0,M10.5.0/3");
	check_times("XXX5:17:23");
}

static void check_time(int64_t time, const char *expected)
{
	char found[64];

	*clock_put(&wall, found, time, TIME_TABLE) = '\0';
	assert_string_equal(found, expected);
}

static void test_years_without_four_digits_are_not_available(void **unused)
{
	(void)unused;
	setenv("TZ", "UTC0", 1);
	tzset();
	memset(&wall, 0, sizeof(wall));
	check_time(INT64_MAX, "NA                 ");
	check_time(INT64_MIN, "NA                 ");
	check_time(253402300800, "NA                 ");
	check_time(253402300799, "12/31/9999 23:59:59");
	check_time(-1, "12/31/1969 23:59:59");
	check_time(0, "01/01/1970 00:00:00");
}

static void test_a_full_disk_is_remembered(void **unused)
{
	struct out out;

	(void)unused;
	assert_int_equal(out_open(&out, open("/dev/full", O_WRONLY)), 0);
	out_text(&out, "lost");
	assert_int_equal(out_flush(&out), -ENOSPC);
	out_text(&out, "lost, too");
	assert_int_equal(out_flush(&out), -ENOSPC);
	close(out.fd);
	out_close(&out);
}

static void test_output_is_held_back_up_to_a_limit(void **unused)
{
	static char piece[OUT_ROOM_BYTES];
	struct out out;

	(void)unused;
	assert_int_equal(out_open(&out, open("/dev/null", O_WRONLY)), 0);
	for (size_t n = 0; n < OUT_HELD_BYTES; n += sizeof(piece))
		out_bytes(&out, piece, sizeof(piece));
	assert_false(out.written);
	out_bytes(&out, piece, 1);
	assert_true(out.written);
	assert_int_equal(out_flush(&out), 0);
	close(out.fd);
	out_close(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_cut_and_filled_up),
		cmocka_unit_test(test_control_characters_do_not_reach_a_terminal),
		cmocka_unit_test(test_characters_are_not_cut_in_the_middle),
		cmocka_unit_test(test_strings_are_escaped_for_xml),
		cmocka_unit_test(test_ranges_are_written_as_qstat_does),
		cmocka_unit_test(test_repeated_strings_are_formatted_the_same),
		cmocka_unit_test(test_a_new_section_forgets_strings),
		cmocka_unit_test(test_durations_are_days_hours_minutes_seconds),
		cmocka_unit_test(test_times_are_local_times),
		cmocka_unit_test(test_years_without_four_digits_are_not_available),
		cmocka_unit_test(test_a_full_disk_is_remembered),
		cmocka_unit_test(test_output_is_held_back_up_to_a_limit),
	};
	const char *seed = getenv("SEED");

	state = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	printf("SEED=%lu\n", state);
	fflush(stdout);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
