/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/derivation.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"

#define FEW_OPERANDS 12

static const char *const operations[OPERATIONS] = {
	[OPERATION_GIVEN] = "given", [OPERATION_SAME] = "same", [OPERATION_SUM] = "sum",
	[OPERATION_DIFFERENCE] = "difference",
	[OPERATION_PRODUCT] = "product", [OPERATION_QUOTIENT] = "quotient", [OPERATION_LEAST] = "least",
	[OPERATION_GREATEST] = "greatest", [OPERATION_NORMALISED] = "normalised", [OPERATION_TRUNCATED] = "truncated",
	[OPERATION_POWER] = "power", [OPERATION_LOGARITHM] = "logarithm", [OPERATION_WRAPPED] = "wrapped",
	[OPERATION_WRAPPED_SIGNED] = "wrapped_signed", [OPERATION_SIX_DECIMALS] = "six_decimals",
};

static const char *const holder_kinds[HOLDER_KINDS] = {
	[HOLDER_NONE] = "", [HOLDER_JOB] = "job", [HOLDER_USER] = "user", [HOLDER_PROJECT] = "project",
	[HOLDER_DEPARTMENT] = "department", [HOLDER_NODE] = "node", [HOLDER_RESOURCE] = "resource",
	[HOLDER_PARTITION] = "partition", [HOLDER_QOS] = "qos",
	[HOLDER_ASSOCIATION] = "association", [HOLDER_CUSTOMER] = "customer",
};

const char *operation_name(enum derived_operation operation)
{
	return operations[operation];
}

const char *precision_name(enum precision precision)
{
	static const char *const names[] = {
		[PRECISION_DOUBLE] = "double", [PRECISION_EXTENDED] = "extended", [PRECISION_WHOLE] = "whole"
	};

	return names[precision];
}

const char *holder_kind_name(enum holder_kind kind)
{
	return holder_kinds[kind];
}

void derivation_free(struct derivation *derivation)
{
	free(derivation->lines);
	free(derivation->operands);
	text_set_free(&derivation->texts);
	*derivation = (struct derivation){ 0 };
}

/* Store a text until the derivation is freed. "": memory is exhausted. */
static const char *text_keep(struct derivation *derivation, const char *text)
{
	uint32_t number;

	if (!*text)
		return "";
	if (text_set_add(&derivation->texts, text, &number)) {
		derivation->rc = -ENOMEM;
		return "";
	}
	return derivation->texts.texts[number];
}

static int reserve(struct derivation *derivation, size_t operands)
{
	if (array_reserve(&derivation->capacity, derivation->n + 1, COLUMN(derivation->lines)))
		return -ENOMEM;
	if (operands > derivation->operands_capacity - derivation->noperands) {
		size_t capacity = 2 * derivation->operands_capacity + operands + 64;

		if (array_grow(&derivation->operands, capacity, sizeof(*derivation->operands)))
			return -ENOMEM;
		derivation->operands_capacity = capacity;
	}
	return derivation->n < DERIVED_NONE ? 0 : -ENOMEM;
}

/* Add a line whose operands have already been added after those of the line before. */
static uint32_t line_add(struct derivation *derivation, struct derived_line line)
{
	if (derivation->rc)
		return DERIVED_NONE;
	derivation->lines[derivation->n] = line;
	derivation->noperands += line.count;
	return (uint32_t)derivation->n++;
}

static uint32_t give(struct derivation *derivation, enum precision precision, const char *name, long double value,
		     const char *source)
{
	if (derivation->rc || reserve(derivation, 0)) {
		derivation->rc = -ENOMEM;
		return DERIVED_NONE;
	}
	return line_add(derivation, (struct derived_line){ .name = text_keep(derivation, name),
							   .unit = "",
							   .source = text_keep(derivation, source),
							   .value = isfinite(value) ? value : 0.0L,
							   .precision = precision,
							   .holder = { HOLDER_NONE, "" },
							   .first = derivation->noperands });
}

uint32_t derive_given(struct derivation *derivation, const char *name, double value, const char *source)
{
	return give(derivation, PRECISION_DOUBLE, name, value, source);
}

uint32_t derive_given_extended(struct derivation *derivation, const char *name, long double value, const char *source)
{
	return give(derivation, PRECISION_EXTENDED, name, value, source);
}

uint32_t derive_whole(struct derivation *derivation, const char *name, int64_t value, const char *source)
{
	return give(derivation, PRECISION_WHOLE, name, value, source);
}

uint32_t derive_from(struct derivation *derivation, enum precision precision, const char *name,
		     enum derived_operation operation, const struct line_operand *operands, size_t count)
{
	struct derived_line line = { .unit = "",
				     .source = "",
				     .operation = operation,
				     .precision = precision,
				     .holder = { HOLDER_NONE, "" },
				     .count = count };
	uint32_t added;

	for (size_t i = 0; i < count && !derivation->rc; i++)
		if (operands[i].line >= derivation->n)
			return DERIVED_NONE;
	if (derivation->rc || reserve(derivation, count)) {
		derivation->rc = -ENOMEM;
		return DERIVED_NONE;
	}
	line.name = text_keep(derivation, name);
	line.first = derivation->noperands;
	for (size_t i = 0; i < count; i++)
		derivation->operands[line.first + i] = operands[i];
	added = line_add(derivation, line);
	if (added != DERIVED_NONE)
		derivation->lines[added].value = derivation_evaluate(derivation, added);
	return added;
}

static bool is_fractional(enum derived_operation operation)
{
	return operation == OPERATION_QUOTIENT || operation == OPERATION_NORMALISED || operation == OPERATION_POWER ||
	       operation == OPERATION_LOGARITHM || operation == OPERATION_SIX_DECIMALS;
}

static enum precision precision_of(const struct derivation *derivation, enum derived_operation operation,
				   const struct line_operand *operands, size_t count)
{
	bool extended = false, whole = !is_fractional(operation);

	for (size_t i = 0; i < count; i++) {
		const struct derived_line *line = derivation_line(derivation, operands[i].line);

		extended |= line && line->precision == PRECISION_EXTENDED;
		whole &= line && line->precision == PRECISION_WHOLE;
	}
	return extended ? PRECISION_EXTENDED : whole ? PRECISION_WHOLE : PRECISION_DOUBLE;
}

static size_t take(struct line_operand *operands, size_t count, va_list list)
{
	size_t n = count < FEW_OPERANDS ? count : FEW_OPERANDS;

	for (size_t i = 0; i < n; i++)
		operands[i] = (struct line_operand){ va_arg(list, uint32_t), 1 };
	return n;
}

uint32_t derive(struct derivation *derivation, const char *name, enum derived_operation operation, size_t count, ...)
{
	struct line_operand operands[FEW_OPERANDS];
	va_list list;

	va_start(list, count);
	count = take(operands, count, list);
	va_end(list);
	return derive_from(derivation, precision_of(derivation, operation, operands, count), name, operation, operands,
			   count);
}

uint32_t derive_in(struct derivation *derivation, enum precision precision, const char *name,
		   enum derived_operation operation, size_t count, ...)
{
	struct line_operand operands[FEW_OPERANDS];
	va_list list;

	va_start(list, count);
	count = take(operands, count, list);
	va_end(list);
	return derive_from(derivation, precision, name, operation, operands, count);
}

uint32_t derived_unit(struct derivation *derivation, uint32_t line, const char *unit)
{
	if (line < derivation->n)
		derivation->lines[line].unit = text_keep(derivation, unit);
	return line;
}

uint32_t derived_holder(struct derivation *derivation, uint32_t line, enum holder_kind kind, const char *name)
{
	if (line < derivation->n)
		derivation->lines[line].holder = (struct line_holder){ kind, text_keep(derivation, name) };
	return line;
}
