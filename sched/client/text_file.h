/* SPDX-License-Identifier: Apache-2.0 */
/* Text of a file: a script or options. */
#ifndef CLIENT_TEXT_FILE_H
#define CLIENT_TEXT_FILE_H

#include <stddef.h>

/* Limit below that of a request, so that the other members of a request have room. */
#define TEXT_FILE_BYTES ((1u << 20) - 65536)

/*
 * Read all of an open file, with a NUL after it. The caller frees the text. Return 0, -EFBIG if it
 * has more than TEXT_FILE_BYTES, -ENOMEM, or an error of read(2) such as -EISDIR.
 */
int text_file_read(int fd, char **text, size_t *bytes);

/*
 * Check a text. Return 0 if it is UTF-8, -ENOEXEC if it has a NUL and is thus a program or data, or
 * -EILSEQ if line *line is not UTF-8.
 */
int text_file_check(const char *text, size_t bytes, unsigned *line);

#endif
