/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options in a text: the lines of a script that begin with a prefix, or the lines of a file of
 * options. Lines are split into words like in qsub. Blanks and tabs separate words. Text between
 * two ' or two " is taken literally, also inside a word. A backslash has no special meaning. A
 * word that begins with # starts a comment up to the end of the line.
 *
 *     struct option_lines lines = { .text = text, .bytes = bytes, .prefix = "#$" };
 *     while ((n = option_lines_next(&lines, words, WORDS, &error)) > 0)
 *             ... n words, from the line lines.number
 */
#ifndef CLIENT_OPTION_LINES_H
#define CLIENT_OPTION_LINES_H

#include <stddef.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define LINE_WORDS_MOST 1024

struct option_lines {
	/* borrowed; words are made in it, each with a NUL after it */
	char *text;
	size_t bytes;			/* length of the text; text[bytes] may be written */
	/* NULL: every line has options, except comments, which begin with # */
	const char *prefix;
	unsigned number;		/* number of the current line from 1, 0 before the first */
	size_t at;			/* private */
};

/*
 * Store the words of the next line that has any, at most LINE_WORDS_MOST, followed by NULL. Return
 * their number, or 0 at the end. Return -EINVAL if a quotation has no end or the line has more
 * words.
 */
ssize_t option_lines_next(struct option_lines *lines, char *words[LINE_WORDS_MOST + 1], struct error *error);

#endif
