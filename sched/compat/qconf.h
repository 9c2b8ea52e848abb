/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of qconf: qconf.c has the options, and prints the files of objects unchanged.
 * qconf_cell.c answers queries from the parsed cell. qconf_edit.c names the file that an option
 * would change.
 */
#ifndef COMPAT_QCONF_H
#define COMPAT_QCONF_H

#include <stdbool.h>

#include "conf/cell.h"

struct showing {			/* zero-initialise, except for the directory */
	const char *directory;
	struct cell cell;
	bool is_read;			/* `cell` is valid and must be freed */
};

/* Answer a query. Returns the exit code, after a message on standard error if it is not 0. */
typedef int show(struct showing *showing, char **words);

/* Queries. words[0] is the option, followed by as many words as the table of qconf.c has. */
show show_managers, show_hosts, show_scheduler_host, show_clients, show_group_resolved, show_group_tree, show_queues,
	show_objects, show_host, show_complexes, show_configuration, show_tree, show_tree_nodes, show_tree_node,
	show_quotas, show_quota_list;

/* Read the cell once. False, after a message: it has errors, or cannot be read. */
bool showing_read(struct showing *showing);

/* Print a message on standard error: `before`, `text`, `after`. Returns 1. */
int show_fail(const char *before, const char *text, const char *after);
/* Print the lines of a file. Returns 0, or -errno. */
int show_file(const char *path);

/* Return whether the option would change something. Then the message has been printed. */
bool edit_refused(const char *directory, char **words, int n);

#endif
