/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expansion of $(NAME), $(NAME:default), $ENV(NAME), $ENV(NAME:default), $INT(NAME,%d) and
 * $REAL(NAME,%.1f). $$(...) is for other programs and stays. A macro that is not set has its
 * compiled-in value, or is empty.
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
	NUMBER_MOST = 400,		/* bytes of a formatted number */
};

struct expansion {
	const struct macros *macros;
	const char *subsystem;
	struct error *error;
	char *text;		/* text so far; owned */
	size_t n, capacity;
	unsigned references;
};

static int append(struct expansion *expansion, const char *text, size_t n)
{
	size_t capacity = expansion->capacity ? expansion->capacity : 256;
	char *larger;

	if (expansion->n + n > MACRO_TEXT_MOST)
		return error_set(expansion->error, -EINVAL, "it expands to more than %d bytes, which is the maximum",
				 MACRO_TEXT_MOST);
	while (capacity < expansion->n + n + 1)
		capacity *= 2;
	larger = capacity > expansion->capacity ? realloc(expansion->text, capacity) : expansion->text;
	if (!larger)
		return -ENOMEM;
	memcpy(larger + expansion->n, text, n);
	expansion->text = larger;
	expansion->capacity = capacity;
	expansion->n += n;
	larger[expansion->n] = '\0';
	return 0;
}

/*
 * Return the position after the parenthesis that closes the one before `at`, or NULL if there is
 * none before `end`.
 */
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

static int expand(struct expansion *expansion, const char *at, const char *end, unsigned depth);

/* Expand the text between `at` and `end` into allocated memory. */
static int expand_apart(const struct expansion *expansion, const char *at, const char *end, unsigned depth, char **text,
			unsigned *references)
{
	struct expansion inner = { expansion->macros, expansion->subsystem, expansion->error,
				   .references = expansion->references };
	int rc = expand(&inner, at, end, depth);

	if (!rc && !inner.text)
		rc = append(&inner, "", 0);
	*references = inner.references;
	*text = rc ? NULL : inner.text;
	if (rc)
		free(inner.text);
	return rc;
}

/* Take the name at the beginning of "NAME:default)". The name itself may contain references. */
static int name_take(struct expansion *expansion, const char *at, const char *end, unsigned depth, char **name)
{
	int rc = expand_apart(expansion, at, end, depth, name, &expansion->references);

	if (!rc) {
		char *from = *name + strspn(*name, " \t");
		size_t n = strcspn(from, " \t");

		memmove(*name, from, n);
		(*name)[n] = '\0';
	}
	return rc;
}

/* Return the colon that begins the default, or `end`. */
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

static int expand_macro(struct expansion *expansion, const char *at, const char *end, unsigned depth)
{
	const char *colon = default_find(at, end);
	const struct macro *macro;
	const char *text;
	char *name;
	int rc = name_take(expansion, at, colon, depth, &name);

	if (rc)
		return rc;
	macro = macro_find(expansion->macros, expansion->subsystem, name);
	text = macro ? macro->text : macro_compiled_in(expansion->subsystem, name);
	if (*text)
		rc = expand(expansion, text, text + strlen(text), depth);
	else if (colon < end)
		rc = expand(expansion, colon + 1, end, depth);
	free(name);
	return rc;
}

/* Expand a variable of this process's environment. */
static int expand_environment(struct expansion *expansion, const char *at, const char *end, unsigned depth)
{
	const char *colon = default_find(at, end), *value;
	char *name;
	int rc = name_take(expansion, at, colon, depth, &name);

	if (rc)
		return rc;
	value = getenv(name);
	free(name);
	if (!value && colon < end)
		return expand(expansion, colon + 1, end, depth);
	return append(expansion, value ? value : "UNDEFINED", strlen(value ? value : "UNDEFINED"));
}

/*
 * Return true if this is a format of exactly one number: "%" with flags, width and precision, a
 * letter that fits the type, and other text.
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

/*
 * Write the formatted number to `digits`. The length modifier is replaced by the one of our type.
 */
static int format_number(struct expansion *expansion, const char *format, bool is_whole, double number,
			 char digits[NUMBER_MOST])
{
	char own[FORMAT_MOST + 4], *letter;
	int n;

	if (!format_is_one(format, is_whole))
		return error_set(expansion->error, -EINVAL, "\"%.40s\" is not a format of %s number: %s", format,
				 is_whole ? "a whole" : "a", is_whole ? "%d is one" : "%.1f is one");
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
	n = is_whole ? snprintf(digits, NUMBER_MOST, own, (long long)number)
		     : snprintf(digits, NUMBER_MOST, own, number);
#pragma GCC diagnostic pop
	if (n < 0 || n >= NUMBER_MOST)
		return error_set(expansion->error, -EINVAL,
				 "format \"%.40s\" gives more than %d bytes, which is the maximum", format,
				 NUMBER_MOST - 1);
	/* HTCondor requires that a real has a decimal point */
	if (!is_whole && !strchr(digits, '.') && n + 2 < NUMBER_MOST)
		strcat(digits, ".0");
	return 0;
}

/* Append a number. With `format` NULL its natural notation is used. */
static int number_append(struct expansion *expansion, const char *text, const char *format, bool is_whole)
{
	struct classad_room room = { 0 };
	struct classad_expression *expression;
	struct classad_value value;
	char digits[NUMBER_MOST];
	double number = 0;
	int rc = classad_parse(&expression, text, expansion->error);

	if (rc)
		return rc;
	classad_evaluate(expression, &(struct classad_pair){ 0 }, &room, &value);
	if (!classad_number(&value, &number) || !(number > -9e18 && number < 9e18))
		rc = error_set(expansion->error, -EINVAL, "\"%.60s\" is not a number", text);
	else if (format)
		rc = format_number(expansion, format, is_whole, number, digits);
	else if (is_whole)
		snprintf(digits, sizeof(digits), "%lld", (long long)number);
	else
		snprintf(digits, sizeof(digits), "%.16G", number);
	classad_room_free(&room);
	classad_expression_free(expression);
	return rc ? rc : append(expansion, digits, strlen(digits));
}

/* Return the comma outside parentheses that begins the format, or `end` if there is none. */
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

/*
 * Expand $INT(NAME) or $REAL(NAME): the value of a macro, or of the text itself, with an optional
 * format after a comma.
 */
static int expand_number(struct expansion *expansion, const char *at, const char *end, unsigned depth, bool is_whole)
{
	const char *comma = format_find(at, end), *last = comma, *value;
	const struct macro *macro;
	char *text, *format = NULL, *inner = NULL;
	int rc;

	while (at < last && strchr(" \t", *at))
		at++;
	while (last > at && strchr(" \t", last[-1]))
		last--;
	rc = expand_apart(expansion, at, last, depth, &text, &expansion->references);
	if (!rc && comma < end)
		rc = expand_apart(expansion, comma + 1, end, depth, &format, &expansion->references);
	if (rc)
		goto out;
	macro = macro_find(expansion->macros, expansion->subsystem, text);
	value = macro ? macro->text : macro_compiled_in(expansion->subsystem, text);
	if (macro || *value)
		rc = expand_apart(expansion, value, value + strlen(value), depth, &inner, &expansion->references);
	if (!rc)
		rc = number_append(expansion, inner ? inner : text, format ? format + strspn(format, " \t") : NULL,
				   is_whole);
out:
	free(inner);
	free(format);
	free(text);
	return rc;
}

/*
 * Expand a reference. `word` is between the $ and the parenthesis, `at` to `end` is between the
 * parentheses.
 */
static int expand_reference(struct expansion *expansion, const char *word, size_t n, const char *at, const char *end,
			    unsigned depth)
{
	if (depth > MACRO_DEPTH_MOST)
		return error_set(expansion->error, -EINVAL,
				 "macros refer to each other more than %d deep, or in a cycle", MACRO_DEPTH_MOST);
	if (n == 0)
		return expand_macro(expansion, at, end, depth);
	if (n == 3 && memcmp(word, "ENV", n) == 0)
		return expand_environment(expansion, at, end, depth);
	if ((n == 3 && memcmp(word, "INT", n) == 0) || (n == 4 && memcmp(word, "REAL", n) == 0))
		return expand_number(expansion, at, end, depth, n == 3);
	return error_set(expansion->error, -EINVAL,
			 "$%.*s() found: only the functions $ENV(), $INT() and $REAL() are "
			 "supported", (int)(n < 40 ? n : 40),
			 word);
}

static int expand(struct expansion *expansion, const char *at, const char *end, unsigned depth)
{
	int rc = 0;

	while (!rc && at < end) {
		const char *dollar = memchr(at, '$', (size_t)(end - at)), *word, *behind, *close;

		rc = append(expansion, at, (size_t)((dollar ? dollar : end) - at));
		if (rc || !dollar)
			return rc;
		for (word = dollar + 1; word < end && *word == '$'; word++)
			;
		for (behind = word; behind < end && (isalpha((unsigned char)*behind) || *behind == '_'); behind++)
			;
		if (++expansion->references > MACRO_REFERENCES_MOST)
			return error_set(expansion->error, -EINVAL,
					 "more than %d references to macros, which is the maximum",
					 MACRO_REFERENCES_MOST);
		close = behind < end && *behind == '(' ? closed(behind + 1, end) : NULL;
		at = close ? close : behind;
		if (close && word == dollar + 1)
			rc = expand_reference(expansion, word, (size_t)(behind - word), behind + 1, close - 1,
					      depth + 1);
		else
			rc = append(expansion, dollar, (size_t)(at - dollar));
	}
	return rc;
}

int macro_expand(const struct macros *macros, const char *subsystem, const char *text, char **expanded,
		 struct error *error)
{
	struct expansion expansion = { .macros = macros, .subsystem = subsystem, .error = error };
	unsigned references;

	return expand_apart(&expansion, text, text + strlen(text), 0, expanded, &references);
}

int macro_value(const struct macros *macros, const char *subsystem, const struct macro *macro, char **value)
{
	struct error error = { "" };
	char *from;
	size_t n;
	int rc;

	*value = NULL;
	if (!macro)
		return 0;
	rc = macro_expand(macros, subsystem, macro->text, value, &error);
	if (rc == -EINVAL)
		macros_report(macros, FAULT, macro->place, "error parsing value \"%.60s\" of %.60s: %s", macro->text,
			      macro->name, error.text);
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
