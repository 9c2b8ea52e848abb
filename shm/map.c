/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/map.h"

#include <errno.h>
#include <sys/mman.h>

#include "shm/layout.h"

#define MAX_BYTES ((uint64_t)1 << 46)

int map_reserve(uint8_t **base, uint64_t bytes)
{
	uint64_t whole = bytes + PAGE_BYTES + EXTENT_BYTES;

	*base = NULL;
	if (bytes == 0 || bytes % PAGE_BYTES || bytes > MAX_BYTES)
		return -EINVAL;
	uint8_t *room = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return -errno;
	uint64_t skip = -(uintptr_t)room & (EXTENT_BYTES - 1);

	if (skip)		/* release the part that was reserved for the alignment */
		munmap(room, skip);
	munmap(room + skip + bytes + PAGE_BYTES, EXTENT_BYTES - skip);
	*base = room + skip;
	return 0;
}

int map_file(uint8_t *base, int fd, uint64_t from, uint64_t to, int protection)
{
	if (mmap(base + from, to - from, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, (off_t)from) ==
	    MAP_FAILED)
		return -errno;
	madvise(base + from, to - from, MADV_DONTDUMP);
	return 0;
}

void map_release(const uint8_t *base, uint64_t bytes)
{
	if (base)
		munmap((void *)(uintptr_t)base, bytes + PAGE_BYTES);
}
