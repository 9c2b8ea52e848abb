/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of a cell's files that are being changed. The option that changed a line is remembered, so
 * that an error of a reader in this line names the option.
 */
#ifndef SCHED_WHATIF_REWRITE_H
#define SCHED_WHATIF_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/cell.h"
#include "conf/base/error.h"

struct rewritten {			/* line 0: the whole file */
	char *file;
	int line;
	const char *option;		/* borrowed */
};

struct rewrite {
	struct cell_files files;	/* by name */
	struct rewritten *lines;
	size_t nlines;
	struct cell *cell;		/* made of the files; NULL: must be read */
	/* Lines that explain how options were understood; NULL: none. */
	char *notes;
};

/* Begin with a copy of these files. -ENOMEM. Call rewrite_free() in any case. */
int rewrite_begin(struct rewrite *rewrite, const struct cell_files *from);
void rewrite_free(struct rewrite *rewrite);

/* Return the text of a file, valid until it is changed. NULL: there is no such file. */
const char *rewrite_text(const struct rewrite *rewrite, const char *file);

/* Set the text of a file; NULL: delete it. -ENOMEM. */
int rewrite_put(struct rewrite *rewrite, const char *file, const char *text, const char *option);

/*
 * Set a parameter of an existing file, in its line or else in a new last line. The file's name
 * determines the syntax. -ENOMEM.
 */
int rewrite_set(struct rewrite *rewrite, const char *file, const char *name, const char *value, const char *option);

/* Add the note "OPTION: text" for the user. -ENOMEM. */
int __attribute__((format(printf, 3, 4)))
rewrite_note(struct rewrite *rewrite, const char *option, const char *format, ...);

/*
 * Return the cell of these files, owned by the rewrite. -EINVAL: it has errors, and the first one
 * is in `error`; -ENOMEM. *cell is NULL then.
 */
int rewrite_cell(struct rewrite *rewrite, const struct cell **cell, struct error *error);

#endif
