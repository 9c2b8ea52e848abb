/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shm/workers.h"

#define ITEMS 10000

struct sums {
	uint32_t done[ITEMS];		/* how often each item was done */
	_Atomic size_t calls;
};

static void do_item(void *context, size_t i)
{
	struct sums *sums = context;

	sums->done[i]++;
	atomic_fetch_add(&sums->calls, 1);
}

static void run_with(unsigned n, unsigned nodes)
{
	struct sums *sums = calloc(1, sizeof(*sums));
	struct workers *workers;

	assert_int_equal(workers_create(&workers, n), 0);
	assert_int_equal(workers_count(workers), n);
	for (size_t round = 1; round <= 200; round++) {
		size_t items = round % 7 == 0 ? round % 3 : ITEMS / round;

		atomic_store(&sums->calls, 0);
		if (nodes == 1)
			workers_run(workers, do_item, sums, items);
		else
			workers_run_on(workers, do_item, sums, items, nodes);
		assert_int_equal(sums->calls, items);
		for (size_t i = 0; i < ITEMS; i++) {
			assert_int_equal(sums->done[i], i < items);
			sums->done[i] = 0;
		}
	}
	workers_destroy(workers);
	free(sums);
}

static void test_each_item_is_done_once_by_any_number_of_workers(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 7; n++)
		run_with(n, 1);
}

static void test_each_item_is_done_once_on_any_number_of_nodes(void **state)
{
	static const unsigned nodes[] = { 2, 3, 4, 9, MAX_NODES, 1000 };

	(void)state;
	for (size_t k = 0; k < sizeof(nodes) / sizeof(nodes[0]); k++) {
		run_with(2, nodes[k]);
		run_with(5, nodes[k]);
	}
}

struct meeting {		/* an item waits for all other items, so that each worker processes one */
	pthread_barrier_t all;
	unsigned node[4];	/* node to which the thread that did the item is bound */
	const struct topology *topology;
};

static void meet(void *context, size_t i)
{
	struct meeting *meeting = context;
	cpu_set_t cpus;

	pthread_barrier_wait(&meeting->all);
	meeting->node[i] = UINT32_MAX;
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (unsigned k = 0; k < meeting->topology->nnodes; k++)
		if (CPU_EQUAL_S(meeting->topology->cpus_bytes, &cpus, meeting->topology->node[k].cpus))
			meeting->node[i] = k;
}

/* Two CPUs are simulated as two nodes. The caller is not bound and counts for node 0. */
static void test_threads_are_bound_to_nodes_and_do_their_own_work(void **state)
{
	struct meeting meeting;
	struct topology topology;
	struct workers *workers;

	(void)state;
	setenv("HWLOC_SYNTHETIC", "numa:2 pu:1", 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	assert_int_equal(topology_read(&topology), 0);
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_THISSYSTEM");
	if (topology.nnodes < 2) {
		topology_free(&topology);
		skip();
	}
	meeting.topology = &topology;
	pthread_barrier_init(&meeting.all, NULL, 4);
	assert_int_equal(workers_create(&workers, 4), 0);
	assert_int_equal(workers_bind(workers, &topology), 0);
	for (int round = 0; round < 50; round++) {
		workers_run_on(workers, meet, &meeting, 4, 2);
		assert_int_equal(meeting.node[1], 1);
		assert_int_equal(meeting.node[3], 1);
		assert_true(meeting.node[0] == 0 || meeting.node[2] == 0);
		assert_true(meeting.node[0] != 1 && meeting.node[2] != 1);
	}
	workers_destroy(workers);
	pthread_barrier_destroy(&meeting.all);
	topology_free(&topology);
}

static void test_threads_are_not_bound_to_another_machine(void **state)
{
	struct topology topology;
	struct workers *workers;

	(void)state;
	setenv("HWLOC_SYNTHETIC", "numa:4 pu:64", 1);
	assert_int_equal(topology_read(&topology), 0);
	unsetenv("HWLOC_SYNTHETIC");
	assert_int_equal(workers_create(&workers, 4), 0);
	assert_int_equal(workers_bind(workers, &topology), 0);
	workers_destroy(workers);
	topology_free(&topology);
}

static void test_a_pool_of_no_workers_is_refused(void **state)
{
	struct workers *workers;

	(void)state;
	assert_int_equal(workers_create(&workers, 0), -EINVAL);
	workers_destroy(workers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_item_is_done_once_by_any_number_of_workers),
		cmocka_unit_test(test_each_item_is_done_once_on_any_number_of_nodes),
		cmocka_unit_test(test_threads_are_bound_to_nodes_and_do_their_own_work),
		cmocka_unit_test(test_threads_are_not_bound_to_another_machine),
		cmocka_unit_test(test_a_pool_of_no_workers_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
