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
#include "tests/shm_cell.h"

#define MIB ((uint64_t)1 << 20)

struct fixture {
	struct shm_cell cell;
	struct topology topology;
	struct segment segment;
};

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	*state = &f;
	return shm_cell_make(&f.cell);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	segment_close(&f->segment);
	topology_free(&f->topology);
	shm_cell_clear(&f->cell);
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_THISSYSTEM");
	return 0;
}

static void topology_of(struct fixture *f, const char *description)
{
	topology_free(&f->topology);
	setenv("HWLOC_SYNTHETIC", description, 1);
	assert_int_equal(topology_read(&f->topology), 0);
}

static void segment_of(struct fixture *f, uint64_t bytes)
{
	const struct segment_options options = { .file_bytes = bytes, .group = -1, .topology = &f->topology };

	assert_int_equal(segment_create(&f->segment, f->cell.directory, &options, NULL), 0);
}

/* Each byte of the file in one part, which is whole extents. */
static void check_plan(const struct placement *plan, uint64_t file_bytes)
{
	uint64_t end = plan->interleaved.bytes;

	assert_in_range(plan->nodes, 1, MAX_NODES);
	assert_int_equal(plan->interleaved.offset, 0);
	assert_int_equal(plan->interleaved.os, NONE);
	for (unsigned k = 0; k < plan->nodes; k++) {
		assert_int_equal(plan->node[k].offset, end);
		assert_int_equal(plan->node[k].offset % EXTENT_BYTES, 0);
		assert_int_equal(plan->node[k].bytes, plan->node[0].bytes);
		assert_true(plan->node[k].bytes > 0);
		assert_ptr_equal(numa_part(plan, end), &plan->node[k]);
		assert_ptr_equal(numa_part(plan, end + plan->node[k].bytes - 1), &plan->node[k]);
		end += plan->node[k].bytes;
	}
	assert_int_equal(end, file_bytes);
}

static void test_a_plan_divides_all_bytes_among_the_nodes_and_everybody(void **state)
{
	static const char *const machines[] = { "numa:2 pu:1", "numa:3 core:2 pu:2", "pack:2 numa:2 l3:4 core:8 pu:2", "numa:64 pu:1" };
	struct fixture *f = *state;
	struct placement plan;

	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		topology_of(f, machines[m]);
		for (uint64_t bytes = EXTENT_BYTES; bytes <= (uint64_t)1 << 46; bytes = bytes * 3 / EXTENT_BYTES * EXTENT_BYTES) {
			numa_plan(&plan, &f->topology, bytes);
			check_plan(&plan, bytes);
			if (bytes < 2 * EXTENT_BYTES * f->topology.nnodes) {
				assert_int_equal(plan.nodes, 1);
				continue;
			}
			assert_int_equal(plan.nodes, f->topology.nnodes);
			assert_int_equal(plan.state, PLACEMENT_FOREIGN);
			assert_true(plan.interleaved.bytes >= bytes / 2);
			assert_int_equal(plan.node[plan.nodes - 1].os, plan.nodes - 1);
		}
	}
}

static void test_one_node_needs_no_plan(void **state)
{
	struct fixture *f = *state;
	struct placement plan;

	numa_plan(&plan, NULL, 64 * MIB);
	check_plan(&plan, 64 * MIB);
	assert_int_equal(plan.state, PLACEMENT_ONE);
	assert_int_equal(plan.interleaved.bytes, 0);
	topology_of(f, "core:4 pu:2");
	numa_plan(&plan, &f->topology, 64 * MIB);
	check_plan(&plan, 64 * MIB);
	assert_int_equal(plan.state, PLACEMENT_ONE);
}

static unsigned part_of(const struct segment *s, uint64_t offset)
{
	const struct placement_part *part = numa_part(&s->placement, offset);

	return part == &s->placement.interleaved ? NONE : (unsigned)(part - s->placement.node);
}

static void test_extents_come_from_the_part_asked_for(void **state)
{
	struct fixture *f = *state;

	topology_of(f, "numa:4 pu:1");
	segment_of(f, 64 * MIB);
	assert_int_equal(segment_nodes(&f->segment), 4);
	assert_int_equal(segment_alloc(&f->segment, 1), EXTENT_BYTES);
	for (unsigned round = 0; round < 4; round++)
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(part_of(&f->segment, segment_alloc_on(&f->segment, k, EXTENT_BYTES)), k);
	uint64_t offset = segment_alloc(&f->segment, 3 * EXTENT_BYTES);

	assert_int_equal(part_of(&f->segment, offset), NONE);
	segment_free(&f->segment, f->segment.placement.node[2].offset, EXTENT_BYTES);
	assert_int_equal(segment_alloc_on(&f->segment, 2, EXTENT_BYTES), f->segment.placement.node[2].offset);
}

static void test_a_part_that_is_used_up_borrows_from_others(void **state)
{
	struct fixture *f = *state;
	size_t extents = 0;

	topology_of(f, "numa:4 pu:1");
	segment_of(f, 64 * MIB);
	for (uint64_t offset; (offset = segment_alloc_on(&f->segment, 3, EXTENT_BYTES)) != 0; extents++)
		assert_int_equal(part_of(&f->segment, offset) == 3, extents < 4);
	assert_int_equal(extents, 31);
	segment_free(&f->segment, EXTENT_BYTES, 31 * EXTENT_BYTES);
	assert_int_equal(segment_alloc(&f->segment, 20 * EXTENT_BYTES), EXTENT_BYTES);
	assert_int_equal(segment_alloc(&f->segment, 12 * EXTENT_BYTES), 0);
	assert_int_equal(part_of(&f->segment, segment_alloc(&f->segment, 11 * EXTENT_BYTES)), 1);
	assert_int_equal(segment_alloc_on(&f->segment, 0, 1), 0);
}

static void test_others_find_the_plan_in_the_header(void **state)
{
	struct fixture *f = *state;

	topology_of(f, "numa:4 pu:1");
	segment_of(f, 64 * MIB);
	assert_memory_equal(&((const struct segment_header *)f->segment.base)->placement, &f->segment.placement,
			    sizeof(f->segment.placement));
}

/* Nodes 0 and 1 are said to be here; node 1 is not, on most machines. */
static void test_a_kernel_that_refuses_to_bind_does_not_keep_a_scheduler_from_its_work(void **state)
{
	struct fixture *f = *state;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || access("/sys/devices/system/node/node1", F_OK) == 0)
		skip();
	setenv("HWLOC_THISSYSTEM", "1", 1);
	topology_of(f, "numa:2 pu:1");
	assert_false(f->topology.foreign);
	if (f->topology.nnodes < 2)
		skip();
	segment_of(f, 64 * MIB);
	assert_int_equal(f->segment.placement.state, PLACEMENT_REFUSED);
	assert_true(f->segment.placement.error == EINVAL || f->segment.placement.error == EPERM || f->segment.placement.error == ENOSYS);
	uint64_t offset = segment_alloc_on(&f->segment, 1, EXTENT_BYTES);

	assert_int_equal(segment_populate(&f->segment, offset, EXTENT_BYTES), 0);
	memset(f->segment.base + offset, 1, EXTENT_BYTES);
}

/* As containers do. */
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

static int use_without_permission(struct fixture *f)
{
	const struct topology two = { .nnodes = 2, .node = { { .os = 0 }, { .os = 1 } } };
	const struct segment_options options = { .file_bytes = 64 * MIB, .group = -1, .topology = &two };
	struct segment *s = &f->segment;
	struct pages pages;

	if (placement_forbid())
		return 77;
	if (segment_create(s, f->cell.directory, &options, NULL))
		return 1;
	if (s->placement.state != PLACEMENT_REFUSED || s->placement.error != EPERM)
		return 2;
	if (segment_populate(s, segment_alloc_on(s, 1, EXTENT_BYTES), EXTENT_BYTES))
		return 3;
	if (pages_look(&pages, s->fd, s->base, &s->placement, &s->placement.node[1]) != -EPERM || pages.there != EXTENT_BYTES)
		return 4;
	segment_close(s);
	return 0;
}

static void test_without_permission_to_place_memory_all_else_works(void **state)
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

static void test_a_page_has_a_place_when_it_has_been_touched(void **state)
{
	struct fixture *f = *state;
	int os[3] = { -1, -1, -1 };

	assert_int_equal(topology_read(&f->topology), 0);
	segment_of(f, 64 * MIB);
	uint64_t offset = segment_alloc(&f->segment, EXTENT_BYTES);

	assert_int_equal(segment_populate(&f->segment, offset + PAGE_BYTES, PAGE_BYTES), 0);
	int err = numa_where(f->segment.base + offset, 3, os);

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
		TEST(test_a_plan_divides_all_bytes_among_the_nodes_and_everybody),
		TEST(test_one_node_needs_no_plan),
		TEST(test_extents_come_from_the_part_asked_for),
		TEST(test_a_part_that_is_used_up_borrows_from_others),
		TEST(test_others_find_the_plan_in_the_header),
		TEST(test_a_kernel_that_refuses_to_bind_does_not_keep_a_scheduler_from_its_work),
		TEST(test_without_permission_to_place_memory_all_else_works),
		TEST(test_a_page_has_a_place_when_it_has_been_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
