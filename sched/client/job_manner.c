/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution attributes of a job: its shell, mail about it, its context. Lists are separated by
 * commas, as with qsub.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/client/job_inside.h"

#define SHELL_BYTES 300

static int no_memory(const struct job *job)
{
	return message_no_memory(job->messages);
}

/* Remove a setting of an existing job. */
static int taken_away(struct job *job, const char *member)
{
	return json_object_set_new(job->execution, member, json_null()) ? no_memory(job) : EXIT_OK;
}

/* Shell */

/*
 * Find the program of a shell name, so that "bash" becomes /bin/bash. Any other value is unchanged.
 */
static const char *shell_find(const struct job *job, const char *shell, char found[SHELL_BYTES])
{
	static const char *const places[] = { "/bin", "/usr/bin", "/usr/local/bin" };
	static bool said;		/* the note was printed; options are read more than once */

	for (size_t k = 0; shell && *shell && !strpbrk(shell, "/$") && k < sizeof(places) / sizeof(*places); k++)
		if (snprintf(found, SHELL_BYTES, "%s/%s", places[k], shell) < SHELL_BYTES && access(found, X_OK) == 0) {
			if (!said)
				message_add(job->messages, EXIT_OK, job->verb, "-S %s: the shell is %s", shell, found);
			said = true;
			return found;
		}
	return shell;
}

/*
 * Take the path for this machine from a list of shells, otherwise the path without a host. Paths
 * for other hosts are ignored, so a script that names other hosts of a cluster can run here.
 */
int job_take_shell(void *job, struct words *words)
{
	const char *of_any = NULL, *of_this = NULL, *path;
	char *copy = strdup(words->value), *rest = copy, *entry;
	char found[SHELL_BYTES];
	struct job *j = job;
	int code;

	if (!copy)
		return no_memory(job);
	if (!*copy && j->alters) {
		free(copy);
		return taken_away(j, "shell");
	}
	while ((entry = strsep(&rest, ",")) != NULL) {
		size_t length = strcspn(entry, ":/");

		if (entry[length] != ':')
			of_any = entry;
		else if (job_host_is_here(entry, length))
			of_this = entry + length + 1;
	}
	path = shell_find(j, of_this ? of_this : of_any, found);
	if (path && (*path == '/' || *path == '$'))
		code = job_set_text(j, j->execution, "shell", words->row->name, path);
	else
		code = job_wrong(j, words->row->name, words->value,
				 path ? "an absolute path is expected, such as /bin/bash"
				      : "no path for this machine is among these");
	free(copy);
	return code;
}

/* Mail */

/*
 * Parse letters and commas. qsub refuses the commas that its manual page allows. n removes the
 * other letters.
 */
int job_take_mail_options(void *job, struct words *words)
{
	static const char allowed[] = "beas";
	struct job *j = job;
	char letters[sizeof(allowed)] = "", *end = letters;
	bool none = false;

	if (!*words->value && j->alters)
		return taken_away(j, "mail_options");
	for (const char *p = words->value; *p; p++) {
		if (*p == 'n')
			none = true;
		else if (*p != ',' && !strchr(allowed, *p))
			return job_wrong(j, words->row->name, words->value, "letters of b e a s are expected, or n");
		else if (*p != ',' && !strchr(letters, *p))
			*end++ = *p;
	}
	if (!none && end == letters)
		return job_wrong(j, words->row->name, words->value, "letters of b e a s are expected, or n");
	return job_set_text(j, j->execution, "mail_options", words->row->name, none ? "n" : letters);
}

int job_take_mail_list(void *job, struct words *words)
{
	struct job *j = job;
	bool none = !*words->value && j->alters;
	char *copy = strdup(words->value), *rest = none ? NULL : copy, *entry;
	json_t *list = none ? json_null() : json_array();
	int code = copy && list ? EXIT_OK : no_memory(job);

	while (!code && (entry = strsep(&rest, ",")) != NULL)
		if (!*entry)
			code = job_wrong(j, words->row->name, words->value,
					 "an address is missing; USER or USER@HOST is expected, several with commas");
		else if (json_array_append_new(list, json_string(entry)))
			code = job_wrong(j, words->row->name, words->value, "it is not UTF-8");
	free(copy);
	if (code)
		json_decref(list);
	else if (json_object_set_new(j->execution, "mail_list", list))
		code = no_memory(job);
	return code;
}

void job_skip_binding(struct words *words)
{
	if (words->next < words->argc &&
	    (!strcmp(words->value, "env") || !strcmp(words->value, "pe") || !strcmp(words->value, "set")))
		words->next++;
}

/* Context */

/*
 * Return the object for a variable of the context. The context of an existing job is not known
 * here, so the request contains changes, unless -sc has replaced the whole context before.
 */
static json_t *context_of(struct job *job)
{
	const char *member = job->alters && !json_object_get(job->execution, "context") ? "context_changes" : "context";
	json_t *context = json_object_get(job->execution, member);

	if (!context && (context = json_object()) != NULL && json_object_set_new(job->execution, member, context))
		context = NULL;
	return context;
}

static int context_change(struct job *job, const struct words *words, char *entry)
{
	json_t *context = context_of(job), *text;
	char *value = strchr(entry, '=');

	if (value)
		*value++ = '\0';
	if (!context)
		return no_memory(job);
	if (!*entry || (value && !strcmp(words->row->detail, JOB_CONTEXT_DELETE)))
		return job_wrong(job, words->row->name, words->value,
				 *entry ? "names without values are expected" : "the name of a variable is missing");
	if (!strcmp(words->row->detail, JOB_CONTEXT_DELETE)) {
		if (!json_object_get(job->execution, "context"))
			return json_object_set_new(context, entry, json_null()) ? no_memory(job) : EXIT_OK;
		json_object_del(context, entry);
		return EXIT_OK;
	}
	text = json_string(value ? value : "");
	return text && json_object_set_new(context, entry, text) == 0
		       ? EXIT_OK
		       : job_wrong(job, words->row->name, words->value, "it is not UTF-8");
}

int job_take_context(void *job, struct words *words)
{
	char *copy = strdup(words->value), *rest = copy, *entry;
	struct job *j = job;
	int code = copy ? EXIT_OK : no_memory(job);

	if (!strcmp(words->row->detail, JOB_CONTEXT_SET)) {
		json_object_del(j->execution, "context_changes");
		if (json_object_set_new(j->execution, "context", json_object()))
			code = no_memory(job);
	}
	while (!code && (entry = strsep(&rest, ",")) != NULL)
		code = context_change(j, words, entry);
	free(copy);
	return code;
}
