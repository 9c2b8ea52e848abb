/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons of results: a kind of success or refusal, which the scheduler of a local cell sends as a
 * word and programs compare. fairlead-socket(5) has the words.
 */
#ifndef SCHED_QMASTER_MEMBERS_REPLY_REASON_H
#define SCHED_QMASTER_MEMBERS_REPLY_REASON_H

/*
 * The object of a result is given in quotes. Reasons without an object are about the job or the
 * task of the result.
 */
enum reply_reason {
	REPLY_OTHER,			/* an older scheduler sends no reason, a later one has more */
	/* success */
	REPLY_DONE,
	REPLY_REGISTERED,		/* the change takes effect when running tasks have ended */
	REPLY_NOTHING_CHANGED,		/* the job has no hold that could be changed */
	/* "all.q@node1", or the job or task: it is in the requested state already */
	REPLY_IN_STATE,
	REPLY_NONE_FOUND,		/* the queue instance or the session has no jobs */
	REPLY_VERIFIED,			/* only verified: the request could be fulfilled */
	/* wrong request */
	REPLY_INVALID,
	REPLY_UNKNOWN_REQUEST,
	/* The job requests an object that the cell does not have. */
	REPLY_UNKNOWN_RESOURCE,		/* "mem" */
	REPLY_UNKNOWN_QUEUE,		/* "all.q@node1" */
	REPLY_UNKNOWN_PE,		/* "mpi" */
	REPLY_UNKNOWN_CHECKPOINT,	/* "blcr" */
	REPLY_UNKNOWN_PROJECT,		/* "p" */
	REPLY_NO_SUITABLE_QUEUE,	/* the request could never be fulfilled */
	REPLY_TASK_CONCURRENCY,		/* only array jobs have a limit of running tasks */
	REPLY_WHOLE_JOB,		/* tasks were named, and the request is about whole jobs */
	REPLY_NOT_RERUNNABLE,
	REPLY_TOO_MUCH,			/* a limit of requests is exceeded */
	/* no such object */
	REPLY_NO_JOB,			/* "sleep", or the job of the result */
	REPLY_NO_JOB_OF_USER,		/* "ann": this user has no jobs */
	REPLY_NO_TASK,			/* none of the tasks exists, or none is running */
	REPLY_NO_QUEUE,			/* "all.q": no queue instance matches */
	REPLY_NO_RESERVATION,		/* "weekend" */
	REPLY_NO_RESERVATION_OF_USER,	/* "ann": this user has no advance reservations */
	REPLY_NOTHING_NAMED,		/* the request names no job */
	REPLY_DENIED,			/* "all.q@node1", or the job: not permitted */
	REPLY_NOT_STORED,
};

#define REPLY_REASONS (REPLY_NOT_STORED + 1)

/* Kind of a refusal, for programs. */
struct refusal_reason {
	enum reply_reason reason;	/* REPLY_OTHER: there is no special kind */
	const char *object;		/* borrowed; NULL: none */
};

/* Return the word of a reason. */
const char *reply_reason_word(enum reply_reason reason);
/* Return the reason with this word. REPLY_OTHER: the word is unknown or NULL. */
enum reply_reason reply_reason_find(const char *word);

#endif
