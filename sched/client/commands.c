/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/commands.h"

int caller_ask(const struct caller *caller, struct connection *connection, const struct scheduler_request *request,
	       const struct reply_format *format, struct reply *reply)
{
	int code = request_ask(connection, request, reply, caller->messages);

	if (code)
		return code;
	caller->print(caller, reply, format);
	messages_flush(caller->messages);
	return reply_code(reply);
}

int caller_ask_cell(const struct caller *caller, const struct scheduler_request *request,
		    const struct reply_format *format)
{
	struct reply reply = { .n = 0 };
	struct connection connection;
	int code;

	messages_flush(caller->messages);
	code = connection_open(&connection, caller->cell, caller->messages);
	if (!code)
		code = caller_ask(caller, &connection, request, format, &reply);
	connection_close(&connection);
	reply_free(&reply);
	return code;
}
