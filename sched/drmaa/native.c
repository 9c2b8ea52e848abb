/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native specification: options of fairlead submit, written as for a shell. The files of default
 * options are read before it, and the lines of a script with -b n.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/client/submission.h"
#include "sched/drmaa/inside.h"

/* Begin of messages: its help and manual page explain the options. */
#define OPTIONS_OF "submit"

/*
 * Copy a word without its quotes and move *text to its end. NULL: memory is exhausted, or a quote
 * is not closed.
 */
static char *word_cut(const char **text)
{
	char *word = malloc(strlen(*text) + 1), *end = word, quote = '\0';
	const char *p = *text;

	for (; word && *p && (quote || !strchr(" \t\n", *p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? '\0' : *p;
		else if (*p == '\\' && p[1] && quote != '\'')
			*end++ = *++p;
		else
			*end++ = *p;
	}
	if (!word || quote) {
		free(word);
		return NULL;
	}
	*end = '\0';
	*text = p;
	return word;
}

static int words_cut(const char *text, struct word_list *words)
{
	int rc = 0;

	for (text += strspn(text, " \t\n"); rc == 0 && *text; text += strspn(text, " \t\n")) {
		char *word = word_cut(&text);

		rc = word ? word_add(words, word) : -EINVAL;
		free(word);
	}
	return rc;
}

/* Refuse options that would change the meaning of the template, or that are not possible. */
static int options_check(const struct word_list *words, size_t from, struct reason_wanted *wanted)
{
	for (size_t k = from; k < words->n; k++) {
		const char *word = words->items[k], *value = k + 1 < words->n ? words->items[k + 1] : "";

		if (!strcmp(word, "-clear"))
			return fault(wanted, DRMAA_ERRNO_DENIED_BY_DRM,
				     "%s: -clear would remove the command of the template", DRMAA_NATIVE_SPECIFICATION);
		if (!strcmp(word, "-jsv") && access(value, X_OK))
			return fault(wanted, DRMAA_ERRNO_DENIED_BY_DRM,
				     "%s: -jsv \"%.100s\": not an executable program",
				     DRMAA_NATIVE_SPECIFICATION, value);
	}
	return DRMAA_ERRNO_SUCCESS;
}

/* Add the command. A script that is read here is searched for in the directory of the job. */
static int command_add(struct word_list *words, const drmaa_job_template_t *jt, const char *directory)
{
	const char *command = jt->values[ATTRIBUTE_COMMAND];
	const struct word_list *arguments = &jt->vectors[VECTOR_ARGV];
	bool reads = false;
	char *path = NULL;
	int rc;

	for (size_t k = 3; k + 1 < words->n; k++)
		if (!strcmp(words->items[k], "-b"))
			reads = strchr("nN0fF", *words->items[k + 1]) != NULL;
	if (reads && directory && *command != '/' && asprintf(&path, "%s/%s", directory, command) < 0)
		return -ENOMEM;
	rc = word_add(words, "--");
	if (rc == 0)
		rc = word_add(words, path ? path : command);
	for (size_t k = 0; rc == 0 && k < arguments->n; k++)
		rc = word_add(words, arguments->items[k]);
	free(path);
	return rc;
}

static int words_make(struct word_list *words, const drmaa_job_template_t *jt, const char *directory,
		      struct reason_wanted *wanted)
{
	const char *native = jt->values[ATTRIBUTE_NATIVE];
	int rc = word_add(words, OPTIONS_OF) || word_add(words, "-b") || word_add(words, "y") ? -ENOMEM : 0, code;

	if (rc == 0 && native)
		rc = words_cut(native, words);
	if (rc == -EINVAL)
		return fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT, "%s: a quote is not closed",
			     DRMAA_NATIVE_SPECIFICATION);
	code = options_check(words, 3, wanted);
	if (code)
		return code;
	if (rc == 0)
		rc = command_add(words, jt, directory);
	return rc ? fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL) : DRMAA_ERRNO_SUCCESS;
}

int native_take(struct submission *submission, const drmaa_job_template_t *jt, const char *directory,
		struct word_list *words, struct reason_wanted *wanted)
{
	size_t after = jt->vectors[VECTOR_ARGV].n + 1;
	int code = words_make(words, jt, directory, wanted);

	if (code)
		return code;
	/* -c does not name the cell, as in other sources of qsub */
	submission->source = SOURCE_FILE;
	submission_reset(submission);
	if (submission_gather(submission, (int)words->n, words->items))
		return DRMAA_ERRNO_DENIED_BY_DRM;	/* the messages have the reason */
	if (submission->command != words->items + words->n - after)
		return fault(wanted, DRMAA_ERRNO_DENIED_BY_DRM, "%s: \"%.100s\" is not an option",
			     DRMAA_NATIVE_SPECIFICATION, *submission->command);
	submission->tasks = NULL;
	submission->shell = submission->shell == UNSAID ? NO : submission->shell;
	return DRMAA_ERRNO_SUCCESS;
}
