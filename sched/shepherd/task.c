/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/task.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/shepherd/file.h"

int failure_set(struct failure *f, enum attempt_failed code, const char *format, ...)
{
	va_list arguments;

	f->code = code;
	f->exit_status = 1;
	va_start(arguments, format);
	vsnprintf(f->text, sizeof(f->text), format, arguments);
	va_end(arguments);
	utf8_clean(f->text);
	return -ECANCELED;
}

static int config_wrong(struct failure *f, const char *member, const char *due)
{
	return failure_set(f, FAILED_CONFIG, "config: %s: %s", member, due);
}

/* Members */

static int take_integer(const struct shepherd_task *t, const char *name, json_int_t min, json_int_t max, json_int_t *value, struct failure *f)
{
	const json_t *member = json_object_get(t->json, name);

	*value = json_integer_value(member);
	return json_is_integer(member) && *value >= min && *value <= max ? 0 : config_wrong(f, name, "an integer is expected");
}

static int take_string(const struct shepherd_task *t, const char *name, const char *otherwise, const char **value, struct failure *f)
{
	const json_t *member = json_object_get(t->json, name);

	*value = member ? json_string_value(member) : otherwise;
	return *value && **value ? 0 : config_wrong(f, name, "a string is expected");
}

static int take_bool(const struct shepherd_task *t, const char *name, bool *value, struct failure *f)
{
	const json_t *member = json_object_get(t->json, name);

	*value = json_is_true(member);
	return !member || json_is_boolean(member) ? 0 : config_wrong(f, name, "a boolean is expected");
}

static int take_command(struct shepherd_task *t, struct failure *f)
{
	const json_t *list = json_object_get(t->json, "command");
	size_t n = json_array_size(list);

	t->command = calloc(n + 1, sizeof(*t->command));
	if (!t->command)
		return config_wrong(f, "command", "no memory");
	for (size_t k = 0; k < n; k++) {
		t->command[k] = (char *)json_string_value(json_array_get(list, k));
		if (!t->command[k])
			return config_wrong(f, "command", "an array of strings is expected");
	}
	return n && *t->command[0] ? 0 : config_wrong(f, "command", "an array with the command's name is expected");
}

static int take_environment(struct shepherd_task *t, struct failure *f)
{
	json_t *object = json_object_get(t->json, "environment"), *value;
	const char *name;
	size_t n = 0;

	if (!json_is_object(object))
		return config_wrong(f, "environment", "an object is expected");
	t->environment = calloc(json_object_size(object) + TASK_VARIABLES_MORE + 1, sizeof(*t->environment));
	if (!t->environment)
		return config_wrong(f, "environment", "no memory");
	json_object_foreach(object, name, value) {
		if (!*name || strchr(name, '=') || !json_is_string(value))
			return config_wrong(f, "environment", "names without \"=\" and strings are expected");
		if (asprintf(&t->environment[n], "%s=%s", name, json_string_value(value)) < 0) {
			t->environment[n] = NULL;
			return config_wrong(f, "environment", "no memory");
		}
		n++;
	}
	return 0;
}

static int take_umask(struct shepherd_task *t, struct failure *f)
{
	const char *text;
	char *end;
	unsigned long mask;
	int rc = take_string(t, "umask", "022", &text, f);

	if (rc)
		return rc;
	mask = strtoul(text, &end, 8);
	t->umask = (mode_t)mask;
	return *text >= '0' && *text <= '7' && !*end && mask <= 0777 ? 0 : config_wrong(f, "umask", "an octal number is expected");
}

static int take_groups(struct shepherd_task *t, struct failure *f)
{
	const json_t *member = json_object_get(t->json, "groups");
	const char *text = json_string_value(member);

	t->init_groups = member != NULL;
	return !member || (text && !strcmp(text, "init")) ? 0 : config_wrong(f, "groups", "\"init\" is all that is known");
}

/* Limits */

static const struct {
	const char *name;
	int resource;
} limit_names[TASK_LIMITS] = {
	{ "cpu", RLIMIT_CPU }, { "fsize", RLIMIT_FSIZE }, { "data", RLIMIT_DATA }, { "stack", RLIMIT_STACK }, { "core", RLIMIT_CORE },
	{ "as", RLIMIT_AS }, { "nofile", RLIMIT_NOFILE },
};

static bool limit_value(const json_t *list, size_t k, rlim_t *value)
{
	const json_t *item = json_array_get(list, k);
	json_int_t number = json_integer_value(item);

	*value = number < 0 ? RLIM_INFINITY : (rlim_t)number;
	return json_is_integer(item) && number >= -1;
}

static int take_limits(struct shepherd_task *t, struct failure *f)
{
	json_t *object = json_object_get(t->json, "limits");
	size_t known = 0;

	if (object && !json_is_object(object))
		return config_wrong(f, "limits", "an object is expected");
	for (size_t k = 0; k < TASK_LIMITS; k++) {
		const json_t *pair = json_object_get(object, limit_names[k].name);
		struct task_limit *limit = &t->limits[t->nlimits];

		if (!pair)
			continue;
		if (json_array_size(pair) != 2 || !limit_value(pair, 0, &limit->value.rlim_cur) ||
		    !limit_value(pair, 1, &limit->value.rlim_max) || limit->value.rlim_cur > limit->value.rlim_max)
			return config_wrong(f, limit_names[k].name, "[soft, hard] is expected, soft not above hard, -1 for none");
		limit->resource = limit_names[k].resource;
		t->nlimits++;
		known++;
	}
	return known == json_object_size(object) ? 0 : config_wrong(f, "limits", "there is one of an unknown name");
}

/* The whole */

static int task_load(struct shepherd_task *t, int dirfd, struct failure *f)
{
	json_error_t wrong;
	size_t length;
	char *bytes;
	int rc = file_read(dirfd, "config", ATTEMPT_CONFIG_BYTES, &bytes, &length);

	if (rc == -EUCLEAN)
		return failure_set(f, FAILED_CONFIG, "config: no plain file, or others may write it, or it is too long");
	if (rc)
		return failure_set(f, FAILED_CONFIG, "config: %s", strerror(-rc));
	t->json = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &wrong);
	free(bytes);
	if (!t->json)
		return failure_set(f, FAILED_CONFIG, "config: %s", wrong.text);
	return json_is_object(t->json) ? 0 : failure_set(f, FAILED_CONFIG, "config: an object is expected");
}

static int take_numbers(struct shepherd_task *t, struct failure *f)
{
	json_int_t job_number, task, uid, gid, nice = 0;
	int rc = take_integer(t, "job_number", 1, UINT32_MAX, &job_number, f);

	rc = rc ? rc : take_integer(t, "task", 0, UINT32_MAX, &task, f);
	rc = rc ? rc : take_integer(t, "uid", 0, UINT32_MAX - 1, &uid, f);
	rc = rc ? rc : take_integer(t, "gid", 0, UINT32_MAX - 1, &gid, f);
	if (rc == 0 && json_object_get(t->json, "nice"))
		rc = take_integer(t, "nice", -20, 20, &nice, f);
	if (rc)
		return rc;
	t->job_number = (uint32_t)job_number;
	t->task = (uint32_t)task;
	t->uid = (uid_t)uid;
	t->gid = (gid_t)gid;
	t->nice = (int)nice;
	return 0;
}

static int take_name(const struct shepherd_task *t, const char *name, const char **value, struct failure *f)
{
	int rc = json_object_get(t->json, name) ? take_string(t, name, NULL, value, f) : 0;

	return rc == 0 && *value && (strchr(*value, '/') || !strcmp(*value, ".") || !strcmp(*value, "..")) ?
	       config_wrong(f, name, "the name of a file is expected") : rc;
}

/* It may be missing. */
static int take_absolute(const struct shepherd_task *t, const char *name, const char **path, struct failure *f)
{
	int rc = json_object_get(t->json, name) ? take_string(t, name, NULL, path, f) : 0;

	return rc == 0 && *path && **path != '/' ? config_wrong(f, name, "an absolute path is expected") : rc;
}

static int take_paths(struct shepherd_task *t, struct failure *f)
{
	int rc = take_string(t, "cwd", NULL, &t->cwd, f);

	rc = rc ? rc : take_string(t, "stdin_path", "/dev/null", &t->stdin_path, f);
	rc = rc ? rc : take_string(t, "stdout_path", NULL, &t->stdout_path, f);
	rc = rc ? rc : take_bool(t, "join", &t->join, f);
	rc = rc ? rc : take_string(t, "stderr_path", t->join ? t->stdout_path : NULL, &t->stderr_path, f);
	rc = rc ? rc : take_name(t, "stdout_name", &t->stdout_name, f);
	rc = rc ? rc : take_name(t, "stderr_name", &t->stderr_name, f);
	rc = rc ? rc : take_absolute(t, "cgroup", &t->cgroup, f);
	rc = rc ? rc : take_absolute(t, "tmpdir", &t->tmpdir, f);
	rc = rc ? rc : take_name(t, "tmpdir_name", &t->tmpdir_name, f);
	if (rc == 0 && t->tmpdir && !t->tmpdir_name)
		rc = config_wrong(f, "tmpdir_name", "the name of a directory is expected");
	rc = rc ? rc : take_absolute(t, "program", &t->program, f);
	rc = rc ? rc : take_absolute(t, "script", &t->script, f);
	rc = rc ? rc : take_bool(t, "script_input", &t->script_input, f);
	return rc == 0 && t->script_input && !t->script ? config_wrong(f, "script_input", "there is no script") : rc;
}

int task_read(struct shepherd_task *t, int dirfd, struct failure *f)
{
	int rc;

	memset(t, 0, sizeof(*t));
	rc = task_load(t, dirfd, f);
	rc = rc ? rc : take_numbers(t, f);
	rc = rc ? rc : take_string(t, "user", NULL, &t->user, f);
	rc = rc ? rc : take_groups(t, f);
	rc = rc ? rc : take_command(t, f);
	rc = rc ? rc : take_environment(t, f);
	rc = rc ? rc : take_paths(t, f);
	rc = rc ? rc : take_umask(t, f);
	return rc ? rc : take_limits(t, f);
}

void task_free(struct shepherd_task *t)
{
	for (char **p = t->environment; p && *p; p++)
		free(*p);
	free(t->environment);
	free(t->command);
	json_decref(t->json);
	memset(t, 0, sizeof(*t));
}

/* Its place, or that of the NULL at the end. */
static char **variable_find(const struct shepherd_task *t, const char *name)
{
	size_t length = strlen(name);
	char **p = t->environment;

	while (*p && (strncmp(*p, name, length) != 0 || (*p)[length] != '='))
		p++;
	return p;
}

const char *task_variable(const struct shepherd_task *t, const char *name)
{
	char **p = variable_find(t, name);

	return *p ? *p + strlen(name) + 1 : NULL;
}

int task_variable_set(struct shepherd_task *t, const char *name, const char *value)
{
	char **p = variable_find(t, name), *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	free(*p);
	*p = text;
	return 0;
}
