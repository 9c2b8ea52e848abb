/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of Slurm and HTCondor in virtual time: owners of jobs, their order, and charges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replay/play.h"

static int setup(void **state)
{
	struct play *play = calloc(1, sizeof(*play));

	play_begin(play);
	play_remove(play, "sched_conf");
	play_remove(play, "share_tree");
	*state = play;
	return 0;
}

static struct trace_job job_of(uint32_t number, int64_t at, int64_t run_s, uint32_t slots, const char *user,
			       const char *account)
{
	struct trace_job job = play_job(number, at, run_s, slots);

	job.user = user;
	job.group = account;
	return job;
}

/* Slurm */

static void slurm_cell(struct play *play)
{
	play_put(
		play, "slurm.conf",
		"PriorityType=priority/multifactor\nPriorityWeightFairshare=10000\nPriorityWeightPartition=1000\nPriorityCalcPeriod=1\n"
		"PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nNodeName=n[1-2] CPUs=4 RealMemory=1000\nPartitionName=batch Nodes=ALL Default=YES PriorityJobFactor=10\n"
		"PartitionName=fast Nodes=ALL PriorityJobFactor=20\n");
	play_put(
		play, "associations",
		"Cluster - 'ref':Fairshare=1:QOS='normal'\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=0\n"
		"Account - 'phys':Fairshare=60\nAccount - 'chem':Fairshare=40\nParent - 'phys'\nUser - 'ann':DefaultAccount='phys':Fairshare=1\n"
		"User - 'bob':DefaultAccount='phys':Fairshare=1\nParent - 'chem'\nUser - 'bob':DefaultAccount='phys':Fairshare=1\n");
	play_put(play, "qos", "Name|Priority|UsageFactor|Flags\nnormal|0|1.000000|\n");
}

static double ann, bob_phys, bob_chem;

static void sample_associations(void *context, int64_t now, const struct fl_view *view)
{
	struct fl_association association;

	(void)context;
	(void)now;
	for (size_t k = 0; fl_association(view, k, &association) == 0; k++) {
		if (strcmp(association.user, "ann") == 0)
			ann = association.raw_usage;
		else if (strcmp(association.user, "bob") == 0)
			*(strcmp(association.account, "phys") == 0 ? &bob_phys : &bob_chem) = association.raw_usage;
	}
}

static void test_accounts_of_the_trace_are_slurms_and_are_charged(void **state)
{
	struct play *play = *state;

	slurm_cell(play);
	play->watch.sample = sample_associations;
	play->options.sample_s = 1;
	play_give(play, job_of(1, 0, 100, 4, "ann", NULL));
	play_give(play, job_of(2, 0, 77, 3, "bob", "chem"));
	play_give(play, job_of(3, 200, 10, 1, "bob", "nobodys"));
	play_finish(play);
	assert_true(ann == 400.0);
	assert_true(bob_chem == 231.0);
	assert_true(bob_phys == 10.0);	/* default account of bob */
}

static void test_the_user_with_the_least_use_of_its_shares_comes_first(void **state)
{
	struct play *play = *state;

	slurm_cell(play);
	play_give(play, job_of(1, 0, 1000, 8, "ann", "phys"));
	play_give(play, job_of(2, 10, 100, 8, "ann", "phys"));
	play_give(play, job_of(3, 20, 100, 8, "bob", "chem"));
	play_finish(play);
	assert_non_null(strstr(play_lines(play), "start 3 all.q@ada=4 all.q@bly=4 mpi\n"));
	assert_true(strstr(play->text, " start 3 ") < strstr(play->text, " start 2 "));
}

static void test_the_partition_of_the_trace_counts_when_slurm_has_it(void **state)
{
	struct play *play = *state;
	struct trace_job fast = job_of(3, 20, 100, 8, "ann", "phys"), unknown = job_of(4, 20, 100, 8, "ann", "phys");

	slurm_cell(play);
	fast.partition = "fast";
	unknown.partition = "nowhere";
	play_give(play, job_of(1, 0, 1000, 8, "ann", "phys"));
	play_give(play, job_of(2, 10, 100, 8, "ann", "phys"));
	play_give(play, fast);
	play_give(play, unknown);
	play_finish(play);
	play_lines(play);
	assert_true(strstr(play->text, " start 3 ") < strstr(play->text, " start 2 "));
	assert_true(strstr(play->text, " start 2 ") < strstr(play->text, " start 4 "));
}

/* HTCondor */

static double used_ann, used_bob;

static void sample_customers(void *context, int64_t now, const struct fl_view *view)
{
	struct fl_customer customer;

	(void)context;
	(void)now;
	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++) {
		if (strcmp(customer.name, "ann@lab") == 0)
			used_ann = customer.accumulated;
		else if (strcmp(customer.name, "bob@lab") == 0)
			used_bob = customer.accumulated;
	}
}

static void test_submitters_share_the_pool_and_are_charged_for_their_slots(void **state)
{
	struct play *play = *state;

	play_put(play, "condor_config", "NEGOTIATOR_INTERVAL = 10\nNEGOTIATOR_CYCLE_DELAY = 1\nUID_DOMAIN = lab\n");
	play->watch.sample = sample_customers;
	play->options.sample_s = 1;
	for (uint32_t i = 1; i <= 8; i++)
		play_give(play, job_of(i, 0, 100, 1, "ann", NULL));
	for (uint32_t i = 9; i <= 12; i++)
		play_give(play, job_of(i, 0, 100, 1, "bob", NULL));
	play_finish(play);
	assert_true(fabs(used_ann - 800.0) < 8 * 15.0);
	assert_true(fabs(used_bob - 400.0) < 4 * 15.0);
	play_lines(play);
	assert_non_null(strstr(play->text, "0 start 9 "));		/* bob has a slice at once */
	assert_non_null(strstr(play->text, "0 start 12 "));
	assert_null(strstr(play->text, "\n0 start 8 "));
}

static void test_groups_of_the_trace_are_accounting_groups_if_there_are_some(void **state)
{
	struct play *play = *state;
	struct replay_counts counts;

	play_put(play, "condor_config",
		 "NEGOTIATOR_INTERVAL = 10\nUID_DOMAIN = lab\nGROUP_NAMES = physics\nGROUP_QUOTA_physics = 2\n");
	for (uint32_t i = 1; i <= 4; i++)
		play_give(play, job_of(i, 0, 1000, 1, "ann", "physics"));
	play_give(play, job_of(5, 0, 1000, 1, "bob", "chemistry"));
	assert_int_equal(replay_until(play->replay, T0 + 500, &play->error), 0);
	replay_counts(play->replay, &counts);
	assert_int_equal(counts.running, 3);
}

static void test_without_parallel_environments_more_slots_are_processors_of_one_host(void **state)
{
	struct play *play = *state;

	play_remove(play, "pe/mpi");
	play_put(
		play, "queue/all.q",
		"qname all.q\nhostlist ada bly\nseq_no 0\nslots 4\nqtype BATCH\nload_thresholds NONE\nh_rt INFINITY\ns_rt INFINITY\n");
	play_put(play, "condor_config", "NEGOTIATOR_INTERVAL = 10\nUID_DOMAIN = lab\n");
	play_give(play, job_of(1, 0, 100, 3, "ann", NULL));
	play_give(play, job_of(2, 0, 100, 5, "ann", NULL));
	REPORTED(play,
	     "0 submit 1\nrefuse 2 asks for 5 slots of one host: no queue instance has more than 4\n0 start 1 all.q@ada=3\n100 end 1 ran 100\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, play_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_accounts_of_the_trace_are_slurms_and_are_charged),
		TEST(test_the_user_with_the_least_use_of_its_shares_comes_first),
		TEST(test_the_partition_of_the_trace_counts_when_slurm_has_it),
		TEST(test_submitters_share_the_pool_and_are_charged_for_their_slots),
		TEST(test_groups_of_the_trace_are_accounting_groups_if_there_are_some),
		TEST(test_without_parallel_environments_more_slots_are_processors_of_one_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
