/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/line.h"

#define PATIENCE_S 2

/* Values */

static const char *text_of(const json_t *object, const char *member)
{
	return json_string_value(json_object_get(object, member));
}

static enum described_flag flag_of(const json_t *object, const char *member)
{
	const json_t *value = json_object_get(object, member);

	return json_is_true(value) ? DESCRIBED_YES : json_is_false(value) ? DESCRIBED_NO : DESCRIBED_UNSET;
}

/* The functions that follow return 0 or -ENOMEM. */

static int texts_read(const json_t *list, struct described_texts *texts)
{
	const json_t *item;
	size_t i;

	texts->items = calloc(json_array_size(list) + 1, sizeof(*texts->items));
	if (!texts->items)
		return -ENOMEM;
	json_array_foreach(list, i, item)
		texts->items[texts->n++] = json_is_string(item) ? json_string_value(item) : "";
	return 0;
}

static int numbers_read(const json_t *list, struct described_numbers *numbers)
{
	const json_t *item;
	size_t i;

	numbers->items = calloc(json_array_size(list) + 1, sizeof(*numbers->items));
	if (!numbers->items)
		return -ENOMEM;
	json_array_foreach(list, i, item)
		numbers->items[numbers->n++] = json_integer_value(item);
	return 0;
}

static int variables_read(json_t *object, struct described_variables *variables)
{
	const char *name;
	json_t *value;

	variables->items = calloc(json_object_size(object) + 1, sizeof(*variables->items));
	if (!variables->items)
		return -ENOMEM;
	json_object_foreach(object, name, value)
		variables->items[variables->n++] =
			(struct described_variable){ name, json_is_string(value) ? json_string_value(value) : "" };
	return 0;
}

static int memory_read(const json_t *list, struct job_description *description)
{
	const json_t *item;
	size_t i;

	description->memory = calloc(json_array_size(list) + 1, sizeof(*description->memory));
	if (!description->memory)
		return -ENOMEM;
	json_array_foreach(list, i, item)
		description->memory[description->nmemory++] =
			(struct described_memory){ json_integer_value(json_object_get(item, "task")),
						   json_number_value(json_object_get(item, "vmem")),
						   json_number_value(json_object_get(item, "maxvmem")) };
	return 0;
}

static int lists_read(const json_t *object, struct job_description *description)
{
	const json_t *request = json_object_get(object, "request"), *execution = json_object_get(object, "execution");
	int rc = numbers_read(json_object_get(request, "hold_jid"), &description->hold_jid);

	if (rc == 0)
		rc = numbers_read(json_object_get(execution, "after_ok"), &description->after_ok);
	if (rc == 0)
		rc = texts_read(json_object_get(execution, "mail_list"), &description->mail_list);
	if (rc == 0)
		rc = texts_read(json_object_get(execution, "command"), &description->command);
	if (rc == 0)
		rc = variables_read(json_object_get(execution, "environment"), &description->environment);
	if (rc == 0)
		rc = variables_read(json_object_get(execution, "context"), &description->context);
	return rc ? rc : memory_read(json_object_get(object, "memory"), description);
}

static void description_free(struct job_description *description)
{
	free(description->hold_jid.items);
	free(description->after_ok.items);
	free(description->mail_list.items);
	free(description->command.items);
	free(description->environment.items);
	free(description->context.items);
	free(description->memory);
	json_decref(description->source);
}

static int description_read(json_t *object, int64_t job_number, struct job_description *description)
{
	const json_t *request = json_object_get(object, "request"), *execution = json_object_get(object, "execution");

	*description = (struct job_description){
		.job_number = job_number,
		.uid = json_integer_value(json_object_get(object, "uid")),
		.gid = json_integer_value(json_object_get(object, "gid")),
		.group = text_of(object, "group"),
		.account = text_of(request, "account"),
		.tasks = text_of(request, "tasks"),
		.cwd = text_of(execution, "cwd"),
		.stdin_path = text_of(execution, "stdin_path"),
		.stdout_path = text_of(execution, "stdout_path"),
		.stderr_path = text_of(execution, "stderr_path"),
		.shell = text_of(execution, "shell"),
		.mail_options = text_of(execution, "mail_options"),
		.join = flag_of(execution, "join"),
		.notify = flag_of(execution, "notify"),
		.rerun = flag_of(execution, "rerun"),
		.use_shell = json_is_true(json_object_get(execution, "use_shell")),
		.is_script = json_object_get(execution, "script_bytes") != NULL,
		.has_environment = json_is_object(json_object_get(execution, "environment")),
		.environment_hidden = json_is_true(json_object_get(execution, "environment_hidden")),
		.source = json_incref(object),
	};
	return lists_read(object, description);
}

/* Read the results of a reply. Return 0 or -ENOMEM. */
static int results_read(const json_t *results, struct descriptions *descriptions)
{
	const json_t *result;
	size_t i;
	int rc = 0;

	descriptions->items = calloc(json_array_size(results) + 1, sizeof(*descriptions->items));
	if (!descriptions->items)
		return -ENOMEM;
	json_array_foreach(results, i, result) {
		json_t *object = json_object_get(result, "description");

		if (rc == 0 && json_is_object(object))
			rc = description_read(object, json_integer_value(json_object_get(result, "job_number")),
					      &descriptions->items[descriptions->n++]);
	}
	return rc;
}

/* Request */

static void missing(struct descriptions *descriptions, const char *why)
{
	snprintf(descriptions->missing, sizeof(descriptions->missing),
		 "%s: commands, directories, files, mail and environments are not shown, only what is published", why);
}

/* Send the question. Return 0 or -errno. */
static int question_send(struct connection *connection, const uint32_t *numbers, size_t n)
{
	struct out line;
	int rc = line_begin(&line);

	if (rc)
		return rc;
	json_write_literal(&line, "{\"request\":\"describe\",\"jobs\":[");
	for (size_t i = 0; i < n; i++)
		json_write_number(&line, i ? "," : "", numbers[i]);
	json_write_literal(&line, "]}");
	return line_send(connection, &line);
}

/* Ask about these jobs. Return 0, -EAGAIN, or another -errno. */
static int ask(struct descriptions *descriptions, struct connection *connection, const uint32_t *numbers, size_t n,
	       struct messages *messages)
{
	json_t *answer = NULL;
	int rc = connection_open_again(connection, messages);

	if (rc == 0)
		rc = question_send(connection, numbers, n);
	if (rc == 0) {
		rc = line_receive(connection, 0, &answer);
		rc = rc && rc != -EAGAIN ? -ECONNRESET : rc;
	}
	if (rc == 0)
		rc = results_read(json_object_get(answer, "results"), descriptions);
	json_decref(answer);
	return rc;
}

void descriptions_ask(struct descriptions *descriptions, const char *cell, const uint32_t *numbers, size_t n,
		      struct messages *messages)
{
	struct connection connection = { .fd = -1, .cell = cell, .patience_s = PATIENCE_S };
	int rc = ask(descriptions, &connection, numbers, n < DESCRIBED_MOST ? n : DESCRIBED_MOST, messages);

	connection_close(&connection);
	if (rc == -EAGAIN)
		missing(descriptions, "the scheduler has not answered within 2 seconds");
	else if (rc == -ENOENT || rc == -ECONNREFUSED)
		missing(descriptions, "no scheduler listens");
	else if (rc)
		missing(descriptions, strerror(-rc));
	else if (n > DESCRIBED_MOST)
		missing(descriptions, "the scheduler is asked about the first 100 jobs only: of the others");
}

void descriptions_free(struct descriptions *descriptions)
{
	for (size_t i = 0; i < descriptions->n; i++)
		description_free(&descriptions->items[i]);
	free(descriptions->items);
	*descriptions = (struct descriptions){ .n = 0 };
}

const struct job_description *description_of(const struct descriptions *descriptions, uint32_t number)
{
	for (size_t i = 0; i < descriptions->n; i++)
		if (descriptions->items[i].job_number == number)
			return &descriptions->items[i];
	return NULL;
}

const char *description_variable(const struct job_description *description, const char *name)
{
	for (size_t i = 0; description && i < description->environment.n; i++)
		if (strcmp(description->environment.items[i].name, name) == 0)
			return description->environment.items[i].value;
	return NULL;
}

char *description_json(const struct job_description *description)
{
	return json_dumps(description->source, JSON_COMPACT | JSON_ENSURE_ASCII);
}
