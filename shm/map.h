/* SPDX-License-Identifier: Apache-2.0 */
/* Map a whole shared file: 2-MiB aligned, so that huge pages fit, with a page of zeros behind it, so that no text runs off its end. */
#ifndef SHM_MAP_H
#define SHM_MAP_H

#include <stdint.h>

/*
 * `bytes` is a multiple of the page size, as long as the file. `protection` as mmap(2). Address space only, kept out of core dumps; the
 * caller unmaps with map_release(). 0, -EINVAL, -ENOMEM, -EACCES.
 */
int map_file(uint8_t **base, int fd, uint64_t bytes, int protection);

/* NULL is a no-op. */
void map_release(const uint8_t *base, uint64_t bytes);

#endif
