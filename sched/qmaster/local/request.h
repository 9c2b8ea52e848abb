/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of clients. requests.c reads a line and calls the function for it, in submit.c, alter.c,
 * delete.c, hold.c or follow.c; select.c finds the jobs that a request names; check.c, access.c,
 * resources.c and suitable.c compare what a job requests with what the cell has and permits.
 *
 * Functions that return int return 0 or -errno with the reason: -EINVAL, something in the request
 * is wrong; -EPERM, this user may not do that; else the errors of the store, and -ENOMEM.
 */
#ifndef SCHED_QMASTER_LOCAL_REQUEST_H
#define SCHED_QMASTER_LOCAL_REQUEST_H

#include "conf/cell.h"
#include "sched/qmaster/local/client.h"
#include "sched/qmaster/local/job.h"

enum result { RESULT_DONE, RESULT_WRONG = 2, RESULT_NO_JOB, RESULT_DENIED, RESULT_NOT_STORED };

/* One more result for the reply; `task` 0: it is about the job, `job_number` 0: about none. */
void result_add(struct client *client, enum result code, uint32_t job_number, uint32_t task, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* To the result that was added last: what is not done as it was asked for. */
void result_note(struct client *client, const char *note);
/* Add to the result that was added last what was done, as lines of Grid Engine's. Takes the array, which may be NULL. */
void result_lines(struct client *client, json_t *lines);
/*
 * A complete line. Each request adds at least one result, now or when it goes on (select_go_on()).
 */
void request_handle(struct local *local, struct client *client, const char *line, size_t length);
void request_submit(struct local *local, struct client *client, json_t *request);
void request_resubmit(struct local *local, struct client *client, json_t *request);	/* a copy of a job */
void request_alter(struct local *local, struct client *client, json_t *request);
void request_delete(struct local *local, struct client *client, json_t *request);
void request_hold(struct local *local, struct client *client, json_t *request);	/* and release */
void request_clear(struct local *local, struct client *client, json_t *request);	/* of the error state */
void request_suspend(struct local *local, struct client *client, json_t *request);	/* and unsuspend */
void request_reschedule(struct local *local, struct client *client, json_t *request);
void request_reschedule_queue(struct local *local, struct client *client, json_t *request);
void request_queue(struct local *local, struct client *client, json_t *request);	/* its state: queues.c */
void request_jobprio(struct local *local, struct client *client, json_t *request);
void request_follow(struct local *local, struct client *client, json_t *request);
void request_describe(struct local *local, struct client *client, json_t *request);
void request_session(struct local *local, struct client *client, json_t *request);	/* session.c */
void request_reserve(struct local *local, struct client *client, json_t *request);	/* in advance */
void request_unreserve(struct local *local, struct client *client, json_t *request);
void request_userprio(struct local *local, struct client *client, json_t *request);	/* userprio.c */

/*
 * Waiting tasks of a job are deleted, and the job with them if it has no others. -E2BIG: what would
 * be left is in too many pieces; nothing has changed.
 */
int delete_waiting(struct local *local, struct local_job *job, const struct ranges *gone, struct error *error);

/* All of it: what runs is told to end after the commit. One that is gone is no error. */
int delete_job_whole(struct local *local, uint32_t job_number, struct error *error);

struct selected_job {
	struct local_job job;
	struct ranges tasks;	/* of it, that the request names; n == 0: all */
};
#define SELECT_CONTEXT_BYTES 32		/* largest `context` */

/*
 * Calls `change` for each job that "jobs" of the request names and the client may change, and adds
 * a result for each of the others. Where that takes longer than the user's share of the turn,
 * request.selecting keeps the request and a copy of `context` (`bytes`), and select_go_on() goes on
 * in a later turn.
 */
void select_jobs(struct local *l, struct client *c, json_t *request,
		 void (*change)(struct local *l, struct client *c, struct selected_job *job, void *context),
		 const void *context, size_t bytes);
void select_go_on(struct local *local, struct client *client);
/* What is not done yet is dropped. No-op if there is nothing. */
void select_forget(struct client *client);

/*
 * Members of a job: names that the cell has, values that it takes, and what this user may request.
 */
int check_request(struct local *local, const struct client *client, json_t *request, struct error *error);
/* The part of it about users, projects and what only operators may request. */
int access_check(const struct cell *cell, const struct client *client, const char *project, json_t *request,
		 struct error *error);
/* Does a userset name this client, or his group? */
bool access_userset_has(const struct userset *set, const struct client *client);
/* What sge_conf(5) says under this name; NULL: nothing. */
const char *access_global_text(const struct cell *cell, const char *name);
/* A number of it; 0: there is none. */
uint32_t access_global_number(const struct cell *cell, const char *name);
/* May this user have one more job? */
int access_check_new(struct local *local, const struct client *client, struct error *error);
/* What one job requests, without its tasks and holds, takes at most so many bytes as JSON. */
#define REQUEST_BYTES 65536
#define ENTRIES_MAX 10000	/* of a request */
#define COMPARED_MAX 20000000	/* of a request: what is looked at, and steps of comparisons */
int access_check_request(const struct local_job *job, struct error *error);
/*
 * Would the job as it is now, in the store, exceed JOB_BYTES, or the bytes that its user may have?
 */
int access_check_bytes(struct local *local, const struct client *client, const struct local_job *job,
		       struct error *error);
/* Resource lists that were checked: under full names, each resource once, the last value given. -EINVAL: a host that the cell has not. */
int resources_settle(const struct local *local, const struct cell *cell, json_t *request, struct error *error);
/*
 * suitable.c: "check" of a request, a letter of qsub's -w. Whether the job could ever start here: if
 * not, -EINVAL where that is to be refused, else `note` says so; "": nothing is to be said. -ENOMEM
 */
#define NOTE_BYTES 400
int suitable_check(struct local *local, const struct local_job *job, json_t *request, char note[NOTE_BYTES],
		   struct error *error);
/* The answer to one that only asks ("verify"): `rc` and `error` as the above has them. */
void suitable_answer(struct client *client, uint32_t number, int rc, const struct error *error);
/* "execution": what is run and how; `whole`: a new job, and all that it needs is there. */
int check_execution(json_t *execution, bool whole, struct error *error);
/* Changes that were checked are made, in what the job alone has. -ENOMEM */
int execution_change(json_t *execution, json_t *changes, struct error *error);
/* Is this a name that a session of DRMAA can have? */
bool execution_is_session(const char *text);
int check_name(const char *name, struct error *error);
/* Refuse a limit of running tasks for a job that is no array. */
int check_task_concurrency(const struct local_job *job, json_t *request, struct error *error);
/* Names and patterns in "hold_jid" and "hold_jid_ad" are replaced by the numbers of the jobs. */
int check_hold_jid(struct local *local, struct client *client, json_t *request, struct error *error);
/*
 * Of those that then stand in "hold_jid_ad": have they the tasks of the job, whose own request
 * knows them?
 */
int check_array_dependency(struct local *local, const struct local_job *job, json_t *request, struct error *error);

#endif
