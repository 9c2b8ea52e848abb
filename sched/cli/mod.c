/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cli.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"
#include "sched/cli/verbs.h"

static const char *const requests[] = { "clear", "suspend", "unsuspend" };

struct modification {
	bool asked[3];			/* for each of the requests */
};

#define FIELD(n) .field = offsetof(struct modification, asked[n])

const struct argument mod_options[] = {
	{ "-cj", ARGUMENT_FLAG, FIELD(0), .sentence = "clear the error state of these jobs" },
	{ "-sj", ARGUMENT_FLAG, FIELD(1), .sentence = "suspend them, or these tasks of them, if they run" },
	{ "-usj", ARGUMENT_FLAG, FIELD(2), .sentence = "let them go on" },
	{ .name = NULL },
};

/* *request is what is asked of the server. */
static int parse(struct words *w, json_t *jobs, const char **request)
{
	struct modification m = { { false } };
	int code = options_take(w, &m);

	if (code)
		return code;
	if (m.asked[0] + m.asked[1] + m.asked[2] != 1)
		return cli_fail(EXIT_USAGE, "mod: what? one of -cj, -sj and -usj is expected");
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (m.asked[i])
			*request = requests[i];
	if (w->next == w->argc)
		return cli_fail(EXIT_USAGE, "mod: which job?");
	for (int k = w->next; !code && k < w->argc; k++)
		code = operands_take(jobs, "mod", w->argv[k], NULL, NULL);
	return code;
}

int mod_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = mod_options, .argc = argc, .argv = argv, .next = 1 };
	struct server server = { .fd = -1 };
	json_t *jobs = json_array();
	const char *request = NULL;
	int code = parse(&words, jobs, &request);

	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O}", "request", request, "jobs", jobs), false);
	server_close(&server);
	json_decref(jobs);
	return code;
}
