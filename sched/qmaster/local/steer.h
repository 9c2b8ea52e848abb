/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as an execution host: usage and tickets (steer.c), signals (signals.c). */
#ifndef SCHED_QMASTER_LOCAL_STEER_H
#define SCHED_QMASTER_LOCAL_STEER_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"
#include "sched/qmaster/order.h"
#include "sched/shepherd/record.h"

/*
 * Find processes of new tasks, apply shares, read usage and report it to the scheduler. Called
 * after a run.
 */
void steer_round(struct local *local);
/* Get the usage of a task as of the last round. Returns -ENOENT if its processes are not known. */
int steer_usage(const struct local *local, const struct local_task *task, struct host_usage *usage);
/*
 * Write usage that was reported to the scheduler to the store. The next scheduler begins with it
 * and books only the difference.
 */
int steer_save(struct local *local, struct error *error);
void steer_saved(struct local *local);	/* the usage is committed */
void steer_go_on(struct local *local);	/* write postponed values when it is time */
void steer_tickets(struct local *local, const struct order_tickets *tickets);
/*
 * Send a signal. Returns false if no process or not every process got it; then it must be sent
 * again.
 */
bool steer_signal(struct local *local, struct local_task *task, int signal);
/* Kill all processes that remain of a task whose shepherd has ended. */
void steer_kill(struct local *local, struct local_task *task, const struct attempt_process *leader);

/* signals.c */

/* Send a signal in one of the next turns. */
void signal_send(struct local_task *task, int signal);
/* SIGSTOP; with -notify: SIGUSR1 or NOTIFY_SUSP, and SIGSTOP after `notify` */
void signal_stop(const struct local *local, struct local_task *task);
/*
 * End a deleted task. The signal is the job's remove_kill_sig or kill_sig, otherwise the signal of
 * its queue's terminate_method. SIGKILL follows after job_max_vacate_time, otherwise after
 * `notify`. With -notify: SIGUSR2 or NOTIFY_KILL first, and all this after `notify`. By force: at
 * once.
 */
void signal_end(struct local *local, struct local_task *task);
/*
 * Begin or continue the h_rt and s_rt of a task. At s_rt the task gets SIGUSR1, at h_rt SIGKILL.
 * With -notify: SIGUSR2 at h_rt, and SIGKILL after `notify`.
 */
void signal_limit(struct local *local, struct local_task *task, const struct local_job *job);
/*
 * Set the signal with which the job wants to be ended, and whether it wants a notification before.
 */
void signal_of_job(const struct local *local, struct local_task *task, const struct local_job *job);
/* Send signals that are due, a few at a time. */
void signals_due(struct local *local);
uint64_t signals_next_ns(const struct local *local);

#endif
