/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of a DRMAA session: a program that opens its session again asks for them. Only jobs of the
 * client's own user are listed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

/* jobs of the user; limited, because each is read from the store while other users wait */
#define JOBS_MOST 10000

/* Add the ids of all tasks that are pending, running, or ended and not booked yet. */
static int tasks_gather(const struct local *local, const struct local_job *job, struct ranges *ids)
{
	int rc = ranges_copy(ids, &job->waiting);

	for (size_t i = local_task_first(local, job->number);
	     rc == 0 && i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++) {
		rc = ranges_add(ids, local->tasks.items[i]->id);
		rc = rc == -EEXIST ? 0 : rc;
	}
	return rc;
}

static void job_list(struct local *local, struct client *client, const struct local_job *job)
{
	struct ranges ids = { 0 };
	size_t length = 0;
	char *text = NULL;

	if (tasks_gather(local, job, &ids) == 0) {
		length = ranges_format(&ids, NULL, 0) + 1;
		text = malloc(length);
	}
	if (!text) {
		result_add(client, REPLY_NOT_STORED, job->number, 0, "out of memory");
	} else {
		ranges_format(&ids, text, length);
		result_add(client, REPLY_DONE, job->number, 0, "job %u", job->number);
		if (job->is_array)
			result_tasks(client, text);
	}
	free(text);
	ranges_free(&ids);
}

/* List the job if it belongs to the session. A job that has gone in the meantime is skipped. */
static void job_look(struct local *local, struct client *client, uint32_t number, const char *session)
{
	struct local_job job = { 0 };
	struct error error = { "" };
	int rc = job_load(local, number, &job, &error);
	const char *of_job = rc ? NULL : job.execution.session;

	if (rc && rc != -ENOENT)
		result_add(client, REPLY_NOT_STORED, number, 0, "%s", error.text);
	else if (of_job && strcmp(of_job, session) == 0)
		job_list(local, client, &job);
	job_free(&job);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void request_session(struct local *local, struct client *client, const struct value *request)
{
	const char *session = member_text(request, "session");
	uint32_t *numbers = malloc(JOBS_MOST * sizeof(*numbers));
	size_t n = numbers ? footprint_jobs(&local->footprints, client->uid, numbers, JOBS_MOST) : 0;

	if (!execution_is_session(session)) {
		result_add(client, REPLY_INVALID, 0, 0, "session: the name of a session is expected");
	} else if (!numbers) {
		result_add(client, REPLY_NOT_STORED, 0, 0, "out of memory");
	} else if (n > JOBS_MOST) {
		result_add(client, REPLY_TOO_MUCH, 0, 0,
			   "session: you have %zu unfinished jobs; the jobs of a session are searched among at most %d",
			   n, JOBS_MOST);
	} else {
		qsort(numbers, n, sizeof(*numbers), by_number);
		for (size_t k = 0; k < n; k++)
			job_look(local, client, numbers[k], session);
		if (!results_any(&client->request.results))
			result_add(client, REPLY_NONE_FOUND, 0, 0, "the session has no jobs");
	}
	free(numbers);
}
