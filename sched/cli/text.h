/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings, times and ids in the format of tables and XML. Strings come from shared memory and from
 * users, so control characters and invalid UTF-8 are never passed to a terminal or a document.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "sched/process/output.h"
#include "sched/reader/fairlead.h"

#define CLOCK_MINUTES 4096u
#define TIME_BYTES 19		/* bytes of both formats below */

/* Return the plural ending, for "1 job" and "5 jobs". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * Pad a column to `width` bytes. `start` is the start of the column, `end` the end of its text.
 * Texts that are wide enough are unchanged.
 */
/* blanks after the text */
static inline char *text_pad(char *start, char *end, size_t width)
{
	size_t n = (size_t)(end - start);

	if (n >= width)
		return end;
	memset(end, ' ', width - n);
	return start + width;
}

/* blanks before the text */
static inline char *text_pad_left(char *start, char *end, size_t width)
{
	size_t n = (size_t)(end - start);

	if (n >= width)
		return end;
	memmove(start + width - n, start, n);
	memset(start, ' ', width - n);
	return start + width;
}

/*
 * Return the end of the part of a longer text that fits in `width` bytes and has only whole
 * characters.
 */
static inline char *text_cut(char *start, size_t width)
{
	char *end = start + width;

	while (end > start && ((unsigned char)*end & 0xc0) == 0x80)
		end--;
	return end;
}

static inline char *text_blanks(char *p, size_t width)
{
	return (char *)memset(p, ' ', width) + width;
}

/*
 * Write at most `width` bytes of a string, padded with blanks. A byte that is not printable UTF-8
 * becomes '?'. A character that does not fit completely is left out.
 */
char *text_column(char *p, const char *text, size_t width);

/* Write the whole string like text_column(), without blanks. */
void text_plain(struct out *out, const char *text);

/*
 * Write a text for XML's character data and attributes. Control characters and invalid bytes become
 * '?'.
 */
void text_xml(struct out *out, const char *text);

/* Write ids as "1-10:2,17": one id, two ids, or first, last and step of each range. */
void text_ranges(struct out *out, const struct fl_range *ranges, size_t n);

/* Write "d:hh:mm:ss" of whole seconds. Negative and absurd values count as 0. */
char *text_duration(char *p, double seconds);

enum time_format {
	TIME_TABLE,		/* MM/DD/YYYY HH:MM:SS */
	TIME_ISO,		/* YYYY-MM-DDTHH:MM:SS */
};

/* Local time, cached by the minute, because a million jobs share few minutes. */
struct local_clock {
	struct clock_minute {
		int64_t minute;			/* since the epoch */
		uint8_t known;			/* 0, or 1 + the format of `text` */
		char text[TIME_BYTES - 2];	/* date, hour and minute */
	} minutes[CLOCK_MINUTES];
};

/*
 * Write a time of TIME_BYTES. The caller zero-initialises the clock. A year without four digits
 * gives "NA" and blanks.
 */
char *clock_put(struct local_clock *clock, char *p, int64_t time, enum time_format format);

#endif
