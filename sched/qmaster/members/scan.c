/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings are most of a line's bytes: they are copied eight at a time as long as all eight are
 * plain.
 */
#include "sched/qmaster/members/scan.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD sizeof(uint64_t)

_Static_assert(WORD <= SCAN_BEHIND, "a word is written at a time");

int scan_fail(struct scanner *s, const char *what)
{
	return error_set(s->error, -EINVAL, "byte %u: %s", scan_at(s), what);
}

/* "byte 17: ':' is expected, not '='" */
int scan_due(struct scanner *s, const char *what)
{
	unsigned char found = s->p < s->end ? (unsigned char)*s->p : 0;

	if (s->p == s->end)
		return error_set(s->error, -EINVAL, "byte %u: %s is expected, not the end of the line", scan_at(s), what);
	if (found > ' ' && found < 0x7f)
		return error_set(s->error, -EINVAL, "byte %u: %s is expected, not '%c'", scan_at(s), what, found);
	return error_set(s->error, -EINVAL, "byte %u: %s is expected, not the byte 0x%02x", scan_at(s), what, found);
}

/* Strings */

/*
 * A word with the highest bit set in the lowest byte that is not plain: a control character, a
 * quote, a backslash, or beyond '~'. A borrow or carry may set that of bytes above it, too.
 */
static uint64_t odd_bytes(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
	uint64_t quote = word ^ '"' * ones, backslash = word ^ '\\' * ones;

	return ((word - ' ' * ones) | (quote - ones) | (backslash - ones) | (word + ones) | word) & high;
}

/*
 * Copy plain bytes up to the first odd one. Up to seven more may be written, never read, behind it.
 */
static void plain_copy(struct scanner *s)
{
	for (uint64_t word, odd; (size_t)(s->end - s->p) >= WORD; s->p += WORD, s->to += WORD) {
		memcpy(&word, s->p, WORD);
		memcpy(s->to, s->p, WORD);
		odd = odd_bytes(le64toh(word));
		if (odd) {
			s->p += __builtin_ctzll(odd) / 8;
			s->to += __builtin_ctzll(odd) / 8;
			return;
		}
	}
	for (; s->p < s->end && *s->p >= ' ' && *s->p <= '~' && *s->p != '"' && *s->p != '\\'; s->p++)
		*s->to++ = *s->p;
}

/*
 * Bytes of the character at p beyond ASCII, 0 if it is no UTF-8: no overlong form, no surrogate,
 * none above U+10FFFF.
 */
static size_t utf8_bytes(const unsigned char *p, size_t room)
{
	unsigned char low = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80, high = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
	size_t n = *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

	if (n == 0 || n > room || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static int character_copy(struct scanner *s)
{
	size_t n = *s->p == 0x7f ? 1 : utf8_bytes((const unsigned char *)s->p, (size_t)(s->end - s->p));

	if (n == 0)
		return error_set(s->error, -EINVAL, "byte %u: 0x%02x is no UTF-8 here", scan_at(s), (unsigned char)*s->p);
	memcpy(s->to, s->p, n);
	s->to += n;
	s->p += n;
	return 0;
}

/* Four hexadecimal digits. */
static int unit_read(struct scanner *s, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++, s->p++) {
		char c = s->p < s->end ? *s->p : '\0';
		int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;

		if (digit < 0)
			return scan_due(s, "a hexadecimal digit");
		*unit = *unit << 4 | (uint32_t)digit;
	}
	return 0;
}

static void code_put(struct scanner *s, uint32_t code)
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (int i = n - 1; i > 0; i--, code >>= 6)
		s->to[i] = (char)(0x80 | (code & 0x3f));
	s->to[0] = (char)(leads[n] | code);
	s->to += n;
}

/* Behind the \u of a high surrogate and its digits: the low one makes it a code point. */
static int low_surrogate_read(struct scanner *s, uint32_t *code)
{
	uint32_t low = 0;
	int rc = 0;

	if (s->end - s->p > 1 && s->p[0] == '\\' && s->p[1] == 'u') {
		s->p += 2;
		rc = unit_read(s, &low);
	}
	if (rc == 0 && (low < 0xdc00 || low > 0xdfff))
		return scan_fail(s, "half a surrogate pair stands before it");
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return rc;
}

/* Behind the \u. */
static int code_read(struct scanner *s)
{
	uint32_t code;
	int rc = unit_read(s, &code);

	if (rc == 0 && code == 0)
		return scan_fail(s, "\\u0000 before it is not allowed");
	if (rc == 0 && code >= 0xdc00 && code < 0xe000)
		return scan_fail(s, "half a surrogate pair stands before it");
	if (rc == 0 && code >= 0xd800 && code < 0xdc00)
		rc = low_surrogate_read(s, &code);
	if (rc == 0)
		code_put(s, code);
	return rc;
}

static int escape_read(struct scanner *s)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *name;

	s->p++;
	if (scan_is(s, 'u')) {
		s->p++;
		return code_read(s);
	}
	name = s->p < s->end ? memchr(names, *s->p, sizeof(names) - 1) : NULL;
	if (!name)
		return scan_due(s, "one of \"\\/bfnrtu");
	*s->to++ = means[name - names];
	s->p++;
	return 0;
}

/* At the opening quote. */
int scan_string(struct scanner *s, const char **text, uint32_t *n, bool *plain)
{
	char *begin = s->to;
	int rc = 0;

	*plain = true;
	s->p++;
	for (plain_copy(s); rc == 0 && !scan_is(s, '"'); plain_copy(s)) {
		if (s->p == s->end)
			return scan_due(s, "'\"' behind a string");
		if ((unsigned char)*s->p < ' ')
			return scan_due(s, "a control character's escape");
		*plain = false;
		rc = *s->p == '\\' ? escape_read(s) : character_copy(s);
	}
	if (rc)
		return rc;
	s->p++;
	*text = begin;
	*n = (uint32_t)(s->to - begin);
	*s->to++ = '\0';
	return 0;
}

/* Numbers */

static int digits_skip(struct scanner *s)
{
	if (!scan_digit(s))
		return scan_due(s, "a digit");
	while (scan_digit(s))
		s->p++;
	return 0;
}

/* With a fraction or an exponent, from `begin`; s->p is behind the digits before them. */
static int real_read(struct scanner *s, const char *begin, double *real)
{
	int rc = 0;

	if (scan_is(s, '.')) {
		s->p++;
		rc = digits_skip(s);
	}
	if (rc == 0 && (scan_is(s, 'e') || scan_is(s, 'E'))) {
		s->p++;
		if (scan_is(s, '+') || scan_is(s, '-'))
			s->p++;
		rc = digits_skip(s);
	}
	if (rc)
		return rc;
	memcpy(s->to, begin, (size_t)(s->p - begin));	/* strtod() wants an end */
	s->to[s->p - begin] = '\0';
	*real = strtod(s->to, NULL);
	return isfinite(*real) ? 0 : scan_fail(s, "the number before it is too large");
}

int scan_number(struct scanner *s, struct value *value)
{
	const char *begin = s->p;
	bool negative = *begin == '-', beyond = false;
	uint64_t n = 0;

	s->p += negative;
	if (!scan_digit(s))
		return scan_due(s, "a digit");
	if (*s->p == '0')
		s->p++;
	else
		for (; scan_digit(s); s->p++) {
			beyond |= __builtin_mul_overflow(n, 10u, &n);
			beyond |= __builtin_add_overflow(n, (uint64_t)(*s->p - '0'), &n);
		}
	if (scan_is(s, '.') || scan_is(s, 'e') || scan_is(s, 'E')) {
		value->type = VALUE_REAL;
		return real_read(s, begin, &value->real);
	}
	if (beyond || n > (uint64_t)INT64_MAX + negative)
		return scan_fail(s, "the integer before it has more than 64 bits");
	value->type = VALUE_INTEGER;
	value->integer = (int64_t)(negative ? 0 - n : n);
	return 0;
}
