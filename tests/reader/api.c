/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/reader/cell.h"

/* Publish a generation with one number of the run changed. */
#define REPUBLISH(f, member, value) (fill(f), run_head((f)->w.directory)->member = (value), publish(f))

static struct fl_job get(const struct fl_view *view, enum fl_list list, size_t k)
{
	struct fl_job job;

	assert_int_equal(fl_get(view, list, k, &job), 0);
	return job;
}

static void assert_zeros(const struct fl_job *job)
{
	const double values[13] = { job->prio,	  job->nurg,	job->ntckts,  job->npprior, job->urg,
				    job->rrcontr, job->wtcontr, job->dlcontr, job->tckts,   job->otckt,
				    job->ftckt,	  job->stckt,	job->share };
	static const double zeros[13];

	assert_memory_equal(values, zeros, sizeof(zeros));
}

static void test_a_pending_row_shows_the_members_of_its_job(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_job job = get(view, FL_PENDING, ROW_ARRAY);

	assert_int_equal(job.job_number, 7);
	assert_int_equal(job.task, 3);
	assert_true(job.is_array && !job.is_started);
	assert_string_equal(job.state, "qw");
	assert_string_equal(job.name, "other");
	assert_string_equal(job.owner, "anna");
	assert_string_equal(job.project, "blue");
	assert_string_equal(job.department, "");
	assert_int_equal(job.priority, 0);
	assert_int_equal(job.jobshare, 5);
	assert_int_equal(job.override_tickets, 6);
	assert_int_equal(job.ar, 3);
	assert_int_equal(job.deadline, NOW + 10);
	assert_int_equal(job.execution_time, NOW - 50);
	assert_string_equal(job.hard_resources, "arch=x");
	assert_string_equal(job.soft_resources, "mem=1G");
	assert_string_equal(job.pe, "mpi*");
	assert_string_equal(job.pe_range, "2-8");
	assert_int_equal(job.slots, 2);
	assert_int_equal(job.nranges, 2);
	assert_int_equal(job.tasks[0].max, 9);
	assert_int_equal(job.tasks[1].min, 12);
	assert_string_equal(job.queue, "");
	assert_int_equal(fl_get(view, FL_PENDING, ROWS - 1, &job), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_values_are_derived_from_the_run(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job = get(fl_begin(fixture->reader), FL_PENDING, ROW_PLAIN);

	assert_true(job.rrcontr == 1000 && job.wtcontr == 200 && job.dlcontr == 0 && job.urg == 1200);
	assert_true(job.tckts == 500 && job.otckt == 100 && job.ftckt == 150 && job.stckt == 250);
	assert_true(job.nurg == 0.3 && job.ntckts == 0.5 && job.npprior == 0.75 && job.share == 0.25);
	assert_true(job.prio == 0.1 * 0.3 + 0.01 * 0.5 + 1.0 * 0.75);
	assert_int_equal(fl_end(fixture->reader), 0);
	job = get(fl_begin(fixture->reader), FL_PENDING, ROW_ARRAY);
	assert_true(job.dlcontr == 360 && job.urg == 2560);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_urgency_and_posix_priority_that_are_not_used_count_as_half(void **state)
{
	struct fixture *fixture = *state;

	REPUBLISH(fixture, use_urgency, 0);
	struct fl_job job = get(fl_begin(fixture->reader), FL_PENDING, ROW_PLAIN);

	/* The values are not even computed. */
	assert_true(job.nurg == 0 && job.urg == 0 && job.rrcontr == 0 && job.wtcontr == 0);
	assert_true(job.prio == 0.1 * 0.5 + 0.01 * 0.5 + 1.0 * 0.75);
	REPUBLISH(fixture, use_priority, 0);
	job = get(fl_begin(fixture->reader), FL_PENDING, ROW_PLAIN);
	assert_true(job.npprior == 0.75 && job.prio == 0.1 * 0.3 + 0.01 * 0.5 + 1.0 * 0.5);
}

static void test_ineligible_jobs_have_states_and_zeros(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	static const char *const states[] = { "qw", "qw", "hqw", "Eqw", "Ehqw" };

	for (size_t k = ROW_PLAIN; k <= ROW_BOTH; k++) {
		struct fl_job job = get(view, FL_PENDING, k);

		assert_string_equal(job.state, states[k]);
		if (k >= ROW_HELD)
			assert_zeros(&job);
		else
			assert_true(job.prio > 0);
	}
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_without_report_pjob_tickets_pending_rows_are_zero(void **state)
{
	struct fixture *fixture = *state;

	REPUBLISH(fixture, report_pending, 0);
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_job job = get(view, FL_PENDING, ROW_PLAIN);

	assert_zeros(&job);
	assert_true(get(view, FL_STARTED, 0).prio > 0);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_a_started_task_shows_where_it_runs(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job = get(fl_begin(fixture->reader), FL_STARTED, 0);

	assert_int_equal(job.job_number, 7);
	assert_int_equal(job.task, 1);
	assert_true(job.is_started && job.has_usage && job.is_array);
	assert_string_equal(job.state, "r");
	assert_string_equal(job.queue, "all.q@node1");
	assert_string_equal(job.granted_pe, "mpi");
	assert_int_equal(job.slots, 4);
	assert_int_equal(job.start_time, NOW - 10);
	assert_int_equal(job.nranges, 0);
	assert_true(job.cpu == 1.5 && job.mem == 2.5 && job.io == 3.5);
	assert_true(job.tckts == 100 && job.ntckts == 0.1 && job.share == 0.2);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_a_suspended_task_shows_its_previous_values(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job = get(fl_begin(fixture->reader), FL_STARTED, 3);

	assert_string_equal(job.state, "s");
	assert_true(job.prio == 1 && job.nurg == 2 && job.ntckts == 3 && job.npprior == 4 && job.urg == 5);
	assert_true(job.rrcontr == 6 && job.wtcontr == 7 && job.dlcontr == 8 && job.share == 9);
	assert_true(job.tckts == 100 && job.stckt == 70);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_a_job_is_found_by_its_number_with_all_its_rows(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_job job;

	for (size_t k = 0; k < 3; k++) {
		assert_int_equal(fl_find(view, 7, k, &job), 0);
		assert_int_equal(job.job_number, 7);
		assert_int_equal(job.task, k + 1);
		assert_int_equal(job.is_started, k < 2);
	}
	assert_int_equal(fl_find(view, 7, 3, &job), -ENOENT);
	for (unsigned i = 0; i < ROWS; i++) {
		assert_int_equal(fl_find(view, numbers[i], 0, &job), 0);
		assert_int_equal(job.job_number, numbers[i]);
	}
	assert_int_equal(fl_find(view, 55, 1, &job), 0);
	assert_int_equal(fl_find(view, 55, 2, &job), -ENOENT);
	assert_int_equal(fl_find(view, 101, 1, &job), -ENOENT);
	for (uint32_t number = 200; number < 300; number++)
		assert_int_equal(fl_find(view, number, 0, &job), -ENOENT);
	assert_int_equal(fl_find(view, 0, 0, &job), -ENOENT);
	assert_int_equal(fl_find(view, UINT32_MAX, 0, &job), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_two_policies_are_shown_side_by_side(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_factors factors;
	struct fl_run run;

	assert_int_equal(fl_factors(view, numbers[ROW_ERROR], 0, &factors), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
	fixture->multifactor = true;
	fill(fixture);
	publish(fixture);
	fixture->multifactor = false;
	view = fl_begin(fixture->reader);
	fl_run(view, &run);
	assert_true(run.prio_is_whole);
	struct fl_job pending = get(view, FL_PENDING, ROW_PLAIN), started = get(view, FL_STARTED, 0);

	assert_true(pending.otckt == 100 && pending.ftckt == 150 && pending.stckt == 250);
	assert_true(pending.tckts == 500 && pending.ntckts == 0.5 && pending.share == 0.25);
	assert_true(pending.prio == 3000000000.0 + ROW_PLAIN);
	assert_true(started.tckts == 100 && started.prio == 3000000000.0 + ROW_ARRAY);
	assert_int_equal(fl_factors(view, numbers[ROW_ERROR], 0, &factors), 0);
	assert_int_equal(factors.priority, 3000000000u + ROW_ERROR);
	assert_int_equal(factors.accrue_time, NOW - ROW_ERROR);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_the_run_names_its_scheduler(void **state)
{
	struct fixture *fixture = *state;
	struct fl_run run;

	fl_run(fl_begin(fixture->reader), &run);
	assert_int_equal(run.generation, 1);
	assert_int_equal(run.run, 3);
	assert_int_equal(run.now, NOW);
	assert_int_equal(run.event, 77);
	assert_int_equal(run.free_slots, 9);
	assert_int_equal(run.pending, ROWS - 1);
	assert_int_equal(run.started, 4);
	assert_int_equal(run.scheduler_pid, getpid());
	assert_true(run.scheduler_alive);
	assert_false(run.prio_is_whole);
	assert_true(run.bytes > EXTENT_BYTES);
	assert_int_equal(fl_end(fixture->reader), 0);
	strings_destroy(fixture->strings);
	fixture->strings = NULL;
	segment_close(&fixture->segment);
	fl_run(fl_begin(fixture->reader), &run);
	assert_false(run.scheduler_alive);
	assert_int_equal(run.pending, ROWS - 1);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_reasons_of_a_job_its_category_and_all_jobs_are_listed(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	static const uint32_t counts[] = { 4, 2, 3, 1 };
	struct fl_why why;
	char text[100];

	for (size_t k = 0; k < 4; k++) {
		assert_int_equal(fl_why(view, numbers[ROW_PLAIN], k, &why), 0);
		assert_int_equal(why.count, counts[k]);
		assert_string_equal(why.subject, "np_load_avg=1.75");
		assert_string_equal(why.object, "all.q@node1");
		assert_true(why.wanted == counts[k] - 1 && why.had == NOW);
	}
	assert_string_equal(why.kind, "disabled");
	assert_int_equal(fl_why_text(&why, text, 6), strlen("takes no jobs in state np_load_avg=1.75: all.q@node1"));
	assert_string_equal(text, "takes");
	assert_int_equal(fl_why(view, numbers[ROW_PLAIN], 4, &why), -ENOENT);
	assert_int_equal(fl_why(view, numbers[ROW_ARRAY], 0, &why), -ENOENT);
	assert_int_equal(fl_why(view, numbers[ROW_STARTED], 0, &why), -ENOENT);
	assert_int_equal(fl_why(view, 1, 0, &why), -ENOENT);
	assert_int_equal(fl_why(view, numbers[ROW_ERROR], 0, &why), 0);
	assert_string_equal(why.kind, "in_error");
	assert_int_equal(fl_why(view, numbers[ROW_ERROR], 1, &why), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_sharers_usage_and_nodes(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_sharer sharer;
	struct fl_usage usage;
	struct fl_node node;

	assert_int_equal(fl_sharers(view, FL_USER), 2);
	assert_int_equal(fl_sharers(view, FL_PROJECT), 0);
	assert_int_equal(fl_sharers(view, FL_DEPARTMENT), 1);
	assert_int_equal(fl_sharer(view, FL_USER, 0, &sharer), 0);
	assert_string_equal(sharer.name, "anna");
	assert_true(sharer.oticket == 1 && sharer.fshare == 2 && sharer.running_tasks == 3);
	assert_true(sharer.usage.cpu == 4 && sharer.usage.time_stamp == 5);
	assert_int_equal(fl_sharer(view, FL_DEPARTMENT, 0, &sharer), 0);
	assert_string_equal(sharer.name, "science");
	assert_int_equal(fl_sharer(view, FL_USER, 2, &sharer), -ENOENT);
	assert_int_equal(fl_user_project_usage(view, 1, "red", &usage), 0);
	assert_true(usage.cpu == 3);
	assert_int_equal(fl_user_project_usage(view, 0, "blue", &usage), 0);
	assert_true(usage.cpu == 1);
	assert_int_equal(fl_user_project_usage(view, 0, "red", &usage), -ENOENT);
	assert_int_equal(fl_user_project_usage(view, 9, "red", &usage), -ENOENT);
	assert_int_equal(fl_nodes(view), 3);
	assert_int_equal(fl_node(view, 0, &node), 0);
	assert_true(node.parent == -1 && node.has_children && !node.is_temporary && node.shares == 1);
	assert_int_equal(fl_node(view, 2, &node), 0);
	assert_string_equal(node.name, "anna");
	assert_true(node.parent == 1 && node.is_temporary && node.depth == 2 && node.job_count == 4 &&
		    node.long_target_share == 0.25);
	assert_int_equal(fl_node(view, 3, &node), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_parameters_by_name_and_in_order(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	const char *name, *value;

	assert_string_equal(fl_param(view, "halftime"), "168");
	assert_string_equal(fl_param(view, "params"), "");
	assert_null(fl_param(view, "168"));
	assert_null(fl_param(view, "halftim"));
	assert_int_equal(fl_param_at(view, 0, &name, &value), 0);
	assert_string_equal(name, "algorithm");
	assert_string_equal(value, "default");
	assert_int_equal(fl_param_at(view, 2, &name, &value), 0);
	assert_string_equal(name, "params");
	assert_int_equal(fl_param_at(view, 3, &name, &value), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_no_cell_is_no_handle(void **state)
{
	struct fixture *fixture = *state;
	struct fl_cell *none = (struct fl_cell *)1;

	assert_int_equal(fl_attach(&none, fixture->cell.shm), -ENOENT);
	assert_null(none);
	assert_int_equal(fl_attach(&none, "/nonexistent"), -ENOENT);
	fl_detach(none);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_pending_row_shows_the_members_of_its_job),
		TEST(test_values_are_derived_from_the_run),
		TEST(test_urgency_and_posix_priority_that_are_not_used_count_as_half),
		TEST(test_ineligible_jobs_have_states_and_zeros),
		TEST(test_without_report_pjob_tickets_pending_rows_are_zero),
		TEST(test_a_started_task_shows_where_it_runs),
		TEST(test_a_suspended_task_shows_its_previous_values),
		TEST(test_a_job_is_found_by_its_number_with_all_its_rows),
		TEST(test_two_policies_are_shown_side_by_side),
		TEST(test_the_run_names_its_scheduler),
		TEST(test_reasons_of_a_job_its_category_and_all_jobs_are_listed),
		TEST(test_sharers_usage_and_nodes),
		TEST(test_parameters_by_name_and_in_order),
		TEST(test_no_cell_is_no_handle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
