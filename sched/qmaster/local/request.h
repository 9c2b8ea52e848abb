/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clients ask for: requests.c hands each request to its function in submit.c, alter.c,
 * delete.c, hold.c or follow.c; select.c finds the jobs meant; check.c, access.c and resources.c
 * hold what is asked for against the cell.
 */
#ifndef SCHED_QMASTER_LOCAL_REQUEST_H
#define SCHED_QMASTER_LOCAL_REQUEST_H

#include "conf/cell.h"
#include "sched/qmaster/local/client.h"
#include "sched/qmaster/local/job.h"

enum result { RESULT_DONE, RESULT_WRONG = 2, RESULT_NO_JOB, RESULT_DENIED, RESULT_NOT_STORED };

/* One more result; `task` 0: none. */
void result_add(struct client *c, enum result code, uint32_t job_number, uint32_t task, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void request_handle(struct local *l, struct client *c, const char *line, size_t length);
void request_submit(struct local *l, struct client *c, json_t *request);
void request_alter(struct local *l, struct client *c, json_t *request);
void request_delete(struct local *l, struct client *c, json_t *request);
void request_hold(struct local *l, struct client *c, json_t *request);	/* and release */
void request_clear(struct local *l, struct client *c, json_t *request);	/* of the error state */
void request_follow(struct local *l, struct client *c, json_t *request);

/*
 * These ids of a job are gone, and so is the job if nothing of it is left. -E2BIG: not those, and
 * nothing has changed.
 */
int delete_waiting(struct local *l, struct local_job *job, const struct ranges *gone, struct error *error);

struct selection {
	struct local_job job;
	struct ranges tasks;	/* n == 0: all */
};
#define SELECT_CONTEXT_BYTES 16

/*
 * Calls `change` for each job meant by "jobs" that the client may change; results for the others
 * are added. That may take more than this turn: client.selecting then, with a copy of what is at
 * `context` and the request. select_go_on() in the turns to come.
 */
void select_jobs(struct local *l, struct client *c, json_t *request,
		 void (*change)(struct local *l, struct client *c, struct selection *s, void *context), const void *context, size_t bytes);
void select_go_on(struct local *l, struct client *c);
void select_forget(struct client *c);	/* what is not done yet; a no-op if there is nothing */

/*
 * -EINVAL with what is wrong: what is asked for, held against the cell and against what this client
 * may ask.
 */
int check_request(struct local *l, const struct client *c, json_t *request, struct error *error);
/* Part of that; -EPERM, too. */
int access_check(const struct cell *cell, const struct client *c, const char *project, json_t *request, struct error *error);
/* before one more job */
int access_check_new(struct local *l, const struct client *c, struct error *error);
/* Before the scheduler is told. */
#define REQUEST_BYTES 65536	/* of what a job asks for, without its tasks and holds */
int access_check_request(const struct local_job *job, struct error *error);
/* before it is stored */
int access_check_bytes(struct local *l, const struct client *c, const struct local_job *job, struct error *error);
/* Resource lists that were found good. */
int resources_settle(const struct cell *cell, json_t *request, struct error *error);
int check_execution(json_t *execution, bool whole, struct error *error);
int check_name(const char *name, struct error *error);
/* Names in "hold_jid" become numbers. */
int check_hold_jid(struct local *l, struct client *c, json_t *request, struct error *error);

#endif
