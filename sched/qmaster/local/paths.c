/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

void path_names_set(struct path_names *names, const struct local *local, const struct local_task *task,
		    const struct local_job *job, const struct person *user)
{
	*names = (struct path_names){ .job = job, .home = user->home, .host = local->machine.host };
	snprintf(names->number, sizeof(names->number), "%u", task->job_number);
	snprintf(names->task, sizeof(names->task), "%u", task->is_array ? task->id : 0);
}

/*
 * Return the value of the variable at the beginning of the text, and the bytes of its name. NULL:
 * no known variable. As in Grid Engine, a name is recognized regardless of the following
 * characters: $JOB_ID_x is the number followed by "_x".
 */
static const char *naming_value(const struct path_names *names, const char *text, size_t *length)
{
	const struct {
		const char *name, *value;
	} known[] = {
		{ "HOME", names->home },     { "USER", names->job->owner },
		{ "JOB_ID", names->number }, { "JOB_NAME", job_name(names->job) },
		{ "HOSTNAME", names->host }, { "TASK_ID", names->task },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		*length = strlen(known[i].name);
		if (strncmp(known[i].name, text, *length) == 0)
			return known[i].value;
	}
	return NULL;
}

int path_expand(const struct path_names *names, const char *text, char *path, size_t size)
{
	size_t used = 0;

	while (*text) {
		size_t name = 0;
		const char *value = *text == '$' ? naming_value(names, text + 1, &name) : NULL;
		int length = value ? snprintf(path + used, size - used, "%s", value) : 1;

		if (used + (size_t)length + 1 > size)
			return -ENAMETOOLONG;
		if (!value)
			path[used] = *text;
		used += (size_t)length;
		text += value ? name + 1 : 1;
	}
	path[used] = '\0';
	return 0;
}

int path_default(const struct path_names *names, char kind, bool is_array, char *path, size_t size)
{
	int length = snprintf(path, size, "%s.%c%s%s%s", job_name(names->job), kind, names->number, is_array ? "." : "",
			      is_array ? names->task : "");

	return (size_t)length < size ? 0 : -ENAMETOOLONG;
}

int path_write(const struct path_names *names, const char *asked, char kind, const char *cwd, char path[PATH_MAX])
{
	char below[PATH_MAX];
	int length;

	if (asked ? path_expand(names, asked, below, sizeof(below))
		  : path_default(names, kind, names->job->is_array, below, sizeof(below)))
		return -ENAMETOOLONG;
	length = snprintf(path, PATH_MAX, "%s%s%s", *below == '/' ? "" : cwd, *below == '/' ? "" : "/", below);
	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}
