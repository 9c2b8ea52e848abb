/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/drmaa/inside.h"

static const struct {
	enum scheduler_request_kind request;
	const char *holds;
	/* error code if it is not possible in the state of the job */
	int inconsistent;
} actions[] = {
	[DRMAA_CONTROL_SUSPEND] = { REQUEST_SUSPEND, NULL, DRMAA_ERRNO_SUSPEND_INCONSISTENT_STATE },
	[DRMAA_CONTROL_RESUME] = { REQUEST_UNSUSPEND, NULL, DRMAA_ERRNO_RESUME_INCONSISTENT_STATE },
	[DRMAA_CONTROL_HOLD] = { REQUEST_HOLD, "u", DRMAA_ERRNO_HOLD_INCONSISTENT_STATE },
	[DRMAA_CONTROL_RELEASE] = { REQUEST_RELEASE, "u", DRMAA_ERRNO_RELEASE_INCONSISTENT_STATE },
	[DRMAA_CONTROL_TERMINATE] = { REQUEST_DELETE, NULL, DRMAA_ERRNO_INVALID_JOB },
};

#define ANSWER_S 5	/* time that the scheduler has to answer whether a job has ended */
#define ACTIONS ((int)(sizeof(actions) / sizeof(*actions)))

static int result_take(const struct reply_result *result, int action, struct reason_wanted *wanted)
{
	if (result->code == EXIT_NO_DATA)	/* the job does not exist, or no task is running */
		return fault(wanted,
			     result->reason == REPLY_NO_JOB ? DRMAA_ERRNO_INVALID_JOB : actions[action].inconsistent,
			     "%s", result->text);
	if (result->code == EXIT_PERMISSION)
		return fault(wanted, DRMAA_ERRNO_AUTH_FAILURE, "%s", result->text);
	if (action != DRMAA_CONTROL_TERMINATE &&
	    (result->reason == REPLY_NOTHING_CHANGED || result->reason == REPLY_IN_STATE))
		return fault(wanted, actions[action].inconsistent, "%s", result->text);
	return result->code ? fault_of(wanted, (int)result->code, result->text) : DRMAA_ERRNO_SUCCESS;
}

/* Send all jobs in one request; report the first error. */
static int jobs_control(const struct operand_list *jobs, int action, struct reason_wanted *wanted)
{
	const struct scheduler_request request = {
		.kind = actions[action].request, .operands = jobs, .holds = actions[action].holds
	};
	struct reply reply;
	int code;

	if (jobs->n == 0)
		return fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
	code = scheduler_ask(&request, &reply, wanted);
	if (code)
		return code;
	for (size_t k = 0; !code && k < reply.n; k++)
		code = result_take(&reply.items[k], action, wanted);
	reply_free(&reply);
	return code ? code : fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
}

/*
 * Mark jobs before they are deleted, because another thread may see the end of one first. Number 0:
 * all.
 */
static void terminated_mark(uint32_t number, uint32_t task, bool terminated)
{
	for (size_t k = 0; k < session.tracked.n; k++) {
		struct tracked_job *job = &session.tracked.jobs[k];

		if (!job->ended && (!number || job->number == number) && (!task || job->task == task))
			job->terminated = terminated;
	}
}

/* Make a list of jobs. Number 0: all jobs of the session. Return 0 or -ENOMEM. */
static int jobs_of(struct operand_list *jobs, uint32_t number, uint32_t task)
{
	int rc = number ? operands_add_job(jobs, number, task) : 0;

	for (size_t k = 0; rc == 0 && !number && k < session.tracked.n; k++)
		if (!session.tracked.jobs[k].ended)
			rc = operands_add_job(jobs, session.tracked.jobs[k].number, session.tracked.jobs[k].task);
	return rc;
}

int drmaa_control(const char *jobid, int action, char *error_diagnosis, size_t error_diag_len)
{
	struct operand_list jobs = { .n = 0 };
	uint32_t number = 0, task = 0;
	int code;

	if (!jobid || action < 0 || action >= ACTIONS)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	code = session_enter(DIAGNOSIS);
	if (code)
		return code;
	if (strcmp(jobid, DRMAA_JOB_IDS_SESSION_ALL) != 0)
		code = job_id_check(jobid, &number, &task, DIAGNOSIS);
	if (code) {
		session_leave();
		return code;
	}
	ends_read(&session.ends, &session.tracked);
	if (action == DRMAA_CONTROL_TERMINATE)
		terminated_mark(number, task, true);
	code = jobs_of(&jobs, number, task) ? fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL)
					    : jobs_control(&jobs, action, DIAGNOSIS);
	operands_clear(&jobs);
	if (action == DRMAA_CONTROL_TERMINATE && code && code != DRMAA_ERRNO_NO_ACTIVE_SESSION)
		terminated_mark(number, task, false);
	/* for a moment shared memory still shows a pending job that was deleted */
	if (action == DRMAA_CONTROL_TERMINATE && !code && session_job(number, task) != SIZE_MAX)
		gone_ask(number, ANSWER_S);
	session_leave();
	return code;
}

/* Return the state of a job. A submitted job that is not published yet is pending. */
static int state_of(const struct tracked_job *job)
{
	int state = job->ended ? (stat_is_good(job->stat) ? DRMAA_PS_DONE : DRMAA_PS_FAILED)
			       : watch_state(job->number, job->task);

	if (state != DRMAA_PS_UNDETERMINED)
		return state;
	return job->held ? DRMAA_PS_USER_ON_HOLD : DRMAA_PS_QUEUED_ACTIVE;
}

static int state_find(uint32_t number, uint32_t task, int *state, struct reason_wanted *wanted)
{
	char id[32];
	size_t k;

	ends_read(&session.ends, &session.tracked);
	k = session_job(number, task);
	if (k != SIZE_MAX && !session.tracked.jobs[k].ended && watch_is_missing(&session.tracked.jobs[k])) {
		if (!gone_ask(number, ANSWER_S))
			return fault(wanted, DRMAA_ERRNO_NO_ACTIVE_SESSION, "the session has ended");
		k = session_job(number, task);
	}
	if (k != SIZE_MAX)
		*state = state_of(&session.tracked.jobs[k]);
	else
		*state = session_has_forgotten(number, task) ? DRMAA_PS_UNDETERMINED : watch_state(number, task);
	if (*state != DRMAA_PS_UNDETERMINED)
		return fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
	job_id_print(number, task, id);
	return fault(wanted, DRMAA_ERRNO_INVALID_JOB, "job %s does not exist, or drmaa_wait() has already returned it",
		id);
}

int drmaa_job_ps(const char *job_id, int *remote_ps, char *error_diagnosis, size_t error_diag_len)
{
	uint32_t number, task;
	int code;

	if (!job_id || !remote_ps)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	code = session_enter(DIAGNOSIS);
	if (code)
		return code;
	code = job_id_check(job_id, &number, &task, DIAGNOSIS);
	if (!code)
		code = state_find(number, task, remote_ps, DIAGNOSIS);
	session_leave();
	return code;
}
