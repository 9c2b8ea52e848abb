/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"
#include "sched/cli/verbs.h"

struct deletion {
	json_t *jobs;
	const char *tasks, *users;	/* NULL: not given */
	bool force;
};

#define FIELD(name) .field = offsetof(struct deletion, name)

const struct argument del_options[] = {
	{ "-f", ARGUMENT_FLAG, FIELD(force), .sentence = "forget them even if their processes can't be ended" },
	{ "-t", ARGUMENT_TEXT, FIELD(tasks), .value = "N[-M[:S]]", .sentence = "these tasks of the jobs only" },
	{ "-u", ARGUMENT_TEXT, FIELD(users), .value = "USER[,...]", .sentence = "the jobs of these users, all or those named" },
	{ .name = NULL },
};

static int parse(struct deletion *d, struct words *w)
{
	int code = options_take(w, d);

	if (code)
		return code;
	if (d->tasks && operands_check_tasks("del", "-t", d->tasks))
		return EXIT_USAGE;
	if (d->users && (!*d->users || *d->users == ',' || strstr(d->users, ",,") || d->users[strlen(d->users) - 1] == ','))
		return cli_fail(EXIT_USAGE, "del: -u: \"%s\": the name of a user is missing", d->users);
	if (w->next == w->argc && !d->users)
		return cli_fail(EXIT_USAGE, "del: which job?");
	return EXIT_OK;
}

/* All operands, for one user; NULL: whoever the jobs named belong to. */
static int jobs_take(struct deletion *d, char **operands, const char *user)
{
	int code = EXIT_OK;

	if (!*operands)
		return operands_take(d->jobs, "del", NULL, d->tasks, user);
	for (; !code && *operands; operands++)
		code = operands_take(d->jobs, "del", *operands, d->tasks, user);
	return code;
}

static int users_take(struct deletion *d, char **operands)
{
	char *copy, *rest, *user;
	int code = EXIT_OK;

	if (!d->users)
		return jobs_take(d, operands, NULL);
	copy = rest = strdup(d->users);
	if (!copy)
		return cli_fail(EXIT_NO_DATA, "no memory");
	while (!code && (user = strsep(&rest, ",")) != NULL)
		code = jobs_take(d, operands, user);
	free(copy);
	return code;
}

int del_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = del_options, .argc = argc, .argv = argv, .next = 1 };
	struct deletion d = { .jobs = json_array() };
	struct server server = { .fd = -1 };
	int code = parse(&d, &words);

	if (!code)
		code = users_take(&d, argv + words.next);
	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O,s:b}", "request", "delete", "jobs", d.jobs, "force", d.force), false);
	server_close(&server);
	json_decref(d.jobs);
	return code;
}
