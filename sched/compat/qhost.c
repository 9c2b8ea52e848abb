/* SPDX-License-Identifier: Apache-2.0 */
/* qhost, qquota, and qstat where it is about queues: hosts, instances and quotas. */
#include "sched/compat/compat.h"

#include <string.h>

/*
 * The words are the verb's: some of its options may have a value. `first` (NULL: none) stands
 * before them.
 */
static int run(const struct client_program *p, const char *cell, int argc, char **argv, const char *verb_name, verb_run *verb, const char *first)
{
	struct voice voice = { .program = p->name, .verb = verb_name, .refusals = stderr, .before = "error: " };
	struct call call;
	int code = 1;

	if (call_open(&call, verb_name, argc) == 0) {
		if (first)
			call_add(&call, first);
		call_add_all(&call, argv + 1, argc - 1);
		code = call_run(&call, verb, cell, &voice) ? 1 : 0;
	}
	call_close(&call);
	return code;
}

int qhost_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	return run(p, cell, argc, argv, "hosts", hosts_run, NULL);
}

int qquota_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	return run(p, cell, argc, argv, "quotas", quotas_run, "--qquota");
}

/* -f and what implies it, and -g c. */
bool queues_are_meant(int argc, char **argv)
{
	static const char *const full[] = { "-f", "-F", "-explain", "-qs", "-ne" };

	for (int k = 1; k < argc; k++) {
		for (size_t i = 0; i < sizeof(full) / sizeof(*full); i++)
			if (!strcmp(full[i], argv[k]))
				return true;
		if (!strcmp(argv[k], "-g") && k + 1 < argc && !strcmp(argv[k + 1], "c"))
			return true;
	}
	return false;
}

/* Jobs are the caller's own, unless -u says whose; cluster queues have none. */
int qstat_queues_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	struct voice voice = { .program = p->name, .verb = "queues", .refusals = stderr, .before = "error: " };
	bool users = false, summary = false;
	struct call call;
	int code = 1;

	for (int k = 1; k < argc; k++) {
		users = users || !strcmp(argv[k], "-u");
		summary = summary || !strcmp(argv[k], "-g");
	}
	if (call_open(&call, "queues", argc) == 0) {
		if (!users && !summary)
			call_add_caller(&call);
		call_add_all(&call, argv + 1, argc - 1);
		code = call_run(&call, queues_run, cell, &voice) ? 1 : 0;
	}
	call_close(&call);
	return code;
}
