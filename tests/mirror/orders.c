/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts that the scheduler orders, until the qmaster confirms or refuses them, and its reports
 * about orders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"

static const struct granted two[] = { { .queue = "all.q@node", .slots = 1 }, { .queue = "all.q@far", .slots = 2 } };

static int order_start(struct fixture *fixture, uint32_t number, uint32_t task, uint64_t order)
{
	return mirror_order_start(sched_mirror(fixture->sched), number, task, NOW, two, 2, "mpi", order,
				  &fixture->error);
}

static int order_void(struct fixture *fixture, uint32_t number, uint32_t task, uint64_t order)
{
	return mirror_order_void(sched_mirror(fixture->sched), number, task, order, &fixture->error);
}

static void report_queues(struct fixture *fixture)
{
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node','slots':10}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@far','slots':10}");
}

/* Return the numbers of the jobs in the order of the list. */
static const char *list(const struct fixture *fixture)
{
	static char text[200];
	const struct jobs *jobs = &sched_mirror(fixture->sched)->state->jobs;

	text[0] = '\0';
	for (size_t i = 0; i < jobs->list_end; i++)
		if (jobs->list[i] != NONE)
			sprintf(text + strlen(text), " %u", job_fact(jobs, jobs->list[i], number));
	return text;
}

static void test_an_ordered_start_takes_its_slots_at_once(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	report_queues(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	assert_int_equal(order_start(fixture, 1, 2, 7), 0);
	run(fixture, NOW);
	job = row(fixture, 1, 0);
	assert_true(job.is_started && job.task == 2 && job.slots == 3 && job.start_time == NOW);
	assert_string_equal(job.state, "t");
	assert_string_equal(job.granted_pe, "mpi");
	assert_true(job.tckts > 0);
	assert_int_equal(row(fixture, 1, 1).nranges, 2);
	assert_int_equal(free_slots(fixture), 17);
}

static void test_only_pending_tasks_can_be_ordered(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	assert_int_equal(order_start(fixture, 2, 1, 7), -ENOENT);
	assert_int_equal(order_start(fixture, 1, 4, 7), -ENOENT);
	assert_int_equal(order_start(fixture, 1, 1, 0), -EINVAL);
	assert_int_equal(mirror_order_start(sched_mirror(fixture->sched), 1, 1, NOW, NULL, 0, NULL, 7, &fixture->error),
			 -EINVAL);
	assert_int_equal(order_start(fixture, 1, 1, 7), 0);
	assert_int_equal(order_start(fixture, 1, 1, 8), -EEXIST);
	TELL(fixture, START "1,'task':2}");
	assert_int_equal(order_start(fixture, 1, 2, 8), -EEXIST);
}

static void test_task_start_confirms_an_order_and_overrides_it(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	report_queues(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	assert_int_equal(order_start(fixture, 1, 1, 7), 0);
	TELL(fixture, STATE "1,'state':'s'}");
	TELL(fixture, START "1}");
	run(fixture, NOW);
	job = row(fixture, 1, 0);
	assert_true(rows(fixture, 1) == 1 && job.is_started && job.slots == 1 && job.start_time == 1699999500);
	assert_string_equal(job.state, "r");
	assert_string_equal(job.queue, "all.q@node");
	assert_string_equal(job.granted_pe, "");
	assert_true(job.tckts > 0);
	assert_int_equal(free_slots(fixture), 19);
	REFUSE(fixture, "no task 1", START "1}");
	assert_int_equal(order_void(fixture, 1, 1, 7), -ENOENT);
	assert_int_equal(order_void(fixture, 1, 1, 0), -ENOENT);
}

static void test_a_voided_order_leaves_no_trace(void **state)
{
	struct fixture *fixture = *state;

	report_queues(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	assert_int_equal(order_start(fixture, 1, 2, 7), 0);
	assert_int_equal(order_start(fixture, 2, 1, 8), 0);
	assert_int_equal(order_void(fixture, 1, 2, 8), -ENOENT);
	assert_int_equal(order_void(fixture, 1, 1, 7), -ENOENT);
	assert_int_equal(order_void(fixture, 9, 1, 7), -ENOENT);
	assert_int_equal(order_void(fixture, 1, 2, 7), 0);
	assert_int_equal(order_void(fixture, 2, 1, 8), 0);
	assert_int_equal(order_void(fixture, 2, 1, 8), -ENOENT);
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 1 && row(fixture, 1, 0).nranges == 1 && row(fixture, 1, 0).tasks[0].max == 3);
	assert_true(rows(fixture, 2) == 1 && !row(fixture, 2, 0).is_started);
	assert_int_equal(free_slots(fixture), 20);
	assert_int_equal(order_start(fixture, 1, 2, 9), 0);
}

static void test_a_job_moves_in_the_list_when_its_start_is_confirmed(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t number = 1; number <= 3; number++)
		TELL(fixture, ADD "%u,'owner':'ann','tasks':'1-2'}", number);
	assert_int_equal(order_start(fixture, 1, 1, 7), 0);
	assert_int_equal(order_start(fixture, 2, 1, 8), 0);
	assert_string_equal(list(fixture), " 1 2 3");
	assert_int_equal(order_void(fixture, 1, 1, 7), 0);
	assert_string_equal(list(fixture), " 1 2 3");
	assert_int_equal(order_start(fixture, 1, 1, 9), 0);
	TELL(fixture, START "2,'task':1}");
	TELL(fixture, START "1,'task':1}");
	assert_string_equal(list(fixture), " 3 2 1");
}

/* Usage */

static void test_usage_is_booked_once_the_start_is_confirmed(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	assert_int_equal(order_start(fixture, 1, 1, 7), 0);
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 0);
	assert_int_equal(order_void(fixture, 1, 1, 7), 0);
	assert_int_equal(order_start(fixture, 1, 1, 8), 0);
	run(fixture, NOW);
	TELL(fixture, START "1}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 0);
	report_cpu(fixture, 1, 1, 8);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 8);
}

static void test_usage_reported_before_the_confirmation_is_kept(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	assert_int_equal(order_start(fixture, 1, 1, 7), 0);
	report_cpu(fixture, 1, 1, 10);
	TELL(fixture, START "1}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 10);
}

static void test_an_ordered_task_ends_as_any_other(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-2'}");
	TELL(fixture, ADD "3,'owner':'ann'}");
	for (uint32_t number = 1; number <= 3; number++)
		assert_int_equal(order_start(fixture, number, 1, number), 0);
	report_cpu(fixture, 2, 1, 3);
	report_cpu(fixture, 3, 1, 1000);
	TELL(fixture, FINISH "1,'scaled_usage':{'cpu':7}}");
	TELL(fixture, REQUEUE "2,'task':1}");
	TELL(fixture, DELETE "3}");
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 0 && rows(fixture, 3) == 0);
	assert_true(rows(fixture, 2) == 1 && row(fixture, 2, 0).nranges == 1);
	CHECK(ANN_CPU(fixture), 10);
	for (uint32_t number = 1; number <= 3; number++)
		assert_int_equal(order_void(fixture, number, 1, number), -ENOENT);
}

/* Changes by the qmaster while an order is open */

static void test_a_change_of_tasks_keeps_or_drops_ordered_starts(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-5'}");
	assert_int_equal(order_start(fixture, 1, 2, 7), 0);
	assert_int_equal(order_start(fixture, 1, 3, 8), 0);
	/* 3 and 5 were deleted. 2 still waits in the qmaster. */
	TELL(fixture, MODIFY "1,'tasks':'1-2,4'}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 2);
	assert_int_equal(row(fixture, 1, 0).task, 2);
	assert_true(row(fixture, 1, 1).nranges == 2 && row(fixture, 1, 1).tasks[0].max == 1 &&
		    row(fixture, 1, 1).tasks[1].min == 4);
	assert_int_equal(order_void(fixture, 1, 3, 8), -ENOENT);
	assert_int_equal(order_void(fixture, 1, 2, 7), 0);
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 1 && row(fixture, 1, 0).tasks[0].max == 2);
	TELL(fixture, START "1,'task':2}");
	REFUSE(fixture, "task 2", MODIFY "1,'tasks':'1-2'}");
}

static void test_other_changes_leave_orders_unchanged(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	assert_int_equal(order_start(fixture, 1, 1, 7), 0);
	TELL(fixture, MODIFY "1,'priority':-5,'hold':{'u':'1'}}");
	TELL(fixture, MODIFY "1,'tasks':''}");		/* like any job that is not an array */
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 1 && row(fixture, 1, 0).is_started);
	assert_int_equal(order_void(fixture, 1, 1, 7), 0);
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 1 && !row(fixture, 1, 0).is_started);
}

static void test_orders_are_about_the_state_in_force(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t number = 1; number <= 3; number++)
		TELL(fixture, ADD "%u,'owner':'ann'}", number);
	assert_int_equal(order_start(fixture, 1, 1, 7), 0);
	assert_int_equal(order_start(fixture, 2, 1, 8), 0);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, START "2}");
	TELL(fixture, ADD "4,'owner':'ann'}");
	assert_int_equal(order_void(fixture, 1, 1, 7), 0);
	assert_int_equal(order_start(fixture, 3, 1, 9), 0);
	assert_int_equal(order_start(fixture, 4, 1, 10), -ENOENT);
	run(fixture, NOW);
	assert_true(!row(fixture, 1, 0).is_started && row(fixture, 2, 0).is_started && row(fixture, 3, 0).is_started);
	assert_string_equal(row(fixture, 2, 0).state, "t");
	assert_int_equal(order_start(fixture, 1, 1, 11), 0);
	SNAPSHOT_END(fixture);
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 1 && !row(fixture, 1, 0).is_started && rows(fixture, 3) == 0);
	assert_string_equal(row(fixture, 2, 0).state, "r");
	assert_int_equal(order_void(fixture, 1, 1, 11), -ENOENT);
	assert_int_equal(order_void(fixture, 2, 1, 8), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_ordered_start_takes_its_slots_at_once),
		TEST(test_only_pending_tasks_can_be_ordered),
		TEST(test_task_start_confirms_an_order_and_overrides_it),
		TEST(test_a_voided_order_leaves_no_trace),
		TEST(test_a_job_moves_in_the_list_when_its_start_is_confirmed),
		TEST(test_usage_is_booked_once_the_start_is_confirmed),
		TEST(test_usage_reported_before_the_confirmation_is_kept),
		TEST(test_an_ordered_task_ends_as_any_other),
		TEST(test_a_change_of_tasks_keeps_or_drops_ordered_starts),
		TEST(test_other_changes_leave_orders_unchanged),
		TEST(test_orders_are_about_the_state_in_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
