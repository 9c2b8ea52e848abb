/* SPDX-License-Identifier: Apache-2.0 */
/* Order of texts, and of versions, in which numbers are compared as numbers. */
#include <stdlib.h>

#include "conf/classad/inside.h"

typedef int order_of(const char *x, const char *y);

/* Compare two values as texts. The result is INT, UNDEFINED or ERROR. */
static struct classad_value texts_order(const struct classad_value *arguments, struct classad_room *room,
					order_of *order)
{
	struct classad_value texts[2] = { value_as_text(arguments, room), value_as_text(arguments + 1, room) };
	struct classad_value strict = arguments_strict(texts, 2);
	int result;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	if (texts_spend(&texts[0], &texts[1], room))
		return ERROR;
	result = order(texts[0].text, texts[1].text);
	return INTEGER((result > 0) - (result < 0));
}

struct classad_value order_strcmp(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return texts_order(arguments, room, strcmp);
}

struct classad_value order_stricmp(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return texts_order(arguments, room, strcasecmp);
}

/*
 * Compare versions. strverscmp(3) has the order that HTCondor's manual describes: 000, 00, 01, 010,
 * 09, 0, 1, 9, 10.
 */
static struct classad_value versions_order(const struct classad_value *x, const struct classad_value *y,
					   struct classad_room *room)
{
	struct classad_value both[2] = { *x, *y }, strict = arguments_strict(both, 2);
	int result;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	if (x->type != CLASSAD_STRING || y->type != CLASSAD_STRING || texts_spend(x, y, room))
		return ERROR;
	result = strverscmp(x->text, y->text);
	return INTEGER((result > 0) - (result < 0));
}

struct classad_value order_versioncmp(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return versions_order(arguments, arguments + 1, room);
}

#define VERSION_ORDER(NAME, HOLDS)										\
	struct classad_value NAME(const struct classad_value *arguments, size_t n, struct classad_room *room)	\
	{													\
		struct classad_value order = versions_order(arguments, arguments + 1, room);			\
														\
		(void)n;											\
		return order.type == CLASSAD_INT ? TRUTH(order.integer HOLDS 0) : order;			\
	}
VERSION_ORDER(order_version_gt, >)
VERSION_ORDER(order_version_ge, >=)
VERSION_ORDER(order_version_lt, <)
VERSION_ORDER(order_version_le, <=)
VERSION_ORDER(order_version_eq, ==)

struct classad_value order_version_in_range(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value strict = arguments_strict(arguments, n), low, high;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	low = versions_order(arguments + 1, arguments, room);
	high = versions_order(arguments, arguments + 2, room);
	return low.type == CLASSAD_INT && high.type == CLASSAD_INT ? TRUTH(low.integer <= 0 && high.integer <= 0)
								   : ERROR;
}
