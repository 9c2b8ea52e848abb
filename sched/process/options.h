/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of commands in the notation of Grid Engine: words after one dash, and words after two,
 * like GNU. Tables are as in arguments.h, each with a row at its end. Faults become messages.
 */
#ifndef SCHED_PROCESS_OPTIONS_H
#define SCHED_PROCESS_OPTIONS_H

#include "sched/process/arguments.h"
#include "sched/process/messages.h"

/*
 * Store all options among the words in `options`, or only those before the first operand if the
 * words keep their order. Operands then begin at words->next. argv[0] is the verb. Return an exit
 * code, with a message in words->messages unless it is EXIT_OK.
 */
int options_read(struct words *words, void *options);

/*
 * Parse decimal digits, min..max. Return 0, or -1 with a message that begins with `about` and the
 * name of the option. `name` NULL: the value is not that of an option.
 */
int options_number(struct messages *messages, const char *about, const char *name, const char *value,
		   unsigned long min, unsigned long max, unsigned long *number);

#endif
