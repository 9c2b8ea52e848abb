/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded cases of HTCondor's: tests/reference/condor/. */
#ifndef TESTS_TICKETS_CONDOR_CASE_H
#define TESTS_TICKETS_CONDOR_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <jansson.h>

static inline json_t *condor_case(const char *name)
{
	char path[256];
	json_error_t e;
	json_t *root;

	snprintf(path, sizeof(path), "tests/reference/condor/%s.json", name);
	root = json_load_file(path, 0, &e);
	if (!root)
		fail_msg("%s:%d: %s", path, e.line, e.text);
	return root;
}

static inline json_t *case_member(const json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	if (!value)
		fail_msg("no member \"%s\"", name);
	return value;
}

static inline double case_number(const json_t *object, const char *name)
{
	return json_number_value(case_member(object, name));
}

static inline double case_number_or(const json_t *object, const char *name, double otherwise)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : otherwise;
}

#endif
