/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What survives power loss: jobs and tasks of the local cell, usage, its history. One file of
 * SQLite, described in fairlead-store(5) so that administrators can query it; nothing else includes
 * SQLite. All calls on one thread.
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
 * 	-ENOSPC  the disk is full		-EROFS, -EACCES  it can't be written
 * 	-EIO	 it can't be read or written	-EBUSY   somebody else writes to it
 * 	-EUCLEAN it is damaged			-ENOMEM
 * 	-ENOTRECOVERABLE see store_commit()
 * 	-EINVAL  a value out of range, -ENOENT no such job or task: nothing has happened, the transaction goes on
 *
 * A change that fails for any reason but -EINVAL and -ENOENT has undone the transaction. Until
 * store_commit() or store_rollback() all further changes fail the same way, so that no half of a
 * transaction is ever stored; after that the store is as usable as before, and when the disk has
 * room again, changes succeed again.
 */
#ifndef SCHED_STORE_STORE_H
#define SCHED_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

#define STORE_SCHEMA 6			/* the version of the tables */
#define STORE_JOB_NUMBER_MAX 9999999	/* then numbers begin again at 1 */

struct store;

/*
 * Open the file, or make it with mode 0600 in a directory that must exist. The caller closes.
 * Programs that only read may use the file at the same time. Besides the above:
 * 	-EBUSY	 another process has it open with this function
 * 	-EPROTO	 a newer version of this program made it
 * 	-EUCLEAN it is no store, damaged, not the one that was here before, or gone or empty though there was one: see receipt.c
 * 	-EPERM	 others could have written it: see sched/process/trust.h
 * 	-ENOENT, -ENOTDIR, -EISDIR, -ENOTSUP (a network file system)
 */
int store_open(struct store **store, const char *path, struct error *error);
/*
 * The same where `sign`, the name of a file, say, shows that a store has been here before: it is
 * not made; NULL: store_open().
 */
int store_open_known(struct store **store, const char *path, const char *sign, struct error *error);
void store_close(struct store *store);	/* what was not committed is undone; NULL is a no-op */

/*
 * Everything since the last commit, to the disk. No-op if nothing changed. On failure all of it is
 * undone, and never there again: neither for the next process nor after the power has failed.
 * -ENOTRECOVERABLE is no such failure: the disk has refused to undo it as well, so that it may be
 * there, as a whole, or not. Then it must not be reported as failed; the store can only be closed.
 */
int store_commit(struct store *store, struct error *error);
/*
 * Whom a commit calls before it returns -ENOTRECOVERABLE: best to end the process, since the next
 * one sees what there is.
 */
void store_when_unsure(void (*end)(const char *path));
void store_rollback(struct store *store);
/* Has something changed since the last commit? */
bool store_is_open_transaction(const struct store *store);

/* Small things by name */
/* A text of at most size - 1 bytes. -ENOENT: there is none; -EFBIG: it is longer. */
int store_meta_get(struct store *store, const char *key, char *value, size_t size, struct error *error);
int store_meta_put(struct store *store, const char *key, const char *value, struct error *error);

/* Jobs and tasks of the local cell */
/* texts are UTF-8; NULL is the same as "" but for `error` */
struct stored_job {
	uint32_t job_number;		/* 1..STORE_JOB_NUMBER_MAX */
	const char *owner;
	uint32_t uid, gid;
	const char *group;
	int64_t submission_time;	/* epoch seconds */
	/* JSON: members of job_add but number, owner, submission_time, group, tasks, hold */
	const char *job;
	const char *execution;		/* JSON: command, environment, ... as submitted */
	/* ids not started, "1-10,12"; "" none; "1" for a job that is no array */
	const char *waiting;
	bool is_array;
	const char *hold_user, *hold_operator, *hold_system;	/* ids */
	const char *error;		/* why it is in the error state; NULL: it is not */
};

enum stored_state { STORED_STARTING, STORED_RUNNING, STORED_ENDED };

struct stored_task {			/* a started one; its job must be there */
	uint32_t job_number, task_id;	/* from 1 */
	enum stored_state state;
	uint32_t attempt;
	const char *boot;		/* boot id of the machine on which it was started */
	int64_t start_time;		/* epoch seconds */
	const char *granted;		/* JSON: array as in the order */
	const char *granted_pe;		/* "" none */
	const char *state_letters;	/* of qstat(1) */
	const char *directory;		/* of this attempt */
	bool deleted;			/* it was deleted by qdel(1), say, and is to end */
	const char *usage;		/* JSON: the last one known; NULL: none yet */
	const char *ending;		/* JSON: how it ended; NULL: it has not */
};

struct stored_advance {			/* an advance reservation of the local cell */
	uint32_t number;		/* 1..STORE_JOB_NUMBER_MAX */
	const char *owner;
	uint32_t uid;
	int64_t submission_time, start_time, end_time;	/* epoch seconds */
	bool deleted;			/* it was deleted, and goes with the last of its jobs */
	const char *reservation;	/* JSON: the other members of advance_reservation */
};

/*
 * The next free number: after the last one given, from 1 again after the greatest. -ENOSPC: all are
 * taken (the transaction goes on).
 */
int store_next_job_number(struct store *store, uint32_t *number, struct error *error);
/*
 * That number was given, though this store may know nothing of it: the next one comes after it.
 * No-op for one of those before the last.
 */
int store_job_number_taken(struct store *store, uint32_t number, struct error *error);

/* The same of advance reservations, which have numbers of their own. */
int store_next_advance_number(struct store *store, uint32_t *number, struct error *error);

/* New, or in the place of the one with its number; its tasks stay. */
int store_job_put(struct store *store, const struct stored_job *job, struct error *error);
/* With its tasks. -ENOENT. */
int store_job_remove(struct store *store, uint32_t job_number, struct error *error);
/* -ENOENT: no such job. */
int store_task_put(struct store *store, const struct stored_task *task, struct error *error);
int store_task_remove(struct store *store, uint32_t job_number, uint32_t task_id, struct error *error);

int store_advance_put(struct store *store, const struct stored_advance *advance, struct error *error);
int store_advance_remove(struct store *store, uint32_t number, struct error *error);	/* -ENOENT */

/* One job or task; its texts are the store's, until the next call of the same function. -ENOENT. */
int store_job_find(struct store *store, uint32_t job_number, struct stored_job *job, struct error *error);
int store_task_find(struct store *store, uint32_t job_number, uint32_t task_id, struct stored_task *task,
		    struct error *error);

/* Jobs of which something waits or runs: all, and those of a user. It looks at each. */
int store_jobs_count(struct store *store, uint32_t uid, uint64_t *all, uint64_t *of_user, struct error *error);

/*
 * All of them by job number and task id, what is not yet committed included. Texts are borrowed
 * during the call, which must not use the store. A value other than 0 ends it and is returned.
 */
int store_jobs_each(struct store *store, int (*each)(void *context, const struct stored_job *job), void *context,
		    struct error *error);
int store_tasks_each(struct store *store, int (*each)(void *context, const struct stored_task *task), void *context,
		     struct error *error);

/* The same of advance reservations, by number. */
int store_advances_each(struct store *store, int (*each)(void *context, const struct stored_advance *advance),
			void *context, struct error *error);

#endif
