/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs with senseless requests, impossible times and unanswered orders. Each leads to a reason or a
 * start, never to a failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define GRANTED(queue, slots) "'granted':[{'queue':'" queue "','slots':" #slots "}]"

static uint64_t ordered(const struct fixture *fixture)
{
	return sched_orders(fixture->sched)->last;
}

/* Requests */

static void test_a_negative_request_frees_no_licences(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=-100'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=6'}");
	run(fixture, NOW);
	WAITS(fixture, 2, "not enough lic is left");
	WAITS(fixture, 1, "lic");
}

static void test_requests_beyond_all_numbers_wait(void **state)
{
	static const char *const values[] = { "1e300", "INFINITY", "99999999999999999999", "6" };
	struct fixture *fixture = *state;
	uint32_t number = 1;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++, number += 2) {
		TELL(fixture, ADD "%u,'owner':'ann','hard_resource_list':'lic=%s'}", number, values[i]);
		TELL(fixture, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'1-3','hard_resource_list':'lic=%s'}",
		     number + 1, values[i]);
	}
	set_sched_conf(fixture, "max_reservation", "20");
	reload(fixture);
	run(fixture, NOW);
	for (uint32_t k = 1; k < number; k++)
		WAITS(fixture, k, "lic");
}

static void test_requests_that_are_no_numbers_do_not_count_as_zero(void **state)
{
	static const char *const values[] = { "NaN", "nan", "x", "", "1x", "--1", "0x" };
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		TELL(fixture, ADD "%u,'owner':'ann','hard_resource_list':'lic=%s'}", i + 1, values[i]);
	run(fixture, NOW);
	for (uint32_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		WAITS(fixture, i + 1, "lic=");
}

static void test_requests_after_an_unreadable_one_are_kept(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic,mem=1000G'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'=1,mem=1000G'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'mem=1G,mem=1000G'}");
	TELL(fixture, ADD "4,'owner':'ann','hard_resource_list':'mem=1000G,'}");
	run(fixture, NOW);
	for (uint32_t number = 1; number <= 4; number++)
		WAITS(fixture, number, number == 2 ? "requested =1" : "mem");
}

static void test_ten_thousand_requests_are_all_checked(void **state)
{
	struct fixture *fixture = *state;
	size_t n = 0;
	char *text = malloc(10000 * 16 + 200);
	struct job_spec spec = { .given = JOB_HARD, .job_number = 1, .owner = "ann", .submission_time = NOW };

	for (int i = 0; i < 10000; i++)
		n += (size_t)sprintf(text + n, "odd%05d=1,", i);
	strcpy(text + n, "lic=1");
	spec.hard = text;
	assert_int_equal(mirror_job_add(sched_mirror(fixture->sched), &spec, &fixture->error), 0);
	run(fixture, NOW);
	WAITS(fixture, 1, "does not have the requested odd00000=1");
	free(text);
}

/* Slots */

static void test_no_range_of_slots_is_too_long(void **state)
{
	static const char *const ways[] = { "bin", "least", "highest", "auto" };
	static const char *const ranges[] = { "1-9999999", "9-9999999", "9999999", "2-" };
	struct fixture *fixture = *state;
	uint32_t number = 1;
	int64_t now = NOW;

	put_pe(fixture, "mpi", 9999999, "$round_robin");
	set_sched_conf(fixture, "max_reservation", "10");
	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		char params[60];

		snprintf(params, sizeof(params), "PE_RANGE_ALG=%s", ways[w]);
		set_sched_conf(fixture, "params", params);
		reload(fixture);
		for (size_t r = 0; r < sizeof(ranges) / sizeof(*ranges); r++, number++) {
			bool fits = ranges[r][0] == '1' || ranges[r][0] == '2';

			TELL(fixture, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'%s','reserve':true}", number,
			     ranges[r]);
			run(fixture, now++);
			assert_int_equal(started(fixture, number), fits);
			if (!fits)
				WAITS(fixture, number, "are needed");
			if (fits)
				assert_int_equal(row(fixture, number, 0).slots, 8);
			TELL(fixture, DELETE "%u}", number);
		}
	}
}

static void test_requested_slots_are_limited_to_the_possible_number(void **state)
{
	struct fixture *fixture = *state;

	REFUSE(fixture, "pe_range", ADD "1,'owner':'ann','pe':'mpi','pe_range':'4294967295'}");
	REFUSE(fixture, "pe_range", ADD "1,'owner':'ann','pe':'mpi','pe_range':'4294967297'}");
	REFUSE(fixture, "pe_range", ADD "1,'owner':'ann','pe':'mpi','pe_range':'0'}");
	REFUSE(fixture, "pe_range", ADD "1,'owner':'ann','pe':'mpi','pe_range':'3-1'}");
	REFUSE(fixture, "not a list of slots", ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-6:0'}");
	REFUSE(fixture, "not a list of slots", ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-6:'}");
	REFUSE(fixture, "not a list of slots", ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-:2'}");
	REFUSE(fixture, "not a list of slots", ADD "1,'owner':'ann','pe':'mpi','pe_range':'2:2'}");
	REFUSE(fixture, "not a list of slots", ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-6:-2'}");
	REFUSE(fixture, "not a list of slots", ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-6:99999999999'}");
	REFUSE(fixture, "must not overlap", ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-6:2,4'}");
	REFUSE(fixture, "must not overlap", ADD "1,'owner':'ann','pe':'mpi','pe_range':'1-100,2-6,30-40:10'}");
	REFUSE(fixture, "pe_range", ADD "1,'owner':'ann','pe':'mpi'}");
}

static void test_an_array_of_a_hundred_thousand_tasks_starts_slot_by_slot(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "global_conf", "enforce_user none\nmax_aj_instances 0\nmax_aj_tasks 100000\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-100000'}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	put(fixture, "global_conf", "enforce_user none\nmax_aj_instances 2000\nmax_aj_tasks 100000\n");
	reload(fixture);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1) + started(fixture, 2), 8);
	for (uint32_t task = 1; task <= 3; task++)
		TELL(fixture, FINISH "1,'task':%u}", task);
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1) + started(fixture, 2), 8);
	assert_int_equal(ordered(fixture), 11);
}

/* Such a long line cannot be written: the job waits, all others are handled. */
static void test_a_start_too_long_for_an_order_delays_no_other_job(void **state)
{
	struct fixture *fixture = *state;
	char name[600], host[520];

	memset(host, 'h', sizeof(host));
	for (unsigned i = 0; i < 2500; i++) {
		snprintf(host + 490, sizeof(host) - 490, "%05u", i);
		snprintf(name, sizeof(name), "all.q@%s", host);
		report_instance(fixture, name, 1);
	}
	TELL(fixture, ADD "1,'owner':'ann','priority':100,'pe':'mpi','pe_range':'2508'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	put_pe(fixture, "mpi", 9999, "$fill_up");
	reload(fixture);
	run(fixture, NOW);
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1), 0);
	assert_int_equal(started(fixture, 2), 1);
}

/* Time */

static void test_zero_and_infinite_durations_are_handled(void **state)
{
	static const char *const durations[] = { "0:0:1", "INFINITY", "1193046:28:14" };
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	sched_schedule(fixture->sched, &lines);
	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "params", "MONITOR=1");
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++) {
		set_sched_conf(fixture, "default_duration", durations[i]);
		reload(fixture);
		TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'8'}");
		TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'8','reserve':true}");
		TELL(fixture, ADD "3,'owner':'ann','reserve':true}");
		schedule_begin(&lines);
		run(fixture, NOW);
		schedule_begin(&lines);
		run(fixture, NOW + 30);
		assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 0 && started(fixture, 3) == 0);
		for (const char *line = strstr(lines.text, ":RESERVING:"); line; line = strstr(line + 1, ":RESERVING:"))
			assert_true(strtoll(line + strlen(":RESERVING:"), NULL, 10) >= NOW + 30);

		if (i == 0)
			assert_non_null(strstr(lines.text, "2:1:RESERVING:"));
		if (i == 1)
			assert_null(strstr(lines.text, "RESERVING"));
		for (uint32_t number = 1; number <= 3; number++)
			TELL(fixture, DELETE "%u}", number);
	}
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

/* Recorded: RUNNING for 660 seconds, although the master queue allows 1800. */
static void test_a_task_ends_at_the_shortest_limit_of_its_queues(void **state)
{
	static const char *const names[] = { "slow.q", "all.q" }, *const limits[] = { "0:30:0", "0:10:0" };
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };
	char file[20], name[20], expected[60];

	sched_schedule(fixture->sched, &lines);
	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "params", "MONITOR=1");
	for (size_t i = 0; i < 2; i++) {
		snprintf(file, sizeof(file), "queue/%s", names[i]);
		put_text(
			fixture, file,
			"qname %s\nhostlist ada bly\nseq_no 0\nslots 1\nqtype BATCH\npe_list mpi\nh_rt %s\ns_rt INFINITY\n",
			names[i], limits[i]);
	}
	reload(fixture);
	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s@ada", names[i]);
		report_instance(fixture, name, 1);
	}
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'2'}");
	TELL(fixture,
	     "{'event':'task_start','start_time':%d,'granted':[{'queue':'slow.q@ada','slots':1},{'queue':'all.q@ada','slots':1}],'job_number':1}",
	     NOW);
	TELL(fixture,
	     ADD "2,'owner':'ann','reserve':true,'hard_queue_list':'all.q@ada','hard_resource_list':'h_rt=100'}");
	schedule_begin(&lines);
	run(fixture, NOW);
	snprintf(expected, sizeof(expected), "2:1:RESERVING:%d:160:", NOW + 660);
	assert_non_null(strstr(lines.text, expected));
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

static void test_the_clock_may_go_back_and_tasks_may_start_in_the_future(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "job_load_adjustments", "np_load_avg=0.5");
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture,
	     "{'event':'task_start','start_time':9007199254740000," GRANTED("all.q@ada", 4) ",'job_number':1}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'5','reserve':true,'hard_resource_list':'h_rt=100'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 2), 0);
	TELL(fixture, ADD "3,'owner':'ann'}");
	run(fixture, NOW + 1000);
	run(fixture, NOW - 100000);
	run(fixture, 1);
	TELL(fixture, ADD "4,'owner':'ann','hard_resource_list':'h_rt=100'}");
	run(fixture, 0);
	assert_int_equal(started(fixture, 4), 1);
	assert_int_equal(sched_orders(fixture->sched)->withheld, 0);
}

/* Categories */

static void test_a_run_handles_more_categories_than_lists_of_reasons(void **state)
{
	struct fixture *fixture = *state;
	char hard[40];
	struct job_spec spec = { .given = JOB_HARD, .owner = "ann", .submission_time = NOW, .hard = hard };

	for (uint32_t number = 1; number <= 66000; number++) {
		spec.job_number = number;
		snprintf(hard, sizeof(hard), "lic=%u", number + 5);
		assert_int_equal(mirror_job_add(sched_mirror(fixture->sched), &spec, &fixture->error), 0);
	}
	snprintf(hard, sizeof(hard), "lic=5");
	spec.job_number = 70000;
	assert_int_equal(mirror_job_add(sched_mirror(fixture->sched), &spec, &fixture->error), 0);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 70000), 1);
	assert_int_equal(ordered(fixture), 1);
	WAITS(fixture, 1, "not enough lic is left");
	WAITS(fixture, 66000, "");
}

/* Orders */

static void test_unanswered_starts_are_ordered_once(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-20'}");
	run(fixture, NOW);
	run(fixture, NOW + 1);
	run(fixture, NOW + 2);
	assert_int_equal(ordered(fixture), 8);
	assert_int_equal(started(fixture, 1), 8);
	take_orders(fixture);
	run(fixture, NOW + 3);
	assert_int_equal(ordered(fixture), 8);
}

static void test_no_start_is_ordered_while_too_many_orders_are_kept(void **state)
{
	struct fixture *fixture = *state;
	struct orders *orders = sched_orders(fixture->sched);

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	orders->bytes += ORDERS_BYTES;	/* simulates a full list of orders */
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 0);
	assert_int_equal(sched_mirror(fixture->sched)->state->tasks.pool.used, 0);
	orders->bytes -= ORDERS_BYTES;
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1), 3);
}

static void test_refused_starts_are_ordered_again_with_new_numbers(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-8'}");
	run(fixture, NOW);
	for (uint32_t task = 1; task <= 8; task++) {
		const struct order *order = orders_find(sched_orders(fixture->sched), task);

		assert_non_null(order);
		assert_true(order->kind == ORDER_START && order->job_number == 1);
		TELL(fixture, "{'event':'order_refused','number':%u,'job_number':1,'task':%u,'text':'no'}", task,
		     order->task);
	}
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1), 8);
	assert_int_equal(ordered(fixture), 16);
	assert_int_equal(sched_orders(fixture->sched)->refused, 8);
}

static void test_a_snapshot_drops_orders_and_the_next_run_decides_again(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=5'}");
	run(fixture, NOW);
	assert_int_equal(ordered(fixture), 2);
	SNAPSHOT(fixture);
	report_instance(fixture, "all.q@bly", 1);
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=5'}");
	TELL(fixture, ADD "3,'owner':'ann'}");
	SNAPSHOT_END(fixture);
	assert_null(orders_after(sched_orders(fixture->sched), 0));
	run(fixture, NOW + 1);
	assert_int_equal(ordered(fixture), 3);
	assert_int_equal(started(fixture, 2) + started(fixture, 3), 1);
	assert_int_equal(rows(fixture, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_negative_request_frees_no_licences),
		DISPATCH_TEST(test_requests_beyond_all_numbers_wait),
		DISPATCH_TEST(test_requests_that_are_no_numbers_do_not_count_as_zero),
		DISPATCH_TEST(test_requests_after_an_unreadable_one_are_kept),
		DISPATCH_TEST(test_ten_thousand_requests_are_all_checked),
		DISPATCH_TEST(test_no_range_of_slots_is_too_long),
		DISPATCH_TEST(test_requested_slots_are_limited_to_the_possible_number),
		DISPATCH_TEST(test_an_array_of_a_hundred_thousand_tasks_starts_slot_by_slot),
		DISPATCH_TEST(test_a_start_too_long_for_an_order_delays_no_other_job),
		DISPATCH_TEST(test_zero_and_infinite_durations_are_handled),
		DISPATCH_TEST(test_a_task_ends_at_the_shortest_limit_of_its_queues),
		DISPATCH_TEST(test_the_clock_may_go_back_and_tasks_may_start_in_the_future),
		DISPATCH_TEST(test_a_run_handles_more_categories_than_lists_of_reasons),
		DISPATCH_TEST(test_unanswered_starts_are_ordered_once),
		DISPATCH_TEST(test_no_start_is_ordered_while_too_many_orders_are_kept),
		DISPATCH_TEST(test_refused_starts_are_ordered_again_with_new_numbers),
		DISPATCH_TEST(test_a_snapshot_drops_orders_and_the_next_run_decides_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
