/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement of the state file's extents on NUMA nodes.
 *
 * An extent gets its home when it is handed out: one node, or all nodes interleaved for data that
 * every process reads at random. The extent is bound before the first touch. The kernel stores this
 * binding with the file, so that a page comes from its home whichever process touches it through
 * whichever mapping. An extent whose memory was given back has no home until it is handed out
 * again. The file therefore does not have to be divided in advance and grows only as much as is
 * used.
 *
 * A node's memory is preferred, not required. If it were required (MPOL_BIND) and the node were
 * full, the kernel would neither fall back nor fail. It would kill a process although other nodes
 * have room. numa_settle() moves pages home that the preference has placed elsewhere too easily.
 */
#ifndef SHM_NUMA_H
#define SHM_NUMA_H

#include <stdbool.h>
#include <stdint.h>

#include "shm/layout.h"
#include "shm/topology.h"

/*
 * Choose the nodes among which extents are divided. `topology` NULL: one node, and nothing is
 * bound.
 */
void numa_plan(struct placement *plan, const struct topology *topology);

/*
 * Return the home of data that every process reads, and of data that the workers of a node compute.
 */
uint8_t numa_home_of_all(const struct placement *plan);
uint8_t numa_home_of(const struct placement *plan, unsigned node);

/*
 * Bind memory that has not been touched yet. No-op if the plan is not to be bound. Returns 0, or
 * -errno if the kernel refuses.
 */
int numa_bind(const struct placement *plan, uint8_t *at, uint64_t bytes, uint8_t home);

/*
 * Move new pages of a node back to it. The kernel places pages elsewhere if the node has no free
 * page at that moment. The kernel makes room for them as far as it can, for example by dropping
 * cached pages of other files. No other process may have the pages mapped. Returns false if some
 * pages stay elsewhere.
 */
bool numa_settle(uint32_t os, uint8_t *at, uint64_t bytes);

/*
 * Return the nodes of the pages of a mapping: os[i] is the node of page i, or -ENOENT if this
 * process has not touched it. Returns 0, or -EPERM or -ENOSYS if the nodes cannot be determined
 * here.
 */
int numa_where(const uint8_t *at, size_t pages, int *os);

#endif
