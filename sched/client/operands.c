/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/operands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/client/line.h"
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

uint32_t operands_number(struct messages *messages, const char *verb, const char *option, const char *text)
{
	unsigned long number = 0;

	return options_number(messages, verb, option, text, 1, UINT32_MAX, &number) ? 0 : (uint32_t)number;
}

static void operand_free(struct operand *operand)
{
	free(operand->name);
	free(operand->tasks);
	free(operand->user);
}

void operands_clear(struct operand_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		operand_free(&list->items[i]);
	free(list->items);
	*list = (struct operand_list){ .items = NULL };
}

/* Append copies of the texts, each of which may be NULL. */
static int operand_append(struct operand_list *list, const char *name, size_t length, const char *tasks,
			  const char *user)
{
	struct operand operand = { .name = name ? strndup(name, length) : NULL,
				   .tasks = tasks ? strdup(tasks) : NULL,
				   .user = user ? strdup(user) : NULL };

	if ((name && !operand.name) || (tasks && !operand.tasks) || (user && !operand.user) ||
	    array_grow(&list->items, list->n + 1, sizeof(*list->items))) {
		operand_free(&operand);
		return -ENOMEM;
	}
	list->items[list->n++] = operand;
	return 0;
}

static int operand_add(struct messages *messages, struct operand_list *list, const char *verb, const char *name,
		       size_t length, const char *tasks, const char *user)
{
	if ((user && !line_can_hold(user, strlen(user))) || (name && !line_can_hold(name, length)))
		return message_add(messages, EXIT_USAGE, verb, "\"%s\" is not UTF-8", name ? name : user);
	return operand_append(list, name, length, tasks, user) ? message_no_memory(messages) : EXIT_OK;
}

int operands_add(struct messages *messages, struct operand_list *list, const char *verb, const char *name,
		 const char *user)
{
	return operand_add(messages, list, verb, name, strlen(name), NULL, user);
}

int operands_add_job(struct operand_list *list, uint32_t number, uint32_t task)
{
	char name[16], tasks[16];

	snprintf(name, sizeof(name), "%u", number);
	snprintf(tasks, sizeof(tasks), "%u", task);
	return operand_append(list, name, strlen(name), task ? tasks : NULL, NULL);
}

/*
 * Parse an operand. A point after digits begins task ids. In other positions it is part of a name.
 */
static int operand_take(struct messages *messages, struct operand_list *list, const char *verb, const char *word,
			const char *tasks, const char *user)
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
	return code ? code : operand_add(messages, list, verb, word, length, tasks, user);
}

int operands_take(struct messages *messages, struct operand_list *list, const char *verb, const char *text,
		  const char *tasks, const char *user)
{
	char *copy, *rest, *word;
	int code = EXIT_OK;

	if (!text)
		return operand_add(messages, list, verb, NULL, 0, tasks, user);
	copy = rest = strdup(text);
	if (!copy)
		return message_no_memory(messages);
	while (!code && (word = strsep(&rest, ",")) != NULL)
		code = operand_take(messages, list, verb, word, tasks, user);
	free(copy);
	return code;
}

/* Parse the operands for one user. NULL: no user was named. */
static int words_take(struct messages *messages, struct operand_list *list, const char *verb, char **words,
		      const char *tasks, const char *user)
{
	int code = EXIT_OK;

	if (!*words)
		return operands_take(messages, list, verb, NULL, tasks, user);
	for (; !code && *words; words++)
		code = operands_take(messages, list, verb, strcmp(*words, "all") ? *words : "*", tasks, user);
	return code;
}

int operands_take_all(struct messages *messages, struct operand_list *list, const char *verb, char **words,
		      const char *tasks, const char *users)
{
	char *copy, *rest, *user;
	int code = EXIT_OK;

	if (!*words && !users)
		return message_add(messages, EXIT_USAGE, verb, "name a job");
	if (!users)
		return words_take(messages, list, verb, words, tasks, NULL);
	if (!*users || *users == ',' || strstr(users, ",,") || users[strlen(users) - 1] == ',')
		return message_add(messages, EXIT_USAGE, verb, "-u: \"%s\": the name of a user is missing", users);
	copy = rest = strdup(users);
	if (!copy)
		return message_no_memory(messages);
	while (!code && (user = strsep(&rest, ",")) != NULL)
		code = words_take(messages, list, verb, words, tasks, user);
	free(copy);
	return code;
}

int operands_take_queues(struct messages *messages, struct operand_list *list, const char *verb, char **words)
{
	int code = EXIT_OK;

	if (!*words)
		return message_add(messages, EXIT_USAGE, verb,
				   "name a queue: QUEUE, QUEUE@HOST or a pattern is expected");
	for (; !code && *words; words++) {
		char *copy = strdup(*words), *rest = copy, *word;

		if (!copy)
			return message_no_memory(messages);
		while (!code && (word = strsep(&rest, ",")) != NULL)
			code = *word ? operands_add(messages, list, verb, word, NULL)
				     : message_add(messages, EXIT_USAGE, verb,
						   "\"%s\": the name of a queue is missing", *words);
		free(copy);
	}
	return code;
}
