/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: its output can be read again, and a text in memory ends at its limit. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "sched/process/json.h"
#include "sched/process/json_members.h"

#define MOST (1u << 20)

static uint64_t state;

static uint64_t next_random(void)		/* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void check_held(struct out *out, const char *expected)
{
	const char *text;
	size_t bytes;

	assert_int_equal(out_held(out, &text, &bytes), 0);
	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(text, expected, bytes);
}

static void check_string(const char *text, const char *expected)
{
	struct out out;

	assert_int_equal(out_open_memory(&out, MOST), 0);
	json_text(&out, text);
	check_held(&out, expected);
	out_close(&out);
}

static void test_strings_are_escaped(void **unused)
{
	(void)unused;
	check_string("", "\"\"");
	check_string("a\"b\\c/\n\x1b", "\"a\\\"b\\\\c/\\u000a\\u001b\"");
	check_string("\xc3\xa9\xff", "\"\xc3\xa9\xef\xbf\xbd\"");
}

static void test_plain_strings_are_written_as_jansson_does(void **unused)
{
	char text[600];
	struct out out;

	(void)unused;
	assert_int_equal(out_open_memory(&out, MOST), 0);
	for (int k = 0; k < 20000; k++) {
		size_t n = next_random() % (k % 2 ? 20 : sizeof(text));
		json_t *string;
		char *expected;

		for (size_t i = 0; i < n; i++)
			text[i] = (char)(next_random() % 3 ? 'a' + next_random() % 26 : 1 + next_random() % 127);
		text[n ? n - 1 : 0] = '\0';
		if (n > 8)
			memcpy(text + next_random() % (n - 7), k % 3 ? "\xc2\x85\xc3\xa9\xef\xbf" "\xbf" : "\xf4\x8f\xbf\xbf\xed\x9f\xbf", 7);
		out_rewind(&out);
		json_plain_text(&out, text);
		string = json_string(text);
		expected = json_dumps(string, JSON_ENCODE_ANY);
		assert_non_null(expected);
		check_held(&out, expected);
		free(expected);
		json_decref(string);
	}
	out_close(&out);
}

static void test_plain_strings_have_no_invalid_bytes(void **unused)
{
	static const char *const invalid[] = { "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80" };

	(void)unused;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		const char *text;
		struct out out;
		size_t bytes;
		json_t *value;

		assert_int_equal(out_open_memory(&out, MOST), 0);
		json_plain_text(&out, invalid[i]);
		assert_int_equal(out_held(&out, &text, &bytes), 0);
		value = json_loadb(text, bytes, JSON_DECODE_ANY, NULL);
		assert_non_null(value);
		assert_memory_equal(json_string_value(value), "\xef\xbf\xbd", 3);
		json_decref(value);
		out_close(&out);
	}
}

static void test_any_bytes_give_json_that_can_be_read(void **unused)
{
	char text[600];
	struct out out;

	(void)unused;
	assert_int_equal(out_open_memory(&out, MOST), 0);
	for (int k = 0; k < 20000; k++) {
		size_t n = next_random() % sizeof(text), bytes;
		const char *found;

		for (size_t i = 0; i < n; i++)
			text[i] = (char)(next_random() % 3 ? 'a' + next_random() % 26 : 1 + next_random() % 255);
		text[n ? n - 1 : 0] = '\0';
		out_rewind(&out);
		json_text(&out, text);
		assert_int_equal(out_held(&out, &found, &bytes), 0);
		assert_int_equal(bytes, json_text_bytes(text) + 2);
		json_t *value = json_loadb(found, bytes, JSON_DECODE_ANY, NULL);

		assert_non_null(value);
		json_decref(value);
	}
	out_close(&out);
}

static void test_members_are_written_with_all_their_bits(void **unused)
{
	struct out out;

	(void)unused;
	assert_int_equal(out_open_memory(&out, MOST), 0);
	json_write_number(&out, "{\"least\":", INT64_MIN);
	json_write_exact(&out, ",\"tenth\":", 0.1);
	json_write_exact(&out, ",\"infinite\":", INFINITY);
	json_write_bool(&out, ",\"yes\":", true);
	json_write_string(&out, ",\"queue\":", "all.q@n1");
	json_write_string_or_null(&out, ",\"pe\":", "");
	json_write_literal(&out, "}\n");
	check_held(&out, "{\"least\":-9223372036854775808,\"tenth\":0.10000000000000001,\"infinite\":null,\"yes\":true,"
		       "\"queue\":\"all.q@n1\",\"pe\":null}\n");
	out_close(&out);
}

/* Write more than any buffer that is allocated at once. */
static void write_long(struct out *out, size_t bytes)
{
	for (size_t k = 0; k < bytes; k += 10)
		json_write_literal(out, "0123456789");
}

static void test_a_text_in_memory_grows_up_to_its_limit(void **unused)
{
	const char *text;
	struct out out;
	size_t bytes;

	(void)unused;
	assert_int_equal(out_open_memory(&out, MOST), 0);
	write_long(&out, MOST - 10);
	assert_int_equal(out_held(&out, &text, &bytes), 0);
	assert_in_range(bytes, MOST - 10, MOST);
	for (size_t k = 0; k < bytes; k++)
		assert_int_equal(text[k], '0' + k % 10);
	out_close(&out);
}

static void test_a_text_that_is_too_long_is_reported_and_dropped(void **unused)
{
	const char *text;
	struct out out;
	size_t bytes;

	(void)unused;
	assert_int_equal(out_open_memory(&out, MOST), 0);
	write_long(&out, MOST + 10);
	assert_int_equal(out_held(&out, &text, &bytes), -EMSGSIZE);
	write_long(&out, 9 * (size_t)MOST);
	assert_int_equal(out_held(&out, &text, &bytes), -EMSGSIZE);
	out_rewind(&out);
	json_write_literal(&out, "[]");
	check_held(&out, "[]");
	out_close(&out);
}

static void test_members_of_a_table_are_written_by_their_types(void **ignored)
{
	struct values {
		bool yes;
		int32_t least, none;
		uint32_t most;
		int64_t deep, never;
		uint64_t number;
		double third, endless, unknown;
		const char *text, *empty;
		char letters[4];
	} values = { true, INT32_MIN, -1, UINT32_MAX, INT64_MIN, 0, INT64_MAX, 0.1, DBL_MAX, -1.0, "a\"b", "", "qw" };
	static const struct json_member members[] = {
		JSON_MEMBER(struct values, yes, "yes"),
		JSON_MEMBER(struct values, least, "least"),
		JSON_MEMBER(struct values, most, "most"),
		JSON_MEMBER(struct values, deep, "deep"),
		JSON_MEMBER(struct values, number, "number"),
		JSON_MEMBER(struct values, third, "third"),
		JSON_MEMBER(struct values, text, "text"),
		JSON_MEMBER(struct values, empty, "empty"),
		JSON_MEMBER_AS(JSON_LETTERS, struct values, letters, "letters"),
		JSON_NAME(struct values, empty, "name"),
		JSON_MEMBER_AS(JSON_TIME, struct values, never, "time"),
		JSON_MEMBER_AS(JSON_COUNT, struct values, none, "count"),
		JSON_MEMBER_AS(JSON_AMOUNT, struct values, third, "known"),
		JSON_MEMBER_AS(JSON_AMOUNT, struct values, endless, "endless"),
		JSON_MEMBER_AS(JSON_AMOUNT, struct values, unknown, "unknown"),
	};
	struct out out;

	(void)ignored;
	assert_int_equal(out_open_memory(&out, MOST), 0);
	JSON_WRITE_MEMBERS(&out, "{", members, &values);
	check_held(&out, "{\"yes\":true,\"least\":-2147483648,\"most\":4294967295,\"deep\":-9223372036854775808,"
			 "\"number\":9223372036854775807,\"third\":0.10000000000000001,\"text\":\"a\\\"b\",\"empty\":\"\","
			 "\"letters\":\"qw\",\"name\":null,\"time\":null,\"count\":null,\"known\":0.10000000000000001,"
			 "\"endless\":null,\"unknown\":null");
	out_close(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings_are_escaped),
		cmocka_unit_test(test_plain_strings_are_written_as_jansson_does),
		cmocka_unit_test(test_plain_strings_have_no_invalid_bytes),
		cmocka_unit_test(test_any_bytes_give_json_that_can_be_read),
		cmocka_unit_test(test_members_are_written_with_all_their_bits),
		cmocka_unit_test(test_members_of_a_table_are_written_by_their_types),
		cmocka_unit_test(test_a_text_in_memory_grows_up_to_its_limit),
		cmocka_unit_test(test_a_text_that_is_too_long_is_reported_and_dropped),
	};
	const char *seed = getenv("SEED");

	state = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	printf("SEED=%lu\n", state);
	fflush(stdout);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
