/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workload traces: the jobs of a machine, their submission times and run times. Readers exist for
 *
 *     the Standard Workload Format of the Parallel Workloads Archive (18 columns, `; Key: value`)
 *     accounting(5), written by Grid Engine's qmaster or a local cell
 *     sacct -P of Slurm, with any --format that has the required fields
 *
 * plain or compressed by gzip. fairlead-trace(5) describes the mapping of fields.
 *
 *     struct trace *t;
 *     struct trace_job job;
 *     rc = trace_open(&t, path, &options, &error);
 *     while (rc == 0 && (rc = trace_next(t, &job, &error)) == 0)
 *             ... job is in order of submission ...
 *     about = trace_about(t);
 *     trace_close(t);
 *
 * If the trace has too little data about a job, the job is omitted and counted with a reason.
 * Unusual data that can be read is counted as a quirk. Data that cannot be read is an error and
 * ends the trace. No value is invented.
 *
 * Memory: SWF is read line by line, and memory grows only with the number of different names. The
 * other formats are sorted by end, so all jobs are stored, with some 100 bytes each, before the
 * first is returned. With `sort` this applies to SWF, too. Lines, names and different texts are
 * limited (LINE_MOST, TEXTS_MOST).
 */
#ifndef SCHED_TRACE_TRACE_H
#define SCHED_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"

struct trace;

enum trace_format { TRACE_ANY, TRACE_SWF, TRACE_ACCOUNTING, TRACE_SACCT, TRACE_FORMATS };

/* Return the name of a format: "swf", "accounting", "sacct"; "any". */
const char *trace_format_name(enum trace_format format);
/* Find a format by its name. False: there is none. */
bool trace_format_find(const char *name, enum trace_format *format);

struct trace_options {			/* zero: jobs as recorded */
	enum trace_format format;	/* TRACE_ANY: recognised by the first lines */
	bool sort;			/* SWF whose lines are not in order: read all and sort */
	bool exact_limits;		/* limit_s is run_s: as if users had known it */
	/* `run_s` is at most `limit_s`, as if limits had been enforced. */
	bool keeps_limits;
	/* Allocated slots are preferred to requested ones, if known. */
	bool allocated;
	bool think_times;		/* set `after` and `think_s` */
	/* > 0: factor of the times between submissions; 0 is 1. */
	double arrival_factor;
	/* Submissions from <= t < until, in recorded epoch seconds; 0: no limit. */
	int64_t from, until;
	int64_t unix_start;		/* SWF: epoch seconds of time 0; 0: from the header */
	/* SWF: prefix of user names; NULL is "user", as in "user87" */
	const char *user_prefix;
	const char *group_prefix;	/* NULL is "group" */
};

/* Result of a job. */
enum trace_status { TRACE_STATUS_UNKNOWN, TRACE_DONE, TRACE_FAILED, TRACE_CANCELLED };

/*
 * A job. Texts are NULL if the trace does not have them, and valid until trace_close(). Equal texts
 * have equal addresses. They are printable, but otherwise unchanged: names may have any length and
 * contain blanks.
 */
struct trace_job {
	uint64_t line;			/* line in the file, from 1 */
	uint32_t number;		/* not unique in some traces, where numbers start again */
	uint32_t task;			/* task of an array, may be 0 with Slurm: see is_array */
	bool is_array;
	enum trace_status status;
	/* Epoch seconds, scaled; never less than that of the job before. */
	int64_t submit;
	int64_t start;			/* epoch seconds, submit + the recorded wait; 0: unknown */
	int64_t run_s;			/* >= 0 */
	int64_t limit_s;		/* requested run time; 0: none */
	uint32_t slots;			/* > 0 */
	uint64_t memory_bytes;		/* requested for each slot; 0: unknown */
	double cpu_s;			/* used by all slots; -1: unknown */
	/* Job after whose end it is submitted, think_s seconds later. 0: submitted at `submit`. */
	uint32_t after;
	int64_t think_s;		/* >= 0 */
	const char *user;		/* never NULL: "unknown" */
	const char *group;
	const char *project;		/* Slurm's account; SWF's group */
	const char *department;
	const char *queue;
	const char *partition;		/* Slurm's; SWF's */
	const char *pe;
	const char *hard;		/* -l of Grid Engine, as "h_rt=3600,h_vmem=2G" */
	const char *qos;
	const char *name;
};

/*
 * Open a trace, recognise its format, and read all jobs if they must be sorted. "-" is standard
 * input. `options` may be NULL; it and its texts may be freed afterwards.
 *   0
 *   -EINVAL      not a trace, or an error in it; *trace is NULL, the message has FILE:LINE,
 *                the text found, and the values allowed
 *   -ENOENT, -EACCES, -EIO, -ENOMEM and others: it cannot be read
 */
int trace_open(struct trace **trace, const char *path, const struct trace_options *options, struct error *error);
/*
 * Return the next job.
 *   0
 *   1            no more jobs
 *   -EINVAL, -EIO, -ENOMEM: as above; further calls return the same
 */
int trace_next(struct trace *trace, struct trace_job *job, struct error *error);
/* Close the trace. NULL is allowed. */
void trace_close(struct trace *trace);

/* Reasons why jobs are omitted. */
enum trace_reason {
	TRACE_NOT_STARTED,		/* cancelled before it started, or never started */
	TRACE_NOT_ENDED,		/* still pending or running */
	TRACE_NO_SUBMIT,
	TRACE_NO_RUN_TIME,
	TRACE_NO_SLOTS,			/* 0 or unknown */
	/* part of a job that another line sums up: a step, a PE task, a burst */
	TRACE_PART,
	TRACE_AGAIN,			/* an attempt of a job that was started again */
	TRACE_OUTSIDE,			/* outside of `from` and `until` */
	TRACE_REASONS
};

/* Unusual data that can be read. */
enum trace_quirk {
	TRACE_NO_HEADER,		/* SWF without a header */
	TRACE_NO_UNIX_START,		/* relative times without a known time 0 */
	TRACE_EPOCH_TIMES,		/* epoch times instead of relative ones */
	/*
	 * SWF with a number of columns other than 18. The quirks up to here are of the whole trace.
	 */
	TRACE_COLUMNS,
	TRACE_FRACTIONS,		/* fractions of seconds: rounded */
	TRACE_OUT_OF_ORDER,		/* SWF, sorted */
	TRACE_ALLOCATED,		/* no requested processors: the allocated ones are used */
	TRACE_REQUESTED,		/* no allocated processors: the requested ones are used */
	TRACE_DIFFERENT_SLOTS,		/* allocated and requested processors differ */
	TRACE_OVER_LIMIT,		/* ran longer than requested */
	TRACE_NO_LIMIT,			/* requested no run time, or an infinite one */
	TRACE_NO_TIME,			/* ran 0 s */
	TRACE_NO_USER,			/* user is "unknown" */
	TRACE_NO_THINK,			/* preceding job without a think time: ignored */
	TRACE_ODD_NAMES,		/* names that are not printable: '?' is used */
	/* components of heterogeneous jobs: read as separate jobs */
	TRACE_COMPONENTS,
	TRACE_COLONS,			/* accounting: names with ':' in them; sacct: with '|' */
	TRACE_EARLY,			/* started before its submission: started at once */
	/* differs from the time between start and end, which is used */
	TRACE_WALLCLOCK,
	/* memory requested for each node, with an unknown number of nodes */
	TRACE_NODE_MEMORY,
	TRACE_NO_NAME,			/* name of the job is not stored: too many different ones */
	/* accounting: fields after the 45, as of Univa Grid Engine: ignored */
	TRACE_MORE_FIELDS,
	TRACE_QUIRKS
};

struct trace_tally {
	uint64_t n;
	uint64_t line;			/* line of the first case; 0: none */
};

/* Return a text to be used after "5,416 jobs", such as "ran longer than requested". */
const char *trace_reason_text(enum trace_reason reason);
const char *trace_quirk_text(enum trace_quirk quirk);
/* Return whether a quirk is of the whole trace. Its text is then used alone. */
bool trace_quirk_is_whole(enum trace_quirk quirk);

/*
 * Description of a trace. Texts are NULL if the header does not have them. Counts are of the data
 * read so far.
 */
struct trace_about {
	enum trace_format format;
	bool compressed;
	const char *version, *computer, *installation, *acknowledge, *information, *conversion, *time_zone;
	int64_t unix_start;		/* epoch s; 0: unknown */
	uint64_t max_jobs, max_records, max_procs, max_nodes;	/* in the header; 0: unknown */
	uint64_t lines;			/* lines read */
	uint64_t records;		/* lines that describe a job */
	uint64_t jobs;			/* jobs returned */
	uint64_t users, groups, projects, queues, partitions;	/* different ones in all records */
	uint32_t slots_most;		/* largest job */
	int64_t submit_first, submit_last;	/* times of returned jobs; 0: no job yet */
	int64_t end_last;		/* latest end of jobs with a known start */
	double slot_s;			/* slots × run time of the jobs returned */
	/* Sum with allocated slots, if known. */
	double allocated_s;
	struct trace_tally left_out[TRACE_REASONS];
	struct trace_tally quirks[TRACE_QUIRKS];
};

/* Return the description. Valid until trace_close(); trace_next() updates the counts. */
const struct trace_about *trace_about(const struct trace *trace);

#endif
