/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of this host: their tickets, how their processes are found, and their usage. This module
 * connects the wire and the spool with sched/host.
 *
 * A task may have several parts with processes of their own: each part of a parallel job has a
 * group id. A task is present while it has a part. The scheduler may send a task before it is
 * present, and stop sending it after it has ended.
 */
#ifndef HOSTD_TASKS_H
#define HOSTD_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "sched/host/host.h"
#include "sched/hostd/spool.h"
#include "sched/wire/content.h"

/*
 * Ended tasks whose last usage is kept until the scheduler has taken it. The oldest are dropped
 * first.
 */
#define TASKS_ENDED 65536u

struct tasks_here;

/* Create the table of tasks. `host` is borrowed. Returns 0 or -ENOMEM. */
int tasks_create(struct tasks_here **tasks, struct host *host);
void tasks_destroy(struct tasks_here *tasks);

/*
 * Apply the newest complete set of the scheduler.
 *
 * A task whose processes can be found by its entry is present from now on, until a set does not
 * contain it. Other tasks keep their tickets until they end.
 */
void tasks_receive(struct tasks_here *tasks, const struct wire_task *received, size_t n);

/*
 * Apply a scan of the spool. Parts that were in the last scan and are not in this one have ended.
 */
void tasks_found(struct tasks_here *tasks, const struct spool_scan *scan);

/*
 * Return the usage to be reported: the last usage of ended tasks, then the cumulative usage of
 * tasks that the scheduler has sent.
 *
 * The caller frees the array. Returns NULL and *n = 0 if memory is exhausted.
 */
struct wire_usage *tasks_usage(const struct tasks_here *tasks, size_t *n);

/*
 * Track which usage the scheduler has taken. tasks_said(): `n` items of tasks_usage() from `first`
 * on were reported in message `number`. tasks_taken(): the scheduler has taken all messages up to
 * `taken`.
 *
 * The usage of an ended task is reported again as long as the scheduler sends the task. Until then
 * its end is not booked, and would be lost if the scheduler dies.
 */
void tasks_said(struct tasks_here *tasks, size_t first, size_t n, uint64_t number);
void tasks_taken(struct tasks_here *tasks, uint64_t taken);
/*
 * Begin a new session. Message numbers start again at 1, so usage that was not taken is reported
 * again.
 */
void tasks_unsaid(struct tasks_here *tasks);

size_t tasks_count(const struct tasks_here *tasks);	/* Return the number of present tasks. */

/*
 * Return the number of tasks whose control settings the kernel refused in the last round. *error is
 * the -errno of the last one.
 */
size_t tasks_refused(const struct tasks_here *tasks, int *error);
/* Return the number of tasks that could not be added since the last call. */
size_t tasks_failed(struct tasks_here *tasks);

#endif
