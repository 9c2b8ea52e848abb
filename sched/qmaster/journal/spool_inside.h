/* SPDX-License-Identifier: Apache-2.0 */
/* What the journal's thread writes (part.c), and what of it the scheduler's looks at. */
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
	struct out line;		/* what is being written */
	struct values_written *written;	/* with options.full */
	uint64_t seq;			/* of events of the state */
	bool failing;			/* told */
	/* read by the scheduler's thread */
	_Atomic enum part_state state;
	atomic_uint beginnings;		/* of parts, that were dealt with */
	atomic_bool is_long;
	atomic_uint_least64_t retry_ns;	/* not before; monotonic */
	unsigned failures;		/* one after the other */
};

/* -ENOMEM. */
int spool_part_make(struct spool_part *part, const struct spool_options *options);
void spool_part_free(struct spool_part *part);

/* Without an open part they do nothing. */
void spool_part_text(struct spool_part *part, const char *text, size_t bytes);
void spool_part_break(struct spool_part *part, const char *why);
void spool_part_end(struct spool_part *part);

/* A run behind what was written; and the part that begins with it. */
void spool_part_run(struct spool_part *part, const struct run_mark *mark);

bool spool_part_may_begin(const struct spool_part *part);

#endif
