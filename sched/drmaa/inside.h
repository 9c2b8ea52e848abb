/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdrmaa: DRMAA 1.0 on a local cell.
 *
 *     session.c        init and exit, contact, versions
 *     faults.c         codes and texts of errors
 *     lists.c          names, values and job ids, one after the other
 *     template.c       what a job is asked to be; attributes.c the table of what may be set
 *     request.c        a template as a request; native.c the words of its native specification
 *     submit.c         the request, and the ids of what it has made
 *     tracked.c        the jobs of the session
 *     ends.c           how they have ended, from the accounting file; gone.c those it has nothing of
 *     watch.c          what has become of a job: running, held, ended
 *     usage.c          the usage of a job that has ended
 *     wait.c           wait and synchronize; status.c an end taken apart
 *     control.c        suspend, hold, terminate, and job_ps
 *     ask.c            requests to the scheduler
 *     java.c           native methods of com.sun.grid.drmaa; java_text.c strings, java.h the interface
 *
 * One lock protects the session. It is released while a thread waits, and while it talks to the
 * scheduler, which may be stopped: no other thread waits for that. A check whether a job has ended
 * reads shared memory and the lines that were added to the accounting file.
 */
#ifndef DRMAA_INSIDE_H
#define DRMAA_INSIDE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "conf/base/index.h"
#include "sched/drmaa/drmaa.h"
#include "sched/reader/fairlead.h"

/* Errors */

struct reason_wanted {	/* where the caller wants the text; made by DIAGNOSIS */
	char *text;		/* NULL: nowhere */
	size_t size;
};

#define DIAGNOSIS (&(struct reason_wanted){ error_diagnosis, error_diag_len })

/* Fills in the text, drmaa_strerror() if `format` is NULL, and returns `code`. */
int fault(struct reason_wanted *wanted, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same of an exit code of the command line's rooms and of what they have said. */
int fault_of(struct reason_wanted *wanted, int exit_code, const char *said);

/* Lists */

struct word_list {
	char **items;		/* NULL follows the last one, where there is one */
	size_t n, next, capacity;
};

struct drmaa_attr_names_s { struct word_list list; };
struct drmaa_attr_values_s { struct word_list list; };
struct drmaa_job_ids_s { struct word_list list; };

/* Append a copy of `word`. -ENOMEM. */
int word_add(struct word_list *list, const char *word);
void words_clear(struct word_list *list);

/* Templates */

enum template_attribute {
	ATTRIBUTE_COMMAND,
	ATTRIBUTE_STATE,
	ATTRIBUTE_WD,
	ATTRIBUTE_CATEGORY,
	ATTRIBUTE_NATIVE,
	ATTRIBUTE_BLOCK_EMAIL,
	ATTRIBUTE_START,
	ATTRIBUTE_NAME,
	ATTRIBUTE_INPUT,
	ATTRIBUTE_OUTPUT,
	ATTRIBUTE_ERROR,
	ATTRIBUTE_JOIN,
	ATTRIBUTES
};

enum vector { VECTOR_ARGV, VECTOR_ENV, VECTOR_EMAIL, VECTORS };

extern const char *const attribute_names[ATTRIBUTES], *const vector_names[VECTORS];

struct drmaa_job_template_s {
	char *values[ATTRIBUTES];	/* NULL: not set */
	struct word_list vectors[VECTORS];
};

/* DRMAA_ERRNO_SUCCESS, or what is wrong with a value. */
int attribute_check(enum template_attribute attribute, const char *value, struct reason_wanted *wanted);
int vector_check(enum vector vector, const struct word_list *values, struct reason_wanted *wanted);
/*
 * [[[[CC]YY/]MM/]DD] hh:mm[:ss] [{-|+}UU:uu]; the next time that it is, as seen at `now`. -EINVAL
 */
int start_time_parse(const char *text, int64_t now, int64_t *time);

/* Jobs */

struct tracked_job {
	uint32_t number, task;	/* task 0: no array */
	bool held;		/* was submitted with a hold */
	bool ended;
	bool terminated;	/* by drmaa_control() of this session */
	bool is_past;		/* ended before this session began, which continues another one */
	int64_t missing_ms;	/* since when it is not found in shared memory; 0: it was found */
	int stat;		/* of drmaa_wait(), once it has ended */
	char *line;		/* of accounting(5); NULL: there is none */
};

struct tracked {		/* zero-initialise */
	struct tracked_job *jobs;	/* in the order of submission, without those that were waited for */
	size_t n, capacity;
	struct index by_id;
};

int tracked_add(struct tracked *tracked, uint32_t number, uint32_t task, bool held);
void tracked_remove(struct tracked *tracked, size_t k);
/* SIZE_MAX: it is none of them. */
size_t tracked_find(const struct tracked *tracked, uint32_t number, uint32_t task);
void tracked_free(struct tracked *tracked);

struct ends {			/* the accounting file, read on from where it ended when the session began */
	int fd;			/* -1: not open */
	ino_t inode;
	int64_t offset;
	int64_t begin,
		past; /* from where the session began that this one continues to where this one did; equal: it continues none */
	char *path;
};

#define RECENT_JOBS 256

struct job_name { uint32_t number, task; };

struct drmaa_session {
	pthread_mutex_t lock;
	pthread_cond_t ended;	/* the session */
	bool active;
	bool ending;		/* drmaa_exit() waits for the threads that are away */
	unsigned away;		/* threads of the session that wait, or talk to the scheduler */
	pid_t process;		/* that began it: a forked child has no session */
	char *cell;
	char *name;		/* jobs have it, too: a later session of this name finds them */
	struct fl_cell *reader;
	struct tracked tracked;
	struct tracked reaped;	/* of jobs that ended before this session: ids of those that were waited for */
	struct job_name recent[RECENT_JOBS];	/* were waited for last: they may be published still */
	size_t nrecent;		/* ever; the place is this modulo RECENT_JOBS */
	struct ends ends;
};

extern struct drmaa_session session;

/* With the lock, and a session: DRMAA_ERRNO_SUCCESS. Else without the lock. */
int session_enter(struct reason_wanted *wanted);
void session_leave(void);
/*
 * Release the lock, and take it again. Between the two calls the session exists, but may end:
 * session_back() returns false then. Places in session.tracked are not valid afterwards.
 */
void session_away(void);
bool session_back(void);
/* Be away for so long, or until the session ends. False: it has ended. */
bool session_pause(int64_t ms);
/* Find a job of the session, also one that has ended before the session began again. SIZE_MAX: none. */
size_t session_job(uint32_t number, uint32_t task);
/* A job has been waited for. */
void session_forget_job(size_t k);
bool session_has_forgotten(uint32_t number, uint32_t task);
int64_t clock_ms(void);

/*
 * Read "17" or "17.3". DRMAA_ERRNO_INVALID_ARGUMENT: it is no id of a job. DRMAA_ERRNO_INVALID_JOB:
 * no job can have that number; *number is 0 then.
 */
int job_id_check(const char *text, uint32_t *number, uint32_t *task, struct reason_wanted *wanted);
void job_id_print(uint32_t number, uint32_t task, char text[32]);

/*
 * The template as members of a job and of how it is run, for tasks `start` to `end`; end 0: it is
 * no array. The caller frees both.
 */
int request_make(const drmaa_job_template_t *jt, const char *tasks, json_t **job, json_t **execution,
		 struct reason_wanted *wanted);

struct submission;
/*
 * Read the default options, a script's, and the native specification into a submission, which
 * borrows `words`. The directory is that of the template; NULL: it has none.
 */
int native_take(struct submission *submission, const drmaa_job_template_t *jt, const char *directory,
		struct word_list *words, struct reason_wanted *wanted);

struct scheduler_answer {	/* an answer to a request */
	json_t *line;		/* the caller frees */
	const json_t *results;
};

/* Send a request (taken) to the scheduler of this cell. No lock is needed. */
int scheduler_talk(const char *cell, json_t *request, struct scheduler_answer *answer, struct reason_wanted *wanted);
/* The same with the session's cell, being away meanwhile. */
int scheduler_ask(json_t *request, struct scheduler_answer *answer, struct reason_wanted *wanted);

/*
 * Open the accounting file at its end. `inode` and `offset` say where the session began that this
 * one continues; inode -1: it continues none.
 */
void ends_begin(struct ends *ends, const char *path, int64_t inode, int64_t offset);
/* Read the lines that were added, and note the ends of jobs that are tracked. */
void ends_read(struct ends *ends, struct tracked *tracked);
/* Track a job of this user that ended before this session began, and after the one that it continues. */
bool ends_find(const struct ends *ends, struct tracked *tracked, uint32_t number, uint32_t task);
/* Read again from an earlier place, if it is in the same file: jobs have been added that may have ended since. */
void ends_rewind(struct ends *ends, const struct ends *earlier);
void ends_close(struct ends *ends);

/*
 * Ask the scheduler for tracked jobs of this number, which are not found in shared memory: whether
 * they have gone, and how. It answers within `patience_s` seconds or not now. Being away meanwhile;
 * false: the session has ended.
 */
bool gone_ask(uint32_t number, unsigned patience_s);

/* What shared memory shows: DRMAA_PS_..., DRMAA_PS_UNDETERMINED: it is not there. */
int watch_state(uint32_t number, uint32_t task);
/* Has the job been missing in shared memory for so long that the scheduler should be asked? */
bool watch_is_missing(struct tracked_job *job);

/* Make the usage of a job from its line of accounting(5). NULL: no memory. */
drmaa_attr_values_t *usage_make(const char *line);

/* How a job has ended, as `stat` of drmaa_wait(), with the bits that Grid Engine's programs know. */
enum { STAT_EXITED = 1, STAT_SIGNALED = 2, STAT_CORE = 4, STAT_ABORTED = 8 };

int stat_exited(int exit_status);
int stat_signaled(int signal);
int stat_aborted(void);
/* Of a line of accounting(5) with these values. */
int stat_of(long failed, long exit_status);
/* A job that the program has terminated is aborted, not signaled. */
int stat_for(const struct tracked_job *job, int stat);
/* Does this value of `failed` say that the command was not started? */
bool failed_before_start(long failed);
/* Exit code 0. */
bool stat_is_good(int stat);

#endif
