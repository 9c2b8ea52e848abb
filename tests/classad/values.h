/* SPDX-License-Identifier: Apache-2.0 */
/* Values of expressions as text. Include after cmocka.h and its headers. */
#ifndef TESTS_CLASSAD_VALUES_H
#define TESTS_CLASSAD_VALUES_H

#include <string.h>

#include "conf/classad/classad.h"

#define NOW 1700000000

static struct classad_room room = { .now = NOW };

/* "Name = expression" lines */
static struct classad *ad_of(const char *text) __attribute__((unused));
static struct classad *ad_of(const char *text)
{
	struct classad *ad;
	struct error error = { "" };

	if (classad_read(&ad, text, &error))
		fail_msg("%s: %s", text, error.text);
	return ad;
}

/* Return the value of `text` between two ads, which may be NULL. */
static const char *value_between(const struct classad *my, const struct classad *target, const char *text)
	__attribute__((unused));
static const char *value_between(const struct classad *my, const struct classad *target, const char *text)
{
	static char shown[4096];
	struct classad_expression *expression;
	struct classad_value value;
	struct error error = { "" };

	if (classad_parse(&expression, text, &error))
		fail_msg("%s: %s", text, error.text);
	classad_evaluate(expression, &(struct classad_pair){ my, target }, &room, &value);
	classad_value_text(&value, shown, sizeof(shown));
	classad_expression_free(expression);
	classad_room_reset(&room);
	return shown;
}

static const char *value_of(const char *text) __attribute__((unused));
static const char *value_of(const char *text)
{
	return value_between(NULL, NULL, text);
}

static const char *refusal_of(const char *text) __attribute__((unused));
static const char *refusal_of(const char *text)
{
	static struct error error;
	struct classad_expression *expression = (void *)&error;

	error.text[0] = '\0';
	assert_int_not_equal(classad_parse(&expression, text, &error), 0);
	assert_null(expression);
	return error.text;
}

#endif
