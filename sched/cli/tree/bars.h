/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree as text with bars: a line for each node with a bar of its usage, a mark at its
 * promised share, and both in percent. Users on a `default` node without usage and without jobs are
 * left out and counted.
 */
#ifndef CLI_TREE_BARS_H
#define CLI_TREE_BARS_H

#include "sched/cli/tree/shares.h"
#include "sched/process/output.h"

struct tree_bars {			/* zero-initialised by the caller */
	unsigned name, gauge;		/* widths of the node's name and of the bar */
	size_t left_out;		/* number of users */
};

/* Begin the table, for a terminal of so many columns. 0: the actual terminal. */
void bars_begin(struct tree_bars *bars, struct out *out, unsigned columns);
/*
 * Print a node, or a user on a `default` node, `depth` below the root. `actual` is its part of all
 * usage.
 */
void bars_row(struct tree_bars *bars, struct out *out, const struct share_line *line, bool landed, unsigned depth,
	      double actual);
void bars_end(const struct tree_bars *bars, struct out *out);

#endif
