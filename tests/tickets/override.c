/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"

/*
 * Create a user, project and department with 300, 60 and 12 override tickets and no other tickets.
 */
static struct naive_cell *override_cell(bool shared)
{
	struct naive_cell *cell = cell_new(8);
	cell->T_share = cell->T_func = 0;
	cell->share_override = shared;
	cell_object(cell, NAIVE_USER, "u", 0, 300, 0);
	cell_object(cell, NAIVE_PROJECT, "p", 0, 60, 0);
	cell_object(cell, NAIVE_DEPARTMENT, "d", 0, 12, 0);
	return cell;
}

static void test_shared_tickets_are_divided_by_the_tasks_that_count(void **state)
{
	struct naive_cell *cell = override_cell(true);
	cell_job(cell, 1, 0, -1, 1, 0);
	cell_job(cell, 2, 0, -1, 1, 0);
	cell_job(cell, 3, 0, -1, 0, 1);
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].O, 150);
	CHECK(cell->jobs[1].running[0].O, 150);
	CHECK(cell->jobs[2].pending[0].O, 100);
	naive_cell_free(cell);
}

static void test_shared_override_tickets_are_divided_among_pending_tasks(void **state)
{
	struct naive_cell *cell = override_cell(true);
	cell_job(cell, 1, 0, -1, 0, 3);
	compute(state, cell);
	CHECK(cell->jobs[0].pending[0].O, 300);
	CHECK(cell->jobs[0].pending[1].O, 150);
	CHECK(cell->jobs[0].pending[2].O, 100);
	naive_cell_free(cell);
}

static void test_unshared_tickets_are_granted_in_full_to_every_task(void **state)
{
	struct naive_cell *cell = override_cell(false);
	cell_job(cell, 1, 0, 0, 2, 2)->department = 0;
	compute(state, cell);
	for (int i = 0; i < 2; i++) {
		CHECK(cell->jobs[0].running[i].O, 372);
		CHECK(cell->jobs[0].pending[i].O, 372);
	}
	naive_cell_free(cell);
}

static void test_a_jobs_own_tickets_are_never_divided(void **state)
{
	struct naive_cell *cell = override_cell(true);
	cell_job(cell, 1, 0, 0, 2, 1)->override_tickets = 5;
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].O, 185);
	CHECK(cell->jobs[0].running[1].O, 185);
	CHECK(cell->jobs[0].pending[0].O, 125);
	naive_cell_free(cell);
}

static void test_a_task_without_override_tickets_gets_none(void **state)
{
	struct naive_cell *cell = override_cell(true);
	cell_job(cell, 1, -1, -1, 1, 1);
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].O, 0);
	CHECK(cell->jobs[0].pending[0].O, 0);
	naive_cell_free(cell);
}

/* The largest is served first. Among equals the smaller job number decides, not the submission. */
static void test_equal_candidates_are_sorted_by_number_instead_of_submission(void **state)
{
	struct naive_cell *cell = override_cell(true);
	cell->hierarchy = "";
	cell_job(cell, 8, 0, -1, 0, 1)->submit = 5;
	cell_job(cell, 7, 0, 0, 0, 1)->submit = 9;
	cell->objects[NAIVE_PROJECT][0].oticket = 0;
	cell_job(cell, 9, 0, -1, 0, 1)->override_tickets = 1;
	compute(state, cell);
	CHECK(cell->jobs[2].pending[0].O, 301);
	CHECK(cell->jobs[0].pending[0].O, 150);
	CHECK(cell->jobs[1].pending[0].O, 100);
	naive_cell_free(cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_shared_tickets_are_divided_by_the_tasks_that_count),
		BOTH(test_shared_override_tickets_are_divided_among_pending_tasks),
		BOTH(test_unshared_tickets_are_granted_in_full_to_every_task),
		BOTH(test_a_jobs_own_tickets_are_never_divided),
		BOTH(test_a_task_without_override_tickets_gets_none),
		BOTH(test_equal_candidates_are_sorted_by_number_instead_of_submission),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
