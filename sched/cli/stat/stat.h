/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead stat: jobs as qstat shows them. One query, several ways to print what it finds.
 *
 *     stat/stat.c           options
 *     stat/filter.c    which rows are meant; stat/states.c: in which states
 *     stat/wanted.c    -j: by number, name, pattern; stat/description.c: asked about them; stat/finished.c
 *     stat/rows.c      the rows, in their order; stat/sort.c: in another one
 *     stat/fields.h    what is shown of a job, for all of these:
 *     stat/table.c     Grid Engine's columns
 *     stat/spread.c    -g t, -t; stat/requests.c: -r
 *     stat/format.c    columns by name: stat/columns.c; stat/values.c
 *     stat/headline.c  the line above them on a terminal; stat/colour.c
 *     stat/xml.c       Grid Engine's XML; stat/lines.h: rows of both for queues -f
 *     stat/json.c      everything, for programs
 *     stat/job.c       everything about few jobs, for people; stat/detail.c, stat/reasons.c
 *     stat/qstat.c     the same in the lines of qstat -j; stat/qstat_tasks.c
 *     stat/job_xml.c   the same as qstat -xml -j; stat/job_xml.h
 *     stat/parts.c     the rows of an array whose tasks are not all in one state
 */
#ifndef CLI_STAT_STAT_H
#define CLI_STAT_STAT_H

#include "sched/cli/cli.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/stat/description.h"
#include "sched/cli/stat/finished.h"
#include "sched/cli/memo.h"
#include "sched/cli/options.h"
#include "sched/cli/stat/filter.h"
#include "sched/cli/terminal.h"
#include "sched/cli/text.h"

/* of a sentence that says why a job did not start; longer ones are cut */
#define STAT_WHY_BYTES 1024u
#define STAT_CLAUSES 32			/* of a job's Requirements, that are told */
#define STAT_AD_BYTES (1u << 20)		/* of a job's ad: more than a request may have */

enum stat_show {			/* groups of columns; bits */
	SHOW_PRIORITY = 1 << 0,		/* -pri */
	SHOW_URGENCY = 1 << 1,		/* -urg */
	SHOW_EXTENDED = 1 << 2,		/* -ext */
	SHOW_TIMES = 1 << 3,		/* submission or start: always but with -ext alone */
	SHOW_REQUESTS = 1 << 4,		/* -r; XML has them, the table below each row */
	SHOW_TASKS = 1 << 5,		/* -t: -g t, and what each task has used */
};

struct wanted_job {
	uint32_t number;
	bool found;
	bool looked_up, ended;		/* in the accounting, when it was not there; it was found */
};

struct stat_jobs {			/* -j */
	bool asked;
	bool reasons;			/* without a word: why jobs wait, all of them */
	char **patterns;		/* of names; pieces of the words given */
	size_t npatterns;
	size_t numbers;			/* the first ones of `jobs`: what was given as such */
};

#define STAT_KEYS 8			/* that rows are sorted by */

/* where a row comes from, to be found there again in the same section */
struct row_at {
	enum fl_list list;
	uint32_t job_number;		/* 0: row `k` of the list; else its k-th */
	uint64_t k;
	unsigned part;			/* of stat/parts.h, + 1; 0: it has none */
	unsigned dress;			/* 0: as it is */
	uint32_t task;			/* -g d: this one alone; 0 */
	uint64_t place;			/* in the line of those that could start; 0: it is not there */
};

struct stat_sort_key;

/* what was asked for; printers may use `clock` and `memo` and set `found` */
struct stat {
	unsigned show;			/* enum stat_show bits */
	struct stat_filter filter;
	bool one_by_one;		/* -g d: waiting tasks of arrays */
	bool spread;			/* -g t: started tasks, slot by slot */
	bool below_queues;		/* rows stand below their queue instances: without a column for these */
	/* of the run, where -g t, -r or -xml -j need it; not loaded if this user may not read it */
	struct cluster_cell cell_in_force;
	struct wanted_job *jobs;
	size_t njobs;			/* 0: all */
	struct stat_jobs by_job;
	struct descriptions descriptions;	/* of `jobs` */
	/* tasks that have ended: of `jobs` that are not there, or of -s z */
	struct finished finished;
	char *accounting;		/* where these are from; NULL: not known */
	struct format format;
	const char *columns;		/* --format: as written; NULL */
	struct stat_sort_key *keys;	/* --sort */
	size_t nkeys;
	bool no_header;
	/*
	 * on a terminal, and where it is asked for: the picture, columns that fit there, and a line
	 * above them
	 */
	bool picture, headline;
	bool plain, wide, why;		/* --plain, --wide, --why */
	enum colour_when colour;
	struct terminal terminal;
	const char *cell;		/* its directory */
	bool any;			/* a row was meant */
	unsigned watch_s;		/* --watch; 0: once */
	enum time_format time_format;	/* where people read */
	struct row_at at;		/* the row at hand */
	struct local_clock clock;
	struct memo memo;		/* forget first what another section left in it */
	struct error error;		/* of the section: why nothing is shown; "" */
};

/* Prints one row. `context` as given to stat_each(). */
typedef void row_print(struct out *out, struct stat *st, const struct fl_job *job, void *context);

/* The rows of a list that are asked for, in the list's order; ends early when the output fails. */
void stat_each(const struct fl_view *view, struct out *out, struct stat *st, enum fl_list list, row_print *print,
	       void *context);

/* The same of both lists, what is started first; --sort: as that has it. */
void stat_all(const struct fl_view *view, struct out *out, struct stat *st, row_print *print, void *context);

/* stat/rows.c, for stat/sort.c: each row in the lists' order. */
void rows_each(const struct fl_view *view, struct out *out, struct stat *st, enum fl_list list, row_print *print,
	       void *context);

/* stat/sort.c: --sort KEY[,-KEY...]; an exit code. Freed with free(). */
int sort_take(void *stat, struct words *words);
/* -ENOMEM */
int sort_each(const struct fl_view *view, struct out *out, struct stat *st, unsigned lists, row_print *print,
	      void *context);

/*
 * stat/watch.c: every so many seconds until SIGINT or SIGTERM; an exit code. A cell that can't be
 * attached to at first ends it.
 */
int stat_watch(const char *cell, section_print *print, struct stat *st, unsigned seconds);

/* stat/spread.c: a line for each slot of a started task */
struct spread_line { bool is_master, repeated; };	/* not the first one of the queue instance */
typedef void spread_print(struct out *out, struct stat *st, const struct fl_job *row, const struct spread_line *line,
			  void *context);
/* Print the lines of one queue instance, that of row->queue. */
void spread_slots(struct out *out, struct stat *st, const struct fl_job *row, uint32_t slots, bool is_master,
		  spread_print *print, void *context);
void spread_each(const struct fl_view *view, struct out *out, struct stat *st, const struct fl_job *job,
		 spread_print *print, void *context);

/* stat/requests.c: -r. Both need the cell in force. */
void requests_put(const struct fl_view *view, struct out *out, const struct stat *st, const struct fl_job *job);
void requests_xml(const struct fl_view *view, struct out *out, const struct stat *st, const struct fl_job *job,
		  unsigned indent);

/* stat/headline.c */
void headline_put(const struct fl_view *view, struct out *out, const struct stat *st);

/* stat/colour.c: what stands before a row, or its state, on a terminal that has colours; "" */
const char *colour_of_row(const struct stat *st, const struct fl_job *job);
const char *colour_of_state(const struct stat *st, const struct fl_job *job);
#define COLOUR_END "\033[0m"
#define COLOUR_TITLE "\033[1m"

/* stat/wanted.c: -j JOB,NAME,PATTERN; without a word why all jobs wait. An exit code. */
int wanted_take(void *stat, struct words *words);
/*
 * What has to be known before rows are printed: the numbers of jobs with the names that are meant,
 * what the scheduler tells of them, tasks that have ended. An exit code.
 */
int wanted_find(struct stat *st, const char *cell);
/* Is one that is not there in the accounting? Its tasks are in s->finished then. */
bool wanted_has_ended(struct stat *st, struct wanted_job *job);
void wanted_free(struct stat *st);

/*
 * stat/detail.c: what a job was submitted with, whom it waits for; its place among those that could
 * start; what a started task has used.
 */
void detail_print(const struct fl_view *view, struct out *out, struct stat *st, const struct fl_job *job);
void detail_place(const struct fl_view *view, struct out *out, uint32_t job_number);
void detail_usage(const struct fl_view *view, struct out *out, struct stat *st, const struct fl_job *job);
void detail_json(const struct fl_view *view, struct out *out, struct stat *st, const struct fl_job *job);
/* Print a line; nothing if the text is NULL or empty. */
void detail_line(struct out *out, const char *label, const char *text);
/* Print the words of an array from the k-th on in one line; nothing if there are none. */
void detail_words(struct out *out, const char *label, const json_t *words, size_t k, const char *between);
/* Print the jobs that the job waits for and that have not ended; by_task: of -hold_jid_ad. */
void detail_predecessors(const struct fl_view *view, struct out *out, uint32_t job_number, bool by_task);
/* Print why a job is in the error state, if it is (stat/job.c). */
void detail_error(const struct fl_view *view, struct out *out, const struct fl_job *job);
/* Memory of a running task as text; "N/A": not reported. */
struct memory_shown { char vmem[32], maxvmem[32]; };
struct memory_shown detail_memory(const struct fl_view *view, const struct stat *st, const struct fl_job *job);
/* A label, as wide as all are. */
#define STAT_LABEL_BYTES 28u
void stat_label(struct out *out, const char *label);

/* stat/reasons.c: -j without a word. A section_print function. */
int stat_reasons(const struct fl_view *view, struct out *out, void *stat);
int stat_reasons_xml(const struct fl_view *view, struct out *out, void *stat);

/* stat/format.c: what is wrong with --format; EXIT_OK. */
int format_check(const char *columns);

/* Read what a run needs before any row is printed. 0, or an error of choice_open() with the sentence in s->error. */
int stat_begin(struct stat *st, const struct fl_view *view);
void stat_end(struct stat *st);

/* The printers; section_print functions whose context is the struct stat. */
int stat_table(const struct fl_view *view, struct out *out, void *stat);
int stat_xml(const struct fl_view *view, struct out *out, void *stat);
int stat_json(const struct fl_view *view, struct out *out, void *stat);
int stat_format(const struct fl_view *view, struct out *out, void *stat);
int stat_job(const struct fl_view *view, struct out *out, void *stat);
int stat_qstat(const struct fl_view *view, struct out *out, void *stat);
/* stat/qstat_tasks.c: the lines about the tasks of a job, after those about the job. */
void tasks_qstat(const struct fl_view *view, struct out *out, struct stat *st, uint32_t job_number);
int stat_job_xml(const struct fl_view *view, struct out *out, void *stat);

#endif
