/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison of two explained jobs: which one is before the other in the list, and which term
 * decides it. The values of both derivations are put side by side. Nothing is computed again.
 */
#ifndef SCHED_EXPLAIN_COMPARISON_H
#define SCHED_EXPLAIN_COMPARISON_H

#include "sched/explain/explanation.h"

#define COMPARED_MOST 24
#define COMPARED_NONE SIZE_MAX
#define SENTENCE_BYTES 768

struct compared_number {
	const char *name;
	double first, second;		/* value of the first job, and of the second one */
};

struct job_comparison {
	/* `first` is before `second` in the list. Borrowed. */
	const struct explanation *first, *second;
	struct compared_number terms[COMPARED_MOST];	/* contributions to the priority */
	size_t nterms;
	struct compared_number values[COMPARED_MOST];	/* inputs of these contributions */
	size_t nvalues;
	/* Index of the term that counts most in favour of the first job; COMPARED_NONE: none. */
	size_t decisive;
	char sentence[SENTENCE_BYTES];
};

/*
 * Compare two explanations of the view's run. If one of the jobs is not in the list, because it is
 * running or not eligible, the sentence says so, and `first` is `x`.
 */
void explanations_compare(const struct fl_view *view, const struct explanation *x, const struct explanation *y,
			  struct job_comparison *comparison);

#endif
