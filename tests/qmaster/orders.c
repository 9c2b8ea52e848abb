/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of orders: the kept orders, and the duration of keeping. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sched/qmaster/orders.h"
#include "tests/failing_memory.h"

static uint64_t state;

static uint64_t next_random(void)		/* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Bounds */

static size_t ten_bytes(const char *queue)
{
	(void)queue;
	return 10;
}

static size_t some_tickets(uint64_t number, const char *host, const struct order_ticket *tickets, size_t n)
{
	(void)number;
	(void)host;
	(void)tickets;
	return n < 700 ? n : 700;
}

static const struct orders_limits limits = { .instances_bytes = 405,
					     .instance_bytes = ten_bytes,
					     .tickets = some_tickets };

static uint64_t start_on(struct orders *orders, size_t instances)
{
	static struct granted granted[100];
	const struct order start = { .job_number = 1, .task = 1, .start = { .granted = { granted, instances } } };

	for (size_t i = 0; i < instances; i++)
		granted[i] = (struct granted){ "all.q@node000000000000", 64, 123.1, 0, 99.1, 0.1 };
	return orders_start(orders, &start);
}

static void test_a_start_that_the_qmaster_cannot_take_is_not_ordered(void **unused)
{
	struct orders orders = { .limits = limits }, unbounded = { 0 };

	(void)unused;
	assert_true(orders_fit(&orders, 40 * orders_instance_bytes(&orders, "all.q@node")));
	assert_false(orders_fit(&orders, 41 * orders_instance_bytes(&orders, "all.q@node")));
	assert_int_equal(start_on(&orders, 41), 0);
	assert_null(orders_after(&orders, 0));
	assert_int_equal(orders.started, 0);
	assert_int_equal(start_on(&orders, 40), 1);
	assert_int_equal(orders.started, 1);
	orders_free(&orders);
	assert_int_equal(start_on(&unbounded, 100), 1);
	orders_free(&unbounded);
}

static void test_tickets_are_split_for_the_qmaster(void **unused)
{
	static struct order_ticket tickets[1500];
	struct orders orders = { .limits = limits }, unbounded = { 0 };

	(void)unused;
	for (uint32_t i = 0; i < 1500; i++)
		tickets[i].task = i + 1;
	assert_int_equal(orders_tickets(&orders, "a", tickets, 1500), 3);
	for (uint64_t number = 1; number <= 3; number++) {
		const struct order_tickets *part = &orders_find(&orders, number)->tickets;

		assert_string_equal(part->host, "a");
		assert_int_equal(part->n, number < 3 ? 700 : 100);
		assert_int_equal(part->items[part->n - 1].task, number < 3 ? number * 700 : 1500);
	}
	assert_int_equal(orders_tickets(&orders, "a", tickets, 0), 0);
	orders_free(&orders);
	assert_int_equal(orders_tickets(&unbounded, "a", tickets, 1500), 1);
	orders_free(&unbounded);
}

/* The caller's values may change or be freed after the order. */
static void test_an_order_owns_all_its_memory(void **unused)
{
	char queues[2][20] = { "z.q@master", "a.q@slave" }, pe[] = "mpi", host[] = "slave", queue[] = "z.q@master";
	struct granted granted[] = { { queues[0], 2, 3, 1, 0, 2 }, { queues[1], 1, 0, 0, 0, 0 } };
	struct order_ticket ticket = { 7, 3, 12.5, 99, true };
	const struct order start = {
		.job_number = 7,
		.task = 3,
		.is_array = true,
		.start = { .start_time = 99, .granted = { granted, 2 }, .granted_pe = pe, .prio = 0.5, .ntckts = 0.25 }
	};
	struct orders orders = { 0 };
	const struct order *found;

	(void)unused;
	assert_int_equal(orders_start(&orders, &start), 1);
	assert_int_equal(orders_tickets(&orders, host, &ticket, 1), 2);
	assert_int_equal(orders_suspend(&orders, true, 7, 3, queue), 3);
	memset(queues, 'x', sizeof(queues) - 1);
	memset(granted, 0, sizeof(granted));
	memset(&ticket, 0, sizeof(ticket));
	pe[0] = host[0] = queue[0] = 'x';

	found = orders_find(&orders, 1);
	assert_true(found->kind == ORDER_START && found->job_number == 7 && found->task == 3 && found->is_array);
	assert_true(found->start.start_time == 99 && found->start.prio == 0.5 && found->start.ntckts == 0.25);
	assert_int_equal(found->start.granted.n, 2);
	assert_string_equal(found->start.granted.items[0].queue, "z.q@master");
	assert_string_equal(found->start.granted.items[1].queue, "a.q@slave");
	assert_true(found->start.granted.items[0].slots == 2 && found->start.granted.items[0].stickets == 2);
	assert_string_equal(found->start.granted_pe, "mpi");
	found = orders_find(&orders, 2);
	assert_string_equal(found->tickets.host, "slave");
	assert_true(found->tickets.items[0].task == 3 && found->tickets.items[0].tickets == 12.5 &&
		    found->tickets.items[0].spread);
	assert_string_equal(orders_find(&orders, 3)->queue, "z.q@master");
	orders_free(&orders);
}

static void test_orders_stop_at_the_limit_of_kept_orders(void **unused)
{
	struct orders orders = { 0 };

	(void)unused;
	for (uint64_t i = 1; i <= ORDERS_KEPT; i++)
		assert_int_equal(orders_remove(&orders, 1), i);
	assert_int_equal(orders_remove(&orders, 1), 0);
	assert_int_equal(orders_acknowledge(&orders, 1), 0);
	assert_int_equal(orders_remove(&orders, 1), ORDERS_KEPT + 1);
	assert_int_equal(orders_remove(&orders, 1), 0);
	orders_void(&orders);
	assert_int_equal(orders_remove(&orders, 1), ORDERS_KEPT + 2);
	orders_free(&orders);
}

static void test_orders_stop_at_the_limit_of_kept_bytes(void **unused)
{
	struct orders orders = { 0 };
	size_t one;

	(void)unused;
	orders_remove(&orders, 1);
	one = orders.bytes;
	orders.bytes = ORDERS_BYTES - one;		/* simulates other kept orders */
	assert_int_equal(orders_remove(&orders, 2), 2);
	assert_int_equal(orders_remove(&orders, 3), 0);
	assert_int_equal(orders_acknowledge(&orders, 1), 0);
	assert_int_equal(orders_remove(&orders, 3), 3);
	orders.bytes -= ORDERS_BYTES - 2 * one;
	orders_void(&orders);
	assert_int_equal(orders.bytes, 0);
	orders_free(&orders);
}

#ifdef CAN_FAIL

static uint64_t order_all(struct orders *orders)
{
	static const struct order_ticket tickets[2000];
	uint64_t number;

	number = start_on(orders, 40) ? orders_tickets(orders, "a", tickets, 2000) : 0;
	return number ? orders_remove(orders, 1) : 0;
}

static void test_without_memory_no_order_is_made_and_numbers_continue(void **unused)
{
	uint64_t number = 0;
	long before = alive;

	(void)unused;
	for (long fail = 0; number == 0; fail++) {
		struct orders orders = { .limits = limits };
		uint64_t kept = 0;

		left = fail;
		number = order_all(&orders);
		left = -1;
		for (const struct order *order; (order = orders_after(&orders, kept)); kept++)
			assert_int_equal(order->number, kept + 1);	/* no order is missing */
		assert_int_equal(kept, orders.last);
		assert_true(fail >= 5 || number == 0);		/* some have failed */
		assert_true(kept != 2);		/* either every ticket or no ticket */
		assert_int_equal(orders_remove(&orders, 1), kept + 1);
		orders_free(&orders);
	}
	assert_int_equal(alive, before);
}

#endif

/* Kept orders */

static void order_some(struct orders *orders, int n)
{
	while (n--)
		assert_int_not_equal(orders_remove(orders, 1), 0);
}

static uint64_t first_after(const struct orders *orders, uint64_t number)
{
	const struct order *order = orders_after(orders, number);

	return order ? order->number : 0;
}

static void test_an_acknowledged_order_is_dropped(void **unused)
{
	struct orders orders = { 0 };

	(void)unused;
	order_some(&orders, 5);
	assert_int_equal(orders_acknowledge(&orders, 2), 0);
	assert_int_equal(first_after(&orders, 0), 3);
	assert_int_equal(orders_acknowledge(&orders, 1), 0);		/* late, and repeated */
	assert_int_equal(orders_acknowledge(&orders, 2), 0);
	assert_int_equal(first_after(&orders, 0), 3);
	assert_int_equal(first_after(&orders, 3), 4);
	assert_int_equal(first_after(&orders, 5), 0);
	assert_int_equal(first_after(&orders, UINT64_MAX), 0);
	assert_int_equal(orders_acknowledge(&orders, 5), 0);
	assert_int_equal(first_after(&orders, 0), 0);
	orders_free(&orders);
}

static void test_an_unknown_number_acknowledges_no_order(void **unused)
{
	struct orders orders = { 0 };

	(void)unused;
	assert_int_equal(orders_acknowledge(&orders, 1), -EINVAL);
	order_some(&orders, 2);
	assert_int_equal(orders_acknowledge(&orders, 0), -EINVAL);
	assert_int_equal(orders_acknowledge(&orders, 3), -EINVAL);
	assert_int_equal(orders_acknowledge(&orders, UINT64_MAX), -EINVAL);
	assert_int_equal(first_after(&orders, 0), 1);
	orders_free(&orders);
}

static void test_numbers_continue_when_all_orders_are_void(void **unused)
{
	struct orders orders = { 0 };

	(void)unused;
	orders_void(&orders);
	order_some(&orders, 3);
	orders_void(&orders);
	assert_int_equal(first_after(&orders, 0), 0);
	assert_int_equal(orders_acknowledge(&orders, 3), 0);		/* the acknowledgement was under way */
	assert_int_equal(orders_remove(&orders, 1), 4);
	orders_free(&orders);
}

static void test_a_refused_order_is_passed_over(void **unused)
{
	struct orders orders = { 0 };

	(void)unused;
	order_some(&orders, 5);
	orders_refuse(&orders, 3);
	assert_null(orders_find(&orders, 3));
	assert_int_equal(first_after(&orders, 2), 4);
	orders_refuse(&orders, 1);
	orders_refuse(&orders, 2);
	assert_int_equal(first_after(&orders, 0), 4);
	orders_refuse(&orders, 5);
	assert_int_equal(first_after(&orders, 4), 0);
	orders_refuse(&orders, 77);
	assert_int_equal(orders.refused, 5);
	assert_int_equal(orders_remove(&orders, 1), 6);
	assert_int_equal(first_after(&orders, 4), 6);
	orders_free(&orders);
}

/* The model: a queue that keeps a mark for each number */

#define STEPS 20000

struct model {
	bool kept[STEPS + 1];
	uint64_t last;
};

static void step(struct orders *orders, struct model *model)
{
	uint64_t some = model->last ? model->last - next_random() % (model->last < 40 ? model->last : 40) : 0,
		 kind = next_random() % 16;

	if (kind < 10) {
		model->kept[++model->last] = true;
		assert_int_equal(orders_remove(orders, (uint32_t)model->last), model->last);
	} else if (some && kind < 13) {
		model->kept[some] = false;
		orders_refuse(orders, some);
	} else if (some && next_random() % 40 == 0) {
		memset(model->kept, 0, sizeof(model->kept));
		orders_void(orders);
	} else if (some && kind < 15) {
		memset(model->kept, 0, some + 1);
		assert_int_equal(orders_acknowledge(orders, some), 0);
	}
}

static void compare(const struct orders *orders, const struct model *model)
{
	uint64_t from = model->last > 60 ? model->last - 60 : 0, next = 0;

	for (uint64_t number = model->last; number > from; number--) {
		const struct order *order = orders_find(orders, number);

		assert_int_equal(first_after(orders, number), next);
		assert_int_equal(order != NULL, model->kept[number]);
		assert_true(!order || order->job_number == number);
		next = model->kept[number] ? number : next;
	}
	assert_int_equal(first_after(orders, from), next);
}

static void test_any_sequence_keeps_the_expected_orders(void **unused)
{
	static struct model model;
	struct orders orders = { 0 };

	(void)unused;
	for (int i = 0; i < STEPS; i++) {
		step(&orders, &model);
		compare(&orders, &model);
	}
	assert_int_equal(orders.last, model.last);
	orders_void(&orders);
	assert_int_equal(orders.bytes, 0);
	orders_free(&orders);
}

static void test_orders_are_restored_as_another_scheduler_kept_them(void **unused)
{
	const struct order kept[] = { { .number = 3, .job_number = 1, .task = 2, .bytes = 100 },
				      { .number = 5, .job_number = 9, .bytes = 200 } };
	const struct order turned[] = { kept[1], kept[0] };
	struct orders orders = { 0 };

	(void)unused;
	assert_int_equal(orders_restore(&orders, turned, 2, 7), -EINVAL);
	assert_int_equal(orders_restore(&orders, kept, 2, 4), -EINVAL);
	assert_int_equal(orders_restore(&orders, kept, 2, 3 + (uint64_t)ORDERS_KEPT), -EINVAL);
	assert_int_equal(orders_restore(&orders, kept, 2, 7), 0);
	assert_int_equal(orders.last, 7);
	assert_int_equal(orders.bytes, 300);
	assert_int_equal(orders_find(&orders, 3)->job_number, 1);
	assert_null(orders_find(&orders, 4));
	assert_int_equal(orders_after(&orders, 3)->number, 5);
	assert_int_equal(orders_remove(&orders, 4), 8);
	orders_carried_out(&orders, 5);
	assert_int_equal(orders_after(&orders, 3)->number, 8);
	assert_int_equal(orders_acknowledge(&orders, 8), 0);
	assert_int_equal(orders.bytes, 0);
	/* An order exists already. */
	assert_int_equal(orders_restore(&orders, kept, 2, 7), -EINVAL);
	orders_free(&orders);
	assert_int_equal(orders_restore(&orders, NULL, 0, 7), 0);
	assert_int_equal(orders_remove(&orders, 4), 8);
	orders_free(&orders);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_start_that_the_qmaster_cannot_take_is_not_ordered),
		cmocka_unit_test(test_tickets_are_split_for_the_qmaster),
		cmocka_unit_test(test_an_order_owns_all_its_memory),
		cmocka_unit_test(test_orders_stop_at_the_limit_of_kept_orders),
		cmocka_unit_test(test_orders_stop_at_the_limit_of_kept_bytes),
#ifdef CAN_FAIL
		cmocka_unit_test(test_without_memory_no_order_is_made_and_numbers_continue),
#endif
		cmocka_unit_test(test_an_acknowledged_order_is_dropped),
		cmocka_unit_test(test_an_unknown_number_acknowledges_no_order),
		cmocka_unit_test(test_numbers_continue_when_all_orders_are_void),
		cmocka_unit_test(test_a_refused_order_is_passed_over),
		cmocka_unit_test(test_orders_are_restored_as_another_scheduler_kept_them),
		cmocka_unit_test(test_any_sequence_keeps_the_expected_orders),
	};

	state = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : (uint64_t)time(NULL);
	print_message("SEED=%llu\n", (unsigned long long)state);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
