/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/*
 * Options that begin a list, up to the next one: of jobs, of queues, or of both. In a list of both,
 * a word that begins with a digit is a job.
 */
static const struct { const char *name, *of_jobs, *of_queues; } lists[] = {
	{ "-cj", "-cj", NULL }, { "-sj", "-sj", NULL }, { "-usj", "-usj", NULL }, { "-rj", "-rj", NULL },
	{ "-cq", NULL, "-cq" }, { "-sq", NULL, "-sq" }, { "-usq", NULL, "-usq" }, { "-rq", NULL, "-rq" },
	{ "-d", NULL, "-d" }, { "-e", NULL, "-e" },
	{ "-c", "-cj", "-cq" }, { "-s", "-sj", "-sq" }, { "-us", "-usj", "-usq" }, { "-r", "-rj", "-rq" },
};

#define LISTS (sizeof(lists) / sizeof(*lists))

const struct foreign qmod_foreign[] = {
	{ "-c", NULL, NULL }, { "-s", NULL, NULL }, { "-us", NULL, NULL }, { "-r", NULL, NULL },
	{ .name = NULL },
};

struct modifying {
	const char *cell;
	struct voice voice;
	struct call common;		/* -f, -u USER: for all lists */
	struct call jobs, queues;	/* current list; no words: none */
	bool failed;
};

static size_t list_find(const char *word)
{
	size_t k = 0;

	while (k < LISTS && strcmp(lists[k].name, word) != 0)
		k++;
	return k;
}

/* End a call. It is made only if it has more than its option. */
static void call_end(struct modifying *modifying, struct call *call, bool asks)
{
	if (asks && call_ask(call, mod_ask, modifying->cell, &modifying->voice))
		modifying->failed = true;
	call_close(call);
}

static void list_end(struct modifying *modifying)
{
	int least = 1 + modifying->common.n; /* the verb's name, its option, and the common words */
	bool of_jobs = modifying->jobs.n > least, of_queues = modifying->queues.n > least;

	/* if nothing is named, the verb reports it */
	call_end(modifying, &modifying->jobs, of_jobs || (modifying->jobs.n && !of_queues));
	call_end(modifying, &modifying->queues, of_queues || (modifying->queues.n && !of_jobs && !modifying->jobs.n));
}

static void call_begin(struct modifying *modifying, struct call *call, const char *option, int argc)
{
	if (!option || call_open(call, "mod", argc))
		return;
	call_add(call, option);
	call_add_all(call, modifying->common.words + 1, modifying->common.n - 1);
}

static void operand_take(struct modifying *modifying, const char *word)
{
	bool is_job = modifying->jobs.n && (!modifying->queues.n || (*word >= '0' && *word <= '9'));

	if (is_job || modifying->queues.n)
		call_add(is_job ? &modifying->jobs : &modifying->queues, word);
	else
		modifying->failed = program_fail(modifying->voice.program, "specify what to do", word);
}

/*
 * Read options that apply to all lists first, because they may be after the lists. False: after a
 * message.
 */
static bool common_take(struct modifying *modifying, struct word_walk walk)
{
	enum walk_what what;

	while ((what = walk_next(&walk)) != WALK_END && what != WALK_WRONG)
		if (what == WALK_OPTION && list_find(*walk.words) == LISTS)
			call_add_all(&modifying->common, walk.words, walk.n);
	return what == WALK_END;
}

int qmod_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct modifying modifying = { .cell = cell, .voice = { .program = program->name, .verb = "mod" } };
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	enum walk_what what;

	if (argc == 1) {
		program_help(program, stderr);
		return 1;
	}
	modifying.failed = call_open(&modifying.common, "mod", argc) || !common_take(&modifying, walk);
	while (!modifying.failed && (what = walk_next(&walk)) != WALK_END) {
		size_t k = list_find(*walk.words);

		if (what == WALK_OPERAND) {
			operand_take(&modifying, *walk.words);
		} else if (k < LISTS) {
			list_end(&modifying);
			call_begin(&modifying, &modifying.jobs, lists[k].of_jobs, argc);
			call_begin(&modifying, &modifying.queues, lists[k].of_queues, argc);
		}
	}
	list_end(&modifying);
	call_close(&modifying.common);
	return modifying.failed ? 1 : 0;
}
