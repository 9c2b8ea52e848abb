/* SPDX-License-Identifier: Apache-2.0 */
/* Call of a command of another system, without a shell, and its output. */
#ifndef CLI_CELL_COMMAND_H
#define CLI_CELL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum { COMMAND_WORDS = 8 };

struct command {
	/* ended by NULL; argv[0] is searched in PATH unless it has a slash */
	const char *argv[COMMAND_WORDS];
	/* descriptor of a file that the command writes; it gets an empty one of ours. 0: none. */
	int file_fd;
	/* received output, each with a NUL at the end; freed by command_free() */
	char *output, *file;
	size_t output_bytes, file_bytes;
	/* exit status, or 128 plus the number of a signal */
	int status;
	/* first line of its standard error, otherwise of its output */
	char complaint[200];
};

/*
 * Call the command with an empty standard input and wait for its end. Return 0, even if its status
 * reports a failure. Return -ENOENT, -EACCES or another error if it cannot be called, -EFBIG if its
 * output is too long, or -ENOMEM.
 */
int command_run(struct command *command);

/* Write the command, such as "qconf -sq all.q", to `text` and return it. */
const char *command_name(const struct command *command, char *text, size_t size);

/* Report why the command failed. `rc` is the result of command_run(). Return an exit code. */
int command_failed(const struct command *command, int rc);

void command_free(struct command *command);

#endif
