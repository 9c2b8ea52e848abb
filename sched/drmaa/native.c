/* SPDX-License-Identifier: Apache-2.0 */
/* A native specification: options of fairlead submit, as one writes them to a shell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/job.h"
#include "sched/drmaa/inside.h"

#define OPTIONS_OF "submit"	/* as messages begin: its help and page tell of them */

struct specification {
	struct job job;			/* first: the rows are about it */
	bool held;
	const char *ignored;
};

#define FIELD(name) .field = offsetof(struct specification, name)

static const struct argument native_options[] = {
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ "-h", ARGUMENT_FLAG, FIELD(held), .sentence = "hold it" },
	{ "-w", ARGUMENT_TEXT, FIELD(ignored), .value = "e|w|n|v|p", .sentence = "ignored" },
	{ .name = NULL },
};

/* A word from *text on, its quotes taken off; *text moves behind it. NULL: no memory, or a quote is open. */
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
	int rc = word_add(words, OPTIONS_OF);

	for (text += strspn(text, " \t\n"); rc == 0 && *text; text += strspn(text, " \t\n")) {
		char *word = word_cut(&text);

		rc = word ? word_add(words, word) : -EINVAL;
		free(word);
	}
	return rc;
}

int native_take(struct job *job, bool *held, const char *text, struct word_list *words, struct reason_wanted *d)
{
	const char *before = job->verb;
	struct specification s = { .job = *job };
	struct words w = { .table = native_options, .next = 1 };
	int rc = words_cut(text, words), code;

	if (rc)
		return fault(d, rc == -ENOMEM ? DRMAA_ERRNO_NO_MEMORY : DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT,
			     rc == -ENOMEM ? NULL : "%s: a quote is not closed", DRMAA_NATIVE_SPECIFICATION);
	s.job.verb = OPTIONS_OF;
	w.argc = (int)words->n;
	w.argv = words->items;
	code = options_take(&w, &s);
	*job = s.job;
	job->verb = before;
	*held = *held || s.held;
	if (code)
		return DRMAA_ERRNO_DENIED_BY_DRM;	/* options_take() has said why */
	if (w.next < w.argc)
		return fault(d, DRMAA_ERRNO_DENIED_BY_DRM, "%s: \"%.100s\" is no option", DRMAA_NATIVE_SPECIFICATION, w.argv[w.next]);
	return DRMAA_ERRNO_SUCCESS;
}
