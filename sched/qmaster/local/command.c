/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/qmaster/local/request.h"

#define LOGIN_SHELL_BYTES 256

const char *command_script(const struct local_job *job)
{
	return json_string_value(json_object_get(job->execution, "script"));
}

void command_script_path(const struct local *local, const struct local_task *task, char path[SCRIPT_PATH_BYTES])
{
	char directory[DIRECTORY_BYTES];

	local_task_directory(task, directory);
	snprintf(path, SCRIPT_PATH_BYTES, "%s/%s/" ATTEMPT_SCRIPT, local->active_path, directory);
}

int command_shell(const struct local *local, const struct local_task *task, const struct path_names *names, char *shell,
		  size_t size)
{
	const char *asked = json_string_value(json_object_get(names->job->execution, "shell"));
	const char *of_queue = machine_queue_value(local, local_task_queue(task), "shell", "/bin/sh");
	int length;

	if (asked)
		return path_expand(names, asked, shell, size);
	length = snprintf(shell, size, "%s", *of_queue == '/' ? of_queue : "/bin/sh");
	return (size_t)length < size ? 0 : -ENAMETOOLONG;
}

/* Return the mode of the queue; if it has none, the mode of the cell. */
static const char *start_mode(const struct local *local, const struct local_task *task)
{
	const char *mode = machine_queue_value(local, local_task_queue(task), "shell_start_mode", "NONE");

	if (strcasecmp(mode, "NONE") == 0)
		mode = access_global_text(sched_cell(local->sched), "shell_start_mode");
	return mode ? mode : "posix_compliant";
}

/*
 * Return whether login_shells of sge_conf(5) contains this shell. Without login_shells there are no
 * login shells.
 */
static bool is_login_shell(const struct local *local, const char *name)
{
	const char *list = access_global_text(sched_cell(local->sched), "login_shells");
	size_t length = strlen(name);

	while (list && *list) {
		size_t entry = strcspn(list, ", \t");

		if (entry == length && strncmp(list, name, length) == 0)
			return true;
		list += entry + (list[entry] != '\0');
	}
	return false;
}

/* Make argv[0] of a shell. A leading dash makes it a login shell. */
static json_t *shell_arguments(const struct local *local, const char *shell, bool may_log_in)
{
	const char *slash = strrchr(shell, '/'), *name = slash ? slash + 1 : shell;

	return json_pack("[s+]", may_log_in && is_login_shell(local, name) ? "-" : "", name);
}

/*
 * Join the words, as qsub does: the shell splits them again and interprets its special characters.
 */
static json_t *command_line(const json_t *command)
{
	json_t *line, *word;
	size_t i, length = 0;
	char *text;

	json_array_foreach(command, i, word)
		length += json_string_length(word) + 1;
	text = calloc(1, length + 1);
	length = 0;
	if (text)
		json_array_foreach(command, i, word)
			length += (size_t)sprintf(text + length, "%s%s", i ? " " : "", json_string_value(word));
	line = text ? json_string(text) : NULL;
	free(text);
	return line;
}

static void rest_append(json_t *arguments, const json_t *command)
{
	json_t *word;
	size_t i;

	json_array_foreach(command, i, word)
		if (i > 0)
			json_array_append(arguments, word);
}

struct command_way {			/* How something is run. */
	const char *program;	/* NULL: the first word, searched in the PATH of the job */
	json_t *arguments;
	bool script_input;	/* the script is standard input */
};

/*
 * Determine how a script is run. The default mode is posix_compliant, in which the shell is used
 * regardless of the first line of the script. In modes that use the first line, the kernel reads
 * it. A script without a "#!" line is run by the shell nevertheless.
 */
static void way_of_script(struct command_way *way, const struct local *local, const struct local_task *task,
			  const struct path_names *names, const char *shell, const char *path)
{
	const json_t *command = json_object_get(names->job->execution, "command");
	const char *mode = start_mode(local, task);
	bool by_kernel = strcasecmp(mode, "unix_behavior") == 0 || strcasecmp(mode, "raw_exec") == 0;

	if (by_kernel && strncmp(command_script(names->job), "#!", 2) == 0) {
		*way = (struct command_way){ .program = path, .arguments = json_pack("[s]", path) };
	} else {
		*way = (struct command_way){ .program = shell, .arguments = shell_arguments(local, shell, !by_kernel) };
		way->script_input = strcasecmp(mode, "script_from_stdin") == 0;
		if (strcasecmp(mode, "start_as_command") == 0)
			json_array_append_new(way->arguments, json_string("-c"));
		json_array_append_new(way->arguments, json_string(way->script_input ? "-s" : path));
	}
	rest_append(way->arguments, command);
}

static void way_of_program(struct command_way *way, const struct local *local, const struct path_names *names,
			   const char *shell)
{
	json_t *execution = names->job->execution, *command = json_object_get(execution, "command");

	*way = (struct command_way){ .arguments = json_is_true(json_object_get(execution, "use_shell"))
							  ? shell_arguments(local, shell, true)
							  : json_incref(command) };
	if (way->arguments == command)
		return;
	way->program = shell;
	json_array_append_new(way->arguments, json_string("-c"));
	json_array_append_new(way->arguments, command_line(command));
}

int command_put(json_t *config, const struct local *local, const struct local_task *task,
		const struct path_names *names)
{
	char shell[PATH_MAX], path[SCRIPT_PATH_BYTES];
	bool is_script = command_script(names->job);
	struct command_way way;
	int rc = command_shell(local, task, names, shell, sizeof(shell));

	if (rc)
		return rc;
	command_script_path(local, task, path);
	if (is_script)
		way_of_script(&way, local, task, names, shell, path);
	else
		way_of_program(&way, local, names, shell);
	rc = json_object_set_new(config, "command", way.arguments);
	if (rc == 0 && way.program)
		rc = json_object_set_new(config, "program", json_string(way.program));
	if (rc == 0 && is_script)
		rc = json_object_set_new(config, "script", json_string(path));
	if (rc == 0 && way.script_input)
		rc = json_object_set_new(config, "script_input", json_true());
	return rc ? -ENOMEM : 0;
}
