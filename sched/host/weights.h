/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets in proportion: as weights of cgroup v2, and as nice levels of groups that the kernel
 * weighs against each other.
 */
#ifndef SCHED_HOST_WEIGHTS_H
#define SCHED_HOST_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#define WEIGHT_MIN 1
#define WEIGHT_MAX 10000
#define WEIGHT_USUAL 100		/* what the kernel gives to a new cgroup */

struct cpu_weights {		/* of the tasks on a host; zero at first */
	double sum, least, most;	/* tickets, of those that have any */
	size_t n;
};

/* One more task. Tickets are finite and not negative. */
void weights_add(struct cpu_weights *weights, double tickets);

/*
 * In proportion to tickets, to the nearest whole number from WEIGHT_MIN to WEIGHT_MAX. Tasks with
 * the mean of all tickets have WEIGHT_USUAL, unless those with the fewest would get too small a
 * number for a proportion: then all are raised, as far as there is room. Without tickets:
 * WEIGHT_MIN, but WEIGHT_USUAL for all when nobody has any.
 *
 * Great weights would be the same proportions. But before it was rewritten for 6.6 the kernel's
 * scheduler kept what it owed to a group when its weight was changed, not by how much that counted:
 * groups raised from 100 to 10000 made up for milliseconds of before by seconds.
 */
unsigned weight_of(const struct cpu_weights *weights, double tickets);

/*
 * The same as a nice level: the kernel gives each level 1.25 times the weight of the next one.
 * `best` for those with the most, and none beyond `weakest`.
 */
int level_of(const struct cpu_weights *weights, double tickets, int best, int weakest);

#define LEVEL_BEST (-20)
#define LEVEL_WEAKEST 19

/*
 * What the kernel makes of a nice level, of a process or of a group: 1024 for 0, 15 for
 * LEVEL_WEAKEST.
 */
unsigned level_weight(int level);

/* of a task's sessions: so many of them `level`, the others the next weaker one */
struct levels {
	int level;
	uint32_t better;
};

/*
 * One level's weight divided among so many sessions: the sum of theirs is as near to it as levels
 * permit, and nearer than a step. But none gets less than LEVEL_WEAKEST: more than weight / 15
 * sessions have more than the task should, each of them 15.
 */
struct levels levels_split(int level, uint32_t sessions);

#endif
