/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the scheduler of a local cell: fairlead-socket(5). */
#ifndef CLIENT_REQUEST_H
#define CLIENT_REQUEST_H

#include "sched/client/connection.h"
#include "sched/client/operands.h"
#include "sched/client/reply.h"

enum scheduler_request_kind {
	REQUEST_SUBMIT,			/* job, check, verify, follow */
	REQUEST_RESUBMIT,		/* number */
	REQUEST_ALTER,			/* operands, job, check, verify */
	REQUEST_DELETE,			/* operands, force */
	REQUEST_HOLD,			/* operands, holds */
	REQUEST_RELEASE,		/* operands, holds */
	REQUEST_CLEAR,			/* operands */
	REQUEST_SUSPEND,
	REQUEST_UNSUSPEND,
	REQUEST_RESCHEDULE,		/* operands, force */
	REQUEST_DISABLE,		/* operands: queues; also for the next four kinds */
	REQUEST_ENABLE,
	REQUEST_SUSPEND_QUEUE,
	REQUEST_UNSUSPEND_QUEUE,
	REQUEST_CLEAR_QUEUE,
	REQUEST_RESCHEDULE_QUEUE,	/* operands, force */
	REQUEST_JOBPRIO,		/* operands, priority, is_relative */
	REQUEST_FOLLOW,			/* number */
	REQUEST_SESSION,		/* session */
	REQUEST_RESERVE,		/* job, verify */
	REQUEST_UNRESERVE,		/* operands: reservations */
	REQUEST_USERPRIO,		/* edit */
};

struct job;

struct priority_edit {
	const char *name;		/* option of condor_userprio(1) without its dash */
	const char *customer;		/* NULL: none */
	bool has_value;
	double value;
	long duration_s;		/* of a lease; 0: none */
};

struct scheduler_request {		/* all pointers are borrowed */
	enum scheduler_request_kind kind;
	const struct job *job;
	const struct operand_list *operands;
	uint32_t number;		/* of a job */
	const char *check;		/* letter of -w; NULL: none */
	const char *holds;		/* letters of u, o and s */
	const char *session;
	bool force, verify, follow;
	bool is_relative;		/* `priority` is added to the priority of the jobs */
	int64_t priority;
	const struct priority_edit *edit;
};

/*
 * Send a request. Return an exit code, with a message unless it is EXIT_OK. After EXIT_OK the
 * scheduler has the request, and reply_receive() waits for the reply.
 */
int request_send(struct connection *connection, const struct scheduler_request *request, struct messages *messages);

/*
 * Send a request and receive the reply, which the caller frees. While the scheduler is silent, a
 * note is flushed. Return an exit code, with a message unless it is EXIT_OK. The results in the
 * reply have exit codes of their own.
 */
int request_ask(struct connection *connection, const struct scheduler_request *request, struct reply *reply,
		struct messages *messages);

#endif
