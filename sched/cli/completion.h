/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion of command lines in bash, zsh and fish, generated from the tables by which options are
 * parsed.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

#include "sched/process/arguments.h"

struct completion_command {
	const char *name, *sentence, *operands;
	const struct argument *options;		/* with a row at its end */
};

/* Write the script for a shell. Returns 0, or -EINVAL if the shell is unknown. */
int completion_write(const char *shell, const struct completion_command *commands, size_t n, FILE *to);

#endif
