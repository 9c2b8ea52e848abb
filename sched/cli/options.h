/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the verbs, words behind one dash as Grid Engine has them, and GNU's behind two: tables
 * as in arguments.h, each with a row for its end.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "sched/cli/cli.h"
#include "sched/process/arguments.h"

/*
 * Fill `options` with all options among the words, or with those before the first operand if the
 * words keep their order. Operands begin at words->next then. argv[0] is the verb. An exit code,
 * after a message.
 */
int options_take(struct words *words, void *options);

/* One line an option. */
void options_help(const struct argument *table, FILE *to);

/* Decimal digits only, min..max. 0, or -1 after a message that names the option. */
int options_number(const char *name, const char *value, unsigned long min, unsigned long max, unsigned long *number);

/* How a verb prints; one that prints in one format has `print` set to begin with. */
struct format {
	section_print *print;
	unsigned chosen;		/* how many other formats were asked for */
};

/* The option that asks for a format, of a verb whose options have a struct format. */
#define OPTION_FORMAT(option, at, function, says) \
	{ option, ARGUMENT_CALL, .field = (at), .call = options_format, .detail = &(const struct format){ .print = (function) }, \
	  .sentence = (says) }
int options_format(void *format, struct words *words);

#endif
