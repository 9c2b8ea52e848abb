/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write JSON without a tree: into a small buffer for a descriptor, or into memory. `key` is all
 * text before the value, such as ",\"prio\":", so that it costs one copy.
 *
 *     json_write_number(o, "{\"job_number\":", 17);
 *     json_write_string(o, ",\"owner\":", "ann");
 *     json_write_literal(o, "}\n");
 *
 * Numbers keep all their bits. A number that is not finite becomes null.
 */
#ifndef SCHED_PROCESS_JSON_H
#define SCHED_PROCESS_JSON_H

#include "sched/process/output.h"
#include "sched/process/digits.h"

/*
 * Functions that write at `p`, where there must be room for the key and for DIGITS_BYTES. They are
 * inline, so that the length of the key is a constant.
 */

static inline char *json_put(char *p, const char *literal)
{
	size_t n = strlen(literal);

	return (char *)memcpy(p, literal, n) + n;
}

static inline char *json_put_number(char *p, const char *key, int64_t value)
{
	return digits_i64(json_put(p, key), value);
}

static inline char *json_put_bool(char *p, const char *key, bool value)
{
	p = json_put(p, key);
	return value ? json_put(p, "true") : json_put(p, "false");
}

/* Write a time; null if it is 0. */
static inline char *json_put_time(char *p, const char *key, int64_t time)
{
	p = json_put(p, key);
	return time ? digits_i64(p, time) : json_put(p, "null");
}

static inline char *json_put_exact(char *p, const char *key, double value)
{
	return digits_exact(json_put(p, key), value);
}

/*
 * Write a string of at most `most` bytes with its quotes. NULL: it is longer or needs escapes, and
 * the bytes at `p` are undefined.
 */
char *json_put_short(char *p, const char *text, size_t most);

/* Write a string in quotes; invalid bytes become U+FFFD. */
void json_text(struct out *out, const char *text);
/* Return the length of that string without the quotes. */
size_t json_text_bytes(const char *text);
/*
 * Write a string in quotes that keeps every valid character, for texts that programs store and read
 * again. Control characters below U+0020 have the short escapes of JSON, such as \\n, or \\u00XX.
 * Invalid bytes become U+FFFD.
 */
void json_plain_text(struct out *out, const char *text);
/* Write a string in quotes, or null if it is empty. */
void json_text_or_null(struct out *out, const char *text);

/* Functions like those above that make the room. */

static inline void json_write_literal(struct out *out, const char *text)
{
	out_take(out, json_put(out_room(out, strlen(text)), text));
}

static inline void json_write_number(struct out *out, const char *key, int64_t value)
{
	out_take(out, json_put_number(out_room(out, strlen(key) + DIGITS_BYTES), key, value));
}

static inline void json_write_bool(struct out *out, const char *key, bool value)
{
	out_take(out, json_put_bool(out_room(out, strlen(key) + DIGITS_BYTES), key, value));
}

static inline void json_write_exact(struct out *out, const char *key, double value)
{
	out_take(out, json_put_exact(out_room(out, strlen(key) + DIGITS_BYTES), key, value));
}

static inline void json_write_string(struct out *out, const char *key, const char *text)
{
	json_write_literal(out, key);
	json_text(out, text);
}

static inline void json_write_plain(struct out *out, const char *key, const char *text)
{
	json_write_literal(out, key);
	json_plain_text(out, text);
}

static inline void json_write_string_or_null(struct out *out, const char *key, const char *text)
{
	json_write_literal(out, key);
	json_text_or_null(out, text);
}

#endif
