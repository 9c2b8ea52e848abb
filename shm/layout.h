/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every byte of the shared segment.
 *
 * A cell has a directory in /dev/shm (or $FAIRLEAD_SHM), in which nobody but the scheduler can make
 * names (place.h). In it lies the state file, which the scheduler writes and everybody else maps
 * read-only. The reader table, in which each reader writes its own slot and nothing else, is no
 * file (readers.h); the header says where it is. Both hold fixed-width numbers and offsets from the
 * start of the state file, never pointers: each process maps them where it likes.
 *
 * The state file begins with a header page, GENERATIONS generation directories and a byte for each
 * extent; behind them lie extents of 2 MiB, handed out by the writer (extents.c) and populated
 * before they are used. The file grows with the extents that are handed out and never shrinks; what
 * is given back stays in reserve for a few runs (RESERVE_RUNS), then the kernel gets its memory,
 * and a hole remains. Whoever may read the file can fill these holes by reading them, so the file
 * costs at most what the scheduler once used.
 *
 * A generation is one scheduling run: its directory has the run's own numbers and says where its
 * tables lie. Generation g stands in directory g % GENERATIONS; header.current is the newest
 * complete one. A generation that is complete never changes until its directory is refilled, and
 * the writer refills it only when no reader is in it (readers.h) or after telling those who are, by
 * setting its `gen` to 0 first: a reader compares `gen` at the end of its section.
 *
 * Who owns the memory behind a directory:
 *   tables, results    the directory; they stay with it from one generation to the next that stands there (generation.h)
 *   facts              all that show it: a chunk is changed in place until a generation shows it, then a copy is, and the last
 *                      one that shows the old chunk gives it back (facts.h); so what did not change between two runs is not copied
 *   strings            the arena they lie in, which only grows; it goes when no directory shows it any more (strings.h)
 *
 * On a machine with several NUMA nodes each extent is bound when it is handed out, before its first
 * page is made (numa.h): chunk i of the job table, both parts, to node i % nodes, whose workers
 * compute it (workers.h); all else, which everybody reads at random, is interleaved over all nodes.
 * The byte of an extent says where it belongs (enum extent_home).
 *
 * Readers do not trust a byte of this: every count and offset is checked against the file's size
 * when a view is made, every index when it is used (read.h), and behind the file's end their
 * mapping has zeros (map.h). A crashed or hostile writer can show wrong numbers, not crash a
 * reader.
 *
 * Who writes: W the scheduler, R a reader. Who reads is everybody.
 */
#ifndef SHM_LAYOUT_H
#define SHM_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_MAGIC 0x6461656c72696166u	/* "fairlead", little endian */
#define SEGMENT_VERSION 8u			/* any change below changes this */
#define READERS_MAGIC 0x7372656461657266u	/* "freaders" */

#define PAGE_BYTES 4096u
#define EXTENT_BYTES (2u << 20)
#define CACHELINE 64u
/* directories: one current, one being filled; two more hold memory only while readers are slow */
#define GENERATIONS 4u
#define CHUNK_JOBS 65536u			/* rows of a chunk of the job table */
#define MAX_CHUNKS 2048u			/* 134 million jobs */
#define READER_SLOTS 512u
#define MAX_NODES 64u				/* NUMA nodes that the file is divided among */
/* of the extents' bytes: uint8_t, enum extent_home */
#define HOMES_OFFSET (PAGE_BYTES + GENERATIONS * sizeof(struct generation))
#define NONE UINT32_MAX				/* "no such index" in any u32 index below */

/* State file */

enum placement_state {
	PLACEMENT_ONE,				/* there is one node: nothing was bound */
	PLACEMENT_BOUND,
	PLACEMENT_FOREIGN,			/* planned for another machine, not bound */
	PLACEMENT_REFUSED,			/* the kernel did not let us bind: `error` */
};

/* the NUMA nodes among which extents are divided (numa.h) */
struct placement {
	uint32_t nodes;				/* 1..MAX_NODES */
	uint32_t state;				/* enum placement_state */
	uint32_t error;				/* errno */
	uint32_t os[MAX_NODES];			/* the kernel's number of each */
};

enum extent_home {				/* where the memory of an extent is meant to lie */
	HOME_NONE,				/* it has none: a hole, or behind the file's end */
	/* interleaved over all nodes; never with one node */
	HOME_ALL,
	HOME_NODE,				/* on the first node; HOME_NODE + k: on node k */
};

struct reader_place {				/* where the reader table is (readers.h) */
	int32_t shmid;				/* System V shared memory; -1: there is none */
	uint32_t pad;
	/* stands in the table, too, so that no other one is taken for it */
	uint64_t nonce;
};

struct segment_header {				/* W; first page */
	uint64_t magic;
	uint32_t version;
	uint32_t directory_bytes;		/* sizeof(struct generation), checked at open */
	/* that the file may grow to; readers reserve as much address space */
	uint64_t file_bytes;
	/* for people; whether it lives is told by its lock */
	uint32_t writer_pid;
	uint32_t pad;
	int64_t created;			/* epoch seconds */
	struct reader_place readers;
	/* newest complete generation, 0 before the first */
	_Alignas(CACHELINE) _Atomic uint64_t current;
	/* 1: a successor has published under the same name; open again */
	_Atomic uint32_t retired;
	/* bytes that the file has got to; set before what lies in them is published */
	_Atomic uint64_t grown;
	struct placement placement;		/* never changes */
};

/* count records from byte offset on; offset 0 when count is 0 */
struct table {
	uint64_t offset;
	uint64_t count;
};

enum table_id {					/* record type in the comment */
	/* struct task_record: started tasks by job number, task id */
	TABLE_TASKS,
	/* u32: rows of jobs with tasks not started, in priority order */
	TABLE_ORDER,
	/* u32: open addressing by job number -> row, power of two, NONE = empty */
	TABLE_INDEX,
	TABLE_CLASSES,				/* struct class_record */
	TABLE_CATEGORIES,			/* struct category_record */
	TABLE_EXTRAS,				/* struct extra_record */
	TABLE_RANGES,				/* struct range_record */
	TABLE_KEPT,				/* struct kept_record */
	/* struct node_record: configured nodes in pre-order, then temporary ones */
	TABLE_NODES,
	TABLE_USERS,				/* struct sharer_record, by name */
	TABLE_PROJECTS,				/* struct sharer_record, by name */
	TABLE_DEPARTMENTS,			/* struct sharer_record, by name */
	TABLE_PROJECT_USAGE,			/* struct project_usage_record, by user, project */
	/* struct why_list_record; 0: reasons that hold whatever the job */
	TABLE_WHY_LISTS,
	/* struct why_record: those of a list next to each other */
	TABLE_WHY,
	/*
	 * struct multifactor_record: one with algorithm multifactor, else none; and so are the next
	 * ones
	 */
	TABLE_MULTIFACTOR,
	TABLE_TRES,				/* struct tres_record: kinds that have a weight */
	TABLE_TRES_KINDS,			/* u32: string ids of all kinds */
	/* u64: of each association that has any, one per record of TABLE_TRES_KINDS */
	TABLE_RUN_MINUTES,
	/* struct association_record: in pre-order, the root first */
	TABLE_ASSOCIATIONS,
	/* struct partition_record: in the order of slurm.conf */
	TABLE_PARTITIONS,
	TABLE_SHAPES,				/* struct shape_record, by category */
	/* struct shape_partition_record: those of a shape next to each other */
	TABLE_SHAPE_PARTITIONS,
	/* double: of each shape in each partition, one per record of TABLE_TRES */
	TABLE_TRES_FACTORS,
	/* char: "name\0value\0" in the order of qconf -ssconf */
	TABLE_PARAMS,
	TABLE_STRINGS,				/* u32: string id -> offset in TABLE_TEXT */
	/* char: NUL-terminated strings; the last byte is 0 */
	TABLE_TEXT,
	TABLES
};

/*
 * What the run used for all jobs alike. A reader derives each job's values from these and from what
 * is stored per job, with the functions of urgency/normalize.h that the scheduler uses itself.
 */
struct run_record {
	uint64_t run;				/* from 1 */
	int64_t now;				/* the run's clock, epoch seconds */
	uint64_t run_ns;
	uint64_t event;				/* last event contained */
	uint64_t free_slots;
	double weight_ticket, weight_urgency, weight_priority;
	double weight_waiting_time, weight_deadline;
	double urg_min, urg_max;		/* of all jobs that took part */
	double tix_max;				/* minimum is always 0 */
	double pending_tickets, running_tickets;	/* sums, for the share column */
	/* 0: 0.5 stands for nurg, npprior in prio; urgency is not computed and shows zeros */
	uint32_t use_urgency, use_priority;
	/* 0: pending jobs show zeros (report_pjob_tickets) */
	uint32_t report_pending;
	uint32_t nodes_configured;		/* the first ones of TABLE_NODES */
	uint64_t bytes;				/* of this generation */
};

struct generation {				/* W; directory of one generation */
	/* which one; 0 while it is being refilled */
	_Alignas(PAGE_BYTES) _Atomic uint64_t gen;
	struct run_record run;
	struct table tables[TABLES];
	uint64_t job_rows;			/* rows in use or free, in all chunks */
	/* byte offsets of struct job_facts; generations share those that did not change */
	uint64_t facts[MAX_CHUNKS];
	/* byte offsets of struct job_results, of this generation alone */
	uint64_t results[MAX_CHUNKS];
};

/* The job table */

enum job_flags {
	JOB_PENDING = 1 << 0,			/* has tasks not started: stands in TABLE_ORDER */
	JOB_ELIGIBLE = 1 << 1,			/* took part in the run as pending */
	JOB_RUNNING = 1 << 2,			/* took part in the run with started tasks */
	JOB_HELD = 1 << 3,			/* JOB_ON_HOLD or JOB_PREDECESSOR: h of hqw */
	JOB_IN_ERROR = 1 << 4,			/* E of Eqw */
	JOB_ARRAY = 1 << 5,
	JOB_ON_HOLD = 1 << 6,			/* all tasks not started are held */
	JOB_PREDECESSOR = 1 << 7,		/* waits for another job to end */
	/* as many tasks run as may: max_aj_instances, -tc */
	JOB_TASK_LIMIT = 1 << 8,
};

enum job_wishes {
	JOB_WISHES_RESERVATION = 1 << 0,	/* -R y */
};

/*
 * A chunk of the table is two extents: what the qmaster told of its jobs, and what a run made of
 * them. Rows that no table leads to are free: they hold anything.
 */
/* exactly one extent; all rows of one column next to each other */
struct job_facts {
	uint32_t number[CHUNK_JOBS];		/* job number */
	uint32_t class_id[CHUNK_JOBS];		/* TABLE_CLASSES */
	uint32_t category[CHUNK_JOBS];		/* TABLE_CATEGORIES */
	uint32_t name[CHUNK_JOBS];		/* string id */
	uint32_t extra[CHUNK_JOBS];		/* TABLE_EXTRAS or NONE */
	uint16_t priority[CHUNK_JOBS];		/* 1024 + p */
	uint16_t wishes[CHUNK_JOBS];		/* enum job_wishes */
	int64_t submission[CHUNK_JOBS];		/* epoch seconds */
};

struct job_results {				/* the same rows */
	union {
		struct {				/* algorithm default */
			double otickets[CHUNK_JOBS];	/* of the first pending task: override, */
			double ftickets[CHUNK_JOBS];	/* functional */
			/* and share tree tickets; total = S + F + O in this order */
			double stickets[CHUNK_JOBS];
		};
		struct {				/* algorithm multifactor */
			/* its age counts from here, epoch seconds; 0: it does not yet */
			int64_t accrue[CHUNK_JOBS];
			uint32_t multifactor[CHUNK_JOBS];	/* priority; 0: held */
			/* TABLE_ASSOCIATIONS; NONE: there is none */
			uint32_t association[CHUNK_JOBS];
		};
	};
	uint32_t task[CHUNK_JOBS];		/* lowest id not started, 1 when not an array */
	uint16_t flags[CHUNK_JOBS];		/* enum job_flags */
	/* TABLE_WHY_LISTS: why it did not start; WHY_UNKNOWN: it was not looked at */
	uint16_t why[CHUNK_JOBS];
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
	uint32_t slots;				/* asked for, a range as urgency_slots takes it */
	uint32_t pad;
};

struct extra_record {				/* what few jobs have */
	int64_t deadline, execution_time;	/* epoch seconds, 0 = none */
	/* as told, epoch seconds; 0: submission or execution time */
	int64_t eligible_time;
	int32_t nice, site_factor;
	/* set by an operator, in place of all factors; 0 = none */
	uint32_t direct_priority;
	/*
	 * where nothing waits, what Slurm has given it: a row of TABLE_SHAPES, + 1; 0: what it asks
	 * for
	 */
	uint32_t allocated;
	uint32_t error_reason;			/* string id; NONE */
	uint32_t ranges, nranges;		/* TABLE_RANGES: ids not started, for arrays */
};

struct range_record { uint32_t min, max, step; };

/* values of the last run before a task was suspended */
struct kept_record {
	double prio, nurg, ntckts, npprior, urg, rrcontr, wtcontr, dlcontr, share;
};

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
	uint32_t partitions, tres;		/* string ids: as told; NONE */
	uint32_t nodes, cpus, time_limit;	/* time_limit in minutes; NONE: none */
	uint32_t pad;
};

struct shape_partition_record {
	uint32_t partition;			/* TABLE_PARTITIONS */
	uint32_t tres;				/* TABLE_TRES_FACTORS: the first one */
};

/* Reader table */

/*
 * A slot belongs to whoever alone has an open-file-description read lock on its byte of the state
 * file, READER_LOCKS + its number; the kernel drops it when the owner dies, however it dies. No
 * byte of the file is there: locks need none.
 */
#define READER_LOCKS ((int64_t)1 << 62)

/* R, its owner only; W clears it after the owner's death */
struct reader_slot {
	_Alignas(CACHELINE) _Atomic uint64_t pin;	/* see readers.h */
	uint32_t pid;				/* for people */
};

struct reader_table {
	uint64_t magic;				/* W */
	uint32_t version;			/* W: SEGMENT_VERSION */
	uint32_t slots;				/* W: READER_SLOTS */
	uint64_t nonce;				/* W: struct reader_place */
	struct reader_slot slot[READER_SLOTS];
};

_Static_assert(sizeof(struct segment_header) <= PAGE_BYTES, "header fits its page");
_Static_assert(sizeof(struct job_facts) == EXTENT_BYTES && sizeof(struct job_results) == EXTENT_BYTES, "a chunk is two extents");
_Static_assert(sizeof(struct reader_slot) == CACHELINE, "one cache line a reader");
_Static_assert(offsetof(struct segment_header, current) == 64, "current has a line of its own");
_Static_assert(sizeof(struct generation) % PAGE_BYTES == 0, "directories are pages");
_Static_assert(sizeof(_Atomic uint64_t) == 8, "atomics are plain words");

#endif
