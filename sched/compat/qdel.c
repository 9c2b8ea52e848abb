/* SPDX-License-Identifier: Apache-2.0 */
/* qdel, qhold and qrls: jobs by number, tasks, name and user. */
#include "sched/compat/compat.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

/* "-t 1-5" after a job are tasks of that job. */
const struct foreign qdel_foreign[] = { { "-t", "TASKS", NULL }, { .name = NULL } };
const struct foreign qhold_foreign[] = { { "-t", "TASKS", NULL }, { .name = NULL } };

/* Add tasks to the job before. Only a number may have tasks, and only once. */
static int tasks_take(const struct client_program *program, struct call *jobs, const char *tasks)
{
	const char *job = jobs->n > 1 ? jobs->words[jobs->n - 1] : "";

	if (!*job || job[strspn(job, "0123456789")])
		return program_fail(program->name, "-t must follow the number of a job:", tasks);
	call_extend(jobs, ".");
	call_extend(jobs, tasks);
	return 0;
}

/* Read the words. True: there are options and jobs. */
static bool words_take(struct word_walk *walk, struct call *call, struct call *jobs)
{
	enum walk_what what;

	while ((what = walk_next(walk)) != WALK_END)
		if (what == WALK_OPTION && strcmp(*walk->words, "-t"))
			call_add_all(call, walk->words, walk->n);
		else if (what == WALK_OPERAND)
			call_add(jobs, *walk->words);
		else if (what == WALK_WRONG || tasks_take(walk->program, jobs, walk->words[1]))
			return false;
	return true;
}

static bool has_users(const struct call *call)
{
	for (int k = 1; k < call->n; k++)
		if (!strcmp(call->words[k], "-u"))
			return true;
	return false;
}

static int run(const struct client_program *program, const char *cell, int argc, char **argv, struct voice *voice,
	       request_command *command)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct call call = { .words = NULL }, jobs = { .words = NULL };
	int code = EXIT_USAGE;

	voice->program = program->name;
	if (call_open(&call, voice->verb, argc) || call_open(&jobs, "--", argc)) {
		program_fail(program->name, "no memory", NULL);
	} else if (argc == 1) {
		program_help(program, stderr);
		printf("ERROR! no option argument\n");
	} else if (words_take(&walk, &call, &jobs)) {
		if (jobs.n > 1 || !has_users(&call))
			call_add_all(&call, jobs.words, jobs.n);
		code = call_ask(&call, command, cell, voice);
	}
	call_close(&call);
	call_close(&jobs);
	return code;
}

/* Print that a job does not exist. For a name Grid Engine prints more. */
static bool name_missing(struct voice *voice, const struct reply_result *result)
{
	const struct passwd *me = getpwuid(geteuid());

	(void)voice;
	if (!result->code || result->reason != REPLY_NO_JOB || !result->object || !*result->object ||
	    (*result->object >= '0' && *result->object <= '9'))
		return false;
	printf("The job %s of user(s) %s does not exist\n", result->object, me ? me->pw_name : "?");
	return true;
}

/* Print nothing about a hold that does not exist. */
static bool nothing_changed(struct voice *voice, const struct reply_result *result)
{
	(void)voice;
	return !result->code && result->reason == REPLY_NOTHING_CHANGED;
}

int qdel_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct voice voice = { .verb = "del", .takes_result = name_missing };

	return run(program, cell, argc, argv, &voice, del_ask) ? 1 : 0;
}

/* Run qhold or qrls. Grid Engine's exit code for a job that does not exist is 3, too. */
int qhold_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct voice voice = { .verb = strcmp(program->name, "qrls") ? "hold" : "release",
			       .takes_result = nothing_changed };
	int code = run(program, cell, argc, argv, &voice, hold_ask);

	return code == EXIT_OK || code == EXIT_NO_DATA ? code : 1;
}
