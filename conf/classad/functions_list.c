/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on lists: min max sum avg member identicalMember anyCompare allCompare size. */
#include "conf/classad/inside.h"

/*
 * Return the smallest or largest item. Items must be numbers or booleans; undefined ones are
 * skipped. The result is real if one of them is. A single boolean stays a boolean.
 */
static struct classad_value extreme(const struct classad_value *list, struct classad_room *room, enum operation better)
{
	struct classad_value best = UNDEFINED;
	bool real = false;
	size_t known = 0;

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
		known++;
		value_compare(better, &is_better, &best, room);
		if (best.type == CLASSAD_UNDEFINED || is_better.truth)
			best = *item;
	}
	if (best.type == CLASSAD_BOOL && known > 1)
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

/*
 * Add up the items, which must be numbers or booleans. Undefined ones are skipped, and *known is
 * the number of the others. A single boolean stays a boolean. The sum of no items is 0.
 */
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
		if (++*known == 1)
			total = list->items[i];
		else
			value_calculate(OP_ADD, &total, &list->items[i]);
	}
	return total;
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
	return is_number(&total) && known > 0 ? REAL(real_of(&total) / (double)known) : total;
}

/* Search a list. An item that cannot be compared does not match. */
static struct classad_value member(enum operation operation, const struct classad_value *arguments,
				   struct classad_room *room)
{
	const struct classad_value *list = arguments + 1;

	if (list->type == CLASSAD_UNDEFINED || (operation != OP_IS && arguments->type == CLASSAD_UNDEFINED))
		return UNDEFINED;
	if (arguments->type >= CLASSAD_LIST || list->type != CLASSAD_LIST || room_spend(room, list->n / 8) ||
	    (operation != OP_IS && arguments->type == CLASSAD_ERROR))
		return ERROR;
	for (size_t i = 0; i < list->n; i++) {
		struct classad_value equal = list->items[i];

		value_compare(operation, &equal, arguments, room);
		if (room_spend(room, 0))
			return ERROR;
		if (equal.type == CLASSAD_BOOL && equal.truth)
			return equal;
	}
	return TRUTH(false);
}

struct classad_value list_member(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return member(OP_EQUAL, arguments, room);
}

struct classad_value list_identical_member(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return member(OP_IS, arguments, room);
}

/* Find a comparison by name. Returns false if the text is not a comparison. */
static bool comparison_of(const char *text, enum operation *operation)
{
	static const struct { const char *text; enum operation operation;
	} comparisons[] = {
		{ "<", OP_LESS }, { "<=", OP_LESS_EQUAL }, { "==", OP_EQUAL }, { "!=", OP_UNEQUAL },
		{ ">", OP_MORE }, { ">=", OP_MORE_EQUAL }, { "is", OP_IS },    { "isnt", OP_ISNT },
	};

	for (size_t i = 0; i < sizeof(comparisons) / sizeof(*comparisons); i++)
		if (strcmp(text, comparisons[i].text) == 0) {
			*operation = comparisons[i].operation;
			return true;
		}
	return false;
}

/*
 * Compare the items one by one. The first result that is `decisive`, or not comparable, is the
 * result.
 */
static struct classad_value list_compare(const struct classad_value *arguments, struct classad_room *room,
					 bool decisive)
{
	const struct classad_value *list = arguments + 1;
	enum operation operation;

	if (arguments->type == CLASSAD_UNDEFINED)
		return UNDEFINED;
	if (arguments->type != CLASSAD_STRING || !comparison_of(arguments->text, &operation))
		return ERROR;
	if (list->type == CLASSAD_UNDEFINED)
		return UNDEFINED;
	if (list->type != CLASSAD_LIST || room_spend(room, list->n / 8))
		return ERROR;
	for (size_t i = 0; i < list->n; i++) {
		struct classad_value result = list->items[i];

		value_compare(operation, &result, arguments + 2, room);
		if (result.type == CLASSAD_UNDEFINED)
			return TRUTH(false);
		if (result.type != CLASSAD_BOOL || room_spend(room, 0))
			return ERROR;
		if (result.truth == decisive)
			return result;
	}
	return TRUTH(!decisive);
}

struct classad_value list_any_compare(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return list_compare(arguments, room, true);
}

struct classad_value list_all_compare(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n;
	return list_compare(arguments, room, false);
}

struct classad_value list_size(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)n, (void)room;
	switch (arguments->type) {
	case CLASSAD_LIST:
		return INTEGER((int64_t)arguments->n);
	case CLASSAD_AD:
		return INTEGER((int64_t)classad_count(arguments->ad->own));
	case CLASSAD_STRING:
		return INTEGER((int64_t)arguments->bytes);
	case CLASSAD_UNDEFINED:
		return UNDEFINED;
	default:
		return ERROR;
	}
}
