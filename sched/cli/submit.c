/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/submit.h"

#include <string.h>

#include "conf/number.h"
#include "sched/cli/follow.h"
#include "sched/cli/job.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"
#include "sched/process/ranges.h"

enum { SUBMIT_H = JOB_OPTIONS, SUBMIT_NOW, SUBMIT_SYNC, SUBMIT_T, SUBMIT_TERSE, SUBMIT_OPTIONS };

const struct option submit_options[] = {
	JOB_OPTION_ROWS,
	[SUBMIT_H] = { "-h", NULL, "hold it" },
	[SUBMIT_NOW] = { "-now", "y|n", "start it in the next run or never; wait for that" },
	[SUBMIT_SYNC] = { "-sync", "y|n", "wait until it has ended; its exit status" },
	[SUBMIT_T] = { "-t", "N[-M[:S]]", "an array: one task for each number" },
	[SUBMIT_TERSE] = { "-terse", NULL, "print the number of the job only" },
	[SUBMIT_OPTIONS] = { NULL, NULL, NULL },
};

struct submission {
	struct job job;
	const char *tasks;	/* -t; NULL: none */
	bool held, terse;
	struct follow follow;
	char **command;
};

static int bool_take(const struct submission *s, const char *name, const char *value, bool *to)
{
	return number_bool(value, to) ? job_wrong(&s->job, name, value, "y or n is due") : EXIT_OK;
}

static int tasks_take(struct submission *s, const char *value)
{
	struct ranges tasks = { 0 };
	int code = operands_check_tasks("submit", "-t", value);

	s->tasks = value;
	if (!code && ranges_parse(&tasks, value) == 0)
		s->follow.tasks = ranges_count(&tasks);
	ranges_free(&tasks);
	return code;
}

static int option_take(struct submission *s, int k, struct options *o)
{
	switch (k) {
	case OPTIONS_BAD: return EXIT_USAGE;
	case SUBMIT_H: s->held = true; break;
	case SUBMIT_NOW: return bool_take(s, "-now", o->value, &s->follow.now);
	case SUBMIT_SYNC: return bool_take(s, "-sync", o->value, &s->follow.sync);
	case SUBMIT_T: return tasks_take(s, o->value);
	case SUBMIT_TERSE: s->terse = true; break;
	default: return job_take(&s->job, (enum job_option)k, o);
	}
	return EXIT_OK;
}

/*
 * "--" must stand before the command: options of the program itself, like -c, may stand anywhere
 * before it, and a command's own -c would be taken for one of them.
 */
static int parse(struct submission *s, int argc, char **argv)
{
	struct options o = { .table = submit_options, .argc = argc, .argv = argv, .next = 1 };
	int code = EXIT_OK, last = 1, k;

	while (!code && (k = options_next(&o)) != OPTIONS_END) {
		code = option_take(s, k, &o);
		last = o.next;
	}
	if (code)
		return code;
	if (o.next == last && o.next < argc)
		return cli_fail(EXIT_USAGE, "submit: %s: write -- before the command", argv[o.next]);
	if (o.next == argc || !*argv[o.next])
		return cli_fail(EXIT_USAGE, "submit: the command behind -- is missing");
	s->command = argv + o.next;
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
