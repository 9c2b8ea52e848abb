/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between two runs of the same jobs: who has another place in the list of those that
 * wait, and what one starts and the other does not.
 *
 *     struct moves moves;
 *
 *     if (moves_find(&moves, before, after, 20) == 0)
 *             ... moves.most[0 .. moves.nmost), moves.starts[0 .. moves.nstarts) ...
 *     moves_free(&moves);
 *
 * A start takes a job out of the list, and all behind it come forward, which nobody means by
 * moving: so a job moves by as many places as it has passed of those that wait in both runs. Names
 * of users and projects are borrowed from the first view.
 */
#ifndef SCHED_WHATIF_MOVES_H
#define SCHED_WHATIF_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

struct move {
	uint32_t job_number;
	uint32_t before, after;		/* place in the list that each run shows, from 1 */
	int32_t places;			/* forward: > 0 */
};

enum moved_how {
	MOVED_STARTS,			/* it starts in the second run alone */
	MOVED_WAITS,			/* in the first one alone */
	MOVED_ELSEWHERE,		/* in both, on another queue instance or with other slots */
};

struct moved_start {
	enum moved_how how;
	uint32_t job_number, task;
	char *before, *after;		/* queue instance of its first slot; "" */
	uint32_t slots;
};

struct moved_sum {			/* of a user or a project */
	const char *name;		/* "": jobs without a project */
	uint64_t jobs;			/* that wait in both runs */
	uint64_t up, down;		/* of these */
	int64_t places;			/* of all of them together; what some win others lose */
	uint64_t starts, waits;		/* tasks that start in the second run alone, in the first */
};

struct moves {
	uint64_t jobs, up, down;	/* that wait in both runs; those that moved */
	uint64_t begun, back;		/* that wait in the first run alone, in the second */
	struct move *most;		/* those that moved farthest, the farthest first */
	size_t nmost;
	struct moved_start *starts;	/* by how, then job and task */
	size_t nstarts;
	uint64_t starting, waiting, elsewhere;	/* how many of each */
	/* whoever has any jobs or starts, most places first */
	struct moved_sum *users, *projects;
	size_t nusers, nprojects;
	/* by place in the first list, from 0: places moved; place in the second, 0: none there */
	int32_t *places;
	uint32_t *after;
	size_t nbefore;
};

/* At most so many of the farthest. -ENOMEM; moves_free() in any case. */
int moves_find(struct moves *moves, const struct fl_view *before, const struct fl_view *after, size_t most);
void moves_free(struct moves *moves);

/* Does anything differ? */
bool moves_any(const struct moves *moves);

#endif
