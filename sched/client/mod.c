/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/client/commands.h"
#include "sched/process/options.h"

static const struct {
	enum scheduler_request_kind request;
	bool is_of_queues, takes_force;
} kinds[] = {
	{ REQUEST_CLEAR, false, false },
	{ REQUEST_SUSPEND, false, false },
	{ REQUEST_UNSUSPEND, false, false },
	{ REQUEST_RESCHEDULE, false, true },
	{ REQUEST_DISABLE, true, false },
	{ REQUEST_ENABLE, true, false },
	{ REQUEST_SUSPEND_QUEUE, true, false },
	{ REQUEST_UNSUSPEND_QUEUE, true, false },
	{ REQUEST_CLEAR_QUEUE, true, false },
	{ REQUEST_RESCHEDULE_QUEUE, true, true },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct modification {
	bool asked[KINDS];		/* indexed by kind */
	bool force, json;
	const char *users;		/* NULL: not used */
};

#define KIND(n) .field = offsetof(struct modification, asked[n])
#define FIELD(name) .field = offsetof(struct modification, name)

const struct argument mod_options[] = {
	{ "-cj", ARGUMENT_FLAG, KIND(0), .sentence = "clear the error state of these jobs" },
	{ "-sj", ARGUMENT_FLAG, KIND(1), .sentence = "suspend these jobs or tasks if they run" },
	{ "-usj", ARGUMENT_FLAG, KIND(2), .sentence = "resume these jobs or tasks" },
	{ "-rj", ARGUMENT_FLAG, KIND(3),
	  .sentence = "end the running tasks of these jobs, and make them pending again" },
	{ "-d", ARGUMENT_FLAG, KIND(4),
	  .sentence = "disable these queues: no job starts there, running jobs continue" },
	{ "-e", ARGUMENT_FLAG, KIND(5), .sentence = "enable these queues" },
	{ "-sq", ARGUMENT_FLAG, KIND(6), .sentence = "suspend these queues and the jobs that run there" },
	{ "-usq", ARGUMENT_FLAG, KIND(7), .sentence = "resume these queues and their jobs" },
	{ "-cq", ARGUMENT_FLAG, KIND(8), .sentence = "clear the error state of these queues" },
	{ "-rq", ARGUMENT_FLAG, KIND(9), .sentence = "reschedule the jobs that run in these queues, like -rj" },
	{ "-f", ARGUMENT_FLAG, FIELD(force),
	  .sentence = "with -rj, -rq: also reschedule jobs that are not rerunnable (operators only)" },
	{ "-u", ARGUMENT_TEXT, FIELD(users), .value = "USER[,...]",
	  .sentence = "change the jobs of these users: all, or the named ones" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print the result for each job or queue as JSON" },
	{ .name = NULL },
};

/* Find the only kind of change that was requested. */
static int kind_find(struct messages *messages, const struct modification *modification, size_t *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < KINDS; i++)
		if (modification->asked[i]) {
			*kind = i;
			n++;
		}
	if (n != 1)
		return message_add(
			messages, EXIT_USAGE, "mod",
			"one of -cj, -sj, -usj, -rj (jobs), -d, -e, -sq, -usq, -cq and -rq (queues) is expected");
	if (modification->force && !kinds[*kind].takes_force)
		return message_add(messages, EXIT_USAGE, "mod", "-f can only be used with -rj and -rq");
	if (modification->users && kinds[*kind].is_of_queues)
		return message_add(messages, EXIT_USAGE, "mod", "-u can only be used with jobs");
	return EXIT_OK;
}

int mod_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct words words = { .table = mod_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	struct modification modification = { .force = false };
	struct operand_list list = { .n = 0 };
	size_t kind = 0;
	int code = options_read(&words, &modification);

	if (!code)
		code = kind_find(messages, &modification, &kind);
	if (!code)
		code = kinds[kind].is_of_queues
			       ? operands_take_queues(messages, &list, "mod", argv + words.next)
			       : operands_take_all(messages, &list, "mod", argv + words.next, NULL, modification.users);
	if (!code)
		code = caller_ask_cell(caller,
				&(const struct scheduler_request){
					.kind = kinds[kind].request, .operands = &list, .force = modification.force },
				&(const struct reply_format){ .json = modification.json });
	operands_clear(&list);
	return code;
}
