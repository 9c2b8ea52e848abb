/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/utf8.h"
#include "sched/compat/compat.h"

#define MORE_WORDS 16		/* than the program was given */

/* Words */

int call_open(struct call *c, const char *verb, int argc)
{
	*c = (struct call){ .most = 2 * argc + MORE_WORDS };
	c->words = calloc((size_t)c->most + 1, sizeof(*c->words));
	call_add(c, verb);
	return c->failed ? -ENOMEM : 0;
}

void call_close(struct call *c)
{
	for (int k = 0; k < c->n; k++)
		free(c->words[k]);
	free(c->words);
	*c = (struct call){ .words = NULL };
}

void call_add(struct call *c, const char *word)
{
	char *copy = c->words && c->n < c->most ? strdup(word) : NULL;

	if (copy)
		c->words[c->n++] = copy;
	else
		c->failed = true;
}

void call_add_all(struct call *c, char **words, int n)
{
	for (int k = 0; k < n; k++)
		call_add(c, words[k]);
}

void call_extend(struct call *c, const char *with)
{
	char *last = c->words[c->n - 1], *longer = realloc(last, strlen(last) + strlen(with) + 1);

	if (longer)
		c->words[c->n - 1] = strcat(longer, with);
	else
		c->failed = true;
}

void call_add_caller(struct call *c)
{
	const struct passwd *me = getpwuid(geteuid());

	call_add(c, "-u");
	call_add(c, me ? me->pw_name : "*");
}

/* Speaking */

/* Print a text with the words that Grid Engine has in place of the verb's. */
static void words_print(FILE *to, const struct voice *v, const char *before, const char *text, const char *behind)
{
	const char *at = v->from ? strstr(text, v->from) : NULL;

	if (at)
		fprintf(to, "%s%.*s%s%s%s\n", before, (int)(at - text), text, v->to, at + strlen(v->from), behind);
	else
		fprintf(to, "%s%s%s\n", before, text, behind);
}

/* "submit: -p: ..." is about the command line, anything else about what was asked for. */
static void failed(void *context, enum exit_code code, const char *text)
{
	struct voice *v = context;
	size_t verb = strlen(v->verb);
	bool usage = !strncmp(text, v->verb, verb) && !strncmp(text + verb, ": ", 2);

	v->failures += code != EXIT_OK;
	if (v->takes && v->takes(v->context, text))
		return;
	fflush(stdout);		/* in the order in which it came to pass */
	v->usage = v->usage || usage;
	if (usage || code == EXIT_OK)
		fprintf(stderr, "%s: %s\n", v->program, usage ? text + verb + 2 : text);
	else
		words_print(v->refusals, v, v->before, text, v->behind);
}

/* Of an array "5.1-10:2", which stands in front of the name of the job. */
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
	struct voice *v = context;

	v->job_number = job_number;
	if (v->unsaid && !strncmp(text, v->unsaid, strlen(v->unsaid)))
		return;
	if (terse && job_number > 0)
		terse_print(job_number, text);
	else
		words_print(stdout, v, "", text, "");
}

int call_run(struct call *c, verb_run *run, const char *cell, struct voice *voice)
{
	const struct cli_listener listener = { voice, failed, done };
	char **words = c->failed ? NULL : calloc((size_t)c->n + 1, sizeof(*words));	/* verbs put others in their places */
	int code;

	voice->before = voice->before ? voice->before : "";
	voice->behind = voice->behind ? voice->behind : "";
	voice->refusals = voice->refusals ? voice->refusals : stdout;
	if (!words)
		return program_fail(voice->program, "no memory", NULL);
	memcpy(words, c->words, (size_t)c->n * sizeof(*words));
	cli_listen(&listener);
	code = run(cell, c->n, words);
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
