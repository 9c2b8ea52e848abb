/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a journal: FILE, and the older ones FILE.1, FILE.2, ... The oldest is removed when
 * there are too many. A part is written to FILE.new and renamed to FILE after its beginning and its
 * first run are complete. Therefore FILE can always be replayed, and a full disk does not cost an
 * older part. The files have mode 0600.
 */
#ifndef SCHED_QMASTER_JOURNAL_FILES_H
#define SCHED_QMASTER_JOURNAL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

struct journal_files {			/* zero, except fd -1: no file is open */
	const char *path;		/* borrowed */
	uint64_t part_bytes;		/* largest size of a file */
	uint64_t used;			/* size of the open file */
	int fd;
	bool fresh;			/* the file is still FILE.new */
};

/*
 * Create an empty FILE.new, which is locked while it is open. -EPERM: a file with one of the names
 * is not a journal of this user, and is left unchanged. -EBUSY: another process writes this
 * journal. -EACCES, -ENOSPC and others, with the message.
 */
int journal_files_begin(struct journal_files *files, struct error *error);
/* Write. -EFBIG: the file would exceed its largest size. Otherwise errors of write(2). */
int journal_files_write(struct journal_files *files, const void *bytes, size_t n, struct error *error);
/* Rename FILE to FILE.1, and FILE.new to FILE. */
int journal_files_settle(struct journal_files *files, struct error *error);
/* Close the file. FILE.new is removed if it has not become FILE. */
void journal_files_end(struct journal_files *files);

/* Form the name "FILE.k", or FILE for k 0. false: too long. */
bool journal_file_name(char *name, size_t bytes, const char *path, unsigned k);

#endif
