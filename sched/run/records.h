/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a generation of the segment (shm/layout.h) holds for readers: a run.
 *
 *   head       struct run_record: what holds for all jobs
 *   tables     enum table_id, each of one type of record
 *   rows       jobs. Their facts are what the qmaster has reported (sched/mirror/facts.h). Their
 *              results are what the run made of them: columns that all policies have, and behind
 *              these, in the same chunk, the columns of each policy that is shown in the run
 *
 * The scheduler writes all of it, once in a run; readers derive the rest.
 */
#ifndef SCHED_RUN_RECORDS_H
#define SCHED_RUN_RECORDS_H

#include "sched/mirror/facts.h"
#include "sched/run/records_cluster.h"
#include "sched/run/records_userprio.h"
#include "shm/generation.h"
#include "shm/read.h"
#include "urgency/urgency.h"

/* any change of a record below, or of those of records_state.h and sched/mirror/, changes this */
#define RECORDS_VERSION 8u

enum table_id { /* record type in the comment */
		/* struct task_record: started tasks by job number, task id */
		TABLE_TASKS,
		/* u32: rows of jobs with tasks not started, in priority order */
		TABLE_ORDER,
		/* u32: open addressing by job number -> row, power of two, NONE = empty */
		TABLE_INDEX,
		TABLE_CLASSES, /* struct class_record */
		TABLE_CATEGORIES, /* struct category_record */
		TABLE_EXTRAS, /* struct extra_record */
		TABLE_RANGES, /* struct range_record */
		TABLE_KEPT, /* struct kept_record */
		/* struct node_record: configured nodes in pre-order, then temporary ones */
		TABLE_NODES,
		TABLE_USERS, /* struct sharer_record, by name */
		TABLE_PROJECTS, /* struct sharer_record, by name */
		TABLE_DEPARTMENTS, /* struct sharer_record, by name */
		TABLE_PROJECT_USAGE, /* struct project_usage_record, by user, project */
		/* struct why_list_record; 0: reasons that hold whatever the job */
		TABLE_WHY_LISTS,
		/* struct why_record: those of a list next to each other */
		TABLE_WHY,
		/*
	 * struct multifactor_record: one with algorithm multifactor, else none; and so are the next
	 * ones
	 */
		TABLE_MULTIFACTOR,
		TABLE_TRES, /* struct tres_record: kinds that have a weight */
		TABLE_TRES_KINDS, /* u32: string ids of all kinds */
		/* u64: of each association that has any, one per record of TABLE_TRES_KINDS */
		TABLE_RUN_MINUTES,
		/* struct association_record: in pre-order, the root first */
		TABLE_ASSOCIATIONS,
		/* struct partition_record: in the order of slurm.conf */
		TABLE_PARTITIONS,
		TABLE_SHAPES, /* struct shape_record, by category */
		/* struct shape_partition_record: those of a shape next to each other */
		TABLE_SHAPE_PARTITIONS,
		/* double: of each shape in each partition, one per record of TABLE_TRES */
		TABLE_TRES_FACTORS,
		/*
	 * struct negotiation_record: one with algorithm userprio, else none; and so are the next
	 * ones: records_userprio.h
	 */
		TABLE_NEGOTIATION,
		TABLE_CUSTOMERS,
		TABLE_SUBMITTERS,
		TABLE_GROUPS,
		TABLE_SLOTS,
		TABLE_LIMITS,
		TABLE_REFUSALS,
		TABLE_CONTACTS,
		TABLE_MATCHES,
		/* what dispatch saw of hosts, queue instances and quotas: records_cluster.h */
		TABLE_EXEC_HOSTS,
		TABLE_INSTANCES,
		TABLE_RESOURCES,
		TABLE_ALARMS,
		TABLE_QUOTAS,
		/* char: "name\0value\0" in the order of qconf -ssconf */
		TABLE_PARAMS,
		/* char: what else the run worked on; records_state.h */
		TABLE_STATE,
		TABLES
};

enum shown_columns {				/* policies that have columns of their own */
	COLUMNS_TICKETS,			/* struct ticket_results: algorithm default */
	COLUMNS_MULTIFACTOR,			/* struct multifactor_results */
	COLUMNS_USERPRIO,			/* struct userprio_results */
	COLUMNS
};

/*
 * The head of a generation: what the run used for all jobs alike. A reader derives each job's
 * values from these and from what is stored per job, with the functions of urgency/ that the
 * scheduler uses itself.
 */
struct run_record {
	uint64_t run;				/* from 1 */
	int64_t now;				/* the run's clock, epoch seconds */
	uint64_t run_ns;
	uint64_t event;				/* last event contained */
	uint64_t free_slots;
	double weight_ticket, weight_urgency, weight_priority;
	struct urgency_params urgency;
	double urg_min, urg_max;		/* of all jobs that took part */
	double tix_max;				/* minimum is always 0 */
	double pending_tickets, running_tickets;	/* sums, for the share column */
	/* 0: nurg, npprior are not used in prio (normalize_used()); urgency shows zeros, too */
	uint32_t use_urgency, use_priority;
	/* 0: pending jobs show zeros (report_pjob_tickets) */
	uint32_t report_pending;
	uint32_t nodes_configured;		/* the first ones of TABLE_NODES */
	uint32_t prio_is_whole;			/* priorities are whole numbers, of any size */
	uint32_t pad;
	/*
	 * bytes of a chunk of results; where in it the columns of each policy begin, 0: it is not
	 * shown in this run
	 */
	uint64_t results_bytes, columns_at[COLUMNS];
};

/* The first part of each chunk of results: what every job has. The rows are those of the facts. */
struct job_results {
	uint32_t task[CHUNK_ROWS];		/* lowest id not started, 1 when not an array */
	uint16_t flags[CHUNK_ROWS];		/* enum job_flags */
	/* TABLE_WHY_LISTS: why it did not start; WHY_UNKNOWN: it was not looked at */
	uint16_t why[CHUNK_ROWS];
};

/* of the first pending task; total = S + F + O in this order */
struct ticket_results {
	double otickets[CHUNK_ROWS];		/* override, */
	double ftickets[CHUNK_ROWS];		/* functional */
	double stickets[CHUNK_ROWS];		/* and share tree tickets */
};

struct multifactor_results {
	/* its age counts from here, epoch seconds; 0: it does not yet */
	int64_t accrue[CHUNK_ROWS];
	uint32_t priority[CHUNK_ROWS];		/* 0: held */
	uint32_t association[CHUNK_ROWS];	/* TABLE_ASSOCIATIONS; NONE: there is none */
};

/* what decides tickets: jobs that are alike in all this share one */
struct class_record {
	uint32_t owner, project, department;	/* string ids; NONE = none */
	uint32_t jobshare, override_tickets;
	uint32_t account;			/* string id; NONE = none */
};

struct category_record {			/* what decides resource urgency and matching */
	double rrcontr;				/* contribution to urgency, this run */
	uint32_t hard, soft;			/* string ids of the requests as typed */
	uint32_t pe, pe_range;			/* string ids; NONE = sequential */
	uint32_t slots;				/* requested, a range as urgency_slots takes it */
	uint32_t ar;				/* 0: none */
};

struct extra_record {				/* what few jobs have */
	struct job_numbers numbers;
	/*
	 * where nothing waits, what Slurm has given it: a row of TABLE_SHAPES, + 1; 0: its request
	 */
	uint32_t allocated;
	uint32_t error_reason;			/* string id; NONE */
	uint32_t ranges, nranges;		/* TABLE_RANGES: ids not started, for arrays */
	/*
	 * behind them those that are held, and those in error, of arrays: lists which may overlap,
	 * and have other ids as well
	 */
	uint32_t nheld, nerror;
};

struct range_record { uint32_t min, max, step; };

#define WHY_UNKNOWN UINT16_MAX

struct why_list_record {
	uint32_t first, count;			/* TABLE_WHY */
	/* TABLE_WHY_LISTS: these hold, too; smaller than its own number, 0 at last */
	uint32_t next;
};

/* checks that failed; sched/dispatch/why.h says of what kind, and what the names are */
struct why_record {
	uint16_t kind, unit;			/* enum why_kind, why_unit */
	uint32_t count;				/* of objects on which it failed */
	uint32_t subject, object;		/* string ids; NONE */
	double wanted, had;			/* of the object; equal: no numbers */
};

struct task_record {				/* a started task */
	uint32_t job_row;			/* job table */
	uint32_t number, task;
	uint32_t slots;				/* granted */
	int64_t start_time;			/* epoch seconds */
	uint32_t queue, granted_pe;		/* string ids; NONE */
	uint32_t kept;				/* TABLE_KEPT when suspended, else NONE */
	uint32_t has_usage;
	double cpu, mem, io;
	double otickets, ftickets, stickets;
	char state[8];				/* letters, NUL-terminated */
};

/* Who gets tickets */

struct usage_record {
	double cpu, mem, io, ltcpu, ltmem, ltio, combined;
	int64_t time_stamp;
};

struct sharer_record {
	uint32_t name;				/* string id */
	uint32_t oticket, fshare;
	uint32_t running_tasks;
	struct usage_record usage;
};

struct project_usage_record {
	uint32_t user;				/* TABLE_USERS */
	uint32_t project;			/* string id */
	struct usage_record usage;
};

struct node_record {
	uint32_t name;				/* string id */
	uint32_t parent;			/* index or NONE */
	uint32_t depth;
	uint32_t shares;
	uint32_t has_children;
	uint32_t job_count;
	double usage, long_target_share, short_target_share;
};

/* Algorithm multifactor */

/* what holds for all jobs; fairlead-multifactor(5) */
struct multifactor_record {
	/* when priorities were last computed, epoch seconds: ages count up to here */
	int64_t pass;
	/* enum priority_version, fairshare_method of conf/slurm.h */
	uint32_t version, method;
	uint32_t flags;				/* enum priority_flag */
	uint32_t max_age;			/* seconds */
	uint32_t weight_age, weight_assoc, weight_fairshare, weight_job_size, weight_partition, weight_qos;
	uint32_t damping;
	uint32_t weight_tres;			/* string id: as written; NONE */
	uint32_t users;				/* user associations; what ranks are divided by */
	uint32_t pad;
};

struct tres_record {
	double weight;
	uint32_t name;				/* string id */
	uint32_t pad;
};

struct association_record {
	double usage;				/* raw, decayed: TRES seconds */
	/* tickets/associations.h; level_fs may be infinite */
	double norm_shares, norm_usage, effective_usage, factor, level_fs;
	double assoc_factor;			/* its priority, normalised */
	uint32_t account, user, partition;	/* string ids; NONE */
	uint32_t parent;			/* index or NONE */
	uint32_t depth;
	uint32_t shares;			/* 2^31 - 1: of its parent */
	uint32_t priority;
	uint32_t rank;
	uint32_t running;			/* started tasks */
	/* string id: GrpTRESMins as sshare prints it; NONE */
	uint32_t group_minutes;
	uint32_t run_minutes;			/* TABLE_RUN_MINUTES: the first one; NONE: all 0 */
	uint32_t pad;
};

struct partition_record {
	double factor;
	uint32_t name;				/* string id */
	uint32_t job_factor, tier;
	uint32_t pad;
};

struct shape_record {				/* what decides the factors of a request */
	double size_factor, qos_factor;
	/* TABLE_SHAPE_PARTITIONS: tier by tier; NONE and 0: it names none that there is */
	uint32_t first, count;
	uint32_t named;				/* the one that the request names first */
	uint32_t qos;				/* string id; NONE */
	uint32_t partitions, tres;		/* string ids: as reported; NONE */
	uint32_t nodes, cpus, time_limit;	/* time_limit in minutes; NONE: none */
	uint32_t pad;
};

struct shape_partition_record {
	uint32_t partition;			/* TABLE_PARTITIONS */
	uint32_t tres;				/* TABLE_TRES_FACTORS: the first one */
};

_Static_assert(TABLES <= USER_TABLES, "shm has room for the tables");
_Static_assert(sizeof(struct run_record) <= HEAD_BYTES, "and for the head");
_Static_assert(sizeof(struct job_results) + sizeof(struct ticket_results) == EXTENT_BYTES, "tickets fill one extent");
_Static_assert(sizeof(struct job_results) + sizeof(struct multifactor_results) <= EXTENT_BYTES,
	       "one extent does for multifactor");
_Static_assert(sizeof(struct job_results) + sizeof(struct userprio_results) <= EXTENT_BYTES, "and for userprio");

/* Written by the run */

static inline struct run_record *run_head(struct generation *generation)
{
	return (struct run_record *)generation->head;
}

/* Show a policy's columns, of that many bytes, in the run that is beginning. */
static inline void run_show_columns(struct run_record *run, enum shown_columns columns, uint64_t bytes)
{
	run->columns_at[columns] = run->results_bytes;
	run->results_bytes += bytes;
}

/* Room for `count` records of a table, as generation_table(). */
size_t records_bytes_each(enum table_id id);
void *records_table(struct generation_writer *writer, enum table_id id, uint64_t count);

/* Read, each byte as untrusted as the view_ functions of shm/read.h say */

static inline const struct run_record *records_run(const struct view *view)
{
	return (const struct run_record *)view->directory->head;
}

/* The chunk of a row, whose place in it is row % CHUNK_ROWS. NULL: there is no such row. */
static inline const struct job_facts *records_facts(const struct view *view, uint64_t row)
{
	return view_facts(view, row, 0, sizeof(struct job_facts));
}

static inline const struct job_results *records_results(const struct view *view, uint64_t row)
{
	return view_results(view, row, 0, sizeof(struct job_results));
}

/* The same, NULL also where the policy is not shown. */
static inline const void *records_columns(const struct view *view, uint64_t row, enum shown_columns columns,
					  uint64_t bytes)
{
	uint64_t at = LOAD_ONCE(records_run(view)->columns_at[columns]);

	return at ? view_results(view, row, at, bytes) : NULL;
}

static inline const struct ticket_results *records_tickets(const struct view *view, uint64_t row)
{
	return records_columns(view, row, COLUMNS_TICKETS, sizeof(struct ticket_results));
}

static inline const struct multifactor_results *records_multifactor(const struct view *view, uint64_t row)
{
	return records_columns(view, row, COLUMNS_MULTIFACTOR, sizeof(struct multifactor_results));
}

static inline const struct userprio_results *records_userprio(const struct view *view, uint64_t row)
{
	return records_columns(view, row, COLUMNS_USERPRIO, sizeof(struct userprio_results));
}

#endif
