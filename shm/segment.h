/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state file: who may write it, where its bytes come from.
 *
 * In: a cell's name. Out: a mapped file of fixed address space and a supply of populated extents.
 * The writer's struct owns mapping, descriptors and the lock; everything is given back by
 * segment_close(), and the file stays, so that readers go on with the last generation.
 */
#ifndef SHM_SEGMENT_H
#define SHM_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm/layout.h"
#include "shm/place.h"
#include "shm/readers.h"
#include "shm/topology.h"

struct segment_lack {		/* what could not be had the last time that there was no room */
	uint64_t bytes;		/* 0: there has always been some */
	bool address;		/* beyond the most that the file may have, not of memory */
};

struct segment {		/* the writer's; private to shm/ */
	struct segment_paths paths;
	bool open;		/* segment_close() has something to do */
	bool announced;
	int place_fd;		/* the directory */
	struct stranger stranger;	/* what had its name; path "": nothing */
	/* state file; a write lock on its first byte shows readers that we live */
	int fd;
	/*
	 * who may write at all; readers can't open this one, so that they can't hold it against us
	 */
	int lock_fd;
	/* the predecessor's state file until it is marked as retired, -1 = none */
	int old_fd;
	uint8_t *base;		/* mapping of file_bytes, of which `grown` are there */
	uint64_t file_bytes, grown;
	struct segment_lack lack;
	struct placement placement;	/* as in the header */
	/*
	 * bit k: node k had no room for its own pages. The kernel logs each try: none until we gave
	 * memory back
	 */
	uint64_t full_nodes;
	uint8_t *extents;	/* one enum extent_state per extent, writer's memory */
	uint8_t *homes;		/* one enum extent_home per extent, in the segment */
	size_t nextents;
	size_t extents_held;	/* handed out */
	size_t extents_idle;	/* free, their memory still there */
	size_t extents_spare;	/* fewest idle ones since memory was given back */
	unsigned reclaims;	/* calls of segment_reclaim() since then */
	uint64_t last_gen;	/* generation numbers go on behind this one, the predecessor's */
	uint8_t *facts_holders;	/* facts.c: by extent */
	struct readers readers;
	struct generation_memory *memory;	/* generation.c: its tables per directory */
};

struct segment_options {
	uint64_t file_bytes;	/* the most there may be, rounded up to extents; 0 = 16 GiB */
	/*
	 * permission bits of the state file; 0 = 0644. The reader table gets the same plus write
	 * where read is
	 */
	unsigned mode;
	int64_t group;		/* gid, -1 = as created */
	/* version of what is put into it: attach_open() asks for the same */
	uint32_t records;
	/* to place memory on; used by segment_create() only. NULL: one node */
	const struct topology *topology;
};

struct segment_trouble {	/* what an error is about */
	uint32_t pid;		/* -EBUSY: the other writer's, 0 = unknown */
	/* the file that could not be had, "" = none in particular */
	char path[SEGMENT_PATH_BYTES];
	struct segment_lack lack;	/* -ENOMEM, -ENOSPC */
	/* -EPERM: path "" unless a stranger has the directory's name */
	struct stranger stranger;
};

/*
 * Become the cell's writer: lock, make a new state file beside the old one, and the reader
 * table. Nobody sees the new file before segment_announce(). Generation numbers go on from the old
 * file's. What a killed predecessor left half-made is removed.
 *   -EBUSY       another process writes in this cell
 *   -EFBIG       file_bytes is beyond this process's limit on file sizes (ulimit -f)
 *   -EPERM       a stranger has the directory's name (place.h)
 *   -ENOENT, -EACCES, -ENOMEM, -ENOSPC
 * `trouble` may be NULL. Nothing is left to close after an error.
 */
int segment_create(struct segment *segment, const char *directory, const struct segment_options *options,
		   struct segment_trouble *trouble);

/*
 * A segment of this process alone: memory without a name (memfd_create(2)), without a lock, on one
 * node, nothing of it in /dev/shm. Who has its descriptor `fd` reads it: attach_descriptor(). It
 * counts as announced. -EFBIG, -ENOMEM, -EMFILE; nothing is left to close after an error.
 */
int segment_create_private(struct segment *segment, uint64_t file_bytes, uint32_t records);

/*
 * After the first publication: mark the old file as retired, so that its readers look for another
 * one, and rename over it. In this order: a death in between leaves readers on the old file,
 * looking, where the other order would leave them there for ever. No-op when done already.
 */
int segment_announce(struct segment *segment);

/* Unmaps and unlocks; the file stays readable. Accepts a zeroed one. */
void segment_close(struct segment *segment);

/*
 * `bytes` of the file, in whole extents next to each other; it grows when it has to, but nothing is
 * populated yet. Returns the byte offset, 0 when there is none left. segment_alloc() is for what
 * everybody reads, interleaved over all nodes; segment_alloc_on() for what one node's workers
 * compute: node 0 .. segment_nodes() - 1. Both take extents of other homes when nothing else is
 * left. Memory is as kind: a node that has none left borrows from another.
 */
uint64_t segment_alloc(struct segment *segment, uint64_t bytes);
uint64_t segment_alloc_on(struct segment *segment, unsigned node, uint64_t bytes);

/* NUMA nodes that extents are divided among, from 1 on. */
unsigned segment_nodes(const struct segment *segment);

/*
 * Back to the supply. The memory stays there for a while, in reserve: what one generation gives
 * back the next one often needs, and making pages anew takes longer than copying into them.
 */
void segment_free(struct segment *segment, uint64_t offset, uint64_t bytes);

/*
 * For segment.c, before there is anything to be allocated: make the file so long; is that beyond
 * the limit; the first n extents are its own.
 */
int segment_grow(struct segment *segment, uint64_t bytes);
bool segment_limited(uint64_t bytes);
void segment_hold(struct segment *segment, size_t n);

#define RESERVE_RUNS 8

/*
 * Give the kernel what has been idle for RESERVE_RUNS calls; called by each generation_begin(). Not
 * while an evicted reader is still in its section: a reader that touches given-back memory makes
 * new pages, and when /dev/shm is full that kills it. (Nobody knows of readers without a slot; this
 * does not cover them.)
 */
void segment_reclaim(struct segment *segment);

/* Give back all that is idle, on the same condition. */
void segment_trim(struct segment *segment);

/*
 * Make `bytes` from `offset` real memory, now, so that touching them cannot fail later.  -ENOMEM:
 * /dev/shm or memory is full. Bytes that are there already keep their contents.
 */
int segment_populate(struct segment *segment, uint64_t offset, uint64_t bytes);

#endif
