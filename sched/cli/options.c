/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/options.h"

int options_take(struct words *words, void *options)
{
	struct messages messages = { .items = NULL };
	int code;

	words->messages = &messages;
	code = options_read(words, options);
	cli_print(&messages);
	words->messages = NULL;
	return code;
}

int cli_number(const char *about, const char *value, unsigned long min, unsigned long max, unsigned long *number)
{
	struct messages messages = { .items = NULL };
	int rc = options_number(&messages, about, NULL, value, min, max, number);

	cli_print(&messages);
	return rc;
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

int options_format(void *field, struct words *words)
{
	struct format *format = field;
	const struct format *wanted = words->row->detail;

	format->chosen += !format->chosen || format->print != wanted->print;
	format->print = wanted->print;
	return EXIT_OK;
}
