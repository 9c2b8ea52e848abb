/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets as weights of cgroup v2. */
#ifndef SCHED_HOST_WEIGHTS_H
#define SCHED_HOST_WEIGHTS_H

#define WEIGHT_MIN 1
#define WEIGHT_MAX 10000

/*
 * In proportion to `most`, the most tickets that a task on this host has, to the nearest whole number from WEIGHT_MIN on. Tickets are finite and not negative. WEIGHT_MAX for all
 * when nobody has any.
 */
unsigned weight_of(double tickets, double most);

#endif
