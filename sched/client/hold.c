/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/client/commands.h"
#include "sched/process/options.h"

#define KINDS 4			/* the letters u, o and s, each at most once, and NUL */

struct holding {
	char kinds[KINDS];
	const char *users;		/* NULL: not used */
	bool json;
};

#define FIELD(name) .field = offsetof(struct holding, name)

static int kinds_take(void *holding, struct words *words);

const struct argument hold_options[] = {
	{ "-h", ARGUMENT_CALL, .call = kinds_take, .value = "u|o|s",
	  .sentence = "select the kind of hold: u user, o operator, s system, or several (default: u)" },
	{ "-u", ARGUMENT_TEXT, FIELD(users), .value = "USER[,...]",
	  .sentence = "change the jobs of these users: all, or the named ones" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print the result for each job as JSON" },
	{ .name = NULL },
};

/* Convert "u,o" and "uo" to "uo", each letter once. */
static int kinds_take(void *holding, struct words *words)
{
	char *kinds = ((struct holding *)holding)->kinds;
	size_t n = 0;

	for (const char *p = words->value; *p; p++) {
		if (*p == ',' && n)
			continue;
		if (!strchr("uos", *p))
			return message_add(words->messages, EXIT_USAGE, words->argv[0],
					   "-h: \"%s\": letters of u o s are expected", words->value);
		kinds[n] = '\0';
		if (!strchr(kinds, *p))
			kinds[n++] = *p;
	}
	kinds[n] = '\0';
	return n ? EXIT_OK
		 : message_add(words->messages, EXIT_USAGE, words->argv[0], "-h: \"%s\": letters of u o s are expected",
			       words->value);
}

int hold_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct words words = { .table = hold_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	struct operand_list jobs = { .n = 0 };
	struct holding holding = { .kinds = "u" };
	int code = options_read(&words, &holding);

	if (!code)
		code = operands_take_all(messages, &jobs, argv[0], argv + words.next, NULL, holding.users);
	if (!code)
		code = caller_ask_cell(caller,
				&(const struct scheduler_request){
					.kind = strcmp(argv[0], "hold") ? REQUEST_RELEASE : REQUEST_HOLD,
					.operands = &jobs,
					.holds = holding.kinds },
				&(const struct reply_format){ .json = holding.json });
	operands_clear(&jobs);
	return code;
}
