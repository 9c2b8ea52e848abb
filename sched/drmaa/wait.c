/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

/* Times between two checks. They are short at first, because many jobs are. */
#define PAUSE_LEAST_MS 10
#define PAUSE_MOST_MS 200

/* longest time that the scheduler has to answer whether a job has ended */
#define ANSWER_MOST_S 5

/* Waiting */

struct patience {
	int64_t end_ms;		/* INT64_MAX: for ever */
	int64_t pause_ms;
};

static struct patience patience_begin(signed long timeout)
{
	return (struct patience){ .end_ms = timeout == DRMAA_TIMEOUT_WAIT_FOREVER
						    ? INT64_MAX
						    : clock_ms() + (timeout > INT32_MAX ? INT32_MAX : timeout) * 1000l,
				  .pause_ms = PAUSE_LEAST_MS };
}

static int64_t patience_left(const struct patience *patience)
{
	return patience->end_ms == INT64_MAX ? INT64_MAX : patience->end_ms - clock_ms();
}

/* Wait until the next check. DRMAA_ERRNO_SUCCESS: check again. */
static int patience_wait(struct patience *patience, struct reason_wanted *wanted)
{
	int64_t left = patience_left(patience);

	if (left <= 0)
		return fault(wanted, DRMAA_ERRNO_EXIT_TIMEOUT, NULL);
	if (!session_pause(left < patience->pause_ms ? left : patience->pause_ms))
		return fault(wanted, DRMAA_ERRNO_NO_ACTIVE_SESSION, "the session has ended");
	patience->pause_ms = 3 * patience->pause_ms / 2 < PAUSE_MOST_MS ? 3 * patience->pause_ms / 2 : PAUSE_MOST_MS;
	return DRMAA_ERRNO_SUCCESS;
}

/*
 * Ask the scheduler. Its time to answer is limited by that of the caller, but is at least one
 * second.
 */
static int patience_ask(const struct patience *patience, uint32_t number, struct reason_wanted *wanted)
{
	int64_t left_s = patience_left(patience) / 1000 + 1;

	left_s = left_s > ANSWER_MOST_S ? ANSWER_MOST_S : left_s < 1 ? 1 : left_s;
	return gone_ask(number, (unsigned)left_s)
		       ? DRMAA_ERRNO_SUCCESS
		       : fault(wanted, DRMAA_ERRNO_NO_ACTIVE_SESSION, "the session has ended");
}

/*
 * Find a job of the session that has ended; SIZE_MAX: none. Jobs that ended before the session
 * began are found by their ids only. *has_jobs: whether there are others.
 */
static size_t any_ended(bool *has_jobs)
{
	*has_jobs = false;
	for (size_t k = 0; k < session.tracked.n; k++) {
		const struct tracked_job *job = &session.tracked.jobs[k];

		*has_jobs = *has_jobs || !job->is_past;
		if (job->ended && !job->is_past)
			return k;
	}
	return SIZE_MAX;
}

/* Find a job for which the scheduler should be asked: this one, or with *number 0 any one. */
static bool missing_find(uint32_t *number, uint32_t task)
{
	for (size_t k = 0; !*number && k < session.tracked.n; k++)
		if (watch_is_missing(&session.tracked.jobs[k])) {
			*number = session.tracked.jobs[k].number;
			return true;
		}
	size_t k = *number ? session_job(*number, task) : SIZE_MAX;

	return k != SIZE_MAX && watch_is_missing(&session.tracked.jobs[k]);
}

/*
 * Find this job, or with number 0 any one, if it has ended. DRMAA_NO_ERRNO: it has not. Other
 * threads may wait for the same job.
 */
static int end_find(uint32_t number, uint32_t task, size_t *k, struct reason_wanted *wanted)
{
	bool has_jobs;

	ends_read(&session.ends, &session.tracked);
	*k = number ? session_job(number, task) : any_ended(&has_jobs);
	if (number ? *k == SIZE_MAX : !has_jobs)
		return fault(wanted, DRMAA_ERRNO_INVALID_JOB,
			     "the session has no such job, or drmaa_wait() has already returned it");
	return *k != SIZE_MAX && session.tracked.jobs[*k].ended ? DRMAA_ERRNO_SUCCESS : DRMAA_NO_ERRNO;
}

static int ended_await(uint32_t number, uint32_t task, signed long timeout, size_t *k, struct reason_wanted *wanted)
{
	struct patience patience = patience_begin(timeout);

	for (;;) {
		uint32_t missing = number;
		int code = end_find(number, task, k, wanted);

		if (code == DRMAA_NO_ERRNO && missing_find(&missing, task)) {
			code = patience_ask(&patience, missing, wanted);
			code = code ? code : end_find(number, task, k, wanted);
		}
		if (code == DRMAA_NO_ERRNO)
			code = patience_wait(&patience, wanted);
		else
			return code;
		if (code)
			return code;
	}
}

/* Return the result of a job, also if it has no usage. */
static int end_give(size_t k, char *id, size_t size, int *stat, drmaa_attr_values_t **rusage,
		    struct reason_wanted *wanted)
{
	const struct tracked_job *job = &session.tracked.jobs[k];
	int code = rusage && !job->line ? DRMAA_ERRNO_NO_RUSAGE : DRMAA_ERRNO_SUCCESS;
	char text[32];

	if (rusage)
		*rusage = NULL;
	if (rusage && job->line && !(*rusage = usage_make(job->line)))
		return fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	job_id_print(job->number, job->task, text);
	if (id && size)
		snprintf(id, size, "%s", text);
	if (stat)
		*stat = job->stat;
	session_forget_job(k);
	return fault(wanted, code, NULL);
}

int drmaa_wait(const char *job_id, char *job_id_out, size_t job_id_out_len, int *stat, signed long timeout,
	       drmaa_attr_values_t **rusage, char *error_diagnosis, size_t error_diag_len)
{
	uint32_t number = 0, task = 0;
	size_t k;
	int code;

	if (!job_id || timeout < DRMAA_TIMEOUT_WAIT_FOREVER)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	code = session_enter(DIAGNOSIS);
	if (code)
		return code;
	if (strcmp(job_id, DRMAA_JOB_IDS_SESSION_ANY) != 0)
		code = job_id_check(job_id, &number, &task, DIAGNOSIS);
	if (!code)
		code = ended_await(number, task, timeout, &k, DIAGNOSIS);
	if (!code)
		code = end_give(k, job_id_out, job_id_out_len, stat, rusage, DIAGNOSIS);
	session_leave();
	return code;
}

/* Synchronization */

/*
 * Read the names of jobs, or of all jobs that exist now. As in Grid Engine, an id that the session
 * does not have is no error.
 */
static int names_take(const char *ids[], struct job_name **names, size_t *n, struct reason_wanted *wanted)
{
	bool all = false;
	size_t count = 0;
	int code = DRMAA_ERRNO_SUCCESS;

	for (; ids[count]; count++)
		all = all || !strcmp(ids[count], DRMAA_JOB_IDS_SESSION_ALL);
	*n = all ? session.tracked.n : count;
	*names = calloc(*n + 1, sizeof(**names));
	if (!*names)
		return fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	for (size_t k = 0; k < *n && !code; k++) {
		struct job_name *name = &(*names)[k];

		if (all)
			*name = (struct job_name){ session.tracked.jobs[k].number, session.tracked.jobs[k].task };
		else
			code = job_id_check(ids[k], &name->number, &name->task, wanted);
		code = code == DRMAA_ERRNO_INVALID_JOB ? DRMAA_ERRNO_SUCCESS : code;
	}
	return code;
}

/* Skip jobs that have ended, or that another call has returned. True: all have ended. */
static bool all_ended(const struct job_name *names, size_t n, size_t *done)
{
	ends_read(&session.ends, &session.tracked);
	for (; *done < n; (*done)++) {
		size_t k = session_job(names[*done].number, names[*done].task);

		if (k != SIZE_MAX && !session.tracked.jobs[k].ended)
			return false;
	}
	return true;
}

static int all_await(const struct job_name *names, size_t n, signed long timeout, struct reason_wanted *wanted)
{
	struct patience patience = patience_begin(timeout);
	size_t done = 0;
	int code = DRMAA_ERRNO_SUCCESS;

	while (!code && !all_ended(names, n, &done)) {
		uint32_t missing = names[done].number;

		if (missing_find(&missing, names[done].task)) {
			code = patience_ask(&patience, missing, wanted);
			if (!code && all_ended(names, n, &done))
				break;
		}
		code = code ? code : patience_wait(&patience, wanted);
	}
	return code;
}

static void dispose_of(const struct job_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = session_job(names[i].number, names[i].task);

		if (k != SIZE_MAX)
			session_forget_job(k);
	}
}

int drmaa_synchronize(const char *job_ids[], signed long timeout, int dispose, char *error_diagnosis,
		      size_t error_diag_len)
{
	struct job_name *names = NULL;
	size_t n = 0;
	int code = job_ids && timeout >= DRMAA_TIMEOUT_WAIT_FOREVER
			   ? session_enter(DIAGNOSIS)
			   : fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);

	if (code)
		return code;
	code = names_take(job_ids, &names, &n, DIAGNOSIS);
	if (!code)
		code = all_await(names, n, timeout, DIAGNOSIS);
	if (!code && dispose)
		dispose_of(names, n);
	session_leave();
	free(names);
	return code ? code : fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}
