/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluation of the operations of a derivation, as the processor does them in the line's precision.
 */
#include <math.h>
#include <string.h>

#include "sched/explain/derivation.h"
#include "tickets/six_decimals.h"
#include "urgency/normalize.h"

static long double bounded(long double value)
{
	if (value >= -DERIVED_LIMIT && value <= DERIVED_LIMIT)
		return value;
	return value > 0 ? DERIVED_LIMIT : value < 0 ? -DERIVED_LIMIT : 0.0L;
}

static long double operand_value(const struct derivation *derivation, const struct derived_line *line, size_t k)
{
	return derivation->lines[derivation->operands[line->first + k].line].value;
}

/* Apply one operation to two doubles, so that only its result is rounded. */
static double step_double(enum derived_operation operation, double a, double b)
{
	switch (operation) {
	case OPERATION_SUM: return a + b;
	case OPERATION_DIFFERENCE: return a - b;
	case OPERATION_PRODUCT: return a * b;
	case OPERATION_QUOTIENT: return a / b;
	case OPERATION_LEAST: return b < a ? b : a;
	case OPERATION_GREATEST: return b > a ? b : a;
	case OPERATION_POWER: return pow(a, b);
	default: return a;
	}
}

static long double step_extended(enum derived_operation operation, long double a, long double b)
{
	switch (operation) {
	case OPERATION_SUM: return a + b;
	case OPERATION_DIFFERENCE: return a - b;
	case OPERATION_PRODUCT: return a * b;
	case OPERATION_QUOTIENT: return a / b;
	case OPERATION_LEAST: return b < a ? b : a;
	case OPERATION_GREATEST: return b > a ? b : a;
	case OPERATION_POWER: return powl(a, b);
	default: return a;
	}
}

static long double rounded(enum precision precision, long double value)
{
	return precision == PRECISION_DOUBLE  ? (long double)(double)value
	       : precision == PRECISION_WHOLE ? truncl(value)
					      : value;
}

static long double step(enum precision precision, enum derived_operation operation, long double a, long double b)
{
	if (precision == PRECISION_DOUBLE)
		return step_double(operation, (double)a, (double)b);
	return rounded(precision, step_extended(operation, a, b));
}

/* Apply the operation to all operands, from left to right. */
static long double fold(const struct derivation *derivation, const struct derived_line *line)
{
	long double value = 0.0L;
	bool begun = false;

	for (size_t k = 0; k < line->count; k++) {
		long double next = rounded(line->precision, operand_value(derivation, line, k));

		for (uint32_t times = derivation->operands[line->first + k].times; times > 0; times--) {
			value = begun ? step(line->precision, line->operation, value, next) : next;
			begun = true;
		}
	}
	return value;
}

static uint32_t wrapped(const struct derivation *derivation, const struct derived_line *line)
{
	return (uint32_t)((uint64_t)(int64_t)operand_value(derivation, line, 0) -
			  (uint64_t)(int64_t)operand_value(derivation, line, 1));
}

/* Evaluate a line. Operations with one operand, and those with several steps, are done here. */
static long double evaluate(const struct derivation *derivation, const struct derived_line *line)
{
	long double a = line->count > 0 ? rounded(line->precision, operand_value(derivation, line, 0)) : 0.0L;

	switch (line->operation) {
	case OPERATION_NORMALISED:
		return line->count < 3 ? 0.0L
				       : normalize((double)a, (double)operand_value(derivation, line, 1),
						   (double)operand_value(derivation, line, 2));
	case OPERATION_TRUNCATED:
		return truncl(a);
	case OPERATION_LOGARITHM:
		return line->precision == PRECISION_DOUBLE ? (long double)log((double)a) : logl(a);
	case OPERATION_WRAPPED:
		return line->count < 2 ? 0.0L : (long double)wrapped(derivation, line);
	case OPERATION_WRAPPED_SIGNED:
		return line->count < 2 ? 0.0L : (long double)(int32_t)wrapped(derivation, line);
	case OPERATION_SIX_DECIMALS:
		return six_decimals((double)a);
	default:
		return fold(derivation, line);
	}
}

long double derivation_evaluate(const struct derivation *derivation, uint32_t line)
{
	const struct derived_line *derived_line = &derivation->lines[line];

	return derived_line->operation == OPERATION_GIVEN ? derived_line->value
							  : bounded(evaluate(derivation, derived_line));
}

uint32_t derivation_check(const struct derivation *derivation)
{
	for (uint32_t i = 0; i < derivation->n; i++)
		if (derivation_evaluate(derivation, i) != derivation->lines[i].value)
			return i;
	return DERIVED_NONE;
}
