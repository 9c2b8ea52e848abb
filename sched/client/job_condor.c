/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/job_inside.h"

int job_take_integer(void *job, struct words *words)
{
	struct job *j = job;
	json_t *value;
	char *end;
	long number;

	errno = 0;
	number = strtol(words->value, &end, 10);
	if (end == words->value || *end || errno || number < INT32_MIN || number > INT32_MAX ||
	    strchr(" \t\n\v\f\r", *words->value))
		return job_wrong(j, words->row->name, words->value,
				 "an integer from -2147483648 to 2147483647 is expected");
	value = json_integer(number);
	return value && json_object_set_new(j->members, words->row->detail, value) == 0
		       ? EXIT_OK
		       : message_no_memory(j->messages);
}

static bool is_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789", text[i]) ||
		    (i == 0 && text[0] >= '0' && text[0] <= '9'))
			return false;
	return length > 0;
}

/* Add NAME = EXPRESSION to the attributes collected so far. */
int job_take_attribute(void *job, struct words *words)
{
	const char *equals = strchr(words->value, '=');
	size_t length = equals ? (size_t)(equals - words->value) : 0;
	json_t *ad, *expression;
	struct job *j = job;
	char *name;
	int rc;

	if (!*words->value && j->alters)		/* remove all attributes */
		return json_object_set_new(j->members, words->row->detail, json_object())
			       ? message_no_memory(j->messages)
			       : EXIT_OK;
	while (length > 0 && words->value[length - 1] == ' ')
		length--;
	if (!is_name(words->value, length) || !equals[1 + strspn(equals + 1, " ")])
		return job_wrong(j, words->row->name, words->value,
				 "NAME=EXPRESSION is expected, the name of letters, digits and _");
	ad = json_object_get(j->members, words->row->detail);
	if (!ad && (!(ad = json_object()) || json_object_set_new(j->members, words->row->detail, ad)))
		return message_no_memory(j->messages);
	name = strndup(words->value, length);
	expression = json_string(equals + 1 + strspn(equals + 1, " "));
	if (name && !expression) {
		free(name);
		return job_wrong(j, words->row->name, words->value, "it is not UTF-8");
	}
	rc = name ? json_object_set_new(ad, name, json_pack("{s:o}", "expr", expression)) : -ENOMEM;
	free(name);
	return rc ? message_no_memory(j->messages) : EXIT_OK;
}
