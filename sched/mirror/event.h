/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a qmaster, as fairlead-events(5) describes them, independent of how they are
 * transported.
 *
 *     struct event event;
 *
 *     event_init(&event, EVENT_TASK_FINISH);
 *     event.task.job_number = 17;
 *     rc = mirror_apply(mirror, &event, &error);
 *
 * The code that fills the event owns its strings and arrays. They are borrowed during the call.
 * Strings must be printable UTF-8 and names at most 512 bytes long, as readers and printers rely on
 * it.
 */
#ifndef SCHED_MIRROR_EVENT_H
#define SCHED_MIRROR_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/calendar.h"
#include "conf/base/error.h"
#include "sched/mirror/event_condor.h"
#include "sched/mirror/grant.h"
#include "sched/mirror/kept.h"
#include "sched/process/ranges.h"

struct mirror;

enum event_type {
	EVENT_SNAPSHOT_BEGIN,
	EVENT_SNAPSHOT_END,
	EVENT_JOB_ADD,
	EVENT_JOB_MODIFY,
	EVENT_JOB_DELETE,
	EVENT_TASK_START,
	EVENT_TASK_STATE,
	EVENT_TASK_FINISH,
	EVENT_TASK_REQUEUE,
	EVENT_TASKS_ENROLLED,
	EVENT_USAGE,
	EVENT_USER_USAGE,
	EVENT_PROJECT_USAGE,
	EVENT_ASSOCIATION_USAGE,
	EVENT_QUEUE_INSTANCE,
	EVENT_QUEUE_INSTANCE_DELETE,
	EVENT_HOST_STATE,
	EVENT_HOST_LOAD,
	EVENT_RESCHEDULE_UNKNOWN,
	EVENT_ADVANCE_RESERVATION,
	EVENT_ADVANCE_RESERVATION_DELETE,
	EVENT_SLOT,
	EVENT_SLOT_REMOVE,
	EVENT_CLAIM,
	EVENT_VACATED,
	/* state from which a scheduler continues after another one: fairlead-dump(1) */
	EVENT_DEBITED_USAGE,
	EVENT_PARALLEL_ENVIRONMENT,
	EVENT_SCHEDULER_STATE,
	EVENT_CUSTOMER,
	EVENT_CHARGED_SLOT,
	EVENT_WINNER,
	/* not for the mirror */
	EVENT_ORDERS_TAKEN,
	EVENT_ORDER_REFUSED,
	EVENT_CONFIG_CHANGED,
	EVENT_SUBMITTER_EDIT,
};

enum job_member {		/* bits of job_spec.given: members that are set */
	JOB_NAME = 1 << 0, JOB_OWNER = 1 << 1, JOB_PROJECT = 1 << 2, JOB_DEPARTMENT = 1 << 3,
	JOB_SUBMISSION_TIME = 1 << 4, JOB_PRIORITY = 1 << 5, JOB_JOBSHARE = 1 << 6, JOB_OVERRIDE_TICKETS = 1 << 7,
	JOB_DEADLINE = 1 << 8, JOB_EXECUTION_TIME = 1 << 9, JOB_HOLD_JID = 1 << 10, JOB_HARD = 1 << 11,
	JOB_SOFT = 1 << 12, JOB_PE = 1 << 13, JOB_PE_RANGE = 1 << 14, JOB_TASKS = 1 << 15, JOB_TC = 1 << 16,
	JOB_HOLD = 1 << 17, JOB_ERROR = 1 << 18, JOB_HARD_QUEUES = 1 << 19, JOB_SOFT_QUEUES = 1 << 20,
	JOB_MASTER_QUEUES = 1 << 21, JOB_CKPT = 1 << 22, JOB_GROUP = 1 << 23, JOB_RESERVE = 1 << 24, JOB_NOW = 1 << 25,
	JOB_ACCOUNT = 1 << 26, JOB_AS_TYPED = 1 << 27, JOB_DEPENDED = 1 << 28, JOB_COMPLETE = 1 << 29,
	JOB_AR = 1 << 30, JOB_HOLD_JID_AD = 1u << 31,
};

enum slurm_member { /* bits of slurm_spec.given: members that are set */
		    SLURM_PARTITION = 1 << 0,
		    SLURM_QOS = 1 << 1,
		    SLURM_TRES = 1 << 2,
		    SLURM_NODES = 1 << 3,
		    SLURM_CPUS = 1 << 4,
		    SLURM_TIME_LIMIT = 1 << 5,
		    SLURM_ELIGIBLE_TIME = 1 << 6,
		    SLURM_ACCRUE_TIME = 1 << 7,
		    SLURM_NICE = 1 << 8,
		    SLURM_SITE_FACTOR = 1 << 9,
		    SLURM_DIRECT_PRIORITY = 1 << 10,
		    SLURM_PRIORITY = 1 << 11,
		    SLURM_ALLOCATED = 1 << 12,
};

#define SLURM_NICE_MOST 2147483645

struct slurm_spec {		/* properties of a job for Slurm's priorities */
	uint32_t given;			/* enum slurm_member bits */
	/* "batch,debug"; one name; "cpu=2,mem=4000M,node=1". NULL or "": none */
	const char *partition, *qos, *tres;
	/* minimum number of nodes, 0: 1; number of cpus, 0: unknown */
	uint32_t nodes, cpus;
	uint32_t time_limit;		/* minutes; UINT32_MAX: the partition's */
	int64_t eligible_time, accrue_time;	/* epoch seconds; 0: computed here */
	int32_t nice, site_factor;	/* -2147483645..2147483645 */
	uint32_t direct_priority;	/* replaces all factors; 0 = none */
	uint32_t priority;		/* last computed priority; 0: held, or never computed */
	struct request_allocated {	/* resources allocated to its task that was started last */
		/* partition: followed by the partitions that the job requests; NULL or "": none */
		const char *partition, *tres;
		uint32_t cpus;			/* 0: as in tres */
		bool none;			/* true: no allocation, the request counts */
	} allocated;
};

enum hold_kind { HOLD_USER, HOLD_OPERATOR, HOLD_SYSTEM, HOLD_ARRAY, HOLD_KINDS };

struct job_spec {		/* job_add, job_modify; members that are not set are zero or NULL */
	uint32_t given;		/* enum job_member bits */
	uint32_t job_number;
	const char *name, *owner, *project, *department;	/* NULL or "": none */
	int64_t submission_time, deadline, execution_time;	/* epoch seconds */
	int32_t priority;
	uint32_t jobshare, override_tickets, task_concurrency;
	const char *hard, *soft, *pe, *pe_range;
	const char *hard_queues, *soft_queues, *master_queues;	/* -q, -soft -q, -masterq */
	const char *ckpt;		/* checkpointing environment */
	const char *group;		/* the owner's Unix group, for @group in access lists */
	struct ranges tasks;			/* n == 0: not an array */
	struct ranges hold[HOLD_KINDS];
	const uint32_t *hold_jid;
	size_t nhold_jid;
	/* arrays: a task waits for their tasks with the same id */
	const uint32_t *hold_jid_ad;
	size_t nhold_jid_ad;
	bool error;
	const char *error_reason;	/* NULL: not reported */
	bool reserve, now;		/* -R y, -now y */
	/* -ar: advance reservation in which the job runs; 0: none */
	uint32_t ar;
	const char *account;		/* -A */
	/* requests count in the order typed, as after qalter -p */
	bool as_typed;
	bool depended;			/* has waited for other jobs */
	/*
	 * account, department and QOS that are not set are empty: the cell's defaults do not apply
	 */
	bool complete;
	struct slurm_spec slurm;
	struct condor_spec condor;
};

/* resources of a started task, as Slurm reports them; NULL or "": as the job requests */
struct allocated {
	const char *partition, *tres;
};

struct usage_value {
	const char *name;
	double value;		/* finite, >= 0 */
};

struct usage_values {		/* sums are made in this order */
	const struct usage_value *items;
	size_t n;
};

struct task_values {		/* values of the last run before a task was suspended */
	struct kept_record kept;
	double otickets, ftickets, stickets;
};

struct task_event {		/* an event of a task, or of all tasks of a deleted job */
	uint32_t job_number, task;
	/*
	 * task_start; task_finish of a task whose start was not reported, otherwise 0; epoch
	 * seconds
	 */
	int64_t start_time;
	struct grants granted;
	const char *granted_pe;		/* NULL or "": none */
	struct allocated allocated;
	/*
	 * number of the order to start the task, if the start is not confirmed: state t; 0: the
	 * task is started
	 */
	uint64_t order;
	/* period for which its association was charged, epoch seconds; 0, 0: not known */
	int64_t charged_from, charged_until;
	bool booked;			/* true: the end was booked already and is reported again */
	/*
	 * maximum run time in seconds, fixed when the task started; UINT32_MAX: no limit; 0: as its
	 * job and its queues specify
	 */
	uint32_t wallclock_limit;
	const char *state;		/* task_state: some of the letters h r t s S T */
	const struct task_values *values;	/* NULL: values of the last run */
	int64_t end_time;		/* task_finish: epoch seconds; 0: time of the next run */
	bool kept;			/* task_finish: the job stays until job_delete */
	bool has_usage;			/* task_finish; false: usage as last reported */
	struct usage_values usage;	/* task_finish, usage: scaled */
};

struct enrolled_event {		/* pending tasks of a job that have a record of their own */
	uint32_t job_number;
	struct ranges tasks, error;	/* `error`: tasks of these that are in error */
	/* unfinished tasks that were restarted, pending or started */
	struct ranges restarted;
	const char *error_reason;	/* NULL: not reported */
};

struct project_usage {		/* a user's usage in a project */
	const char *project;
	struct usage_values usage, long_term;
};

struct debited_usage {		/* usage booked for a job that still runs */
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
	/* users: created automatically, with the following values; false: unchanged */
	bool automatic;
	uint32_t oticket, fshare;
};

/* a task as it was started at that time, with the greatest values reported for it */
struct debited_task_usage {
	uint32_t task;
	int64_t start_time;
	struct usage_values usage;
};

/* usage booked for a job that still runs, in total and for each task */
struct debited_event {
	uint32_t job_number;
	int64_t submission_time;
	struct usage_values usage;
	const struct debited_task_usage *tasks;
	size_t ntasks;
};

struct association_values {	/* results of the last pass */
	long double usage;		/* usage_raw is rounded from this */
	long double norm_usage, effective_usage, child_usage;
	double norm_shares, factor, level_fs;	/* level_fs may be infinite */
	uint32_t rank;
};

struct association_event {
	const char *account, *user, *partition;	/* the last two NULL or "": none */
	double usage_raw;		/* finite, >= 0 */
	int64_t time_stamp;		/* epoch seconds; 0: time of the next pass */
	const struct association_values *values;	/* NULL: they are computed */
};

struct instance_event {
	const char *queue;		/* "all.q@host" */
	uint32_t slots;			/* UINT32_MAX: the value of the queue's configuration */
	const char *state;		/* up to 15 letters of qstat -f; "": usable */
	/* order among the instances of its queue; UINT64_MAX: unchanged, or after all others */
	uint64_t place;
	/*
	 * last time that its suspend_thresholds caused a task to be suspended or resumed, epoch
	 * seconds; 0: unchanged, or never
	 */
	int64_t suspend_checked;
	/*
	 * future changes of state by calendars; items NULL: not reported, the cell's calendars
	 * apply
	 */
	struct calendar_changes state_changes;
};

struct pe_event {
	const char *pe;
	uint64_t place;			/* order among PEs that tasks have used, from 1 */
};

struct scheduler_event {	/* progress of a scheduler */
	uint64_t orders;		/* number of the last order */
	/* time of the last ticket orders to hosts, epoch seconds; 0: never */
	int64_t tickets_ordered;
	uint32_t halftime;		/* half-life by which usage has decayed so far, hours */
	int32_t range_costs[3];		/* pe_range_alg=auto: least, bin, highest */
	const uint32_t *removed;	/* jobs whose removal was ordered */
	size_t nremoved;
	/* algorithm multifactor: whether it has made a pass; epoch seconds */
	bool passed;
	int64_t last_pass, last_reset;
	/* algorithm userprio: number of the last cycle, epoch seconds; 0: none */
	int64_t cycle, cycle_begin, cycle_end;
	/* last update of user priorities, epoch seconds; 0: never */
	int64_t customers_updated;
	bool cycle_wanted;		/* a cycle is due before its interval has passed */
	bool negotiated;		/* a run was made */
	bool reconfigured;		/* the cell differs from the cell of that time */
};

struct load_report {		/* a load value, as the host reports it */
	const char *name, *value;
};

struct load_reports {
	const struct load_report *items;
	size_t n;
};

struct task_name {
	uint32_t job_number, task;
};

struct task_names {
	const struct task_name *items;
	size_t n;
};

struct host_event {
	const char *host;		/* host_load: also "global" */
	bool available;			/* host_state */
	struct load_reports load;	/* host_load */
	struct task_names avoided_by;	/* reschedule_unknown */
};

#define ADVANCE_TEXTS 13
#define ADVANCE_STATES "wWrEd"		/* letters of qrstat(1) */

/* advance_reservation; advance_reservation_delete: only its number */
struct advance_event {
	uint32_t number;
	union {				/* NULL or "": not set */
		struct {
			const char *name, *owner, *account;
			/* requests for each slot, as of a job */
			const char *hard, *pe, *pe_range, *hard_queues, *master_queues, *ckpt;
			const char *granted_pe;
			/*
			 * users and @usersets that may use it, and that may not, separated by
			 * commas; default: all, none
			 */
			const char *access, *no_access;
			const char *state;	/* letter of ADVANCE_STATES */
		};
		const char *texts[ADVANCE_TEXTS];
	};
	int64_t submission_time, start_time, end_time;	/* epoch seconds */
	bool hard_error;		/* no job starts in it while it is in error */
	struct grants granted;		/* slots that are kept free for it */
};

struct order_event {		/* the qmaster's answer to orders; see sched/qmaster/order.h */
	uint64_t number;		/* orders_taken: all orders up to this number */
	uint32_t job_number, task;	/* order_refused */
	const char *text;		/* order_refused: reason; "": not reported */
};

struct event {
	enum event_type type;
	union {
		struct job_spec job;		/* job_add, job_modify; owner does not change */
		struct task_event task;		/* job_delete, task_..., usage */
		struct enrolled_event enrolled;	/* tasks_enrolled */
		struct object_usage object;	/* user_usage, project_usage */
		struct association_event association;
		struct instance_event instance;	/* queue_instance, queue_instance_delete */
		struct host_event host;		/* host_state, host_load, reschedule_unknown */
		/* advance_reservation, advance_reservation_delete */
		struct advance_event advance;
		struct order_event order;	/* orders_taken, order_refused */
		struct debited_event debited;	/* debited_usage */
		struct pe_event pe;		/* parallel_environment */
		struct scheduler_event scheduler;	/* scheduler_state */
		struct customer_event customer;
		struct charge_event charge;	/* charged_slot */
		struct winner_event winner;
		struct slot_event slot;		/* slot, slot_remove */
		struct claim_event claim;
		struct vacated_event vacated;
		struct submitter_edit_event submitter_edit;
	};
};

/* Clear the event. All members are zero or have the defaults of fairlead-events(5). */
void event_init(struct event *event, enum event_type type);

/*
 * Apply the event with the function of mirror.h for it, and return its value. Return 0 for events
 * that are not for the mirror.
 */
int mirror_apply(struct mirror *mirror, const struct event *event, struct error *error);

#endif
