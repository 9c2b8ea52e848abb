/* SPDX-License-Identifier: Apache-2.0 */
/* A job of the local cell, as its row of the store has it, taken apart. */
#ifndef SCHED_QMASTER_LOCAL_JOB_H
#define SCHED_QMASTER_LOCAL_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "sched/mirror/mirror.h"
#include "sched/qmaster/local/local.h"
#include "sched/store/store.h"

#define JOB_BYTES (1u << 20)	/* of the store, for one job: alterations add up */

struct local_job {
	uint32_t number;
	char *owner, *group;
	uid_t uid;
	gid_t gid;
	int64_t submission_time;
	json_t *request;	/* members of job_add */
	json_t *execution;	/* what is run, and how */
	bool is_array;
	struct ranges waiting;	/* ids not started; 1 if it is no array */
	struct ranges hold[HOLD_KINDS];
	/* of an array, of those that wait: put back, or in error; and those of them in error */
	struct ranges enrolled, in_error;
	struct ranges has_run;	/* of all that are not done: they have run before, and are to run again */
	/*
	 * when, and why it is in the error state, or the last one of its tasks that is; NULL: it is
	 * not. Where none is in `in_error` all of the job is.
	 */
	char *error;
};

/* -ENOENT: there is none; or the errors of the store. job_free() in each case. */
int job_load(struct local *local, uint32_t number, struct local_job *job, struct error *error);
int job_save(struct local *local, const struct local_job *job, struct error *error);
/* With its tasks. -ENOENT */
int job_remove(struct local *local, uint32_t number, struct error *error);
/* Bytes of the store that it would take. */
size_t job_bytes(const struct local_job *job);

/*
 * Ranges of tasks take far more in shared memory, in each run and in each `stat` than in the store:
 * bytes that they take there, but for the few that people type.
 */
#define RANGES_FREE 16
#define RANGE_BYTES 100
uint64_t job_ranges_bytes(const struct ranges *waiting, const struct ranges *hold);
/* Footprints anew, from all jobs of the store. */
int jobs_count(struct local *local, struct error *error);
/* The footprint of one. -ENOMEM */
int job_count(void *local, const struct stored_job *stored);
/* From a row of the store, which is borrowed. */
int job_read(struct local_job *job, const struct stored_job *stored, struct error *error);
void job_free(struct local_job *job);
/* A task that waits into the error state; all of a job that is no array. -ENOMEM */
int job_fail(struct local_job *job, uint32_t id, const char *why);
int job_fail_whole(struct local_job *job, const char *why);
bool job_is_in_error(const struct local_job *job, uint32_t id);
/* Does a failure end its tasks that would put those of other jobs into the error state? */
bool job_ends_on_error(const struct local_job *job);
/* All that is in error is so no more. */
void job_mend(struct local_job *job);
/* A task that has started waits again; has its command run? -ENOMEM */
int job_put_back(struct local_job *job, uint32_t id, bool ran);
bool job_has_run(const struct local_job *job, uint32_t id);
/* A task that waits starts. -ENOMEM */
int job_take_out(struct local_job *job, uint32_t id);
/* Tasks are gone. -ENOMEM, -E2BIG: what is left would be too scattered. */
int job_drop_waiting(struct local_job *job, const struct ranges *gone);
/* The error state of these tasks, which have one, is cleared. -ENOMEM, -E2BIG */
int job_mend_tasks(struct local_job *job, const struct ranges *mended);
const char *job_name(const struct local_job *job);
/* A string of its request; `fallback` where there is none. */
const char *job_text(const struct local_job *job, const char *member, const char *fallback);
/*
 * Whether none of its tasks waits and none runs. Tasks that have ended do not count, booked or not.
 */
bool job_is_done(const struct local *local, const struct local_job *job);

/* Whether one of its tasks has been ordered or runs. */
bool job_has_started_tasks(const struct local *local, const struct local_job *job);

#endif
