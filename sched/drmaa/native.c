/* SPDX-License-Identifier: Apache-2.0 */
/* A native specification: options of fairlead submit, as one writes them to a shell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/number.h"
#include "sched/cli/job.h"
#include "sched/drmaa/inside.h"

#define OPTIONS_OF "submit"	/* as messages begin: its help and page tell of them */

struct specification {
	struct job job;			/* first: the rows are about it */
	bool held;
	const char *ignored;
};

static int binary_take(void *specification, struct words *w);
static int shell_take(void *specification, struct words *w);

#define FIELD(name) .field = offsetof(struct specification, name)

static const struct argument native_options[] = {
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ "-h", ARGUMENT_FLAG, FIELD(held), .sentence = "hold it" },
	{ "-b", ARGUMENT_CALL, .call = binary_take, .value = "y", .sentence = "a program, which it is anyhow" },
	{ "-shell", ARGUMENT_CALL, .call = shell_take, .value = "y|n", .sentence = "run it by the shell" },
	{ "-w", ARGUMENT_TEXT, FIELD(ignored), .value = "e|w|n|v|p", .sentence = "ignored" },
	{ "-binding", ARGUMENT_TEXT, FIELD(ignored), .value = "HOW", .sentence = "ignored" },
	{ .name = NULL },
};

/* Scripts and their lines of options are read by qsub; here they are run where they lie. */
static int binary_take(void *specification, struct words *w)
{
	bool yes = false;

	(void)specification;
	if (number_bool(w->value, &yes) == 0 && yes)
		return EXIT_OK;
	return cli_fail(EXIT_USAGE, "%s: -b \"%.100s\": y is expected: what DRMAA starts is a program, or a script that may be executed", OPTIONS_OF, w->value);
}

static int shell_take(void *specification, struct words *w)
{
	struct specification *s = specification;
	bool yes;

	if (number_bool(w->value, &yes))
		return job_wrong(&s->job, w->row->name, w->value, "y or n is expected");
	return json_object_set_new(s->job.execution, "use_shell", json_boolean(yes)) ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

/*
 * A word from *text on, its quotes taken off; *text moves behind it. NULL: no memory, or a quote is
 * open.
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
	struct words w = { .table = native_options, .next = 1, .keeps_order = true };
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
