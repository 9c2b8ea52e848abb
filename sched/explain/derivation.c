/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/derivation.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "conf/array.h"

#define FEW_OPERANDS 12

static const char *const operations[OPERATIONS] = {
	[OPERATION_GIVEN] = "given", [OPERATION_SAME] = "same", [OPERATION_SUM] = "sum", [OPERATION_DIFFERENCE] = "difference",
	[OPERATION_PRODUCT] = "product", [OPERATION_QUOTIENT] = "quotient", [OPERATION_LEAST] = "least",
	[OPERATION_GREATEST] = "greatest", [OPERATION_NORMALISED] = "normalised", [OPERATION_TRUNCATED] = "truncated",
	[OPERATION_POWER] = "power", [OPERATION_LOGARITHM] = "logarithm", [OPERATION_WRAPPED] = "wrapped",
	[OPERATION_WRAPPED_SIGNED] = "wrapped_signed", [OPERATION_SIX_DECIMALS] = "six_decimals",
};

static const char *const holder_kinds[HOLDER_KINDS] = {
	[HOLDER_NONE] = "", [HOLDER_JOB] = "job", [HOLDER_USER] = "user", [HOLDER_PROJECT] = "project",
	[HOLDER_DEPARTMENT] = "department", [HOLDER_NODE] = "node", [HOLDER_RESOURCE] = "resource", [HOLDER_PARTITION] = "partition", [HOLDER_QOS] = "qos",
	[HOLDER_ASSOCIATION] = "association", [HOLDER_CUSTOMER] = "customer",
};

const char *operation_name(enum derived_operation operation)
{
	return operations[operation];
}

const char *precision_name(enum precision precision)
{
	static const char *const names[] = { [PRECISION_DOUBLE] = "double", [PRECISION_EXTENDED] = "extended", [PRECISION_WHOLE] = "whole" };

	return names[precision];
}

const char *holder_kind_name(enum holder_kind kind)
{
	return holder_kinds[kind];
}

void derivation_free(struct derivation *d)
{
	free(d->lines);
	free(d->operands);
	text_set_free(&d->texts);
	*d = (struct derivation){ 0 };
}

void derivation_cut(struct derivation *d, size_t n)
{
	if (n >= d->n)
		return;
	d->noperands = d->lines[n].first;
	d->n = n;
}

/* Lives as long as the derivation. "": no memory. */
static const char *text_keep(struct derivation *d, const char *text)
{
	uint32_t number;

	if (!*text)
		return "";
	if (text_set_add(&d->texts, text, &number)) {
		d->rc = -ENOMEM;
		return "";
	}
	return d->texts.texts[number];
}

static int reserve(struct derivation *d, size_t operands)
{
	if (d->n == d->capacity) {
		size_t capacity = d->capacity ? 2 * d->capacity : 64;

		if (array_grow(&d->lines, capacity, sizeof(*d->lines)))
			return -ENOMEM;
		d->capacity = capacity;
	}
	if (operands > d->operands_capacity - d->noperands) {
		size_t capacity = 2 * d->operands_capacity + operands + 64;

		if (array_grow(&d->operands, capacity, sizeof(*d->operands)))
			return -ENOMEM;
		d->operands_capacity = capacity;
	}
	return d->n < DERIVED_NONE ? 0 : -ENOMEM;
}

/* Its operands are there, behind those of the line before. */
static uint32_t line_add(struct derivation *d, struct derived_line line)
{
	if (d->rc)
		return DERIVED_NONE;
	d->lines[d->n] = line;
	d->noperands += line.count;
	return (uint32_t)d->n++;
}

static uint32_t give(struct derivation *d, enum precision precision, const char *name, long double value, const char *source)
{
	if (d->rc || reserve(d, 0)) {
		d->rc = -ENOMEM;
		return DERIVED_NONE;
	}
	return line_add(d, (struct derived_line){ .name = text_keep(d, name), .unit = "", .source = text_keep(d, source),
						  .value = isfinite(value) ? value : 0.0L, .precision = precision,
						  .holder = { HOLDER_NONE, "" }, .first = d->noperands });
}

uint32_t derive_given(struct derivation *d, const char *name, double value, const char *source)
{
	return give(d, PRECISION_DOUBLE, name, value, source);
}

uint32_t derive_given_extended(struct derivation *d, const char *name, long double value, const char *source)
{
	return give(d, PRECISION_EXTENDED, name, value, source);
}

uint32_t derive_whole(struct derivation *d, const char *name, int64_t value, const char *source)
{
	return give(d, PRECISION_WHOLE, name, value, source);
}

uint32_t derive_from(struct derivation *d, enum precision precision, const char *name, enum derived_operation operation,
		     const struct line_operand *operands, size_t count)
{
	struct derived_line line = { .unit = "", .source = "", .operation = operation, .precision = precision, .holder = { HOLDER_NONE, "" },
				     .count = count };
	uint32_t added;

	for (size_t i = 0; i < count && !d->rc; i++)
		if (operands[i].line >= d->n)
			return DERIVED_NONE;
	if (d->rc || reserve(d, count)) {
		d->rc = -ENOMEM;
		return DERIVED_NONE;
	}
	line.name = text_keep(d, name);
	line.first = d->noperands;
	for (size_t i = 0; i < count; i++)
		d->operands[line.first + i] = operands[i];
	added = line_add(d, line);
	if (added != DERIVED_NONE)
		d->lines[added].value = derivation_evaluate(d, added);
	return added;
}

static bool is_fractional(enum derived_operation operation)
{
	return operation == OPERATION_QUOTIENT || operation == OPERATION_NORMALISED || operation == OPERATION_POWER ||
	       operation == OPERATION_LOGARITHM || operation == OPERATION_SIX_DECIMALS;
}

static enum precision precision_of(const struct derivation *d, enum derived_operation operation, const struct line_operand *operands, size_t count)
{
	bool extended = false, whole = !is_fractional(operation);

	for (size_t i = 0; i < count; i++) {
		const struct derived_line *line = derivation_line(d, operands[i].line);

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

uint32_t derive(struct derivation *d, const char *name, enum derived_operation operation, size_t count, ...)
{
	struct line_operand operands[FEW_OPERANDS];
	va_list list;

	va_start(list, count);
	count = take(operands, count, list);
	va_end(list);
	return derive_from(d, precision_of(d, operation, operands, count), name, operation, operands, count);
}

uint32_t derive_in(struct derivation *d, enum precision precision, const char *name, enum derived_operation operation, size_t count, ...)
{
	struct line_operand operands[FEW_OPERANDS];
	va_list list;

	va_start(list, count);
	count = take(operands, count, list);
	va_end(list);
	return derive_from(d, precision, name, operation, operands, count);
}

uint32_t derived_unit(struct derivation *d, uint32_t line, const char *unit)
{
	if (line < d->n)
		d->lines[line].unit = text_keep(d, unit);
	return line;
}

uint32_t derived_holder(struct derivation *d, uint32_t line, enum holder_kind kind, const char *name)
{
	if (line < d->n)
		d->lines[line].holder = (struct line_holder){ kind, text_keep(d, name) };
	return line;
}
