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

void command_script_path(const struct local *local, const struct local_task *task, char path[SCRIPT_PATH_BYTES])
{
	char directory[DIRECTORY_BYTES];

	local_task_directory(task, directory);
	snprintf(path, SCRIPT_PATH_BYTES, "%s/%s/" ATTEMPT_SCRIPT, local->active_path, directory);
}

int command_shell(const struct local *local, const struct local_task *task, const struct path_names *names, char *shell,
		  size_t size)
{
	const char *asked = names->job->execution.shell;
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

struct command_way {			/* How something is run. */
	const char *program;	/* NULL: the first word, searched in the PATH of the job */
	/* words in front of the rest of the command; NULL: none */
	const char *shell, *option, *path;
	bool logs_in;		/* a leading dash in argv[0] makes it a login shell */
	bool joins;		/* the whole command is one word for the shell */
	bool script_input;	/* the script is standard input */
};

/* Run a shell. `may_log_in`: as a login shell, if it is one. */
static struct command_way way_of_shell(const struct local *local, const char *shell, bool may_log_in)
{
	const char *slash = strrchr(shell, '/'), *name = slash ? slash + 1 : shell;

	return (struct command_way){ .program = shell,
				     .shell = name,
				     .logs_in = may_log_in && is_login_shell(local, name) };
}

/*
 * Determine how a script is run. The default mode is posix_compliant, in which the shell is used
 * regardless of the first line of the script. In modes that use the first line, the kernel reads
 * it. A script without a "#!" line is run by the shell nevertheless.
 */
static struct command_way way_of_script(const struct local *local, const struct local_task *task, const char *script,
					const char *shell, const char *path)
{
	const char *mode = start_mode(local, task);
	bool by_kernel = strcasecmp(mode, "unix_behavior") == 0 || strcasecmp(mode, "raw_exec") == 0;
	struct command_way way = { .program = path, .path = path };

	if (by_kernel && strncmp(script, "#!", 2) == 0)
		return way;
	way = way_of_shell(local, shell, !by_kernel);
	way.script_input = strcasecmp(mode, "script_from_stdin") == 0;
	way.option = strcasecmp(mode, "start_as_command") == 0 ? "-c" : NULL;
	way.path = way.script_input ? "-s" : path;
	return way;
}

static struct command_way way_of_program(const struct local *local, const struct execution *execution,
					 const char *shell)
{
	struct command_way way = { .program = NULL };

	if (!execution->use_shell)
		return way;
	way = way_of_shell(local, shell, true);
	way.option = "-c";
	way.joins = true;
	return way;
}

/* Writing */

/*
 * Join the words, as qsub does: the shell splits them again and interprets its special characters.
 * Returns NULL if memory is exhausted.
 */
static char *command_line(const struct text_list *command)
{
	size_t length = 1;
	char *text, *to;

	for (size_t i = 0; i < command->n; i++)
		length += strlen(command->items[i]) + 1;
	to = text = malloc(length);
	for (size_t i = 0; text && i < command->n; i++) {
		if (i > 0)
			*to++ = ' ';
		to = stpcpy(to, command->items[i]);
	}
	if (text)
		*to = '\0';
	return text;
}

static void word_write(struct out *out, const char **before, const char *word)
{
	if (!word)
		return;
	json_write_plain(out, *before, word);
	*before = ",";
}

static void shell_write(struct out *out, const char **before, const struct command_way *way)
{
	char name[PATH_MAX + 1];

	if (!way->shell)
		return;
	snprintf(name, sizeof(name), "%s%s", way->logs_in ? "-" : "", way->shell);
	word_write(out, before, name);
}

static void words_write(struct out *out, const struct command_way *way, const struct text_list *command)
{
	const char *before = "[";
	char *line = way->joins ? command_line(command) : NULL;

	out->error = way->joins && !line && !out->error ? -ENOMEM : out->error;
	shell_write(out, &before, way);
	word_write(out, &before, way->option);
	word_write(out, &before, way->path);
	word_write(out, &before, line);
	/* the path of a script stands for the first word */
	for (size_t i = way->path ? 1 : 0; i < command->n && !way->joins; i++)
		word_write(out, &before, command->items[i]);
	json_write_literal(out, *before == '[' ? "[]" : "]");
	free(line);
}

int command_write(struct out *out, const struct local *local, const struct local_task *task,
		  const struct path_names *names)
{
	const struct execution *execution = &names->job->execution;
	char shell[PATH_MAX], path[SCRIPT_PATH_BYTES];
	struct command_way way;
	int rc = command_shell(local, task, names, shell, sizeof(shell));

	if (rc)
		return rc;
	command_script_path(local, task, path);
	way = execution->script ? way_of_script(local, task, execution->script, shell, path)
				: way_of_program(local, execution, shell);
	json_write_literal(out, ",\"command\":");
	words_write(out, &way, &execution->command);
	if (way.program)
		json_write_plain(out, ",\"program\":", way.program);
	if (execution->script)
		json_write_plain(out, ",\"script\":", path);
	if (way.script_input)
		json_write_bool(out, ",\"script_input\":", true);
	return 0;
}
