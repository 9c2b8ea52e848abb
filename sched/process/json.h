/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as it is written, without a tree: into a small buffer before a descriptor, or into memory.
 * `key` is all that stands before the value, as in ",\"prio\":", so that it costs one copy.
 *
 *     json_write_number(o, "{\"job_number\":", 17);
 *     json_write_string(o, ",\"owner\":", "ann");
 *     json_write_literal(o, "}\n");
 *
 * Numbers keep all their bits. What is not finite is null.
 */
#ifndef SCHED_PROCESS_JSON_H
#define SCHED_PROCESS_JSON_H

#include "sched/process/output.h"
#include "sched/process/digits.h"

/*
 * At p, where there is room for the key and for DIGITS_BYTES. Inline, so that the length of the key
 * is known when it is compiled.
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

/* null when 0 */
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
 * A string of at most `most` bytes with its quotes; NULL: it is longer or needs escapes, and what
 * is at p means nothing.
 */
char *json_put_short(char *p, const char *text, size_t most);

/* In quotes; invalid bytes become U+FFFD. */
void json_text(struct out *out, const char *text);
/* The bytes of that, without the quotes. */
size_t json_text_bytes(const char *text);
/* null when empty */
void json_text_or_null(struct out *out, const char *text);

/* The same as above, but the room is made. */

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

static inline void json_write_string_or_null(struct out *out, const char *key, const char *text)
{
	json_write_literal(out, key);
	json_text_or_null(out, text);
}

#endif
