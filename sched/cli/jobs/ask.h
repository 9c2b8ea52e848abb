/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the verbs, and their replies as text or JSON. */
#ifndef CLI_JOBS_ASK_H
#define CLI_JOBS_ASK_H

#include "sched/client/request.h"
#include "sched/client/submission.h"

struct ask_format {
	bool json;			/* print the results unchanged */
	bool terse;			/* print only the numbers of jobs */
};

/*
 * Send a request and print the reply, which the caller frees: successes to stdout, failures as
 * messages. Return the greatest of the exit codes.
 */
int ask_print(struct connection *connection, const struct scheduler_request *request, const struct ask_format *format,
	      struct reply *reply, struct messages *messages);
/* Connect, call ask_print() and close the connection. */
int ask_cell(const char *cell, const struct scheduler_request *request, const struct ask_format *format,
	     struct messages *messages);
/* Print the results of a reply. Return the greatest of the exit codes. */
int ask_results(const struct reply *reply, const struct ask_format *format, struct messages *messages);

/* submission_show.c: print the submission without sending it, like qsub -verify. */
int submission_show(const struct submission *submission);

#endif
