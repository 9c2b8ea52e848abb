/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the pending list for any prios: the rows of a reader, compared with qsort(3) of the
 * same rows by prio, submission and number. The prios are hostile to a sort that uses only a part
 * of them. FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/mirror/cell.h"
#include "tests/naive/cells.h"

#define JOBS 3000

static uint64_t randomness;

static uint64_t below(uint64_t n)
{
	return random_below(&randomness, n);
}

struct row {
	double prio;
	int64_t submission;
	uint32_t number;
};

static int by_prio(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->prio != y->prio)
		return x->prio > y->prio ? -1 : 1;
	if (x->submission != y->submission)
		return x->submission < y->submission ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Check the order. Return the number of different prios. */
static size_t check_order(struct fixture *fixture, size_t jobs)
{
	struct row *rows = calloc(jobs, sizeof(*rows)), *expected = calloc(jobs, sizeof(*expected));
	size_t prios = 1;

	assert_int_equal(fl_count(fixture->view, FL_PENDING), jobs);
	for (size_t k = 0; k < jobs; k++) {
		struct fl_job job;

		assert_int_equal(fl_get(fixture->view, FL_PENDING, k, &job), 0);
		expected[k] = rows[k] = (struct row){ job.prio, job.submission_time, job.job_number };
	}
	qsort(expected, jobs, sizeof(*expected), by_prio);
	for (size_t k = 0; k < jobs; k++) {
		/* No job is listed twice. */
		assert_true(k == 0 || by_prio(&expected[k - 1], &expected[k]) < 0);
		if (rows[k].number != expected[k].number)
			fail_msg("position %zu: found job %u with %.17g, expected job %u with %.17g", k,
				 rows[k].number, rows[k].prio, expected[k].number, expected[k].prio);
		prios += k > 0 && expected[k].prio != expected[k - 1].prio;
	}
	free(rows);
	free(expected);
	return prios;
}

/* Set the members that decide a job's prio. Other members follow from its number. */
typedef void decorate(struct job_spec *spec, char *hard, size_t i);

/* Add jobs with the numbers 1..jobs, in any order. */
static void add_jobs(struct fixture *fixture, size_t jobs, decorate *how)
{
	uint32_t *numbers = calloc(jobs, sizeof(*numbers));

	for (size_t i = 0; i < jobs; i++) {
		size_t k = below(i + 1);

		numbers[i] = numbers[k];
		numbers[k] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < jobs; i++) {
		char hard[60] = "";
		struct job_spec spec = { .job_number = numbers[i], .owner = "ann", .hard = hard,
					 .given = JOB_SUBMISSION_TIME | JOB_PRIORITY, .submission_time = NOW - 100 };

		how(&spec, hard, i);
		if (mirror_job_add(sched_mirror(fixture->sched), &spec, &fixture->error) != 0)
			fail_msg("%s", fixture->error.text);
	}
	free(numbers);
}

/* Move changed jobs to the end of the list, so that neither ages nor numbers are ascending. */
static void move_jobs(struct fixture *fixture, size_t jobs)
{
	for (size_t i = 0; i < jobs / 3; i++) {
		const struct job_spec spec = { .given = JOB_NAME,
					       .job_number = 1 + (uint32_t)below(jobs),
					       .name = "moved" };

		assert_int_equal(mirror_job_modify(sched_mirror(fixture->sched), &spec, &fixture->error), 0);
	}
}

/*
 * Order jobs in three ways, with one thread and with several. Return the number of different prios.
 */
static size_t order_jobs(struct fixture *fixture, size_t jobs, decorate *how)
{
	size_t prios;

	add_jobs(fixture, jobs, how);
	run(fixture, NOW);
	prios = check_order(fixture, jobs);
	assert_int_equal(sched_workers(fixture->sched, 3), 0);
	run(fixture, NOW);
	assert_int_equal(check_order(fixture, jobs), prios);
	move_jobs(fixture, jobs);
	run(fixture, NOW);
	assert_int_equal(check_order(fixture, jobs), prios);
	return prios;
}

/* Let only -l x=... count, unchanged. */
static void weigh_x_alone(struct fixture *fixture)
{
	put(fixture, "complex",
	    "slots s INT <= YES YES 1 0\nnp_load_avg nla DOUBLE >= NO NO 0 0\nx x DOUBLE <= YES YES 0 1\n");
	set_sched_conf(fixture, "weight_waiting_time", "0");
	set_sched_conf(fixture, "weight_ticket", "0");
	set_sched_conf(fixture, "weight_priority", "0");
	set_sched_conf(fixture, "weight_urgency", "1");
	reload(fixture);
}

static void alike(struct job_spec *spec, char *hard, size_t i)
{
	(void)spec, (void)hard, (void)i;
}

/* Let neither ages nor tickets count. */
static void weigh_priority_alone(struct fixture *fixture)
{
	set_sched_conf(fixture, "weight_waiting_time", "0");
	set_sched_conf(fixture, "weight_ticket", "0");
	reload(fixture);
}

static void test_equal_jobs_are_sorted_by_number(void **state)
{
	weigh_priority_alone(*state);
	assert_int_equal(order_jobs(*state, JOBS, alike), 1);
}

static void of_some_ages(struct job_spec *spec, char *hard, size_t i)
{
	(void)hard, (void)i;
	spec->submission_time -= (int64_t)below(50);
}

static void test_equal_prios_are_sorted_by_age(void **state)
{
	weigh_priority_alone(*state);
	assert_int_equal(order_jobs(*state, JOBS, of_some_ages), 1);
}

static void of_two_priorities(struct job_spec *spec, char *hard, size_t i)
{
	(void)hard, (void)i;
	spec->priority = below(2) ? 1 : 0;
	of_some_ages(spec, hard, i);
}

static void test_two_prios(void **state)
{
	weigh_priority_alone(*state);
	assert_int_equal(order_jobs(*state, JOBS, of_two_priorities), 2);
}

/* Give one job far more functional tickets than all others together. */
static void with_share(struct job_spec *spec, char *hard, size_t i)
{
	(void)hard;
	spec->given |= JOB_JOBSHARE | JOB_OVERRIDE_TICKETS;
	spec->jobshare = i == JOBS / 2 ? UINT32_MAX : 0;
	spec->override_tickets = (uint32_t)below(40);
	of_some_ages(spec, hard, i);
}

static void test_one_job_has_nearly_all_tickets(void **state)
{
	set_sched_conf(*state, "weight_tickets_functional", "1000000000");
	set_sched_conf(*state, "max_functional_jobs_to_schedule", "1");
	reload(*state);
	assert_in_range(order_jobs(*state, JOBS, with_share), 100, JOBS);
}

static void far_above_the_rest(struct job_spec *spec, char *hard, size_t i)
{
	(void)spec;
	sprintf(hard, "x=%s", i == JOBS / 3 ? "100000000000000" : "");
	if (i != JOBS / 3)
		sprintf(hard, "x=%u", (unsigned)below(60));
}

static void test_one_job_is_far_above_the_rest(void **state)
{
	weigh_x_alone(*state);
	assert_int_equal(order_jobs(*state, JOBS, far_above_the_rest), 61);
}

/* Use 2^52 + 0 ... 2^52 + 3, which differ in the last bit before the division. */
static void in_the_last_bits(struct job_spec *spec, char *hard, size_t i)
{
	sprintf(hard, "x=%llu", i == 0 ? 0ull : (1ull << 52) + below(4));
	of_some_ages(spec, hard, i);
}

static void test_prios_differ_in_the_last_bits(void **state)
{
	weigh_x_alone(*state);
	assert_in_range(order_jobs(*state, JOBS, in_the_last_bits), 4, 5);
}

/* Any magnitude is negligible beside the previous one, so that they are separated one by one. */
static void of_all_magnitudes(struct job_spec *spec, char *hard, size_t i)
{
	sprintf(hard, "x=%ue-%u", 1 + (unsigned)below(3), (unsigned)below(280));
	of_some_ages(spec, hard, i);
}

static void test_prios_of_all_magnitudes(void **state)
{
	weigh_x_alone(*state);
	assert_in_range(order_jobs(*state, JOBS, of_all_magnitudes), 500, JOBS);
}

/* Prios so near to 0 that a difference has no inverse. */
static void test_prios_near_zero_are_ordered(void **state)
{
	weigh_x_alone(*state);
	set_sched_conf(*state, "weight_urgency", "1e-320");
	reload(*state);
	assert_in_range(order_jobs(*state, JOBS, far_above_the_rest), 2, 61);
}

static void of_every_kind(struct job_spec *spec, char *hard, size_t i)
{
	(void)hard, (void)i;
	spec->priority = below(3) ? 0 : (int32_t)below(2000) - 1000;
	spec->given |= JOB_DEADLINE | JOB_ERROR | JOB_EXECUTION_TIME | JOB_OVERRIDE_TICKETS;
	spec->deadline = below(10) ? 0 : NOW + (int64_t)below(10000);
	spec->execution_time = below(9) ? 0 : NOW + 1000;
	spec->error = below(20) == 0;
	spec->override_tickets = (uint32_t)below(5);
	of_some_ages(spec, hard, i);
}

/* Enough jobs for several threads. Ineligible ones are at the end. */
static void test_many_jobs_of_every_kind(void **state)
{
	assert_in_range(order_jobs(*state, 70000, of_every_kind), 1000, 70000);
}

static void test_jobs_are_ordered_when_pending_tickets_are_not_reported(void **state)
{
	set_sched_conf(*state, "report_pjob_tickets", "FALSE");
	reload(*state);
	assert_int_equal(order_jobs(*state, JOBS, of_every_kind), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_equal_jobs_are_sorted_by_number),
		TEST(test_equal_prios_are_sorted_by_age),
		TEST(test_two_prios),
		TEST(test_one_job_has_nearly_all_tickets),
		TEST(test_one_job_is_far_above_the_rest),
		TEST(test_prios_differ_in_the_last_bits),
		TEST(test_prios_of_all_magnitudes),
		TEST(test_prios_near_zero_are_ordered),
		TEST(test_many_jobs_of_every_kind),
		TEST(test_jobs_are_ordered_when_pending_tickets_are_not_reported),
	};

	randomness = seed_get("order of the pending list");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
