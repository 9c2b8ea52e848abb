/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the verbs: their help, and faults that are printed. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "sched/cli/cli.h"
#include "sched/process/options.h"

/* Call options_read() and print its messages. Return an exit code. */
int options_take(struct words *words, void *options);

/* Call options_number() without an option and print its message. */
int cli_number(const char *about, const char *value, unsigned long min, unsigned long max, unsigned long *number);

/* Print one line per option. */
void options_help(const struct argument *table, FILE *to);

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
