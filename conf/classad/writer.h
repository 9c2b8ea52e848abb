/* SPDX-License-Identifier: Apache-2.0 */
/* Writer of texts, which write.c and source.c share. */
#ifndef CONF_CLASSAD_WRITER_H
#define CONF_CLASSAD_WRITER_H

#include "conf/classad/inside.h"

struct writer {
	char *text;
	size_t size, used;		/* used: size of the whole text, even beyond `size` */
	/* reals with all digits; 16 digits; 16 digits and an exponent */
	enum { REALS_EXACT, REALS_SHOWN, REALS_UNPARSED } reals;
};

/*
 * Return whether the text is larger than a room. Such a text is not needed, and lists whose items
 * are the same list have texts that are much larger.
 */
static inline bool writer_is_full(const struct writer *writer)
{
	return writer->reals == REALS_UNPARSED && writer->used > ROOM_BYTES;
}

/* write.c */
void writer_put(struct writer *writer, const char *text, size_t bytes);
void writer_text(struct writer *writer, const char *text);
void writer_value(struct writer *writer, const struct classad_value *value);
void writer_string(struct writer *writer, const struct classad_value *value);	/* without the quotes */

/* source.c */
/* Write an expression with one blank around each operator, and reals like those of values. */
void writer_expression(struct writer *writer, const struct classad_expression *expression);
/* Write an ad as "[ name = expression; ... ]", with short names first. */
void writer_ad(struct writer *writer, const struct classad *ad);

#endif
