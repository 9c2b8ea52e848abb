/* SPDX-License-Identifier: Apache-2.0 */
/* A file as a text: a script, or options. */
#ifndef CLI_JOBS_TEXT_FILE_H
#define CLI_JOBS_TEXT_FILE_H

#include <stddef.h>

/* Less than a request may have, so that the rest of it has room. */
#define TEXT_FILE_BYTES ((1u << 20) - 65536)

/*
 * All of an open file, with a NUL behind it, to be freed. 0; -EFBIG: more than TEXT_FILE_BYTES;
 * -ENOMEM, or what read(2) says, -EISDIR, say.
 */
int text_file_read(int fd, char **text, size_t *bytes);

/*
 * What a text is: 0, UTF-8; -ENOEXEC, there is a NUL in it, so it is a program or data; -EILSEQ,
 * line *line is no UTF-8.
 */
int text_file_check(const char *text, size_t bytes, unsigned *line);

#endif
