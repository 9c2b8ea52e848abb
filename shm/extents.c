/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supply of extents: first fit over one byte per extent. Extents whose memory exists and is at
 * home come first, then holes, then any other free extent.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shm/numa.h"
#include "shm/segment.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* since Linux 5.14 */
#endif

enum extent_state {
	EXTENT_FREE,			/* hole in the file, or beyond its end */
	EXTENT_IDLE,			/* free, memory still allocated */
	EXTENT_USED,
};

static size_t extents_of(uint64_t bytes)
{
	return bytes / EXTENT_BYTES + (bytes % EXTENT_BYTES != 0);
}

/*
 * Give the memory of a range back to the kernel. If the kernel refuses, the range costs memory
 * until the extent is used again. Nothing else depends on it.
 */
static void memory_remove(struct segment *segment, uint64_t offset, uint64_t bytes)
{
	if (madvise(segment->base + offset, bytes, MADV_REMOVE))
		fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
}

/*
 * Extents that a search may return. IDLE_AT_HOME: the memory exists and is at home. AT_HOME: also
 * holes. ANYWHERE: every free extent.
 */
enum extent_search { IDLE_AT_HOME, AT_HOME, ANYWHERE };

static bool extent_fits(const struct segment *segment, size_t i, uint8_t home, enum extent_search search)
{
	if (segment->extents[i] == EXTENT_IDLE)
		return search == ANYWHERE || segment->homes[i] == home;
	return segment->extents[i] == EXTENT_FREE && search != IDLE_AT_HOME;
}

/*
 * Return the first of n adjacent extents, or 0, which is the header's own extent, if there are
 * none. Low extents are preferred, so that the file stays short.
 */
static size_t run_find(const struct segment *segment, size_t n, uint8_t home, enum extent_search search)
{
	size_t run = 0, end = search == IDLE_AT_HOME ? segment->grown / EXTENT_BYTES : segment->nextents;

	for (size_t i = 1; i < end; i++) {
		run = extent_fits(segment, i, home, search) ? run + 1 : 0;
		if (run == n)
			return i + 1 - n;
	}
	return 0;
}

static size_t extents_find(const struct segment *segment, size_t n, uint8_t home)
{
	size_t first = segment->extents_idle >= n ? run_find(segment, n, home, IDLE_AT_HOME) : 0;

	if (!first)
		first = run_find(segment, n, home, AT_HOME);
	return first ? first : run_find(segment, n, home, ANYWHERE);
}

/*
 * Return true if a file of `bytes` exceeds the limit of this process. The kernel answers such a
 * growth with SIGXFSZ, so the limit must be checked first.
 */
bool segment_limited(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur;
}

int segment_grow(struct segment *segment, uint64_t bytes)
{
	if (bytes <= segment->grown)
		return 0;
	if (segment_limited(bytes))
		return -EFBIG;
	if (ftruncate(segment->fd, (off_t)bytes))
		return -errno;
	segment->grown = bytes;
	return 0;
}

/*
 * Prepare a hole for use. A hole has pages if a reader has read it. These pages are removed,
 * whatever their size and node.
 */
static void hole_settle(struct segment *segment, size_t first, size_t n, uint8_t home, uint64_t grown)
{
	uint64_t offset = (uint64_t)first * EXTENT_BYTES, bytes = (uint64_t)n * EXTENT_BYTES;

	if (offset < grown)
		memory_remove(segment, offset, bytes);
	/* If this fails, the kernel chooses the node. */
	(void)numa_bind(&segment->placement, segment->base + offset, bytes, home);
	memset(segment->homes + first, home, n);
}

static void holes_settle(struct segment *segment, size_t first, size_t n, uint8_t home, uint64_t grown)
{
	for (size_t i = first, run; i < first + n; i += run) {
		for (run = 0; i + run < first + n && segment->extents[i + run] == EXTENT_FREE; run++)
			;
		if (run > 0)
			hole_settle(segment, i, run, home, grown);
		else
			run = 1;
	}
}

static uint64_t extents_alloc(struct segment *segment, uint8_t home, uint64_t bytes)
{
	size_t n = extents_of(bytes), first = n ? extents_find(segment, n, home) : 0;
	uint64_t grown = segment->grown;

	if (!first || segment_grow(segment, (uint64_t)(first + n) * EXTENT_BYTES)) {
		segment->lack = (struct segment_lack){ .bytes = first ? bytes : n * EXTENT_BYTES, .address = !first };
		return 0;
	}
	atomic_store_explicit(&((struct segment_header *)segment->base)->grown, segment->grown, memory_order_release);
	holes_settle(segment, first, n, home, grown);
	for (size_t i = first; i < first + n; i++) {
		segment->extents_idle -= segment->extents[i] == EXTENT_IDLE;
		segment->extents[i] = EXTENT_USED;
	}
	segment->extents_held += n;
	segment->extents_spare =
		segment->extents_idle < segment->extents_spare ? segment->extents_idle : segment->extents_spare;
	return (uint64_t)first * EXTENT_BYTES;
}

void segment_hold(struct segment *segment, size_t n)
{
	memset(segment->extents, EXTENT_USED, n);
	memset(segment->homes, numa_home_of_all(&segment->placement), n);
}

uint64_t segment_alloc(struct segment *segment, uint64_t bytes)
{
	return extents_alloc(segment, numa_home_of_all(&segment->placement), bytes);
}

uint64_t segment_alloc_on(struct segment *segment, unsigned node, uint64_t bytes)
{
	return extents_alloc(segment, numa_home_of(&segment->placement, node), bytes);
}

unsigned segment_nodes(const struct segment *segment)
{
	return segment->placement.nodes;
}

void segment_free(struct segment *segment, uint64_t offset, uint64_t bytes)
{
	size_t n = extents_of(bytes);

	if (!n)
		return;
	memset(segment->extents + offset / EXTENT_BYTES, EXTENT_IDLE, n);
	segment->extents_held -= n;
	segment->extents_idle += n;
}

static void hole_punch(struct segment *segment, size_t first, size_t n)
{
	segment->full_nodes = 0;
	memory_remove(segment, (uint64_t)first * EXTENT_BYTES, (uint64_t)n * EXTENT_BYTES);
	memset(segment->homes + first, HOME_NONE, n);
}

/*
 * Turn n idle extents into holes, from the end of the file, so that extents in use stay together at
 * its beginning.
 */
static void give_back(struct segment *segment, size_t n)
{
	for (size_t i = segment->grown / EXTENT_BYTES; n > 0 && i-- > 1; ) {
		size_t run = 0;

		while (run < n && i > run && segment->extents[i - run] == EXTENT_IDLE)
			segment->extents[i - run++] = EXTENT_FREE;
		if (run == 0)
			continue;
		hole_punch(segment, i + 1 - run, run);
		segment->extents_idle -= run;
		n -= run;
		i -= run - 1;
	}
}

void segment_trim(struct segment *segment)
{
	if (segment->extents_idle > 0 && !readers_stray(&segment->readers))
		give_back(segment, segment->extents_idle);
}

void segment_reclaim(struct segment *segment)
{
	if (++segment->reclaims < RESERVE_RUNS)
		return;
	if (segment->extents_spare > 0 && !readers_stray(&segment->readers))
		give_back(segment, segment->extents_spare);
	segment->reclaims = 0;
	segment->extents_spare = segment->extents_idle;
}

static void pages_settle(struct segment *segment, uint64_t offset, uint64_t bytes)
{
	/* the header is not bound like extents */
	if (segment->placement.state != PLACEMENT_BOUND || !segment->homes)
		return;
	for (uint64_t end = offset + bytes, n; offset < end; offset += n) {
		unsigned home = segment->homes[offset / EXTENT_BYTES], k = home - HOME_NODE;

		n = EXTENT_BYTES - offset % EXTENT_BYTES;
		n = n < end - offset ? n : end - offset;
		if (home >= HOME_NODE && !(segment->full_nodes >> k & 1) &&
		    !numa_settle(segment->placement.os[k], segment->base + offset, n))
			segment->full_nodes |= (uint64_t)1 << k;
	}
}

static int populate(struct segment *segment, uint64_t from, uint64_t length)
{
	int rc;

	do
		rc = madvise(segment->base + from, length, MADV_POPULATE_WRITE) ? errno : 0;
	while (rc == EINTR || rc == EAGAIN);
	if (!rc)
		pages_settle(segment, from, length);
	if (rc != EINVAL)
		return rc ? -ENOMEM : 0;
	/* a kernel before 5.14 */
	while (fallocate(segment->fd, 0, (off_t)from, (off_t)length))
		if (errno != EINTR)
			return -ENOMEM;
	return 0;
}

/* Populate a range. If memory is short, the reserve is given up and the range is tried again. */
int segment_populate(struct segment *segment, uint64_t offset, uint64_t bytes)
{
	uint64_t from = offset & ~(uint64_t)(PAGE_BYTES - 1);
	uint64_t length = (offset + bytes - from + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);

	if (bytes == 0)
		return 0;
	if (from % EXTENT_BYTES == 0 && length % EXTENT_BYTES == 0)
		/* has an effect where the administrator allows huge pages */
		madvise(segment->base + from, length, MADV_HUGEPAGE);
	int rc = populate(segment, from, length);

	if (rc && segment->extents_idle > 0) {
		segment_trim(segment);
		rc = populate(segment, from, length);
	}
	if (rc)
		segment->lack = (struct segment_lack){ .bytes = length };
	return rc;
}
