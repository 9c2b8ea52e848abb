/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/tickets/condor_case.h"
#include "tickets/quotas.h"

enum { GROUPS_MOST = 64, NAME_BYTES = 64 };

static struct quota_group groups[GROUPS_MOST];
static char names[GROUPS_MOST][NAME_BYTES];	/* the root has the name "" */
static size_t n;
static struct quota_rules rules;
static double pool;

/* Make a tree from a recorded configuration: level by level, by name within a level */

static bool is_child(const char *name, const char *parent)
{
	size_t length = strlen(parent);

	return *name && strncasecmp(name, parent, length) == 0 && (length == 0 || name[length++] == '.') &&
	       !strchr(name + length, '.');
}

static int name_compare(const void *a, const void *b)
{
	return strcasecmp(a, b);
}

static size_t names_read(char (*all)[NAME_BYTES], const char *text)
{
	size_t found = 0;

	while (*(text += strspn(text, ", ")) != '\0') {
		size_t length = strcspn(text, ", ");

		assert_true(found < GROUPS_MOST && length < NAME_BYTES);
		snprintf(all[found++], NAME_BYTES, "%.*s", (int)length, text);
		text += length;
	}
	qsort(all, found, NAME_BYTES, name_compare);
	return found;
}

static const json_t *macro(const json_t *config, const char *prefix, const char *name)
{
	char key[160];

	assert_true((size_t)snprintf(key, sizeof(key), "%s%s", prefix, name) < sizeof(key));
	return json_object_get(config, key);
}

static bool flag(const json_t *config, const char *key, bool otherwise)
{
	const json_t *value = json_object_get(config, key);

	return value ? json_is_true(value) : otherwise;
}

static void group_read(struct quota_group *group, const json_t *config, const char *name)
{
	const json_t *fixed = macro(config, "GROUP_QUOTA_", name), *part = macro(config, "GROUP_QUOTA_DYNAMIC_", name);
	const json_t *surplus = macro(config, "GROUP_ACCEPT_SURPLUS_", name);

	group->is_static = fixed != NULL;
	group->configured = json_number_value(fixed ? fixed : part);
	group->accepts_surplus = surplus ? json_is_true(surplus) : flag(config, "GROUP_ACCEPT_SURPLUS", false);
}

static void tree_read(const json_t *config)
{
	char all[GROUPS_MOST][NAME_BYTES];
	size_t found = names_read(all, json_string_value(case_member(config, "GROUP_NAMES")));

	memset(groups, 0, sizeof(groups));
	rules.oversubscription = flag(config, "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", true);
	rules.weights = flag(config, "NEGOTIATOR_USE_SLOT_WEIGHTS", true);
	names[0][0] = '\0';
	groups[0].accepts_surplus = true;
	n = 1;
	for (size_t g = 0; g < n; g++) {
		groups[g].first_child = (uint32_t)n;
		for (size_t i = 0; i < found; i++) {
			if (!is_child(all[i], names[g]))
				continue;
			memcpy(names[n], all[i], NAME_BYTES);
			groups[n].parent = (uint32_t)g;
			group_read(&groups[n++], config, all[i]);
		}
		groups[g].nchildren = (uint32_t)n - groups[g].first_child;
	}
	assert_int_equal(n, found + 1);
}

static size_t group_of(const char *submitter)
{
	char path[NAME_BYTES];
	char *dot;
	size_t found = 0;

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(submitter, "@"), submitter);
	if (!(dot = strrchr(path, '.')))
		return 0;
	*dot = '\0';
	for (size_t g = 1; g < n; g++)
		if (strcasecmp(names[g], path) == 0)
			found = g;
	return found;
}

static double weight_of(const json_t *recorded, size_t slot)
{
	const json_t *weights = json_object_get(recorded, "weights");

	if (!rules.weights)
		return 1.0;
	return weights ? json_number_value(json_array_get(weights, slot))
		       : case_number_or(recorded, "weight_each", 1.0);
}

/*
 * Return whether groups are regrouped. Submitters of groups may then have all remaining slots: the
 * root has the whole pool.
 */
static bool regroups(const json_t *config)
{
	bool any = flag(config, "GROUP_AUTOREGROUP", false);

	for (size_t g = 1; g < n; g++)
		any |= json_is_true(macro(config, "GROUP_AUTOREGROUP_", names[g]));
	return any;
}

/* Read claims: those in the ads of slots, and those of submitters. */
static void demand_read(const json_t *run)
{
	const json_t *recorded = case_member(run, "pool"), *ads = json_object_get(recorded, "ads");
	size_t slots = (size_t)case_number(recorded, "slots"), i;
	json_t *submitter;

	pool = 0.0;
	for (i = 0; i < slots; i++) {
		const char *user = json_string_value(json_object_get(json_array_get(ads, i), "RemoteUser"));

		pool += weight_of(recorded, i);
		if (user)
			groups[group_of(user + 1)].demand += weight_of(recorded, i);
	}
	json_array_foreach(case_member(run, "submitters"), i, submitter)
		groups[group_of(json_string_value(case_member(submitter, "name")))].demand +=
			case_number(submitter, "idle") + case_number(submitter, "running");
}

static const json_t *expected_of(const json_t *expected, size_t g)
{
	return json_object_get(expected, g == 0 ? "<none>" : names[g]);
}

static void check(const char *what, const char *name, size_t g, double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
		fail_msg("%s, group \"%s\": %s is %.12g, not %.12g", name, names[g], what, found, expected);
}

static size_t check_all(const char *name, const json_t *expected, const char *allocated)
{
	size_t checked = 0;

	for (size_t g = 0; g < n; g++) {
		const json_t *e = expected_of(expected, g);

		if (!e)
			continue;
		check("quota", name, g, groups[g].quota, case_number(e, "quota"));
		check("subtree quota", name, g, groups[g].subtree_quota, case_number(e, "subtree_quota"));
		if (allocated)
			check("allocated", name, g, groups[g].allocated, case_number(e, allocated));
		checked++;
	}
	return checked;
}

static void test_quotas_and_allocations_equal_those_of_the_manual(void **state)
{
	static const char *const cases[] = { "p07-quota-static-30",	 "p08-quota-static-60",
					     "p09-quota-scaled-15",	 "p10-quota-dynamic-thirds",
					     "p11-quota-hep-lep-static", "p12-surplus-hep-lep" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *root = condor_case(cases[i]);

		tree_read(case_member(root, "config"));
		demand_read(root);
		quotas_assign(groups, n, pool, &rules);
		quotas_allocate(groups, n);
		assert_int_equal(check_all(cases[i], case_member(case_member(root, "expect"), "groups_first_cycle"),
					   "allocated_round1"),
				 n);
		json_decref(root);
	}
}

/*
 * Only the last of several rounds of a run is recorded. In the first one the demand is the initial
 * demand.
 */
static void test_quotas_and_allocations_of_random_trees_are_as_recorded(void **state)
{
	json_t *root = condor_case("p33-random-groups"), *run;
	size_t i, allocated = 0;

	(void)state;
	json_array_foreach(case_member(root, "runs"), i, run) {
		const json_t *config = case_member(run, "config"),
			     *hidden = json_object_get(config, "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT");
		const json_t *expected =
			json_array_get(case_member(case_member(run, "expect"), "groups_last_round"), 0);
		bool once = case_number_or(config, "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", 3) == 1.0;
		uint32_t order[GROUPS_MOST];
		char name[32];

		snprintf(name, sizeof(name), "run %zu", i);
		tree_read(config);
		demand_read(run);
		if (hidden)
			pool = case_number(json_object_get(expected, "<none>"), "subtree_quota");
		quotas_assign(groups, n, pool, &rules);
		quotas_allocate(groups, n);
		if (!rules.weights)
			assert_true(quotas_round(groups, n, order) < 1e-5);
		if (regroups(config))
			groups[0].quota = groups[0].allocated = pool;
		check_all(name, expected, once ? "allocated" : NULL);
		allocated += once;
	}
	assert_int_equal(allocated, 2);
	json_decref(root);
}

/* Manual trees */

static void plant(size_t g, size_t parent, double quota, bool accepts, double demand)
{
	groups[g] = (struct quota_group){ .parent = (uint32_t)parent,
					  .configured = quota,
					  .is_static = true,
					  .accepts_surplus = accepts,
					  .demand = demand,
					  .first_child = (uint32_t)n };
	if (g != 0 && groups[parent].nchildren++ == 0)
		groups[parent].first_child = (uint32_t)g;
}

static void run_planted(size_t count, double weight)
{
	uint32_t order[GROUPS_MOST];

	n = count;
	quotas_assign(groups, n, weight, &rules);
	quotas_allocate(groups, n);
	if (!rules.weights)
		quotas_round(groups, n, order);
}

static void test_surplus_is_split_by_quota(void **state)
{
	(void)state;
	rules = (struct quota_rules){ .weights = true };
	plant(0, 0, 0, true, 0);
	plant(1, 0, 10, true, 100);
	plant(2, 0, 20, true, 100);
	run_planted(3, 60);
	assert_true(groups[1].allocated == 20.0 && groups[2].allocated == 40.0);
	assert_true(groups[1].unmet == 80.0 && groups[0].wanted == 140.0);
}

static void test_a_group_without_quota_gets_the_surplus_of_groups_with_one(void **state)
{
	(void)state;
	rules = (struct quota_rules){ .weights = true };
	plant(0, 0, 0, true, 0);
	plant(1, 0, 20, true, 15);
	plant(2, 0, 30, true, 35);
	plant(3, 0, 0, true, 20);
	run_planted(4, 60);
	assert_true(groups[1].allocated == 15.0 && groups[2].allocated == 35.0 && groups[3].allocated == 10.0);
}

static void test_a_surplus_that_no_group_takes_is_returned(void **state)
{
	(void)state;
	rules = (struct quota_rules){ .weights = true };
	plant(0, 0, 0, true, 3);
	plant(1, 0, 20, false, 50);
	n = 2;
	quotas_assign(groups, n, 60, &rules);
	assert_true(quotas_allocate(groups, n) == 37.0);
	assert_true(groups[0].allocated == 3.0 && groups[1].allocated == 20.0);
}

static void test_half_slots_are_given_to_groups_served_longest_ago(void **state)
{
	(void)state;
	rules = (struct quota_rules){ .weights = false };
	for (int cycle = 1; cycle <= 6; cycle++) {
		int64_t before[2] = { groups[1].last_served, groups[2].last_served };

		plant(0, 0, 0, true, 0);
		plant(1, 0, 2.5, true, 10);
		plant(2, 0, 2.5, true, 10);
		if (cycle > 1) {
			groups[1].last_served = before[0];
			groups[2].last_served = before[1];
		}
		run_planted(3, 5);
		assert_true(groups[1].allocated == (cycle % 2 ? 3.0 : 2.0));
		assert_true(groups[2].allocated == (cycle % 2 ? 2.0 : 3.0));
		for (size_t g = 1; g < 3; g++)
			if (groups[g].served)
				groups[g].last_served = cycle;
	}
}

static void test_no_groups_are_no_error(void **state)
{
	(void)state;
	rules = (struct quota_rules){ .weights = true };
	plant(0, 0, 0, true, 7);
	groups[0].quota = groups[0].subtree_quota = -1;
	quotas_assign(groups, 0, 60, &rules);
	assert_true(groups[0].quota == -1 && groups[0].subtree_quota == -1);
}

static void test_a_group_without_surplus_caps_its_subtree(void **state)
{
	const double used[] = { 30, 28, 5, 3 };
	uint32_t by;

	(void)state;
	rules = (struct quota_rules){ .weights = true, .oversubscription = true };
	plant(0, 0, 0, true, 0);
	plant(1, 0, 30, false, 0);
	plant(2, 1, 20, true, 50);
	plant(3, 1, 20, false, 50);
	run_planted(4, 100);
	assert_true(quotas_cap(groups, 2, used, 10, &by) == 2.0 && by == 1);
	assert_true(quotas_cap(groups, 3, used, 10, &by) == 2.0 && by == 1);
	assert_true(quotas_cap(groups, 2, used, 1, &by) == 1.0 && by == UINT32_MAX);
	groups[1].accepts_surplus = true;
	assert_true(quotas_cap(groups, 2, used, 10, &by) == 10.0 && by == UINT32_MAX);
	assert_true(quotas_cap(groups, 3, used, 100, &by) == 17.0 && by == 3);
}

/* Random trees: sums, and no group gets more than it wants or loses its promised share */

static void plant_random(unsigned seed)
{
	srand(seed);
	n = 1 + (size_t)rand() % 40;
	for (size_t g = 0; g < n; g++) {
		size_t parent = g == 0 ? 0 : groups[g - 1].parent;	/* breadth first */

		if (g > 1 && rand() % 3 == 0)
			parent += 1 + (size_t)rand() % (g - 1 - parent + 1);
		parent = g == 0 ? 0 : parent < g ? parent : g - 1;
		plant(g, parent, (rand() % 100) / 4.0, g == 0 || rand() % 2, rand() % 3 ? rand() % 50 : 0);
		groups[g].is_static = rand() % 2;
		if (!groups[g].is_static)
			groups[g].configured /= 25.0;
		groups[g].last_served = rand() % 5;
	}
	rules = (struct quota_rules){ .weights = rand() % 2, .oversubscription = rand() % 2 };
}

static void test_sums_hold_in_random_trees(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 20000; seed++) {
		double weight, promised = 0.0, allocated = 0.0, rest, open = 0.0;
		uint32_t order[GROUPS_MOST];

		plant_random(seed);
		weight = rand() % 200;
		quotas_assign(groups, n, weight, &rules);
		rest = quotas_allocate(groups, n);
		if (!rules.weights)
			assert_true(quotas_round(groups, n, order) < 1e-5);
		for (size_t g = 0; g < n; g++) {
			const struct quota_group *group = &groups[g];

			promised += group->quota;
			allocated += group->allocated;
			open += group->accepts_surplus && group->parent == 0 ? group->unmet : 0.0;
			if (!(group->allocated >= 0.0 && fabs(group->allocated + group->unmet - group->demand) < 1e-6 &&
			      group->unmet > -1e-6))
				fail_msg("seed %u, group %zu: %g of %g, unmet %g", seed, g, group->allocated,
					 group->demand, group->unmet);
			if (!rules.weights && group->allocated != rint(group->allocated))
				fail_msg("seed %u, group %zu: %g", seed, g, group->allocated);
		}
		if (!rules.oversubscription && fabs(promised - weight) > 1e-6)
			fail_msg("seed %u: quotas of %g in a pool of %g", seed, promised, weight);
		if (allocated > promised + 1e-6)
			fail_msg("seed %u: %g allocated of %g", seed, allocated, promised);
		if (rules.weights && rest > 1e-6 && open > 1e-6)
			fail_msg("seed %u: %g stays although %g is wanted", seed, rest, open);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quotas_and_allocations_equal_those_of_the_manual),
		cmocka_unit_test(test_quotas_and_allocations_of_random_trees_are_as_recorded),
		cmocka_unit_test(test_surplus_is_split_by_quota),
		cmocka_unit_test(test_a_group_without_quota_gets_the_surplus_of_groups_with_one),
		cmocka_unit_test(test_a_surplus_that_no_group_takes_is_returned),
		cmocka_unit_test(test_half_slots_are_given_to_groups_served_longest_ago),
		cmocka_unit_test(test_no_groups_are_no_error),
		cmocka_unit_test(test_a_group_without_surplus_caps_its_subtree),
		cmocka_unit_test(test_sums_hold_in_random_trees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
