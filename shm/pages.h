/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Count the existing pages of a mapped file and their nodes from a process that only reads it.
 * Counting makes no page, except if the writer gives one back between two of our system calls. Such
 * a page is freed when the writer uses that part again, or with the file.
 */
#ifndef SHM_PAGES_H
#define SHM_PAGES_H

#include <stdint.h>

#include "shm/layout.h"

struct pages {			/* numbers of bytes */
	uint64_t planned;	/* size of the extents */
	uint64_t there;
	uint64_t huge;		/* part of `there` that is mapped with huge pages */
	uint64_t on[MAX_NODES];	/* bytes on each of the plan's nodes */
	uint64_t elsewhere;	/* on nodes that are not in the plan */
};

/*
 * Extents of the file of `fd`, which is mapped at `base`; `homes` has one entry for each of the `n`
 * extents.
 */
struct pages_file {
	int fd;
	const uint8_t *base;
	const uint8_t *homes;
	uint64_t n;
};

/*
 * Count the pages of the extents with one home. If this process has touched these pages before,
 * huge pages may be missed. Returns 0, or -errno if only `there` is known and the nodes are not
 * (-EPERM, -ENOSYS: not allowed here).
 */
int pages_look(struct pages *pages, const struct pages_file *file, const struct placement *plan, uint8_t home);

/*
 * Return the bytes that are not where the plan puts them. For interleaved data this is the memory
 * on other nodes, plus the part of each node that exceeds one and a half times its share and one
 * extent.
 */
uint64_t pages_misplaced(const struct pages *pages, const struct placement *plan, uint8_t home);

#endif
