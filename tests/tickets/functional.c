/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"

enum { U1, U2 };

/* Two users with 100 and 300 functional shares; nothing but functional tickets. */
static struct naive_cell *two_users(void)
{
	struct naive_cell *c = cell_new(8);
	c->T_share = 0;
	cell_object(c, NAIVE_USER, "u1", 100, 0, 0);
	cell_object(c, NAIVE_USER, "u2", 300, 0, 0);
	return c;
}

static double pending_f(const struct naive_cell *c, size_t job)
{
	return c->jobs[job].pending[0].F;
}

static void test_shared_shares_shrink_with_each_task_of_a_user(void **state)
{
	struct naive_cell *c = two_users();
	cell_job(c, 1, U1, -1, 0, 1);
	cell_job(c, 2, U1, -1, 0, 1);
	cell_job(c, 3, U2, -1, 0, 1);
	cell_job(c, 4, U2, -1, 0, 1);
	compute(state, c);
	CHECK(pending_f(c, 2), 2500);
	CHECK(pending_f(c, 3), 1250);
	CHECK(pending_f(c, 0), 625);
	CHECK(pending_f(c, 1), 312.5);
	naive_cell_free(c);
}

static void test_unshared_shares_enlarge_the_sum_with_each_task(void **state)
{
	struct naive_cell *c = two_users();
	c->share_functional = false;
	cell_job(c, 1, U1, -1, 0, 1);
	cell_job(c, 2, U1, -1, 0, 1);
	cell_job(c, 3, U2, -1, 0, 1);
	cell_job(c, 4, U2, -1, 0, 1);
	compute(state, c);
	CHECK(pending_f(c, 2), 2500);
	CHECK(pending_f(c, 3), 1250);
	CHECK(pending_f(c, 0), 357.14285714285717);
	CHECK(pending_f(c, 1), 312.5);
	naive_cell_free(c);
}

static void test_running_task_gets_all_by_weights_of_used_kinds_only(void **state)
{
	struct naive_cell *c = two_users();
	cell_job(c, 1, U1, -1, 1, 0);
	cell_job(c, 2, U1, -1, 0, 1);
	cell_job(c, 3, U2, -1, 0, 1);
	compute(state, c);
	CHECK(c->jobs[0].running[0].F, 10000);
	CHECK(pending_f(c, 2), 1875);
	CHECK(pending_f(c, 1), 312.5);
	naive_cell_free(c);
}

static void test_job_shares_are_a_kind_of_their_own(void **state)
{
	struct naive_cell *c = two_users();
	cell_job(c, 1, U1, -1, 0, 1);
	cell_job(c, 2, U1, -1, 0, 1)->jobshare = 50;
	cell_job(c, 3, U2, -1, 0, 1)->jobshare = 150;
	compute(state, c);
	CHECK(pending_f(c, 2), 5000);
	CHECK(pending_f(c, 1), 1250);
	CHECK(pending_f(c, 0), 312.5);
	naive_cell_free(c);
}

/*
 * What was not picked keeps an estimate that was divided by a thousandth: so it is in Grid Engine.
 */
static void test_tasks_beyond_the_limit_keep_the_estimate_of_their_kind(void **state)
{
	struct naive_cell *c = two_users();
	c->max_functional = 1;
	c->hierarchy = "";
	cell_job(c, 1, U1, -1, 0, 2);
	cell_job(c, 2, U2, -1, 0, 1);
	compute(state, c);
	CHECK(pending_f(c, 1), 2500);
	CHECK(c->jobs[0].pending[0].F, 250000000);
	CHECK(c->jobs[0].pending[1].F, 250000000);
	CHECK(c->max_tix, 250000000);
	naive_cell_free(c);
}

static void test_limit_of_zero_leaves_pending_tasks_without_functional_tickets(void **state)
{
	struct naive_cell *c = two_users();
	c->max_functional = 0;
	cell_job(c, 1, U1, -1, 0, 2);
	cell_job(c, 2, U2, -1, 1, 1);
	compute(state, c);
	CHECK(c->jobs[0].pending[1].F, 0);
	CHECK(pending_f(c, 1), 0);
	CHECK(c->jobs[1].running[0].F, 10000);
	naive_cell_free(c);
}

static void test_tasks_without_any_share_get_nothing(void **state)
{
	struct naive_cell *c = two_users();
	int nobody = cell_object(c, NAIVE_USER, "u3", 0, 0, 0);
	cell_job(c, 1, nobody, -1, 0, 1);
	cell_job(c, 2, -1, -1, 0, 1);
	cell_job(c, 3, U1, -1, 0, 1);
	compute(state, c);
	CHECK(pending_f(c, 0), 0);
	CHECK(pending_f(c, 1), 0);
	CHECK(pending_f(c, 2), 2500);
	naive_cell_free(c);
}

/*
 * With equal functional values the task with more from earlier policies is picked first, and gets
 * more.
 */
static void test_dependent_policy_ranks_by_what_earlier_ones_gave(void **state)
{
	struct naive_cell *c = two_users();
	cell_job(c, 1, U1, -1, 0, 1);
	cell_job(c, 2, U1, -1, 0, 1)->override_tickets = 7;
	compute(state, c);
	CHECK(pending_f(c, 1), 2500);
	CHECK(pending_f(c, 0), 1250);
	naive_cell_free(c);

	c = two_users();
	c->hierarchy = "";
	cell_job(c, 1, U1, -1, 0, 1);
	cell_job(c, 2, U1, -1, 0, 1)->override_tickets = 7;
	compute(state, c);
	CHECK(pending_f(c, 0), 2500);
	CHECK(pending_f(c, 1), 1250);
	naive_cell_free(c);
}

static void test_equal_candidates_go_by_submission_then_number(void **state)
{
	struct naive_cell *c = two_users();
	int other = cell_object(c, NAIVE_USER, "u3", 300, 0, 0);
	cell_job(c, 1, U2, -1, 0, 1)->submit = 900;
	cell_job(c, 2, other, -1, 0, 1)->submit = 800;
	compute(state, c);
	CHECK(pending_f(c, 1), 2500);
	CHECK(pending_f(c, 0), 1250);
	c->jobs[0].submit = 800;
	compute(state, c);
	CHECK(pending_f(c, 0), 2500);
	naive_cell_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_shared_shares_shrink_with_each_task_of_a_user),
		BOTH(test_unshared_shares_enlarge_the_sum_with_each_task),
		BOTH(test_running_task_gets_all_by_weights_of_used_kinds_only),
		BOTH(test_job_shares_are_a_kind_of_their_own),
		BOTH(test_tasks_beyond_the_limit_keep_the_estimate_of_their_kind),
		BOTH(test_limit_of_zero_leaves_pending_tasks_without_functional_tickets),
		BOTH(test_tasks_without_any_share_get_nothing),
		BOTH(test_dependent_policy_ranks_by_what_earlier_ones_gave),
		BOTH(test_equal_candidates_go_by_submission_then_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
