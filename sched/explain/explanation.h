/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanation of a job's position: its priority, derived down to reported and configured values.
 * The only input is a published run. It is computed again (sched/detach.h), so that values which
 * are not published are available, too. The scheduler is not needed and may have ended.
 *
 *     struct explainer *explainer;
 *     struct explanation x;
 *
 *     if (explainer_create(&explainer, view, &error) == 0) {
 *             if (explain_job(explainer, 17, 0, &x, &error) == 0)
 *                     ... x.terms, x.sections, x.derivation
 *             explanation_free(&x);
 *             explainer_destroy(explainer);
 *     }
 *
 * To explain another policy, add files with the functions of struct explained_policy (inside.h),
 * and a row in policy_of() of explanation.c.
 */
#ifndef SCHED_EXPLAIN_EXPLANATION_H
#define SCHED_EXPLAIN_EXPLANATION_H

#include "conf/base/error.h"
#include "sched/explain/derivation.h"
#include "sched/reader/fairlead.h"

#define SECTION_COLUMNS 9

struct explainer;
struct sched;

/* A term of the sum. Each member is a line; DERIVED_NONE: there is none. */
struct explained_term {
	const char *name;		/* owned by the derivation, like all texts here */
	uint32_t weight, normalised, raw, least, most, contribution;
};

struct section_row {
	const char *label;
	uint32_t lines[SECTION_COLUMNS];	/* a line for each column; DERIVED_NONE: blank */
};

/* A table for people that shows how the lines of a term are computed. */
struct explained_section {
	const char *title;
	const char *columns[SECTION_COLUMNS];
	size_t ncolumns;
	struct section_row *rows;
	size_t nrows, capacity;
	const char **notes;		/* sentences after the table */
	size_t nnotes;
};

struct explanation {
	/* Row of the job as published. Pointers are valid as long as the view. */
	struct fl_job job;
	/* The task has no published row: it is not the first waiting task of its array. */
	bool is_hidden;
	/* The run has started the task. The numbers are those that it had while it was waiting. */
	bool is_started_now;
	/*
	 * False: the published numbers are different or missing, and `note` gives the reason. Else
	 * they are the same.
	 */
	bool is_shown;
	const char *policy;		/* value of `algorithm` */
	/* Jobs are ordered by the effective priorities of their submitters. */
	bool is_by_submitter;
	struct derivation derivation;
	/* Line of the priority; DERIVED_NONE: there is none, and `why` gives the reason. */
	uint32_t prio;
	const char *why;
	const char *note;		/* a sentence for people; "": none */
	/* Line of the sum of the terms; DERIVED_NONE: it is prio itself. */
	uint32_t sum;
	/* The priority follows from the sum; else `note` gives the reason. */
	bool is_sum;
	struct explained_term *terms;	/* in the order of addition */
	size_t nterms;
	struct explained_section *sections;
	size_t nsections;
	/*
	 * Lines of the members of fl_job, by the names of qstat's columns. With algorithm userprio
	 * "rup", "factor" and "eup" as well.
	 */
	struct explained_value { const char *name; uint32_t line; } *values;
	size_t nvalues;
};

/*
 * Compute the view's run again. The view is borrowed until the explainer is destroyed, and its
 * section stays open. Errors are those of sched_detach() and sched_run(), with the sentence.
 */
int explainer_create(struct explainer **explainer, const struct fl_view *view, struct error *error);
void explainer_destroy(struct explainer *explainer);

/*
 * Explain one row of a job. If `task` is 0, it is the row of its pending tasks, or else its first
 * started task. -ENOENT: there is no such job or task. -ENOMEM. -EPROTO: the derived values are not
 * the published ones, which is a bug, or the run has changed meanwhile. Call explanation_free() in
 * any case.
 */
int explain_job(struct explainer *explainer, uint32_t job_number, uint32_t task, struct explanation *explanation,
		struct error *error);
void explanation_free(struct explanation *explanation);

#endif
