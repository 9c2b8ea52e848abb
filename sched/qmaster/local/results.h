/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a request, which become one line of JSON: fairlead-local(7). */
#ifndef SCHED_QMASTER_LOCAL_RESULTS_H
#define SCHED_QMASTER_LOCAL_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/process/json.h"
#include "sched/qmaster/members/reply_reason.h"

/* Classes of reasons, exit codes of the commands. */
enum result { RESULT_DONE, RESULT_WRONG = 2, RESULT_NO_JOB, RESULT_DENIED, RESULT_NOT_STORED };

struct client_result {
	enum reply_reason reason;
	enum result code;		/* of the reason */
	uint32_t job_number, task;	/* 0: none */
	/* Owned. `text` has no invalid UTF-8 and no control characters; the others may be NULL. */
	char *text;
	char *object;		/* name that the reason is about, with the same characters as `text` */
	char *tasks;		/* ids of tasks in a job of a session */
	char *description;	/* JSON object: the job */
	char *lines;		/* lines of Grid Engine's about the change, each with a newline */
	char *note;		/* part of the request that is not done as requested */
};

struct client_results {			/* zero-initialized */
	struct client_result *items;
	size_t n, capacity;
	bool incomplete;	/* memory was exhausted: a result or a part of one is missing */
	bool last_is_missing;	/* the result that was added last is one of these */
};

/* Return whether there is something to reply. */
static inline bool results_any(const struct client_results *results)
{
	return results->n > 0 || results->incomplete;
}

/* Remove all results but the first `n`. */
void results_cut(struct client_results *results, size_t n);
void results_free(struct client_results *results);
/* Write the results as an array. */
void results_write(struct out *out, const struct client_results *results);

#endif
