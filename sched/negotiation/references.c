/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/columns.h"
#include "sched/negotiation/references.h"

static const struct direct nothing;

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *blanks_end(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

static bool word_begins(const char *s, const char *word)
{
	size_t bytes = strlen(word);

	return strncasecmp(s, word, bytes) == 0 && !is_letter(s[bytes]);
}

/*
 * Return whether the text after a name is "=?= undefined", "=!= undefined", "is undefined" or "isnt
 * undefined", so that it tests only whether the attribute is defined.
 */
static bool compared_with_undefined(const char *s)
{
	s = blanks_end(s);
	if (strncmp(s, "=?=", 3) == 0 || strncmp(s, "=!=", 3) == 0)
		s += 3;
	else if (word_begins(s, "isnt"))
		s += 4;
	else if (word_begins(s, "is"))
		s += 2;
	else
		return false;
	return word_begins(blanks_end(s), "undefined");
}

/* Return whether the name is the argument of isUndefined(). */
static bool asked_about(const char *text, const char *at, const char *end)
{
	static const char function[] = "isundefined";
	size_t bytes = sizeof(function) - 1;

	while (at > text && isspace((unsigned char)at[-1]))
		at--;
	if (at == text || *--at != '(' || *blanks_end(end) != ')')
		return false;
	while (at > text && isspace((unsigned char)at[-1]))
		at--;
	return (size_t)(at - text) >= bytes && strncasecmp(at - bytes, function, bytes) == 0 &&
		((size_t)(at - text) == bytes || !is_letter(at[-(ptrdiff_t)bytes - 1]));
}

/*
 * Return whether each occurrence of the name in the text only tests whether it is defined. Quoted
 * texts contain no names.
 */
static bool only_whether(const char *text, const char *name)
{
	size_t bytes = strlen(name);

	for (const char *s = text; *s; ) {
		if (*s == '"') {
			for (s++; *s && *s != '"'; s++)
				s += *s == '\\' && s[1];
			s += *s == '"';
		} else if (!is_letter(*s)) {
			s++;
		} else {
			size_t word = 1;

			while (is_letter(s[word]))
				word++;
			if (word == bytes && strncasecmp(s, name, bytes) == 0 && !compared_with_undefined(s + word) &&
			    !(asked_about(text, s, s + word)))
				return false;
			s += word;
		}
	}
	return true;
}

static int move_plain(struct direct *direct, const struct classad_names *mine, const struct classad_names *theirs)
{
	int rc = 0;

	for (size_t i = 0; i < mine->n && rc == 0; i++)
		rc = classad_names_add(classad_names_have(theirs, mine->items[i]) ? &direct->plain : &direct->my,
				       mine->items[i]);
	for (size_t i = 0; i < theirs->n && rc == 0; i++)
		if (!classad_names_have(mine, theirs->items[i]))
			rc = classad_names_add(&direct->target, theirs->items[i]);
	return rc;
}

static void direct_free(struct direct *direct)
{
	classad_names_free(&direct->my);
	classad_names_free(&direct->target);
	classad_names_free(&direct->plain);
	*direct = (struct direct){ 0 };
}

static int direct_find(struct direct *direct, const struct classad_expression *expression, const char *text)
{
	struct classad_reads reads = { 0 };
	int rc = classad_references(expression, NULL, &reads);

	*direct = (struct direct){ .whether_owner = !reads.any && only_whether(text, "RemoteOwner"),
				   .whether_user = !reads.any && only_whether(text, "RemoteUser"),
				   .time = reads.time,
				   .any = reads.any };
	if (rc == 0)
		rc = move_plain(direct, &reads.mine, &reads.theirs);
	classad_reads_free(&reads);
	direct->known = rc == 0;
	if (rc < 0)
		direct_free(direct);
	return rc;
}

const struct direct *references_of(struct references *references, const struct classad_expression *expression)
{
	size_t before = references->texts.n;
	struct classad_value value;
	uint32_t row;

	if (!expression || classad_is_constant(expression, &value))
		return &nothing;
	if (array_reserve(&references->capacity, before + 1, COLUMN(references->items)))
		return NULL;
	if (text_set_add(&references->texts, classad_expression_text(expression), &row) < 0)
		return NULL;
	if (row == before)
		references->items[row] = (struct direct){ 0 };
	if (!references->items[row].known &&
	    direct_find(&references->items[row], expression, classad_expression_text(expression)) < 0)
		return NULL;
	return &references->items[row];
}

void references_clear(struct references *references)
{
	for (size_t i = 0; i < references->texts.n; i++)
		direct_free(&references->items[i]);
	free(references->items);
	text_set_free(&references->texts);
	*references = (struct references){ 0 };
}
