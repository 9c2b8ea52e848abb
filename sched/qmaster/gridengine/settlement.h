/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders, settled by what is seen. The qmaster answers "OK" to everything: a start counts when the
 * task's event says so; it is void, and the task pending again, when two deliveries after the
 * answer do not show it. A finished task is removed only when the qmaster has shown that the usage
 * order took effect.
 *
 * take.c tells what is seen; gridengine.c when a run has been published, when answers come, and
 * when nothing may be sent any more.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_SETTLEMENT_H
#define SCHED_QMASTER_GRIDENGINE_SETTLEMENT_H

#include "sched/qmaster/gridengine/inside.h"

int settlement_open(struct sge *sge, struct error *error);
void settlement_close(struct sge *sge);

/* Seen in events, by take*.c. */
void settlement_started(struct sge *sge, uint32_t job_number,
			uint32_t task); /* JATASK_* with status transferring or running */
void settlement_enrolled(struct sge *sge, uint32_t job_number,
			 uint32_t task); /* JATASK_* with status 0: a start was refused */
/* It ended: to be booked, if there is anything to be booked, then removed. */
void settlement_finished(struct sge *sge, uint32_t job_number, uint32_t task, bool booking);
void settlement_removed(struct sge *sge, uint32_t job_number, uint32_t task);	/* JATASK_DEL, JOB_DEL (task 0: all) */
/*
 * Was the end of this task, which the qmaster still has, booked by a run? It is not to be told
 * again.
 */
bool settlement_booked(const struct sge *sge, uint32_t job_number, uint32_t task);
void settlement_delivered(struct sge *sge);	/* the end of a delivery */
void settlement_updated(struct sge *sge);		/* a total update is in force: all orders before it are void */

/* An answer came; bytes NULL: it was lost. */
void settlement_answered(struct sge *sge, uint64_t request, const unsigned char *bytes, size_t n);

/*
 * A run at `now` was published; `stored`: its bookings are on the disk, or nothing is kept there.
 */
void settlement_ran(struct sge *sge, int64_t now, bool stored);
/* Send what is to be sent, if the place is ours: called at the end of each turn. */
void settlement_send(struct sge *sge);
/*
 * The same, where another one is the scheduler, or was until now: the ends of tasks are his to
 * book, and usage is what the qmaster tells of it.
 */
void settlement_watch(struct sge *sge);
/* Nothing may be sent: the connection or the place is lost. */
void settlement_stop(struct sge *sge);
/* No starts from now on; true when nothing is on its way any more, usage and tree included. */
bool settlement_finish(struct sge *sge);
void settlement_resume(struct sge *sge);	/* it goes on after all */

#endif
