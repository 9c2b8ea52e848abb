/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/map.h"

#include <errno.h>
#include <sys/mman.h>

#include "shm/layout.h"

#define MAX_BYTES ((uint64_t)1 << 46)

/* Reserves `bytes` and the guard page at an aligned address; what was reserved beside it for the alignment is given back. */
static int address_reserve(uint8_t **base, uint64_t bytes)
{
	uint64_t whole = bytes + PAGE_BYTES + EXTENT_BYTES;
	uint8_t *room = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return -errno;
	uint64_t skip = -(uintptr_t)room & (EXTENT_BYTES - 1);

	if (skip)
		munmap(room, skip);
	munmap(room + skip + bytes + PAGE_BYTES, EXTENT_BYTES - skip);
	*base = room + skip;
	return 0;
}

int map_file(uint8_t **base, int fd, uint64_t bytes, int protection)
{
	if (bytes == 0 || bytes % PAGE_BYTES || bytes > MAX_BYTES)
		return -EINVAL;
	int err = address_reserve(base, bytes);

	if (err)
		return err;
	if (mmap(*base, bytes, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED) {
		err = -errno;
		map_release(*base, bytes);
		*base = NULL;
		return err;
	}
	madvise(*base, bytes, MADV_DONTDUMP);
	return 0;
}

void map_release(const uint8_t *base, uint64_t bytes)
{
	if (base)
		munmap((void *)(uintptr_t)base, bytes + PAGE_BYTES);
}
