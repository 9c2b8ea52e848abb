/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which extent of the state file lies on which NUMA node.
 *
 * An extent gets its home when it is handed out: one node, or all of them in turn, for what
 * everybody reads at random. It is bound before the first touch, and the kernel keeps that with the
 * file: whoever touches a page, through whatever mapping, it comes from there. An extent whose
 * memory was given back has no home until it is handed out again; so the file need not be divided
 * beforehand, and grows by what is used.
 *
 * A node's memory is preferred, not demanded: where it is demanded (MPOL_BIND) and there is none
 * left, the kernel neither falls back nor fails but kills a process, while other nodes have room.
 * What preferring gives away too easily numa_settle() brings back.
 */
#ifndef SHM_NUMA_H
#define SHM_NUMA_H

#include <stdbool.h>
#include <stdint.h>

#include "shm/layout.h"
#include "shm/topology.h"

/* Among which nodes extents are divided. topology NULL: one node, and nothing to be bound. */
void numa_plan(struct placement *plan, const struct topology *topology);

/* The home for what everybody reads, and for what the workers of a node compute. */
uint8_t numa_home_of_all(const struct placement *plan);
uint8_t numa_home_of(const struct placement *plan, unsigned node);

/*
 * Bind memory of which nothing is touched yet. No-op where the plan is not to be bound. 0, or
 * -errno: the kernel refuses.
 */
int numa_bind(const struct placement *plan, uint8_t *at, uint64_t bytes, uint8_t home);

/*
 * Pages just made for a node that the kernel has put elsewhere, since the node had no page free at
 * that moment, are moved home as far as it can make room: other files' cached pages have to go,
 * say. They must be mapped by nobody else. False: some stay where they are.
 */
bool numa_settle(uint32_t os, uint8_t *at, uint64_t bytes);

/*
 * On which nodes the pages of a mapping lie: os[i] is the node of page i, or -ENOENT when this
 * process has not touched it. 0, or -EPERM, -ENOSYS: not to be known here.
 */
int numa_where(const uint8_t *at, size_t pages, int *os);

#endif
