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

/* First of n extents next to each other that nobody has, all in `from` .. `to` - 1; 0, the header's own extent, when there are none. */
static size_t run_find(const struct segment *s, size_t from, size_t to, size_t n)
{
	size_t run = 0;

	for (size_t i = from ? from : 1; i < to; i++) {
		run = s->extents[i] == EXTENT_USED ? 0 : run + 1;
		if (run == n)
			return i + 1 - n;
	}
	return 0;
}

static uint64_t part_alloc(struct segment *s, const struct placement_part *part, uint64_t bytes)
{
	size_t n = extents_of(bytes), from = part->offset / EXTENT_BYTES;
	size_t first = n ? run_find(s, from, from + part->bytes / EXTENT_BYTES, n) : 0;

	if (n && !first)
		first = run_find(s, 0, s->nextents, n);
	if (!first)
		return 0;
	for (size_t i = first; i < first + n; i++) {
		s->extents_idle -= s->extents[i] == EXTENT_IDLE;
		s->extents[i] = EXTENT_USED;
	}
	s->extents_held += n;
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
	segment_reclaim(s);
}

/* A hole that can't be punched costs memory until the extent is used again; nothing else depends on it. */
static void hole_punch(struct segment *s, size_t first, size_t n)
{
	uint64_t offset = (uint64_t)first * EXTENT_BYTES, bytes = (uint64_t)n * EXTENT_BYTES;

	s->full_nodes = 0;
	if (madvise(s->base + offset, bytes, MADV_REMOVE))
		fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
}

void segment_reclaim(struct segment *s)
{
	if (!s->extents_idle || readers_stray(&s->readers))
		return;
	for (size_t i = 1; i < s->nextents && s->extents_idle; i++) {
		size_t n = 0;

		while (i + n < s->nextents && s->extents[i + n] == EXTENT_IDLE)
			s->extents[i + n++] = EXTENT_FREE;
		if (n)
			hole_punch(s, i, n);
		s->extents_idle -= n;
		i += n;
	}
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

int segment_populate(struct segment *s, uint64_t offset, uint64_t bytes)
{
	uint64_t from = offset & ~(uint64_t)(PAGE_BYTES - 1);
	uint64_t length = (offset + bytes - from + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);

	if (bytes == 0)
		return 0;
	if (from % EXTENT_BYTES == 0 && length % EXTENT_BYTES == 0)
		madvise(s->base + from, length, MADV_HUGEPAGE);		/* where the administrator allows it */
	int err = populate_by_mapping(s->base + from, length);

	if (!err)
		pages_settle(s, from, length);
	if (err == -EINVAL)						/* a kernel before 5.14 */
		return populate_by_file(s->fd, from, length);
	return err ? -ENOMEM : 0;
}
