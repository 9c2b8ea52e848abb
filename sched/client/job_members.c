/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a job: its request, its execution, and the lists that several options make. */
#include <errno.h>
#include <string.h>

#include "sched/client/job_inside.h"

#define FIRST_ROOM 8		/* entries for which a new list has room */

void job_close(struct job *job)
{
	job_variables_free(&job->variables);
	job_variables_free(&job->context);
	job_variables_free(&job->context_changes);
	taking_clear(&job->taking);
	job_clear_members(job);
	job->execution = (struct execution){ .script = NULL };
}

void job_clear_members(struct job *job)
{
	job_request_init(&job->request);
	memset(job->queues_before, 0, sizeof(job->queues_before));
	memset(job->predecessors, 0, sizeof(job->predecessors));
	job->attributes = (struct job_list){ NULL, 0 };
}

const char *job_copy(struct job *job, const char *text, size_t length)
{
	char *copy = taking_array(&job->taking, length + 1, 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

/* Return the exit code for 0 or -ENOMEM. */
static int code_of(const struct job *job, int rc)
{
	return rc ? message_no_memory(job->messages) : EXIT_OK;
}

/* Copy the value of an option, which must be UTF-8. NULL: there is a message, and its `code`. */
static const char *text_take(struct job *job, const char *option, const char *value, int *code)
{
	const char *copy = job_is_text(value) ? job_copy(job, value, strlen(value)) : NULL;

	if (copy)
		*code = EXIT_OK;
	else
		*code = job_is_text(value) ? message_no_memory(job->messages)
					   : job_wrong(job, option, value, "it is not UTF-8");
	return copy;
}

/* Request */

int job_put_text(struct job *job, const char *member, const char *option, const char *value)
{
	int code;
	const char *text = text_take(job, option, value, &code);

	return text ? code_of(job, job_request_set_text(&job->request, &job->taking, member, text)) : code;
}

int job_put_number(struct job *job, const char *member, int64_t number)
{
	return code_of(job, job_request_set_integer(&job->request, &job->taking, member, number));
}

int job_put_bool(struct job *job, const char *member, bool yes)
{
	return code_of(job, job_request_set_bool(&job->request, &job->taking, member, yes));
}

int job_put_value(struct job *job, const struct value *value)
{
	return code_of(job, job_request_settle(&job->request, &job->taking, value->name, value));
}

/* Execution */

int job_execute(struct job *job, const struct execution *from, const char *member)
{
	return code_of(job, execution_set(&job->execution, &job->taking, from, member));
}

int job_execute_text(struct job *job, const char *member, const char *option, const char *value)
{
	int code;
	const char *text = text_take(job, option, value, &code);
	const struct execution from = {
		.shell = text, .cwd = text, .session = text, .mail_options = text,
		.stdin_path = text, .stdout_path = text, .stderr_path = text,
	};

	return text ? job_execute(job, &from, member) : code;
}

int job_execute_bool(struct job *job, const char *member, bool yes)
{
	const struct execution from = {
		.use_shell = yes, .join = yes, .rerun = yes ? SAID_YES : SAID_NO, .notify = yes, .ends_on_error = yes,
	};

	return job_execute(job, &from, member);
}

int job_execute_null(struct job *job, const char *member)
{
	return code_of(job, execution_set_null(&job->execution, &job->taking, member));
}

/* Variables */

static int items_grow(struct job *job, struct job_variables *variables)
{
	size_t capacity = variables->capacity ? 2 * variables->capacity : FIRST_ROOM;
	struct variable *items;

	if (variables->names.n < variables->capacity)
		return 0;
	items = taking_array(&job->taking, capacity, sizeof(*items));
	if (!items)
		return -ENOMEM;
	if (variables->capacity > 0)
		memcpy(items, variables->items, variables->capacity * sizeof(*items));
	variables->items = items;
	variables->capacity = capacity;
	return 0;
}

int job_variables_set(struct job *job, struct job_variables *variables, const char *name, size_t length,
		      const char *value)
{
	const char *key = job_copy(job, name, length), *copy = value ? job_copy(job, value, strlen(value)) : NULL;
	uint32_t number;

	if (!key || (value && !copy) || items_grow(job, variables) || text_set_add(&variables->names, key, &number))
		return -ENOMEM;
	variables->items[number] = (struct variable){ key, copy };
	return 0;
}

int job_variables_remove(struct job *job, struct job_variables *variables, const char *name)
{
	struct job_variables rest = { .items = NULL };
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < variables->names.n; k++) {
		const struct variable *variable = &variables->items[k];

		if (strcmp(variable->name, name) != 0)
			rc = job_variables_set(job, &rest, variable->name, strlen(variable->name), variable->value);
	}
	job_variables_free(variables);
	*variables = rest;
	return rc;
}

void job_variables_free(struct job_variables *variables)
{
	text_set_free(&variables->names);
	*variables = (struct job_variables){ .items = NULL };
}

/* Lists */

struct value job_text_value(const char *name, const char *text)
{
	return (struct value){
		.name = name, .type = VALUE_STRING, .text = text, .n = (uint32_t)strlen(text), .span = 1
	};
}

static int list_grow(struct job *job, struct job_list *list, uint32_t n)
{
	uint32_t used = list->values ? list->values->span : 0;
	size_t capacity = 2 * list->capacity + n + FIRST_ROOM;
	struct value *values;

	if (used + n <= list->capacity)
		return 0;
	values = taking_array(&job->taking, capacity, sizeof(*values));
	if (!values)
		return -ENOMEM;
	if (used > 0)
		memcpy(values, list->values, used * sizeof(*values));
	list->values = values;
	list->capacity = capacity;
	return 0;
}

int job_list_begin(struct job *job, struct job_list *list, enum value_type type, const char *name)
{
	*list = (struct job_list){ NULL, 0 };
	if (list_grow(job, list, 1))
		return -ENOMEM;
	list->values[0] = (struct value){ .name = name, .type = (uint8_t)type, .span = 1 };
	return 0;
}

int job_list_append(struct job *job, struct job_list *list, const struct value *values, uint32_t n)
{
	if (list_grow(job, list, n))
		return -ENOMEM;
	memcpy(list->values + list->values->span, values, n * sizeof(*values));
	list->values->span += n;
	list->values->n++;
	return 0;
}
