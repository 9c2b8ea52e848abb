/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conf/number.h"
#include "sched/cli/follow.h"
#include "sched/cli/job.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"
#include "sched/cli/verbs.h"
#include "sched/process/ranges.h"

struct submission {
	struct job job;
	const char *tasks;	/* -t; NULL: none */
	bool held, terse, json;
	struct follow follow;
	char **command;
};

#define FIELD(name) .field = offsetof(struct submission, name)

static int bool_take(void *yes, struct words *w);
static int tasks_take(void *submission, struct words *w);

const struct argument submit_options[] = {
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ "-h", ARGUMENT_FLAG, FIELD(held), .sentence = "hold it" },
	{ "-now", ARGUMENT_CALL, FIELD(follow.now), .call = bool_take, .value = "y|n",
	  .sentence = "start it in the next run or never; wait for that" },
	{ "-sync", ARGUMENT_CALL, FIELD(follow.sync), .call = bool_take, .value = "y|n", .sentence = "wait until it has ended; its exit status" },
	{ "-t", ARGUMENT_CALL, .call = tasks_take, .value = "N[-M[:S]]", .sentence = "an array: one task for each number" },
	{ "-terse", ARGUMENT_FLAG, FIELD(terse), .sentence = "print the number of the job only" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "what became of it, as JSON" },
	{ .name = NULL },
};

static int bool_take(void *yes, struct words *w)
{
	if (number_bool(w->value, yes))
		return cli_fail(EXIT_USAGE, "submit: %s: \"%.100s\": y or n is expected", w->row->name, w->value);
	return EXIT_OK;
}

static int tasks_take(void *submission, struct words *w)
{
	struct submission *s = submission;
	struct ranges tasks = { 0 };
	int code = operands_check_tasks("submit", "-t", w->value);

	s->tasks = w->value;
	if (!code && ranges_parse(&tasks, w->value) == 0)
		s->follow.tasks = ranges_count(&tasks);
	ranges_free(&tasks);
	return code;
}

/*
 * "--" must stand before the command: options of the program itself, like -c, may stand anywhere
 * before it, and a command's own -c would be taken for one of them.
 */
static int parse(struct submission *s, int argc, char **argv)
{
	struct words words = { .table = submit_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, s);

	if (code)
		return code;
	if (words.next < argc && strcmp(words.word, "--"))
		return cli_fail(EXIT_USAGE, "submit: %s: write -- before the command", argv[words.next]);
	if (words.next == argc || !*argv[words.next])
		return cli_fail(EXIT_USAGE, "submit: the command behind -- is missing");
	s->command = argv + words.next;
	return EXIT_OK;
}

static int command_take(struct submission *s)
{
	json_t *list = json_array();

	for (char **word = s->command; *word; word++)
		if (json_array_append_new(list, json_string(*word))) {
			json_decref(list);
			return cli_fail(EXIT_USAGE, "submit: \"%s\" is no UTF-8", *word);
		}
	return json_object_set_new(s->job.execution, "command", list) ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

static int submission_finish(struct submission *s)
{
	json_t *members = s->job.members;

	s->job.is_array = s->tasks != NULL;
	if (s->json && (s->follow.now || s->follow.sync))
		return cli_fail(EXIT_USAGE, "submit: --json does not go with -now and -sync, which wait for news");
	if (!s->tasks && json_object_get(members, "task_concurrency"))
		return cli_fail(EXIT_USAGE, "submit: -tc goes with -t only");
	if (json_object_get(members, "master_queue_list") && !json_object_get(members, "pe"))
		return cli_fail(EXIT_USAGE, "submit: -masterq goes with -pe only");
	if (s->follow.now && json_object_set_new(members, "now", json_true()))
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (s->tasks && json_object_set_new(members, "tasks", json_string(s->tasks)))
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (s->held && json_object_set_new(members, "hold", json_pack("{s:s}", "u", s->tasks ? s->tasks : "1")))
		return cli_fail(EXIT_NO_DATA, "no memory");
	int code = command_take(s);

	return code ? code : job_finish(&s->job);
}

static int submission_send(const struct submission *s, const char *cell)
{
	struct server server;
	bool follows = s->follow.now || s->follow.sync;
	int code = server_open(&server, cell);

	server.json = s->json;
	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O,s:O,s:o*}", "request", "submit", "job", s->job.members,
						     "execution", s->job.execution, "follow", follows ? json_true() : NULL), s->terse);
	if (!code && follows)
		code = follow_job(&server, &s->follow);
	server_close(&server);
	return code;
}

int submit_run(const char *cell, int argc, char **argv)
{
	struct submission s = { .job = { .verb = "submit" }, .follow = { .tasks = 1 } };
	int code = job_open(&s.job);

	if (!code)
		code = parse(&s, argc, argv);
	if (!code)
		code = submission_finish(&s);
	if (!code)
		code = submission_send(&s, cell);
	job_close(&s.job);
	return code;
}
