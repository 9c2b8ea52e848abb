/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A template as a request. What a native specification says counts where the template says nothing.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/job.h"
#include "sched/drmaa/inside.h"

struct making {
	const drmaa_job_template_t *jt;
	struct job job;
	struct word_list words;		/* that the job borrows */
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

static const char *home(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_dir : "/";
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

/* A copy among the words of the job; NULL: no memory. */
static const char *word_keep(struct making *m, const char *text)
{
	return word_add(&m->words, text) ? NULL : m->words.items[m->words.n - 1];
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
	text = strdup(value);
	good = text && replace(&text, DRMAA_PLACEHOLDER_HD, home()) && (m->job.directory = word_keep(m, text)) != NULL;
	free(text);
	return good ? DRMAA_ERRNO_SUCCESS : fault(m->d, DRMAA_ERRNO_NO_MEMORY, NULL);
}

/* $HOME and $TASK_ID are what the scheduler knows. */
static int path_take(struct making *m, enum template_attribute attribute, const char **path)
{
	const char *value = m->jt->values[attribute];
	char *text;
	bool good;

	if (!value)
		return DRMAA_ERRNO_SUCCESS;
	text = strdup(value);
	good = text && replace(&text, DRMAA_PLACEHOLDER_WD, m->job.directory ? m->job.directory : home()) &&
	       replace(&text, DRMAA_PLACEHOLDER_HD, home()) && replace(&text, DRMAA_PLACEHOLDER_INCR, "$TASK_ID") &&
	       (*path = word_keep(m, text)) != NULL;
	free(text);
	return good ? DRMAA_ERRNO_SUCCESS : fault(m->d, DRMAA_ERRNO_NO_MEMORY, NULL);
}

/* The rest */

static int no_utf8(struct making *m, const char *name)
{
	return fault(m->d, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s: it is no UTF-8", name);
}

static int command_take(struct making *m)
{
	const struct word_list *arguments = &m->jt->vectors[VECTOR_ARGV];
	json_t *list = json_array();
	int failed = json_array_append_new(list, json_string(m->jt->values[ATTRIBUTE_COMMAND]));

	for (size_t k = 0; k < arguments->n; k++)
		failed |= json_array_append_new(list, json_string(arguments->items[k]));
	if (json_object_set_new(m->job.execution, "command", list) || failed)
		return no_utf8(m, DRMAA_REMOTE_COMMAND);
	return DRMAA_ERRNO_SUCCESS;
}

static int environment_take(struct making *m)
{
	const struct word_list *list = &m->jt->vectors[VECTOR_ENV];

	if (list->n && !m->job.variables)
		m->job.variables = json_object();
	for (size_t k = 0; k < list->n; k++) {
		const char *word = list->items[k];
		size_t length = strcspn(word, "=");
		json_t *value = json_string(word + length + 1);
		int failed = value ? json_object_setn(m->job.variables, word, length, value) : -1;

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
		failed |= json_object_set_new(m->job.execution, "mail_list", list);
	if (blocked && *blocked == '1')
		failed |= json_object_set_new(m->job.execution, "mail_options", json_string("n"));
	return failed ? no_utf8(m, DRMAA_V_EMAIL) : DRMAA_ERRNO_SUCCESS;
}

static int values_take(struct making *m, bool held)
{
	const char *name = m->jt->values[ATTRIBUTE_NAME], *state = m->jt->values[ATTRIBUTE_STATE], *start = m->jt->values[ATTRIBUTE_START];
	const char *join = m->jt->values[ATTRIBUTE_JOIN];
	json_t *members = m->job.members;
	int64_t time_s = 0;
	int failed = 0;

	held = state ? !strcmp(state, DRMAA_SUBMISSION_STATE_HOLD) : held;
	if (name)
		failed |= json_object_set_new(members, "job_name", json_string(name));
	if (held)
		failed |= json_object_set_new(members, "hold", json_pack("{s:s}", "u", m->tasks ? m->tasks : "1"));
	if (m->tasks)
		failed |= json_object_set_new(members, "tasks", json_string(m->tasks));
	if (start && start_time_parse(start, time(NULL), &time_s) == 0)
		failed |= json_object_set_new(members, "execution_time", json_integer(time_s));
	if (join)
		failed |= json_object_set_new(m->job.execution, "join", json_boolean(*join == 'y'));
	return failed ? no_utf8(m, DRMAA_JOB_NAME) : DRMAA_ERRNO_SUCCESS;
}

static int template_take(struct making *m)
{
	static const enum template_attribute paths[JOB_FILES] = { ATTRIBUTE_INPUT, ATTRIBUTE_OUTPUT, ATTRIBUTE_ERROR };
	const char *native = m->jt->values[ATTRIBUTE_NATIVE];
	bool held = false;
	int code = native ? native_take(&m->job, &held, native, &m->words, m->d) : DRMAA_ERRNO_SUCCESS;

	if (!code)
		code = wd_take(m);
	for (size_t k = 0; !code && k < JOB_FILES; k++)
		code = path_take(m, paths[k], &m->job.files[k]);
	if (!code)
		code = command_take(m);
	if (!code)
		code = environment_take(m);
	if (!code)
		code = mail_take(m);
	if (!code)
		code = values_take(m, held);
	if (!code && job_finish(&m->job))
		code = DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE;
	return code;
}

int request_make(const drmaa_job_template_t *jt, const char *tasks, json_t **job, json_t **execution, struct reason_wanted *d)
{
	struct making m = { .jt = jt, .job = { .verb = "drmaa", .is_array = tasks != NULL }, .d = d, .tasks = tasks };
	const struct cli_listener listener = { d, said, heard };
	int code = DRMAA_ERRNO_SUCCESS;

	if (!jt->values[ATTRIBUTE_COMMAND])
		return fault(d, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s is not set", DRMAA_REMOTE_COMMAND);
	cli_listen(&listener);
	if (job_open(&m.job))
		code = fault(d, DRMAA_ERRNO_NO_MEMORY, NULL);
	if (!code)
		code = template_take(&m);
	cli_listen(NULL);
	if (!code) {
		*job = json_incref(m.job.members);
		*execution = json_incref(m.job.execution);
	}
	job_close(&m.job);
	words_clear(&m.words);
	return code;
}
