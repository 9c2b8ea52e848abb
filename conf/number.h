/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as Grid Engine writes them: sge_types(1), MEMORY, TIME, INTEGER and boolean. */
#ifndef CONF_NUMBER_H
#define CONF_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "true" "false" "infinity", [h]:[m]:[s], number with optional k K m M g G t T, leading 0 octal, 0x
 * hexadecimal. The whole text must be one number. Infinity is DBL_MAX; no NaN, no overflow to
 * infinity comes out.
 *   0, or -EINVAL (no number), -ERANGE (too large)
 */
int number_parse(const char *text, double *value);

/* Plain %lf field: no suffixes, finite, nothing behind it. */
int number_double(const char *text, double *value);

/* 0..UINT32_MAX, integral; empty is 0. */
int number_u32(const char *text, uint32_t *value);

/* Seconds, plain or h:m:s; INFINITY gives UINT32_MAX. */
int number_time(const char *text, uint32_t *seconds);

/* true t 1 yes y, false f 0 no n in any case. */
int number_bool(const char *text, bool *value);

/*
 * Urgency column of a complex: the integer parser with suffixes; -EINVAL (no number) counts as
 * urgency 0.
 */
int number_urgency(const char *text, double *value);

#endif
