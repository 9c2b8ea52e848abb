/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping of a shared file that grows. The address is fixed and address space for the maximum size
 * is reserved, aligned to 2 MiB for huge pages. Everything that is not mapped to the file, and one
 * page after the maximum, reads as zeros. A text cannot run past the end, and a stale length does
 * no harm.
 */
#ifndef SHM_MAP_H
#define SHM_MAP_H

#include <stdint.h>

/*
 * Reserve `bytes` of address space, a multiple of the page size. The caller releases it with
 * map_release(). Returns 0, -EINVAL or -ENOMEM.
 */
int map_reserve(uint8_t **base, uint64_t bytes);

/*
 * Map the file's bytes `from` to `to`, in whole pages, within the reserved range. `protection` is
 * as in mmap(2). A reader must not map more than the file has, since memory beyond the end of a
 * file cannot be touched. The mapping is excluded from core dumps. Returns 0, -ENOMEM or -EACCES.
 */
int map_file(uint8_t *base, int fd, uint64_t from, uint64_t to, int protection);

/* Release the range that map_reserve() has returned. NULL is a no-op. */
void map_release(const uint8_t *base, uint64_t bytes);

#endif
