/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the journal's thread (part.c), and the members of it that the scheduler's thread reads.
 */
#ifndef SCHED_QMASTER_JOURNAL_SPOOL_INSIDE_H
#define SCHED_QMASTER_JOURNAL_SPOOL_INSIDE_H

#include "sched/process/json.h"
#include "sched/qmaster/journal/digest.h"
#include "sched/qmaster/journal/frame.h"
#include "sched/qmaster/journal/spool.h"

enum part_state { PART_NONE, PART_OPEN };

struct spool_part {
	struct spool_options options;
	struct frame frame;
	struct out line;		/* line being written */
	struct values_written *written;	/* with options.full */
	uint64_t seq;			/* number of the last event of the state */
	bool failing;			/* a failure was logged */
	/* Members that the scheduler's thread reads. */
	_Atomic enum part_state state;
	atomic_uint beginnings;		/* number of beginnings of parts that were handled */
	atomic_bool is_long;
	atomic_uint_least64_t retry_ns;	/* earliest next try; monotonic */
	unsigned failures;		/* number of consecutive failures */
};

/* -ENOMEM. */
int spool_part_make(struct spool_part *part, const struct spool_options *options);
void spool_part_free(struct spool_part *part);

/* No-ops without an open part. */
void spool_part_text(struct spool_part *part, const char *text, size_t bytes);
void spool_part_break(struct spool_part *part, const char *why);
void spool_part_end(struct spool_part *part);

/* Write a run after the text so far, and begin a part with it if requested. */
void spool_part_run(struct spool_part *part, const struct run_mark *mark);

bool spool_part_may_begin(const struct spool_part *part);

#endif
