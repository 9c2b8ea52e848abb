/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Description of a job with members that readers of shared memory do not have: command, working
 * directory, files, mail addresses and environment. Every user may ask, as with Grid Engine, except
 * for the environment, which may contain secrets. Only the owner and operators get it.
 */
#include <errno.h>
#include <string.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"

#define DESCRIBED_MAX 100		/* jobs in a request */
#define DESCRIPTION_BYTES (64u << 20)	/* longest description of a job */
#define DESCRIBED_BYTES (4u << 20)	/* bytes of descriptions before the last one */

/*
 * Write the execution without what this client may not see, and with the length of a script instead
 * of its text.
 */
static void execution_describe(struct out *out, const struct client *client, const struct local_job *job)
{
	const struct member_list *members = &job->execution.members;
	bool hides = !client_may_change(client, job) && member_list_find(members, "environment");
	const char *const hidden[] = { "script", hides ? "environment" : NULL, NULL };
	const char *script = job->execution.script, *before = "";

	json_write_literal(out, "{");
	execution_write(out, &job->execution, hidden);
	if (members->n > (size_t)hides + (member_list_find(members, "script") != NULL))
		before = ",";
	if (script) {
		json_write_literal(out, before);
		json_write_number(out, "\"script_bytes\":", (int64_t)strlen(script));
		before = ",";
	}
	if (hides) {
		json_write_literal(out, before);
		json_write_literal(out, "\"environment_hidden\":true");
	}
	json_write_literal(out, "}");
}

/* Write the memory of running tasks, as of the last read of their processes. */
static void memory_describe(struct out *out, const struct local *local, const struct local_job *job)
{
	const char *before = "{\"task\":";
	struct host_usage usage;

	json_write_literal(out, "[");
	for (size_t i = local_task_first(local, job->number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++) {
		const struct local_task *task = local->tasks.items[i];

		if (steer_usage(local, task, &usage))
			continue;
		json_write_number(out, before, task->id);
		json_write_number(out, ",\"vmem\":", (int64_t)usage.vmem_bytes);
		json_write_number(out, ",\"maxvmem\":", (int64_t)usage.maxvmem_bytes);
		json_write_literal(out, "}");
		before = ",{\"task\":";
	}
	json_write_literal(out, "]");
}

/* Return the description, or NULL if memory is exhausted. */
static char *description_of(const struct local *local, const struct client *client, const struct local_job *job)
{
	struct out out;

	if (out_open_memory(&out, DESCRIPTION_BYTES))
		return NULL;
	json_write_number(&out, "{\"job_number\":", job->number);
	json_write_plain(&out, ",\"owner\":", job->owner);
	json_write_plain(&out, ",\"group\":", job->group);
	json_write_number(&out, ",\"uid\":", job->uid);
	json_write_number(&out, ",\"gid\":", job->gid);
	json_write_number(&out, ",\"submission_time\":", job->submission_time);
	json_write_bool(&out, ",\"is_array\":", job->is_array);
	json_write_literal(&out, ",\"request\":{");
	job_request_write(&out, &job->request);
	json_write_literal(&out, "},\"execution\":");
	execution_describe(&out, client, job);
	json_write_literal(&out, ",\"memory\":");
	memory_describe(&out, local, job);
	json_write_literal(&out, "}");
	return out_detach(&out);
}

/* Add the description of a job. Returns its bytes; 0: not described. */
static size_t describe(struct local *local, struct client *client, uint32_t number)
{
	struct local_job job = { 0 };
	struct error error = { "" };
	int rc = job_load(local, number, &job, &error);
	char *description = rc ? NULL : description_of(local, client, &job);
	size_t bytes = description ? job_bytes(&job) : 0;

	if (rc == -ENOENT || (rc == 0 && job_is_done(local, &job)))
		result_add(client, REPLY_NO_JOB, number, 0, "job %u does not exist", number);
	else if (!description)
		result_add(client, REPLY_NOT_STORED, number, 0, "%s", *error.text ? error.text : "out of memory");
	else
		result_add(client, REPLY_DONE, number, 0, "job %u", number);
	if (description)
		result_description(client, description);
	job_free(&job);
	return bytes;
}

void request_describe(struct local *local, struct client *client, const struct value *request)
{
	const struct value *jobs = value_member(request, "jobs");
	size_t bytes = 0;

	if (!value_is(jobs, VALUE_ARRAY) || jobs->n > DESCRIBED_MAX) {
		result_add(client, REPLY_INVALID, 0, 0, "jobs: a list is expected, of at most %d numbers",
			   DESCRIBED_MAX);
		return;
	}
	value_each(job, jobs) {
		int64_t number = value_integer(job);

		if (number < 1 || number > STORE_JOB_NUMBER_MAX)
			result_add(client, REPLY_INVALID, 0, 0, "jobs: numbers from 1 to %u are expected",
				   STORE_JOB_NUMBER_MAX);
		else if (bytes > DESCRIBED_BYTES)
			result_add(client, REPLY_TOO_MUCH, (uint32_t)number, 0,
				   "job %u is not described: the preceding descriptions take %u bytes",
				   (unsigned)number,
				   DESCRIBED_BYTES);
		else
			bytes += describe(local, client, (uint32_t)number);
	}
}
