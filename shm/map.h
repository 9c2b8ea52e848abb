/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared file that grows, mapped at one place: address space for all that it may get to, 2-MiB
 * aligned, so that huge pages fit. What is not mapped to the file, and a page behind all that,
 * reads as zeros, so that no text runs off the file's end and no stale length is deadly.
 */
#ifndef SHM_MAP_H
#define SHM_MAP_H

#include <stdint.h>

/*
 * `bytes` is a multiple of the page size. The caller gives it back with map_release(). 0, -EINVAL,
 * -ENOMEM.
 */
int map_reserve(uint8_t **base, uint64_t bytes);

/*
 * Map the file's bytes `from` to `to`, whole pages within what was reserved. `protection` as
 * mmap(2). A reader maps no more than there is: what is behind a file's end can't be touched. Kept
 * out of core dumps. 0, -ENOMEM, -EACCES.
 */
int map_file(uint8_t *base, int fd, uint64_t from, uint64_t to, int protection);

/* Of what map_reserve() was given. NULL is a no-op. */
void map_release(const uint8_t *base, uint64_t bytes);

#endif
