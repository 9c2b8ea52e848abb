/* SPDX-License-Identifier: Apache-2.0 */
/* Events that say where a scheduler goes on, from a qmaster that says them badly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"

static const struct debited *debited_of(const struct fixture *f, uint32_t number)
{
	return debited_find(sched_mirror(f->sched)->state, number);
}

static void test_what_a_snapshot_says_was_booked_counts_over_what_was_known(void **state)
{
	struct fixture *f = *state;
	const struct debited *d;

	TELL(f, "{'event':'debited_usage','job_number':7,'submission_time':1699999000,'usage':{'cpu':1},"
		"'tasks':[{'task':1,'start_time':5,'usage':{'cpu':1}}]}");
	SNAPSHOT(f);
	TELL(f, "{'event':'debited_usage','job_number':7,'submission_time':1699999000,'usage':{'cpu':2},"
		"'tasks':[{'task':1,'start_time':5,'usage':{'cpu':2}},{'task':2,'start_time':5,'usage':{'cpu':4}}]}");
	SNAPSHOT_END(f);
	d = debited_of(f, 7);
	assert_non_null(d);
	assert_int_equal(d->ntasks, 2);
	CHECK(d->usage.items[0].value, 2);
}

static void test_orders_that_wait_keep_their_numbers(void **state)
{
	struct fixture *f = *state;
	struct orders *orders = sched_orders(f->sched);
	const struct order *order;
	uint64_t number;

	f->intake.orders = orders;
	sched_dispatch(f->sched, true);
	TELL(f, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(f, ADD "1,'owner':'ann'}");
	TELL(f, ADD "2,'owner':'ann'}");
	run(f, NOW);
	order = orders_after(orders, 0);
	assert_non_null(order);
	number = order->number;
	REFUSE(f, "orders", "{'event':'scheduler_state','orders':9007199254740991}");
	TELL(f, "{'event':'scheduler_state','orders':1000}");
	run(f, NOW + 1);
	order = orders_find(orders, number);
	assert_non_null(order);
	for (const struct order *next; (next = orders_after(orders, order->number)); order = next)
		assert_true(next->number > order->number);
	TELL(f, "{'event':'orders_taken','up_to':%d}", (int)number);
	assert_null(orders_find(orders, number));
	assert_int_equal(orders->last, number + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_a_snapshot_says_was_booked_counts_over_what_was_known),
		TEST(test_orders_that_wait_keep_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
