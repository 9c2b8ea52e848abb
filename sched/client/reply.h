/* SPDX-License-Identifier: Apache-2.0 */
/* Replies of the scheduler of a local cell, and news of a job that a client follows. */
#ifndef CLIENT_REPLY_H
#define CLIENT_REPLY_H

#include <stdint.h>

#include "sched/client/connection.h"
#include "sched/qmaster/members/reply_reason.h"

struct json_t;

struct reply_result {
	enum exit_code code;
	int64_t job_number;		/* 0: the result is not about a job */
	enum reply_reason reason;
	/* name that the reason is about; NULL: none, or the scheduler has not sent it */
	char *object;
	char *text;			/* sentence for the user */
	char **lines;			/* with ALTER: a sentence for each change */
	size_t nlines;
	char *note;			/* part of the request that is not fulfilled; NULL: none */
	char *tasks;			/* with SESSION: task ids of an array job; NULL: none */
};

struct reply {				/* zero-initialised by the caller */
	struct reply_result *items;
	size_t n;
	struct json_t *source;		/* private: the results as they were received; NULL: none */
};

/* Move the results to the end of another reply. Return 0, or -ENOMEM with both unchanged. */
int reply_append(struct reply *to, struct reply *from);
/*
 * Return the results as an array of JSON, unchanged. The caller frees the text. NULL: memory is
 * exhausted.
 */
char *reply_json(const struct reply *reply);
/* Return the greatest of the exit codes. */
int reply_code(const struct reply *reply);
/* Return the job of the last success; 0: none. */
int64_t reply_job(const struct reply *reply);
void reply_free(struct reply *reply);

enum news_kind {
	NEWS_REPLY,			/* the reply to a request */
	NEWS_STARTED,
	NEWS_ENDED,
	NEWS_ERROR,			/* the job or a task is in the error state */
	NEWS_GONE,			/* no task of the job is left */
	NEWS_UNKNOWN,
};

struct news {				/* zero-initialised by the caller */
	enum news_kind kind;
	int64_t job_number, task;	/* task 0: not an array */
	int64_t failed;			/* ENDED: as in accounting(5) */
	int signal, exit_status;	/* ENDED; signal 0: none */
	bool requeue;			/* ENDED: it will run again */
	char *text;			/* ERROR: the reason; NULL: none */
	struct reply reply;		/* REPLY; without results if it is invalid */
};

/*
 * Receive news or a reply. `wait`: until something arrives. Return 0, 1 if the connection has
 * ended, -EAGAIN if nothing has arrived, or another -errno. The caller frees the news.
 */
int news_receive(struct connection *connection, bool wait, struct news *news);
void news_free(struct news *news);

#endif
