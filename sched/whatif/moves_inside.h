/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the files of moves.h. */
#ifndef SCHED_WHATIF_MOVES_INSIDE_H
#define SCHED_WHATIF_MOVES_INSIDE_H

#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/whatif/moves.h"

struct waiting_list {				/* pending jobs, in the order of a run */
	const struct view *view;
	const uint32_t *rows;
	uint64_t n;
};

/* sums of the classes of the first view */
struct class_sums { struct moved_sum *items; uint64_t n; };

struct moves_walk {
	struct moves *moves;
	const struct fl_view *first, *second;
	struct waiting_list before, after;
	/* Position of each row of the first view in its list, from 1. */
	uint32_t *place_of_row;
	uint64_t rows;
	/* Position in the first list of each job in the second, from 1; 0: none. */
	uint32_t *met;
	/* Number of each job of the first list among those in both; UINT32_MAX: not in both. */
	uint32_t *common;
	size_t most;
	struct class_sums sums;
};

/* moved_starts.c; -ENOMEM */
int moves_starts(struct moves_walk *walk);
/* moved_sums.c; -ENOMEM */
int moves_sum(const struct moves_walk *walk, bool project, struct moved_sum **items, size_t *n);

/* Return the class of a row. NONE: there is no such row. */
static inline uint32_t moves_class_of(const struct waiting_list *waiting, uint32_t row)
{
	const struct job_facts *facts = records_facts(waiting->view, row);

	return facts ? LOAD_ONCE(facts->class_id[row % CHUNK_ROWS]) : NONE;
}

#endif
