/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TRES minutes of associations, limits, and the minutes reserved for running tasks, as in sshare.
 * Figures marked in a test are those of sshare -l of Slurm 22.05.8 for the same jobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <inttypes.h>

#include "tests/multifactor/cell.h"

#define LIMITS "AccountingStorageEnforce=associations,limits\n"

static void put_cell(struct fixture *fixture, const char *enforce)
{
	char lines[1000];

	snprintf(
		lines, sizeof(lines),
		"PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityCalcPeriod=1\n"
		"AccountingStorageTRES=license/matlab\nLicenses=matlab:10\nPartitionName=long Nodes=ALL MaxTime=UNLIMITED\n"
		"PartitionName=week Nodes=ALL MaxTime=7-0\n%s",
		enforce);
	put_slurm(fixture, lines);
	put(fixture, "qos",
	    "Name|Priority|UsageFactor\nnormal|0|1.000000\ndbl|0|2.000000\nfree|0|0.000000\nhalf|0|0.500000\n");
	put(fixture, "associations",
	    "Cluster - 'ref':Fairshare=1:QOS='normal'\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\n"
	    "Account - 'bar':Fairshare=1:GrpTRESMins=cpu=77,energy=5,license/matlab=30,mem=2T:GrpTRESRunMins=cpu=5000\nParent - 'bar'\n"
	    "User - 'ann':DefaultAccount='bar':GrpTRESMins=cpu=0\nUser - 'bob':DefaultAccount='bar'\nUser - 'cal':DefaultAccount='bar'\n"
	    "User - 'dot':DefaultAccount='bar'\n");
	reload(fixture);
}

/* Return "cpu=20,mem=1000,..." as sshare prints it, without kinds that are 0. */
static const char *run_minutes(const struct fixture *fixture, const char *account, const char *user)
{
	static char text[1000];
	struct fl_association association;
	const char *kind;
	char *p = text;

	for (size_t i = 0; fl_association(fixture->view, i, &association) || strcmp(association.account, account) ||
			   strcmp(association.user, user);
	     i++)
		assert_true(i < fl_associations(fixture->view));
	for (size_t k = 0; (kind = fl_tres_kind(fixture->view, k)); k++)
		if (k < association.ntres && association.tres_run_minutes[k] > 0)
			p += sprintf(p, "%s%s=%" PRIu64, p > text ? "," : "", kind, association.tres_run_minutes[k]);
	*p = '\0';
	return text;
}

#define CHECK_MINUTES(f, user, text) assert_string_equal(run_minutes(f, "bar", user), text)

/* Figures of Slurm */

/* The passes of the recorded controller came 35 and 95 seconds after the jobs' start. */
static void test_tasks_reserve_their_time_limit_and_return_elapsed_time_at_each_pass(void **state)
{
	struct fixture *fixture = *state;

	put_cell(fixture, LIMITS);
	run(fixture, NOW - 25);
	TELL(fixture, ADD "1,'owner':'ann','time_limit':10,'tres':'cpu=2,mem=100M,node=1,billing=2,license/matlab=2'}");
	TELL(fixture, ADD "2,'owner':'bob','time_limit':10,'qos':'dbl','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(fixture, ADD "3,'owner':'cal','time_limit':10,'qos':'free','tres':'cpu=3,mem=100M,node=1,billing=3'}");
	TELL(fixture, ADD "4,'owner':'dot','time_limit':8,'qos':'half','tres':'cpu=3,mem=101M,node=1,billing=3'}");
	for (int number = 1; number <= 4; number++)
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':%d}", NOW, number);
	for (int64_t now = NOW + 2; now < NOW + 35; now += 10) {
		run(fixture, now);
		CHECK_MINUTES(fixture, "", "cpu=72,mem=3404,node=34,billing=72,license/matlab=20");
		CHECK_MINUTES(fixture, "ann", "cpu=20,mem=1000,node=10,billing=20,license/matlab=20");
		CHECK_MINUTES(fixture, "bob", "cpu=40,mem=2000,node=20,billing=40");
		CHECK_MINUTES(fixture, "cal", "");
		CHECK_MINUTES(fixture, "dot", "cpu=12,mem=404,node=4,billing=12");
	}
	run(fixture, NOW + 35);
	CHECK_MINUTES(fixture, "", "cpu=67,mem=3200,node=31,billing=67,license/matlab=18");
	CHECK_MINUTES(fixture, "ann", "cpu=18,mem=941,node=9,billing=18,license/matlab=18");
	CHECK_MINUTES(fixture, "bob", "cpu=37,mem=1883,node=18,billing=37");
	CHECK_MINUTES(fixture, "dot", "cpu=11,mem=375,node=3,billing=11");
	run(fixture, NOW + 95);
	CHECK_MINUTES(fixture, "", "cpu=60,mem=2849,node=28,billing=60,license/matlab=16");
	CHECK_MINUTES(fixture, "ann", "cpu=16,mem=841,node=8,billing=16,license/matlab=16");
	CHECK_MINUTES(fixture, "bob", "cpu=33,mem=1683,node=16,billing=33");
	CHECK_MINUTES(fixture, "dot", "cpu=9,mem=324,node=3,billing=9");
	assert_string_equal(run_minutes(fixture, "root", ""), "cpu=60,mem=2849,node=28,billing=60,license/matlab=16");
}

static void test_an_ended_task_returns_all_reserved_minutes(void **state)
{
	struct fixture *fixture = *state;

	put_cell(fixture, LIMITS);
	TELL(fixture, ADD "1,'owner':'ann','time_limit':10}");
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(fixture, NOW);
	CHECK_MINUTES(fixture, "ann", "cpu=40,node=10,billing=40");
	TELL(fixture, "{'event':'task_finish','job_number':1,'end_time':%d}", NOW + 10);
	run(fixture, NOW + 10);
	CHECK_MINUTES(fixture, "ann", "");
	CHECK_MINUTES(fixture, "", "");
}

static void test_a_missing_time_limit_is_that_of_the_partition(void **state)
{
	struct fixture *fixture = *state;

	put_cell(fixture, LIMITS);
	run(fixture, NOW);
	TELL(fixture, ADD "1,'owner':'ann','partition':'long','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(fixture, ADD "2,'owner':'bob','partition':'long','qos':'dbl','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(fixture, ADD "3,'owner':'cal','partition':'week','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	for (int number = 1; number <= 3; number++)
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':%d}", NOW, number);
	run(fixture, NOW + 11);
	CHECK_MINUTES(fixture, "ann", "cpu=8589934590,mem=429496729500,node=4294967295,billing=8589934590");
	CHECK_MINUTES(fixture, "bob", "cpu=17179869180,mem=858993459000,node=8589934590,billing=17179869180");
	CHECK_MINUTES(fixture, "cal", "cpu=20160,mem=1008000,node=10080,billing=20160");
	run(fixture, NOW + 120);
	CHECK_MINUTES(fixture, "ann", "cpu=8589934586,mem=429496729300,node=4294967293,billing=8589934586");
	CHECK_MINUTES(fixture, "bob", "cpu=17179869172,mem=858993458600,node=8589934586,billing=17179869172");
	CHECK_MINUTES(fixture, "cal", "cpu=20156,mem=1007800,node=10078,billing=20156");
}

static void test_a_task_beyond_its_limit_has_no_reserved_minutes(void **state)
{
	struct fixture *fixture = *state;

	put_cell(fixture, LIMITS);
	run(fixture, NOW - 9);
	TELL(fixture, ADD "1,'owner':'ann','time_limit':1,'tres':'cpu=4,mem=100M,node=1,billing=4'}");
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(fixture, NOW + 51);
	CHECK_MINUTES(fixture, "ann", "mem=15");
	TELL(fixture, MODIFY "1,'time_limit':10}");
	run(fixture, NOW + 52);
	CHECK_MINUTES(fixture, "ann", "cpu=36,mem=915,node=9,billing=36");
	TELL(fixture, MODIFY "1,'time_limit':1}");
	run(fixture, NOW + 111);
	CHECK_MINUTES(fixture, "ann", "");
}

static void test_minutes_are_not_counted_when_limits_are_not_enforced(void **state)
{
	struct fixture *fixture = *state;

	put_cell(fixture, "AccountingStorageEnforce=associations,qos\n");
	TELL(fixture, ADD "1,'owner':'ann','time_limit':10,'tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(fixture, NOW + 1);
	assert_int_equal(share(fixture, "ann").running_tasks, 1);
	CHECK_MINUTES(fixture, "ann", "");
	assert_int_equal(share(fixture, "ann").ntres, 0);
}

/* Usage without figures from Slurm */

static void test_unreported_resources_are_counted_as_for_usage(void **state)
{
	struct fixture *fixture = *state;

	put_cell(fixture, LIMITS "PartitionName=bill Nodes=ALL TRESBillingWeights=cpu=0.6\n");
	TELL(fixture, ADD "1,'owner':'ann','time_limit':1,'nodes':3}");
	TELL(fixture, ADD "2,'owner':'bob','time_limit':1,'partition':'bill'}");
	for (int number = 1; number <= 2; number++)
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':%d}", NOW, number);
	run(fixture, NOW);
	CHECK_MINUTES(fixture, "ann", "cpu=4,node=3,billing=4");
	CHECK_MINUTES(fixture, "bob", "cpu=4,node=1,billing=2");
}

static void test_sums_stop_at_the_limit_of_64_bits(void **state)
{
	struct fixture *fixture = *state;

	put_cell(fixture, LIMITS);
	TELL(fixture, ADD "1,'owner':'ann','partition':'long','tasks':'1-3','tres':'cpu=2,mem=1e99M'}");
	for (int task = 1; task <= 3; task++)
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':1,'task':%d}", NOW, task);
	run(fixture, NOW);
	assert_int_equal(share(fixture, "ann").ntres, 9);
	assert_true(share(fixture, "ann").tres_run_minutes[1] == UINT64_MAX / 60);
	assert_true(share(fixture, "ann").tres_run_minutes[0] == 6 * 4294967295ull);
}

static void test_limits_are_shown_for_associations_that_have_them(void **state)
{
	struct fixture *fixture = *state;
	struct fl_association a;

	put_cell(fixture, LIMITS);
	run(fixture, NOW);
	assert_int_equal(fl_association(fixture->view, 2, &a), 0);
	assert_string_equal(a.account, "bar");
	assert_string_equal(a.group_tres_minutes, "cpu=77,mem=2097152,energy=5,license/matlab=30");
	assert_string_equal(share(fixture, "ann").group_tres_minutes, "cpu=0");
	assert_string_equal(share(fixture, "bob").group_tres_minutes, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_tasks_reserve_their_time_limit_and_return_elapsed_time_at_each_pass),
		TEST(test_an_ended_task_returns_all_reserved_minutes),
		TEST(test_a_missing_time_limit_is_that_of_the_partition),
		TEST(test_a_task_beyond_its_limit_has_no_reserved_minutes),
		TEST(test_minutes_are_not_counted_when_limits_are_not_enforced),
		TEST(test_unreported_resources_are_counted_as_for_usage),
		TEST(test_sums_stop_at_the_limit_of_64_bits),
		TEST(test_limits_are_shown_for_associations_that_have_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
