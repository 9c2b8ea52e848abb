/* SPDX-License-Identifier: Apache-2.0 */
/* Another system's command, called without a shell, and what it says. */
#ifndef CLI_CELL_COMMAND_H
#define CLI_CELL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum { COMMAND_WORDS = 8 };

struct command {
	/* up to a NULL; argv[0] is looked for in PATH unless it has a slash */
	const char *argv[COMMAND_WORDS];
	/* a file that it is to write: an empty one of ours in its place, by this number; 0: none */
	int file_fd;
	char *output, *file;			/* command_free(); what came, ended with a NUL */
	size_t output_bytes, file_bytes;
	int status;				/* exit status; 128 and the number of a signal */
	char complaint[200];			/* the first line on its standard error, or else of its output */
};

/*
 * Calls it, its standard input empty, and waits. 0, though it may have failed by its own account;
 * -ENOENT, -EACCES, ...: it can't be called; -EFBIG: it says too much; -ENOMEM.
 */
int command_run(struct command *command);

/* Puts "qconf -sq all.q" into `text`. Returns it. */
const char *command_name(const struct command *command, char *text, size_t size);

/* Says why it failed, `rc` being what command_run() returned; an exit code. */
int command_failed(const struct command *command, int rc);

void command_free(struct command *command);

#endif
