/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output files that appear under their name only when they are complete. A file is written next to
 * its final name and renamed at the end. A pipe or another special file is written to directly.
 * Functions return exit codes, after a message.
 */
#ifndef CLI_WHOLE_FILE_H
#define CLI_WHOLE_FILE_H

#include <stdbool.h>

#include "sched/process/output.h"

struct whole_file {			/* private, except for `out` */
	const char *path;
	char *beside;			/* NULL: written directly */
	bool nameless;			/* the file has no name yet */
	int fd;
	struct out out;
};
/* `path` is borrowed. Call whole_file_end() or whole_file_drop() in each case. */
int whole_file_begin(struct whole_file *file, const char *path);
/* Complete the file. `rc`: result of the writer; if it is not 0, no file is left. */
int whole_file_end(struct whole_file *file, int rc);
/* Close the file without its name. */
void whole_file_drop(struct whole_file *file);

#endif
