/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a generation: everything that the run worked on and that no table shows to readers. Cell
 * and state can be rebuilt from the generation alone (sched/run/resend.h), and the same run can
 * then be computed again. All of it is in one table, TABLE_STATE: struct state_head, followed by
 * the parts.
 *
 * Some of these values are changed by the run itself. They are published as they were before the
 * run if the new values could change a decision: places of instances and PEs, numbers of orders,
 * jobs whose removal was ordered. Usage is published as it is after the run, since booking and
 * decay at the same time have no further effect.
 */
#ifndef SCHED_RUN_RECORDS_STATE_H
#define SCHED_RUN_RECORDS_STATE_H

#include <stdint.h>

#include "sched/run/records.h"
#include "sched/run/records_place.h"

enum state_part {				/* record type in the comment */
	STATE_LIST,				/* struct list_record: Grid Engine's job list */
	STATE_EXTRAS,				/* struct extra_state: same index as TABLE_EXTRAS */
	STATE_RANGES,				/* struct range_record */
	STATE_NUMBERS,				/* u32: job numbers */
	/* struct request_state: same index as TABLE_CATEGORIES */
	STATE_REQUESTS,
	STATE_TASKS,				/* struct task_state: same index as TABLE_TASKS */
	STATE_GRANTS,				/* struct grant_record */
	STATE_USAGE,				/* struct usage_value_record */
	/* struct object_record: users, then projects, by name */
	STATE_OBJECTS,
	STATE_PROJECTS,				/* struct user_project_record */
	STATE_DEBITED,				/* struct debited_record */
	STATE_DEBITED_TASKS,			/* struct debited_task_record */
	/* struct instance_record: in the order of the first report */
	STATE_INSTANCES,
	STATE_CHANGES,				/* struct change_record: of instances */
	STATE_PES,				/* struct pe_record: PEs that tasks have used */
	/* struct host_record: in the order of the first report */
	STATE_HOSTS,
	STATE_LOADS,				/* struct load_record */
	STATE_ADVANCES,				/* struct advance_record: by number */
	STATE_FILES,				/* struct file_record: of the cell, by name */
	/* struct association_state: in the order of the cell */
	STATE_ASSOCIATIONS,
	/* struct class_state: same index as TABLE_CLASSES */
	STATE_CLASSES,
	STATE_CONDOR_JOBS,			/* struct condor_state: by row, of few jobs */
	STATE_CLAIMS,				/* struct claim_record: of reported slots */
	/* struct customer_state: in the accountant's order */
	STATE_CUSTOMERS,
	/* struct charged_state: slots that are charged to a customer */
	STATE_CHARGED,
	/* struct winner_state: jobs for which slots are vacated */
	STATE_WINNERS,
	STATE_PARTS
};

#define PHASES_MOST 16

/* phase of the run; the record of the phase publication is about the previous run */
struct phase_record {
	char name[16];
	uint64_t ns;
};

/* Values for the log, about the run and about the process up to the run. */
struct health_record {
	struct phase_record phases[PHASES_MOST];
	uint64_t starts, reservations;		/* decisions */
	uint64_t unbooked;			/* usage that waits for the store */
	/* withheld job starts; refused orders; since the process began */
	uint64_t withheld, refused;
	uint64_t kept;				/* orders that have not been fetched yet */
	uint64_t hosts_up;			/* execution hosts that are connected */
	/* since the process began: failures of the store, evicted sections of readers */
	uint64_t store_failures, readers_evicted;
	struct place_record place;
	struct source_record source;
};

struct state_slice {				/* adjacent records of a part */
	uint32_t first, count;
};

/*
 * Orders of a run. RUN_PAUSED: it decided and left the orders to the next run; see
 * dispatch_pause().
 */
enum run_orders { RUN_ORDERS_NOTHING, RUN_ORDERS, RUN_PAUSED };

struct state_head {
	/* last order before the run; tasks with later orders were started by the run */
	uint64_t last_order;
	/* time of the last ticket orders to hosts before the run, epoch seconds; 0: never */
	int64_t tickets_ordered;
	uint32_t halftime;			/* half-life by which usage has decayed, hours */
	uint32_t dispatches;			/* enum run_orders */
	/* pe_range_alg=auto: costs of the search methods, before the run */
	int32_t range_scores[3];
	/*
	 * algorithm multifactor: whether a pass was made since the scheduler began; epoch seconds
	 */
	uint32_t passed;
	int64_t pass, last_reset;
	/* algorithm userprio: same as in struct scheduler_event, before the run */
	int64_t cycle, cycle_begin, cycle_end, customers_updated;
	uint32_t cycle_wanted, negotiated;	/* 0 or 1 */
	struct health_record health;
	/* string ids, NONE: paths of files that the qmaster keeps; see struct qmaster_files */
	uint32_t state_directory, accounting;
	/* STATE_NUMBERS: jobs whose removal was ordered before the run */
	struct state_slice removed;
	struct {
		uint64_t at, count;		/* bytes from the start of the head */
	} parts[STATE_PARTS];
};

struct list_record { uint32_t row, count; };	/* `count` rows from `row` on */

struct extra_state {
	uint32_t task_concurrency;
	uint32_t error, depends, is_array;	/* 0 or 1 */
	uint32_t allocated;			/* a row of TABLE_CATEGORIES, + 1; 0: none */
	struct state_slice sets[7];		/* STATE_RANGES, by enum hold_kind and task_set */
	struct state_slice hold_jid, hold_jid_ad;	/* STATE_NUMBERS */
};

struct request_state {				/* string ids; NONE */
	uint32_t hard_queues, soft_queues, master_queues, checkpoint, group;
	uint32_t partition, qos, tres;
	uint32_t nodes, cpus, time_limit;
	uint32_t now, as_typed;			/* 0 or 1 */
	uint32_t ar;				/* 0: none */
	uint32_t ad;				/* string id: lines "Name = expression"; NONE */
};

struct class_state {				/* string ids; NONE */
	uint32_t accounting_group, accounting_group_user, uid_domain;
};

/* values that few jobs have set; see struct condor_job */
struct condor_state {
	uint32_t row;
	uint32_t given;				/* enum condor_member bits */
	int32_t pre_job_prio1, pre_job_prio2, job_prio, post_job_prio1, post_job_prio2;
	uint32_t cluster, proc;
};

struct task_state {
	/* number of the unconfirmed order that started it; 0: none */
	uint64_t order;
	int64_t charged_from, charged_until;	/* epoch seconds; 0: unknown */
	/* order of the tasks, where nothing more significant decides between them */
	uint32_t place;
	uint32_t settled;			/* 1: its end was booked before a restart */
	/* 1: the task was enrolled before its start was ordered */
	uint32_t enrolled;
	uint32_t wallclock_limit;		/* same as in struct task_event */
	uint32_t partition, tres;		/* string ids; NONE: as its job requests */
	struct state_slice grants, usage;	/* STATE_GRANTS, STATE_USAGE */
};

struct grant_record { uint32_t queue, slots; };	/* string id */

struct usage_value_record {
	double value;
	uint32_t name;				/* string id */
	uint32_t pad;
};

struct object_record {
	uint32_t kind;				/* enum sharer_kind */
	uint32_t name;				/* string id */
	int64_t time_stamp;
	/* 1: created automatically, with the following values */
	uint32_t automatic;
	uint32_t oticket, fshare;
	struct state_slice usage, long_term;	/* STATE_USAGE */
	struct state_slice projects;		/* STATE_PROJECTS */
	uint32_t pad;
};

struct user_project_record {
	uint32_t project;			/* string id */
	struct state_slice usage, long_term;	/* STATE_USAGE */
};

struct debited_record {				/* usage booked for a job that still runs */
	int64_t submission_time;
	uint32_t job_number;
	struct state_slice usage;		/* STATE_USAGE: sum over all its tasks */
	struct state_slice tasks;		/* STATE_DEBITED_TASKS */
	uint32_t pad;
};

struct debited_task_record {
	int64_t start_time;
	uint32_t task;
	struct state_slice usage;		/* STATE_USAGE */
	uint32_t pad;
};

struct instance_record {
	uint64_t born, place;			/* before the run */
	int64_t suspend_checked;		/* before the run, epoch seconds; 0: never */
	uint32_t name;				/* string id: queue@host */
	uint32_t slots;				/* slots; NONE: as the queue is configured */
	char state[16];				/* letters, NUL-terminated */
	uint32_t changes_reported;			/* 0 or 1 */
	struct state_slice changes;		/* STATE_CHANGES: future changes */
	/* string id: ad of a reported slot, in the form of a request's ad; NONE */
	uint32_t ad;
	uint32_t machine;			/* string id */
	uint32_t claim;				/* STATE_CLAIMS, + 1; 0: none */
};

struct claim_record {
	double weight, current_rank, preempting_rank;	/* weight < 0: the weight of the slot */
	int64_t since;				/* epoch seconds; 0: unknown */
	uint32_t submitter, limits, preempting;	/* string ids; the last two may be NONE */
	uint32_t suspended;			/* 0 or 1 */
};

struct change_record {
	int64_t until;				/* epoch seconds; INT64_MAX */
	uint32_t state;				/* enum calendar_state */
	uint32_t pad;
};

struct pe_record {
	uint64_t place;				/* before the run */
	uint32_t name;				/* string id */
	uint32_t pad;
};

struct host_record {
	uint32_t name;				/* string id */
	uint32_t down, has_load;		/* 0 or 1 */
	struct state_slice load;		/* STATE_LOADS */
	struct state_slice avoided_by;		/* STATE_NUMBERS: job number and task by turns */
};

struct load_record { uint32_t name, value; };	/* string ids */

/* advance reservation; see struct advance_event */
struct advance_record {
	int64_t submission_time, start_time, end_time;
	uint32_t number;
	uint32_t hard_error;			/* 0 or 1 */
	uint32_t texts[13];			/* string ids; NONE */
	struct state_slice granted;		/* STATE_GRANTS */
	uint32_t pad;
};

/* string ids; text NONE: not readable by all readers of the generation */
struct file_record { uint32_t name, text; };

/* a long double >= 0: mantissa * 2^exponent */
struct precise {
	uint64_t mantissa;
	int32_t exponent;
	uint32_t pad;
};

struct association_state {
	struct precise usage, norm_usage, effective_usage, child_usage;
	double norm_shares, factor, level_fs;	/* level_fs may be infinite */
	uint32_t account, user, partition;	/* string ids; NONE */
	uint32_t rank;
};

/* customer before the run; see struct customer_event */
struct customer_state {
	double rup, factor, weight_used, tree_used;
	double uncharged, weight_uncharged, accumulated, weight_accumulated;
	int64_t begin, last, ceiling, floor;
	int64_t lease_until[3];			/* factor, ceiling, floor */
	double lease_before[3];
	uint32_t name;				/* string id */
	uint32_t used, waited;
	uint32_t is_group, hidden;		/* 0 or 1 */
	uint32_t pad;
};

/* charge before the run; see struct charge_event */
struct charged_state {
	double weight, current_rank;
	int64_t since, begun, start;
	uint32_t slot, customer, negotiating_group;	/* string ids; the last one may be NONE */
	uint32_t job, task, cpus;
	uint32_t is_ranked, free_of_charge, autoregroup, ordered;	/* 0 or 1 */
	/* end of the task, before the run; 0: it still runs */
	int64_t ended;
	uint32_t finished;			/* 0 or 1 */
	uint32_t pad;
};

/* winner before the run; see struct winner_event */
struct winner_state {
	double rank;
	int64_t since;
	uint32_t slot, customer, negotiating_group;	/* string ids; the last one may be NONE */
	uint32_t job, task, winner;
	uint32_t autoregroup;			/* 0 or 1 */
	uint32_t pad;
};

/* Return the head. NULL: there is none, or it has the wrong size. */
static inline const struct state_head *view_state(const struct view *view)
{
	uint64_t bytes;
	const void *head = view_table(view, TABLE_STATE, 1, &bytes);

	return bytes < sizeof(struct state_head) ? NULL : head;
}

/*
 * Return the records of a part. *count is 0 if there are none, or if offset or count are
 * impossible.
 */
static inline const void *view_state_part(const struct view *view, enum state_part part, size_t record_bytes,
					  uint64_t *count)
{
	uint64_t bytes, at, n;
	const uint8_t *base = view_table(view, TABLE_STATE, 1, &bytes);

	*count = 0;
	if (bytes < sizeof(struct state_head))
		return base;
	at = LOAD_ONCE(((const struct state_head *)(const void *)base)->parts[part].at);
	n = LOAD_ONCE(((const struct state_head *)(const void *)base)->parts[part].count);
	if (at % 8 || at > bytes || n > (bytes - at) / record_bytes)
		return base;
	*count = n;
	return base + at;
}

/* Return the records of a slice of a part. *count is 0 if the slice does not fit. */
static inline const void *view_state_slice(const struct view *view, enum state_part part, size_t record_bytes,
					   struct state_slice slice, size_t *count)
{
	uint64_t all;
	const uint8_t *records = view_state_part(view, part, record_bytes, &all);
	bool fits = slice.first <= all && slice.count <= all - slice.first;

	*count = fits ? slice.count : 0;
	return fits ? records + slice.first * record_bytes : records;
}

#endif
