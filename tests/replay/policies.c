/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's and HTCondor's policies in virtual time: whose jobs they are, who comes first, who pays.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replay/play.h"

static int setup(void **state)
{
	struct play *p = calloc(1, sizeof(*p));

	play_begin(p);
	play_remove(p, "sched_conf");
	play_remove(p, "share_tree");
	*state = p;
	return 0;
}

static struct trace_job job_of(uint32_t number, int64_t at, int64_t run_s, uint32_t slots, const char *user, const char *account)
{
	struct trace_job job = play_job(number, at, run_s, slots);

	job.user = user;
	job.group = account;
	return job;
}

/* Slurm */

static void slurm_cell(struct play *p)
{
	play_put(p, "slurm.conf", "PriorityType=priority/multifactor\nPriorityWeightFairshare=10000\nPriorityWeightPartition=1000\nPriorityCalcPeriod=1\n"
				  "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nNodeName=n[1-2] CPUs=4 RealMemory=1000\nPartitionName=batch Nodes=ALL Default=YES PriorityJobFactor=10\n"
				  "PartitionName=fast Nodes=ALL PriorityJobFactor=20\n");
	play_put(p, "associations", "Cluster - 'ref':Fairshare=1:QOS='normal'\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=0\n"
				    "Account - 'phys':Fairshare=60\nAccount - 'chem':Fairshare=40\nParent - 'phys'\nUser - 'ann':DefaultAccount='phys':Fairshare=1\n"
				    "User - 'bob':DefaultAccount='phys':Fairshare=1\nParent - 'chem'\nUser - 'bob':DefaultAccount='phys':Fairshare=1\n");
	play_put(p, "qos", "Name|Priority|UsageFactor|Flags\nnormal|0|1.000000|\n");
}

static double ann, bob_phys, bob_chem;

static void sample_associations(void *context, int64_t now, const struct fl_view *view)
{
	struct fl_association a;

	(void)context;
	(void)now;
	for (size_t k = 0; fl_association(view, k, &a) == 0; k++) {
		if (strcmp(a.user, "ann") == 0)
			ann = a.raw_usage;
		else if (strcmp(a.user, "bob") == 0)
			*(strcmp(a.account, "phys") == 0 ? &bob_phys : &bob_chem) = a.raw_usage;
	}
}

static void test_accounts_of_the_trace_are_slurms_where_it_has_them_and_pay_for_slots_and_time(void **state)
{
	struct play *p = *state;

	slurm_cell(p);
	p->watch.sample = sample_associations;
	p->options.sample_s = 1;
	play_give(p, job_of(1, 0, 100, 4, "ann", NULL));
	play_give(p, job_of(2, 0, 77, 3, "bob", "chem"));
	play_give(p, job_of(3, 200, 10, 1, "bob", "nobodys"));
	play_finish(p);
	assert_true(ann == 400.0);
	assert_true(bob_chem == 231.0);
	assert_true(bob_phys == 10.0);	/* his default account */
}

static void test_who_has_used_less_of_his_shares_comes_first(void **state)
{
	struct play *p = *state;

	slurm_cell(p);
	play_give(p, job_of(1, 0, 1000, 8, "ann", "phys"));
	play_give(p, job_of(2, 10, 100, 8, "ann", "phys"));
	play_give(p, job_of(3, 20, 100, 8, "bob", "chem"));
	play_finish(p);
	assert_non_null(strstr(play_lines(p), "start 3 all.q@ada=4 all.q@bly=4 mpi\n"));
	assert_true(strstr(p->text, " start 3 ") < strstr(p->text, " start 2 "));
}

static void test_the_partition_of_the_trace_counts_where_slurm_has_it(void **state)
{
	struct play *p = *state;
	struct trace_job fast = job_of(3, 20, 100, 8, "ann", "phys"), unknown = job_of(4, 20, 100, 8, "ann", "phys");

	slurm_cell(p);
	fast.partition = "fast";
	unknown.partition = "nowhere";
	play_give(p, job_of(1, 0, 1000, 8, "ann", "phys"));
	play_give(p, job_of(2, 10, 100, 8, "ann", "phys"));
	play_give(p, fast);
	play_give(p, unknown);
	play_finish(p);
	play_lines(p);
	assert_true(strstr(p->text, " start 3 ") < strstr(p->text, " start 2 "));
	assert_true(strstr(p->text, " start 2 ") < strstr(p->text, " start 4 "));
}

/* HTCondor */

static double used_ann, used_bob;

static void sample_customers(void *context, int64_t now, const struct fl_view *view)
{
	struct fl_customer c;

	(void)context;
	(void)now;
	for (size_t k = 0; fl_customer(view, k, &c) == 0; k++) {
		if (strcmp(c.name, "ann@lab") == 0)
			used_ann = c.accumulated;
		else if (strcmp(c.name, "bob@lab") == 0)
			used_bob = c.accumulated;
	}
}

static void test_submitters_share_the_pool_and_pay_for_what_they_had(void **state)
{
	struct play *p = *state;

	play_put(p, "condor_config", "NEGOTIATOR_INTERVAL = 10\nNEGOTIATOR_CYCLE_DELAY = 1\nUID_DOMAIN = lab\n");
	p->watch.sample = sample_customers;
	p->options.sample_s = 1;
	for (uint32_t i = 1; i <= 8; i++)
		play_give(p, job_of(i, 0, 100, 1, "ann", NULL));
	for (uint32_t i = 9; i <= 12; i++)
		play_give(p, job_of(i, 0, 100, 1, "bob", NULL));
	play_finish(p);
	assert_true(fabs(used_ann - 800.0) < 8 * 15.0);
	assert_true(fabs(used_bob - 400.0) < 4 * 15.0);
	play_lines(p);
	assert_non_null(strstr(p->text, "0 start 9 "));		/* bob has his slice at once */
	assert_non_null(strstr(p->text, "0 start 12 "));
	assert_null(strstr(p->text, "\n0 start 8 "));
}

static void test_groups_of_the_trace_are_accounting_groups_where_there_are_some(void **state)
{
	struct play *p = *state;
	struct replay_counts c;

	play_put(p, "condor_config", "NEGOTIATOR_INTERVAL = 10\nUID_DOMAIN = lab\nGROUP_NAMES = physics\nGROUP_QUOTA_physics = 2\n");
	for (uint32_t i = 1; i <= 4; i++)
		play_give(p, job_of(i, 0, 1000, 1, "ann", "physics"));
	play_give(p, job_of(5, 0, 1000, 1, "bob", "chemistry"));
	assert_int_equal(replay_until(p->replay, T0 + 500, &p->error), 0);
	replay_counts(p->replay, &c);
	assert_int_equal(c.running, 3);
}

static void test_without_parallel_environments_more_slots_are_processors_of_one_host(void **state)
{
	struct play *p = *state;

	play_remove(p, "pe/mpi");
	play_put(p, "queue/all.q", "qname all.q\nhostlist ada bly\nseq_no 0\nslots 4\nqtype BATCH\nload_thresholds NONE\nh_rt INFINITY\ns_rt INFINITY\n");
	play_put(p, "condor_config", "NEGOTIATOR_INTERVAL = 10\nUID_DOMAIN = lab\n");
	play_give(p, job_of(1, 0, 100, 3, "ann", NULL));
	play_give(p, job_of(2, 0, 100, 5, "ann", NULL));
	TOLD(p, "0 submit 1\nrefuse 2 asks for 5 slots of one host: no queue instance has more than 4\n0 start 1 all.q@ada=3\n100 end 1 ran 100\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, play_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_accounts_of_the_trace_are_slurms_where_it_has_them_and_pay_for_slots_and_time),
		TEST(test_who_has_used_less_of_his_shares_comes_first),
		TEST(test_the_partition_of_the_trace_counts_where_slurm_has_it),
		TEST(test_submitters_share_the_pool_and_pay_for_what_they_had),
		TEST(test_groups_of_the_trace_are_accounting_groups_where_there_are_some),
		TEST(test_without_parallel_environments_more_slots_are_processors_of_one_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
