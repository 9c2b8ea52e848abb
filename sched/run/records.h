/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contents of a generation of the segment (shm/layout.h): one run.
 *
 *   head       struct run_record: values common to all jobs
 *   tables     enum table_id, each with one type of record
 *   rows       jobs. Their facts are reported by the qmaster (sched/mirror/facts.h). Their
 *              results are computed by the run: columns of all policies, followed in the same
 *              chunk by the columns of each policy that is shown in the run
 *
 * The scheduler writes all of it once per run. Readers derive the rest.
 */
#ifndef SCHED_RUN_RECORDS_H
#define SCHED_RUN_RECORDS_H

#include "sched/mirror/facts.h"
#include "sched/run/records_cluster.h"
#include "sched/run/records_userprio.h"
#include "shm/generation.h"
#include "shm/read.h"
#include "urgency/urgency.h"

/*
 * version of the records below, of records_state.h and of sched/mirror/; increase it with each
 * change
 */
#define RECORDS_VERSION 10u

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
		/* struct why_list_record; index 0: reasons that hold for every job */
		TABLE_WHY_LISTS,
		/* struct why_record: the records of a list are adjacent */
		TABLE_WHY,
		/*
		 * struct multifactor_record: one record with algorithm multifactor, otherwise none;
		 * the following tables are also empty with other algorithms
		 */
		TABLE_MULTIFACTOR,
		TABLE_TRES, /* struct tres_record: kinds with a weight */
		TABLE_TRES_KINDS, /* u32: string ids of all kinds */
		/* u64: for each association with run minutes, one per record of TABLE_TRES_KINDS */
		TABLE_RUN_MINUTES,
		/* struct association_record: in pre-order, the root first */
		TABLE_ASSOCIATIONS,
		/* struct partition_record: in the order of slurm.conf */
		TABLE_PARTITIONS,
		TABLE_SHAPES, /* struct shape_record, by category */
		/* struct shape_partition_record: the records of a shape are adjacent */
		TABLE_SHAPE_PARTITIONS,
		/* double: of each shape in each partition, one per record of TABLE_TRES */
		TABLE_TRES_FACTORS,
		/*
		 * struct negotiation_record: one record with algorithm userprio, otherwise none;
		 * the following tables, up to TABLE_MATCHES, are also empty then
		 * (records_userprio.h)
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
		/* hosts, queue instances and quotas as dispatch saw them: records_cluster.h */
		TABLE_EXEC_HOSTS,
		TABLE_INSTANCES,
		TABLE_RESOURCES,
		TABLE_ALARMS,
		TABLE_QUOTAS,
		/* char: "name\0value\0" in the order of qconf -ssconf */
		TABLE_PARAMS,
		/* char: further state that the run worked on; records_state.h */
		TABLE_STATE,
		TABLES
};

enum shown_columns {				/* policies with columns of their own */
	COLUMNS_TICKETS,			/* struct ticket_results: algorithm default */
	COLUMNS_MULTIFACTOR,			/* struct multifactor_results */
	COLUMNS_USERPRIO,			/* struct userprio_results */
	COLUMNS
};

/*
 * Head of a generation: values that the run used for all jobs. A reader derives each job's values
 * from these and from the values stored per job. It uses the functions of urgency/ that the
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
	double urg_min, urg_max;		/* minimum and maximum over all eligible jobs */
	double tix_max;				/* the minimum is always 0 */
	double pending_tickets, running_tickets;	/* sums, for the share column */
	/*
	 * 0: nurg or npprior is not used in prio (normalize_used()); urgency is then shown as 0 too
	 */
	uint32_t use_urgency, use_priority;
	/* 0: pending jobs show zeros (report_pjob_tickets) */
	uint32_t report_pending;
	/* number of configured nodes, which come first in TABLE_NODES */
	uint32_t nodes_configured;
	uint32_t prio_is_whole;			/* priorities are whole numbers of any size */
	uint32_t pad;
	/*
	 * size of a chunk of results in bytes; offset in it of each policy's columns, 0: the policy
	 * is not shown in this run
	 */
	uint64_t results_bytes, columns_at[COLUMNS];
};

/*
 * First part of each chunk of results, with columns of every job. The rows are those of the facts.
 */
struct job_results {
	/* lowest id not started; 1 if the job is not an array */
	uint32_t task[CHUNK_ROWS];
	uint16_t flags[CHUNK_ROWS];		/* enum job_flags */
	/* index in TABLE_WHY_LISTS of the pending reasons; WHY_UNKNOWN: the job was not examined */
	uint16_t why[CHUNK_ROWS];
};

/* tickets of the first pending task; total = S + F + O in this order */
struct ticket_results {
	double otickets[CHUNK_ROWS];		/* override tickets */
	double ftickets[CHUNK_ROWS];		/* functional tickets */
	double stickets[CHUNK_ROWS];		/* share tree tickets */
};

struct multifactor_results {
	/* time from which the job's age counts, epoch seconds; 0: it does not count yet */
	int64_t accrue[CHUNK_ROWS];
	uint32_t priority[CHUNK_ROWS];		/* 0: held */
	uint32_t association[CHUNK_ROWS];	/* TABLE_ASSOCIATIONS; NONE: no association */
};

/* properties that decide tickets; jobs with equal properties share a record */
struct class_record {
	uint32_t owner, project, department;	/* string ids; NONE: not set */
	uint32_t jobshare, override_tickets;
	uint32_t account;			/* string id; NONE: not set */
};

/* properties that decide resource urgency and matching */
struct category_record {
	double rrcontr;				/* contribution to urgency, this run */
	uint32_t hard, soft;			/* string ids of the requests as typed */
	uint32_t pe, pe_range;			/* string ids; NONE = sequential */
	/* requested slots; a range as urgency_slots counts it */
	uint32_t slots;
	uint32_t ar;				/* 0: none */
};

struct extra_record {				/* properties that few jobs have */
	struct job_numbers numbers;
	/*
	 * resources that Slurm has allocated to a job without pending tasks: a row of TABLE_SHAPES,
	 * + 1; 0: its request
	 */
	uint32_t allocated;
	uint32_t error_reason;			/* string id; NONE */
	uint32_t ranges, nranges;		/* TABLE_RANGES: ids not started, for arrays */
	/*
	 * arrays: number of ranges of held ids and of ids in error, stored after the ids not
	 * started. These lists may overlap and may also contain other ids.
	 */
	uint32_t nheld, nerror;
	/*
	 * number of ranges of restarted ids, stored after those in error; for a job that is no
	 * array 0 or 1, and none is stored
	 */
	uint32_t nrestarted, pad;
};

struct range_record { uint32_t min, max, step; };

#define WHY_UNKNOWN UINT16_MAX

struct why_list_record {
	uint32_t first, count;			/* TABLE_WHY */
	/*
	 * index in TABLE_WHY_LISTS of a further list that holds too; smaller than its own, 0 at the
	 * end
	 */
	uint32_t next;
};

/* failed checks; sched/dispatch/why/why.h defines the kinds and the meaning of the names */
struct why_record {
	uint16_t kind, unit;			/* enum why_kind, why_unit */
	uint32_t count;				/* number of objects on which the check failed */
	uint32_t subject, object;		/* string ids; NONE */
	/* amounts requested and available on the object; equal: no numbers */
	double wanted, had;
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
	/* The letter h is in `state` because of the job's holds; the qmaster did not report it. */
	uint64_t added_hold;
};

/* Recipients of tickets */

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

/* values common to all jobs; fairlead-multifactor(5) */
struct multifactor_record {
	/* time of the last computation of priorities, epoch seconds; ages count up to here */
	int64_t pass;
	/* enum priority_version, fairshare_method of conf/slurm.h */
	uint32_t version, method;
	uint32_t flags;				/* enum priority_flag */
	uint32_t max_age;			/* seconds */
	uint32_t weight_age, weight_assoc, weight_fairshare, weight_job_size, weight_partition, weight_qos;
	uint32_t damping;
	uint32_t weight_tres;			/* string id: text as written; NONE */
	/* number of user associations; ranks are divided by it */
	uint32_t users;
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
	double assoc_factor;			/* priority of the association, normalised */
	uint32_t account, user, partition;	/* string ids; NONE */
	uint32_t parent;			/* index or NONE */
	uint32_t depth;
	uint32_t shares;			/* 2^31 - 1: shares of its parent */
	uint32_t priority;
	uint32_t rank;
	uint32_t running;			/* started tasks */
	/* string id: GrpTRESMins as sshare prints it; NONE */
	uint32_t group_minutes;
	/* index of the first record in TABLE_RUN_MINUTES; NONE: all are 0 */
	uint32_t run_minutes;
	uint32_t pad;
};

struct partition_record {
	double factor;
	uint32_t name;				/* string id */
	uint32_t job_factor, tier;
	uint32_t pad;
};

/* properties that decide the factors of a request */
struct shape_record {
	double size_factor, qos_factor;
	/* TABLE_SHAPE_PARTITIONS: tier by tier; NONE and 0: it names no existing partition */
	uint32_t first, count;
	uint32_t named;				/* partition that the request names first */
	uint32_t qos;				/* string id; NONE */
	uint32_t partitions, tres;		/* string ids: as reported; NONE */
	uint32_t nodes, cpus, time_limit;	/* time_limit in minutes; NONE: none */
	uint32_t pad;
};

struct shape_partition_record {
	uint32_t partition;			/* TABLE_PARTITIONS */
	/* index of the first record in TABLE_TRES_FACTORS */
	uint32_t tres;
};

_Static_assert(TABLES <= USER_TABLES, "the segment has too few tables");
_Static_assert(sizeof(struct run_record) <= HEAD_BYTES, "the head is too large");
_Static_assert(sizeof(struct job_results) + sizeof(struct ticket_results) == EXTENT_BYTES,
	       "tickets must fill one extent");
_Static_assert(sizeof(struct job_results) + sizeof(struct multifactor_results) <= EXTENT_BYTES,
	       "results of multifactor must fit in one extent");
_Static_assert(sizeof(struct job_results) + sizeof(struct userprio_results) <= EXTENT_BYTES,
	       "results of userprio must fit in one extent");

/* Functions for the run, which writes */

static inline struct run_record *run_head(struct generation *generation)
{
	return (struct run_record *)generation->head;
}

/* Show a policy's columns, `bytes` per chunk, in the run that is beginning. */
static inline void run_show_columns(struct run_record *run, enum shown_columns columns, uint64_t bytes)
{
	run->columns_at[columns] = run->results_bytes;
	run->results_bytes += bytes;
}

/* Reserve `count` records of a table, as generation_table() does. */
size_t records_bytes_each(enum table_id id);
void *records_table(struct generation_writer *writer, enum table_id id, uint64_t count);

/* Functions for readers, which trust no byte, as the view_ functions of shm/read.h explain */

static inline const struct run_record *records_run(const struct view *view)
{
	return (const struct run_record *)view->directory->head;
}

/* Return the chunk of a row. The index of the row in it is row % CHUNK_ROWS. NULL: no such row. */
static inline const struct job_facts *records_facts(const struct view *view, uint64_t row)
{
	return view_facts(view, row, 0, sizeof(struct job_facts));
}

static inline const struct job_results *records_results(const struct view *view, uint64_t row)
{
	return view_results(view, row, 0, sizeof(struct job_results));
}

/*
 * Return a policy's columns in the chunk of a row. NULL: no such row, or the policy is not shown.
 */
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
