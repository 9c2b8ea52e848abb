/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libfairlead: read a Fairlead scheduler's jobs, share tree and parameters from shared memory.
 *
 *     struct fl_cell *cell;
 *     if (fl_attach(&cell, "/etc/fairlead/default") == 0) {
 *             do {
 *                     const struct fl_view *view = fl_begin(cell);
 *                     for (size_t k = 0; k < fl_count(view, FL_PENDING); k++) {
 *                             struct fl_job job;
 *                             if (fl_get(view, FL_PENDING, k, &job) == 0)
 *                                     printf("%u %.5f\n", job.job_number, job.prio);
 *                     }
 *             } while (fl_end(cell) == -ESTALE);
 *             fl_detach(cell);
 *     }
 *
 * Nothing here sends a byte to the scheduler, takes a lock or makes it wait. Between fl_begin() and
 * fl_end() one complete scheduling run is seen; it does not change. What is read there counts only
 * if fl_end() returns 0: a section that outlives the scheduler's patience is evicted and told so
 * with -ESTALE, and what it read may be a mixture (numbers without meaning, never a bad pointer).
 * Strings and views belong to the segment and live until fl_end(); copy what must outlive it.
 *
 *                     attach  begin/get/end  detach
 *     same handle       -           X          X        X  the caller excludes: one handle per thread
 *     other handles     -           -          -        -  nothing needed
 *     the scheduler     -           -          -
 *
 * A handle is not inherited across fork(): the child must attach for itself. All functions that
 * return int give 0 or a negative errno value.
 */
#ifndef FAIRLEAD_H
#define FAIRLEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_API __attribute__((visibility("default")))

struct fl_cell;			/* a reader's handle; private */
struct fl_view;			/* one run, as seen between begin and end; private */

/*
 * Attach to the scheduler of a cell. `cell` is the cell's directory.
 *   0            attached; if there is no reader table, or it is full, without a slot (see -ESTALE
 *                above)
 *   -ENOENT      no such directory, or no scheduler has published here yet
 *   -ENOTDIR, -ENAMETOOLONG
 *   -EPROTO      the segment has another layout: this library and the scheduler are of different
 *                versions
 *   -EACCES      the segment may not be read by this user
 *   -EPERM       what lies in its place is neither root's, nor this user's, nor of the cell's owner
 *   -ENOMEM
 * The caller detaches.
 */
FL_API int fl_attach(struct fl_cell **cell, const char *directory);
/*
 * The same of a run in memory that has no name, by a descriptor of this process, which it keeps:
 * somebody has computed it for this process alone. Nothing tells whether he is alive.
 */
FL_API int fl_attach_descriptor(struct fl_cell **cell, int fd);
FL_API void fl_detach(struct fl_cell *cell);

/*
 * Begin a read section: the newest complete run. Never NULL, never blocks, wait-free. After a new
 * scheduler took over, the handle moves to its segment by itself; if that has another layout it
 * stays with the last run, whose scheduler is not alive, and fl_attach() says -EPROTO. Sections of
 * one handle do not nest.
 */
FL_API const struct fl_view *fl_begin(struct fl_cell *cell);

/* 0: all that was read is of one run. -ESTALE: forget it and begin again. */
FL_API int fl_end(struct fl_cell *cell);

/* The run */

struct fl_run {
	/* grows with each publication, also over restarts; may skip numbers */
	uint64_t generation;
	uint64_t run;		/* scheduling runs of this scheduler, from 1 */
	int64_t now;		/* the run's clock, epoch seconds */
	uint64_t run_ns;	/* how long it took up to publication */
	size_t pending, started;	/* rows of the two lists below */
	uint64_t free_slots;	/* in usable queue instances */
	uint64_t event;		/* number of the last event that is contained */
	uint64_t bytes;		/* of shared memory that this generation occupies */
	uint32_t scheduler_pid;
	bool scheduler_alive;	/* false: the last run of a scheduler that has ended */
	bool prio_is_whole;	/* the priorities of all jobs are whole numbers */
};

FL_API void fl_run(const struct fl_view *view, struct fl_run *run);

struct fl_health {		/* what the scheduler's log tells, up to the run */
	uint64_t starts, reservations;	/* that the run decided */
	/* jobs and tasks whose usage waits, since the store can't be read */
	uint64_t unbooked;
	/* since the scheduler began: starts that would have used more than there is; orders */
	uint64_t withheld, refused;
	uint64_t orders_kept;	/* orders that the qmaster has not taken yet */
	uint64_t hosts_up;	/* execution hosts that are connected */
	uint64_t store_failures;	/* since the scheduler began */
};

/* -ENOENT: the run does not tell. */
FL_API int fl_health(const struct fl_view *view, struct fl_health *health);

enum fl_source_state {
	FL_SOURCE_THERE = 1,	/* a qmaster is connected, or the stream of events is open */
	FL_SOURCE_AWAITED,	/* nobody is connected */
	FL_SOURCE_ENDED,	/* the stream has ended: no more events come */
};

struct fl_source {		/* of events, where a qmaster sends them as lines of JSON */
	enum fl_source_state state;
	uint64_t refused;	/* events, since the scheduler began */
	uint64_t unknown;	/* that named what nobody knows: fairlead-events(5) */
};

/* -ENOENT: events come from nowhere else, or the run does not tell. */
FL_API int fl_source(const struct fl_view *view, struct fl_source *source);

/*
 * A qmaster may have a place for one scheduler, which can change hands: fairlead-qmaster(7). What
 * this scheduler knows of it.
 */
enum fl_place_state {
	FL_PLACE_WATCHING = 1,	/* another one has it, or nobody: this one orders nothing */
	FL_PLACE_TAKING,
	FL_PLACE_OURS,		/* this one is the scheduler */
	FL_PLACE_DOUBTFUL,	/* the qmaster is not heard: nothing is ordered */
	FL_PLACE_HANDING_BACK,	/* starts nothing any more */
};

struct fl_place {
	enum fl_place_state state;
	int64_t since;		/* epoch seconds */
	bool shadow;		/* it computes, and orders nothing unless it is told to attach */
	/* who has it: is that known, does he live, is it the qmaster's own scheduler, or this one */
	bool known, living, builtin, us;
	/* of fairlead attach and hand-back: how many were asked for, how many are dealt with */
	uint32_t asked, done;
	char host[256], name[64];	/* of who has it; "": nobody */
	char reason[256];	/* why it is in this state; "" */
};

/* -ENOENT: its qmaster has no place that could be lost. */
FL_API int fl_place(const struct fl_view *view, struct fl_place *place);

struct fl_files {		/* absolute paths of what the qmaster keeps; "": not known */
	const char *state;	/* the directory of a local cell */
	const char *accounting;	/* accounting(5): tasks that have ended */
};

/* They may be read when the scheduler is dead, too. -ENOENT: the run does not tell. */
FL_API int fl_files(const struct fl_view *view, struct fl_files *files);

struct fl_phase {
	char name[16];
	/* how long it took; of the last one, publication, how long it took in the run before */
	uint64_t ns;
};

/* The k-th phase of the run, k = 0, 1, ...; -ENOENT: no more. */
FL_API int fl_phase(const struct fl_view *view, size_t k, struct fl_phase *phase);

/* Jobs */

enum fl_list {
	/* one row a started task (running, suspended), by job number and task */
	FL_STARTED,
	/*
	 * one row a job with tasks not started (waiting, held, in error), in priority order: prio
	 * descending, then earlier submission, then smaller job number. With algorithm multifactor
	 * PriorityTier of the job's partition comes before prio
	 */
	FL_PENDING,
};

/* task ids; step >= 1, but anything before fl_end() has said 0 */
struct fl_range { uint32_t min, max, step; };

struct fl_job {			/* one row; names are those of qstat(1) and sge_priority(5) */
	uint32_t job_number;
	/* started task; in FL_PENDING the lowest id not started; 1 when not an array */
	uint32_t task;
	bool is_array;
	bool is_started;
	char state[8];		/* qstat's letters: qw hqw Eqw r t s S T ... */
	const char *name, *owner, *project, *department;	/* "" = none */
	int64_t submission_time;	/* epoch seconds */
	int64_t start_time;		/* epoch seconds, 0 = not started */
	int64_t deadline;		/* epoch seconds, 0 = none */
	int64_t execution_time;		/* -a, epoch seconds, 0 = none */
	int32_t priority;		/* -p, -1023..1024 */
	uint32_t jobshare;		/* -js */
	uint32_t override_tickets;	/* -ot */
	uint32_t ar;			/* -ar, 0 = none */
	const char *hard_resources;	/* -l as typed, "" = none */
	const char *soft_resources;
	const char *pe, *pe_range;	/* requested: name or pattern, "2-8"; "" = sequential */
	const char *granted_pe;		/* started tasks only */
	const char *queue;		/* master queue instance of a started task, else "" */
	/* granted, or what urgency_slots of the PE makes of the range asked for */
	uint32_t slots;
	/* FL_PENDING: the ids not started; nranges may be 0 when not an array */
	const struct fl_range *tasks;
	size_t nranges;
	/*
	 * Of an array's: those that are held or wait for another job's, and those in error, where
	 * `state` is that of the others. Ranges in any order, which may overlap and have other ids
	 * as well.
	 */
	const struct fl_range *held, *in_error;
	size_t nheld, nin_error;
	bool has_usage;			/* a usage report has come: cpu, mem, io are valid */
	double cpu;			/* scaled, seconds */
	double mem;			/* GB s */
	double io;			/* GB */

	/*
	 * sge_priority(5); all finite. Zero while a job is held, waiting or in error and never took
	 * part.
	 */
	/* weighted sum of the next three; with algorithm userprio 1 / effective user priority */
	double prio;
	double nurg, ntckts, npprior;	/* normalised urgency, tickets, POSIX priority */
	/* urgency and its resource, waiting time, deadline contributions */
	double urg, rrcontr, wtcontr, dlcontr;
	/* tickets: total, override, functional, share tree */
	double tckts, otckt, ftckt, stckt;
	double share;			/* of the tickets of all running, or all pending, tasks */
};

/* Rows in a list. */
FL_API size_t fl_count(const struct fl_view *view, enum fl_list list);

/* Row k of a list, k < fl_count(). -ENOENT: no such row. */
FL_API int fl_get(const struct fl_view *view, enum fl_list list, size_t k, struct fl_job *job);

/*
 * Rows of one job, k = 0, 1, ...: its started tasks by id, then its pending row. -ENOENT: no such
 * job, or no more rows. The first call for a job number costs one hash look-up.
 */
FL_API int fl_find(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_job *job);

/*
 * What else a job asks for and waits for, by its number. -ENOENT: no such job, or the run does not
 * tell; of those with a k also: no more. Each call costs a hash look-up.
 */

struct fl_request {		/* "" = none */
	const char *hard_queues, *soft_queues, *master_queues;	/* -q, -soft -q, -masterq */
	const char *checkpoint;	/* -ckpt */
	const char *group;	/* its owner's Unix group */
	bool now;		/* -now y: queues of type INTERACTIVE only */
	/* in this run the same of jobs with the same owner, project and request */
	uint64_t alike;
};

FL_API int fl_request(const struct fl_view *view, uint32_t job_number, struct fl_request *request);

enum fl_hold { FL_HOLD_USER, FL_HOLD_OPERATOR, FL_HOLD_SYSTEM, FL_HOLD_ARRAY, FL_HOLDS };

/*
 * Ids of tasks with a hold of this kind; FL_HOLD_ARRAY: that wait for a task of another array. In
 * any order, some perhaps twice, and other ids as well; of a job that is no array, 1.
 */
FL_API int fl_held(const struct fl_view *view, uint32_t job_number, enum fl_hold kind, const struct fl_range **ids,
		   size_t *n);

/*
 * The k-th job for whose end it waits; fl_find() tells whether that is still there. `by_task`:
 * -hold_jid_ad
 */
FL_API int fl_predecessor(const struct fl_view *view, uint32_t job_number, bool by_task, size_t k, uint32_t *number);

/*
 * Jobs that wait for this one's end: the first `most` numbers, and how many there are. Looks at all
 * jobs.
 */
FL_API size_t fl_successors(const struct fl_view *view, uint32_t job_number, uint32_t *numbers, size_t most);

struct fl_detail {
	const char *account;		/* as the qmaster has told it, "" = none */
	uint32_t task_concurrency;	/* -tc, 0 = none */
	bool reserve;			/* -R y */
};

FL_API int fl_detail(const struct fl_view *view, uint32_t job_number, struct fl_detail *detail);

struct fl_usage_value { const char *name; double value; };	/* cpu, mem, io, vmem, maxvmem ... */

/* The k-th usage value of a started task, as reported. */
FL_API int fl_task_usage(const struct fl_view *view, uint32_t job_number, uint32_t task, size_t k,
			 struct fl_usage_value *value);

struct fl_granted { const char *queue; uint32_t slots; };	/* queue instance */

/* The k-th queue instance of a started task, that of its master first. */
FL_API int fl_granted(const struct fl_view *view, uint32_t job_number, uint32_t task, size_t k,
		      struct fl_granted *granted);
/* The same of the task in a row of FL_STARTED, without a look-up. */
FL_API int fl_granted_row(const struct fl_view *view, size_t row, size_t k, struct fl_granted *granted);

/* Why a job did not start */

struct fl_why {			/* checks that failed in the run, on one or more objects */
	const char *kind;	/* one word, see fairlead-stat(1) */
	const char *subject;	/* what was asked for or missing; "" = none */
	const char *object;	/* queue instance, host or the like that lacks least; "" = none */
	uint32_t count;		/* of such objects */
	/* by that object; equal = no numbers to tell. At least DBL_MAX means INFINITY */
	double wanted, had;
	uint16_t number, unit;	/* for fl_why_text() */
};

/*
 * The k-th reason, k = 0, 1, ..., why tasks of a job did not start: first what the job itself is
 * waiting for, then what its kind of request lacks, then what keeps any job from a place. -ENOENT:
 * no such job, none of its tasks are pending, or no more reasons. Each call costs a hash look-up.
 */
FL_API int fl_why(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_why *why);

/*
 * As a sentence for people, in English and local time, names as they are. Returns its length and
 * cuts it, as snprintf(3).
 */
FL_API size_t fl_why_text(const struct fl_why *why, char *text, size_t size);

/* Hosts, queue instances, quotas: what the cluster is and what is left of it */

struct fl_host {		/* qhost(1); what was not reported is "" or < 0 */
	const char *name;
	bool available;		/* false: the qmaster has lost it */
	const char *arch;
	int32_t processors, sockets, cores, threads;
	double load_avg, np_load_avg;	/* scaled as host_conf(5) has it */
	double load_reported;	/* load_avg as reported */
	double mem_total, mem_used, swap_total, swap_used;	/* bytes */
	size_t loads;		/* load values: fl_load() */
};

/*
 * Hosts by name, behind the first one, which is "global", what all share. 0: the scheduler does not
 * dispatch.
 */
FL_API size_t fl_hosts(const struct fl_view *view);
FL_API int fl_host(const struct fl_view *view, size_t k, struct fl_host *host);

/* The k-th load value of a host as reported, in the order of the report. -ENOENT: no more. */
FL_API int fl_load(const struct fl_view *view, size_t host, size_t k, const char **name, const char **value);

struct fl_instance {		/* a queue on a host, or a slot as HTCondor has them; qstat(1) -f */
	const char *name;	/* queue@host */
	const char *queue;	/* "": the cell has no such queue */
	size_t host;		/* fl_host(); 0: not known */
	bool host_available;
	double np_load_avg;	/* the host's; < 0: not reported */
	double seq_no;
	char type[5];		/* letters of BIPC: batch, interactive, parallel, checkpointing */
	char state[16];		/* letters of aACDduESsco; "" = jobs may start */
	/* reserved: now, by advance reservations; used: by their jobs, too */
	uint32_t slots, used, reserved;
	size_t resources, alarms;	/* fl_resource(), fl_alarm() */
};

/* In Grid Engine's list order. */
FL_API size_t fl_instances(const struct fl_view *view);
FL_API int fl_instance(const struct fl_view *view, size_t k, struct fl_instance *instance);

enum fl_level { FL_GLOBAL, FL_HOST, FL_QUEUE };

struct fl_resource {		/* a consumable, complex(5), of one object; total - used is left */
	const char *name;
	/* >= DBL_MAX: INFINITY. used: by jobs that run, and by those that the run has started */
	double total, used;
};

/*
 * The k-th consumable of an object: FL_GLOBAL 0, FL_HOST and the host, FL_QUEUE and the instance,
 * there without its slots. -ENOENT: no more.
 */
FL_API int fl_resource(const struct fl_view *view, enum fl_level level, size_t object, size_t k,
		       struct fl_resource *resource);

struct fl_left {		/* what a job can have of a consumable in a queue instance */
	double value;
	enum fl_level level;	/* of the object that has least: gc: hc: qc: of qhost -F */
};

/* `slots`, too. -ENOENT: nobody has that consumable there. */
FL_API int fl_left(const struct fl_view *view, size_t instance, const char *resource, struct fl_left *left);

enum fl_origin { FL_NOTHING, FL_REPORTED, FL_CONFIGURED, FL_CONSUMABLE };

struct fl_alarm {		/* a threshold of queue_conf(5), of a list in which one is crossed */
	bool suspends;		/* of suspend_thresholds, else load_thresholds */
	const char *name, *limit;
	double value;		/* of the object that counts */
	const char *text;	/* in place of a number; "" = it is one */
	enum fl_level level;
	enum fl_origin source;	/* FL_NOTHING: nobody has such a value */
};

FL_API int fl_alarm(const struct fl_view *view, size_t instance, size_t k, struct fl_alarm *alarm);

enum fl_quota_part { FL_OF_USER, FL_OF_PROJECT, FL_OF_PE, FL_OF_QUEUE, FL_OF_HOST, FL_QUOTA_PARTS };

struct fl_quota {		/* a limit of which something is used: qquota(1), sge_resource_quota(5) */
	const char *set, *rule;	/* the rule's name, or its number */
	const char *resource;
	double limit, used;
	const char *text;	/* in place of a number; "" = it is one */
	uint32_t number;	/* limits count from 0 in the order of the file */
	/*
	 * "" = about all. `counted`: the one that this use is of, the filter is in braces; else what
	 * the filter says
	 */
	const char *parts[FL_QUOTA_PARTS];
	bool counted[FL_QUOTA_PARTS];
};

/* In the order in which running jobs took them. */
FL_API size_t fl_quotas(const struct fl_view *view);
FL_API int fl_quota(const struct fl_view *view, size_t k, struct fl_quota *quota);

/* Users, projects, share tree */

struct fl_usage {
	double cpu, mem, io;		/* decayed: s, GB s, GB */
	double ltcpu, ltmem, ltio;	/* long term, never decayed */
	double combined;		/* decayed, weighted by usage_weight_list */
	int64_t time_stamp;		/* decayed up to, epoch seconds; 0 = never */
};

enum fl_kind { FL_USER, FL_PROJECT, FL_DEPARTMENT };

/* who gets tickets: user(5), project(5), access_list(5) of type DEPT */
struct fl_sharer {
	const char *name;
	uint32_t oticket, fshare;
	uint32_t running_tasks;	/* tasks that refer to it, this run */
	struct fl_usage usage;	/* users: outside projects. Departments have none */
};

FL_API size_t fl_sharers(const struct fl_view *view, enum fl_kind kind);
FL_API int fl_sharer(const struct fl_view *view, enum fl_kind kind, size_t k, struct fl_sharer *sharer);

/* Usage of the k-th user in a project; -ENOENT when there has been none. */
FL_API int fl_user_project_usage(const struct fl_view *view, size_t user, const char *project, struct fl_usage *usage);

struct fl_node {		/* a node of the share tree, share_tree(5) */
	const char *name;
	int32_t parent;		/* index, -1 for the root */
	uint32_t depth;		/* root 0 */
	uint32_t shares;
	bool has_children;	/* in the configured tree */
	bool is_temporary;	/* a user's copy of a `default` node, for this run */
	uint32_t job_count;	/* tasks, running and pending, below it */
	double usage;		/* combined, sge_share_mon(8) */
	/* m_share: its part of the whole by shares, among active nodes */
	double long_target_share;
	/* what it is entitled to now, after usage and compensation */
	double short_target_share;
};

/* configured nodes in pre-order first, then temporary ones */
FL_API size_t fl_nodes(const struct fl_view *view);
FL_API int fl_node(const struct fl_view *view, size_t k, struct fl_node *node);

/* Slurm's multifactor priority */

struct fl_tres {		/* a kind of trackable resource that has a weight */
	const char *name;	/* "cpu" "gres/gpu" */
	double weight;
};

struct fl_multifactor {		/* algorithm multifactor: slurm.conf(5), Priority* */
	/* when priorities were last computed, epoch seconds; PriorityCalcPeriod */
	int64_t pass;
	bool is_2009;		/* PriorityVersion */
	bool has_fair_tree;	/* else classic */
	bool accrue_always, calculate_running, incr_only, no_normal_tres;	/* PriorityFlags */
	uint32_t max_age;	/* seconds */
	uint32_t weight_age, weight_assoc, weight_fairshare, weight_job_size, weight_partition, weight_qos;
	const char *weight_tres;	/* as written, "" = none */
	size_t ntres;		/* kinds that have a weight: fl_tres() */
};

/* -ENOENT: the algorithm is another one; so are those below then. */
FL_API int fl_multifactor(const struct fl_view *view, struct fl_multifactor *multifactor);
FL_API int fl_tres(const struct fl_view *view, size_t k, struct fl_tres *tres);

struct fl_factors {		/* a job in one of its partitions; names are those of sprio(1) */
	uint32_t job_number;
	const char *owner, *account, *partition, *qos;	/* "" = none */
	bool is_started;	/* it runs, and nothing of it waits */
	bool is_held;
	/*
	 * the job's, as it is ordered by: 0 = held. With INCR_ONLY it may be more than its factors
	 * come to
	 */
	uint32_t priority;
	/* set by an operator: all factors, site and nice are 0; 0 = none */
	uint32_t direct_priority;
	int64_t submission_time, eligible_time, accrue_time;	/* epoch seconds; 0: not yet */
	/* normalised; 0 where the weight is 0 */
	double age, assoc, fairshare, job_size, partition_factor, job_qos;
	double weighted_age, weighted_assoc, weighted_fairshare, weighted_job_size, weighted_partition, weighted_qos;
	double weighted_tres;	/* sum of all kinds */
	int32_t site, nice;
	/*
	 * of all that is weighted, site less nice: at the lower bound, but not cut to whole numbers
	 * nor at the upper one
	 */
	double sum;
	/* its factors for the first ntres kinds of fl_tres(), as the segment has them */
	const double *tres;
	/* all kinds that have a weight; 0: no partition that there is, or a direct priority */
	uint32_t ntres;
	uint32_t partitions;	/* of the job, at least 1: k < partitions */
};

/*
 * A job's k-th partition, k = 0, 1, ...; higher tiers first. -ENOENT: no such job, or no more. A
 * job without a partition that there is has one row with partition "".
 */
FL_API int fl_factors(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_factors *factors);
/* The same for row `row` of a list, which costs no look-up. */
FL_API int fl_list_factors(const struct fl_view *view, enum fl_list list, size_t row, size_t k,
			   struct fl_factors *factors);

struct fl_association {		/* a line of sshare(1) */
	const char *account, *user, *partition;	/* "" = none */
	int32_t parent;		/* index, -1 for the root */
	uint32_t depth;		/* root 0 */
	bool is_user;
	bool has_parent_shares;	/* fairshare=parent */
	uint32_t shares;	/* raw */
	uint32_t priority;
	/* raw_usage in TRES seconds, decayed */
	double norm_shares, raw_usage, norm_usage, effective_usage;
	double fairshare;	/* factor; of accounts 0 with Fair Tree */
	double level_fs;	/* Fair Tree; HUGE_VAL when nothing was used, 0 without Fair Tree */
	uint32_t rank;		/* Fair Tree, users: 1 is last */
	uint32_t running_tasks;
	/* GrpTRESMins, "cpu=1000,gres/gpu=60" in the order of fl_tres_kind(); "" = none */
	const char *group_tres_minutes;
	/*
	 * what running tasks may still use, for the first `ntres` kinds of fl_tres_kind(), as the
	 * segment has them
	 */
	const uint64_t *tres_run_minutes;
	uint32_t ntres;		/* 0: they are all 0 */
};

/* in pre-order: an account, its users by name, its accounts by name */
FL_API size_t fl_associations(const struct fl_view *view);
FL_API int fl_association(const struct fl_view *view, size_t k, struct fl_association *association);
/* all that the cell has: "cpu" "mem" ...; NULL: no more */
FL_API const char *fl_tres_kind(const struct fl_view *view, size_t k);

/*
 * HTCondor's negotiation: the last cycle, fairlead-negotiate(1). Weights are those of slots; names
 * of submitters are user@domain, of the root group "<none>".
 */

struct fl_negotiation {
	uint64_t cycle;		/* from 1; 0: there was none yet */
	int64_t begin, last_update,
		next; /* epoch seconds: of the cycle, of user priorities, of the next cycle at the latest; 0: unknown */
	uint64_t duration_ns, account_ns, quota_ns, slice_ns, match_ns;
	double pool_weight, pool_counted, least_weight;	/* of all slots; that shares are of; of the lightest */
	double halflife;	/* of user priorities, seconds */
	uint32_t matches, preemptions, spins, rounds;
	uint32_t slots, trimmed;	/* those that took no part */
	bool use_weights, consider_preemption;
	size_t ngroups, nsubmitters, nslots, nlimits, ncontacts, nmatches;
};

/* -ENOENT: the algorithm is another one; so are those below then. */
FL_API int fl_negotiation(const struct fl_view *view, struct fl_negotiation *negotiation);

struct fl_quota_group {		/* an accounting group */
	const char *name;
	int32_t parent;		/* index, -1 for the root */
	bool is_static, accepts_surplus, autoregroup;
	double configured, quota, subtree_quota;
	double requested, first_allocated, allocated;	/* in the first and the last allocation round */
	double uncut, limit; /* weight that it could use, and as it was cut to a whole number; < 0: it was not served */
	double weight_used, tree_used, sort_key;
	const char *capped_by;	/* the group whose quota bounds it; "" = none */
	uint32_t order;		/* of service, from 1; 0: it was not */
	const char *quota_by, *surplus_by, *autoregroup_by;	/* macros that say so; "" = the default */
};

/* breadth first, the root first */
FL_API int fl_quota_group(const struct fl_view *view, size_t k, struct fl_quota_group *group);

struct fl_submitter {		/* who took part in the cycle */
	const char *name, *group;
	uint32_t quota_group;	/* index of that: fl_quota_group() */
	double rup, factor, eup;	/* real and effective user priority */
	double weight_used;
	int64_t ceiling, floor;	/* weight; -1, 0: none */
	uint32_t idle, running;	/* tasks */
	double weight_idle, weight_running;
	double share;		/* part of its group's pie, 0..1 */
	double slice;		/* weight that comes to */
	double limit;		/* what was left of it when it was last looked at */
	uint32_t spins, visits, matches, preemptions, rejected;
	/*
	 * why it was not served any further: "no jobs" "slice" "ceiling" ...; "" = it was not
	 * served
	 */
	const char *stop;
};

/* in the order in which they were contacted */
FL_API int fl_submitter(const struct fl_view *view, size_t k, struct fl_submitter *submitter);

struct fl_slot {
	const char *name;
	const char *state;	/* "unclaimed" "claimed" "preempting" */
	const char *customer, *preempting;	/* whose it is; for whom it is being vacated; "" = nobody */
	double weight, current_rank;
	int64_t since;		/* of the claim, epoch seconds; 0 */
	uint32_t job_number, task, winner_job, winner_task;	/* that run there; that wait for it; 0 */
};

FL_API int fl_slot(const struct fl_view *view, size_t k, struct fl_slot *slot);

struct fl_concurrency_limit { const char *name; double most, used; };
FL_API int fl_concurrency_limit(const struct fl_view *view, size_t k, struct fl_concurrency_limit *limit);

struct fl_contact { const char *submitter, *group; uint32_t spin; };	/* a visit */
/* in their order */
FL_API int fl_contact(const struct fl_view *view, size_t k, struct fl_contact *contact);

struct fl_match {
	const char *submitter, *slot;
	uint32_t job_number, task;
	const char *preemption;	/* "" = nobody had to go, "rank" "priority" */
	const char *loser;	/* "" = nobody */
	uint32_t loser_job, loser_task;	/* 0: a claim that the qmaster has told */
	double weight, rank;
};

/* in their order */
FL_API int fl_match(const struct fl_view *view, size_t k, struct fl_match *match);

/* HTCondor's user priorities */

struct fl_clause {		/* a part of a job's Requirements that must hold, with all others */
	char text[256];		/* cut */
	uint32_t refused, slots;	/* slots for which it is not true, of so many that were looked at */
};

/*
 * The clauses of a pending job's Requirements, and of how many told slots each is not true, whoever
 * has these slots: as they were told, with what the job has said itself. The first `most` are
 * written. Returns how many there are, or -ENOENT: no such job, no Requirements, no slots that were
 * told; -ENOMEM. Costs a walk over the slots.
 */
FL_API int fl_clauses(const struct fl_view *view, uint32_t job_number, struct fl_clause *clauses, size_t most);

struct fl_claimant {		/* a job as HTCondor's negotiation has it */
	const char *submitter;	/* "physics.hep.ann@pool"; "" = its names make none */
	const char *accounting_group, *accounting_group_user;	/* as it has said; "" = nothing */
	bool has_job_prio;	/* it has said one; else its `priority` counts */
	int32_t job_prio;
	/* among its submitter's waiting jobs, from 1; 0 = it was not among them */
	uint32_t place;
	/* what it has said of itself: lines "Name = expression" in order of names; "" = nothing */
	const char *ad;
};

/* -ENOENT: no such job, or the algorithm is another one */
FL_API int fl_claimant(const struct fl_view *view, uint32_t job_number, struct fl_claimant *claimant);

struct fl_customer {		/* a line of condor_userprio(1): a submitter or an accounting group */
	const char *name;	/* "physics.hep.ann@pool"; of a group "physics.hep", the root "<none>" */
	const char *group;	/* its own; of a group the one above it */
	bool is_group;
	uint32_t used;		/* slots */
	double rup, factor;	/* real priority; the effective one is their product */
	double weight_used, tree_used;	/* of slots; of a group with all groups below it */
	double accumulated, weight_accumulated;	/* slots' and weights' seconds */
	int64_t begin, last;	/* of usage, epoch seconds; 0 */
	int64_t ceiling, floor;	/* weight in use at most, -1: any; to be served first */
	struct { int64_t until; double before; } factor_lease, ceiling_lease, floor_lease;	/* until 0: none */
	/* of the last cycle; 0 if it took no part */
	double share, limit;	/* of a submitter */
	int32_t quota_group;	/* of a group: for fl_quota_group(); -1: none */
};

/* groups first, breadth first from the root, then submitters by name */
FL_API size_t fl_customers(const struct fl_view *view);
FL_API int fl_customer(const struct fl_view *view, size_t k, struct fl_customer *customer);

/* Parameters */

/*
 * sched_conf(5) of the run: the k-th parameter with its value as written, in the order of qconf
 * -ssconf.
 */
FL_API int fl_param_at(const struct fl_view *view, size_t k, const char **name, const char **value);

/* One parameter's value as written, NULL when there is none of this name. */
FL_API const char *fl_param(const struct fl_view *view, const char *name);

#ifdef __cplusplus
}
#endif

#endif
