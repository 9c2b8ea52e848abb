/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table of macros as they are written. A reference of a macro to itself is replaced at once by the
 * value that it had before.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"
#include "conf/lists.h"

void macros_report(const struct macros *macros, enum severity severity, struct macro_place place, const char *format,
		   ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_add_arguments(macros->report, severity,
			     place.file		  ? place.file
			     : macros->npaths > 0 ? macros->paths[0]
						  : macros->dir,
			     place.line, "", format, arguments);
	va_end(arguments);
}

/* Compare n bytes, case-insensitive. */
static bool macro_is_named(const char *name, size_t n, const char *other)
{
	return strncasecmp(name, other, n) == 0 && !other[n];
}

/*
 * Make the key "SUBSYSTEM.NAME" or "NAME" in lower case. Returns false if it is too long for the
 * table.
 */
static bool key_make(const char *subsystem, const char *name, char key[MACRO_NAME_MOST + 1])
{
	size_t front = subsystem ? strlen(subsystem) + 1 : 0, n = strlen(name);

	if (front + n > MACRO_NAME_MOST)
		return false;
	if (subsystem)
		strcat(strcpy(key, subsystem), ".");
	memcpy(key + front, name, n + 1);
	for (char *c = key; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return true;
}

static const struct macro *find_as(const struct macros *macros, const char *subsystem, const char *name)
{
	char key[MACRO_NAME_MOST + 1];
	uint32_t number = key_make(subsystem, name, key) ? text_set_find(&macros->names, key) : INDEX_NONE;

	return number != INDEX_NONE ? &macros->items[number] : NULL;
}

const struct macro *macro_find(const struct macros *macros, const char *subsystem, const char *name)
{
	const struct macro *macro = subsystem ? find_as(macros, subsystem, name) : NULL;

	return macro ? macro : find_as(macros, NULL, name);
}

/*
 * Return true for "$(NAME)" or "$(NAME:default)", where NAME is the macro's name, with or without
 * its subsystem.
 */
static bool refers_to(const char *at, const char *name)
{
	const char *bare = strchr(name, '.');
	size_t n = strcspn(at + 2, ":)");

	return macro_is_named(at + 2, n, name) || (bare && macro_is_named(at + 2, n, bare + 1));
}

struct joined {
	char *text;		/* owned */
	size_t n;
};

static int join(struct joined *to, const char *text, size_t n)
{
	char *larger = to->n + n <= MACRO_TEXT_MOST ? realloc(to->text, to->n + n + 1) : NULL;

	if (!larger)
		return to->n + n <= MACRO_TEXT_MOST ? -ENOMEM : -E2BIG;
	memcpy(larger + to->n, text, n);
	to->text = larger;
	to->n += n;
	larger[to->n] = '\0';
	return 0;
}

/*
 * Copy the text and replace references to the macro by its previous value. Returns 0, -E2BIG or
 * -ENOMEM.
 */
static int self_replace(const struct macros *macros, const char *name, const char *text, struct joined *to)
{
	const struct macro *macro = find_as(macros, NULL, name);
	const char *at = text, *next, *bare = strchr(name, '.'), *before;
	int rc = 0;

	if (!macro && bare)
		macro = find_as(macros, NULL, bare + 1);
	before = macro ? macro->text : macro_compiled_in(NULL, bare ? bare + 1 : name);
	while (!rc && (next = strstr(at, "$("))) {
		bool is_other = (next > text && next[-1] == '$') || !refers_to(next, name);
		size_t length = is_other ? 2 : strcspn(next, ")") + 1, n = strcspn(next + 2, ":)");

		if (!is_other && !strchr(next, ')'))
			break;
		rc = join(to, at, (size_t)(next - at) + (is_other ? 2 : 0));
		if (!rc && !is_other && (macro || *before))
			rc = join(to, before, strlen(before));
		else if (!rc && !is_other && next[2 + n] == ':')
			rc = join(to, next + 3 + n, length - n - 4);
		at = next + length;
	}
	return rc ? rc : join(to, at, strlen(at));
}

static int put(struct macros *macros, const char *name, const char *key, char *text)
{
	uint32_t number;
	struct macro *macro;
	int rc = text_set_add(&macros->names, key, &number);

	if (rc)
		return rc;
	macros->bytes += strlen(text);
	if (number < macros->n) {
		macros->bytes -= strlen(macros->items[number].text);
		free(macros->items[number].text);
		macros->items[number].text = text;
		macros->items[number].place = macros->at;
		return 0;
	}
	macro = array_add(&macros->items, &macros->n, sizeof(*macro));
	if (!macro || !(macro->name = strdup(name)))
		return -ENOMEM;
	macro->text = text;
	macro->place = macros->at;
	return 0;
}

int macro_define(struct macros *macros, const char *name, const char *text)
{
	char key[MACRO_NAME_MOST + 1];
	struct joined joined = { 0 };
	int rc;

	if (!key_make(NULL, name, key)) {
		macros_report(macros, FAULT, macros->at, "\"%.60s...\" found: a name has at most %d bytes", name,
			      MACRO_NAME_MOST);
		return 0;
	}
	rc = self_replace(macros, name, text, &joined);
	if (!rc && macros->bytes + joined.n > MACRO_TEXTS_MOST)
		rc = -E2BIG;
	if (rc == -E2BIG)
		macros_report(macros, FAULT, macros->at,
			      "the value of %.60s has more than %d bytes, or all have more than %d: that is the most",
			      name, MACRO_TEXT_MOST, MACRO_TEXTS_MOST);
	if (!rc)
		rc = put(macros, name, key, joined.text);
	if (rc)
		free(joined.text);
	return rc == -E2BIG ? 0 : rc;
}
