/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of orders: what their lines say, and which of them are kept. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

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

/* Lines */

static void check_line(const struct orders *o, uint64_t number, const char *expected)
{
	const struct order *order = orders_find(o, number);

	assert_non_null(order);
	assert_int_equal(order->number, number);
	assert_int_equal(order->length, strlen(expected));
	assert_memory_equal(order->line, expected, order->length);
}

static json_t *read_line(const struct orders *o, uint64_t number)
{
	const struct order *order = orders_find(o, number);
	json_t *object;

	assert_non_null(order);
	assert_int_equal(order->line[order->length - 1], '\n');
	assert_null(memchr(order->line, '\n', order->length - 1));
	object = json_loadb(order->line, order->length, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	return object;
}

static void test_a_sequential_start_names_one_queue_instance(void **unused)
{
	const struct order_granted granted = { "all.q@a", 1, 1.5, 0, 1, 0.5 };
	const struct order_start start = { .job_number = 7, .task = 1, .start_time = 1700000000, .granted = &granted, .ngranted = 1,
					   .prio = 0.5, .ntckts = 0.25 };
	struct orders o = { 0 };

	(void)unused;
	assert_int_equal(orders_start(&o, &start), 1);
	check_line(&o, 1,
		   "{\"order\":\"start\",\"number\":1,\"job_number\":7,\"start_time\":1700000000,\"granted\":[{\"queue\":\"all.q@a\","
		   "\"slots\":1,\"tickets\":1.5,\"otickets\":0,\"ftickets\":1,\"stickets\":0.5}],\"prio\":0.5,\"ntckts\":0.25}\n");
	assert_int_equal(o.started, 1);
	orders_free(&o);
}

static void test_a_parallel_start_of_an_array_names_task_pe_and_instances_in_order(void **unused)
{
	const struct order_granted granted[] = { { "z.q@master", 2, 3, 0, 0, 3 }, { "a.q@slave", 1, 0, 0, 0, 0 } };
	const struct order_start start = { .job_number = 4294967295u, .task = 12, .is_array = true, .granted = granted, .ngranted = 2,
					   .granted_pe = "mpi", .prio = 1 };
	struct orders o = { 0 };

	(void)unused;
	assert_int_equal(orders_start(&o, &start), 1);
	check_line(&o, 1,
		   "{\"order\":\"start\",\"number\":1,\"job_number\":4294967295,\"task\":12,\"start_time\":0,\"granted\":["
		   "{\"queue\":\"z.q@master\",\"slots\":2,\"tickets\":3,\"otickets\":0,\"ftickets\":0,\"stickets\":3},"
		   "{\"queue\":\"a.q@slave\",\"slots\":1,\"tickets\":0,\"otickets\":0,\"ftickets\":0,\"stickets\":0}],"
		   "\"granted_pe\":\"mpi\",\"prio\":1,\"ntckts\":0}\n");
	orders_free(&o);
}

static void test_the_other_orders_say_what_they_are_about(void **unused)
{
	const struct order_ticket tickets[] = { { 7, 1, 12.5, 0, false }, { 8, 3, 0, 0, false } };
	struct orders o = { 0 };

	(void)unused;
	assert_int_equal(orders_tickets(&o, "a", tickets, 2), 1);
	assert_int_equal(orders_suspend(&o, true, 7, 1, "all.q@a"), 2);
	assert_int_equal(orders_suspend(&o, false, 7, 2, "all.q@a"), 3);
	assert_int_equal(orders_remove(&o, 9), 4);
	check_line(&o, 1, "{\"order\":\"tickets\",\"number\":1,\"host\":\"a\",\"tasks\":[{\"job_number\":7,\"task\":1,\"tickets\":12.5},"
			  "{\"job_number\":8,\"task\":3,\"tickets\":0}]}\n");
	check_line(&o, 2, "{\"order\":\"suspend\",\"number\":2,\"job_number\":7,\"task\":1,\"queue\":\"all.q@a\"}\n");
	check_line(&o, 3, "{\"order\":\"resume\",\"number\":3,\"job_number\":7,\"task\":2,\"queue\":\"all.q@a\"}\n");
	check_line(&o, 4, "{\"order\":\"remove\",\"number\":4,\"job_number\":9}\n");
	assert_int_equal(o.started, 0);
	orders_free(&o);
}

static void check_name(const char *name, const char *expected)
{
	struct orders o = { 0 };
	json_t *object;

	assert_int_equal(orders_suspend(&o, true, 1, 1, name), 1);
	object = read_line(&o, 1);
	assert_string_equal(json_string_value(json_object_get(object, "queue")), expected);
	json_decref(object);
	orders_free(&o);
}

static void test_names_of_any_bytes_make_a_line_that_can_be_read(void **unused)
{
	char controls[0x20];

	(void)unused;
	check_name("a\"b\\c\n\t/", "a\"b\\c\n\t/");
	check_name("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7");
	check_name("x\xff\xc3", "x??");
	check_name("\xed\xa0\x80", "???");	/* half a surrogate pair */
	for (int c = 1; c < 0x20; c++)
		controls[c - 1] = (char)c;
	controls[0x1f] = '\0';
	check_name(controls, controls);
}

static double random_double(void)
{
	uint64_t bits = next_random();
	double value;

	memcpy(&value, &bits, sizeof(value));
	return isfinite(value) ? value : DBL_MAX;
}

static void test_doubles_read_back_to_the_last_bit(void **unused)
{
	struct orders o = { 0 };

	(void)unused;
	for (int i = 0; i < 2000; i++) {
		const struct order_ticket ticket = { 1, 1, i % 2 ? random_double() : (double)next_random() * 0x1p-64, 0, false };
		uint64_t number = orders_tickets(&o, "a", &ticket, 1);
		json_t *object = read_line(&o, number);
		double found = json_number_value(json_object_get(json_array_get(json_object_get(object, "tasks"), 0), "tickets"));

		assert_true(found == ticket.tickets);
		json_decref(object);
	}
	orders_free(&o);
}

#define TASKS 5000

static void test_tickets_of_many_tasks_become_several_orders(void **unused)
{
	static struct order_ticket tickets[TASKS];
	struct orders o = { 0 };
	size_t done = 0;
	uint64_t last;

	(void)unused;
	for (size_t i = 0; i < TASKS; i++)
		tickets[i] = (struct order_ticket){ UINT32_MAX, (uint32_t)i + 1, -DBL_MAX, 0, false };
	last = orders_tickets(&o, "node", tickets, TASKS);
	assert_int_equal(last, o.last);
	/* as few as it takes: some 76 bytes a task, 64 KiB a line */
	assert_in_range(last, 5, 8);
	for (uint64_t number = 1; number <= last; number++) {
		json_t *object = read_line(&o, number), *tasks = json_object_get(object, "tasks");

		assert_in_range(orders_find(&o, number)->length, 1, ORDER_TICKETS_BYTES);
		assert_string_equal(json_string_value(json_object_get(object, "host")), "node");
		for (size_t i = 0; i < json_array_size(tasks); i++)
			assert_int_equal(json_integer_value(json_object_get(json_array_get(tasks, i), "task")), ++done);
		json_decref(object);
	}
	assert_int_equal(done, TASKS);
	assert_int_equal(orders_tickets(&o, "node", tickets, 0), 0);
	orders_free(&o);
}

/* Bounds */

static uint64_t start_on(struct orders *o, size_t instances)
{
	static struct order_granted granted[12000];
	const struct order_start start = { .job_number = 1, .task = 1, .granted = granted, .ngranted = instances };

	for (size_t i = 0; i < instances; i++)
		granted[i] = (struct order_granted){ "all.q@node000000000000", 64, 123.1, 0, 99.1, 0.1 };
	return orders_start(o, &start);
}

static void test_a_line_that_would_be_too_long_is_not_ordered(void **unused)
{
	struct orders o = { 0 };

	(void)unused;
	assert_int_equal(start_on(&o, 12000), 0);
	assert_null(orders_after(&o, 0));
	assert_int_equal(o.started, 0);
	assert_int_equal(start_on(&o, 6000), 1);
	assert_in_range(orders_find(&o, 1)->length, ORDER_BYTES / 2, ORDER_BYTES);
	orders_free(&o);
}

static void test_nothing_is_ordered_beyond_the_number_that_is_kept(void **unused)
{
	struct orders o = { 0 };

	(void)unused;
	for (uint64_t i = 1; i <= ORDERS_KEPT; i++)
		assert_int_equal(orders_remove(&o, 1), i);
	assert_int_equal(orders_remove(&o, 1), 0);
	assert_int_equal(orders_acknowledge(&o, 1), 0);
	assert_int_equal(orders_remove(&o, 1), ORDERS_KEPT + 1);
	assert_int_equal(orders_remove(&o, 1), 0);
	orders_void(&o);
	assert_int_equal(orders_remove(&o, 1), ORDERS_KEPT + 2);
	orders_free(&o);
}

static void test_nothing_is_ordered_beyond_the_bytes_that_are_kept(void **unused)
{
	struct orders o = { 0 };
	size_t one;

	(void)unused;
	orders_remove(&o, 1);
	one = o.bytes;
	o.bytes = ORDERS_BYTES - one;		/* as if others were kept */
	assert_int_equal(orders_remove(&o, 2), 2);
	assert_int_equal(orders_remove(&o, 3), 0);
	assert_int_equal(orders_acknowledge(&o, 1), 0);
	assert_int_equal(orders_remove(&o, 3), 3);
	o.bytes -= ORDERS_BYTES - 2 * one;
	orders_void(&o);
	assert_int_equal(o.bytes, 0);
	orders_free(&o);
}

#ifdef CAN_FAIL

static uint64_t order_all(struct orders *o)
{
	static const struct order_ticket tickets[2000];
	uint64_t number;

	number = start_on(o, 40) ? orders_tickets(o, "a", tickets, 2000) : 0;
	return number ? orders_remove(o, 1) : 0;
}

static void test_without_memory_nothing_is_ordered_and_numbers_go_on(void **unused)
{
	uint64_t number = 0;
	long before = alive;

	(void)unused;
	for (long fail = 0; number == 0; fail++) {
		struct orders o = { 0 };
		uint64_t kept = 0;

		left = fail;
		number = order_all(&o);
		left = -1;
		for (const struct order *order; (order = orders_after(&o, kept)); kept++)
			assert_int_equal(order->number, kept + 1);	/* none is missing */
		assert_int_equal(kept, o.last);
		assert_true(fail >= 5 || number == 0);		/* some have failed */
		assert_true(kept != 2);		/* all tickets or none */
		assert_int_equal(orders_remove(&o, 1), kept + 1);
		orders_free(&o);
	}
	assert_int_equal(alive, before);
}

#endif

/* What is kept */

static void order_some(struct orders *o, int n)
{
	while (n--)
		assert_int_not_equal(orders_remove(o, 1), 0);
}

static uint64_t first_after(const struct orders *o, uint64_t number)
{
	const struct order *order = orders_after(o, number);

	return order ? order->number : 0;
}

static void test_what_is_acknowledged_is_kept_no_longer(void **unused)
{
	struct orders o = { 0 };

	(void)unused;
	order_some(&o, 5);
	assert_int_equal(orders_acknowledge(&o, 2), 0);
	assert_int_equal(first_after(&o, 0), 3);
	assert_int_equal(orders_acknowledge(&o, 1), 0);		/* late, and said again */
	assert_int_equal(orders_acknowledge(&o, 2), 0);
	assert_int_equal(first_after(&o, 0), 3);
	assert_int_equal(first_after(&o, 3), 4);
	assert_int_equal(first_after(&o, 5), 0);
	assert_int_equal(first_after(&o, UINT64_MAX), 0);
	assert_int_equal(orders_acknowledge(&o, 5), 0);
	assert_int_equal(first_after(&o, 0), 0);
	orders_free(&o);
}

static void test_a_number_that_was_not_given_out_acknowledges_nothing(void **unused)
{
	struct orders o = { 0 };

	(void)unused;
	assert_int_equal(orders_acknowledge(&o, 1), -EINVAL);
	order_some(&o, 2);
	assert_int_equal(orders_acknowledge(&o, 0), -EINVAL);
	assert_int_equal(orders_acknowledge(&o, 3), -EINVAL);
	assert_int_equal(orders_acknowledge(&o, UINT64_MAX), -EINVAL);
	assert_int_equal(first_after(&o, 0), 1);
	orders_free(&o);
}

static void test_numbers_go_on_when_all_are_void(void **unused)
{
	struct orders o = { 0 };

	(void)unused;
	orders_void(&o);
	order_some(&o, 3);
	orders_void(&o);
	assert_int_equal(first_after(&o, 0), 0);
	assert_int_equal(orders_acknowledge(&o, 3), 0);		/* it was on its way */
	assert_int_equal(orders_remove(&o, 1), 4);
	orders_free(&o);
}

static void test_a_refused_order_is_passed_over(void **unused)
{
	struct orders o = { 0 };

	(void)unused;
	order_some(&o, 5);
	orders_refuse(&o, 3);
	assert_null(orders_find(&o, 3));
	assert_int_equal(first_after(&o, 2), 4);
	orders_refuse(&o, 1);
	orders_refuse(&o, 2);
	assert_int_equal(first_after(&o, 0), 4);
	orders_refuse(&o, 5);
	assert_int_equal(first_after(&o, 4), 0);
	orders_refuse(&o, 77);
	assert_int_equal(o.refused, 5);
	assert_int_equal(orders_remove(&o, 1), 6);
	assert_int_equal(first_after(&o, 4), 6);
	orders_free(&o);
}

/* The same as of a queue that keeps a mark for each number */

#define STEPS 20000

struct model {
	bool kept[STEPS + 1];
	uint64_t last;
};

static void step(struct orders *o, struct model *m)
{
	uint64_t some = m->last ? m->last - next_random() % (m->last < 40 ? m->last : 40) : 0, kind = next_random() % 16;

	if (kind < 10) {
		m->kept[++m->last] = true;
		assert_int_equal(orders_remove(o, (uint32_t)m->last), m->last);
	} else if (some && kind < 13) {
		m->kept[some] = false;
		orders_refuse(o, some);
	} else if (some && next_random() % 40 == 0) {
		memset(m->kept, 0, sizeof(m->kept));
		orders_void(o);
	} else if (some && kind < 15) {
		memset(m->kept, 0, some + 1);
		assert_int_equal(orders_acknowledge(o, some), 0);
	}
}

static void compare(const struct orders *o, const struct model *m)
{
	uint64_t from = m->last > 60 ? m->last - 60 : 0, next = 0;

	for (uint64_t number = m->last; number > from; number--) {
		const struct order *order = orders_find(o, number);

		assert_int_equal(first_after(o, number), next);
		assert_int_equal(order != NULL, m->kept[number]);
		assert_true(!order || order->job_number == number);
		next = m->kept[number] ? number : next;
	}
	assert_int_equal(first_after(o, from), next);
}

static void test_any_sequence_keeps_what_it_should(void **unused)
{
	static struct model m;
	struct orders o = { 0 };

	(void)unused;
	for (int i = 0; i < STEPS; i++) {
		step(&o, &m);
		compare(&o, &m);
	}
	assert_int_equal(o.last, m.last);
	orders_void(&o);
	assert_int_equal(o.bytes, 0);
	orders_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sequential_start_names_one_queue_instance),
		cmocka_unit_test(test_a_parallel_start_of_an_array_names_task_pe_and_instances_in_order),
		cmocka_unit_test(test_the_other_orders_say_what_they_are_about),
		cmocka_unit_test(test_names_of_any_bytes_make_a_line_that_can_be_read),
		cmocka_unit_test(test_doubles_read_back_to_the_last_bit),
		cmocka_unit_test(test_tickets_of_many_tasks_become_several_orders),
		cmocka_unit_test(test_a_line_that_would_be_too_long_is_not_ordered),
		cmocka_unit_test(test_nothing_is_ordered_beyond_the_number_that_is_kept),
		cmocka_unit_test(test_nothing_is_ordered_beyond_the_bytes_that_are_kept),
#ifdef CAN_FAIL
		cmocka_unit_test(test_without_memory_nothing_is_ordered_and_numbers_go_on),
#endif
		cmocka_unit_test(test_what_is_acknowledged_is_kept_no_longer),
		cmocka_unit_test(test_a_number_that_was_not_given_out_acknowledges_nothing),
		cmocka_unit_test(test_numbers_go_on_when_all_are_void),
		cmocka_unit_test(test_a_refused_order_is_passed_over),
		cmocka_unit_test(test_any_sequence_keeps_what_it_should),
	};

	state = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : (uint64_t)time(NULL);
	print_message("SEED=%llu\n", (unsigned long long)state);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
