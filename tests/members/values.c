/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of lines: its results and its error messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/values.h"

static const struct value *read_line(const char *line)
{
	return read_bytes(line, strlen(line));
}

static const struct value *member(const char *line, enum value_type type)
{
	const struct value *object = read_line(line), *value;

	if (!object)
		fail_msg("%s: %s", line, why.text);
	value = value_member(object, "a");
	assert_non_null(value);
	assert_int_equal(value->type, type);
	return value;
}

static void check_text(const char *line, const char *text, bool plain)
{
	const struct value *value = member(line, VALUE_STRING);

	assert_string_equal(value->text, text);
	assert_int_equal(value->n, strlen(text));
	assert_int_equal(value->plain, plain);
}

static void check_integer(const char *line, int64_t integer)
{
	assert_true(member(line, VALUE_INTEGER)->integer == integer);
}

static void check_real(const char *line, double real)
{
	assert_memory_equal(&member(line, VALUE_REAL)->real, &real, sizeof(real));
}

static void check_refused(const char *line, const char *reason)
{
	if (read_line(line))
		fail_msg("%s was taken", line);
	assert_string_equal(why.text, reason);
}

/* Accepted values */

static void test_values_are_stored_in_sequence(void **state)
{
	const struct value *object = read_line(" { \"a\" : [1,{\"x\":null},[]] ,\t\"b\":true,\"c\":{},\"d\":false}\r");

	(void)state;
	assert_non_null(object);
	assert_int_equal(object->n, 4);
	assert_int_equal(object->span, 9);
	assert_int_equal(object[1].span, 5);
	assert_int_equal(object[1].n, 3);
	assert_string_equal(object[1].name, "a");
	assert_int_equal(object[1].at, 4);
	assert_null(object[2].name);
	assert_int_equal(object[2].at, 11);
	assert_string_equal(object[4].name, "x");
	assert_int_equal(object[5].type, VALUE_ARRAY);
	assert_ptr_equal(value_member(object, "d"), &object[8]);
	assert_null(value_member(object, "x"));
}

static void test_strings_are_unescaped(void **state)
{
	(void)state;
	check_text("{\"a\":\"\"}", "", true);
	check_text("{\"a\":\"all.q@node1 ~!\"}", "all.q@node1 ~!", true);
	check_text("{\"a\":\"12345678\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "12345678\"\\/\b\f\n\r\t", false);
	check_text("{\"a\":\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\\uffff\"}",
		   "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf", false);
	check_text("{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\x7f\"}",
		   "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\x7f", false);
	check_text("{\"\\u0061\":\"x\"}", "x", true);
}

static void test_integers_have_64_bits(void **state)
{
	(void)state;
	check_integer("{\"a\":0}", 0);
	check_integer("{\"a\":-0}", 0);
	check_integer("{\"a\":9223372036854775807}", INT64_MAX);
	check_integer("{\"a\":-9223372036854775808}", INT64_MIN);
	check_refused("{\"a\":9223372036854775808}", "byte 25: the integer before it has more than 64 bits");
	check_refused("{\"a\":-9223372036854775809}", "byte 26: the integer before it has more than 64 bits");
	check_refused("{\"a\":18446744073709551616}", "byte 26: the integer before it has more than 64 bits");
	check_refused("{\"a\":184467440737095516160}", "byte 27: the integer before it has more than 64 bits");
}

static void test_reals_are_rounded_correctly(void **state)
{
	(void)state;
	check_real("{\"a\":0.1}", 0.1);
	check_real("{\"a\":-0.0}", -0.0);
	check_real("{\"a\":5e0}", 5.0);
	check_real("{\"a\":1E+2}", 100.0);
	check_real("{\"a\":2.2250738585072011e-308}", 2.2250738585072011e-308);
	check_real("{\"a\":9007199254740993.0}", 9007199254740992.0);
	check_real("{\"a\":123456789012345678901234567890e-10}", 12345678901234567890.123456789);
	check_real("{\"a\":1e-400}", 0.0);
	check_real("{\"a\":1.7976931348623157e308}", 1.7976931348623157e308);
	check_refused("{\"a\":1.8e308}", "byte 13: the number before it is too large");
	check_refused("{\"a\":-1e999}", "byte 12: the number before it is too large");
}

/* Refused values */

static void test_a_refusal_names_position_found_and_expected_text(void **state)
{
	static const char *const refusals[][2] = {
		{ "", "byte 1: an object's '{' is expected, not the end of the line" },
		{ "  [1]", "byte 3: an object's '{' is expected, not '['" },
		{ "\xef\xbb\xbf{}", "byte 1: an object's '{' is expected, not the byte 0xef" },
		{ "{", "byte 2: a name in double quotes or '}' is expected, not the end of the line" },
		{ "{'a':1}", "byte 2: a name in double quotes or '}' is expected, not '''" },
		{ "{\"a\":1,}", "byte 8: a name in double quotes is expected, not '}'" },
		{ "{\"a\" 1}", "byte 6: ':' is expected, not '1'" },
		{ "{\"a\":1 \"b\":2}", "byte 8: ',' or '}' is expected, not '\"'" },
		{ "{\"a\":1;\"b\":2}", "byte 7: ',' or '}' is expected, not ';'" },
		{ "{\"a\":[1;", "byte 8: ',' or ']' is expected, not ';'" },
		{ "{\"a\":[1,]}", "byte 9: a value is expected, not ']'" },
		{ "{\"a\":[1}", "byte 8: ',' or ']' is expected, not '}'" },
		{ "{\"a\":}", "byte 6: a value is expected, not '}'" },
		{ "{\"a\":NaN}", "byte 6: a value is expected, not 'N'" },
		{ "{\"a\":-Infinity}", "byte 7: a digit is expected, not 'I'" },
		{ "{\"a\":nul}", "byte 9: the rest of null, true or false is expected, not '}'" },
		{ "{\"a\":truely}", "byte 10: ',' or '}' is expected, not 'l'" },
		{ "{\"a\":01}", "byte 7: ',' or '}' is expected, not '1'" },
		{ "{\"a\":+1}", "byte 6: a value is expected, not '+'" },
		{ "{\"a\":1.}", "byte 8: a digit is expected, not '}'" },
		{ "{\"a\":.5}", "byte 6: a value is expected, not '.'" },
		{ "{\"a\":1e}", "byte 8: a digit is expected, not '}'" },
		{ "{\"a\":1e+", "byte 9: a digit is expected, not the end of the line" },
		{ "{\"a\":0x1}", "byte 7: ',' or '}' is expected, not 'x'" },
		{ "{\"a\":1} x", "byte 9: the end of the line is expected, not 'x'" },
		{ "{\"a\":1}{}", "byte 8: the end of the line is expected, not '{'" },
		{ "{\"a\":\"x", "byte 8: '\"' after a string is expected, not the end of the line" },
		{ "{\"a\":\"x\\", "byte 9: one of \"\\/bfnrtu is expected, not the end of the line" },
		{ "{\"a\":\"\\x\"}", "byte 8: one of \"\\/bfnrtu is expected, not 'x'" },
		{ "{\"a\":\"x\ty\"}", "byte 8: a control character's escape is expected, not the byte 0x09" },
		{ "{\"a\":\"\\u12g4\"}", "byte 11: a hexadecimal digit is expected, not 'g'" },
		{ "{\"a\":\"\\u0000\"}", "byte 13: \\u0000 before it is not allowed" },
		{ "{\"\\u0000\":1}", "byte 9: \\u0000 before it is not allowed" },
		{ "{\"a\":\"\\ud800\"}", "byte 13: half a surrogate pair before it is not allowed" },
		{ "{\"a\":\"\\udc00\\ud800\"}", "byte 13: half a surrogate pair before it is not allowed" },
		{ "{\"a\":\"\\ud800\\u0041\"}", "byte 19: half a surrogate pair before it is not allowed" },
		{ "{\"a\":\"\\ud800\\ud800\"}", "byte 19: half a surrogate pair before it is not allowed" },
		{ "{\"a\":\"\\ud800\\u0000\"}", "byte 19: half a surrogate pair before it is not allowed" },
		{ "{\"a\":\"\xc0\xaf\"}", "byte 7: 0xc0 is not valid UTF-8 here" },
		{ "{\"a\":\"\xc1\xbf\"}", "byte 7: 0xc1 is not valid UTF-8 here" },
		{ "{\"a\":\"\xe0\x9f\xbf\"}", "byte 7: 0xe0 is not valid UTF-8 here" },
		{ "{\"a\":\"\xed\xa0\x80\"}", "byte 7: 0xed is not valid UTF-8 here" },
		{ "{\"a\":\"\xf0\x8f\xbf\xbf\"}", "byte 7: 0xf0 is not valid UTF-8 here" },
		{ "{\"a\":\"\xf4\x90\x80\x80\"}", "byte 7: 0xf4 is not valid UTF-8 here" },
		{ "{\"a\":\"\xf5\x80\x80\x80\"}", "byte 7: 0xf5 is not valid UTF-8 here" },
		{ "{\"a\":\"x\x80\"}", "byte 8: 0x80 is not valid UTF-8 here" },
		{ "{\"a\":\"\xe2\x82", "byte 7: 0xe2 is not valid UTF-8 here" },
		{ "{\"a\":1,\"b\":2,\"a\":3}", "byte 14: the name \"a\" is repeated" },
		{ "{\"a\":{\"x\":1,\"\\u0078\":2}}", "byte 13: the name \"x\" is repeated" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		check_refused(refusals[i][0], refusals[i][1]);
	assert_null(read_bytes("{\"a\":\"x\0y\"}", 11));
	assert_string_equal(why.text, "byte 8: a control character's escape is expected, not the byte 0x00");
	assert_null(read_bytes("{\"a\":1\0}", 8));
	assert_string_equal(why.text, "byte 7: ',' or '}' is expected, not the byte 0x00");
	assert_null(read_bytes("{\0}", 3));
	assert_string_equal(why.text, "byte 2: a name in double quotes or '}' is expected, not the byte 0x00");
}

static void test_a_line_cut_anywhere_is_refused(void **state)
{
	static const char line[] =
		"{\"seq\":1,\"a\":[-1.5e3,\"\\u00e9\\\\\",true,null,{\"b\":\"\xc3\xa9\"}],\"c\":false}";

	(void)state;
	assert_non_null(read_line(line));
	for (size_t length = 0; length < sizeof(line) - 1; length++)
		if (read_bytes(line, length))
			fail_msg("%.*s was taken", (int)length, line);
}

/* Large values */

#define LARGE (1u << 20)

static char large[2 * LARGE];

static size_t put(size_t at, const char *text, size_t times)
{
	size_t n = strlen(text);

	for (; times > 0; times--, at += n)
		memcpy(large + at, text, n);
	return at;
}

static size_t nested(size_t levels)
{
	size_t at = put(0, "{\"a\":", 1);

	return put(put(put(at, "[", levels - 1), "]", levels - 1), "}", 1);
}

static void test_values_nest_up_to_2048_levels(void **state)
{
	size_t at;

	(void)state;
	assert_non_null(read_bytes(large, nested(2048)));
	assert_int_equal(values.items[0].span, 2048);
	assert_null(read_bytes(large, nested(2049)));
	assert_string_equal(why.text, "byte 2053: more than 2048 levels");
	at = put(put(0, "{\"a\":", 1), "[", LARGE - 5);
	assert_null(read_bytes(large, at));
	at = put(0, "{\"a\":", LARGE / 5);
	assert_null(read_bytes(large, at));
}

static void test_strings_and_numbers_may_fill_the_line(void **state)
{
	size_t at = put(put(put(0, "{\"a\":\"", 1), "x", LARGE - 8), "\"}", 1);

	(void)state;
	assert_non_null(read_bytes(large, at));
	assert_int_equal(values.items[1].n, LARGE - 8);
	assert_true(values.items[1].plain);
	at = put(put(put(0, "{\"a\":\"", 1), "\\u20ac", LARGE / 6), "\"}", 1);
	assert_non_null(read_bytes(large, at));
	assert_int_equal(values.items[1].n, LARGE / 6 * 3);
	at = put(put(put(0, "{\"a\":0.", 1), "1", LARGE - 8), "}", 1);
	assert_non_null(read_bytes(large, at));
	assert_true(values.items[1].real == 1.0 / 9);
	at = put(put(put(0, "{\"a\":", 1), "1", LARGE - 8), "}", 1);
	assert_null(read_bytes(large, at));
	at = put(put(put(0, "{\"a\":", 1), "1", LARGE - 8), "e-1048500}", 1);
	assert_non_null(read_bytes(large, at));
}

static void test_arrays_may_fill_the_line(void **state)
{
	size_t at = put(put(put(0, "{\"a\":[", 1), "0,", LARGE / 2 - 5), "[]]}", 1);

	(void)state;
	assert_non_null(read_bytes(large, at));
	assert_int_equal(values.items[1].n, LARGE / 2 - 4);
	assert_int_equal(values.items[0].span, LARGE / 2 - 2);
}

static size_t many_members(size_t n, const char *last)
{
	size_t at = put(0, "{", 1);

	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(large + at, "\"%05zx\":0,", i);
	return at + (size_t)sprintf(large + at, "\"%s\":0}", last);
}

static void test_repeated_names_are_found_in_objects_of_any_size(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 100000; n += n < 70 ? 1 : 33310) {
		char reason[80];
		size_t length = many_members(n, "another");

		assert_non_null(read_bytes(large, length));
		assert_int_equal(values.items[0].n, n + 1);
		length = many_members(n, "00000");
		assert_null(read_bytes(large, length));
		snprintf(reason, sizeof(reason), "byte %zu: the name \"00000\" is repeated", 2 + 10 * n);
		assert_string_equal(why.text, reason);
	}
}

static int forget(void **state)
{
	(void)state;
	values_destroy(&values);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_stored_in_sequence),
		cmocka_unit_test(test_strings_are_unescaped),
		cmocka_unit_test(test_integers_have_64_bits),
		cmocka_unit_test(test_reals_are_rounded_correctly),
		cmocka_unit_test(test_a_refusal_names_position_found_and_expected_text),
		cmocka_unit_test(test_a_line_cut_anywhere_is_refused),
		cmocka_unit_test(test_values_nest_up_to_2048_levels),
		cmocka_unit_test(test_strings_and_numbers_may_fill_the_line),
		cmocka_unit_test(test_arrays_may_fill_the_line),
		cmocka_unit_test(test_repeated_names_are_found_in_objects_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
