/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are read into a structure and written again. Include after tests/values.h. */
#ifndef TESTS_MEMBERS_STORED_H
#define TESTS_MEMBERS_STORED_H

#include "sched/process/json.h"

static struct taking taking;

/* Read an object whose values stay until the next call. */
static const struct value *object_of(const char *text)
{
	const struct value *object = read_bytes(text, strlen(text));

	if (!object)
		fail_msg("%s: %s", text, why.text);
	return object;
}

/* Compare what was written, without the braces, with an object. */
static void assert_written(struct out *out, const char *expected)
{
	char *text = out_detach(out);

	assert_non_null(text);
	if (strlen(text) + 2 != strlen(expected) || strncmp(expected + 1, text, strlen(text)) != 0)
		fail_msg("{%s} instead of %s", text, expected);
	free(text);
}

static int forget(void **state)
{
	(void)state;
	taking_clear(&taking);
	values_destroy(&values);
	return 0;
}

#endif
