/* SPDX-License-Identifier: Apache-2.0 */
/* Orders as lines of JSON: their members and their maximum length. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "sched/qmaster/json/order.h"

static uint64_t state;

static uint64_t next_random(void)		/* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static struct out out;
static const char *line;

/* Return the length of an order's line, which is in `line`; 0: too long. */
static size_t write_line(const struct orders *orders, uint64_t number)
{
	const struct order *order = orders_find(orders, number);
	size_t bytes;
	int rc;

	assert_non_null(order);
	assert_int_equal(order->number, number);
	out_rewind(&out);
	order_line(order, &out);
	rc = out_held(&out, &line, &bytes);
	assert_true(rc == 0 || rc == -EMSGSIZE);
	return rc ? 0 : bytes;
}

static void check_line(const struct orders *orders, uint64_t number, const char *expected)
{
	assert_int_equal(write_line(orders, number), strlen(expected));
	assert_memory_equal(line, expected, strlen(expected));
}

static json_t *read_line(const struct orders *orders, uint64_t number)
{
	size_t length = write_line(orders, number);
	json_t *object;

	assert_int_equal(line[length - 1], '\n');
	assert_null(memchr(line, '\n', length - 1));
	object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	return object;
}

static void test_a_sequential_start_names_one_queue_instance(void **unused)
{
	const struct granted granted = { "all.q@a", 1, 1.5, 0, 1, 0.5 };
	const struct order start = {
		.job_number = 7,
		.task = 1,
		.start = { .start_time = 1700000000, .granted = { &granted, 1 }, .prio = 0.5, .ntckts = 0.25 }
	};
	struct orders orders = { 0 };

	(void)unused;
	assert_int_equal(orders_start(&orders, &start), 1);
	check_line(
		&orders, 1,
		"{\"order\":\"start\",\"number\":1,\"job_number\":7,\"start_time\":1700000000,\"granted\":[{\"queue\":\"all.q@a\","
		"\"slots\":1,\"tickets\":1.5,\"otickets\":0,\"ftickets\":1,\"stickets\":0.5}],\"prio\":0.5,\"ntckts\":0.25}\n");
	orders_free(&orders);
}

static void test_a_parallel_start_of_an_array_names_task_pe_and_instances_in_order(void **unused)
{
	const struct granted granted[] = { { "z.q@master", 2, 3, 0, 0, 3 }, { "a.q@slave", 1, 0, 0, 0, 0 } };
	const struct order start = { .job_number = 4294967295u, .task = 12, .is_array = true,
				     .start = { .granted = { granted, 2 }, .granted_pe = "mpi", .prio = 1 } };
	struct orders orders = { 0 };

	(void)unused;
	assert_int_equal(orders_start(&orders, &start), 1);
	check_line(
		&orders, 1,
		"{\"order\":\"start\",\"number\":1,\"job_number\":4294967295,\"task\":12,\"start_time\":0,\"granted\":["
		"{\"queue\":\"z.q@master\",\"slots\":2,\"tickets\":3,\"otickets\":0,\"ftickets\":0,\"stickets\":3},"
		"{\"queue\":\"a.q@slave\",\"slots\":1,\"tickets\":0,\"otickets\":0,\"ftickets\":0,\"stickets\":0}],"
		"\"granted_pe\":\"mpi\",\"prio\":1,\"ntckts\":0}\n");
	orders_free(&orders);
}

static void test_other_orders_have_their_members(void **unused)
{
	const struct order_ticket tickets[] = { { 7, 1, 12.5, 0, false }, { 8, 3, 0, 0, false } };
	struct orders orders = { 0 };

	(void)unused;
	assert_int_equal(orders_tickets(&orders, "a", tickets, 2), 1);
	assert_int_equal(orders_suspend(&orders, true, 7, 1, "all.q@a"), 2);
	assert_int_equal(orders_suspend(&orders, false, 7, 2, "all.q@a"), 3);
	assert_int_equal(orders_remove(&orders, 9), 4);
	check_line(
		&orders, 1,
		"{\"order\":\"tickets\",\"number\":1,\"host\":\"a\",\"tasks\":[{\"job_number\":7,\"task\":1,\"tickets\":12.5},"
		"{\"job_number\":8,\"task\":3,\"tickets\":0}]}\n");
	check_line(&orders, 2,
		   "{\"order\":\"suspend\",\"number\":2,\"job_number\":7,\"task\":1,\"queue\":\"all.q@a\"}\n");
	check_line(&orders, 3,
		   "{\"order\":\"resume\",\"number\":3,\"job_number\":7,\"task\":2,\"queue\":\"all.q@a\"}\n");
	check_line(&orders, 4, "{\"order\":\"remove\",\"number\":4,\"job_number\":9}\n");
	orders_free(&orders);
}

static void test_a_vacate_order_has_its_reason_winner_and_times(void **unused)
{
	static const struct order_vacate vacates[] = {
		{ "slot1@a", VACATE_PRIORITY, "hep.ann@lab", "SIGTERM", 3600, 600 },
		{ "all.q@a", VACATE_RANK, "ann@lab", NULL, 0, 0 },
		{ "slot1@a", VACATE_POLICY, NULL, "SIGUSR1", UINT32_MAX, 30 },
	};
	struct orders orders = { 0 };

	(void)unused;
	assert_int_equal(orders_vacate(&orders, 7, 2, &vacates[0]), 1);
	assert_int_equal(orders_vacate(&orders, 8, 1, &vacates[1]), 2);
	assert_int_equal(orders_vacate(&orders, 0, 0, &vacates[2]), 3);
	check_line(
		&orders, 1,
		"{\"order\":\"vacate\",\"number\":1,\"job_number\":7,\"task\":2,\"slot\":\"slot1@a\",\"reason\":\"priority\","
		"\"winner\":\"hep.ann@lab\",\"signal\":\"SIGTERM\",\"retirement_time\":3600,\"vacate_time\":600}\n");
	check_line(
		&orders, 2,
		"{\"order\":\"vacate\",\"number\":2,\"job_number\":8,\"task\":1,\"slot\":\"all.q@a\",\"reason\":\"rank\","
		"\"winner\":\"ann@lab\",\"retirement_time\":0,\"vacate_time\":0}\n");
	check_line(
		&orders, 3,
		"{\"order\":\"vacate\",\"number\":3,\"slot\":\"slot1@a\",\"reason\":\"policy\",\"signal\":\"SIGUSR1\","
		"\"vacate_time\":30}\n");
	orders_free(&orders);
}

static void check_name(const char *name, const char *expected)
{
	struct orders orders = { 0 };
	json_t *object;

	assert_int_equal(orders_suspend(&orders, true, 1, 1, name), 1);
	object = read_line(&orders, 1);
	assert_string_equal(json_string_value(json_object_get(object, "queue")), expected);
	json_decref(object);
	orders_free(&orders);
}

static void test_names_of_any_bytes_make_a_line_that_can_be_read(void **unused)
{
	char controls[0x20];

	(void)unused;
	check_name("a\"b\\c\n\t/", "a\"b\\c\n\t/");
	check_name("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7",
		   "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7");
	check_name("x\xff\xc3", "x\xef\xbf\xbd\xef\xbf\xbd");
	/* Half of a surrogate pair. */
	check_name("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
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
	struct orders orders = { 0 };

	(void)unused;
	for (int i = 0; i < 2000; i++) {
		const struct order_ticket ticket = { 1, 1, i % 2 ? random_double() : (double)next_random() * 0x1p-64, 0,
						     false };
		uint64_t number = orders_tickets(&orders, "a", &ticket, 1);
		json_t *object = read_line(&orders, number);
		double found = json_number_value(
			json_object_get(json_array_get(json_object_get(object, "tasks"), 0), "tickets"));

		assert_true(found == ticket.tickets);
		json_decref(object);
	}
	orders_free(&orders);
}

#define TASKS 5000

/*
 * Check that lines of tickets have their maximum length: another task of the longest kind does not
 * fit.
 */
static void check_tickets(uint64_t last_before, const struct order_ticket *tickets, size_t n, size_t least, size_t most)
{
	struct orders orders = { .limits = order_line_limits, .last = last_before };
	size_t done = 0;
	uint64_t last = orders_tickets(&orders, "node", tickets, n);

	assert_int_equal(last, orders.last);
	assert_in_range(last - last_before, least, most);
	for (uint64_t number = last_before + 1; number <= last; number++) {
		json_t *object = read_line(&orders, number), *tasks = json_object_get(object, "tasks");
		size_t length = write_line(&orders, number);

		assert_in_range(length, number == last ? 1 : ORDER_TICKETS_BYTES - 96, ORDER_TICKETS_BYTES);
		assert_string_equal(json_string_value(json_object_get(object, "host")), "node");
		for (size_t i = 0; i < json_array_size(tasks); i++)
			assert_int_equal(json_integer_value(json_object_get(json_array_get(tasks, i), "task")),
					 tickets[done++].task);
		json_decref(object);
	}
	assert_int_equal(done, n);
	orders_free(&orders);
}

static void test_tickets_of_many_tasks_become_the_fewest_orders(void **unused)
{
	static struct order_ticket tickets[TASKS];
	struct orders orders = { .limits = order_line_limits };

	(void)unused;
	for (size_t i = 0; i < TASKS; i++)
		tickets[i] = (struct order_ticket){ UINT32_MAX, (uint32_t)i + 1, -DBL_MAX, 0, false };
	/* About 73 bytes per task, 64 KiB per line. */
	check_tickets(0, tickets, TASKS, 6, 6);
	for (size_t i = 0; i < TASKS; i++)
		tickets[i] = (struct order_ticket){ 1, (uint32_t)i + 1, (double)i, 0, false };
	check_tickets(999999999999, tickets, TASKS, 4, 4);	/* some 44 */
	for (size_t i = 1; i < 2000; i += 17)
		check_tickets(9, tickets, i, 1, 2);
	assert_int_equal(orders_tickets(&orders, "node", tickets, 0), 0);
	orders_free(&orders);
}

static uint64_t start_on(struct orders *orders, size_t instances)
{
	static struct granted granted[12000];
	const struct order start = { .job_number = 1, .task = 1, .start = { .granted = { granted, instances } } };

	for (size_t i = 0; i < instances; i++)
		granted[i] = (struct granted){ "all.q@node000000000000", 64, 123.1, 0, 99.1, 0.1 };
	return orders_start(orders, &start);
}

static void test_a_start_with_too_long_a_line_is_not_ordered(void **unused)
{
	struct orders orders = { .limits = order_line_limits }, unbounded = { 0 };

	(void)unused;
	assert_int_equal(start_on(&orders, 12000), 0);
	assert_null(orders_after(&orders, 0));
	assert_int_equal(orders.started, 0);
	assert_int_equal(start_on(&orders, 5000), 1);
	assert_in_range(write_line(&orders, 1), ORDER_LINE_BYTES / 2, ORDER_LINE_BYTES);
	orders_free(&orders);
	assert_int_equal(start_on(&unbounded, 12000), 1);
	assert_int_equal(write_line(&unbounded, 1), 0);
	orders_free(&unbounded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sequential_start_names_one_queue_instance),
		cmocka_unit_test(test_a_parallel_start_of_an_array_names_task_pe_and_instances_in_order),
		cmocka_unit_test(test_other_orders_have_their_members),
		cmocka_unit_test(test_a_vacate_order_has_its_reason_winner_and_times),
		cmocka_unit_test(test_names_of_any_bytes_make_a_line_that_can_be_read),
		cmocka_unit_test(test_doubles_read_back_to_the_last_bit),
		cmocka_unit_test(test_tickets_of_many_tasks_become_the_fewest_orders),
		cmocka_unit_test(test_a_start_with_too_long_a_line_is_not_ordered),
	};

	state = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : (uint64_t)time(NULL);
	print_message("SEED=%llu\n", (unsigned long long)state);
	if (out_open_memory(&out, ORDER_LINE_BYTES))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
