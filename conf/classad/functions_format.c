/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that compose and split texts: join interval formatTime splitUserName splitSlotName
 * stringListSum and its variants.
 */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "conf/classad/inside.h"

#define TIME_TEXT_MOST 1024u		/* maximum size of a formatted time in bytes */

static struct classad_value text_of(const char *text, size_t bytes, struct classad_room *room)
{
	struct classad_value result;
	char *copy;

	if (text_take(&result, bytes, room, &copy))
		memcpy(copy, text, bytes);
	return result;
}

/*
 * Items of join(): the arguments, or the items of a list if it is the last of at most two
 * arguments.
 */
struct joining {
	struct classad_value separator;
	const struct classad_value *items;
	size_t n;
};

static struct joining joining_of(const struct classad_value *arguments, size_t n)
{
	struct joining joining = { .separator = { .type = CLASSAD_STRING, .text = "", .bytes = 0 } };

	if (n > 0 && n <= 2 && arguments[n - 1].type == CLASSAD_LIST) {
		joining.items = arguments[n - 1].items;
		joining.n = arguments[n - 1].n;
		if (n == 2)
			joining.separator = arguments[0];
	} else if (n > 0) {
		joining.separator = arguments[0];
		joining.items = arguments + 1;
		joining.n = n - 1;
	}
	return joining;
}

/* Join items. Undefined items are omitted. If all are undefined, the result is undefined. */
struct classad_value text_join(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct joining joining = joining_of(arguments, n);
	struct classad_value separator = value_as_text(&joining.separator, room), result;
	size_t bytes = 0, written = 0, defined = 0;
	char *text;

	if (separator.type == CLASSAD_ERROR || room_spend(room, joining.n / 8))
		return ERROR;
	if (separator.type == CLASSAD_UNDEFINED)
		separator = (struct classad_value){ .type = CLASSAD_STRING, .text = "", .bytes = 0 };
	for (size_t i = 0; i < joining.n && bytes <= ROOM_BYTES; i++) {
		if (joining.items[i].type == CLASSAD_ERROR)
			return ERROR;
		if (joining.items[i].type == CLASSAD_UNDEFINED)
			continue;
		defined++;
		bytes += separator.bytes + (joining.items[i].type == CLASSAD_STRING
						    ? joining.items[i].bytes
						    : value_unparse(&joining.items[i], NULL, 0));
	}
	if (defined == 0 && joining.n > 0)
		return UNDEFINED;
	if (!text_take(&result, bytes, room, &text))
		return result;
	for (size_t i = 0; i < joining.n; i++) {
		if (joining.items[i].type == CLASSAD_UNDEFINED)
			continue;
		if (written > 0) {
			memcpy(text + written, separator.text, separator.bytes);
			written += separator.bytes;
		}
		if (joining.items[i].type == CLASSAD_STRING) {
			memcpy(text + written, joining.items[i].text, joining.items[i].bytes);
			written += joining.items[i].bytes;
		} else {
			written += value_unparse(&joining.items[i], text + written, bytes + 1 - written);
		}
	}
	text[written] = '\0';
	result.bytes = written;
	return result;
}

/* Format seconds as "days+hh:mm:ss" without leading zero parts. */
struct classad_value text_interval(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value seconds = number_int(arguments, n, room);
	char text[64];
	int whole, days, hours, minutes;

	if (seconds.type != CLASSAD_INT)
		return ERROR;
	whole = (int)(int32_t)seconds.integer;		/* 32 bits, as in HTCondor */
	days = whole / 86400;
	hours = whole % 86400 / 3600;
	minutes = whole % 3600 / 60;
	whole %= 60;
	if (days != 0)
		snprintf(text, sizeof(text), "%d+%02d:%02d:%02d", days, abs(hours), abs(minutes), abs(whole));
	else if (hours != 0)
		snprintf(text, sizeof(text), "%d:%02d:%02d", hours, abs(minutes), abs(whole));
	else if (minutes != 0)
		snprintf(text, sizeof(text), "%d:%02d", minutes, abs(whole));
	else
		snprintf(text, sizeof(text), "%d", whole);
	return text_of(text, strlen(text), room);
}

/* Format epoch seconds in local time with a format of strftime(3). */
struct classad_value text_format_time(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	const char *format = n == 2 ? arguments[1].text : "%c";
	char text[TIME_TEXT_MOST];
	struct tm parts;
	time_t seconds;
	size_t bytes;

	if ((arguments->type != CLASSAD_INT && arguments->type != CLASSAD_REAL) ||
	    (n == 2 && arguments[1].type != CLASSAD_STRING) ||
	    !(real_of(arguments) > -1e15 && real_of(arguments) < 1e15))
		return ERROR;
	seconds = (time_t)real_of(arguments);
	if (!localtime_r(&seconds, &parts))
		return ERROR;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	bytes = strftime(text, sizeof(text), format, &parts);
#pragma GCC diagnostic pop
	return bytes == 0 && *format ? ERROR : text_of(text, bytes, room);
}

/*
 * Split "name@rest" into { "name", "rest" }. A text without an @ becomes the first item, or the
 * last one if `all_is_last`.
 */
static struct classad_value split_at(const struct classad_value *text, struct classad_room *room, bool all_is_last)
{
	struct classad_value *items = room_take(room, 2 * sizeof(*items), _Alignof(struct classad_value));
	const char *at;
	size_t first;

	if (text->type != CLASSAD_STRING || !items)
		return ERROR;
	at = memchr(text->text, '@', text->bytes);
	first = at ? (size_t)(at - text->text) : all_is_last ? 0 : text->bytes;
	items[0] = text_of(text->text, first, room);
	items[1] = text_of(text->text + first + (at != NULL), text->bytes - first - (at != NULL), room);
	if (items[0].type == CLASSAD_ERROR || items[1].type == CLASSAD_ERROR)
		return ERROR;
	return (struct classad_value){ .type = CLASSAD_LIST, .items = items, .n = 2 };
}

struct classad_value text_split_user_name(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return split_at(arguments, room, false);
}

struct classad_value text_split_slot_name(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return split_at(arguments, room, true);
}

/* Return true if a word has only signs and digits: HTCondor's test for an integer. */
static bool is_integer_word(const char *word, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (!memchr("+-0123456789", word[i], 12))
			return false;
	return true;
}

/*
 * Summary of the numbers in a list of words. words_summarize() returns false if a word does not
 * begin with a number.
 */
struct words_summary {
	size_t n;
	double sum, least, largest;
	bool is_real;
};

static bool words_summarize(const struct classad_value *arguments, size_t n, struct classad_room *room,
			    struct words_summary *summary)
{
	struct separators separators = separators_of(n == 2 ? arguments[1].text : " ,", room);
	const char *at = arguments->text;
	size_t bytes;

	*summary = (struct words_summary){ .least = FLT_MAX, .largest = FLT_MIN };
	for (; word_next(&at, &separators, &bytes); at += bytes) {
		struct classad_value number = number_of_text(at, bytes);

		if (!is_number(&number))
			return false;
		summary->n++;
		summary->is_real |= !is_integer_word(at, bytes);
		summary->sum += real_of(&number);
		summary->least = real_of(&number) < summary->least ? real_of(&number) : summary->least;
		summary->largest = real_of(&number) > summary->largest ? real_of(&number) : summary->largest;
	}
	return true;
}

/* Return an integer if all numbers are integers. An average is then truncated. */
static struct classad_value summary_value(const struct words_summary *summary, double value)
{
	if (!summary->is_real && value > -0x1p63 && value < 0x1p63)
		return INTEGER((int64_t)value);
	return value - value == 0 ? REAL(value) : ERROR;
}

#define WORDS_SUMMARY(NAME, OF_NONE, VALUE)									\
	struct classad_value NAME(const struct classad_value *arguments, size_t n, struct classad_room *room)	\
	{													\
		struct words_summary s;										\
														\
		if (arguments->type != CLASSAD_STRING || (n == 2 && arguments[1].type != CLASSAD_STRING) ||	\
		    room_spend(room, arguments->bytes / 16) || !words_summarize(arguments, n, room, &s))	\
			return ERROR;										\
		return s.n == 0 ? OF_NONE : summary_value(&s, VALUE);						\
	}
WORDS_SUMMARY(words_sum, REAL(0.0), s.sum)
WORDS_SUMMARY(words_avg, REAL(0.0), s.sum / (double)s.n)
WORDS_SUMMARY(words_min, UNDEFINED, s.least)
WORDS_SUMMARY(words_max, UNDEFINED, s.largest)
