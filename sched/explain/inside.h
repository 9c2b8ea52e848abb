/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of this room. */
#ifndef SCHED_EXPLAIN_INSIDE_H
#define SCHED_EXPLAIN_INSIDE_H

#include "sched/explain/explanation.h"
#include "sched/parts.h"

struct explained_policy;

struct explainer {
	const struct fl_view *view;
	/*
	 * Detached scheduler that has computed the view's run again. NULL: the policy does not need
	 * it.
	 */
	struct sched *sched;
	const struct explained_policy *policy;
	struct pick_witness witness;	/* tasks that this run has picked */
	/* last order before this run; tasks with later ones were started by it */
	uint64_t last_order;
	void *own;			/* data of the policy that is computed once for all jobs */
};

struct explained_policy {
	const char *name;		/* value of `algorithm` */
	bool looks_inside;		/* the run must be computed again */
	bool orders_submitters;		/* jobs are ordered by the priorities of their submitters */
	/*
	 * Prepare `own` after the run. May leave memory in it also on -ENOMEM. NULL: nothing to do.
	 */
	int (*begin)(struct explainer *explainer);
	void (*end)(struct explainer *explainer);	/* NULL: free(e->own) */
	/*
	 * Fill in all members except `job`, `is_hidden`, `policy` and `is_by_submitter`. Returns 0,
	 * or derivation.rc. Lines in `values` are compared with `job` afterwards.
	 */
	int (*explain)(struct explainer *explainer, struct explanation *explanation);
};

extern const struct explained_policy gridengine_explained, multifactor_explained, userprio_explained;

/* Format a text. The result is valid until the next call with the same buffer. */
#define TEXT_BYTES 512
const char *text_made(char buffer[TEXT_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Begin a section of an explanation. All texts are copied. If memory is exhausted, derivation.rc is
 * set.
 */
struct explained_section *sections_begin(struct explanation *explanation, const char *title);
/* Set the headings of the columns, that of the labels first. The next rows have as many columns. */
void sections_columns(struct explanation *explanation, size_t n, const char *const *columns);
/* Add a row to the last section: lines by column. */
void sections_row(struct explanation *explanation, const char *label, const uint32_t *lines, size_t n);
/* Add a row with one line, labelled with its name. */
void sections_line(struct explanation *explanation, uint32_t line);
void sections_note(struct explanation *explanation, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* move the last section before section `to` */
void sections_move(struct explanation *explanation, size_t to);
void term_add(struct explanation *explanation, const struct explained_term *term);
void value_add(struct explanation *explanation, const char *name, uint32_t line);
/* store a text */
const char *explanation_text(struct explanation *explanation, const char *text);

#define ROW(...) (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)
#define COLUMNS_OF(...) \
	sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]){ __VA_ARGS__ }

#endif
