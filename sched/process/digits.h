/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write numbers exactly as printf(3) does, but ten times as fast, with exact integer arithmetic of
 * 128 bits. Each function writes at `p`, without a NUL, and returns the end of the text. There must
 * be room for DIGITS_BYTES, and bytes after the end may be overwritten.
 */
#ifndef SCHED_PROCESS_DIGITS_H
#define SCHED_PROCESS_DIGITS_H

#include <stddef.h>
#include <stdint.h>

#define DIGITS_BYTES 336

char *digits_u64(char *p, uint64_t value);
char *digits_right(char *p, uint64_t value, size_t width);	/* "%*lu"; width <= 20 */
char *digits_i64(char *p, int64_t value);

static inline char *digits_two(char *p, unsigned value)	/* "%02u", value < 100 */
{
	p[0] = (char)('0' + value / 10);
	p[1] = (char)('0' + value % 10);
	return p + 2;
}

/* Write "%.*f" with at most 7 decimals. Not finite: "NA". */
char *digits_fixed(char *p, double value, unsigned decimals);

/* Write "%.14f", for fractions. Not finite: "NA". */
char *digits_fixed14(char *p, double value);

/* Write "%.17g", which is read back as the same double. Not finite: "null", for JSON. */
char *digits_exact(char *p, double value);

/*
 * Write the integer part, as a conversion to long cuts it. Out of its range: the nearest limit. Not
 * a number: 0.
 */
char *digits_truncated(char *p, double value);

#endif
