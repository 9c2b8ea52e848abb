/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/numa.h"

#include <errno.h>
#include <numaif.h>
#include <string.h>

#define MASK_NODES 1024u		/* nodes that the largest kernels are built for */
#define MASK_BITS (8 * sizeof(unsigned long))
#define BATCH_PAGES 512u		/* pages of an extent */

_Static_assert(BATCH_PAGES * PAGE_BYTES == EXTENT_BYTES, "a batch is an extent");

struct mask {
	unsigned long words[MASK_NODES / MASK_BITS];
};

static void mask_set(struct mask *mask, uint32_t os)
{
	if (os < MASK_NODES)
		mask->words[os / MASK_BITS] |= 1ul << os % MASK_BITS;
}

void numa_plan(struct placement *plan, const struct topology *topology)
{
	memset(plan, 0, sizeof(*plan));
	plan->nodes = topology ? topology->nnodes : 1;
	plan->state = plan->nodes == 1 ? PLACEMENT_ONE : topology->foreign ? PLACEMENT_FOREIGN : PLACEMENT_BOUND;
	for (unsigned k = 0; topology && k < plan->nodes; k++)
		plan->os[k] = topology->node[k].os;
}

uint8_t numa_home_of_all(const struct placement *plan)
{
	return plan->nodes == 1 ? HOME_NODE : HOME_ALL;
}

uint8_t numa_home_of(const struct placement *plan, unsigned node)
{
	return (uint8_t)(HOME_NODE + node % plan->nodes);
}

int numa_bind(const struct placement *plan, uint8_t *at, uint64_t bytes, uint8_t home)
{
	struct mask mask = { { 0 } };

	if (plan->state != PLACEMENT_BOUND)
		return 0;
	for (unsigned k = 0; k < plan->nodes; k++)
		if (home == HOME_ALL || home == HOME_NODE + k)
			mask_set(&mask, plan->os[k]);
	/* The kernel uses one bit less than the number says. */
	return mbind(at, bytes, home == HOME_ALL ? MPOL_INTERLEAVE : MPOL_PREFERRED, mask.words, MASK_NODES + 1, 0)
		       ? -errno
		       : 0;
}

int numa_where(const uint8_t *at, size_t pages, int *os)
{
	void *addresses[BATCH_PAGES];

	for (size_t done = 0; done < pages; ) {
		size_t n = pages - done < BATCH_PAGES ? pages - done : BATCH_PAGES;

		for (size_t i = 0; i < n; i++)
			addresses[i] = (void *)(uintptr_t)(at + (done + i) * PAGE_BYTES);
		if (move_pages(0, n, addresses, NULL, os + done, 0))
			return -errno;
		done += n;
	}
	return 0;
}

static bool pages_move(uint8_t *at, size_t pages, int os)
{
	void *addresses[BATCH_PAGES];
	int where[BATCH_PAGES], wanted[BATCH_PAGES];
	size_t n = 0;

	if (numa_where(at, pages, where))
		return false;
	for (size_t i = 0; i < pages; i++)
		if (where[i] >= 0 && where[i] != os) {
			wanted[n] = os;
			addresses[n++] = at + i * PAGE_BYTES;
		}
	return n == 0 || move_pages(0, n, addresses, wanted, where, MPOL_MF_MOVE) == 0;
}

bool numa_settle(uint32_t os, uint8_t *at, uint64_t bytes)
{
	bool settled = true;

	for (uint64_t n; bytes > 0 && settled; at += n, bytes -= n) {
		n = bytes < EXTENT_BYTES ? bytes : EXTENT_BYTES;
		settled = pages_move(at, n / PAGE_BYTES, (int)os);
	}
	return settled;
}
