/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/jobs/operands.h"

#include <stdlib.h>
#include <string.h>

#include "sched/process/options.h"
#include "sched/process/ranges.h"

int operands_check_tasks(struct messages *messages, const char *verb, const char *option, const char *tasks)
{
	struct ranges ranges;
	bool good = ranges_parse(&ranges, tasks) == 0 && ranges.n > 0;

	ranges_free(&ranges);
	if (good)
		return EXIT_OK;
	return message_add(messages, EXIT_USAGE, verb,
			   "%s: \"%s\" is not a list n[-m[:s]][,...] of task ids, from 1 on, each at most once", option,
			   tasks);
}

json_int_t operands_number(struct messages *messages, const char *verb, const char *option, const char *text)
{
	unsigned long number = 0;

	return options_number(messages, verb, option, text, 1, UINT32_MAX, &number) ? 0 : (json_int_t)number;
}

static int operand_add(struct messages *messages, json_t *jobs, const char *verb, const char *job, size_t length,
		       const char *tasks, const char *user)
{
	json_t *entry = json_object();

	if (user && json_object_set_new(entry, "user", json_string(user)))
		goto undo;
	if (job && json_object_set_new(entry, "job", json_stringn(job, length)))
		goto undo;
	if (tasks && json_object_set_new(entry, "tasks", json_string(tasks)))
		goto undo;
	if (json_array_append_new(jobs, entry) == 0)
		return EXIT_OK;
	return message_no_memory(messages);
undo:
	json_decref(entry);
	return message_add(messages, EXIT_USAGE, verb, "\"%s\" is not UTF-8", job ? job : user);
}

/*
 * Parse an operand. A point after digits begins task ids. In other positions it is part of a name.
 */
static int operand_take(struct messages *messages, json_t *jobs, const char *verb, const char *word, const char *tasks,
			const char *user)
{
	size_t digits = strspn(word, "0123456789"), length = strlen(word);
	int code;

	if (!length)
		return message_add(messages, EXIT_USAGE, verb, "the name of a job is missing");
	if (digits && word[digits] == '.') {
		tasks = word + digits + 1;
		length = digits;
	} else if (digits && word[digits]) {
		return message_add(
			messages, EXIT_USAGE, verb,
			"\"%s\" is not a job: a number, number.tasks, or a name, which does not begin with a "
			"digit, is expected",
			word);
	}
	code = tasks ? operands_check_tasks(messages, verb, word, tasks) : EXIT_OK;
	return code ? code : operand_add(messages, jobs, verb, word, length, tasks, user);
}

int operands_take(struct messages *messages, json_t *jobs, const char *verb, const char *text, const char *tasks,
		  const char *user)
{
	char *copy, *rest, *word;
	int code = EXIT_OK;

	if (!text)
		return operand_add(messages, jobs, verb, NULL, 0, tasks, user);
	copy = rest = strdup(text);
	if (!copy)
		return message_no_memory(messages);
	while (!code && (word = strsep(&rest, ",")) != NULL)
		code = operand_take(messages, jobs, verb, word, tasks, user);
	free(copy);
	return code;
}

/* Parse the operands for one user. NULL: no user was named. */
static int words_take(struct messages *messages, json_t *jobs, const char *verb, char **words, const char *tasks,
		      const char *user)
{
	int code = EXIT_OK;

	if (!*words)
		return operands_take(messages, jobs, verb, NULL, tasks, user);
	for (; !code && *words; words++)
		code = operands_take(messages, jobs, verb, strcmp(*words, "all") ? *words : "*", tasks, user);
	return code;
}

int operands_take_all(struct messages *messages, json_t *jobs, const char *verb, char **words, const char *tasks,
		      const char *users)
{
	char *copy, *rest, *user;
	int code = EXIT_OK;

	if (!*words && !users)
		return message_add(messages, EXIT_USAGE, verb, "name a job");
	if (!users)
		return words_take(messages, jobs, verb, words, tasks, NULL);
	if (!*users || *users == ',' || strstr(users, ",,") || users[strlen(users) - 1] == ',')
		return message_add(messages, EXIT_USAGE, verb, "-u: \"%s\": the name of a user is missing", users);
	copy = rest = strdup(users);
	if (!copy)
		return message_no_memory(messages);
	while (!code && (user = strsep(&rest, ",")) != NULL)
		code = words_take(messages, jobs, verb, words, tasks, user);
	free(copy);
	return code;
}
