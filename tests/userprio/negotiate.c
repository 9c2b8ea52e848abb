/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs with algorithm userprio: events of slots and jobs as input, starts and slots to be vacated
 * as output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/policy/userprio/inside.h"
#include "tests/userprio/pool.h"

static void test_two_equal_users_share_the_pool_in_halves(void **state)
{
	struct fixture *fixture = *state;

	slots_add(fixture, 10);
	jobs_add(fixture, 1, 20, "ann", "");
	jobs_add(fixture, 101, 20, "bob", "");
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 20), 5);
	assert_int_equal(started_of(fixture, 101, 20), 5);
}

static void test_a_job_starts_where_both_requirements_hold(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'slot','slot':'slot1@m','machine':'m','ad':{'Cpus':1,'Memory':100}}");
	TELL(fixture,
	     "{'event':'slot','slot':'slot2@m','machine':'m','ad':{'Cpus':1,'Memory':900,'Requirements':{'expr':'TARGET.Owner == \\\"ann\\\"'}}}");
	TELL(fixture, ADD "1,'owner':'ann','requirements':'Memory > 500'}");
	TELL(fixture, ADD "2,'owner':'bob','requirements':'Memory > 500'}");
	run(fixture, NOW);
	assert_string_equal(slot_of(fixture, 1), "slot2@m");
	assert_int_equal(started(fixture, 2), 0);
}

static void test_job_priorities_order_one_users_jobs_alone(void **state)
{
	struct fixture *fixture = *state;

	slots_add(fixture, 2);
	TELL(fixture, ADD "1,'owner':'ann','job_prio':-5}");
	TELL(fixture, ADD "2,'owner':'ann','job_prio':7}");
	TELL(fixture, ADD "3,'owner':'bob','job_prio':-1000000}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 0);
	assert_int_equal(started(fixture, 2), 1);
	assert_int_equal(started(fixture, 3), 1);
}

static void test_between_cycles_no_negotiation_takes_place(void **state)
{
	struct fixture *fixture = *state;

	slots_add(fixture, 4);
	run(fixture, NOW);
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1), 0);
	assert_int_equal(sched_next_change(fixture->sched), NOW + 20);
	run(fixture, NOW + 19);
	assert_int_equal(started(fixture, 1), 0);
	run(fixture, NOW + 20);	/* NEGOTIATOR_CYCLE_DELAY */
	assert_int_equal(started(fixture, 1), 1);
	assert_int_equal(sched_next_change(fixture->sched), NOW + 80);
}

static void test_a_claim_takes_its_users_next_job_without_a_cycle(void **state)
{
	struct fixture *fixture = *state;

	slots_add(fixture, 1);
	jobs_add(fixture, 1, 2, "ann", "");
	TELL(fixture, ADD "101,'owner':'bob'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	task_confirm(fixture, 1, NOW);
	TELL(fixture, "{'event':'task_finish','job_number':1,'end_time':%d}", NOW + 3);
	run(fixture, NOW + 3);
	assert_int_equal(started(fixture, 2), 1);
	assert_int_equal(started(fixture, 101), 0);
}

static void test_a_task_is_charged_for_the_time_of_its_slot(void **state)
{
	struct fixture *fixture = *state;

	slots_add(fixture, 1);
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW);
	task_confirm(fixture, 1, NOW);
	TELL(fixture, "{'event':'task_finish','job_number':1,'end_time':%d}", NOW + 7);
	run(fixture, NOW + 10);
	run(fixture, NOW + 70);
	CHECK(customer(fixture, "ann@pool").weight_accumulated, 7.0);
	assert_int_equal(customer(fixture, "ann@pool").used, 0);
}

static void test_a_better_user_preempts_only_its_share(void **state)
{
	struct fixture *fixture = *state;
	unsigned leaving;

	put(fixture, "condor_config",
	    "UID_DOMAIN = pool\nPREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\nPRIORITY_HALFLIFE = 100\n");
	reload(fixture);
	slots_add(fixture, 10);
	jobs_add(fixture, 1, 20, "ann", "");
	run(fixture, NOW);
	for (unsigned number = 1; number <= 10; number++)
		task_confirm(fixture, number, NOW);
	jobs_add(fixture, 101, 20, "bob", "");
	take_orders(fixture);
	run(fixture, NOW + 20);	/* ann's priority is 1.73 by now, so 7.8 of the ten slots are bob's */
	leaving = vacates(fixture);
	assert_int_equal(leaving, 8);
	assert_int_equal(started_of(fixture, 101, 20), 0);	/* not before the slots are vacated */
	run(fixture, NOW + 25);
	assert_int_equal(vacates(fixture), leaving);	/* no other job has to leave either */
	vacated_all(fixture);
	run(fixture, NOW + 26);
	assert_int_equal(started_of(fixture, 101, 20), leaving);
	assert_int_equal(started_of(fixture, 1, 20), 10 - leaving);
}

static void test_a_reported_claim_is_preempted_by_rank(void **state)
{
	struct fixture *fixture = *state;
	const struct order *order;

	TELL(fixture,
	     "{'event':'slot','slot':'slot1@m','machine':'m','ad':{'Cpus':1,'Rank':{'expr':'TARGET.Owner == \\\"bob\\\"'}}}");
	TELL(fixture, "{'event':'claim','slot':'slot1@m','submitter':'ann@pool','weight':1,'current_rank':0}");
	TELL(fixture, ADD "1,'owner':'bob'}");
	run(fixture, NOW);
	order = orders_find(sched_orders(fixture->sched), sched_orders(fixture->sched)->last);
	assert_non_null(order);
	assert_int_equal(order->kind, ORDER_VACATE);
	assert_int_equal(order->job_number, 0);
	assert_string_equal(order->vacate.queue, "slot1@m");
	assert_string_equal(order->vacate.winner, "bob@pool");
	assert_int_equal(order->vacate.reason, VACATE_RANK);
	TELL(fixture, "{'event':'claim','slot':'slot1@m','submitter':''}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1), 1);
	CHECK(customer(fixture, "ann@pool").weight_used, 0.0);
	CHECK(customer(fixture, "bob@pool").weight_used, 1.0);
}

static void test_instances_of_grid_engine_are_partitionable_slots(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES MEMORY);
	put_host(fixture, "ada", "mem=8G", "np_load_avg=0.1,num_proc=4");
	put_queue(fixture, "all.q", "ada", "4", "");
	reload(fixture);
	report_instance(fixture, "all.q@ada", 4);
	jobs_add(fixture, 1, 10, "ann", ",'hard_resource_list':'mem=3G'");
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 10), 2);	/* 8G are available */
	TELL(fixture, ADD "101,'owner':'bob'}");
	run(fixture, NOW + 60);
	assert_int_equal(started(fixture, 101), 1);
	assert_string_equal(slot_of(fixture, 101), "all.q@ada");
}

static void test_a_parallel_job_starts_when_it_has_all_its_slots(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES);
	put_host(fixture, "ada", "NONE", "np_load_avg=0.1");
	put_host(fixture, "bly", "NONE", "np_load_avg=0.1");
	put_queue(fixture, "all.q", "ada bly", "3", "");
	put_pe(fixture, "mpi", 100, "$fill_up");
	reload(fixture);
	report_instance(fixture, "all.q@ada", 3);
	report_instance(fixture, "all.q@bly", 3);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'5'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'7'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	assert_int_equal(started(fixture, 2), 0);
	CHECK(customer(fixture, "ann@pool").weight_used, 5.0);
}

static void test_an_array_starts_the_tasks_of_its_owners_share(void **state)
{
	struct fixture *fixture = *state;

	slots_add(fixture, 10);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-100'}");
	TELL(fixture, ADD "2,'owner':'bob','tasks':'1-100'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 5);
	assert_int_equal(started(fixture, 2), 5);
	run(fixture, NOW + 60);
	assert_int_equal(started(fixture, 1) + started(fixture, 2), 10);
}

/* Return the number of running jobs that the last cycle used for the only submitter. */
static uint32_t running_of_submitter(const struct fixture *fixture)
{
	const struct userprio_policy *policy = (const struct userprio_policy *)fixture->sched->policies.in_force;

	assert_int_equal(policy->in_force->requests.nsubmitters, 1);
	CHECK(policy->in_force->requests.submitters[0].running, policy->in_force->shown[0].running);
	return policy->in_force->shown[0].running;
}

static void test_demand_counts_running_jobs_on_slots_that_the_constraint_hides(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "condor_config", "UID_DOMAIN = pool\nNEGOTIATOR_SLOT_CONSTRAINT = SlotID <= 2\n");
	reload(fixture);
	slots_add(fixture, 5);
	for (int i = 3; i <= 5; i++)
		TELL(fixture, "{'event':'claim','slot':'slot%d@m','submitter':'ann@pool','since':%d}", i, NOW - 50);
	TELL(fixture, ADD "1,'owner':'ann','hold':{'u':'1'}}");
	for (int cycle = 0; cycle < 3; cycle++) {
		run(fixture, NOW + 60 * cycle);
		assert_int_equal(running_of_submitter(fixture), 3);
	}
	CHECK(customer(fixture, "ann@pool").weight_used, 0.0);
}

/* Return why the last cycle gave a submitter's request no slot. */
static const struct class_refusal *refusal_of(const struct fixture *fixture, const char *submitter, uint32_t request)
{
	const struct userprio_cell *cell =
		((const struct userprio_policy *)fixture->sched->policies.in_force)->in_force;

	for (size_t i = 0; i < cell->result.nrefusals; i++) {
		const struct class_refusal *refusal = &cell->result.refusals[i];

		if (refusal->request == request &&
		    strcmp(cell->requests.submitters[refusal->submitter].name, submitter) == 0)
			return refusal;
	}
	return NULL;
}

/* Earlier jobs take all slots. */
static void test_a_job_that_matches_no_slot_gets_that_reason_at_once(void **state)
{
	struct fixture *fixture = *state;
	const struct class_refusal *refusal;

	slots_add(fixture, 2);
	jobs_add(fixture, 1, 9, "ann", "");
	TELL(fixture, ADD "101,'owner':'ann','requirements':'Memory > 1000000','job_prio':-1}");
	TELL(fixture, ADD "102,'owner':'ann','requirements':'Memory < 1000000','job_prio':-2}");
	run(fixture, NOW);
	for (int cycle = 0; cycle < 2; cycle++) {
		refusal = refusal_of(fixture, "ann@pool", 1);
		assert_non_null(refusal);
		assert_int_equal(refusal->refusal, REFUSED_NO_MATCH);
		assert_int_equal(refusal->slots, 2);
		assert_int_equal(refusal->by_job, 2);
		refusal = refusal_of(fixture, "ann@pool", 2);
		assert_true(!refusal || refusal->refusal != REFUSED_NO_MATCH);
		if (cycle == 0) {
			task_confirm(fixture, 1, NOW);
			task_confirm(fixture, 2, NOW);
			run(fixture, NOW + 60);
		}
	}
}

/* Resources taken out of a partitionable slot are returned. */
static void test_a_job_that_fits_an_empty_slot_is_no_mismatch_while_it_is_full(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES);
	put_host(fixture, "ada", "NONE", "np_load_avg=0.1");
	put_queue(fixture, "all.q", "ada", "2", "");
	reload(fixture);
	report_instance(fixture, "all.q@ada", 2);
	jobs_add(fixture, 1, 2, "ann", "");
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 2), 2);
	TELL(fixture, ADD "101,'owner':'ann','requirements':'Cpus >= 2'}");
	TELL(fixture, ADD "102,'owner':'ann','requirements':'Cpus >= 3','job_prio':-1}");
	TELL(fixture, ADD "103,'owner':'ann','ad':{'RequestCpus':3},'job_prio':-2}");
	run(fixture, NOW + 60);
	assert_true(!refusal_of(fixture, "ann@pool", 0) ||
		    refusal_of(fixture, "ann@pool", 0)->refusal != REFUSED_NO_MATCH);
	assert_int_equal(refusal_of(fixture, "ann@pool", 1)->refusal, REFUSED_NO_MATCH);
	assert_int_equal(refusal_of(fixture, "ann@pool", 2)->refusal, REFUSED_NO_MATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_two_equal_users_share_the_pool_in_halves),
		POOL_TEST(test_a_job_starts_where_both_requirements_hold),
		POOL_TEST(test_job_priorities_order_one_users_jobs_alone),
		POOL_TEST(test_between_cycles_no_negotiation_takes_place),
		POOL_TEST(test_a_claim_takes_its_users_next_job_without_a_cycle),
		POOL_TEST(test_a_task_is_charged_for_the_time_of_its_slot),
		POOL_TEST(test_a_better_user_preempts_only_its_share),
		POOL_TEST(test_a_reported_claim_is_preempted_by_rank),
		POOL_TEST(test_instances_of_grid_engine_are_partitionable_slots),
		POOL_TEST(test_a_parallel_job_starts_when_it_has_all_its_slots),
		POOL_TEST(test_an_array_starts_the_tasks_of_its_owners_share),
		POOL_TEST(test_a_job_that_matches_no_slot_gets_that_reason_at_once),
		POOL_TEST(test_a_job_that_fits_an_empty_slot_is_no_mismatch_while_it_is_full),
		POOL_TEST(test_demand_counts_running_jobs_on_slots_that_the_constraint_hides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
