/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdrmaa: DRMAA 1.0 on a local cell.
 *
 *     session.c        init and exit, contact, versions
 *     faults.c         codes and texts of errors
 *     lists.c          iteration over names, values and job ids
 *     template.c       templates; attributes.c the table of attributes
 *     request.c        conversion of a template to a submission; native.c its native specification
 *     submit.c         submission, and ids of the new jobs
 *     tracked.c        jobs of the session
 *     ends.c           their results, from the accounting file; gone.c jobs that are not in it
 *     watch.c          state of a job: running, held, ended
 *     usage.c          usage of a job that has ended
 *     wait.c           wait and synchronize; status.c parts of a result
 *     control.c        suspend, hold, terminate, and job_ps
 *     ask.c            requests to the scheduler
 *     java.c           native methods of com.sun.grid.drmaa; java_text.c strings, java.h the interface
 *
 * One lock protects the session. It is released while a thread waits or communicates with the
 * scheduler, which may be stopped, so other threads are not blocked. A check whether a job has
 * ended reads shared memory and the lines appended to the accounting file.
 */
#ifndef DRMAA_INSIDE_H
#define DRMAA_INSIDE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/index.h"
#include "sched/client/submission.h"
#include "sched/drmaa/drmaa.h"
#include "sched/reader/fairlead.h"

/* Errors */

struct reason_wanted {	/* caller's buffer for the text; made by DIAGNOSIS */
	char *text;		/* NULL: none */
	size_t size;
};

#define DIAGNOSIS (&(struct reason_wanted){ error_diagnosis, error_diag_len })

/* Write the text, or drmaa_strerror() if `format` is NULL, and return `code`. */
int fault(struct reason_wanted *wanted, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Convert an exit code and its message. */
int fault_of(struct reason_wanted *wanted, int exit_code, const char *said);

/* Lists */

struct word_list {
	char **items;		/* NULL after the last one, unless the list is empty */
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

/* Check a value. Returns DRMAA_ERRNO_SUCCESS or an error. */
int attribute_check(enum template_attribute attribute, const char *value, struct reason_wanted *wanted);
int vector_check(enum vector vector, const struct word_list *values, struct reason_wanted *wanted);
/* Parse [[[[CC]YY/]MM/]DD] hh:mm[:ss] [{-|+}UU:uu]: the next such time after `now`. -EINVAL */
int start_time_parse(const char *text, int64_t now, int64_t *time);

/* Jobs */

struct tracked_job {
	uint32_t number, task;	/* task 0: not an array */
	bool held;		/* submitted with a hold */
	bool ended;
	bool terminated;	/* true if drmaa_control() of this session has ended it */
	/* ended before this session began, which continues an earlier one */
	bool is_past;
	/* time since when it is missing in shared memory; 0: it was found */
	int64_t missing_ms;
	int stat;		/* result for drmaa_wait(), after its end */
	char *line;		/* line of accounting(5); NULL: none */
};

struct tracked {		/* zero-initialise */
	/* in the order of submission, without those that drmaa_wait() has returned */
	struct tracked_job *jobs;
	size_t n, capacity;
	struct index by_id;
};

int tracked_add(struct tracked *tracked, uint32_t number, uint32_t task, bool held);
void tracked_remove(struct tracked *tracked, size_t k);
/* Return the index of a job; SIZE_MAX: it is not tracked. */
size_t tracked_find(const struct tracked *tracked, uint32_t number, uint32_t task);
void tracked_free(struct tracked *tracked);

struct ends {			/* accounting file, read from its end at the begin of the session */
	int fd;			/* -1: not open */
	ino_t inode;
	int64_t offset;
	/*
	 * Part of the file between the begin of the session that this one continues, and the begin
	 * of this one. Equal: this one continues none.
	 */
	int64_t begin, past;
	char *path;
};

#define RECENT_JOBS 256

struct job_name { uint32_t number, task; };

struct drmaa_session {
	pthread_mutex_t lock;
	pthread_cond_t ended;	/* signals the end of the session */
	bool active;
	bool ending;		/* drmaa_exit() waits for `away` threads */
	/* threads of the session that wait or communicate with the scheduler */
	unsigned away;
	pid_t process;		/* process that began the session: a forked child has none */
	char *cell;
	/* stored with the jobs: a later session with this name finds them */
	char *name;
	struct fl_cell *reader;
	struct tracked tracked;
	/* jobs that ended before this session, and that drmaa_wait() has returned */
	struct tracked reaped;
	/* returned last by drmaa_wait(); they may still be published */
	struct job_name recent[RECENT_JOBS];
	size_t nrecent;		/* number of all; the index is this modulo RECENT_JOBS */
	struct ends ends;
};

extern struct drmaa_session session;

/*
 * Lock the session. Returns DRMAA_ERRNO_SUCCESS with the lock if there is a session. Else the lock
 * is not held.
 */
int session_enter(struct reason_wanted *wanted);
void session_leave(void);
/*
 * Release the lock, and lock again. Between the two calls the session exists but may end; then
 * session_back() returns false. Indices of session.tracked are invalid afterwards.
 */
void session_away(void);
bool session_back(void);
/* Release the lock for a time, or until the session ends. False: it has ended. */
bool session_pause(int64_t ms);
/* Find a job of the session, or one that ended before the session began again. SIZE_MAX: none. */
size_t session_job(uint32_t number, uint32_t task);
/* Remove a job that drmaa_wait() returns. */
void session_forget_job(size_t k);
bool session_has_forgotten(uint32_t number, uint32_t task);
int64_t clock_ms(void);

/*
 * Read "17" or "17.3". DRMAA_ERRNO_INVALID_ARGUMENT: not a job id. DRMAA_ERRNO_INVALID_JOB: no job
 * can have that number; *number is 0 then.
 */
int job_id_check(const char *text, uint32_t *number, uint32_t *task, struct reason_wanted *wanted);
void job_id_print(uint32_t number, uint32_t task, char text[32]);

struct making;			/* submission of a template, and the texts that it borrows */

/*
 * Convert the template to a submission. `tasks` NULL: not an array. The caller calls making_free(),
 * also after an error. NULL in *making: memory is exhausted.
 */
int making_create(struct making **making, const drmaa_job_template_t *jt, const char *tasks,
		  struct reason_wanted *wanted);
struct scheduler_request making_request(const struct making *making);
/* Return whether the job is submitted with a hold. */
bool making_is_held(const struct making *making);
void making_free(struct making *making);

/*
 * Read the default options, a script's, and the native specification into a submission, which
 * borrows `words`. `directory` is that of the template; NULL: none.
 */
int native_take(struct submission *submission, const drmaa_job_template_t *jt, const char *directory,
		struct word_list *words, struct reason_wanted *wanted);

/* Send a request to the scheduler of this cell. The caller frees the reply. No lock is needed. */
int scheduler_talk(const char *cell, const struct scheduler_request *request, struct reply *reply,
		   struct reason_wanted *wanted);
/* Send a request to the scheduler of the session's cell. The lock is released meanwhile. */
int scheduler_ask(const struct scheduler_request *request, struct reply *reply, struct reason_wanted *wanted);

/*
 * Open the accounting file at its end. `inode` and `offset` are the position at which the session
 * began that this one continues; inode -1: it continues none.
 */
void ends_begin(struct ends *ends, const char *path, int64_t inode, int64_t offset);
/*
 * Store the ends of tracked jobs whose lines have been written already: the scheduler lists a job
 * until a run has booked its end. Call after the jobs that it lists have been added. The lines are
 * read from the begin of the session that this one continues. If that is unknown, only the latest
 * lines are read.
 */
void ends_recover(struct ends *ends, struct tracked *tracked);
/* Read the appended lines, and store the ends of tracked jobs. */
void ends_read(struct ends *ends, struct tracked *tracked);
/*
 * Track a job of this user that ended before this session began, and after the begin of the session
 * that it continues.
 */
bool ends_find(const struct ends *ends, struct tracked *tracked, uint32_t number, uint32_t task);
/*
 * Read again from an earlier position if it is in the same file: jobs have been added that may have
 * ended since.
 */
void ends_rewind(struct ends *ends, const struct ends *earlier);
void ends_close(struct ends *ends);

/*
 * Ask the scheduler about tracked jobs of this number that are missing in shared memory: whether
 * and how they have ended. The scheduler has `patience_s` seconds to answer. The lock is released
 * meanwhile. False: the session has ended.
 */
bool gone_ask(uint32_t number, unsigned patience_s);

/* Return the state in shared memory: DRMAA_PS_...; DRMAA_PS_UNDETERMINED: the job is missing. */
int watch_state(uint32_t number, uint32_t task);
/*
 * Return whether the job has been missing in shared memory for so long that the scheduler should be
 * asked.
 */
bool watch_is_missing(struct tracked_job *job);

/* Make the usage of a job from its line of accounting(5). NULL: memory is exhausted. */
drmaa_attr_values_t *usage_make(const char *line);

/* Bits of `stat` of drmaa_wait(), as Grid Engine's programs expect them. */
enum { STAT_EXITED = 1, STAT_SIGNALED = 2, STAT_CORE = 4, STAT_ABORTED = 8 };

int stat_signaled(int signal);
int stat_aborted(void);
/* Return the result for these values of a line of accounting(5). */
int stat_of(long failed, long exit_status);
/* Change the result of a job that this program has terminated from signaled to aborted. */
int stat_for(const struct tracked_job *job, int stat);
/* Return whether this value of `failed` is set when the command was not started. */
bool failed_before_start(long failed);
/* Return whether the exit code is 0. */
bool stat_is_good(int stat);

#endif
