/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of pages on a machine with several NUMA nodes, for example that of boot.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shm/numa.h"
#include "shm/segment.h"
#include "tests/shm/cell.h"

/* A test may fill a node with less memory, because it is emulated. */
#define SMALL_NODE ((uint64_t)1 << 30)

struct fixture {
	struct shm_cell cell;
	struct topology topology;
	struct segment segment;
	cpu_set_t cpus;			/* CPUs of this process before the test */
};

static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	*state = &fixture;
	return shm_cell_make(&fixture.cell) || topology_read(&fixture.topology) ||
	       sched_getaffinity(0, sizeof(fixture.cpus), &fixture.cpus);
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	segment_close(&fixture->segment);
	topology_free(&fixture->topology);
	shm_cell_clear(&fixture->cell);
	return sched_setaffinity(0, sizeof(fixture->cpus), &fixture->cpus);
}

static void segment_make(struct fixture *fixture, const struct topology *topology)
{
	const struct segment_options options = { .file_bytes = (uint64_t)4 << 30, .group = -1, .topology = topology };

	assert_int_equal(segment_create(&fixture->segment, fixture->cell.directory, &options, NULL), 0);
}

/*
 * The first access to a page decides its node unless a policy does. Touch everything from one node.
 */
static void run_on(const struct fixture *fixture, unsigned node)
{
	assert_int_equal(sched_setaffinity(0, fixture->topology.cpus_bytes, fixture->topology.node[node].cpus), 0);
}

static uint64_t extents_make(struct segment *segment, uint64_t offset, uint64_t bytes)
{
	assert_int_not_equal(offset, 0);
	assert_int_equal(segment_populate(segment, offset, bytes), 0);
	return offset;
}

/* Return the number of pages of the extent on this node. */
static unsigned pages_on(const struct segment *segment, uint64_t offset, uint32_t os)
{
	static int where[EXTENT_BYTES / PAGE_BYTES];
	unsigned n = 0;

	assert_int_equal(numa_where(segment->base + offset, EXTENT_BYTES / PAGE_BYTES, where), 0);
	for (size_t i = 0; i < EXTENT_BYTES / PAGE_BYTES; i++)
		n += where[i] == (int)os;
	return n;
}

/* Make three extents per node. Return how many are completely on their node. */
static unsigned extents_at_home(struct fixture *fixture)
{
	unsigned home = 0;

	run_on(fixture, fixture->topology.nnodes - 1);
	for (unsigned i = 0; i < 3 * fixture->topology.nnodes; i++) {
		unsigned node = i % fixture->topology.nnodes;
		uint64_t offset = extents_make(&fixture->segment,
					       segment_alloc_on(&fixture->segment, node, EXTENT_BYTES), EXTENT_BYTES);

		home += pages_on(&fixture->segment, offset, fixture->topology.node[node].os) ==
			EXTENT_BYTES / PAGE_BYTES;
	}
	return home;
}

static void test_an_extent_is_on_its_node(void **state)
{
	struct fixture *fixture = *state;

	segment_make(fixture, &fixture->topology);
	assert_int_equal(fixture->segment.placement.state, PLACEMENT_BOUND);
	assert_int_equal(extents_at_home(fixture), 3 * fixture->topology.nnodes);
}

static void test_without_a_plan_extents_are_not_on_their_nodes(void **state)
{
	struct fixture *fixture = *state;

	segment_make(fixture, NULL);
	assert_int_equal(extents_at_home(fixture), 3);
}

static void test_a_reallocated_extent_is_on_its_node_again(void **state)
{
	struct fixture *fixture = *state;
	uint64_t first = 0;

	segment_make(fixture, &fixture->topology);
	for (unsigned round = 0; round < 3; round++) {
		run_on(fixture, round % fixture->topology.nnodes);
		uint64_t offset = extents_make(&fixture->segment, segment_alloc_on(&fixture->segment, 1, EXTENT_BYTES),
					       EXTENT_BYTES);

		assert_int_equal(offset, first ? first : offset);
		first = offset;
		assert_int_equal(pages_on(&fixture->segment, offset, fixture->topology.node[1].os),
				 EXTENT_BYTES / PAGE_BYTES);
		segment_free(&fixture->segment, offset, EXTENT_BYTES);
	}
}

static void test_common_data_is_spread_evenly(void **state)
{
	struct fixture *fixture = *state;
	unsigned n = fixture->topology.nnodes;

	segment_make(fixture, &fixture->topology);
	run_on(fixture, 0);
	uint64_t offset =
		extents_make(&fixture->segment, segment_alloc(&fixture->segment, n * EXTENT_BYTES), n * EXTENT_BYTES);

	for (unsigned k = 0; k < n; k++) {
		unsigned pages = 0;

		for (unsigned i = 0; i < n; i++)
			pages += pages_on(&fixture->segment, offset + i * EXTENT_BYTES, fixture->topology.node[k].os);
		assert_int_equal(pages, EXTENT_BYTES / PAGE_BYTES);
	}
}

static uint64_t free_bytes(uint32_t os)
{
	char line[128], path[64];
	unsigned long kib = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", os);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	while (kib == 0 && fgets(line, sizeof(line), file))
		if (strstr(line, "MemFree:"))
			kib = strtoul(strstr(line, "MemFree:") + 8, NULL, 10);
	fclose(file);
	return (uint64_t)kib << 10;
}

/* Read a disk from a node until hardly any page of that node is free. */
static bool node_fill(const struct fixture *fixture, unsigned node)
{
	static char buffer[1 << 20];
	int disk = open("/dev/nvme0n1", O_RDONLY);

	if (disk < 0)
		return false;
	run_on(fixture, node);
	while (free_bytes(fixture->topology.node[node].os) > 32 << 20 && read(disk, buffer, sizeof(buffer)) > 0)
		;
	close(disk);
	return true;
}

/* The kernel can free memory that caches files, but prefers free memory of other nodes. */
static void test_cached_files_are_dropped_for_an_extent(void **state)
{
	struct fixture *fixture = *state;
	const struct topology_node *node = &fixture->topology.node[fixture->topology.nnodes - 2];

	if (node->memory_bytes >= SMALL_NODE || !node_fill(fixture, fixture->topology.nnodes - 2))
		skip();
	segment_make(fixture, &fixture->topology);
	run_on(fixture, 0);
	for (unsigned i = 0; i < 50; i++) {
		uint64_t offset = segment_alloc_on(&fixture->segment, fixture->topology.nnodes - 2, EXTENT_BYTES);

		extents_make(&fixture->segment, offset, EXTENT_BYTES);
		assert_int_equal(pages_on(&fixture->segment, offset, node->os), EXTENT_BYTES / PAGE_BYTES);
	}
}

/*
 * Drop the files that earlier tests have read. Freeing them takes kernel time that a busy machine
 * may not have.
 */
static void caches_drop(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "3", 1), 1);
	close(fd);
}

/* Return the unused bytes of a node. Its kernel's files may take a third of it. */
static uint64_t node_free_bytes(unsigned os)
{
	uint64_t kib = 0;
	char path[100], line[200];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", os);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) && sscanf(line, "Node %*u MemFree: %" SCNu64, &kib) != 1)
		;
	fclose(file);
	assert_true(kib > 0);
	return kib << 10;
}

/* Use a third more memory than the node has, while the others have free memory. */
static void test_a_full_node_borrows_memory_without_a_crash(void **state)
{
	struct fixture *fixture = *state;
	unsigned home = 0, away = 0;
	uint64_t free_bytes;

	for (unsigned k = 0; k < fixture->topology.nnodes; k++)
		if (fixture->topology.node[k].memory_bytes >= SMALL_NODE || fixture->topology.nnodes < 4)
			skip();
	caches_drop();
	segment_make(fixture, &fixture->topology);
	run_on(fixture, 0);
	free_bytes = node_free_bytes(fixture->topology.node[2].os);
	while ((uint64_t)(home + away) * EXTENT_BYTES < fixture->topology.node[2].memory_bytes * 4 / 3) {
		uint64_t offset = extents_make(&fixture->segment, segment_alloc_on(&fixture->segment, 2, EXTENT_BYTES),
					       EXTENT_BYTES);

		if (pages_on(&fixture->segment, offset, fixture->topology.node[2].os) == EXTENT_BYTES / PAGE_BYTES)
			home++;
		else
			away++;
	}
	printf("a node of %ju MiB, of which %ju were free, took %u MiB and lent out %u MiB\n",
	       (uintmax_t)fixture->topology.node[2].memory_bytes >> 20, (uintmax_t)free_bytes >> 20, 2 * home,
	       2 * away);
	assert_true((uint64_t)home * EXTENT_BYTES > free_bytes / 2);
	assert_true(away > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_extent_is_on_its_node),
		TEST(test_without_a_plan_extents_are_not_on_their_nodes),
		TEST(test_a_reallocated_extent_is_on_its_node_again),
		TEST(test_common_data_is_spread_evenly),
		TEST(test_cached_files_are_dropped_for_an_extent),
		TEST(test_a_full_node_borrows_memory_without_a_crash),
	};
	struct topology topology;
	int err = topology_read(&topology);
	unsigned n = topology.nnodes;

	topology_free(&topology);
	if (err || n < 2) {
		puts("there is one NUMA node here");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
