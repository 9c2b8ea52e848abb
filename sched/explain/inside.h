/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#ifndef SCHED_EXPLAIN_INSIDE_H
#define SCHED_EXPLAIN_INSIDE_H

#include "sched/explain/explanation.h"
#include "sched/parts.h"

struct explained_policy;

struct explainer {
	const struct fl_view *view;
	/* detached; it has made the view's run again. NULL: the policy has no need of it */
	struct sched *sched;
	const struct explained_policy *policy;
	struct pick_witness witness;	/* of that run */
	uint64_t last_order;		/* before it: tasks with later ones were started by it */
	void *own;			/* the policy's: what is looked for once for all jobs */
};

struct explained_policy {
	const char *name;		/* value of `algorithm` */
	bool looks_inside;		/* the run is to be made again */
	/* Once, behind the run; may leave memory in e->own. -ENOMEM. NULL: nothing. */
	int (*begin)(struct explainer *explainer);
	void (*end)(struct explainer *explainer);	/* NULL: free(e->own) */
	/*
	 * Fills all but `job`, `is_hidden` and `policy`. 0, or x->derivation.rc. Lines for
	 * x->values are compared with x->job afterwards.
	 */
	int (*explain)(struct explainer *explainer, struct explanation *explanation);
};

extern const struct explained_policy gridengine_explained, multifactor_explained, userprio_explained;

/* For texts that are put together; the result is good until the next call with the same buffer. */
#define TEXT_BYTES 512
const char *text_made(char buffer[TEXT_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sections, terms, values of an explanation; texts are copied. d->rc tells of missing memory. */
struct explained_section *sections_begin(struct explanation *explanation, const char *title);
/* The headings of its lines, as many as the next rows have; that of the labels first. */
void sections_columns(struct explanation *explanation, size_t n, const char *const *columns);
/* A row of the last section: lines by column. */
void sections_row(struct explanation *explanation, const char *label, const uint32_t *lines, size_t n);
/* the same: one line, by its name */
void sections_line(struct explanation *explanation, uint32_t line);
void sections_note(struct explanation *explanation, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sections_move(struct explanation *explanation, size_t to);	/* the last section, before section `to` */
void term_add(struct explanation *explanation, const struct explained_term *term);
void value_add(struct explanation *explanation, const char *name, uint32_t line);
const char *explanation_text(struct explanation *explanation, const char *text);	/* kept */

#define ROW(...) (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)
#define COLUMNS_OF(...) sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]){ __VA_ARGS__ }

#endif
