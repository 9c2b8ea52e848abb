/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that send requests to the scheduler of a local cell, and their output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/cli/jobs/requests.h"
#include "sched/cli/jobs/reserve.h"
#include "sched/cli/verbs.h"

static void json_print(const struct caller *caller, const struct reply *reply)
{
	char *text = reply_json(reply);

	if (!text || printf("{\"results\":%s}\n", text) < 0)
		message_add(caller->messages, EXIT_NO_DATA, NULL, "cannot write to standard output");
	free(text);
}

static void result_print(const struct caller *caller, const struct reply_result *result, bool terse)
{
	if (result->code) {
		message_add(caller->messages, result->code, NULL, "%s", result->text);
		return;
	}
	utf8_clean(result->text);
	if (terse && result->job_number > 0)
		printf("%lld\n", (long long)result->job_number);
	else
		printf("%s\n", result->text);
	if (result->note)
		message_add(caller->messages, EXIT_OK, NULL, "%s", result->note);
}

void reply_print(const struct caller *caller, const struct reply *reply, const struct reply_format *format)
{
	if (format->json)
		json_print(caller, reply);
	for (size_t i = 0; !format->json && i < reply->n; i++) {
		result_print(caller, &reply->items[i], format->terse);
		messages_flush(caller->messages);
	}
	if (format->waits)
		fflush(stdout);
}

static int ask(request_command *command, const char *cell, int argc, char **argv)
{
	struct messages messages = CLI_MESSAGES;
	const struct caller caller = {
		.cell = cell, .messages = &messages, .print = reply_print, .show = submission_show
	};
	int code = command(&caller, argc, argv);

	messages_flush(&messages);
	return code;
}

int submit_run(const char *cell, int argc, char **argv)
{
	return ask(submit_ask, cell, argc, argv);
}

int alter_run(const char *cell, int argc, char **argv)
{
	return ask(alter_ask, cell, argc, argv);
}

int del_run(const char *cell, int argc, char **argv)
{
	return ask(del_ask, cell, argc, argv);
}

int hold_run(const char *cell, int argc, char **argv)
{
	return ask(hold_ask, cell, argc, argv);
}

int mod_run(const char *cell, int argc, char **argv)
{
	return ask(mod_ask, cell, argc, argv);
}

int jobprio_run(const char *cell, int argc, char **argv)
{
	return ask(jobprio_ask, cell, argc, argv);
}

/* Run a form of reserve. Without a form, reservations are listed. */
int reserve_run(const char *cell, int argc, char **argv)
{
	const char *form = argc == 1 || *argv[1] == '-' ? "" : argv[1];

	if (!*form)
		return verb_print(reserve_stat_show, cell, argc, argv);
	/* argv[1] is the begin of messages */
	if (strcmp(form, "sub") == 0) {
		argv[1] = (char *)"reserve sub";
		return ask(reserve_sub_ask, cell, argc - 1, argv + 1);
	}
	if (strcmp(form, "del") == 0) {
		argv[1] = (char *)"reserve del";
		return ask(reserve_del_ask, cell, argc - 1, argv + 1);
	}
	if (strcmp(form, "stat") != 0 && strcmp(form, "list") != 0)
		return cli_fail(EXIT_USAGE, "reserve: sub, stat, list or del is expected, not %s", form);
	argv[1] = (char *)(strcmp(form, "stat") ? "reserve list" : "reserve stat");
	return verb_print(reserve_stat_show, cell, argc - 1, argv + 1);
}
