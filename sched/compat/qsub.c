/* SPDX-License-Identifier: Apache-2.0 */
/* Programs qsub, qalter and qresub. */
#include "sched/compat/compat.h"

#include <string.h>

#define USAGE_WRONG 2		/* exit code of qsub for invalid use of most options */

/* The option -c of the verb is the cell. */
const struct foreign qsub_foreign[] = {
	{ "-c", "WHEN", "-ckpt specifies when checkpoints are made" },
	{ .name = NULL },
};

const struct foreign qalter_foreign[] = {
	{ "-binding", "[env|pe|set] HOW", "a local cell binds no jobs to cores" },
	{ "-c", "WHEN", "-ckpt specifies when checkpoints are made" },
	{ "-he", "y|n", "there is no such error handling" },
	{ "-jsv", "URL", "scripts do not verify requests" },
	{ .name = NULL },
};

/* Print a refusal with the words of Grid Engine. */
static bool unknown_queue_take(struct voice *voice, const struct reply_result *result)
{
	if (result->reason != REPLY_UNKNOWN_QUEUE || !result->object || !result->code)
		return false;
	fflush(stdout);		/* keep the order of events */
	fprintf(voice->refusals, "%sJob was rejected because job requests unknown queue \"%s\"%s\n", voice->before,
		result->object, voice->after);
	return true;
}

int qsub_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct voice voice = { .program = program->name,
			       .verb = "submit",
			       .takes_result = unknown_queue_take,
			       .before = "Unable to run job: ",
			       .after = "\nExiting.",
			       .refusals = stderr };
	enum walk_what what;
	struct call call;
	int code;

	if (call_open(&call, "submit", argc))
		return program_fail(program->name, "no memory", NULL);
	while ((what = walk_next(&walk)) == WALK_OPTION)
		call_add_all(&call, walk.words, walk.n);
	if (what == WALK_OPERAND) {
		if (walk.dashes)
			call_add(&call, "--");
		call_add_all(&call, walk.words, argc - walk.next + 1);
	}
	code = what == WALK_WRONG ? USAGE_WRONG : call_ask(&call, submit_ask, cell, &voice);
	call_close(&call);
	published_await(cell, voice.job_number);
	if (!voice.failures)
		return code;		/* with -sync y the exit code of the job */
	return voice.usage ? USAGE_WRONG : 1;
}

const struct argument qresub_options[] = { { .name = NULL } };

#define COPIES_MISSING 4	/* exit code of qresub for jobs that do not exist */

/* Run qresub. The verb accepts only numbers; Grid Engine reads other words as 0. */
int qresub_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct voice voice = { .program = program->name, .verb = "submit", .refusals = stderr };
	enum walk_what what;
	struct call call;
	int code = 0;

	if (argc == 1) {
		program_help(program, stderr);
		fputs("ERROR! no option argument\n", stderr);
		return 1;
	}
	while ((what = walk_next(&walk)) == WALK_OPERAND) {
		if (call_open(&call, "submit", 1))
			return program_fail(program->name, "no memory", NULL);
		call_add(&call, "--again");
		call_add(&call, *walk.words);
		if (call_ask(&call, submit_ask, cell, &voice))
			code = COPIES_MISSING;
		call_close(&call);
	}
	published_await(cell, voice.job_number);
	return what == WALK_END ? code : 1;
}

#define TASKS_NAMED 4		/* exit code of qalter for tasks instead of a job */

/*
 * Print Grid Engine's message if its words differ. `context` becomes true if tasks were named.
 */
static bool alteration_take(struct voice *voice, const struct reply_result *result)
{
	bool tasks = result->reason == REPLY_WHOLE_JOB;

	if (!result->code)
		return result->reason == REPLY_NOTHING_CHANGED;
	if (!tasks && result->reason != REPLY_TASK_CONCURRENCY)
		return unknown_queue_take(voice, result);
	*(bool *)voice->context |= tasks;
	puts(tasks ? "denied: the selected option works only on jobs and not on tasks"
		   : "invalid option argument \"task concurrency\"");
	return true;
}

/* Run qalter. Options may be after the jobs, too. */
int qalter_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	bool tasks = false;
	struct voice voice = { .program = program->name,
			       .verb = "alter",
			       .takes_result = alteration_take,
			       .context = &tasks };
	struct call call = { .words = NULL }, jobs = { .words = NULL };
	enum walk_what what;
	int code = 1;

	if (call_open(&call, "alter", argc) || call_open(&jobs, "--", argc)) {
		program_fail(program->name, "no memory", NULL);
		goto out;
	}
	while ((what = walk_next(&walk)) == WALK_OPTION || what == WALK_OPERAND)
		call_add_all(what == WALK_OPTION ? &call : &jobs, walk.words, walk.n);
	call_add_all(&call, jobs.words, jobs.n);
	if (what == WALK_END)
		code = call_ask(&call, alter_ask, cell, &voice) ? tasks ? TASKS_NAMED : 1 : 0;
out:
	call_close(&call);
	call_close(&jobs);
	return code;
}
