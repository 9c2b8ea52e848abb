/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"

enum { U1, U2 };

/* Create two users with 100 and 300 functional shares and only functional tickets. */
static struct naive_cell *two_users(void)
{
	struct naive_cell *cell = cell_new(8);
	cell->T_share = 0;
	cell_object(cell, NAIVE_USER, "u1", 100, 0, 0);
	cell_object(cell, NAIVE_USER, "u2", 300, 0, 0);
	return cell;
}

static double pending_f(const struct naive_cell *cell, size_t job)
{
	return cell->jobs[job].pending[0].F;
}

static void test_shared_shares_shrink_with_each_task_of_a_user(void **state)
{
	struct naive_cell *cell = two_users();
	cell_job(cell, 1, U1, -1, 0, 1);
	cell_job(cell, 2, U1, -1, 0, 1);
	cell_job(cell, 3, U2, -1, 0, 1);
	cell_job(cell, 4, U2, -1, 0, 1);
	compute(state, cell);
	CHECK(pending_f(cell, 2), 2500);
	CHECK(pending_f(cell, 3), 1250);
	CHECK(pending_f(cell, 0), 625);
	CHECK(pending_f(cell, 1), 312.5);
	naive_cell_free(cell);
}

static void test_unshared_shares_enlarge_the_sum_with_each_task(void **state)
{
	struct naive_cell *cell = two_users();
	cell->share_functional = false;
	cell_job(cell, 1, U1, -1, 0, 1);
	cell_job(cell, 2, U1, -1, 0, 1);
	cell_job(cell, 3, U2, -1, 0, 1);
	cell_job(cell, 4, U2, -1, 0, 1);
	compute(state, cell);
	CHECK(pending_f(cell, 2), 2500);
	CHECK(pending_f(cell, 3), 1250);
	CHECK(pending_f(cell, 0), 357.14285714285717);
	CHECK(pending_f(cell, 1), 312.5);
	naive_cell_free(cell);
}

static void test_running_task_gets_all_by_weights_of_used_kinds_only(void **state)
{
	struct naive_cell *cell = two_users();
	cell_job(cell, 1, U1, -1, 1, 0);
	cell_job(cell, 2, U1, -1, 0, 1);
	cell_job(cell, 3, U2, -1, 0, 1);
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].F, 10000);
	CHECK(pending_f(cell, 2), 1875);
	CHECK(pending_f(cell, 1), 312.5);
	naive_cell_free(cell);
}

static void test_a_kind_without_shares_takes_no_part_of_the_weights(void **state)
{
	struct naive_cell *cell = two_users();
	int without = cell_object(cell, NAIVE_USER, "u3", 0, 0, 0);
	int project = cell_object(cell, NAIVE_PROJECT, "p1", 100, 0, 0);
	cell_job(cell, 1, without, project, 1, 0);
	cell_job(cell, 2, without, project, 1, 0);
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].F, 5000);
	CHECK(cell->jobs[1].running[0].F, 5000);
	naive_cell_free(cell);
}

static void test_weights_of_zero_give_no_tickets(void **state)
{
	struct naive_cell *cell = two_users();
	cell->w_user = cell->w_dept = cell->w_proj = cell->w_job = 0;
	cell_job(cell, 1, U1, -1, 1, 1);
	cell_job(cell, 2, U2, -1, 0, 1);
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].F, 0);
	CHECK(pending_f(cell, 0), 0);
	CHECK(pending_f(cell, 1), 0);
	naive_cell_free(cell);
}

static void test_job_shares_are_a_kind_of_their_own(void **state)
{
	struct naive_cell *cell = two_users();
	cell_job(cell, 1, U1, -1, 0, 1);
	cell_job(cell, 2, U1, -1, 0, 1)->jobshare = 50;
	cell_job(cell, 3, U2, -1, 0, 1)->jobshare = 150;
	compute(state, cell);
	CHECK(pending_f(cell, 2), 5000);
	CHECK(pending_f(cell, 1), 1250);
	CHECK(pending_f(cell, 0), 312.5);
	naive_cell_free(cell);
}

/* A task that was not picked keeps an estimate divided by a thousandth, as in Grid Engine. */
static void test_tasks_beyond_the_limit_keep_the_estimate_of_their_kind(void **state)
{
	struct naive_cell *cell = two_users();
	cell->max_functional = 1;
	cell->hierarchy = "";
	cell_job(cell, 1, U1, -1, 0, 2);
	cell_job(cell, 2, U2, -1, 0, 1);
	compute(state, cell);
	CHECK(pending_f(cell, 1), 2500);
	CHECK(cell->jobs[0].pending[0].F, 250000000);
	CHECK(cell->jobs[0].pending[1].F, 250000000);
	CHECK(cell->max_tix, 250000000);
	naive_cell_free(cell);
}

static void test_a_limit_of_zero_leaves_pending_tasks_without_functional_tickets(void **state)
{
	struct naive_cell *cell = two_users();
	cell->max_functional = 0;
	cell_job(cell, 1, U1, -1, 0, 2);
	cell_job(cell, 2, U2, -1, 1, 1);
	compute(state, cell);
	CHECK(cell->jobs[0].pending[1].F, 0);
	CHECK(pending_f(cell, 1), 0);
	CHECK(cell->jobs[1].running[0].F, 10000);
	naive_cell_free(cell);
}

static void test_tasks_without_any_share_get_no_tickets(void **state)
{
	struct naive_cell *cell = two_users();
	int nobody = cell_object(cell, NAIVE_USER, "u3", 0, 0, 0);
	cell_job(cell, 1, nobody, -1, 0, 1);
	cell_job(cell, 2, -1, -1, 0, 1);
	cell_job(cell, 3, U1, -1, 0, 1);
	compute(state, cell);
	CHECK(pending_f(cell, 0), 0);
	CHECK(pending_f(cell, 1), 0);
	CHECK(pending_f(cell, 2), 2500);
	naive_cell_free(cell);
}

/*
 * With equal functional values the task with more tickets from earlier policies is picked first,
 * and gets more.
 */
static void test_the_dependent_policy_ranks_by_tickets_of_earlier_policies(void **state)
{
	struct naive_cell *cell = two_users();
	cell_job(cell, 1, U1, -1, 0, 1);
	cell_job(cell, 2, U1, -1, 0, 1)->override_tickets = 7;
	compute(state, cell);
	CHECK(pending_f(cell, 1), 2500);
	CHECK(pending_f(cell, 0), 1250);
	naive_cell_free(cell);

	cell = two_users();
	cell->hierarchy = "";
	cell_job(cell, 1, U1, -1, 0, 1);
	cell_job(cell, 2, U1, -1, 0, 1)->override_tickets = 7;
	compute(state, cell);
	CHECK(pending_f(cell, 0), 2500);
	CHECK(pending_f(cell, 1), 1250);
	naive_cell_free(cell);
}

static void test_equal_candidates_are_sorted_by_submission_then_number(void **state)
{
	struct naive_cell *cell = two_users();
	int other = cell_object(cell, NAIVE_USER, "u3", 300, 0, 0);
	cell_job(cell, 1, U2, -1, 0, 1)->submit = 900;
	cell_job(cell, 2, other, -1, 0, 1)->submit = 800;
	compute(state, cell);
	CHECK(pending_f(cell, 1), 2500);
	CHECK(pending_f(cell, 0), 1250);
	cell->jobs[0].submit = 800;
	compute(state, cell);
	CHECK(pending_f(cell, 0), 2500);
	naive_cell_free(cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_shared_shares_shrink_with_each_task_of_a_user),
		BOTH(test_unshared_shares_enlarge_the_sum_with_each_task),
		BOTH(test_running_task_gets_all_by_weights_of_used_kinds_only),
		BOTH(test_a_kind_without_shares_takes_no_part_of_the_weights),
		BOTH(test_weights_of_zero_give_no_tickets),
		BOTH(test_job_shares_are_a_kind_of_their_own),
		BOTH(test_tasks_beyond_the_limit_keep_the_estimate_of_their_kind),
		BOTH(test_a_limit_of_zero_leaves_pending_tasks_without_functional_tickets),
		BOTH(test_tasks_without_any_share_get_no_tickets),
		BOTH(test_the_dependent_policy_ranks_by_tickets_of_earlier_policies),
		BOTH(test_equal_candidates_are_sorted_by_submission_then_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
