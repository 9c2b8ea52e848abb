/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/* Print that a resource or a job was not found. */
static bool missing_take(struct voice *voice, const struct message *message)
{
	(void)voice;
	switch (message->reason) {
	case REASON_NO_RESOURCE: fprintf(stderr, "error: unknown resource \"%s\"\n", message->object); return true;
	case REASON_NO_JOB: fprintf(stderr, "error: job id %s not found\n", message->object); return true;
	case REASON_NO_JOB_NAME: fprintf(stderr, "error: job name %s not found\n", message->object); return true;
	default: return false;
	}
}

/*
 * Add the words. For Grid Engine "17,18" and "17.1" are job 17: a word that begins with a digit is
 * a number up to its first other character.
 */
static void words_add(struct call *call, int argc, char **argv)
{
	for (int k = 1; k < argc; k++) {
		size_t digits = strspn(argv[k], "0123456789");

		call_add(call, argv[k]);
		if (strcmp(argv[k - 1], "-j") == 0 && digits > 0 && !call->failed)
			call->words[call->n - 1][digits] = '\0';
	}
}

/* Run qacct. Its words are those of the verb, because some options may have a value. */
int qacct_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct voice voice = { .program = program->name,
			       .verb = "acct",
			       .refusals = stderr,
			       .before = "error: ",
			       .takes_message = missing_take };
	struct call call;
	int code = 1;

	if (call_open(&call, "acct", argc) == 0) {
		call_add_all(&call, (char *[]){ (char *)"--as-qacct" }, 1);
		words_add(&call, argc, argv);
		code = call_show(&call, acct_show, cell, &voice) ? 1 : 0;
	}
	call_close(&call);
	return code;
}
