/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload under several policies: what is asked, the columns that answer, and who prints them.
 */
#ifndef CLI_REPLAY_REPLAY_H
#define CLI_REPLAY_REPLAY_H

#include <stdatomic.h>

#include "sched/cli/cli.h"
#include "sched/replay/outcome/answers.h"
#include "sched/replay/replay.h"
#include "sched/trace/trace.h"

#define REPLAY_COLUMNS 16		/* policies side by side */

struct replay_query {			/* the command line */
	const char *path;		/* of the trace; "-": standard input */
	const char *cells[REPLAY_COLUMNS], *algorithms[REPLAY_COLUMNS];
	size_t ncells, nalgorithms;
	uint64_t slots;			/* 0: the cells' own machines */
	bool slots_of_trace;		/* MaxProcs of the header */
	struct trace_options trace;
	struct replay_options replay;
	bool think, json, about;
	const char *report, *csv;	/* files; NULL: none */
	unsigned long top;		/* users in tables for people */
	char *command;			/* as it was typed; owned */
};

/* The trace, looked through before it is replayed. */
struct replay_trace {
	struct trace *trace;		/* open, so that texts live */
	const struct trace_about *about;
	/* to be opened again: a copy of standard input has one of its own */
	char *path;
	const char *name;		/* for people */
	int spool;			/* that copy; -1 */
	struct error error;
};

struct replay_column {			/* a policy */
	const struct replay_query *query;
	const struct replay_trace *trace;
	/* for people: the cell's, and the algorithm if it is not the cell's */
	char *name;
	/* algorithm NULL: the cell's; both NULL: what the trace has recorded */
	const char *cell, *algorithm;
	struct sched *sched;
	bool is_slurm;			/* a site's cell of Slurm alone, whose scheduler runs at events */
	struct outcome *outcome;
	struct answers answers;
	/* while it is replayed; written by its thread, read by others */
	_Atomic(struct replay *) replay;
	_Atomic uint64_t taken;		/* jobs of the trace */
	_Atomic bool over;
	/* behind it */
	bool began, stopped;		/* stopped: what there is is a part */
	int rc;
	struct error error;
	struct replay_counts counts;
	double seconds;			/* it took */
};

struct replay_result {
	const struct replay_query *query;
	const struct replay_trace *trace;
	const struct replay_column *columns;	/* "as recorded" first, where the trace knows */
	size_t n;
	bool recorded;			/* it does */
	bool partial;			/* somebody has ended it early */
};

/* replay/trace.c: exit codes, after a message */
int replay_trace_open(struct replay_trace *trace, const struct replay_query *query);
void replay_trace_close(struct replay_trace *trace);
/* --about */
int replay_about_print(const struct replay_query *query, const struct replay_trace *trace);
/* What was left out and what is odd, a line each that begins with `indent`. */
void replay_about_odd(struct out *out, const struct trace_about *about, const char *indent);
/* The same as a JSON object. */
void replay_about_json(struct out *out, const struct replay_trace *trace);

/* replay/columns.c: `columns` has room for REPLAY_COLUMNS + 1. An exit code, after a message. */
int replay_columns_make(struct replay_column *columns, size_t *n, const struct replay_query *query,
			const struct replay_trace *trace);
void replay_columns_free(struct replay_column *columns, size_t n);
/* Answers of those that began. An exit code, after a message. */
int replay_columns_answer(struct replay_column *columns, size_t n);
/*
 * Those that promise nothing are measured by the first one that does. An exit code, after a
 * message.
 */
int replay_columns_measure(struct replay_column *columns, size_t n);
/*
 * The column of what was recorded, before all others. 0; -ENODATA: the trace knows nothing;
 * -ENOMEM.
 */
int replay_columns_recorded(struct replay_column *columns, size_t *n);

/*
 * replay/threads.c: all columns, as many at a time as there are processors. The first SIGINT or
 * SIGTERM ends them early, the second one the process. True: one of these came.
 */
bool replay_columns_run(struct replay_column *columns, size_t n);
/* False: a signal came while the trace was looked through. */
bool replay_signals_begin(void);
bool replay_stopped(void);

/*
 * replay/text.c, replay/json.c, replay/csv.c, replay/page.c: 0 or -ENOMEM; what they write to tells
 * of the rest
 */
int replay_text_print(struct out *out, const struct replay_result *result);
struct replay_numbers {			/* how JSON is written */
	bool exact;			/* 17 digits; else what a picture needs */
	size_t most;			/* users, groups, projects, of each */
};
int replay_json_print(struct out *out, const struct replay_result *result, struct replay_numbers numbers);
/*
 * replay/pictures.c: ,"over_time":{...},"shares_over_time":{...} of a column, on axes that all
 * columns share
 */
int replay_pictures_print(struct out *out, const struct replay_result *result, const struct replay_column *column,
			  bool exact);
int replay_csv_print(struct out *out, const struct replay_result *result);
int replay_page_print(struct out *out, const struct replay_result *result);

/*
 * replay/findings.c: a sentence each, in plain English, without a newline; what an administrator
 * would tell others.
 */
typedef void replay_tell(void *context, const char *sentence);
void replay_findings(const struct replay_result *result, replay_tell *tell, void *context);

/*
 * replay/files.c: a file that is written beside its name and takes its place when it is complete.
 * What is no plain file, such as a pipe, is written to directly. Exit codes, after a message.
 */
struct replay_file {
	const char *path;
	char *beside;			/* NULL: written directly */
	bool nameless;			/* nobody sees it yet, not even there */
	int fd;
	struct out out;
};
int replay_file_begin(struct replay_file *file, const char *path);
/* rc: of who has written; not 0: nothing is left */
int replay_file_end(struct replay_file *file, int rc);
void replay_file_drop(struct replay_file *file);

/* replay/words.c */
#define REPLAY_WORD 40			/* bytes of these, all of which return `text` */
char *word_seconds(char *text, double seconds);		/* "12 s" "3.4 min" "2.5 h" "3.1 d" */
char *word_count(char *text, double count);		/* "312,826" */
char *word_percent(char *text, double part);		/* "61.8 %" of 0.618 */
char *word_date(char *text, int64_t time);		/* "2012-02-03 00:12", local */
char *word_factor(char *text, double factor);		/* "1.07" "24.1" "1,340" */

/* Its shares are measured by what another column promises. */
bool replay_column_is_measured(const struct replay_column *column);
/* The column's policy, "default" "multifactor" "userprio"; "" of what was recorded. */
const char *replay_column_policy(const struct replay_column *column);

#endif
