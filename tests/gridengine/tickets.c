/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"

/*
 * Tree Root{A: 60 shares, B: 40}, usage 3000 and 1000; job 1 of A runs, 2 and 3 of A and 4 of B
 * wait.
 */
static struct naive_cell *two_users(void)
{
	struct naive_cell *c = cell_new(8);
	c->T_func = 0;
	c->root = naive_node_new("Root", 1, NULL);
	naive_node_new("A", 60, c->root);
	naive_node_new("B", 40, c->root);
	cell_object(c, NAIVE_USER, "A", 0, 0, 3000);
	cell_object(c, NAIVE_USER, "B", 0, 0, 1000);
	cell_job(c, 1, 0, -1, 1, 0);
	cell_job(c, 2, 0, -1, 0, 1);
	cell_job(c, 3, 0, -1, 0, 1);
	cell_job(c, 4, 1, -1, 0, 1);
	return c;
}

static void test_pending_tasks_keep_the_call_with_all_and_running_ones_the_call_without(void **state)
{
	struct naive_cell *c = two_users();
	compute(state, c);
	CHECK(c->jobs[1].pending[0].S, 2142.857142857143);
	CHECK(c->jobs[2].pending[0].S, 1428.5714285714287);
	CHECK(c->jobs[3].pending[0].S, 5714.285714285715);
	CHECK(c->jobs[0].running[0].S, 10000);
	CHECK(c->max_tix, 10000);
	naive_cell_free(c);
}

static void test_shares_are_parts_of_the_pending_and_of_the_running_tickets(void **state)
{
	struct naive_cell *c = two_users();
	compute(state, c);
	CHECK(c->jobs[0].running[0].share, 1);
	CHECK(c->jobs[1].pending[0].share, 0.23076923076923078);
	CHECK(c->jobs[2].pending[0].share, 0.15384615384615385);
	CHECK(c->jobs[3].pending[0].share, 0.6153846153846154);
	naive_cell_free(c);
}

static void test_priorities_of_a_run_by_hand(void **state)
{
	static const char *const printed[] = { "0.56000", "0.55214", "0.55143", "0.55571" };
	struct naive_cell *c = two_users();
	compute(state, c);
	CHECK(c->jobs[0].running[0].ntix, 1);
	CHECK(c->jobs[1].pending[0].ntix, 0.2142857142857143);
	CHECK(c->jobs[2].pending[0].ntix, 0.14285714285714288);
	CHECK(c->jobs[3].pending[0].ntix, 0.5714285714285715);
	for (int i = 0; i < 4; i++) {
		char text[16];
		snprintf(text, sizeof(text), "%.5f", i ? c->jobs[i].pending[0].prio : c->jobs[i].running[0].prio);
		assert_string_equal(text, printed[i]);
	}
	naive_cell_free(c);
}

static void test_without_any_tickets_all_are_in_the_middle(void **state)
{
	struct naive_cell *c = two_users();
	c->T_share = 0;
	compute(state, c);
	CHECK(c->max_tix, 0);
	for (int i = 0; i < 4; i++) {
		const struct naive_task *t = i ? &c->jobs[i].pending[0] : &c->jobs[i].running[0];
		CHECK(t->ntix, 0.5);
		CHECK(t->share, 0);
	}
	naive_cell_free(c);
}

/*
 * Compensation makes it possible that a running task has more beside a pending one than it has
 * alone: what it had then is the measure, though nobody is told of it.
 */
static void test_largest_tickets_are_looked_for_in_both_calls(void **state)
{
	static const double usage[] = { 0, 10, 1000 };
	struct naive_cell *c = cell_new(3);
	c->T_func = 0;
	c->CF = 2;
	c->root = naive_node_new("Root", 1, NULL);
	for (int i = 0; i < 3; i++) {
		naive_node_new((const char *[]){ "A", "B", "C" }[i], 10, c->root);
		cell_object(c, NAIVE_USER, (const char *[]){ "A", "B", "C" }[i], 0, 0, usage[i]);
		cell_job(c, (uint32_t)i + 1, i, -1, i < 2, i == 2);
	}
	compute(state, c);
	assert_true(c->max_tix > 9534 && c->max_tix < 9535);
	assert_true(c->jobs[0].running[0].S > 9523 && c->jobs[0].running[0].S < 9524);
	assert_true(c->jobs[0].running[0].ntix < 1);
	naive_cell_free(c);
}

/* Two equal jobs, the younger one with an override ticket: does the share tree look at it? */
static void test_hierarchy_decides_who_ranks_by_whom(void **state)
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
		struct naive_cell *c = cell_new(2);
		c->T_func = 0;
		c->hierarchy = expected[i].hierarchy;
		c->root = naive_node_new("Root", 1, NULL);
		naive_node_new("A", 10, c->root);
		cell_object(c, NAIVE_USER, "A", 0, 0, 0);
		cell_job(c, 1, 0, -1, 0, 1);
		cell_job(c, 2, 0, -1, 0, 1)->override_tickets = 1;
		compute(state, c);
		CHECK(c->jobs[0].pending[0].S, expected[i].S[0]);
		CHECK(c->jobs[1].pending[0].S, expected[i].S[1]);
		naive_cell_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_pending_tasks_keep_the_call_with_all_and_running_ones_the_call_without),
		BOTH(test_shares_are_parts_of_the_pending_and_of_the_running_tickets),
		BOTH(test_priorities_of_a_run_by_hand),
		BOTH(test_without_any_tickets_all_are_in_the_middle),
		BOTH(test_largest_tickets_are_looked_for_in_both_calls),
		BOTH(test_hierarchy_decides_who_ranks_by_whom),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
