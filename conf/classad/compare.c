/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons == != < <= > >=, and =?= =!=. The latter two are never undefined, and are error only
 * for two lists or two ads.
 */
#include "conf/classad/inside.h"

/* Return true if two values are identical. They must not both be lists or ads. */
static bool value_same(const struct classad_value *x, const struct classad_value *y, struct classad_room *room)
{
	if (x->type != y->type)
		return false;
	switch (x->type) {
	case CLASSAD_BOOL:
		return x->truth == y->truth;
	case CLASSAD_INT:
		return x->integer == y->integer;
	case CLASSAD_REAL:
		return x->real == y->real;
	case CLASSAD_STRING:
		return x->bytes == y->bytes && !texts_spend(x, y, room) && memcmp(x->text, y->text, x->bytes) == 0;
	default:
		return true;
	}
}

/* Return the result of an operation for an order below 0, 0, or above 0. */
static bool order_holds(enum operation operation, int order)
{
	switch (operation) {
	case OP_EQUAL:
		return order == 0;
	case OP_UNEQUAL:
		return order != 0;
	case OP_LESS:
		return order < 0;
	case OP_LESS_EQUAL:
		return order <= 0;
	case OP_MORE:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* Compare reals directly, because NaN has no order. */
static bool reals_compare(enum operation operation, double x, double y)
{
	switch (operation) {
	case OP_EQUAL:
		return x == y;
	case OP_UNEQUAL:
		return x != y;
	case OP_LESS:
		return x < y;
	case OP_LESS_EQUAL:
		return x <= y;
	case OP_MORE:
		return x > y;
	default:
		return x >= y;
	}
}

void value_compare(enum operation operation, struct classad_value *x, const struct classad_value *y,
		   struct classad_room *room)
{
	if ((operation == OP_IS || operation == OP_ISNT) && x->type >= CLASSAD_LIST && x->type == y->type) {
		*x = ERROR;		/* lists and ads are not compared */
	} else if (operation == OP_IS || operation == OP_ISNT) {
		*x = TRUTH(value_same(x, y, room) == (operation == OP_IS));
	} else if (x->type == CLASSAD_ERROR || y->type == CLASSAD_ERROR) {
		*x = ERROR;
	} else if (x->type == CLASSAD_UNDEFINED || y->type == CLASSAD_UNDEFINED) {
		*x = UNDEFINED;
	} else if (x->type == CLASSAD_STRING && y->type == CLASSAD_STRING) {
		*x = texts_spend(x, y, room) ? ERROR : TRUTH(order_holds(operation, strcasecmp(x->text, y->text)));
	} else if (!is_number(x) || !is_number(y)) {
		*x = ERROR;
	} else if (x->type == CLASSAD_REAL || y->type == CLASSAD_REAL) {
		*x = TRUTH(reals_compare(operation, real_of(x), real_of(y)));
	} else {
		int64_t a = integer_of(x), b = integer_of(y);

		*x = TRUTH(order_holds(operation, (a > b) - (a < b)));
	}
}
