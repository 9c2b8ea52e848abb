/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/server.h"
#include "sched/drmaa/inside.h"

struct said { char text[512]; };

static void failed(void *context, enum exit_code code, const char *text)
{
	struct said *said = context;

	(void)code;
	snprintf(said->text, sizeof(said->text), "%s", text);
}

static void done(void *context, long long job_number, const char *text, bool terse)
{
	(void)context;
	(void)job_number;
	(void)text;
	(void)terse;
}

int scheduler_talk(const char *cell, json_t *request, struct scheduler_answer *answer, struct reason_wanted *wanted)
{
	struct said said = { "" };
	const struct cli_listener listener = { &said, failed, done };
	struct server server;
	int code, rc;

	*answer = (struct scheduler_answer){ .line = NULL };
	cli_listen(&listener);
	code = server_open(&server, cell);
	cli_listen(NULL);
	if (code) {
		json_decref(request);
		return fault_of(wanted, code, said.text);
	}
	rc = server_send(&server, request);
	if (rc == 0)
		answer->line = server_line(&server, 0);
	server_close(&server);
	if (rc == -EMSGSIZE)
		return fault(wanted, DRMAA_ERRNO_DENIED_BY_DRM, "the request is longer than %u bytes", REQUEST_BYTES);
	answer->results = json_object_get(answer->line, "results");
	if (json_array_size(answer->results))
		return DRMAA_ERRNO_SUCCESS;
	json_decref(answer->line);
	return fault(wanted, DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE, "%s: the scheduler has not answered", cell);
}

int scheduler_ask(json_t *request, struct scheduler_answer *answer, struct reason_wanted *wanted)
{
	char *cell = strdup(session.cell);
	int code;

	if (!cell) {
		json_decref(request);
		return fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	}
	session_away();
	code = scheduler_talk(cell, request, answer, wanted);
	free(cell);
	if (!session_back() && !code) {
		json_decref(answer->line);
		code = fault(wanted, DRMAA_ERRNO_NO_ACTIVE_SESSION, "the session has ended");
	}
	return code;
}
