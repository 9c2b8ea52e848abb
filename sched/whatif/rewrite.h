/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell's files, as texts that are being changed. Who changed which line is remembered, so that
 * what a reader has to say of it names the option.
 */
#ifndef SCHED_WHATIF_REWRITE_H
#define SCHED_WHATIF_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/cell.h"
#include "conf/base/error.h"

struct rewritten {			/* line 0: all of the file */
	char *file;
	int line;
	const char *option;		/* borrowed */
};

struct rewrite {
	struct cell_files files;	/* by name */
	struct rewritten *lines;
	size_t nlines;
	struct cell *cell;		/* of them; NULL: to be read */
	/* lines that say what options were taken to mean; NULL: none */
	char *notes;
};

/* From these, which are copied. -ENOMEM. rewrite_free() in any case. */
int rewrite_begin(struct rewrite *rewrite, const struct cell_files *from);
void rewrite_free(struct rewrite *rewrite);

/* NULL: there is none. Valid until it is changed. */
const char *rewrite_text(const struct rewrite *rewrite, const char *file);

/* The file has this text from now on; NULL: there is none. -ENOMEM. */
int rewrite_put(struct rewrite *rewrite, const char *file, const char *text, const char *option);

/*
 * A parameter of a file that is there has this value: in its line, else in a new one behind all
 * others. The file's name says in which form. -ENOMEM.
 */
int rewrite_set(struct rewrite *rewrite, const char *file, const char *name, const char *value, const char *option);

/* "OPTION: text" is to be said to who gave it. -ENOMEM. */
int __attribute__((format(printf, 3, 4)))
rewrite_note(struct rewrite *rewrite, const char *option, const char *format, ...);

/*
 * The cell of these files, which is the rewrite's. -EINVAL: it has faults, and the first one is in
 * `error`; -ENOMEM. *cell is NULL then.
 */
int rewrite_cell(struct rewrite *rewrite, const struct cell **cell, struct error *error);

#endif
