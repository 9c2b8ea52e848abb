/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/job_inside.h"

int job_take_integer(void *job, struct words *words)
{
	struct job *j = job;
	char *end;
	long number;

	errno = 0;
	number = strtol(words->value, &end, 10);
	if (end == words->value || *end || errno || number < INT32_MIN || number > INT32_MAX ||
	    strchr(" \t\n\v\f\r", *words->value))
		return job_wrong(j, words->row->name, words->value,
				 "an integer from -2147483648 to 2147483647 is expected");
	return job_put_number(j, words->row->detail, number);
}

static bool is_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789", text[i]) ||
		    (i == 0 && text[0] >= '0' && text[0] <= '9'))
			return false;
	return length > 0;
}

/* Add NAME = EXPRESSION, or give the attribute a new expression. */
static int attribute_add(struct job *job, const char *name, size_t length, const char *expression)
{
	const char *key = job_copy(job, name, length), *text = job_copy(job, expression, strlen(expression));
	struct value *values = job->attributes.values;
	/* {"expr": text} */
	struct value attribute[] = { { .name = key, .type = VALUE_OBJECT, .n = 1, .span = 2 },
				     job_text_value("expr", text ? text : "") };

	if (!key || !text)
		return -ENOMEM;
	for (uint32_t k = 1; k < values->span; k += values[k].span)
		if (strcmp(values[k].name, key) == 0) {
			values[k + 1] = attribute[1];
			return 0;
		}
	return job_list_append(job, &job->attributes, attribute, 2);
}

/* Add NAME = EXPRESSION to the attributes collected so far. */
int job_take_attribute(void *job, struct words *words)
{
	const char *equals = strchr(words->value, '='), *expression;
	size_t length = equals ? (size_t)(equals - words->value) : 0;
	struct job *j = job;
	bool clears = !*words->value && j->alters;	/* remove all attributes */

	while (length > 0 && words->value[length - 1] == ' ')
		length--;
	if (!clears && (!is_name(words->value, length) || !equals[1 + strspn(equals + 1, " ")]))
		return job_wrong(j, words->row->name, words->value,
				 "NAME=EXPRESSION is expected, the name of letters, digits and _");
	if ((clears || !j->attributes.values) &&
	    job_list_begin(j, &j->attributes, VALUE_OBJECT, words->row->detail))
		return message_no_memory(j->messages);
	if (!clears) {
		expression = equals + 1 + strspn(equals + 1, " ");
		if (!job_is_text(expression))
			return job_wrong(j, words->row->name, words->value, "it is not UTF-8");
		if (attribute_add(j, words->value, length, expression))
			return message_no_memory(j->messages);
	}
	return job_put_value(j, j->attributes.values);
}
