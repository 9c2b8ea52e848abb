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

#include "sched/client/submission.h"
#include "sched/drmaa/inside.h"

struct making {
	const drmaa_job_template_t *jt;
	struct submission submission;
	struct job *job;		/* job of the submission */
	/* directory of the template, without placeholders; NULL: none */
	const char *directory;
	char *home;			/* home directory of this user */
	/* borrowed by the job: paths, and words of the command line */
	struct word_list texts, words;
	struct reason_wanted *d;
	const char *tasks;		/* NULL: not an array */
	struct messages messages;	/* of the submission */
};

/* Write the last failure into the caller's buffer. */
static void failure_report(const struct making *making)
{
	for (size_t i = 0; i < making->messages.n; i++)
		if (making->messages.items[i].code != EXIT_OK)
			fault(making->d, 0, "%s", making->messages.items[i].text);
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

/* Check that all values are UTF-8, because requests are JSON. */
static int encoding_check(struct making *making)
{
	for (size_t k = 0; k < ATTRIBUTES; k++)
		if (making->jt->values[k] && !job_is_text(making->jt->values[k]))
			return no_utf8(making, attribute_names[k]);
	for (size_t k = 0; k < VECTORS; k++)
		for (size_t i = 0; i < making->jt->vectors[k].n; i++)
			if (!job_is_text(making->jt->vectors[k].items[i]))
				return no_utf8(making, vector_names[k]);
	return DRMAA_ERRNO_SUCCESS;
}

static int environment_take(struct making *making)
{
	const struct word_list *list = &making->jt->vectors[VECTOR_ENV];

	for (size_t k = 0; k < list->n; k++) {
		const char *word = list->items[k];
		size_t length = strcspn(word, "=");

		if (job_set_variable(making->job, word, length, word[length] ? word + length + 1 : ""))
			return no_utf8(making, DRMAA_V_ENV);
	}
	return DRMAA_ERRNO_SUCCESS;
}

/* Add addresses for mail. Without a native -m no mail is sent. */
static int mail_take(struct making *making)
{
	const struct word_list *addresses = &making->jt->vectors[VECTOR_EMAIL];
	const char *blocked = making->jt->values[ATTRIBUTE_BLOCK_EMAIL];
	int failed = addresses->n ? job_set_mail_list(making->job, addresses->items, addresses->n) : 0;

	if (blocked && *blocked == '1')
		failed |= job_set_no_mail(making->job);
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
	int64_t time_s = 0;
	int failed = job_set_ends_on_error(making->job);

	failed |= job_set_session(making->job, session.name);
	if (state)
		making->submission.held = !strcmp(state, DRMAA_SUBMISSION_STATE_HOLD);
	if (name)
		failed |= job_set_name(making->job, name);
	if (start && start_time_parse(start, time(NULL), &time_s) == 0)
		failed |= job_set_start(making->job, time_s);
	if (join)
		failed |= job_set_join(making->job, *join == 'y');
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

int making_create(struct making **making, const drmaa_job_template_t *jt, const char *tasks,
		  struct reason_wanted *wanted)
{
	struct making *made = calloc(1, sizeof(*made));
	int code;

	*making = made;
	if (!made)
		return fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	made->jt = jt;
	made->d = wanted;
	made->tasks = tasks;
	made->job = &made->submission.job;
	made->job->verb = "drmaa";
	made->job->messages = &made->messages;
	made->submission.cell = session.cell;
	made->home = home_find();
	if (!jt->values[ATTRIBUTE_COMMAND])
		return fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s is not set", DRMAA_REMOTE_COMMAND);
	if (!made->home)
		return fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	code = template_take(made);
	failure_report(made);
	return code;
}

struct scheduler_request making_request(const struct making *making)
{
	return (struct scheduler_request){ .kind = REQUEST_SUBMIT, .job = &making->submission.job };
}

bool making_is_held(const struct making *making)
{
	return making->submission.held;
}

void making_free(struct making *making)
{
	if (!making)
		return;
	submission_close(&making->submission);
	messages_free(&making->messages);
	words_clear(&making->texts);
	words_clear(&making->words);
	free(making->home);
	free(making);
}
