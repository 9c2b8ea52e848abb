/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storage of usage. The bookings of each run are written to the disk before they are acknowledged
 * to any client. If the disk cannot be written, this is logged once, and again when it can be
 * written. Meanwhile the scheduler continues, and bookings are kept in its ledger.
 */
#ifndef SCHED_DAEMON_KEEPER_H
#define SCHED_DAEMON_KEEPER_H

#include "sched/sched.h"
#include "sched/store/usage.h"

struct keeper {			/* zero: stores nothing */
	struct store *store;
	struct sched *sched;	/* borrowed */
	int64_t now;		/* time of the last run, epoch seconds; 0: none yet */
	uint64_t failures;	/* failed writes */
	bool failing, waiting;	/* logged: the store cannot be written; it cannot be read */
};

/*
 * Open the store at `path`, which then provides the usage of the scheduler. -errno as store_open()
 * and store_usage_attach().
 */
int keeper_open(struct keeper *keeper, const char *path, struct sched *sched, const struct store_usage_options *options,
		struct error *error);

/* Save the bookings of a run at `now`. Returns whether all bookings up to it are on the disk. */
bool keeper_save(struct keeper *keeper, int64_t now);

/* Save once more, including usage that has only decayed. Does nothing without a store. */
void keeper_close(struct keeper *keeper);

#endif
