/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"
#include "sched/cli/verbs.h"

#define KINDS 4			/* letters of u o s, each once */

static int kinds_take(void *kinds, struct words *w);

const struct argument hold_options[] = {
	{ "-h", ARGUMENT_CALL, .call = kinds_take, .value = "u|o|s",
	  .sentence = "which: of the user, the operator, the system, or several; u" },
	{ .name = NULL },
};

/* "u,o" and "uo" to "uo", each letter once. */
static int kinds_take(void *field, struct words *w)
{
	char *kinds = field;
	size_t n = 0;

	for (const char *p = w->value; *p; p++) {
		if (*p == ',' && n)
			continue;
		if (!strchr("uos", *p))
			return cli_fail(EXIT_USAGE, "%s: -h: \"%s\": letters of u o s are expected", w->argv[0], w->value);
		kinds[n] = '\0';
		if (!strchr(kinds, *p))
			kinds[n++] = *p;
	}
	kinds[n] = '\0';
	return n ? EXIT_OK : cli_fail(EXIT_USAGE, "%s: -h: \"%s\": letters of u o s are expected", w->argv[0], w->value);
}

static int parse(struct words *w, char kinds[KINDS])
{
	int code = options_take(w, kinds);

	if (!code && w->next == w->argc)
		code = cli_fail(EXIT_USAGE, "%s: which job?", w->argv[0]);
	return code;
}

/* "all" are all of the user's own. */
static int jobs_take(json_t *jobs, const struct words *w)
{
	int code = EXIT_OK;

	for (int k = w->next; !code && k < w->argc; k++)
		code = operands_take(jobs, w->argv[0], strcmp(w->argv[k], "all") ? w->argv[k] : "*", NULL, NULL);
	return code;
}

int hold_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = hold_options, .argc = argc, .argv = argv, .next = 1 };
	struct server server = { .fd = -1 };
	json_t *jobs = json_array();
	char kinds[KINDS] = "u";
	int code = parse(&words, kinds);

	if (!code)
		code = jobs_take(jobs, &words);
	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O,s:s}", "request", argv[0], "jobs", jobs, "kind", kinds), false);
	server_close(&server);
	json_decref(jobs);
	return code;
}
