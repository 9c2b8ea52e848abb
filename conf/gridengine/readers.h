/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readers of cell_load(), one per format, in the order in which it calls them: a reader may
 * look at what those before it have put into the cell. All return 0, or -ENOMEM; everything else is
 * in the report.
 */
#ifndef CONF_GRIDENGINE_READERS_H
#define CONF_GRIDENGINE_READERS_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/reader.h"

int complex_read(struct reader *reader);

/*
 * Objects that have a file of their own, in the folder of their kind. `item` is zeroed; read()
 * fills it as far as it can, and leaves its name NULL if there is none.
 */
struct kind {
	const char *folder;
	size_t items, n;	/* offsets in struct cell */
	size_t size;
	int (*read)(struct reader *reader, const char *path, void *item);
	void (*clear)(void *item);
};

extern const struct kind kind_users, kind_projects, kind_usersets, kind_pes, kind_hostgroups, kind_hosts, kind_queues,
	kind_checkpoints, kind_calendars;

int objects_read(struct reader *reader, const struct kind *kind);
void objects_free(struct cell *cell, const struct kind *kind);

int members_index(struct reader *reader);	/* cell.members */
int member_compare(const void *a, const void *b);	/* two of them */
int host_members_index(struct reader *reader);	/* cell.host_members */
int hostgroups_check(struct reader *reader);	/* nesting */

int rqs_read(struct reader *reader);
int share_tree_read(struct reader *reader);
int share_tree_check(struct reader *reader, const char *path);
int global_conf_read(struct reader *reader);
int sched_conf_read(struct reader *reader);

int subordinates_check(struct reader *reader);	/* of all queues together */

/* Names that one object uses and that no other has: legal to load, and never what was meant. */
int references_check(struct reader *reader);

void sched_conf_free(struct sched_conf *sched);
void global_conf_free(struct global_conf *global);
void complex_free(struct cell *cell);
void rqs_free(struct cell *cell);

#endif
