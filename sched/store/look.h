/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check of everything in a store, with or without a running scheduler: the checksum of each page,
 * each frame of the log, the receipt, the tables and their rows, and the directories of tasks if
 * they exist. Nothing is changed and no other process waits. A scheduler's log grows during the
 * check.
 */
#ifndef SCHED_STORE_LOOK_H
#define SCHED_STORE_LOOK_H

#include <stdint.h>

#include "conf/base/error.h"

struct store_look {
	/* set by the caller */
	const char *path, *active;	/* the store; the directory active_jobs, or NULL */
	void (*found)(void *context, const char *text);	/* called for each damage */
	void *context;
	/* results */
	int64_t version;
	/* `acknowledged` is the number in the receipt; 0: there is no receipt */
	uint64_t commits, acknowledged;
	uint64_t log_frames, log_commits;
	uint32_t pages, unstamped;	/* `unstamped` pages have no checksum */
	uint64_t jobs, tasks;
	unsigned damages;		/* number of calls of `found` */
};

/*
 * Check a store. 0: the check was made, and the store is undamaged if nothing was found. -ENOENT,
 * -EISDIR, -EACCES, -ENOMEM, ...: the check was not possible.
 */
int store_look(struct store_look *look, struct error *error);

#endif
