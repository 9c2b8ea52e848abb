/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/* Options of the verb that lists queues, in addition to those of the one that lists jobs. */
const struct foreign qstat_foreign[] = {
	{ "-f", NULL, NULL },
	{ "-F", NULL, NULL },
	{ "-explain", "a|A|c|E", NULL },
	{ "-ne", NULL, NULL },
	{ "-cb", NULL, "a local cell binds no jobs to cores" },
	{ "-ncb", NULL, "a local cell binds no jobs to cores" },
	{ .name = NULL },
};

/* Request of a command line */
struct qstat_asked {
	bool queues;		/* -f, or an option that implies it, or -g c */
	bool summary;		/* -g c */
	bool users, jobs, xml;	/* -u, -j, -xml */
	struct call job_words;	/* words after the last -j */
};

static bool is_about_queues(const struct word_walk *walk)
{
	return !strcmp(*walk->words, "-f") || !strcmp(*walk->words, "-F") || !strcmp(*walk->words, "-explain");
}

/* Read the options. Words after a -j belong to its list. Returns 0, or 1 after a message. */
static int words_read(struct word_walk *walk, struct qstat_asked *asked)
{
	bool in_list = false;
	enum walk_what what;

	while ((what = walk_next(walk)) != WALK_END && what != WALK_WRONG) {
		const char *option = *walk->words;

		if (what == WALK_OPERAND) {
			if (in_list)
				call_add(&asked->job_words, option);
			continue;
		}
		in_list = !strcmp(option, "-j");
		asked->queues |= is_about_queues(walk);
		asked->users |= !strcmp(option, "-u");
		asked->xml |= !strcmp(option, "-xml");
		asked->summary |= !strcmp(option, "-g") && walk->n > 1 && strchr(walk->words[1], 'c');
		if (!in_list)
			continue;
		/* the last -j is used */
		call_close(&asked->job_words);
		if (call_open(&asked->job_words, "-j", walk->argc))
			return program_fail(walk->program->name, "no memory", NULL);
		asked->jobs = true;
		call_add_all(&asked->job_words, walk->words + 1, walk->n - 1);
	}
	return what == WALK_WRONG;
}

/* Pass the words to the call of a verb. -ne applies only to queues. */
static void words_pass(struct word_walk *walk, struct call *call, const struct qstat_asked *asked)
{
	enum walk_what what;

	while ((what = walk_next(walk)) != WALK_END && what != WALK_WRONG)
		if (what != WALK_FOREIGN || asked->queues || asked->summary)
			call_add_all(call, walk->words, walk->n);
}

static int queues_list(const struct client_program *program, const char *cell, int argc, char **argv,
		       const struct qstat_asked *asked)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1, .quiet = true };
	struct voice voice = { .program = program->name, .verb = "queues", .refusals = stderr, .before = "error: " };
	struct call call;
	int code = 1;

	if (call_open(&call, "queues", argc))
		return program_fail(program->name, "no memory", NULL);
	if (!asked->users && !asked->summary)
		call_add_caller(&call);
	words_pass(&walk, &call, asked);
	code = call_show(&call, queues_show, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}

/* List jobs, with the same output on a terminal and elsewhere. */
static int jobs_list(const struct client_program *program, const char *cell, int argc, char **argv,
		     const struct qstat_asked *asked)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1, .quiet = true };
	struct voice voice = { .program = program->name, .verb = "stat", .refusals = stderr, .before = "error: " };
	static const char *const plain[] = { "--plain", "--color", "never" };
	struct call call;
	int code = 1;

	if (call_open(&call, "stat", argc))
		return program_fail(program->name, "no memory", NULL);
	for (size_t k = 0; k < sizeof(plain) / sizeof(*plain); k++)
		call_add(&call, plain[k]);
	words_pass(&walk, &call, asked);
	if (!asked->users)
		call_add_caller(&call);
	code = call_show(&call, stat_show, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}

int qstat_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct qstat_asked asked = { .queues = false };
	int code = words_read(&walk, &asked);

	if (!code && asked.jobs)
		code = qstat_jobs(program, cell, &asked.job_words, asked.xml);
	else if (!code && (asked.queues || asked.summary))
		code = queues_list(program, cell, argc, argv, &asked);
	else if (!code)
		code = jobs_list(program, cell, argc, argv, &asked);
	call_close(&asked.job_words);
	return code;
}
