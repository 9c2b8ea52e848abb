/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations and sizes as users write them on a command line. They are more lenient than number.h, which has the
 * notation of Grid Engine's files. "90m" shows the difference: here 90 minutes, and in a file of
 * Grid Engine 90 million seconds.
 */
#ifndef CONF_AMOUNT_H
#define CONF_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Examples for messages about values that were refused. */
#define AMOUNT_TIME_DUE "a duration is expected, such as 1:30:00 (h:m:s), 90m, 1h30m or 5400 (seconds)"
#define AMOUNT_SIZE_DUE "a size is expected, such as 512M, 2G or 2GB"

/*
 * Read a duration: whole numbers with w d h m s, largest unit first; minutes:seconds; or what
 * number_time() reads. INFINITY gives UINT32_MAX. 0, -EINVAL or -ERANGE.
 */
int amount_time(const char *text, uint32_t *seconds);

/* Whether only amount_time() reads the text so: it is not in Grid Engine's notation. */
bool amount_is_lenient(const char *text);

/*
 * Read a size: what number_parse() reads, and B or iB may follow. Bytes; -EINVAL below 0, -ERANGE.
 */
int amount_size(const char *text, double *bytes);

/* Count the characters of a size that come before its B or iB. */
size_t amount_size_length(const char *text);

#endif
