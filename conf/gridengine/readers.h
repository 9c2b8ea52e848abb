/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readers of cell_load(), one per format, in the order in which it calls them. A reader may use
 * everything that the readers before it have put into the cell. All return 0 or -ENOMEM. Other
 * problems go to the report.
 */
#ifndef CONF_GRIDENGINE_READERS_H
#define CONF_GRIDENGINE_READERS_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/fields.h"
#include "conf/reader.h"

int complex_read(struct reader *reader);

/*
 * Objects with a file of their own, in the folder of their kind. `item` is zeroed. It is filled as
 * far as possible, and its name is NULL if the file has none.
 */
struct kind {
	const char *folder;
	size_t items, n;	/* offsets in struct cell */
	size_t size;
	/* the format, unless read() reads the file */
	const struct field *table;
	size_t nfields;
	int (*read)(struct reader *reader, const char *path, void *item);
	/* checks across attributes; NULL: none */
	void (*check)(struct reader *reader, const struct fields *fields, const char *path, const void *item);
	/* frees everything that fields_clear() does not; NULL: nothing */
	void (*clear)(void *item);
};

/* The array MEMBER of struct cell, with nMEMBER objects of this type. */
#define KIND(FOLDER, MEMBER, TYPE) \
	.folder = FOLDER, .items = offsetof(struct cell, MEMBER), .n = offsetof(struct cell, n##MEMBER), \
	.size = sizeof(TYPE)
#define KIND_TABLE(TABLE) .table = TABLE, .nfields = sizeof(TABLE) / sizeof(*(TABLE))

extern const struct kind kind_users, kind_projects, kind_usersets, kind_pes, kind_hostgroups, kind_hosts, kind_queues,
	kind_checkpoints, kind_calendars;

int objects_read(struct reader *reader, const struct kind *kind);
void objects_free(struct cell *cell, const struct kind *kind);

int members_index(struct reader *reader);	/* fills cell.members */
int member_compare(const void *a, const void *b);	/* order of cell.members */
int host_members_index(struct reader *reader);	/* fills cell.host_members */
int hostgroups_check(struct reader *reader);	/* checks the nesting of groups */

int rqs_read(struct reader *reader);
int share_tree_read(struct reader *reader);
int share_tree_check(struct reader *reader, const char *path);
int global_conf_read(struct reader *reader);
int sched_conf_read(struct reader *reader);

int subordinates_check(struct reader *reader);	/* checks the lists of all queues together */

/*
 * Warn about names that an object uses and that no object has. Such a cell can be loaded, but a
 * name without an object is always a mistake.
 */
int references_check(struct reader *reader);

void sched_conf_free(struct sched_conf *sched);
void global_conf_free(struct global_conf *global);
void complex_free(struct cell *cell);
void rqs_free(struct cell *cell);

#endif
