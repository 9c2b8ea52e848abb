/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queries of qconf: qconf.c options, and objects whose files are printed unchanged; qconf_cell.c
 * queries that are answered from the cell as it is read; qconf_edit.c which file an option would change.
 */
#ifndef COMPAT_QCONF_H
#define COMPAT_QCONF_H

#include <stdbool.h>

#include "conf/cell.h"

struct showing {			/* zero-initialise but for the directory */
	const char *directory;
	struct cell cell;
	bool is_read;			/* cell may be used, and is to be freed */
};

/* All return the exit code, after a message on standard error where it is not 0. */
typedef int show(struct showing *showing, char **words);

/* words[0] is the option, behind it are as many words as the table of qconf.c has. */
show show_managers, show_hosts, show_scheduler_host, show_clients, show_group_resolved, show_group_tree, show_queues,
	show_objects, show_host, show_complexes, show_configuration, show_tree, show_tree_nodes, show_tree_node,
	show_quotas, show_quota_list;

/* Read the cell, once. False, after a message: it has faults, or cannot be read. */
bool showing_read(struct showing *showing);

/* "TEXT" on standard error, between `before` and `behind`. 1 */
int show_fail(const char *before, const char *text, const char *behind);
/* The lines of a file that qconf prints. 0, or -errno. */
int show_file(const char *path);

/* Whether the option changes something; then the message that is due has been written. */
bool edit_refused(const char *directory, char **words, int n);

#endif
