/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common declarations of `fairlead whatif`: columns, each a run with its own changes, and their
 * results.
 */
#ifndef CLI_WHATIF_WHATIF_H
#define CLI_WHATIF_WHATIF_H

#include "sched/cli/options.h"
#include "sched/client/job.h"
#include "sched/qmaster/members/event.h"
#include "sched/whatif/moves.h"
#include "sched/whatif/targets.h"
#include "sched/whatif/whatif.h"

#define WHATIF_COLUMNS_MOST 100
#define WHATIF_ROWS 20			/* default number of rows of each table */

struct whatif_column {
	struct suppositions suppositions;
	char *title;			/* the changes as typed */
	struct moves moves;
	struct targets targets;
	struct fl_run run;
	char *notes;			/* notes, "": none */
};

/* change of a job, with the data that the event points to */
struct whatif_event {
	struct whatif_event *next;
	struct taking taking;
	struct event event;
};

struct whatif_query {
	/*
	 * Options of qalter for the jobs named last. This is the first member, as JOB_OPTION_ROWS
	 * requires.
	 */
	struct job job;
	const char *cell;
	struct whatif_column *columns;
	size_t ncolumns;
	struct whatif_event *events;
	/* Subject of the next options, NULL: none. */
	const char *jobs, *sharer, *queue;
	enum suppose_whose whose;
	char hold[4], release[4];
	bool jobs_used;			/* an option changed the jobs */
	bool sharer_used, queue_used;	/* an option changed the other subjects */
	bool json, all, tree_shares;
	unsigned rows, workers;
	/* Results. */
	struct error error;
	int code;			/* exit code of the error */
	bool different;
};

/* Return the current column. NULL: memory is exhausted, after a message. */
struct whatif_column *whatif_column_last(struct whatif_query *query);

/* Convert the result of a function of suppose.h to an exit code, after a message. */
int whatif_taken(int rc, const struct error *error);

/* whatif/subject.c: options that name a subject, and options that change it */
int whatif_take_jobs(void *query, struct words *words);
int whatif_take_sharer(void *query, struct words *words);
int whatif_take_amount(void *query, struct words *words);
int whatif_take_queue(void *query, struct words *words);
int whatif_take_slots(void *query, struct words *words);
int whatif_take_hold(void *query, struct words *words);
/* Convert the options of the jobs to events and end the current subject. Return an exit code. */
int whatif_subject_end(struct whatif_query *query);

/* whatif/files.c */
int whatif_take_tree(void *query, struct words *words);
int whatif_take_cell(void *query, struct words *words);

/* whatif/print.c, whatif/json.c: print the columns, compared with the published run `before`. */
void whatif_print(struct out *out, const struct whatif_query *query, const struct fl_view *before);
void whatif_json(struct out *out, const struct whatif_query *query, const struct fl_view *before);

#endif
