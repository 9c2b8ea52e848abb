/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which part of the state file lies on which NUMA node.
 *
 * The plan divides the file's address space: a part for each node, and one, the first, that is interleaved over all of them, for what
 * everybody reads at random. It is bound before the first touch, and the kernel keeps it with the file: whoever touches a page, through
 * whatever mapping, it comes from where the plan says.
 *
 * A node's memory is preferred, not demanded: where it is demanded (MPOL_BIND) and there is none left, the kernel neither falls back nor
 * fails but kills a process, while other nodes have room. What preferring gives away too easily numa_settle() brings back.
 */
#ifndef SHM_NUMA_H
#define SHM_NUMA_H

#include <stdbool.h>
#include <stdint.h>

#include "shm/layout.h"
#include "shm/topology.h"

/*
 * Half of the extents for all nodes, the rest in equal parts. One node, or fewer extents than that takes: one part, and nothing to be bound.
 * topology NULL: one node.
 */
void numa_plan(struct placement *plan, const struct topology *topology, uint64_t file_bytes);

/* Bind a mapping of the whole file, of which nothing is touched yet. When the kernel refuses, the plan says so, and all goes on without. */
void numa_bind(struct placement *plan, uint8_t *base);

/* The part that has the byte at `offset`. */
const struct placement_part *numa_part(const struct placement *plan, uint64_t offset);

/*
 * Pages just made in a node's part that the kernel has put elsewhere, since the node had no page free at that moment, are moved home as far as
 * it can make room: other files' cached pages have to go, say. They must be mapped by nobody else. False: some stay where they are.
 */
bool numa_settle(const struct placement_part *part, uint8_t *base, uint64_t offset, uint64_t bytes);

/*
 * On which nodes the pages of a mapping lie: os[i] is the node of page i, or -ENOENT when this process has not touched it.
 * 0, or -EPERM, -ENOSYS: not to be known here.
 */
int numa_where(const uint8_t *at, size_t pages, int *os);

#endif
