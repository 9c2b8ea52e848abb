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
	struct sums *s = context;

	s->done[i]++;
	atomic_fetch_add(&s->calls, 1);
}

static void run_with(unsigned n, unsigned nodes)
{
	struct sums *s = calloc(1, sizeof(*s));
	struct workers *w;

	assert_int_equal(workers_create(&w, n), 0);
	assert_int_equal(workers_count(w), n);
	for (size_t round = 1; round <= 200; round++) {
		size_t items = round % 7 == 0 ? round % 3 : ITEMS / round;

		atomic_store(&s->calls, 0);
		if (nodes == 1)
			workers_run(w, do_item, s, items);
		else
			workers_run_on(w, do_item, s, items, nodes);
		assert_int_equal(s->calls, items);
		for (size_t i = 0; i < ITEMS; i++) {
			assert_int_equal(s->done[i], i < items);
			s->done[i] = 0;
		}
	}
	workers_destroy(w);
	free(s);
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

struct meeting {		/* each item waits for all others, so that each worker does one */
	pthread_barrier_t all;
	unsigned node[4];	/* that the thread which did the item is bound to */
	const struct topology *topology;
};

static void meet(void *context, size_t i)
{
	struct meeting *m = context;
	cpu_set_t cpus;

	pthread_barrier_wait(&m->all);
	m->node[i] = UINT32_MAX;
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (unsigned k = 0; k < m->topology->nnodes; k++)
		if (CPU_EQUAL_S(m->topology->cpus_bytes, &cpus, m->topology->node[k].cpus))
			m->node[i] = k;
}

/* Two CPUs are said to be two nodes. The caller is not bound, and counts for node 0. */
static void test_threads_are_bound_to_nodes_and_do_what_is_theirs(void **state)
{
	struct meeting m;
	struct topology t;
	struct workers *w;

	(void)state;
	setenv("HWLOC_SYNTHETIC", "numa:2 pu:1", 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	assert_int_equal(topology_read(&t), 0);
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_THISSYSTEM");
	if (t.nnodes < 2) {
		topology_free(&t);
		skip();
	}
	m.topology = &t;
	pthread_barrier_init(&m.all, NULL, 4);
	assert_int_equal(workers_create(&w, 4), 0);
	assert_int_equal(workers_bind(w, &t), 0);
	for (int round = 0; round < 50; round++) {
		workers_run_on(w, meet, &m, 4, 2);
		assert_int_equal(m.node[1], 1);
		assert_int_equal(m.node[3], 1);
		assert_true(m.node[0] == 0 || m.node[2] == 0);
		assert_true(m.node[0] != 1 && m.node[2] != 1);
	}
	workers_destroy(w);
	pthread_barrier_destroy(&m.all);
	topology_free(&t);
}

static void test_nobody_is_bound_to_another_machine(void **state)
{
	struct topology t;
	struct workers *w;

	(void)state;
	setenv("HWLOC_SYNTHETIC", "numa:4 pu:64", 1);
	assert_int_equal(topology_read(&t), 0);
	unsetenv("HWLOC_SYNTHETIC");
	assert_int_equal(workers_create(&w, 4), 0);
	assert_int_equal(workers_bind(w, &t), 0);
	workers_destroy(w);
	topology_free(&t);
}

static void test_nobody_is_no_worker(void **state)
{
	struct workers *w;

	(void)state;
	assert_int_equal(workers_create(&w, 0), -EINVAL);
	workers_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_item_is_done_once_by_any_number_of_workers),
		cmocka_unit_test(test_each_item_is_done_once_on_any_number_of_nodes),
		cmocka_unit_test(test_threads_are_bound_to_nodes_and_do_what_is_theirs),
		cmocka_unit_test(test_nobody_is_bound_to_another_machine),
		cmocka_unit_test(test_nobody_is_no_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
