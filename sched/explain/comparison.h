/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of two jobs that are explained: which one stands before the other, and which term puts it there.
 * What their derivations say, side by side; nothing is computed anew.
 */
#ifndef SCHED_EXPLAIN_COMPARISON_H
#define SCHED_EXPLAIN_COMPARISON_H

#include "sched/explain/explanation.h"

#define COMPARED_MOST 24
#define COMPARED_NONE SIZE_MAX
#define SENTENCE_BYTES 768

struct compared_number {
	const char *name;
	double first, second;		/* of the job that stands first, and of the other one */
};

struct job_comparison {
	/* the first one stands before the second; borrowed */
	const struct explanation *first, *second;
	struct compared_number terms[COMPARED_MOST];	/* contributions to the priority */
	size_t nterms;
	struct compared_number values[COMPARED_MOST];	/* what these come from */
	size_t nvalues;
	/* the term that counts most for the first; COMPARED_NONE: none does */
	size_t decisive;
	char sentence[SENTENCE_BYTES];
};

/*
 * Both are of the view's run. Where one of them has no place in the list, as it runs or takes no
 * part, the sentence says so, and `first` is `x`.
 */
void explanations_compare(const struct fl_view *view, const struct explanation *x, const struct explanation *y,
			  struct job_comparison *comparison);

#endif
