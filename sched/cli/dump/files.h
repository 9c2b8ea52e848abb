/* SPDX-License-Identifier: Apache-2.0 */
/* A cell's files into a directory. Exit codes, with a message. */
#ifndef CLI_DUMP_FILES_H
#define CLI_DUMP_FILES_H

#include "conf/cell_source.h"

/*
 * Make it, and open it; one that is there must be empty: what lies in it would be part of the cell.
 * *fd is -1 if it fails.
 */
int dump_directory_make(const char *directory, int *fd);

/*
 * Names come from shared memory: those that would lead out of the directory are refused. Included
 * files that lie outside of the cell are left out, with a note. `fd`: of the directory as it was
 * found empty, whatever has its name since; `directory` is for messages.
 */
int dump_files(int fd, const char *directory, const struct cell_files *files);

#endif
