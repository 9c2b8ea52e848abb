/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"

/* Return a cell with a pending job for each urgency. */
static struct naive_cell *urgencies(size_t n, const double *rrcontr)
{
	struct naive_cell *cell = cell_new(n);
	for (size_t i = 0; i < n; i++)
		cell_job(cell, (uint32_t)i + 1, -1, -1, 0, 1)->rrcontr = rrcontr[i];
	return cell;
}

static void check_nurg(void **state, size_t n, const double *rrcontr, const double *nurg)
{
	struct naive_cell *cell = urgencies(n, rrcontr);
	compute(state, cell);
	for (size_t i = 0; i < n; i++)
		CHECK(cell->jobs[i].nurg, nurg[i]);
	naive_cell_free(cell);
}

static void test_urgency_is_spread_between_the_least_and_the_most_urgent(void **state)
{
	check_nurg(state, 3, (double[]){ 1000, 2000, 4000 }, (double[]){ 0, 1.0 / 3, 1 });
}

static void test_equal_urgencies_are_in_the_middle(void **state)
{
	check_nurg(state, 1, (double[]){ 1000 }, (double[]){ 0.5 });
	check_nurg(state, 3, (double[]){ 1000, 1000, 1000 }, (double[]){ 0.5, 0.5, 0.5 });
	check_nurg(state, 2, (double[]){ 1000, 1000.000009 }, (double[]){ 0.5, 0.5 });
}

/* The maximum starts just above 0, so that negative urgencies are measured against 0. */
static void test_negative_urgencies_never_reach_one(void **state)
{
	check_nurg(state, 2, (double[]){ -1000, -3000 }, (double[]){ 2.0 / 3, 0 });
	check_nurg(state, 2, (double[]){ -1000, -1000 }, (double[]){ 0, 0 });
	check_nurg(state, 2, (double[]){ 0, 0 }, (double[]){ 0.5, 0.5 });
}

static void test_deadline_is_a_hyperbola_that_ends_at_its_weight(void **state)
{
	static const struct {
		int64_t left;
		double dlcontr;
	} expected[] = { { 3600, 1000 }, { 2, 1800000 }, { 1, 3600000 }, { 0, 3600000 }, { -100000, 3600000 } };
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct naive_cell *cell = urgencies(1, (double[]){ 1000 });
		cell->jobs[0].deadline = cell->now + expected[i].left;
		compute(state, cell);
		CHECK(cell->jobs[0].dlcontr, expected[i].dlcontr);
		CHECK(cell->jobs[0].urg, expected[i].dlcontr + 1000);
		naive_cell_free(cell);
	}
}

static void test_one_expired_deadline_flattens_all_others(void **state)
{
	struct naive_cell *cell = urgencies(4, (double[]){ 1000, 2000, 4000, 1000 });
	cell->jobs[3].deadline = cell->now - 5;
	compute(state, cell);
	CHECK(cell->jobs[3].urg, 3601000);
	CHECK(cell->jobs[3].nurg, 1);
	CHECK(cell->jobs[0].nurg, 0);
	assert_true(cell->jobs[2].nurg < 0.001);
	naive_cell_free(cell);
}

static void test_waiting_counts_from_submission_for_running_jobs_too(void **state)
{
	struct naive_cell *cell = cell_new(2);
	cell->weight_waiting_time = 0.278;
	cell_job(cell, 1, -1, -1, 1, 0)->submit = cell->now - 10;
	cell_job(cell, 2, -1, -1, 0, 1)->submit = cell->now;
	compute(state, cell);
	CHECK(cell->jobs[0].wtcontr, 0.278 * 10);
	CHECK(cell->jobs[1].wtcontr, 0);
	CHECK(cell->jobs[0].nurg, 1);
	naive_cell_free(cell);
}

static void test_submission_in_the_future_counts_as_136_years(void **state)
{
	struct naive_cell *cell = cell_new(1);
	cell->weight_waiting_time = 1;
	cell_job(cell, 1, -1, -1, 0, 1)->submit = cell->now + 1;
	compute(state, cell);
	CHECK(cell->jobs[0].wtcontr, 4294967295.0);
	naive_cell_free(cell);
}

static void test_posix_priority_has_fixed_bounds(void **state)
{
	static const struct {
		int p;
		double npprior;
	} expected[] = { { -1023, 0.00048828125 }, { -100, 0.451171875 }, { 0, 0.5 }, { 1024, 1.0 } };
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct naive_cell *cell = urgencies(1, (double[]){ 1000 });
		cell->jobs[0].priority = (uint32_t)(1024 + expected[i].p);
		compute(state, cell);
		CHECK(cell->jobs[0].npprior, expected[i].npprior);
		naive_cell_free(cell);
	}
}

static void check_prio(void **state, struct naive_cell *cell, size_t job, const char *printed)
{
	char text[16];
	compute(state, cell);
	snprintf(text, sizeof(text), "%.5f", cell->jobs[job].pending[0].prio);
	assert_string_equal(text, printed);
}

static void test_familiar_priorities(void **state)
{
	struct naive_cell *cell = urgencies(1, (double[]){ 1000 });
	cell->T_share = cell->T_func = 0;
	check_prio(state, cell, 0, "0.55500");
	cell->jobs[0].priority = 1;
	check_prio(state, cell, 0, "0.05549");
	naive_cell_free(cell);
	cell = urgencies(2, (double[]){ 1000, 2000 });
	check_prio(state, cell, 0, "0.50500");
	check_prio(state, cell, 1, "0.60500");
	naive_cell_free(cell);
}

static void test_terms_without_weight_and_report_are_at_the_middle(void **state)
{
	struct naive_cell *cell = urgencies(2, (double[]){ 1000, 2000 });
	cell->weight_urgency = cell->weight_priority = 0;
	cell->report_pending = false;
	compute(state, cell);
	CHECK(cell->jobs[1].pending[0].prio, 0.01 * 0.5);
	naive_cell_free(cell);
}

/* nurg 1/3, ntix 1/4, p = 5: the other order of addition ends in ...333. */
static void test_priority_is_added_as_urgency_tickets_posix(void **state)
{
	struct naive_cell *cell = urgencies(3, (double[]){ 0, 1000, 3000 });
	cell->T_share = cell->T_func = 0;
	cell->share_override = false;
	cell->weight_urgency = 0.1;
	cell->weight_ticket = 0.01;
	cell->weight_priority = 1;
	cell->jobs[1].priority = 1029;
	cell->jobs[1].override_tickets = 1;
	cell->jobs[2].override_tickets = 4;
	compute(state, cell);
	CHECK(cell->jobs[1].pending[0].prio, 0.5382747395833334);
	naive_cell_free(cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_urgency_is_spread_between_the_least_and_the_most_urgent),
		BOTH(test_equal_urgencies_are_in_the_middle),
		BOTH(test_negative_urgencies_never_reach_one),
		BOTH(test_deadline_is_a_hyperbola_that_ends_at_its_weight),
		BOTH(test_one_expired_deadline_flattens_all_others),
		BOTH(test_waiting_counts_from_submission_for_running_jobs_too),
		BOTH(test_submission_in_the_future_counts_as_136_years),
		BOTH(test_posix_priority_has_fixed_bounds),
		BOTH(test_familiar_priorities),
		BOTH(test_terms_without_weight_and_report_are_at_the_middle),
		BOTH(test_priority_is_added_as_urgency_tickets_posix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
