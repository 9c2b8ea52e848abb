/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a line of a journal. A member that is missing or has the wrong type counts as 0 or "".
 */
#ifndef SCHED_QMASTER_JOURNAL_LINE_H
#define SCHED_QMASTER_JOURNAL_LINE_H

#include "sched/qmaster/members/values.h"

static inline const char *line_text(const struct value *object, const char *name)
{
	const struct value *value = value_member(object, name);

	return value && value->type == VALUE_STRING ? value->text : "";
}

static inline bool line_is(const struct value *object, const char *name)
{
	const struct value *value = value_member(object, name);

	return value && value->type == VALUE_TRUE;
}

/* Return a whole number. A number outside the range is replaced by the nearer limit. */
static inline int64_t line_whole(const struct value *object, const char *name, int64_t least, int64_t most)
{
	const struct value *value = value_member(object, name);
	int64_t x = value && value->type == VALUE_INTEGER ? value->integer : 0;

	return x < least ? least : x > most ? most : x;
}

#endif
