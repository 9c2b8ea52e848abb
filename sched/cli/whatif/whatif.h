/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of `fairlead whatif` share: columns, each a run with changes of its own, and what
 * they came to.
 */
#ifndef CLI_WHATIF_WHATIF_H
#define CLI_WHATIF_WHATIF_H

#include "sched/cli/jobs/job.h"
#include "sched/qmaster/members/event.h"
#include "sched/whatif/moves.h"
#include "sched/whatif/targets.h"
#include "sched/whatif/whatif.h"

#define WHATIF_COLUMNS_MOST 100
#define WHATIF_ROWS 20			/* of each table, unless said otherwise */

struct whatif_column {
	struct suppositions suppositions;
	char *title;			/* the changes as they were typed */
	struct moves moves;
	struct targets targets;
	struct fl_run run;
	char *notes;			/* "": none */
};

struct whatif_event {			/* a job's change; what the event points to */
	struct whatif_event *next;
	struct values values;
	struct taking taking;
	struct event event;
};

struct whatif_query {
	/* options of qalter, for the jobs named last; first for JOB_OPTION_ROWS */
	struct job job;
	const char *cell;
	struct whatif_column *columns;
	size_t ncolumns;
	struct whatif_event *events;
	/* whom the next options are about; NULL: nobody */
	const char *jobs, *sharer, *queue;
	enum suppose_whose whose;
	char hold[4], release[4];
	bool jobs_used;			/* something was said of the jobs, */
	bool sharer_used, queue_used;	/* of the others */
	bool json, all, tree_shares;
	unsigned rows, workers;
	/* what the run comes to */
	struct error error;
	int code;			/* exit code of the error */
	bool different;
};

/* The column that is being made; NULL: no memory, and that was said. */
struct whatif_column *whatif_column_last(struct whatif_query *query);

/* What the functions of suppose.h return as an exit code, after a message. */
int whatif_taken(int rc, const struct error *error);

/* whatif/subject.c: whom options are about, and what is said of them. */
int whatif_take_jobs(void *query, struct words *words);
int whatif_take_sharer(void *query, struct words *words);
int whatif_take_amount(void *query, struct words *words);
int whatif_take_queue(void *query, struct words *words);
int whatif_take_slots(void *query, struct words *words);
int whatif_take_hold(void *query, struct words *words);
/* What was said of the jobs becomes events; nobody is meant any more. An exit code. */
int whatif_subject_end(struct whatif_query *query);

/* whatif/files.c */
int whatif_take_tree(void *query, struct words *words);
int whatif_take_cell(void *query, struct words *words);

/* whatif/print.c, whatif/json.c: the columns, against the run before them. */
void whatif_print(struct out *out, const struct whatif_query *query, const struct fl_view *before);
void whatif_json(struct out *out, const struct whatif_query *query, const struct fl_view *before);

#endif
