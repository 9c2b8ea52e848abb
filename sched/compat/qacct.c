/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

/* Convert "acct: -l: the cell has no resource "foo"; ..." */
static bool resource_take(const char *text)
{
	static const char begin[] = "the cell has no resource \"";
	const char *name = strstr(text, begin);

	if (!name)
		return false;
	name += sizeof(begin) - 1;
	fprintf(stderr, "error: unknown resource \"%.*s\"\n", (int)strcspn(name, "\""), name);
	return true;
}

/* Convert "job 17 has not ended, as far as ..." */
static bool missing_take(void *context, const char *text)
{
	static const struct {
		const char *begins, *says;
	} missing[] = { { "no job named ", "job name" }, { "job ", "job id" } };
	const char *has = strstr(text, " has "), *name;

	(void)context;
	if (resource_take(text))
		return true;
	for (size_t k = 0; has && k < sizeof(missing) / sizeof(*missing); k++) {
		name = text + strlen(missing[k].begins);
		if (strncmp(text, missing[k].begins, (size_t)(name - text)) != 0 || name >= has)
			continue;
		fprintf(stderr, "error: %s %.*s not found\n", missing[k].says, (int)(has - name), name);
		return true;
	}
	return false;
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
	struct voice voice = {
		.program = program->name, .verb = "acct", .refusals = stderr, .before = "error: ", .takes = missing_take
	};
	struct call call;
	int code = 1;

	if (call_open(&call, "acct", argc) == 0) {
		call_add_all(&call, (char *[]){ (char *)"--as-qacct" }, 1);
		words_add(&call, argc, argv);
		code = call_run(&call, acct_run, cell, &voice) ? 1 : 0;
	}
	call_close(&call);
	return code;
}
