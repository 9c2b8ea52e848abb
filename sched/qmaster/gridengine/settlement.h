/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders, confirmed by events. The qmaster answers "OK" to every order. A start counts when an
 * event of the task shows it. It is void, and the task is pending again, when two deliveries after
 * the answer do not show it. A finished task is removed only after the qmaster has shown that the
 * usage order took effect.
 *
 * take.c calls this for events. gridengine.c calls it when a run was published, when answers come,
 * and when no order may be sent any more.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_SETTLEMENT_H
#define SCHED_QMASTER_GRIDENGINE_SETTLEMENT_H

#include "sched/qmaster/gridengine/inside.h"

int settlement_open(struct sge *sge, struct error *error);
void settlement_close(struct sge *sge);

/* Handle events, called by take*.c. */
/* JATASK_* with status transferring or running. */
void settlement_started(struct sge *sge, uint32_t job_number, uint32_t task);
/* JATASK_* with status 0: a start was refused. */
void settlement_enrolled(struct sge *sge, uint32_t job_number, uint32_t task);
/* Note that a task has ended. It is booked if there is usage, and then removed. */
void settlement_finished(struct sge *sge, uint32_t job_number, uint32_t task, bool booking);
/* JATASK_DEL; JOB_DEL: task 0 for all tasks. */
void settlement_removed(struct sge *sge, uint32_t job_number, uint32_t task);
void settlement_delivered(struct sge *sge);	/* end of a delivery */
/* A total update is in force: earlier orders are void. */
void settlement_updated(struct sge *sge);

/* Handle an answer. bytes NULL: it was lost. */
void settlement_answered(struct sge *sge, uint64_t request, const unsigned char *bytes, size_t n);

/* Handle a published run. `stored`: its bookings are on the disk, or there is no store. */
void settlement_ran(struct sge *sge, int64_t now, bool stored);
/* Send pending orders if the role is ours. Called at the end of each turn. */
void settlement_send(struct sge *sge);
/*
 * Same as settlement_send(), if another scheduler has the role or had it until now. It books the
 * ends of tasks, and usage is taken from the qmaster.
 */
void settlement_watch(struct sge *sge);
/* Stop sending: the connection or the role is lost. */
void settlement_stop(struct sge *sge);
/*
 * Order no more starts. Returns true when all orders are completed, including usage and share tree.
 */
bool settlement_finish(struct sge *sge);
void settlement_resume(struct sge *sge);	/* continue after settlement_finish() */

#endif
