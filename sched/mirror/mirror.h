/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mirror: the objects that the qmaster has reported. These are jobs, started tasks, usage, queue
 * instances and hosts. One function for each event of fairlead-events(5) updates them. Each call
 * makes the whole change or, with an error, none.
 *
 * All functions return 0 or
 *   -EINVAL   a value out of range            -ENOENT   no such job, task, instance
 *   -EEXIST   there is one already            -ENOMEM
 * with the reason in `error`. Strings and arrays are borrowed during the call.
 */
#ifndef SCHED_MIRROR_MIRROR_H
#define SCHED_MIRROR_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/mirror/event.h"

struct mirror;

int mirror_job_add(struct mirror *mirror, const struct job_spec *spec, struct error *error);
/*
 * A job without rare properties (event_like.c). It has the class of one existing job, the request
 * of another and the name of a third. These jobs were reported in full. They are identified by
 * mirror_job_row(), which is valid as long as none of them is deleted. A million jobs reported in
 * this form cost a fifth of the time.
 */
struct job_like {
	uint32_t job_number, class_of, request_of, name_of;
	int64_t submission_time;
	int32_t priority;
	bool reserve, eligible_at_submission;	/* enum job_wishes */
	/* with algorithm multifactor: the next two members are set, as in struct slurm_spec */
	bool computed;
	int64_t accrue_time;
	uint32_t slurm_priority;
	const struct condor_spec *numbers;	/* values of struct condor_job; NULL: none */
};
/* UINT32_MAX: no such job */
uint32_t mirror_job_row(struct mirror *mirror, uint32_t job_number);
int mirror_job_add_like(struct mirror *mirror, const struct job_like *like, struct error *error);
int mirror_job_modify(struct mirror *mirror, const struct job_spec *spec, struct error *error);
int mirror_job_delete(struct mirror *mirror, uint32_t job_number, struct error *error);
/*
 * Keep the job after its last task has ended, as an array without pending tasks, until it is
 * deleted. Jobs that wait for it continue to wait.
 */
int mirror_job_keep(struct mirror *mirror, uint32_t job_number, struct error *error);

/* `allocated` NULL: as the job requests. */
int mirror_task_start(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t start_time,
		      const struct granted *granted, size_t ngranted, const char *granted_pe,
		      const struct allocated *allocated, struct error *error);
/*
 * `state` is a non-empty combination of the letters h r t s S T. h: held, if it becomes pending
 * again.
 */
int mirror_task_state(struct mirror *mirror, uint32_t job_number, uint32_t task, const char *state,
		      struct error *error);
/* `usage` NULL: as last reported. `end_time` 0: time of the next run. */
int mirror_task_finish(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t end_time,
		       const struct usage_values *usage, struct error *error);
/*
 * Start a task whose start was not reported, at that time and on unknown instances, because its end
 * is about to be reported. No effect if its start was reported. -ENOENT: it is neither pending nor
 * started.
 */
int mirror_task_unseen(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t start_time,
		       struct error *error);
int mirror_task_requeue(struct mirror *mirror, uint32_t job_number, uint32_t task, struct error *error);
/* Requeue a task that had to release its slots. */
int mirror_vacated(struct mirror *mirror, const struct vacated_event *event, struct error *error);
/*
 * Set the pending tasks of a job that have a record of their own at the qmaster, and the ones of
 * them in error. Replaces the earlier report.
 */
int mirror_tasks_enrolled(struct mirror *mirror, const struct enrolled_event *enrolled, struct error *error);
int mirror_usage(struct mirror *mirror, uint32_t job_number, uint32_t task, const struct usage_values *usage,
		 struct error *error);
/*
 * Report usage of a task, for a caller that reports many tasks often. The names are numbers in
 * usage_names (tables.h). The values are finite and 0 to TICKETS_LIMIT. All names reported before
 * must be present; new ones may follow them. -ENOENT, -ENOMEM.
 */
struct usage_item;
int mirror_usage_raise(struct mirror *mirror, uint32_t job_number, uint32_t task, const struct usage_item *items,
		       size_t n);

/*
 * Apply a decision of the scheduler itself. The task is transferring (state t) under the number of
 * this order until the qmaster reports otherwise. Its task_start then replaces this start.
 * mirror_order_void() makes the task pending again, without any trace (-ENOENT: no task has this
 * order any more). Both change the active state, even while a snapshot is being received. The
 * snapshot has no orders, and its end voids all of them.
 *
 * The job keeps its position in the list until the task_start, because Grid Engine's own scheduler
 * moves it when the qmaster reports the change. Usage of such a task is kept, and booked after the
 * start is confirmed.
 */
int mirror_order_start(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t start_time,
		       const struct granted *granted, size_t ngranted, const char *granted_pe, uint64_t order,
		       struct error *error);
int mirror_order_void(struct mirror *mirror, uint32_t job_number, uint32_t task, uint64_t order, struct error *error);

/*
 * Set the raw usage of an association at `time_stamp` (epoch seconds; 0: time of the next pass).
 * The next run takes it over. In a snapshot it takes effect at the end. -ENOENT: the cell has no
 * such association.
 */
int mirror_association_usage(struct mirror *mirror, const char *account, const char *user, const char *partition,
			     double usage, int64_t time_stamp, struct error *error);

int mirror_user_usage(struct mirror *mirror, const struct object_usage *usage, struct error *error);
int mirror_project_usage(struct mirror *mirror, const struct object_usage *usage, struct error *error);
/*
 * Forget the usage of a user or, if `user` is false, of a project. Usage booked for jobs stays
 * booked. Long-term usage outside projects is kept too, unless the user is `gone`. Takes effect at
 * once, also while a snapshot is being received. No effect if there is no such object. -ENOMEM.
 */
int mirror_usage_forget(struct mirror *mirror, bool user, const char *name, bool gone);

/*
 * Set a queue instance. `slots` UINT32_MAX: the value of the queue's configuration. `state`: up to
 * 15 letters; "": usable.
 */
int mirror_queue_instance(struct mirror *mirror, const char *queue, uint32_t slots, const char *state,
			  struct error *error);
/*
 * Set the future changes of a known instance: an array from malloc(3), which the mirror owns from
 * now on. NULL: not reported.
 */
void mirror_instance_changes(struct mirror *mirror, const char *queue, struct calendar_change *changes, size_t n);
int mirror_queue_instance_delete(struct mirror *mirror, const char *queue, struct error *error);
/* Set a slot; its claim is kept (event_slots.c). -EEXIST: a queue instance has this name. */
int mirror_slot(struct mirror *mirror, const struct slot_event *event, struct error *error);
int mirror_slot_remove(struct mirror *mirror, const char *slot, struct error *error);
/* Set the claim of a slot. Replaces the earlier report. */
int mirror_claim(struct mirror *mirror, const struct claim_event *event, struct error *error);
/*
 * Replace all load values of this host; n == 0: it reports none. "global": values of the whole
 * cluster.
 */
int mirror_host_load(struct mirror *mirror, const char *host, const struct load_report *values, size_t n,
		     struct error *error);
/*
 * Set the tasks that were restarted elsewhere because this host did not answer. They do not start
 * there until another call omits them.
 */
int mirror_reschedule_unknown(struct mirror *mirror, const char *host, const struct task_name *tasks, size_t n,
			      struct error *error);
/*
 * Return a load value as a number, from the last report or otherwise from the cell's file. 0: it is
 * unknown, or not a number.
 */
double mirror_load_number(const struct mirror *mirror, const char *host, const char *name);
int mirror_host_state(struct mirror *mirror, const char *host, bool available, struct error *error);

/* Set an advance reservation. Replaces the earlier report of this number. */
int mirror_advance(struct mirror *mirror, const struct advance_event *event, struct error *error);
int mirror_advance_delete(struct mirror *mirror, uint32_t number, struct error *error);

/*
 * Begin, end or abort a snapshot. It is built up beside the active state and replaces it at its
 * end. Events between begin and end change the new state. A begin drops an open snapshot; so does
 * an end that fails. An end without begin is -ENOENT; an abort without one has no effect.
 */
int mirror_snapshot_begin(struct mirror *mirror, struct error *error);
int mirror_snapshot_end(struct mirror *mirror, struct error *error);
void mirror_snapshot_abort(struct mirror *mirror);

/*
 * Forget the tasks that have ended since the last run. A snapshot keeps them: tasks that ended
 * before it are still booked. For a qmaster whose snapshots report again all ends that are not
 * booked yet.
 */
void mirror_forget_ends(struct mirror *mirror);

bool mirror_in_snapshot(const struct mirror *mirror);

/*
 * Second part of an event from which a scheduler continues (event_resume.c), for mirror_apply().
 * The task is started, and the object, instance or reported usage exists by now.
 */
int mirror_job_allocated(struct mirror *mirror, const struct job_spec *spec, struct error *error);
int mirror_task_limited(struct mirror *mirror, const struct task_event *event, struct error *error);
int mirror_task_charged(struct mirror *mirror, const struct task_event *event, struct error *error);
int mirror_task_values(struct mirror *mirror, const struct task_event *event, struct error *error);
int mirror_automatic_user(struct mirror *mirror, const struct object_usage *user, struct error *error);
void mirror_instance_place(struct mirror *mirror, const struct instance_event *event);
void mirror_association_values(struct mirror *mirror, const struct association_event *event);
int mirror_pe_place(struct mirror *mirror, const struct pe_event *event, struct error *error);
/* Call after the usage of users and projects, whose report makes earlier bookings obsolete. */
int mirror_debited_usage(struct mirror *mirror, const struct debited_event *event, struct error *error);
/* Set state that the next run takes over. The following functions do the same. */
int mirror_scheduler_state(struct mirror *mirror, const struct scheduler_event *event, struct error *error);
int mirror_customer(struct mirror *mirror, const struct customer_event *event, struct error *error);
int mirror_charged_slot(struct mirror *mirror, const struct charge_event *event, struct error *error);
int mirror_winner(struct mirror *mirror, const struct winner_event *event, struct error *error);

#endif
