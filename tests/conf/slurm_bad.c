/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bad value in a Slurm site's files is named with its line and the allowed values. Random
 * damage must never crash the readers.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"
#include "tests/conf/damage.h"

static struct cell_dir dir;

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, "conf/multifactor");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

struct bad {
	const char *text;	/* the last line is the bad one */
	const char *found;	/* in the message */
};

static int last_line(const char *text)
{
	int n = 1;

	for (; *text; text++)
		n += *text == '\n' && text[1];
	return n;
}

static void check_all(const char *file, const struct bad *bad, size_t n, const char *before)
{
	char text[3000];
	size_t i;

	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s%s", before, bad[i].text);
		cell_dir_write(&dir, file, text);
		cell_dir_load(&dir);
		if (cell_dir_found(&dir, FAULT, file, last_line(text), bad[i].found))
			continue;
		report_print(&dir.report, stderr);
		fail_msg("%s: no fault in line %d with: %s", bad[i].text, last_line(text), bad[i].found);
	}
}
#define CHECK(file, bad, before) check_all(file, bad, sizeof(bad) / sizeof(*(bad)), before)

#define U32 "a whole number from 0 to 4294967295 is allowed"
#define TIME "minutes, [hours:]minutes:seconds, days-hours"

static void test_bad_parameters_are_refused(void **state)
{
	static const struct bad bad[] = {
		{ "PriorityWeightAge=-1", "\"-1\" of PriorityWeightAge: " U32 },
		{ "PriorityWeightAssoc=4294967296", "of PriorityWeightAssoc: " U32 },
		{ "PriorityWeightFairshare=1.5", "\"1.5\" of PriorityWeightFairshare: " U32 },
		{ "PriorityWeightJobSize=many", "\"many\" of" },
		{ "PriorityWeightPartition=99999999999999999999", U32 },
		{ "PriorityWeightQOS=5G", U32 },
		{ "PriorityWeightQOS=4194304K", U32 },
		{ "PriorityWeightQOS=\"\"", "\"\" of PriorityWeightQOS: " U32 },
		{ "PriorityWeightQOS=\" 1\"", U32 },
		{ "PriorityWeightQOS=0x", U32 },
		{ "PriorityWeightQOS=+1", U32 },
		{ "FairShareDampeningFactor=-1", "a whole number from 0 to 65535" },
		{ "FairShareDampeningFactor=70000", "from 0 to 65535" },
		{ "PriorityFavorSmall=maybe", "YES or NO is allowed" },
		{ "PriorityFavorSmall=y", "YES or NO is allowed" },
		{ "PriorityUsageResetPeriod=hourly",
		  "NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY is allowed" },
		{ "PriorityUsageResetPeriod=28-0", "\"28-0\" of PriorityUsageResetPeriod" },
		{ "PriorityDecayHalfLife=abc", "\"abc\" of PriorityDecayHalfLife: " TIME },
		{ "PriorityDecayHalfLife=-5", TIME },
		{ "PriorityMaxAge=5:", TIME },
		{ "PriorityMaxAge=:5", TIME },
		{ "PriorityMaxAge=1-2-3", TIME },
		{ "PriorityMaxAge=1.5", TIME },
		{ "PriorityMaxAge=1:2:3:4", TIME },
		{ "PriorityMaxAge=1-2:3:4:5", TIME },
		{ "PriorityMaxAge=99999999999", "at most 71582788 minutes" },
		{ "PriorityMaxAge=71582788:01", "at most 71582788 minutes" },
		{ "PriorityMaxAge=99999999999999999999999999-0", "at most 71582788 minutes" },
		{ "PriorityCalcPeriod=0", "at least one minute" },
		{ "PriorityCalcPeriod=soon", TIME },
		{ "PriorityCalcPeriod=INFINITE", "not infinite" },
		{ "PriorityVersion=2.0", "current or 2009 is allowed" },
		{ "FairTreeTies=merged", "implemented or documented is allowed" },
		{ "FairTreeSiblings=oldest", "newest or name is allowed" },
		{ "ChargeJobEnd=never", "always or limits is allowed" },
		{ "PriorityWeightTRES=CPU=abc", "\"abc\" of CPU is not a number" },
		{ "PriorityWeightTRES=CPU=1X", "\"1X\" of CPU" },
		{ "PriorityWeightTRES=CPU=nan", "is not a number" },
		{ "PriorityWeightTRES=CPU=1e999", "is not a number" },
		{ "PriorityWeightTRES=CPU", "\"CPU\" found: KIND=number" },
		{ "PriorityWeightTRES=cores=1", "\"cores\" is not a kind of TRES" },
		{ "PriorityWeightTRES=gres/=1", "\"gres/\" is not a kind of TRES" },
		{ "AccountingStorageTRES=gpu", "\"gpu\" is not a kind of TRES" },
		{ "Licenses=a:x:y", "the count \"y\" of a is not a number" },
		{ "PriorityDecayHalfLife=0", "there is no PriorityUsageResetPeriod" },
	};

	(void)state;
	CHECK("slurm.conf", bad, "NodeName=n\nPartitionName=p Nodes=n\n");
}

static void test_lines_that_are_no_pairs_are_refused(void **state)
{
	static const struct bad bad[] = {
		{ "garbage", "\"garbage\" found: Key=value is allowed" },
		{ "PriorityWeightAge=", "Key=value" },
		{ "=5", "\"=5\" found" },
		{ "PriorityWeightAge=5 6", "\"6\" found" },
		{ "Epilog=\"open", "Key=value" },
		{ "Prolog=a, b", "\"b\" found" },
		{ "Include nowhere.conf", "/nowhere.conf\" found: there is no such file" },
		{ "Include /", "it cannot be read" },
		{ "Key-word=3", "\"Key-word=3\" found" },
	};

	(void)state;
	CHECK("slurm.conf", bad, "\n");
}

static void test_bad_nodes_are_refused(void **state)
{
	static const struct bad bad[] = {
		{ "NodeName=m CPUs=x", "\"x\" of CPUs: a whole number from 0 to 65535" },
		{ "NodeName=m Sockets=65536", "of Sockets" },
		{ "NodeName=m RealMemory=16G", "\"16G\" of RealMemory" },
		{ "NodeName=m[3-1]", "\"3-1\" is not a range" },
		{ "NodeName=m[1-", "\"m[1-\" found" },
		{ "NodeName=m[1-]", "\"-\" found" },
		{ "NodeName=m[]", "found where a number is expected" },
		{ "NodeName=m[a]", "\"a\" found" },
		{ "NodeName=m[1-2]x", "\"x\" found: a list of nodes ends in [numbers]" },
		{ "NodeName=m[1,,2]", "\",2\" found" },
		{ "NodeName=m[1-2]]", "\"]\" found" },
		{ "NodeName=m[1x]", "\"x\" found: numbers and ranges" },
		{ "NodeName=m]", "\"m]\" found" },
		{ "NodeName=m[1-99999999999999999999]", "is not a range" },
		{ "NodeName=m1234567890123456789", "more than 18 digits" },
		{ "NodeName=m1234567890[100000000-100000001]", "more than 18 digits" },
		{ "NodeName=m[1-1048577]", "more than 1048576 nodes" },
		{ "NodeName=m[1-99999]x[1-99999]", "more than 131072 ranges" },
		{ "NodeName=m[1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9]", "more than 8 lists" },
		{ "NodeName=n[3-5]", "node \"n3\" is already in line 1" },
		{ "NodeName=n2", "node \"n2\" is already in line 1" },
		{ "NodeName=login\nNodeName=login", "node \"login\" is already in line" },
		{ "NodeName=m Gres=gpu:x:y", "the count \"y\" of gpu" },
		{ "NodeName=m Gres=gpu:99999999999", "of gpu is not a number" },
	};

	(void)state;
	CHECK("slurm.conf", bad, "NodeName=n[1-3]\nPartitionName=p Nodes=n1\n");
}

static void test_bad_partitions_are_refused(void **state)
{
	static const struct bad bad[] = {
		{ "PartitionName=q PriorityJobFactor=65534", "of PriorityJobFactor: a whole number from 0 to 65533" },
		{ "PartitionName=q PriorityTier=-1", "of PriorityTier" },
		{ "PartitionName=q Priority=70000", "\"70000\" of Priority" },
		{ "PartitionName=q Nodes=n[2-4]",
		  "partition \"q\" has nodes that no NodeName line has: \"n2\", or one of those up to \"n4\"" },
		{ "PartitionName=q Nodes=n1,x", "partition \"q\" has nodes that no NodeName line has: \"x\"" },
		{ "PartitionName=q MaxTime=abc", "\"abc\" of MaxTime: " TIME },
		{ "PartitionName=q Default=perhaps", "of Default: YES or NO" },
		{ "PartitionName=q Nodes=n[1-", "of Nodes" },
		{ "PartitionName=q TRESBillingWeights=CPU=x", "of TRESBillingWeights" },
		{ "PartitionName=q TRESBillingWeights=foo=1", "\"foo\" is not a kind of TRES" },
		{ "PartitionName=q TRESBillingWeights=CPU=-1", "is negative" },
		{ "PartitionName=p", "partition \"p\" appears twice" },
		{ "PartitionName=\"\" Nodes=ALL", "PartitionName \"\" found" },
		{ "PartitionName=DEFAULT PriorityTier=x", "of PriorityTier" },
	};

	(void)state;
	CHECK("slurm.conf", bad, "NodeName=n[1-3]\nPartitionName=p Nodes=n1\n");
}

static void test_nodes_that_are_named_over_and_over_have_a_bound(void **state)
{
	static const char line[] = "PartitionName=p00 Nodes=s\n";
	char text[3000] = "NodeName=x[1-60000]y[1] Feature=fast\nNodeSet=s Feature=fast\n", *end = text + strlen(text);

	(void)state;
	for (int i = 0; i < 50; i++, end += sizeof(line) - 1)
		sprintf(end, "PartitionName=p%02d Nodes=s\n", i);
	cell_dir_write(&dir, "slurm.conf", text);
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, FAULT, "slurm.conf", 37,
				   "with \"s\" the nodes of all partitions come to more than 2097152 ranges"));
	assert_int_equal(dir.report.faults, 1);
}

static void test_bad_associations_are_refused(void **state)
{
	static const struct bad bad[] = {
		{ "User - 'u':Fairshare=-1", "\"-1\" of Fairshare: a whole number from 0 to 2147483646, or parent" },
		{ "User - 'u':Fairshare=2147483648", "of Fairshare" },
		{ "User - 'u':Fairshare=x", "of Fairshare" },
		{ "User - 'u':Priority=4294967295", "of Priority: a whole number from 0 to 4294967294" },
		{ "User - 'u':Priority=-1", "of Priority" },
		{ "Account - 'b':Description='open:Fairshare=3", "the quote is not closed" },
		{ "Account - 'b'x", "the quote is not closed before a colon" },
		{ "User - 'u':Fairshare", "\"Fairshare\" found where an attribute is expected" },
		{ "User 'u'", "\"User 'u'\" found" },
		{ "User", "\"User\" found" },
		{ "User - ''", "the name \"\" found" },
		{ "User - ", "the name \"\" found" },
		{ "Account - 'A'", "account \"a\" is already in line 3" },
		{ "User - 'w'", "user \"w\" of account \"a\" appears twice" },
		{ "Cluster - 'second'", "a second Cluster line" },
		{ "Parent - 'nobody'\nUser - 'u'", "\"u\" is below account \"nobody\", which does not exist yet" },
		{ "Parent - 'late'\nUser - 'u'\nParent - 'root'\nAccount - 'late'\nParent - 'root'\nUser - 'u':Fairshare=x",
		  "of Fairshare" },
		{ "User - 'u':GrpTRESMins=cpu", "\"cpu\" of GrpTRESMins: KIND=minutes, whole numbers up to" },
		{ "User - 'u':GrpTRESMins=cpu=1.5", "of GrpTRESMins" },
		{ "User - 'u':GrpTRESMins=cpu=-1", "of GrpTRESMins" },
		{ "User - 'u':GrpTRESMins=cpu=9007199254740994", "of GrpTRESMins" },
		{ "User - 'u':GrpTRESMins=mem=1e60,cpu=nan", "of GrpTRESMins" },
		{ "Account - 'b'\nParent - 'b'\nAccount - 'b'", "account \"b\" is already in line 6" },
	};
	static const struct bad first[] = { { "User - 'u'", "is before the first Parent line" } };

	(void)state;
	CHECK("associations", bad, "Cluster - 'c'\nParent - 'root'\nAccount - 'a'\nParent - 'a'\nUser - 'w'\n");
	CHECK("associations", first, "Cluster - 'c'\n");
}

static void test_an_account_listed_after_its_children_is_refused(void **state)
{
	(void)state;
	cell_dir_write(&dir, "associations", "Parent - 'late'\nUser - 'u'\nParent - 'root'\nAccount - 'late'\n");
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, FAULT, "associations", 2, "account \"late\", which does not exist yet"));
	cell_dir_write(&dir, "associations", "Parent - 'a'\nAccount - 'b'\nParent - 'b'\nAccount - 'a'\n");
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, FAULT, "associations", 2, "which does not exist yet"));
	assert_int_equal(dir.cell.slurm.nassociations, 1);
}

static void test_bad_usage_is_refused(void **state)
{
	static const struct bad tree[] = {
		{ " a||1|-1\n a|u|1|-1", "\"-1\" of RawUsage: a number from 0 to 1e100" },
		{ " a||1|0\n a|u|1|nan", "of RawUsage" },
		{ " a||1|0\n a|u|1|1e999", "of RawUsage" },
		{ " a||x|0", "\"x\" of RawShares" },
		{ " a||2147483648|0", "of RawShares" },
		{ "   a||1|0", "by at most a blank more" },
		{ "root|||0", "the first account is not indented" },
		{ " root||1|0", "account \"root\" is already in line 2" },
		{ " |u|1|0", "of Account: at most 255 bytes" },
		{ " b|u|1|0", "below account \"b\", which does not exist yet" },
		{ " a||1|0\n a|u|1|0\n a|u|1|0", "user \"u\" of account \"a\" appears twice" },
	};
	static const struct bad usage[] = { { " atlas|ann|1|0\n atlas|ann|1|0",
					      "a second line of \"ann\" in account \"atlas\"" } };
	static const struct bad headings[] = {
		{ "User|RawShares|RawUsage", "there is no column \"Account\"" },
		{ "Account|User|RawShares", "there is no column \"RawUsage\"" },
		{ "Account              User  RawShares  NormShares    RawUsage", "there is no column \"Account\"" },
	};

	(void)state;
	CHECK("sshare", usage, "Account|User|RawShares|RawUsage\n");
	CHECK("sshare", headings, "");
	shell("rm '%s/associations'%s", dir.path, "");
	CHECK("sshare", tree, "Account|User|RawShares|RawUsage\nroot|||0\n");
}

static void test_bad_qos_are_refused(void **state)
{
	static const struct bad bad[] = {
		{ "a|-1|1|", "\"-1\" of Priority: a whole number from 0 to 4294967294" },
		{ "a|4294967295|1|", "of Priority" },
		{ "a|1|x|", "\"x\" of UsageFactor: a number from -1e100 to 1e100 is allowed" },
		{ "a|1|inf|", "of UsageFactor" },
		{ "|1|1|", "of Name" },
	};
	static const struct bad headings[] = { { "Name|UsageFactor", "there is no column \"Priority\"" } };

	(void)state;
	CHECK("qos", bad, "Name|Priority|UsageFactor|Flags\n");
	CHECK("qos", headings, "");
	cell_dir_write(&dir, "qos", "Name|Priority\na|1\nb|1\na|2\n");
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, FAULT, "qos", 0, "QOS \"a\" appears twice"));
}

/* Damage */

static const char *const tokens[] = {
	"nan", "-1", "1e308", "4294967296", "\\\n", "#", "[", "]", "=", "-", "\n", "|", ",", ":", "0x", "%s%n", "'", "\"", "99999999999999999999",
	"INFINITE", "[1-9]", "[01-", " ", "parent", "\nInclude slurm.conf\n", "NodeName=", "PartitionName=DEFAULT ", "ALL", "\xff\xfe",
};

/* Check the properties that every user of a cell without faults relies on. */
static void check_sound(const struct slurm_conf *conf)
{
	size_t i, t;

	assert_true(conf->calc_period >= 60 && conf->damping <= 65535 && conf->ntres >= TRES_STANDARD &&
		    conf->ntres <= TRES_MOST);
	for (t = 0; t < conf->ntres; t++)
		assert_true(conf->tres[t] && isfinite(conf->weight_tres[t]));
	for (i = 0; i < conf->npartitions; i++)
		for (t = 0; t < conf->ntres; t++)
			assert_true(isfinite(conf->partitions[i].total[t]) && conf->partitions[i].total[t] >= 0 &&
				    conf->partitions[i].billing[t] >= 0);
	for (i = 0; i < conf->npartitions; i++)
		assert_ptr_equal(slurm_partition(conf, conf->partitions[i].name), &conf->partitions[i]);
	for (i = 0; i < conf->nqos; i++)
		assert_ptr_equal(slurm_qos(conf, conf->qos[i].name), &conf->qos[i]);
	for (i = 0; i < conf->nassociations; i++) {
		assert_true(i == 0 ? conf->associations[i].parent == UINT32_MAX : conf->associations[i].parent < i);
		assert_true(isfinite(conf->associations[i].usage) && conf->associations[i].usage >= 0 &&
			    conf->associations[i].shares <= SHARES_PARENT);
		assert_int_equal(slurm_association(conf, conf->associations[i].account, conf->associations[i].user,
						   conf->associations[i].partition),
				 i);
	}
}

static void check_damage(const char *name, int rounds)
{
	static struct bytes intact, bytes;
	char path[200];
	int i, j;

	snprintf(path, sizeof(path), "conf/multifactor/%s", name);
	file_read(&intact, path);
	for (i = 0; i < rounds; i++) {
		bytes = intact;
		for (j = (int)chance(5); j >= 0; j--)
			bytes_damage(&bytes, tokens, sizeof(tokens) / sizeof(*tokens));
		cell_dir_put(&dir, name, bytes.data, bytes.n);
		cell_dir_load(&dir);
		if (dir.report.faults == 0)
			check_sound(&dir.cell.slurm);
	}
	cell_dir_put(&dir, name, intact.data, intact.n);
}

static void test_damage_by_chance_never_crashes_the_readers(void **state)
{
	(void)state;
	seed_choose();
	cell_dir_write(&dir, "sshare", "Account|User|RawShares|RawUsage\nroot|||0\n atlas|ann|1|3\n");
	shell("grep -v '^#' conf/multifactor/slurm.conf > '%s/slurm.conf'%s", dir.path, "");
	check_damage("slurm.conf", 1000);
	check_damage("associations", 600);
	check_damage("qos", 300);
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	check_sound(&dir.cell.slurm);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bad_parameters_are_refused),
		TEST(test_lines_that_are_no_pairs_are_refused),
		TEST(test_bad_nodes_are_refused),
		TEST(test_bad_partitions_are_refused),
		TEST(test_nodes_that_are_named_over_and_over_have_a_bound),
		TEST(test_bad_associations_are_refused),
		TEST(test_an_account_listed_after_its_children_is_refused),
		TEST(test_bad_usage_is_refused),
		TEST(test_bad_qos_are_refused),
		TEST(test_damage_by_chance_never_crashes_the_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
