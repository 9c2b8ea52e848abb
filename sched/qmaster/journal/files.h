/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a journal: FILE, and the older ones FILE.1, FILE.2, ... of which the oldest goes
 * when there are too many. A part is written to FILE.new, and takes its place when its beginning
 * and its first run are there: so FILE can always be replayed, and a full disk costs no older part.
 * They are their owner's alone, 0600.
 */
#ifndef SCHED_QMASTER_JOURNAL_FILES_H
#define SCHED_QMASTER_JOURNAL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

struct journal_files {			/* zero with fd -1: nothing is open */
	const char *path;		/* borrowed */
	uint64_t part_bytes;		/* the most of one file */
	uint64_t used;			/* of the open one */
	int fd;
	bool fresh;			/* it is FILE.new still */
};

/*
 * FILE.new, empty, and locked as long as it is open. -EPERM: what is there under one of the names
 * is no journal of ours, and stays; -EBUSY: another process writes this journal; -EACCES, -ENOSPC,
 * ... with the sentence.
 */
int journal_files_begin(struct journal_files *files, struct error *error);
/* -EFBIG: it would be longer than it may be; or what write(2) says. */
int journal_files_write(struct journal_files *files, const void *bytes, size_t n, struct error *error);
/* FILE.new becomes FILE, and that FILE.1. */
int journal_files_settle(struct journal_files *files, struct error *error);
/* Closes; FILE.new is removed if it never became FILE. */
void journal_files_end(struct journal_files *files);

/* "FILE.k", of FILE itself with k 0. false: too long. */
bool journal_file_name(char *name, size_t bytes, const char *path, unsigned k);

#endif
