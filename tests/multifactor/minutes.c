/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TRES minutes of associations, limits and what running tasks may still use, as sshare shows them.
 * Where a test says so, the figures are what sshare -l of Slurm 22.05.8 printed of the same jobs.
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

static void put_cell(struct fixture *f, const char *enforce)
{
	char lines[1000];

	snprintf(lines, sizeof(lines), "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityCalcPeriod=1\n"
		 "AccountingStorageTRES=license/matlab\nLicenses=matlab:10\nPartitionName=long Nodes=ALL MaxTime=UNLIMITED\n"
		 "PartitionName=week Nodes=ALL MaxTime=7-0\n%s", enforce);
	put_slurm(f, lines);
	put(f, "qos", "Name|Priority|UsageFactor\nnormal|0|1.000000\ndbl|0|2.000000\nfree|0|0.000000\nhalf|0|0.500000\n");
	put(f, "associations", "Cluster - 'ref':Fairshare=1:QOS='normal'\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\n"
	    "Account - 'bar':Fairshare=1:GrpTRESMins=cpu=77,energy=5,license/matlab=30,mem=2T:GrpTRESRunMins=cpu=5000\nParent - 'bar'\n"
	    "User - 'ann':DefaultAccount='bar':GrpTRESMins=cpu=0\nUser - 'bob':DefaultAccount='bar'\nUser - 'cal':DefaultAccount='bar'\n"
	    "User - 'dot':DefaultAccount='bar'\n");
	reload(f);
}

/* "cpu=20,mem=1000,..." as sshare prints it, but for kinds of which it is 0. */
static const char *run_minutes(const struct fixture *f, const char *account, const char *user)
{
	static char text[1000];
	struct fl_association a;
	const char *kind;
	char *p = text;

	for (size_t i = 0; fl_association(f->view, i, &a) || strcmp(a.account, account) || strcmp(a.user, user); i++)
		assert_true(i < fl_associations(f->view));
	for (size_t k = 0; (kind = fl_tres_kind(f->view, k)); k++)
		if (k < a.ntres && a.tres_run_minutes[k] > 0)
			p += sprintf(p, "%s%s=%" PRIu64, p > text ? "," : "", kind, a.tres_run_minutes[k]);
	*p = '\0';
	return text;
}

#define CHECK_MINUTES(f, user, text) assert_string_equal(run_minutes(f, "bar", user), text)

/* Slurm's own figures */

/* The passes of the recorded controller came 35 and 95 seconds after the jobs' start. */
static void tasks_take_their_time_limit_and_give_back_what_has_gone_by_at_each_pass(void **state)
{
	struct fixture *f = *state;

	put_cell(f, LIMITS);
	run(f, NOW - 25);
	TELL(f, ADD "1,'owner':'ann','time_limit':10,'tres':'cpu=2,mem=100M,node=1,billing=2,license/matlab=2'}");
	TELL(f, ADD "2,'owner':'bob','time_limit':10,'qos':'dbl','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(f, ADD "3,'owner':'cal','time_limit':10,'qos':'free','tres':'cpu=3,mem=100M,node=1,billing=3'}");
	TELL(f, ADD "4,'owner':'dot','time_limit':8,'qos':'half','tres':'cpu=3,mem=101M,node=1,billing=3'}");
	for (int number = 1; number <= 4; number++)
		TELL(f, SLURM_START "'start_time':%d,'job_number':%d}", NOW, number);
	for (int64_t now = NOW + 2; now < NOW + 35; now += 10) {
		run(f, now);
		CHECK_MINUTES(f, "", "cpu=72,mem=3404,node=34,billing=72,license/matlab=20");
		CHECK_MINUTES(f, "ann", "cpu=20,mem=1000,node=10,billing=20,license/matlab=20");
		CHECK_MINUTES(f, "bob", "cpu=40,mem=2000,node=20,billing=40");
		CHECK_MINUTES(f, "cal", "");
		CHECK_MINUTES(f, "dot", "cpu=12,mem=404,node=4,billing=12");
	}
	run(f, NOW + 35);
	CHECK_MINUTES(f, "", "cpu=67,mem=3200,node=31,billing=67,license/matlab=18");
	CHECK_MINUTES(f, "ann", "cpu=18,mem=941,node=9,billing=18,license/matlab=18");
	CHECK_MINUTES(f, "bob", "cpu=37,mem=1883,node=18,billing=37");
	CHECK_MINUTES(f, "dot", "cpu=11,mem=375,node=3,billing=11");
	run(f, NOW + 95);
	CHECK_MINUTES(f, "", "cpu=60,mem=2849,node=28,billing=60,license/matlab=16");
	CHECK_MINUTES(f, "ann", "cpu=16,mem=841,node=8,billing=16,license/matlab=16");
	CHECK_MINUTES(f, "bob", "cpu=33,mem=1683,node=16,billing=33");
	CHECK_MINUTES(f, "dot", "cpu=9,mem=324,node=3,billing=9");
	assert_string_equal(run_minutes(f, "root", ""), "cpu=60,mem=2849,node=28,billing=60,license/matlab=16");
}

static void whatever_ends_gives_all_back(void **state)
{
	struct fixture *f = *state;

	put_cell(f, LIMITS);
	TELL(f, ADD "1,'owner':'ann','time_limit':10}");
	TELL(f, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(f, NOW);
	CHECK_MINUTES(f, "ann", "cpu=40,node=10,billing=40");
	TELL(f, "{'event':'task_finish','job_number':1,'end_time':%d}", NOW + 10);
	run(f, NOW + 10);
	CHECK_MINUTES(f, "ann", "");
	CHECK_MINUTES(f, "", "");
}

static void without_a_time_limit_it_is_that_of_the_partition(void **state)
{
	struct fixture *f = *state;

	put_cell(f, LIMITS);
	run(f, NOW);
	TELL(f, ADD "1,'owner':'ann','partition':'long','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(f, ADD "2,'owner':'bob','partition':'long','qos':'dbl','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(f, ADD "3,'owner':'cal','partition':'week','tres':'cpu=2,mem=100M,node=1,billing=2'}");
	for (int number = 1; number <= 3; number++)
		TELL(f, SLURM_START "'start_time':%d,'job_number':%d}", NOW, number);
	run(f, NOW + 11);
	CHECK_MINUTES(f, "ann", "cpu=8589934590,mem=429496729500,node=4294967295,billing=8589934590");
	CHECK_MINUTES(f, "bob", "cpu=17179869180,mem=858993459000,node=8589934590,billing=17179869180");
	CHECK_MINUTES(f, "cal", "cpu=20160,mem=1008000,node=10080,billing=20160");
	run(f, NOW + 120);
	CHECK_MINUTES(f, "ann", "cpu=8589934586,mem=429496729300,node=4294967293,billing=8589934586");
	CHECK_MINUTES(f, "bob", "cpu=17179869172,mem=858993458600,node=8589934586,billing=17179869172");
	CHECK_MINUTES(f, "cal", "cpu=20156,mem=1007800,node=10078,billing=20156");
}

static void whoever_runs_beyond_his_limit_has_nothing_left(void **state)
{
	struct fixture *f = *state;

	put_cell(f, LIMITS);
	run(f, NOW - 9);
	TELL(f, ADD "1,'owner':'ann','time_limit':1,'tres':'cpu=4,mem=100M,node=1,billing=4'}");
	TELL(f, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(f, NOW + 51);
	CHECK_MINUTES(f, "ann", "mem=15");
	TELL(f, MODIFY "1,'time_limit':10}");
	run(f, NOW + 52);
	CHECK_MINUTES(f, "ann", "cpu=36,mem=915,node=9,billing=36");
	TELL(f, MODIFY "1,'time_limit':1}");
	run(f, NOW + 111);
	CHECK_MINUTES(f, "ann", "");
}

static void nothing_is_counted_where_limits_are_not_enforced(void **state)
{
	struct fixture *f = *state;

	put_cell(f, "AccountingStorageEnforce=associations,qos\n");
	TELL(f, ADD "1,'owner':'ann','time_limit':10,'tres':'cpu=2,mem=100M,node=1,billing=2'}");
	TELL(f, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(f, NOW + 1);
	assert_int_equal(share(f, "ann").running_tasks, 1);
	CHECK_MINUTES(f, "ann", "");
	assert_int_equal(share(f, "ann").ntres, 0);
}

/* What Slurm has no figures of */

static void what_nobody_told_of_resources_is_taken_as_for_usage(void **state)
{
	struct fixture *f = *state;

	put_cell(f, LIMITS "PartitionName=bill Nodes=ALL TRESBillingWeights=cpu=0.6\n");
	TELL(f, ADD "1,'owner':'ann','time_limit':1,'nodes':3}");
	TELL(f, ADD "2,'owner':'bob','time_limit':1,'partition':'bill'}");
	for (int number = 1; number <= 2; number++)
		TELL(f, SLURM_START "'start_time':%d,'job_number':%d}", NOW, number);
	run(f, NOW);
	CHECK_MINUTES(f, "ann", "cpu=4,node=3,billing=4");
	CHECK_MINUTES(f, "bob", "cpu=4,node=1,billing=2");
}

static void sums_stop_at_what_64_bits_hold(void **state)
{
	struct fixture *f = *state;

	put_cell(f, LIMITS);
	TELL(f, ADD "1,'owner':'ann','partition':'long','tasks':'1-3','tres':'cpu=2,mem=1e99M'}");
	for (int task = 1; task <= 3; task++)
		TELL(f, SLURM_START "'start_time':%d,'job_number':1,'task':%d}", NOW, task);
	run(f, NOW);
	assert_int_equal(share(f, "ann").ntres, 9);
	assert_true(share(f, "ann").tres_run_minutes[1] == UINT64_MAX / 60);
	assert_true(share(f, "ann").tres_run_minutes[0] == 6 * 4294967295ull);
}

static void limits_are_shown_of_who_has_them(void **state)
{
	struct fixture *f = *state;
	struct fl_association a;

	put_cell(f, LIMITS);
	run(f, NOW);
	assert_int_equal(fl_association(f->view, 2, &a), 0);
	assert_string_equal(a.account, "bar");
	assert_string_equal(a.group_tres_minutes, "cpu=77,mem=2097152,energy=5,license/matlab=30");
	assert_string_equal(share(f, "ann").group_tres_minutes, "cpu=0");
	assert_string_equal(share(f, "bob").group_tres_minutes, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tasks_take_their_time_limit_and_give_back_what_has_gone_by_at_each_pass),
		TEST(whatever_ends_gives_all_back),
		TEST(without_a_time_limit_it_is_that_of_the_partition),
		TEST(whoever_runs_beyond_his_limit_has_nothing_left),
		TEST(nothing_is_counted_where_limits_are_not_enforced),
		TEST(what_nobody_told_of_resources_is_taken_as_for_usage),
		TEST(sums_stop_at_what_64_bits_hold),
		TEST(limits_are_shown_of_who_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
