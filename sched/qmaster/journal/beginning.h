/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a part, up to its state: a head, the cell's files, the orders that are kept. */
#ifndef SCHED_QMASTER_JOURNAL_BEGINNING_H
#define SCHED_QMASTER_JOURNAL_BEGINNING_H

#include "conf/cell_source.h"
#include "sched/process/output.h"
#include "sched/sched.h"

/* Number of the format; must change with any change of the format. */
#define JOURNAL_FORM 1
#define FILE_PIECE_BYTES (256u << 10)	/* bytes of a file's text in one line */
#define IN_LINE 1000u			/* orders or places in one line */

struct beginning {
	const struct sched *sched;
	uint64_t run;			/* first run of the part */
	uint64_t last_order;		/* last order before that run */
	/* Reason why the previous part ended; "": there was no gap. */
	const char *gap;
	uint64_t lost;			/* events that are in no part, at least */
	const struct free_places *places;
};

/*
 * Free places in the pools of started tasks, and in similar pools of the policy, before a run. The
 * order of place numbers decides between tasks that are otherwise equal, and a new task gets the
 * number that was freed last.
 */
#define PLACES_POOLS 4u

struct free_places {
	struct pool_places { uint32_t *free_ids; size_t n, nfree, capacity; } of[PLACES_POOLS];
};

int places_take(struct free_places *places, const struct sched *sched);	/* -ENOMEM */
/*
 * Restore the places in a scheduler that has not had any event. -EINVAL: impossible places.
 * -ENOMEM.
 */
int places_arrange(const struct free_places *places, const struct sched *sched);
void places_free(struct free_places *places);

void beginning_write(struct out *out, const struct beginning *beginning);

/*
 * Write {"file":"sched_conf","text":"..."} in pieces. A text that is not UTF-8 is written as
 * "bytes".
 */
void beginning_files(struct out *out, const struct cell_files *files);

#endif
