/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same scheduler in virtual time: a workload's jobs are submitted to it, what it orders is
 * carried out by nobody but this clock, and tasks end when their recorded run time is over. Every
 * decision is sched_run()'s; nothing is imitated.
 *
 *     sched_create_detached(&s, "conf/default", NULL, &report, &error);
 *     replay_create(&r, s, &options, &watch, &error);
 *     while ((rc = trace_next(trace, &job, &error)) == 0)
 *             replay_job(r, &job, &error);
 *     replay_finish(r, &error);
 *     replay_destroy(r);
 *     sched_destroy(s);
 *
 * Clocks are events: submissions, ends, calendars, and runs by the cell's schedule_interval,
 * flush_submit_sec and flush_finish_sec as sched/qmaster/due.h has them. A run takes no virtual
 * time. The same input gives the same calls with the same values, whatever the number of workers.
 *
 * Execution hosts report loads as their tasks cause them: 1 for each slot of a task that runs. A
 * task runs its recorded time, wherever it is.
 *
 * All times are whole epoch seconds, virtual ones; what the trace has recorded of starts and ends
 * decides nothing, only run times do.
 *
 * Not thread-safe: one thread calls, but for replay_stop().
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
	REPLAY_BY_INTERVAL,		/* as the cell's scheduler runs */
	REPLAY_AT_EVENTS,		/* besides, whenever something came or went */
};

enum replay_usage {
	REPLAY_USAGE_SLOTS,		/* cpu = slots x time that the task ran */
	REPLAY_USAGE_RECORDED,		/* cpu as recorded, where it is, in proportion */
};

struct replay_options {			/* zero: as a cell of this kind would do it */
	enum replay_runs runs;
	enum replay_usage usage;
	/*
	 * When it begins, epoch seconds; 0: with the first submission. What runs already is known
	 * from then on
	 */
	int64_t begin;
	uint32_t interval_s;		/* in place of schedule_interval; 0: that */
	/*
	 * How often running tasks report usage; 0: as often as an execution host does, after 40 s.
	 * It comes with the next run; what a task has used is exact at its end. UINT32_MAX: only
	 * then
	 */
	uint32_t usage_s;
	/*
	 * The watch's sample() comes behind the first run after so many virtual seconds, which is
	 * published for it; 0: never
	 */
	uint32_t sample_s;
	/* a job that would run longer than it requested is killed then, as h_rt does */
	bool limits_kill;
	/* of a running task that nothing is known of; 0: it runs on for ever */
	uint32_t default_run_s;
	/* jobs don't ask for a reservation (-R y); max_reservation of the cell decides otherwise */
	bool no_reserve;
	/*
	 * of jobs with more than one slot, where the trace has none that the cell has; NULL: the
	 * first that fits
	 */
	const char *pe;
	/* the trace's queue is asked for (-q), and its resources (-l), as they are */
	bool queues, resources;
	/* the complex by which memory is requested, "h_vmem"; NULL: it is not */
	const char *memory;
	/* the complex by which run time is requested; NULL: h_rt */
	const char *run_time;
	/*
	 * A job that names the one before it is submitted think_s after that has ended. Jobs must
	 * be known before they are due for that: replay_job() only notes them, replay_until() and
	 * replay_finish() run
	 */
	bool think;
	/* a task that was vacated goes on where it was; else it begins anew */
	bool checkpoints;
};

enum replay_end {
	REPLAY_END_DONE,		/* its run time is over */
	REPLAY_END_LIMIT,		/* killed, since the time that it requested is */
	/* it gave back its slots and waits again: it ends once more */
	REPLAY_END_VACATED,
	REPLAY_END_REMOVED,		/* never started: -now y, and there was no room */
};

/* A task of a job, as it stands. Borrowed during the call of the watch. */
struct replay_task {
	/*
	 * from 0, one for each job that was taken, in the order of replay_job(); refused ones have
	 * one, too
	 */
	uint64_t index;
	/* a copy of what replay_job() was given; NULL: it was there when the replay began */
	const struct trace_job *job;
	uint64_t number;		/* the trace's; or the cell's, of a job that was there */
	uint32_t task;			/* 0: no array */
	uint32_t job_number, task_number;	/* as the scheduler knows it */
	int64_t submit, start;		/* virtual; start 0: not yet */
	/* when it ends, if nothing comes between; 0: that is not known */
	int64_t end;
	/* that it has run, the time that it was suspended left out */
	int64_t run_s;
	uint32_t slots;			/* requested; granted, once it has started */
	/* n == 0: not started; the instance of the master task first */
	struct grants granted;
	const char *granted_pe;		/* the cell's; NULL: sequential, or not started */
	double prio, ntckts;		/* with which it was started; see fl_job */
	/* a job before it in the pending list had a reservation in the run that started it */
	bool backfilled;
	enum replay_end how;		/* of ended() */
};

struct replay_run {
	int64_t now;
	uint64_t number;		/* of this replay, from 1 */
	size_t pending, running;	/* tasks, when the run is over */
	/* of running tasks; of all usable queue instances, none twice */
	uint64_t slots_used, slots;
	size_t started;			/* in this run */
	uint64_t reservations;
};

/* NULL: nobody wants to know. What is borrowed is so during the call. */
struct replay_watch {
	void *context;
	void (*submitted)(void *context, const struct replay_task *task);
	void (*started)(void *context, const struct replay_task *task);
	/* suspended (by thresholds, by other queues), or resumed */
	void (*suspended)(void *context, const struct replay_task *task, bool is, int64_t now);
	void (*ended)(void *context, const struct replay_task *task, int64_t now);
	/* it can't run in this cell, in words; never submitted. Task as in submitted() */
	void (*refused)(void *context, const struct replay_task *task, const char *why);
	void (*ran)(void *context, const struct replay_run *run);
	/* behind a run that was published; never NULL */
	void (*sample)(void *context, int64_t now, const struct fl_view *view);
};

struct replay_counts {
	uint64_t taken;			/* jobs that replay_job() was given */
	uint64_t submitted, refused, started, ended, vacated, removed;
	uint64_t limited;		/* of those ended: by their limit */
	uint64_t waiting, running;	/* now */
	uint64_t endless;		/* of those that run: nothing is known of when they end */
	uint64_t not_yet;		/* noted, and not due */
	/* runs; intervals with nothing pending, at which none was made */
	uint64_t runs, skipped;
};

/*
 * The scheduler stays the caller's, and is nobody else's until replay_destroy(). What runs in it
 * ends when the time that it requested is over. -EINVAL with the sentence: an option that the cell
 * can't meet; -ENOMEM. *r is NULL then.
 */
int replay_create(struct replay **replay, struct sched *sched, const struct replay_options *options,
		  const struct replay_watch *watch, struct error *error);
void replay_destroy(struct replay *replay);

/*
 * The next job of the trace, submitted at job->submit, after all that happens before; the struct is
 * copied, its strings live as long as the replay. It may be earlier than now, if one before it was:
 * it is submitted now then. 0, also for one that is refused: the watch is told. -EINTR:
 * replay_stop(); -ENOMEM; or what sched_run() says. After an error, only replay_counts() and
 * replay_destroy().
 */
int replay_job(struct replay *replay, const struct trace_job *job, struct error *error);
/* All that happens until then, inclusive. Errors as above. */
int replay_until(struct replay *replay, int64_t now, struct error *error);
/*
 * Until all jobs have ended, or until nothing can happen any more that would start one that waits:
 * replay_counts() says how many are left.
 */
int replay_finish(struct replay *replay, struct error *error);
/*
 * Until this task (task 0: the only one) has started, at most until then. 0: `start` is when;
 * -ENOENT: it has not, or there is no such task; and the errors above.
 */
int replay_start_of(struct replay *replay, uint32_t job_number, uint32_t task, int64_t until, int64_t *start,
		    struct error *error);

/*
 * When a task that runs ends, epoch seconds, if nothing comes between; 0: nothing is known of that,
 * or it does not run.
 */
int64_t replay_end_of(const struct replay *replay, uint32_t job_number, uint32_t task);

/* The call that is on returns -EINTR as soon as its run is over. For signal handlers, too. */
void replay_stop(struct replay *replay);

int64_t replay_now(const struct replay *replay);
void replay_counts(const struct replay *replay, struct replay_counts *counts);

/*
 * slots.c. A cell with the policies of `cell` and a machine of so many slots: one queue on one
 * host, a parallel environment for all of it (with algorithm userprio none, jobs request processors
 * of it). Nothing but slots, run time and memory can be requested; users, projects and departments
 * are those of `cell`. For sched_create_detached(). -EINVAL: 0 slots or too many; -ENOMEM. The
 * caller frees with cell_files_free().
 */
int replay_cell_of_slots(struct cell_files *made, const struct cell *cell, uint64_t slots, struct error *error);

#endif
