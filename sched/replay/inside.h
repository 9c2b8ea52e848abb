/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared declarations of the files in this directory:
 *
 *     replay.c       the functions of replay.h
 *     turn.c         one moment after the other: its events, then a run if one is due
 *     agenda.c       future events by time
 *     records.c      jobs that are noted, pending or running
 *     submit.c       submit a trace's job as the cell's users would, or refuse it
 *     carry.c        carry out the orders of a run
 *     tasks.c        tasks start, are suspended, resume, end; their usage
 *     machine.c      queue instances and hosts of the cell
 *     room.c         capacity of parallel environments, and the one that a job gets
 *     loads.c        load reports of hosts
 *     hold.c         queues suspended by other queues or by their calendars
 *     resume.c       jobs that were in the scheduler when the replay began
 *     slots.c        a cell that consists only of slots
 */
#ifndef SCHED_REPLAY_INSIDE_H
#define SCHED_REPLAY_INSIDE_H

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/index.h"
#include "conf/subordinates.h"
#include "sched/mirror/queries.h"
#include "sched/mirror/usage.h"
#include "sched/qmaster/due.h"
#include "sched/qmaster/intake.h"
#include "sched/replay/replay.h"
#include "sched/sched.h"
#include "sched/trace/trace.h"

#define FOREVER INT64_MAX
#define NEVER INT64_MIN

/* Records */

enum record_state { RECORD_NOTED, RECORD_WAITING, RECORD_RUNNING };

struct replay_record {
	struct replay_task task;	/* the task as shown to the watch */
	struct trace_job job;		/* copy of task.job, unless that is NULL */
	enum record_state state;
	uint32_t row;			/* row of the record in struct records */
	/* Valid in RECORD_RUNNING */
	uint32_t place;			/* index in records.running */
	/* Run time after which it ends by itself; FOREVER. */
	int64_t need_s;
	int64_t done_s;			/* run time up to `since` */
	/* Time since which it runs, or since which it is suspended if `stopped`. */
	int64_t since;
	int64_t kept_s;			/* run time of earlier starts, with checkpoints */
	bool stopped, limited;
	bool threshold;			/* suspended by an order: letter T */
	/* suspended by a user before the replay, and never resumed: letter s */
	bool asked;
	bool preempted;			/* suspended by a slot-wise subordinate_list */
	uint32_t preempted_on;		/* host whose list has suspended it */
	/* How it will give back its slots; VACATED_UNSAID: it keeps them. */
	enum vacated_how vacating;
	uint64_t stamp;			/* agenda items with another stamp are void */
	/* instances of task.granted, as numbers in struct machine */
	uint32_t *instances;
	/* Records submitted after its end; next record that waits for the same one. */
	struct replay_record *followers, *next;
	bool numbered;			/* is in records.by_number */
};

struct records {
	struct replay_record **items;	/* indexed by row; NULL: free */
	uint32_t *free;
	size_t n, nfree, capacity;
	uint64_t stamps;		/* last stamp used */
	struct index by_task;		/* submitted ones, by job and task number */
	/* The latest known record of each number of the trace. */
	struct index by_number;
	uint32_t *running;		/* rows */
	size_t nrunning, running_capacity;
};

/* Create a record. NULL: memory is exhausted. */
struct replay_record *record_new(struct records *records);
void record_free(struct records *records, struct replay_record *record);
void records_free(struct records *records);
/* Index a record that has its job and task number now. -ENOMEM. */
int record_enter(struct records *records, struct replay_record *record);
void record_leave(struct records *records, struct replay_record *record);
/* Return the record of a task; NULL: not found. */
struct replay_record *record_find(const struct records *records, uint32_t job_number, uint32_t task);
/* Return the latest record with this number in the trace; NULL: it is not known any more. */
struct replay_record *record_numbered(const struct records *records, uint32_t number);
/* Make a record the latest with its number in the trace. -ENOMEM. */
int record_number(struct records *records, struct replay_record *record);
void record_runs(struct records *records, struct replay_record *record);
void record_stops(struct records *records, struct replay_record *record);

/* Agenda */

/* Items at the same time are processed in this order. */
enum agenda_kind { AGENDA_END, AGENDA_VACATE, AGENDA_WAKE, AGENDA_SUBMIT };

struct agenda_item {
	int64_t at;
	/* equal items are processed in the order in which they were added */
	uint64_t turn;
	enum agenda_kind kind;
	uint32_t row;			/* row of its record; INDEX_NONE: none */
	uint64_t stamp;
};

struct agenda {
	struct agenda_item *items;
	size_t n, capacity;
	uint64_t turns;
};

/* Add an item. -ENOMEM. */
int agenda_put(struct agenda *agenda, int64_t at, enum agenda_kind kind, const struct replay_record *record);
/* Return the time of the next item; FOREVER: there is none. */
int64_t agenda_next(const struct agenda *agenda);
struct agenda_item agenda_take(struct agenda *agenda);

/* The machine */

struct machine_instance {		/* a queue on a host */
	const char *name;		/* QUEUE@HOST; owned */
	const struct queue *queue;	/* queue of the cell; NULL: a slot as in HTCondor */
	uint32_t host;
	uint32_t slots;
	uint64_t used;			/* slots of tasks, including suspended ones */
	const struct calendar *calendar;	/* NULL */
	struct subordinates list;
	/* S: suspended by a queue above it; C: suspended by its calendar */
	bool suspended, closed;
};

struct machine_host {
	const char *name;		/* part of the name of one of its instances */
	uint32_t first, n;		/* instances */
	/* Sum over its instances, or slots of its complex_values if that is less. */
	uint64_t slots;
	uint64_t busy;			/* slots of running tasks that are not suspended */
	/* `busy` at the last report; UINT64_MAX: no report yet */
	uint64_t reported_busy;
	double others;			/* load beyond that of its tasks */
	double processors;
	/* subordinate queues must be evaluated: tasks have come or gone */
	bool due;
};

struct replay_machine {
	struct machine_instance *instances;	/* sorted by host, then by name */
	size_t n;
	struct machine_host *hosts;	/* sorted by name */
	size_t nhosts;
	uint64_t slots;
	uint32_t most;			/* most slots of an instance */
	/*
	 * Most slots of a task when all instances are empty, by parallel environment of the cell.
	 * If queues can be requested, also for each queue.
	 */
	uint64_t *rooms;
	bool subordinates, calendars;	/* the cell has some */
	bool resumed;			/* instances were reported before the replay */
	bool loads;			/* loads are needed */
	bool thresholds;		/* tasks are suspended by thresholds */
	int64_t next_change;		/* time of the next change of a calendar; FOREVER */
};

/* Read the machine of a replay. -EINVAL, -ENOMEM. */
int machine_find(struct replay *replay, struct error *error);
int room_find(struct replay *replay);
/* Return whether any host or queue of the cell defines a value of a complex. */
bool room_offers(const struct cell *cell, const struct complex *complex);
void machine_free(struct replay_machine *machine);
/* INDEX_NONE */
uint32_t machine_instance(const struct replay_machine *machine, const char *name);
/*
 * Return the parallel environment for a number of slots in a queue (NULL: any). `wanted` is
 * preferred (NULL: none). NULL: there is none; `why` has the reason.
 */
const char *machine_pe(const struct replay *replay, const char *wanted, const struct queue *queue, uint32_t slots,
		       struct error *why);

/* The replay */

struct replay_wanted {			/* task of replay_start_of(); 0: none */
	uint32_t job_number, task;
	int64_t start;			/* 0: not yet */
};

struct replay {
	struct sched *sched;		/* borrowed */
	struct replay_options options;
	struct replay_watch watch;
	struct intake intake;
	struct due_run due;
	/* Configuration of the cell, with the interval of the options; borrows from the cell. */
	struct sched_conf clocks;
	int64_t base, now;		/* begin of the replay; both NEVER before the first job */
	int64_t ran;			/* time of the last run; NEVER */
	int64_t reported, sampled;	/* last report of usage and loads; last sample; NEVER */
	int64_t changed;		/* time when a task was last submitted, started or ended */
	bool happened;			/* tasks came or went in this turn */
	uint64_t events;		/* events passed to the scheduler so far */
	struct replay_machine machine;
	struct records records;
	struct agenda agenda;
	struct replay_counts counts;
	/* Tasks that a run may resume, or that will give back their slots. */
	uint64_t held;
	uint64_t slots_used, started;	/* `started` counts only those of the current run */
	uint32_t last_number;		/* last job number */
	struct fl_cell *reader;		/* for samples */
	struct replay_wanted wanted;
	volatile sig_atomic_t stop;
	struct error *error;		/* output of the current call */
};

/* Pass an event to the scheduler. */
int replay_send(struct replay *replay, const struct event *event);

/*
 * turn.c: process everything before `limit`, including runs. `all`: stop earlier if only runs are
 * left that cannot change anything.
 */
int turns_until(struct replay *replay, int64_t limit, bool all);

/* submit.c: submit a record's job, or refuse it and free the record. */
int job_submit(struct replay *replay, struct replay_record *record);

/* carry.c: carry out the orders of a run. */
int orders_carry(struct replay *replay);

/* tasks.c */
int task_begin(struct replay *replay, struct replay_record *record, const struct order_start *start);
int task_end(struct replay *replay, struct replay_record *record);
int task_vacate(struct replay *replay, struct replay_record *record, const struct order_vacate *order);
int task_vacated(struct replay *replay, struct replay_record *record);
/* Suspend or resume a task whose letters have changed, if necessary. */
int task_settle(struct replay *replay, struct replay_record *record);
/* Report the usage of running tasks. */
int tasks_report(struct replay *replay);
int record_grant(struct replay *replay, struct replay_record *record, const struct grants *granted);
/* Start a record on the slots that it was granted. It runs until need_s is over. */
int record_begin(struct replay *replay, struct replay_record *record, int64_t start);
/* Suspend a record. */
void record_suspend(struct replay *replay, struct replay_record *record);
/* Return whether a record is suspended for any reason except a threshold. */
bool record_is_held(const struct replay *replay, const struct replay_record *record);
/* Free a record after scheduling the submission of its followers. */
int record_forget(struct replay *replay, struct replay_record *record);

/* loads.c */
void loads_begin(struct replay *replay);
int loads_report(struct replay *replay);

/* hold.c: update subordinate queues and calendars after tasks came or went. */
int hold_update(struct replay *replay);

/* resume.c */
int resume_tasks(struct replay *replay);
/*
 * Make a record for a task that starts and that the trace does not have. NULL: memory is exhausted,
 * or the task does not exist.
 */
struct replay_record *resume_record(struct replay *replay, uint32_t job_number, uint32_t task);

#endif
