/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/* Options of the verb that lists queues, beside those of the one that lists jobs. */
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
	bool queues;		/* -f, or what implies it, or -g c */
	bool summary;		/* -g c */
	bool users, jobs, xml;	/* -u, -j, -xml */
	struct call job_words;	/* behind the last -j */
};

static bool is_about_queues(const struct word_walk *w)
{
	return !strcmp(*w->words, "-f") || !strcmp(*w->words, "-F") || !strcmp(*w->words, "-explain");
}

/* 0, or 1 after a message. Words behind a -j are those of its list. */
static int words_read(struct word_walk *w, struct qstat_asked *asked)
{
	bool in_list = false;
	enum walk_what what;

	while ((what = walk_next(w)) != WALK_END && what != WALK_WRONG) {
		const char *option = *w->words;

		if (what == WALK_OPERAND) {
			if (in_list)
				call_add(&asked->job_words, option);
			continue;
		}
		in_list = !strcmp(option, "-j");
		asked->queues |= is_about_queues(w);
		asked->users |= !strcmp(option, "-u");
		asked->xml |= !strcmp(option, "-xml");
		asked->summary |= !strcmp(option, "-g") && w->n > 1 && strchr(w->words[1], 'c');
		if (!in_list)
			continue;
		/* the last one counts */
		call_close(&asked->job_words);
		if (call_open(&asked->job_words, "-j", w->argc))
			return program_fail(w->program->name, "no memory", NULL);
		asked->jobs = true;
		call_add_all(&asked->job_words, w->words + 1, w->n - 1);
	}
	return what == WALK_WRONG;
}

/* The words once more, into the call of a verb: -ne is about queues alone. */
static void words_pass(struct word_walk *w, struct call *call, const struct qstat_asked *asked)
{
	enum walk_what what;

	while ((what = walk_next(w)) != WALK_END && what != WALK_WRONG)
		if (what != WALK_FOREIGN || asked->queues || asked->summary)
			call_add_all(call, w->words, w->n);
}

static int queues_list(const struct client_program *p, const char *cell, int argc, char **argv, const struct qstat_asked *asked)
{
	struct word_walk w = { .program = p, .argc = argc, .argv = argv, .next = 1, .quiet = true };
	struct voice voice = { .program = p->name, .verb = "queues", .refusals = stderr, .before = "error: " };
	struct call call;
	int code = 1;

	if (call_open(&call, "queues", argc))
		return program_fail(p->name, "no memory", NULL);
	if (!asked->users && !asked->summary)
		call_add_caller(&call);
	words_pass(&w, &call, asked);
	code = call_run(&call, queues_run, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}

/* The same on a terminal as elsewhere. */
static int jobs_list(const struct client_program *p, const char *cell, int argc, char **argv, const struct qstat_asked *asked)
{
	struct word_walk w = { .program = p, .argc = argc, .argv = argv, .next = 1, .quiet = true };
	struct voice voice = { .program = p->name, .verb = "stat", .refusals = stderr, .before = "error: " };
	static const char *const plain[] = { "--plain", "--color", "never" };
	struct call call;
	int code = 1;

	if (call_open(&call, "stat", argc))
		return program_fail(p->name, "no memory", NULL);
	for (size_t k = 0; k < sizeof(plain) / sizeof(*plain); k++)
		call_add(&call, plain[k]);
	words_pass(&w, &call, asked);
	if (!asked->users)
		call_add_caller(&call);
	code = call_run(&call, stat_run, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}

int qstat_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	struct word_walk w = { .program = p, .argc = argc, .argv = argv, .next = 1 };
	struct qstat_asked asked = { .queues = false };
	int code = words_read(&w, &asked);

	if (!code && asked.jobs)
		code = qstat_jobs(p, cell, &asked.job_words, asked.xml);
	else if (!code && (asked.queues || asked.summary))
		code = queues_list(p, cell, argc, argv, &asked);
	else if (!code)
		code = jobs_list(p, cell, argc, argv, &asked);
	call_close(&asked.job_words);
	return code;
}
