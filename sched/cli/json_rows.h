/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a million jobs as JSON. A row is written at a pointer in a register. There is room for
 * ROWS_ROOM_BYTES at its start, and again after everything without a length limit: strings that the
 * memo does not take, and lists.
 */
#ifndef CLI_JSON_ROWS_H
#define CLI_JSON_ROWS_H

#include "sched/cli/memo.h"
#include "sched/process/json.h"
#include "sched/reader/fairlead.h"

#define ROWS_ROOM_BYTES (16u << 10)

struct json_rows {
	const struct fl_view *view;
	struct out *out;
	struct memo *memo;
	bool follows;		/* a row precedes */
};

/* Begin a row, separated from the previous one. */
static inline char *json_rows_begin(struct json_rows *rows)
{
	char *p = out_room(rows->out, ROWS_ROOM_BYTES);

	p = rows->follows ? json_put(p, ",\n") : json_put(p, "\n");
	rows->follows = true;
	return p;
}

/* Write any string, without the memo. */
static inline char *json_rows_any(struct json_rows *rows, char *p, const char *text)
{
	out_take(rows->out, p);
	json_text(rows->out, text);
	return out_room(rows->out, ROWS_ROOM_BYTES);
}

/* Write a string of the segment. */
static inline char *json_rows_string(struct json_rows *rows, char *p, const char *text)
{
	char *end = memo_json(rows->memo, p, text);

	return end ? end : json_rows_any(rows, p, text);
}

/* Write a string, null when empty. */
static inline char *json_rows_name(struct json_rows *rows, char *p, const char *text)
{
	return *text ? json_rows_string(rows, p, text) : json_put(p, "null");
}

#endif
