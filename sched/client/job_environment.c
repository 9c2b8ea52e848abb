/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment of the command. Like with qsub, it has the variables of -v and -V, and the SGE_O_...
 * variables that describe the environment of the submission.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/client/job_inside.h"

#define HOST_BYTES 256

/*
 * Set a variable. Return -1 if the value is not UTF-8 and cannot be sent, or memory is exhausted.
 */
static int variable_set(json_t *environment, const char *name, size_t length, const char *value)
{
	json_t *text = json_string(value);
	int rc;

	if (!text)
		return -1;
	rc = json_object_setn(environment, name, length, text);
	json_decref(text);
	return rc;
}

static bool name_is_good(const char *name, size_t length)
{
	if (!length || (*name >= '0' && *name <= '9'))
		return false;
	for (size_t k = 0; k < length; k++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", name[k]))
			return false;
	return true;
}

static int variable_take(struct job *job, const char *word)
{
	size_t length = strcspn(word, "=");
	char name[256];
	const char *value;

	if (!name_is_good(word, length) || length >= sizeof(name))
		return job_wrong(job, "-v", word, "NAME or NAME=VALUE is expected, the name of letters, digits and _");
	memcpy(name, word, length);
	name[length] = '\0';
	value = word[length] ? word + length + 1 : getenv(name);
	return variable_set(job->variables, word, length, value ? value : "")
		       ? job_wrong(job, "-v", name, "its value is not UTF-8")
		       : EXIT_OK;
}

int job_take_variables(void *job, struct words *words)
{
	char *copy = strdup(words->value), *rest = copy, *word;
	struct job *j = job;
	int code = EXIT_OK;

	j->variables = j->variables ? j->variables : json_object();
	if (!copy || !j->variables)
		code = message_no_memory(j->messages);
	while (!code && (word = strsep(&rest, ",")) != NULL)
		code = variable_take(j, word);
	free(copy);
	return code;
}

static void origin_set(json_t *environment, const char *name, const char *value)
{
	if (value && *value)
		variable_set(environment, name, strlen(name), value);
}

static void origins_set(json_t *environment)
{
	static const char *const names[][2] = {
		{ "SGE_O_HOME", "HOME" }, { "SGE_O_LOGNAME", "LOGNAME" }, { "SGE_O_MAIL", "MAIL" },
		{ "SGE_O_PATH", "PATH" }, { "SGE_O_SHELL", "SHELL" },	  { "SGE_O_TERM", "TERM" },
		{ "SGE_O_TZ", "TZ" },
	};
	char host[HOST_BYTES] = "", *directory = getcwd(NULL, 0);

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		origin_set(environment, names[k][0], getenv(names[k][1]));
	if (gethostname(host, sizeof(host) - 1) == 0)
		origin_set(environment, "SGE_O_HOST", getenv("HOST") ? getenv("HOST") : host);
	origin_set(environment, "SGE_O_WORKDIR", directory);
	free(directory);
}

static void all_set(const struct job *job, json_t *environment)
{
	for (char **p = environ; *p; p++) {
		size_t length = strcspn(*p, "=");

		if (length && (*p)[length] && variable_set(environment, *p, length, *p + length + 1))
			message_add(job->messages, EXIT_OK, NULL, "-V: %.*s is left out: it is not UTF-8", (int)length,
				    *p);
	}
}

int job_environment_finish(struct job *job)
{
	json_t *environment;

	if (job->alters && !job->variables && !job->all_variables)
		return EXIT_OK;
	environment = json_object();
	if (job->all_variables)
		all_set(job, environment);
	origins_set(environment);
	json_object_update(environment, job->variables);
	return json_object_set_new(job->execution, "environment", environment) ? message_no_memory(job->messages)
									       : EXIT_OK;
}
