/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/classad/lexer.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/classad/inside.h"

bool token_is(const struct token *t, const char *word)
{
	return t->type == TOKEN_NAME && !t->is_quoted && t->bytes == strlen(word) && strncasecmp(t->text, word, t->bytes) == 0;
}

static int refuse(struct lexer *l, const char *at, const char *what)
{
	l->token = (struct token){ .type = TOKEN_END, .text = l->end };
	l->at = l->end;
	return error_set(l->error, -EINVAL, "column %zu: %s", (size_t)(at - l->begin) + 1, what);
}

int lexer_refuse(struct lexer *l, const char *allowed)
{
	const struct token *t = &l->token;
	size_t column = (size_t)(t->text - l->begin) + 1, shown = t->bytes < 40 ? t->bytes : 40;
	int rc;

	if (t->type == TOKEN_END)
		rc = error_set(l->error, -EINVAL, "column %zu: the expression ends, %s expected", column, allowed);
	else if (t->type == TOKEN_STRING)
		rc = error_set(l->error, -EINVAL, "column %zu: found \"%.*s\", %s expected", column - 1, (int)shown, t->text, allowed);
	else
		rc = error_set(l->error, -EINVAL, "column %zu: found %.*s, %s expected", column, (int)shown, t->text, allowed);
	l->token = (struct token){ .type = TOKEN_END, .text = l->end };
	l->at = l->end;
	return rc;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *digits_skip(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* One that is larger than 64 bits with a sign reads as 0, as in HTCondor. */
static struct classad_value integer_read(const char *at, const char *end)
{
	uint64_t value = 0;

	for (; at < end; at++) {
		unsigned digit = (unsigned)(*at - '0');

		if (value > ((uint64_t)INT64_MAX - digit) / 10)
			return INTEGER(0);
		value = 10 * value + digit;
	}
	return INTEGER((int64_t)value);
}

static int real_read(struct lexer *l, const char *at, size_t bytes)
{
	char *end, *copy = strndup(at, bytes);		/* what follows may be part of a number for strtod(3) */

	if (!copy) {
		l->token.type = TOKEN_END;
		return -ENOMEM;
	}
	l->token.value = REAL(strtod(copy, &end));
	free(copy);
	return 0;
}

static int number_read(struct lexer *l)
{
	const char *begin = l->at, *at = digits_skip(begin, l->end);
	bool real = false;

	if (at - begin > 1 && *begin == '0')
		return refuse(l, begin, "a number that begins with 0: octal ones are none here");
	if (at < l->end && *at == '.') {
		real = true;
		if (at + 1 == l->end || !is_digit(at[1]))
			return refuse(l, at, "a point wants a digit behind it");
		at = digits_skip(at + 1, l->end);
	}
	if (at < l->end && (*at | 0x20) == 'e') {
		const char *digits = at + 1 + (at + 1 < l->end && (at[1] == '-' || at[1] == '+'));

		if (digits == l->end || !is_digit(*digits))
			return refuse(l, at, "an exponent wants digits");
		real = true;
		at = digits_skip(digits, l->end);
	}
	if (at < l->end && (is_name_letter(*at) || *at == '.'))
		return refuse(l, begin, "no number: decimal digits, one point between them, and an exponent are allowed");
	l->token = (struct token){ .type = TOKEN_NUMBER, .text = begin, .bytes = (size_t)(at - begin) };
	l->at = at;
	if (real)
		return real_read(l, begin, l->token.bytes);
	l->token.value = integer_read(begin, at);
	l->token.is_least = l->token.bytes == 19 && memcmp(begin, "9223372036854775808", 19) == 0;
	return 0;
}

static bool only_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at == end;
}

/*
 * A backslash stands for itself but before a quote, which then does not end the string; unless all
 * would end there.
 */
static int string_read(struct lexer *l)
{
	const char *at = l->at + 1;
	bool escapes = false;

	for (; at < l->end && *at != '"'; at++) {
		if ((unsigned char)*at < ' ' && *at != '\t')
			return refuse(l, at, "a control character in a string");
		if (*at == '\\' && at + 1 < l->end && at[1] == '"' && !only_blanks(at + 2, l->end)) {
			escapes = true;
			at++;
		}
	}
	if (at == l->end)
		return refuse(l, l->at, "a string without an end: it wants a second \"");
	l->token = (struct token){ .type = TOKEN_STRING, .text = l->at + 1, .bytes = (size_t)(at - l->at) - 1, .escapes = escapes };
	l->at = at + 1;
	return 0;
}

/* A backslash before a character of a name in single quotes is not part of it. */
static int quoted_read(struct lexer *l)
{
	const char *at = l->at + 1;
	bool escapes = false;

	for (; at < l->end && *at != '\''; at++) {
		if ((unsigned char)*at < ' ')
			return refuse(l, at, "a control character in a name");
		escapes |= *at == '\\';
		at += *at == '\\' && at + 1 < l->end;
	}
	if (at >= l->end || at == l->at + 1)
		return refuse(l, l->at, "a name in single quotes wants a character and a second '");
	l->token = (struct token){ .type = TOKEN_NAME, .text = l->at + 1, .bytes = (size_t)(at - l->at) - 1, .escapes = escapes, .is_quoted = true };
	l->at = at + 1;
	return 0;
}

static void name_read(struct lexer *l)
{
	const char *at = l->at;

	while (at < l->end && is_name_letter(*at))
		at++;
	l->token = (struct token){ .type = TOKEN_NAME, .text = l->at, .bytes = (size_t)(at - l->at) };
	l->at = at;
	if (token_is(&l->token, "is"))
		l->token.type = TOKEN_IS;
	else if (token_is(&l->token, "isnt"))
		l->token.type = TOKEN_ISNT;
}

static int operator_read(struct lexer *l)
{
	static const struct { const char *text; int type; } longer[] = {
		{ ">>>", TOKEN_RIGHT_ZERO }, { "=?=", TOKEN_IS }, { "=!=", TOKEN_ISNT }, { "&&", TOKEN_AND }, { "||", TOKEN_OR },
		{ "==", TOKEN_EQUAL }, { "!=", TOKEN_UNEQUAL }, { "<=", TOKEN_LESS_EQUAL }, { ">=", TOKEN_MORE_EQUAL },
		{ "<<", TOKEN_LEFT }, { ">>", TOKEN_RIGHT }, { "?:", TOKEN_ELVIS },
	};
	size_t left = (size_t)(l->end - l->at), bytes = 1;
	int type = *l->at;

	for (size_t i = 0; i < sizeof(longer) / sizeof(*longer); i++) {
		size_t n = strlen(longer[i].text);

		if (n <= left && memcmp(l->at, longer[i].text, n) == 0) {
			type = longer[i].type;
			bytes = n;
			break;
		}
	}
	if (type == '?' && bytes == 1) {		/* the elvis operator may have blanks inside */
		const char *next = l->at + 1;

		while (next < l->end && is_blank(*next))
			next++;
		if (next < l->end && *next == ':') {
			type = TOKEN_ELVIS;
			bytes = (size_t)(next - l->at) + 1;
		}
	}
	if (type == '=')
		return refuse(l, l->at, "found =, one of == != =?= =!= expected");
	if (bytes == 1 && !strchr("!~-+*/%&|^<>(){}[],:?.", type))
		return refuse(l, l->at, "a character that belongs to no expression");
	l->token = (struct token){ .type = type, .text = l->at, .bytes = bytes };
	l->at += bytes;
	return 0;
}

int lexer_next(struct lexer *l)
{
	while (l->at < l->end && is_blank(*l->at))
		l->at++;
	if (l->at == l->end) {
		l->token = (struct token){ .type = TOKEN_END, .text = l->end };
		return 0;
	}
	if (is_digit(*l->at) || (*l->at == '.' && l->at + 1 < l->end && is_digit(l->at[1])))
		return number_read(l);
	if (*l->at == '"')
		return string_read(l);
	if (*l->at == '\'')
		return quoted_read(l);
	if (!is_name_letter(*l->at))
		return operator_read(l);
	name_read(l);
	return 0;
}
