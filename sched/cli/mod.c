/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/mod.h"

#include "sched/cli/cli.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"

enum { OPT_CLEAR };

const struct option mod_options[] = {
	[OPT_CLEAR] = { "-cj", NULL, "clear the error state of these jobs" },
	{ NULL, NULL, NULL },
};

static int parse(struct options *o, json_t *jobs)
{
	int code = EXIT_OK, k;
	bool clear = false;

	while ((k = options_next(o)) != OPTIONS_END) {
		if (k == OPTIONS_BAD)
			return EXIT_USAGE;
		clear = true;
	}
	if (!clear)
		return cli_fail(EXIT_USAGE, "mod: what? -cj clears the error state");
	if (o->next == o->argc)
		return cli_fail(EXIT_USAGE, "mod: which job?");
	for (k = o->next; !code && k < o->argc; k++)
		code = operands_take(jobs, "mod", o->argv[k], NULL, NULL);
	return code;
}

int mod_run(const char *cell, int argc, char **argv)
{
	struct options o = { .table = mod_options, .argc = argc, .argv = argv, .next = 1 };
	struct server server = { .fd = -1 };
	json_t *jobs = json_array();
	int code = parse(&o, jobs);

	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O}", "request", "clear", "jobs", jobs), false);
	server_close(&server);
	json_decref(jobs);
	return code;
}
