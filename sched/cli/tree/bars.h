/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The share tree as a picture: a line for each node, a bar of what it has used with a mark at what
 * is promised to it, and the same in percent. Users on a `default` node who have neither used
 * anything nor ask for anything are left out, and counted.
 */
#ifndef CLI_TREE_BARS_H
#define CLI_TREE_BARS_H

#include "sched/cli/tree/shares.h"
#include "sched/process/output.h"

struct tree_bars {			/* zero-initialise */
	unsigned name, gauge;		/* columns of the node's name, of the bar */
	size_t left_out;		/* users */
};

/* For a terminal of so many columns; 0: for whatever it is. */
void bars_begin(struct tree_bars *bars, struct out *out, unsigned columns);
/*
 * A node, or a user who has landed on a `default` node, `depth` below the root; `actual`: part of
 * all usage.
 */
void bars_row(struct tree_bars *bars, struct out *out, const struct share_line *line, bool landed, unsigned depth,
	      double actual);
void bars_end(const struct tree_bars *bars, struct out *out);

#endif
