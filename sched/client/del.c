/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/commands.h"
#include "sched/process/options.h"

struct deletion {
	const char *tasks, *users;	/* NULL: not used */
	bool force, json;
};

#define FIELD(name) .field = offsetof(struct deletion, name)

const struct argument del_options[] = {
	{ "-f", ARGUMENT_FLAG, FIELD(force), .sentence = "remove the jobs even if their processes cannot be ended" },
	{ "-t", ARGUMENT_TEXT, FIELD(tasks), .value = "N[-M[:S]]", .sentence = "delete only these tasks of the jobs" },
	{ "-u", ARGUMENT_TEXT, FIELD(users), .value = "USER[,...]",
	  .sentence = "delete the jobs of these users: all, or the named ones" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print the result for each job as JSON" },
	{ .name = NULL },
};

int del_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct words words = { .table = del_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	struct deletion deletion = { .tasks = NULL };
	struct operand_list jobs = { .n = 0 };
	int code = options_read(&words, &deletion);

	if (!code && deletion.tasks)
		code = operands_check_tasks(messages, "del", "-t", deletion.tasks);
	if (!code)
		code = operands_take_all(messages, &jobs, "del", argv + words.next, deletion.tasks, deletion.users);
	if (!code)
		code = caller_ask_cell(caller,
				&(const struct scheduler_request){
					.kind = REQUEST_DELETE, .operands = &jobs, .force = deletion.force },
				&(const struct reply_format){ .json = deletion.json });
	operands_clear(&jobs);
	return code;
}
