/* SPDX-License-Identifier: Apache-2.0 */
/*
 * $(NAME), $(NAME:default), $ENV(NAME), $ENV(NAME:default), $INT(NAME,%d), $REAL(NAME,%.1f); $$(...)
 * is for others and stays. A macro that is not set has its compiled-in value, or nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/classad/classad.h"
#include "conf/condor/macros.h"
#include "conf/text.h"

enum {
	FORMAT_MOST = 40,		/* bytes of a format */
	NUMBER_MOST = 400,		/* of a number by it */
};

struct expansion {
	const struct macros *macros;
	const char *subsystem;
	struct error *error;
	char *text;		/* so far; owned */
	size_t n, capacity;
	unsigned references;
};

static int append(struct expansion *x, const char *text, size_t n)
{
	size_t capacity = x->capacity ? x->capacity : 256;
	char *larger;

	if (x->n + n > MACRO_TEXT_MOST)
		return error_set(x->error, -EINVAL, "it comes to more than %d bytes, which is the most", MACRO_TEXT_MOST);
	while (capacity < x->n + n + 1)
		capacity *= 2;
	larger = capacity > x->capacity ? realloc(x->text, capacity) : x->text;
	if (!larger)
		return -ENOMEM;
	memcpy(larger + x->n, text, n);
	x->text = larger;
	x->capacity = capacity;
	x->n += n;
	larger[x->n] = '\0';
	return 0;
}

/* Behind the parenthesis that closes the one before `at`; NULL: there is none before `end`. */
static const char *closed(const char *at, const char *end)
{
	for (unsigned depth = 1; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

static int expand(struct expansion *x, const char *at, const char *end, unsigned depth);

/* What stands between `at` and `end`, expanded; allocated. */
static int expand_apart(const struct expansion *x, const char *at, const char *end, unsigned depth, char **text, unsigned *references)
{
	struct expansion inner = { x->macros, x->subsystem, x->error, .references = x->references };
	int rc = expand(&inner, at, end, depth);

	if (!rc && !inner.text)
		rc = append(&inner, "", 0);
	*references = inner.references;
	*text = rc ? NULL : inner.text;
	if (rc)
		free(inner.text);
	return rc;
}

/* The name at the beginning of "NAME:default)": it may be put together by references itself. */
static int name_take(struct expansion *x, const char *at, const char *end, unsigned depth, char **name)
{
	int rc = expand_apart(x, at, end, depth, name, &x->references);

	if (!rc) {
		char *from = *name + strspn(*name, " \t");
		size_t n = strcspn(from, " \t");

		memmove(*name, from, n);
		(*name)[n] = '\0';
	}
	return rc;
}

/* The colon that begins the default, or `end`. */
static const char *default_find(const char *at, const char *end)
{
	for (unsigned depth = 0; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (*at == ':' && depth == 0)
			return at;
	}
	return end;
}

static int expand_macro(struct expansion *x, const char *at, const char *end, unsigned depth)
{
	const char *colon = default_find(at, end);
	const struct macro *macro;
	const char *text;
	char *name;
	int rc = name_take(x, at, colon, depth, &name);

	if (rc)
		return rc;
	macro = macro_find(x->macros, x->subsystem, name);
	text = macro ? macro->text : macro_compiled_in(x->subsystem, name);
	if (*text)
		rc = expand(x, text, text + strlen(text), depth);
	else if (colon < end)
		rc = expand(x, colon + 1, end, depth);
	free(name);
	return rc;
}

/* The environment is that of this process. */
static int expand_environment(struct expansion *x, const char *at, const char *end, unsigned depth)
{
	const char *colon = default_find(at, end), *value;
	char *name;
	int rc = name_take(x, at, colon, depth, &name);

	if (rc)
		return rc;
	value = getenv(name);
	free(name);
	if (!value && colon < end)
		return expand(x, colon + 1, end, depth);
	return append(x, value ? value : "UNDEFINED", strlen(value ? value : "UNDEFINED"));
}

/*
 * Is it a format of one number: "%" with flags, width and precision, a letter that fits, and text
 * around it?
 */
static bool format_is_one(const char *format, bool is_whole)
{
	const char *percent = strchr(format, '%'), *at;

	if (!percent || strchr(percent + 1, '%') || strlen(format) > FORMAT_MOST)
		return false;
	at = percent + 1 + strspn(percent + 1, "-+ #0");
	at += strspn(at, "0123456789");
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	if (is_whole)
		at += strspn(at, "l");
	return *at && strchr(is_whole ? "dixXou" : "fFeEgG", *at);
}

/* The number as the format has it, in `digits`. The length modifier becomes that of the type here. */
static int format_number(struct expansion *x, const char *format, bool is_whole, double number, char digits[NUMBER_MOST])
{
	char own[FORMAT_MOST + 4], *letter;
	int n;

	if (!format_is_one(format, is_whole))
		return error_set(x->error, -EINVAL, "\"%.40s\" is no format of %s number: %s", format, is_whole ? "a whole" : "a",
				 is_whole ? "%d is one" : "%.1f is one");
	strcpy(own, format);
	letter = strchr(own, '%') + 1;
	letter += strcspn(letter, is_whole ? "ldixXou" : "fFeEgG");
	if (is_whole) {
		size_t modifiers = strspn(letter, "l");

		memmove(letter + 2, letter + modifiers, strlen(letter + modifiers) + 1);
		memcpy(letter, "ll", 2);
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = is_whole ? snprintf(digits, NUMBER_MOST, own, (long long)number) : snprintf(digits, NUMBER_MOST, own, number);
#pragma GCC diagnostic pop
	if (n < 0 || n >= NUMBER_MOST)
		return error_set(x->error, -EINVAL, "format \"%.40s\" comes to more than %d bytes, which is the most", format, NUMBER_MOST - 1);
	/* HTCondor wants a real to look like one */
	if (!is_whole && !strchr(digits, '.') && n + 2 < NUMBER_MOST)
		strcat(digits, ".0");
	return 0;
}

/* `format`: NULL: as a number is written. */
static int number_append(struct expansion *x, const char *text, const char *format, bool is_whole)
{
	struct classad_room room = { 0 };
	struct classad_expression *e;
	struct classad_value value;
	char digits[NUMBER_MOST];
	double number = 0;
	int rc = classad_parse(&e, text, x->error);

	if (rc)
		return rc;
	classad_evaluate(e, &(struct classad_pair){ 0 }, &room, &value);
	if (!classad_number(&value, &number) || !(number > -9e18 && number < 9e18))
		rc = error_set(x->error, -EINVAL, "\"%.60s\" is no number", text);
	else if (format)
		rc = format_number(x, format, is_whole, number, digits);
	else if (is_whole)
		snprintf(digits, sizeof(digits), "%lld", (long long)number);
	else
		snprintf(digits, sizeof(digits), "%.16G", number);
	classad_room_free(&room);
	classad_expression_free(e);
	return rc ? rc : append(x, digits, strlen(digits));
}

/* The comma that begins the format, outside parentheses; `end`: there is none. */
static const char *format_find(const char *at, const char *end)
{
	for (unsigned depth = 0; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (*at == ',' && depth == 0)
			return at;
	}
	return end;
}

/* $INT(NAME), $REAL(NAME): of a macro, or of the text itself; behind a comma a format. */
static int expand_number(struct expansion *x, const char *at, const char *end, unsigned depth, bool is_whole)
{
	const char *comma = format_find(at, end), *last = comma, *value;
	const struct macro *macro;
	char *text, *format = NULL, *inner = NULL;
	int rc;

	while (at < last && strchr(" \t", *at))
		at++;
	while (last > at && strchr(" \t", last[-1]))
		last--;
	rc = expand_apart(x, at, last, depth, &text, &x->references);
	if (!rc && comma < end)
		rc = expand_apart(x, comma + 1, end, depth, &format, &x->references);
	if (rc)
		goto out;
	macro = macro_find(x->macros, x->subsystem, text);
	value = macro ? macro->text : macro_compiled_in(x->subsystem, text);
	if (macro || *value)
		rc = expand_apart(x, value, value + strlen(value), depth, &inner, &x->references);
	if (!rc)
		rc = number_append(x, inner ? inner : text, format ? format + strspn(format, " \t") : NULL, is_whole);
out:
	free(inner);
	free(format);
	free(text);
	return rc;
}

/* `word`: between the $ and the parenthesis; `at` to `end`: between the parentheses. */
static int expand_reference(struct expansion *x, const char *word, size_t n, const char *at, const char *end, unsigned depth)
{
	if (depth > MACRO_DEPTH_MOST)
		return error_set(x->error, -EINVAL, "macros refer to each other more than %d deep, or in a circle", MACRO_DEPTH_MOST);
	if (n == 0)
		return expand_macro(x, at, end, depth);
	if (n == 3 && memcmp(word, "ENV", n) == 0)
		return expand_environment(x, at, end, depth);
	if ((n == 3 && memcmp(word, "INT", n) == 0) || (n == 4 && memcmp(word, "REAL", n) == 0))
		return expand_number(x, at, end, depth, n == 3);
	return error_set(x->error, -EINVAL, "$%.*s() found: of the functions, $ENV(), $INT() and $REAL() are here", (int)(n < 40 ? n : 40), word);
}

static int expand(struct expansion *x, const char *at, const char *end, unsigned depth)
{
	int rc = 0;

	while (!rc && at < end) {
		const char *dollar = memchr(at, '$', (size_t)(end - at)), *word, *behind, *close;

		rc = append(x, at, (size_t)((dollar ? dollar : end) - at));
		if (rc || !dollar)
			return rc;
		for (word = dollar + 1; word < end && *word == '$'; word++)
			;
		for (behind = word; behind < end && (isalpha((unsigned char)*behind) || *behind == '_'); behind++)
			;
		if (++x->references > MACRO_REFERENCES_MOST)
			return error_set(x->error, -EINVAL, "more than %d references to macros, which are the most", MACRO_REFERENCES_MOST);
		close = behind < end && *behind == '(' ? closed(behind + 1, end) : NULL;
		at = close ? close : behind;
		if (close && word == dollar + 1)
			rc = expand_reference(x, word, (size_t)(behind - word), behind + 1, close - 1, depth + 1);
		else
			rc = append(x, dollar, (size_t)(at - dollar));
	}
	return rc;
}

int macro_expand(const struct macros *m, const char *subsystem, const char *text, char **expanded, struct error *e)
{
	struct expansion x = { .macros = m, .subsystem = subsystem, .error = e };
	unsigned references;

	return expand_apart(&x, text, text + strlen(text), 0, expanded, &references);
}

int macro_value(const struct macros *m, const char *subsystem, const struct macro *macro, char **value)
{
	struct error e = { "" };
	char *from;
	size_t n;
	int rc;

	*value = NULL;
	if (!macro)
		return 0;
	rc = macro_expand(m, subsystem, macro->text, value, &e);
	if (rc == -EINVAL)
		macros_report(m, FAULT, macro->place, "error parsing value \"%.60s\" of %.60s: %s", macro->text, macro->name, e.text);
	if (rc)
		return rc == -EINVAL ? 0 : rc;
	from = *value + strspn(*value, " \t\n");
	for (n = strlen(from); n > 0 && strchr(" \t\n", from[n - 1]); n--)
		;
	memmove(*value, from, n);
	(*value)[n] = '\0';
	if (n == 0) {
		free(*value);
		*value = NULL;
	}
	return 0;
}
