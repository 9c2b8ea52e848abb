/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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

static int fault_add(const struct words *words, enum arguments_next fault)
{
	const char *about = words->place ? words->place : words->argv[0];
	char text[NEAREST_NAME_MOST + 32];

	if (fault == ARGUMENTS_NO_VALUE)
		return message_add(words->messages, EXIT_USAGE, about, "%.*s needs an argument: %s",
				   (int)words->word_bytes, words->word, words->row->value);
	if (fault == ARGUMENTS_VALUE)
		return message_add(words->messages, EXIT_USAGE, about, "%.*s takes no argument",
				   (int)words->word_bytes, words->word);
	return message_add(words->messages, EXIT_USAGE, about, "no option %.*s%s; see fairlead %s --help",
			   (int)words->word_bytes, words->word, meant(words, text, sizeof(text)), words->argv[0]);
}

static int value_take(const struct words *words, void *options)
{
	const char *due = arguments_take(words, options);

	if (!due)
		return EXIT_OK;
	return message_add(words->messages, EXIT_USAGE, words->place ? words->place : words->argv[0], "%.*s \"%s\": %s",
			   (int)words->word_bytes, words->word, words->value, due);
}

int options_read(struct words *words, void *options)
{
	int code = EXIT_OK;

	for (enum arguments_next next; !code && (next = arguments_next(words)) != ARGUMENTS_END;)
		if (next != ARGUMENTS_OPTION)
			code = fault_add(words, next);
		else if (words->row->kind == ARGUMENT_CALL || words->row->kind == ARGUMENT_CALL_OR_NONE)
			code = words->row->call((char *)options + words->row->field, words);
		else
			code = value_take(words, options);
	return code;
}

int options_number(struct messages *messages, const char *about, const char *name, const char *value,
		   unsigned long min, unsigned long max, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(value, &end, 10);
	if (value[0] >= '0' && value[0] <= '9' && !*end && !errno && *number >= min && *number <= max)
		return 0;
	message_add(messages, EXIT_USAGE, about, "%s%s\"%s\" is not a number from %lu to %lu", name ? name : "",
		    name ? ": " : "", value, min, max);
	return -1;
}
