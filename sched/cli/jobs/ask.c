/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/jobs/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/cli/cli.h"

static int json_print(const struct reply *reply, struct messages *messages)
{
	char *text = reply_json(reply);
	bool failed = !text || printf("{\"results\":%s}\n", text) < 0;

	free(text);
	return failed ? message_add(messages, EXIT_NO_DATA, NULL, "cannot write to standard output") : EXIT_OK;
}

/*
 * Report an action to the listener, once per line if the scheduler sent several. Return false if
 * there is none.
 */
static bool result_heard(const struct reply_result *result, const char *text, bool terse)
{
	bool heard = false;

	for (size_t i = 0; i < result->nlines; i++) {
		utf8_clean(result->lines[i]);
		heard |= cli_heard(result->job_number, result->lines[i], terse);
	}
	return heard || (result->nlines == 0 && cli_heard(result->job_number, text, terse));
}

static void result_print(const struct reply_result *result, bool terse, struct messages *messages)
{
	if (result->code) {
		message_add(messages, result->code, NULL, "%s", result->text);
		return;
	}
	utf8_clean(result->text);
	if (result_heard(result, result->text, terse))
		;
	else if (terse && result->job_number > 0)
		printf("%lld\n", (long long)result->job_number);
	else
		printf("%s\n", result->text);
	if (result->note)
		message_add(messages, EXIT_OK, NULL, "%s", result->note);
}

int ask_results(const struct reply *reply, const struct ask_format *format, struct messages *messages)
{
	int code = format->json ? json_print(reply, messages) : EXIT_OK;

	for (size_t i = 0; !format->json && i < reply->n; i++) {
		result_print(&reply->items[i], format->terse, messages);
		messages_flush(messages);
	}
	return code ? code : reply_code(reply);
}

int ask_print(struct connection *connection, const struct scheduler_request *request, const struct ask_format *format,
	      struct reply *reply, struct messages *messages)
{
	int code = request_ask(connection, request, reply, messages);

	return code ? code : ask_results(reply, format, messages);
}

int ask_cell(const char *cell, const struct scheduler_request *request, const struct ask_format *format,
	     struct messages *messages)
{
	struct reply reply = { .n = 0 };
	struct connection connection;
	int code;

	messages_flush(messages);
	code = connection_open(&connection, cell, messages);
	if (!code)
		code = ask_print(&connection, request, format, &reply, messages);
	connection_close(&connection);
	reply_free(&reply);
	return code;
}
