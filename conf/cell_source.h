/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source of the files of a cell while it is loaded: the directory, or texts in memory. If it is the
 * directory, the texts are kept (cell.files), so that the cell can be loaded again without the
 * directory.
 */
#ifndef CONF_CELL_SOURCE_H
#define CONF_CELL_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

struct cell_file {
	/* relative to the cell's directory; the path of an included file that is elsewhere */
	char *name;
	char *text;
	/* permission bits of 0044 that are missing in the mode of the file, and the file's group */
	unsigned hidden;
	gid_t group;
};

/*
 * Name of a text in memory that says that the texts were reported by a qmaster, and which objects
 * were left out, as lines "NAME: why". It is not a part of the cell but is kept with it.
 */
#define CELL_ABOUT ".qmaster"
#define CELL_ABOUT_HEAD "# as reported by a qmaster; taken out because it cannot be used:\n"

struct cell_files {		/* sorted by name */
	struct cell_file *items;
	size_t n;
};

struct cell_source {
	const char *dir;		/* directory of the cell */
	const struct cell_files *given;	/* texts to read; NULL: read the directory */
	struct cell_files *read;	/* list to which each file that is read is added */
};

/* Return the name of a file from the path that was opened. */
const char *cell_source_name(const struct cell_source *source, const char *path);
/* Return one of the `given` files, or NULL if it does not exist. */
const struct cell_file *cell_source_find(const struct cell_source *source, const char *path);
/* Record that a file was read. `like` has its permissions. Returns 0 or -ENOMEM. */
int cell_source_note(struct cell_source *source, const char *path, const char *text, size_t bytes,
		     const struct cell_file *like);

/* Sort the files by name and remove duplicates after the last cell_source_note(). */
void cell_files_sort(struct cell_files *files);
void cell_files_free(struct cell_files *files);

#endif
