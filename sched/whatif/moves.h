/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences between two runs of the same jobs: positions in the list of pending jobs, and tasks
 * that only one of the runs starts.
 *
 *     struct moves moves;
 *
 *     if (moves_find(&moves, before, after, 20) == 0)
 *             ... moves.most[0 .. moves.nmost), moves.starts[0 .. moves.nstarts) ...
 *     moves_free(&moves);
 *
 * A job that starts leaves the list, and all later jobs come forward. This does not count as a
 * move. A job moves by the number of jobs that it has passed, among those that are pending in both
 * runs. Names of users and projects are borrowed from the first view.
 */
#ifndef SCHED_WHATIF_MOVES_H
#define SCHED_WHATIF_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

struct move {
	uint32_t job_number;
	uint32_t before, after;		/* position in the list of each run, from 1 */
	int32_t places;			/* forward: > 0 */
};

enum moved_how {
	MOVED_STARTS,			/* starts only in the second run */
	MOVED_WAITS,			/* starts only in the first run */
	/* starts in both, on another queue instance or with other slots */
	MOVED_ELSEWHERE,
};

struct moved_start {
	enum moved_how how;
	uint32_t job_number, task;
	char *before, *after;		/* queue instance of its first slot; "" */
	uint32_t slots;
};

struct moved_sum {			/* sum for a user or a project */
	const char *name;		/* "": jobs without a project */
	uint64_t jobs;			/* pending in both runs */
	uint64_t up, down;		/* part of these that moved */
	int64_t places;			/* sum over them; gains of some are losses of others */
	/* tasks that start only in the second run, only in the first */
	uint64_t starts, waits;
};

struct moves {
	uint64_t jobs, up, down;	/* jobs pending in both runs; part of these that moved */
	uint64_t begun, back;		/* jobs pending only in the first run, only in the second */
	struct move *most;		/* jobs that moved farthest, the farthest first */
	size_t nmost;
	struct moved_start *starts;	/* sorted by how, then by job and task */
	size_t nstarts;
	uint64_t starting, waiting, elsewhere;	/* number of each */
	/* Users and projects with any jobs or starts, most positions first. */
	struct moved_sum *users, *projects;
	size_t nusers, nprojects;
	/* Indexed by position in the first list, from 0: positions moved; new position, 0: none. */
	int32_t *places;
	uint32_t *after;
	size_t nbefore;
};

/* Find the differences. `most`: limit of moves->most. -ENOMEM; moves_free() in any case. */
int moves_find(struct moves *moves, const struct fl_view *before, const struct fl_view *after, size_t most);
void moves_free(struct moves *moves);

/* Return whether anything differs. */
bool moves_any(const struct moves *moves);

#endif
