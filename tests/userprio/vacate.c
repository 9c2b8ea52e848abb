/* SPDX-License-Identifier: Apache-2.0 */
/* Time that a task gets to end: retirement, its signal, and the time until SIGKILL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/userprio/pool.h"

#define ALWAYS "UID_DOMAIN = pool\nPREEMPTION_REQUIREMENTS = true\nNEGOTIATOR_CONSIDER_EARLY_PREEMPTION = true\n"

/*
 * Return the order for job 1, which has had the only slot since NOW with these attributes. A job of
 * another user, job 2, takes the slot at NOW + 100.
 */
static const struct order_vacate *vacated(struct fixture *fixture, const char *conf, const char *attributes)
{
	const struct order *order;

	put_text(fixture, "condor_config", ALWAYS "%s", conf);
	reload(fixture);
	slots_add(fixture, 1);
	TELL(fixture, ADD "1,'owner':'ann'%s}", attributes);
	run(fixture, NOW);
	task_confirm(fixture, 1, NOW);
	take_orders(fixture);
	TELL(fixture, ADD "2,'owner':'bob'}");
	run(fixture, NOW + 100);
	order = orders_find(sched_orders(fixture->sched), sched_orders(fixture->sched)->last);
	if (!order || order->kind != ORDER_VACATE || order->job_number != 1)
		fail_msg("no slot is vacated");
	return &order->vacate;
}

static void test_a_job_is_killed_ten_minutes_after_sigterm_by_default(void **state)
{
	const struct order_vacate *vacate = vacated(*state, "", "");

	assert_string_equal(vacate->signal, "SIGTERM");
	assert_int_equal(vacate->retirement_s, 0);
	assert_int_equal(vacate->vacate_s, 600);
	assert_int_equal(vacate->reason, VACATE_PRIORITY);
	assert_string_equal(vacate->winner, "bob@pool");
}

static void test_a_job_sets_its_signal_and_a_shorter_time(void **state)
{
	const struct order_vacate *vacate = vacated(*state, "", ",'kill_sig':'SIGUSR1','job_max_vacate_time':7");

	assert_string_equal(vacate->signal, "SIGUSR1");
	assert_int_equal(vacate->vacate_s, 7);
}

static void test_time_beyond_the_machines_limit_is_taken_from_the_retirement(void **state)
{
	const struct order_vacate *vacate =
		vacated(*state, "MachineMaxVacateTime = 30\nMaxJobRetirementTime = 150\n", ",'job_max_vacate_time':40");

	assert_int_equal(vacate->vacate_s, 40);
	assert_int_equal(vacate->retirement_s, 10);	/* the rest of 50 s */
}

static void test_a_job_retires_no_longer_than_its_machine_allows(void **state)
{
	const struct order_vacate *vacate = vacated(*state, "MachineMaxVacateTime = 30\nMaxJobRetirementTime = 500\n",
						    ",'max_job_retirement_time':100000");

	assert_int_equal(vacate->retirement_s, 370);
	assert_int_equal(vacate->vacate_s, 30);
}

static void test_nice_users_retire_at_once(void **state)
{
	const struct order_vacate *vacate =
		vacated(*state, "MachineMaxVacateTime = 30\nMaxJobRetirementTime = 500\n", ",'nice_user':true");

	assert_int_equal(vacate->retirement_s, 0);
}

static void test_without_want_vacate_no_signal_is_sent(void **state)
{
	assert_null(vacated(*state, "WANT_VACATE = false\n", "")->signal);
}

static void test_a_true_kill_expression_leaves_no_time(void **state)
{
	assert_null(vacated(*state, "KILL = true\n", "")->signal);
}

static void test_a_retiring_job_is_left_alone_unless_early_preemption_is_considered(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "condor_config",
	    "UID_DOMAIN = pool\nPREEMPTION_REQUIREMENTS = true\nMaxJobRetirementTime = 500\n");
	reload(fixture);
	slots_add(fixture, 1);
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW);
	task_confirm(fixture, 1, NOW);
	TELL(fixture, ADD "2,'owner':'bob'}");
	run(fixture, NOW + 100);
	assert_int_equal(vacates(fixture), 0);
	run(fixture, NOW + 500);
	assert_int_equal(vacates(fixture), 1);
}

static void test_the_machines_own_policy_evicts_and_the_job_waits_again(void **state)
{
	struct fixture *fixture = *state;
	const struct order *order;

	put(fixture, "condor_config", "UID_DOMAIN = pool\nPREEMPT = MY.LoadAvg > 1\n");
	reload(fixture);
	slots_add(fixture, 1);
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW);
	task_confirm(fixture, 1, NOW);
	run(fixture, NOW + 60);
	assert_int_equal(vacates(fixture), 0);
	TELL(fixture,
	     "{'event':'slot','slot':'slot1@m','machine':'m','ad':{'Cpus':1,'LoadAvg':2.5,'Requirements':{'expr':'LoadAvg < 1'}}}");
	run(fixture, NOW + 120);
	assert_int_equal(vacates(fixture), 1);
	order = orders_find(sched_orders(fixture->sched), sched_orders(fixture->sched)->last);
	assert_int_equal(order->vacate.reason, VACATE_POLICY);
	assert_null(order->vacate.winner);
	run(fixture, NOW + 180);
	assert_int_equal(vacates(fixture), 1);	/* the order was sent once */
	vacated_all(fixture);
	run(fixture, NOW + 240);
	assert_int_equal(started(fixture, 1), 0);
	CHECK(customer(fixture, "ann@pool").weight_used, 0.0);
}

/* Create a pool of one slot, reported or of a queue, with job 1 on it from NOW on. */
static void job_on_slot(struct fixture *fixture, const char *preempt, bool is_reported)
{
	put_text(fixture, "condor_config", "UID_DOMAIN = pool\nPOLLING_INTERVAL = 7\nPREEMPT = %s\n", preempt);
	if (!is_reported) {
		put(fixture, "complex", COMPLEXES);
		put_host(fixture, "ada", "NONE", "np_load_avg=0.1");
		put_queue(fixture, "all.q", "ada", "1", "");
	}
	reload(fixture);
	if (is_reported)
		slots_add(fixture, 1);
	else
		report_instance(fixture, "all.q@ada", 1);
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	task_confirm(fixture, 1, NOW);
}

static void preempt_sees(struct fixture *fixture, const char *preempt, bool is_reported)
{
	job_on_slot(fixture, preempt, is_reported);
	run(fixture, NOW + 20);
	if (vacates(fixture) != 0)
		fail_msg("PREEMPT = %s evicts at once", preempt);
	run(fixture, NOW + 21);
	if (vacates(fixture) != 1)
		fail_msg("PREEMPT = %s does not evict", preempt);
}

/* Conditions that become true 21 seconds after NOW. */
static void test_preempt_sees_the_claim_of_a_slot(void **state)
{
	static const char *const conditions[] = {
		"TotalClaimRunTime > 20",
		"TotalJobRunTime > 20",
		"TotalTimeClaimedBusy > 20",
		"(time() - EnteredCurrentState) > 20",
		"$(StateTimer) > 20",
		"$(ActivityTimer) > 20",
		"time() - JobStart > 20",
		"$(StateTimer) > 20 && State == \"Claimed\"",
		"$(StateTimer) > 20 && Activity == \"Busy\"",
		"$(StateTimer) > 20 && RemoteUser == \"ann@pool\"",
		"$(StateTimer) > 20 && RemoteOwner == \"ann\"",
	};

	for (size_t i = 0; i < 2 * sizeof(conditions) / sizeof(*conditions); i++) {
		preempt_sees(*state, conditions[i / 2], i % 2);
		assert_int_equal(teardown(state), 0);
		assert_int_equal(pool_setup(state), 0);
	}
}

static void test_preempt_is_evaluated_every_polling_interval(void **state)
{
	struct fixture *fixture = *state;

	job_on_slot(fixture, "TotalJobRunTime > 12", true);
	run(fixture, NOW + 1);
	assert_int_equal(sched_next_change(fixture->sched), NOW + 8);
	run(fixture, NOW + 8);
	assert_int_equal(vacates(fixture), 0);
	run(fixture, NOW + 15);
	assert_int_equal(vacates(fixture), 1);
	assert_true(sched_next_change(fixture->sched) > NOW + 22);
}

static void test_a_long_running_job_gets_its_signal_only_if_want_vacate_is_true(void **state)
{
	assert_null(vacated(*state, "WANT_VACATE = TotalJobRunTime < 100\n", "")->signal);
	assert_int_equal(teardown(state), 0);
	assert_int_equal(pool_setup(state), 0);
	assert_string_equal(vacated(*state, "WANT_VACATE = TotalJobRunTime < 101\n", "")->signal, "SIGTERM");
}

static void test_retirement_may_depend_on_the_claim(void **state)
{
	assert_int_equal(
		vacated(*state,
			"MachineMaxVacateTime = 1\nMaxJobRetirementTime = ifThenElse(TotalJobRunTime > 10, 107, 333)\n",
			"")
			->retirement_s,
		6);
}

static void test_a_reported_slot_supplies_the_values_of_its_claim(void **state)
{
	struct fixture *fixture = *state;

	put_text(fixture, "condor_config",
		 "UID_DOMAIN = pool\nPREEMPTION_REQUIREMENTS = TotalJobRunTime == 43800 && JobStart == %d\n", NOW - 50);
	reload(fixture);
	TELL(fixture, "{'event':'slot','slot':'slot1@m','machine':'m','ad':{'Cpus':1,'TotalJobRunTime':43800}}");
	TELL(fixture, "{'event':'claim','slot':'slot1@m','submitter':'ann@pool','since':%d}", NOW - 50);
	TELL(fixture, ADD "1,'owner':'bob'}");
	run(fixture, NOW);
	assert_int_equal(sched_orders(fixture->sched)->last, 1);
}

static void test_a_winner_that_is_gone_leaves_the_slot_to_any_job(void **state)
{
	struct fixture *fixture = *state;

	vacated(fixture, "", "");
	TELL(fixture, "{'event':'job_delete','job_number':2}");
	TELL(fixture, "{'event':'vacated','job_number':1,'how':'hard'}");
	run(fixture, NOW + 160);
	assert_int_equal(started(fixture, 1), 1);
	CHECK(customer(fixture, "ann@pool").weight_used, 1.0);
	CHECK(customer(fixture, "bob@pool").weight_used, 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_a_job_is_killed_ten_minutes_after_sigterm_by_default),
		POOL_TEST(test_a_job_sets_its_signal_and_a_shorter_time),
		POOL_TEST(test_time_beyond_the_machines_limit_is_taken_from_the_retirement),
		POOL_TEST(test_a_job_retires_no_longer_than_its_machine_allows),
		POOL_TEST(test_nice_users_retire_at_once),
		POOL_TEST(test_without_want_vacate_no_signal_is_sent),
		POOL_TEST(test_a_true_kill_expression_leaves_no_time),
		POOL_TEST(test_a_retiring_job_is_left_alone_unless_early_preemption_is_considered),
		POOL_TEST(test_the_machines_own_policy_evicts_and_the_job_waits_again),
		POOL_TEST(test_preempt_sees_the_claim_of_a_slot),
		POOL_TEST(test_preempt_is_evaluated_every_polling_interval),
		POOL_TEST(test_a_long_running_job_gets_its_signal_only_if_want_vacate_is_true),
		POOL_TEST(test_retirement_may_depend_on_the_claim),
		POOL_TEST(test_a_reported_slot_supplies_the_values_of_its_claim),
		POOL_TEST(test_a_winner_that_is_gone_leaves_the_slot_to_any_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
