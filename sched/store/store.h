/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Store: data that survives power loss. These are jobs and tasks of the local cell, usage, and its
 * history. The store is one file of SQLite, described in fairlead-store(5) so that administrators
 * can query it. No other directory includes SQLite. All calls must be on one thread.
 *
 * 	struct store *store;
 * 	store_open(&store, path, &error);
 * 	store_job_put(store, &job, &error);		begins a transaction
 * 	store_task_put(store, &task, &error);
 * 	if (store_commit(store, &error) != 0)		all of it is on disk, or nothing is
 * 		... acknowledge nothing; try again later ...
 * 	store_close(store);
 *
 * int functions return 0 or -errno with the reason in `error`:
 * 	-ENOSPC		the disk is full
 * 	-EROFS, -EACCES	the store cannot be written
 * 	-EIO		the store cannot be read or written
 * 	-EBUSY		another program writes to it
 * 	-EUCLEAN	it is damaged
 * 	-ENOMEM
 * 	-ENOTRECOVERABLE see store_commit()
 * 	-EINVAL		a value out of range; the transaction continues unchanged
 * 	-ENOENT		no such job or task; the transaction continues unchanged
 *
 * A change that fails for any reason except -EINVAL and -ENOENT has undone the transaction. Until
 * store_commit() or store_rollback(), all further changes fail in the same way, so that half a
 * transaction is never stored. After that the store is usable as before. Changes succeed again when
 * the disk has space.
 */
#ifndef SCHED_STORE_STORE_H
#define SCHED_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define STORE_SCHEMA 6			/* version of the tables */
#define STORE_JOB_NUMBER_MAX 9999999	/* numbers restart at 1 after this one */

struct store;

/*
 * Open the file, or create it with mode 0600 in an existing directory. The caller closes. Programs
 * that only read may use the file at the same time. Further errors:
 * 	-EBUSY		another process has it open with this function
 * 	-EPROTO		a newer version of this program created it
 * 	-EUCLEAN	it is not a store, or damaged, or not the store that was here before,
 * 			or missing or empty though there was one: see receipt.c
 * 	-EPERM		other users could have written it: see sched/process/trust.h
 * 	-ENOENT, -ENOTDIR, -EISDIR, -ENOTSUP (a network file system)
 */
int store_open(struct store **store, const char *path, struct error *error);
/*
 * Open a store like store_open(), but do not create it if `sign` is set. `sign` is evidence of an
 * earlier store, such as the name of a file. NULL: same as store_open().
 */
int store_open_known(struct store **store, const char *path, const char *sign, struct error *error);
void store_close(struct store *store);	/* uncommitted changes are undone; NULL is a no-op */

/*
 * Write everything since the last commit to the disk. No-op if nothing changed. After a failure all
 * of it is undone and never becomes visible, neither for the next process nor after a power
 * failure. -ENOTRECOVERABLE is different: the disk has refused to undo it as well. The next process
 * finds either all of it or nothing. In this case the commit must not be reported as failed, and
 * the store can only be closed.
 */
int store_commit(struct store *store, struct error *error);
/*
 * Set the function that a commit calls before it returns -ENOTRECOVERABLE. It should end the
 * process, since the next process sees what is on disk.
 */
void store_when_unsure(void (*end)(const char *path));
void store_rollback(struct store *store);
/* Return whether there are changes since the last commit. */
bool store_is_open_transaction(const struct store *store);

/* Values by name */
/* Read a text of at most size - 1 bytes. -ENOENT: not found; -EFBIG: it is longer. */
int store_meta_get(struct store *store, const char *key, char *value, size_t size, struct error *error);
int store_meta_put(struct store *store, const char *key, const char *value, struct error *error);

/* Jobs and tasks of the local cell */
/* Texts are UTF-8. NULL is the same as "", except for `error`. */
struct stored_job {
	uint32_t job_number;		/* 1..STORE_JOB_NUMBER_MAX */
	const char *owner;
	uint32_t uid, gid;
	const char *group;
	int64_t submission_time;	/* epoch seconds */
	/* JSON: members of job_add except number, owner, submission_time, group, tasks, hold */
	const char *job;
	const char *execution;		/* JSON: command, environment, ... as submitted */
	/* ids not started, "1-10,12"; "" none; "1" for a job that is not an array */
	const char *waiting;
	bool is_array;
	const char *hold_user, *hold_operator, *hold_system;	/* ids */
	const char *error;		/* reason for the error state; NULL: not in error */
};

enum stored_state { STORED_STARTING, STORED_RUNNING, STORED_ENDED };

struct stored_task {			/* a started task; its job must exist */
	uint32_t job_number, task_id;	/* from 1 */
	enum stored_state state;
	uint32_t attempt;
	const char *boot;		/* boot id of the machine on which it was started */
	int64_t start_time;		/* epoch seconds */
	const char *granted;		/* JSON: array as in the order */
	const char *granted_pe;		/* "" none */
	const char *state_letters;	/* state letters of qstat(1) */
	const char *directory;		/* directory of this attempt */
	bool deleted;			/* deleted, for example by qdel(1), and about to end */
	const char *usage;		/* JSON: last known usage; NULL: none yet */
	const char *ending;		/* JSON: how it ended; NULL: it has not */
};

struct stored_advance {			/* an advance reservation of the local cell */
	uint32_t number;		/* 1..STORE_JOB_NUMBER_MAX */
	const char *owner;
	uint32_t uid;
	int64_t submission_time, start_time, end_time;	/* epoch seconds */
	bool deleted;			/* deleted; removed with the last of its jobs */
	const char *reservation;	/* JSON: the other members of advance_reservation */
};

/*
 * Return the next free number. It follows the last number, and restarts at 1 after the greatest
 * one. -ENOSPC: all numbers are in use (the transaction continues).
 */
int store_next_job_number(struct store *store, uint32_t *number, struct error *error);
/*
 * Note that this number was assigned, even if the store has no such job. The next number comes
 * after it. No-op for numbers before the last one.
 */
int store_job_number_taken(struct store *store, uint32_t number, struct error *error);

/* Return the next number of an advance reservation; these are numbered separately. */
int store_next_advance_number(struct store *store, uint32_t *number, struct error *error);

/* Insert a job or update the job with its number. Its tasks are kept. */
int store_job_put(struct store *store, const struct stored_job *job, struct error *error);
/* Remove a job with its tasks. -ENOENT. */
int store_job_remove(struct store *store, uint32_t job_number, struct error *error);
/* -ENOENT: no such job. */
int store_task_put(struct store *store, const struct stored_task *task, struct error *error);
int store_task_remove(struct store *store, uint32_t job_number, uint32_t task_id, struct error *error);

int store_advance_put(struct store *store, const struct stored_advance *advance, struct error *error);
/* Remove an advance reservation. -ENOENT. */
int store_advance_remove(struct store *store, uint32_t number, struct error *error);

/*
 * Find one job or task. Its texts are in the store's memory until the next call of the same
 * function. -ENOENT.
 */
int store_job_find(struct store *store, uint32_t job_number, struct stored_job *job, struct error *error);
int store_task_find(struct store *store, uint32_t job_number, uint32_t task_id, struct stored_task *task,
		    struct error *error);

/* Count jobs with pending or running tasks: all, and those of a user. Reads all jobs. */
int store_jobs_count(struct store *store, uint32_t uid, uint64_t *all, uint64_t *of_user, struct error *error);

/*
 * Call `each` for all jobs or tasks by job number and task id, including uncommitted ones. Texts
 * are borrowed during the call, which must not use the store. A value other than 0 ends the loop
 * and is returned.
 */
int store_jobs_each(struct store *store, int (*each)(void *context, const struct stored_job *job), void *context,
		    struct error *error);
int store_tasks_each(struct store *store, int (*each)(void *context, const struct stored_task *task), void *context,
		     struct error *error);

/* Call `each` for all advance reservations, by number. */
int store_advances_each(struct store *store, int (*each)(void *context, const struct stored_advance *advance),
			void *context, struct error *error);

#endif
