/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

const struct argument qselect_options[] = {
	{ "-l", ARGUMENT_TEXT, .value = "RESOURCE=VALUE[,...]",
		.sentence = "select instances that offer these resources" },
	{ "-pe", ARGUMENT_TEXT, .value = "PE[,...]",
		.sentence = "select instances with one of these parallel environments" },
	{ "-q", ARGUMENT_TEXT, .value = "QUEUE[@HOST][,...]",
		.sentence = "select only these queues; patterns and @@GROUP are allowed" },
	{ "-qs", ARGUMENT_TEXT, .value = "a|c|d|o|s|u|A|C|D|E|S",
		.sentence = "select instances with one of these states" },
	{ "-U", ARGUMENT_TEXT, .value = "USER[,...]", .sentence = "select instances that one of these users may use" },
	{ .name = NULL },
};

/* Convert a refusal. For a resource of no instance Grid Engine prints nothing. */
static bool refusal_take(void *context, const char *text)
{
	(void)context;
	if (strstr(text, "there is no parallel environment "))
		fputs("error: no such parallel environment\n", stderr);
	else if (!strstr(text, "no resource") && !strstr(text, "unknown resource"))
		return false;
	return true;
}

int qselect_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct voice voice = { .program = program->name,
			       .verb = "queues",
			       .refusals = stderr,
			       .before = "error: ",
			       .takes = refusal_take };
	enum walk_what what;
	struct call call;
	int code = 1;

	if (call_open(&call, "queues", argc))
		return program_fail(program->name, "no memory", NULL);
	call_add(&call, "--names");
	while ((what = walk_next(&walk)) == WALK_OPTION)
		if (strcmp(*walk.words, "-pe") == 0)
			call_add_all(&call, walk.words, 2);
		else
			call_add_all(&call, walk.words, walk.n);
	if (what == WALK_OPERAND)
		program_fail(program->name, "invalid option argument", *walk.words);
	else if (what == WALK_END)
		code = call_run(&call, queues_run, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}
