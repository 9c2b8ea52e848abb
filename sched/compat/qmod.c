/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/* Each of them begins a list of jobs or queues, which goes on to the next. */
static const struct {
	const char *name, *verb_option;
} asked[] = {
	{ "-cj", "-cj" }, { "-sj", "-sj" }, { "-usj", "-usj" },
	{ "-c", "-cj" }, { "-s", "-sj" }, { "-us", "-usj" },
};

const struct foreign qmod_foreign[] = {
	{ "-c", NULL, NULL }, { "-s", NULL, NULL }, { "-us", NULL, NULL },
	{ "-f", NULL, "what can't be done is not forced" },
	{ .name = NULL },
};

static const char *verb_option(const char *name)
{
	for (size_t k = 0; k < sizeof(asked) / sizeof(*asked); k++)
		if (!strcmp(asked[k].name, name))
			return asked[k].verb_option;
	return name;
}

static int call_end(struct call *call, const char *cell, struct voice *voice)
{
	int code = call->n > 1 ? call_run(call, mod_run, cell, voice) : EXIT_OK;

	call_close(call);
	return code;
}

int qmod_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	struct word_walk w = { .program = p, .argc = argc, .argv = argv, .next = 1 };
	struct voice voice = { .program = p->name, .verb = "mod" };
	struct call call = { .words = NULL };
	enum walk_what what;
	int code = EXIT_OK;

	if (argc == 1) {
		program_help(p, stderr);
		return 1;
	}
	while ((what = walk_next(&w)) != WALK_END && what != WALK_WRONG) {
		if (what == WALK_OPERAND) {
			call_add(&call, *w.words);
			continue;
		}
		code |= call_end(&call, cell, &voice);
		call_open(&call, "mod", argc);
		call_add(&call, verb_option(*w.words));
	}
	code |= what == WALK_WRONG ? EXIT_USAGE : call_end(&call, cell, &voice);
	call_close(&call);
	return code ? 1 : 0;
}
