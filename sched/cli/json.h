/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as it is made, without a tree: a million jobs go through a small buffer. `key` is all that stands before the value, as in
 * ",\"prio\":", so that it costs one copy.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "sched/cli/digits.h"
#include "sched/cli/text.h"

/* Writes the key and makes room for more; inline, so that the length of the key is known when it is compiled. */
static inline char *json_key(struct out *o, const char *key, size_t room)
{
	size_t n = strlen(key);
	char *p = out_room(o, n + room);

	memcpy(p, key, n);
	return p + n;
}

static inline void json_literal(struct out *o, const char *text)
{
	out_take(o, json_key(o, text, 0));
}

static inline void json_number(struct out *o, const char *key, int64_t value)
{
	out_take(o, digits_i64(json_key(o, key, DIGITS_BYTES), value));
}

static inline void json_bool(struct out *o, const char *key, bool value)
{
	out_take(o, json_key(o, key, 0));
	if (value)
		json_literal(o, "true");
	else
		json_literal(o, "false");
}

/* null when 0 */
static inline void json_time(struct out *o, const char *key, int64_t time)
{
	char *p = json_key(o, key, DIGITS_BYTES);

	out_take(o, time ? digits_i64(p, time) : (char *)memcpy(p, "null", 4) + 4);
}

/* null when not finite */
static inline void json_exact(struct out *o, const char *key, double value)
{
	out_take(o, digits_exact(json_key(o, key, DIGITS_BYTES), value));
}

static inline void json_string(struct out *o, const char *key, const char *text)
{
	out_take(o, json_key(o, key, 0));
	text_json(o, text);
}

/* null when empty */
static inline void json_name(struct out *o, const char *key, const char *text)
{
	out_take(o, json_key(o, key, 0));
	if (*text)
		text_json(o, text);
	else
		json_literal(o, "null");
}

/* "run":{...}, with the members of struct fl_run. */
void json_run(struct out *o, const struct fl_view *view);

#endif
