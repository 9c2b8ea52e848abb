/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MOST 64
#define NAME_BYTES 32

int arguments_wrong(const struct arguments *a, const char *option, const char *value, const char *due)
{
	fprintf(stderr, "%s: %s%s%s%s: %s\n", a->program, option, value ? " \"" : "", value ? value : "", value ? "\"" : "", due);
	return -EINVAL;
}

/* What an option is written as, and what it takes */

enum need { NOTHING, VALUE, VALUE_OR_NOTHING };

static enum need need_of(const struct argument *row)
{
	switch (row->kind) {
	case ARGUMENT_FLAG: case ARGUMENT_BITS: case ARGUMENT_SAME: return NOTHING;
	case ARGUMENT_OWN_OR_NONE: case ARGUMENT_CALL_OR_NONE: return VALUE_OR_NOTHING;
	case ARGUMENT_CALL: return row->value ? VALUE : NOTHING;
	case ARGUMENT_TEXT: case ARGUMENT_INT: case ARGUMENT_INT64: case ARGUMENT_OWN: break;
	}
	return VALUE;
}

/* How much of the row's name the word is: all, 2, its beginning, 1, or nothing of it, 0. */
static int likeness(const struct argument *row, const char *word, size_t n)
{
	if (*row->name == '-')
		return strlen(row->name) == n && memcmp(row->name, word, n) == 0 ? 2 : 0;
	if (n <= 2 || strncmp(word, "--", 2) != 0 || strncmp(row->name, word + 2, n - 2) != 0)
		return 0;
	return row->name[n - 2] ? 1 : 2;
}

/* An abbreviation must be one of a single name. */
static const struct argument *row_by_name(const struct words *w)
{
	const struct argument *found = NULL;
	int several = 0;

	for (const struct argument *row = w->table; row->name; row++) {
		int like = likeness(row, w->word, w->word_bytes);

		if (like == 2)
			return row;
		several += like;
		found = like ? row : found;
	}
	return several == 1 ? found : NULL;
}

static const struct argument *row_by_letter(const struct words *w, char letter)
{
	for (const struct argument *row = w->table; row->name; row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

/* The next of "-vc": what stands behind it is its value, or more letters. */
static enum arguments_next letter_next(struct words *w)
{
	const char *rest = w->letters + 1;
	enum need need;

	w->letter = *w->letters;
	w->row = row_by_letter(w, w->letter);
	w->letters = NULL;
	if (!w->row)
		return ARGUMENTS_UNKNOWN;
	need = need_of(w->row);
	if (need == NOTHING)
		w->letters = *rest ? rest : NULL;
	else if (*rest)
		w->value = rest;
	else if (need == VALUE && w->next < w->argc)
		w->value = w->argv[w->next++];
	return need == VALUE && !w->value ? ARGUMENTS_NO_VALUE : ARGUMENTS_OPTION;
}

/* Operands */

static bool is_operand(const char *word)
{
	return word[0] != '-' || !word[1];
}

static void words_reverse(char **from, char **end)
{
	while (from < --end) {
		char *word = *from;

		*from++ = *end;
		*end = word;
	}
}

/* Move the n words at hand to the end, after the operands that are there already. */
static void operands_move(struct words *w, int n)
{
	char **words = w->argv + w->next, **end = w->argv + w->argc + w->moved;

	if (words + n == end)
		return;
	words_reverse(words, words + n);
	words_reverse(words + n, end);
	words_reverse(words, end);
}

/* Operands in front of an option: it comes first. */
static void operands_pass(struct words *w)
{
	int n = 0;

	while (!w->keeps_order && w->next + n < w->argc && is_operand(w->argv[w->next + n]))
		n++;
	if (w->next + n == w->argc)
		return;
	operands_move(w, n);
	w->argc -= n;
	w->moved += n;
}

static enum arguments_next words_end(struct words *w)
{
	operands_move(w, w->argc - w->next);
	w->argc += w->moved;
	w->moved = 0;
	return ARGUMENTS_END;
}

enum arguments_next arguments_next(struct words *w)
{
	enum need need;

	w->value = NULL;
	if (w->letters)
		return letter_next(w);
	w->letter = '\0';
	operands_pass(w);
	w->word = w->next < w->argc ? w->argv[w->next] : "";
	if (is_operand(w->word))
		return words_end(w);
	w->next++;
	if (!strcmp(w->word, "--"))
		return words_end(w);
	w->word_bytes = strncmp(w->word, "--", 2) ? strlen(w->word) : strcspn(w->word, "=");
	w->row = row_by_name(w);
	if (!w->row && w->word[1] != '-') {
		w->letters = w->word + 1;
		return letter_next(w);
	}
	if (!w->row)
		return ARGUMENTS_UNKNOWN;
	while (w->row->kind == ARGUMENT_SAME)
		w->row--;
	need = need_of(w->row);
	if (w->word[w->word_bytes] == '=')
		w->value = w->word + w->word_bytes + 1;
	else if (need == VALUE && w->next < w->argc)
		w->value = w->argv[w->next++];
	if (need == NOTHING && w->value)
		return ARGUMENTS_VALUE;
	return need == VALUE && !w->value ? ARGUMENTS_NO_VALUE : ARGUMENTS_OPTION;
}

/* The value */

static bool number_take(int64_t *number, const struct argument *row, const char *value)
{
	const char *digits = value + (*value == '-');
	char *end;

	errno = 0;
	*number = strtoll(value, &end, 10);
	return *digits >= '0' && *digits <= '9' && !*end && !errno && *number >= row->least && *number <= row->most;
}

const char *arguments_take(const struct words *w, void *options)
{
	const struct argument *row = w->row;
	void *field = (char *)options + row->field;
	int64_t number = 0;

	switch (row->kind) {
	case ARGUMENT_FLAG: *(bool *)field = true; break;
	case ARGUMENT_BITS: *(unsigned *)field |= row->bits; break;
	case ARGUMENT_TEXT: *(const char **)field = w->value; break;
	case ARGUMENT_INT:
	case ARGUMENT_INT64:
		if (!number_take(&number, row, w->value))
			return row->due;
		if (row->kind == ARGUMENT_INT)
			*(int *)field = (int)number;
		else
			*(int64_t *)field = number;
		break;
	case ARGUMENT_OWN:
	case ARGUMENT_OWN_OR_NONE: return row->take(field, w->value);
	case ARGUMENT_CALL: case ARGUMENT_CALL_OR_NONE: case ARGUMENT_SAME: break;
	}
	return NULL;
}

/* A daemon */

/* An unknown word may be the beginning of several. */
static void unknown_tell(const struct words *w)
{
	bool several = false;

	for (const struct argument *row = w->table; row->name; row++)
		if (likeness(row, w->word, w->word_bytes)) {
			if (!several)
				fprintf(stderr, "%s: option '%s' is ambiguous; possibilities:", w->argv[0], w->word);
			fprintf(stderr, " '--%s'", row->name);
			several = true;
		}
	if (several)
		fputc('\n', stderr);
	else
		fprintf(stderr, "%s: unrecognized option '%s'\n", w->argv[0], w->word);
}

/* In the words of getopt_long(3). */
static int fault_tell(const struct words *w, enum arguments_next fault)
{
	const char *program = w->argv[0];

	if (fault == ARGUMENTS_UNKNOWN && !w->letter)
		unknown_tell(w);
	else if (fault == ARGUMENTS_UNKNOWN)
		fprintf(stderr, "%s: invalid option -- '%c'\n", program, w->letter);
	else if (fault == ARGUMENTS_NO_VALUE && !w->letter)
		fprintf(stderr, "%s: option '--%s' requires an argument\n", program, w->row->name);
	else if (fault == ARGUMENTS_NO_VALUE)
		fprintf(stderr, "%s: option requires an argument -- '%c'\n", program, w->letter);
	else
		fprintf(stderr, "%s: option '--%s' doesn't allow an argument\n", program, w->row->name);
	return -EINVAL;
}

static int option_take(const struct arguments *a, const struct words *w, void *options)
{
	char name[NAME_BYTES];
	const char *due;

	if (w->row == w->table + a->n + 1) {
		fputs(a->usage, stdout);
		exit(EXIT_SUCCESS);
	}
	if (w->row == w->table + a->n) {
		printf("%s %s\n", a->program, FAIRLEAD_VERSION);
		exit(EXIT_SUCCESS);
	}
	due = arguments_take(w, options);
	snprintf(name, sizeof(name), "--%s", w->row->name);
	return due ? arguments_wrong(a, name, w->value, due) : 0;
}

/* Operands are told of once the options are fine. */
static int words_take(const struct arguments *a, struct words *w, void *options)
{
	enum arguments_next next;
	int rc = 0;

	while (rc == 0 && (next = arguments_next(w)) != ARGUMENTS_END)
		rc = next == ARGUMENTS_OPTION ? option_take(a, w, options) : fault_tell(w, next);
	return rc == 0 && w->next < w->argc ? arguments_wrong(a, w->argv[w->next], NULL, "only options are expected") : rc;
}

int arguments_parse(const struct arguments *a, void *options, int argc, char **argv)
{
	struct argument table[ARGUMENTS_MOST + 3];
	struct words words = { .table = table, .argc = argc, .argv = argv, .next = 1 };
	int rc = a->n > ARGUMENTS_MOST ? -EINVAL : 0;

	if (rc == 0) {
		memcpy(table, a->table, a->n * sizeof(*table));
		table[a->n] = (struct argument){ "version", .kind = ARGUMENT_FLAG };
		table[a->n + 1] = (struct argument){ "help", .kind = ARGUMENT_FLAG, .letter = 'h' };
		table[a->n + 2] = (struct argument){ .name = NULL };
		rc = words_take(a, &words, options);
	}
	if (rc == 0)
		rc = a->check(options);
	if (rc)
		fprintf(stderr, "Try %s --help.\n", a->program);
	return rc;
}
