/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the files of a cell come from while it is loaded: the directory, or texts in memory. In the
 * first case their texts are kept (cell.files), so that the cell can be loaded again without the
 * directory.
 */
#ifndef CONF_CELL_SOURCE_H
#define CONF_CELL_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

struct cell_file {
	/* relative to the cell's directory; of an included file that lies elsewhere its path */
	char *name;
	char *text;
	/* of the permissions 0044 those that the file does not give; and its group */
	unsigned hidden;
	gid_t group;
};

/*
 * Among texts in memory that a qmaster has told: that they are, and which objects are taken out,
 * "NAME: why" in a line. No part of the cell, but kept with it.
 */
#define CELL_ABOUT ".qmaster"
#define CELL_ABOUT_HEAD "# as told by a qmaster; taken out, since it can't be used:\n"

struct cell_files {		/* by name */
	struct cell_file *items;
	size_t n;
};

struct cell_source {
	const char *dir;		/* of the cell */
	const struct cell_files *given;	/* read these; NULL: the directory */
	struct cell_files *read;	/* note here what is read */
};

/* The name of a file by its path as opened. */
const char *cell_source_name(const struct cell_source *source, const char *path);
/* One of those given; NULL: there is none. */
const struct cell_file *cell_source_find(const struct cell_source *source, const char *path);
/* A file was read; `like`: who may read it. -ENOMEM. */
int cell_source_note(struct cell_source *source, const char *path, const char *text, size_t bytes,
		     const struct cell_file *like);

/* All are noted: sort them by name, each once. */
void cell_files_sort(struct cell_files *files);
void cell_files_free(struct cell_files *files);

#endif
