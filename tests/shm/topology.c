/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm/topology.h"

static const char *const variables[] = { "HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_THISSYSTEM" };

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	return 0;
}

static void read_synthetic(struct topology *topology, const char *description)
{
	setenv("HWLOC_SYNTHETIC", description, 1);
	assert_int_equal(topology_read(topology), 0);
}

static void test_this_machine_has_a_node_with_the_cpus_we_run_on(void **state)
{
	struct topology topology;
	cpu_set_t ours;
	unsigned n = 0;

	(void)state;
	assert_int_equal(topology_read(&topology), 0);
	assert_true(topology.nnodes >= 1);
	assert_false(topology.foreign);
	for (unsigned k = 0; k < topology.nnodes; k++)
		n += topology.node[k].ncpus;
	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	assert_int_equal(n, CPU_COUNT(&ours));
	topology_free(&topology);
}

static void test_a_synthetic_machine_is_foreign(void **state)
{
	struct topology topology;

	(void)state;
	read_synthetic(&topology, "pack:2 numa:2 l3:4 core:8 pu:2");
	assert_true(topology.foreign);
	assert_int_equal(topology.nnodes, 4);
	for (unsigned k = 0; k < 4; k++) {
		assert_int_equal(topology.node[k].os, k);
		assert_int_equal(topology.node[k].ncpus, 64);
		assert_int_equal(topology.node[k].memory_bytes, 1 << 30);
		assert_int_equal(CPU_COUNT_S(topology.cpus_bytes, topology.node[k].cpus), 64);
		assert_true(CPU_ISSET_S(64 * k, topology.cpus_bytes, topology.node[k].cpus));
	}
	topology_free(&topology);
	assert_int_equal(topology.nnodes, 1);
	topology_free(&topology);
}

static void test_a_machine_without_nodes_is_one_node(void **state)
{
	struct topology topology;

	(void)state;
	read_synthetic(&topology, "core:4 pu:2");
	assert_int_equal(topology.nnodes, 1);
	assert_int_equal(topology.node[0].ncpus, 8);
	topology_free(&topology);
}

static void test_memory_beside_the_memory_of_the_same_cpus_is_no_node(void **state)
{
	struct topology topology;

	(void)state;
	read_synthetic(&topology, "pack:2 [numa(memory=64GB)] [numa(memory=16GB)] core:4 pu:1");
	assert_int_equal(topology.nnodes, 2);
	assert_int_equal(topology.node[0].os, 0);
	assert_int_equal(topology.node[1].os, 2);
	assert_true(topology.node[1].memory_bytes > (uint64_t)32 << 30);
	topology_free(&topology);
}

static void test_nodes_beyond_the_known_maximum_are_left_out(void **state)
{
	struct topology topology;

	(void)state;
	read_synthetic(&topology, "numa:80 pu:1");
	assert_int_equal(topology.nnodes, MAX_NODES);
	topology_free(&topology);
}

/*
 * Nodes with a CPU each. Nodes 0 and 8 are ordinary. Node 2 has no memory, so its CPU goes to node
 * 5, whose memory is near to all CPUs. Node 3 has a CPU on which we may not run. (hwloc reads files
 * with comments only if its plugins are installed.)
 */
static void test_nodes_without_usable_cpus_or_memory_are_left_out(void **state)
{
	struct topology topology;

	(void)state;
	if (access("tests/shm/topo/odd-nodes.xml", R_OK))
		skip();
	setenv("HWLOC_XMLFILE", "tests/shm/topo/odd-nodes.xml", 1);
	assert_int_equal(topology_read(&topology), 0);
	assert_true(topology.foreign);
	assert_int_equal(topology.nnodes, 3);
	assert_int_equal(topology.node[0].os, 0);
	assert_int_equal(topology.node[1].os, 8);
	assert_int_equal(topology.node[2].os, 5);
	for (int k = 0; k < 3; k++) {
		assert_int_equal(topology.node[k].ncpus, 1);
		assert_true(CPU_ISSET_S(k, topology.cpus_bytes, topology.node[k].cpus));
	}
	topology_free(&topology);
}

/*
 * Run in a child, because affinity stays. The machine may have a single node only, so another CPU
 * is treated as one.
 */
static int read_bound_to_one_cpu(void)
{
	struct topology topology;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return 77;
	setenv("HWLOC_SYNTHETIC", "numa:2 pu:1", 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	if (topology_read(&topology) || topology.foreign)
		return 1;
	return topology.nnodes != 1 || topology.node[0].ncpus != 1;
}

static void test_cpus_forbidden_by_affinity_are_left_out(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(read_bound_to_one_cpu());
	waitpid(pid, &status, 0);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static void test_a_topology_that_can_not_be_read_is_one_node(void **state)
{
	struct topology topology;

	(void)state;
	setenv("HWLOC_XMLFILE", "tests/topo/none.xml", 1);
	topology_read(&topology);
	assert_int_equal(topology.nnodes, 1);
	topology_free(&topology);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_this_machine_has_a_node_with_the_cpus_we_run_on),
		TEST(test_a_synthetic_machine_is_foreign),
		TEST(test_a_machine_without_nodes_is_one_node),
		TEST(test_memory_beside_the_memory_of_the_same_cpus_is_no_node),
		TEST(test_nodes_beyond_the_known_maximum_are_left_out),
		TEST(test_nodes_without_usable_cpus_or_memory_are_left_out),
		TEST(test_cpus_forbidden_by_affinity_are_left_out),
		TEST(test_a_topology_that_can_not_be_read_is_one_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
