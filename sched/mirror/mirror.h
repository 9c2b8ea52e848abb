/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mirror: what the qmaster has told us. Jobs, started tasks, usage, queue instances and hosts,
 * kept in step by one function per event of fairlead-events(5). Each call changes everything it
 * should or, with an error, nothing.
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

#include "conf/error.h"
#include "sched/mirror/event.h"

struct mirror;

int mirror_job_add(struct mirror *mirror, const struct job_spec *spec, struct error *error);
/*
 * event_like.c: a job that is in the class of one that there is, has the request of another and the
 * name of a third, which all have been told in full; and has nothing that is rare. They are known
 * by what mirror_job_row() says, which holds as long as none is deleted. To tell a million jobs so
 * costs a fifth.
 */
struct job_like {
	uint32_t job_number, class_of, request_of, name_of;
	int64_t submission_time;
	int32_t priority;
	bool reserve;
	bool computed;			/* with algorithm multifactor: as in struct slurm_spec, */
	int64_t accrue_time;
	uint32_t slurm_priority;
	const struct condor_spec *numbers;	/* those of struct condor_job; NULL: none */
};
uint32_t mirror_job_row(struct mirror *mirror, uint32_t job_number);	/* UINT32_MAX: there is none */
int mirror_job_add_like(struct mirror *mirror, const struct job_like *like, struct error *error);
int mirror_job_modify(struct mirror *mirror, const struct job_spec *spec, struct error *error);
int mirror_job_delete(struct mirror *mirror, uint32_t job_number, struct error *error);
/*
 * It stays known when the last of its tasks has ended, as an array of which nothing waits, until it
 * is deleted: jobs that wait for it wait on.
 */
int mirror_job_keep(struct mirror *mirror, uint32_t job_number, struct error *error);

/* `allocated` NULL: as the job asks for it. */
int mirror_task_start(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t start_time,
		      const struct granted *granted, size_t ngranted, const char *granted_pe,
		      const struct allocated *allocated, struct error *error);
/* `state` is a non-empty combination of the letters h r t s S T; h: it is held, should it wait again. */
int mirror_task_state(struct mirror *mirror, uint32_t job_number, uint32_t task, const char *state,
		      struct error *error);
/* `usage` NULL: as last reported. `end_time` 0: in the next run. */
int mirror_task_finish(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t end_time,
		       const struct usage_values *usage, struct error *error);
/*
 * One whose start nobody told was started then, on instances that are not known: it is about to be
 * told that it ended. Nothing, if its start was told. -ENOENT: it neither waits nor is started.
 */
int mirror_task_unseen(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t start_time,
		       struct error *error);
int mirror_task_requeue(struct mirror *mirror, uint32_t job_number, uint32_t task, struct error *error);
/* The same of one that was to give back its slots. */
int mirror_vacated(struct mirror *mirror, const struct vacated_event *event, struct error *error);
/*
 * Those of a job's tasks that wait with a record of their own at the qmaster, and which of them are
 * in error; in place of what was told before.
 */
int mirror_tasks_enrolled(struct mirror *mirror, const struct enrolled_event *enrolled, struct error *error);
int mirror_usage(struct mirror *mirror, uint32_t job_number, uint32_t task, const struct usage_values *usage,
		 struct error *error);
/*
 * The same for who reports of many tasks often: names by their numbers in usage_names (tables.h),
 * values that are finite and 0 to TICKETS_LIMIT, all names that were told before or new ones behind
 * them. -ENOENT, -ENOMEM.
 */
struct usage_item;
int mirror_usage_raise(struct mirror *mirror, uint32_t job_number, uint32_t task, const struct usage_item *items,
		       size_t n);

/*
 * What the scheduler decides itself: the task is transferring (state t) under this order's number
 * until the qmaster says otherwise. Its task_start then replaces what is here; mirror_order_void()
 * makes it pending again as if nothing had been (-ENOENT: no task has this order any more). Both
 * are about the state in force, even while a snapshot is coming in: that has no orders, and voids
 * all with its end.
 *
 * The job keeps its place in the list until the task_start, as Grid Engine's own scheduler moves it
 * when the qmaster tells of the change. Usage of such a task is kept, and booked once it has really
 * started.
 */
int mirror_order_start(struct mirror *mirror, uint32_t job_number, uint32_t task, int64_t start_time,
		       const struct granted *granted, size_t ngranted, const char *granted_pe, uint64_t order,
		       struct error *error);
int mirror_order_void(struct mirror *mirror, uint32_t job_number, uint32_t task, uint64_t order, struct error *error);

/*
 * Raw usage of an association, as it was at `time_stamp` (epoch seconds; 0: as it is at the next
 * pass). The next run takes it over. In a snapshot it waits for its end. -ENOENT: the cell has no
 * such association.
 */
int mirror_association_usage(struct mirror *mirror, const char *account, const char *user, const char *partition,
			     double usage, int64_t time_stamp, struct error *error);

int mirror_user_usage(struct mirror *mirror, const struct object_usage *usage, struct error *error);
int mirror_project_usage(struct mirror *mirror, const struct object_usage *usage, struct error *error);
/*
 * What a user (else a project) has used so far counts no more; what was booked for jobs stays
 * booked. Long-term usage outside projects stays, too, unless he is `gone`. In force at once, also
 * while a snapshot is coming in; nothing if there is no such object. -ENOMEM.
 */
int mirror_usage_forget(struct mirror *mirror, bool user, const char *name, bool gone);

/*
 * `slots` UINT32_MAX: the value of the queue's configuration. `state`: up to 15 letters; "":
 * usable.
 */
int mirror_queue_instance(struct mirror *mirror, const char *queue, uint32_t slots, const char *state,
			  struct error *error);
/*
 * What is to come of one that is known: an array from malloc(3), which is the mirror's now; NULL:
 * not told.
 */
void mirror_instance_changes(struct mirror *mirror, const char *queue, struct calendar_change *changes, size_t n);
int mirror_queue_instance_delete(struct mirror *mirror, const char *queue, struct error *error);
/*
 * event_slots.c. A slot is as it is told from now on; who has it stays. -EEXIST: the name is that
 * of a queue instance.
 */
int mirror_slot(struct mirror *mirror, const struct slot_event *event, struct error *error);
int mirror_slot_remove(struct mirror *mirror, const char *slot, struct error *error);
/* In place of what was told of its claim before. */
int mirror_claim(struct mirror *mirror, const struct claim_event *event, struct error *error);
/*
 * Replaces all that was told of this host before; n == 0: it reports nothing. "global": values of
 * the whole cluster.
 */
int mirror_host_load(struct mirror *mirror, const char *host, const struct load_report *values, size_t n,
		     struct error *error);
/*
 * Tasks that were started anew elsewhere since this host was not heard any more: they don't start
 * there, until another call leaves them out.
 */
int mirror_reschedule_unknown(struct mirror *mirror, const char *host, const struct task_name *tasks, size_t n,
			      struct error *error);
/*
 * One of them as a number, of the last report or else of the cell's file; 0: it is not known, or is
 * no number.
 */
double mirror_load_number(const struct mirror *mirror, const char *host, const char *name);
int mirror_host_state(struct mirror *mirror, const char *host, bool available, struct error *error);

/* It is as told from now on, whatever was told of this number before. */
int mirror_advance(struct mirror *mirror, const struct advance_event *event, struct error *error);
int mirror_advance_delete(struct mirror *mirror, uint32_t number, struct error *error);

/*
 * A snapshot is built up beside the state in force and replaces it at its end. begin while one is
 * open drops the open one, and so does an end that fails; end without begin is -ENOENT, abort
 * without one does nothing. Events between them go to the new state.
 */
int mirror_snapshot_begin(struct mirror *mirror, struct error *error);
int mirror_snapshot_end(struct mirror *mirror, struct error *error);
void mirror_snapshot_abort(struct mirror *mirror);

/*
 * Forget which tasks have ended since the last run. A snapshot does not: what ended before it is
 * still booked. This is for a qmaster whose snapshots tell all ends anew that are not booked yet.
 */
void mirror_forget_ends(struct mirror *mirror);

bool mirror_in_snapshot(const struct mirror *mirror);

/*
 * Where a scheduler goes on (event_resume.c), for mirror_apply(): the rest of an event whose task
 * is started, whose object, instance or told usage is there by now.
 */
int mirror_job_allocated(struct mirror *mirror, const struct job_spec *spec, struct error *error);
int mirror_task_limited(struct mirror *mirror, const struct task_event *event, struct error *error);
int mirror_task_charged(struct mirror *mirror, const struct task_event *event, struct error *error);
int mirror_task_values(struct mirror *mirror, const struct task_event *event, struct error *error);
int mirror_automatic_user(struct mirror *mirror, const struct object_usage *user, struct error *error);
void mirror_instance_place(struct mirror *mirror, const struct instance_event *event);
void mirror_association_values(struct mirror *mirror, const struct association_event *event);
int mirror_pe_place(struct mirror *mirror, const struct pe_event *event, struct error *error);
/* Behind the usage of users and projects, which says that what was booked before is forgotten. */
int mirror_debited_usage(struct mirror *mirror, const struct debited_event *event, struct error *error);
/* The next run takes it over: this, and what follows it. */
int mirror_scheduler_state(struct mirror *mirror, const struct scheduler_event *event, struct error *error);
int mirror_customer(struct mirror *mirror, const struct customer_event *event, struct error *error);
int mirror_charged_slot(struct mirror *mirror, const struct charge_event *event, struct error *error);
int mirror_winner(struct mirror *mirror, const struct winner_event *event, struct error *error);

#endif
