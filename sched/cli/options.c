/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/nearest.h"

/* Return ": did you mean -urg?", or "". */
static const char *meant(const struct words *words, char *text, size_t size)
{
	char word[NEAREST_NAME_MOST + 1];
	struct nearest nearest = { .name = word };

	snprintf(word, sizeof(word), "%.*s", (int)words->word_bytes, words->word);
	for (const struct argument *row = words->table; row->name; row++)
		nearest_look(&nearest, row->name);
	snprintf(text, size, "%s%s%s", nearest.found ? "; did you mean " : "", nearest.found ? nearest.found : "",
		 nearest.found ? "?" : "");
	return text;
}

static int fault_report(const struct words *words, enum arguments_next fault)
{
	const char *verb = words->place ? words->place : words->argv[0];
	char text[NEAREST_NAME_MOST + 32];

	if (fault == ARGUMENTS_NO_VALUE)
		return cli_fail(EXIT_USAGE, "%s: %.*s needs an argument: %s", verb, (int)words->word_bytes, words->word,
				words->row->value);
	if (fault == ARGUMENTS_VALUE)
		return cli_fail(EXIT_USAGE, "%s: %.*s takes no argument", verb, (int)words->word_bytes, words->word);
	return cli_fail(EXIT_USAGE, "%s: no option %.*s%s; see fairlead %s --help", verb, (int)words->word_bytes,
			words->word, meant(words, text, sizeof(text)), words->argv[0]);
}

static int value_take(const struct words *words, void *options)
{
	const char *due = arguments_take(words, options);

	if (!due)
		return EXIT_OK;
	return cli_fail(EXIT_USAGE, "%s: %.*s \"%s\": %s", words->place ? words->place : words->argv[0],
			(int)words->word_bytes, words->word, words->value, due);
}

int options_take(struct words *words, void *options)
{
	int code = EXIT_OK;

	for (enum arguments_next next; !code && (next = arguments_next(words)) != ARGUMENTS_END;)
		if (next != ARGUMENTS_OPTION)
			code = fault_report(words, next);
		else if (words->row->kind == ARGUMENT_CALL || words->row->kind == ARGUMENT_CALL_OR_NONE)
			code = words->row->call((char *)options + words->row->field, words);
		else
			code = value_take(words, options);
	return code;
}

void options_help(const struct argument *table, FILE *to)
{
	const struct argument *row = table;

	for (; table->name; table++) {
		bool is_same = table->kind == ARGUMENT_SAME;

		row = is_same ? row : table;
		int width = fprintf(to, "  %s%s%s", table->name, row->value ? " " : "", row->value ? row->value : "");

		fprintf(to, "%s%*s%s%s\n", width < 26 ? "" : "\n", width < 26 ? 26 - width : 26, "",
			is_same ? "same as " : "", is_same ? row->name : row->sentence);
	}
}

int options_number(const char *name, const char *value, unsigned long min, unsigned long max, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(value, &end, 10);
	if (value[0] >= '0' && value[0] <= '9' && !*end && !errno && *number >= min && *number <= max)
		return 0;
	cli_fail(EXIT_USAGE, "%s: \"%s\" is not a number from %lu to %lu", name, value, min, max);
	return -1;
}

int options_format(void *field, struct words *words)
{
	struct format *format = field;
	const struct format *wanted = words->row->detail;

	format->chosen += !format->chosen || format->print != wanted->print;
	format->print = wanted->print;
	return EXIT_OK;
}
