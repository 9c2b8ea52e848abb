/* SPDX-License-Identifier: Apache-2.0 */
/* A line of JSON, read as by the daemon. Include after cmocka.h and its headers. */
#ifndef TESTS_VALUES_H
#define TESTS_VALUES_H

#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/members/values.h"

static struct values values;
static struct error why;

/* Read from memory of exactly this size, so that a sanitizer detects reads beyond it. */
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
