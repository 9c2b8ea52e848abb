/* SPDX-License-Identifier: Apache-2.0 */
/* A job of the local cell, decoded from its row of the store. */
#ifndef SCHED_QMASTER_LOCAL_JOB_H
#define SCHED_QMASTER_LOCAL_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "sched/mirror/mirror.h"
#include "sched/qmaster/members/execution.h"
#include "sched/qmaster/members/job_request.h"
#include "sched/qmaster/local/local.h"
#include "sched/qmaster/members/values.h"
#include "sched/store/store.h"

#define JOB_BYTES (1u << 20)	/* Most bytes of one job in the store, including alterations. */

struct job_memory {			/* Texts and arrays of a request and an execution. */
	struct values request, execution;
	struct taking taking;
};

struct local_job {
	uint32_t number;
	char *owner, *group;
	uid_t uid;
	gid_t gid;
	int64_t submission_time;
	struct job_request request;
	struct execution execution;
	/* a job that was not read may borrow other memory as well */
	struct job_memory memory;
	bool is_array;
	struct ranges waiting;	/* ids not started; 1 if the job is not an array */
	struct ranges hold[HOLD_KINDS];
	/* pending tasks of an array that were put back or are in error; those in error */
	struct ranges enrolled, in_error;
	struct ranges has_run;	/* unfinished tasks that have run before and are to run again */
	/*
	 * Time and reason of the error state of the job, or of its last task in error. NULL: no
	 * error. If `in_error` is empty, the whole job is in error.
	 */
	char *error;
};

/*
 * Load a job. Returns 0, -ENOENT if there is none, or an error of the store. Call job_free() in
 * each case.
 */
int job_load(struct local *local, uint32_t number, struct local_job *job, struct error *error);
int job_save(struct local *local, const struct local_job *job, struct error *error);
/* Remove a job with its tasks. Returns 0, -ENOENT or another error. */
int job_remove(struct local *local, uint32_t number, struct error *error);
/* Return the bytes that the job would occupy in the store. SIZE_MAX: memory is exhausted. */
size_t job_bytes(const struct local_job *job);
/* Return the bytes of its request in the store, without ids of tasks. */
size_t job_request_bytes(const struct local_job *job);

/*
 * Return the bytes that ranges of tasks occupy in shared memory, beyond a few that users type.
 * Shared memory, each run and each `stat` need far more for ranges than the store.
 */
#define RANGES_FREE 16
#define RANGE_BYTES 100
uint64_t job_ranges_bytes(const struct ranges *waiting, const struct ranges *hold);
/* Count the footprints of all jobs of the store again. */
int jobs_count(struct local *local, struct error *error);
/* Count the footprint of one job. Returns 0 or -ENOMEM. */
int job_count(void *local, const struct stored_job *stored);
/* Decode a row of the store. `values` is only used during the call. */
int job_read(struct local_job *job, const struct stored_job *stored, struct values *values, struct error *error);
void job_free(struct local_job *job);
/*
 * Move a pending task into the error state; the whole job if it is not an array. Returns 0 or
 * -ENOMEM.
 */
int job_fail(struct local_job *job, uint32_t id, const char *why);
int job_fail_whole(struct local_job *job, const char *why);
bool job_is_in_error(const struct local_job *job, uint32_t id);
/*
 * Return whether failures that put tasks of other jobs into the error state end the tasks of this
 * job.
 */
bool job_ends_on_error(const struct local_job *job);
/* Clear the error state of the job and all its tasks. */
void job_clear_error(struct local_job *job);
/* Make a started task pending again; `ran`: its command has run. Returns 0 or -ENOMEM. */
int job_put_back(struct local_job *job, uint32_t id, bool ran);
bool job_has_run(const struct local_job *job, uint32_t id);
/* Start a pending task. Returns 0 or -ENOMEM. */
int job_take_out(struct local_job *job, uint32_t id);
/* Remove pending tasks. Returns 0, -ENOMEM, or -E2BIG if the rest has too many ranges. */
int job_drop_waiting(struct local_job *job, const struct ranges *gone);
/* Clear the error state of some tasks. Returns 0, -ENOMEM or -E2BIG. */
int job_clear_task_errors(struct local_job *job, const struct ranges *cleared);
const char *job_name(const struct local_job *job);
/* Return a text of the request, or `fallback` if it is missing or empty. */
static inline const char *job_text(const char *text, const char *fallback)
{
	return text && *text ? text : fallback;
}
/*
 * Return whether no task of the job is pending or running. Ended tasks do not count, booked or not.
 */
bool job_is_done(const struct local *local, const struct local_job *job);

/* Return whether a task of the job was ordered or is running. */
bool job_has_started_tasks(const struct local *local, const struct local_job *job);

#endif
