/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as it is made, without a tree: a million jobs go through a small buffer. `key` is all that
 * stands before the value, as in ",\"prio\":", so that it costs one copy.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "sched/cli/text.h"
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

/* null when not finite */
static inline char *json_put_exact(char *p, const char *key, double value)
{
	return digits_exact(json_put(p, key), value);
}

/* The same, but the room is made. */

static inline void json_literal(struct out *o, const char *text)
{
	out_take(o, json_put(out_room(o, strlen(text)), text));
}

static inline void json_number(struct out *o, const char *key, int64_t value)
{
	out_take(o, json_put_number(out_room(o, strlen(key) + DIGITS_BYTES), key, value));
}

static inline void json_bool(struct out *o, const char *key, bool value)
{
	out_take(o, json_put_bool(out_room(o, strlen(key) + DIGITS_BYTES), key, value));
}

static inline void json_exact(struct out *o, const char *key, double value)
{
	out_take(o, json_put_exact(out_room(o, strlen(key) + DIGITS_BYTES), key, value));
}

static inline void json_string(struct out *o, const char *key, const char *text)
{
	json_literal(o, key);
	text_json(o, text);
}

/* "run":{...}, with the members of struct fl_run. */
void json_run(struct out *o, const struct fl_view *view);

#endif
