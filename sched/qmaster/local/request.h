/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of clients.
 *
 * A line is read by requests.c, which calls the function for it, for example in submit.c, alter.c
 * or delete.c. The jobs that a request names are found by select.c. The requests of a job are
 * compared with what the cell has and permits by check.c, access.c, resources.c and suitable.c.
 *
 * Functions that return int return 0, or -errno with the reason. -EINVAL: the request is wrong.
 * -EPERM: this user may not do it. Other errors are those of the store and -ENOMEM.
 */
#ifndef SCHED_QMASTER_LOCAL_REQUEST_H
#define SCHED_QMASTER_LOCAL_REQUEST_H

#include "conf/cell.h"
#include "sched/qmaster/local/client.h"
#include "sched/qmaster/local/job.h"

/* Add a result to the reply. `task` 0: about the job. `job_number` 0: about no job. */
void result_add(struct client *client, enum reply_reason reason, uint32_t job_number, uint32_t task,
		const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Add a result about an object that is not a job. */
void result_add_object(struct client *client, enum reply_reason reason, const char *object, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Add the result of a request that has failed with `rc`. A wrong request (-EINVAL) has the reason of
 * the refusal, if it has a special one. `refusal` may be NULL.
 */
void result_refuse(struct client *client, int rc, const struct refusal_reason *refusal, uint32_t job_number,
		   const char *text);
/* Add a note to the last result: a part of the request that is not done as requested. */
void result_note(struct client *client, const char *note);
/*
 * Add to the last result: lines of Grid Engine's about the change, ids of tasks, or the description
 * of a job as a JSON object. Lines and descriptions then belong to the result. NULL: memory is
 * exhausted.
 */
void result_lines(struct client *client, char *lines);
void result_tasks(struct client *client, const char *tasks);
void result_description(struct client *client, char *description);
/* Handle a complete line. Each request adds at least one result, now or in select_go_on(). */
void request_handle(struct local *local, struct client *client, const char *line, size_t length);
void request_submit(struct local *local, struct client *client, const struct value *request);
/*
 * Submit a job whose request and execution were read. `rc` and `error` are those of the preceding
 * steps; other members of a submission are those of `request`, which may be NULL. The caller frees
 * the job.
 */
void submit_job(struct local *local, struct client *client, struct local_job *job, const struct value *request, int rc,
		struct error *error);
/* Check whether this scheduler can start jobs of the client. Returns 0 or -EPERM. */
int submit_check_owner(const struct client *client, struct error *error);
/* Submit a copy of a job. */
void request_resubmit(struct local *local, struct client *client, const struct value *request);
void request_alter(struct local *local, struct client *client, const struct value *request);
void request_delete(struct local *local, struct client *client, const struct value *request);
/* Hold or release jobs. */
void request_hold(struct local *local, struct client *client, const struct value *request);
/* Clear the error state of jobs or tasks. */
void request_clear(struct local *local, struct client *client, const struct value *request);
/* Suspend or resume jobs or tasks. */
void request_suspend(struct local *local, struct client *client, const struct value *request);
void request_reschedule(struct local *local, struct client *client, const struct value *request);
void request_reschedule_queue(struct local *local, struct client *client, const struct value *request);
/* Change the state of queues (queues.c). */
void request_queue(struct local *local, struct client *client, const struct value *request);
void request_jobprio(struct local *local, struct client *client, const struct value *request);
void request_follow(struct local *local, struct client *client, const struct value *request);
void request_describe(struct local *local, struct client *client, const struct value *request);
void request_session(struct local *local, struct client *client, const struct value *request); /* session.c */
void request_reserve(struct local *local, struct client *client, const struct value *request); /* in advance */
void request_unreserve(struct local *local, struct client *client, const struct value *request);
void request_userprio(struct local *local, struct client *client, const struct value *request); /* userprio.c */

/*
 * Delete pending tasks of a job, and the job if it has no other tasks. On -E2BIG (the rest has too
 * many ranges) nothing has changed.
 */
int delete_waiting(struct local *local, struct local_job *job, const struct ranges *gone, struct error *error);

/*
 * Delete a whole job. Running tasks are ended after the commit. A job that is already gone is not
 * an error.
 */
int delete_job_whole(struct local *local, uint32_t job_number, struct error *error);

struct selected_job {
	struct local_job job;
	struct ranges tasks;	/* tasks that the request names; n == 0: all */
};
#define SELECT_CONTEXT_BYTES 32		/* largest `context` */

/*
 * Call `change` for each job that "jobs" of the request names and the client may change. Adds a
 * result for each of the others.
 *
 * If this takes longer than the user's share of the turn, request.selecting keeps the request and a
 * copy of `context` (`bytes`), and select_go_on() continues in a later turn.
 */
void select_jobs(struct local *l, struct client *c, const struct value *request,
		 void (*change)(struct local *l, struct client *c, struct selected_job *job, void *context),
		 const void *context, size_t bytes);
void select_go_on(struct local *local, struct client *client);
/* Drop the rest of the request, if any. */
void select_forget(struct client *client);

/*
 * Check the members of a job: names that the cell has, valid values, and requests that this user
 * may make.
 */
int check_request(struct local *local, const struct client *client, struct job_request *request, struct taking *taking,
		  struct error *error);
/* Check users, projects, and requests that only operators may make. */
int access_check(const struct cell *cell, const struct client *client, const struct job_request *request,
		 struct error *error);
/* Return whether a userset contains this client or the client's group. */
bool access_userset_has(const struct userset *set, const struct client *client);
/* Return the value of sge_conf(5) under this name, or NULL. */
const char *access_global_text(const struct cell *cell, const char *name);
/* Return a number of sge_conf(5); 0: not set. */
uint32_t access_global_number(const struct cell *cell, const char *name);
/* Check whether this user may have one more job. */
int access_check_new(struct local *local, const struct client *client, struct error *error);
/* Most bytes of JSON of one job's request, without its tasks and holds. */
#define REQUEST_BYTES 65536
#define ENTRIES_MAX 10000	/* most entries of a request */
#define COMPARED_MAX 20000000	/* most inspected items and comparison steps of a request */
int access_check_request(const struct local_job *job, struct error *error);
/* Check whether the job would exceed JOB_BYTES or the bytes of its user in the store. */
int access_check_bytes(struct local *local, const struct client *client, const struct local_job *job,
		       struct error *error);
/*
 * Normalize checked resource lists: full names, each resource once with its last value. Returns
 * -EINVAL for a host that the cell does not have.
 */
int resources_settle(const struct local *local, const struct cell *cell, struct job_request *request,
		     struct taking *taking, struct error *error);
/*
 * Check whether the job could ever start here (suitable.c). "check" of a request is a letter of
 * qsub's -w. If the job could not start, returns -EINVAL if it is to be refused, otherwise sets
 * `note`. `note` is "" if there is nothing to report. Returns -ENOMEM if memory is exhausted.
 */
#define NOTE_BYTES 400
int suitable_check(struct local *local, struct local_job *job, const struct value *request,
		   char note[NOTE_BYTES], struct error *error);
/*
 * Answer a request that only verifies a job. `rc`, `refusal` and `error` are those of
 * suitable_check() or of the checks before it.
 */
void suitable_answer(struct client *client, uint32_t number, int rc, const struct refusal_reason *refusal,
		     const struct error *error);
int check_name(const char *name, struct error *error);
/* Refuse a limit of running tasks for a job that is not an array. */
int check_task_concurrency(struct local_job *job, const struct job_request *request, struct error *error);
/* Replace names and patterns in "hold_jid" and "hold_jid_ad" with the numbers of the jobs. */
int check_hold_jid(struct local *local, struct client *client, struct job_request *request, struct taking *taking,
		   struct error *error);
/*
 * Check whether the jobs in "hold_jid_ad" have the same tasks as the job, which are in its own
 * request. Call after check_hold_jid().
 */
int check_array_dependency(struct local *local, const struct local_job *job, const struct job_request *request,
			   struct error *error);

#endif
