/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proportional shares: tickets as weights of cgroup v2, and as nice levels of groups that the
 * kernel weights against each other.
 */
#ifndef SCHED_HOST_WEIGHTS_H
#define SCHED_HOST_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#define WEIGHT_MIN 1
#define WEIGHT_MAX 10000
#define WEIGHT_USUAL 100		/* weight of a new cgroup */

struct cpu_weights {		/* Sums over the tasks of a host. Zero-initialized. */
	double sum, least, most;	/* tickets of tasks that have any */
	size_t n;
};

/* Add a task. Tickets are finite and not negative. */
void weights_add(struct cpu_weights *weights, double tickets);

/*
 * Return the weight in proportion to tickets, rounded, in WEIGHT_MIN..WEIGHT_MAX. Tasks with the
 * mean of all tickets have WEIGHT_USUAL. If the smallest weight would be too small for a
 * proportion, all weights are raised, as far as the range permits. A task without tickets has
 * WEIGHT_MIN; if no task has tickets, all have WEIGHT_USUAL.
 *
 * Large weights would express the same proportions. However, before it was rewritten for 6.6, the
 * kernel's scheduler kept the lag of a group unscaled when the weight changed. Groups raised from
 * 100 to 10000 then compensated milliseconds of earlier waiting by seconds.
 */
unsigned weight_of(const struct cpu_weights *weights, double tickets);

/*
 * Return the proportion as a nice level: each level has 1.25 times the weight of the next one.
 * Tasks with the most tickets have `best`; no task is weaker than `weakest`.
 */
int level_of(const struct cpu_weights *weights, double tickets, int best, int weakest);

#define LEVEL_BEST (-20)
#define LEVEL_WEAKEST 19

/*
 * Return the kernel's weight of a nice level, of a process or of a group: 1024 for 0, 15 for
 * LEVEL_WEAKEST.
 */
unsigned level_weight(int level);

/* Levels of a task's sessions: `better` of them have `level`, the others the next weaker one. */
struct levels {
	int level;
	uint32_t better;
};

/*
 * Divide the weight of one level among sessions. The sum of their weights is as close to it as
 * levels permit, with an error of less than a step. No session is weaker than LEVEL_WEAKEST. More
 * than weight / 15 sessions, with a weight of 15 each, therefore have more than the task's share.
 */
struct levels levels_split(int level, uint32_t sessions);

#endif
