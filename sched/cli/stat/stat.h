/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead stat: jobs as qstat shows them. One query with several printers.
 *
 *     stat/stat.c       options
 *     stat/filter.c     select rows; stat/states.c: by state
 *     stat/wanted.c     -j: by number, name, pattern; stat/description.c, stat/finished.c: more about these jobs
 *     stat/rows.c       rows in their order; stat/sort.c: in another order
 *     stat/fields.h     table of the values that all printers show
 *     stat/table.c      Grid Engine's columns
 *     stat/spread.c     -g t, -t; stat/requests.c: -r
 *     stat/format.c     columns by name: stat/columns.c, stat/values.c
 *     stat/headline.c   line above them on a terminal; stat/colour.c
 *     stat/xml.c        Grid Engine's XML; stat/lines.h: rows of table and XML for queues -f
 *     stat/json.c       everything, for programs
 *     stat/job.c        everything about few jobs, for people; stat/detail.c, stat/reasons.c
 *     stat/qstat.c      the same in the lines of qstat -j; stat/qstat_tasks.c
 *     stat/job_xml.c    the same as qstat -xml -j; stat/job_xml.h
 *     stat/parts.c      rows of an array whose tasks are in different states
 */
#ifndef CLI_STAT_STAT_H
#define CLI_STAT_STAT_H

#include "sched/cli/cli.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/client/description.h"
#include "sched/cli/stat/finished.h"
#include "sched/cli/memo.h"
#include "sched/cli/options.h"
#include "sched/cli/stat/filter.h"
#include "sched/cli/terminal.h"
#include "sched/cli/text.h"

/* bytes of a sentence that says why a job did not start, longer ones are cut */
#define STAT_WHY_BYTES 1024u
#define STAT_CLAUSES 32			/* clauses of a job's Requirements that are shown */
/* bytes of a job's ad, more than a request may have */
#define STAT_AD_BYTES (1u << 20)

enum stat_show {			/* groups of columns, bits */
	SHOW_PRIORITY = 1 << 0,		/* -pri */
	SHOW_URGENCY = 1 << 1,		/* -urg */
	SHOW_EXTENDED = 1 << 2,		/* -ext */
	/* submission or start time, unless -ext is the only group */
	SHOW_TIMES = 1 << 3,
	SHOW_REQUESTS = 1 << 4,		/* -r: in XML as elements, in the table below each row */
	SHOW_TASKS = 1 << 5,		/* -t: -g t, and the usage of each task */
};

struct wanted_job {
	uint32_t number;
	bool found;
	/* searched in the accounting because the run does not have the job; found there */
	bool looked_up, ended;
};

struct stat_jobs {			/* -j */
	bool asked;
	bool reasons;			/* -j without a value: print why all jobs wait */
	char **patterns;		/* patterns of names, pieces of the option's value */
	size_t npatterns;
	size_t numbers;			/* number of the leading `jobs` that were named by number */
};

#define STAT_KEYS 8			/* columns by which rows can be sorted */

/* Origin of a row. With it the row can be found again in the same section. */
struct row_at {
	enum fl_list list;
	/* `k` counts the rows of this job. 0: `k` counts the rows of the list. */
	uint32_t job_number;
	uint64_t k;
	unsigned part;			/* part of stat/parts.h plus 1, 0: the row is not divided */
	/* PART_... bits, 0: the state is unchanged */
	unsigned dress;
	uint32_t task;			/* -g d: the only task of the row, else 0 */
	/* position among the jobs that could start, 0: it is not among them */
	uint64_t place;
};

struct stat_sort_key;

/* Request of the user. Printers may use `clock` and `memo` and set `any` and `found` of a job. */
struct job_listing {
	unsigned show;			/* enum stat_show bits */
	struct stat_filter filter;
	bool one_by_one;		/* -g d: pending tasks of arrays one by one */
	bool spread;			/* -g t: started tasks slot by slot */
	/* rows are below their queue instances and have no queue column */
	bool below_queues;
	/*
	 * Configuration that the run used, for -g t, -r and -xml -j. Not loaded if this user has no
	 * permission to read it.
	 */
	struct cluster_cell cell_in_force;
	struct wanted_job *jobs;
	size_t njobs;			/* 0: all jobs */
	struct stat_jobs by_job;
	struct descriptions descriptions;	/* descriptions of `jobs` */
	/* Ended tasks: of `jobs` that the run does not have, or of -s z. */
	struct finished finished;
	char *accounting;		/* path of the accounting file, NULL: not known */
	struct format format;
	const char *columns;		/* value of --format, NULL: not used */
	struct stat_sort_key *keys;	/* columns of --sort */
	size_t nkeys;
	bool no_header;
	/*
	 * Layout for terminals: columns that fit its width, and a headline above them. Used on a
	 * terminal and when the user requests it.
	 */
	bool picture, headline;
	bool plain, wide, why;		/* --plain, --wide, --why */
	enum colour_when colour;
	struct terminal terminal;
	const char *cell;		/* directory of the cell */
	bool any;			/* at least one row matched */
	unsigned watch_s;		/* seconds of --watch, 0: print once */
	enum time_format time_format;	/* format of times for people */
	struct row_at at;		/* origin of the current row */
	struct local_clock clock;
	struct memo memo;		/* must be cleared before a new section uses it */
	struct error error;		/* reason why the section shows nothing, "" */
	struct messages *messages;	/* borrowed; receives faults and notes */
};

/* Print one row. `context` is that of stat_each(). */
typedef void row_print(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context);

/*
 * Print the rows of a list that match the filter, in the list's order. Stop when the output fails.
 */
void stat_each(const struct fl_view *view, struct out *out, struct job_listing *listing, enum fl_list list,
	       row_print *print, void *context);

/* Print the matching rows of both lists, started tasks first, or in the order of --sort. */
void stat_all(const struct fl_view *view, struct out *out, struct job_listing *listing, row_print *print,
	      void *context);

/* stat/rows.c, for stat/sort.c: print the rows of a list in the list's order */
void rows_each(const struct fl_view *view, struct out *out, struct job_listing *listing, enum fl_list list,
	       row_print *print, void *context);

/* stat/sort.c: parse --sort KEY[,-KEY...] into keys freed with free(); return an exit code */
int sort_take(void *context, struct words *words);
/* Print the rows of `lists` in the order of --sort. Return 0 or -ENOMEM. */
int sort_each(const struct fl_view *view, struct out *out, struct job_listing *listing, unsigned lists,
	      row_print *print, void *context);

/*
 * stat/watch.c: print the list every `seconds` until SIGINT or SIGTERM. Return an exit code. The
 * command ends if the first attempt to attach to the cell fails. Messages are printed.
 */
int stat_watch(const char *cell, section_print *print, struct job_listing *listing, unsigned seconds);

/* stat/spread.c: a line for each slot of a started task */
/* repeated: not the first line of the queue instance */
struct spread_line { bool is_master, repeated; };
typedef void spread_print(struct out *out, struct job_listing *listing, const struct fl_job *row,
			  const struct spread_line *line, void *context);
/* Print the lines of one queue instance, named by row->queue. */
void spread_slots(struct out *out, struct job_listing *listing, const struct fl_job *row, uint32_t slots,
		  bool is_master, spread_print *print, void *context);
void spread_each(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job,
		 spread_print *print, void *context);

/* stat/requests.c: -r. Both functions need the configuration that the run used. */
void requests_put(const struct fl_view *view, struct out *out, const struct job_listing *listing,
		  const struct fl_job *job);
void requests_xml(const struct fl_view *view, struct out *out, const struct job_listing *listing,
		  const struct fl_job *job, unsigned indent);

/* stat/headline.c */
void headline_put(const struct fl_view *view, struct out *out, const struct job_listing *listing);

/*
 * stat/colour.c: return the escape sequence in front of a row or of its state. "" on a terminal
 * without colours.
 */
const char *colour_of_row(const struct job_listing *listing, const struct fl_job *job);
const char *colour_of_state(const struct job_listing *listing, const struct fl_job *job);
#define COLOUR_END "\033[0m"
#define COLOUR_TITLE "\033[1m"

/*
 * stat/wanted.c: parse -j JOB,NAME,PATTERN. No value: print why all jobs wait. Return an exit code.
 */
int wanted_take(void *context, struct words *words);
/*
 * Collect what must be known before rows are printed. This is the numbers of the jobs that match
 * names, the scheduler's descriptions of them, and ended tasks. Return an exit code.
 */
int wanted_find(struct job_listing *listing, const char *cell);
/*
 * Search the accounting for a job that the run does not have. If it returns true, the tasks of the
 * job are in listing->finished.
 */
bool wanted_has_ended(struct job_listing *listing, struct wanted_job *job);
void wanted_free(struct job_listing *listing);

/*
 * stat/detail.c: the submission of a job, the jobs that it waits for, its position among the jobs
 * that could start, and the usage of a started task
 */
void detail_print(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job);
void detail_place(const struct fl_view *view, struct out *out, uint32_t job_number);
void detail_usage(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job);
void detail_json(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job);
/* Print a line; nothing if the text is NULL or empty. */
void detail_line(struct out *out, const char *label, const char *text);
/* Print the words of an array from the k-th on in one line; nothing if there are none. */
void detail_words(struct out *out, const char *label, const struct described_texts *words, size_t k,
		  const char *between);
/* Print numbers of jobs in one line; nothing if there are none. */
void detail_jobs(struct out *out, const char *label, const struct described_numbers *numbers);
/* Print the unfinished jobs that the job waits for. by_task: those of -hold_jid_ad. */
void detail_predecessors(const struct fl_view *view, struct out *out, uint32_t job_number, bool by_task);
/* Print why a job is in the error state, if it is (stat/job.c). */
void detail_error(const struct fl_view *view, struct out *out, const struct fl_job *job);
/* Memory of a running task as text; "N/A": not reported. */
struct memory_shown { char vmem[32], maxvmem[32]; };
struct memory_shown detail_memory(const struct fl_view *view, const struct job_listing *listing,
				  const struct fl_job *job);
/* Print a label, padded to the width of all labels. */
#define STAT_LABEL_BYTES 28u
void stat_label(struct out *out, const char *label);

/* stat/reasons.c, reasons_qstat.c: -j without a value. Functions of the type section_print. */
int stat_reasons(const struct fl_view *view, struct out *out, void *context);
int stat_reasons_qstat(const struct fl_view *view, struct out *out, void *context);
int stat_reasons_xml(const struct fl_view *view, struct out *out, void *context);

/* stat/format.c: check the value of --format. Return an exit code, with a message. */
int format_check(struct messages *messages, const char *columns);

/*
 * Read what a run needs before any row is printed. Return 0, or an error of choice_open() with the
 * sentence in listing->error.
 */
int stat_begin(struct job_listing *listing, const struct fl_view *view);
void stat_end(struct job_listing *listing);

/* Printers: section_print functions whose context is the struct job_listing. */
int stat_table(const struct fl_view *view, struct out *out, void *context);
int stat_xml(const struct fl_view *view, struct out *out, void *context);
int stat_json(const struct fl_view *view, struct out *out, void *context);
int stat_format(const struct fl_view *view, struct out *out, void *context);
int stat_job(const struct fl_view *view, struct out *out, void *context);
int stat_qstat(const struct fl_view *view, struct out *out, void *context);
/* stat/qstat_tasks.c: print the lines about the tasks of a job, after those about the job. */
void tasks_qstat(const struct fl_view *view, struct out *out, struct job_listing *listing, uint32_t job_number);
int stat_job_xml(const struct fl_view *view, struct out *out, void *context);

#endif
