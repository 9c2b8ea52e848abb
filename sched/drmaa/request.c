/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of a template to a request. The native specification is used for attributes that the
 * template does not set.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/jobs/submission.h"
#include "sched/drmaa/inside.h"

struct making {
	const drmaa_job_template_t *jt;
	struct submission submission;
	struct job *job;		/* job of the submission */
	/* directory of the template, without placeholders; NULL: none */
	const char *directory;
	const char *home;		/* home directory of this user */
	/* borrowed by the job: paths, and words of the command line */
	struct word_list texts, words;
	struct reason_wanted *d;
	const char *tasks;		/* NULL: not an array */
};

/* Write the last failure into the caller's buffer, and free the messages. */
static void messages_report(struct messages *messages, struct reason_wanted *wanted)
{
	for (size_t i = 0; i < messages->n; i++)
		if (messages->items[i].code != EXIT_OK)
			fault(wanted, 0, "%s", messages->items[i].text);
	messages_free(messages);
}

/* Placeholders */

/* Return the home directory of this user; NULL: memory is exhausted. */
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

/* Store a copy for the job; NULL: memory is exhausted. */
static const char *word_keep(struct making *making, const char *text)
{
	return word_add(&making->texts, text) ? NULL : making->texts.items[making->texts.n - 1];
}

static int wd_take(struct making *making)
{
	const char *value = making->jt->values[ATTRIBUTE_WD];
	char *text;
	bool good;

	if (!value)
		return DRMAA_ERRNO_SUCCESS;
	if (strstr(value, DRMAA_PLACEHOLDER_INCR))
		return fault(making->d, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE,
			     "%s: %s: all tasks of an array run in the same directory", DRMAA_WD,
			     DRMAA_PLACEHOLDER_INCR);
	if (strstr(value, DRMAA_PLACEHOLDER_WD))
		return fault(making->d, DRMAA_ERRNO_DENIED_BY_DRM,
			"%s: %s: the placeholder of the working directory cannot be used in it",
			     DRMAA_WD, DRMAA_PLACEHOLDER_WD);
	text = strdup(value);
	good = text && replace(&text, DRMAA_PLACEHOLDER_HD, making->home) &&
	       (making->directory = word_keep(making, text)) != NULL;
	free(text);
	return good ? DRMAA_ERRNO_SUCCESS : fault(making->d, DRMAA_ERRNO_NO_MEMORY, NULL);
}

/* Add a path. The scheduler replaces $HOME and $TASK_ID. */
static int path_take(struct making *making, enum template_attribute attribute, const char **path)
{
	const char *value = making->jt->values[attribute];
	char *text;
	bool good;

	if (!value)
		return DRMAA_ERRNO_SUCCESS;
	text = strdup(value);
	good = text && replace(&text, DRMAA_PLACEHOLDER_WD, making->directory ? making->directory : making->home) &&
	       replace(&text, DRMAA_PLACEHOLDER_HD, making->home) &&
	       replace(&text, DRMAA_PLACEHOLDER_INCR, "$TASK_ID") && (*path = word_keep(making, text)) != NULL;
	free(text);
	return good ? DRMAA_ERRNO_SUCCESS : fault(making->d, DRMAA_ERRNO_NO_MEMORY, NULL);
}

/* Other attributes */

static int no_utf8(struct making *making, const char *name)
{
	return fault(making->d, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s: the value is not UTF-8", name);
}

static bool is_utf8(const char *text)
{
	json_t *value = json_string(text);
	bool is = value != NULL;

	json_decref(value);
	return is;
}

/* Check that all values are UTF-8, because requests are JSON. */
static int encoding_check(struct making *making)
{
	for (size_t k = 0; k < ATTRIBUTES; k++)
		if (making->jt->values[k] && !is_utf8(making->jt->values[k]))
			return no_utf8(making, attribute_names[k]);
	for (size_t k = 0; k < VECTORS; k++)
		for (size_t i = 0; i < making->jt->vectors[k].n; i++)
			if (!is_utf8(making->jt->vectors[k].items[i]))
				return no_utf8(making, vector_names[k]);
	return DRMAA_ERRNO_SUCCESS;
}

static int environment_take(struct making *making)
{
	const struct word_list *list = &making->jt->vectors[VECTOR_ENV];

	if (list->n && !making->job->variables)
		making->job->variables = json_object();
	for (size_t k = 0; k < list->n; k++) {
		const char *word = list->items[k];
		size_t length = strcspn(word, "=");
		json_t *value = json_string(word[length] ? word + length + 1 : "");
		int failed = value ? json_object_setn(making->job->variables, word, length, value) : -1;

		json_decref(value);
		if (failed)
			return no_utf8(making, DRMAA_V_ENV);
	}
	return DRMAA_ERRNO_SUCCESS;
}

/* Add addresses for mail. Without a native -m no mail is sent. */
static int mail_take(struct making *making)
{
	const struct word_list *addresses = &making->jt->vectors[VECTOR_EMAIL];
	const char *blocked = making->jt->values[ATTRIBUTE_BLOCK_EMAIL];
	json_t *list = addresses->n ? json_array() : NULL;
	int failed = 0;

	for (size_t k = 0; k < addresses->n; k++)
		failed |= json_array_append_new(list, json_string(addresses->items[k]));
	if (list)
		failed |= json_object_set_new(making->job->execution, "mail_list", list);
	if (blocked && *blocked == '1')
		failed |= json_object_set_new(making->job->execution, "mail_options", json_string("n"));
	return failed ? no_utf8(making, DRMAA_V_EMAIL) : DRMAA_ERRNO_SUCCESS;
}

/*
 * Add the other values. If a session begins again, it asks for its jobs, and no program waits for a
 * job in the error state.
 */
static int values_take(struct making *making)
{
	const char *name = making->jt->values[ATTRIBUTE_NAME], *state = making->jt->values[ATTRIBUTE_STATE],
		   *start = making->jt->values[ATTRIBUTE_START];
	const char *join = making->jt->values[ATTRIBUTE_JOIN];
	json_t *members = making->job->members, *execution = making->job->execution;
	int64_t time_s = 0;
	int failed = json_object_set_new(execution, "ends_on_error", json_true());

	failed |= json_object_set_new(execution, "session", json_string(session.name));
	if (state)
		making->submission.held = !strcmp(state, DRMAA_SUBMISSION_STATE_HOLD);
	if (name)
		failed |= json_object_set_new(members, "job_name", json_string(name));
	if (start && start_time_parse(start, time(NULL), &time_s) == 0)
		failed |= json_object_set_new(members, "execution_time", json_integer(time_s));
	if (join)
		failed |= json_object_set_new(execution, "join", json_boolean(*join == 'y'));
	return failed ? fault(making->d, DRMAA_ERRNO_NO_MEMORY, NULL) : DRMAA_ERRNO_SUCCESS;
}

static int template_take(struct making *making)
{
	static const enum template_attribute paths[JOB_FILES] = { ATTRIBUTE_INPUT, ATTRIBUTE_OUTPUT, ATTRIBUTE_ERROR };
	int code = encoding_check(making);

	if (!code)
		code = wd_take(making);
	if (!code)
		code = native_take(&making->submission, making->jt, making->directory, &making->words, making->d);
	if (code)
		return code;
	making->job->directory = making->directory ? making->directory : making->job->directory;
	making->directory = making->job->directory;
	making->submission.tasks = making->tasks;
	for (size_t k = 0; !code && k < JOB_FILES; k++)
		code = path_take(making, paths[k], &making->job->files[k]);
	if (!code)
		code = environment_take(making);
	if (!code)
		code = mail_take(making);
	if (!code)
		code = values_take(making);
	return !code && submission_finish(&making->submission) ? DRMAA_ERRNO_DENIED_BY_DRM : code;
}

int request_make(const drmaa_job_template_t *jt, const char *tasks, json_t **job, json_t **execution,
		 struct reason_wanted *wanted)
{
	struct making making = { .jt = jt,
				 .submission = { .job = { .verb = "drmaa" }, .cell = session.cell },
				 .d = wanted,
				 .tasks = tasks };
	struct messages messages = { .items = NULL };
	char *home = home_find();
	int code = DRMAA_ERRNO_SUCCESS;

	making.job = &making.submission.job;
	making.job->messages = &messages;
	making.home = home;
	if (!jt->values[ATTRIBUTE_COMMAND])
		code = fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s is not set", DRMAA_REMOTE_COMMAND);
	else if (!home)
		code = fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	if (!code)
		code = template_take(&making);
	messages_report(&messages, wanted);
	if (!code) {
		*job = json_incref(making.job->members);
		*execution = json_incref(making.job->execution);
	}
	submission_close(&making.submission);
	words_clear(&making.texts);
	words_clear(&making.words);
	free(home);
	return code;
}
