/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/hold.h"

#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"

enum { OPT_KINDS };

const struct option hold_options[] = {
	[OPT_KINDS] = { "-h", "u|o|s", "which: of the user, the operator, the system, or several; u" },
	{ NULL, NULL, NULL },
};

/* "u,o" and "uo" to "uo", each letter once. */
static int kinds_take(const char *verb, const char *value, char kinds[4])
{
	size_t n = 0;

	for (const char *p = value; *p; p++) {
		if (*p == ',' && n)
			continue;
		if (!strchr("uos", *p))
			return cli_fail(EXIT_USAGE, "%s: -h: \"%s\": letters of u o s are due", verb, value);
		kinds[n] = '\0';
		if (!strchr(kinds, *p))
			kinds[n++] = *p;
	}
	kinds[n] = '\0';
	return n ? EXIT_OK : cli_fail(EXIT_USAGE, "%s: -h: \"%s\": letters of u o s are due", verb, value);
}

static int parse(struct options *o, char kinds[4])
{
	const char *verb = o->argv[0];
	int code = EXIT_OK;

	strcpy(kinds, "u");
	for (int k; !code && (k = options_next(o)) != OPTIONS_END;)
		code = k == OPT_KINDS ? kinds_take(verb, o->value, kinds) : EXIT_USAGE;
	if (!code && o->next == o->argc)
		code = cli_fail(EXIT_USAGE, "%s: which job?", verb);
	return code;
}

/* "all" are all of the user's own. */
static int jobs_take(json_t *jobs, const struct options *o)
{
	int code = EXIT_OK;

	for (int k = o->next; !code && k < o->argc; k++)
		code = operands_take(jobs, o->argv[0], strcmp(o->argv[k], "all") ? o->argv[k] : "*", NULL, NULL);
	return code;
}

int hold_run(const char *cell, int argc, char **argv)
{
	struct options o = { .table = hold_options, .argc = argc, .argv = argv, .next = 1 };
	struct server server = { .fd = -1 };
	json_t *jobs = json_array();
	char kinds[4];
	int code = parse(&o, kinds);

	if (!code)
		code = jobs_take(jobs, &o);
	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O,s:s}", "request", argv[0], "jobs", jobs, "kind", kinds), false);
	server_close(&server);
	json_decref(jobs);
	return code;
}
