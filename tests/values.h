/* SPDX-License-Identifier: Apache-2.0 */
/* A line of JSON read as the daemon does. cmocka.h and its headers come first. */
#ifndef TESTS_VALUES_H
#define TESTS_VALUES_H

#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/members/values.h"

static struct values values;
static struct error why;

/* From memory of just this size, so that a sanitizer sees a byte too far. */
static const struct value *read_bytes(const char *line, size_t length)
{
	char *exact = malloc(length ? length : 1);
	const struct value *object;

	assert_non_null(exact);
	memcpy(exact, line, length);
	why.text[0] = '\0';
	object = values_read(&values, exact, length, &why);
	free(exact);
	return object;
}

#endif
