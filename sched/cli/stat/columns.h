/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of fairlead stat by name, for --format and --sort: what --json has of a job, by the names
 * of its members or by the titles of qstat's table, and what follows from it.
 */
#ifndef CLI_STAT_COLUMNS_H
#define CLI_STAT_COLUMNS_H

#include "sched/cli/stat/fields.h"

#define COLUMN_BYTES 2048u		/* of a value; longer ones are cut */
#define COLUMN_NAME_BYTES 32u

enum column_kind {
	COLUMN_FIELD,			/* a row of stat/fields.h */
	COLUMN_PLACE,			/* in the line of those that can start, from 1 */
	COLUMN_WAITS, COLUMN_RUNS,	/* seconds, up to the run */
	COLUMN_FOR,			/* the second of what is started, else the first */
	COLUMN_AT,			/* the start of what is started, else the submission */
	COLUMN_TASK_IDS,		/* of arrays, as the table has them */
	COLUMN_WHY,			/* why it waits */
	COLUMN_WHERE,			/* where it runs, or why it does not */
};

struct named_column {
	char name[COLUMN_NAME_BYTES];
	const char *title;		/* NULL: its name, as it was written */
	enum column_kind kind;
	const struct stat_field *field;
	bool right;			/* numbers */
};

/* False: there is none of this name. */
bool column_find(struct named_column *column, const char *name);
/* The name that was meant; NULL: none is near. */
const char *column_nearest(const char *name);
/* All names, with a sentence each. */
void columns_help(FILE *to);

/* What a value depends on beside the row. */
struct column_run {
	const struct fl_view *view;
	struct stat *stat;
	int64_t now;			/* the run's */
	bool prio_is_whole;
};

/* The value as people read it, into `to` of COLUMN_BYTES; nothing is "-". */
void column_text(const struct named_column *column, const struct column_run *run, const struct fl_job *job, char *to);

/* What it is sorted by: a number, or a text of the segment. */
struct column_key {
	double number;
	const char *text;		/* NULL: the number */
};

/* False: it is a sentence, and can't be sorted by. */
bool column_has_key(const struct named_column *column);
struct column_key column_key(const struct named_column *column, const struct column_run *run, const struct fl_job *job);

#endif
