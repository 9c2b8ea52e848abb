/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations and sizes as users write them on a command line. They are more lenient than number.h,
 * which has the notation of Grid Engine's files. "90m" shows the difference: here 90 minutes, and
 * in a file of Grid Engine 90 million seconds.
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
 * Read a duration. It has one of three forms: whole numbers with w d h m s, largest unit first;
 * minutes:seconds; or a text that number_time() reads. INFINITY gives UINT32_MAX. Returns 0,
 * -EINVAL or -ERANGE.
 */
int amount_time(const char *text, uint32_t *seconds);

/*
 * Return true if only amount_time() accepts the text, because it is not in Grid Engine's notation.
 */
bool amount_is_lenient(const char *text);

/*
 * Read a size in bytes: a number that number_parse() reads, optionally followed by B or iB. Returns
 * 0, -EINVAL if it is negative or not a number, or -ERANGE.
 */
int amount_size(const char *text, double *bytes);

/* Count the characters of a size that come before its B or iB. */
size_t amount_size_length(const char *text);

#endif
