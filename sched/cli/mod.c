/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cli.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"
#include "sched/cli/verbs.h"

const struct argument mod_options[] = {
	{ "-cj", ARGUMENT_FLAG, .sentence = "clear the error state of these jobs" },
	{ .name = NULL },
};

static int parse(struct words *w, json_t *jobs)
{
	bool clear = false;
	int code = options_take(w, &clear);

	if (code)
		return code;
	if (!clear)
		return cli_fail(EXIT_USAGE, "mod: what? -cj clears the error state");
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
	int code = parse(&words, jobs);

	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O}", "request", "clear", "jobs", jobs), false);
	server_close(&server);
	json_decref(jobs);
	return code;
}
