/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay of a workload in virtual time, with the real scheduler. The workload's jobs are submitted
 * to a scheduler. The replay carries out its orders, and ends tasks when their recorded run time is
 * over. sched_run() makes every decision; nothing is imitated.
 *
 *     sched_create_detached(&s, "conf/default", NULL, &report, &error);
 *     replay_create(&r, s, &options, &watch, &error);
 *     while ((rc = trace_next(trace, &job, &error)) == 0)
 *             replay_job(r, &job, &error);
 *     replay_finish(r, &error);
 *     replay_destroy(r);
 *     sched_destroy(s);
 *
 * Time advances from event to event: submissions, ends, calendars, and runs by the cell's
 * schedule_interval, flush_submit_sec and flush_finish_sec as implemented in sched/qmaster/due.h. A
 * run takes no virtual time. The same input leads to the same calls with the same values, whatever
 * the number of workers.
 *
 * Execution hosts report the load that their tasks cause: 1 for each slot of a running task. A task
 * runs for its recorded time on any host.
 *
 * All times are whole epoch seconds of virtual time. Starts and ends recorded in the trace have no
 * influence; only run times have.
 *
 * Not thread-safe: one thread makes all calls except replay_stop().
 */
#ifndef SCHED_REPLAY_REPLAY_H
#define SCHED_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/cell.h"
#include "conf/base/error.h"
#include "sched/mirror/grant.h"

struct fl_view;
struct sched;
struct trace_job;
struct replay;

enum replay_runs {
	REPLAY_BY_INTERVAL,		/* at the times when the cell's scheduler runs */
	REPLAY_AT_EVENTS,		/* in addition, whenever a task or job came or went */
};

enum replay_usage {
	REPLAY_USAGE_SLOTS,		/* cpu = slots x time that the task ran */
	/* cpu as recorded, if known, in proportion to the run time */
	REPLAY_USAGE_RECORDED,
};

struct replay_options {			/* zero: the behaviour of such a cell */
	enum replay_runs runs;
	enum replay_usage usage;
	/*
	 * Begin of the replay, epoch seconds; 0: the first submission. Tasks that run already are
	 * known from then on.
	 */
	int64_t begin;
	uint32_t interval_s;		/* replaces schedule_interval; 0: use schedule_interval */
	/*
	 * Seconds between usage reports of running tasks. 0: 40 s, the interval of an execution
	 * host. A report is used by the next run. Usage is exact when a task ends. UINT32_MAX: only
	 * then.
	 */
	uint32_t usage_s;
	/*
	 * Virtual seconds between calls of the watch's sample(), which follow a run that is
	 * published for them; 0: never.
	 */
	uint32_t sample_s;
	/* Kill a job that exceeds its requested run time, as h_rt does. */
	bool limits_kill;
	/* run time of a running task about which nothing is known; 0: unlimited */
	uint32_t default_run_s;
	/* Jobs request no reservation (-R y). False: the cell's max_reservation applies. */
	bool no_reserve;
	/*
	 * Parallel environment of jobs with more than one slot, if the trace names none that the
	 * cell has; NULL: the first that fits.
	 */
	const char *pe;
	/* Request the trace's queue (-q) and its resources (-l) unchanged. */
	bool queues, resources;
	/* complex for requests of memory, "h_vmem"; NULL: memory is not requested */
	const char *memory;
	/* complex for requests of run time; NULL: h_rt */
	const char *run_time;
	/*
	 * Submit a job that names an earlier one think_s after the end of that one. Such jobs must
	 * be known before they are due. Therefore replay_job() only notes them; replay_until() and
	 * replay_finish() make the runs.
	 */
	bool think;
	/* A vacated task continues where it was; false: it starts from the beginning. */
	bool checkpoints;
};

enum replay_end {
	REPLAY_END_DONE,		/* the run time is over */
	REPLAY_END_LIMIT,		/* killed: its requested run time is over */
	/* Gave back its slots, is pending again and will end once more. */
	REPLAY_END_VACATED,
	REPLAY_END_REMOVED,		/* never started: -now y, and there was no room */
};

/* A task of a job, with its current state. Borrowed during the call of the watch. */
struct replay_task {
	/* Numbered from 0 in the order of replay_job(), including refused jobs. */
	uint64_t index;
	/* Copy of the job passed to replay_job(); NULL: the task existed when the replay began. */
	const struct trace_job *job;
	/* number in the trace, or in the cell if the job existed before */
	uint64_t number;
	uint32_t task;			/* 0: not an array */
	uint32_t job_number, task_number;	/* numbers in the scheduler */
	int64_t submit, start;		/* virtual; start 0: not yet */
	/* Planned end, unless something happens before; 0: unknown. */
	int64_t end;
	/* Run time without the time during which it was suspended. */
	int64_t run_s;
	uint32_t slots;			/* requested; granted, once it has started */
	/* n == 0: not started; the instance of the master task first */
	struct grants granted;
	const char *granted_pe;		/* name in the cell; NULL: sequential, or not started */
	double prio, ntckts;		/* at its start; see fl_job */
	/* A job before it in the pending list had a reservation in the run that started it. */
	bool backfilled;
	enum replay_end how;		/* for ended() */
};

struct replay_run {
	int64_t now;
	uint64_t number;		/* number of the run in this replay, from 1 */
	size_t pending, running;	/* tasks, after the run */
	/* Slots of running tasks; slots of all usable queue instances, each counted once. */
	uint64_t slots_used, slots;
	size_t started;			/* in this run */
	uint64_t reservations;
};

/* Callbacks; NULL: not called. Arguments are borrowed during the call. */
struct replay_watch {
	void *context;
	void (*submitted)(void *context, const struct replay_task *task);
	void (*started)(void *context, const struct replay_task *task);
	/* Suspended (by thresholds, by other queues), or resumed. */
	void (*suspended)(void *context, const struct replay_task *task, bool is, int64_t now);
	void (*ended)(void *context, const struct replay_task *task, int64_t now);
	/*
	 * Job refused because it cannot run in this cell; `why` is a sentence. It is never
	 * submitted. Members of task as in submitted().
	 */
	void (*refused)(void *context, const struct replay_task *task, const char *why);
	void (*ran)(void *context, const struct replay_run *run);
	/* called after a run that was published; never NULL */
	void (*sample)(void *context, int64_t now, const struct fl_view *view);
};

struct replay_counts {
	uint64_t taken;			/* jobs passed to replay_job() */
	uint64_t submitted, refused, started, ended, vacated, removed;
	uint64_t limited;		/* ended because of their limit */
	uint64_t waiting, running;	/* now */
	uint64_t endless;		/* running ones whose end is unknown */
	uint64_t not_yet;		/* noted and not due */
	/* Runs; intervals without a run because nothing was pending. */
	uint64_t runs, skipped;
};

/*
 * Create a replay. The caller keeps the scheduler, and must not use it until replay_destroy().
 * Tasks that run in it end when their requested run time is over. -EINVAL with the sentence: the
 * cell does not fit an option; -ENOMEM. *r is NULL then.
 */
int replay_create(struct replay **replay, struct sched *sched, const struct replay_options *options,
		  const struct replay_watch *watch, struct error *error);
void replay_destroy(struct replay *replay);

/*
 * Submit the next job of the trace at job->submit, after everything that happens before. The struct
 * is copied; its strings must live as long as the replay. If job->submit is in the past, because an
 * earlier job was later, it is submitted now. Returns 0 also for a refused job, which is reported
 * to the watch. -EINTR: replay_stop(); -ENOMEM; or the error of sched_run(). After an error only
 * replay_counts() and replay_destroy() are allowed.
 */
int replay_job(struct replay *replay, const struct trace_job *job, struct error *error);
/* Process everything up to `now`, inclusive. Errors as above. */
int replay_until(struct replay *replay, int64_t now, struct error *error);
/*
 * Process everything until all jobs have ended, or until no event can start a pending job any more.
 * replay_counts() returns how many jobs are left.
 */
int replay_finish(struct replay *replay, struct error *error);
/*
 * Process everything until this task (task 0: the only one) has started, but at most until `until`.
 * 0: `start` is the time. -ENOENT: it has not started, or does not exist; and the errors above.
 */
int replay_start_of(struct replay *replay, uint32_t job_number, uint32_t task, int64_t until, int64_t *start,
		    struct error *error);

/*
 * Return the planned end of a running task in epoch seconds, unless something happens before. 0:
 * the end is unknown, or the task does not run.
 */
int64_t replay_end_of(const struct replay *replay, uint32_t job_number, uint32_t task);

/* Make the current call return -EINTR after its run. Allowed in signal handlers. */
void replay_stop(struct replay *replay);

int64_t replay_now(const struct replay *replay);
void replay_counts(const struct replay *replay, struct replay_counts *counts);

/*
 * slots.c: make a cell with the policies of `cell` and a machine of a number of slots: one queue on
 * one host, and a parallel environment for all of it. With algorithm userprio there is none; jobs
 * request processors. Only slots, run time and memory can be requested. Users, projects and
 * departments are those of `cell`. For sched_create_detached(). -EINVAL: 0 slots or too many;
 * -ENOMEM. The caller frees it with cell_files_free().
 */
int replay_cell_of_slots(struct cell_files *made, const struct cell *cell, uint64_t slots, struct error *error);

#endif
