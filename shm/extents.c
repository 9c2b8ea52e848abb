/* SPDX-License-Identifier: Apache-2.0 */
/* The supply of extents: first fit over one byte per extent, in the part of the file that is meant for it, then anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "shm/numa.h"
#include "shm/segment.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* Linux 5.14 */
#endif

enum extent_state {
	EXTENT_FREE,			/* a hole in the file */
	EXTENT_IDLE,			/* free, memory still there */
	EXTENT_USED,
};

static size_t extents_of(uint64_t bytes)
{
	return bytes / EXTENT_BYTES + (bytes % EXTENT_BYTES != 0);
}

/* First of n extents next to each other that nobody has, all in `from` .. `to` - 1; 0, the header's own, when there are none. */
static size_t run_find(const struct segment *s, size_t from, size_t to, size_t n, bool idle_only)
{
	size_t run = 0;

	for (size_t i = from ? from : 1; i < to; i++) {
		run = s->extents[i] == EXTENT_IDLE || (s->extents[i] == EXTENT_FREE && !idle_only) ? run + 1 : 0;
		if (run == n)
			return i + 1 - n;
	}
	return 0;
}

/* Memory that is there already, else address space that needs some; in the part that it is meant for, else anywhere. */
static size_t extents_find(const struct segment *s, const struct placement_part *part, size_t n)
{
	size_t from = part->offset / EXTENT_BYTES, to = from + part->bytes / EXTENT_BYTES;
	size_t first = s->extents_idle >= n ? run_find(s, from, to, n, true) : 0;

	if (!first)
		first = run_find(s, from, to, n, false);
	return first ? first : run_find(s, 0, s->nextents, n, false);
}

static uint64_t part_alloc(struct segment *s, const struct placement_part *part, uint64_t bytes)
{
	size_t n = extents_of(bytes), first = n ? extents_find(s, part, n) : 0;

	if (!first)
		return 0;
	for (size_t i = first; i < first + n; i++) {
		s->extents_idle -= s->extents[i] == EXTENT_IDLE;
		s->extents[i] = EXTENT_USED;
	}
	s->extents_held += n;
	s->extents_spare = s->extents_idle < s->extents_spare ? s->extents_idle : s->extents_spare;
	return (uint64_t)first * EXTENT_BYTES;
}

uint64_t segment_alloc(struct segment *s, uint64_t bytes)
{
	return part_alloc(s, &s->placement.interleaved, bytes);
}

uint64_t segment_alloc_on(struct segment *s, unsigned node, uint64_t bytes)
{
	return part_alloc(s, &s->placement.node[node % s->placement.nodes], bytes);
}

unsigned segment_nodes(const struct segment *s)
{
	return s->placement.nodes;
}

void segment_free(struct segment *s, uint64_t offset, uint64_t bytes)
{
	size_t n = extents_of(bytes);

	if (!n)
		return;
	memset(s->extents + offset / EXTENT_BYTES, EXTENT_IDLE, n);
	s->extents_held -= n;
	s->extents_idle += n;
}

/* A hole that can't be punched costs memory until the extent is used again; nothing else depends on it. */
static void hole_punch(struct segment *s, size_t first, size_t n)
{
	uint64_t offset = (uint64_t)first * EXTENT_BYTES, bytes = (uint64_t)n * EXTENT_BYTES;

	s->full_nodes = 0;
	if (madvise(s->base + offset, bytes, MADV_REMOVE))
		fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
}

/* From the end of the file, so that what is in use stays together at its beginning. */
static void give_back(struct segment *s, size_t n)
{
	for (size_t i = s->nextents; n > 0 && i-- > 1; ) {
		size_t run = 0;

		while (run < n && i > run && s->extents[i - run] == EXTENT_IDLE)
			s->extents[i - run++] = EXTENT_FREE;
		if (run == 0)
			continue;
		hole_punch(s, i + 1 - run, run);
		s->extents_idle -= run;
		n -= run;
		i -= run - 1;
	}
}

void segment_trim(struct segment *s)
{
	if (s->extents_idle > 0 && !readers_stray(&s->readers))
		give_back(s, s->extents_idle);
}

void segment_reclaim(struct segment *s)
{
	if (++s->reclaims < RESERVE_RUNS)
		return;
	if (s->extents_spare > 0 && !readers_stray(&s->readers))
		give_back(s, s->extents_spare);
	s->reclaims = 0;
	s->extents_spare = s->extents_idle;
}

static int populate_by_mapping(uint8_t *from, uint64_t bytes)
{
	while (madvise(from, bytes, MADV_POPULATE_WRITE))
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	return 0;
}

static int populate_by_file(int fd, uint64_t offset, uint64_t bytes)
{
	while (fallocate(fd, 0, (off_t)offset, (off_t)bytes))
		if (errno != EINTR)
			return -ENOMEM;
	return 0;
}

static void pages_settle(struct segment *s, uint64_t offset, uint64_t bytes)
{
	const struct placement_part *part = numa_part(&s->placement, offset);
	uint64_t bit = part->os == NONE ? 0 : (uint64_t)1 << (part - s->placement.node);

	if (s->placement.state == PLACEMENT_BOUND && bit && !(s->full_nodes & bit) && !numa_settle(part, s->base, offset, bytes))
		s->full_nodes |= bit;
}

static int populate(struct segment *s, uint64_t from, uint64_t length)
{
	int err = populate_by_mapping(s->base + from, length);

	if (!err)
		pages_settle(s, from, length);
	if (err == -EINVAL)						/* a kernel before 5.14 */
		return populate_by_file(s->fd, from, length);
	return err ? -ENOMEM : 0;
}

/* What is held in reserve is worth less than what is wanted now. */
int segment_populate(struct segment *s, uint64_t offset, uint64_t bytes)
{
	uint64_t from = offset & ~(uint64_t)(PAGE_BYTES - 1);
	uint64_t length = (offset + bytes - from + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);

	if (bytes == 0)
		return 0;
	if (from % EXTENT_BYTES == 0 && length % EXTENT_BYTES == 0)
		madvise(s->base + from, length, MADV_HUGEPAGE);		/* where the administrator allows it */
	int err = populate(s, from, length);

	if (!err || s->extents_idle == 0)
		return err;
	segment_trim(s);
	return populate(s, from, length);
}
