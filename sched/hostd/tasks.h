/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of this host: what the scheduler has sent of them, how their processes are found, and
 * what they have used. It stands between the wire and the spool on one side and sched/host on the
 * other.
 *
 * A task may have several parts, each with processes of its own: those of a parallel job have one
 * group id each. It is there as long as it has one; the scheduler may send it earlier and forget it
 * later.
 */
#ifndef HOSTD_TASKS_H
#define HOSTD_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "sched/host/host.h"
#include "sched/hostd/spool.h"
#include "sched/wire/content.h"

/* whose last usage is kept until the scheduler has it; the oldest go first */
#define TASKS_ENDED 65536u

struct tasks_here;

/* -ENOMEM. `host` is borrowed. */
int tasks_create(struct tasks_here **tasks, struct host *host);
void tasks_destroy(struct tasks_here *tasks);

/*
 * The newest complete set. Those that say how their processes are found are there from now on,
 * until a set does not name them any more; the others keep their tickets until they end.
 */
void tasks_told(struct tasks_here *tasks, const struct wire_task *told, size_t n);

/* All that the spool has. What it had before and has no more has ended. */
void tasks_found(struct tasks_here *tasks, const struct spool_scan *scan);

/*
 * What there is to report: the last usage of tasks that have ended, then cumulative usage of those
 * that the scheduler has sent. To be freed. NULL: no memory, *n is 0.
 */
struct wire_usage *tasks_usage(const struct tasks_here *tasks, size_t *n);

/*
 * `n` of these from `first` on were reported in message `number`; the scheduler has taken all up to
 * `taken`. What has ended is reported again as long as the scheduler sends the task: until then its
 * end is not booked, and a scheduler that dies has taken it for nothing.
 */
void tasks_said(struct tasks_here *tasks, size_t first, size_t n, uint64_t number);
void tasks_taken(struct tasks_here *tasks, uint64_t taken);
/* A new session: numbers begin anew, so what was not taken is to be reported again. */
void tasks_unsaid(struct tasks_here *tasks);

size_t tasks_count(const struct tasks_here *tasks);	/* that are there */

/*
 * Those for which the kernel has refused the lever in the last round, and why: the last one's
 * -errno.
 */
size_t tasks_refused(const struct tasks_here *tasks, int *error);
/* that could not be added since the last call; clears it */
size_t tasks_failed(struct tasks_here *tasks);

#endif
