/* SPDX-License-Identifier: Apache-2.0 */
/* qhost and qquota: hosts, and quotas. */
#include "sched/compat/compat.h"

#include <string.h>

struct verb_call {
	const char *name;
	verb_run *run;
	const char *first;	/* a word before those of the program; NULL: none */
	bool of_caller;		/* -u and the caller's name, too */
};

/* The words are the verb's: some of its options may have a value. */
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
		code = call_run(&call, verb->run, cell, &voice) ? 1 : 0;
	}
	call_close(&call);
	return code;
}

int qhost_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	return run(program, cell, argc, argv, &(const struct verb_call){ "hosts", hosts_run, NULL, false });
}

/* Without -u the limits that are about the caller. */
int qquota_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	bool users = false;

	for (int k = 1; k < argc; k++)
		users |= !strcmp(argv[k], "-u");
	return run(program, cell, argc, argv, &(const struct verb_call){ "quotas", quotas_run, "--qquota", !users });
}
