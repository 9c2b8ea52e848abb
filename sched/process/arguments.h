/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines of the daemons: a table of options says for each which field of a struct it fills,
 * and what is due. --help (-h) and --version are in every one.
 */
#ifndef SCHED_PROCESS_ARGUMENTS_H
#define SCHED_PROCESS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The field: */
enum argument_kind {
	ARGUMENT_FLAG,			/* bool, set to true; has no value */
	ARGUMENT_TEXT,			/* const char *, into argv */
	ARGUMENT_INT,			/* int, or unsigned with no limit below 0 */
	ARGUMENT_INT64,			/* int64_t */
	ARGUMENT_OWN,			/* a struct of its own, which take() fills */
	/* likewise, with the value NULL if there is none behind "=" */
	ARGUMENT_OWN_OR_NONE,
};

struct argument {
	const char *name;		/* without its dashes */
	enum argument_kind kind;
	size_t field;			/* offset in the struct of options */
	char letter;			/* behind a single dash; 0: none */
	int64_t least, most;		/* of a number, decimal digits */
	const char *due;		/* what is said of any other */
	const char *(*take)(void *field, const char *value);	/* NULL, or what is due instead */
};

struct arguments {
	const char *program;
	const char *usage;		/* the text of --help */
	const struct argument *table;
	size_t n;
	int (*check)(void *options);	/* once all are taken: 0, or arguments_wrong() */
};

/*
 * Fills `options`, which has its defaults already, with argv; texts are borrowed. 0, or -EINVAL
 * after saying what is wrong. --help and --version end the process here.
 */
int arguments_parse(const struct arguments *a, void *options, int argc, char **argv);

/* Says what is wrong with an option ("--name"; value may be NULL). -EINVAL */
int arguments_wrong(const struct arguments *a, const char *option, const char *value, const char *due);

#endif
