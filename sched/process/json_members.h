/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a struct as a table, for objects that are written once or a few thousand times.
 *
 *     static const struct json_member members[] = {
 *             JSON_MEMBER(struct fl_match, submitter, "submitter"),
 *             JSON_NAME(struct fl_match, slot, "slot"),
 *     };
 *     json_write_members(out, "{", members, sizeof(members) / sizeof(*members), &match);
 */
#ifndef SCHED_PROCESS_JSON_MEMBERS_H
#define SCHED_PROCESS_JSON_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/process/output.h"

enum json_type {
	JSON_BOOL, JSON_INT32, JSON_UINT32, JSON_INT64, JSON_UINT64, JSON_EXACT,
	JSON_TEXT,			/* const char * */
	JSON_LETTERS,			/* char[] */
	JSON_TEXT_OR_NULL,		/* const char *, null if it is empty */
	JSON_TIME,			/* int64_t, null if it is 0 */
	JSON_COUNT,			/* int32_t, null if it is negative */
	JSON_AMOUNT,			/* double, null if it is negative or DBL_MAX */
};

struct json_member {
	enum json_type type;
	uint32_t offset;
	const char *key;		/* text before the value: "\"name\":" */
};

/* The type is that of the member. A char * or char[] needs JSON_MEMBER_AS(). */
#define JSON_MEMBER(STRUCT, MEMBER, KEY)								\
	{ _Generic(((STRUCT *)0)->MEMBER, bool: JSON_BOOL, int32_t: JSON_INT32, uint32_t: JSON_UINT32,	\
		   int64_t: JSON_INT64, uint64_t: JSON_UINT64, double: JSON_EXACT, const char *: JSON_TEXT),	\
	  offsetof(STRUCT, MEMBER), "\"" KEY "\":" }
#define JSON_MEMBER_AS(TYPE, STRUCT, MEMBER, KEY) { TYPE, offsetof(STRUCT, MEMBER), "\"" KEY "\":" }
#define JSON_NAME(STRUCT, MEMBER, KEY) JSON_MEMBER_AS(JSON_TEXT_OR_NULL, STRUCT, MEMBER, KEY)

/* Write the members, separated by commas, after the text `begin`. */
void json_write_members(struct out *out, const char *begin, const struct json_member *members, size_t n,
			const void *object);

#define JSON_WRITE_MEMBERS(OUT, BEGIN, MEMBERS, OBJECT) \
	json_write_members((OUT), (BEGIN), (MEMBERS), sizeof(MEMBERS) / sizeof(*(MEMBERS)), (OBJECT))

#endif
