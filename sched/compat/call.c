/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/utf8.h"
#include "sched/cli/jobs/requests.h"
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

/* Print a failure or a note. Failures in the command line name only the program. */
static void message_print(struct voice *voice, const struct message *message)
{
	bool usage = message_is_about(message, voice->verb);

	if (message->reason == REASON_NO_READER)
		return;		/* like the programs of Grid Engine */
	if (message->reason == REASON_PROGRESS) {
		fprintf(stderr, "%s\n", message->text);
		return;
	}
	voice->failures += message->code != EXIT_OK;
	if (voice->takes_message && voice->takes_message(voice, message))
		return;
	fflush(stdout);		/* keep the order of events */
	voice->usage = voice->usage || usage;
	if (usage || message->code == EXIT_OK)
		fprintf(stderr, "%s: %s\n", voice->program, message->text + (usage ? message->about_bytes : 0));
	else
		fprintf(voice->refusals, "%s%s%s\n", voice->before, message->text, voice->after);
}

static void messages_print(void *voice, const struct messages *messages)
{
	for (size_t i = 0; i < messages->n; i++)
		message_print(voice, &messages->items[i]);
	if (messages->lost)
		program_fail(((struct voice *)voice)->program, "no memory", NULL);
}

static void success_print(struct voice *voice, const struct reply_result *result, const struct reply_format *format)
{
	voice->job_number = result->job_number;
	if (voice->takes_result && voice->takes_result(voice, result))
		return;
	if (format->terse && result->job_number > 0 && format->tasks)
		printf("%lld.%s\n", (long long)result->job_number, format->tasks);
	else if (format->terse && result->job_number > 0)
		printf("%lld\n", (long long)result->job_number);
	else if (result->nlines == 0)
		puts(result->text);
	for (size_t i = 0; !format->terse && i < result->nlines; i++)
		puts(result->lines[i]);
	if (result->note) {
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", voice->program, result->note);
	}
}

static void refusal_print(struct voice *voice, const struct reply_result *result)
{
	voice->failures++;
	if (voice->takes_result && voice->takes_result(voice, result))
		return;
	fflush(stdout);		/* keep the order of events */
	fprintf(voice->refusals, "%s%s%s\n", voice->before, result->text, voice->after);
}

static void reply_write(const struct caller *caller, const struct reply *reply, const struct reply_format *format)
{
	if (format->json)
		reply_print(caller, reply, format);
	for (size_t i = 0; !format->json && i < reply->n; i++) {
		struct reply_result *result = &reply->items[i];

		utf8_clean(result->text);
		if (result->object)
			utf8_clean(result->object);
		for (size_t k = 0; k < result->nlines; k++)
			utf8_clean(result->lines[k]);
		if (result->code)
			refusal_print(caller->context, result);
		else
			success_print(caller->context, result, format);
	}
	if (format->waits)
		fflush(stdout);
}

/* Complete the voice. Return a copy of the words, which commands change. NULL: after a message. */
static char **words_copy(const struct call *call, struct voice *voice)
{
	char **words = call->failed ? NULL : calloc((size_t)call->n + 1, sizeof(*words));

	voice->before = voice->before ? voice->before : "";
	voice->after = voice->after ? voice->after : "";
	voice->refusals = voice->refusals ? voice->refusals : stdout;
	if (words)
		memcpy(words, call->words, (size_t)call->n * sizeof(*words));
	else
		program_fail(voice->program, "no memory", NULL);
	return words;
}

int call_ask(struct call *call, request_command *command, const char *cell, struct voice *voice)
{
	struct messages messages = { .print = messages_print, .context = voice };
	const struct caller caller = {
		.cell = cell, .messages = &messages, .print = reply_write, .context = voice, .show = submission_show
	};
	char **words = words_copy(call, voice);
	int code = words ? command(&caller, call->n, words) : 1;

	messages_flush(&messages);
	free(words);
	return code;
}

int call_show(struct call *call, verb_show *show, const char *cell, struct voice *voice)
{
	struct messages messages = { .print = messages_print, .context = voice };
	char **words = words_copy(call, voice);
	int code = words ? show(&messages, cell, call->n, words) : 1;

	messages_flush(&messages);
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
