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

/* Of the array as it was submitted, whatever is left of it. */
static void set_array(json_t *environment, const struct local_task *t, const struct local_job *job)
{
	static const char *const names[] = { "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE" };
	struct ranges tasks = { 0 };
	bool known = t->is_array && ranges_parse(&tasks, job_text(job, "tasks", "")) == 0 && tasks.n > 0;
	const uint32_t values[] = {
		t->id, known ? tasks.items[0].min : t->id, known ? tasks.items[tasks.n - 1].max : t->id, known ? tasks.items[0].step : 1,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (t->is_array)
			set_number(environment, names[i], values[i]);
		else
			set(environment, names[i], "undefined");
	}
	ranges_free(&tasks);
}

static void set_place(json_t *environment, const struct local *l, const struct local_task *t)
{
	char queue[600], directory[DIRECTORY_BYTES], path[sizeof(l->active_path) + DIRECTORY_BYTES + 16];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(local_task_queue(t), "@"), local_task_queue(t));
	set(environment, "QUEUE", queue);
	set(environment, "HOSTNAME", l->machine.host);
	set_number(environment, "NSLOTS", local_task_slots(t));
	set_number(environment, "NHOSTS", 1);
	set_number(environment, "NQUEUES", t->granted.on.n);
	local_task_directory(t, directory);
	snprintf(path, sizeof(path), "%s/%s", l->active_path, directory);
	set(environment, "SGE_JOB_SPOOL_DIR", path);
	if (!t->granted.pe)
		return;
	snprintf(path, sizeof(path), "%s/%s/pe_hostfile", l->active_path, directory);
	set(environment, "PE", t->granted.pe);
	set(environment, "PE_HOSTFILE", path);
}

/* So that a job can submit others, and so that its tools can tell which cell that is. */
static void set_cell(json_t *environment, const struct local *l)
{
	const char *slash = strrchr(l->cell, '/');

	set(environment, "FAIRLEAD_CELL", l->cell);
	set(environment, "FAIRLEAD_SHM", getenv("FAIRLEAD_SHM"));
	set(environment, "SGE_CELL", slash && slash[1] ? slash + 1 : l->cell);
	set(environment, "SGE_ARCH", machine_arch());
	set(environment, "ARC", machine_arch());
	set(environment, "ENVIRONMENT", "BATCH");
	set_missing(environment, "TZ", getenv("TZ"));
}

static void set_job(json_t *environment, const struct local *l, const struct local_task *t, const struct path_names *n)
{
	char script[SCRIPT_PATH_BYTES];
	const char *command = json_string_value(json_array_get(json_object_get(n->job->execution, "command"), 0));

	command_script_path(l, t, script);
	set(environment, "JOB_ID", n->number);
	set(environment, "JOB_NAME", job_name(n->job));
	set(environment, "JOB_SCRIPT", command_script(n->job) ? script : command);
	set(environment, "REQUEST", job_name(n->job));
	set(environment, "REQNAME", job_name(n->job));
	set(environment, "RESTARTED", job_has_run(n->job, t->id) ? "1" : "0");
	set(environment, "SGE_ACCOUNT", job_text(n->job, "account", "sge"));
	set(environment, "SGE_CKPT_ENV", job_text(n->job, "checkpoint", NULL));
}

json_t *environment_of(const struct local *l, const struct local_task *t, const struct path_names *n, const struct person *user)
{
	json_t *execution = n->job->execution, *asked = json_object_get(execution, "environment");
	json_t *environment = asked ? json_copy(asked) : json_object();
	const char *cwd = json_string_value(json_object_get(execution, "cwd"));
	char shell[PATH_MAX];

	set_missing(environment, "PATH", STANDARD_PATH);
	set(environment, "TMPDIR", "/tmp");	/* if its queue has no other place */
	set(environment, "SHELL", command_shell(l, t, n, shell, sizeof(shell)) ? user->shell : shell);
	set(environment, "HOME", user->home);
	set(environment, "USER", user->name);
	set(environment, "LOGNAME", user->name);
	set(environment, "PWD", cwd);
	set(environment, "SGE_CWD_PATH", cwd ? cwd : user->home);
	set_job(environment, l, t, n);
	set_array(environment, t, n->job);
	set_place(environment, l, t);
	set_cell(environment, l);
	return environment;
}
