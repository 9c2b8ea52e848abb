/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/compat/compat.h"

static const struct argument *row_find(const struct argument *table, const char *word)
{
	for (; table && table->name; table++)
		if (!strcmp(table->name, word))
			return table;
	return NULL;
}

static const struct foreign *foreign_find(const struct foreign *table, const char *word)
{
	for (; table && table->name; table++)
		if (!strcmp(table->name, word))
			return table;
	return NULL;
}

/* Return whether a word is one of "[env|pe|set]". */
static bool is_alternative(const char *alternatives, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = alternatives + 1; *p && *p != ']'; p += *p == '|') {
		size_t n = strcspn(p, "|]");

		if (n == length && !strncmp(p, word, n))
			return true;
		p += n;
	}
	return false;
}

/*
 * Return the number of words in the value of an option. "NAME N[-M]" has two, "[env|pe|set] HOW"
 * one. The latter has one more if the first word after the option is one of those in brackets.
 */
static int values_described(const char *value, char **after)
{
	const char *rest = *value == '[' ? strstr(value, "] ") : NULL;
	int n = rest && *after && is_alternative(value, *after) ? 2 : 1;

	for (const char *p = rest ? rest + 2 : value; *p; p++)
		n += *p == ' ';
	return n;
}

/* Return the number of words after an option of a verb. */
static int values_of(const struct argument *row, char **after)
{
	while (row->kind == ARGUMENT_SAME)
		row--;
	if (row->kind == ARGUMENT_FLAG || row->kind == ARGUMENT_BITS || (row->kind == ARGUMENT_CALL && !row->value))
		return 0;
	return row->value ? values_described(row->value, after) : 1;
}

static int values_of_foreign(const struct foreign *row, char **after)
{
	return row->value ? values_described(row->value, after) : 0;
}

static enum walk_what values_take(struct word_walk *walk, int values, enum walk_what what)
{
	walk->n = 1 + values;
	walk->next += walk->n;
	if (walk->next <= walk->argc)
		return what;
	fprintf(stderr, "%s: %s option must have argument\n", walk->program->name, *walk->words);
	return WALK_WRONG;
}

static enum walk_what option_take(struct word_walk *walk)
{
	const struct foreign *foreign = foreign_find(walk->program->foreign, *walk->words);
	const struct argument *row = foreign ? NULL : row_find(walk->program->options, *walk->words);
	enum walk_what what;

	if (row)
		return values_take(walk, values_of(row, walk->words + 1), WALK_OPTION);
	if (!foreign) {
		program_fail(walk->program->name, "invalid option argument", *walk->words);
		return WALK_WRONG;
	}
	what = values_take(walk, values_of_foreign(foreign, walk->words + 1), WALK_FOREIGN);
	if (what == WALK_WRONG || !foreign->ignored)
		return what;
	if (!walk->quiet)
		fprintf(stderr, "%s: %s is ignored: %s\n", walk->program->name, *walk->words, foreign->ignored);
	return WALK_IGNORED;
}

static bool is_operand(const char *word)
{
	return *word != '-' || !word[1];
}

/* Read the next word. "--" is an extension of Fairlead: the word after it is always an operand. */
enum walk_what walk_next(struct word_walk *walk)
{
	enum walk_what what;

	do {
		bool ends = walk->next + 1 < walk->argc && !strcmp(walk->argv[walk->next], "--");

		walk->next += ends;
		walk->words = walk->argv + walk->next;
		walk->n = 1;
		if (walk->next >= walk->argc)
			return WALK_END;
		walk->dashes = walk->dashes || ends;
		if (ends || is_operand(*walk->words)) {
			walk->next++;
			return WALK_OPERAND;
		}
		what = option_take(walk);
	} while (what == WALK_IGNORED);
	return what;
}
