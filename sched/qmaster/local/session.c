/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of a session of DRMAA: a program that begins its session again asks for them. Only jobs of
 * the client's own user are listed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"


struct session_jobs {
	const char *session;
	uid_t uid;
	uint32_t *numbers;
	size_t n, capacity;
};

static int number_add(struct session_jobs *found, uint32_t number)
{
	if (found->n == found->capacity) {
		size_t capacity = found->capacity ? 2 * found->capacity : 64;
		uint32_t *more = reallocarray(found->numbers, capacity, sizeof(*more));

		if (!more)
			return -ENOMEM;
		found->numbers = more;
		found->capacity = capacity;
	}
	found->numbers[found->n++] = number;
	return 0;
}

/* Keep the number of a job that may be of the session: a job is parsed only if its text has it. */
static int job_look(void *context, const struct stored_job *stored)
{
	struct session_jobs *found = context;

	if (stored->uid != found->uid || !strstr(stored->execution, found->session))
		return 0;
	return number_add(found, stored->job_number);
}

/* Add the ids of all tasks that wait, run, or have ended and are not booked yet. */
static int tasks_gather(const struct local *l, const struct local_job *job, struct ranges *ids)
{
	int rc = ranges_copy(ids, &job->waiting);

	for (size_t i = local_task_first(l, job->number); rc == 0 && i < l->tasks.n && l->tasks.items[i]->job_number == job->number; i++) {
		rc = ranges_add(ids, l->tasks.items[i]->id);
		rc = rc == -EEXIST ? 0 : rc;
	}
	return rc;
}

static void job_list(struct local *l, struct client *c, const struct local_job *job)
{
	struct ranges ids = { 0 };
	size_t length = 0;
	char *text = NULL;

	if (tasks_gather(l, job, &ids) == 0) {
		length = ranges_format(&ids, NULL, 0) + 1;
		text = malloc(length);
	}
	if (!text) {
		result_add(c, RESULT_NOT_STORED, job->number, 0, "out of memory");
	} else {
		ranges_format(&ids, text, length);
		result_add(c, RESULT_DONE, job->number, 0, "job %u", job->number);
		if (job->is_array)
			json_object_set_new(json_array_get(c->request.results, json_array_size(c->request.results) - 1), "tasks", json_string(text));
	}
	free(text);
	ranges_free(&ids);
}

static void jobs_list(struct local *l, struct client *c, const struct session_jobs *found)
{
	for (size_t k = 0; k < found->n; k++) {
		struct local_job job = { 0 };
		struct error error = { "" };
		int rc = job_load(l, found->numbers[k], &job, &error);
		const char *session = rc ? NULL : json_string_value(json_object_get(job.execution, "session"));

		if (rc && rc != -ENOENT)
			result_add(c, RESULT_NOT_STORED, found->numbers[k], 0, "%s", error.text);
		else if (session && strcmp(session, found->session) == 0)
			job_list(l, c, &job);
		job_free(&job);
	}
}

void request_session(struct local *l, struct client *c, json_t *request)
{
	struct session_jobs found = { .session = json_string_value(json_object_get(request, "session")), .uid = c->uid };
	struct error error = { "" };

	if (!execution_is_session(found.session)) {
		result_add(c, RESULT_WRONG, 0, 0, "session: the name of one is expected");
		return;
	}
	int rc = store_jobs_each(l->store, job_look, &found, &error);

	if (rc == -ENOMEM)
		error_set(&error, rc, "out of memory");
	if (rc)
		result_add(c, RESULT_NOT_STORED, 0, 0, "%s", error.text);
	else
		jobs_list(l, c, &found);
	if (json_array_size(c->request.results) == 0)
		result_add(c, RESULT_DONE, 0, 0, "the session has no jobs");
	free(found.numbers);
}
