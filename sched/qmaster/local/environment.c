/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/command.h"

#define STANDARD_PATH "/usr/local/bin:/usr/bin:/bin"
#define VARIABLES_MOST 40	/* variables that are set here */

struct environment {
	struct variable *items;
	size_t n, capacity;
	struct taking memory;
	bool failed;		/* memory is exhausted */
};

/* Set a variable. `value` NULL: it is not set. The name is a constant; the value is copied. */
static void set(struct environment *environment, const char *name, const char *value)
{
	size_t i = 0;
	char *copy = value && !environment->failed ? taking_array(&environment->memory, strlen(value) + 1, 1) : NULL;

	if (!value || environment->failed)
		return;
	while (i < environment->n && strcmp(environment->items[i].name, name) != 0)
		i++;
	environment->failed = !copy || i == environment->capacity;
	if (environment->failed)
		return;
	environment->items[i] = (struct variable){ name, strcpy(copy, value) };
	environment->n += i == environment->n;
}

static bool has(const struct environment *environment, const char *name)
{
	for (size_t i = 0; i < environment->n; i++)
		if (strcmp(environment->items[i].name, name) == 0)
			return true;
	return false;
}

static void set_missing(struct environment *environment, const char *name, const char *value)
{
	if (!has(environment, name))
		set(environment, name, value);
}

static void set_number(struct environment *environment, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	set(environment, name, text);
}

/* Describe the array as it was submitted, even if some of its tasks are done. */
static void set_array(struct environment *environment, const struct local_task *task, const struct local_job *job)
{
	static const char *const names[] = { "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE" };
	struct ranges tasks = { 0 };
	bool known = task->is_array && ranges_parse(&tasks, job_text(job->request.tasks, "")) == 0 && tasks.n > 0;
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

static void set_place(struct environment *environment, const struct local *local, const struct local_task *task)
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
static void set_cell(struct environment *environment, const struct local *local)
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

static void set_job(struct environment *environment, const struct local *local, const struct local_task *task,
		    const struct path_names *names)
{
	char script[SCRIPT_PATH_BYTES];
	const struct local_job *job = names->job;

	command_script_path(local, task, script);
	set(environment, "JOB_ID", names->number);
	set(environment, "JOB_NAME", job_name(job));
	set(environment, "JOB_SCRIPT", job->execution.script ? script : execution_program(&job->execution));
	set(environment, "REQUEST", job_name(job));
	set(environment, "REQNAME", job_name(job));
	set(environment, "RESTARTED", job_has_run(job, task->id) ? "1" : "0");
	set(environment, "SGE_ACCOUNT", job_text(job->request.spec.account, "sge"));
	set(environment, "SGE_CKPT_ENV", job_text(job->request.spec.ckpt, NULL));
}

void environment_write(struct out *out, const struct local *local, const struct local_task *task,
		       const struct path_names *names, const struct person *user)
{
	const struct execution *execution = &names->job->execution;
	const struct variables *asked = &execution->environment;
	struct environment environment = { .capacity = asked->n + VARIABLES_MOST };
	char shell[PATH_MAX];

	environment.items = taking_array(&environment.memory, environment.capacity, sizeof(*environment.items));
	environment.failed = !environment.items;
	if (environment.items && asked->n > 0)
		memcpy(environment.items, asked->items, asked->n * sizeof(*asked->items));
	environment.n = asked->n;
	set_missing(&environment, "PATH", STANDARD_PATH);
	set(&environment, "TMPDIR", "/tmp");	/* if its queue has no tmpdir */
	set(&environment, "SHELL", command_shell(local, task, names, shell, sizeof(shell)) ? user->shell : shell);
	set(&environment, "HOME", user->home);
	set(&environment, "USER", user->name);
	set(&environment, "LOGNAME", user->name);
	set(&environment, "PWD", execution->cwd);
	set(&environment, "SGE_CWD_PATH", execution->cwd ? execution->cwd : user->home);
	set_job(&environment, local, task, names);
	set_array(&environment, task, names->job);
	set_place(&environment, local, task);
	set_cell(&environment, local);
	variables_write(out, &(struct variables){ environment.items, environment.failed ? 0 : environment.n });
	out->error = environment.failed && !out->error ? -ENOMEM : out->error;
	taking_clear(&environment.memory);
}
