/* SPDX-License-Identifier: Apache-2.0 */
/* What a task is given to end: retirement, its signal, the time until SIGKILL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/userprio/pool.h"

#define ALWAYS "UID_DOMAIN = pool\nPREEMPTION_REQUIREMENTS = true\nNEGOTIATOR_CONSIDER_EARLY_PREEMPTION = true\n"

/*
 * Job 1 has the only slot since NOW, as its attributes have it; job 2 of somebody else takes it at
 * NOW + 100: the order.
 */
static const struct order_vacate *vacated(struct fixture *f, const char *conf, const char *attributes)
{
	const struct order *o;

	put_text(f, "condor_config", ALWAYS "%s", conf);
	reload(f);
	slots_add(f, 1);
	TELL(f, ADD "1,'owner':'ann'%s}", attributes);
	run(f, NOW);
	task_confirm(f, 1, NOW);
	take_orders(f);
	TELL(f, ADD "2,'owner':'bob'}");
	run(f, NOW + 100);
	o = orders_find(sched_orders(f->sched), sched_orders(f->sched)->last);
	if (!o || o->kind != ORDER_VACATE || o->job_number != 1)
		fail_msg("nothing is vacated");
	return &o->vacate;
}

static void test_ten_minutes_after_sigterm_unless_somebody_says_otherwise(void **state)
{
	const struct order_vacate *v = vacated(*state, "", "");

	assert_string_equal(v->signal, "SIGTERM");
	assert_int_equal(v->retirement_s, 0);
	assert_int_equal(v->vacate_s, 600);
	assert_int_equal(v->reason, VACATE_PRIORITY);
	assert_string_equal(v->winner, "bob@pool");
}

static void test_a_job_names_its_signal_and_needs_less_time(void **state)
{
	const struct order_vacate *v = vacated(*state, "", ",'kill_sig':'SIGUSR1','job_max_vacate_time':7");

	assert_string_equal(v->signal, "SIGUSR1");
	assert_int_equal(v->vacate_s, 7);
}

static void test_more_time_than_the_machine_gives_comes_out_of_the_retirement(void **state)
{
	const struct order_vacate *v = vacated(*state, "MachineMaxVacateTime = 30\nMaxJobRetirementTime = 150\n", ",'job_max_vacate_time':40");

	assert_int_equal(v->vacate_s, 40);
	assert_int_equal(v->retirement_s, 10);	/* of the 50 s that are left */
}

static void test_a_job_retires_no_longer_than_its_machine_lets_it(void **state)
{
	const struct order_vacate *v = vacated(*state, "MachineMaxVacateTime = 30\nMaxJobRetirementTime = 500\n", ",'max_job_retirement_time':100000");

	assert_int_equal(v->retirement_s, 370);
	assert_int_equal(v->vacate_s, 30);
}

static void test_nice_users_retire_at_once(void **state)
{
	const struct order_vacate *v = vacated(*state, "MachineMaxVacateTime = 30\nMaxJobRetirementTime = 500\n", ",'nice_user':true");

	assert_int_equal(v->retirement_s, 0);
}

static void test_without_want_vacate_there_is_no_signal(void **state)
{
	assert_null(vacated(*state, "WANT_VACATE = false\n", "")->signal);
}

static void test_kill_leaves_no_time_either(void **state)
{
	assert_null(vacated(*state, "KILL = true\n", "")->signal);
}

static void test_who_retires_is_left_alone_unless_early_preemption_is_considered(void **state)
{
	struct fixture *f = *state;

	put(f, "condor_config", "UID_DOMAIN = pool\nPREEMPTION_REQUIREMENTS = true\nMaxJobRetirementTime = 500\n");
	reload(f);
	slots_add(f, 1);
	TELL(f, ADD "1,'owner':'ann'}");
	run(f, NOW);
	task_confirm(f, 1, NOW);
	TELL(f, ADD "2,'owner':'bob'}");
	run(f, NOW + 100);
	assert_int_equal(vacates(f), 0);
	run(f, NOW + 500);
	assert_int_equal(vacates(f), 1);
}

static void test_the_machines_own_policy_evicts_and_the_job_waits_again(void **state)
{
	struct fixture *f = *state;
	const struct order *o;

	put(f, "condor_config", "UID_DOMAIN = pool\nPREEMPT = MY.LoadAvg > 1\n");
	reload(f);
	slots_add(f, 1);
	TELL(f, ADD "1,'owner':'ann'}");
	run(f, NOW);
	task_confirm(f, 1, NOW);
	run(f, NOW + 60);
	assert_int_equal(vacates(f), 0);
	TELL(f, "{'event':'slot','slot':'slot1@m','machine':'m','ad':{'Cpus':1,'LoadAvg':2.5,'Requirements':{'expr':'LoadAvg < 1'}}}");
	run(f, NOW + 120);
	assert_int_equal(vacates(f), 1);
	o = orders_find(sched_orders(f->sched), sched_orders(f->sched)->last);
	assert_int_equal(o->vacate.reason, VACATE_POLICY);
	assert_null(o->vacate.winner);
	run(f, NOW + 180);
	assert_int_equal(vacates(f), 1);	/* it was told once */
	vacated_all(f);
	run(f, NOW + 240);
	assert_int_equal(started(f, 1), 0);
	CHECK(customer(f, "ann@pool").weight_used, 0.0);
}

/* A pool of one slot, which is reported, or a queue's, and job 1 there from NOW on. */
static void job_on_slot(struct fixture *f, const char *preempt, bool is_reported)
{
	put_text(f, "condor_config", "UID_DOMAIN = pool\nPOLLING_INTERVAL = 7\nPREEMPT = %s\n", preempt);
	if (!is_reported) {
		put(f, "complex", COMPLEXES);
		put_host(f, "ada", "NONE", "np_load_avg=0.1");
		put_queue(f, "all.q", "ada", "1", "");
	}
	reload(f);
	if (is_reported)
		slots_add(f, 1);
	else
		tell_instance(f, "all.q@ada", 1);
	TELL(f, ADD "1,'owner':'ann'}");
	run(f, NOW);
	assert_int_equal(started(f, 1), 1);
	task_confirm(f, 1, NOW);
}

static void preempt_sees(struct fixture *f, const char *preempt, bool is_reported)
{
	job_on_slot(f, preempt, is_reported);
	run(f, NOW + 20);
	if (vacates(f) != 0)
		fail_msg("PREEMPT = %s evicts at once", preempt);
	run(f, NOW + 21);
	if (vacates(f) != 1)
		fail_msg("PREEMPT = %s does not evict", preempt);
}

/* Each of these becomes true 21 seconds after NOW. */
static void test_preempt_sees_the_claim_of_a_slot(void **state)
{
	static const char *const conditions[] = {
		"TotalClaimRunTime > 20", "TotalJobRunTime > 20", "TotalTimeClaimedBusy > 20", "(time() - EnteredCurrentState) > 20",
		"$(StateTimer) > 20", "$(ActivityTimer) > 20", "time() - JobStart > 20", "$(StateTimer) > 20 && State == \"Claimed\"",
		"$(StateTimer) > 20 && Activity == \"Busy\"", "$(StateTimer) > 20 && RemoteUser == \"ann@pool\"",
		"$(StateTimer) > 20 && RemoteOwner == \"ann\"",
	};

	for (size_t i = 0; i < 2 * sizeof(conditions) / sizeof(*conditions); i++) {
		preempt_sees(*state, conditions[i / 2], i % 2);
		assert_int_equal(teardown(state), 0);
		assert_int_equal(pool_setup(state), 0);
	}
}

static void test_preempt_is_asked_every_polling_interval(void **state)
{
	struct fixture *f = *state;

	job_on_slot(f, "TotalJobRunTime > 12", true);
	run(f, NOW + 1);
	assert_int_equal(sched_next_change(f->sched), NOW + 8);
	run(f, NOW + 8);
	assert_int_equal(vacates(f), 0);
	run(f, NOW + 15);
	assert_int_equal(vacates(f), 1);
	assert_true(sched_next_change(f->sched) > NOW + 22);
}

static void test_a_job_that_ran_for_long_gets_its_signal_only_where_want_vacate_says_so(void **state)
{
	assert_null(vacated(*state, "WANT_VACATE = TotalJobRunTime < 100\n", "")->signal);
	assert_int_equal(teardown(state), 0);
	assert_int_equal(pool_setup(state), 0);
	assert_string_equal(vacated(*state, "WANT_VACATE = TotalJobRunTime < 101\n", "")->signal, "SIGTERM");
}

static void test_retirement_may_depend_on_the_claim(void **state)
{
	assert_int_equal(vacated(*state, "MachineMaxVacateTime = 1\nMaxJobRetirementTime = ifThenElse(TotalJobRunTime > 10, 107, 333)\n", "")->retirement_s, 6);
}

static void test_what_a_reported_slot_says_of_its_reported_claim_counts(void **state)
{
	struct fixture *f = *state;

	put_text(f, "condor_config", "UID_DOMAIN = pool\nPREEMPTION_REQUIREMENTS = TotalJobRunTime == 43800 && JobStart == %d\n", NOW - 50);
	reload(f);
	TELL(f, "{'event':'slot','slot':'slot1@m','machine':'m','ad':{'Cpus':1,'TotalJobRunTime':43800}}");
	TELL(f, "{'event':'claim','slot':'slot1@m','submitter':'ann@pool','since':%d}", NOW - 50);
	TELL(f, ADD "1,'owner':'bob'}");
	run(f, NOW);
	assert_int_equal(sched_orders(f->sched)->last, 1);
}

static void test_a_winner_that_is_gone_leaves_the_slot_to_anybody(void **state)
{
	struct fixture *f = *state;

	vacated(f, "", "");
	TELL(f, "{'event':'job_delete','job_number':2}");
	TELL(f, "{'event':'vacated','job_number':1,'how':'hard'}");
	run(f, NOW + 160);
	assert_int_equal(started(f, 1), 1);
	CHECK(customer(f, "ann@pool").weight_used, 1.0);
	CHECK(customer(f, "bob@pool").weight_used, 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_ten_minutes_after_sigterm_unless_somebody_says_otherwise),
		POOL_TEST(test_a_job_names_its_signal_and_needs_less_time),
		POOL_TEST(test_more_time_than_the_machine_gives_comes_out_of_the_retirement),
		POOL_TEST(test_a_job_retires_no_longer_than_its_machine_lets_it),
		POOL_TEST(test_nice_users_retire_at_once),
		POOL_TEST(test_without_want_vacate_there_is_no_signal),
		POOL_TEST(test_kill_leaves_no_time_either),
		POOL_TEST(test_who_retires_is_left_alone_unless_early_preemption_is_considered),
		POOL_TEST(test_the_machines_own_policy_evicts_and_the_job_waits_again),
		POOL_TEST(test_preempt_sees_the_claim_of_a_slot),
		POOL_TEST(test_preempt_is_asked_every_polling_interval),
		POOL_TEST(test_a_job_that_ran_for_long_gets_its_signal_only_where_want_vacate_says_so),
		POOL_TEST(test_retirement_may_depend_on_the_claim),
		POOL_TEST(test_what_a_reported_slot_says_of_its_reported_claim_counts),
		POOL_TEST(test_a_winner_that_is_gone_leaves_the_slot_to_anybody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
