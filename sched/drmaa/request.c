/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A template as a request. A native specification counts where the template says nothing.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/submission.h"
#include "sched/drmaa/inside.h"

struct making {
	const drmaa_job_template_t *jt;
	struct submission submission;
	struct job *job;		/* of it */
	const char *directory;		/* of the template, without placeholders; NULL: it has none */
	const char *home;		/* of this user */
	struct word_list texts, words;	/* that the job borrows: paths, and what is read as a command line */
	struct reason_wanted *d;
	const char *tasks;		/* NULL: no array */
};

/* Messages of the command line's rooms */

static void said(void *context, enum exit_code code, const char *text)
{
	if (code != EXIT_OK)
		fault(context, 0, "%s", text);
}

static void heard(void *context, long long job_number, const char *text, bool terse)
{
	(void)context;
	(void)job_number;
	(void)text;
	(void)terse;
}

/* Placeholders */

/* Find the home directory of this user; NULL: no memory. */
static char *home_find(void)
{
	struct passwd user, *found = NULL;
	char buffer[2048];

	return strdup(getpwuid_r(geteuid(), &user, buffer, sizeof(buffer), &found) == 0 && found ? found->pw_dir : "/");
}

static bool replace(char **text, const char *placeholder, const char *value)
{
	char *at = strstr(*text, placeholder), *whole;
	size_t before = at ? (size_t)(at - *text) : 0, length = strlen(placeholder);

	if (!at)
		return true;
	whole = malloc(strlen(*text) + strlen(value) + 1);
	if (!whole)
		return false;
	memcpy(whole, *text, before);
	strcpy(stpcpy(whole + before, value), at + length);
	free(*text);
	*text = whole;
	return true;
}

/* Keep a copy for the job; NULL: no memory. */
static const char *word_keep(struct making *m, const char *text)
{
	return word_add(&m->texts, text) ? NULL : m->texts.items[m->texts.n - 1];
}

static int wd_take(struct making *m)
{
	const char *value = m->jt->values[ATTRIBUTE_WD];
	char *text;
	bool good;

	if (!value)
		return DRMAA_ERRNO_SUCCESS;
	if (strstr(value, DRMAA_PLACEHOLDER_INCR))
		return fault(m->d, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s: %s: all tasks of an array run in the same directory", DRMAA_WD, DRMAA_PLACEHOLDER_INCR);
	if (strstr(value, DRMAA_PLACEHOLDER_WD))
		return fault(m->d, DRMAA_ERRNO_DENIED_BY_DRM, "%s: %s: the directory cannot be given by itself", DRMAA_WD, DRMAA_PLACEHOLDER_WD);
	text = strdup(value);
	good = text && replace(&text, DRMAA_PLACEHOLDER_HD, m->home) && (m->directory = word_keep(m, text)) != NULL;
	free(text);
	return good ? DRMAA_ERRNO_SUCCESS : fault(m->d, DRMAA_ERRNO_NO_MEMORY, NULL);
}

/* $HOME and $TASK_ID are known to the scheduler. */
static int path_take(struct making *m, enum template_attribute attribute, const char **path)
{
	const char *value = m->jt->values[attribute];
	char *text;
	bool good;

	if (!value)
		return DRMAA_ERRNO_SUCCESS;
	text = strdup(value);
	good = text && replace(&text, DRMAA_PLACEHOLDER_WD, m->directory ? m->directory : m->home) &&
	       replace(&text, DRMAA_PLACEHOLDER_HD, m->home) && replace(&text, DRMAA_PLACEHOLDER_INCR, "$TASK_ID") &&
	       (*path = word_keep(m, text)) != NULL;
	free(text);
	return good ? DRMAA_ERRNO_SUCCESS : fault(m->d, DRMAA_ERRNO_NO_MEMORY, NULL);
}

/* The rest */

static int no_utf8(struct making *m, const char *name)
{
	return fault(m->d, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s: it is no UTF-8", name);
}

static bool is_utf8(const char *text)
{
	json_t *value = json_string(text);
	bool is = value != NULL;

	json_decref(value);
	return is;
}

/* Requests are JSON. */
static int encoding_check(struct making *m)
{
	for (size_t k = 0; k < ATTRIBUTES; k++)
		if (m->jt->values[k] && !is_utf8(m->jt->values[k]))
			return no_utf8(m, attribute_names[k]);
	for (size_t k = 0; k < VECTORS; k++)
		for (size_t i = 0; i < m->jt->vectors[k].n; i++)
			if (!is_utf8(m->jt->vectors[k].items[i]))
				return no_utf8(m, vector_names[k]);
	return DRMAA_ERRNO_SUCCESS;
}

static int environment_take(struct making *m)
{
	const struct word_list *list = &m->jt->vectors[VECTOR_ENV];

	if (list->n && !m->job->variables)
		m->job->variables = json_object();
	for (size_t k = 0; k < list->n; k++) {
		const char *word = list->items[k];
		size_t length = strcspn(word, "=");
		json_t *value = json_string(word[length] ? word + length + 1 : "");
		int failed = value ? json_object_setn(m->job->variables, word, length, value) : -1;

		json_decref(value);
		if (failed)
			return no_utf8(m, DRMAA_V_ENV);
	}
	return DRMAA_ERRNO_SUCCESS;
}

/* A native -m says when; without it nobody is written to. */
static int mail_take(struct making *m)
{
	const struct word_list *addresses = &m->jt->vectors[VECTOR_EMAIL];
	const char *blocked = m->jt->values[ATTRIBUTE_BLOCK_EMAIL];
	json_t *list = addresses->n ? json_array() : NULL;
	int failed = 0;

	for (size_t k = 0; k < addresses->n; k++)
		failed |= json_array_append_new(list, json_string(addresses->items[k]));
	if (list)
		failed |= json_object_set_new(m->job->execution, "mail_list", list);
	if (blocked && *blocked == '1')
		failed |= json_object_set_new(m->job->execution, "mail_options", json_string("n"));
	return failed ? no_utf8(m, DRMAA_V_EMAIL) : DRMAA_ERRNO_SUCCESS;
}

/* A session that begins again asks for its jobs, and no program waits for a job in the error state. */
static int values_take(struct making *m)
{
	const char *name = m->jt->values[ATTRIBUTE_NAME], *state = m->jt->values[ATTRIBUTE_STATE], *start = m->jt->values[ATTRIBUTE_START];
	const char *join = m->jt->values[ATTRIBUTE_JOIN];
	json_t *members = m->job->members, *execution = m->job->execution;
	int64_t time_s = 0;
	int failed = json_object_set_new(execution, "ends_on_error", json_true());

	failed |= json_object_set_new(execution, "session", json_string(session.name));
	if (state)
		m->submission.held = !strcmp(state, DRMAA_SUBMISSION_STATE_HOLD);
	if (name)
		failed |= json_object_set_new(members, "job_name", json_string(name));
	if (start && start_time_parse(start, time(NULL), &time_s) == 0)
		failed |= json_object_set_new(members, "execution_time", json_integer(time_s));
	if (join)
		failed |= json_object_set_new(execution, "join", json_boolean(*join == 'y'));
	return failed ? fault(m->d, DRMAA_ERRNO_NO_MEMORY, NULL) : DRMAA_ERRNO_SUCCESS;
}

static int template_take(struct making *m)
{
	static const enum template_attribute paths[JOB_FILES] = { ATTRIBUTE_INPUT, ATTRIBUTE_OUTPUT, ATTRIBUTE_ERROR };
	int code = encoding_check(m);

	if (!code)
		code = wd_take(m);
	if (!code)
		code = native_take(&m->submission, m->jt, m->directory, &m->words, m->d);
	if (code)
		return code;
	m->job->directory = m->directory ? m->directory : m->job->directory;
	m->directory = m->job->directory;
	m->submission.tasks = m->tasks;
	for (size_t k = 0; !code && k < JOB_FILES; k++)
		code = path_take(m, paths[k], &m->job->files[k]);
	if (!code)
		code = environment_take(m);
	if (!code)
		code = mail_take(m);
	if (!code)
		code = values_take(m);
	return !code && submission_finish(&m->submission) ? DRMAA_ERRNO_DENIED_BY_DRM : code;
}

int request_make(const drmaa_job_template_t *jt, const char *tasks, json_t **job, json_t **execution, struct reason_wanted *d)
{
	struct making m = { .jt = jt, .submission = { .job = { .verb = "drmaa" }, .cell = session.cell }, .d = d, .tasks = tasks };
	const struct cli_listener listener = { d, said, heard };
	char *home = home_find();
	int code = DRMAA_ERRNO_SUCCESS;

	m.job = &m.submission.job;
	m.home = home;
	if (!jt->values[ATTRIBUTE_COMMAND])
		code = fault(d, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s is not set", DRMAA_REMOTE_COMMAND);
	else if (!home)
		code = fault(d, DRMAA_ERRNO_NO_MEMORY, NULL);
	cli_listen(&listener);
	if (!code)
		code = template_take(&m);
	cli_listen(NULL);
	if (!code) {
		*job = json_incref(m.job->members);
		*execution = json_incref(m.job->execution);
	}
	submission_close(&m.submission);
	words_clear(&m.texts);
	words_clear(&m.words);
	free(home);
	return code;
}
