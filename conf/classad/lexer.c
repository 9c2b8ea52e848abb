/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/classad/lexer.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/classad/inside.h"

bool token_is(const struct token *token, const char *word)
{
	return token->type == TOKEN_NAME && !token->is_quoted && token->bytes == strlen(word) &&
	       strncasecmp(token->text, word, token->bytes) == 0;
}

static int refuse(struct lexer *lexer, const char *at, const char *what)
{
	lexer->token = (struct token){ .type = TOKEN_END, .text = lexer->end };
	lexer->at = lexer->end;
	return error_set(lexer->error, -EINVAL, "column %zu: %s", (size_t)(at - lexer->begin) + 1, what);
}

int lexer_refuse(struct lexer *lexer, const char *allowed)
{
	const struct token *token = &lexer->token;
	size_t column = (size_t)(token->text - lexer->begin) + 1, shown = token->bytes < 40 ? token->bytes : 40;
	int rc;

	if (token->type == '=')
		allowed = "one of == != =?= =!=";
	if (token->type == TOKEN_END)
		rc = error_set(lexer->error, -EINVAL, "column %zu: the expression ends, %s expected", column, allowed);
	else if (token->type == TOKEN_STRING)
		rc = error_set(lexer->error, -EINVAL, "column %zu: found \"%.*s\", %s expected", column - 1, (int)shown,
			       token->text, allowed);
	else
		rc = error_set(lexer->error, -EINVAL, "column %zu: found %.*s, %s expected", column, (int)shown,
			       token->text, allowed);
	lexer->token = (struct token){ .type = TOKEN_END, .text = lexer->end };
	lexer->at = lexer->end;
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

/* Read an integer. A value that exceeds a signed 64-bit integer is read as 0, as in HTCondor. */
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

static int real_read(struct lexer *lexer, const char *at, size_t bytes)
{
	/* copied because strtod(3) could read beyond the token */
	char *end, *copy = strndup(at, bytes);

	if (!copy) {
		lexer->token.type = TOKEN_END;
		return -ENOMEM;
	}
	lexer->token.value = REAL(strtod(copy, &end));
	free(copy);
	return 0;
}

static int number_read(struct lexer *lexer)
{
	const char *begin = lexer->at, *at = digits_skip(begin, lexer->end);
	bool real = false;

	if (at - begin > 1 && *begin == '0')
		return refuse(lexer, begin, "a number that begins with 0: octal numbers are not allowed");
	if (at < lexer->end && *at == '.') {
		real = true;
		if (at + 1 == lexer->end || !is_digit(at[1]))
			return refuse(lexer, at, "a point needs a digit after it");
		at = digits_skip(at + 1, lexer->end);
	}
	if (at < lexer->end && (*at | 0x20) == 'e') {
		const char *digits = at + 1 + (at + 1 < lexer->end && (at[1] == '-' || at[1] == '+'));

		if (digits == lexer->end || !is_digit(*digits))
			return refuse(lexer, at, "an exponent needs digits");
		real = true;
		at = digits_skip(digits, lexer->end);
	}
	if (at < lexer->end && (is_name_letter(*at) || *at == '.'))
		return refuse(lexer, begin,
			      "not a number: decimal digits, one point between them, and an exponent are allowed");
	lexer->token = (struct token){ .type = TOKEN_NUMBER, .text = begin, .bytes = (size_t)(at - begin) };
	lexer->at = at;
	if (real)
		return real_read(lexer, begin, lexer->token.bytes);
	lexer->token.value = integer_read(begin, at);
	lexer->token.is_least = lexer->token.bytes == 19 && memcmp(begin, "9223372036854775808", 19) == 0;
	return 0;
}

static bool only_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at == end;
}

/*
 * Read a string. A backslash is literal, except before a quote, which then does not end the string.
 * A quote that only blanks follow ends the string in any case.
 */
static int string_read(struct lexer *lexer)
{
	const char *at = lexer->at + 1;
	bool escapes = false;

	for (; at < lexer->end && *at != '"'; at++) {
		if ((unsigned char)*at < ' ' && *at != '\t')
			return refuse(lexer, at, "a control character in a string");
		if (*at == '\\' && at + 1 < lexer->end && at[1] == '"' && !only_blanks(at + 2, lexer->end)) {
			escapes = true;
			at++;
		}
	}
	if (at == lexer->end)
		return refuse(lexer, lexer->at, "a string without an end: it needs a second \"");
	lexer->token = (struct token){
		.type = TOKEN_STRING, .text = lexer->at + 1, .bytes = (size_t)(at - lexer->at) - 1, .escapes = escapes
	};
	lexer->at = at + 1;
	return 0;
}

/* Read a name in single quotes. A backslash before a character is not part of the name. */
static int quoted_read(struct lexer *lexer)
{
	const char *at = lexer->at + 1;
	bool escapes = false;

	for (; at < lexer->end && *at != '\''; at++) {
		if ((unsigned char)*at < ' ')
			return refuse(lexer, at, "a control character in a name");
		escapes |= *at == '\\';
		at += *at == '\\' && at + 1 < lexer->end;
	}
	if (at >= lexer->end || at == lexer->at + 1)
		return refuse(lexer, lexer->at, "a name in single quotes needs a character and a second '");
	lexer->token = (struct token){ .type = TOKEN_NAME,
				       .text = lexer->at + 1,
				       .bytes = (size_t)(at - lexer->at) - 1,
				       .escapes = escapes,
				       .is_quoted = true };
	lexer->at = at + 1;
	return 0;
}

static void name_read(struct lexer *lexer)
{
	const char *at = lexer->at;

	while (at < lexer->end && is_name_letter(*at))
		at++;
	lexer->token = (struct token){ .type = TOKEN_NAME, .text = lexer->at, .bytes = (size_t)(at - lexer->at) };
	lexer->at = at;
	if (token_is(&lexer->token, "is"))
		lexer->token.type = TOKEN_IS;
	else if (token_is(&lexer->token, "isnt"))
		lexer->token.type = TOKEN_ISNT;
}

static int operator_read(struct lexer *lexer)
{
	static const struct { const char *text; int type;
	} longer[] = {
		{ ">>>", TOKEN_RIGHT_ZERO }, { "=?=", TOKEN_IS },   { "=!=", TOKEN_ISNT },   { "&&", TOKEN_AND },
		{ "||", TOKEN_OR },	     { "==", TOKEN_EQUAL }, { "!=", TOKEN_UNEQUAL }, { "<=", TOKEN_LESS_EQUAL },
		{ ">=", TOKEN_MORE_EQUAL },  { "<<", TOKEN_LEFT },  { ">>", TOKEN_RIGHT },   { "?:", TOKEN_ELVIS },
	};
	size_t left = (size_t)(lexer->end - lexer->at), bytes = 1;
	int type = *lexer->at;

	for (size_t i = 0; i < sizeof(longer) / sizeof(*longer); i++) {
		size_t n = strlen(longer[i].text);

		if (n <= left && memcmp(lexer->at, longer[i].text, n) == 0) {
			type = longer[i].type;
			bytes = n;
			break;
		}
	}
	if (type == '?' && bytes == 1) {		/* the ?: operator may have blanks inside */
		const char *next = lexer->at + 1;

		while (next < lexer->end && is_blank(*next))
			next++;
		if (next < lexer->end && *next == ':') {
			type = TOKEN_ELVIS;
			bytes = (size_t)(next - lexer->at) + 1;
		}
	}
	if (bytes == 1 && !strchr("!~-+*/%&|^<>(){}[],:?.=;", type))
		return refuse(lexer, lexer->at, "a character that belongs to no expression");
	lexer->token = (struct token){ .type = type, .text = lexer->at, .bytes = bytes };
	lexer->at += bytes;
	return 0;
}

int lexer_next(struct lexer *lexer)
{
	while (lexer->at < lexer->end && is_blank(*lexer->at))
		lexer->at++;
	if (lexer->at == lexer->end) {
		lexer->token = (struct token){ .type = TOKEN_END, .text = lexer->end };
		return 0;
	}
	if (is_digit(*lexer->at) || (*lexer->at == '.' && lexer->at + 1 < lexer->end && is_digit(lexer->at[1])))
		return number_read(lexer);
	if (*lexer->at == '"')
		return string_read(lexer);
	if (*lexer->at == '\'')
		return quoted_read(lexer);
	if (!is_name_letter(*lexer->at))
		return operator_read(lexer);
	name_read(lexer);
	return 0;
}
