/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of fairlead stat by name, for --format and --sort. A column is named like a member of the
 * JSON output or like a title of qstat's table. Further columns are computed from the row.
 */
#ifndef CLI_STAT_COLUMNS_H
#define CLI_STAT_COLUMNS_H

#include "sched/cli/stat/fields.h"

#define COLUMN_BYTES 2048u		/* bytes of a value, longer values are cut */
#define COLUMN_NAME_BYTES 32u

enum column_kind {
	COLUMN_FIELD,			/* a row of stat/fields.h */
	COLUMN_PLACE,			/* position among the jobs that can start, counted from 1 */
	COLUMN_WAITS, COLUMN_RUNS,	/* seconds until the run */
	COLUMN_FOR,			/* running time of a started task, otherwise waiting time */
	/* start time of a started task, otherwise submission time */
	COLUMN_AT,
	COLUMN_TASK_IDS,		/* task ids of arrays, as in the table */
	COLUMN_WHY,			/* reason why the job waits */
	/* queue of a started task, otherwise the reason why it waits */
	COLUMN_WHERE,
};

struct named_column {
	char name[COLUMN_NAME_BYTES];
	const char *title;		/* NULL: the name as the user typed it */
	enum column_kind kind;
	const struct stat_field *field;
	bool right;			/* aligned to the right, for numbers */
};

/* Find a column by name or alias. Return false if no column has this name. */
bool column_find(struct named_column *column, const char *name);
/* Return the column name nearest to a mistyped name, or NULL. */
const char *column_nearest(const char *name);
/* Print all column names with a sentence about each. */
void columns_help(FILE *to);

/* Values of the run that a column depends on in addition to the row. */
struct column_run {
	const struct fl_view *view;
	struct job_listing *listing;
	int64_t now;			/* time of the run */
	bool prio_is_whole;
};

/* Write the value as text to `to`, which has COLUMN_BYTES. An empty value becomes "-". */
void column_text(const struct named_column *column, const struct column_run *run, const struct fl_job *job, char *to);

/* Sort key of a column: a number, or a text of the segment. */
struct column_key {
	double number;
	const char *text;		/* NULL: the number is the key */
};

/* Return whether rows can be sorted by the column. Sentences have no sort key. */
bool column_has_key(const struct named_column *column);
struct column_key column_key(const struct named_column *column, const struct column_run *run, const struct fl_job *job);

#endif
