/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults, groups and factors of submitters, and the parts of limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "conf/condor.h"

static struct condor_group groups[] = {
	{ .name = "<none>", .first_child = 1, .nchildren = 2 },
	{ .name = "chem", .prio_factor = 7 },
	{ .name = "Physics", .first_child = 3, .nchildren = 3 },
	{ .name = "Physics.HE", .parent = 2 },
	{ .name = "Physics.hep", .parent = 2, .first_child = 6, .nchildren = 1 },
	{ .name = "Physics.lep", .parent = 2 },
	{ .name = "Physics.hep.top", .parent = 4, .prio_factor = 3 },
};

static struct condor_conf tree(void)
{
	return (struct condor_conf){
		.groups = groups,
		.ngroups = sizeof(groups) / sizeof(*groups),
		.default_factor = 1000,
		.nice_user_factor = 1e10,
		.remote_factor = 1e7,
		.local_domain = (char *)"pool",
	};
}

static uint32_t group_of(const char *submitter, bool *whole)
{
	struct condor_conf conf = tree();

	return condor_group_of(&conf, submitter, whole);
}

static void test_a_submitter_belongs_to_the_deepest_existing_group(void **state)
{
	bool whole;

	(void)state;
	assert_int_equal(group_of("ann@pool", &whole), 0);
	assert_true(whole);
	assert_int_equal(group_of("physics.ann@pool", &whole), 2);
	assert_int_equal(group_of("PHYSICS.Hep.TOP.ann@pool", &whole), 6);
	assert_true(whole);
	assert_int_equal(group_of("physics.hep.bottom.ann@pool", &whole), 4);
	assert_false(whole);
	assert_int_equal(group_of("john.smith@pool", &whole), 0);
	assert_false(whole);
	assert_int_equal(group_of("physics.he.ann@pool", NULL), 3);
	assert_int_equal(group_of("physics.h.ann@pool", NULL), 2);
	assert_int_equal(group_of("physics.ann@a.b@c.d", NULL), 2);
	assert_int_equal(group_of(".ann@pool", &whole), 0);
	assert_true(whole);
	assert_int_equal(group_of("", NULL), 0);
}

static void test_a_bare_name_is_a_group_or_the_root(void **state)
{
	bool whole;

	(void)state;
	assert_int_equal(group_of("physics.LEP", &whole), 5);
	assert_true(whole);
	assert_int_equal(group_of("physics.gone", &whole), 0);
	assert_false(whole);
}

static void test_nice_users_come_before_groups_and_groups_before_remote_users(void **state)
{
	struct condor_conf conf = tree();

	(void)state;
	assert_true(condor_factor(&conf, "nice-user.ann@elsewhere", 1) == 1e10);
	assert_true(condor_factor(&conf, "Nice-user.ann@pool", 0) == 1000);
	assert_true(condor_factor(&conf, "chem.ann@elsewhere", 1) == 7);
	assert_true(condor_factor(&conf, "ann@elsewhere", 0) == 1e7);
	assert_true(condor_factor(&conf, "ann@Pool", 0) == 1e7);
	assert_true(condor_factor(&conf, "Physics", 2) == 1e7);
	assert_true(condor_factor(&conf, "physics.hep.ann@pool", 4) == 1000);
	conf.local_domain = (char *)"";
	assert_true(condor_factor(&conf, "ann@elsewhere", 0) == 1000);
}

static void test_the_limit_of_the_name_overrides_those_of_its_scope_and_the_default(void **state)
{
	struct condor_limit limits[] = {
		{ (char *)"license", 30, false },
		{ (char *)"license", 4, true },
		{ (char *)"License.x", 2, false },
		{ (char *)"net", 8, true },
	};
	struct condor_conf conf = { .limits = limits, .nlimits = 4, .limit_default = 5 };

	(void)state;
	assert_true(condor_limit(&conf, "LICENSE") == 30);
	assert_true(condor_limit(&conf, "license.X") == 2);
	assert_true(condor_limit(&conf, "license.y") == 4);
	assert_true(condor_limit(&conf, "net") == 5);
	assert_true(condor_limit(&conf, "net.a") == 8);
	assert_true(condor_limit(&conf, "net.a.b") == 5);
	assert_true(condor_limit(&conf, "li") == 5);
	assert_true(condor_limit(&conf, "license.xyz") == 4);
}

static void test_defaults_are_those_of_htcondor(void **state)
{
	struct condor_conf conf;

	(void)state;
	assert_int_equal(condor_defaults(&conf), 0);
	assert_true(conf.halflife == 86400 && conf.default_factor == 1000 && conf.nice_user_factor == 1e10 &&
		    conf.remote_factor == 1e7);
	assert_int_equal(conf.interval, 60);
	assert_int_equal(conf.cycle_delay, 20);
	assert_int_equal(conf.claim_worklife, 1200);
	assert_true(conf.oversubscription && conf.strict_enforce_quota && conf.weighted_demand &&
		    conf.consider_preemption && conf.six_decimals);
	assert_true(conf.round_robin_rate == 1e100);
	assert_true(conf.limit_default == 2308032);
	assert_string_equal(conf.preemption_requirements.text, "False");
	assert_null(conf.group_sort.text);
	assert_null(conf.significant);
	assert_string_equal(conf.local_domain, "");
	assert_string_equal(conf.nice_user_group, "nice-user");
	assert_int_equal(conf.ngroups, 1);
	assert_string_equal(conf.groups[0].name, "<none>");
	assert_true(*conf.uid_domain != '\0');
	condor_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_submitter_belongs_to_the_deepest_existing_group),
		cmocka_unit_test(test_a_bare_name_is_a_group_or_the_root),
		cmocka_unit_test(test_nice_users_come_before_groups_and_groups_before_remote_users),
		cmocka_unit_test(test_the_limit_of_the_name_overrides_those_of_its_scope_and_the_default),
		cmocka_unit_test(test_defaults_are_those_of_htcondor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
