/* SPDX-License-Identifier: Apache-2.0 */
/* The picks of override tickets, as a witness records them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tickets/calculate.h"

enum { TASKS = 3, CLASSES_MOST = 2 };

/*
 * Distribute override tickets to three pending tasks of users 0 and 1 with 60 and 90 tickets. All
 * are in a project with 30 tickets. Tasks 0 and 1 are in the first class. Task 2 is in the last one.
 */
static void pick(uint32_t nclasses, struct pick_witness *witness, double *override)
{
	static const struct ticket_params params = { .share_override_tickets = true, .policy_hierarchy = "O" };
	struct sharer users[] = { { .oticket = 60 }, { .oticket = 90 } }, project = { .oticket = 30 };
	struct sharers sharers = { .items = { users, &project }, .n = { 2, 1 } };
	uint32_t order[] = { 0, 1 }, job[TASKS] = { 0, 1, 2 }, weight[TASKS] = { 1, 1, 1 };
	double functional[TASKS] = { 0 }, share_tree[TASKS] = { 0 }, accumulated[TASKS] = { 0 };
	struct ticket_class items[CLASSES_MOST];
	struct ticket_classes classes = { items, nclasses, order, nclasses };
	struct ticket_tasks running = { 0 };
	struct pending_tasks pending = { .n = TASKS, .job = job, .weight = weight, .override = override,
					 .functional = functional, .share_tree = share_tree,
					 .accumulated = accumulated };
	struct ticket_scratch scratch = { .witness = witness };
	struct ticket_totals totals;

	for (uint32_t i = 0; i < CLASSES_MOST; i++)
		items[i] = (struct ticket_class){ .sharer = { i, 0, TICKETS_NONE },
						  .node = TICKETS_NONE,
						  .pending = i == 0 ? 2 : 1,
						  .begin = i == 0 ? 0 : 2 };
	items[0].pending = nclasses == 1 ? TASKS : 2;
	assert_int_equal(tickets_calculate(&params, &sharers, &classes, NULL, &running, &pending, &scratch, &totals),
			 0);
	assert_false(witness->override.lost);
	ticket_scratch_free(&scratch);
}

static void test_tasks_of_one_class_are_picked_in_their_order(void **state)
{
	struct pick_witness witness = { 0 };
	double override[TASKS];

	(void)state;
	pick(1, &witness, override);
	assert_int_equal(witness.override.n, TASKS);
	for (uint32_t i = 0; i < TASKS; i++)
		assert_int_equal(witness.override.tasks[i], i);
	assert_true(override[0] == 90 && override[1] == 45 && override[2] == 30);
	free(witness.override.tasks);
}

static void test_the_task_with_most_tickets_is_picked_first(void **state)
{
	static const uint32_t expected[TASKS] = { 2, 0, 1 };
	struct pick_witness witness = { 0 };
	double override[TASKS];

	(void)state;
	pick(2, &witness, override);
	assert_int_equal(witness.override.n, TASKS);
	for (uint32_t i = 0; i < TASKS; i++)
		assert_int_equal(witness.override.tasks[i], expected[i]);
	assert_true(override[0] == 75 && override[1] == 40 && override[2] == 120);
	free(witness.override.tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks_of_one_class_are_picked_in_their_order),
		cmocka_unit_test(test_the_task_with_most_tickets_is_picked_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
