/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The qmaster takes no orders, and as many as allowed are kept. A run orders nothing more and
 * succeeds. The next run orders the same when there is room again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* Make a run while the kept orders take all memory that is allowed. */
static void run_without_room(struct fixture *fixture, int64_t now)
{
	struct orders *orders = sched_orders(fixture->sched);
	uint64_t last = orders->last;
	size_t bytes = orders->bytes;

	orders->bytes = ORDERS_BYTES;
	assert_true(orders_are_full(orders));
	run(fixture, now);
	assert_int_equal(orders->bytes, ORDERS_BYTES);
	assert_int_equal(orders->last, last);
	orders->bytes = bytes;
}

/* Return the kind of the last order, which must have been made by the last run. */
static enum order_kind ordered(struct fixture *fixture, int64_t now)
{
	const struct orders *orders = sched_orders(fixture->sched);
	uint64_t last = orders->last;

	run(fixture, now);
	assert_int_equal(orders->last, last + 1);
	return orders_find(orders, orders->last)->kind;
}

static void test_a_start_is_ordered_when_there_is_room_again(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	run_without_room(fixture, NOW);
	assert_int_equal(started(fixture, 1), 0);
	assert_int_equal(sched_mirror(fixture->sched)->state->tasks.pool.used, 0);
	assert_int_equal(ordered(fixture, NOW + 1), ORDER_START);
	assert_int_equal(started(fixture, 1), 1);
}

static void test_an_immediate_job_is_removed_when_there_is_room_again(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','now':true,'hard_resource_list':'lic=99'}");
	run_without_room(fixture, NOW);
	assert_int_equal(ordered(fixture, NOW + 1), ORDER_REMOVE);
}

static void test_a_task_is_suspended_when_there_is_room_again(void **state)
{
	struct fixture *fixture = *state;

	put_queue(fixture, "all.q", "ada bly", "4", "suspend_thresholds np_load_avg=1\nnsuspend 1\nsuspend_interval 0:0:10\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500,'job_number':1,'granted':[{'queue':'all.q@ada','slots':1}]}");
	TELL(fixture, "{'event':'host_load','host':'ada','load_values':{'np_load_avg':5}}");
	run_without_room(fixture, NOW);
	assert_int_equal(ordered(fixture, NOW + 20), ORDER_SUSPEND);
}

static void test_tickets_are_ordered_when_there_is_room_again(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "reprioritize_interval", "0:0:30");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','override_tickets':8}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500,'job_number':1,'granted':[{'queue':'all.q@ada','slots':1}]}");
	run_without_room(fixture, NOW);
	assert_int_equal(ordered(fixture, NOW + 30), ORDER_TICKETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_start_is_ordered_when_there_is_room_again),
		DISPATCH_TEST(test_an_immediate_job_is_removed_when_there_is_room_again),
		DISPATCH_TEST(test_a_task_is_suspended_when_there_is_room_again),
		DISPATCH_TEST(test_tickets_are_ordered_when_there_is_room_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
