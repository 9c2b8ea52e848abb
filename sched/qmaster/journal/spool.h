/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal's own thread. It takes input from the scheduler's thread, in order, and writes it to
 * the files (files.h). The queue is bounded. Input for which there is no room is refused.
 *
 *     spool_text(spool, text, bytes)	lines
 *     spool_run(spool, &mark)		a run, with a pin on its generation
 */
#ifndef SCHED_QMASTER_JOURNAL_SPOOL_H
#define SCHED_QMASTER_JOURNAL_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/sched.h"
#include "shm/attach.h"

#define SPOOL_BYTES (64u << 20)		/* bytes that may wait in the queue */
#define SPOOL_PINS 2u			/* generations that may be held at the same time */
/* Longest time for which the scheduler waits when its journal is two runs late. */
#define SPOOL_WAIT_NS 100000000

struct spool;

/* A reader section of this process itself, begun by one thread and ended by the other. */
struct pin {
	struct attachment attachment;
	struct view view;
	bool open;
	atomic_bool busy;
};

struct run_mark {			/* a run that was published */
	uint64_t number;
	bool stored;
	/* NULL: its generation could not be held, so it has no digests. */
	struct pin *pin;
	/* Orders of the run, as lines. The array is taken over and freed. */
	char *orders;
	size_t orders_bytes;
	/*
	 * Beginning of a part, up to its state, as lines. The array is taken over and freed. An
	 * open part is ended first. NULL: no part begins.
	 */
	char *beginning;
	size_t beginning_bytes;
	/* With `beginning`: the open part is complete up to this run. */
	bool goes_on;
};

struct spool_options {
	const char *path;
	uint64_t bytes;
	bool full;
};

/* Start the thread. -ENOMEM, -EAGAIN. */
int spool_open(struct spool **spool, const struct spool_options *options);
/* End the part and the thread. NULL is a no-op. */
void spool_close(struct spool *spool);

/* Append lines, which are copied. false: there is no room, and nothing was appended. */
bool spool_text(struct spool *spool, const char *text, size_t bytes);
/*
 * Append a run. false: there is no room, and the caller still owns the arrays. The pin is released
 * in each case.
 */
bool spool_run(struct spool *spool, const struct run_mark *mark);
/* End the part here. `why` is a sentence for readers of the journal. */
void spool_gap(struct spool *spool, const char *why);

/* Return whether the current part is still being written. */
bool spool_is_open(const struct spool *spool);
/* Return whether the next run should begin a new part, because this one has reached its size. */
bool spool_is_long(const struct spool *spool);
/* Return whether it is time to try again after a failure. */
bool spool_may_begin(const struct spool *spool);

/* Return a pin that is not busy, with a section on the current generation. NULL: none. */
struct pin *spool_pin(struct spool *spool, const struct sched *sched);
void spool_unpin(struct pin *pin);

/* Wait until the queue is empty and all input is written. */
void spool_drain(struct spool *spool);

#endif
