/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A derivation explains how a number is computed, as a list of lines. A line is given, or it is
 * computed by one operation from lines above it. A reader can compute each line again and must get
 * the same bits: operations are those of the processor, in the order of the operands, in the
 * precision of the line. This file knows no policy.
 *
 *     struct derivation d = { 0 };
 *     uint32_t weight = derive_given(&d, "weight_ticket", 0.01, "sched_conf");
 *     uint32_t ntckts = derive_given(&d, "ntckts", 0.25, "");
 *     uint32_t term = derive(&d, "weight_ticket x ntckts", OPERATION_PRODUCT, 2, weight, ntckts);
 *
 *     derivation_line(&d, term)->value ... d.rc ... derivation_free(&d)
 *
 * If memory is exhausted, `rc` is set and lines are lost. DERIVED_NONE replaces a lost line and may
 * be used as an operand.
 */
#ifndef SCHED_EXPLAIN_DERIVATION_H
#define SCHED_EXPLAIN_DERIVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/text_set.h"

#define DERIVED_NONE UINT32_MAX
/*
 * Largest absolute value of a line. Larger values are replaced by it, with their sign. NaN is
 * replaced by 0.
 */
#define DERIVED_LIMIT 1e150L

/* operation on lines a, b, c ...; names are in derivation.c */
enum derived_operation {
	OPERATION_GIVEN,		/* no operation: an input; `source` names its origin */
	OPERATION_SAME,			/* a */
	/* ((a + b) + c) ...; an operand with `times` is added that many times */
	OPERATION_SUM,
	OPERATION_DIFFERENCE,		/* ((a - b) - c) ... */
	OPERATION_PRODUCT,		/* ((a x b) x c) ... */
	OPERATION_QUOTIENT,		/* ((a / b) / c) ... */
	OPERATION_LEAST,		/* least operand; of equal ones the first */
	OPERATION_GREATEST,
	/*
	 * Position of a between b and c, as 0 to 1: (a - b) / (c - b), and 0.5 if c - b < 0.00001.
	 */
	OPERATION_NORMALISED,
	OPERATION_TRUNCATED,		/* a without its fraction */
	OPERATION_POWER,		/* a to the power b */
	OPERATION_LOGARITHM,		/* natural */
	OPERATION_WRAPPED,		/* a - b in 32 bits without a sign: 2^32 is 0 */
	/* a - b in 32 bits with a sign: 2^31 and above are negative */
	OPERATION_WRAPPED_SIGNED,
	OPERATION_SIX_DECIMALS,		/* a as printed with six decimals */
	OPERATIONS
};

enum precision {			/* precision of a line and of its operation */
	PRECISION_DOUBLE,		/* 53 bits */
	PRECISION_EXTENDED,		/* long double: 64 bits on x86-64 */
	PRECISION_WHOLE,		/* whole numbers, exact: up to 64 bits */
};

/* Kind of the object that has the number, if it is the number of one object among others. */
enum holder_kind {
	HOLDER_NONE,
	HOLDER_JOB,
	HOLDER_USER,
	HOLDER_PROJECT,
	HOLDER_DEPARTMENT,
	HOLDER_NODE,
	HOLDER_RESOURCE,
	HOLDER_PARTITION,
	HOLDER_QOS,
	HOLDER_ASSOCIATION,
	HOLDER_CUSTOMER,
	HOLDER_KINDS
};

struct line_holder {
	enum holder_kind kind;
	const char *name;		/* owned by the derivation; for a job "17" or "17.3" */
};

struct line_operand {
	uint32_t line;			/* index of a line above this one */
	uint32_t times;			/* 1, except in sums */
};

struct derived_line {
	const char *name;		/* owned by the derivation, like the other texts */
	const char *unit;		/* "s" "slots" "tickets"; "": none */
	const char *source;		/* origin of a given line: "sched_conf" "user" ...; "" */
	long double value;		/* finite */
	enum derived_operation operation;
	enum precision precision;
	struct line_holder holder;
	size_t first, count;		/* range of `operands` */
};

struct derivation {			/* zero-initialise */
	struct derived_line *lines;
	size_t n, capacity;
	struct line_operand *operands;
	size_t noperands, operands_capacity;
	struct text_set texts;
	int rc;				/* 0, or -ENOMEM */
};

void derivation_free(struct derivation *derivation);

/* Add a given line. Texts are copied. Returns the new line, or DERIVED_NONE. */
uint32_t derive_given(struct derivation *derivation, const char *name, double value, const char *source);
uint32_t derive_given_extended(struct derivation *derivation, const char *name, long double value, const char *source);
uint32_t derive_whole(struct derivation *derivation, const char *name, int64_t value, const char *source);
/*
 * Add a line computed from `count` lines. Its precision is the greatest of theirs. It is double if
 * doubles are combined with whole numbers or if whole numbers are divided.
 */
uint32_t derive(struct derivation *derivation, const char *name, enum derived_operation operation, size_t count, ...);
/* Add a line in this precision. Operands of another precision are rounded to it first. */
uint32_t derive_in(struct derivation *derivation, enum precision precision, const char *name,
		   enum derived_operation operation, size_t count, ...);
/*
 * Add a line with any number of operands, which are borrowed during the call. A sum starts with 0
 * in the precision of the line, so `count` may be 0.
 */
uint32_t derive_from(struct derivation *derivation, enum precision precision, const char *name,
		     enum derived_operation operation, const struct line_operand *operands, size_t count);

/* Set the unit or the holder of a line. DERIVED_NONE is allowed. */
uint32_t derived_unit(struct derivation *derivation, uint32_t line, const char *unit);
uint32_t derived_holder(struct derivation *derivation, uint32_t line, enum holder_kind kind, const char *name);

/* Return a line; NULL for DERIVED_NONE. */
static inline const struct derived_line *derivation_line(const struct derivation *derivation, uint32_t line)
{
	return line < derivation->n ? &derivation->lines[line] : NULL;
}

/* Return the value of a line; 0 for DERIVED_NONE. */
static inline double derived_value(const struct derivation *derivation, uint32_t line)
{
	return line < derivation->n ? (double)derivation->lines[line].value : 0.0;
}

/* Compute a line again from the values of its operands. For a given line return its value. */
long double derivation_evaluate(const struct derivation *derivation, uint32_t line);

/* Return the first line whose operands do not give its value bit for bit; DERIVED_NONE: none. */
uint32_t derivation_check(const struct derivation *derivation);

const char *operation_name(enum derived_operation operation);	/* "sum" */
const char *precision_name(enum precision precision);	/* "double" */
const char *holder_kind_name(enum holder_kind kind);	/* "job"; "" for none */

#endif
