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
#include "sched/process/ranges.h"

struct mirror;

enum job_member {		/* which members of a job_spec are given; bits */
	JOB_NAME = 1 << 0, JOB_OWNER = 1 << 1, JOB_PROJECT = 1 << 2, JOB_DEPARTMENT = 1 << 3,
	JOB_SUBMISSION_TIME = 1 << 4, JOB_PRIORITY = 1 << 5, JOB_JOBSHARE = 1 << 6, JOB_OVERRIDE_TICKETS = 1 << 7,
	JOB_DEADLINE = 1 << 8, JOB_EXECUTION_TIME = 1 << 9, JOB_HOLD_JID = 1 << 10, JOB_HARD = 1 << 11,
	JOB_SOFT = 1 << 12, JOB_PE = 1 << 13, JOB_PE_RANGE = 1 << 14, JOB_TASKS = 1 << 15, JOB_TC = 1 << 16,
	JOB_HOLD = 1 << 17, JOB_ERROR = 1 << 18, JOB_HARD_QUEUES = 1 << 19, JOB_SOFT_QUEUES = 1 << 20,
	JOB_MASTER_QUEUES = 1 << 21, JOB_CKPT = 1 << 22, JOB_GROUP = 1 << 23, JOB_RESERVE = 1 << 24, JOB_NOW = 1 << 25,
	JOB_ACCOUNT = 1 << 26,
};

enum slurm_member {		/* the same for a slurm_spec */
	SLURM_PARTITION = 1 << 0, SLURM_QOS = 1 << 1, SLURM_TRES = 1 << 2, SLURM_NODES = 1 << 3, SLURM_CPUS = 1 << 4, SLURM_TIME_LIMIT = 1 << 5,
	SLURM_ELIGIBLE_TIME = 1 << 6, SLURM_ACCRUE_TIME = 1 << 7, SLURM_NICE = 1 << 8, SLURM_SITE_FACTOR = 1 << 9, SLURM_DIRECT_PRIORITY = 1 << 10,
};

#define SLURM_NICE_MOST 2147483645

struct slurm_spec {		/* what Slurm's priorities need to know of a job */
	uint32_t given;			/* enum slurm_member bits */
	/* "batch,debug"; one name; "cpu=2,mem=4000M,node=1". NULL or "": none */
	const char *partition, *qos, *tres;
	/* least number of nodes, 0: 1; number of cpus, 0: unknown */
	uint32_t nodes, cpus;
	uint32_t time_limit;		/* minutes; UINT32_MAX: the partition's */
	int64_t eligible_time, accrue_time;	/* epoch seconds; 0: worked out here */
	int32_t nice, site_factor;	/* -2147483645..2147483645 */
	uint32_t direct_priority;	/* in place of all factors; 0 = none */
};

enum hold_kind { HOLD_USER, HOLD_OPERATOR, HOLD_SYSTEM, HOLD_KINDS };

struct job_spec {		/* job_add, job_modify; members not given are zero or NULL */
	uint32_t given;		/* enum job_member bits */
	uint32_t job_number;
	const char *name, *owner, *project, *department;	/* NULL or "": none */
	int64_t submission_time, deadline, execution_time;	/* epoch seconds */
	int32_t priority;
	uint32_t jobshare, override_tickets, task_concurrency;
	const char *hard, *soft, *pe, *pe_range;
	const char *hard_queues, *soft_queues, *master_queues;	/* -q, -soft -q, -masterq */
	const char *ckpt;		/* checkpointing environment */
	const char *group;		/* the owner's Unix group: for @group in access lists */
	struct ranges tasks;			/* n == 0: not an array */
	struct ranges hold[HOLD_KINDS];
	const uint32_t *hold_jid;
	size_t nhold_jid;
	bool error;
	const char *error_reason;	/* NULL: nobody said */
	bool reserve, now;		/* -R y, -now y */
	const char *account;		/* -A */
	struct slurm_spec slurm;
};

struct granted {		/* one entry of a started task's queue list */
	const char *queue;	/* "all.q@host" */
	uint32_t slots;		/* >= 1 */
};

/* what a started task has, as Slurm says it; NULL or "": what the job asks for */
struct allocated {
	const char *partition, *tres;
};

struct usage_value {
	const char *name;
	double value;		/* finite, >= 0 */
};

struct usage_values {		/* in the order given: sums are made in this order */
	const struct usage_value *items;
	size_t n;
};

int mirror_job_add(struct mirror *m, const struct job_spec *spec, struct error *error);
int mirror_job_modify(struct mirror *m, const struct job_spec *spec, struct error *error);
int mirror_job_delete(struct mirror *m, uint32_t job_number, struct error *error);

/* `allocated` NULL: as the job asks for it. */
int mirror_task_start(struct mirror *m, uint32_t job_number, uint32_t task, int64_t start_time, const struct granted *granted,
		      size_t ngranted, const char *granted_pe, const struct allocated *allocated, struct error *error);
/* `state` is a non-empty combination of the letters r t s S T. */
int mirror_task_state(struct mirror *m, uint32_t job_number, uint32_t task, const char *state, struct error *error);
/* `usage` NULL: as last reported. `end_time` 0: in the next run. */
int mirror_task_finish(struct mirror *m, uint32_t job_number, uint32_t task, int64_t end_time, const struct usage_values *usage,
		       struct error *error);
int mirror_task_requeue(struct mirror *m, uint32_t job_number, uint32_t task, struct error *error);
int mirror_usage(struct mirror *m, uint32_t job_number, uint32_t task, const struct usage_values *usage, struct error *error);

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
int mirror_order_start(struct mirror *m, uint32_t job_number, uint32_t task, int64_t start_time, const struct granted *granted,
		       size_t ngranted, const char *granted_pe, uint64_t order, struct error *error);
int mirror_order_void(struct mirror *m, uint32_t job_number, uint32_t task, uint64_t order, struct error *error);

struct project_usage {		/* a user's usage in a project */
	const char *project;
	struct usage_values usage, long_term;
};

struct debited_usage {		/* what was booked for a job that still runs */
	uint32_t job_number;
	struct usage_values usage;
};

struct object_usage {		/* user_usage, project_usage */
	const char *name;
	int64_t time_stamp;
	struct usage_values usage, long_term;
	const struct debited_usage *debited;
	size_t ndebited;
	const struct project_usage *projects;	/* users only */
	size_t nprojects;
};

/*
 * Raw usage of an association, as it was at `time_stamp` (epoch seconds; 0: as it is at the next
 * pass). The next run takes it over. In a snapshot it waits for its end. -ENOENT: the cell has no
 * such association.
 */
int mirror_association_usage(struct mirror *m, const char *account, const char *user, const char *partition, double usage, int64_t time_stamp,
			     struct error *error);

int mirror_user_usage(struct mirror *m, const struct object_usage *usage, struct error *error);
int mirror_project_usage(struct mirror *m, const struct object_usage *usage, struct error *error);

/*
 * `slots` UINT32_MAX: the value of the queue's configuration. `state`: up to 15 letters; "":
 * usable.
 */
int mirror_queue_instance(struct mirror *m, const char *queue, uint32_t slots, const char *state, struct error *error);
int mirror_queue_instance_delete(struct mirror *m, const char *queue, struct error *error);
struct load_report {		/* one load value, as the host reports it */
	const char *name, *value;
};

/*
 * Replaces all that was told of this host before; n == 0: it reports nothing. "global": values of
 * the whole cluster.
 */
int mirror_host_load(struct mirror *m, const char *host, const struct load_report *values, size_t n, struct error *error);
/*
 * One of them as a number, of the last report or else of the cell's file; 0: it is not known, or is
 * no number.
 */
double mirror_load_number(const struct mirror *m, const char *host, const char *name);
int mirror_host_state(struct mirror *m, const char *host, bool available, struct error *error);

/*
 * A snapshot is built up beside the state in force and replaces it at its end. begin while one is
 * open drops the open one, and so does an end that fails; end without begin is -ENOENT, abort
 * without one does nothing. Events between them go to the new state.
 */
int mirror_snapshot_begin(struct mirror *m, struct error *error);
int mirror_snapshot_end(struct mirror *m, struct error *error);
void mirror_snapshot_abort(struct mirror *m);

/*
 * Forget which tasks have ended since the last run. A snapshot does not: what ended before it is
 * still booked. This is for a qmaster whose snapshots tell all ends anew that are not booked yet.
 */
void mirror_forget_ends(struct mirror *m);

bool mirror_in_snapshot(const struct mirror *m);

#endif
