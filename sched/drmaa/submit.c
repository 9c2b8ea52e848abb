/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

#define BULK_MOST 1000000	/* tasks: each is an id in memory */

/*
 * Submit a job. The lock is released meanwhile, so the job may end before it is tracked. Therefore
 * the caller reads the accounting file again from its earlier position.
 */
static int submit(const drmaa_job_template_t *jt, const char *tasks, uint32_t *number, bool *held,
		  struct reason_wanted *wanted)
{
	struct scheduler_request request;
	struct making *making;
	struct reply reply = { .n = 0 };
	int code = making_create(&making, jt, tasks, wanted);

	if (!code) {
		request = making_request(making);
		*held = making_is_held(making);
		code = scheduler_ask(&request, &reply, wanted);
	}
	if (!code) {
		enum exit_code refused = reply.items[0].code;

		*number = (uint32_t)reply.items[0].job_number;
		code = refused || !*number
			       ? fault_of(wanted, refused == EXIT_PERMISSION || !refused ? EXIT_USAGE : (int)refused,
					  reply.items[0].text)
			       : fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
	}
	reply_free(&reply);
	making_free(making);
	return code;
}

int drmaa_run_job(char *job_id, size_t job_id_len, const drmaa_job_template_t *jt, char *error_diagnosis,
		  size_t error_diag_len)
{
	uint32_t number = 0;
	bool held = false;
	struct ends before;
	char text[32];
	int code = job_id && job_id_len && jt ? session_enter(DIAGNOSIS)
					      : fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);

	if (code)
		return code;
	before = session.ends;
	code = submit(jt, NULL, &number, &held, DIAGNOSIS);
	if (!code && tracked_add(&session.tracked, number, 0, held))
		code = fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, "out of memory; job %u has been submitted",
			     number);
	ends_rewind(&session.ends, &before);
	session_leave();
	if (code)
		return code;
	job_id_print(number, 0, text);
	snprintf(job_id, job_id_len, "%s", text);
	return DRMAA_ERRNO_SUCCESS;
}

static int tasks_check(int start, int end, int incr, struct reason_wanted *wanted)
{
	if (start >= 1 && end >= start && incr >= 1 && (end - start) / incr < BULK_MOST)
		return DRMAA_ERRNO_SUCCESS;
	return fault(wanted, DRMAA_ERRNO_INVALID_ARGUMENT,
		     "tasks %d to %d, every %d: 1 <= start <= end, 1 <= incr, and at most %d tasks are expected", start,
		     end, incr, BULK_MOST);
}

static int ids_add(drmaa_job_ids_t *ids, uint32_t number, int start, int end, int incr, bool held)
{
	char text[32];

	for (int64_t task = start; task <= end; task += incr) {
		job_id_print(number, (uint32_t)task, text);
		if (tracked_add(&session.tracked, number, (uint32_t)task, held) || word_add(&ids->list, text))
			return -ENOMEM;
	}
	return 0;
}

int drmaa_run_bulk_jobs(drmaa_job_ids_t **jobids, const drmaa_job_template_t *jt, int start, int end, int incr,
			char *error_diagnosis, size_t error_diag_len)
{
	int code = jobids && jt ? tasks_check(start, end, incr, DIAGNOSIS)
				: fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	drmaa_job_ids_t *ids;
	uint32_t number = 0;
	struct ends before;
	char tasks[64];
	bool held = false;

	if (!code)
		code = session_enter(DIAGNOSIS);
	if (code)
		return code;
	snprintf(tasks, sizeof(tasks), "%d-%d:%d", start, end, incr);
	before = session.ends;
	ids = calloc(1, sizeof(*ids));
	code = ids ? submit(jt, tasks, &number, &held, DIAGNOSIS) : fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL);
	if (!code && ids_add(ids, number, start, end, incr, held))
		code = fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, "out of memory; job %u has been submitted",
			     number);
	ends_rewind(&session.ends, &before);
	session_leave();
	if (code)
		drmaa_release_job_ids(ids);
	else
		*jobids = ids;
	return code;
}
