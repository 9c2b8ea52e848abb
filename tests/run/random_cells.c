/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random cells, computed by tickets/ and urgency/ and by the naive implementation: equal to the
 * last bit. FAIRLEAD_SEED=n sets the seed, FAIRLEAD_CELLS=n the number of cells.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/naive/cells.h"

/* Compare both implementations. `change` is applied to the cells first; NULL: unchanged. */
static void cells_agree(const char *what, size_t cells, size_t size, void (*change)(struct naive_cell *cell))
{
	uint64_t seed = seed_get(what);
	for (size_t i = 0; i < cells_wanted(cells); i++, seed++) {
		struct naive_cell *real = cell_random(seed, size), *naive = cell_random(seed, size);
		char text[200];
		if (change)
			change(real);
		if (change)
			change(naive);
		naive_run(naive);
		real_run(real);
		if (cells_differ(real, naive, text, sizeof(text)))
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": real and naive differ: %s", seed, text);
		naive_cell_free(real);
		naive_cell_free(naive);
	}
}

static void test_tiny_cells_agree_with_the_naive_implementation(void **state)
{
	(void)state;
	cells_agree("tiny cells", 3000, 6, NULL);
}

static void test_small_cells_agree_with_the_naive_implementation(void **state)
{
	(void)state;
	cells_agree("small cells", 1500, 25, NULL);
}

static void test_cells_of_some_hundred_tasks_agree_with_the_naive_implementation(void **state)
{
	(void)state;
	cells_agree("larger cells", 500, 400, NULL);
}

/*
 * Give each project, department and user override tickets. All pending jobs are connected, in up to
 * some hundred groups.
 */
static void override_everywhere(struct naive_cell *cell)
{
	cell->share_override = true;
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < cell->nobjects[k]; i++)
			cell->objects[k][i].oticket += 100;
}

static void test_cells_with_override_tickets_everywhere_agree_too(void **state)
{
	(void)state;
	cells_agree("override tickets everywhere", 300, 400, override_everywhere);
}

/* Several threads rank nodes of the same depth and pick from components of queues in parallel. */
static void test_cells_computed_by_some_threads_agree_too(void **state)
{
	(void)state;
	real_workers(4);
	cells_agree("cells of some threads", 400, 250, NULL);
	real_workers(1);
}

/*
 * Create two users with one override ticket each, whose jobs have 2^32 - 1 of their own. After some
 * hundred tasks the users' tickets no longer make a difference in the sum, and the job number
 * decides. Their department's tickets show the order in which they were picked.
 */
static struct naive_cell *rounded_cell(void)
{
	struct naive_cell *cell = cell_new(4);
	cell->T_share = cell->T_func = 0;
	cell->share_override = true;
	cell_object(cell, NAIVE_USER, "u", 0, 1, 0);
	cell_object(cell, NAIVE_USER, "v", 0, 1, 0);
	cell_object(cell, NAIVE_DEPARTMENT, "d", 0, 1000, 0);
	for (uint32_t number = 1; number <= 2; number++) {
		struct naive_job *job = cell_job(cell, number, (int)number - 1, -1, 0, 2500);
		job->override_tickets = UINT32_MAX;
		job->department = 0;
	}
	return cell;
}

/*
 * Create each project once with and once without -ot, all in a department with tickets of its own.
 * Each pick lowers all of them by the same amount.
 */
static struct naive_cell *even_cell(void)
{
	struct naive_cell *cell = cell_new(20 * CELL_OBJECTS);
	char name[24];
	cell->T_share = cell->T_func = 0;
	cell_object(cell, NAIVE_DEPARTMENT, "d", 0, 1000000, 0);
	for (int p = 0; p < CELL_OBJECTS; p++) {
		snprintf(name, sizeof(name), "p%d", p);
		cell_object(cell, NAIVE_PROJECT, name, 0, 100, 0);
	}
	for (uint32_t number = 1; number <= 20 * CELL_OBJECTS; number++) {
		struct naive_job *job = cell_job(cell, number, -1, (int)(number % CELL_OBJECTS), 0, 1);
		job->department = 0;
		job->override_tickets = number / CELL_OBJECTS % 2 * 10;
	}
	return cell;
}

static void cell_agrees(struct naive_cell *(*make)(void))
{
	struct naive_cell *real = make(), *naive = make();
	char text[200];
	naive_run(naive);
	real_run(real);
	if (cells_differ(real, naive, text, sizeof(text)))
		fail_msg("real and naive differ: %s", text);
	naive_cell_free(real);
	naive_cell_free(naive);
}

static void test_override_tickets_that_differ_by_less_than_rounding_agree_too(void **state)
{
	(void)state;
	cell_agrees(rounded_cell);
}

static void test_override_tickets_of_many_that_fall_together_agree_too(void **state)
{
	(void)state;
	cell_agrees(even_cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tiny_cells_agree_with_the_naive_implementation),
		cmocka_unit_test(test_small_cells_agree_with_the_naive_implementation),
		cmocka_unit_test(test_cells_of_some_hundred_tasks_agree_with_the_naive_implementation),
		cmocka_unit_test(test_cells_with_override_tickets_everywhere_agree_too),
		cmocka_unit_test(test_cells_computed_by_some_threads_agree_too),
		cmocka_unit_test(test_override_tickets_that_differ_by_less_than_rounding_agree_too),
		cmocka_unit_test(test_override_tickets_of_many_that_fall_together_agree_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
