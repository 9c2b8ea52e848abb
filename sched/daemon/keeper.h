/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps usage on the disk: what each run has booked, before anybody is told that it is. A disk that
 * can't be written is told once, and when it can be again; in between the scheduler goes on, and
 * what was booked waits in its ledger.
 */
#ifndef SCHED_DAEMON_KEEPER_H
#define SCHED_DAEMON_KEEPER_H

#include "sched/sched.h"
#include "sched/store/usage.h"

struct keeper {			/* zero: keeps nothing */
	struct store *store;
	struct sched *sched;	/* borrowed */
	int64_t now;		/* of the last run, epoch seconds; 0: none yet */
	uint64_t failures;	/* to write the store */
	bool failing, waiting;	/* told that the store can't be written; that it can't be read */
};

/*
 * Open the store at `path`, whose usage is the scheduler's from now on. -errno as store_open() and
 * store_usage_attach().
 */
int keeper_open(struct keeper *keeper, const char *path, struct sched *sched, const struct store_usage_options *options,
		struct error *error);

/* After a run at `now`: is everything on the disk that was told before it? */
bool keeper_save(struct keeper *keeper, int64_t now);

/* Save once more, with what has only decayed. No-op if it keeps nothing. */
void keeper_close(struct keeper *keeper);

#endif
