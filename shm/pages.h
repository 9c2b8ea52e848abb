/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of a mapped file there are, and where they lie: seen by a process that only reads it,
 * and makes no page by looking. (It does when the writer gives one back between two system calls of
 * ours; such a page is gone when the writer uses that place again, or with the file.)
 */
#ifndef SHM_PAGES_H
#define SHM_PAGES_H

#include <stdint.h>

#include "shm/layout.h"

struct pages {			/* bytes */
	uint64_t planned;	/* of the extents */
	uint64_t there;
	uint64_t huge;		/* of it, mapped by huge pages */
	uint64_t on[MAX_NODES];	/* by the plan's nodes */
	uint64_t elsewhere;	/* on nodes that the plan does not know */
};

/* The extents of the file of `fd`, which is mapped at `base`: `homes` of `n` of them. */
struct pages_file {
	int fd;
	const uint8_t *base;
	const uint8_t *homes;
	uint64_t n;
};

/*
 * The pages of the extents with one home; this process has touched nothing of them before, or else
 * misses huge pages. 0, or -errno: `there` is known, but not where (-EPERM, -ENOSYS: not allowed
 * here).
 */
int pages_look(struct pages *pages, const struct pages_file *file, const struct placement *plan, uint8_t home);

/*
 * Bytes that do not lie where the plan puts them. For what is interleaved these are, beside those
 * on other nodes, what a node has beyond one and a half times its share and an extent.
 */
uint64_t pages_misplaced(const struct pages *pages, const struct placement *plan, uint8_t home);

#endif
