/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/utf8.h"
#include "sched/compat/compat.h"

#define MORE_WORDS 16		/* words that may be added, beyond those of the program */

/* Words */

int call_open(struct call *call, const char *verb, int argc)
{
	*call = (struct call){ .most = 2 * argc + MORE_WORDS };
	call->words = calloc((size_t)call->most + 1, sizeof(*call->words));
	call_add(call, verb);
	return call->failed ? -ENOMEM : 0;
}

void call_close(struct call *call)
{
	for (int k = 0; k < call->n; k++)
		free(call->words[k]);
	free(call->words);
	*call = (struct call){ .words = NULL };
}

void call_add(struct call *call, const char *word)
{
	char *copy = call->words && call->n < call->most ? strdup(word) : NULL;

	if (copy)
		call->words[call->n++] = copy;
	else
		call->failed = true;
}

void call_add_all(struct call *call, char **words, int n)
{
	for (int k = 0; k < n; k++)
		call_add(call, words[k]);
}

void call_extend(struct call *call, const char *with)
{
	char *last = call->words[call->n - 1], *longer = realloc(last, strlen(last) + strlen(with) + 1);

	if (longer)
		call->words[call->n - 1] = strcat(longer, with);
	else
		call->failed = true;
}

void call_add_caller(struct call *call)
{
	const struct passwd *me = getpwuid(geteuid());

	call_add(call, "-u");
	call_add(call, me ? me->pw_name : "*");
}

/* Output */

/* Print a text in which Grid Engine's words replace those of the verb. */
static void words_print(FILE *to, const struct voice *voice, const char *before, const char *text, const char *after)
{
	const char *at = voice->from ? strstr(text, voice->from) : NULL;

	if (at)
		fprintf(to, "%s%.*s%s%s%s\n", before, (int)(at - text), text, voice->to, at + strlen(voice->from),
			after);
	else
		fprintf(to, "%s%s%s\n", before, text, after);
}

/*
 * Print a refusal. "submit: -p: ..." is about the command line, any other text about the request.
 */
static void failed(void *context, enum exit_code code, const char *text)
{
	struct voice *voice = context;
	size_t verb = strlen(voice->verb);
	bool usage = !strncmp(text, voice->verb, verb) && !strncmp(text + verb, ": ", 2);

	voice->failures += code != EXIT_OK;
	if (voice->takes && voice->takes(voice->context, text))
		return;
	fflush(stdout);		/* keep the order of events */
	voice->usage = voice->usage || usage;
	if (usage || code == EXIT_OK)
		fprintf(stderr, "%s: %s\n", voice->program, usage ? text + verb + 2 : text);
	else
		words_print(voice->refusals, voice, voice->before, text, voice->after);
}

/* Print only the number. For an array it is "5.1-10:2", the text before the name of the job. */
static void terse_print(long long job_number, const char *text)
{
	static const char array[] = "Your job-array ";

	if (!strncmp(text, array, sizeof(array) - 1))
		printf("%.*s\n", (int)strcspn(text + sizeof(array) - 1, " "), text + sizeof(array) - 1);
	else
		printf("%lld\n", job_number);
}

static void done(void *context, long long job_number, const char *text, bool terse)
{
	struct voice *voice = context;

	voice->job_number = job_number;
	if (voice->unsaid && !strncmp(text, voice->unsaid, strlen(voice->unsaid)))
		return;
	if (terse && job_number > 0)
		terse_print(job_number, text);
	else
		words_print(stdout, voice, "", text, "");
}

int call_run(struct call *call, verb_run *run, const char *cell, struct voice *voice)
{
	const struct cli_listener listener = { voice, failed, done };
	char **words = call->failed
			       ? NULL
			       /* verbs change their words */
			       : calloc((size_t)call->n + 1, sizeof(*words));
	int code;

	voice->before = voice->before ? voice->before : "";
	voice->after = voice->after ? voice->after : "";
	voice->refusals = voice->refusals ? voice->refusals : stdout;
	if (!words)
		return program_fail(voice->program, "no memory", NULL);
	memcpy(words, call->words, (size_t)call->n * sizeof(*words));
	cli_listen(&listener);
	code = run(cell, call->n, words);
	cli_listen(NULL);
	free(words);
	return code;
}

int program_fail(const char *program, const char *text, const char *about)
{
	char word[200];

	snprintf(word, sizeof(word), "%s", about ? about : "");
	utf8_clean(word);
	fprintf(stderr, about ? "%s: %s \"%s\"\n" : "%s: %s\n", program, text, word);
	return 1;
}
