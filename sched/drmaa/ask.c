/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

/* Convert a failure to send a request or to receive its reply. */
static int not_answered(int exit_code, const char *cell, struct reason_wanted *wanted)
{
	return exit_code == EXIT_USAGE
		       ? fault(wanted, DRMAA_ERRNO_DENIED_BY_DRM, "the request is longer than %u bytes", REQUEST_LINE_BYTES)
		       : fault(wanted, DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE, "%s: the scheduler has not answered",
			       cell);
}

int scheduler_talk(const char *cell, const struct scheduler_request *request, struct reply *reply,
		   struct reason_wanted *wanted)
{
	struct messages messages = { .items = NULL };
	struct connection connection;
	int code = connection_open(&connection, cell, &messages);

	*reply = (struct reply){ .n = 0 };
	if (code)
		code = fault_of(wanted, code, messages.n ? messages.items[messages.n - 1].text : "");
	else if ((code = request_ask(&connection, request, reply, &messages)) != EXIT_OK)
		code = not_answered(code, cell, wanted);
	connection_close(&connection);
	messages_free(&messages);
	return code;
}

int scheduler_ask(const struct scheduler_request *request, struct reply *reply, struct reason_wanted *wanted)
{
	char *cell = strdup(session.cell);
	int code;

	*reply = (struct reply){ .n = 0 };
	if (!cell)
		return fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	session_away();
	code = scheduler_talk(cell, request, reply, wanted);
	free(cell);
	if (!session_back() && !code) {
		reply_free(reply);
		code = fault(wanted, DRMAA_ERRNO_NO_ACTIVE_SESSION, "the session has ended");
	}
	return code;
}
