/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sched/metrics/starts.h"
#include "tests/reader/cell.h"

static struct starts starts;

static struct task_record *tasks_of(struct fixture *fixture)
{
	return (struct task_record *)(fixture->segment.base + fixture->w.directory->tables[TABLE_TASKS].offset);
}

/* Publish a run at a time with the first `n` of the four tasks of the fixture, and observe it. */
static void observe_at(struct fixture *fixture, size_t n, uint64_t run, const char *state, int64_t now)
{
	fill(fixture);
	run_head(fixture->w.directory)->run = run;
	run_head(fixture->w.directory)->now = now;
	fixture->w.directory->tables[TABLE_TASKS].count = n;
	if (n > 0)
		strcpy(tasks_of(fixture)[n - 1].state, state);
	publish(fixture);
	assert_int_equal(starts_observe(&starts, fixture->reader), 0);
}

static void observe(struct fixture *fixture, size_t n, uint64_t run, const char *state)
{
	observe_at(fixture, n, run, state, NOW);
}

static uint64_t counted(void)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < starts.ncells; k++)
		for (size_t bucket = 0; bucket <= starts.limits->n; bucket++)
			sum += starts.cells[k].counts[bucket];
	return sum;
}

static int begin(void **state)
{
	starts = (struct starts){ .limits = &buckets_usual };
	return setup(state);
}

static int end(void **state)
{
	starts_free(&starts);
	return teardown(state);
}

static void test_tasks_of_the_first_run_are_not_counted(void **state)
{
	observe(*state, 3, 1, "r");
	assert_int_equal(counted(), 0);
	assert_int_equal(starts.ncells, 1);
	observe(*state, 3, 2, "r");
	assert_int_equal(counted(), 0);
}

static void test_a_new_task_is_counted_once_with_its_waiting_time(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	observe(fixture, 2, 1, "r");
	observe(fixture, 3, 2, "r");
	assert_int_equal(counted(), 1);
	assert_int_equal(fl_get(fl_begin(fixture->reader), FL_STARTED, 2, &job), 0);
	fl_end(fixture->reader);
	assert_true(starts.cells[0].sum == (double)(job.start_time - job.submission_time));
	assert_string_equal(starts.queues.texts[starts.cells[0].queue], "all.q");
	assert_string_equal(starts.projects.texts[starts.cells[0].project], "blue");
	observe(fixture, 3, 3, "r");
	assert_int_equal(counted(), 1);
}

static void test_a_task_that_comes_back_is_counted_again(void **state)
{
	observe(*state, 3, 1, "r");
	observe(*state, 2, 2, "r");
	observe(*state, 3, 3, "r");
	assert_int_equal(counted(), 1);
}

static void test_tasks_that_a_restarted_scheduler_gets_again_are_not_counted(void **state)
{
	observe_at(*state, 3, 1, "r", NOW + 1000);
	observe_at(*state, 0, 2, "r", NOW + 1001);
	observe_at(*state, 3, 3, "r", NOW + 1002);
	assert_int_equal(counted(), 0);
}

static void test_a_start_counts_when_it_is_confirmed(void **state)
{
	observe(*state, 2, 1, "r");
	observe(*state, 3, 2, "t");
	assert_int_equal(counted(), 0);
	observe(*state, 3, 3, "r");
	assert_int_equal(counted(), 1);
}

static void test_runs_that_were_not_observed_are_counted(void **state)
{
	observe(*state, 2, 1, "r");
	observe(*state, 2, 2, "r");
	assert_int_equal(starts.skipped, 0);
	observe(*state, 2, 7, "r");
	assert_int_equal(starts.skipped, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_tasks_of_the_first_run_are_not_counted),
		TEST(test_a_new_task_is_counted_once_with_its_waiting_time),
		TEST(test_a_task_that_comes_back_is_counted_again),
		TEST(test_tasks_that_a_restarted_scheduler_gets_again_are_not_counted),
		TEST(test_a_start_counts_when_it_is_confirmed),
		TEST(test_runs_that_were_not_observed_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
