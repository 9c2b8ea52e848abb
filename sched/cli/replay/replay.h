/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay of a workload under several policies: the query, the columns with the results, and the
 * printers.
 */
#ifndef CLI_REPLAY_REPLAY_H
#define CLI_REPLAY_REPLAY_H

#include <stdatomic.h>

#include "sched/cli/cli.h"
#include "sched/replay/outcome/answers.h"
#include "sched/replay/replay.h"
#include "sched/trace/trace.h"

#define REPLAY_COLUMNS 16		/* policies per replay */

struct replay_query {			/* the command line */
	const char *path;		/* path of the trace, "-": standard input */
	const char *cells[REPLAY_COLUMNS], *algorithms[REPLAY_COLUMNS];
	size_t ncells, nalgorithms;
	uint64_t slots;			/* 0: each cell's own machine */
	bool slots_of_trace;		/* use MaxProcs of the header */
	struct trace_options trace;
	struct replay_options replay;
	bool think, json, about;
	const char *report, *csv;	/* output files, NULL: none */
	unsigned long top;		/* users in tables for people */
	char *command;			/* command line as typed, owned */
};

/* Trace, read once completely before it is replayed. */
struct replay_trace {
	struct trace *trace;		/* open, because its texts are used */
	const struct trace_about *about;
	/* path for further readers; a copy of standard input has its own */
	char *path;
	const char *name;		/* name for messages and headings */
	int spool;			/* descriptor of the copy, -1: none */
	struct error error;
};

struct replay_column {			/* a policy */
	const struct replay_query *query;
	const struct replay_trace *trace;
	/* name for people: that of the cell, with the algorithm unless it is the cell's own */
	char *name;
	/* algorithm NULL: the cell's own. Both NULL: the results recorded in the trace. */
	const char *cell, *algorithm;
	struct sched *sched;
	/* a cell with only a Slurm site's configuration, with a scheduler that runs at events */
	bool is_slurm;
	struct outcome *outcome;
	struct answers answers;
	/* Valid during the replay. Written by the column's thread, read by others. */
	_Atomic(struct replay *) replay;
	_Atomic uint64_t taken;		/* jobs of the trace read so far */
	_Atomic bool over;
	/* Valid after the replay. */
	bool began, stopped;		/* stopped: the results cover only a part of the trace */
	int rc;
	struct error error;
	struct replay_counts counts;
	double seconds;			/* duration of the replay */
};

struct replay_result {
	const struct replay_query *query;
	const struct replay_trace *trace;
	const struct replay_column *columns;	/* "as recorded" first, if the trace has results */
	size_t n;
	bool recorded;			/* the column "as recorded" exists */
	bool partial;			/* a signal ended the replay early */
};

/* replay/trace.c: return exit codes, after a message */
int replay_trace_open(struct replay_trace *trace, const struct replay_query *query);
void replay_trace_close(struct replay_trace *trace);
/* Print --about. */
int replay_about_print(const struct replay_query *query, const struct replay_trace *trace);
/* Print what was left out and what is unusual, a line each that begins with `indent`. */
void replay_about_odd(struct out *out, const struct trace_about *about, const char *indent);
/* Write the description of the trace as a JSON object. */
void replay_about_json(struct out *out, const struct replay_trace *trace);

/*
 * replay/columns.c: make the columns; `columns` has room for REPLAY_COLUMNS + 1. Return an exit
 * code, after a message.
 */
int replay_columns_make(struct replay_column *columns, size_t *n, const struct replay_query *query,
			const struct replay_trace *trace);
void replay_columns_free(struct replay_column *columns, size_t n);
/* Compute the answers of the columns that began. Return an exit code, after a message. */
int replay_columns_answer(struct replay_column *columns, size_t n);
/*
 * Measure columns without promised shares by those of the first column that has some. Return an
 * exit code, after a message.
 */
int replay_columns_measure(struct replay_column *columns, size_t n);
/*
 * Insert the column of recorded results before all others. Return 0, -ENODATA if the trace has
 * none, or -ENOMEM.
 */
int replay_columns_recorded(struct replay_column *columns, size_t *n);

/*
 * replay/threads.c: replay all columns, as many at a time as there are processors. The first SIGINT
 * or SIGTERM ends the replays early, the second one ends the process. Return whether a signal
 * arrived.
 */
bool replay_columns_run(struct replay_column *columns, size_t n);
/* Start to handle signals. Return false if one arrived while the trace was read. */
bool replay_signals_begin(void);
bool replay_stopped(void);

/*
 * replay/text.c, replay/json.c, replay/csv.c, replay/page.c: print the result. Return 0 or -ENOMEM.
 * Errors of the output are kept in `out`.
 */
int replay_text_print(struct out *out, const struct replay_result *result);
struct replay_numbers {			/* format of numbers in JSON */
	bool exact;			/* 17 digits; otherwise the precision of a chart */
	size_t most;			/* maximum number of users, of groups and of projects */
};
int replay_json_print(struct out *out, const struct replay_result *result, struct replay_numbers numbers);
/*
 * replay/pictures.c: write ,"over_time":{...},"shares_over_time":{...} of a column. All columns
 * have the same axes.
 */
int replay_pictures_print(struct out *out, const struct replay_result *result, const struct replay_column *column,
			  bool exact);
int replay_csv_print(struct out *out, const struct replay_result *result);
int replay_page_print(struct out *out, const struct replay_result *result);

/* replay/findings.c: pass each finding to `tell`, as a sentence without a newline. */
typedef void replay_report(void *context, const char *sentence);
void replay_findings(const struct replay_result *result, replay_report *tell, void *context);

/* replay/words.c */
#define REPLAY_WORD 40			/* bytes for a text; each function returns `text` */
char *word_seconds(char *text, double seconds);		/* "12 s" "3.4 min" "2.5 h" "3.1 d" */
char *word_count(char *text, double count);		/* "312,826" */
char *word_percent(char *text, double part);		/* "61.8 %" of 0.618 */
char *word_date(char *text, int64_t time);		/* "2012-02-03 00:12", local */
char *word_factor(char *text, double factor);		/* "1.07" "24.1" "1,340" */

/* Return whether the shares of a column are measured by the promises of another column. */
bool replay_column_is_measured(const struct replay_column *column);
/*
 * Return the column's policy: "default", "multifactor" or "userprio", or "" for the recorded
 * results.
 */
const char *replay_column_policy(const struct replay_column *column);

#endif
