/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead tree: the share tree as sge_share_mon(8) prints it.
 *
 *     tree/tree.c           options, repetition
 *     tree/print.c     fields and lines
 *     tree/bars.c      the picture for people
 *     tree/shares.c         what is printed: nodes and the users on `default` nodes
 *     tree/share_usage.c    their usage
 */
#ifndef CLI_TREE_TREE_H
#define CLI_TREE_TREE_H

#include "sched/cli/cli.h"
#include "sched/cli/options.h"
#include "sched/cli/text.h"

#define TREE_FIELDS 19

struct tree_field;			/* a column; tree/print.c */

struct tree_path {
	const char *path;
	bool found;
};

/* what was asked for; the printer may use `clock` and set `found` and `error` */
struct tree {
	const struct tree_field *fields[TREE_FIELDS];
	size_t nfields;
	const char *delimiter, *line_delimiter, *set_delimiter;
	bool header, names, times, leaves_only;
	bool bars;		/* the picture is asked for, whatever the output is */
	unsigned long count, interval_s;	/* how often, 0: for ever; between them */
	struct format format;
	bool follows;		/* not the first set of lines */
	struct tree_path *paths;
	size_t npaths;		/* 0: all */
	bool no_tree;		/* the cell has none */
	int error;		/* of shares_build() */
	struct local_clock clock;
};

/*
 * Fields by name, separated by commas; NULL: all of them. EXIT_OK, or EXIT_USAGE after a message.
 */
int tree_select(struct tree *tree, const char *names);

/* The printers; section_print functions whose context is the struct tree. */
int tree_lines(const struct fl_view *view, struct out *out, void *tree);
int tree_json(const struct fl_view *view, struct out *out, void *tree);
int tree_picture(const struct fl_view *view, struct out *out, void *tree);

#endif
