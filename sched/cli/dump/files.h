/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a cell's files to a directory. Functions return exit codes, with a message. */
#ifndef CLI_DUMP_FILES_H
#define CLI_DUMP_FILES_H

#include "conf/cell_source.h"

/*
 * Make the directory and open it. An existing one must be empty, because its files would become
 * part of the cell. *fd is -1 on failure.
 */
int dump_directory_make(const char *directory, int *fd);

/*
 * Write the files. Names come from shared memory, so names that lead out of the directory are
 * refused. Included files outside of the cell are left out, with a note. `fd` refers to the
 * directory that was found empty, even if its name now belongs to another one. `directory` is for
 * messages.
 */
int dump_files(int fd, const char *directory, const struct cell_files *files);

#endif
