/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch as the rest of the scheduler knows it. */
#ifndef SCHED_DISPATCH_PHASE_H
#define SCHED_DISPATCH_PHASE_H

struct sched;

/* Two phases of a run. -ENOMEM. */
/* phase.c: hosts, instances, loads, what running tasks use; sets run.free_slots */
int run_cluster(struct sched *s);
/* loop.c: pending jobs, best first: starts and reservations */
int run_dispatch(struct sched *s);

/* The cell is about to be freed: nothing of it is kept. */
void dispatch_forget(struct sched *s);
void dispatch_free(struct sched *s);

#endif
