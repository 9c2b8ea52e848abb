/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was promised to whom, in two runs: nodes of the share tree, associations, submitters. Runs
 * of different algorithms promise to different people.
 */
#ifndef SCHED_WHATIF_TARGETS_H
#define SCHED_WHATIF_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/reader/fairlead.h"

enum target_kind { TARGETS_NODES, TARGETS_ASSOCIATIONS, TARGETS_SUBMITTERS };

struct target_change {
	char *name;			/* "/physics/ann", "physics/ann", "ann@pool" */
	bool in_before, in_after;
	/*
	 * of a node its part by shares and what it is entitled to now; of an association its
	 * normalised shares and its factor; of a submitter its part of the pie and its slice
	 */
	double before[2], after[2];
};

struct targets {
	enum target_kind before_kind, after_kind;
	struct target_change *items;		/* by name */
	size_t n, different;
};

/* -ENOMEM; targets_free() in any case. */
int targets_find(struct targets *targets, const struct fl_view *before, const struct fl_view *after);
void targets_free(struct targets *targets);

/*
 * Return whether a target differs by at least 0.00001, or by 0.00001 times its old value if that is
 * more than 1. The passing of time alone changes targets by less.
 */
bool target_differs(const struct target_change *change);

#endif
