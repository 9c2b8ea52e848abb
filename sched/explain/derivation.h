/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A derivation: how a number comes about, as lines that follow each other. A line is given, or it
 * is computed by one operation from lines above it. Whoever has the lines can compute each of them
 * again and must come to the same bits: operations are those of the processor, in the order of the
 * operands, in the precision of the line. It is pure: no policy is known here.
 *
 *     struct derivation d = { 0 };
 *     uint32_t weight = derive_given(&d, "weight_ticket", 0.01, "sched_conf");
 *     uint32_t ntckts = derive_given(&d, "ntckts", 0.25, "");
 *     uint32_t term = derive(&d, "weight_ticket x ntckts", OPERATION_PRODUCT, 2, weight, ntckts);
 *
 *     derivation_line(&d, term)->value ... d.rc ... derivation_free(&d)
 *
 * Memory that cannot be had is remembered in `rc`: lines are lost then, DERIVED_NONE stands for
 * them, and to derive from that is no fault.
 */
#ifndef SCHED_EXPLAIN_DERIVATION_H
#define SCHED_EXPLAIN_DERIVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/text_set.h"

#define DERIVED_NONE UINT32_MAX
/* A line that would be beyond is this, with its sign; one that would be no number is 0. */
#define DERIVED_LIMIT 1e150L

enum derived_operation {			/* on lines a, b, c ...; named in derivation.c */
	OPERATION_GIVEN,		/* none: an input, `source` says whose */
	OPERATION_SAME,			/* a */
	/* ((a + b) + c) ...; an operand with `times` is added so often */
	OPERATION_SUM,
	OPERATION_DIFFERENCE,		/* ((a - b) - c) ... */
	OPERATION_PRODUCT,		/* ((a x b) x c) ... */
	OPERATION_QUOTIENT,		/* ((a / b) / c) ... */
	OPERATION_LEAST,		/* the least of them; of equal ones the first */
	OPERATION_GREATEST,
	/* a between b and c, as 0 to 1: (a - b) / (c - b), and 0.5 where c - b < 0.00001 */
	OPERATION_NORMALISED,
	OPERATION_TRUNCATED,		/* a without its fraction */
	OPERATION_POWER,		/* a to the power b */
	OPERATION_LOGARITHM,		/* natural */
	OPERATION_WRAPPED,		/* a - b in 32 bits without a sign: 2^32 is 0 */
	OPERATION_WRAPPED_SIGNED,	/* the same, 2^31 and above being negative */
	OPERATION_SIX_DECIMALS,		/* a as printed with six decimals */
	OPERATIONS
};

enum precision {			/* of a line, and so of its operation */
	PRECISION_DOUBLE,		/* 53 bits */
	PRECISION_EXTENDED,		/* long double: 64 bits on x86-64 */
	PRECISION_WHOLE,		/* whole numbers, exact: up to 64 bits */
};

/* Whose number it is, where it is that of one among others. */
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
	const char *name;		/* the derivation's; of a job "17" or "17.3" */
};

struct line_operand {
	uint32_t line;			/* above this one */
	uint32_t times;			/* 1 but for sums */
};

struct derived_line {
	const char *name;		/* the derivation's, as are the others */
	const char *unit;		/* "s" "slots" "tickets"; "": none */
	const char *source;		/* of what is given: "sched_conf" "user" ...; "" */
	long double value;		/* finite */
	enum derived_operation operation;
	enum precision precision;
	struct line_holder holder;
	size_t first, count;		/* of `operands` */
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
/* As it was when there were so many lines. */
void derivation_cut(struct derivation *derivation, size_t n);

/* Texts are copied. Each returns the new line, or DERIVED_NONE. */
uint32_t derive_given(struct derivation *derivation, const char *name, double value, const char *source);
uint32_t derive_given_extended(struct derivation *derivation, const char *name, long double value, const char *source);
uint32_t derive_whole(struct derivation *derivation, const char *name, int64_t value, const char *source);
/*
 * A line from `count` lines; its precision is the greatest of theirs, and double where double meets
 * whole numbers or where whole ones are divided.
 */
uint32_t derive(struct derivation *derivation, const char *name, enum derived_operation operation, size_t count, ...);
/* In this precision, whatever the operands have: they are rounded to it first. */
uint32_t derive_in(struct derivation *derivation, enum precision precision, const char *name,
		   enum derived_operation operation, size_t count, ...);
/*
 * One with any number of operands, which are borrowed during the call. For sums: 0 in the precision
 * of the line to which they are added, so that there may be none.
 */
uint32_t derive_from(struct derivation *derivation, enum precision precision, const char *name,
		     enum derived_operation operation, const struct line_operand *operands, size_t count);

/* What goes with the line that was derived last, or any other; DERIVED_NONE is no fault. */
uint32_t derived_unit(struct derivation *derivation, uint32_t line, const char *unit);
uint32_t derived_holder(struct derivation *derivation, uint32_t line, enum holder_kind kind, const char *name);

/* NULL for DERIVED_NONE. */
static inline const struct derived_line *derivation_line(const struct derivation *derivation, uint32_t line)
{
	return line < derivation->n ? &derivation->lines[line] : NULL;
}

/* 0 for DERIVED_NONE. */
static inline double derived_value(const struct derivation *derivation, uint32_t line)
{
	return line < derivation->n ? (double)derivation->lines[line].value : 0.0;
}

/* A line computed again from the values of its operands; of one that is given its value. */
long double derivation_evaluate(const struct derivation *derivation, uint32_t line);

/* The first line that its operands do not give, bit for bit; DERIVED_NONE: all are right. */
uint32_t derivation_check(const struct derivation *derivation);

const char *operation_name(enum derived_operation operation);	/* "sum" */
const char *precision_name(enum precision precision);	/* "double" */
const char *holder_kind_name(enum holder_kind kind);	/* "job"; "" for none */

#endif
