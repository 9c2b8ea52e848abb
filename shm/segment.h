/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state file: the writer's lock, and the allocation of the file's bytes.
 *
 * The input is a cell's name. The result is a mapped file at a fixed address and a supply of
 * populated extents. The writer's struct owns the mapping, the descriptors and the lock.
 * segment_close() releases them all. The file stays, so that readers keep the last generation.
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

struct segment_lack {		/* allocation that failed last */
	uint64_t bytes;		/* 0: no allocation has failed */
	/* true: the maximum size of the file is reached; false: memory is exhausted */
	bool address;
};

struct segment {		/* the writer's; private to shm/ */
	struct segment_paths paths;
	bool open;		/* segment_close() has something to release */
	bool announced;
	int place_fd;		/* the directory */
	/* foreign file or directory that had its name; path "": none */
	struct other_owner other_owner;
	/* state file; a write lock on its first byte shows readers that the writer is alive */
	int fd;
	/*
	 * lock of the writer; readers cannot open this file, so they cannot block the writer with
	 * it
	 */
	int lock_fd;
	/* the predecessor's state file until it is marked as retired, -1 = none */
	int old_fd;
	uint8_t *base;		/* mapping of file_bytes, of which `grown` exist in the file */
	uint64_t file_bytes, grown;
	struct segment_lack lack;
	struct placement placement;	/* copy of the header's */
	/*
	 * Bit k: node k had no room for its own pages. The kernel logs each attempt, so none is
	 * made until memory has been given back.
	 */
	uint64_t full_nodes;
	uint8_t *extents;	/* enum extent_state of each extent, in the writer's memory */
	uint8_t *homes;		/* enum extent_home of each extent, in the segment */
	size_t nextents;
	size_t extents_held;	/* handed out */
	size_t extents_idle;	/* free, their memory still allocated */
	/* smallest number of idle extents since memory was last given back */
	size_t extents_spare;
	unsigned reclaims;	/* calls of segment_reclaim() since then */
	/* last generation number of the predecessor; numbers continue after it */
	uint64_t last_gen;
	uint8_t *facts_holders;	/* facts.c: by extent */
	struct readers readers;
	struct generation_memory *memory;	/* generation.c: its tables per directory */
};

struct segment_options {
	uint64_t file_bytes;	/* maximum size, rounded up to extents; 0 = 16 GiB */
	/*
	 * Permission bits of the state file; 0 = 0644. The reader table gets the same bits, plus
	 * write permission wherever there is read permission.
	 */
	unsigned mode;
	int64_t group;		/* gid, -1 = unchanged */
	/* version of the stored data; attach_open() requires the same */
	uint32_t records;
	/* topology for placing memory; used only by segment_create(). NULL: one node */
	const struct topology *topology;
};

struct segment_trouble {	/* object that an error is about */
	uint32_t pid;		/* -EBUSY: pid of the other writer, 0 = unknown */
	/* file that could not be made or opened, "" = no particular file */
	char path[SEGMENT_PATH_BYTES];
	struct segment_lack lack;	/* -ENOMEM, -ENOSPC */
	/* -EPERM: path is "" unless a foreign file or directory has the directory's name */
	struct other_owner other_owner;
};

/*
 * Become the cell's writer: take the lock, make a new state file beside the old one, and make the
 * reader table. No reader sees the new file before segment_announce(). Generation numbers continue
 * after the old file's. Unfinished files of a killed predecessor are removed.
 *
 *   -EBUSY       another process writes in this cell
 *   -EFBIG       file_bytes is beyond this process's limit on file sizes (ulimit -f)
 *   -EPERM       a foreign file or directory has the directory's name (place.h)
 *   -ENOENT, -EACCES, -ENOMEM, -ENOSPC
 *
 * `trouble` may be NULL. Nothing is left to close after an error.
 */
int segment_create(struct segment *segment, const char *directory, const struct segment_options *options,
		   struct segment_trouble *trouble);

/*
 * Create a segment of this process only: memory without a name (memfd_create(2)), without a lock,
 * on one node, and without any file in /dev/shm. A process that has its descriptor `fd` can read it
 * with attach_descriptor(). The segment counts as announced. Returns 0, -EFBIG, -ENOMEM or -EMFILE.
 * Nothing is left to close after an error.
 */
int segment_create_private(struct segment *segment, uint64_t file_bytes, uint32_t records);

/*
 * Replace the old file after the first publication. First mark the old file as retired, so that its
 * readers search for another one, and then rename the new file over it. If the writer dies between
 * the two steps, the readers of the old file keep searching. In the other order they would keep the
 * old file for ever. No-op if done already.
 */
int segment_announce(struct segment *segment);

/* Unmap and unlock the segment. The file stays readable. Accepts a zeroed one. */
void segment_close(struct segment *segment);

/*
 * Allocate `bytes` of the file in adjacent whole extents. The file grows if necessary, but nothing
 * is populated yet. Returns the byte offset, or 0 if there is no room.
 *
 * segment_alloc() is for data that every process reads, and interleaves it over all nodes.
 * segment_alloc_on() is for data that the workers of one node compute: node 0 .. segment_nodes() -
 * 1. Both take extents of other homes if no other extents are left. The kernel does the same with
 * memory: a full node borrows from another one.
 */
uint64_t segment_alloc(struct segment *segment, uint64_t bytes);
uint64_t segment_alloc_on(struct segment *segment, unsigned node, uint64_t bytes);

/* Return the number of NUMA nodes among which extents are divided, at least 1. */
unsigned segment_nodes(const struct segment *segment);

/*
 * Return extents to the supply. Their memory stays in reserve for a while, because the next
 * generation often needs as much, and making pages takes longer than copying into them.
 */
void segment_free(struct segment *segment, uint64_t offset, uint64_t bytes);

/*
 * Functions for segment.c before the first allocation: set the length of the file, check whether it
 * exceeds the limit, and reserve the first n extents.
 */
int segment_grow(struct segment *segment, uint64_t bytes);
bool segment_limited(uint64_t bytes);
void segment_hold(struct segment *segment, size_t n);

#define RESERVE_RUNS 8

/*
 * Give memory that has been idle for RESERVE_RUNS calls back to the kernel. Called by each
 * generation_begin(). Nothing is given back while an evicted reader is still in its section. A
 * reader that touches such memory makes new pages, and a full /dev/shm would then kill it. Readers
 * without a slot are unknown and therefore not protected.
 */
void segment_reclaim(struct segment *segment);

/* Give back all idle memory, on the same condition. */
void segment_trim(struct segment *segment);

/*
 * Allocate real memory for `bytes` from `offset` now, so that touching them cannot fail later.
 * Bytes that exist already keep their contents. Returns 0, or -ENOMEM if /dev/shm or memory is
 * full.
 */
int segment_populate(struct segment *segment, uint64_t offset, uint64_t bytes);

#endif
