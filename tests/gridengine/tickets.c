/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"

/*
 * Tree Root{A: 60 shares, B: 40}, usage 3000 and 1000; job 1 of A runs, 2 and 3 of A and 4 of B
 * wait.
 */
static struct naive_cell *two_users(void)
{
	struct naive_cell *cell = cell_new(8);
	cell->T_func = 0;
	cell->root = naive_node_new("Root", 1, NULL);
	naive_node_new("A", 60, cell->root);
	naive_node_new("B", 40, cell->root);
	cell_object(cell, NAIVE_USER, "A", 0, 0, 3000);
	cell_object(cell, NAIVE_USER, "B", 0, 0, 1000);
	cell_job(cell, 1, 0, -1, 1, 0);
	cell_job(cell, 2, 0, -1, 0, 1);
	cell_job(cell, 3, 0, -1, 0, 1);
	cell_job(cell, 4, 1, -1, 0, 1);
	return cell;
}

static void test_pending_tasks_keep_the_call_with_all_and_running_ones_the_call_without(void **state)
{
	struct naive_cell *cell = two_users();
	compute(state, cell);
	CHECK(cell->jobs[1].pending[0].S, 2142.857142857143);
	CHECK(cell->jobs[2].pending[0].S, 1428.5714285714287);
	CHECK(cell->jobs[3].pending[0].S, 5714.285714285715);
	CHECK(cell->jobs[0].running[0].S, 10000);
	CHECK(cell->max_tix, 10000);
	naive_cell_free(cell);
}

static void test_shares_are_parts_of_the_pending_and_of_the_running_tickets(void **state)
{
	struct naive_cell *cell = two_users();
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].share, 1);
	CHECK(cell->jobs[1].pending[0].share, 0.23076923076923078);
	CHECK(cell->jobs[2].pending[0].share, 0.15384615384615385);
	CHECK(cell->jobs[3].pending[0].share, 0.6153846153846154);
	naive_cell_free(cell);
}

static void test_priorities_of_a_run_by_hand(void **state)
{
	static const char *const printed[] = { "0.56000", "0.55214", "0.55143", "0.55571" };
	struct naive_cell *cell = two_users();
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].ntix, 1);
	CHECK(cell->jobs[1].pending[0].ntix, 0.2142857142857143);
	CHECK(cell->jobs[2].pending[0].ntix, 0.14285714285714288);
	CHECK(cell->jobs[3].pending[0].ntix, 0.5714285714285715);
	for (int i = 0; i < 4; i++) {
		char text[16];
		snprintf(text, sizeof(text), "%.5f", i ? cell->jobs[i].pending[0].prio : cell->jobs[i].running[0].prio);
		assert_string_equal(text, printed[i]);
	}
	naive_cell_free(cell);
}

static void test_without_any_tickets_all_are_in_the_middle(void **state)
{
	struct naive_cell *cell = two_users();
	cell->T_share = 0;
	compute(state, cell);
	CHECK(cell->max_tix, 0);
	for (int i = 0; i < 4; i++) {
		const struct naive_task *task = i ? &cell->jobs[i].pending[0] : &cell->jobs[i].running[0];
		CHECK(task->ntix, 0.5);
		CHECK(task->share, 0);
	}
	naive_cell_free(cell);
}

/*
 * Because of compensation a running task can have more tickets beside a pending one than alone. The
 * tickets of that call are the measure, although they are not reported.
 */
static void test_largest_tickets_are_searched_in_both_calls(void **state)
{
	static const double usage[] = { 0, 10, 1000 };
	struct naive_cell *cell = cell_new(3);
	cell->T_func = 0;
	cell->CF = 2;
	cell->root = naive_node_new("Root", 1, NULL);
	for (int i = 0; i < 3; i++) {
		naive_node_new((const char *[]){ "A", "B", "C" }[i], 10, cell->root);
		cell_object(cell, NAIVE_USER, (const char *[]){ "A", "B", "C" }[i], 0, 0, usage[i]);
		cell_job(cell, (uint32_t)i + 1, i, -1, i < 2, i == 2);
	}
	compute(state, cell);
	assert_true(cell->max_tix > 9534 && cell->max_tix < 9535);
	assert_true(cell->jobs[0].running[0].S > 9523 && cell->jobs[0].running[0].S < 9524);
	assert_true(cell->jobs[0].running[0].ntix < 1);
	naive_cell_free(cell);
}

/* Two equal jobs, the younger one with an override ticket: does the share tree use it? */
static void test_the_hierarchy_decides_which_policy_ranks(void **state)
{
	static const struct {
		const char *hierarchy;
		double S[2];
	} expected[] = {
		{ "OFS", { 5000, 10000 } },
		{ "SOF", { 10000, 5000 } },
		{ "", { 10000, 5000 } },
		{ "O", { 10000, 5000 } },
		{ "OS", { 5000, 10000 } },
	};
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct naive_cell *cell = cell_new(2);
		cell->T_func = 0;
		cell->hierarchy = expected[i].hierarchy;
		cell->root = naive_node_new("Root", 1, NULL);
		naive_node_new("A", 10, cell->root);
		cell_object(cell, NAIVE_USER, "A", 0, 0, 0);
		cell_job(cell, 1, 0, -1, 0, 1);
		cell_job(cell, 2, 0, -1, 0, 1)->override_tickets = 1;
		compute(state, cell);
		CHECK(cell->jobs[0].pending[0].S, expected[i].S[0]);
		CHECK(cell->jobs[1].pending[0].S, expected[i].S[1]);
		naive_cell_free(cell);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_pending_tasks_keep_the_call_with_all_and_running_ones_the_call_without),
		BOTH(test_shares_are_parts_of_the_pending_and_of_the_running_tickets),
		BOTH(test_priorities_of_a_run_by_hand),
		BOTH(test_without_any_tickets_all_are_in_the_middle),
		BOTH(test_largest_tickets_are_searched_in_both_calls),
		BOTH(test_the_hierarchy_decides_which_policy_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
