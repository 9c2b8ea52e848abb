/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at any single allocation of a share tree or of a run of the ticket policies,
 * the function fails with -ENOMEM. Repeated with memory, it has the same results. No memory leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tickets/calculate.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

enum { USERS = 300, PROJECTS = 2, CLASSES = USERS, PENDING = 3 * CLASSES, RUNNING = CLASSES };
enum { PLAIN_PROJECT, DEFAULT_PROJECT };

/* Root with three users, a project with a user, and a project whose users reach `default`. */
static const struct share_tree_node tree_nodes[] = {
	{ TICKETS_NONE, TICKETS_NONE, TICKETS_NONE, 1, false },
	{ 0, 0, TICKETS_NONE, 10, false },
	{ 0, 1, TICKETS_NONE, 20, false },
	{ 0, 2, TICKETS_NONE, 30, false },
	{ 0, TICKETS_NONE, PLAIN_PROJECT, 40, false },
	{ 4, 3, TICKETS_NONE, 50, false },
	{ 0, TICKETS_NONE, DEFAULT_PROJECT, 60, false },
	{ 6, TICKETS_NONE, TICKETS_NONE, 70, true },
};

struct results {
	struct tickets running[RUNNING];
	double columns[4][PENDING];
	uint32_t nodes[CLASSES];
	struct ticket_totals totals;
};

struct problem {
	struct sharer sharers[SHARER_KINDS][USERS];
	struct ticket_class classes[CLASSES];
	uint32_t order[CLASSES], running_class[RUNNING], weight[PENDING], job[PENDING];
};

static const struct ticket_params params = { .share_tickets = 10000,
					     .functional_tickets = 5000,
					     .weight_user = 0.5,
					     .weight_project = 0.25,
					     .weight_department = 0.125,
					     .weight_job = 0.125,
					     .compensation_factor = 5,
					     .share_functional_shares = true,
					     .share_override_tickets = true,
					     .max_functional_jobs_to_schedule = 200,
					     .policy_hierarchy = "OFS" };

static void problem_make(struct problem *problem)
{
	memset(problem, 0, sizeof(*problem));
	for (uint32_t i = 0; i < USERS; i++)
		for (int kind = 0; kind < SHARER_KINDS; kind++)
			problem->sharers[kind][i] =
				(struct sharer){ .oticket = 10 * i + (uint32_t)kind, .fshare = 5 + i };
	for (uint32_t i = 0; i < CLASSES; i++) {
		uint32_t project = i < 3 ? TICKETS_NONE : i == 3 ? PLAIN_PROJECT : DEFAULT_PROJECT;

		problem->classes[i] = (struct ticket_class){ .sharer = { i, project, i % 2 },
							     .node = TICKETS_NONE,
							     .running = RUNNING / CLASSES,
							     .pending = PENDING / CLASSES,
							     .begin = i * (PENDING / CLASSES) };
		problem->order[i] = problem->running_class[i] = i;
	}
	for (uint32_t i = 0; i < PENDING; i++) {
		problem->job[i] = i;
		problem->weight[i] = 1;
	}
}

static double usage_of(void *context, uint32_t object)
{
	(void)context;
	return 100.0 * (object + 1);
}

static double usage_within(void *context, uint32_t user, uint32_t project)
{
	(void)context;
	return 10.0 * (user + 1) + project;
}

/* Assign the nodes of all classes, set the usage, and calculate. */
static int calculate(struct share_tree *tree, struct ticket_scratch *scratch, struct results *results)
{
	static const struct sharetree_sources sources = { usage_of, usage_within, usage_of, NULL };
	static struct problem problem;
	struct sharers sharers;
	struct ticket_classes classes = { problem.classes, CLASSES, problem.order, CLASSES };
	struct ticket_tasks running = { RUNNING, problem.running_class, problem.weight, results->running };
	struct pending_tasks pending = { .n = PENDING,
					 .job = problem.job,
					 .weight = problem.weight,
					 .override = results->columns[0],
					 .functional = results->columns[1],
					 .share_tree = results->columns[2],
					 .accumulated = results->columns[3] };

	problem_make(&problem);
	for (int kind = 0; kind < SHARER_KINDS; kind++) {
		sharers.items[kind] = problem.sharers[kind];
		sharers.n[kind] = kind == SHARER_PROJECT ? PROJECTS : USERS;
	}
	sharetree_reset(tree);
	for (uint32_t i = 0; i < CLASSES; i++) {
		struct ticket_class *class = &problem.classes[i];
		int rc = sharetree_assign(tree, class->sharer[SHARER_USER], class->sharer[SHARER_PROJECT], &class->node);

		if (rc)
			return rc;
		results->nodes[i] = class->node;
	}
	sharetree_usage(tree, &sources);
	return tickets_calculate(&params, &sharers, &classes, tree, &running, &pending, scratch, &results->totals);
}

static int build(struct share_tree *tree)
{
	int rc = sharetree_build(tree, tree_nodes, sizeof(tree_nodes) / sizeof(*tree_nodes), PROJECTS);

	if (rc)
		sharetree_free(tree);
	return rc;
}

static void expect(struct results *expected)
{
	struct share_tree tree = { 0 };
	struct ticket_scratch scratch = { 0 };

	memset(expected, 0, sizeof(*expected));
	assert_int_equal(build(&tree), 0);
	assert_int_equal(calculate(&tree, &scratch, expected), 0);
	assert_true(expected->totals.max > 0);
	sharetree_free(&tree);
	ticket_scratch_free(&scratch);
}

static void test_a_tree_is_built_or_refused_at_each_allocation(void **state)
{
	struct share_tree tree = { 0 };
	long allocations = -1, before = alive;
	int rc;

	(void)state;
	do {
		left = ++allocations;
		rc = build(&tree);
		left = -1;
		assert_true(rc == 0 || rc == -ENOMEM);
		if (rc)
			assert_int_equal(alive, before);
	} while (rc);
	assert_true(allocations > 4);
	assert_int_equal(tree.n, sizeof(tree_nodes) / sizeof(*tree_nodes));
	sharetree_free(&tree);
	assert_int_equal(alive, before);
}

/* The copies of `default` and the memory of the calculation grow while they are used. */
static void test_a_run_has_the_same_results_after_each_failed_allocation(void **state)
{
	static struct results expected, results;
	long allocations = -1, before = alive;
	int rc;

	(void)state;
	expect(&expected);
	do {
		struct share_tree tree = { 0 };
		struct ticket_scratch scratch = { 0 };

		memset(&results, 0, sizeof(results));
		assert_int_equal(build(&tree), 0);
		left = ++allocations;
		rc = calculate(&tree, &scratch, &results);
		left = -1;
		assert_true(rc == 0 || rc == -ENOMEM);
		if (rc)
			assert_int_equal(calculate(&tree, &scratch, &results), 0);
		assert_memory_equal(&results, &expected, sizeof(results));
		sharetree_free(&tree);
		ticket_scratch_free(&scratch);
		assert_int_equal(alive, before);
	} while (rc);
	assert_true(allocations > 20);
}

/*
 * A record of picks that is incomplete says so, and the tickets are the same. Sorting needs memory,
 * too, but does without.
 */
static void test_a_record_of_picks_without_memory_is_lost(void **state)
{
	static struct results expected, results;
	struct share_tree tree = { 0 };
	struct ticket_scratch scratch = { 0 };
	struct pick_witness witness = { 0 };

	(void)state;
	expect(&expected);
	memset(&results, 0, sizeof(results));
	assert_int_equal(build(&tree), 0);
	assert_int_equal(calculate(&tree, &scratch, &results), 0);
	scratch.witness = &witness;
	for (long allocations = 0; !witness.override.lost && allocations < 100; allocations++) {
		free(witness.override.tasks);
		free(witness.functional.tasks);
		witness = (struct pick_witness){ 0 };
		left = allocations;
		assert_int_equal(calculate(&tree, &scratch, &results), 0);
		left = -1;
		assert_memory_equal(&results, &expected, sizeof(results));
	}
	assert_true(witness.override.lost);
	assert_false(witness.functional.lost);
	assert_int_equal(witness.override.n, 0);
	free(witness.override.tasks);
	free(witness.functional.tasks);
	sharetree_free(&tree);
	ticket_scratch_free(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tree_is_built_or_refused_at_each_allocation),
		cmocka_unit_test(test_a_run_has_the_same_results_after_each_failed_allocation),
		cmocka_unit_test(test_a_record_of_picks_without_memory_is_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
