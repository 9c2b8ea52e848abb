/* SPDX-License-Identifier: Apache-2.0 */
/* Programs qhost and qquota. */
#include "sched/compat/compat.h"

#include <string.h>

struct verb_call {
	const char *name;
	verb_show *show;
	const char *first;	/* word before those of the program; NULL: none */
	bool of_caller;		/* add -u and the caller's name */
};

/* Run a verb with the words of the program, because some options may have a value. */
static int run(const struct client_program *program, const char *cell, int argc, char **argv,
	       const struct verb_call *verb)
{
	struct voice voice = { .program = program->name, .verb = verb->name, .refusals = stderr, .before = "error: " };
	struct call call;
	int code = 1;

	if (call_open(&call, verb->name, argc) == 0) {
		if (verb->first)
			call_add(&call, verb->first);
		if (verb->of_caller)
			call_add_caller(&call);
		call_add_all(&call, argv + 1, argc - 1);
		code = call_show(&call, verb->show, cell, &voice) ? 1 : 0;
	}
	call_close(&call);
	return code;
}

int qhost_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	return run(program, cell, argc, argv, &(const struct verb_call){ "hosts", hosts_show, NULL, false });
}

/* Run qquota. Without -u only limits for the caller are printed. */
int qquota_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	bool users = false;

	for (int k = 1; k < argc; k++)
		users |= !strcmp(argv[k], "-u");
	return run(program, cell, argc, argv, &(const struct verb_call){ "quotas", quotas_show, "--qquota", !users });
}
