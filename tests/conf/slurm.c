/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.conf(5): its syntax, its parameters, and their combined effects. */
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
	cell_dir_write(&dir, "associations", "Parent - 'root'\nAccount - 'phys'\n");
	cell_dir_write(&dir, "qos", "Name|Priority\nnormal|0\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

/* Read a cell whose slurm.conf has this text after two lines of nodes and partitions. */
static const struct slurm_conf *read_all(const char *text)
{
	char file[4000];

	snprintf(file, sizeof(file),
		 "NodeName=n[1-4] CPUs=2 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n%s", text);
	cell_dir_write(&dir, "slurm.conf", file);
	return &cell_dir_load(&dir)->slurm;
}

static const struct slurm_conf *read_clean(const char *text)
{
	char file[3000];

	snprintf(file, sizeof(file), "PriorityWeightAge=1\n%s", text);
	read_all(file);
	cell_dir_check_clean(&dir);
	return &dir.cell.slurm;
}

static void test_the_multifactor_cell_is_clean_and_has_every_kind_of_line(void **state)
{
	struct cell_dir cell_dir;
	const struct slurm_conf *conf;

	(void)state;
	cell_dir_create(&cell_dir, "conf/multifactor");
	conf = &cell_dir_load(&cell_dir)->slurm;
	cell_dir_check_clean(&cell_dir);
	assert_string_equal(cell_dir.cell.sched.algorithm, "multifactor");
	assert_int_equal(conf->npartitions, 3);
	assert_int_equal(conf->nodes, 20);
	assert_int_equal(conf->cpus, 640);
	assert_int_equal(conf->nassociations, 12);
	assert_int_equal(conf->nqos, 3);
	assert_true(slurm_partition(conf, "gpu")->total[slurm_tres(conf, "gres/gpu")] == 16);
	cell_dir_destroy(&cell_dir);
}

static void test_missing_parameters_have_the_defaults_of_slurm(void **state)
{
	const struct slurm_conf *conf = read_all("");

	(void)state;
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 0, "all PriorityWeight parameters are 0"));
	assert_true(conf->present && conf->version == PRIORITY_CURRENT && conf->method == FAIRSHARE_FAIR_TREE &&
		    conf->ties == TIES_IMPLEMENTED);
	assert_true(conf->siblings == SIBLINGS_NEWEST_FIRST && conf->charge_ends == CHARGE_ENDS_ALWAYS &&
		    conf->reset == RESET_NONE);
	assert_int_equal(conf->half_life, 604800);
	assert_int_equal(conf->calc_period, 300);
	assert_int_equal(conf->max_age, 604800);
	assert_int_equal(conf->damping, 1);
	assert_true(!conf->favor_small && !conf->flags && !conf->enforce_limits && !conf->no_storage &&
		    !conf->weight_fairshare);
	assert_string_equal(conf->weight_tres_typed, "");
}

static void test_a_slurm_conf_without_a_sched_conf_chooses_the_algorithm(void **state)
{
	(void)state;
	read_clean("");
	assert_string_equal(dir.cell.sched.algorithm, "multifactor");
	assert_string_equal(dir.cell.sched.typed.items[0].text, "multifactor");
	shell("cp conf/default/sched_conf '%s'%s", dir.path, "");
	read_all("PriorityWeightAge=1");
	assert_string_equal(dir.cell.sched.algorithm, "default");
	assert_true(cell_dir_found(&dir, WARNING, "sched_conf", 4, "it has no effect"));
	shell("sed -i 's/^algorithm.*/algorithm multifactor/' '%s/sched_conf'%s", dir.path, "");
	read_all("PriorityWeightAge=1");
	assert_string_equal(dir.cell.sched.algorithm, "multifactor");
	assert_false(cell_dir_found(&dir, WARNING, "sched_conf", 4, ""));
	shell("rm '%s/slurm.conf'%s", dir.path, "");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "sched_conf", 4, "slurm.conf, which does not exist"));
	assert_int_equal(dir.cell.slurm.weight_age, 0);
	assert_int_equal(dir.cell.slurm.ntres, TRES_STANDARD);
}

static void test_keys_have_no_case_and_pairs_may_share_a_line(void **state)
{
	const struct slurm_conf *conf = read_clean(
		"priorityweightqos=5 PRIORITYWEIGHTASSOC = 6\tPriorityWeightJobSize=\"7\" # PriorityWeightQOS=8\n"
		"Prolog=/usr/bin/true Epilog=\"a b = c\" \\\n   PriorityWeightPartition=9\nFoo+=3\n");

	(void)state;
	assert_int_equal(conf->weight_qos, 5);
	assert_int_equal(conf->weight_assoc, 6);
	assert_int_equal(conf->weight_job_size, 7);
	assert_int_equal(conf->weight_partition, 9);
}

static void test_numbers_have_radices_and_letters_and_infinity(void **state)
{
	const struct slurm_conf *conf = read_all(
		"PriorityWeightAge=0x10\nPriorityWeightAssoc=010\nPriorityWeightQOS=1K\nPriorityWeightJobSize=UNLIMITED\n"
		"FairShareDampeningFactor=infinite\nPriorityWeightPartition=2M\n");

	(void)state;
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(conf->weight_age, 16);
	assert_int_equal(conf->weight_assoc, 8);
	assert_int_equal(conf->weight_qos, 1024);
	assert_int_equal(conf->weight_partition, 2097152);
	assert_true(conf->weight_job_size == UINT32_MAX);
	assert_int_equal(conf->damping, 65535);
}

static void check_time(const char *text, uint32_t seconds)
{
	char line[100];

	snprintf(line, sizeof(line), "PriorityMaxAge=%s", text);
	assert_int_equal(read_clean(line)->max_age, seconds);
}

static void test_times_are_rounded_up_to_whole_minutes(void **state)
{
	(void)state;
	check_time("10", 600);
	check_time("1:00", 60);
	check_time("1:01", 120);
	check_time("00:00:30", 60);
	check_time("2:00:00", 7200);
	check_time("7-0", 604800);
	check_time("1-", 86400);
	check_time("1-30", 194400);
	check_time("1-2:3", 86400 + 7200 + 180);
	check_time("1-2:3:4", 86400 + 7200 + 240);
	check_time("0", 0);
	check_time("INFINITE", UINT32_MAX - 59);
	check_time("unlimited", UINT32_MAX - 59);
	check_time("-1", UINT32_MAX - 59);
}

static void check_period(const char *word, enum usage_reset reset)
{
	char line[100];

	snprintf(line, sizeof(line), "PriorityUsageResetPeriod=%s", word);
	assert_int_equal(read_clean(line)->reset, reset);
}

static void test_words_are_case_insensitive(void **state)
{
	(void)state;
	check_period("none", RESET_NONE);
	check_period("Now", RESET_NOW);
	check_period("daily", RESET_DAILY);
	check_period("WEEKLY", RESET_WEEKLY);
	check_period("monthly", RESET_MONTHLY);
	check_period("quarterly", RESET_QUARTERLY);
	check_period("yearly", RESET_YEARLY);
	assert_true(read_clean("PriorityFavorSmall=up")->favor_small);
	assert_true(read_clean("PriorityFavorSmall=TRUE")->favor_small);
	assert_true(read_clean("PriorityFavorSmall=1")->favor_small);
	assert_false(read_clean("PriorityFavorSmall=Down")->favor_small);
	assert_int_equal(read_clean("FairTreeTies=Documented")->ties, TIES_DOCUMENTED);
	assert_int_equal(read_clean("FairTreeSiblings=NAME")->siblings, SIBLINGS_BY_NAME);
	assert_int_equal(read_clean("ChargeJobEnd=limits")->charge_ends, CHARGE_ENDS_WITH_LIMITS);
}

static void test_flags_and_version_choose_the_method(void **state)
{
	(void)state;
	assert_int_equal(read_clean("PriorityFlags=FAIR_TREE")->method, FAIRSHARE_FAIR_TREE);
	assert_int_equal(read_clean("PriorityFlags=no_fair_tree")->method, FAIRSHARE_CLASSIC);
	assert_int_equal(dir.cell.slurm.flags, FLAG_NO_FAIR_TREE);
	assert_int_equal(read_clean("PriorityFlags=DEPTH_OBLIVIOUS,FAIR_TREE")->method, FAIRSHARE_DEPTH_OBLIVIOUS);
	assert_int_equal(read_clean("PriorityVersion=2009\nPriorityFlags=DEPTH_OBLIVIOUS")->method, FAIRSHARE_2009);
	assert_int_equal(read_clean("PriorityVersion=current")->method, FAIRSHARE_FAIR_TREE);
}

static void test_flags_are_found_anywhere_in_the_value(void **state)
{
	unsigned none = FLAG_NO_NORMAL_ASSOC | FLAG_NO_NORMAL_PART | FLAG_NO_NORMAL_QOS | FLAG_NO_NORMAL_TRES;

	(void)state;
	assert_int_equal(
		read_clean("PriorityFlags=xACCRUE_ALWAYS;incr_only,CALCULATE_RUNNINGSMALL_RELATIVE_TO_TIME")->flags,
		FLAG_ACCRUE_ALWAYS | FLAG_INCR_ONLY | FLAG_CALCULATE_RUNNING | FLAG_SMALL_RELATIVE_TO_TIME);
	assert_int_equal(read_clean("PriorityFlags=NO_NORMAL_ALL")->flags, none);
	assert_int_equal(read_clean("PriorityFlags=\"NO_NORMAL_QOS, NO_NORMAL_PART\"")->flags,
			 FLAG_NO_NORMAL_QOS | FLAG_NO_NORMAL_PART);
	assert_int_equal(read_clean("PriorityFlags=MAX_TRES")->flags, FLAG_MAX_TRES);
	assert_int_equal(read_clean("PriorityFlags=MAX_TRES_GRES")->flags, FLAG_MAX_TRES_GRES);
	read_all("PriorityFlags=NONSENSE,MAX_TRES");
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 3, "\"NONSENSE\" is not a word of PriorityFlags"));
}

static void test_enforcement_and_storage_are_understood(void **state)
{
	(void)state;
	assert_true(read_clean("AccountingStorageEnforce=associations,Limits")->enforce_limits);
	assert_true(read_clean("AccountingStorageEnforce=safe")->enforce_limits);
	assert_false(read_clean("AccountingStorageEnforce=associations,qos")->enforce_limits);
	assert_false(read_clean("AccountingStorageType=accounting_storage/slurmdbd")->no_storage);
	assert_false(read_clean("AccountingStorageType=accounting_storage/mysql")->no_storage);
	assert_true(read_all("PriorityWeightAge=1\nAccountingStorageType=accounting_storage/none")->no_storage);
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 4, "count as 0"));
}

static void test_half_life_0_needs_a_reset_period_that_is_written(void **state)
{
	(void)state;
	read_all("\nPriorityDecayHalfLife=0");
	assert_true(cell_dir_found(&dir, FAULT, "slurm.conf", 4, "there is no PriorityUsageResetPeriod"));
	assert_int_equal(read_clean("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE")->half_life, 0);
}

static void test_the_last_of_two_settings_of_a_parameter_counts(void **state)
{
	(void)state;
	assert_int_equal(read_all("PriorityWeightAge=1\nPriorityWeightAge=2")->weight_age, 2);
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 4,
				   "PriorityWeightAge is already in line 3: the last one counts"));
}

static void test_included_files_are_relative_to_the_including_file(void **state)
{
	const struct slurm_conf *conf;

	(void)state;
	cell_dir_write(&dir, "hgrp/site.conf",
		       "PriorityWeightAge=3\ninclude deeper/weights.conf   # by its own folder\nPriorityMaxAge=abc\n");
	cell_dir_write(&dir, "hgrp/deeper/weights.conf", "PriorityWeightQOS=4\n");
	conf = read_all("FairTreeTies=documented\nInclude hgrp/site.conf\nPriorityWeightAssoc=5\n");
	assert_int_equal(conf->weight_age, 3);
	assert_int_equal(conf->weight_qos, 4);
	assert_int_equal(conf->weight_assoc, 5);
	assert_true(cell_dir_found(&dir, FAULT, "hgrp/site.conf", 3, "\"abc\" of PriorityMaxAge"));
}

static void test_a_parameter_after_an_include_overrides_it_silently(void **state)
{
	(void)state;
	cell_dir_write(&dir, "site.conf", "PriorityWeightAge=3\nPriorityWeightQOS=4\n");
	cell_dir_write(&dir, "slurm.conf",
		       "NodeName=n\nPartitionName=p Nodes=n\nInclude site.conf\nPriorityWeightQOS=6\n");
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_int_equal(dir.cell.slurm.weight_age, 3);
	assert_int_equal(dir.cell.slurm.weight_qos, 6);
}

static void test_files_that_include_themselves_or_too_deep_are_refused(void **state)
{
	char name[20], text[40];
	int i;

	(void)state;
	cell_dir_write(&dir, "loop.conf", "\nInclude ./slurm.conf\n");
	read_all("Include loop.conf");
	assert_true(cell_dir_found(&dir, FAULT, "loop.conf", 2, "the file includes itself"));
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "deep%d.conf", i);
		snprintf(text, sizeof(text), "Include deep%d.conf\n", i + 1);
		cell_dir_write(&dir, name, text);
	}
	read_all("Include deep0.conf");
	assert_int_equal(dir.report.faults, 1);
	assert_true(cell_dir_found(&dir, FAULT, "deep14.conf", 1, "at most 16 files deep"));
}

static void test_two_includes_a_file_do_not_multiply_without_end(void **state)
{
	char name[20], text[60];
	int i;

	(void)state;
	for (i = 0; i < 14; i++) {
		snprintf(name, sizeof(name), "twice%d.conf", i);
		snprintf(text, sizeof(text), "Include twice%d.conf\nInclude twice%d.conf\n", i + 1, i + 1);
		cell_dir_write(&dir, name, i < 13 ? text : "");
	}
	read_all("Include twice0.conf");
	assert_non_null(strstr(dir.report.findings[0].text, "at most 16 files deep and 1000 in all"));
}

static void test_weights_without_their_data_are_warnings(void **state)
{
	static const char none[] =
		"there are none, here or in sshare: all jobs have fair-share and association factor 0";

	(void)state;
	shell("rm '%s/associations' '%s/qos'", dir.path, dir.path);
	read_all("PriorityWeightAge=1");
	cell_dir_check_clean(&dir);
	read_all("PriorityWeightFairshare=1");
	assert_true(cell_dir_found(&dir, WARNING, "associations", 0, none));
	assert_int_equal(dir.report.warnings, 1);
	read_all("PriorityWeightQOS=1");
	assert_true(cell_dir_found(&dir, WARNING, "qos", 0, "there are none: all jobs have QOS factor 0"));
	cell_dir_write(&dir, "sshare", "Account|User|RawShares|RawUsage\nroot|||0\n");
	read_all("PriorityWeightAssoc=1");
	cell_dir_check_clean(&dir);
}

static void test_settings_that_hurt_are_warnings(void **state)
{
	(void)state;
	read_all("PriorityWeightAge=4000000000\nPriorityWeightQOS=1000000000\n");
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 0, "add up to 5000000000"));
	read_all("FairShareDampeningFactor=0");
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 3, "FairShareDampeningFactor is 0"));
	read_all("PriorityType=priority/basic");
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 3, "priority/multifactor is computed anyway"));
	read_all("PriorityWeigthAge=3");
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 3, "\"PriorityWeigthAge\" is not a known parameter"));
	read_all("PriorityVersion=2009\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=DAILY");
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 4, "two half-lives"));
	read_all("PrioritySiteFactorPlugin=site_factor/ours");
	assert_true(
		cell_dir_found(&dir, WARNING, "slurm.conf", 3, "\"site_factor/ours\" found: plugins are not called"));
	cell_dir_write(&dir, "slurm.conf", "PriorityWeightAge=1\n");
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 0, "there is no PartitionName line"));
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 0, "there is no NodeName line"));
	assert_int_equal(dir.report.faults, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_multifactor_cell_is_clean_and_has_every_kind_of_line),
		TEST(test_missing_parameters_have_the_defaults_of_slurm),
		TEST(test_a_slurm_conf_without_a_sched_conf_chooses_the_algorithm),
		TEST(test_keys_have_no_case_and_pairs_may_share_a_line),
		TEST(test_numbers_have_radices_and_letters_and_infinity),
		TEST(test_times_are_rounded_up_to_whole_minutes),
		TEST(test_words_are_case_insensitive),
		TEST(test_flags_and_version_choose_the_method),
		TEST(test_flags_are_found_anywhere_in_the_value),
		TEST(test_enforcement_and_storage_are_understood),
		TEST(test_half_life_0_needs_a_reset_period_that_is_written),
		TEST(test_the_last_of_two_settings_of_a_parameter_counts),
		TEST(test_included_files_are_relative_to_the_including_file),
		TEST(test_a_parameter_after_an_include_overrides_it_silently),
		TEST(test_files_that_include_themselves_or_too_deep_are_refused),
		TEST(test_two_includes_a_file_do_not_multiply_without_end),
		TEST(test_weights_without_their_data_are_warnings),
		TEST(test_settings_that_hurt_are_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
