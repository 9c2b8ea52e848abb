/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on this machine as an execution host: usage and tickets (steer.c), signals (signals.c). */
#ifndef SCHED_QMASTER_LOCAL_STEER_H
#define SCHED_QMASTER_LOCAL_STEER_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"
#include "sched/qmaster/order.h"
#include "sched/shepherd/record.h"

/* After a run: finds processes of new tasks, moves levers, reads usage and tells the scheduler. */
void steer_round(struct local *local);
/* The usage of a task as of the last round. -ENOENT: its processes are not known. */
int steer_usage(const struct local *local, const struct local_task *task, struct host_usage *usage);
/*
 * Puts usage that the scheduler was told into the store: the next scheduler begins with it, and
 * books only what is more.
 */
int steer_save(struct local *local, struct error *error);
void steer_saved(struct local *local);	/* it is committed */
void steer_go_on(struct local *local);	/* levers that were put off, if it is time */
void steer_tickets(struct local *local, const struct order_tickets *tickets);
/* False: no process or not all of them have got the signal; it is to be sent again. */
bool steer_signal(struct local *local, struct local_task *task, int signal);
/* Kills all that is left of a task whose shepherd is gone. */
void steer_kill(struct local *local, struct local_task *task, const struct attempt_process *leader);

/* Signals.c */

/* In one of the next turns. */
void signal_send(struct local_task *task, int signal);
void signal_stop(struct local_task *task);		/* SIGSTOP; -notify: SIGUSR1, and that after `notify` */
/*
 * It was deleted: the job's remove_kill_sig or kill_sig, else the signal of its queue's
 * terminate_method; SIGKILL after job_max_vacate_time, else `notify`. -notify: SIGUSR2, and all
 * that after `notify`. By force, at once.
 */
void signal_end(struct local *local, struct local_task *task);
/*
 * Begin its h_rt and s_rt, or continue them. When s_rt is over the task gets SIGUSR1, when h_rt is
 * over SIGKILL; -notify: SIGUSR2, and that after `notify`.
 */
void signal_limit(struct local *local, struct local_task *task, const struct local_job *job);
/* With what signal the job wants to be deleted, and whether it wants to be told before. */
void signal_of_job(const struct local *local, struct local_task *task, const struct local_job *job);
/* Sends those that are due, a few at a time. */
void signals_due(struct local *local);
uint64_t signals_next_ns(const struct local *local);

#endif
