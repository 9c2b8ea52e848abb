/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State reported by the qmaster, as tables: jobs by row, started tasks, queue instances, hosts, and
 * usage already booked for running jobs. The mirror has one state, and a second one while a
 * snapshot is being received. Jobs are columns, because a run walks over millions of them.
 */
#ifndef SCHED_MIRROR_STATE_H
#define SCHED_MIRROR_STATE_H

#include "conf/base/index.h"
#include "sched/mirror/event.h"
#include "sched/mirror/facts.h"
#include "sched/mirror/objects.h"
#include "sched/mirror/pool.h"
#include "sched/process/ranges.h"
#include "sched/mirror/requests.h"
#include "shm/facts.h"
#include "shm/layout.h"

/*
 * Sets of a job's ids: by enum hold_kind; in error; pending with a record of their own; restarted,
 * also ids that are started or have ended.
 */
enum task_set { TASK_ERROR = HOLD_KINDS, TASK_BARS, TASK_ENROLLED = TASK_BARS, TASK_RESTARTED, TASK_SETS };

struct job_extra {			/* properties that few jobs have */
	struct job_numbers numbers;
	uint32_t task_concurrency;
	bool is_array, error;
	uint32_t error_reason;		/* string id, held; NONE */
	/*
	 * enum job_flags of the last run, without `kind`; lowest id that was eligible, or otherwise
	 * pending
	 */
	uint16_t flags;
	uint32_t first_waiting;
	struct ranges waiting;		/* arrays: ids not started */
	/*
	 * Ids in one of the first TASK_BARS sets may not start. TASK_ENROLLED follows them, so that
	 * ids outside of the other sets can be selected.
	 */
	struct ranges sets[TASK_SETS];
	uint32_t *hold_jid;
	size_t nhold_jid;			/* runs remove ended jobs from its end */
	uint32_t *hold_jid_ad;
	size_t nhold_jid_ad;
	bool depends;				/* waits for other jobs, or has waited */
	bool stays;				/* until it is deleted: mirror_job_keep() */
	/*
	 * request, held: resources allocated to its task that was started last, as Slurm reports;
	 * NONE: as requested
	 */
	uint32_t allocated;
};

/*
 * Return the ids that are not started. Without an array this is 1, and `extra` may be NULL.
 * Borrowed.
 */
static inline struct ranges job_waiting(const struct job_extra *extra)
{
	static const struct range one = { 1, 1, 1 };

	return extra && extra->is_array ? extra->waiting : (struct ranges){ .items = (struct range *)&one, .n = 1 };
}

struct slurm_job {			/* results of runs with algorithm multifactor */
	/* time from which its age counts, epoch seconds; 0: it does not count yet */
	int64_t accrue;
	uint32_t priority;		/* 0: held */
	uint32_t association;		/* in the cell's list; NONE */
};

/*
 * Sort keys of HTCondor's negotiation for a submitter's jobs. All are 0 for a job that has set
 * none; see job_condor().
 */
struct condor_job {
	uint32_t given;			/* enum condor_member bits from CONDOR_JOB_PRIO on */
	int32_t pre_job_prio1, pre_job_prio2, job_prio, post_job_prio1, post_job_prio2;
	uint32_t cluster, proc;
};

struct jobs {
	size_t rows, capacity, used;
	uint32_t free_row;		/* chain through `place`; NONE */
	struct facts facts;		/* reported values, in the segment */
	uint32_t *first_task;		/* first of its started tasks, by id; NONE */
	uint32_t *place;		/* position in `list` */
	uint16_t *kind;			/* JOB_PENDING, JOB_ARRAY */
	/* indexed by row, after jobs_reserve_slurm() was called; otherwise NULL */
	struct slurm_job *slurm;
	size_t slurm_capacity;
	/* indexed by row, after a job has set one of these values; otherwise NULL */
	struct condor_job *condor;
	size_t condor_capacity;
	struct index index;
	uint32_t highest;		/* highest number so far; larger numbers are unused */

	struct job_extra **extras;
	uint32_t *free_extras;
	size_t nextras, nfree_extras, extras_capacity;

	/* rows in the order of Grid Engine's job list; NONE = gap */
	uint32_t *list;
	size_t list_end, list_capacity;
};

struct granted_entry {
	uint32_t queue;			/* string id, held */
	uint32_t slots;
};

/*
 * Period for which the task's association was charged, epoch seconds; 0, 0: see
 * sched/policy/multifactor/period.c
 */
struct charged {
	int64_t from, until;
};

struct task {
	uint32_t row;			/* row of its job; NONE: no task */
	uint32_t id;
	uint32_t next;			/* next task of the same job, by id; NONE */
	uint32_t previous;		/* previous task; for the first task: the last one */
	char state[8];			/* letters */
	/* not considered in runs; shows its values from the last run that considered it */
	bool suspended;
	bool has_usage;
	uint64_t suspended_by;		/* last run that has suspended it on a threshold */
	/* the ledger was asked for its end; its end was booked before and is reported again */
	bool asked, settled;
	/* unique number of this start: start time and grant are unchanged while it is unchanged */
	uint64_t begun;
	int64_t start_time;
	uint32_t wallclock_limit;	/* seconds, as in struct task_event */
	struct charged charged;
	/* our order that started it, until the qmaster confirms the start; 0 = none */
	uint64_t order;
	/* before the start it was a task with a record of its own */
	bool enrolled;
	struct granted_entry *granted;
	size_t ngranted;
	uint32_t granted_pe;		/* string id, held; NONE */
	/* string ids, held: resources that Slurm has allocated; NONE: as the job requests */
	uint32_t partition, tres;
	uint32_t slots;
	/* cumulative, scaled; the greatest value of each name reported since it was started */
	struct usage usage;
	/*
	 * mirror.accounts when all of the usage was booked, and the objects; 0: not all is booked
	 */
	struct booked_to {
		uint64_t accounts;
		uint32_t user, project;
	} booked;
	double otickets, ftickets, stickets;	/* values of the last run that considered it */
	struct kept_record kept;
};

struct tasks {
	struct task *items;		/* indexed by number in `pool` */
	size_t capacity;
	struct pool pool;		/* keys: row and id */
};

enum ending { TASK_FINISHED, TASK_REQUEUED, JOB_DELETED };

struct ended_task {			/* usage to be booked in the next run */
	uint32_t number, id;		/* job and task */
	int64_t submission_time, start_time;
	uint32_t class_id;		/* held */
	uint32_t turn;			/* order in which tasks ended; set when booked */
	enum ending ending;
	/* the job is gone with it: another job may get its number */
	bool closes;
	bool asked, settled;		/* see struct task */
	enum vacated_how vacated;	/* TASK_REQUEUED: how it was vacated, if reported */
	uint32_t association;		/* in the cell's list; UINT32_MAX: none */
	double rate;			/* billable TRES times UsageFactor of the QOS */
	struct charged charged;		/* see struct task */
	int64_t end_time;		/* epoch seconds, 0: time of the next run */
	struct granted_entry *granted;	/* slots that it had */
	size_t ngranted;
	struct usage usage;
};

struct debited_task {			/* a task as it was started at that time: see booking.h */
	uint32_t id;
	bool is_started;		/* in this run */
	int64_t start_time;
	/* the greatest values reported for it, of booked names */
	struct usage usage;
};

struct debited {			/* usage booked for a job that still runs */
	uint64_t reported;			/* see mirror.report_count */
	bool replaced;			/* `usage` was reported since it was last booked */
	/*
	 * a run has asked the ledger for the usage that was booked before this scheduler started,
	 * for this job:
	 */
	bool known;
	int64_t submission_time;
	struct usage usage;		/* sum over all its tasks */
	struct debited_task *tasks;	/* ascending by id and start time */
	size_t ntasks, capacity;
};

/* reported usage of an association, until the next run takes it over */
struct reported_usage {
	uint32_t account, user, partition;	/* string ids, held; NONE */
	double usage;
	int64_t time_stamp;
	/* values that a scheduler had computed and that the next pass continues from */
	bool has_values;
	struct association_values values;
};

#define INSTANCE_LETTERS 15

/* a claim that the qmaster keeps for a submitter; see struct claim_event */
struct reported_claim {
	uint32_t submitter, limits, preempting;	/* string ids, held; the last two may be NONE */
	bool suspended;
	double weight;			/* < 0: the weight of the slot */
	int64_t since;			/* epoch seconds; 0: unknown */
	double current_rank, preempting_rank;
};

struct instance {			/* a queue on a host, or a slot of HTCondor */
	uint32_t host;			/* string id, held */
	uint32_t slots;
	bool slots_of_queue;		/* configured, not reported */
	char state[INSTANCE_LETTERS + 1];	/* letters of qstat -f; "" = usable */
	/* order of first report, and of last change: these decide Grid Engine's list order */
	uint64_t born, place;
	uint64_t used;			/* slots in use, this run */
	int64_t suspend_checked;	/* last time that its suspend_thresholds had an effect */
	/* future changes as reported, owned; NULL: not reported */
	struct calendar_change *changes;
	size_t nchanges;
	/*
	 * ad of a reported slot, by its number in mirror.ads, held; NONE: a queue instance. `made`
	 * is unique among all ads that ever existed: slots with the same ad have the same value.
	 */
	uint32_t ad_id;
	const struct classad *ad;
	uint64_t made;
	struct reported_claim *claim;	/* owned; NULL: no claim is reported */
};

struct used_pe {
	uint32_t name;			/* string id, held */
	uint64_t place;			/* like `place` of an instance */
};

struct load_value {
	uint32_t name, value;		/* string ids, held */
};

struct reported_host {			/* reported values of a host, or of "global" */
	bool down;			/* not available */
	/* `load` replaces the load_values of the cell's file, even if it is empty */
	bool has_load;
	struct load_value *load;	/* in the order of the event */
	size_t nload;
	struct task_name *avoided_by;	/* tasks that do not start there */
	size_t navoided_by;
};

struct advance_reservation {		/* slots and resources kept free for jobs that request it */
	union {				/* string ids, held, as in struct advance_event; NONE */
		struct {
			uint32_t name, owner, account;
			uint32_t hard, pe, pe_range, hard_queues, master_queues, ckpt, granted_pe;
			uint32_t access, no_access, state;
		};
		uint32_t texts[ADVANCE_TEXTS];
	};
	int64_t submission_time, start_time, end_time;
	bool hard_error;
	struct granted_entry *granted;
	size_t ngranted;
};

struct state {
	struct jobs jobs;
	struct tasks tasks;
	struct ended_task *ended;
	size_t nended, ended_capacity;

	struct instance *instances;
	uint32_t *instance_names;	/* string ids, held */
	size_t ninstances, instances_capacity;
	struct index instance_index;
	uint64_t places;		/* last value of `place` of instances and PEs */
	struct used_pe *used_pes;	/* PEs in which tasks have started or ended */
	size_t nused_pes;

	/* in the order of their first report; they are kept until the next snapshot */
	struct reported_host *hosts;
	uint32_t *host_names;		/* string ids, held */
	size_t nhosts, hosts_capacity;
	struct index host_index;

	struct advance_reservation *advances;
	uint32_t *advance_numbers;
	size_t nadvances, advances_capacity;
	struct index advance_index;

	struct debited *debited;
	uint32_t *debited_numbers;
	size_t ndebited, debited_capacity;
	struct index debited_index;

	/* usage in a snapshot, until the snapshot is active */
	struct objects staged[SHARER_KINDS];
	struct reported_usage *reported_usage;
	size_t ntold_usage, reported_usage_capacity;
};

/* Jobs */
/* Reserve memory for one more job, so that the next jobs_insert() cannot fail. -ENOMEM. */
int jobs_reserve(struct jobs *jobs);
/* Prepare a row before its facts are written or jobs_extra() is called. -ENOMEM. */
int jobs_reserve_row(struct jobs *jobs, uint32_t row);
/* Reserve memory in the list, so that the next jobs_move_to_end() cannot fail. -ENOMEM. */
int jobs_reserve_move(struct jobs *jobs);
/*
 * Reserve `slurm` for every row, now and with each later jobs_reserve(). Unknown values are 0.
 * -ENOMEM.
 */
int jobs_reserve_slurm(struct jobs *jobs);
/* Reserve `condor` like jobs_reserve_slurm(). */
int jobs_reserve_condor(struct jobs *jobs);
uint32_t jobs_insert(struct jobs *jobs, uint32_t number);
uint32_t jobs_find(const struct jobs *jobs, uint32_t number);	/* row or INDEX_NONE */
/* Remove a job. The caller has released everything else that it holds. */
void jobs_remove(struct jobs *jobs, uint32_t row);
/* Move a job to the end of the list, as every change does. -ENOMEM: it is not moved. */
int jobs_move_to_end(struct jobs *jobs, uint32_t row);
/* Return the extra record of a job, created if it has none. NULL: no memory. */
struct job_extra *jobs_extra(struct jobs *jobs, uint32_t row);
/* Remove the extra record of a job, if it has one. The row is prepared. */
void jobs_drop_extra(struct jobs *jobs, uint32_t row);
/* Free the lists of an extra record. */
void job_extra_clear(struct job_extra *extra);

/* Fact of a job: job_fact(jobs, row, number). */
#define job_fact(JOBS, ROW, COLUMN) (facts_of(&(JOBS)->facts, ROW)->COLUMN[(ROW) % CHUNK_ROWS])

static inline struct job_extra *jobs_find_extra(const struct jobs *jobs, uint32_t row)
{
	uint32_t extra = job_fact(jobs, row, extra);

	return extra == NONE ? NULL : jobs->extras[extra];
}

/*
 * Return the sort keys of a job among the jobs of its submitter. Values that are not set have
 * HTCondor's defaults: JobPrio is the job's priority, ClusterId its number. ProcId has no default
 * here: without CONDOR_PROC it is the task.
 */
static inline struct condor_job job_condor(const struct jobs *jobs, uint32_t row)
{
	struct condor_job job = jobs->condor ? jobs->condor[row] : (struct condor_job){ 0 };

	if (!(job.given & CONDOR_JOB_PRIO))
		job.job_prio = job_fact(jobs, row, priority) - 1024;
	if (!(job.given & CONDOR_CLUSTER))
		job.cluster = job_fact(jobs, row, number);
	return job;
}

/*
 * Return the first `limit` tasks that may start, in the order in which they start. Enrolled tasks
 * come first, then up to `allowance` others. `n` is set to their number. `ids` NULL: only count.
 * -ENOMEM.
 */
int job_startable(const struct state *state, const struct job_extra *extra, uint64_t allowance, uint32_t *ids,
		  size_t limit, size_t *n);
/*
 * Return whether the job waits for a predecessor (-hold_jid). Remove ended predecessors from
 * the end of the list, up to the first one that exists. Ended jobs do not return, so a long list is
 * searched once and not in each run.
 */
bool job_has_predecessor(const struct jobs *jobs, struct job_extra *extra);
/* Return whether a task of an array waits for the same task of another array (-hold_jid_ad). */
bool job_task_waits(const struct state *state, const struct job_extra *extra, uint32_t id);
/*
 * Return the number of ranges of an array's tasks that are held for any reason or wait for another
 * array's tasks. The ranges may overlap. `items` NULL: only count.
 */
size_t job_held_ranges(const struct state *state, const struct job_extra *extra, struct range *items);

/* Started tasks */
uint32_t tasks_find(const struct state *state, uint32_t row, uint32_t id);
/* Add a new task to its job's chain; it must not exist yet. NONE: no memory. */
uint32_t tasks_insert(struct state *state, uint32_t row, uint32_t id);
void tasks_remove(struct state *state, uint32_t task, struct strings *strings);
/*
 * Move the instances and the PE of a task to the end of their lists when the task has started or
 * ended. Grid Engine's scheduler does the same, since it sees each change as a new object. The
 * order decides between equals.
 */
void task_touch_places(struct state *state, const struct task *task, struct strings *strings);
/*
 * Move instances and a PE to the end of their lists when an advance reservation has been granted
 * slots there or has released them.
 */
void granted_touch_places(struct state *state, const struct granted_entry *granted, size_t n, uint32_t pe,
			  struct strings *strings);
/* Return the place of a PE by its name. 0: not used so far. */
uint64_t used_pe_place(const struct state *state, uint32_t name);
/* Set the place of a PE. -ENOMEM. */
int used_pe_set(struct state *state, struct strings *strings, const char *name, uint64_t place);
/* Release the queue instances and the parallel environment granted to a task. */
void task_drop_granted(struct task *task, struct strings *strings);
/* Free an ended task that is booked or forgotten. */
struct mirror;
void ended_task_free(struct mirror *mirror, struct ended_task *ended);

/* Hosts */
/* Return the reported values of a host by its name's string id. NULL: none. */
const struct reported_host *reported_host_find(const struct state *state, uint32_t name);

/* Booked usage by job number */
struct debited *debited_find(const struct state *state, uint32_t number);
struct debited *debited_add(struct state *state, uint32_t number);	/* NULL: no memory */
void debited_remove(struct state *state, uint32_t number);
void debited_free(struct debited *debited);	/* frees its content */
/* Find, create and remove its tasks. NULL: not found; no memory. Valid until the next change. */
struct debited_task *debited_find_task(const struct debited *debited, uint32_t id, int64_t start_time);
struct debited_task *debited_get_task(struct debited *debited, uint32_t id, int64_t start_time);
void debited_remove_task(struct debited *debited, struct debited_task *task);

#endif
