/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/* "job 17 has not ended, as far as ..." */
static bool missing_take(void *context, const char *text)
{
	static const struct {
		const char *begins, *says;
	} missing[] = { { "no job named ", "job name" }, { "job ", "job id" } };
	const char *has = strstr(text, " has "), *name;

	(void)context;
	for (size_t k = 0; has && k < sizeof(missing) / sizeof(*missing); k++) {
		name = text + strlen(missing[k].begins);
		if (strncmp(text, missing[k].begins, (size_t)(name - text)) != 0 || name >= has)
			continue;
		fprintf(stderr, "error: %s %.*s not found\n", missing[k].says, (int)(has - name), name);
		return true;
	}
	return false;
}

/* The words are the verb's: some of its options may have a value. */
int qacct_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	struct voice voice = { .program = p->name, .verb = "acct", .refusals = stderr, .before = "error: ", .takes = missing_take };
	struct call call;
	int code = 1;

	if (call_open(&call, "acct", argc) == 0) {
		call_add_all(&call, (char *[]){ (char *)"--as-qacct" }, 1);
		call_add_all(&call, argv + 1, argc - 1);
		code = call_run(&call, acct_run, cell, &voice) ? 1 : 0;
	}
	call_close(&call);
	return code;
}
