/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead tree: the share tree like sge_share_mon(8).
 *
 *     tree/tree.c           options, repetition
 *     tree/print.c          fields and lines
 *     tree/bars.c           text with bars
 *     tree/shares.c         nodes, and users on `default` nodes
 *     tree/share_usage.c    their usage
 */
#ifndef CLI_TREE_TREE_H
#define CLI_TREE_TREE_H

#include "sched/cli/cli.h"
#include "sched/cli/options.h"
#include "sched/cli/text.h"

#define TREE_FIELDS 19

struct tree_field;			/* a column, see tree/print.c */

struct tree_path {
	const char *path;
	bool found;
};

/* Query. The printer may use `clock` and set `found` and `error`. */
struct tree {
	const struct tree_field *fields[TREE_FIELDS];
	size_t nfields;
	const char *delimiter, *line_delimiter, *set_delimiter;
	bool header, names, times, leaves_only;
	bool bars;		/* bars were requested, for any kind of output */
	/* number of repetitions, 0: forever; time between them */
	unsigned long count, interval_s;
	struct format format;
	bool follows;		/* preceded by other lines */
	struct tree_path *paths;
	size_t npaths;		/* 0: all */
	bool no_tree;		/* the cell has no share tree */
	int error;		/* result of shares_build() */
	struct local_clock clock;
};

/*
 * Select fields by name, separated by commas. NULL: all. Return EXIT_OK, or EXIT_USAGE after a
 * message.
 */
int tree_select(struct tree *tree, const char *names);

/* Printers: section_print functions whose context is the struct tree. */
int tree_lines(const struct fl_view *view, struct out *out, void *tree);
int tree_json(const struct fl_view *view, struct out *out, void *tree);
int tree_picture(const struct fl_view *view, struct out *out, void *tree);

#endif
