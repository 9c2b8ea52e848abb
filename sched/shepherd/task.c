/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/task.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/shepherd/file.h"

int failure_set(struct failure *failure, enum attempt_failed code, const char *format, ...)
{
	va_list arguments;

	failure->code = code;
	failure->exit_status = 1;
	va_start(arguments, format);
	vsnprintf(failure->text, sizeof(failure->text), format, arguments);
	va_end(arguments);
	utf8_clean(failure->text);
	return -ECANCELED;
}

static int config_wrong(struct failure *failure, const char *member, const char *due)
{
	return failure_set(failure, FAILED_CONFIG, "config: %s: %s", member, due);
}

/* Members */

static int take_integer(const struct shepherd_task *task, const char *name, json_int_t min, json_int_t max,
			json_int_t *value, struct failure *failure)
{
	const json_t *member = json_object_get(task->json, name);

	*value = json_integer_value(member);
	return json_is_integer(member) && *value >= min && *value <= max
		       ? 0
		       : config_wrong(failure, name, "an integer is expected");
}

static int take_string(const struct shepherd_task *task, const char *name, const char *otherwise, const char **value,
		       struct failure *failure)
{
	const json_t *member = json_object_get(task->json, name);

	*value = member ? json_string_value(member) : otherwise;
	return *value && **value ? 0 : config_wrong(failure, name, "a string is expected");
}

static int take_bool(const struct shepherd_task *task, const char *name, bool *value, struct failure *failure)
{
	const json_t *member = json_object_get(task->json, name);

	*value = json_is_true(member);
	return !member || json_is_boolean(member) ? 0 : config_wrong(failure, name, "a boolean is expected");
}

static int take_command(struct shepherd_task *task, struct failure *failure)
{
	const json_t *list = json_object_get(task->json, "command");
	size_t n = json_array_size(list);

	task->command = calloc(n + 1, sizeof(*task->command));
	if (!task->command)
		return config_wrong(failure, "command", "out of memory");
	for (size_t k = 0; k < n; k++) {
		task->command[k] = (char *)json_string_value(json_array_get(list, k));
		if (!task->command[k])
			return config_wrong(failure, "command", "an array of strings is expected");
	}
	return n && *task->command[0]
		       ? 0
		       : config_wrong(failure, "command", "an array with the command's name is expected");
}

static int take_environment(struct shepherd_task *task, struct failure *failure)
{
	json_t *object = json_object_get(task->json, "environment"), *value;
	const char *name;
	size_t n = 0;

	if (!json_is_object(object))
		return config_wrong(failure, "environment", "an object is expected");
	task->environment = calloc(json_object_size(object) + TASK_VARIABLES_MORE + 1, sizeof(*task->environment));
	if (!task->environment)
		return config_wrong(failure, "environment", "out of memory");
	json_object_foreach(object, name, value) {
		if (!*name || strchr(name, '=') || !json_is_string(value))
			return config_wrong(failure, "environment", "names without \"=\" and strings are expected");
		if (asprintf(&task->environment[n], "%s=%s", name, json_string_value(value)) < 0) {
			task->environment[n] = NULL;
			return config_wrong(failure, "environment", "out of memory");
		}
		n++;
	}
	return 0;
}

static int take_umask(struct shepherd_task *task, struct failure *failure)
{
	const char *text;
	char *end;
	unsigned long mask;
	int rc = take_string(task, "umask", "022", &text, failure);

	if (rc)
		return rc;
	mask = strtoul(text, &end, 8);
	task->umask = (mode_t)mask;
	return *text >= '0' && *text <= '7' && !*end && mask <= 0777
		       ? 0
		       : config_wrong(failure, "umask", "an octal number is expected");
}

static int take_groups(struct shepherd_task *task, struct failure *failure)
{
	const json_t *member = json_object_get(task->json, "groups");
	const char *text = json_string_value(member);

	task->init_groups = member != NULL;
	return !member || (text && !strcmp(text, "init"))
		       ? 0
		       : config_wrong(failure, "groups", "\"init\" is expected");
}

/* Limits */

static const struct {
	const char *name;
	int resource;
} limit_names[TASK_LIMITS] = {
	{ "cpu", RLIMIT_CPU }, { "fsize", RLIMIT_FSIZE }, { "data", RLIMIT_DATA }, { "stack", RLIMIT_STACK },
	{ "core", RLIMIT_CORE },
	{ "as", RLIMIT_AS }, { "nofile", RLIMIT_NOFILE },
};

static bool limit_value(const json_t *list, size_t k, rlim_t *value)
{
	const json_t *item = json_array_get(list, k);
	json_int_t number = json_integer_value(item);

	*value = number < 0 ? RLIM_INFINITY : (rlim_t)number;
	return json_is_integer(item) && number >= -1;
}

static int take_limits(struct shepherd_task *task, struct failure *failure)
{
	json_t *object = json_object_get(task->json, "limits");
	size_t known = 0;

	if (object && !json_is_object(object))
		return config_wrong(failure, "limits", "an object is expected");
	for (size_t k = 0; k < TASK_LIMITS; k++) {
		const json_t *pair = json_object_get(object, limit_names[k].name);
		struct task_limit *limit = &task->limits[task->nlimits];

		if (!pair)
			continue;
		if (json_array_size(pair) != 2 || !limit_value(pair, 0, &limit->value.rlim_cur) ||
		    !limit_value(pair, 1, &limit->value.rlim_max) || limit->value.rlim_cur > limit->value.rlim_max)
			return config_wrong(failure, limit_names[k].name,
					    "[soft, hard] is expected, soft not above hard, -1 for none");
		limit->resource = limit_names[k].resource;
		task->nlimits++;
		known++;
	}
	return known == json_object_size(object) ? 0
						 : config_wrong(failure, "limits", "unknown name");
}

/* Complete task */

static int task_load(struct shepherd_task *task, int dirfd, struct failure *failure)
{
	json_error_t wrong;
	size_t length;
	char *bytes;
	int rc = file_read(dirfd, "config", ATTEMPT_CONFIG_BYTES, &bytes, &length);

	if (rc == -EUCLEAN)
		return failure_set(failure, FAILED_CONFIG,
				   "config: it is not a regular file, is writable by other users, or is too long");
	if (rc)
		return failure_set(failure, FAILED_CONFIG, "config: %s", strerror(-rc));
	task->json = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &wrong);
	free(bytes);
	if (!task->json)
		return failure_set(failure, FAILED_CONFIG, "config: %s", wrong.text);
	return json_is_object(task->json) ? 0 : failure_set(failure, FAILED_CONFIG, "config: an object is expected");
}

static int take_numbers(struct shepherd_task *shepherd_task, struct failure *failure)
{
	json_int_t job_number, task, uid, gid, nice = 0;
	int rc = take_integer(shepherd_task, "job_number", 1, UINT32_MAX, &job_number, failure);

	rc = rc ? rc : take_integer(shepherd_task, "task", 0, UINT32_MAX, &task, failure);
	rc = rc ? rc : take_integer(shepherd_task, "uid", 0, UINT32_MAX - 1, &uid, failure);
	rc = rc ? rc : take_integer(shepherd_task, "gid", 0, UINT32_MAX - 1, &gid, failure);
	if (rc == 0 && json_object_get(shepherd_task->json, "nice"))
		rc = take_integer(shepherd_task, "nice", -20, 20, &nice, failure);
	if (rc)
		return rc;
	shepherd_task->job_number = (uint32_t)job_number;
	shepherd_task->task = (uint32_t)task;
	shepherd_task->uid = (uid_t)uid;
	shepherd_task->gid = (gid_t)gid;
	shepherd_task->nice = (int)nice;
	return 0;
}

static int take_name(const struct shepherd_task *task, const char *name, const char **value, struct failure *failure)
{
	int rc = json_object_get(task->json, name) ? take_string(task, name, NULL, value, failure) : 0;

	return rc == 0 && *value && (strchr(*value, '/') || !strcmp(*value, ".") || !strcmp(*value, "..")) ?
	       config_wrong(failure, name, "the name of a file is expected") : rc;
}

/* Read an optional absolute path. */
static int take_absolute(const struct shepherd_task *task, const char *name, const char **path, struct failure *failure)
{
	int rc = json_object_get(task->json, name) ? take_string(task, name, NULL, path, failure) : 0;

	return rc == 0 && *path && **path != '/' ? config_wrong(failure, name, "an absolute path is expected") : rc;
}

static int take_paths(struct shepherd_task *task, struct failure *failure)
{
	int rc = take_string(task, "cwd", NULL, &task->cwd, failure);

	rc = rc ? rc : take_string(task, "stdin_path", "/dev/null", &task->stdin_path, failure);
	rc = rc ? rc : take_string(task, "stdout_path", NULL, &task->stdout_path, failure);
	rc = rc ? rc : take_bool(task, "join", &task->join, failure);
	rc = rc ? rc
		: take_string(task, "stderr_path", task->join ? task->stdout_path : NULL, &task->stderr_path, failure);
	rc = rc ? rc : take_name(task, "stdout_name", &task->stdout_name, failure);
	rc = rc ? rc : take_name(task, "stderr_name", &task->stderr_name, failure);
	rc = rc ? rc : take_absolute(task, "cgroup", &task->cgroup, failure);
	rc = rc ? rc : take_absolute(task, "tmpdir", &task->tmpdir, failure);
	rc = rc ? rc : take_name(task, "tmpdir_name", &task->tmpdir_name, failure);
	if (rc == 0 && task->tmpdir && !task->tmpdir_name)
		rc = config_wrong(failure, "tmpdir_name", "the name of a directory is expected");
	rc = rc ? rc : take_absolute(task, "program", &task->program, failure);
	rc = rc ? rc : take_absolute(task, "script", &task->script, failure);
	rc = rc ? rc : take_bool(task, "script_input", &task->script_input, failure);
	return rc == 0 && task->script_input && !task->script
		       ? config_wrong(failure, "script_input", "there is no script")
		       : rc;
}

int task_read(struct shepherd_task *task, int dirfd, struct failure *failure)
{
	int rc;

	memset(task, 0, sizeof(*task));
	rc = task_load(task, dirfd, failure);
	rc = rc ? rc : take_numbers(task, failure);
	rc = rc ? rc : take_string(task, "user", NULL, &task->user, failure);
	rc = rc ? rc : take_groups(task, failure);
	rc = rc ? rc : take_command(task, failure);
	rc = rc ? rc : take_environment(task, failure);
	rc = rc ? rc : take_paths(task, failure);
	rc = rc ? rc : take_umask(task, failure);
	return rc ? rc : take_limits(task, failure);
}

void task_free(struct shepherd_task *task)
{
	for (char **p = task->environment; p && *p; p++)
		free(*p);
	free(task->environment);
	free(task->command);
	json_decref(task->json);
	memset(task, 0, sizeof(*task));
}

/* Return the entry of the variable, or the terminating NULL. */
static char **variable_find(const struct shepherd_task *task, const char *name)
{
	size_t length = strlen(name);
	char **p = task->environment;

	while (*p && (strncmp(*p, name, length) != 0 || (*p)[length] != '='))
		p++;
	return p;
}

const char *task_variable(const struct shepherd_task *task, const char *name)
{
	char **p = variable_find(task, name);

	return *p ? *p + strlen(name) + 1 : NULL;
}

int task_variable_set(struct shepherd_task *task, const char *name, const char *value)
{
	char **p = variable_find(task, name), *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	free(*p);
	*p = text;
	return 0;
}
