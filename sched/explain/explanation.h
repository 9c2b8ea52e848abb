/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a job stands where it stands: its priority, derived down to what was told and configured. It
 * comes from a published run alone, by making the same run again beside it (sched/detach.h), so
 * that also what no reader is shown can be looked at. The scheduler is not asked, and need not
 * live.
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
 * To explain another policy: files of its own, with what inside.h asks for, and a row in
 * policy_of() of explanation.c.
 */
#ifndef SCHED_EXPLAIN_EXPLANATION_H
#define SCHED_EXPLAIN_EXPLANATION_H

#include "conf/base/error.h"
#include "sched/explain/derivation.h"
#include "sched/reader/fairlead.h"

#define SECTION_COLUMNS 9

struct explainer;
struct sched;

/* a line of the sum; each line DERIVED_NONE where there is none */
struct explained_term {
	const char *name;		/* the derivation's, as all texts here */
	uint32_t weight, normalised, raw, least, most, contribution;
};

struct section_row {
	const char *label;
	uint32_t lines[SECTION_COLUMNS];	/* one for each column; DERIVED_NONE: blank */
};

/* where the lines of a term come from, for people: a table */
struct explained_section {
	const char *title;
	const char *columns[SECTION_COLUMNS];
	size_t ncolumns;
	struct section_row *rows;
	size_t nrows, capacity;
	const char **notes;		/* sentences behind it */
	size_t nnotes;
};

struct explanation {
	/* as published; what it points to lives as long as the view */
	struct fl_job job;
	/* no reader is shown this task: it is behind the first one of its array that waits */
	bool is_hidden;
	/* the run has started it: these numbers were those of a task that waits */
	bool is_started_now;
	/* false: it is shown other numbers, or none; `note` says why. Else they are the same. */
	bool is_shown;
	const char *policy;		/* value of `algorithm` */
	struct derivation derivation;
	/* line; DERIVED_NONE: there are no numbers, and `why` says so */
	uint32_t prio;
	const char *why;
	const char *note;		/* a sentence for people; "": none */
	/* what the terms add up to; DERIVED_NONE: prio itself */
	uint32_t sum;
	/* prio follows from that; else `note` says why it is another one */
	bool is_sum;
	struct explained_term *terms;	/* as they are added */
	size_t nterms;
	struct explained_section *sections;
	size_t nsections;
	/*
	 * the lines that fl_job has, by the names of qstat's columns; with algorithm userprio
	 * "rup", "factor" and "eup" as well
	 */
	struct explained_value { const char *name; uint32_t line; } *values;
	size_t nvalues;
};

/*
 * Make the view's run again. The view is borrowed until the explainer is destroyed; its section
 * stays open. Errors are those of sched_detach() and sched_run(), with the sentence.
 */
int explainer_create(struct explainer **explainer, const struct fl_view *view, struct error *error);
void explainer_destroy(struct explainer *explainer);

/*
 * The run as it was made again, for who wants to know more of it; NULL with algorithm userprio, all
 * of which is published. Borrowed.
 */
struct sched *explainer_sched(const struct explainer *explainer);

/*
 * One row of a job: with `task` 0 the one of its tasks that wait, or else its first started task.
 * -ENOENT: there is no such job or task; -ENOMEM; -EPROTO: what was derived is not what was
 * published: that is a fault of this program, or the run was changed meanwhile. explanation_free()
 * in any case.
 */
int explain_job(struct explainer *explainer, uint32_t job_number, uint32_t task, struct explanation *explanation,
		struct error *error);
void explanation_free(struct explanation *explanation);

#endif
