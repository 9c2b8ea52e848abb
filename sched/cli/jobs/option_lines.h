/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options in a text: the lines of a script that begin with a prefix, or those of a file of options,
 * in words as qsub takes them apart. Blanks and tabs part words; what stands between two ' or two "
 * is taken as it is, inside of a word, too; there is no other way to quote, and no backslash. A
 * word that begins with # and all behind it is a comment.
 *
 *     struct option_lines lines = { .text = text, .bytes = bytes, .prefix = "#$" };
 *     while ((n = option_lines_next(&lines, words, WORDS, &error)) > 0)
 *             ... n words, and lines.number says where they stand
 */
#ifndef CLI_JOBS_OPTION_LINES_H
#define CLI_JOBS_OPTION_LINES_H

#include <stddef.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define LINE_WORDS_MOST 1024

struct option_lines {
	char *text;			/* borrowed; words are made in it, with a NUL behind each */
	size_t bytes;			/* of it; text[bytes] may be written */
	const char *prefix;		/* NULL: each line but comments, which begin with # */
	unsigned number;		/* of the line at hand, from 1; 0 before the first */
	size_t at;			/* private */
};

/*
 * The words of the next line that has some, at most LINE_WORDS_MOST, NULL behind them: how many, or
 * 0 at the end. -EINVAL: a quotation has no end, or there are more words.
 */
ssize_t option_lines_next(struct option_lines *lines, char *words[LINE_WORDS_MOST + 1], struct error *error);

#endif
