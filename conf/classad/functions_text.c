/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on texts. Values of other types are converted to their written form. */
#include <stdlib.h>

#include "conf/classad/inside.h"

#define NUMBER_TEXT_MOST 512u	/* size of a copy in bytes: an integer of that length is infinite as a real */

/*
 * HTCondor's conversion is strtod(3): leading blanks are skipped, and what follows the number is
 * ignored. "12 GB" is 12.
 */
struct classad_value number_of_text(const char *text, size_t bytes)
{
	char copy[NUMBER_TEXT_MOST], *end;
	size_t copied = bytes < sizeof(copy) ? bytes : sizeof(copy) - 1;

	memcpy(copy, text, copied);
	copy[copied] = '\0';
	double real = strtod(copy, &end);

	return end == copy ? ERROR : REAL(real);
}

bool text_take(struct classad_value *value, size_t bytes, struct classad_room *room, char **text)
{
	*text = room_spend(room, bytes / 64) ? NULL : room_take(room, bytes + 1, 1);
	if (!*text) {
		*value = ERROR;
		return false;
	}
	(*text)[bytes] = '\0';
	*value = (struct classad_value){ .type = CLASSAD_STRING, .text = *text, .bytes = bytes };
	return true;
}

/* Write a BOOL, INT, REAL, LIST or AD as text. */
static struct classad_value unparsed(const struct classad_value *value, struct classad_room *room)
{
	struct classad_value result;
	char *text;
	size_t bytes = value_unparse(value, NULL, 0);

	if (text_take(&result, bytes, room, &text))
		value_unparse(value, text, bytes + 1);
	return result;
}

struct classad_value value_as_text(const struct classad_value *value, struct classad_room *room)
{
	return is_number(value) || value->type >= CLASSAD_LIST ? unparsed(value, room) : *value;
}

struct classad_value text_string(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return value_as_text(arguments, room);
}

/* debug(): HTCondor also logs its argument. */
struct classad_value text_same(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n, (void)room;
	return *arguments;
}

struct classad_value text_bool(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n, (void)room;
	if (arguments->type != CLASSAD_STRING)
		return truth_of(arguments);
	if (strcasecmp(arguments->text, "true") == 0)
		return TRUTH(true);
	return strcasecmp(arguments->text, "false") == 0 ? TRUTH(false) : UNDEFINED;
}

struct classad_value text_strcat(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value result;
	size_t bytes = 0, written = 0;
	char *text;

	for (size_t i = 0; i < n && bytes <= ROOM_BYTES; i++) {
		/* the first undefined or error argument is the result */
		if (arguments[i].type == CLASSAD_UNDEFINED || arguments[i].type == CLASSAD_ERROR)
			return arguments[i];
		bytes += arguments[i].type == CLASSAD_STRING ? arguments[i].bytes
							     : value_unparse(&arguments[i], NULL, 0);
	}
	if (!text_take(&result, bytes, room, &text))
		return result;
	for (size_t i = 0; i < n; i++) {
		if (arguments[i].type == CLASSAD_STRING) {
			memcpy(text + written, arguments[i].text, arguments[i].bytes);
			written += arguments[i].bytes;
		} else {
			written += value_unparse(&arguments[i], text + written, bytes + 1 - written);
		}
	}
	return result;
}

struct classad_value text_substr(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value result;
	int64_t bytes, begin, end;
	char *text;

	for (size_t i = 0; i < n; i++)
		if (arguments[i].type == CLASSAD_UNDEFINED)
			return UNDEFINED;
	if (arguments->type != CLASSAD_STRING || arguments[1].type != CLASSAD_INT ||
	    (n == 3 && arguments[2].type != CLASSAD_INT))
		return ERROR;
	bytes = end = (int64_t)arguments->bytes;
	begin = (int32_t)arguments[1].integer;	/* 32 bits, as in HTCondor */
	if (begin < 0)
		begin = begin < -bytes ? 0 : begin + bytes;
	if (begin > bytes)
		begin = bytes;
	if (n == 3 && (int32_t)arguments[2].integer < 0)
		end = bytes + (int32_t)arguments[2].integer;
	else if (n == 3 && (int32_t)arguments[2].integer < bytes - begin)
		end = begin + (int32_t)arguments[2].integer;
	if (end < begin)
		end = begin;
	if (text_take(&result, (size_t)(end - begin), room, &text))
		memcpy(text, arguments->text + begin, (size_t)(end - begin));
	return result;
}

static struct classad_value change_case(const struct classad_value *value, struct classad_room *room, char first,
					char last)
{
	struct classad_value source = value_as_text(value, room), result;
	char *text;

	if (source.type != CLASSAD_STRING || !text_take(&result, source.bytes, room, &text))
		return source.type == CLASSAD_STRING ? ERROR : source;
	for (size_t i = 0; i < source.bytes; i++)
		text[i] = source.text[i] >= first && source.text[i] <= last ? (char)(source.text[i] ^ 0x20)
									    : source.text[i];
	return result;
}

struct classad_value text_to_lower(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return change_case(arguments, room, 'A', 'Z');
}

struct classad_value text_to_upper(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return change_case(arguments, room, 'a', 'z');
}

static bool all_texts(const struct classad_value *arguments, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (arguments[i].type != CLASSAD_STRING)
			return false;
	return true;
}

struct classad_value text_split(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value strict = arguments_strict(arguments, n), *items;
	struct separators separators;
	const char *at = arguments->text;
	size_t bytes, count = 0;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	if (!all_texts(arguments, n) || room_spend(room, arguments->bytes / 16))
		return ERROR;
	separators = separators_of(n == 2 ? arguments[1].text : " \t\n\r\f\v", room);
	for (; word_next(&at, &separators, &bytes); at += bytes)
		count++;
	items = room_take(room, (count + 1) * sizeof(*items), _Alignof(struct classad_value));
	if (!items)
		return ERROR;
	count = 0;
	for (at = arguments->text; word_next(&at, &separators, &bytes); at += bytes) {
		char *text;

		if (!text_take(&items[count++], bytes, room, &text))
			return ERROR;
		memcpy(text, at, bytes);
	}
	return (struct classad_value){ .type = CLASSAD_LIST, .items = items, .n = count };
}

struct classad_value text_string_list_size(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value strict = arguments_strict(arguments, n);
	struct separators separators;
	const char *at = arguments->text;
	int64_t count = 0;
	size_t bytes;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	if (!all_texts(arguments, n) || room_spend(room, arguments->bytes / 64))
		return ERROR;
	separators = separators_of(n == 2 ? arguments[1].text : " ,", room);
	for (; word_next(&at, &separators, &bytes); at += bytes)
		count++;
	return INTEGER(count);
}

typedef int texts_compare(const char *x, const char *y, size_t n);

static struct classad_value string_list_member(const struct classad_value *arguments, size_t n,
					       struct classad_room *room, texts_compare *compare)
{
	struct classad_value texts[3] = { [2] = { .type = CLASSAD_STRING, .text = ", \t\r\n", .bytes = 5 } };
	struct separators separators;
	const char *at;
	size_t bytes;

	for (size_t i = 0; i < n; i++) {
		/* an undefined argument is an empty text, unless all are undefined */
		texts[i] = arguments[i];
		if (texts[i].type == CLASSAD_UNDEFINED)
			texts[i] = (struct classad_value){ .type = CLASSAD_STRING, .text = "", .bytes = 0 };
	}
	if (!all_texts(texts, 3))
		return ERROR;
	if (arguments->type == CLASSAD_UNDEFINED && arguments[1].type == CLASSAD_UNDEFINED)
		return UNDEFINED;
	if (room_spend(room, texts[1].bytes / 64))
		return ERROR;
	separators = separators_of(texts[2].text, room);
	at = texts[1].text;
	for (; word_next(&at, &separators, &bytes); at += bytes)
		if (bytes == texts[0].bytes && compare(at, texts[0].text, bytes) == 0)
			return TRUTH(true);
	return TRUTH(false);
}

struct classad_value text_string_list_member(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return string_list_member(arguments, n, room, strncmp);
}

struct classad_value text_string_list_imember(const struct classad_value *arguments, size_t n,
					      struct classad_room *room)
{
	return string_list_member(arguments, n, room, strncasecmp);
}

struct classad_value text_regexp(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value strict = arguments_strict(arguments, n), result = ERROR;
	size_t used = room->used;
	struct regexp *pattern;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	if (!all_texts(arguments, n) || room_spend(room, REGEXP_STATES_MOST / 16))
		return ERROR;
	pattern = regexp_compile(arguments->text, arguments->bytes, n == 3 ? arguments[2].text : "", room);
	if (pattern)
		result = regexp_match(pattern, arguments[1].text, arguments[1].bytes, room);
	room->used = used;
	return result;
}

/* Return true if the pattern matches any item of a list. */
struct classad_value text_regexp_member(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value strict = arguments_strict(arguments, n), result = TRUTH(false);
	size_t used = room->used;
	struct regexp *pattern;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	if (arguments->type != CLASSAD_STRING || arguments[1].type != CLASSAD_LIST ||
	    (n == 3 && arguments[2].type != CLASSAD_STRING) || room_spend(room, REGEXP_STATES_MOST / 16))
		return ERROR;
	pattern = regexp_compile(arguments->text, arguments->bytes, n == 3 ? arguments[2].text : "", room);
	if (!pattern)
		return ERROR;
	for (size_t i = 0; i < arguments[1].n && result.type == CLASSAD_BOOL && !result.truth; i++) {
		const struct classad_value *item = &arguments[1].items[i];

		result = item->type == CLASSAD_STRING ? regexp_match(pattern, item->text, item->bytes, room) : ERROR;
	}
	room->used = used;
	return result;
}

/*
 * Return true if the pattern matches any word of a list. The result for an empty list is undefined.
 */
struct classad_value text_string_list_regexp_member(const struct classad_value *arguments, size_t n,
						    struct classad_room *room)
{
	struct separators separators;
	const char *at;
	struct classad_value result = UNDEFINED;
	size_t used = room->used, bytes;
	struct regexp *pattern;

	if (!all_texts(arguments, n) || room_spend(room, REGEXP_STATES_MOST / 16))
		return ERROR;
	pattern = regexp_compile(arguments->text, arguments->bytes, n == 4 ? arguments[3].text : "", room);
	if (!pattern)
		return ERROR;
	separators = separators_of(n >= 3 ? arguments[2].text : " ,", room);
	for (at = arguments[1].text; word_next(&at, &separators, &bytes) && result.type != CLASSAD_ERROR; at += bytes)
		if (result.type != CLASSAD_BOOL || !result.truth)
			result = regexp_match(pattern, at, bytes, room);
	room->used = used;
	return result;
}
