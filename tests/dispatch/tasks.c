/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single tasks of an array: enrolled tasks, tasks in error, and tasks that wait for a task of
 * another array. Ada has four slots, bly is disabled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define ENROLLED "{'event':'tasks_enrolled','job_number':"

static int tasks_setup(void **state)
{
	if (dispatch_setup(state))
		return -1;
	TELL((struct fixture *)*state, "{'event':'queue_instance','queue':'all.q@bly','slots':4,'state':'d'}");
	return 0;
}

#define TASKS_TEST(name) cmocka_unit_test_setup_teardown(name, tasks_setup, teardown)

/* Return the tasks that a run starts, in order: "1.3 1.4 ". */
static const char *starts(struct fixture *fixture)
{
	static char text[1000];
	uint64_t after = sched_orders(fixture->sched)->last;

	run(fixture, NOW);
	text[0] = '\0';
	for (const struct order *order; (order = orders_after(sched_orders(fixture->sched), after));
	     after = order->number)
		if (order->kind == ORDER_START)
			sprintf(text + strlen(text), "%u.%u ", order->job_number, order->task);
	return text;
}

static void test_enrolled_tasks_start_before_the_others_of_their_job(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	TELL(fixture, ENROLLED "1,'tasks':'3,8'}");
	assert_string_equal(starts(fixture), "1.3 1.8 1.1 1.2 ");
}

static void test_enrolled_tasks_count_for_a_limit_that_does_not_delay_them(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9','task_concurrency':2}");
	TELL(fixture, ENROLLED "1,'tasks':'7-9'}");
	assert_string_equal(starts(fixture), "1.7 1.8 1.9 ");
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-9','task_concurrency':2}");
	TELL(fixture, ENROLLED "2,'tasks':'5'}");
	take_orders(fixture);
	TELL(fixture, "{'event':'job_delete','job_number':1}");
	assert_string_equal(starts(fixture), "2.5 2.1 ");
}

static void test_a_task_in_error_waits_while_the_others_start(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-2'}");
	TELL(fixture, ENROLLED "1,'tasks':'1','error':'1','error_reason':'no such directory'}");
	assert_string_equal(starts(fixture), "1.2 ");
	assert_string_equal(starts(fixture), "");
	assert_non_null(strstr(why_all(fixture, 1), "no such directory"));
	TELL(fixture, ENROLLED "1,'tasks':'1'}");
	assert_string_equal(starts(fixture), "1.1 ");
}

static void test_an_array_shows_its_first_remaining_id_when_no_task_may_start(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;
	size_t n = 0;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-5','hold':{'u':'3-5'}}");
	assert_string_equal(starts(fixture), "1.1 1.2 ");
	while (fl_find(fixture->view, 1, n, &job) == 0 && job.is_started)
		n++;
	assert_int_equal(n, 2);
	assert_int_equal(job.task, 3);
}

static void test_a_task_that_is_put_back_starts_first(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	assert_string_equal(starts(fixture), "1.1 1.2 1.3 1.4 ");
	for (unsigned task = 1; task <= 4; task++)
		TELL(fixture,
		     "{'event':'task_start','job_number':1,'task':%u,'start_time':%d,'granted':[{'queue':'all.q@ada','slots':1}]}",
		     task, NOW);
	TELL(fixture, "{'event':'task_finish','job_number':1,'task':1}");
	TELL(fixture, "{'event':'task_requeue','job_number':1,'task':4}");
	assert_string_equal(starts(fixture), "1.4 1.5 ");
}

static void test_a_task_stays_enrolled_when_its_start_is_refused(void **state)
{
	struct fixture *fixture = *state;
	uint64_t first;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	assert_string_equal(starts(fixture), "1.1 1.2 1.3 1.4 ");
	first = sched_orders(fixture->sched)->last - 3;
	TELL(fixture, ENROLLED "1,'tasks':'3'}");		/* its report by the qmaster comes first */
	TELL(fixture, "{'event':'order_refused','number':%llu,'job_number':1,'task':3}", (unsigned long long)first + 2);
	TELL(fixture, "{'event':'order_refused','number':%llu,'job_number':1,'task':4}", (unsigned long long)first + 3);
	TELL(fixture, ENROLLED "1,'tasks':'3,4'}");		/* or after it */
	TELL(fixture, "{'event':'order_refused','number':%llu,'job_number':1,'task':1}", (unsigned long long)first);
	assert_string_equal(starts(fixture), "1.3 1.4 1.1 ");
}

static void finish(struct fixture *fixture, uint32_t number, unsigned task)
{
	TELL(fixture, "{'event':'task_finish','job_number':%u,'task':%u}", number, task);
}

static void test_a_task_waits_for_that_of_another_array(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-3','hold_jid_ad':[1,77]}");
	TELL(fixture, ADD "3,'owner':'ann','tasks':'1-3','hold_jid_ad':[2]}");
	assert_string_equal(starts(fixture), "1.1 1.2 1.3 ");
	assert_string_equal(starts(fixture), "");
	WAITS(fixture, 2, "the end of job 1");
	finish(fixture, 1, 2);
	assert_string_equal(starts(fixture), "2.2 ");
	finish(fixture, 2, 2);
	assert_string_equal(starts(fixture), "3.2 ");
	TELL(fixture, "{'event':'job_delete','job_number':1}");
	assert_string_equal(starts(fixture), "2.1 2.3 ");
	TELL(fixture, "{'event':'task_requeue','job_number':2,'task':1}");
	TELL(fixture, "{'event':'job_modify','job_number':3,'hold_jid_ad':[]}");
	assert_string_equal(starts(fixture), "2.1 3.1 ");
}

static void test_a_hold_of_an_array_dependency_can_be_reported(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3','hold':{'a':'1-2'}}");
	assert_string_equal(starts(fixture), "1.3 ");
	assert_string_equal(starts(fixture), "");
	assert_non_null(strstr(why_all(fixture, 1), "held"));
	TELL(fixture, "{'event':'job_modify','job_number':1,'hold':{'a':'2'}}");
	assert_string_equal(starts(fixture), "1.1 ");
}

static void test_an_invalid_enrolment_is_refused(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'task':2,'start_time':%d,'granted':[{'queue':'all.q@ada','slots':1}]}",
	     NOW);
	REFUSE(fixture, "there is no job 9", ENROLLED "9,'tasks':'1'}");
	REFUSE(fixture, "has 2: allowed are tasks that are not started", ENROLLED "1,'tasks':'1-3'}");
	REFUSE(fixture, "has 4: allowed", ENROLLED "1,'tasks':'1,4-4294967295'}");
	REFUSE(fixture, "has 3: allowed are ids in", ENROLLED "1,'tasks':'1','error':'1,3'}");
	REFUSE(fixture, "has 2: allowed", ENROLLED "2,'tasks':'2'}");
	TELL(fixture, ENROLLED "2,'tasks':'1','error':'1'}");
	assert_string_equal(starts(fixture), "1.1 1.3 ");
}

/* A task that was removed from the job is no longer enrolled and cannot be enrolled again. */
static void test_removed_tasks_are_not_enrolled(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9','task_concurrency':3}");
	TELL(fixture, ENROLLED "1,'tasks':'3-8','error':'4'}");
	TELL(fixture, "{'event':'job_modify','job_number':1,'tasks':'1-2,8-9'}");
	assert_string_equal(starts(fixture), "1.8 1.1 1.2 ");
}

#define UNKNOWN "{'event':'reschedule_unknown','host':"

/*
 * The rule also holds for reservations. The job's other tasks and its category's other jobs start
 * there.
 */
static void test_a_task_does_not_start_while_it_may_still_run(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, UNKNOWN "'ada','tasks':[[1,2],[2,1],[9,9]]}");
	TELL(fixture, ADD "1,'owner':'ann','tasks':'2-3'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, ADD "3,'owner':'ann'}");
	assert_string_equal(starts(fixture), "3.1 ");
	assert_string_equal(starts(fixture), "");
	WAITS(fixture, 2, "may still run there: all.q@ada");
	TELL(fixture, UNKNOWN "'ada','tasks':[[2,1]]}");
	assert_string_equal(starts(fixture), "1.2 1.3 ");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@bly','slots':4,'state':''}");
	assert_string_equal(starts(fixture), "2.1 ");
	REFUSE(fixture, "entry 1", UNKNOWN "'ada','tasks':[[1]]}");
	REFUSE(fixture, "entry 2", UNKNOWN "'ada','tasks':[[1,1],[0,1]]}");
	REFUSE(fixture, "tasks", UNKNOWN "'ada'}");
}

static void test_a_parallel_task_avoids_hosts_too(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, UNKNOWN "'ada','tasks':[[1,1]]}");
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-8'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2'}");
	assert_string_equal(starts(fixture), "2.1 ");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@bly','slots':4,'state':''}");
	assert_string_equal(starts(fixture), "1.1 ");
	assert_int_equal(orders_find(sched_orders(fixture->sched), sched_orders(fixture->sched)->last)->start.granted.n,
			 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TASKS_TEST(test_enrolled_tasks_start_before_the_others_of_their_job),
		TASKS_TEST(test_enrolled_tasks_count_for_a_limit_that_does_not_delay_them),
		TASKS_TEST(test_a_task_in_error_waits_while_the_others_start),
		TASKS_TEST(test_an_array_shows_its_first_remaining_id_when_no_task_may_start),
		TASKS_TEST(test_a_task_that_is_put_back_starts_first),
		TASKS_TEST(test_a_task_stays_enrolled_when_its_start_is_refused),
		TASKS_TEST(test_a_task_waits_for_that_of_another_array),
		TASKS_TEST(test_a_hold_of_an_array_dependency_can_be_reported),
		TASKS_TEST(test_an_invalid_enrolment_is_refused),
		TASKS_TEST(test_removed_tasks_are_not_enrolled),
		TASKS_TEST(test_a_task_does_not_start_while_it_may_still_run),
		TASKS_TEST(test_a_parallel_task_avoids_hosts_too),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
