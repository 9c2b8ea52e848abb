/* SPDX-License-Identifier: Apache-2.0 */
/* Suspend thresholds: suspended and resumed tasks. queue_conf(5) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define THRESHOLD "suspend_thresholds np_load_avg=1\nnsuspend %u\nsuspend_interval 0:0:10\n"

/*
 * Create the queues all.q and low.q on both hosts. `nsuspend`: tasks that each may suspend in a
 * run.
 */
static void make_cell(struct fixture *fixture, unsigned nsuspend)
{
	char lines[200];

	snprintf(lines, sizeof(lines), THRESHOLD, nsuspend);
	put_queue(fixture, "all.q", "ada bly", "4", lines);
	put_queue(fixture, "low.q", "ada bly", "4", lines);
	reload(fixture);
	report_instance(fixture, "low.q@ada", 4);
	report_instance(fixture, "low.q@bly", 4);
}

static void add_running(struct fixture *fixture, uint32_t number, const char *granted, int64_t start_time)
{
	TELL(fixture, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'1-9'}", number);
	TELL(fixture,
	     "{'event':'task_start','job_number':%u,'task':1,'start_time':%lld,'granted':[%s],'granted_pe':'mpi'}",
	     number, (long long)start_time, granted);
}

static void set_load(struct fixture *fixture, const char *host, const char *load)
{
	TELL(fixture, "{'event':'host_load','host':'%s','load_values':{'np_load_avg':'%s','num_proc':'4'}}", host,
	     load);
}

/* Return the orders of a run: "suspend 2 all.q@ada; ". */
static const char *ordered(struct fixture *fixture, int64_t now)
{
	static char text[1000];
	uint64_t after = sched_orders(fixture->sched)->last;

	run(fixture, now);
	text[0] = '\0';
	for (const struct order *order; (order = orders_after(sched_orders(fixture->sched), after));
	     after = order->number)
		sprintf(text + strlen(text), "%s %u %s; ",
			order->kind == ORDER_SUSPEND  ? "suspend"
			: order->kind == ORDER_RESUME ? "resume"
						      : "other",
			order->job_number, order->queue);
	return text;
}

#define AT(queue, slots) "{'queue':'" queue "','slots':" #slots "}"

static void test_the_last_started_task_is_suspended_and_the_first_resumes(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture, 1);
	for (uint32_t i = 1; i <= 3; i++)
		add_running(fixture, i, AT("all.q@ada", 1), NOW - 10 * (i + 1));
	set_load(fixture, "ada", "2");
	assert_string_equal(ordered(fixture, NOW), "suspend 1 all.q@ada; ");
	TELL(fixture, "{'event':'task_state','job_number':1,'task':1,'state':'T'}");
	TELL(fixture, "{'event':'task_state','job_number':2,'task':1,'state':'T'}");
	set_load(fixture, "ada", "0.5");
	assert_string_equal(ordered(fixture, NOW + 20), "resume 2 all.q@ada; ");
}

/* 3 started first of them, but 2 is before it in the job list. */
/* Checking the load does not start an interval, suspending a task does. */
static void test_the_interval_is_that_between_orders(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture, 1);
	for (uint32_t i = 1; i <= 3; i++)
		add_running(fixture, i, AT("all.q@ada", 1), NOW - 10 * (i + 1));
	assert_string_equal(ordered(fixture, NOW), "");
	set_load(fixture, "ada", "2");
	assert_string_equal(ordered(fixture, NOW + 1), "suspend 1 all.q@ada; ");
	TELL(fixture, "{'event':'task_state','job_number':1,'task':1,'state':'T'}");
	assert_string_equal(ordered(fixture, NOW + 10), "");
	assert_string_equal(ordered(fixture, NOW + 11), "suspend 2 all.q@ada; ");
}

static void test_the_first_in_the_job_list_is_suspended_among_tasks_of_the_same_second(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture, 1);
	for (uint32_t i = 1; i <= 3; i++)
		add_running(fixture, i, AT("all.q@ada", 1), i == 1 ? NOW - 90 : NOW - 60);
	set_load(fixture, "ada", "2");
	assert_string_equal(ordered(fixture, NOW), "suspend 2 all.q@ada; ");
	/* moves it to the end */
	TELL(fixture, "{'event':'job_modify','job_number':2,'priority':-1}");
	assert_string_equal(ordered(fixture, NOW + 20), "suspend 3 all.q@ada; ");
}

static void test_the_first_in_the_job_list_resumes_among_tasks_of_the_same_second(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture, 1);
	for (uint32_t i = 1; i <= 2; i++) {
		add_running(fixture, i, AT("all.q@ada", 1), NOW - 60);
		TELL(fixture, "{'event':'task_state','job_number':%u,'task':1,'state':'T'}", i);
	}
	TELL(fixture, "{'event':'job_modify','job_number':1,'priority':-1}");
	assert_string_equal(ordered(fixture, NOW), "resume 2 all.q@ada; ");
}

static void test_a_task_in_two_queues_is_suspended_once(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture, 1);
	add_running(fixture, 1, AT("low.q@bly", 1), NOW - 60);
	add_running(fixture, 2, AT("all.q@ada", 1) "," AT("low.q@bly", 1), NOW - 50);
	set_load(fixture, "ada", "2");
	set_load(fixture, "bly", "2");
	assert_string_equal(ordered(fixture, NOW), "suspend 2 all.q@ada; suspend 1 low.q@bly; ");
}

static void test_a_task_resumes_by_its_master_queue_alone(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture, 1);
	add_running(fixture, 1, AT("all.q@ada", 1) "," AT("low.q@bly", 1), NOW - 60);
	TELL(fixture, "{'event':'task_state','job_number':1,'task':1,'state':'T'}");
	set_load(fixture, "ada", "2");
	set_load(fixture, "bly", "0");
	assert_string_equal(ordered(fixture, NOW), "");
	set_load(fixture, "ada", "0");
	assert_string_equal(ordered(fixture, NOW + 20), "resume 1 all.q@ada; ");
}

static uint64_t place_of(const struct fixture *fixture, const char *instance)
{
	const struct mirror *mirror = sched_mirror(fixture->sched);
	uint32_t i = index_find(&mirror->state->instance_index, mirror->state->instance_names,
				strings_find(mirror->strings, instance));

	return mirror->state->instances[i].place;
}

/* From then on the order decides between equal instances, as it does after the start of a task. */
static void test_an_instance_that_suspends_a_task_moves_to_the_end_of_the_list(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture, 1);
	add_running(fixture, 1, AT("all.q@ada", 1), NOW - 60);
	assert_string_equal(ordered(fixture, NOW - 30), "");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':2,'task':1,'start_time':%d,'granted':[{'queue':'all.q@bly','slots':1}]}",
	     NOW - 20);
	assert_true(place_of(fixture, "all.q@bly") > place_of(fixture, "all.q@ada"));
	set_load(fixture, "ada", "2");
	assert_string_equal(ordered(fixture, NOW), "suspend 1 all.q@ada; ");
	assert_true(place_of(fixture, "all.q@bly") < place_of(fixture, "all.q@ada"));
}

/* Observed with a real cell: the tickets of a task suspended in this run are dropped. */
static void test_a_suspended_task_has_no_tickets_but_counts_in_urgency(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job running, pending;

	make_cell(fixture, 1);
	set_sched_conf(fixture, "weight_tickets_share", "0");
	set_sched_conf(fixture, "weight_tickets_functional", "1000");
	put_user(fixture, "bob");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'bob','hard_resource_list':'lic=4'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'task':1,'start_time':%d,'granted':[{'queue':'all.q@ada','slots':1}]}",
	     NOW - 60);
	TELL(fixture, ADD "2,'owner':'zoe','hard_resource_list':'lic=5','deadline':%d}", NOW + 900);
	TELL(fixture, ADD "3,'owner':'zoe','hold':{'u':'1'}}");
	run(fixture, NOW - 30);
	fl_find(fixture->view, 1, 0, &running);
	fl_find(fixture->view, 2, 0, &pending);
	assert_true(running.tckts > 0 && running.ntckts == 1.0 && pending.ntckts == 0.0);
	set_load(fixture, "ada", "2");
	assert_string_equal(ordered(fixture, NOW), "suspend 1 all.q@ada; ");
	fl_find(fixture->view, 1, 0, &running);
	fl_find(fixture->view, 2, 0, &pending);
	assert_true(running.tckts == 0 && pending.ntckts == 0.5);
	assert_true(running.nurg != pending.nurg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_the_last_started_task_is_suspended_and_the_first_resumes),
		DISPATCH_TEST(test_the_interval_is_that_between_orders),
		DISPATCH_TEST(test_the_first_in_the_job_list_is_suspended_among_tasks_of_the_same_second),
		DISPATCH_TEST(test_the_first_in_the_job_list_resumes_among_tasks_of_the_same_second),
		DISPATCH_TEST(test_a_task_in_two_queues_is_suspended_once),
		DISPATCH_TEST(test_a_task_resumes_by_its_master_queue_alone),
		DISPATCH_TEST(test_an_instance_that_suspends_a_task_moves_to_the_end_of_the_list),
		DISPATCH_TEST(test_a_suspended_task_has_no_tickets_but_counts_in_urgency),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
