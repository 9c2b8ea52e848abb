/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts and users as sacctmgr and sshare print them, and QOS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

static const struct slurm_conf *with(const char *file, const char *text)
{
	cell_dir_write(&dir, file, text);
	return &cell_dir_load(&dir)->slurm;
}

static const struct slurm_association *find(const char *account, const char *user, const char *partition)
{
	uint32_t i = slurm_association(&dir.cell.slurm, account, user, partition);

	return i == UINT32_MAX ? NULL : &dir.cell.slurm.associations[i];
}

/* Written by a real sacctmgr 22.05.8. */
static const char dumped[] =
	"# To edit this file start with a cluster line for the new cluster\n"
	"# Cluster - 'cluster_name':MaxTRESPerJob=node=50\n"
	"Cluster - 'ref':Fairshare=1:QOS='normal'\n"
	"Parent - 'root'\n"
	"User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
	"Account - 'chem':Description='C# 1: x=`y`':Organization='chem':Fairshare=30:GrpTRES=cpu=100:MaxTRESMinsPerJob=cpu=5:Priority=7\n"
	"Account - 'Phys':Description='phys':Organization='org':Fairshare=60\n"
	"Parent - 'chem'\n"
	"User - 'u2':DefaultAccount='chem':Fairshare=2147483647\n"
	"User - 'u3':DefaultAccount='chem':AdminLevel='Operator':Coordinator='chem':DefaultQOS='normal':Fairshare=1:Priority=10:QOS='+high'\n"
	"Parent - 'phys'\n"
	"User - 'u1':DefaultAccount='Astro':Fairshare=0\n"
	"Account - 'astro':Description='astro':Organization='phys':Fairshare=parent\n"
	"Parent - 'astro'\n"
	"User - 'u1':Partition='batch':DefaultAccount='astro':Fairshare=4\n"
	"User - 'u1':DefaultAccount='astro':Fairshare=3\n"
	"Parent - 'chem'\n"
	"Account - 'bio':Fairshare=2\n"
	"User - 'u4':Fairshare=1\n";

static void test_a_dump_becomes_a_tree_in_pre_order(void **state)
{
	static const struct { const char *account, *user, *partition; int parent; uint32_t shares; } expected[] = {
		{ "root", "", "", -1, 1 }, { "root", "root", "", 0, 1 }, { "chem", "", "", 0, 30 }, { "chem", "u2", "", 2, SHARES_PARENT },
		{ "chem", "u3", "", 2, 1 }, { "bio", "", "", 2, 2 }, { "chem", "u4", "", 2, 1 }, { "phys", "", "", 0, 60 }, { "phys", "u1", "", 7, 0 },
		{ "astro", "", "", 7, SHARES_PARENT }, { "astro", "u1", "batch", 9, 4 }, { "astro", "u1", "", 9, 3 },
	};
	const struct slurm_conf *conf = with("associations", dumped);
	size_t i;

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(conf->nassociations, sizeof(expected) / sizeof(*expected));
	for (i = 0; i < conf->nassociations; i++) {
		assert_string_equal(conf->associations[i].account, expected[i].account);
		assert_string_equal(conf->associations[i].user, expected[i].user);
		assert_string_equal(conf->associations[i].partition, expected[i].partition);
		assert_int_equal((int)conf->associations[i].parent, expected[i].parent);
		assert_int_equal(conf->associations[i].shares, expected[i].shares);
	}
}

static void test_missing_priorities_are_inherited(void **state)
{
	with("associations", dumped);
	(void)state;
	assert_int_equal(find("chem", "", "")->priority, 7);
	assert_int_equal(find("chem", "u2", "")->priority, 7);
	assert_int_equal(find("chem", "u3", "")->priority, 10);
	assert_int_equal(find("bio", "", "")->priority, 7);
	assert_int_equal(find("astro", "u1", "")->priority, 0);
}

static void test_an_association_is_found_with_or_without_its_partition(void **state)
{
	const struct slurm_conf *conf = with("associations", dumped);

	(void)state;
	assert_int_equal(find("astro", "u1", "batch")->shares, 4);
	assert_int_equal(find("astro", "u1", "debug")->shares, 3);
	assert_int_equal(find("ASTRO", "u1", "")->shares, 3);
	assert_int_equal(find("root", "", "")->parent, UINT32_MAX);
	assert_null(find("astro", "U1", ""));
	assert_null(find("astro", "u2", ""));
	assert_null(find("", "", ""));
	assert_null(find(NULL, NULL, NULL));
	assert_int_equal(find("astro", "u1", NULL)->shares, 3);
	assert_true(!slurm_partition(conf, NULL) && !slurm_qos(conf, NULL) && !slurm_default_account(conf, NULL));
	assert_string_equal(slurm_default_account(conf, "u1"), "astro");
	assert_string_equal(slurm_default_account(conf, "u3"), "chem");
	assert_null(slurm_default_account(conf, "u4"));
	assert_null(slurm_default_account(conf, ""));
}

static void test_dumps_of_old_versions_have_no_quotes(void **state)
{
	(void)state;
	with("associations",
	     "Cluster - old\nParent - root\nAccount - phys:Fairshare=5:MaxJobs=3\nParent - phys\nUser - u1:Fairshare=2\n");
	cell_dir_check_clean(&dir);
	assert_int_equal(find("phys", "u1", "")->shares, 2);
}

/*
 * The first three are as Slurm 22.05.8 writes them. Slurm replaces ' by ` in typed values, but a
 * database may have been filled in another way.
 */
static void test_values_may_have_quotes_and_colons_in_them(void **state)
{
	(void)state;
	with("associations",
	     "Parent - 'root'\nAccount - 'phys':Description='children's':Organization='a\"b':DefaultQOS='high':Fairshare=10\n"
	     "Account - 'chem':Description='children`s':Organization='it`s: odd` :x`':Fairshare=11\nAccount - 'bio':Description='a:b=c':Fairshare=12\n"
	     "Account - 'geo':Description='the last's'\nAccount - 'eco':Description=''':Organization='':Fairshare=14\n"
	     "Account - \"math\":Description=\"children's\":Fairshare=15\nAccount - 'o'neill's':Fairshare=16\n");
	cell_dir_check_clean(&dir);
	assert_int_equal(find("phys", "", "")->shares, 10);
	assert_int_equal(find("chem", "", "")->shares, 11);
	assert_int_equal(find("bio", "", "")->shares, 12);
	assert_int_equal(find("geo", "", "")->shares, 1);
	assert_int_equal(find("eco", "", "")->shares, 14);
	assert_int_equal(find("math", "", "")->shares, 15);
	assert_int_equal(find("o'neill's", "", "")->shares, 16);
}

/* Limits as Slurm 22.05.8 writes them in its dump and shows them in sshare. */
static void test_limits_are_in_the_order_and_the_units_of_sshare(void **state)
{
	static const struct { const char *dumped, *shown;
	} limits[] = {
		{ "cpu=77,energy=5,license/matlab=30,mem=2T", "cpu=77,mem=2097152,energy=5,license/matlab=30" },
		{ "cpu=1000,mem=500000M", "cpu=1000,mem=500000" },
		{ "cpu=2048,energy=1500000,mem=1M", "cpu=2048,mem=1,energy=1500000" },
		{ "mem=1500G", "mem=1536000" },
		{ "mem=1P", "mem=1073741824" },
		{ "cpu=99999999999", "cpu=99999999999" },
		{ "billing=5,cpu=0,energy=1500000", "cpu=0,energy=1500000,billing=5" },
		{ "node=9007199254740992", "node=9007199254740992" },
	};
	char line[300];

	(void)state;
	cell_dir_write(&dir, "slurm.conf",
		       "NodeName=n CPUs=1\nPartitionName=p Nodes=n\nAccountingStorageTRES=license/matlab\n");
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		snprintf(
			line, sizeof(line),
			"Parent - 'root'\nAccount - 'bar':GrpTRESMins=%s:GrpTRESRunMins=cpu=5000\nParent - 'bar'\nUser - 'u'\n",
			limits[i].dumped);
		with("associations", line);
		assert_string_equal(find("bar", "", "")->group_minutes, limits[i].shown);
		assert_null(find("bar", "u", "")->group_minutes);
	}
	with("associations",
	     "Parent - 'root'\nAccount - 'bar':GrpTRESMins=gres/unknown=3\nAccount - 'foo':GrpTRESMins=\n");
	assert_null(find("bar", "", "")->group_minutes);
	assert_null(find("foo", "", "")->group_minutes);
}

static const char *default_qos(const struct slurm_conf *conf, const char *account, const char *user,
			       const char *partition)
{
	return slurm_default_qos(conf, slurm_association(conf, account, user, partition));
}

/* QOS that Slurm 22.05.8 assigned to jobs without --qos below accounts like these. */
static void test_a_default_qos_is_inherited(void **state)
{
	const struct slurm_conf *conf;

	(void)state;
	cell_dir_write(&dir, "qos", "Name|Priority\nnormal|0\nhigh|1\ndbl|1\nhalf|1\n");
	conf = with(
		"associations",
		"Cluster - 'ref':Fairshare=1:QOS='normal'\nParent - 'root'\n"
		"Account - 'plain':Fairshare=1\nAccount - 'one':QOS='high'\nAccount - 'q0':DefaultQOS='dbl':Fairshare=1:QOS='dbl,half,high,normal'\n"
		"Account - 'any':QOS='dbl,half,high,normal'\nParent - 'plain'\nUser - 'gus'\nParent - 'one'\nUser - 'gus'\nAccount - 'two'\nParent - 'two'\n"
		"User - 'gus'\nUser - 'hal':QOS='+normal'\nParent - 'q0'\nUser - 'gus'\nAccount - 'q1':DefaultQOS='high'\nAccount - 'q2'\n"
		"Parent - 'q1'\nUser - 'gus':DefaultQOS='half'\nUser - 'hal'\nParent - 'q2'\nUser - 'gus'\n"
		"User - 'hal':Partition='long':DefaultQOS='half'\nUser - 'hal':Partition='deft'\nParent - 'any'\nUser - 'gus'\n");
	assert_string_equal(default_qos(conf, "plain", "gus", ""), "normal");
	assert_string_equal(default_qos(conf, "one", "gus", ""), "high");
	assert_string_equal(default_qos(conf, "two", "gus", ""), "high");
	assert_string_equal(default_qos(conf, "two", "hal", ""), "normal");
	assert_string_equal(default_qos(conf, "q0", "gus", ""), "dbl");
	assert_string_equal(default_qos(conf, "q1", "gus", ""), "half");
	assert_string_equal(default_qos(conf, "q1", "hal", ""), "high");
	assert_string_equal(default_qos(conf, "q2", "gus", ""), "dbl");
	assert_string_equal(default_qos(conf, "q2", "hal", "long"), "half");
	assert_string_equal(default_qos(conf, "q2", "hal", "deft"), "dbl");
	assert_string_equal(default_qos(conf, "any", "gus", ""), "normal");
	assert_string_equal(slurm_default_qos(conf, UINT32_MAX), "normal");
	conf = with(
		"associations",
		"Cluster - 'ref':DefaultQOS='dbl':Fairshare=1:QOS='normal'\nParent - 'root'\nAccount - 'q0':QOS='dbl,half,high,normal'\n"
		"Parent - 'q0'\nUser - 'gus'\n");
	assert_string_equal(default_qos(conf, "q0", "gus", ""), "dbl");
	conf = with("qos", "Name|Priority\nhigh|1\n");
	assert_string_equal(slurm_default_qos(conf, UINT32_MAX), "");
}

/*
 * QOS that jobs of such users got without --qos. slurmctld logs that they "don't have access" to
 * their default.
 */
static void test_a_default_qos_that_may_not_be_used_has_no_effect(void **state)
{
	const struct slurm_conf *conf;

	(void)state;
	cell_dir_write(&dir, "qos", "Name|Priority\nnormal|0\nbig|1\nhigh|1\nlow|1\n");
	conf = with(
		"associations",
		"Cluster - 'ref':Fairshare=1:QOS='big,high,low'\nParent - 'root'\n"
		"Account - 'a':DefaultQOS='big':QOS='big,high,normal'\nAccount - 'b':DefaultQOS='low':QOS='big,high'\nAccount - 'c':Fairshare=1\n"
		"Parent - 'a'\nUser - 'u1':QOS='normal'\nUser - 'u2':QOS='high'\nUser - 'u4':QOS='low,normal'\nUser - 'u5'\nUser - 'u6':DefaultQOS='low'\n"
		"User - 'u7':QOS='-big,-normal'\nUser - 'u8':QOS='+low':DefaultQOS='low'\nParent - 'b'\nUser - 'u8':QOS='high'\nUser - 'u9':QOS='high,normal'\n"
		"Parent - 'c'\nUser - 'u10':DefaultQOS='big':QOS='high,normal'\nUser - 'u11':DefaultQOS='big':QOS='high'\nUser - 'u12':DefaultQOS='low'\n");
	assert_string_equal(default_qos(conf, "a", "u1", ""), "normal");
	assert_string_equal(default_qos(conf, "a", "u2", ""), "high");
	assert_string_equal(default_qos(conf, "a", "u4", ""), "normal");
	assert_string_equal(default_qos(conf, "a", "u5", ""), "big");
	assert_string_equal(default_qos(conf, "a", "u6", ""), "normal");
	assert_string_equal(default_qos(conf, "a", "u7", ""), "high");
	assert_string_equal(default_qos(conf, "a", "u8", ""), "low");
	assert_string_equal(default_qos(conf, "b", "u8", ""), "high");
	assert_string_equal(default_qos(conf, "b", "u9", ""), "normal");
	assert_string_equal(default_qos(conf, "c", "u10", ""), "normal");
	assert_string_equal(default_qos(conf, "c", "u11", ""), "high");
	assert_string_equal(default_qos(conf, "c", "u12", ""), "low");
	with("associations",
	     "Cluster - 'ref':QOS='normal'\nParent - 'root'\nAccount - 'a':DefaultQOS='big'\nParent - 'a'\nUser - 'u1'\n"
	     "User - 'u2':QOS='big'\nUser - 'u3'\n");
	assert_true(cell_dir_found(&dir, WARNING, "associations", 5,
				   "DefaultQOS \"big\" of user \"u1\" of account \"a\" is not among the QOS \"normal\" "
				   "that may be used (2 users like that in all)"));
}

/*
 * The accounting database keeps partitions' names in lower case, and slurmctld finds them in any
 * case.
 */
static void test_an_association_s_partition_is_case_insensitive(void **state)
{
	const struct slurm_conf *conf;

	(void)state;
	conf = with(
		"associations",
		"Parent - 'root'\nAccount - 'a'\nParent - 'a'\nUser - 'u1'\nUser - 'u1':Partition='big':Priority=55\n");
	assert_int_equal(conf->associations[slurm_association(conf, "a", "u1", "Big")].priority, 55);
	assert_int_equal(conf->associations[slurm_association(conf, "a", "u1", "Long")].priority, 0);
}

static void test_usage_is_read_from_sshare_by_account_user_and_partition(void **state)
{
	(void)state;
	cell_dir_write(&dir, "associations", dumped);
	with("sshare",
	     "User|Account|NormShares|Partition|RawUsage|RawShares|\n|root|||993340||\nroot| root|1|| |1|\nu3|  chem|||7.25|1|\n"
	     "u1|   astro||batch|40|4|\nu1|   astro|||500000|3|\n|  astro|||500040|parent|\nu9|  chem|||3|1|\n");
	assert_int_equal(dir.report.warnings, 1);
	assert_true(
		cell_dir_found(&dir, WARNING, "sshare", 8, "user \"u9\" of account \"chem\" is not in associations"));
	assert_int_equal(dir.report.faults, 1);
	assert_true(cell_dir_found(&dir, FAULT, "sshare", 3, "\" \" of RawUsage"));
	assert_true(find("chem", "u3", "")->usage == 7.25);
	assert_true(find("astro", "u1", "batch")->usage == 40);
	assert_true(find("astro", "u1", "")->usage == 500000);
	assert_true(find("astro", "", "")->usage == 0);
	assert_true(find("chem", "u2", "")->usage == 0);
}

static void test_sshare_alone_is_the_tree_too(void **state)
{
	const struct slurm_conf *conf = with(
		"sshare",
		"Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|GrpTRESMins|TRESRunMins\n"
		"root|||1.000000|993340||1.000000|0.500000|cpu=7,mem=30|cpu=0,mem=0\n root|root|0|0.000000|0|0.000000|0.000000|0.000000||cpu=0,mem=0\n"
		" bio||10|0.100000|0|0.000000|0.000000|1.000000||cpu=0,mem=0\n  bio|u6|1|0.100000|12|0.000000|0.000000|1.000000||cpu=0\n"
		" phys||60|0.600000|693333|0.697982|0.697982|0.446489||cpu=0\n  phys|u7|parent|0.150000|33333|0.033557|0.199663|0.397469||\n"
		"  astro||2|0.300000|540000|0.543621|0.620801|0.238269||\n   astro|u1|3|0.225000|500000|0.503352|0.591439|0.161699||\n"
		"  Solid||parent|0.150000|120000|0.120804|0.265099|0.293753||\n   Solid|u3|1|0.150000|120000|0.120804|0.265099|0.293753||\n");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(conf->nassociations, 10);
	assert_string_equal(conf->associations[find("solid", "", "")->parent].account, "phys");
	assert_string_equal(conf->associations[find("bio", "", "")->parent].account, "root");
	assert_true(find("solid", "u3", "")->usage == 120000 && find("astro", "", "")->usage == 0);
	assert_int_equal(find("solid", "", "")->shares, SHARES_PARENT);
	assert_int_equal(find("phys", "u7", "")->shares, SHARES_PARENT);
	assert_int_equal(find("root", "root", "")->shares, 0);
	assert_int_equal(find("root", "", "")->shares, 1);
	assert_string_equal(find("root", "", "")->group_minutes, "cpu=7,mem=30");
	assert_null(find("bio", "", "")->group_minutes);
}

static void test_headings_of_old_versions_have_blanks(void **state)
{
	(void)state;
	with("sshare",
	     "Account|User|Raw Shares|Norm Shares|Raw Usage|Effectv Usage|Fair-share|\nroot|||1.0|5|1.0|0.5|\n root|root|1|1.0|5|1.0|0.5|\n");
	cell_dir_check_clean(&dir);
	assert_true(find("root", "root", "")->usage == 5);
}

static void test_levels_without_shares_are_warned_of(void **state)
{
	(void)state;
	with("associations",
	     "Parent - 'root'\nAccount - 'a':Fairshare=1\nAccount - 'b':Fairshare=1\nParent - 'a'\nUser - 'u':Fairshare=0\n"
	     "User - 'v':Fairshare=0\nParent - 'b'\nUser - 'u':Fairshare=0\n");
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "associations", 2,
				   "everything below account \"a\" has 0 shares (2 accounts like that in all)"));
}

/* Write a dump in which each account is below the previous one. */
static char *deep_dump(size_t depth)
{
	char *text = malloc(depth * 80 + 1), *at = text;
	size_t i;

	at += sprintf(at, "Parent - 'root'\nAccount - 'a0'\n");
	for (i = 1; i < depth; i++)
		at += sprintf(at, "Parent - 'a%zu'\nAccount - 'a%zu':Fairshare=2\nUser - 'u'\n", i - 1, i);
	return text;
}

static void test_a_deep_tree_is_read_like_any_other(void **state)
{
	char *text = deep_dump(100000);
	const struct slurm_conf *conf = with("associations", text);

	(void)state;
	free(text);
	cell_dir_check_clean(&dir);
	assert_int_equal(conf->nassociations, 200000);
	assert_int_equal(slurm_association(conf, "a99999", "", ""), 100000);
	assert_int_equal(find("a3", "u", "")->shares, 1);
}

static void test_qos_are_read_with_any_columns(void **state)
{
	const struct slurm_conf *conf = with(
		"qos",
		"# those of the site\nName|Priority|GraceTime|Preempt|Flags|UsageThres|UsageFactor|GrpTRES\n"
		"normal|0|00:00:00||||1.000000|\nhigh|100|00:00:00||DenyOnLimit,NoDecay||0.500000|\nodd|4294967294|||||-1|\n");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(conf->nqos, 3);
	assert_string_equal(conf->qos[1].name, "high");
	assert_true(conf->qos[1].priority == 100 && conf->qos[1].usage_factor == 0.5 && conf->qos[1].no_decay);
	assert_true(slurm_qos(conf, "normal")->usage_factor == 1 && !slurm_qos(conf, "normal")->no_decay);
	assert_true(slurm_qos(conf, "odd")->priority == 4294967294u && slurm_qos(conf, "odd")->usage_factor == -1);
	assert_null(slurm_qos(conf, "High"));
	conf = with("qos", "Priority|Name\n5|one\n");
	assert_true(slurm_qos(conf, "one")->priority == 5 && slurm_qos(conf, "one")->usage_factor == 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_dump_becomes_a_tree_in_pre_order),
		TEST(test_missing_priorities_are_inherited),
		TEST(test_an_association_is_found_with_or_without_its_partition),
		TEST(test_dumps_of_old_versions_have_no_quotes),
		TEST(test_values_may_have_quotes_and_colons_in_them),
		TEST(test_limits_are_in_the_order_and_the_units_of_sshare),
		TEST(test_a_default_qos_is_inherited),
		TEST(test_a_default_qos_that_may_not_be_used_has_no_effect),
		TEST(test_an_association_s_partition_is_case_insensitive),
		TEST(test_usage_is_read_from_sshare_by_account_user_and_partition),
		TEST(test_sshare_alone_is_the_tree_too),
		TEST(test_headings_of_old_versions_have_blanks),
		TEST(test_levels_without_shares_are_warned_of),
		TEST(test_a_deep_tree_is_read_like_any_other),
		TEST(test_qos_are_read_with_any_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
