/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of lines and another parser must say the same of random lines, good and broken. SEED
 * and ROUNDS say which and how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

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

static void text_put(struct text *t, const char *piece)
{
	size_t n = strlen(piece);

	if (t->n + n < sizeof(t->bytes)) {
		memcpy(t->bytes + t->n, piece, n);
		t->n += n;
	}
}

static void draw_string(struct text *t)
{
	text_put(t, "\"");
	for (size_t n = drawn(4) ? drawn(4) : drawn(20); n > 0; n--)
		text_put(t, PIECES("a", "owner", "all.q@node1", " ", "~", "0123456", "\x7f", "\\n", "\\\"", "\\\\", "\\/", "\\u0041",
				   "\\u00E9", "\\uffff", "\\ud83d\\ude00", "\\u07ff", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbf",
				   "\xc2\x80", "\xf4\x8f\xbf\xbf"));
	text_put(t, "\"");
}

static void draw_number(struct text *t)
{
	char digits[40];

	snprintf(digits, sizeof(digits), "%zu", drawn((size_t)1 << drawn(64)));
	text_put(t, PIECES("", "", "-"));
	text_put(t, drawn(4) ? digits : PIECES("0", "9223372036854775807", "9223372036854775808", "18446744073709551615", "4294967296"));
	if (drawn(3) == 0) {
		snprintf(digits, sizeof(digits), ".%0*zu", (int)drawn(20), drawn(100000));
		text_put(t, digits);
	}
	if (drawn(4) == 0) {
		snprintf(digits, sizeof(digits), "%s%zu", PIECES("e", "E", "e+", "e-"), drawn((size_t)1 << drawn(9)));
		text_put(t, digits);
	}
}

static void draw_value(struct text *t, unsigned depth);

static void draw_object(struct text *t, unsigned depth)
{
	text_put(t, "{");
	for (size_t i = 0, n = drawn(20) ? drawn(6) : drawn(80); i < n; i++) {
		char name[20];

		text_put(t, i ? PIECES(",", " , ") : "");
		snprintf(name, sizeof(name), "\"n%zu\"", drawn(1000));
		if (drawn(10))
			text_put(t, name);
		else
			draw_string(t);
		text_put(t, PIECES(":", ":", " : "));
		draw_value(t, depth + 1);
	}
	text_put(t, "}");
}

static void draw_value(struct text *t, unsigned depth)
{
	switch (drawn(depth > 5 ? 5 : 7)) {
	case 0:
		text_put(t, PIECES("null", "true", "false"));
		return;
	case 1: case 2:
		draw_number(t);
		return;
	case 3: case 4:
		draw_string(t);
		return;
	case 5:
		text_put(t, "[");
		for (size_t i = 0, n = drawn(5); i < n; i++) {
			text_put(t, i ? "," : "");
			draw_value(t, depth + 1);
		}
		text_put(t, "]");
		return;
	default:
		draw_object(t, depth);
	}
}

/*
 * Put a piece, some random bytes, or bytes from elsewhere in it in the place of up to nine others.
 */
static void text_mutate(struct text *t)
{
	char piece[16];
	size_t at = drawn(t->n + 1), gone = drawn(3) ? 0 : drawn(10), n = drawn(6), from = drawn(t->n + 1);

	gone = at + gone > t->n ? t->n - at : gone;
	n = from + n > t->n ? t->n - from : n;
	memcpy(piece, t->bytes + from, n);
	if (drawn(4) == 0) {
		n = 1 + drawn(2);
		for (size_t i = 0; i < n; i++)
			piece[i] = (char)drawn(256);
	} else if (drawn(2)) {
		const char *from_list = PIECES("", ",", ":", "\"", "\\", "{", "}", "[", "]", "-", ".", "e", "0", "1e999", "\\u", "\\ud800",
					       "\\udc00", "\\u0000", "\xc1\x81", "\xed\xa0\x80", "\xf4\x90", "\t", "\x01", " ", "NaN", "nul", "+", ";", "/**/");

		n = strlen(from_list);
		memcpy(piece, from_list, n);
	}
	if (t->n - gone + n > sizeof(t->bytes))
		return;
	memmove(t->bytes + at + n, t->bytes + at + gone, t->n - at - gone);
	memcpy(t->bytes + at, piece, n);
	t->n += n - gone;
}

/* The comparison */

static bool same(const struct value *v, const json_t *other);

static bool same_inside(const struct value *v, const json_t *other)
{
	bool object = json_is_object(other);
	void *at = object ? json_object_iter((json_t *)other) : NULL;
	size_t n = 0;

	value_each(one, v) {
		if (object && (!at || strcmp(json_object_iter_key(at), one->name) != 0 || !same(one, json_object_iter_value(at))))
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

static bool same(const struct value *v, const json_t *other)
{
	double real = json_real_value(other);

	switch (json_typeof(other)) {
	case JSON_NULL:
		return v->type == VALUE_NULL;
	case JSON_TRUE:
		return v->type == VALUE_TRUE;
	case JSON_FALSE:
		return v->type == VALUE_FALSE;
	case JSON_INTEGER:
		return v->type == VALUE_INTEGER && v->integer == json_integer_value(other);
	case JSON_REAL:
		return v->type == VALUE_REAL && memcmp(&v->real, &real, sizeof(real)) == 0;
	case JSON_STRING:
		return v->type == VALUE_STRING && v->n == json_string_length(other) && memcmp(v->text, json_string_value(other), v->n + 1) == 0 &&
		       (!v->plain || is_plain(v->text));
	case JSON_ARRAY:
		return v->type == VALUE_ARRAY && same_inside(v, other);
	default:
		return v->type == VALUE_OBJECT && same_inside(v, other);
	}
}

/* 1 taken, 0 refused, by both. */
static int compare(const struct text *t)
{
	json_error_t reason;
	json_t *other = json_loadb(t->bytes, t->n, JSON_REJECT_DUPLICATES, &reason);
	const struct value *object = read_bytes(t->bytes, t->n);
	/* jansson passes over a NUL behind a number */
	bool taken = json_is_object(other) && !memchr(t->bytes, '\0', t->n);

	if (taken != (object != NULL))
		fail_msg("%.*s\nhere: %s\nthere: %s", (int)t->n, t->bytes, object ? "taken" : why.text, other ? "taken" : reason.text);
	if (taken && !same(object, other))
		fail_msg("%.*s\nis something else here and there", (int)t->n, t->bytes);
	if (!taken && (!*why.text || strncmp(why.text, "byte ", 5) != 0))
		fail_msg("%.*s\nno byte is named: %s", (int)t->n, t->bytes, why.text);
	json_decref(other);
	return taken;
}

static void test_another_parser_takes_and_refuses_the_same(void **state)
{
	const char *given = getenv("SEED"), *rounds = getenv("ROUNDS");
	size_t n = rounds ? strtoul(rounds, NULL, 10) : 60000, taken = 0, mutants = 0;

	(void)state;
	seed = given ? strtoull(given, NULL, 10) : 20240611u;
	print_message("seed %llu, %zu rounds\n", (unsigned long long)seed, n);
	for (size_t i = 0; i < n; i++) {
		struct text t = { .n = 0 };

		draw_object(&t, 0);
		taken += (size_t)compare(&t);
		for (size_t k = drawn(4); k > 0; k--) {
			text_mutate(&t);
			mutants += (size_t)compare(&t);
		}
	}
	print_message("%zu lines taken as drawn, %zu mutants\n", taken, mutants);
	values_destroy(&values);
	assert_true(taken > n / 4 && mutants > n / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_another_parser_takes_and_refuses_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
