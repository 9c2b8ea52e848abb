/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything in a store looked at, beside a scheduler that runs or without one: each page's
 * checksum, each frame of the log, the receipt, the tables and their rows, and the directories of
 * tasks where there are some. Nothing is changed and nobody waits; a scheduler's log grows as long
 * as it lasts.
 */
#ifndef SCHED_STORE_LOOK_H
#define SCHED_STORE_LOOK_H

#include <stdint.h>

#include "conf/error.h"

struct store_look {
	/* set by the caller */
	const char *path, *active;	/* the store; the directory active_jobs, or NULL */
	void (*found)(void *context, const char *text);	/* one thing that is damaged */
	void *context;
	/* what there is */
	int64_t version;
	uint64_t commits, acknowledged;	/* the latter by the receipt; 0: there is none */
	uint64_t log_frames, log_commits;
	uint32_t pages, unstamped;	/* the latter have no checksum */
	uint64_t jobs, tasks;
	unsigned damages;		/* how often `found` was called */
};

/*
 * 0: it was looked at, and is undamaged if nothing was found. -ENOENT, -EISDIR, -EACCES, -ENOMEM,
 * ...: it could not be.
 */
int store_look(struct store_look *look, struct error *error);

#endif
