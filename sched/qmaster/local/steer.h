/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on this machine as an execution host: usage and tickets (steer.c), signals (signals.c). */
#ifndef SCHED_QMASTER_LOCAL_STEER_H
#define SCHED_QMASTER_LOCAL_STEER_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"
#include "sched/qmaster/order.h"
#include "sched/shepherd/record.h"

void steer_round(struct local *l);
/*
 * Usage that was told since the last call, into the store: what a scheduler after this one begins
 * with, so that it books only what is more.
 */
int steer_save(struct local *l, struct error *error);
void steer_saved(struct local *l);	/* it is committed */
void steer_go_on(struct local *l);	/* if it is time */
void steer_tickets(struct local *l, const struct order_tickets *tickets);
/* false: nobody has got it, or not all have: again */
bool steer_signal(struct local *l, struct local_task *t, int signal);
void steer_kill(struct local *l, struct local_task *t, const struct attempt_process *leader);

/* Signals.c */

void signal_send(struct local_task *t, int signal);	/* soon */
/* it was deleted: its queue's signal, and SIGKILL after the grace; SIGKILL if forced */
void signal_end(struct local *l, struct local_task *t);
/* its h_rt begins, or goes on */
void signal_limit(struct local *l, struct local_task *t, const struct local_job *job);
void signals_due(struct local *l);
uint64_t signals_next_ns(const struct local *l);

#endif
