/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/*
 * Each begins a list, which goes on to the next: of jobs, of queues, or of both, where what begins
 * with a digit is a job.
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
	struct call common;		/* -f, -u USER: of all lists */
	struct call jobs, queues;	/* of the list at hand; without words: there is none */
	bool failed;
};

static size_t list_find(const char *word)
{
	size_t k = 0;

	while (k < LISTS && strcmp(lists[k].name, word) != 0)
		k++;
	return k;
}

/* A call that has its option only asks for nothing. */
static void call_end(struct modifying *m, struct call *call, bool asks)
{
	if (asks && call_run(call, mod_run, m->cell, &m->voice))
		m->failed = true;
	call_close(call);
}

static void list_end(struct modifying *m)
{
	int least = 1 + m->common.n;		/* the verb's name, its option, what is common behind the verb of that */
	bool of_jobs = m->jobs.n > least, of_queues = m->queues.n > least;

	/* with nothing named the verb says so */
	call_end(m, &m->jobs, of_jobs || (m->jobs.n && !of_queues));
	call_end(m, &m->queues, of_queues || (m->queues.n && !of_jobs && !m->jobs.n));
}

static void call_begin(struct modifying *m, struct call *call, const char *option, int argc)
{
	if (!option || call_open(call, "mod", argc))
		return;
	call_add(call, option);
	call_add_all(call, m->common.words + 1, m->common.n - 1);
}

static void operand_take(struct modifying *m, const char *word)
{
	bool is_job = m->jobs.n && (!m->queues.n || (*word >= '0' && *word <= '9'));

	if (is_job || m->queues.n)
		call_add(is_job ? &m->jobs : &m->queues, word);
	else
		m->failed = program_fail(m->voice.program, "what is to be done with it?", word);
}

/* First what is about all lists, which may stand behind them. False: after a message. */
static bool common_take(struct modifying *m, struct word_walk w)
{
	enum walk_what what;

	while ((what = walk_next(&w)) != WALK_END && what != WALK_WRONG)
		if (what == WALK_OPTION && list_find(*w.words) == LISTS)
			call_add_all(&m->common, w.words, w.n);
	return what == WALK_END;
}

int qmod_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	struct modifying m = { .cell = cell, .voice = { .program = p->name, .verb = "mod" } };
	struct word_walk w = { .program = p, .argc = argc, .argv = argv, .next = 1 };
	enum walk_what what;

	if (argc == 1) {
		program_help(p, stderr);
		return 1;
	}
	m.failed = call_open(&m.common, "mod", argc) || !common_take(&m, w);
	while (!m.failed && (what = walk_next(&w)) != WALK_END) {
		size_t k = list_find(*w.words);

		if (what == WALK_OPERAND) {
			operand_take(&m, *w.words);
		} else if (k < LISTS) {
			list_end(&m);
			call_begin(&m, &m.jobs, lists[k].of_jobs, argc);
			call_begin(&m, &m.queues, lists[k].of_queues, argc);
		}
	}
	list_end(&m);
	call_close(&m.common);
	return m.failed ? 1 : 0;
}
