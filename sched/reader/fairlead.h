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
 * The library sends nothing to the scheduler, takes no lock and never makes it wait. A section
 * between fl_begin() and fl_end() shows one complete scheduling run, which does not change. The
 * data of a section is valid only if fl_end() returns 0. If a section lasts too long, the scheduler
 * evicts it and fl_end() returns -ESTALE. The data may then be a mixture of runs. Numbers may have
 * no meaning, but every pointer is valid.
 *
 * Strings, arrays and views are in the segment and valid until fl_end(). Copy what is needed
 * longer.
 *
 * Calls that may run at the same time (X: the caller must prevent it, -: nothing is needed):
 *
 *                     attach  begin/get/end  detach
 *     same handle       -           X          X
 *     other handles     -           -          -
 *     the scheduler     -           -          -
 *
 * Use one handle per thread. A handle is not inherited across fork(): the child must attach again.
 * Functions that return int return 0 or a negative errno value.
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

struct fl_cell;			/* private handle of a reader */
struct fl_view;			/* private view of one run in a section */

/*
 * Attach to the scheduler of a cell. `cell` is set to the handle, `directory` is the directory of
 * the cell. Call fl_detach() when the handle is not needed any more.
 *   0            attached. If the reader table is missing or full, the handle has no slot and
 *                its sections may end with -ESTALE at any time
 *   -ENOENT      the directory does not exist, or no scheduler has published in it yet
 *   -ENOTDIR, -ENAMETOOLONG
 *   -EPROTO      the segment has another layout: the library and the scheduler are of
 *                different versions
 *   -EACCES      this user may not read the segment
 *   -EPERM       the segment does not belong to root, to this user or to the cell's owner
 *   -ENOMEM
 */
FL_API int fl_attach(struct fl_cell **cell, const char *directory);
/*
 * Attach to a run in memory without a name, computed for this process only. The caller keeps `fd`.
 * The library cannot know whether the scheduler is alive.
 */
FL_API int fl_attach_descriptor(struct fl_cell **cell, int fd);
FL_API void fl_detach(struct fl_cell *cell);

/*
 * Begin a section on the newest complete run. Never returns NULL, never blocks, is wait-free. After
 * a new scheduler has started, the handle moves to its segment. If that has another layout, the
 * handle stays with the last run, whose scheduler is not alive, and fl_attach() returns -EPROTO.
 * Sections of one handle do not nest.
 */
FL_API const struct fl_view *fl_begin(struct fl_cell *cell);

/* End a section. 0: all data is of one run. -ESTALE: discard the data and begin again. */
FL_API int fl_end(struct fl_cell *cell);

/* The run */

struct fl_run {
	/* Number of the publication. Grows with each one, also over restarts; may skip numbers. */
	uint64_t generation;
	uint64_t run;		/* number of the run since the scheduler's start, from 1 */
	int64_t now;		/* clock of the run, epoch seconds */
	uint64_t run_ns;	/* duration of the run until publication */
	size_t pending, started;	/* rows of the two lists of enum fl_list */
	uint64_t free_slots;	/* free slots in usable queue instances */
	uint64_t event;		/* number of the last event that the run includes */
	uint64_t bytes;		/* shared memory of this generation */
	uint32_t scheduler_pid;
	bool scheduler_alive;	/* false: last run of a scheduler that has ended */
	bool prio_is_whole;	/* priorities of all jobs are whole numbers */
};

FL_API void fl_run(const struct fl_view *view, struct fl_run *run);

struct fl_health {		/* values of the scheduler's log at the time of the run */
	uint64_t starts, reservations;	/* decided in this run */
	/* Jobs and tasks whose usage is not booked yet because the store cannot be read. */
	uint64_t unbooked;
	/*
	 * Since the start: job starts withheld, as they would have used more than is free; orders
	 * refused.
	 */
	uint64_t withheld, refused;
	uint64_t orders_kept;	/* orders that the qmaster has not accepted yet */
	uint64_t hosts_up;	/* connected execution hosts */
	uint64_t store_failures;	/* failures since the scheduler's start */
};

/* Return the health of the scheduler. -ENOENT: the run does not report it. */
FL_API int fl_health(const struct fl_view *view, struct fl_health *health);

/*
 * Return the number of sections of all readers that the scheduler has evicted since its start.
 * -ENOENT: the run does not report it.
 */
FL_API int fl_evicted(const struct fl_view *view, uint64_t *sections);

enum fl_source_state {
	FL_SOURCE_THERE = 1,	/* a qmaster is connected, or the stream of events is open */
	FL_SOURCE_AWAITED,	/* no qmaster is connected */
	FL_SOURCE_ENDED,	/* the stream has ended: no more events come */
};

struct fl_source {		/* source of events: a qmaster that sends lines of JSON */
	enum fl_source_state state;
	uint64_t refused;	/* refused events since the scheduler's start */
	uint64_t unknown;	/* events with unknown names or members: fairlead-events(5) */
};

/* Return the source. -ENOENT: there is no such source, or the run does not report it. */
FL_API int fl_source(const struct fl_view *view, struct fl_source *source);

/*
 * State of the scheduler role of a qmaster. One scheduler has the role, and another one can take it
 * over: fairlead-qmaster(7).
 */
enum fl_place_state {
	/* another scheduler or none has the role; this one sends no orders */
	FL_PLACE_WATCHING = 1,
	FL_PLACE_TAKING,
	FL_PLACE_OURS,		/* the role is held by this scheduler */
	FL_PLACE_DOUBTFUL,	/* the qmaster does not answer; no orders are sent */
	FL_PLACE_HANDING_BACK,	/* no more jobs are started */
};

struct fl_place {
	enum fl_place_state state;
	int64_t since;		/* epoch seconds */
	bool shadow;		/* shadow mode: orders are sent only after fairlead attach */
	/* Holder of the role: known, alive, the qmaster's own scheduler, this scheduler. */
	bool known, living, builtin, us;
	/* Requests of fairlead attach and hand-back: received, completed. */
	uint32_t asked, done;
	char host[256], name[64];	/* holder of the role; "": none */
	char reason[256];	/* reason for the state; may be "" */
};

/* Return the state of the scheduler role. -ENOENT: the qmaster has no such role. */
FL_API int fl_place(const struct fl_view *view, struct fl_place *place);

struct fl_files {		/* absolute paths of files of the qmaster; "": not known */
	const char *state;	/* directory of a local cell */
	const char *accounting;	/* accounting(5): tasks that have ended */
};

/* Return the paths, also after the scheduler's end. -ENOENT: the run does not report them. */
FL_API int fl_files(const struct fl_view *view, struct fl_files *files);

struct fl_phase {
	char name[16];
	/* Duration. For the last phase, publication, that of the run before. */
	uint64_t ns;
};

/* Return phase `k` of the run, k = 0, 1, ...; -ENOENT: no more. */
FL_API int fl_phase(const struct fl_view *view, size_t k, struct fl_phase *phase);

/* Jobs */

enum fl_list {
	/* A row for each started task (running or suspended), by job number and task. */
	FL_STARTED,
	/*
	 * A row for each job with tasks that are not started (waiting, held, in error), in
	 * priority order: prio descending, then earlier submission, then smaller job number. With
	 * algorithm multifactor, PriorityTier of the job's partition comes before prio.
	 */
	FL_PENDING,
};

/* Task ids. `step` is at least 1, but may be any number until fl_end() has returned 0. */
struct fl_range { uint32_t min, max, step; };

struct fl_job {			/* a row; names are those of qstat(1) and sge_priority(5) */
	uint32_t job_number;
	/* Started task. In FL_PENDING the lowest id not started. 1 when not an array. */
	uint32_t task;
	bool is_array;
	bool is_started;
	char state[8];		/* letters of qstat: qw hqw Eqw r t s S T ... */
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
	const char *granted_pe;		/* only for started tasks */
	const char *queue;		/* master queue instance of a started task, else "" */
	/* Slots granted, or selected from the requested range by urgency_slots. */
	uint32_t slots;
	/* FL_PENDING: ids that are not started. `nranges` may be 0 when not an array. */
	const struct fl_range *tasks;
	size_t nranges;
	/*
	 * FL_PENDING, arrays: ids of tasks that are held or wait for another job's tasks, and ids
	 * in error. `state` is the state of the other tasks. Ranges are in any order, may overlap
	 * and may include other ids.
	 */
	const struct fl_range *held, *in_error;
	size_t nheld, nin_error;
	const struct fl_range *restarted;	/* arrays: ids that were restarted, in the same form */
	size_t nrestarted;
	bool has_usage;			/* a usage report has arrived: cpu, mem, io are valid */
	double cpu;			/* scaled, seconds */
	double mem;			/* GB s */
	double io;			/* GB */

	/* sge_priority(5); all finite. 0 if held, waiting or in error and never considered. */
	/* Weighted sum of the next three. With userprio 1 / effective user priority. */
	double prio;
	double nurg, ntckts, npprior;	/* normalised urgency, tickets, POSIX priority */
	/* Urgency, and its contributions of resources, waiting time and deadline. */
	double urg, rrcontr, wtcontr, dlcontr;
	/* Tickets: total, override, functional, share tree. */
	double tckts, otckt, ftckt, stckt;
	/* part of the tickets of all running, or all pending, tasks */
	double share;
};

/* Return the number of rows of a list. */
FL_API size_t fl_count(const struct fl_view *view, enum fl_list list);

/* Return row `k` of a list, k < fl_count(). -ENOENT: no such row. */
FL_API int fl_get(const struct fl_view *view, enum fl_list list, size_t k, struct fl_job *job);

/*
 * Return row `k` of one job, k = 0, 1, ...: its started tasks by id, then its pending row. -ENOENT:
 * no such job, or no more rows. The first call for a job number costs one hash look-up.
 */
FL_API int fl_find(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_job *job);

/*
 * Further requests of a job and its dependencies, by job number. -ENOENT: no such job, or the run
 * does not report them. With a `k` also: no more. Each call costs a hash look-up.
 */

struct fl_request {		/* "" = not requested */
	const char *hard_queues, *soft_queues, *master_queues;	/* -q, -soft -q, -masterq */
	const char *checkpoint;	/* -ckpt */
	const char *group;	/* Unix group of the owner */
	bool now;		/* -now y: queues of type INTERACTIVE only */
	/* Jobs of this run with the same owner, project and request. */
	uint64_t alike;
};

FL_API int fl_request(const struct fl_view *view, uint32_t job_number, struct fl_request *request);

enum fl_hold { FL_HOLD_USER, FL_HOLD_OPERATOR, FL_HOLD_SYSTEM, FL_HOLD_ARRAY, FL_HOLDS };

/*
 * Return the ids of tasks with a hold of this kind. FL_HOLD_ARRAY: tasks that wait for a task of
 * another array. Ids are in any order. Some may occur twice, and other ids may be included. If the
 * job is not an array, the id is 1.
 */
FL_API int fl_held(const struct fl_view *view, uint32_t job_number, enum fl_hold kind, const struct fl_range **ids,
		   size_t *n);

/*
 * Return predecessor `k` of a job, which must end before the job starts. fl_find() reports whether
 * it still exists. `by_task`: -hold_jid_ad
 */
FL_API int fl_predecessor(const struct fl_view *view, uint32_t job_number, bool by_task, size_t k, uint32_t *number);

/*
 * Write the first `most` numbers of jobs that wait for the end of this job, and return the number
 * of all of them. Reads all jobs.
 */
FL_API size_t fl_successors(const struct fl_view *view, uint32_t job_number, uint32_t *numbers, size_t most);

struct fl_detail {
	const char *account;		/* reported by the qmaster, "" = none */
	uint32_t task_concurrency;	/* -tc, 0 = none */
	bool reserve;			/* -R y */
};

FL_API int fl_detail(const struct fl_view *view, uint32_t job_number, struct fl_detail *detail);

struct fl_usage_value { const char *name; double value; };	/* cpu, mem, io, vmem, maxvmem ... */

/* Return usage value `k` of a started task, as reported. */
FL_API int fl_task_usage(const struct fl_view *view, uint32_t job_number, uint32_t task, size_t k,
			 struct fl_usage_value *value);

struct fl_granted { const char *queue; uint32_t slots; };	/* a queue instance */

/* Return queue instance `k` of a started task. The first one is the master's. */
FL_API int fl_granted(const struct fl_view *view, uint32_t job_number, uint32_t task, size_t k,
		      struct fl_granted *granted);
/* Return queue instance `k` of the task in a row of FL_STARTED, without a look-up. */
FL_API int fl_granted_row(const struct fl_view *view, size_t row, size_t k, struct fl_granted *granted);

/*
 * Jobs in brief, for programs that count them. The functions call `visit` for each job with
 * tasks that are not started, or for each started task, in any order. This takes a fraction of the
 * time of fl_get().
 */

#define FL_NO_REASON UINT16_MAX

struct fl_brief {
	uint32_t job_number;
	uint32_t task;			/* started task; otherwise 1 */
	uint32_t group, request;	/* indices for fl_job_group(), fl_job_request() */
	/*
	 * Pending: the first reason of fl_why(), for fl_reason(). FL_NO_REASON: none. With
	 * algorithm userprio, slots that are being vacated for the job are not considered.
	 */
	uint16_t reason;
	bool is_started;
	/* Pending: state of the job; if `is_mixed`, of tasks that fl_get() lists as neither. */
	bool is_held, is_in_error;
	bool is_mixed;			/* an array, some tasks of which are held or in error */
	uint64_t tasks;			/* tasks that are not started; 1 for a started task */
	int64_t submission_time;	/* epoch seconds */
	/* Only for started tasks: granted slots, epoch seconds, queue instance of the master. */
	uint32_t slots;
	int64_t start_time;
	const char *queue;
	char state[8];			/* letters of qstat */
};

typedef void fl_visit(void *context, const struct fl_brief *brief);

/* Return 0 or -ENOMEM. */
FL_API int fl_each_pending(const struct fl_view *view, fl_visit *visit, void *context);
FL_API void fl_each_started(const struct fl_view *view, fl_visit *visit, void *context);

/* Return the word for a reason as in fl_why.kind. NULL: there is no such reason. */
FL_API const char *fl_reason(uint16_t number);

/* Properties of jobs that differ only in number, name and times; "" = none. */
struct fl_job_group { const char *owner, *project, *department, *account; };
FL_API size_t fl_job_groups(const struct fl_view *view);
FL_API int fl_job_group(const struct fl_view *view, size_t k, struct fl_job_group *group);

struct fl_job_request {			/* "" = not requested */
	const char *hard_resources, *pe, *hard_queues;
	const char *partitions;		/* partitions of Slurm, separated by commas */
	uint32_t slots;			/* same as fl_job.slots of a pending job */
};
FL_API size_t fl_job_requests(const struct fl_view *view);
FL_API int fl_job_request(const struct fl_view *view, size_t k, struct fl_job_request *request);

/* Why a job did not start */

struct fl_why {			/* a check that failed in the run, on one or more objects */
	const char *kind;	/* a word, see fairlead-stat(1) */
	const char *subject;	/* requested or missing thing; "" = none */
	const char *object;	/* queue instance, host or similar that needs least; "" = none */
	uint32_t count;		/* number of such objects */
	/* Amounts wanted and available there. Equal: not known. DBL_MAX or more: INFINITY. */
	double wanted, had;
	uint16_t number, unit;	/* for fl_why_text() */
};

/*
 * Return reason `k`, k = 0, 1, ..., why tasks of a job did not start: first conditions of the job
 * itself, then checks that failed for its category, then conditions that prevent all jobs. -ENOENT:
 * no such job, none of its tasks are pending, or no more reasons. Each call costs a hash look-up.
 */
FL_API int fl_why(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_why *why);

/*
 * Write a reason as an English sentence, with local time and unchanged names. Returns the length of
 * the sentence and cuts it, as snprintf(3) does.
 */
FL_API size_t fl_why_text(const struct fl_why *why, char *text, size_t size);

/* Hosts, queue instances, resources and quotas */

struct fl_host {		/* qhost(1); values that were not reported are "" or < 0 */
	const char *name;
	bool available;		/* false: the qmaster has lost contact */
	const char *arch;
	int32_t processors, sockets, cores, threads;
	double load_avg, np_load_avg;	/* scaled as host_conf(5) defines */
	double load_reported;	/* load_avg as reported */
	double mem_total, mem_used, swap_total, swap_used;	/* bytes */
	size_t loads;		/* number of load values: fl_load() */
};

/*
 * Return the number of hosts. They are sorted by name after "global", which is first and has the
 * values that all hosts share. 0: the scheduler does not dispatch.
 */
FL_API size_t fl_hosts(const struct fl_view *view);
FL_API int fl_host(const struct fl_view *view, size_t k, struct fl_host *host);

/* Return load value `k` of a host as reported, in the order of the report. -ENOENT: no more. */
FL_API int fl_load(const struct fl_view *view, size_t host, size_t k, const char **name, const char **value);

struct fl_instance {		/* a queue on a host, or a slot of HTCondor; qstat(1) -f */
	const char *name;	/* queue@host */
	const char *queue;	/* "": the cell has no such queue */
	size_t host;		/* index for fl_host(); 0: not known */
	bool host_available;
	double np_load_avg;	/* load of the host; < 0: not reported */
	double seq_no;
	char type[5];		/* letters of BIPC: batch, interactive, parallel, checkpointing */
	char state[16];		/* letters of aACDduESsco; "" = jobs may start */
	/* Slots: all; in use, also by jobs of reservations; reserved now by these. */
	uint32_t slots, used, reserved;
	size_t resources, alarms;	/* numbers for fl_resource(), fl_alarm() */
};

/* Return the number of queue instances. Their order is that of Grid Engine's list. */
FL_API size_t fl_instances(const struct fl_view *view);
FL_API int fl_instance(const struct fl_view *view, size_t k, struct fl_instance *instance);

enum fl_level { FL_GLOBAL, FL_HOST, FL_QUEUE };

struct fl_resource {		/* a consumable of one object, complex(5); total - used is left */
	const char *name;
	/* DBL_MAX or more means INFINITY. Running jobs and jobs that the run has started use it. */
	double total, used;
};

/*
 * Return consumable `k` of an object. The object is 0 with FL_GLOBAL, a host with FL_HOST and an
 * instance with FL_QUEUE. `slots` of instances is not included. -ENOENT: no more.
 */
FL_API int fl_resource(const struct fl_view *view, enum fl_level level, size_t object, size_t k,
		       struct fl_resource *resource);

struct fl_left {		/* amount of a consumable that a job can get in a queue instance */
	double value;
	enum fl_level level;	/* level of the object that has least: gc: hc: qc: of qhost -F */
};

/* Return the amount left of `resource` or `slots`. -ENOENT: no object has it there. */
FL_API int fl_left(const struct fl_view *view, size_t instance, const char *resource, struct fl_left *left);

enum fl_origin { FL_NOTHING, FL_REPORTED, FL_CONFIGURED, FL_CONSUMABLE };

/* a threshold of queue_conf(5), of a list in which one is exceeded */
struct fl_alarm {
	bool suspends;		/* list: suspend_thresholds, else load_thresholds */
	const char *name, *limit;
	double value;		/* value that was compared */
	const char *text;	/* value if it is no number; "" = it is a number */
	enum fl_level level;
	enum fl_origin source;	/* FL_NOTHING: no object has such a value */
};

FL_API int fl_alarm(const struct fl_view *view, size_t instance, size_t k, struct fl_alarm *alarm);

enum fl_quota_part { FL_OF_USER, FL_OF_PROJECT, FL_OF_PE, FL_OF_QUEUE, FL_OF_HOST, FL_QUOTA_PARTS };

/* a limit that is partly in use: qquota(1), sge_resource_quota(5) */
struct fl_quota {
	const char *set, *rule;	/* name of the rule, or its number */
	const char *resource;
	double limit, used;
	const char *text;	/* limit if it is no number; "" = it is a number */
	uint32_t number;	/* index of the limit in the file, from 0 */
	/*
	 * Scope of the limit; "" = not limited to one. `counted`: the filter is in braces, and the
	 * part is the user, project, ... whose use is counted. Else the part is the filter itself.
	 */
	const char *parts[FL_QUOTA_PARTS];
	bool counted[FL_QUOTA_PARTS];
};

/* Return the number of quotas in use. They are in the order in which running jobs used them. */
FL_API size_t fl_quotas(const struct fl_view *view);
FL_API int fl_quota(const struct fl_view *view, size_t k, struct fl_quota *quota);

/* Users, projects, share tree */

struct fl_usage {
	double cpu, mem, io;		/* decayed: s, GB s, GB */
	double ltcpu, ltmem, ltio;	/* long term, never decayed */
	double combined;		/* decayed, weighted by usage_weight_list */
	/* time up to which it is decayed, epoch seconds; 0 = never */
	int64_t time_stamp;
};

enum fl_kind { FL_USER, FL_PROJECT, FL_DEPARTMENT };

/* Owner of tickets: user(5), project(5), access_list(5) of type DEPT. */
struct fl_sharer {
	const char *name;
	uint32_t oticket, fshare;
	uint32_t running_tasks;	/* tasks of this run that refer to it */
	struct fl_usage usage;	/* users: outside projects. Departments have none */
};

FL_API size_t fl_sharers(const struct fl_view *view, enum fl_kind kind);
FL_API int fl_sharer(const struct fl_view *view, enum fl_kind kind, size_t k, struct fl_sharer *sharer);

/* Return the usage of user `user` in a project. -ENOENT: there is no such usage. */
FL_API int fl_user_project_usage(const struct fl_view *view, size_t user, const char *project, struct fl_usage *usage);

struct fl_node {		/* a node of the share tree, share_tree(5) */
	const char *name;
	int32_t parent;		/* index, -1 for the root */
	uint32_t depth;		/* root 0 */
	uint32_t shares;
	bool has_children;	/* true if it has children in the configured tree */
	bool is_temporary;	/* copy of a `default` node for a user, for this run */
	uint32_t job_count;	/* running and pending tasks below it */
	double usage;		/* combined, sge_share_mon(8) */
	/* m_share: part of the whole tree by shares, among active nodes. */
	double long_target_share;
	/* Part that it is entitled to now, after usage and compensation. */
	double short_target_share;
};

/* Return the number of nodes. Configured nodes are first, in pre-order, then temporary ones. */
FL_API size_t fl_nodes(const struct fl_view *view);
FL_API int fl_node(const struct fl_view *view, size_t k, struct fl_node *node);

/* Slurm's multifactor priority */

struct fl_tres {		/* a kind of trackable resource that has a weight */
	const char *name;	/* "cpu" "gres/gpu" */
	double weight;
};

struct fl_multifactor {		/* algorithm multifactor: slurm.conf(5), Priority* */
	/* Time when priorities were last computed, epoch seconds; PriorityCalcPeriod. */
	int64_t pass;
	bool is_2009;		/* PriorityVersion */
	bool has_fair_tree;	/* else classic */
	bool accrue_always, calculate_running, incr_only, no_normal_tres;	/* PriorityFlags */
	uint32_t max_age;	/* seconds */
	uint32_t weight_age, weight_assoc, weight_fairshare, weight_job_size, weight_partition, weight_qos;
	const char *weight_tres;	/* text in the file, "" = none */
	size_t ntres;		/* kinds that have a weight: fl_tres() */
};

/* Return the parameters. -ENOENT: not algorithm multifactor; also in the functions below. */
FL_API int fl_multifactor(const struct fl_view *view, struct fl_multifactor *multifactor);
FL_API int fl_tres(const struct fl_view *view, size_t k, struct fl_tres *tres);

struct fl_factors {		/* a job in one of its partitions; names are those of sprio(1) */
	uint32_t job_number;
	const char *owner, *account, *partition, *qos;	/* "" = none */
	bool is_started;	/* running, without pending tasks */
	bool is_held;
	/* Priority for sorting: 0 = held. With INCR_ONLY it may exceed the sum of factors. */
	uint32_t priority;
	/* Priority set by an operator, with which all factors, site and nice are 0. 0 = none. */
	uint32_t direct_priority;
	int64_t submission_time, eligible_time, accrue_time;	/* epoch seconds; 0: not yet */
	/* Normalised factors. 0 where the weight is 0. */
	double age, assoc, fairshare, job_size, partition_factor, job_qos;
	double weighted_age, weighted_assoc, weighted_fairshare, weighted_job_size, weighted_partition, weighted_qos;
	double weighted_tres;	/* sum of all kinds */
	int32_t site, nice;
	/*
	 * Sum of the weighted factors, plus site, minus nice. The lower bound is applied. The upper
	 * bound is not, and the sum is not cut to a whole number.
	 */
	double sum;
	/* Factors of the job for the first `ntres` kinds of fl_tres(), in the segment. */
	const double *tres;
	/* Number of kinds that have a weight. 0: no partition exists, or a direct priority. */
	uint32_t ntres;
	uint32_t partitions;	/* partitions of the job, at least 1: k < partitions */
};

/*
 * Return the factors of a job in its partition `k`, k = 0, 1, ...; higher tiers are first. -ENOENT:
 * no such job, or no more. A job without an existing partition has one row with partition "".
 */
FL_API int fl_factors(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_factors *factors);
/* Return the factors of the job in row `row` of a list, without a look-up. */
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
	/* `raw_usage` is in TRES seconds, decayed. */
	double norm_shares, raw_usage, norm_usage, effective_usage;
	double fairshare;	/* factor; 0 for accounts with Fair Tree */
	double level_fs;	/* Fair Tree; HUGE_VAL without usage, 0 without Fair Tree */
	uint32_t rank;		/* Fair Tree, users: 1 is last */
	uint32_t running_tasks;
	/* GrpTRESMins, "cpu=1000,gres/gpu=60" in the order of fl_tres_kind(); "" = none. */
	const char *group_tres_minutes;
	/* TRES minutes that running tasks may still use, by `ntres` kinds of fl_tres_kind(). */
	const uint64_t *tres_run_minutes;
	uint32_t ntres;		/* 0: all minutes are 0 */
};

/* Return the number of associations: in pre-order, an account, its users, its accounts, by name. */
FL_API size_t fl_associations(const struct fl_view *view);
FL_API int fl_association(const struct fl_view *view, size_t k, struct fl_association *association);
/* Return the name of TRES kind `k` of the cell: "cpu" "mem" ...; NULL: no more. */
FL_API const char *fl_tres_kind(const struct fl_view *view, size_t k);

/*
 * HTCondor's negotiation: the last cycle, fairlead-negotiate(1). Weights are weights of slots.
 * Names of submitters are user@domain, the name of the root group is "<none>".
 */

struct fl_negotiation {
	uint64_t cycle;		/* from 1; 0: there was none yet */
	/* Epoch seconds: cycle, last update of priorities, next cycle at the latest; 0: unknown. */
	int64_t begin, last_update, next;
	uint64_t duration_ns, account_ns, quota_ns, slice_ns, match_ns;
	/* Weights: of all slots; of the slots that shares are computed of; of the lightest slot. */
	double pool_weight, pool_counted, least_weight;
	double halflife;	/* seconds, for user priorities */
	uint32_t matches, preemptions, spins, rounds;
	/* Slots in the cycle, and slots that were left out of it. */
	uint32_t slots, trimmed;
	bool use_weights, consider_preemption;
	size_t ngroups, nsubmitters, nslots, nlimits, ncontacts, nmatches;
};

/* Return the last cycle. -ENOENT: not algorithm userprio; also in the functions below. */
FL_API int fl_negotiation(const struct fl_view *view, struct fl_negotiation *negotiation);

struct fl_quota_group {		/* an accounting group */
	const char *name;
	int32_t parent;		/* index, -1 for the root */
	bool is_static, accepts_surplus, autoregroup;
	double configured, quota, subtree_quota;
	/* Weights: requested, and allocated in the first and in the last allocation round. */
	double requested, first_allocated, allocated;
	/* Weight that it could use; cut to a whole number. < 0: it was not served. */
	double uncut, limit;
	double weight_used, tree_used, sort_key;
	const char *capped_by;	/* group whose quota limits it; "" = none */
	uint32_t order;		/* order of service, from 1; 0: not served */
	/* Macros that set these values; "" = the default. */
	const char *quota_by, *surplus_by, *autoregroup_by;
};

/* Return quota group `k`. They are in breadth-first order, the root first. */
FL_API int fl_quota_group(const struct fl_view *view, size_t k, struct fl_quota_group *group);

struct fl_submitter {		/* a submitter of the cycle */
	const char *name, *group;
	uint32_t quota_group;	/* index for fl_quota_group() */
	double rup, factor, eup;	/* real and effective user priority */
	double weight_used;
	int64_t ceiling, floor;	/* weight; -1 and 0: none */
	uint32_t idle, running;	/* tasks */
	double weight_idle, weight_running;
	double share;		/* part of the group's weight, 0..1 */
	double slice;		/* weight of that share */
	double limit;		/* rest of the weight when it was last served */
	uint32_t spins, visits, matches, preemptions, rejected;
	/* Reason why service ended: "no jobs" "slice" "ceiling" ...; "" = not served. */
	const char *stop;
};

/* Return submitter `k`. They are in the order in which they were contacted. */
FL_API int fl_submitter(const struct fl_view *view, size_t k, struct fl_submitter *submitter);

struct fl_slot {
	const char *name;
	const char *state;	/* "unclaimed" "claimed" "preempting" */
	/* Customer of the slot, and customer for which it is being vacated; "" = none. */
	const char *customer, *preempting;
	double weight, current_rank;
	int64_t since;		/* start of the claim, epoch seconds; 0 */
	/* Task that is running in the slot, and task that waits for it; 0: none. */
	uint32_t job_number, task, winner_job, winner_task;
};

FL_API int fl_slot(const struct fl_view *view, size_t k, struct fl_slot *slot);

struct fl_concurrency_limit { const char *name; double most, used; };
FL_API int fl_concurrency_limit(const struct fl_view *view, size_t k, struct fl_concurrency_limit *limit);

/* a contact of a submitter */
struct fl_contact { const char *submitter, *group; uint32_t spin; };
/* Return contact `k` of the cycle, in the order of time. */
FL_API int fl_contact(const struct fl_view *view, size_t k, struct fl_contact *contact);

struct fl_match {
	const char *submitter, *slot;
	uint32_t job_number, task;
	const char *preemption;	/* "" = no task was preempted, "rank" "priority" */
	const char *loser;	/* "" = none */
	uint32_t loser_job, loser_task;	/* 0: a claim that the qmaster reported */
	double weight, rank;
};

/* Return match `k` of the cycle, in the order of time. */
FL_API int fl_match(const struct fl_view *view, size_t k, struct fl_match *match);

/* HTCondor's user priorities */

struct fl_clause {		/* an operand of && in a job's Requirements: all must be true */
	char text[256];		/* cut to this size */
	/* slots for which it is false, and slots that were checked */
	uint32_t refused, slots;
};

/*
 * Return the number of clauses in the Requirements of a pending job, and write the first `most`.
 * Each clause has the number of reported slots for which it is not true, whichever job has these
 * slots. Slots are used as reported, and the job with the attributes that it has set. -ENOENT: no
 * such job, no Requirements, or no reported slots. -ENOMEM. Reads all slots.
 */
FL_API int fl_clauses(const struct fl_view *view, uint32_t job_number, struct fl_clause *clauses, size_t most);

struct fl_claimant {		/* a job in HTCondor's negotiation */
	const char *submitter;	/* "physics.hep.ann@pool"; "" = its names are not valid */
	const char *accounting_group, *accounting_group_user;	/* set by the job; "" = not set */
	bool has_job_prio;	/* set by the job; else `priority` is used */
	int32_t job_prio;
	/* Rank among the waiting jobs of its submitter, from 1. 0 = it was not among them. */
	uint32_t place;
	/* Attributes set by the job: lines "Name = expression", sorted by name; "" = none. */
	const char *ad;
};

/* Return the claimant. -ENOENT: no such job, or the algorithm is not userprio. */
FL_API int fl_claimant(const struct fl_view *view, uint32_t job_number, struct fl_claimant *claimant);

struct fl_customer {		/* a line of condor_userprio(1): a submitter or an accounting group */
	/* "physics.hep.ann@pool"; of a group "physics.hep", the root "<none>" */
	const char *name;
	const char *group;	/* group of a submitter; parent of a group */
	bool is_group;
	uint32_t used;		/* slots */
	double rup, factor;	/* real priority; the effective one is their product */
	double weight_used, tree_used;	/* weight of slots; for a group with all groups below it */
	double accumulated, weight_accumulated;	/* slot seconds, weight seconds */
	int64_t begin, last;	/* first and last usage, epoch seconds; 0 */
	/* Weight in use: `ceiling` at most, -1: no limit; up to `floor` served first. */
	int64_t ceiling, floor;
	/* 0: no lease */
	struct { int64_t until; double before; } factor_lease, ceiling_lease, floor_lease;
	/* Values of the last cycle. 0 if it was not in the cycle. */
	double share, limit;	/* only for a submitter */
	int32_t quota_group;	/* only for a group: index for fl_quota_group(); -1: none */
};

/* Return the number of customers: groups breadth first from the root, then submitters by name. */
FL_API size_t fl_customers(const struct fl_view *view);
FL_API int fl_customer(const struct fl_view *view, size_t k, struct fl_customer *customer);

/* Parameters */

/* Return parameter `k` of sched_conf(5) and its value as written, in the order of qconf -ssconf. */
FL_API int fl_param_at(const struct fl_view *view, size_t k, const char **name, const char **value);

/* Return the value of one parameter as written. NULL: there is no parameter of this name. */
FL_API const char *fl_param(const struct fl_view *view, const char *name);

#ifdef __cplusplus
}
#endif

#endif
