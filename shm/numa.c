/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/numa.h"

#include <errno.h>
#include <numaif.h>
#include <string.h>

#define MASK_NODES 1024u		/* what the largest kernels are built for */
#define MASK_BITS (8 * sizeof(unsigned long))
#define BATCH_PAGES 512u		/* an extent's */

_Static_assert(BATCH_PAGES * PAGE_BYTES == EXTENT_BYTES, "a batch is an extent");

struct mask {
	unsigned long words[MASK_NODES / MASK_BITS];
};

static void mask_set(struct mask *mask, uint32_t os)
{
	if (os < MASK_NODES)
		mask->words[os / MASK_BITS] |= 1ul << os % MASK_BITS;
}

void numa_plan(struct placement *plan, const struct topology *topology, uint64_t file_bytes)
{
	unsigned nodes = topology ? topology->nnodes : 1;
	uint64_t share = file_bytes / EXTENT_BYTES / 2 / nodes * EXTENT_BYTES;

	if (nodes == 1 || share == 0) {
		nodes = 1;
		share = file_bytes;
	}
	memset(plan, 0, sizeof(*plan));
	plan->nodes = nodes;
	plan->state = nodes == 1 ? PLACEMENT_ONE : topology->foreign ? PLACEMENT_FOREIGN : PLACEMENT_BOUND;
	plan->interleaved = (struct placement_part) { .offset = 0, .bytes = file_bytes - nodes * share, .os = NONE };
	for (unsigned k = 0; k < nodes; k++)
		plan->node[k] = (struct placement_part) {
			.offset = plan->interleaved.bytes + k * share,
			.bytes = share,
			.os = topology ? topology->node[k].os : 0,
		};
}

static int part_bind(const struct placement_part *part, uint8_t *base, int policy, const struct mask *mask)
{
	/* the kernel looks at one bit less than it is told */
	return mbind(base + part->offset, part->bytes, policy, mask->words, MASK_NODES + 1, 0) ? -errno : 0;
}

void numa_bind(struct placement *plan, uint8_t *base)
{
	struct mask all = { { 0 } };
	int err = 0;

	if (plan->state != PLACEMENT_BOUND)
		return;
	for (unsigned k = 0; k < plan->nodes && !err; k++) {
		struct mask one = { { 0 } };

		mask_set(&all, plan->node[k].os);
		mask_set(&one, plan->node[k].os);
		err = part_bind(&plan->node[k], base, MPOL_PREFERRED, &one);
	}
	if (!err)
		err = part_bind(&plan->interleaved, base, MPOL_INTERLEAVE, &all);
	if (!err)
		return;
	plan->state = PLACEMENT_REFUSED;
	plan->error = (uint32_t)-err;
}

const struct placement_part *numa_part(const struct placement *plan, uint64_t offset)
{
	for (unsigned k = 0; k < plan->nodes; k++)
		if (offset - plan->node[k].offset < plan->node[k].bytes)
			return &plan->node[k];
	return &plan->interleaved;
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

bool numa_settle(const struct placement_part *part, uint8_t *base, uint64_t offset, uint64_t bytes)
{
	bool settled = true;

	for (uint64_t end = offset + bytes; offset < end && settled; offset += EXTENT_BYTES) {
		uint64_t n = end - offset < EXTENT_BYTES ? end - offset : EXTENT_BYTES;

		settled = pages_move(base + offset, n / PAGE_BYTES, (int)part->os);
	}
	return settled;
}
