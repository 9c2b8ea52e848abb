/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most bytes of a line are in strings. They are copied eight at a time as long as all eight are
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

int scan_fail(struct scanner *scanner, const char *what)
{
	return error_set(scanner->error, -EINVAL, "byte %u: %s", scan_at(scanner), what);
}

/* See scan.h. */
int scan_due(struct scanner *scanner, const char *what)
{
	unsigned char found = scanner->p < scanner->end ? (unsigned char)*scanner->p : 0;

	if (scanner->p == scanner->end)
		return error_set(scanner->error, -EINVAL, "byte %u: %s is expected, not the end of the line",
				 scan_at(scanner), what);
	if (found > ' ' && found < 0x7f)
		return error_set(scanner->error, -EINVAL, "byte %u: %s is expected, not '%c'", scan_at(scanner), what,
				 found);
	return error_set(scanner->error, -EINVAL, "byte %u: %s is expected, not the byte 0x%02x", scan_at(scanner),
			 what, found);
}

/* Strings */

/*
 * Return a word with the highest bit set in the lowest byte that is not plain: a control character,
 * a quote, a backslash, or a byte above '~'. A borrow or carry may also set this bit in higher
 * bytes.
 */
static uint64_t odd_bytes(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
	uint64_t quote = word ^ '"' * ones, backslash = word ^ '\\' * ones;

	return ((word - ' ' * ones) | (quote - ones) | (backslash - ones) | (word + ones) | word) & high;
}

/*
 * Copy plain bytes up to the first odd one. Up to seven more bytes may be written after it; they
 * are never read.
 */
static void plain_copy(struct scanner *scanner)
{
	for (uint64_t word, odd; (size_t)(scanner->end - scanner->p) >= WORD; scanner->p += WORD, scanner->to += WORD) {
		memcpy(&word, scanner->p, WORD);
		memcpy(scanner->to, scanner->p, WORD);
		odd = odd_bytes(le64toh(word));
		if (odd) {
			scanner->p += __builtin_ctzll(odd) / 8;
			scanner->to += __builtin_ctzll(odd) / 8;
			return;
		}
	}
	for (; scanner->p < scanner->end && *scanner->p >= ' ' && *scanner->p <= '~' && *scanner->p != '"' &&
	       *scanner->p != '\\';
	     scanner->p++)
		*scanner->to++ = *scanner->p;
}

/*
 * Return the length of the character at p beyond ASCII, 0 if it is not valid UTF-8. Overlong forms,
 * surrogates and values above U+10FFFF are not valid.
 */
static size_t utf8_bytes(const unsigned char *p, size_t room)
{
	unsigned char low = *p == 0xe0	 ? 0xa0
			    : *p == 0xf0 ? 0x90
					 : 0x80,
		      high = *p == 0xed	  ? 0x9f
			     : *p == 0xf4 ? 0x8f
					  : 0xbf;
	size_t n = *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

	if (n == 0 || n > room || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static int character_copy(struct scanner *scanner)
{
	size_t n = *scanner->p == 0x7f
			   ? 1
			   : utf8_bytes((const unsigned char *)scanner->p, (size_t)(scanner->end - scanner->p));

	if (n == 0)
		return error_set(scanner->error, -EINVAL, "byte %u: 0x%02x is not valid UTF-8 here", scan_at(scanner),
				 (unsigned char)*scanner->p);
	memcpy(scanner->to, scanner->p, n);
	scanner->to += n;
	scanner->p += n;
	return 0;
}

/* Read four hexadecimal digits. */
static int unit_read(struct scanner *scanner, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++, scanner->p++) {
		char c = scanner->p < scanner->end ? *scanner->p : '\0';
		int digit = c >= '0' && c <= '9'		     ? c - '0'
			    : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
								     : -1;

		if (digit < 0)
			return scan_due(scanner, "a hexadecimal digit");
		*unit = *unit << 4 | (uint32_t)digit;
	}
	return 0;
}

static void code_put(struct scanner *scanner, uint32_t code)
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (int i = n - 1; i > 0; i--, code >>= 6)
		scanner->to[i] = (char)(0x80 | (code & 0x3f));
	scanner->to[0] = (char)(leads[n] | code);
	scanner->to += n;
}

/*
 * Combine a high surrogate with the low surrogate that must follow it. Called after the digits of
 * the high one.
 */
static int low_surrogate_read(struct scanner *scanner, uint32_t *code)
{
	uint32_t low = 0;
	int rc = 0;

	if (scanner->end - scanner->p > 1 && scanner->p[0] == '\\' && scanner->p[1] == 'u') {
		scanner->p += 2;
		rc = unit_read(scanner, &low);
	}
	if (rc == 0 && (low < 0xdc00 || low > 0xdfff))
		return scan_fail(scanner, "half a surrogate pair before it is not allowed");
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return rc;
}

/* Read the digits after \u. */
static int code_read(struct scanner *scanner)
{
	uint32_t code;
	int rc = unit_read(scanner, &code);

	if (rc == 0 && code == 0)
		return scan_fail(scanner, "\\u0000 before it is not allowed");
	if (rc == 0 && code >= 0xdc00 && code < 0xe000)
		return scan_fail(scanner, "half a surrogate pair before it is not allowed");
	if (rc == 0 && code >= 0xd800 && code < 0xdc00)
		rc = low_surrogate_read(scanner, &code);
	if (rc == 0)
		code_put(scanner, code);
	return rc;
}

static int escape_read(struct scanner *scanner)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *name;

	scanner->p++;
	if (scan_is(scanner, 'u')) {
		scanner->p++;
		return code_read(scanner);
	}
	name = scanner->p < scanner->end ? memchr(names, *scanner->p, sizeof(names) - 1) : NULL;
	if (!name)
		return scan_due(scanner, "one of \"\\/bfnrtu");
	*scanner->to++ = means[name - names];
	scanner->p++;
	return 0;
}

int scan_string(struct scanner *scanner, const char **text, uint32_t *n, bool *plain)
{
	char *begin = scanner->to;
	int rc = 0;

	*plain = true;
	scanner->p++;
	for (plain_copy(scanner); rc == 0 && !scan_is(scanner, '"'); plain_copy(scanner)) {
		if (scanner->p == scanner->end)
			return scan_due(scanner, "'\"' after a string");
		if ((unsigned char)*scanner->p < ' ')
			return scan_due(scanner, "a control character's escape");
		*plain = false;
		rc = *scanner->p == '\\' ? escape_read(scanner) : character_copy(scanner);
	}
	if (rc)
		return rc;
	scanner->p++;
	*text = begin;
	*n = (uint32_t)(scanner->to - begin);
	*scanner->to++ = '\0';
	return 0;
}

/* Numbers */

static int digits_skip(struct scanner *scanner)
{
	if (!scan_digit(scanner))
		return scan_due(scanner, "a digit");
	while (scan_digit(scanner))
		scanner->p++;
	return 0;
}

/*
 * Read the fraction and the exponent of the number at `begin`. scanner->p is after its first
 * digits.
 */
static int real_read(struct scanner *scanner, const char *begin, double *real)
{
	int rc = 0;

	if (scan_is(scanner, '.')) {
		scanner->p++;
		rc = digits_skip(scanner);
	}
	if (rc == 0 && (scan_is(scanner, 'e') || scan_is(scanner, 'E'))) {
		scanner->p++;
		if (scan_is(scanner, '+') || scan_is(scanner, '-'))
			scanner->p++;
		rc = digits_skip(scanner);
	}
	if (rc)
		return rc;
	memcpy(scanner->to, begin, (size_t)(scanner->p - begin));	/* strtod() needs a NUL */
	scanner->to[scanner->p - begin] = '\0';
	*real = strtod(scanner->to, NULL);
	return isfinite(*real) ? 0 : scan_fail(scanner, "the number before it is too large");
}

int scan_number(struct scanner *scanner, struct value *value)
{
	const char *begin = scanner->p;
	bool negative = *begin == '-', beyond = false;
	uint64_t n = 0;

	scanner->p += negative;
	if (!scan_digit(scanner))
		return scan_due(scanner, "a digit");
	if (*scanner->p == '0')
		scanner->p++;
	else
		for (; scan_digit(scanner); scanner->p++) {
			beyond |= __builtin_mul_overflow(n, 10u, &n);
			beyond |= __builtin_add_overflow(n, (uint64_t)(*scanner->p - '0'), &n);
		}
	if (scan_is(scanner, '.') || scan_is(scanner, 'e') || scan_is(scanner, 'E')) {
		value->type = VALUE_REAL;
		return real_read(scanner, begin, &value->real);
	}
	if (beyond || n > (uint64_t)INT64_MAX + negative)
		return scan_fail(scanner, "the integer before it has more than 64 bits");
	value->type = VALUE_INTEGER;
	value->integer = (int64_t)(negative ? 0 - n : n);
	return 0;
}
