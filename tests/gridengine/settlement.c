/* SPDX-License-Identifier: Apache-2.0 */
/* Orders until their effects are visible: a scripted qmaster refuses, loses, forgets and dies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/gridengine/scripted.h"

/* Starts */

static void put_jobs(struct fixture *fixture, unsigned n)
{
	sched_dispatch(fixture->sched, true);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	for (unsigned i = 1; i <= n; i++)
		TELL(fixture, ADD "%u,'owner':'ann'}", i);
}

static bool waits(struct fixture *fixture, uint32_t number)
{
	run(fixture, NOW + 100);
	return rows(fixture, number) == 1 && !row(fixture, number, 0).is_started;
}

static void test_a_start_is_settled_when_its_task_is_visible(void **state)
{
	struct fixture *fixture = *state;

	put_jobs(fixture, 1);
	run_and_send(NOW);
	assert_true(carry_out());
	assert_int_equal(count_seen(PACKED_START, 1), 1);
	assert_true(q.seen[0].version == 7 && q.seen[0].n == 1 && q.seen[0].instances[0].version == 3);
	assert_string_equal(q.seen[0].instances[0].queue, "all.q@node");
	assert_non_null(orders_after(q.f->intake.orders, 0));
	answer();
	TELL(fixture, START "1}");
	settlement_started(&q.g, 1, 1);
	deliver();
	deliver();
	assert_null(orders_after(q.f->intake.orders, 0));
	assert_int_equal(q.f->intake.orders->refused, 0);
	assert_true(starts_are_settled(&q.g));
}

static void test_a_start_that_two_deliveries_do_not_show_is_void(void **state)
{
	struct fixture *fixture = *state;

	put_jobs(fixture, 1);
	run_and_send(NOW);
	carry_out();
	deliver();			/* a delivery before the answer proves nothing */
	answer();
	deliver();
	assert_false(starts_are_settled(&q.g));
	deliver();
	assert_true(starts_are_settled(&q.g));
	assert_int_equal(q.f->intake.orders->refused, 1);
	sched_dispatch(fixture->sched, false);
	assert_true(waits(fixture, 1));
}

static void test_a_task_that_was_only_enrolled_waits_at_once(void **state)
{
	struct fixture *fixture = *state;

	put_jobs(fixture, 1);
	run_and_send(NOW);
	carry_out();
	answer();
	settlement_enrolled(&q.g, 1, 1);
	deliver();
	assert_true(starts_are_settled(&q.g));
	sched_dispatch(fixture->sched, false);
	assert_true(waits(fixture, 1));
}

static void test_orders_are_not_sent_without_the_role_or_during_an_update(void **state)
{
	struct fixture *fixture = *state;

	put_jobs(fixture, 1);
	q.place = PLACE_DOUBTFUL;
	run_and_send(NOW);
	assert_int_equal(q.npackets, 0);
	q.place = PLACE_OURS;
	SNAPSHOT(fixture);
	settlement_send(&q.g);
	assert_int_equal(q.npackets, 0);
	TELL(fixture, ADD "1,'owner':'ann'}");
	SNAPSHOT_END(fixture);
	settlement_updated(&q.g);
	settlement_send(&q.g);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_START, 0), 0);
}

static void test_a_scheduler_without_recent_events_sends_no_orders(void **state)
{
	put_jobs(*state, 1);
	q.g.settlement->heard_ns = 0;
	run_and_send(NOW);
	assert_int_equal(q.npackets, 0);
	deliver();
	settlement_send(&q.g);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_START, 1), 1);
}

static void test_a_job_that_has_changed_since_is_not_started(void **state)
{
	struct fixture *fixture = *state;

	put_jobs(fixture, 2);
	run(fixture, NOW);
	settlement_ran(&q.g, NOW, true);
	q.job_version++;
	settlement_send(&q.g);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_START, 0), 0);
	sched_dispatch(fixture->sched, false);
	assert_true(waits(fixture, 1) && waits(fixture, 2));
}

static void test_a_queue_that_has_changed_since_gets_no_start(void **state)
{
	put_jobs(*state, 1);
	run(*state, NOW);
	settlement_ran(&q.g, NOW, true);
	q.instance_version++;
	settlement_send(&q.g);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_START, 0), 0);
	assert_int_equal(q.f->intake.orders->refused, 1);
}

/* The qmaster would start it without an error. */
static void test_tasks_beyond_the_concurrency_and_jobs_with_other_slots_are_not_sent(void **state)
{
	struct fixture *fixture = *state;

	sched_dispatch(fixture->sched, true);
	put(fixture, "pe/mpi",
	    "pe_name mpi\nslots 99\nuser_lists NONE\nxuser_lists NONE\nstart_proc_args NONE\nstop_proc_args NONE\n"
	    "allocation_rule $fill_up\ncontrol_slaves TRUE\njob_is_first_task FALSE\nurgency_slots min\naccounting_summary FALSE\n");
	put(fixture, "queue/all.q", "qname all.q\nhostlist node\nseq_no 0\nslots 10,[node=20]\npe_list mpi\n");
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-4','task_concurrency':3}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'4'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'mpi','pe_range':'2'}");
	TELL(fixture, ADD "4,'owner':'ann','pe':'mpi','pe_range':'4'}");
	TELL(fixture, ADD "5,'owner':'ann','pe':'mpi','pe_range':'3'}");
	run(fixture, NOW);
	settlement_ran(&q.g, NOW, true);
	TELL(fixture, MODIFY "1,'task_concurrency':2}");	/* the version is known nevertheless */
	TELL(fixture, MODIFY "2,'pe_range':'5-8'}");
	TELL(fixture, MODIFY "4,'pe_range':'1-7:2'}");
	TELL(fixture, MODIFY "5,'pe_range':'1-7:2'}");
	settlement_send(&q.g);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_START, 1), 2);
	assert_int_equal(count_seen(PACKED_START, 2), 0);
	assert_int_equal(count_seen(PACKED_START, 3), 1);
	assert_int_equal(count_seen(PACKED_START, 4), 0);
	assert_int_equal(count_seen(PACKED_START, 5), 1);
}

static void test_an_update_voids_orders_under_way(void **state)
{
	struct fixture *fixture = *state;

	put_jobs(fixture, 1);
	run_and_send(NOW);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	SNAPSHOT_END(fixture);
	settlement_updated(&q.g);
	assert_true(starts_are_settled(&q.g));
	assert_null(orders_after(q.f->intake.orders, 0));
	sched_dispatch(fixture->sched, false);
	assert_true(waits(fixture, 1));
}

/* Usage and removal */

static void end_task(struct fixture *fixture, uint32_t number, uint32_t task, double cpu)
{
	settlement_finished(&q.g, number, task, true);
	TELL(fixture, FINISH "%u,'task':%u,'kept':true,'scaled_usage':{'cpu':%g,'mem':1,'io':0}}", number, task, cpu);
}

static void gone(uint32_t job_number, uint32_t task)
{
	settlement_removed(&q.g, job_number, task);
}

static void test_a_finished_task_is_removed_after_its_usage_is_visible(void **state)
{
	struct fixture *fixture = *state;

	q.removed = gone;
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	end_task(fixture, 1, 1, 10);
	run_and_send(NOW);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_USER, 0), 1);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
	CHECK(scripted_value(scripted_entry(0, 1), "cpu"), 10);
	CHECK(scripted_value(scripted_entry(0, 1), "finished_jobs"), 1);
	answer();
	settlement_send(&q.g);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_REMOVE, 0), 0);	/* an answer alone proves nothing */
	deliver();
	settlement_send(&q.g);
	assert_true(carry_out());
	assert_int_equal(count_seen(PACKED_REMOVE, 1), 1);
	assert_int_equal(usage_booked(&q.g, 1, 1), false);
	while (carry_out())
		;
	/* The entry is removed with the job, as by the built-in scheduler. */
	assert_int_equal(count_seen(PACKED_USER, 0), 2);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
	assert_int_equal(q.users[0].nentries, 0);
}

static void test_usage_and_removals_wait_until_the_role_is_proven(void **state)
{
	struct fixture *fixture = *state;

	q.removed = gone;
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	end_task(fixture, 1, 1, 10);
	q.unproven = true;
	run_and_send(NOW);
	turn();
	assert_int_equal(count_seen(PACKED_USER, 0), 0);
	q.unproven = false;
	turn();
	q.unproven = true;
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_USER, 0), 1);
	assert_int_equal(count_seen(PACKED_REMOVE, 0), 0);
	q.unproven = false;
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_REMOVE, 1), 1);
}

static void test_a_finished_task_without_usage_is_only_removed(void **state)
{
	struct fixture *fixture = *state;

	q.removed = gone;
	TELL(fixture, ADD "1,'owner':'ann'}");
	settlement_finished(&q.g, 1, 1, false);
	run_and_send(NOW);
	while (carry_out())
		;
	assert_int_equal(count_seen(PACKED_REMOVE, 1), 1);
	assert_int_equal(count_seen(PACKED_USER, 0), 0);
}

static void test_no_task_is_removed_without_the_disk(void **state)
{
	struct fixture *fixture = *state;

	q.removed = gone;
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	end_task(fixture, 1, 1, 10);
	run(fixture, NOW);
	settlement_ran(&q.g, NOW, false);
	settlement_send(&q.g);
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_REMOVE, 1), 0);
	run_and_send(NOW + 1);
	turn();
	assert_int_equal(count_seen(PACKED_REMOVE, 1), 1);
}

static void test_a_refused_usage_order_is_repeated_with_the_new_version(void **state)
{
	struct fixture *fixture = *state;

	q.removed = gone;
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	end_task(fixture, 1, 1, 10);
	run_and_send(NOW);
	q.users[0].version += 2;	/* an administrator changed the user before the order arrived */
	q.users[0].oticket++;
	scripted_changed(&q.users[0]);
	turn();
	assert_int_equal(count_seen(PACKED_USER, 0), 1);
	assert_int_equal(q.users[0].usage.n, 0);
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_REMOVE, 1), 1);
	assert_int_equal(count_seen(PACKED_USER, 0), 3);	/* the last order removes the entry */
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
}

static void test_an_order_without_a_visible_effect_is_repeated(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	end_task(fixture, 1, 1, 10);
	q.refuse_usage = true;
	run_and_send(NOW);
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_USER, 0), 1);
	q.refuse_usage = false;
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_USER, 0), 3);	/* the last order removes the entry */
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
}

static void test_removal_and_ticket_list_of_a_continuing_array_are_one_packet(void **state)
{
	struct fixture *fixture = *state;

	q.removed = gone;
	TELL(fixture, ADD "1,'owner':'ann','project':'red','tasks':'1-2'}");
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 2, 5);
	end_task(fixture, 1, 1, 10);
	run_and_send(NOW);
	turn();
	CHECK(scripted_value(scripted_entry(0, 1), "cpu"), 15);
	assert_int_equal(count_seen(PACKED_PROJECT, 0), 1);
	assert_int_equal(q.npackets, 1);
	assert_true(carry_out());
	assert_true(q.seen[q.nseen - 2].type == PACKED_REMOVE && q.seen[q.nseen - 1].type == PACKED_USER);
	CHECK(scripted_value(scripted_entry(0, 1), "cpu"), 5);
	CHECK(scripted_value(&q.users[0].in_project_ever, "cpu"), 15);
	CHECK(scripted_value(&q.users[2].long_term, "cpu"), 15);
}

static void test_an_unchanged_state_costs_no_order(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 10);
	run_and_send(NOW);
	turn();
	assert_int_equal(count_seen(PACKED_USER, 0), 1);
	for (int i = 1; i < 5; i++) {
		run_and_send(NOW + 15 * i);
		turn();
	}
	assert_int_equal(count_seen(PACKED_USER, 0), 1);
}

/*
 * The built-in scheduler books a task and removes it, and is stopped. We then take the role, and
 * the qmaster reports its whole state without the task.
 */
static void taken_from_one_who_has_booked(struct fixture *fixture, enum place_state place, bool updated)
{
	q.place = place;
	q.g.updated = updated;
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	end_task(fixture, 1, 1, 10);
	q.users[0].long_term = q.users[0].usage =
		(struct scripted_values){ .names = { "cpu" }, .values = { 10 }, .n = 1 };
	q.users[0].stamp = NOW;
	q.users[0].version++;
	scripted_changed(&q.users[0]);
	deliver();
	settlement_watch(&q.g);
	run_and_send(NOW);
	q.place = PLACE_OURS;
	SNAPSHOT(fixture);
	scripted_report_user(&q.users[0], GDI_EV_USER_LIST);
	SNAPSHOT_END(fixture);
	q.g.updated = true;
	settlement_updated(&q.g);
	run_and_send(NOW + 1);
	turn();
}

static void test_ends_before_we_have_the_role_are_booked_by_its_owner(void **state)
{
	taken_from_one_who_has_booked(*state, PLACE_TAKING, true);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
}

/*
 * The first message of our role is the update, which reports all usage that is still to be booked.
 */
static void test_ends_before_the_first_update_are_not_booked(void **state)
{
	taken_from_one_who_has_booked(*state, PLACE_OURS, false);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
}

/* No update follows after a doubt: the ended tasks were ours to book. */
static void test_ends_in_a_doubt_are_booked(void **state)
{
	struct fixture *fixture = *state;

	q.g.updated = true;
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	q.place = PLACE_DOUBTFUL;
	end_task(fixture, 1, 1, 10);
	settlement_watch(&q.g);
	q.place = PLACE_OURS;
	run_and_send(NOW);
	turn();
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
}

/* Values */

static void test_unchanged_digits_are_not_sent_again(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "weight_waiting_time", "0");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	TELL(fixture, START "2}");
	TELL(fixture, ADD "3,'owner':'bob','hold':{'u':'1'}}");
	run_and_send(NOW);
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_PENDING_TICKETS, 1), 1);
	assert_int_equal(count_seen(PACKED_TICKETS, 2), 1);
	assert_int_equal(count_seen(PACKED_PENDING_TICKETS, 3) + count_seen(PACKED_CLEAR, 0), 0);
	run_and_send(NOW + 15);
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_PENDING_TICKETS, 1), 1);
	assert_int_equal(count_seen(PACKED_TICKETS, 2), 1);
	TELL(fixture, MODIFY "1,'hold':{'u':'1'}}");
	run_and_send(NOW + 30);
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_CLEAR, 1), 1);
}

static void test_hosts_hear_of_all_tasks_in_one_list(void **state)
{
	struct fixture *fixture = *state;
	struct order_ticket tickets[] = { { .job_number = 1, .task = 1, .tickets = 1 } };

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	TELL(fixture, START "2}");
	run_and_send(NOW);
	turn();
	assert_false(q.seen[0].has_granted);
	orders_tickets(q.f->intake.orders, "node", tickets, 1);	/* repeats an order of reprioritize_interval */
	q.nseen = 0;
	run_and_send(NOW + 15);
	assert_true(carry_out());
	assert_int_equal(count_seen(PACKED_TICKETS, 0), 2);
	assert_true(q.seen[0].has_granted && q.seen[1].has_granted);
	assert_null(orders_after(q.f->intake.orders, 0));
}

static void test_running_tasks_of_an_array_at_its_limit_show_no_tickets(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-4','task_concurrency':1}");
	TELL(fixture, START "1,'task':1}");
	run_and_send(NOW);
	turn();
	turn();
	assert_int_equal(count_seen(PACKED_TICKETS, 1), 1);
	assert_int_equal(count_seen(PACKED_CLEAR, 1), 1);
	assert_int_equal(q.seen[q.nseen - 1].type, PACKED_CLEAR);
}

static void test_the_share_tree_receives_users_whose_tasks_have_ended(void **state)
{
	struct fixture *fixture = *state;

	q.removed = gone;
	put(fixture, "share_tree",
	    "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2\nid=1\nname=ann\ntype=0\nshares=10\nchildnodes=NONE\n"
	    "id=2\nname=bob\ntype=0\nshares=10\nchildnodes=NONE\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	run_and_send(NOW);
	turn();
	assert_int_equal(count_seen(PACKED_TREE, 0), 0);
	end_task(fixture, 1, 1, 10);
	run_and_send(NOW + 15);
	turn();
	assert_int_equal(count_seen(PACKED_TREE, 0), 1);
	run_and_send(NOW + 30);
	turn();
	assert_int_equal(count_seen(PACKED_TREE, 0), 1);
}

static void test_a_changed_pending_reason_is_sent(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "schedd_job_info", "true");
	reload(fixture);
	sched_dispatch(fixture->sched, true);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node','state':'d'}");
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','hold':{'u':'1'}}");
	run_and_send(NOW);
	turn();
	assert_int_equal(count_seen(PACKED_INFO, 0), 1);
	run_and_send(NOW + 15);
	turn();
	assert_int_equal(count_seen(PACKED_INFO, 0), 1);
	set_sched_conf(fixture, "schedd_job_info", "false");
	reload(fixture);
	run_and_send(NOW + 30);
	run_and_send(NOW + 45);
	turn();
	assert_int_equal(count_seen(PACKED_INFO, 0), 2);	/* earlier messages have been removed */
	assert_int_equal(q.seen[q.nseen - 1].messages, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRIPTED(test_a_start_is_settled_when_its_task_is_visible),
		SCRIPTED(test_a_start_that_two_deliveries_do_not_show_is_void),
		SCRIPTED(test_a_task_that_was_only_enrolled_waits_at_once),
		SCRIPTED(test_orders_are_not_sent_without_the_role_or_during_an_update),
		SCRIPTED(test_a_scheduler_without_recent_events_sends_no_orders),
		SCRIPTED(test_a_job_that_has_changed_since_is_not_started),
		SCRIPTED(test_a_queue_that_has_changed_since_gets_no_start),
		SCRIPTED(test_tasks_beyond_the_concurrency_and_jobs_with_other_slots_are_not_sent),
		SCRIPTED(test_an_update_voids_orders_under_way),
		SCRIPTED(test_a_finished_task_is_removed_after_its_usage_is_visible),
		SCRIPTED(test_usage_and_removals_wait_until_the_role_is_proven),
		SCRIPTED(test_a_finished_task_without_usage_is_only_removed),
		SCRIPTED(test_no_task_is_removed_without_the_disk),
		SCRIPTED(test_a_refused_usage_order_is_repeated_with_the_new_version),
		SCRIPTED(test_an_order_without_a_visible_effect_is_repeated),
		SCRIPTED(test_removal_and_ticket_list_of_a_continuing_array_are_one_packet),
		SCRIPTED(test_an_unchanged_state_costs_no_order),
		SCRIPTED(test_ends_before_we_have_the_role_are_booked_by_its_owner),
		SCRIPTED(test_ends_before_the_first_update_are_not_booked),
		SCRIPTED(test_ends_in_a_doubt_are_booked),
		SCRIPTED(test_unchanged_digits_are_not_sent_again),
		SCRIPTED(test_hosts_hear_of_all_tasks_in_one_list),
		SCRIPTED(test_running_tasks_of_an_array_at_its_limit_show_no_tickets),
		SCRIPTED(test_the_share_tree_receives_users_whose_tasks_have_ended),
		SCRIPTED(test_a_changed_pending_reason_is_sent),
	};

	return cmocka_run_group_tests_name("orders until they are seen", tests, NULL, NULL);
}
