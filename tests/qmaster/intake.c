/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of typed events, and the parts that are notified of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/mirror/cell.h"

/* Take a valid event. On failure the reason is in f->error. */
static int take(struct fixture *fixture, const struct event *event)
{
	fixture->error.text[0] = '\0';
	return intake_event(&fixture->intake, event, &fixture->error);
}

static struct event about_task(enum event_type type, uint32_t job_number, uint32_t task)
{
	struct event event;

	event_init(&event, type);
	event.task.job_number = job_number;
	event.task.task = task;
	return event;
}

static int add_job(struct fixture *fixture, uint32_t number)
{
	struct range three = { 1, 3, 1 };
	struct event event;

	event_init(&event, EVENT_JOB_ADD);
	event.job = (struct job_spec){ .given = JOB_OWNER | JOB_SUBMISSION_TIME | JOB_TASKS,
				       .job_number = number,
				       .owner = "ann",
				       .submission_time = NOW - 100,
				       .tasks = { .items = &three, .n = 1 } };
	return take(fixture, &event);
}

static int start_task(struct fixture *fixture, uint32_t number, uint32_t task)
{
	const struct granted granted[] = { { .queue = "all.q@node", .slots = 2 },
					   { .queue = "all.q@far", .slots = 1 } };
	struct event event = about_task(EVENT_TASK_START, number, task);

	event.task.start_time = NOW - 50;
	event.task.granted = (struct grants){ granted, 2 };
	event.task.granted_pe = "mpi";
	return take(fixture, &event);
}

/* Changes */

static void test_a_job_is_reported_from_its_submission_to_its_end(void **state)
{
	struct fixture *fixture = *state;
	const struct usage_value cpu[] = { { "cpu", 12 }, { "cpu", 20 } };
	struct event event;
	struct fl_job job;

	assert_int_equal(add_job(fixture, 7), 0);
	assert_int_equal(start_task(fixture, 7, 2), 0);
	event = about_task(EVENT_USAGE, 7, 2);
	event.task.usage = (struct usage_values){ &cpu[0], 1 };
	assert_int_equal(take(fixture, &event), 0);
	event = about_task(EVENT_TASK_STATE, 7, 2);
	event.task.state = "s";
	assert_int_equal(take(fixture, &event), 0);
	run(fixture, NOW);
	job = row(fixture, 7, 0);
	assert_true(job.is_started && job.task == 2 && job.slots == 3 && job.start_time == NOW - 50);
	assert_string_equal(job.state, "s");
	assert_string_equal(job.granted_pe, "mpi");
	CHECK(ANN_CPU(fixture), 12);
	event = about_task(EVENT_TASK_FINISH, 7, 2);
	event.task.usage = (struct usage_values){ &cpu[1], 1 };
	/* The usage does not count, because has_usage is not set. */
	assert_int_equal(take(fixture, &event), 0);
	assert_int_equal(start_task(fixture, 7, 1), 0);
	event = about_task(EVENT_TASK_REQUEUE, 7, 1);
	assert_int_equal(take(fixture, &event), 0);
	run(fixture, NOW);
	assert_true(rows(fixture, 7) == 1 && !row(fixture, 7, 0).is_started);
	CHECK(ANN_CPU(fixture), 12);
	event = about_task(EVENT_JOB_DELETE, 7, 0);
	assert_int_equal(take(fixture, &event), 0);
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 7), 0);
}

static void test_usage_in_a_finish_event_is_booked(void **state)
{
	struct fixture *fixture = *state;
	const struct usage_value cpu = { "cpu", 20 };
	struct event event;

	assert_int_equal(add_job(fixture, 7), 0);
	assert_int_equal(start_task(fixture, 7, 2), 0);
	event = about_task(EVENT_TASK_FINISH, 7, 2);
	event.task.has_usage = true;
	event.task.usage = (struct usage_values){ &cpu, 1 };
	assert_int_equal(take(fixture, &event), 0);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 20);
}

static void test_a_changed_job_leaves_its_owner(void **state)
{
	struct fixture *fixture = *state;
	struct event event;

	assert_int_equal(add_job(fixture, 7), 0);
	event_init(&event, EVENT_JOB_MODIFY);
	event.job =
		(struct job_spec){ .given = JOB_OWNER | JOB_NAME, .job_number = 7, .owner = "bob", .name = "other" };
	assert_int_equal(take(fixture, &event), 0);
	run(fixture, NOW);
	assert_string_equal(row(fixture, 7, 0).owner, "ann");
	assert_string_equal(row(fixture, 7, 0).name, "other");
}

static void test_missing_members_have_their_defaults(void **state)
{
	struct fixture *fixture = *state;
	struct event event;

	event_init(&event, EVENT_TASK_START);
	assert_int_equal(event.task.task, 1);
	event_init(&event, EVENT_ORDER_REFUSED);
	assert_int_equal(event.order.task, 1);
	assert_string_equal(event.order.text, "");
	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = "all.q@node";
	assert_int_equal(take(fixture, &event), 0);
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 20);		/* like the queue there */
	event.instance.state = "d";
	assert_int_equal(take(fixture, &event), 0);
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 0);
	event_init(&event, EVENT_QUEUE_INSTANCE_DELETE);
	event.instance.queue = "all.q@node";
	assert_int_equal(take(fixture, &event), 0);
	assert_int_equal(take(fixture, &event), -ENOENT);
}

/* Notifications */

static unsigned heard[EVENT_CONFIG_CHANGED + 1];

static void hear(void *context, enum event_type type)
{
	(void)context;
	heard[type]++;
}

static int read_again(void *context, struct error *error)
{
	return *(const bool *)context ? 0 : error_set(error, -EINVAL, "queue/all.q:3: slots");
}

static void test_only_accepted_events_are_announced(void **state)
{
	struct fixture *fixture = *state;
	bool is_good = false;
	const struct event config = { .type = EVENT_CONFIG_CHANGED };

	memset(heard, 0, sizeof(heard));
	fixture->intake.happened = hear;
	fixture->intake.reload = read_again;
	fixture->intake.context = &is_good;
	assert_int_equal(add_job(fixture, 7), 0);
	assert_int_equal(add_job(fixture, 7), -EEXIST);
	assert_int_equal(heard[EVENT_JOB_ADD], 1);
	assert_int_equal(take(fixture, &config), -EINVAL);
	assert_string_equal(fixture->error.text, "queue/all.q:3: slots");
	assert_int_equal(heard[EVENT_CONFIG_CHANGED], 0);
	is_good = true;
	assert_int_equal(take(fixture, &config), 0);
	assert_int_equal(heard[EVENT_CONFIG_CHANGED], 1);
}

/* Orders */

static int taken(struct fixture *fixture, uint64_t up_to)
{
	struct event event;

	event_init(&event, EVENT_ORDERS_TAKEN);
	event.order.number = up_to;
	return take(fixture, &event);
}

static int refused_by_qmaster(struct fixture *fixture, uint64_t number, uint32_t job_number, uint32_t task)
{
	struct event event;

	event_init(&event, EVENT_ORDER_REFUSED);
	event.order = (struct order_event){ number, job_number, task, "no such queue" };
	return take(fixture, &event);
}

static void test_events_about_orders_go_to_their_keeper(void **state)
{
	struct fixture *fixture = *state;
	const struct granted granted = { .queue = "all.q@node", .slots = 1 };
	struct orders orders = { .last = 9007199254740989 };

	fixture->intake.orders = &orders;
	assert_int_equal(add_job(fixture, 1), 0);
	assert_int_equal(orders_remove(&orders, 2), 9007199254740990);
	assert_int_equal(orders_start(&orders, &(struct order){ .job_number = 1, .task = 1 }), 9007199254740991);
	assert_int_equal(mirror_order_start(fixture->intake.mirror, 1, 1, NOW, &granted, 1, NULL, 9007199254740991,
					    &fixture->error),
			 0);
	assert_int_equal(taken(fixture, 9007199254740990), 0);
	assert_null(orders_find(&orders, 9007199254740990));
	assert_non_null(orders_find(&orders, 9007199254740991));
	assert_int_equal(refused_by_qmaster(fixture, 9007199254740991, 2, 1), -ENOENT);
	assert_string_equal(fixture->error.text, "order 9007199254740991 is about job 1, task 1");
	assert_int_equal(refused_by_qmaster(fixture, 9007199254740991, 1, 1), 0);
	assert_null(orders_find(&orders, 9007199254740991));
	assert_int_equal(refused_by_qmaster(fixture, 5, 4294967295, 1), 0);	/* ignored: the order is unknown */
	assert_int_equal(orders.refused, 1);
	run(fixture, NOW);
	assert_true(!row(fixture, 1, 0).is_started);
	orders_free(&orders);
}

static void test_an_unknown_order_number_is_an_error(void **state)
{
	struct fixture *fixture = *state;
	struct orders orders = { .last = 100 };

	fixture->intake.orders = &orders;
	assert_int_equal(taken(fixture, 100), 0);
	assert_int_equal(taken(fixture, 101), -EINVAL);
	assert_string_equal(fixture->error.text, "order 101 was not issued; the last one is 100");
	assert_int_equal(refused_by_qmaster(fixture, 101, 1, 1), -ENOENT);
	assert_string_equal(fixture->error.text, "order 101 was not issued; the last one is 100");
}

static void test_a_snapshot_makes_all_orders_void(void **state)
{
	struct fixture *fixture = *state;
	struct orders orders = { 0 };

	fixture->intake.orders = &orders;
	assert_int_equal(orders_remove(&orders, 2), 1);
	assert_int_equal(take(fixture, &(struct event){ .type = EVENT_SNAPSHOT_BEGIN }), 0);
	assert_non_null(orders_find(&orders, 1));
	assert_int_equal(take(fixture, &(struct event){ .type = EVENT_SNAPSHOT_END }), 0);
	assert_null(orders_find(&orders, 1));
	orders_free(&orders);
}

static void test_events_about_orders_are_ignored_without_a_keeper(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(taken(fixture, 1), 0);
	assert_int_equal(refused_by_qmaster(fixture, 1, 1, 1), 0);
}

/* User priorities */

static struct submitter_edit_event edited;

static int edit(void *context, const struct submitter_edit_event *event, struct error *error)
{
	(void)context;
	edited = *event;
	return event->edit.value < 1.0 ? error_set(error, -EINVAL, "too small") : 0;
}

static void test_an_edit_goes_to_the_keeper_of_user_priorities(void **state)
{
	struct fixture *fixture = *state;
	struct event event;

	event_init(&event, EVENT_SUBMITTER_EDIT);
	event.submitter_edit = (struct submitter_edit_event){ "ann@lab", { EDIT_FACTOR, 4.0, 60 } };
	assert_int_equal(take(fixture, &event), -EINVAL);
	assert_string_equal(fixture->error.text, "edit: this process does not keep user priorities");
	fixture->intake.edit = edit;
	assert_int_equal(take(fixture, &event), 0);
	assert_string_equal(edited.customer, "ann@lab");
	assert_true(edited.edit.kind == EDIT_FACTOR && edited.edit.value == 4.0 && edited.edit.duration == 60);
	event.submitter_edit.edit.value = 0.5;
	assert_int_equal(take(fixture, &event), -EINVAL);
	assert_string_equal(fixture->error.text, "too small");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_job_is_reported_from_its_submission_to_its_end),
		TEST(test_usage_in_a_finish_event_is_booked),
		TEST(test_a_changed_job_leaves_its_owner),
		TEST(test_missing_members_have_their_defaults),
		TEST(test_only_accepted_events_are_announced),
		TEST(test_events_about_orders_go_to_their_keeper),
		TEST(test_an_unknown_order_number_is_an_error),
		TEST(test_a_snapshot_makes_all_orders_void),
		TEST(test_events_about_orders_are_ignored_without_a_keeper),
		TEST(test_an_edit_goes_to_the_keeper_of_user_priorities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
