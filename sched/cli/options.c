/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/cli.h"

/* Length of the option's own word: up to "=" for those with two dashes. */
static size_t word_length(const char *word)
{
	return strncmp(word, "--", 2) ? strlen(word) : strcspn(word, "=");
}

static int find(const struct option *table, const char *word, size_t length)
{
	for (int k = 0; table[k].name; k++)
		if (strlen(table[k].name) == length && !memcmp(table[k].name, word, length))
			return k;
	return OPTIONS_BAD;
}

int options_next(struct options *o)
{
	const char *word = o->next < o->argc ? o->argv[o->next] : "";
	size_t length = word_length(word);

	o->value = NULL;
	if (word[0] != '-' || !word[1])
		return OPTIONS_END;
	o->next++;
	if (!strcmp(word, "--"))
		return OPTIONS_END;
	int k = find(o->table, word, length);

	if (k < 0) {
		cli_fail(EXIT_USAGE, "%s: no option %.*s; see fairlead %s --help", o->argv[0], (int)length, word, o->argv[0]);
		return OPTIONS_BAD;
	}
	if (word[length] == '=')
		o->value = word + length + 1;
	else if (o->table[k].argument && o->next < o->argc)
		o->value = o->argv[o->next++];
	if (!o->table[k].argument == !o->value)
		return k;
	cli_fail(EXIT_USAGE, o->value ? "%s: %s takes no argument" : "%s: %s needs an argument: %s", o->argv[0],
		 o->table[k].name, o->table[k].argument);
	return OPTIONS_BAD;
}

void options_help(const struct option *table, FILE *to)
{
	for (; table->name; table++) {
		int width = fprintf(to, "  %s%s%s", table->name, table->argument ? " " : "", table->argument ? table->argument : "");

		fprintf(to, "%*s%s\n", width < 26 ? 26 - width : 1, "", table->sentence);
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
