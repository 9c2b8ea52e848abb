/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shm/numa.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22		/* since Linux 5.14 */
#endif

#define EXTENT_PAGES (EXTENT_BYTES / PAGE_BYTES)

/*
 * Map pages, so that the kernel shows their nodes. madvise() fails instead of raising a signal.
 * Older kernels need a touch.
 */
static void pages_map(const uint8_t *at, size_t pages)
{
	if (madvise((void *)(uintptr_t)at, pages * PAGE_BYTES, MADV_POPULATE_READ) == 0 || errno != EINVAL)
		return;
	for (size_t i = 0; i < pages; i++)
		(void)*(const volatile uint8_t *)(at + i * PAGE_BYTES);
}

static void page_count(struct pages *pages, const struct placement *plan, int os)
{
	unsigned k = 0;

	if (os < 0)
		return;
	while (k < plan->nodes && plan->os[k] != (uint32_t)os)
		k++;
	*(k < plan->nodes ? &pages->on[k] : &pages->elsewhere) += PAGE_BYTES;
}

/* Count the pages of a range without holes, from `from` to `to` of the file. */
static int run_look(struct pages *pages, const uint8_t *base, const struct placement *plan, uint64_t from, uint64_t to)
{
	int os[EXTENT_PAGES], rc = 0;

	for (uint64_t n; from < to && !rc; from += n * PAGE_BYTES) {
		n = (to - from + PAGE_BYTES - 1) / PAGE_BYTES;
		n = n < EXTENT_PAGES ? n : EXTENT_PAGES;
		pages_map(base + from, n);
		rc = numa_where(base + from, n, os);
		for (uint64_t i = 0; i < n && !rc; i++)
			page_count(pages, plan, os[i]);
	}
	return rc;
}

/* Return the bytes of huge pages in the mapping at `base`, as far as it has been touched. */
static uint64_t huge_bytes(const uint8_t *base)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long from, to, kib;
	uint64_t bytes = 0;
	char line[512];
	bool ours = false;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			ours = (uintptr_t)base >= from && (uintptr_t)base < to;
		else if (ours && sscanf(line, "ShmemPmdMapped: %lu", &kib) == 1)
			bytes = (uint64_t)kib << 10;
	if (file)
		fclose(file);
	return bytes;
}

/* Count the pages from byte `at` up to `end` of the file. The first -errno is stored in `rc`. */
static void range_look(struct pages *pages, const struct pages_file *file, const struct placement *plan, off_t at,
		       off_t end, int *rc)
{
	for (off_t to; (at = lseek(file->fd, at, SEEK_DATA)) >= 0 && at < end; at = to) {
		to = lseek(file->fd, at, SEEK_HOLE);
		to = to < 0 || to > end ? end : to;
		pages->there += (uint64_t)(to - at);
		if (!*rc)
			*rc = run_look(pages, file->base, plan, (uint64_t)at, (uint64_t)to);
	}
}

int pages_look(struct pages *pages, const struct pages_file *file, const struct placement *plan, uint8_t home)
{
	uint64_t before = huge_bytes(file->base);
	int rc = 0;

	memset(pages, 0, sizeof(*pages));
	for (uint64_t i = 0, n; i < file->n; i += n + 1) {
		for (n = 0; i + n < file->n && file->homes[i + n] == home; n++)
			;
		pages->planned += n * EXTENT_BYTES;
		if (n > 0)
			range_look(pages, file, plan, (off_t)(i * EXTENT_BYTES), (off_t)((i + n) * EXTENT_BYTES), &rc);
	}
	pages->huge = huge_bytes(file->base) - before;
	return rc;
}

uint64_t pages_misplaced(const struct pages *pages, const struct placement *plan, uint8_t home)
{
	uint64_t fair = pages->there / plan->nodes, misplaced = pages->elsewhere;

	if (plan->state == PLACEMENT_ONE)
		return 0;
	for (unsigned k = 0; k < plan->nodes; k++) {
		uint64_t meant = home == HOME_ALL	 ? fair + fair / 2 + EXTENT_BYTES
				 : home == HOME_NODE + k ? pages->on[k]
							 : 0;

		misplaced += pages->on[k] > meant ? pages->on[k] - meant : 0;
	}
	return misplaced;
}
