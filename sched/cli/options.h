/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the verbs: words after one dash, like Grid Engine, and after two, like GNU. Tables are
 * as in arguments.h, each with a row at its end.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "sched/cli/cli.h"
#include "sched/process/arguments.h"

/*
 * Store all options among the words in `options`, or only those before the first operand if the
 * words keep their order. Operands then begin at words->next. argv[0] is the verb. Return an exit
 * code, after a message.
 */
int options_take(struct words *words, void *options);

/* Print one line per option. */
void options_help(const struct argument *table, FILE *to);

/* Parse decimal digits, min..max. Return 0, or -1 after a message that names the option. */
int options_number(const char *name, const char *value, unsigned long min, unsigned long max, unsigned long *number);

/* Output format of a verb. The caller sets `print` to the default format. */
struct format {
	section_print *print;
	unsigned chosen;		/* number of formats that were requested */
};

/* Option that selects a format, for a verb with a struct format in its options. */
#define OPTION_FORMAT(option, at, function, says) \
	{ option, ARGUMENT_CALL, .field = (at), .call = options_format, .detail = &(const struct format){ .print = (function) }, \
	  .sentence = (says) }
int options_format(void *format, struct words *words);

#endif
