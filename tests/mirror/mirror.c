/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of the events about jobs, and eligibility, as seen by a reader after a run. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/mirror/cell.h"

/* Jobs */

static void test_a_job_is_shown_as_it_was_added(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	TELL(fixture, ADD
	     "7,'owner':'ann','project':'red','job_name':'x','priority':-5,'jobshare':3,'override_tickets':4,'deadline':1800000000,"
	     "'hard_resource_list':'h_rt=60','soft_resource_list':'arch=a','pe':'mpi','pe_range':'2-4','tasks':'1-9:2'}");
	run(fixture, NOW);
	job = row(fixture, 7, 0);
	assert_true(!job.is_started && job.is_array && job.task == 1 && job.nranges == 1 && job.tasks[0].max == 9);
	assert_true(job.priority == -5 && job.jobshare == 3 && job.override_tickets == 4 && job.deadline == 1800000000);
	assert_int_equal(job.submission_time, 1699999000);
	assert_string_equal(job.owner, "ann");
	assert_string_equal(job.project, "red");
	assert_string_equal(job.department, "defaultdepartment");
	assert_string_equal(job.name, "x");
	assert_string_equal(job.hard_resources, "h_rt=60");
	assert_string_equal(job.soft_resources, "arch=a");
	assert_string_equal(job.pe, "mpi");
	assert_string_equal(job.pe_range, "2-4");
	assert_string_equal(job.state, "qw");
	assert_int_equal(rows(fixture, 7), 1);
}

static void test_a_refused_event_changes_no_state(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "7,'owner':'ann','priority':5}");
	REFUSE(fixture, "exists already", ADD "7,'owner':'bob'}");
	REFUSE(fixture, "pe_range", ADD "8,'owner':'bob','pe':'mpi','pe_range':'x'}");
	REFUSE(fixture, "pe_range", ADD "9,'owner':'bob','pe':'mpi','pe_range':'-'}");
	REFUSE(fixture, "pe_range", MODIFY "7,'priority':6,'pe':'mpi'}");
	REFUSE(fixture, "no job 8", MODIFY "8,'priority':6}");
	REFUSE(fixture, "no task 2", START "7,'task':2}");
	REFUSE(fixture, "not started", STATE "7,'state':'s'}");
	REFUSE(fixture, "not started", FINISH "7}");
	REFUSE(fixture, "no job 8", DELETE "8}");
	REFUSE(fixture, "no queue instance", "{'event':'queue_instance_delete','queue':'all.q@node'}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 7, 0).owner, "ann");
	assert_int_equal(row(fixture, 7, 0).priority, 5);
	assert_true(rows(fixture, 8) == 0 && rows(fixture, 9) == 0 && fl_count(fixture->view, FL_PENDING) == 1);
}

static void test_a_modification_changes_only_the_members_that_it_names(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	TELL(fixture,
	     ADD "7,'owner':'ann','priority':5,'hard_resource_list':'h_rt=60','tasks':'1-5','department':'d'}");
	TELL(fixture, MODIFY "7,'jobshare':9,'project':'red','tasks':'3-4','owner':'bob'}");
	run(fixture, NOW);
	job = row(fixture, 7, 0);
	assert_true(job.priority == 5 && job.jobshare == 9 && job.task == 3 && job.tasks[0].max == 4);
	assert_string_equal(job.owner, "ann");
	assert_string_equal(job.project, "red");
	assert_string_equal(job.department, "d");
	assert_string_equal(job.hard_resources, "h_rt=60");
	TELL(fixture, MODIFY "7,'project':'','department':'','hard_resource_list':''}");
	run(fixture, NOW);
	job = row(fixture, 7, 0);
	assert_string_equal(job.project, "");
	assert_string_equal(job.department, "defaultdepartment");
	assert_string_equal(job.hard_resources, "");
}

static void test_a_deleted_job_is_gone_with_its_tasks_and_their_slots(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(fixture, ADD "7,'owner':'ann','tasks':'1-3'}");
	TELL(fixture, START "7,'task':2}");
	run(fixture, NOW);
	assert_true(rows(fixture, 7) == 2 && free_slots(fixture) == 19);
	TELL(fixture, DELETE "7}");
	run(fixture, NOW);
	assert_true(rows(fixture, 7) == 0 && free_slots(fixture) == 20);
}

/*
 * Check the order of the list, which is visible in the order of users at the tree's `default` node.
 */
static void check_order(const struct fixture *fixture, const char *expected)
{
	char order[100] = "";
	struct fl_node node;

	for (size_t k = 0; fl_node(fixture->view, k, &node) == 0; k++)
		if (node.is_temporary)
			strcat(strcat(order, *order ? " " : ""), node.name);
	assert_string_equal(order, expected);
}

static void test_changes_and_starts_move_a_job_to_the_end_and_other_events_do_not(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	TELL(fixture, ADD "2,'owner':'bob','tasks':'1-3'}");
	TELL(fixture, ADD "3,'owner':'cal','tasks':'1-3'}");
	run(fixture, NOW);
	check_order(fixture, "ann bob cal");
	TELL(fixture, MODIFY "1,'priority':1}");
	run(fixture, NOW);
	check_order(fixture, "bob cal ann");
	TELL(fixture, START "3,'task':1}");
	TELL(fixture, START "2,'task':1}");
	TELL(fixture, USAGE "3,'scaled_usage':{'cpu':1}}");
	TELL(fixture, STATE "3,'state':'r'}");
	run(fixture, NOW);
	check_order(fixture, "cal bob ann");
	TELL(fixture, REQUEUE "3}");
	TELL(fixture, REQUEUE "2}");
	run(fixture, NOW);
	check_order(fixture, "ann cal bob");
}

/* Eligibility */

static void test_only_tasks_without_a_hold_are_eligible(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-6','hold':{'u':'1-2','o':'3','s':'6'}}");
	TELL(fixture, ADD "2,'owner':'ann','hold':{'u':'1'}}");
	TELL(fixture, ADD "3,'owner':'ann','tasks':'1-4','hold':{'u':'1,3','s':'2,4'}}");
	run(fixture, NOW);
	assert_true(row(fixture, 1, 0).task == 4 && row(fixture, 1, 0).prio > 0);
	assert_string_equal(row(fixture, 1, 0).state, "qw");
	assert_string_equal(row(fixture, 2, 0).state, "hqw");
	assert_string_equal(row(fixture, 3, 0).state, "hqw");
	assert_true(row(fixture, 2, 0).prio == 0 && row(fixture, 3, 0).prio == 0);
	TELL(fixture, MODIFY "2,'hold':{}}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 2, 0).state, "qw");
}

static void test_a_hold_on_a_whole_giant_array_is_seen_at_once(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-4294967293:4','hold':{'u':'1-4294967295:2'}}");
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-4294967295','hold':{'u':'1-4294967294'}}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).state, "hqw");
	assert_int_equal(row(fixture, 2, 0).task, UINT32_MAX);
}

static void test_a_job_waits_while_one_of_its_predecessors_exists(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, ADD "3,'owner':'ann','hold_jid':[1,2,99]}");
	TELL(fixture, START "1}");
	TELL(fixture, FINISH "1}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 3, 0).state, "hqw");
	TELL(fixture, DELETE "2}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 3, 0).state, "qw");
	assert_true(row(fixture, 3, 0).prio > 0);
}

static void test_jobs_that_wait_for_each_other_wait_until_one_is_deleted(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hold_jid':[2]}");
	TELL(fixture, ADD "2,'owner':'ann','hold_jid':[1]}");
	TELL(fixture, ADD "3,'owner':'ann','hold_jid':[3]}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).state, "hqw");
	assert_string_equal(row(fixture, 3, 0).state, "hqw");
	TELL(fixture, DELETE "1}");
	TELL(fixture, MODIFY "3,'hold_jid':[]}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 2, 0).state, "qw");
	assert_string_equal(row(fixture, 3, 0).state, "qw");
}

static void test_a_job_is_eligible_from_its_execution_time_on(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','execution_time':%d}", NOW + 10);
	run(fixture, NOW + 9);
	CHECK(row(fixture, 1, 0).prio, 0);
	run(fixture, NOW + 10);
	assert_true(row(fixture, 1, 0).prio > 0);
}

static void test_a_job_in_error_is_not_eligible(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','error':true}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).state, "Eqw");
	CHECK(row(fixture, 1, 0).prio, 0);
	TELL(fixture, MODIFY "1,'error':false}");
	run(fixture, NOW);
	assert_true(row(fixture, 1, 0).prio > 0);
}

/* Return the number of eligible tasks of pending jobs. All are at the node of one user. */
static uint32_t tasks_taking_part(const struct fixture *fixture)
{
	struct fl_node root;

	assert_int_equal(fl_node(fixture->view, 0, &root), 0);
	return root.job_count;
}

static void test_started_tasks_leave_room_below_tc_and_max_aj_instances(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9','task_concurrency':4}");
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, START "1,'task':2}");
	TELL(fixture, STATE "1,'task':2,'state':'s'}");
	run(fixture, NOW);
	/* A suspended task counts for the limit and is not eligible. */
	assert_int_equal(tasks_taking_part(fixture), 1 + 2);
	put_global_conf(fixture, 3);
	reload(fixture);
	run(fixture, NOW);
	assert_int_equal(tasks_taking_part(fixture), 1 + 1);
	TELL(fixture, MODIFY "1,'task_concurrency':2}");
	run(fixture, NOW);
	assert_int_equal(tasks_taking_part(fixture), 1);
	CHECK(row(fixture, 1, 2).prio, 0);
	put_global_conf(fixture, 0);
	reload(fixture);
	TELL(fixture, MODIFY "1,'task_concurrency':0}");
	run(fixture, NOW);
	assert_int_equal(tasks_taking_part(fixture), 1 + 7);
}

/*
 * A job may run and wait at the same time. Its pending part is not eligible here and is sorted
 * after eligible jobs, in spite of its running task.
 */
static void test_a_held_rest_of_a_running_job_is_ordered_by_a_prio_of_zero(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job first;

	TELL(fixture, ADD "1,'owner':'ann','priority':1024,'tasks':'1-2'}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	run(fixture, NOW);
	TELL(fixture, MODIFY "2,'priority':-1}");
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, MODIFY "1,'hold':{'u':'2'}}");
	for (int i = 0; i < 3; i++) {		/* for any previous contents of the columns */
		TELL(fixture, MODIFY "%d,'jobshare':%d}", 2 - i % 2, i);
		run(fixture, NOW + i);
		assert_int_equal(fl_get(fixture->view, FL_PENDING, 0, &first), 0);
		assert_int_equal(first.job_number, 2);
	}
}

static void test_a_job_is_eligible_with_one_task_more_than_free_slots_up_to_the_limit_for_jobs(void **state)
{
	static const uint32_t eligible[][2] = { { 0, 1 }, { 5, 6 }, { 18, 19 }, { 19, 20 }, { 20, 20 }, { 21, 20 } };
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_pending_tasks_per_job", "20");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-99'}");
	for (size_t i = 0; i < sizeof(eligible) / sizeof(*eligible); i++) {
		TELL(fixture, "{'event':'queue_instance','queue':'all.q@node','slots':%u}", eligible[i][0]);
		run(fixture, NOW);
		assert_int_equal(tasks_taking_part(fixture), eligible[i][1]);
	}
}

/* Any two of the jobs have 2^32 tasks together. */
static void test_a_run_refuses_more_tasks_than_can_be_counted(void **state)
{
	struct fixture *fixture = *state;

	put_global_conf(fixture, 0);
	set_sched_conf(fixture, "max_pending_tasks_per_job", "4294967295");
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node','slots':4294967294}");
	for (int number = 1; number <= 1000; number++)
		TELL(fixture, ADD "%d,'owner':'ann','tasks':'1-2147483648'}", number);
	assert_int_equal(sched_run(fixture->sched, NOW, 1, &fixture->error), -ENOMEM);
	for (int number = 1; number <= 1000; number++)
		TELL(fixture, DELETE "%d}", number);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-10'}");
	run(fixture, NOW);
	assert_int_equal(tasks_taking_part(fixture), 10);
}

static uint64_t chunks_that_changed(struct fixture *fixture)
{
	struct profile profile;

	run(fixture, NOW);
	sched_profile(fixture->sched, &profile);
	return profile.chunks - profile.chunks_shared;
}

/* Check that the chunk of the next job is not copied. */
static void test_a_change_copies_only_the_chunk_of_its_job(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t number = 1; number <= CHUNK_ROWS + 2; number++) {
		const struct job_spec spec = { .job_number = number, .owner = "ann" };

		assert_int_equal(mirror_job_add(sched_mirror(fixture->sched), &spec, &fixture->error), 0);
	}
	assert_int_equal(chunks_that_changed(fixture), 2);
	TELL(fixture, DELETE "1}");
	assert_int_equal(chunks_that_changed(fixture), 0);
	TELL(fixture, START "2}");
	assert_int_equal(chunks_that_changed(fixture), 0);
	TELL(fixture, MODIFY "%u,'priority':5}", CHUNK_ROWS + 1);
	assert_int_equal(chunks_that_changed(fixture), 1);
	assert_int_equal(row(fixture, CHUNK_ROWS + 1, 0).priority, 5);
	TELL(fixture, ADD "1,'owner':'bob'}");
	assert_int_equal(chunks_that_changed(fixture), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_job_is_shown_as_it_was_added),
		TEST(test_a_refused_event_changes_no_state),
		TEST(test_a_modification_changes_only_the_members_that_it_names),
		TEST(test_a_deleted_job_is_gone_with_its_tasks_and_their_slots),
		TEST(test_changes_and_starts_move_a_job_to_the_end_and_other_events_do_not),
		TEST(test_only_tasks_without_a_hold_are_eligible),
		TEST(test_a_hold_on_a_whole_giant_array_is_seen_at_once),
		TEST(test_a_job_waits_while_one_of_its_predecessors_exists),
		TEST(test_jobs_that_wait_for_each_other_wait_until_one_is_deleted),
		TEST(test_a_job_is_eligible_from_its_execution_time_on),
		TEST(test_a_job_in_error_is_not_eligible),
		TEST(test_started_tasks_leave_room_below_tc_and_max_aj_instances),
		TEST(test_a_job_is_eligible_with_one_task_more_than_free_slots_up_to_the_limit_for_jobs),
		TEST(test_a_run_refuses_more_tasks_than_can_be_counted),
		TEST(test_a_held_rest_of_a_running_job_is_ordered_by_a_prio_of_zero),
		TEST(test_a_change_copies_only_the_chunk_of_its_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
