/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the qmaster told, as tables: jobs by row, started tasks, queue instances, hosts, usage
 * already booked for jobs that run. The mirror holds one, and a second one while a snapshot is
 * coming in. Jobs are columns: a run walks them by the million.
 */
#ifndef SCHED_MIRROR_STATE_H
#define SCHED_MIRROR_STATE_H

#include "conf/index.h"
#include "sched/mirror/event.h"
#include "sched/mirror/facts.h"
#include "sched/mirror/objects.h"
#include "sched/mirror/pool.h"
#include "sched/process/ranges.h"
#include "sched/mirror/requests.h"
#include "shm/facts.h"
#include "shm/layout.h"

/* Sets of a job's ids: enum hold_kind; in error; with a record of their own, of those that wait. */
enum task_set { TASK_ERROR = HOLD_KINDS, TASK_BARS, TASK_ENROLLED = TASK_BARS, TASK_SETS };

struct job_extra {			/* what few jobs have */
	struct job_numbers numbers;
	uint32_t task_concurrency;
	bool is_array, error;
	uint32_t error_reason;		/* string id, held; NONE */
	/*
	 * enum job_flags of the last run, without `kind`; and the lowest id that took part, or
	 * waited
	 */
	uint16_t flags;
	uint32_t first_waiting;
	struct ranges waiting;		/* arrays: ids not started */
	/*
	 * Those in one of the first TASK_BARS may not start. The last one is behind them so that
	 * what is in none of the sets can be asked for.
	 */
	struct ranges sets[TASK_SETS];
	uint32_t *hold_jid;
	size_t nhold_jid;			/* runs take those off the end that are gone */
	uint32_t *hold_jid_ad;
	size_t nhold_jid_ad;
	bool depends;				/* on others, or has done so */
	bool stays;				/* until it is deleted: mirror_job_keep() */
	/*
	 * request, held: what its task that was started last has, as Slurm says; NONE: what it asks
	 * for
	 */
	uint32_t allocated;
};

/* Ids that are not started: of a job that is no array 1, which may have no `extra`. Borrowed. */
static inline struct ranges job_waiting(const struct job_extra *extra)
{
	static const struct range one = { 1, 1, 1 };

	return extra && extra->is_array ? extra->waiting : (struct ranges){ .items = (struct range *)&one, .n = 1 };
}

struct slurm_job {			/* what runs with algorithm multifactor find for a job */
	int64_t accrue;			/* its age counts from here, epoch seconds; 0: not yet */
	uint32_t priority;		/* 0: held */
	uint32_t association;		/* in the cell's list; NONE */
};

/*
 * What HTCondor's negotiation sorts a submitter's jobs by. Of a job that has not said any of it all
 * are 0; see job_condor().
 */
struct condor_job {
	uint32_t given;			/* enum condor_member bits from CONDOR_JOB_PRIO on */
	int32_t pre_job_prio1, pre_job_prio2, job_prio, post_job_prio1, post_job_prio2;
	uint32_t cluster, proc;
};

struct jobs {
	size_t rows, capacity, used;
	uint32_t free_row;		/* chain through `place`; NONE */
	struct facts facts;		/* what the qmaster told, in the segment */
	uint32_t *first_task;		/* of its started tasks, by id; NONE */
	uint32_t *place;		/* in list */
	uint16_t *kind;			/* JOB_PENDING, JOB_ARRAY */
	/* by row, once jobs_reserve_slurm() was called; else NULL */
	struct slurm_job *slurm;
	size_t slurm_capacity;
	/* by row, once a job has said one of these; else NULL */
	struct condor_job *condor;
	size_t condor_capacity;
	struct index index;
	uint32_t highest;		/* number so far: one beyond it is nobody's */

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
 * for which time somebody's association was charged, epoch seconds; 0, 0: see
 * sched/policy/multifactor/period.c
 */
struct charged {
	int64_t from, until;
};

struct task {
	uint32_t row;			/* of its job; NONE: no task */
	uint32_t id;
	uint32_t next;			/* of the same job, by id; NONE */
	uint32_t previous;		/* of the first one: the last one */
	char state[8];			/* letters */
	bool suspended;			/* takes no part, and shows what it had when it last did */
	bool has_usage;
	uint64_t suspended_by;		/* the last run that has suspended it on a threshold */
	/* see ledger.h: its end was looked for; it was booked before, and is told again */
	bool asked, settled;
	/* as no other start has it: start time and grant are the same as long as this is */
	uint64_t begun;
	int64_t start_time;
	uint32_t wallclock_limit;	/* seconds, as struct task_event has it */
	struct charged charged;
	/* ours that started it, until the qmaster confirms the start; 0 = none */
	uint64_t order;
	bool enrolled;			/* before that: it was among those with a record of their own */
	struct granted_entry *granted;
	size_t ngranted;
	uint32_t granted_pe;		/* string id, held; NONE */
	/* the same: what Slurm has allocated; NONE: what the job asks for */
	uint32_t partition, tres;
	uint32_t slots;
	/* cumulative, scaled; of each name the greatest value told since it was started */
	struct usage usage;
	/* mirror.accounts when all of that was booked, and to whom; 0: not all is */
	struct booked_to {
		uint64_t accounts;
		uint32_t user, project;
	} booked;
	double otickets, ftickets, stickets;	/* of the last run in which it took part */
	struct kept_record kept;
};

struct tasks {
	struct task *items;		/* by their numbers in `pool` */
	size_t capacity;
	struct pool pool;		/* by row and id */
};

enum ending { TASK_FINISHED, TASK_REQUEUED, JOB_DELETED };

struct ended_task {			/* usage to be booked in the next run */
	uint32_t number, id;		/* job and task */
	int64_t submission_time, start_time;
	uint32_t class_id;		/* held */
	uint32_t turn;			/* in which it ended; set when booked */
	enum ending ending;
	/* the job is gone with it: its number may be another's from now on */
	bool closes;
	bool asked, settled;		/* as the task's */
	enum vacated_how vacated;	/* TASK_REQUEUED: how, where that was said */
	uint32_t association;		/* in the cell's list; UINT32_MAX: it has none */
	double rate;			/* billable TRES of it, times its QOS' UsageFactor */
	struct charged charged;		/* as the task's */
	int64_t end_time;		/* epoch seconds, 0: in the next run */
	struct granted_entry *granted;	/* what it had */
	size_t ngranted;
	struct usage usage;
};

struct debited_task {			/* a task as it was started at that time: see booking.h */
	uint32_t id;
	bool is_started;		/* as this run sees it */
	int64_t start_time;
	/* the greatest values told of it, of names that are booked */
	struct usage usage;
};

struct debited {			/* what was booked for a job that still runs */
	uint64_t told;			/* see mirror.tellings */
	bool replaced;			/* `usage` was told since it was last booked */
	/*
	 * a run has asked the ledger what was booked before this scheduler was started, for this
	 * job:
	 */
	bool known;
	int64_t submission_time;
	struct usage usage;		/* of all its tasks */
	struct debited_task *tasks;	/* ascending by id and start time */
	size_t ntasks, capacity;
};

struct told_usage {			/* of an association, until the next run takes it over */
	uint32_t account, user, partition;	/* string ids, held; NONE */
	double usage;
	int64_t time_stamp;
	/* what a scheduler had computed that is to be gone on from */
	bool has_values;
	struct association_values values;
};

#define INSTANCE_LETTERS 15

/* a claim that the qmaster keeps for somebody; see struct claim_event */
struct told_claim {
	uint32_t submitter, limits, preempting;	/* string ids, held; the last two may be NONE */
	bool suspended;
	double weight;			/* < 0: the slot's */
	int64_t since;			/* epoch seconds; 0: unknown */
	double current_rank, preempting_rank;
};

struct instance {			/* a queue on a host, or a slot as HTCondor has them */
	uint32_t host;			/* string id, held */
	uint32_t slots;
	bool slots_of_queue;		/* as configured, not told */
	char state[INSTANCE_LETTERS + 1];	/* of qstat -f; "" = usable */
	/* when it was first told, and the last change: Grid Engine's list order goes by them */
	uint64_t born, place;
	uint64_t used;			/* slots taken, this run */
	int64_t suspend_checked;	/* when its suspend_thresholds last had something done */
	struct calendar_change *changes;	/* to come, as told, owned; NULL: not told */
	size_t nchanges;
	/*
	 * a told slot's, by its number in mirror.ads, held; NONE: it is a queue's. `made` differs
	 * from that of every other ad that there ever was: slots that say the same have the same.
	 */
	uint32_t ad_id;
	const struct classad *ad;
	uint64_t made;
	struct told_claim *claim;	/* owned; NULL: none is told */
};

struct used_pe {
	uint32_t name;			/* string id, held */
	uint64_t place;			/* as an instance's */
};

struct load_value {
	uint32_t name, value;		/* string ids, held */
};

struct told_host {			/* what events said of a host, or of "global" */
	bool down;			/* not available */
	/* `load` replaces the load_values of the cell's file, even when there is none */
	bool has_load;
	struct load_value *load;	/* in the order of the event */
	size_t nload;
	struct task_name *avoided_by;	/* tasks that don't start there */
	size_t navoided_by;
};

struct advance_reservation {		/* slots and resources kept free for the jobs that ask for it */
	union {				/* as in struct advance_event: string ids, held; NONE */
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
	uint64_t places;		/* given to instances and PEs so far */
	struct used_pe *used_pes;	/* those that tasks have started or ended in */
	size_t nused_pes;

	/* in the order in which they were first told; they stay until the next snapshot */
	struct told_host *hosts;
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

	struct objects staged[SHARER_KINDS];	/* a snapshot's usage, until it is in force */
	struct told_usage *told_usage;
	size_t ntold_usage, told_usage_capacity;
};

/* Jobs */
/* Room for one more job, so that the next jobs_insert() cannot fail. -ENOMEM. */
int jobs_reserve(struct jobs *jobs);
/* A row's facts are about to be written, or jobs_extra() called. -ENOMEM. */
int jobs_reserve_row(struct jobs *jobs, uint32_t row);
/* Room in the list, so that the next jobs_move_to_end() cannot fail. -ENOMEM. */
int jobs_reserve_move(struct jobs *jobs);
/*
 * Room for `slurm` of every row, now and with each jobs_reserve() from now on; what is not known is
 * 0. -ENOMEM.
 */
int jobs_reserve_slurm(struct jobs *jobs);
/* The same of `condor`. */
int jobs_reserve_condor(struct jobs *jobs);
uint32_t jobs_insert(struct jobs *jobs, uint32_t number);
uint32_t jobs_find(const struct jobs *jobs, uint32_t number);	/* row or INDEX_NONE */
/* of what else it holds the caller has taken care */
void jobs_remove(struct jobs *jobs, uint32_t row);
/* Every change of a job moves it to the end of the list. -ENOMEM: it stays where it is. */
int jobs_move_to_end(struct jobs *jobs, uint32_t row);
/* Its extra record, made if it has none. NULL: no memory. */
struct job_extra *jobs_extra(struct jobs *jobs, uint32_t row);
/* Free its lists. */
void job_extra_clear(struct job_extra *extra);

/* One fact of a job: job_fact(j, row, number). */
#define job_fact(JOBS, ROW, COLUMN) (facts_of(&(JOBS)->facts, ROW)->COLUMN[(ROW) % CHUNK_ROWS])

static inline struct job_extra *jobs_find_extra(const struct jobs *jobs, uint32_t row)
{
	uint32_t extra = job_fact(jobs, row, extra);

	return extra == NONE ? NULL : jobs->extras[extra];
}

/*
 * What a job's place among those of its submitter goes by; what it has not said is what HTCondor
 * takes: JobPrio the job's priority, ClusterId its number. Not ProcId, which is the task where
 * CONDOR_PROC is not given.
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
 * The first `limit` tasks that may start, in the order in which they do: those that are enrolled,
 * then as many others as `allowance`; `n` says how many they are. `ids` NULL: only that. -ENOMEM.
 */
int job_startable(const struct state *state, const struct job_extra *extra, uint64_t allowance, uint32_t *ids,
		  size_t limit, size_t *n);
/*
 * The ranges of an array's tasks that are held, of any kind, or wait for another array's; some lie
 * in others. Returns how many they are; `items` NULL: only that.
 */
size_t job_held_ranges(const struct state *state, const struct job_extra *extra, struct range *items);

/* Started tasks */
uint32_t tasks_find(const struct state *state, uint32_t row, uint32_t id);
/* A new task, which must not be there yet, in its job's chain. NONE: no memory. */
uint32_t tasks_insert(struct state *state, uint32_t row, uint32_t id);
void tasks_remove(struct state *state, uint32_t task, struct strings *strings);
/*
 * A task has started or ended: the instances and the PE that it uses go to the end of their lists,
 * as they do with Grid Engine, whose scheduler learns of each change as of a new object. It decides
 * between equals.
 */
void task_touch_places(struct state *state, const struct task *task, struct strings *strings);
/* The same when an advance reservation has been granted this, or gives it back. */
void granted_touch_places(struct state *state, const struct granted_entry *granted, size_t n, uint32_t pe,
			  struct strings *strings);
/* The place of a PE, by its name; 0: untouched so far. */
uint64_t used_pe_place(const struct state *state, uint32_t name);
/* -ENOMEM. */
int used_pe_set(struct state *state, struct strings *strings, const char *name, uint64_t place);
/* Let go of the queue instances and the parallel environment granted to it. */
void task_drop_granted(struct task *task, struct strings *strings);
/* It is booked, or forgotten: what it holds. */
struct mirror;
void ended_task_free(struct mirror *mirror, struct ended_task *ended);

/* Hosts */
/* What was told of a host by its name's string id; NULL: nothing. */
const struct told_host *told_host_find(const struct state *state, uint32_t name);

/* Advance reservations */
const struct advance_reservation *told_advance_find(const struct state *state,
						    uint32_t number); /* NULL: there is none */

/* Booked usage by job number */
struct debited *debited_find(const struct state *state, uint32_t number);
struct debited *debited_add(struct state *state, uint32_t number);	/* NULL: no memory */
void debited_remove(struct state *state, uint32_t number);
void debited_free(struct debited *debited);	/* what it holds */
/* Its tasks. NULL: there is none; no memory. Valid until the next one is made or removed. */
struct debited_task *debited_find_task(const struct debited *debited, uint32_t id, int64_t start_time);
struct debited_task *debited_get_task(struct debited *debited, uint32_t id, int64_t start_time);
void debited_remove_task(struct debited *debited, struct debited_task *task);

#endif
