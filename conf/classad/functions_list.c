/* SPDX-License-Identifier: Apache-2.0 */
/* min max sum avg member identicalMember size: what calls may say of a list. */
#include "conf/classad/inside.h"

/* Numbers alone, undefined ones left out; real if one of them is. */
static struct classad_value extreme(const struct classad_value *list, struct classad_room *room, enum operation better)
{
	struct classad_value best = UNDEFINED;
	bool real = false;

	if (list->type == CLASSAD_UNDEFINED)
		return UNDEFINED;
	if (list->type != CLASSAD_LIST || room_spend(room, list->n / 8))
		return ERROR;
	for (size_t i = 0; i < list->n; i++) {
		const struct classad_value *item = &list->items[i];
		struct classad_value is_better = *item;

		if (item->type == CLASSAD_UNDEFINED)
			continue;
		if (!is_number(item))
			return ERROR;
		real |= item->type == CLASSAD_REAL;
		value_compare(better, &is_better, &best);
		if (best.type == CLASSAD_UNDEFINED || is_better.truth)
			best = *item;
	}
	if (best.type == CLASSAD_BOOL)
		best = INTEGER(best.truth);
	return real ? REAL(real_of(&best)) : best;
}

struct classad_value list_min(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return extreme(arguments, room, OP_LESS);
}

struct classad_value list_max(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return extreme(arguments, room, OP_MORE);
}

/* Of numbers alone, undefined ones left out; *known: of how many. INT, REAL, UNDEFINED or ERROR. */
static struct classad_value sum(const struct classad_value *list, struct classad_room *room, size_t *known)
{
	struct classad_value total = INTEGER(0);

	*known = 0;
	if (list->type == CLASSAD_UNDEFINED)
		return UNDEFINED;
	if (list->type != CLASSAD_LIST || room_spend(room, list->n / 8))
		return ERROR;
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].type == CLASSAD_UNDEFINED)
			continue;
		if (!is_number(&list->items[i]))
			return ERROR;
		value_calculate(OP_ADD, &total, &list->items[i]);
		++*known;
	}
	return *known == 0 && list->n > 0 ? UNDEFINED : total;
}

struct classad_value list_sum(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	size_t known;

	(void)n;
	return sum(arguments, room, &known);
}

struct classad_value list_avg(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	size_t known;
	struct classad_value total = sum(arguments, room, &known);

	(void)n;
	return is_number(&total) ? REAL(known > 0 ? real_of(&total) / (double)known : 0.0) : total;
}

/* What can't be compared is not it. */
static struct classad_value member(enum operation operation, const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	const struct classad_value *list = arguments + 1;
	struct classad_value strict = arguments_strict(arguments, n);

	if (strict.type != CLASSAD_BOOL)
		return strict;
	if (arguments->type == CLASSAD_LIST || list->type != CLASSAD_LIST || room_spend(room, list->n / 8))
		return ERROR;
	for (size_t i = 0; i < list->n; i++) {
		struct classad_value equal = list->items[i];

		value_compare(operation, &equal, arguments);
		if (equal.type == CLASSAD_BOOL && equal.truth)
			return equal;
	}
	return TRUTH(false);
}

struct classad_value list_member(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return member(OP_EQUAL, arguments, n, room);
}

struct classad_value list_identical_member(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return member(OP_IS, arguments, n, room);
}

struct classad_value list_size(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n, (void)room;
	switch (arguments->type) {
	case CLASSAD_LIST:
		return INTEGER((int64_t)arguments->n);
	case CLASSAD_STRING:
		return INTEGER((int64_t)arguments->bytes);
	case CLASSAD_UNDEFINED:
		return UNDEFINED;
	default:
		return ERROR;
	}
}
