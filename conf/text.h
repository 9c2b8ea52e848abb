/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lexical layer below all formats: lines of a file without comments, continued ones joined.
 *
 *     struct text t;
 *     error = text_open(&t, path, report);
 *     while ((line = text_line(&t)))
 *             ... line is trimmed and not empty, t.number is where it began ...
 *     text_close(&t);
 *
 * `#` begins a comment up to the end of the line. A backslash directly before the newline joins
 * with the next line: by nothing after a comma, else by one blank. What is no printable UTF-8 (NUL
 * bytes too) is a fault and reads as '?'. With `as_it_is`, set behind text_open(), there are no
 * comments and no continued lines, and blanks at the beginning stay: for what programs print. With
 * `comment_lines` comments are whole lines, among continued ones, too, and lines are joined by the
 * blanks that stand before the backslash alone: HTCondor's configuration. Lines point into the
 * file's buffer, may be written to, and live until text_close().
 */
#ifndef CONF_TEXT_H
#define CONF_TEXT_H

#include <stdbool.h>

#include "conf/report.h"

struct text {
	const char *path;	/* borrowed */
	struct report *report;	/* borrowed */
	bool as_it_is, comment_lines;	/* the former wins */
	int number;		/* of the line last returned, from 1 */
	char *bytes, *next, *end;	/* the rest is text.c's own */
	int next_number;
};

/*
 *   0
 *   -ENOENT      no such file; nothing is reported
 *   -ENOMEM, -EIO (can't be read, no plain file, too large): the fault is in the report
 */
int text_open(struct text *text, const char *path, struct report *report);
char *text_line(struct text *text);
void text_close(struct text *text);

/* Cuts a line behind its first word and returns what follows the blanks: "" if nothing does. */
char *text_value(char *line);

/* "", or "NONE" in any case. */
bool text_is_none(const char *text);

/* Cuts off and returns the next word, NULL at the end; `rest` moves behind it. */
char *text_word(char **rest, const char *separators);

#endif
