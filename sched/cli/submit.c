/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/submit.h"

#include <string.h>

#include "conf/number.h"
#include "sched/cli/job.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"

enum { SUBMIT_H = JOB_OPTIONS, SUBMIT_NOW, SUBMIT_T, SUBMIT_TERSE, SUBMIT_OPTIONS };

const struct option submit_options[] = {
	JOB_OPTION_ROWS,
	[SUBMIT_H] = { "-h", NULL, "hold it" },
	[SUBMIT_NOW] = { "-now", "y|n", "start it in the next run or never" },
	[SUBMIT_T] = { "-t", "N[-M[:S]]", "an array: one task for each number" },
	[SUBMIT_TERSE] = { "-terse", NULL, "print the number of the job only" },
	[SUBMIT_OPTIONS] = { NULL, NULL, NULL },
};

struct submission {
	struct job job;
	const char *tasks;	/* -t; NULL: none */
	bool held, terse;
	char **command;
};

static int now_take(struct submission *s, const char *value)
{
	bool now;

	if (number_bool(value, &now))
		return job_wrong(&s->job, "-now", value, "y or n is due");
	return json_object_set_new(s->job.members, "now", json_boolean(now)) ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

static int option_take(struct submission *s, int k, struct options *o)
{
	switch (k) {
	case OPTIONS_BAD: return EXIT_USAGE;
	case SUBMIT_H: s->held = true; break;
	case SUBMIT_NOW: return now_take(s, o->value);
	case SUBMIT_T: s->tasks = o->value; return operands_check_tasks("submit", "-t", o->value);
	case SUBMIT_TERSE: s->terse = true; break;
	default: return job_take(&s->job, (enum job_option)k, o);
	}
	return EXIT_OK;
}

/*
 * "--" must stand before the command: options of the program itself, like -c, may stand anywhere before it, and a command's own -c would be
 * taken for one of them.
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
	int code = server_open(&server, cell);

	if (!code)
		code = server_ask(&server, json_pack("{s:s,s:O,s:O}", "request", "submit", "job", s->job.members,
						     "execution", s->job.execution), s->terse);
	server_close(&server);
	return code;
}

int submit_run(const char *cell, int argc, char **argv)
{
	struct submission s = { .job = { .verb = "submit" } };
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
