/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/command.h"

#define STANDARD_PATH "/usr/local/bin:/usr/bin:/bin"

static void set(json_t *environment, const char *name, const char *value)
{
	if (value)
		json_object_set_new(environment, name, json_string(value));
}

static void set_missing(json_t *environment, const char *name, const char *value)
{
	if (!json_object_get(environment, name))
		set(environment, name, value);
}

static void set_number(json_t *environment, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	set(environment, name, text);
}

/* Describe the array as it was submitted, even if some of its tasks are done. */
static void set_array(json_t *environment, const struct local_task *task, const struct local_job *job)
{
	static const char *const names[] = { "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE" };
	struct ranges tasks = { 0 };
	bool known = task->is_array && ranges_parse(&tasks, job_text(job, "tasks", "")) == 0 && tasks.n > 0;
	const uint32_t values[] = {
		task->id,
		known ? tasks.items[0].min : task->id,
		known ? tasks.items[tasks.n - 1].max : task->id,
		known ? tasks.items[0].step : 1,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (task->is_array)
			set_number(environment, names[i], values[i]);
		else
			set(environment, names[i], "undefined");
	}
	ranges_free(&tasks);
}

static void set_place(json_t *environment, const struct local *local, const struct local_task *task)
{
	char queue[600], directory[DIRECTORY_BYTES], path[sizeof(local->active_path) + DIRECTORY_BYTES + 16];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(local_task_queue(task), "@"), local_task_queue(task));
	set(environment, "QUEUE", queue);
	set(environment, "HOSTNAME", local->machine.host);
	set_number(environment, "NSLOTS", local_task_slots(task));
	set_number(environment, "NHOSTS", 1);
	set_number(environment, "NQUEUES", task->granted.on.n);
	local_task_directory(task, directory);
	snprintf(path, sizeof(path), "%s/%s", local->active_path, directory);
	set(environment, "SGE_JOB_SPOOL_DIR", path);
	if (!task->granted.pe)
		return;
	snprintf(path, sizeof(path), "%s/%s/pe_hostfile", local->active_path, directory);
	set(environment, "PE", task->granted.pe);
	set(environment, "PE_HOSTFILE", path);
}

/* Identify the cell, so that a job can submit other jobs and its tools find the cell. */
static void set_cell(json_t *environment, const struct local *local)
{
	const char *slash = strrchr(local->cell, '/');

	set(environment, "FAIRLEAD_CELL", local->cell);
	set(environment, "FAIRLEAD_SHM", getenv("FAIRLEAD_SHM"));
	set(environment, "SGE_CELL", slash && slash[1] ? slash + 1 : local->cell);
	set(environment, "SGE_ARCH", machine_arch());
	set(environment, "ARC", machine_arch());
	set(environment, "ENVIRONMENT", "BATCH");
	set_missing(environment, "TZ", getenv("TZ"));
}

static void set_job(json_t *environment, const struct local *local, const struct local_task *task,
		    const struct path_names *names)
{
	char script[SCRIPT_PATH_BYTES];
	const char *command = json_string_value(json_array_get(json_object_get(names->job->execution, "command"), 0));

	command_script_path(local, task, script);
	set(environment, "JOB_ID", names->number);
	set(environment, "JOB_NAME", job_name(names->job));
	set(environment, "JOB_SCRIPT", command_script(names->job) ? script : command);
	set(environment, "REQUEST", job_name(names->job));
	set(environment, "REQNAME", job_name(names->job));
	set(environment, "RESTARTED", job_has_run(names->job, task->id) ? "1" : "0");
	set(environment, "SGE_ACCOUNT", job_text(names->job, "account", "sge"));
	set(environment, "SGE_CKPT_ENV", job_text(names->job, "checkpoint", NULL));
}

json_t *environment_of(const struct local *local, const struct local_task *task, const struct path_names *names,
		       const struct person *user)
{
	json_t *execution = names->job->execution, *asked = json_object_get(execution, "environment");
	json_t *environment = asked ? json_copy(asked) : json_object();
	const char *cwd = json_string_value(json_object_get(execution, "cwd"));
	char shell[PATH_MAX];

	set_missing(environment, "PATH", STANDARD_PATH);
	set(environment, "TMPDIR", "/tmp");	/* if its queue has no tmpdir */
	set(environment, "SHELL", command_shell(local, task, names, shell, sizeof(shell)) ? user->shell : shell);
	set(environment, "HOME", user->home);
	set(environment, "USER", user->name);
	set(environment, "LOGNAME", user->name);
	set(environment, "PWD", cwd);
	set(environment, "SGE_CWD_PATH", cwd ? cwd : user->home);
	set_job(environment, local, task, names);
	set_array(environment, task, names->job);
	set_place(environment, local, task);
	set_cell(environment, local);
	return environment;
}
