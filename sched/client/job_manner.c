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
		return job_execute_null(j, "shell");
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
		code = job_execute_text(j, "shell", words->row->name, path);
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
		return job_execute_null(j, "mail_options");
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
	return job_execute_text(j, "mail_options", words->row->name, none ? "n" : letters);
}

int job_take_mail_list(void *job, struct words *words)
{
	struct job *j = job;
	const char **list = taking_array(&j->taking, strlen(words->value) + 1, sizeof(*list));
	char *rest = (char *)job_copy(j, words->value, strlen(words->value)), *entry;
	size_t n = 0;

	if (!list || !rest)
		return no_memory(job);
	if (!*rest && j->alters)
		return job_execute_null(j, "mail_list");
	while ((entry = strsep(&rest, ",")) != NULL) {
		if (!*entry)
			return job_wrong(j, words->row->name, words->value,
					 "an address is missing; USER or USER@HOST is expected, several with commas");
		if (!job_is_text(entry))
			return job_wrong(j, words->row->name, words->value, "it is not UTF-8");
		list[n++] = entry;
	}
	return job_execute(j, &(const struct execution){ .mail_list = { list, n } }, "mail_list");
}

void job_skip_binding(struct words *words)
{
	if (words->next < words->argc &&
	    (!strcmp(words->value, "env") || !strcmp(words->value, "pe") || !strcmp(words->value, "set")))
		words->next++;
}

/* Context */

/*
 * Return whether a variable of the context is a change. The context of an existing job is not known
 * here, so the request contains changes, unless -sc has replaced the whole context before.
 */
static bool is_change(const struct job *job)
{
	return job->alters && !member_list_find(&job->execution.members, "context");
}

static int variable_change(struct job *job, const char *name, const char *value, bool deletes)
{
	if (is_change(job))
		return job_variables_set(job, &job->context_changes, name, strlen(name), deletes ? NULL : value);
	return deletes ? job_variables_remove(job, &job->context, name)
		       : job_variables_set(job, &job->context, name, strlen(name), value);
}

static int entry_take(struct job *job, const struct words *words, char *entry)
{
	bool deletes = !strcmp(words->row->detail, JOB_CONTEXT_DELETE);
	char *value = strchr(entry, '=');

	if (value)
		*value++ = '\0';
	if (!*entry || (value && deletes))
		return job_wrong(job, words->row->name, words->value,
				 *entry ? "names without values are expected" : "the name of a variable is missing");
	if (!job_is_text(entry) || !job_is_text(value ? value : ""))
		return job_wrong(job, words->row->name, words->value, "it is not UTF-8");
	return variable_change(job, entry, value ? value : "", deletes) ? no_memory(job) : EXIT_OK;
}

/* Set the member that the variables belong to. */
static int context_set(struct job *job)
{
	const struct execution from = { .context = job_variables_all(&job->context),
					.context_changes = job_variables_all(&job->context_changes) };

	return job_execute(job, &from, is_change(job) ? "context_changes" : "context");
}

int job_take_context(void *job, struct words *words)
{
	char *copy = strdup(words->value), *rest = copy, *entry;
	struct job *j = job;
	int code = copy ? EXIT_OK : no_memory(job);

	if (!code && !strcmp(words->row->detail, JOB_CONTEXT_SET)) {
		member_list_remove(&j->execution.members, "context_changes");
		job_variables_free(&j->context_changes);
		job_variables_free(&j->context);
		code = job_execute(j, &(const struct execution){ .context = { NULL, 0 } }, "context");
	}
	while (!code && (entry = strsep(&rest, ",")) != NULL)
		code = entry_take(j, words, entry);
	free(copy);
	return code ? code : context_set(j);
}
