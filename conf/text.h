/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lexical layer below all formats: lines of a file without comments, with continuation lines
 * joined.
 *
 *     struct text t;
 *     error = text_open(&t, path, report);
 *     while ((line = text_line(&t)))
 *             ... line is trimmed and not empty, t.number is where it began ...
 *     text_close(&t);
 *
 * `#` begins a comment up to the end of the line. A backslash directly before the newline joins the
 * line with the next one, directly after a comma, else with one blank. Bytes that are not printable
 * UTF-8 (including NUL) are a fault and are replaced by '?'.
 *
 * If `as_it_is` is set after text_open(), there are no comments and no continuation lines, and
 * leading blanks are kept. This mode is for output of programs. With `comment_lines` only whole
 * lines are comments, even between continuation lines, and lines are joined only by the blanks
 * before the backslash. This mode is for HTCondor's configuration. Lines point into the file's
 * buffer, may be written to, and are valid until text_close().
 */
#ifndef CONF_TEXT_H
#define CONF_TEXT_H

#include <stdbool.h>

#include "conf/base/report.h"

struct text {
	const char *path;	/* borrowed */
	struct report *report;	/* borrowed */
	bool as_it_is, comment_lines;	/* as_it_is has precedence */
	int number;		/* number of the line last returned, from 1 */
	char *bytes, *next, *end;	/* private to text.c, like the member below */
	int next_number;
};

/*
 * Open a file.
 *
 *   0
 *   -ENOENT       the file does not exist; nothing is reported
 *   -ENOMEM, -EIO (cannot be read, not a regular file, too large): the fault is reported
 */
int text_open(struct text *text, const char *path, struct report *report);
char *text_line(struct text *text);
void text_close(struct text *text);

/* Cut a line after its first word and return the text after the blanks, or "" if there is none. */
char *text_value(char *line);

/* Return true for "", or "NONE" in any case. */
bool text_is_none(const char *text);

/* Cut off and return the next word, NULL at the end. `*rest` moves past it. */
char *text_word(char **rest, const char *separators);

#endif
