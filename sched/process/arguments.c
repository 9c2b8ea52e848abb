/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MOST 64
#define NAME_BYTES 32

/* what getopt_long() returns; from TABLE on: a row of the table */
enum { HELP = 'h', VERSION = 256, TABLE };

int arguments_wrong(const struct arguments *a, const char *option, const char *value, const char *due)
{
	fprintf(stderr, "%s: %s%s%s%s: %s\n", a->program, option, value ? " \"" : "", value ? value : "", value ? "\"" : "", due);
	return -EINVAL;
}

static bool number_take(int64_t *number, const struct argument *row, const char *value)
{
	const char *digits = value + (*value == '-');
	char *end;

	errno = 0;
	*number = strtoll(value, &end, 10);
	return *digits >= '0' && *digits <= '9' && !*end && !errno && *number >= row->least && *number <= row->most;
}

static const char *take(const struct argument *row, void *options, const char *value)
{
	void *field = (char *)options + row->field;
	int64_t number = 0;

	switch (row->kind) {
	case ARGUMENT_FLAG:
		*(bool *)field = true;
		return NULL;
	case ARGUMENT_TEXT:
		*(const char **)field = value;
		return NULL;
	case ARGUMENT_INT:
		if (!number_take(&number, row, value))
			return row->due;
		*(int *)field = (int)number;
		return NULL;
	case ARGUMENT_INT64:
		if (!number_take(&number, row, value))
			return row->due;
		*(int64_t *)field = number;
		return NULL;
	case ARGUMENT_OWN:
	case ARGUMENT_OWN_OR_NONE:
		break;
	}
	return row->take(field, value);
}

static int has_value(const struct argument *row)
{
	return row->kind == ARGUMENT_FLAG ? no_argument : row->kind == ARGUMENT_OWN_OR_NONE ? optional_argument : required_argument;
}

/* As getopt_long() wants them. */
static void getopt_tables(const struct arguments *a, struct option *names, char *letters)
{
	*letters++ = HELP;
	for (size_t k = 0; k < a->n; k++) {
		const struct argument *row = &a->table[k];

		*names++ = (struct option){ row->name, has_value(row), NULL, TABLE + (int)k };
		if (row->letter)
			*letters++ = row->letter;
		for (int colons = row->letter ? has_value(row) : 0; colons; colons--)
			*letters++ = ':';
	}
	*names++ = (struct option){ "version", no_argument, NULL, VERSION };
	*names++ = (struct option){ "help", no_argument, NULL, HELP };
	*names = (struct option){ 0 };
	*letters = '\0';
}

static const struct argument *row_of(const struct arguments *a, int option)
{
	for (size_t k = 0; k < a->n; k++)
		if (option == TABLE + (int)k || option == a->table[k].letter)
			return &a->table[k];
	return NULL;
}

static int option_take(const struct arguments *a, void *options, int option)
{
	const struct argument *row = row_of(a, option);
	char name[NAME_BYTES];
	const char *due;

	if (option == HELP) {
		fputs(a->usage, stdout);
		exit(EXIT_SUCCESS);
	}
	if (option == VERSION) {
		printf("%s %s\n", a->program, FAIRLEAD_VERSION);
		exit(EXIT_SUCCESS);
	}
	if (!row)
		return -EINVAL;		/* getopt_long() has said why */
	due = take(row, options, optarg);
	snprintf(name, sizeof(name), "--%s", row->name);
	return due ? arguments_wrong(a, name, optarg, due) : 0;
}

int arguments_parse(const struct arguments *a, void *options, int argc, char **argv)
{
	struct option names[ARGUMENTS_MOST + 3];
	char letters[3 * ARGUMENTS_MOST + 2];
	int option, rc = a->n > ARGUMENTS_MOST ? -EINVAL : 0;

	if (rc == 0)
		getopt_tables(a, names, letters);
	while (rc == 0 && (option = getopt_long(argc, argv, letters, names, NULL)) != -1)
		rc = option_take(a, options, option);
	if (rc == 0 && optind < argc)
		rc = arguments_wrong(a, argv[optind], NULL, "only options are due");
	if (rc == 0)
		rc = a->check(options);
	if (rc)
		fprintf(stderr, "Try %s --help.\n", a->program);
	return rc;
}
