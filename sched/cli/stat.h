/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead stat: jobs as qstat shows them. One query, several ways to print what it finds.
 *
 *     stat.c           options
 *     stat_filter.c    which rows are meant; stat_states.c: in which states
 *     stat_rows.c      the rows, in their order
 *     stat_fields.h    what is shown of a job, for all of these:
 *     stat_table.c     Grid Engine's columns
 *     stat_xml.c       Grid Engine's XML
 *     stat_json.c      everything, for programs
 *     stat_job.c       everything about few jobs, for people
 *     stat_parts.c     the rows of an array whose tasks are not all in one state
 */
#ifndef CLI_STAT_H
#define CLI_STAT_H

#include "sched/cli/cli.h"
#include "sched/cli/memo.h"
#include "sched/cli/options.h"
#include "sched/cli/stat_filter.h"
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
	SHOW_REQUESTS = 1 << 4,		/* -r; XML has them */
};

struct wanted_job {
	uint32_t number;
	bool found;
};

/* what was asked for; printers may use `clock` and `memo` and set `found` */
struct stat {
	unsigned show;			/* enum stat_show bits */
	struct stat_filter filter;
	bool one_by_one;		/* -g d: waiting tasks of arrays */
	struct wanted_job *jobs;
	size_t njobs;			/* 0: all */
	struct format format;
	struct local_clock clock;
	struct memo memo;		/* forget first what another section left in it */
	struct error error;		/* of the section: why nothing is shown; "" */
};

/* Prints one row. `context` as given to stat_each(). */
typedef void row_print(struct out *o, struct stat *s, const struct fl_job *job, void *context);

/* The rows of a list that are asked for, in the list's order; ends early when the output fails. */
void stat_each(const struct fl_view *view, struct out *o, struct stat *s, enum fl_list list, row_print *print, void *context);

/* The printers; section_print functions whose context is the struct stat. */
int stat_table(const struct fl_view *view, struct out *o, void *stat);
int stat_xml(const struct fl_view *view, struct out *o, void *stat);
int stat_json(const struct fl_view *view, struct out *o, void *stat);
int stat_job(const struct fl_view *view, struct out *o, void *stat);

#endif
