/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that are ranked again while others start: an array by its next task, or the next job after
 * an array has left the list. Grid Engine sums up the terms of their prio in another order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"
#include "urgency/normalize.h"

/* With these weights the two sums usually differ in their last bits. */
static void make_cell(struct fixture *fixture)
{
	set_sched_conf(fixture, "weight_tickets_share", "0");
	set_sched_conf(fixture, "weight_tickets_functional", "100000");
	set_sched_conf(fixture, "weight_ticket", "0.93");
	set_sched_conf(fixture, "weight_urgency", "0.1");
	set_sched_conf(fixture, "weight_priority", "1.3");
	set_sched_conf(fixture, "weight_waiting_time", "0");
	put_user(fixture, "ann");
	put(fixture, "users/bob", "name bob\noticket 0\nfshare 30\ndelete_time 0\ndefault_project NONE\n");
}

/* All jobs have the same urgency: nurg is 0.5. */
static double first_sum(int p, double ntckts)
{
	return normalize_prio(0.1, 0.5, 0.93, ntckts, 1.3, normalize_posix((uint32_t)(1024 + p)));
}

static double sum_again(int p, double ntckts)
{
	return normalize_prio_again(0.1, 0.5, 0.93, ntckts, 1.3, normalize_posix((uint32_t)(1024 + p)));
}

/* Ada has four slots. */
static void snapshot(struct fixture *fixture, const char *ann, int p)
{
	TELL(fixture, "{'event':'snapshot_begin'}");
	report_instance(fixture, "all.q@ada", 4);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'%s','priority':%d}", ann, p);
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-3','priority':-900}");
	TELL(fixture, ADD "3,'owner':'bob','priority':%d}", p - 100);
	TELL(fixture, "{'event':'snapshot_end'}");
	run(fixture, NOW);
}

static void test_an_array_shows_the_prio_by_which_its_next_task_is_ranked(void **state)
{
	struct fixture *fixture = *state;
	unsigned differ = 0;
	struct fl_job job;

	make_cell(fixture);
	reload(fixture);
	for (int p = -1; p > -60; p--) {
		snapshot(fixture, "1-20", p);
		assert_int_equal(started(fixture, 1), 4);
		for (size_t k = 0; fl_find(fixture->view, 1, k, &job) == 0 && job.is_started; k++)
			;
		CHECK(job.prio, sum_again(p, job.ntckts));
		differ += sum_again(p, job.ntckts) != first_sum(p, job.ntckts);
		assert_int_equal(fl_find(fixture->view, 2, 0, &job), 0);
		CHECK(job.prio, first_sum(-900, job.ntckts));
		take_orders(fixture);
	}
	assert_true(differ > 0);
}

/* With one task for ann at a time, the first of her tasks removes her other jobs from the list. */
static void test_the_next_job_is_ranked_again_when_an_array_leaves_the_list(void **state)
{
	struct fixture *fixture = *state;
	unsigned differ = 0;

	make_cell(fixture);
	set_sched_conf(fixture, "maxujobs", "1");
	reload(fixture);
	for (int p = -1; p > -60; p--) {
		const struct order *bob;

		snapshot(fixture, "1-3", p);
		bob = orders_find(sched_orders(fixture->sched), sched_orders(fixture->sched)->last);
		assert_int_equal(bob->job_number, 3);
		CHECK(bob->start.prio, sum_again(p - 100, bob->start.ntckts));
		differ += sum_again(p - 100, bob->start.ntckts) != first_sum(p - 100, bob->start.ntckts);
		WAITS(fixture, 2, "maxujobs");
		take_orders(fixture);
	}
	assert_true(differ > 0);
}

static void test_a_single_job_that_exhausts_its_owners_limit_causes_no_new_ranking(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture);
	set_sched_conf(fixture, "maxujobs", "1");
	reload(fixture);
	for (int p = -1; p > -60; p--) {
		const struct order *bob;

		snapshot(fixture, "1", p);
		bob = orders_find(sched_orders(fixture->sched), sched_orders(fixture->sched)->last);
		assert_int_equal(bob->job_number, 3);
		CHECK(bob->start.prio, first_sum(p - 100, bob->start.ntckts));
		take_orders(fixture);
	}
}

/* Ann's first task comes before bob's job, her second task after it. */
static void test_an_array_with_a_reservation_is_ranked_by_its_next_task(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture);
	set_sched_conf(fixture, "max_reservation", "2");
	set_sched_conf(fixture, "default_duration", "0:20:0");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=5'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'task':1,'start_time':%d,'granted':[{'queue':'all.q@ada','slots':1}]}",
	     NOW - 60);
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-3','reserve':true,'hard_resource_list':'lic=5'}");
	TELL(fixture, ADD "3,'owner':'bob','reserve':true,'hard_resource_list':'lic=5','priority':70}");
	run(fixture, NOW);
	/* after job 1 and ann's first task */
	assert_int_equal(reserved(fixture, 3), NOW - 60 + 2 * (20 * 60 + 60));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_an_array_shows_the_prio_by_which_its_next_task_is_ranked),
		DISPATCH_TEST(test_the_next_job_is_ranked_again_when_an_array_leaves_the_list),
		DISPATCH_TEST(test_a_single_job_that_exhausts_its_owners_limit_causes_no_new_ranking),
		DISPATCH_TEST(test_an_array_with_a_reservation_is_ranked_by_its_next_task),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
