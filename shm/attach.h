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
 *                     open  begin/end  close
 *     same handle       -       X        X      X  the caller excludes: one handle per thread
 *     other handles     -       -        -      -  nothing needed
 *
 * Not for use in a forked child, except that attach_close() there leaves the parent's slot alone.
 */
#ifndef SHM_ATTACH_H
#define SHM_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "shm/read.h"
#include "shm/segment.h"

struct attachment {		/* private to attach.c, but for the inline functions below */
	struct segment_paths paths;
	const struct segment_header *header;	/* the mapping */
	uint64_t file_bytes;	/* of the file that are mapped */
	uint64_t most_bytes;	/* that it may grow to, reserved */
	int fd;
	dev_t device;		/* which file it is */
	ino_t inode;
	uint32_t records;	/* the version that its records have */
	struct readers readers;
};

/*
 * To read records of that version (struct segment_options).
 *   0            attached, with a slot if there was one
 *   -ENOENT      no such directory, or nobody has published here yet
 *   -EPROTO      version of layout or records differs, or this is no segment
 *   -EPERM       what lies there is somebody else's: place.h
 *   -EACCES, -ENOMEM, ...
 * Nothing is left to close after an error.
 */
int attach_open(struct attachment *attachment, const char *directory, uint32_t records);
/*
 * The same for a segment whose descriptor this process has (segment_create_private()); the caller
 * keeps that. There is no slot, no successor, and no lock that would show whether its writer lives.
 */
int attach_descriptor(struct attachment *attachment, int fd, uint32_t records);
void attach_close(struct attachment *attachment);

/*
 * Look for a successor's file and go there. There is none yet, or it can't be used: stay. Not
 * within a section.
 */
void attach_move(struct attachment *attachment);

/* Map what the file has grown by. */
void attach_grow(struct attachment *attachment);

/* Does the writer that made this file still live? One system call. */
bool attach_writer_alive(const struct attachment *attachment);

static inline void attach_begin(struct attachment *attachment, struct view *view)
{
	if (__builtin_expect(atomic_load_explicit(&attachment->header->retired, memory_order_relaxed) != 0, 0))
		attach_move(attachment);
	section_begin(view, attachment->header, attachment->file_bytes, attachment->readers.slot);
	/*
	 * Behind R2, so that all of the generation is there. The line is at hand: `current` stands
	 * in it.
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
