/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as Grid Engine writes them: sge_types(1), MEMORY, TIME, INTEGER and boolean. */
#ifndef CONF_BASE_NUMBER_H
#define CONF_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read a number: "true", "false", "infinity", [h]:[m]:[s], or digits with optional k K m M g G t T,
 * with a leading 0 for octal or 0x for hexadecimal. The whole text must be one number. Infinity is
 * DBL_MAX. The result is never NaN or infinite. Returns 0, -EINVAL (not a number) or -ERANGE (too
 * large).
 */
int number_parse(const char *text, double *value);

/* Read a plain %lf field: no suffixes, finite, no further characters. */
int number_double(const char *text, double *value);

/* Read a whole number of 0..UINT32_MAX. An empty text is 0. */
int number_u32(const char *text, uint32_t *value);

/* Read seconds, plain or h:m:s. INFINITY gives UINT32_MAX. */
int number_time(const char *text, uint32_t *seconds);

/* Read true t 1 yes y, false f 0 no n, in any case. */
int number_bool(const char *text, bool *value);

/*
 * Read the urgency column of a complex with the integer parser with suffixes. A text that is not a
 * number gives urgency 0 and -EINVAL.
 */
int number_urgency(const char *text, double *value);

#endif
