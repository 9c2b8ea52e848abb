/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings, times and ids as the tables and XML have them. Strings come from shared memory and from
 * users: no control character and no invalid UTF-8 goes through to a terminal or a document.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "sched/process/output.h"
#include "sched/reader/fairlead.h"

#define CLOCK_MINUTES 4096u
#define TIME_BYTES 19		/* of both formats below */

/* "1 job", "5 jobs" */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * The rest of a fixed width, in bytes; `start` of the column, `end` of what is in it. No-op when
 * that is as wide already.
 */
static inline char *text_pad(char *start, char *end, size_t width)		/* blanks behind */
{
	size_t n = (size_t)(end - start);

	if (n >= width)
		return end;
	memset(end, ' ', width - n);
	return start + width;
}

static inline char *text_pad_left(char *start, char *end, size_t width)		/* blanks before */
{
	size_t n = (size_t)(end - start);

	if (n >= width)
		return end;
	memmove(start + width - n, start, n);
	memset(start, ' ', width - n);
	return start + width;
}

/* The end of what fits in `width` bytes of a longer text, which stays whole characters. */
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
 * At most `width` bytes of a string, '?' for what is no printable UTF-8, filled up with blanks. A
 * character that does not fit in whole is left out.
 */
char *text_column(char *p, const char *text, size_t width);

/* The same in full length, without blanks. */
void text_plain(struct out *out, const char *text);

/* For XML's character data and attributes; control characters and invalid bytes become '?'. */
void text_xml(struct out *out, const char *text);

/* "1-10:2,17": one id, two ids, or first, last and step of each range. */
void text_ranges(struct out *out, const struct fl_range *ranges, size_t n);

/* "d:hh:mm:ss" of whole seconds; negative or absurd values count as 0. */
char *text_duration(char *p, double seconds);

enum time_format {
	TIME_TABLE,		/* MM/DD/YYYY HH:MM:SS */
	TIME_ISO,		/* YYYY-MM-DDTHH:MM:SS */
};

/* Local time, remembered by the minute: a million jobs share few minutes. */
struct local_clock {
	struct clock_minute {
		int64_t minute;			/* since the epoch */
		uint8_t known;			/* 0, or 1 + the format of: */
		char text[TIME_BYTES - 2];	/* all but the seconds */
	} minutes[CLOCK_MINUTES];
};

/*
 * Zero-initialise a clock. TIME_BYTES long; a year that has not four digits gives "NA" and blanks.
 */
char *clock_put(struct local_clock *clock, char *p, int64_t time, enum time_format format);

#endif
