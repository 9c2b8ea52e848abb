/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders with the tickets of running tasks: when a run gives them, and how tickets are divided by
 * host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define INTERVAL 30

/*
 * Return the orders with tickets since the last call: "HOST JOB.TASK=TICKETS[+] ...; ". "+": also
 * on other hosts.
 */
static const char *ticket_orders(struct fixture *fixture)
{
	static char text[1000];
	const struct orders *orders = sched_orders(fixture->sched);
	size_t used = 0;

	text[0] = '\0';
	for (const struct order *order = orders_after(orders, 0); order; order = orders_after(orders, order->number)) {
		if (order->kind != ORDER_TICKETS)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", order->tickets.host);
		for (size_t i = 0; i < order->tickets.n; i++) {
			const struct order_ticket *ticket = &order->tickets.items[i];

			used += (size_t)snprintf(text + used, sizeof(text) - used, " %u.%u=%g%s", ticket->job_number,
						 ticket->task, ticket->tickets, ticket->spread ? "+" : "");
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, "; ");
	}
	take_orders(fixture);
	return text;
}

static const char *ordered_at(struct fixture *fixture, int64_t now)
{
	run(fixture, now);
	return ticket_orders(fixture);
}

static void start(struct fixture *fixture, uint32_t number, unsigned tickets, const char *pe, const char *granted)
{
	TELL(fixture, ADD "%u,'owner':'ann','override_tickets':%u%s%s%s}", number, tickets, pe ? ",'pe':'" : "",
	     pe ? pe : "", pe ? "','pe_range':'4'" : "");
	TELL(fixture, "{'event':'task_start','start_time':1699999500,'job_number':%u,'granted':[%s]%s%s%s}", number,
	     granted, pe ? ",'granted_pe':'" : "", pe ? pe : "", pe ? "'" : "");
}

#define ON(host, slots) "{'queue':'all.q@" host "','slots':" #slots "}"

static void reprioritize(struct fixture *fixture, const char *interval)
{
	set_sched_conf(fixture, "reprioritize_interval", interval);
	set_sched_conf(fixture, "weight_tickets_share", "0");	/* only override tickets */
	reload(fixture);
}

static void test_tickets_are_ordered_once_in_each_interval(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, 1, 8, NULL, ON("ada", 1));
	reprioritize(fixture, "0:0:0");
	assert_string_equal(ordered_at(fixture, NOW), "");
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW + 1), "ada 1.1=8; ");
	assert_string_equal(ordered_at(fixture, NOW + INTERVAL), "");
	assert_string_equal(ordered_at(fixture, NOW + 1 + INTERVAL), "ada 1.1=8; ");
}

static void test_an_interval_begins_again_when_the_clock_goes_back(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, 1, 8, NULL, ON("ada", 1));
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW + 5000), "ada 1.1=8; ");
	assert_string_equal(ordered_at(fixture, NOW), "");
	assert_string_equal(ordered_at(fixture, NOW + INTERVAL - 1), "");
	assert_string_equal(ordered_at(fixture, NOW + INTERVAL), "ada 1.1=8; ");
}

/* Hosts are in the order of their names, and tasks in that of their numbers. */
static void test_each_host_gets_the_tickets_of_its_tasks(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, 7, 2, NULL, ON("bly", 1));
	start(fixture, 8, 3, NULL, ON("ada", 1));
	start(fixture, 9, 4, NULL, ON("bly", 1));
	TELL(fixture, ADD "10,'owner':'ann'}");			/* pending */
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW), "ada 8.1=3; bly 7.1=2 9.1=4; ");
}

static void test_tickets_of_a_controlled_parallel_task_are_divided_by_slots(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, 1, 8, "mpi", ON("bly", 3) "," ON("ada", 1));
	start(fixture, 2, 8, "mpi", ON("bly", 1));
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW), "ada 1.1=2+; bly 1.1=6+ 2.1=8; ");
}

/* Several instances of a host count together. */
static void test_tickets_of_two_instances_of_a_host_are_added(void **state)
{
	struct fixture *fixture = *state;

	put_queue(fixture, "far.q", "ada", "4", "");
	reload(fixture);
	report_instance(fixture, "far.q@ada", 4);
	start(fixture, 1, 8, "mpi", ON("ada", 1) ",{'queue':'far.q@ada','slots':2}," ON("bly", 1));
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW), "ada 1.1=6+; bly 1.1=2+; ");
}

/* Without control_slaves, and in a PE that is unknown, all tickets are for the master's host. */
static void test_tickets_of_an_uncontrolled_parallel_task_are_those_of_its_master(void **state)
{
	struct fixture *fixture = *state;

	put_text(fixture, "pe/loose",
		 "pe_name loose\nslots 100\nuser_lists NONE\nxuser_lists NONE\nallocation_rule $fill_up\n"
		 "control_slaves FALSE\njob_is_first_task FALSE\nurgency_slots min\n");
	reload(fixture);
	start(fixture, 1, 8, "loose", ON("bly", 3) "," ON("ada", 1));
	start(fixture, 2, 4, "unknown", ON("ada", 1) "," ON("bly", 1));
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW), "ada 2.1=4; bly 1.1=8; ");
}

static void test_a_task_on_an_unknown_instance_gets_no_order(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, 1, 8, NULL, "{'queue':'gone.q@nowhere','slots':1}");
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW), "");
	start(fixture, 2, 4, NULL, ON("ada", 1));
	assert_string_equal(ordered_at(fixture, NOW + INTERVAL), "ada 2.1=4; ");
}

/* A start that the qmaster has not confirmed has no process yet. */
static void test_a_task_whose_start_is_only_ordered_gets_no_order(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','override_tickets':8}");
	reprioritize(fixture, "0:0:30");
	assert_string_equal(ordered_at(fixture, NOW), "");
	assert_int_equal(started(fixture, 1), 1);
	assert_string_equal(ordered_at(fixture, NOW + INTERVAL), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_tickets_are_ordered_once_in_each_interval),
		DISPATCH_TEST(test_an_interval_begins_again_when_the_clock_goes_back),
		DISPATCH_TEST(test_each_host_gets_the_tickets_of_its_tasks),
		DISPATCH_TEST(test_tickets_of_a_controlled_parallel_task_are_divided_by_slots),
		DISPATCH_TEST(test_tickets_of_two_instances_of_a_host_are_added),
		DISPATCH_TEST(test_tickets_of_an_uncontrolled_parallel_task_are_those_of_its_master),
		DISPATCH_TEST(test_a_task_on_an_unknown_instance_gets_no_order),
		DISPATCH_TEST(test_a_task_whose_start_is_only_ordered_gets_no_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
