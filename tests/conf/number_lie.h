/* SPDX-License-Identifier: Apache-2.0 */
/* A reader that accepts any text as a number: the negative control of random damage. */
#ifndef TESTS_CONF_NUMBER_LIE_H
#define TESTS_CONF_NUMBER_LIE_H

#include <math.h>
#include <stdbool.h>

/*
 * Replaces number_double() at link time. While `lie` is set, a text that is not a number is read as
 * a number, and NaN is accepted.
 */
int __real_number_double(const char *text, double *value);
int __wrap_number_double(const char *text, double *value);
static bool lie;

int __wrap_number_double(const char *text, double *value)
{
	int rc = __real_number_double(text, value);

	if (rc && lie)
		*value = NAN;
	return lie ? 0 : rc;
}

#endif
