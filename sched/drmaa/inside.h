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
 *     wait.c           wait and synchronize; status.c an end taken apart
 *     control.c        suspend, hold, terminate, and job_ps
 *
 * One lock protects the session and all that the rooms below have as state of the process
 * (cli_listen()). Whoever waits gives it away between two looks; looks cost nothing but a read of
 * shared memory and of what has been added to the accounting file.
 */
#ifndef DRMAA_INSIDE_H
#define DRMAA_INSIDE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "conf/index.h"
#include "sched/drmaa/drmaa.h"
#include "sched/reader/fairlead.h"

/* Errors */

struct reason_wanted {	/* where the caller wants the text; made by DIAGNOSIS */
	char *text;		/* NULL: nowhere */
	size_t size;
};

#define DIAGNOSIS (&(struct reason_wanted){ error_diagnosis, error_diag_len })

/* Fills in the text, drmaa_strerror() if `format` is NULL, and returns `code`. */
int fault(struct reason_wanted *d, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same of an exit code of the command line's rooms and of what they have said. */
int fault_of(struct reason_wanted *d, int exit_code, const char *said);

/* Lists */

struct word_list {
	char **items;
	size_t n, next;
};

struct drmaa_attr_names_s { struct word_list list; };
struct drmaa_attr_values_s { struct word_list list; };
struct drmaa_job_ids_s { struct word_list list; };

/* A copy of `word` behind the others. -ENOMEM. */
int word_add(struct word_list *list, const char *word);
void words_clear(struct word_list *list);

/* Templates */

enum template_attribute {
	ATTRIBUTE_COMMAND, ATTRIBUTE_STATE, ATTRIBUTE_WD, ATTRIBUTE_CATEGORY, ATTRIBUTE_NATIVE, ATTRIBUTE_BLOCK_EMAIL, ATTRIBUTE_START,
	ATTRIBUTE_NAME, ATTRIBUTE_INPUT, ATTRIBUTE_OUTPUT, ATTRIBUTE_ERROR, ATTRIBUTE_JOIN, ATTRIBUTES
};

enum vector { VECTOR_ARGV, VECTOR_ENV, VECTOR_EMAIL, VECTORS };

extern const char *const attribute_names[ATTRIBUTES], *const vector_names[VECTORS];

struct drmaa_job_template_s {
	char *values[ATTRIBUTES];	/* NULL: not set */
	struct word_list vectors[VECTORS];
};

/* DRMAA_ERRNO_SUCCESS, or what is wrong with a value. */
int attribute_check(enum template_attribute attribute, const char *value, struct reason_wanted *d);
int vector_check(enum vector vector, const struct word_list *values, struct reason_wanted *d);
/*
 * [[[[CC]YY/]MM/]DD] hh:mm[:ss] [{-|+}UU:uu]; the next time that it is, as seen at `now`. -EINVAL
 */
int start_time_parse(const char *text, int64_t now, int64_t *time);

/* Jobs */

struct tracked_job {
	uint32_t number, task;	/* task 0: no array */
	bool held;		/* was submitted so */
	bool ended;
	bool terminated;	/* by us, while it waited */
	int64_t missing_ms;	/* since when nothing is seen of it; 0: it was seen */
	int stat;		/* of drmaa_wait(), once it has ended */
	char *line;		/* of accounting(5); NULL: there is none */
};

struct tracked {		/* zero-initialise */
	struct tracked_job *jobs;	/* in the order of submission, without those that were waited for */
	size_t n, capacity;
	struct index by_id;
};

int tracked_add(struct tracked *t, uint32_t number, uint32_t task, bool held);
void tracked_remove(struct tracked *t, size_t k);
/* SIZE_MAX: it is none of the session's. */
size_t tracked_find(const struct tracked *t, uint32_t number, uint32_t task);
void tracked_free(struct tracked *t);

struct ends {			/* the accounting file, read on from where it ended when the session began */
	int fd;			/* -1: not open */
	ino_t inode;
	int64_t offset;
	char *path;
};

struct drmaa_session {
	pthread_mutex_t lock;
	pthread_cond_t ended;	/* the session */
	bool active;
	bool ending;		/* drmaa_exit() waits for those that wait */
	unsigned waiting;	/* threads */
	char *cell;
	struct fl_cell *reader;
	struct tracked tracked;
	struct ends ends;
};

extern struct drmaa_session session;

/* With the lock, and a session: DRMAA_ERRNO_SUCCESS. Else without the lock. */
int session_enter(struct reason_wanted *d);
void session_leave(void);
/* Gives the lock away for so long. False: the session is over. */
bool session_pause(int64_t ms);
int64_t clock_ms(void);

/* "17" or "17.3"; -EINVAL */
int job_id_parse(const char *text, uint32_t *number, uint32_t *task);
void job_id_print(uint32_t number, uint32_t task, char text[32]);

/*
 * The template as members of a job and of how it is run, for tasks `start` to `end`; end 0: it is
 * no array. The caller frees both.
 */
int request_make(const drmaa_job_template_t *jt, const char *tasks, json_t **job, json_t **execution, struct reason_wanted *d);

struct job;
/* Options of a native specification into the job; `words` has what they borrow. */
int native_take(struct job *job, bool *held, const char *text, struct word_list *words, struct reason_wanted *d);

struct scheduler_answer {	/* an answer to a request */
	json_t *line;		/* the caller frees */
	const json_t *results;
};

/* Sends a request (taken) to the cell's scheduler. */
int scheduler_ask(json_t *request, struct scheduler_answer *answer, struct reason_wanted *d);

/* Reads what has been added, and notes the ends of jobs that are tracked. */
void ends_begin(struct ends *e, const char *path);
void ends_read(struct ends *e, struct tracked *t);
void ends_close(struct ends *e);

/*
 * Asks the scheduler for jobs of which nothing is seen any more: whether they have gone, and how.
 */
void gone_ask(const char *cell, struct tracked *t, uint32_t number);

/*
 * What has become of a job, whether it is the session's or not; DRMAA_PS_UNDETERMINED: nothing is
 * known of it.
 */
int watch_state(uint32_t number, uint32_t task);
/* Looks whether jobs of the session have ended. */
void watch_job(struct tracked_job *job);

/* How a job has ended, as `stat` of drmaa_wait(). */
int stat_exited(int exit_status);
int stat_signaled(int signal);
int stat_aborted(void);
/* Of a line of accounting(5) with these values. */
int stat_of(long failed, long exit_status);
/* Exit code 0. */
bool stat_is_good(int stat);

#endif
