/* SPDX-License-Identifier: Apache-2.0 */
/* Orders recorded when a real qmaster carried them out, generated again byte for byte. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sched/qmaster/gridengine/packed.h"
#include "tests/gdi/vectors.h"

#define COUNT(ITEMS) (sizeof(ITEMS) / sizeof(*(ITEMS)))
#define USAGE(...) { .items = (const struct usage_value[]){ __VA_ARGS__ }, .n = COUNT(((const struct usage_value[]){ __VA_ARGS__ })) }

/* The message to find: orders in a packet with this number. */
static const struct packed *made;
static int found;

static void compare(const struct vector_message *message)
{
	if (message->tag != TAG_GDI || message->n != made->w.n || memcmp(message->data, made->w.bytes, message->n) != 0)
		return;
	found++;
}

static struct packed packet(uint32_t number)
{
	return (struct packed){ .w = { .packet = number }, .credential = "none:0 0 root root" };
}

/* Check that the conversation with this text in its name contains the packet. */
static void assert_was_sent(struct packed *packed, const char *name)
{
	char path[256];

	assert_int_equal(packed->w.rc, 0);
	snprintf(path, sizeof(path), "tests/reference/gdi/%s.hex", name);
	made = packed;
	found = 0;
	vector_messages(path, '>', compare);
	assert_int_equal(found, 1);
	packed_free(packed);
}

static void test_a_start_has_each_instances_version_and_share_of_the_tickets(void **state)
{
	struct packed packed = packet(6);
	const struct packed_instance one = { "all.q@sgehost", 1, 1, 1000.0, 100.0, 200.0, 700.0 };

	(void)state;
	packed_start(&packed, &(struct packed_start){ 8, 1, 0, NULL, 1000.0, 0.7, 0.6, &one, 1 });
	assert_was_sent(&packed, "d1-start-order");
}

static void test_a_parallel_start_names_its_instances_in_order(void **state)
{
	struct packed packed = packet(4);
	const struct packed_instance three[] = {
		{ "low.q@sgehost", 3, 3, 700.0, 0.0, 0.0, 700.0 },
		{ "all.q@sgehost", 2, 8, 700.0, 0.0, 0.0, 700.0 },
		{ "slotw.q@sgehost", 2, 3, 700.0, 0.0, 0.0, 700.0 },
	};

	(void)state;
	packed_start(&packed, &(struct packed_start){ 8001, 1, 0, "mpi", 700.0, 0.5, 0.5, three, 3 });
	assert_was_sent(&packed, "s1-pe-three-instances");
}

static void test_each_start_of_a_packet_is_a_task_of_its_own(void **state)
{
	struct packed packed = packet(3);
	struct packed_instance one = { .queue = "all.q@sgehost", .slots = 1, .version = 3 };

	(void)state;
	packed_start(&packed, &(struct packed_start){ 637, 1, 55, NULL, 0.0, 0.25, 0.5, &one, 1 });
	packed_start(&packed, &(struct packed_start){ 638, 1, 0, NULL, 0.0, 0.25, 0.5, &one, 1 });
	one.slots = 2;
	packed_start(&packed, &(struct packed_start){ 639, 1, 0, "mp", 0.0, 0.25, 0.5, &one, 1 });
	assert_was_sent(&packed, "r1-multi-orders-pe-task");
}

static void test_a_task_order_sends_no_other_fields(void **state)
{
	const struct {
		enum packed_kind kind;
		uint32_t packet, job_number, task;
		const char *name;
	} orders[] = {
		{ PACKED_REMOVE, 16, 8, 1, "f1-job-finish-remove" },
		{ PACKED_REMOVE_IMMEDIATE, 12, 18, 1, "i5-remove-immediate" },
		{ PACKED_CLEAR, 10, 16, 0, "i4-ptickets-clear" },
		{ PACKED_RESUME, 13, 8005, 1, "s3-suspend-thresholds" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(orders); i++) {
		struct packed packed = packet(orders[i].packet);

		packed_plain(&packed, orders[i].kind, orders[i].job_number, orders[i].task);
		assert_was_sent(&packed, orders[i].name);
	}
}

static void test_suspensions_are_sent_separately(void **state)
{
	struct packed packed = packet(10);

	(void)state;
	packed_plain(&packed, PACKED_SUSPEND, 8005, 1);
	packed_plain(&packed, PACKED_SUSPEND, 8006, 1);
	assert_was_sent(&packed, "s3-suspend-thresholds");
}

static void test_tickets_of_running_and_of_pending_tasks(void **state)
{
	struct packed running = packet(9), pending = packet(9);

	(void)state;
	packed_tickets_begin(&running);
	packed_tickets(&running, PACKED_TICKETS,
		       &(struct packed_ticket){ .job_number = 8,
						.task = 1,
						.npprior = 0.5,
						.nurg = 0.25,
						.urg = 2000.0,
						.rrcontr = 1000.0,
						.dlcontr = 300.0,
						.wtcontr = 700.0,
						.tickets = 5000.5,
						.otickets = 500.0,
						.ftickets = 1500.0,
						.stickets = 3000.5,
						.share = 0.75,
						.prio = 0.875,
						.ntix = 0.625 });
	packed_tickets_end(&running);
	assert_was_sent(&running, "e1-ticket-orders");
	packed_tickets_begin(&pending);
	packed_tickets(&pending, PACKED_PENDING_TICKETS,
		       &(struct packed_ticket){ .job_number = 16,
						.task = 1,
						.npprior = 0.4,
						.nurg = 0.5,
						.urg = 6.0,
						.rrcontr = 7.0,
						.dlcontr = 8.0,
						.wtcontr = 9.0,
						.tickets = 50.0,
						.otickets = 1.0,
						.ftickets = 2.0,
						.stickets = 3.0,
						.share = 0.1,
						.prio = 0.2,
						.ntix = 0.3 });
	packed_tickets_end(&pending);
	assert_was_sent(&pending, "i4-ptickets-clear");
}

/*
 * The recorded client sent ntix and prio in the joker alone. The last two fields of an order were
 * 0.
 */
static void add_as_recorded(struct packed *packed, const struct packed_ticket *ticket)
{
	packed_tickets(packed, PACKED_TICKETS, ticket);
	assert_int_equal(packed->w.rc, 0);
	memset(packed->w.bytes + packed->w.n - 2 * sizeof(double), 0, 2 * sizeof(double));
}

static void test_host_tickets_are_in_one_list_with_the_granted_slots(void **state)
{
	const struct packed_instance one = { .queue = "all.q@sgehost", .slots = 1 };
	struct packed_ticket ticket = { .job_number = 8011,
					.task = 1,
					.npprior = 0.5,
					.nurg = 0.5,
					.urg = 1.0,
					.rrcontr = 1.0,
					.tickets = 9000.0,
					.stickets = 9000.0,
					.share = 0.9,
					.prio = 0.5,
					.ntix = 0.5,
					.granted = &one,
					.n = 1 };
	struct packed packed = packet(22);

	(void)state;
	packed_tickets_begin(&packed);
	add_as_recorded(&packed, &ticket);
	ticket.job_number = 8012;
	ticket.tickets = ticket.stickets = 50.0;
	ticket.share = 0.1;
	ticket.prio = ticket.ntix = 0.6;
	add_as_recorded(&packed, &ticket);
	packed_tickets_end(&packed);
	assert_was_sent(&packed, "s6-tickets-to-hosts");
}

static void test_each_of_several_hosts_receives_its_own_part(void **state)
{
	const struct packed_instance three[] = {
		{ "low.q@sgehost", 3, 3, 300.0, 0.0, 0.0, 300.0 },
		{ "all.q@sgehost", 2, 8, 200.0, 0.0, 0.0, 200.0 },
		{ "slotw.q@sgehost", 2, 3, 200.0, 0.0, 0.0, 200.0 },
	};
	/* the recorded client based the granted list on the value in the event */
	const double before = 700.0;
	struct packed_ticket ticket = { .job_number = 8001,
					.task = 1,
					.npprior = 0.5,
					.nurg = 0.1,
					.urg = 1.0,
					.rrcontr = 1.0,
					.tickets = 700.0,
					.stickets = 700.0,
					.share = 0.5,
					.prio = 0.6,
					.ntix = 0.7,
					.granted = three,
					.n = 3,
					.spread = true };
	struct packed packed = packet(7);
	size_t at = 0;

	(void)state;
	packed_tickets_begin(&packed);
	add_as_recorded(&packed, &ticket);
	packed_tickets_end(&packed);
	for (size_t i = 0; i < COUNT(three);
	     i++) { /* position of its text in the granted list, which follows the queue list */
		unsigned char *text =
			memmem(packed.w.bytes + at, packed.w.n - at, three[i].queue, strlen(three[i].queue));
		uint64_t bits;

		if (at == 0) {
			text += strlen(three[0].queue);
			text = memmem(text, (size_t)(packed.w.bytes + packed.w.n - text), three[0].queue,
				      strlen(three[0].queue));
		}
		assert_non_null(text);
		at = (size_t)(text - packed.w.bytes) + strlen(three[i].queue) + 1;
		memcpy(&bits, &before, sizeof(bits));
		bits = htobe64(bits);
		at += 4 + sizeof("sgehost") + 4 + 4 + 4 + 4;
		memcpy(packed.w.bytes + at, &bits, sizeof(bits));
		memcpy(packed.w.bytes + at + 3 * sizeof(bits), &bits, sizeof(bits));
	}
	assert_was_sent(&packed, "s1-pe-three-instances");
}

static void test_usage_of_users_and_projects_and_the_share_tree(void **state)
{
	const struct usage_values debited = USAGE({ "cpu", 7.0 }, { "mem", 0.1 }, { "io", 0.0 });
	const struct usage_values in_project = USAGE({ "cpu", 60.0 }, { "mem", 1.0 }, { "io", 0.2 });
	const struct usage_values in_project_ever = USAGE({ "cpu", 600.0 }, { "mem", 10.0 }, { "io", 2.0 });
	const struct debited_usage job = { 4711, debited };
	const struct project_usage p1 = { "p1", in_project, in_project_ever };
	const struct object_usage ann = { .name = "ann",
					  .time_stamp = 1795352174,
					  .usage = USAGE({ "cpu", 100.0 }, { "mem", 2.0 }, { "io", 0.5 }),
					  .long_term = USAGE({ "cpu", 1000.0 }, { "mem", 20.0 }, { "io", 5.0 }),
					  .debited = &job,
					  .ndebited = 1,
					  .projects = &p1,
					  .nprojects = 1 };
	const struct object_usage project = { .name = "p1",
					      .time_stamp = 1795352174,
					      .usage = in_project,
					      .long_term = in_project_ever,
					      .debited = &job,
					      .ndebited = 1 };
	const struct packed_node nodes[] = {
		{ "Root", 0, 3, 1.0, 1.0, 1.0 },
		{ "p1", 1, 2, 0.6, 0.55, 0.5 },
		{ "default", 2, 1, 0.6, 0.5, 0.4 },
		{ "p2", 1, 1, 0.3, 0.25, 0.2 },
	};
	struct packed packed = packet(3);

	(void)state;
	packed_usage(&packed, PACKED_USER, &ann, 3);
	packed_usage(&packed, PACKED_PROJECT, &project, 143);
	packed_tree(&packed, 1, nodes, COUNT(nodes));
	assert_was_sent(&packed, "s4-usage-tree");
}

static void test_why_jobs_wait(void **state)
{
	const uint32_t job = 8010;
	const struct packed_message messages[] = {
		{ 34, "cannot run because it offers only gc:lic=5.000000", &job, 1 },
		{ 1, "second line", &job, 1 },
		{ 7, "queue instance \"night.q@sgehost\" dropped because it is disabled", NULL, 0 },
	};
	struct packed packed = packet(13);

	(void)state;
	packed_info(&packed, messages, COUNT(messages));
	assert_was_sent(&packed, "s5-schedd-info");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_start_has_each_instances_version_and_share_of_the_tickets),
		cmocka_unit_test(test_a_parallel_start_names_its_instances_in_order),
		cmocka_unit_test(test_each_start_of_a_packet_is_a_task_of_its_own),
		cmocka_unit_test(test_a_task_order_sends_no_other_fields),
		cmocka_unit_test(test_suspensions_are_sent_separately),
		cmocka_unit_test(test_tickets_of_running_and_of_pending_tasks),
		cmocka_unit_test(test_host_tickets_are_in_one_list_with_the_granted_slots),
		cmocka_unit_test(test_each_of_several_hosts_receives_its_own_part),
		cmocka_unit_test(test_usage_of_users_and_projects_and_the_share_tree),
		cmocka_unit_test(test_why_jobs_wait),
	};

	return cmocka_run_group_tests_name("orders as the qmaster reads them", tests, NULL, NULL);
}
