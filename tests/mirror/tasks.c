/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effects of the events about started tasks, queue instances and hosts, as seen by a reader after a
 * run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>

#include "tests/mirror/cell.h"

/* Tasks */

#define ENROLLED "{'event':'tasks_enrolled','job_number':"

/*
 * The list replaces the last one. It may have billions of ids, which must not be counted one by
 * one.
 */
static void test_restarted_tasks_are_those_of_the_last_report(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, ENROLLED "1,'tasks':'2','restarted':'1-2'}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).state, "Rr");
	assert_true(row(fixture, 1, 1).nrestarted == 1 && row(fixture, 1, 1).restarted[0].max == 2);
	TELL(fixture, ENROLLED "1,'tasks':'2','restarted':'1-4294967295'}");
	run(fixture, NOW + 1);
	assert_int_equal(row(fixture, 1, 1).restarted[0].max, UINT32_MAX);
	TELL(fixture, ENROLLED "1,'tasks':'2','restarted':'3'}");
	run(fixture, NOW + 2);
	assert_string_equal(row(fixture, 1, 0).state, "r");
	assert_int_equal(row(fixture, 1, 1).restarted[0].min, 3);
	TELL(fixture, ENROLLED "1,'tasks':'2'}");
	run(fixture, NOW + 3);
	assert_int_equal(row(fixture, 1, 1).nrestarted, 0);
}

static void test_a_started_task_is_shown_as_held_while_its_job_has_a_hold_or_waits_for_a_job(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','hold_jid':[1]}");
	TELL(fixture, START "2}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 2, 0).state, "hr");
	TELL(fixture, "{'event':'job_delete','job_number':1}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 2, 0).state, "r");
	TELL(fixture, "{'event':'job_modify','job_number':2,'hold':{'u':'1'}}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 2, 0).state, "hr");
	TELL(fixture, ENROLLED "2,'tasks':'','restarted':'1'}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 2, 0).state, "hRr");
	TELL(fixture, "{'event':'job_modify','job_number':2,'hold':{}}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 2, 0).state, "Rr");
}

static void test_a_started_task_no_longer_waits_and_a_requeued_one_does(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-3'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, START "1,'task':2,'granted_pe':'mpi'}");
	TELL(fixture, START "2}");
	REFUSE(fixture, "no task 2", START "1,'task':2}");
	REFUSE(fixture, "no task 1", START "2}");
	run(fixture, NOW);
	job = row(fixture, 1, 0);
	assert_true(job.is_started && job.task == 2 && job.slots == 1 && job.start_time == 1699999500);
	assert_string_equal(job.state, "r");
	assert_string_equal(job.queue, "all.q@node");
	assert_string_equal(job.granted_pe, "mpi");
	assert_true(row(fixture, 1, 1).nranges == 2 && row(fixture, 1, 1).tasks[1].min == 3);
	assert_int_equal(rows(fixture, 2), 1);
	TELL(fixture, REQUEUE "1,'task':2}");
	TELL(fixture, REQUEUE "2}");
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 1 && row(fixture, 1, 0).nranges == 1 && row(fixture, 1, 0).tasks[0].max == 3);
	assert_true(rows(fixture, 2) == 1 && !row(fixture, 2, 0).is_started);
}

static void test_a_job_is_removed_with_its_last_task(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-2'}");
	TELL(fixture, START "1,'task':2}");
	TELL(fixture, FINISH "1,'task':2}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 1);
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, FINISH "1,'task':1}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 0);
	TELL(fixture, ADD "1,'owner':'bob'}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).owner, "bob");
}

static bool is_eligible(struct fixture *fixture, uint32_t number)
{
	run(fixture, NOW);
	return strchr(row(fixture, number, 0).state, 'h') == NULL;
}

static void test_a_job_that_is_kept_holds_others_until_it_is_deleted(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','hold_jid':[1]}");
	TELL(fixture, ADD "3,'owner':'ann'}");
	TELL(fixture, ADD "4,'owner':'ann','hold_jid':[3]}");
	TELL(fixture, START "1}");
	TELL(fixture, START "3}");
	TELL(fixture, FINISH "1,'kept':true}");
	TELL(fixture, FINISH "3}");
	assert_false(is_eligible(fixture, 2));
	assert_true(is_eligible(fixture, 4));
	assert_int_equal(rows(fixture, 1), 0);
	TELL(fixture, "{'event':'job_delete','job_number':1}");
	assert_true(is_eligible(fixture, 2));
}

static void test_a_task_may_have_ended_before_its_start_was_reported(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	REFUSE(fixture, "not started", FINISH "1}");
	TELL(fixture, FINISH "1,'start_time':1699999500,'scaled_usage':{'cpu':7}}");
	TELL(fixture, START "2}");
	TELL(fixture, FINISH "2,'start_time':1699999600,'scaled_usage':{'cpu':7}}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 0);
	assert_int_equal(rows(fixture, 2), 0);
	REFUSE(fixture, "no job 1", FINISH "1,'start_time':1699999500}");
}

static void test_a_job_without_pending_tasks_does_not_start_but_exists(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','hold_jid':[1]}");
	TELL(fixture, "{'event':'job_modify','job_number':1,'tasks':''}");
	assert_false(is_eligible(fixture, 2));
	assert_int_equal(rows(fixture, 1), 0);
	REFUSE(fixture, "no task 1", START "1}");
}

static void test_an_array_without_tasks_is_no_job_that_waits(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':''}");
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-2'}");
	TELL(fixture, "{'event':'job_modify','job_number':2,'tasks':''}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 0);
	assert_int_equal(rows(fixture, 2), 0);
	TELL(fixture, "{'event':'job_modify','job_number':1,'tasks':'3'}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 1);
}

static void test_a_task_cannot_be_started_and_wait_at_once(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-4'}");
	TELL(fixture, START "1,'task':2}");
	REFUSE(fixture, "task 2", MODIFY "1,'tasks':'1-3','priority':7}");
	run(fixture, NOW);
	assert_true(row(fixture, 1, 1).priority == 0 && row(fixture, 1, 1).nranges == 2);
	REFUSE(fixture, "no task 2", START "1,'task':2}");
	TELL(fixture, REQUEUE "1,'task':2}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 1);
}

static void test_ids_up_to_the_largest_can_be_started(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "4294967295,'owner':'ann','tasks':'1-4294967295'}");
	TELL(fixture, START "4294967295,'task':4294967295}");
	TELL(fixture, START "4294967295,'task':7}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, UINT32_MAX), 3);
	assert_int_equal(row(fixture, UINT32_MAX, 0).task, 7);
	assert_int_equal(row(fixture, UINT32_MAX, 1).task, UINT32_MAX);
	assert_int_equal(row(fixture, UINT32_MAX, 2).nranges, 2);
	TELL(fixture, FINISH "4294967295,'task':4294967295}");
	run(fixture, NOW);
	assert_int_equal(rows(fixture, UINT32_MAX), 2);
}

static void test_started_tasks_are_sorted_by_id(void **state)
{
	static const uint32_t order[] = { 5, 3, 1, 9, 7, 2, 8, 4, 6 };
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	for (uint32_t n = 1; n <= 9; n++) {
		TELL(fixture, START "1,'task':%u}", order[n - 1]);
		run(fixture, NOW);
		assert_int_equal(rows(fixture, 1), n < 9 ? n + 1 : n);
		for (uint32_t k = 1; k < n; k++)
			assert_true(row(fixture, 1, k - 1).task < row(fixture, 1, k).task);
	}
	for (uint32_t n = 1; n < 9; n++) {
		TELL(fixture, FINISH "1,'task':%u}", order[n - 1]);
		run(fixture, NOW);
		assert_int_equal(rows(fixture, 1), 9 - n);
		for (uint32_t k = 1; k < 9 - n; k++)
			assert_true(row(fixture, 1, k - 1).task < row(fixture, 1, k).task);
	}
}

/* Takes minutes if tasks are searched one by one. */
static void test_an_array_may_have_75000_started_tasks(void **state)
{
	enum { TASKS = 75000 };
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	const struct granted granted = { .queue = "all.q@node", .slots = 1 };
	const struct usage_value cpu = { "cpu", 2.0 };
	const struct usage_values usage = { &cpu, 1 };

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-75001'}");
	for (uint32_t id = 1; id <= TASKS; id++)
		assert_int_equal(mirror_task_start(mirror, 1, id, NOW, &granted, 1, NULL, NULL, &fixture->error), 0);
	for (uint32_t id = TASKS; id > 0; id--)
		assert_int_equal(mirror_usage(mirror, 1, 1 + (uint32_t)(id * 7919ull % TASKS), &usage, &fixture->error),
				 0);
	run(fixture, NOW);
	CHECK(used(fixture, FL_USER, "ann").cpu, 2.0 * TASKS);
	for (uint32_t id = TASKS; id > 1; id--)
		assert_int_equal(
			mirror_task_finish(mirror, 1, 1 + (uint32_t)(id * 7919ull % TASKS), 0, &usage, &fixture->error),
			0);
	run(fixture, NOW);
	assert_int_equal(rows(fixture, 1), 2);
	CHECK(used(fixture, FL_USER, "ann").cpu, 2.0 * TASKS);
}

/* Suspended tasks */

static void check_same_values(const struct fl_job *a, const struct fl_job *b)
{
	const double x[] = { a->prio,	 a->nurg,    a->ntckts, a->npprior, a->urg,  a->rrcontr,
			     a->wtcontr, a->dlcontr, a->tckts,	a->stckt,   a->share };
	const double y[] = { b->prio,	 b->nurg,    b->ntckts, b->npprior, b->urg,  b->rrcontr,
			     b->wtcontr, b->dlcontr, b->tckts,	b->stckt,   b->share };

	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++)
		if (x[i] != y[i])
			fail_msg("value %zu is %.17g, not %.17g", i, x[i], y[i]);
}

static struct fl_job two_running(struct fixture *fixture)
{
	TELL(fixture, ADD "1,'owner':'ann','deadline':%d}", NOW + 1000);
	TELL(fixture, ADD "2,'owner':'bob'}");
	TELL(fixture, START "1}");
	TELL(fixture, START "2}");
	run(fixture, NOW);
	assert_true(row(fixture, 1, 0).tckts > 0 && row(fixture, 1, 0).share > 0);
	return row(fixture, 1, 0);
}

static void test_a_suspended_task_keeps_the_values_of_its_last_run(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job before = two_running(fixture), after;

	TELL(fixture, STATE "1,'state':'s'}");
	for (int i = 1; i < 4; i++) {
		run(fixture, NOW + 100 * i);
		after = row(fixture, 1, 0);
		assert_string_equal(after.state, "s");
		check_same_values(&after, &before);
		CHECK(row(fixture, 2, 0).share, 1.0);
	}
	TELL(fixture, STATE "1,'state':'r'}");
	run(fixture, NOW + 400);
	assert_true(row(fixture, 1, 0).wtcontr > before.wtcontr);
}

static void test_a_task_resumed_and_suspended_between_two_runs_keeps_its_values(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job before = two_running(fixture), after;

	TELL(fixture, STATE "1,'state':'s'}");
	run(fixture, NOW + 100);
	TELL(fixture, STATE "1,'state':'r'}");
	TELL(fixture, STATE "1,'state':'T'}");
	run(fixture, NOW + 200);
	after = row(fixture, 1, 0);
	check_same_values(&after, &before);
}

static void test_a_job_changed_and_suspended_between_two_runs_keeps_its_values(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job before = two_running(fixture), after;

	TELL(fixture, MODIFY "1,'priority':100,'deadline':0}");
	TELL(fixture, STATE "1,'state':'s'}");
	run(fixture, NOW + 100);
	after = row(fixture, 1, 0);
	check_same_values(&after, &before);
}

static void test_a_task_suspended_before_its_first_run_has_no_values(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	TELL(fixture, STATE "1,'state':'sT'}");
	run(fixture, NOW);
	assert_true(row(fixture, 1, 0).prio == 0 && row(fixture, 1, 0).npprior == 0 && row(fixture, 1, 0).tckts == 0);
}

/* Queues and hosts */

static void test_only_returning_hosts_offer_slots_again(void **state)
{
	struct fixture *fixture = *state;
	char event[100];

	for (int i = 0; i < 200; i++) {
		snprintf(event, sizeof(event), "{'event':'queue_instance','queue':'all.q@h%d','slots':1}", i);
		TELL(fixture, "%s", event);
		snprintf(event, sizeof(event), "{'event':'host_state','host':'h%d','available':false}", i);
		TELL(fixture, "%s", event);
		TELL(fixture, "%s", event);		/* a repetition has no effect */
	}
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 0);
	for (int i = 0; i < 200; i += 3) {
		snprintf(event, sizeof(event), "{'event':'host_state','host':'h%d','available':true}", i);
		TELL(fixture, "%s", event);
	}
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 67);
}

static void test_free_slots_are_those_of_usable_instances_on_available_hosts(void **state)
{
	struct fixture *fixture = *state;

	/* 20 slots, as configured. */
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@other','slots':3}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@third','slots':100,'state':'d'}");
	TELL(fixture, "{'event':'queue_instance','queue':'none.q@node'}");
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 23);
	TELL(fixture, "{'event':'host_state','host':'other','available':false}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@third','slots':100}");
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 120);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@node'}");
	TELL(fixture, "{'event':'host_state','host':'other','available':true}");
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 103);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@third','slots':0}");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'none.q@node'}");
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 3);
}

static void test_configured_slots_follow_the_configuration(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@told','slots':1}");
	put(fixture, "queue/all.q", "qname all.q\nhostlist node\nseq_no 0\nslots 7\n");
	reload(fixture);
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 8);
}

/* The configuration */

static void put_pe(const struct fixture *fixture, const char *urgency_slots)
{
	char text[300];

	snprintf(text, sizeof(text),
		 "pe_name mpi\nslots 100\nuser_lists NONE\nxuser_lists NONE\nallocation_rule $fill_up\n"
		 "control_slaves FALSE\njob_is_first_task TRUE\nurgency_slots %s\n",
		 urgency_slots);
	put(fixture, "pe/mpi", text);
}

static void test_a_parallel_environment_may_disappear_and_return(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'2-4'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'m*','pe_range':'2-4'}");
	run(fixture, NOW);
	CHECK(row(fixture, 1, 0).rrcontr, 1000);
	put_pe(fixture, "max");
	reload(fixture);
	run(fixture, NOW);
	CHECK(row(fixture, 1, 0).rrcontr, 4000);
	CHECK(row(fixture, 2, 0).rrcontr, 4000);
	assert_int_equal(row(fixture, 2, 0).slots, 4);
	put_away(fixture, "pe/mpi");
	reload(fixture);
	TELL(fixture, DELETE "1}");
	run(fixture, NOW);
	CHECK(row(fixture, 2, 0).rrcontr, 1000);
	put_pe(fixture, "min");
	reload(fixture);
	run(fixture, NOW);
	CHECK(row(fixture, 2, 0).rrcontr, 2000);
}

static void test_a_project_may_disappear_and_return(void **state)
{
	struct fixture *fixture = *state;
	struct fl_sharer sharer;

	put(fixture, "share_tree",
	    "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2\nid=1\nname=red\ntype=0\nshares=10\nchildnodes=NONE\n"
	    "id=2\nname=ann\ntype=0\nshares=10\nchildnodes=NONE\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, START "1}");
	for (int i = 0; i < 2; i++) {
		struct fl_node node;

		run(fixture, NOW);
		assert_true(fl_node(fixture->view, 1, &node) == 0 && node.short_target_share == 1);
		sharer_find(fixture, FL_PROJECT, "red", &sharer);
		assert_int_equal(sharer.running_tasks, 1);
		put_away(fixture, "projects/red");
		put_tree(fixture);
		reload(fixture);
		run(fixture, NOW);
		assert_int_equal(fl_sharers(fixture->view, FL_PROJECT), 0);
		/* At `default`, like a job without a project. */
		assert_true(row(fixture, 1, 0).stckt > 0);
		put_project(fixture, "red");
		put(fixture, "share_tree",
		    "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1\nid=1\nname=red\ntype=0\nshares=10\nchildnodes=NONE\n");
		reload(fixture);
	}
}

static void test_a_broken_configuration_leaves_the_old_one_active(void **state)
{
	struct fixture *fixture = *state;
	struct report report = { 0 };

	TELL(fixture, ADD "1,'owner':'ann'}");
	put(fixture, "sched_conf", "weight_ticket x\n");
	assert_int_equal(sched_reload(fixture->sched, &report, &fixture->error), -EINVAL);
	assert_true(report.faults > 0);
	report_free(&report);
	run(fixture, NOW);
	assert_true(row(fixture, 1, 0).stckt > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_started_task_no_longer_waits_and_a_requeued_one_does),
		TEST(test_restarted_tasks_are_those_of_the_last_report),
		TEST(test_a_started_task_is_shown_as_held_while_its_job_has_a_hold_or_waits_for_a_job),
		TEST(test_a_job_is_removed_with_its_last_task),
		TEST(test_an_array_without_tasks_is_no_job_that_waits),
		TEST(test_a_job_that_is_kept_holds_others_until_it_is_deleted),
		TEST(test_a_task_may_have_ended_before_its_start_was_reported),
		TEST(test_a_job_without_pending_tasks_does_not_start_but_exists),
		TEST(test_a_task_cannot_be_started_and_wait_at_once),
		TEST(test_started_tasks_are_sorted_by_id),
		TEST(test_ids_up_to_the_largest_can_be_started),
		TEST(test_an_array_may_have_75000_started_tasks),
		TEST(test_a_suspended_task_keeps_the_values_of_its_last_run),
		TEST(test_a_task_resumed_and_suspended_between_two_runs_keeps_its_values),
		TEST(test_a_job_changed_and_suspended_between_two_runs_keeps_its_values),
		TEST(test_a_task_suspended_before_its_first_run_has_no_values),
		TEST(test_free_slots_are_those_of_usable_instances_on_available_hosts),
		TEST(test_only_returning_hosts_offer_slots_again),
		TEST(test_configured_slots_follow_the_configuration),
		TEST(test_a_parallel_environment_may_disappear_and_return),
		TEST(test_a_project_may_disappear_and_return),
		TEST(test_a_broken_configuration_leaves_the_old_one_active),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
