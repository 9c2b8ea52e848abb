/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Description of a job with members that readers of shared memory do not have: command, working
 * directory, files, mail addresses and environment. Every user may ask, as with Grid Engine, except
 * for the environment, which may contain secrets. Only the owner and operators get it.
 */
#include <errno.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"

#define DESCRIBED_MAX 100		/* jobs in a request */
#define DESCRIBED_BYTES (4u << 20)	/* bytes of descriptions before the last one */

/*
 * Return the execution without what this client may not see, and with the length of a script
 * instead of its text.
 */
static json_t *execution_of(const struct client *client, const struct local_job *job)
{
	json_t *execution = json_copy(job->execution), *script = json_object_get(execution, "script");

	if (script)
		json_object_set_new(execution, "script_bytes", json_integer((json_int_t)json_string_length(script)));
	json_object_del(execution, "script");
	if (!client_may_change(client, job) && json_object_del(execution, "environment") == 0)
		json_object_set_new(execution, "environment_hidden", json_true());
	return execution;
}

/* Return the memory of running tasks, as of the last read of their processes. */
static json_t *memory_of(const struct local *local, const struct local_job *job)
{
	json_t *tasks = json_array();
	struct host_usage usage;

	for (size_t i = local_task_first(local, job->number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++) {
		const struct local_task *task = local->tasks.items[i];

		if (steer_usage(local, task, &usage) == 0)
			json_array_append_new(tasks, json_pack("{sI sI sI}", "task", (json_int_t)task->id, "vmem",
							       (json_int_t)usage.vmem_bytes, "maxvmem",
							       (json_int_t)usage.maxvmem_bytes));
	}
	return tasks;
}

static json_t *description_of(const struct local *local, const struct client *client, const struct local_job *job)
{
	return json_pack("{sI ss ss sI sI sI sb sO so so}", "job_number", (json_int_t)job->number, "owner", job->owner,
			 "group", job->group, "uid", (json_int_t)job->uid, "gid", (json_int_t)job->gid,
			 "submission_time", (json_int_t)job->submission_time, "is_array", job->is_array, "request",
			 job->request, "execution", execution_of(client, job), "memory", memory_of(local, job));
}

/* Add the description of a job. Returns its bytes; 0: not described. */
static size_t describe(struct local *local, struct client *client, uint32_t number)
{
	struct local_job job = { 0 };
	struct error error = { "" };
	int rc = job_load(local, number, &job, &error);
	json_t *description = rc ? NULL : description_of(local, client, &job);
	size_t bytes = description ? job_bytes(&job) : 0;

	if (rc == -ENOENT || (rc == 0 && job_is_done(local, &job)))
		result_add(client, RESULT_NO_JOB, number, 0, "job %u does not exist", number);
	else if (!description)
		result_add(client, RESULT_NOT_STORED, number, 0, "%s", *error.text ? error.text : "out of memory");
	else
		result_add(client, RESULT_DONE, number, 0, "job %u", number);
	if (description)
		result_description(client, json_dumps(description, JSON_COMPACT));
	json_decref(description);
	job_free(&job);
	return bytes;
}

void request_describe(struct local *local, struct client *client, json_t *request)
{
	json_t *jobs = json_object_get(request, "jobs"), *job;
	size_t i, bytes = 0;

	if (!json_is_array(jobs) || json_array_size(jobs) > DESCRIBED_MAX) {
		result_add(client, RESULT_WRONG, 0, 0, "jobs: a list is expected, of at most %d numbers",
			   DESCRIBED_MAX);
		return;
	}
	json_array_foreach(jobs, i, job) {
		json_int_t number = json_integer_value(job);

		if (number < 1 || number > STORE_JOB_NUMBER_MAX)
			result_add(client, RESULT_WRONG, 0, 0, "jobs: numbers from 1 to %u are expected",
				   STORE_JOB_NUMBER_MAX);
		else if (bytes > DESCRIBED_BYTES)
			result_add(client, RESULT_WRONG, (uint32_t)number, 0,
				   "job %u is not described: the preceding descriptions take %u bytes",
				   (unsigned)number,
				   DESCRIBED_BYTES);
		else
			bytes += describe(local, client, (uint32_t)number);
	}
}
