/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Promised shares in two runs: of nodes of the share tree, associations or submitters. Runs with
 * different algorithms have different kinds.
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
	 * Two values. A node has its part by shares, and the part that is due now. An association
	 * has its normalised shares and its factor. A submitter has its part of the pie and its
	 * slice.
	 */
	double before[2], after[2];
};

struct targets {
	enum target_kind before_kind, after_kind;
	struct target_change *items;		/* by name */
	size_t n, different;
};

/* Compare the targets of two views. -ENOMEM; call targets_free() in any case. */
int targets_find(struct targets *targets, const struct fl_view *before, const struct fl_view *after);
void targets_free(struct targets *targets);

/*
 * Return whether a target differs by at least 0.00001, or by 0.00001 times its old value if that is
 * more than 1. The passing of time alone changes targets by less.
 */
bool target_differs(const struct target_change *change);

#endif
