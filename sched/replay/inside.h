/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a replay is made of, for the files of this room:
 *
 *     replay.c       what others call
 *     turn.c         one moment after the other: what happens, then a run if one is due
 *     agenda.c       what is to happen when
 *     records.c      jobs that are noted, wait or run
 *     submit.c       a trace's job as the cell's users would submit it, or why it can't be
 *     carry.c        what a run orders
 *     tasks.c        tasks start, stand still, go on, end; what they have used
 *     machine.c      queue instances and hosts of the cell
 *     room.c         how much fits into them, and which parallel environment is for it
 *     loads.c        what hosts report: loads
 *     hold.c         queues that others, or their calendars, suspend
 *     resume.c       what ran already when the replay began
 *     slots.c        a cell that is nothing but slots
 */
#ifndef SCHED_REPLAY_INSIDE_H
#define SCHED_REPLAY_INSIDE_H

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/index.h"
#include "conf/subordinates.h"
#include "sched/mirror/tables.h"
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
	struct replay_task task;	/* as the watch sees it */
	struct trace_job job;		/* task.job, unless that is NULL */
	enum record_state state;
	uint32_t row;			/* its own, in struct records */
	/* RECORD_RUNNING */
	uint32_t place;			/* in records.running */
	/* until it ends by itself, of the time that it runs; FOREVER */
	int64_t need_s;
	int64_t done_s;			/* that it has run up to `since` */
	/* it runs since then; stopped: it stands still since then */
	int64_t since;
	int64_t kept_s;			/* done in earlier starts, with checkpoints */
	bool stopped, limited;
	bool threshold;			/* stopped by an order: letter T */
	/* stopped by somebody, who will not let it go on: letter s */
	bool asked;
	bool preempted;			/* stopped by a slot-wise subordinate_list */
	uint32_t preempted_on;		/* of this host */
	/* how it will give back its slots; VACATED_UNSAID: it will not */
	enum vacated_how vacating;
	uint64_t stamp;			/* what the agenda has of it under another one is void */
	uint32_t *instances;		/* numbers in struct machine of task.granted */
	/* those that are submitted behind its end; the next one that waits for the same */
	struct replay_record *followers, *next;
	bool numbered;			/* it is in records.by_number */
};

struct records {
	struct replay_record **items;	/* by row; NULL: free */
	uint32_t *free;
	size_t n, nfree, capacity;
	uint64_t stamps;		/* given out so far */
	struct index by_task;		/* of those submitted: by job and task number */
	/* of those known: the last one that has a number of the trace */
	struct index by_number;
	uint32_t *running;		/* rows */
	size_t nrunning, running_capacity;
};

/* NULL: no memory. */
struct replay_record *record_new(struct records *records);
void record_free(struct records *records, struct replay_record *record);
void records_free(struct records *records);
/* It has its numbers from now on. -ENOMEM. */
int record_enter(struct records *records, struct replay_record *record);
void record_leave(struct records *records, struct replay_record *record);
/* NULL */
struct replay_record *record_find(const struct records *records, uint32_t job_number, uint32_t task);
/* The last one noted that has this number in the trace; NULL: it is not known any more. */
struct replay_record *record_numbered(const struct records *records, uint32_t number);
/* It is the last one noted with its number. -ENOMEM. */
int record_number(struct records *records, struct replay_record *record);
void record_runs(struct records *records, struct replay_record *record);
void record_stops(struct records *records, struct replay_record *record);

/* Agenda */

/* at the same moment in this order */
enum agenda_kind { AGENDA_END, AGENDA_VACATE, AGENDA_WAKE, AGENDA_SUBMIT };

struct agenda_item {
	int64_t at;
	uint64_t turn;			/* of equals the first one that was put in comes first */
	enum agenda_kind kind;
	uint32_t row;			/* of its record; INDEX_NONE: of none */
	uint64_t stamp;
};

struct agenda {
	struct agenda_item *items;
	size_t n, capacity;
	uint64_t turns;
};

/* -ENOMEM */
int agenda_put(struct agenda *agenda, int64_t at, enum agenda_kind kind, const struct replay_record *record);
/* FOREVER: there is nothing. */
int64_t agenda_next(const struct agenda *agenda);
struct agenda_item agenda_take(struct agenda *agenda);

/* The machine */

struct machine_instance {		/* a queue on a host */
	const char *name;		/* QUEUE@HOST; owned */
	const struct queue *queue;	/* of the cell; NULL: a slot as HTCondor has them */
	uint32_t host;
	uint32_t slots;
	uint64_t used;			/* by tasks that have them, also while they stand still */
	const struct calendar *calendar;	/* NULL */
	struct subordinates list;
	bool suspended, closed;		/* by a queue above it, by its calendar: S, C */
};

struct machine_host {
	const char *name;		/* within those of its instances */
	uint32_t first, n;		/* instances */
	/* of its instances; what its complex_values have, if that is less */
	uint64_t slots;
	uint64_t busy;			/* of tasks that run and don't stand still */
	/* what the last report was about; UINT64_MAX: there was none */
	uint64_t told;
	double others;			/* load beyond that */
	double processors;
	bool due;			/* subordinate queues: tasks have come or gone */
};

struct replay_machine {
	struct machine_instance *instances;	/* by host, then by name */
	size_t n;
	struct machine_host *hosts;	/* by name */
	size_t nhosts;
	uint64_t slots;
	uint32_t most;			/* of an instance */
	/*
	 * For a task when all is empty: by the cell's parallel environments, and again for each of
	 * its queues where those are asked for
	 */
	uint64_t *rooms;
	bool subordinates, calendars;	/* there are some */
	bool resumed;			/* its instances were told before */
	bool loads;			/* somebody asks for loads */
	bool thresholds;		/* on which tasks are suspended */
	int64_t next_change;		/* of a calendar; FOREVER */
};

/* -EINVAL, -ENOMEM */
int machine_find(struct replay *replay, struct error *error);
int room_find(struct replay *replay);
/* Does any host or queue of the cell say how much of it there is? */
bool room_offers(const struct cell *cell, const struct complex *complex);
void machine_free(struct replay_machine *machine);
uint32_t machine_instance(const struct replay_machine *machine, const char *name);	/* INDEX_NONE */
/*
 * The parallel environment for so many slots in a queue (NULL: any): the wanted one (NULL: any).
 * NULL: there is none, with the reason.
 */
const char *machine_pe(const struct replay *replay, const char *wanted, const struct queue *queue, uint32_t slots,
		       struct error *why);

/* The replay */

struct replay_wanted {			/* replay_start_of(): 0: none */
	uint32_t job_number, task;
	int64_t start;			/* 0: not yet */
};

struct replay {
	struct sched *sched;		/* borrowed */
	struct replay_options options;
	struct replay_watch watch;
	struct intake intake;
	struct due_run due;
	/* the cell's, with the interval of the options; borrows from it */
	struct sched_conf clocks;
	int64_t base, now;		/* when it began; NEVER before the first job */
	int64_t ran;			/* when the last run was; NEVER */
	int64_t reported, sampled;	/* usage and loads; a sample; NEVER */
	int64_t changed;		/* when a task was last submitted, has begun or ended */
	bool happened;			/* something came or went in this turn */
	uint64_t events;		/* told so far */
	struct replay_machine machine;
	struct records records;
	struct agenda agenda;
	struct replay_counts counts;
	/* tasks that a run may let go on, or that give back their slots */
	uint64_t held;
	uint64_t slots_used, started;	/* the latter in the run that is on */
	uint32_t last_number;		/* of a job */
	struct fl_cell *reader;		/* for samples */
	struct replay_wanted wanted;
	volatile sig_atomic_t stop;
	struct error *error;		/* of the call that is on */
};

/* An event for the scheduler. */
int replay_tell(struct replay *replay, const struct event *event);

/*
 * turn.c: all that happens before `limit`, runs included. `all`: at most until nothing is to come
 * but runs that change nothing, as far as can be known.
 */
int turns_until(struct replay *replay, int64_t limit, bool all);

/* submit.c: the record is given back if the job can't be. */
int job_submit(struct replay *replay, struct replay_record *record);

/* carry.c: the orders of a run */
int orders_carry(struct replay *replay);

/* tasks.c */
int task_begin(struct replay *replay, struct replay_record *record, const struct order_start *start);
int task_end(struct replay *replay, struct replay_record *record);
int task_vacate(struct replay *replay, struct replay_record *record, const struct order_vacate *order);
int task_vacated(struct replay *replay, struct replay_record *record);
/* Its letters have changed: it stands still, goes on, or neither. */
int task_settle(struct replay *replay, struct replay_record *record);
/* What running tasks have used. */
int tasks_report(struct replay *replay);
int64_t record_run_s(const struct replay *replay, const struct replay_record *record);
int record_grant(struct replay *replay, struct replay_record *record, const struct grants *granted);
/* It runs, as it was granted, until need_s is over. */
int record_begin(struct replay *replay, struct replay_record *record, int64_t start);
/* It stands still from now on; whether anything but a threshold has it do so. */
void record_stand(struct replay *replay, struct replay_record *record);
bool record_is_held(const struct replay *replay, const struct replay_record *record);
/* It is gone: those that were to come behind it do. */
int record_forget(struct replay *replay, struct replay_record *record);

/* loads.c */
void loads_begin(struct replay *replay);
int loads_report(struct replay *replay);

/* hold.c: subordinate queues and calendars, after tasks came or went */
int hold_update(struct replay *replay);

/* resume.c */
int resume_tasks(struct replay *replay);
/* A task that the trace does not have starts: a record for it. NULL: no memory, no such task. */
struct replay_record *resume_record(struct replay *replay, uint32_t job_number, uint32_t task);
/* How long what was granted this may run, s; FOREVER. */
int64_t resume_limit(const struct replay *replay, uint32_t row, const struct task *task);

#endif
