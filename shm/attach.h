/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader's connection to a cell: the state file mapped read-only, a slot in the reader table, and
 * the move to a successor's file.
 *
 *     struct attachment a;
 *     if (attach_open(&a, directory, records) == 0) {
 *             do {
 *                     attach_begin(&a, &view);
 *                     ... view_ functions of read.h ...
 *             } while (attach_end(&a, &view) == -ESTALE);
 *             attach_close(&a);
 *     }
 *
 * Calls for the same attachment must not run at the same time, so use one attachment per thread.
 * Calls for different attachments need no protection.
 *
 * Do not use an attachment in a forked child. The only exception is attach_close(), which leaves
 * the parent's slot alone.
 */
#ifndef SHM_ATTACH_H
#define SHM_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "shm/read.h"
#include "shm/segment.h"

struct attachment {		/* private to attach.c, except for the inline functions below */
	struct segment_paths paths;
	const struct segment_header *header;	/* the mapping */
	uint64_t file_bytes;	/* mapped bytes of the file */
	uint64_t most_bytes;	/* largest size of the file; reserved */
	int fd;
	dev_t device;		/* device and inode identify the file */
	ino_t inode;
	uint32_t records;	/* version of its records */
	struct readers readers;
};

/*
 * Connect to a cell to read records of the given version (struct segment_options).
 *
 *   0         attached; with a slot if one was free
 *   -ENOENT   the directory does not exist, or nothing has been published here yet
 *   -EPROTO   the version of layout or records differs, or the file is not a segment
 *   -EPERM    the shared directory belongs to another user: place.h
 *   -EACCES, -ENOMEM, ...
 *
 * After an error there is nothing to close.
 */
int attach_open(struct attachment *attachment, const char *directory, uint32_t records);
/*
 * Connect to a segment by its descriptor (segment_create_private()). The caller keeps the
 * descriptor. Such a connection has no slot, no successor, and no lock that shows whether the
 * writer is alive.
 */
int attach_descriptor(struct attachment *attachment, int fd, uint32_t records);
void attach_close(struct attachment *attachment);

/*
 * Move to a successor's file. If it does not exist yet or cannot be used, the attachment is
 * unchanged. Do not call this within a section.
 */
void attach_move(struct attachment *attachment);

/* Map the part by which the file has grown. */
void attach_grow(struct attachment *attachment);

/* Return true if the writer that made this file is still alive. Costs one system call. */
bool attach_writer_alive(const struct attachment *attachment);

static inline void attach_begin(struct attachment *attachment, struct view *view)
{
	if (__builtin_expect(atomic_load_explicit(&attachment->header->retired, memory_order_relaxed) != 0, 0))
		attach_move(attachment);
	section_begin(view, attachment->header, attachment->file_bytes, attachment->readers.slot);
	/*
	 * Read `grown` after R2, so that the whole generation is mapped. `current` has already
	 * brought the cache line.
	 */
	if (__builtin_expect(atomic_load_explicit(&attachment->header->grown, memory_order_relaxed) >
				     attachment->file_bytes,
			     0)) {
		attach_grow(attachment);
		view->file_bytes = attachment->file_bytes;
	}
}

static inline int attach_end(struct attachment *attachment, const struct view *view)
{
	return section_end(view, attachment->readers.slot);
}

#endif
