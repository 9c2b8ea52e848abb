/* SPDX-License-Identifier: Apache-2.0 */
/* Groups and concurrency limits of condor_config, and the findings of lint about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/condor/config_text.h"

static void test_groups_are_a_tree_by_name(void **state)
{
	const struct condor_conf *conf = read_text(
		"GROUP_NAMES = phys.hep, chem, Phys, phys.HEP.top, gone.x, CHEM\nGROUP_QUOTA_PHYS = 20\n"
		"GROUP_QUOTA_DYNAMIC_phys = .5\nGROUP_QUOTA_DYNAMIC_phys.hep = 0.25\nGROUP_ACCEPT_SURPLUS = True\n"
		"GROUP_ACCEPT_SURPLUS_chem = False\nGROUP_AUTOREGROUP_phys.hep = 1\nGROUP_PRIO_FACTOR_<none> = 3\n"
		"GROUP_PRIO_FACTOR_chem = 0.5\n");

	(void)state;
	assert_int_equal(d.report.faults, 0);
	assert_int_equal(conf->ngroups, 5);
	assert_string_equal(conf->groups[1].name, "chem");
	assert_string_equal(conf->groups[2].name, "Phys");
	assert_string_equal(conf->groups[3].name, "phys.hep");
	assert_string_equal(conf->groups[4].name, "phys.HEP.top");
	assert_int_equal(conf->groups[0].nchildren, 2);
	assert_int_equal(conf->groups[3].parent, 2);
	assert_int_equal(conf->groups[2].first_child, 3);
	assert_int_equal(conf->groups[4].parent, 3);
	assert_true(conf->groups[2].is_static && conf->groups[2].quota == 20);
	assert_string_equal(conf->groups[2].quota_by, "GROUP_QUOTA_PHYS");
	assert_true(!conf->groups[3].is_static && conf->groups[3].has_quota && conf->groups[3].quota == 0.25);
	assert_false(conf->groups[1].has_quota);
	assert_false(conf->groups[1].accepts_surplus);
	assert_true(conf->groups[2].accepts_surplus);
	assert_string_equal(conf->groups[1].surplus_by, "GROUP_ACCEPT_SURPLUS_chem");
	assert_string_equal(conf->groups[2].surplus_by, "GROUP_ACCEPT_SURPLUS");
	assert_null(conf->groups[2].autoregroup_by);
	assert_true(conf->groups[3].autoregroup && conf->groups[0].autoregroup && !conf->groups[4].autoregroup);
	assert_true(conf->groups[0].prio_factor == 3 && conf->groups[1].prio_factor == 1);
	assert_true(reported(WARNING, 1, "gone.x"));
	assert_true(reported(WARNING, 1, "appears twice"));
	assert_true(reported(WARNING, 1, "neither GROUP_QUOTA_chem"));
	assert_true(reported(WARNING, 3, "the latter counts"));
	assert_true(reported(WARNING, 9, "below 1"));
	done();
}

static void test_the_manual_ignores_groups_without_quota_and_scales_quotas(void **state)
{
	const struct condor_conf *conf =
		read_text("NEGOTIATION = manual\nGROUP_NAMES = a, a.b, c\nGROUP_QUOTA_a.b = 1\nGROUP_QUOTA_c = 2\n");

	(void)state;
	assert_int_equal(conf->follows, FOLLOWS_MANUAL);
	assert_false(conf->oversubscription);
	assert_int_equal(conf->ngroups, 2);
	assert_string_equal(conf->groups[1].name, "c");
	done();
	conf = read_text(
		"NEGOTIATION = manual\nNEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = true\nGROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 1\n");
	assert_true(conf->oversubscription);
	assert_true(reported(FAULT, 4, "less than 1"));
	done();
}

static void test_the_first_listed_of_names_that_differ_in_case_wins(void **state)
{
	const struct condor_conf *conf = read_text(
		"GROUP_NAMES = physics PHYSICS Chem.x chem CHEM\nGROUP_QUOTA_Physics = 1\nGROUP_QUOTA_chem = 1\nGROUP_QUOTA_chem.x = 1\n");

	(void)state;
	assert_int_equal(conf->ngroups, 4);
	assert_string_equal(conf->groups[1].name, "chem");
	assert_string_equal(conf->groups[2].name, "physics");
	assert_string_equal(conf->groups[3].name, "Chem.x");
	assert_true(reported(WARNING, 1, "\"PHYSICS\" found: it appears twice"));
	assert_true(reported(WARNING, 1, "\"CHEM\" found: it appears twice"));
	done();
}

static void test_limits_are_found_by_name_and_scope(void **state)
{
	const struct condor_conf *conf =
		read_text("XSW_LIMIT = 4\nCONCURRENCY_LIMIT_DEFAULT = 2\nCONCURRENCY_LIMIT_DEFAULT_SMALL = "
			  "3\nlic.a_LIMIT = 2 * 3\n"
			  "NEGOTIATOR.net_LIMIT = 7\nnet_LIMIT = 8\nFOO_LIMIT = bar\n");

	(void)state;
	assert_int_equal(d.report.faults, 0);
	assert_true(condor_limit(conf, "xsw") == 4);
	assert_true(condor_limit(conf, "small.license") == 3);
	assert_true(condor_limit(conf, "LIC.A") == 6);
	assert_true(condor_limit(conf, "net") == 7);
	assert_true(condor_limit(conf, "foo") == 2);
	assert_true(reported(WARNING, 7, "not a concurrency limit"));
	done();
}

static void test_risky_settings_are_reported(void **state)
{
	(void)state;
	read_text(
		"GROUP_NAMES = a b c\nGROUP_QUOTA_DYNAMIC_a = 0.7\nGROUP_QUOTA_DYNAMIC_b = 0.6\nGROUP_QUOTA_c = 1\nDEFAULT_PRIO_FACTOR = 0.5\n"
		"ALLOW_PSLOT_PREEMPTION = True\nNEGOTIATOR_MAX_TIME_PER_SUBMITTER = 0\nUID_DOMAIN = a.b\nACCOUNTANT_LOCAL_DOMAIN = A.b\n");
	assert_int_equal(d.report.faults, 0);
	assert_true(reported(WARNING, 1, "come to 1.3"));
	assert_true(reported(WARNING, 5, "below 1"));
	assert_true(reported(WARNING, 6, "several slots"));
	assert_true(reported(WARNING, 7, "no submitter is ever served"));
	assert_true(reported(WARNING, 9, "are remote"));
	done();
}

static void test_macros_that_have_no_effect_here_are_reported(void **state)
{
	(void)state;
	read_text(
		"NEGOTIATOR_JOB_CONSTRAINT = JobUniverse == 5\nCONSUMPTION_POLICY = False\nSTARTD.CONSUMPTION_POLICY = True\n"
		"NEGOTIATOR_MATCH_EXPRS = X\nSCHEDD_SLOT_WEIGHT = Cpus\nNEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD = 0\nSUSPEND = $(SUSPEND)\n"
		"NUM_SLOTS_TYPE_1 = 1\nSTARTD.NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD = 60\n");
	assert_int_equal(d.report.faults, 0);
	assert_int_equal(d.report.n, 6);
	assert_true(reported(WARNING, 1, "NEGOTIATOR_JOB_CONSTRAINT = JobUniverse == 5 found, which has no effect here"));
	assert_true(reported(WARNING, 3, "CONSUMPTION_POLICY"));
	assert_true(reported(WARNING, 4, "NEGOTIATOR_MATCH_EXPRS"));
	assert_true(reported(WARNING, 5, "SCHEDD_SLOT_WEIGHT"));
	assert_true(reported(WARNING, 8, "slots are those of the queues, or reported"));
	assert_true(reported(WARNING, 9, "NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD"));
	done();
}

/* Function calls and attributes in each expression of the configuration. */
static void test_calls_and_attributes_without_effect_are_reported(void **state)
{
	(void)state;
	read_text(
		"PREEMPTION_REQUIREMENTS = userHome(RemoteUser) == \"x\"\nSTART = getDays(3) > 1\nGROUP_SORT_EXPR = unresolved(x)\n"
		"PREEMPT = RemoteUserPrio > 3 && KeyboardIdle < 60\nKILL = TotalJobRunTme > 3\nWANT_VACATE = $(SmallJob)\n"
		"PREEMPTION_RANK = RemoteUserPrio - TotalJobRunTime + size(splitUserName(RemoteUser))\nRANK = 'random'\n");
	assert_int_equal(d.report.faults, 0);
	assert_true(reported(WARNING, 1, "PREEMPTION_REQUIREMENTS: userHome() found: there is no such function here"));
	assert_true(reported(WARNING, 2, "START: getDays() found"));
	assert_true(reported(WARNING, 3, "GROUP_SORT_EXPR: unresolved() found"));
	assert_true(reported(WARNING, 4, "attribute RemoteUserPrio found: only the negotiation sets it"));
	assert_true(reported(WARNING, 4, "attribute KeyboardIdle found: it is not measured here"));
	assert_true(reported(WARNING, 5, "is TotalJobRunTime meant?"));
	assert_true(reported(WARNING, 6, "attribute ImageSize found"));
	for (size_t i = 0; i < d.report.n; i++)
		assert_true(d.report.findings[i].line < 7);
	done();
}

static void pool_put(const char *config)
{
	cell_dir_create(&d, "conf/default");
	cell_dir_write(&d, "condor_config", config);
	shell("rm '%s/sched_conf'%s", d.path, "");
	cell_dir_load(&d);
}

static void test_quotas_are_compared_with_the_cells_queues(void **state)
{
	(void)state;
	pool_put("GROUP_NAMES = a b\nGROUP_QUOTA_a = 20000\nGROUP_QUOTA_b = 10000\n");
	assert_true(reported(WARNING, 1, "are not scaled down"));
	done();
	pool_put(
		"NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False\nGROUP_NAMES = a b\nGROUP_QUOTA_a = 20000\nGROUP_QUOTA_b = 10000\n");
	assert_true(reported(WARNING, 2, "they are scaled down to that"));
	done();
	pool_put("GROUP_NAMES = a b\nGROUP_QUOTA_a = 1.5\nGROUP_QUOTA_b = 1.5\n");
	assert_true(reported(WARNING, 1, "1 slots stay idle"));
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups_are_a_tree_by_name),
		cmocka_unit_test(test_the_manual_ignores_groups_without_quota_and_scales_quotas),
		cmocka_unit_test(test_the_first_listed_of_names_that_differ_in_case_wins),
		cmocka_unit_test(test_limits_are_found_by_name_and_scope),
		cmocka_unit_test(test_risky_settings_are_reported),
		cmocka_unit_test(test_macros_that_have_no_effect_here_are_reported),
		cmocka_unit_test(test_calls_and_attributes_without_effect_are_reported),
		cmocka_unit_test(test_quotas_are_compared_with_the_cells_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
