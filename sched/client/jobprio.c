/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's job priorities, set like with condor_prio(1). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/commands.h"
#include "sched/process/options.h"

struct priority_change {
	bool all, json;
	bool is_given, is_relative;
	int64_t value;		/* a 32-bit number */
};

static int priority_take(void *change, struct words *words);

const struct argument jobprio_options[] = {
	{ "-p", ARGUMENT_CALL, .call = priority_take, .value = "N",
	  .sentence = "set the job priority to N, any integer; +N and -N without -p: raise or lower it by N" },
	{ "-a", ARGUMENT_FLAG, .field = offsetof(struct priority_change, all),
	  .sentence = "change all jobs of the user; for operators, all jobs of all users" },
	{ "--json", ARGUMENT_FLAG, .field = offsetof(struct priority_change, json),
	  .sentence = "print the result for each job as JSON" },
	{ .name = NULL },
};

static int number_take(struct messages *messages, struct priority_change *change, const char *text, bool relative)
{
	char *end;
	long long value;

	if (change->is_given)
		return message_add(messages, EXIT_USAGE, "jobprio", "\"%s\": there is more than one priority", text);
	errno = 0;
	value = strtoll(text, &end, 10);
	if (isspace((unsigned char)*text) || end == text || *end || errno || value < INT32_MIN || value > INT32_MAX)
		return message_add(messages, EXIT_USAGE, "jobprio",
				"\"%s\" is not a job priority: an integer from %d to %d is expected", text,
				INT32_MIN, INT32_MAX);
	*change = (struct priority_change){ change->all, change->json, true, relative, value };
	return EXIT_OK;
}

static int priority_take(void *change, struct words *words)
{
	return number_take(words->messages, change, words->value, false);
}

/* Remove +5 and -5 from the words. They are neither options nor jobs, at any position. */
static int relative_take(struct words *words, struct priority_change *change)
{
	int n = 1, code = EXIT_OK;

	for (int k = 1; !code && k < words->argc; k++) {
		const char *word = words->argv[k];
		bool is_value = strcmp(words->argv[k - 1], "-p") == 0;

		if (!is_value && (*word == '+' || *word == '-') && isdigit((unsigned char)word[1]))
			code = number_take(words->messages, change, word, true);
		else
			words->argv[n++] = words->argv[k];
	}
	words->argc = n;
	return code;
}

/*
 * Parse CLUSTER, CLUSTER.PROC or a user. A job that is not an array has a single process, which is
 * 0 in HTCondor.
 */
static int job_take(struct messages *messages, struct operand_list *jobs, const char *word)
{
	size_t digits = strspn(word, "0123456789");
	char *copy;
	int code;

	if (*word == '\0')
		return message_add(messages, EXIT_USAGE, "jobprio", "the name of a user is missing");
	if (digits == 0)
		return operands_take(messages, jobs, "jobprio", NULL, NULL, word);
	if (strcmp(word + digits, ".0") != 0)
		return operands_take(messages, jobs, "jobprio", word, NULL, NULL);
	copy = strndup(word, digits);
	code = copy ? operands_take(messages, jobs, "jobprio", copy, "1", NULL) : message_no_memory(messages);
	free(copy);
	return code;
}

static int parse(struct words *words, struct operand_list *jobs, struct priority_change *change)
{
	struct messages *messages = words->messages;
	int code = relative_take(words, change);

	if (!code)
		code = options_read(words, change);
	if (code)
		return code;
	if (!change->is_given)
		return message_add(messages, EXIT_USAGE, "jobprio",
				   "the priority is missing: -p N, +N or -N is expected");
	if (change->all == (words->next < words->argc))	/* exactly one of both is required */
		return message_add(messages, EXIT_USAGE, NULL,
				change->all ? "jobprio: -a selects all jobs, and cannot be combined with jobs or users"
					    : "jobprio: name the jobs: -a, a job or a user is expected");
	if (change->all)
		code = operands_take(messages, jobs, "jobprio", NULL, NULL, "*");
	for (int k = words->next; !code && k < words->argc; k++)
		code = job_take(words->messages, jobs, words->argv[k]);
	return code;
}

int jobprio_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct words words = { .table = jobprio_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	struct operand_list jobs = { .n = 0 };
	struct priority_change change = { 0 };
	int code = parse(&words, &jobs, &change);

	if (!code)
		code = caller_ask_cell(caller,
				&(const struct scheduler_request){ .kind = REQUEST_JOBPRIO,
								   .operands = &jobs,
								   .is_relative = change.is_relative,
								   .priority = change.value },
				&(const struct reply_format){ .json = change.json });
	operands_clear(&jobs);
	return code;
}
