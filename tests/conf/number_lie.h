/* SPDX-License-Identifier: Apache-2.0 */
/* A reader that takes anything for a number: the negative control of damage by chance. */
#ifndef TESTS_CONF_NUMBER_LIE_H
#define TESTS_CONF_NUMBER_LIE_H

#include <math.h>
#include <stdbool.h>

/* Linked in the place of number_double(): while `lie` is set, what is no number is one, and NaN. */
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
