/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations + - * / %, shifts and bits. Integers wrap around. The result is error after a division
 * by 0, also of reals, and if a real result is not finite.
 */
#include <math.h>

#include "conf/classad/inside.h"

static struct classad_value integers_calculate(enum operation operation, int64_t x, int64_t y)
{
	uint64_t a = (uint64_t)x, b = (uint64_t)y;

	switch (operation) {
	case OP_ADD:
		return INTEGER((int64_t)(a + b));
	case OP_SUBTRACT:
		return INTEGER((int64_t)(a - b));
	case OP_MULTIPLY:
		return INTEGER((int64_t)(a * b));
	case OP_DIVIDE:
		return y == 0 ? ERROR : y == -1 ? INTEGER((int64_t)(0 - a)) : INTEGER(x / y);
	default:
		return y == 0 ? ERROR : y == -1 ? INTEGER(0) : INTEGER(x % y);
	}
}

static struct classad_value finite_real(double result)
{
	return isfinite(result) ? REAL(result) : ERROR;
}

static struct classad_value reals_calculate(enum operation operation, double x, double y)
{
	switch (operation) {
	case OP_ADD:
		return finite_real(x + y);
	case OP_SUBTRACT:
		return finite_real(x - y);
	case OP_MULTIPLY:
		return finite_real(x * y);
	case OP_DIVIDE:
		return y == 0 ? ERROR : finite_real(x / y);
	default:
		return ERROR;
	}
}

static struct classad_value bits_calculate(enum operation operation, int64_t x, int64_t y)
{
	unsigned count = (uint64_t)y & 63;

	switch (operation) {
	case OP_BIT_OR:
		return INTEGER(x | y);
	case OP_BIT_XOR:
		return INTEGER(x ^ y);
	case OP_BIT_AND:
		return INTEGER(x & y);
	case OP_LEFT:
		return INTEGER((int64_t)((uint64_t)x << count));
	case OP_RIGHT:
		return INTEGER(x >> count);
	default:
		return INTEGER((int64_t)((uint64_t)x >> count));
	}
}

void value_calculate(enum operation operation, struct classad_value *x, const struct classad_value *y)
{
	if (x->type == CLASSAD_ERROR || y->type == CLASSAD_ERROR)
		*x = ERROR;
	else if (x->type == CLASSAD_UNDEFINED || y->type == CLASSAD_UNDEFINED)
		*x = UNDEFINED;
	else if (operation < OP_ADD)
		*x = x->type == CLASSAD_INT && y->type == CLASSAD_INT
			     ? bits_calculate(operation, x->integer, y->integer)
			     : ERROR;
	else if (!is_number(x) || !is_number(y))
		*x = ERROR;
	else if (x->type == CLASSAD_REAL || y->type == CLASSAD_REAL)
		*x = reals_calculate(operation, real_of(x), real_of(y));
	else
		*x = integers_calculate(operation, integer_of(x), integer_of(y));
}

/* Apply ! ~ - + */
void value_sign(enum operation operation, struct classad_value *value)
{
	if (operation == OP_NOT) {
		*value = truth_of(value);
		if (value->type == CLASSAD_BOOL)
			value->truth = !value->truth;
	} else if (value->type == CLASSAD_UNDEFINED || value->type == CLASSAD_ERROR) {
		return;
	} else if (value->type == CLASSAD_INT) {
		if (operation != OP_PLUS)
			value->integer =
				operation == OP_MINUS ? (int64_t)(0 - (uint64_t)value->integer) : ~value->integer;
	} else if (value->type == CLASSAD_REAL && operation != OP_COMPLEMENT) {
		value->real = operation == OP_MINUS ? -value->real : value->real;
	} else {
		*value = ERROR;
	}
}
