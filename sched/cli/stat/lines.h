/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of qstat's table and elements of its XML for rows of fairlead stat. Used by stat itself,
 * and by fairlead queues -f to print rows below queue instances.
 */
#ifndef CLI_STAT_LINES_H
#define CLI_STAT_LINES_H

#include "sched/cli/stat/fields.h"

struct stat_row;
struct stat_column;

/* Write the value, which is in the job, and return the end. */
typedef char *column_put(char *p, const struct stat_row *row, const void *value, const struct stat_column *column);

struct stat_column {
	column_put *put;		/* NULL: the column has the task ids */
	size_t offset, width;
	const char *title;
	size_t indent;			/* indentation of the title */
	bool whole;			/* prio is printed as a whole number */
	bool once;			/* left out in further lines of the same task */
};

struct stat_lines {				/* layout of the table of one run */
	struct stat_column columns[STAT_FIELDS];
	size_t ncolumns, queue_width;
	size_t priority_width;		/* width of a whole number, 0: priorities have decimals */
	bool begun;			/* the titles are printed, or there are none */
	const struct fl_view *view;
};

/* Choose the columns of rows below queue instances. These rows have no titles. */
void stat_lines_below_queues(struct stat_lines *lines, struct job_listing *listing, const struct fl_view *view);

struct stat_elements {
	const struct stat_field *fields[STAT_FIELDS];
	size_t n;
	unsigned indent;		/* indentation of <job_list> */
	const struct fl_view *view;
};

void stat_elements_choose(struct stat_elements *elements, const struct job_listing *listing, const struct fl_view *view,
			  unsigned indent);

/*
 * Print a row, or one line or element of it with -g t. Functions of the type spread_print. `line`
 * may be NULL.
 */
void stat_line_put(struct out *out, struct job_listing *listing, const struct fl_job *job,
		   const struct spread_line *line, void *lines);
void stat_element_put(struct out *out, struct job_listing *listing, const struct fl_job *job,
		      const struct spread_line *line, void *elements);

#endif
