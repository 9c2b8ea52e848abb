/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MOST 64
#define NAME_BYTES 32

int arguments_wrong(const struct arguments *arguments, const char *option, const char *value, const char *due)
{
	fprintf(stderr, "%s: %s%s%s%s: %s\n", arguments->program, option, value ? " \"" : "", value ? value : "",
		value ? "\"" : "", due);
	return -EINVAL;
}

/* Names and values of options */

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

/* Return how much of the row's name the word is: all of it 2, its beginning 1, else 0. */
static int likeness(const struct argument *row, const char *word, size_t n)
{
	if (*row->name == '-')
		return strlen(row->name) == n && memcmp(row->name, word, n) == 0 ? 2 : 0;
	if (n <= 2 || strncmp(word, "--", 2) != 0 || strncmp(row->name, word + 2, n - 2) != 0)
		return 0;
	return row->name[n - 2] ? 1 : 2;
}

/* Find the row of a name. An abbreviation must match only one name. */
static const struct argument *row_by_name(const struct words *words)
{
	const struct argument *found = NULL;
	int several = 0;

	for (const struct argument *row = words->table; row->name; row++) {
		int like = likeness(row, words->word, words->word_bytes);

		if (like == 2)
			return row;
		several += like;
		found = like ? row : found;
	}
	return several == 1 ? found : NULL;
}

static const struct argument *row_by_letter(const struct words *words, char letter)
{
	for (const struct argument *row = words->table; row->name; row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

/* Take the next letter of "-vc". The text after it is its value, or more letters. */
static enum arguments_next letter_next(struct words *words)
{
	const char *rest = words->letters + 1;
	enum need need;

	words->letter = *words->letters;
	words->row = row_by_letter(words, words->letter);
	words->letters = NULL;
	if (!words->row)
		return ARGUMENTS_UNKNOWN;
	need = need_of(words->row);
	if (need == NOTHING)
		words->letters = *rest ? rest : NULL;
	else if (*rest)
		words->value = rest;
	else if (need == VALUE && words->next < words->argc)
		words->value = words->argv[words->next++];
	return need == VALUE && !words->value ? ARGUMENTS_NO_VALUE : ARGUMENTS_OPTION;
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

/* Move the next `n` words to the end, after the operands that are there already. */
static void operands_move(struct words *w, int n)
{
	char **words = w->argv + w->next, **end = w->argv + w->argc + w->moved;

	if (words + n == end)
		return;
	words_reverse(words, words + n);
	words_reverse(words + n, end);
	words_reverse(words, end);
}

/* Move operands before an option to the end, so that the option is next. */
static void operands_pass(struct words *words)
{
	int n = 0;

	while (!words->keeps_order && words->next + n < words->argc && is_operand(words->argv[words->next + n]))
		n++;
	if (words->next + n == words->argc)
		return;
	operands_move(words, n);
	words->argc -= n;
	words->moved += n;
}

static enum arguments_next words_end(struct words *words)
{
	operands_move(words, words->argc - words->next);
	words->argc += words->moved;
	words->moved = 0;
	return ARGUMENTS_END;
}

enum arguments_next arguments_next(struct words *words)
{
	enum need need;

	words->value = NULL;
	if (words->letters)
		return letter_next(words);
	words->letter = '\0';
	operands_pass(words);
	words->word = words->next < words->argc ? words->argv[words->next] : "";
	if (is_operand(words->word))
		return words_end(words);
	words->next++;
	if (!strcmp(words->word, "--"))
		return words_end(words);
	words->word_bytes = strncmp(words->word, "--", 2) ? strlen(words->word) : strcspn(words->word, "=");
	words->row = row_by_name(words);
	if (!words->row && words->word[1] != '-') {
		words->letters = words->word + 1;
		return letter_next(words);
	}
	if (!words->row)
		return ARGUMENTS_UNKNOWN;
	while (words->row->kind == ARGUMENT_SAME)
		words->row--;
	need = need_of(words->row);
	if (words->word[words->word_bytes] == '=')
		words->value = words->word + words->word_bytes + 1;
	else if (need == VALUE && words->next < words->argc)
		words->value = words->argv[words->next++];
	if (need == NOTHING && words->value)
		return ARGUMENTS_VALUE;
	return need == VALUE && !words->value ? ARGUMENTS_NO_VALUE : ARGUMENTS_OPTION;
}

/* Values */

static bool number_take(int64_t *number, const struct argument *row, const char *value)
{
	const char *digits = value + (*value == '-');
	char *end;

	errno = 0;
	*number = strtoll(value, &end, 10);
	return *digits >= '0' && *digits <= '9' && !*end && !errno && *number >= row->least && *number <= row->most;
}

const char *arguments_take(const struct words *words, void *options)
{
	const struct argument *row = words->row;
	void *field = (char *)options + row->field;
	int64_t number = 0;

	switch (row->kind) {
	case ARGUMENT_FLAG: *(bool *)field = true; break;
	case ARGUMENT_BITS: *(unsigned *)field |= row->bits; break;
	case ARGUMENT_TEXT: *(const char **)field = words->value; break;
	case ARGUMENT_INT:
	case ARGUMENT_INT64:
		if (!number_take(&number, row, words->value))
			return row->due;
		if (row->kind == ARGUMENT_INT)
			*(int *)field = (int)number;
		else
			*(int64_t *)field = number;
		break;
	case ARGUMENT_OWN:
	case ARGUMENT_OWN_OR_NONE: return row->take(field, words->value);
	case ARGUMENT_CALL: case ARGUMENT_CALL_OR_NONE: case ARGUMENT_SAME: break;
	}
	return NULL;
}

/* Daemons */

/* Report an unknown option, which may be an abbreviation of several. */
static void unknown_report(const struct words *words)
{
	bool several = false;

	for (const struct argument *row = words->table; row->name; row++)
		if (likeness(row, words->word, words->word_bytes)) {
			if (!several)
				fprintf(stderr, "%s: option '%s' is ambiguous; possibilities:", words->argv[0],
					words->word);
			fprintf(stderr, " '--%s'", row->name);
			several = true;
		}
	if (several)
		fputc('\n', stderr);
	else
		fprintf(stderr, "%s: unrecognized option '%s'\n", words->argv[0], words->word);
}

/* Report a fault with the text of getopt_long(3). */
static int fault_report(const struct words *words, enum arguments_next fault)
{
	const char *program = words->argv[0];

	if (fault == ARGUMENTS_UNKNOWN && !words->letter)
		unknown_report(words);
	else if (fault == ARGUMENTS_UNKNOWN)
		fprintf(stderr, "%s: invalid option -- '%c'\n", program, words->letter);
	else if (fault == ARGUMENTS_NO_VALUE && !words->letter)
		fprintf(stderr, "%s: option '--%s' requires an argument\n", program, words->row->name);
	else if (fault == ARGUMENTS_NO_VALUE)
		fprintf(stderr, "%s: option requires an argument -- '%c'\n", program, words->letter);
	else
		fprintf(stderr, "%s: option '--%s' doesn't allow an argument\n", program, words->row->name);
	return -EINVAL;
}

static int option_take(const struct arguments *a, const struct words *words, void *options)
{
	char name[NAME_BYTES];
	const char *due;

	if (words->row == words->table + a->n + 1) {
		fputs(a->usage, stdout);
		exit(EXIT_SUCCESS);
	}
	if (words->row == words->table + a->n) {
		printf("%s %s\n", a->program, FAIRLEAD_VERSION);
		exit(EXIT_SUCCESS);
	}
	due = arguments_take(words, options);
	snprintf(name, sizeof(name), "--%s", words->row->name);
	return due ? arguments_wrong(a, name, words->value, due) : 0;
}

/* Process all options. Operands are reported only if the options are valid. */
static int words_take(const struct arguments *arguments, struct words *words, void *options)
{
	enum arguments_next next;
	int rc = 0;

	while (rc == 0 && (next = arguments_next(words)) != ARGUMENTS_END)
		rc = next == ARGUMENTS_OPTION ? option_take(arguments, words, options) : fault_report(words, next);
	return rc == 0 && words->next < words->argc
		       ? arguments_wrong(arguments, words->argv[words->next], NULL, "only options are expected")
		       : rc;
}

int arguments_parse(const struct arguments *arguments, void *options, int argc, char **argv)
{
	struct argument table[ARGUMENTS_MOST + 3];
	struct words words = { .table = table, .argc = argc, .argv = argv, .next = 1 };
	int rc = arguments->n > ARGUMENTS_MOST ? -EINVAL : 0;

	if (rc == 0) {
		memcpy(table, arguments->table, arguments->n * sizeof(*table));
		table[arguments->n] = (struct argument){ "version", .kind = ARGUMENT_FLAG };
		table[arguments->n + 1] = (struct argument){ "help", .kind = ARGUMENT_FLAG, .letter = 'h' };
		table[arguments->n + 2] = (struct argument){ .name = NULL };
		rc = words_take(arguments, &words, options);
	}
	if (rc == 0)
		rc = arguments->check(options);
	if (rc)
		fprintf(stderr, "Try %s --help.\n", arguments->program);
	return rc;
}
