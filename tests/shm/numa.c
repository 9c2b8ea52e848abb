/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shm/numa.h"
#include "shm/pages.h"
#include "shm/segment.h"
#include "tests/shm/cell.h"

#define MIB ((uint64_t)1 << 20)

struct fixture {
	struct shm_cell cell;
	struct topology topology;
	struct segment segment;
};

static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	*state = &fixture;
	return shm_cell_make(&fixture.cell);
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	segment_close(&fixture->segment);
	topology_free(&fixture->topology);
	shm_cell_clear(&fixture->cell);
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_THISSYSTEM");
	return 0;
}

static void topology_of(struct fixture *fixture, const char *description)
{
	topology_free(&fixture->topology);
	setenv("HWLOC_SYNTHETIC", description, 1);
	assert_int_equal(topology_read(&fixture->topology), 0);
}

static void segment_of(struct fixture *fixture, uint64_t bytes)
{
	const struct segment_options options = { .file_bytes = bytes, .group = -1, .topology = &fixture->topology };

	assert_int_equal(segment_create(&fixture->segment, fixture->cell.directory, &options, NULL), 0);
}

static void test_a_plan_knows_all_nodes_and_gives_each_a_home(void **state)
{
	static const struct { const char *machine; unsigned nodes;
	} machines[] = { { "numa:2 pu:1", 2 },
			 { "numa:3 core:2 pu:2", 3 },
			 { "pack:2 numa:2 l3:4 core:8 pu:2", 4 },
			 { "numa:64 pu:1", 64 } };
	struct fixture *fixture = *state;
	struct placement plan;

	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		topology_of(fixture, machines[m].machine);
		numa_plan(&plan, &fixture->topology);
		assert_int_equal(plan.nodes, machines[m].nodes);
		assert_int_equal(plan.state, PLACEMENT_FOREIGN);
		assert_int_equal(numa_home_of_all(&plan), HOME_ALL);
		for (unsigned k = 0; k < 2 * plan.nodes; k++)
			assert_int_equal(numa_home_of(&plan, k), HOME_NODE + k % plan.nodes);
		assert_int_equal(plan.os[plan.nodes - 1], plan.nodes - 1);
	}
}

static void test_one_node_needs_no_plan(void **state)
{
	struct fixture *fixture = *state;
	struct placement plan;

	numa_plan(&plan, NULL);
	assert_int_equal(plan.state, PLACEMENT_ONE);
	assert_int_equal(numa_home_of_all(&plan), numa_home_of(&plan, 5));
	topology_of(fixture, "core:4 pu:2");
	numa_plan(&plan, &fixture->topology);
	assert_int_equal(plan.nodes, 1);
	assert_int_equal(plan.state, PLACEMENT_ONE);
}

static uint8_t home_of(const struct segment *segment, uint64_t offset)
{
	return segment->homes[offset / EXTENT_BYTES];
}

/* Allocate on all nodes in parallel, so that the file grows only by the used memory. */
static void test_extents_get_the_requested_node_and_keep_it_while_they_have_memory(void **state)
{
	struct fixture *fixture = *state;
	struct segment *segment = &fixture->segment;
	uint64_t third[4], offset;

	topology_of(fixture, "numa:4 pu:1");
	segment_of(fixture, 64 * MIB);
	assert_int_equal(segment_nodes(segment), 4);
	assert_int_equal(segment_alloc(segment, 1), EXTENT_BYTES);
	assert_int_equal(home_of(segment, 0), HOME_ALL);
	for (unsigned round = 0; round < 4; round++)
		for (unsigned k = 0; k < 4; k++) {
			third[k] = segment_alloc_on(segment, k, EXTENT_BYTES);
			assert_int_equal(home_of(segment, third[k]), HOME_NODE + k);
		}
	assert_int_equal(segment->grown, 18 * EXTENT_BYTES);
	offset = segment_alloc(segment, 3 * EXTENT_BYTES);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(home_of(segment, offset + i * EXTENT_BYTES), HOME_ALL);
	segment_free(segment, third[2], EXTENT_BYTES);
	assert_int_not_equal(segment_alloc_on(segment, 3, EXTENT_BYTES), third[2]);
	assert_int_equal(segment_alloc_on(segment, 2, EXTENT_BYTES), third[2]);
	segment_free(segment, third[2], EXTENT_BYTES);
	segment_trim(segment);
	assert_int_equal(home_of(segment, third[2]), HOME_NONE);
	assert_int_equal(segment_alloc_on(segment, 1, EXTENT_BYTES), third[2]);
	assert_int_equal(home_of(segment, third[2]), HOME_NODE + 1);
}

static void test_extents_of_other_nodes_are_borrowed_when_no_other_is_left(void **state)
{
	struct fixture *fixture = *state;
	struct segment *segment = &fixture->segment;
	size_t extents = 0;

	topology_of(fixture, "numa:4 pu:1");
	segment_of(fixture, 64 * MIB);
	for (uint64_t offset; (offset = segment_alloc_on(segment, 3, EXTENT_BYTES)) != 0; extents++)
		assert_int_equal(home_of(segment, offset), HOME_NODE + 3);
	assert_int_equal(extents, 31);
	segment_free(segment, EXTENT_BYTES, 31 * EXTENT_BYTES);
	assert_int_equal(segment_alloc(segment, 20 * EXTENT_BYTES), EXTENT_BYTES);
	assert_int_equal(segment_alloc(segment, 12 * EXTENT_BYTES), 0);
	assert_int_equal(segment_alloc(segment, 11 * EXTENT_BYTES), 21 * EXTENT_BYTES);
	assert_int_equal(segment_alloc_on(segment, 0, 1), 0);
}

static void test_the_plan_is_in_the_header(void **state)
{
	struct fixture *fixture = *state;

	topology_of(fixture, "numa:4 pu:1");
	segment_of(fixture, 64 * MIB);
	assert_memory_equal(&((const struct segment_header *)fixture->segment.base)->placement,
			    &fixture->segment.placement, sizeof(fixture->segment.placement));
}

/* Simulate nodes 0 and 1. On most machines node 1 does not exist. */
static void test_a_kernel_that_refuses_to_bind_does_not_stop_a_scheduler(void **state)
{
	struct fixture *fixture = *state;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || access("/sys/devices/system/node/node1", F_OK) == 0)
		skip();
	setenv("HWLOC_THISSYSTEM", "1", 1);
	topology_of(fixture, "numa:2 pu:1");
	assert_false(fixture->topology.foreign);
	if (fixture->topology.nnodes < 2)
		skip();
	segment_of(fixture, 64 * MIB);
	assert_int_equal(fixture->segment.placement.state, PLACEMENT_REFUSED);
	assert_true(fixture->segment.placement.error == EINVAL || fixture->segment.placement.error == EPERM ||
		    fixture->segment.placement.error == ENOSYS);
	uint64_t offset = segment_alloc_on(&fixture->segment, 1, EXTENT_BYTES);

	assert_int_equal(segment_populate(&fixture->segment, offset, EXTENT_BYTES), 0);
	memset(fixture->segment.base + offset, 1, EXTENT_BYTES);
}

/* Forbid placement as containers do. */
static int placement_forbid(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mbind, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_move_pages, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int use_without_permission(struct fixture *fixture)
{
	const struct topology two = { .nnodes = 2, .node = { { .os = 0 }, { .os = 1 } } };
	const struct segment_options options = { .file_bytes = 64 * MIB, .group = -1, .topology = &two };
	struct segment *segment = &fixture->segment;
	struct pages pages;

	if (placement_forbid())
		return 77;
	if (segment_create(segment, fixture->cell.directory, &options, NULL))
		return 1;
	if (segment->placement.state != PLACEMENT_REFUSED || segment->placement.error != EPERM)
		return 2;
	if (segment_populate(segment, segment_alloc_on(segment, 1, EXTENT_BYTES), EXTENT_BYTES))
		return 3;
	if (pages_look(&pages, &(struct pages_file){ segment->fd, segment->base, segment->homes, segment->nextents },
		       &segment->placement, HOME_NODE + 1) != -EPERM ||
	    pages.planned != EXTENT_BYTES || pages.there != EXTENT_BYTES)
		return 4;
	segment_close(segment);
	return 0;
}

static void test_without_permission_to_place_memory_everything_else_works(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(use_without_permission(*state));
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static void test_a_page_has_a_node_after_it_was_touched(void **state)
{
	struct fixture *fixture = *state;
	int os[3] = { -1, -1, -1 };

	assert_int_equal(topology_read(&fixture->topology), 0);
	segment_of(fixture, 64 * MIB);
	uint64_t offset = segment_alloc(&fixture->segment, EXTENT_BYTES);

	assert_int_equal(segment_populate(&fixture->segment, offset + PAGE_BYTES, PAGE_BYTES), 0);
	int err = numa_where(fixture->segment.base + offset, 3, os);

	if (err == -EPERM || err == -ENOSYS)
		skip();
	assert_int_equal(err, 0);
	assert_int_equal(os[0], -ENOENT);
	assert_true(os[1] >= 0);
	assert_int_equal(os[2], -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_plan_knows_all_nodes_and_gives_each_a_home),
		TEST(test_one_node_needs_no_plan),
		TEST(test_extents_get_the_requested_node_and_keep_it_while_they_have_memory),
		TEST(test_extents_of_other_nodes_are_borrowed_when_no_other_is_left),
		TEST(test_the_plan_is_in_the_header),
		TEST(test_a_kernel_that_refuses_to_bind_does_not_stop_a_scheduler),
		TEST(test_without_permission_to_place_memory_everything_else_works),
		TEST(test_a_page_has_a_node_after_it_was_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
