/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal's own thread: takes what the scheduler's hands over, in that order, and brings it
 * into the files (files.h). The queue is bounded: what does not fit is not taken.
 *
 *     spool_text(s, text, bytes)	lines
 *     spool_run(s, &mark)		a run, with a pin on its generation
 */
#ifndef SCHED_QMASTER_JOURNAL_SPOOL_H
#define SCHED_QMASTER_JOURNAL_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/sched.h"
#include "shm/attach.h"

#define SPOOL_BYTES (64u << 20)		/* that wait, at most */
#define SPOOL_PINS 2u			/* generations that may be held at a time */
/* the scheduler waits so long, at most, when its journal is two runs behind */
#define SPOOL_WAIT_NS 100000000

struct spool;

/* A section of a reader that this process is itself: begun by one thread, ended by the other. */
struct pin {
	struct attachment attachment;
	struct view view;
	bool open;
	atomic_bool busy;
};

struct run_mark {			/* a run that was published */
	uint64_t number;
	bool stored;
	/* NULL: its generation could not be held, and it has no digests */
	struct pin *pin;
	/* its orders, as lines; both taken, and freed */
	char *orders;
	size_t orders_bytes;
	/*
	 * NULL: nothing begins. The beginning of a part, up to its state: lines, taken and freed. A
	 * part that is open is ended first
	 */
	char *beginning;
	size_t beginning_bytes;
	/* with `beginning`: what went before in the part that is open is whole up to this run */
	bool goes_on;
};

struct spool_options {
	const char *path;
	uint64_t bytes;
	bool full;
};

/* -ENOMEM, -EAGAIN. */
int spool_open(struct spool **spool, const struct spool_options *options);
/* Ends the part; NULL is a no-op. */
void spool_close(struct spool *spool);

/* Copied. false: there is no room for it, and nothing was taken. */
bool spool_text(struct spool *spool, const char *text, size_t bytes);
/* false: as above, and all is the caller's again; the pin is let go in each case. */
bool spool_run(struct spool *spool, const struct run_mark *mark);
/* The part ends here, with this sentence for who reads it. */
void spool_gap(struct spool *spool, const char *why);

/* The part that was begun is still being written: what is handed over counts. */
bool spool_is_open(const struct spool *spool);
/* The next run should begin a new part: this one is as long as it may be. */
bool spool_is_long(const struct spool *spool);
/* After a failure: is it time to try again? */
bool spool_may_begin(const struct spool *spool);

/* One that is not busy, with a section on what is current; NULL: there is none. */
struct pin *spool_pin(struct spool *spool, const struct sched *sched);
void spool_unpin(struct pin *pin);

/* Until the queue is empty and all is written. */
void spool_drain(struct spool *spool);

#endif
