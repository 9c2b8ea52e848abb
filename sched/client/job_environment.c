/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment of the command. Like with qsub, it has the variables of -v and -V, and the SGE_O_...
 * variables that describe the environment of the submission.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/client/job_inside.h"
#include "sched/client/line.h"

#define HOST_BYTES 256

/* Set a variable. Return -EINVAL if it is not UTF-8 and cannot be sent, or -ENOMEM. */
static int variable_set(struct job *job, struct job_variables *variables, const char *name, size_t length,
			const char *value)
{
	return line_can_hold(name, length) && job_is_text(value)
		       ? job_variables_set(job, variables, name, length, value)
		       : -EINVAL;
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
	return variable_set(job, &job->variables, word, length, value ? value : "")
		       ? job_wrong(job, "-v", name, "its value is not UTF-8")
		       : EXIT_OK;
}

int job_take_variables(void *job, struct words *words)
{
	char *copy = strdup(words->value), *rest = copy, *word;
	struct job *j = job;
	int code = copy ? EXIT_OK : message_no_memory(j->messages);

	while (!code && (word = strsep(&rest, ",")) != NULL)
		code = variable_take(j, word);
	free(copy);
	return code;
}

static void origin_set(struct job *job, struct job_variables *environment, const char *name, const char *value)
{
	if (value && *value)
		variable_set(job, environment, name, strlen(name), value);
}

static void origins_set(struct job *job, struct job_variables *environment)
{
	static const char *const names[][2] = {
		{ "SGE_O_HOME", "HOME" }, { "SGE_O_LOGNAME", "LOGNAME" }, { "SGE_O_MAIL", "MAIL" },
		{ "SGE_O_PATH", "PATH" }, { "SGE_O_SHELL", "SHELL" },	  { "SGE_O_TERM", "TERM" },
		{ "SGE_O_TZ", "TZ" },
	};
	char host[HOST_BYTES] = "", *directory = getcwd(NULL, 0);

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		origin_set(job, environment, names[k][0], getenv(names[k][1]));
	if (gethostname(host, sizeof(host) - 1) == 0)
		origin_set(job, environment, "SGE_O_HOST", getenv("HOST") ? getenv("HOST") : host);
	origin_set(job, environment, "SGE_O_WORKDIR", directory);
	free(directory);
}

static void all_set(struct job *job, struct job_variables *environment)
{
	for (char **p = environ; *p; p++) {
		size_t length = strcspn(*p, "=");

		if (length && (*p)[length] && variable_set(job, environment, *p, length, *p + length + 1))
			message_add(job->messages, EXIT_OK, NULL, "-V: %.*s is left out: it is not UTF-8", (int)length,
				    *p);
	}
}

int job_environment_finish(struct job *job)
{
	struct job_variables environment = { .items = NULL };
	int rc = 0, code;

	if (job->alters && job->variables.names.n == 0 && !job->all_variables)
		return EXIT_OK;
	if (job->all_variables)
		all_set(job, &environment);
	origins_set(job, &environment);
	for (size_t k = 0; rc == 0 && k < job->variables.names.n; k++) {
		const struct variable *variable = &job->variables.items[k];

		rc = job_variables_set(job, &environment, variable->name, strlen(variable->name), variable->value);
	}
	code = rc ? message_no_memory(job->messages)
		  : job_execute(job, &(const struct execution){ .environment = job_variables_all(&environment) },
				"environment");
	job_variables_free(&environment);
	return code;
}
