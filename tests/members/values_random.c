/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader and the writer of lines agree with another parser on random lines, valid and broken.
 * SEED and ROUNDS select them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "sched/qmaster/members/value_write.h"
#include "tests/values.h"

static uint64_t seed;

static size_t drawn(size_t below)		/* splitmix64 */
{
	uint64_t z = seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (size_t)((z ^ z >> 31) % below);
}

/* Lines */

#define PIECES(...) ((const char *const[]){ __VA_ARGS__ })[drawn(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))]

struct text {
	char bytes[4000];
	size_t n;
};

static void text_put(struct text *text, const char *piece)
{
	size_t n = strlen(piece);

	if (text->n + n < sizeof(text->bytes)) {
		memcpy(text->bytes + text->n, piece, n);
		text->n += n;
	}
}

static void draw_string(struct text *text)
{
	text_put(text, "\"");
	for (size_t n = drawn(4) ? drawn(4) : drawn(20); n > 0; n--)
		text_put(text,
			 PIECES("a", "owner", "all.q@node1", " ", "~", "0123456", "\x7f", "\\n", "\\\"", "\\\\", "\\/",
				"\\u0041", "\\u00E9", "\\uffff", "\\ud83d\\ude00", "\\u07ff", "\xc3\xa9",
				"\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbf", "\xc2\x80", "\xf4\x8f\xbf\xbf"));
	text_put(text, "\"");
}

static void draw_number(struct text *text)
{
	char digits[40];

	snprintf(digits, sizeof(digits), "%zu", drawn((size_t)1 << drawn(64)));
	text_put(text, PIECES("", "", "-"));
	text_put(text, drawn(4) ? digits
				: PIECES("0", "9223372036854775807", "9223372036854775808", "18446744073709551615",
					 "4294967296"));
	if (drawn(3) == 0) {
		snprintf(digits, sizeof(digits), ".%0*zu", (int)drawn(20), drawn(100000));
		text_put(text, digits);
	}
	if (drawn(4) == 0) {
		snprintf(digits, sizeof(digits), "%s%zu", PIECES("e", "E", "e+", "e-"), drawn((size_t)1 << drawn(9)));
		text_put(text, digits);
	}
}

static void draw_value(struct text *text, unsigned depth);

static void draw_object(struct text *text, unsigned depth)
{
	text_put(text, "{");
	for (size_t i = 0, n = drawn(20) ? drawn(6) : drawn(80); i < n; i++) {
		char name[20];

		text_put(text, i ? PIECES(",", " , ") : "");
		snprintf(name, sizeof(name), "\"n%zu\"", drawn(1000));
		if (drawn(10))
			text_put(text, name);
		else
			draw_string(text);
		text_put(text, PIECES(":", ":", " : "));
		draw_value(text, depth + 1);
	}
	text_put(text, "}");
}

static void draw_value(struct text *text, unsigned depth)
{
	switch (drawn(depth > 5 ? 5 : 7)) {
	case 0:
		text_put(text, PIECES("null", "true", "false"));
		return;
	case 1: case 2:
		draw_number(text);
		return;
	case 3: case 4:
		draw_string(text);
		return;
	case 5:
		text_put(text, "[");
		for (size_t i = 0, n = drawn(5); i < n; i++) {
			text_put(text, i ? "," : "");
			draw_value(text, depth + 1);
		}
		text_put(text, "]");
		return;
	default:
		draw_object(text, depth);
	}
}

/* Replace up to nine bytes by a piece of text, random bytes, or bytes of another position. */
static void text_mutate(struct text *text)
{
	char piece[16];
	size_t at = drawn(text->n + 1), gone = drawn(3) ? 0 : drawn(10), n = drawn(6), from = drawn(text->n + 1);

	gone = at + gone > text->n ? text->n - at : gone;
	n = from + n > text->n ? text->n - from : n;
	memcpy(piece, text->bytes + from, n);
	if (drawn(4) == 0) {
		n = 1 + drawn(2);
		for (size_t i = 0; i < n; i++)
			piece[i] = (char)drawn(256);
	} else if (drawn(2)) {
		const char *from_list =
			PIECES("", ",", ":", "\"", "\\", "{", "}", "[", "]", "-", ".", "e", "0", "1e999", "\\u",
			       "\\ud800", "\\udc00", "\\u0000", "\xc1\x81", "\xed\xa0\x80", "\xf4\x90", "\t", "\x01",
			       " ", "NaN", "nul", "+", ";", "/**/");

		n = strlen(from_list);
		memcpy(piece, from_list, n);
	}
	if (text->n - gone + n > sizeof(text->bytes))
		return;
	memmove(text->bytes + at + n, text->bytes + at + gone, text->n - at - gone);
	memcpy(text->bytes + at, piece, n);
	text->n += n - gone;
}

/* The comparison */

static bool same(const struct value *value, const json_t *other);

static bool same_inside(const struct value *v, const json_t *other)
{
	bool object = json_is_object(other);
	void *at = object ? json_object_iter((json_t *)other) : NULL;
	size_t n = 0;

	value_each(one, v) {
		if (object &&
		    (!at || strcmp(json_object_iter_key(at), one->name) != 0 || !same(one, json_object_iter_value(at))))
			return false;
		if (!object && (one->name || !same(one, json_array_get(other, n))))
			return false;
		at = object ? json_object_iter_next((json_t *)other, at) : NULL;
		n++;
	}
	return n == v->n && !at && n == (object ? json_object_size(other) : json_array_size(other));
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

static bool same(const struct value *value, const json_t *other)
{
	double real = json_real_value(other);

	switch (json_typeof(other)) {
	case JSON_NULL:
		return value->type == VALUE_NULL;
	case JSON_TRUE:
		return value->type == VALUE_TRUE;
	case JSON_FALSE:
		return value->type == VALUE_FALSE;
	case JSON_INTEGER:
		return value->type == VALUE_INTEGER && value->integer == json_integer_value(other);
	case JSON_REAL:
		return value->type == VALUE_REAL && memcmp(&value->real, &real, sizeof(real)) == 0;
	case JSON_STRING:
		return value->type == VALUE_STRING && value->n == json_string_length(other) &&
		       memcmp(value->text, json_string_value(other), value->n + 1) == 0 &&
		       (!value->plain || is_plain(value->text));
	case JSON_ARRAY:
		return value->type == VALUE_ARRAY && same_inside(value, other);
	default:
		return value->type == VALUE_OBJECT && same_inside(value, other);
	}
}

/* Write a copy of the values, after the lines that they were read from are gone. */
static void check_written(const json_t *other)
{
	char *expected = json_dumps(other, JSON_COMPACT);
	struct values copy;
	const struct value *object = values_copy(&values, &copy);
	const char *written;
	struct out out;
	size_t bytes;

	assert_non_null(object);
	assert_non_null(read_bytes("{\"other\":[1.5,\"text\"]}", 22));
	assert_int_equal(out_open_memory(&out, 1u << 20), 0);
	value_write(&out, object);
	assert_int_equal(out_held(&out, &written, &bytes), 0);
	if (bytes != strlen(expected) || memcmp(written, expected, bytes) != 0)
		fail_msg("%.*s\nis not what jansson writes:\n%s", (int)bytes, written, expected);
	out_close(&out);
	values_destroy(&copy);
	free(expected);
}

/* Return 1 if both accept, 0 if both refuse. */
static int compare(const struct text *text)
{
	json_error_t reason;
	json_t *other = json_loadb(text->bytes, text->n, JSON_REJECT_DUPLICATES, &reason);
	const struct value *object = read_bytes(text->bytes, text->n);
	/* jansson skips a NUL after a number. */
	bool taken = json_is_object(other) && !memchr(text->bytes, '\0', text->n);

	if (taken != (object != NULL))
		fail_msg("%.*s\nour reader: %s\njansson: %s", (int)text->n, text->bytes, object ? "taken" : why.text,
			 other ? "taken" : reason.text);
	if (taken && !same(object, other))
		fail_msg("%.*s\nthe two parsers read different values", (int)text->n, text->bytes);
	if (!taken && (!*why.text || strncmp(why.text, "byte ", 5) != 0))
		fail_msg("%.*s\nno byte is named: %s", (int)text->n, text->bytes, why.text);
	if (taken)
		check_written(other);
	json_decref(other);
	return taken;
}

static void test_another_parser_accepts_and_refuses_the_same_texts(void **state)
{
	const char *given = getenv("SEED"), *rounds = getenv("ROUNDS");
	size_t n = rounds ? strtoul(rounds, NULL, 10) : 60000, taken = 0, mutants = 0;

	(void)state;
	seed = given ? strtoull(given, NULL, 10) : 20240611u;
	print_message("seed %llu, %zu rounds\n", (unsigned long long)seed, n);
	for (size_t i = 0; i < n; i++) {
		struct text text = { .n = 0 };

		draw_object(&text, 0);
		taken += (size_t)compare(&text);
		for (size_t k = drawn(4); k > 0; k--) {
			text_mutate(&text);
			mutants += (size_t)compare(&text);
		}
	}
	print_message("%zu lines taken as drawn, %zu mutants\n", taken, mutants);
	values_destroy(&values);
	assert_true(taken > n / 4 && mutants > n / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_another_parser_accepts_and_refuses_the_same_texts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
