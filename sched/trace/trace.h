/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workload traces: what jobs a machine was given, when, and how long they ran; one reader for
 *
 *     the Standard Workload Format of the Parallel Workloads Archive (18 columns, `; Key: value`)
 *     accounting(5), as Grid Engine's qmaster writes it, and ours
 *     sacct -P, as Slurm prints it, with any --format that has what is needed
 *
 * plain or compressed by gzip. fairlead-trace(5) says which field becomes what.
 *
 *     struct trace *t;
 *     struct trace_job job;
 *     rc = trace_open(&t, path, &options, &error);
 *     while (rc == 0 && (rc = trace_next(t, &job, &error)) == 0)
 *             ... job is in order of submission ...
 *     about = trace_about(t);
 *     trace_close(t);
 *
 * A job that the trace says too little about is left out and counted under a reason; what is odd
 * but can be read is counted as a quirk; what can't be read is a fault and ends the trace. Nothing
 * is made up.
 *
 * Memory: SWF is read as it goes; memory grows with different names alone. The other two are in the
 * order of ends, so all jobs are held, some 100 bytes each, before the first is given; with `sort`
 * those of SWF, too. Lines, names, and different texts are bounded (LINE_MOST, TEXTS_MOST).
 */
#ifndef SCHED_TRACE_TRACE_H
#define SCHED_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"

struct trace;

enum trace_format { TRACE_ANY, TRACE_SWF, TRACE_ACCOUNTING, TRACE_SACCT, TRACE_FORMATS };

/* "swf", "accounting", "sacct"; "any". */
const char *trace_format_name(enum trace_format format);
/* False: there is no such format. */
bool trace_format_find(const char *name, enum trace_format *format);

struct trace_options {			/* all zero: as recorded */
	enum trace_format format;	/* TRACE_ANY: by the first lines */
	bool sort;			/* SWF whose lines are out of order: hold all, and sort */
	bool exact_limits;		/* limit_s is run_s: as if users had known */
	/* run_s is at most limit_s: as if limits had been enforced */
	bool keeps_limits;
	/* slots are those allocated, if known, before those requested */
	bool allocated;
	bool think_times;		/* `after` and `think_s` are given */
	/* > 0: times between submissions are so much longer; 0 is 1 */
	double arrival_factor;
	/* submitted from <= t < until, epoch s as recorded; 0: no end */
	int64_t from, until;
	int64_t unix_start;		/* SWF: of time 0, epoch s; 0: what the header says */
	const char *user_prefix;	/* SWF: of user 87's name; NULL is "user", so "user87" */
	const char *group_prefix;	/* NULL is "group" */
};

/* What became of it. */
enum trace_status { TRACE_STATUS_UNKNOWN, TRACE_DONE, TRACE_FAILED, TRACE_CANCELLED };

/*
 * Texts are NULL where the trace says nothing, and live until trace_close(); equal ones have equal
 * addresses. They are printable, but otherwise as they were: names may have any length and blanks.
 */
struct trace_job {
	uint64_t line;			/* of the file, from 1 */
	uint32_t number;		/* not unique in each trace: numbers begin anew */
	uint32_t task;			/* of an array, 0 is one with Slurm: see is_array */
	bool is_array;
	enum trace_status status;
	/* epoch s, scaled; never less than that of the job before */
	int64_t submit;
	int64_t start;			/* epoch s, submit + the recorded wait; 0: unknown */
	int64_t run_s;			/* >= 0 */
	int64_t limit_s;		/* run time asked for; 0: none */
	uint32_t slots;			/* > 0 */
	uint64_t memory_bytes;		/* asked for, each slot; 0: unknown */
	double cpu_s;			/* used, all slots; -1: unknown */
	/* submitted think_s behind the end of this job; 0: at `submit` */
	uint32_t after;
	int64_t think_s;		/* >= 0 */
	const char *user;		/* never NULL: "unknown" */
	const char *group;
	const char *project;		/* Slurm's account; SWF's group */
	const char *department;
	const char *queue;
	const char *partition;		/* Slurm's; SWF's */
	const char *pe;
	const char *hard;		/* Grid Engine's -l, as "h_rt=3600,h_vmem=2G" */
	const char *qos;
	const char *name;
};

/*
 * Opens, recognises, and, where jobs have to be sorted, reads all. "-" is standard input. `o` may
 * be NULL; it and its texts need not live on.
 *   0
 *   -EINVAL      no trace, or a fault in it; *t is NULL, the error has FILE:LINE, what was found,
 *                what is allowed
 *   -ENOENT, -EACCES, -EIO, -ENOMEM and other numbers: it can't be read
 */
int trace_open(struct trace **trace, const char *path, const struct trace_options *options, struct error *error);
/*
 * The next job.
 *   0
 *   1            there is none any more
 *   -EINVAL, -EIO, -ENOMEM: as above; so again with each further call
 */
int trace_next(struct trace *trace, struct trace_job *job, struct error *error);
/* `t` may be NULL. */
void trace_close(struct trace *trace);

/* How much of it was given, 0 to 1, by bytes or by jobs; -1: nobody can know (a pipe). */
double trace_progress(const struct trace *trace);

/* Why jobs are left out */
enum trace_reason {
	TRACE_NOT_STARTED,		/* cancelled before it started, or never started */
	TRACE_NOT_ENDED,		/* it was still pending or running */
	TRACE_NO_SUBMIT,
	TRACE_NO_RUN_TIME,
	TRACE_NO_SLOTS,			/* 0 or unknown */
	/* of a job that another line sums up: a step, a PE task, a burst */
	TRACE_PART,
	TRACE_AGAIN,			/* an attempt of a job that was started again */
	TRACE_OUTSIDE,			/* not from `from` to `until` */
	TRACE_REASONS
};

/* What is odd, but can be read */
enum trace_quirk {
	TRACE_NO_HEADER,		/* SWF without one */
	TRACE_NO_UNIX_START,		/* relative times, and nobody says to what */
	TRACE_EPOCH_TIMES,		/* epoch times where relative ones belong */
	/* SWF with another number than 18; up to here of the whole */
	TRACE_COLUMNS,
	TRACE_FRACTIONS,		/* of seconds: rounded */
	TRACE_OUT_OF_ORDER,		/* SWF, sorted */
	TRACE_ALLOCATED,		/* no processors requested: those allocated */
	TRACE_REQUESTED,		/* none allocated: those requested */
	TRACE_DIFFERENT_SLOTS,		/* others allocated than requested */
	TRACE_OVER_LIMIT,		/* ran longer than it asked for */
	TRACE_NO_LIMIT,			/* asked for none, or for one that is none */
	TRACE_NO_TIME,			/* ran 0 s */
	TRACE_NO_USER,			/* its user is "unknown" */
	TRACE_NO_THINK,			/* a preceding job without a think time: not waited for */
	TRACE_ODD_NAMES,		/* not printable: with '?' */
	TRACE_COMPONENTS,		/* of heterogeneous jobs, as jobs of their own */
	TRACE_COLONS,			/* accounting: names with ':' in them; sacct: with '|' */
	TRACE_EARLY,			/* started before it was submitted: at once */
	TRACE_WALLCLOCK,		/* another than from start to end: the latter */
	TRACE_NODE_MEMORY,		/* asked for by the node, and nobody says how many nodes */
	TRACE_NO_NAME,			/* of the job: too many different ones to be kept */
	TRACE_MORE_FIELDS,		/* accounting: behind the 45, as of Univa Grid Engine: left out */
	TRACE_QUIRKS
};

struct trace_tally {
	uint64_t n;
	uint64_t line;			/* of the first; 0: none */
};

/* "ran longer than they asked for": behind "5,416 jobs" */
const char *trace_reason_text(enum trace_reason reason);
const char *trace_quirk_text(enum trace_quirk quirk);
/* Of the trace as a whole, not of some jobs: the text stands alone. */
bool trace_quirk_is_whole(enum trace_quirk quirk);

/* Texts are NULL where the header has none. What is counted is of what was read so far. */
struct trace_about {
	enum trace_format format;
	bool compressed;
	const char *version, *computer, *installation, *acknowledge, *information, *conversion, *time_zone;
	int64_t unix_start;		/* epoch s; 0: unknown */
	uint64_t max_jobs, max_records, max_procs, max_nodes;	/* of the header; 0: unknown */
	uint64_t lines;			/* read */
	uint64_t records;		/* lines that tell of a job */
	uint64_t jobs;			/* given */
	uint64_t users, groups, projects, queues, partitions;	/* different, of all records */
	uint32_t slots_most;		/* of a job */
	int64_t submit_first, submit_last;	/* as given; 0: no job yet */
	int64_t end_last;		/* of those whose start is known */
	double slot_s;			/* slots × run time, of the jobs given */
	/* the same with those allocated, where the trace knows them */
	double allocated_s;
	struct trace_tally left_out[TRACE_REASONS];
	struct trace_tally quirks[TRACE_QUIRKS];
};

/* Valid until trace_close(); what is counted goes on with trace_next(). */
const struct trace_about *trace_about(const struct trace *trace);

#endif
