/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tickets/condor_case.h"
#include "tickets/customers.h"
#include "tickets/six_decimals.h"

#define BEGIN 1700000000	/* start of the recorded times, which count from 0 */

enum { ROOT, ANN };

static struct customer items[8];

static struct customers pool(double halflife, bool rounded)
{
	customer_begin(&items[ROOT], ROOT, true, 1000.0);
	customer_begin(&items[ANN], ROOT, false, 1000.0);
	return (struct customers){ .items = items,
				   .n = 2,
				   .root = ROOT,
				   .last_update = BEGIN,
				   .halflife = halflife,
				   .six_decimals = rounded };
}

static void check_near(const char *what, double found, double expected, double tolerance, const char *name, int64_t t)
{
	if (!(fabs(found - expected) <= tolerance))
		fail_msg("%s at %" PRId64 ": %s is %.9f, not %.9f", name, t, what, found, expected);
}

/* Recorded priorities */

static struct recorded_slot { char name[16]; double weight; int64_t since; bool taken; } slots[64];

static void slot_put(struct customers *customers, const char *name, double weight, int64_t now)
{
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		if (!slots[i].taken) {
			snprintf(slots[i].name, sizeof(slots[i].name), "%s", name);
			slots[i].weight = weight;
			slots[i].since = now;
			slots[i].taken = true;
			customers_add_match(customers, ANN, weight, now);
			return;
		}
	fail_msg("too many slots");
}

static void slot_take(struct customers *customers, const char *name, int64_t now)
{
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		if (slots[i].taken && strcmp(slots[i].name, name) == 0) {
			slots[i].taken = false;
			customers_remove_match(customers, ANN, slots[i].weight, slots[i].since, now);
			return;
		}
	fail_msg("no slot %s", name);
}

static void check_at(const json_t *series, const char *name, const struct customers *customers, int64_t t,
		     double tolerance, size_t *checked)
{
	const struct customer *ann = &customers->items[ANN];
	json_t *at;
	size_t i;

	json_array_foreach(json_object_get(series, "expect"), i, at) {
		if ((int64_t)case_number(at, "t") != t)
			continue;
		check_near("rup", ann->rup, case_number(at, "rup"), tolerance, name, t);
		check_near("accumulated", ann->weight_accumulated,
			   case_number_or(at, "accumulated", ann->weight_accumulated), tolerance, name, t);
		check_near("accumulated", ann->weight_accumulated,
			   case_number_or(at, "accumulated_since_0", ann->weight_accumulated), tolerance, name, t);
		(*checked)++;
	}
}

static void play_steps(const json_t *series, const char *name, struct customers *customers, double tolerance,
		       size_t *checked)
{
	int64_t t = 0;
	json_t *step;
	size_t i;

	json_array_foreach(json_object_get(series, "steps"), i, step) {
		customers->items[ANN].weight_used = case_number(step, "weight_in_use");
		t += (int64_t)case_number(step, "dt");
		customers_update(customers, BEGIN + t);
		check_at(series, name, customers, t, tolerance, checked);
	}
}

static void play_events(const json_t *series, const char *name, struct customers *customers, double tolerance,
			size_t *checked)
{
	json_t *event;
	size_t i;

	memset(slots, 0, sizeof(slots));
	json_array_foreach(json_object_get(series, "events"), i, event) {
		int64_t t = (int64_t)case_number(event, "t");
		json_t *add = json_object_get(event, "add"), *gone = json_object_get(event, "remove");

		if (json_object_get(event, "note"))	/* in use since before the recording */
			slot_put(customers, "s1", 2.0, BEGIN + t);
		if (add)
			slot_put(customers, json_string_value(case_member(add, "slot")), case_number(add, "weight"),
				 BEGIN + t);
		if (gone)
			slot_take(customers, json_string_value(gone), BEGIN + t);
		if (!json_object_get(event, "update"))
			continue;
		customers_update(customers, BEGIN + t);
		check_at(series, name, customers, t, tolerance, checked);
	}
}

static void play_case(const char *name)
{
	json_t *root = condor_case(name), *series;
	double halflife = case_number(case_member(root, "config"), "PRIORITY_HALFLIFE"),
	       tolerance = case_number(root, "tolerance");
	size_t i;

	json_array_foreach(case_member(root, "series"), i, series) {
		struct customers customers = pool(case_number_or(series, "halflife", halflife), true);
		const char *title = json_string_value(case_member(series, "name"));
		size_t checked = 0;

		customers.items[ANN].rup = case_number(series, "start_rup");
		play_steps(series, title, &customers, tolerance, &checked);
		play_events(series, title, &customers, tolerance, &checked);
		assert_int_equal(checked, json_array_size(case_member(series, "expect")));
	}
	json_decref(root);
}

static void test_priorities_change_as_in_the_manual(void **state)
{
	(void)state;
	play_case("p01-rup-halflife");
	play_case("p02-rup-uneven-intervals");
}

static void test_priorities_follow_matches_at_any_time_as_recorded(void **state)
{
	(void)state;
	play_case("p35-rup-random");
}

/* The difference must be visible, otherwise the series would be of no use. */
static void test_match_between_two_updates_is_charged_more_than_the_program_charges(void **state)
{
	json_t *root = condor_case("p02-rup-uneven-intervals"), *series;
	size_t i, seen = 0;

	(void)state;
	json_array_foreach(case_member(root, "series"), i, series) {
		json_t *program = json_object_get(series, "program");
		struct customers customers = pool(3600.0, true);
		size_t checked = 0;

		if (!program)
			continue;
		customers.items[ANN].rup = case_number(series, "start_rup");
		play_events(series, "program", &customers, 2e-6, &checked);
		assert_true(customers.items[ANN].weight_accumulated ==
			    case_number(program, "accumulated_since_0") + 30.0);
		assert_true(customers.items[ANN].rup > case_number(program, "rup") + 0.005);
		seen++;
	}
	assert_int_equal(seen, 1);
	json_decref(root);
}

/* Groups */

enum { G = 1, GS, BOB, TREE_ANN, TREE };

static const char *const tree_names[TREE] = {
	[ROOT] = "<none>", [G] = "g", [GS] = "g.s", [BOB] = "g.s.bob@pool", [TREE_ANN] = "ann@pool"
};

static struct customers tree(void)
{
	customer_begin(&items[ROOT], ROOT, true, 1000.0);
	customer_begin(&items[G], ROOT, true, 1000.0);
	customer_begin(&items[GS], G, true, 1000.0);
	customer_begin(&items[BOB], GS, false, 1000.0);
	customer_begin(&items[TREE_ANN], ROOT, false, 1000.0);
	return (struct customers){
		.items = items, .n = TREE, .root = ROOT, .last_update = BEGIN, .halflife = 60.0, .six_decimals = true
	};
}

static void test_groups_follow_the_use_of_their_subtree_as_recorded(void **state)
{
	json_t *root = condor_case("p26-measured-rup-trace"), *series;
	struct customers customers = tree();

	(void)state;
	customers_add_match(&customers, TREE_ANN, 1.0, BEGIN);
	customers_add_match(&customers, TREE_ANN, 1.0, BEGIN);
	customers_add_match(&customers, TREE_ANN, 4.0, BEGIN);
	customers_add_match(&customers, BOB, 2.0, BEGIN);
	customers_add_match(&customers, BOB, 1.0, BEGIN);
	for (size_t step = 0; step < 5; step++) {
		int64_t now = BEGIN + 8 * (int64_t)(step + 1);
		size_t i;

		customers_update(&customers, now);
		json_array_foreach(case_member(root, "series"), i, series) {
			const char *name = json_string_value(case_member(series, "customer"));
			json_t *recorded = json_array_get(case_member(series, "steps"), step);

			for (size_t u = 0; u < TREE; u++)
				if (strcmp(name, tree_names[u]) == 0)
					check_near("rup", customers.items[u].rup, case_number(recorded, "rup"),
						   case_number(root, "tolerance"), name, now - BEGIN);
		}
		assert_int_equal(i, TREE);
		if (step == 2) {
			customers_remove_match(&customers, TREE_ANN, 1.0, BEGIN, now);
			customers_remove_match(&customers, TREE_ANN, 4.0, BEGIN, now);
		}
	}
	assert_true(customers.items[G].weight_used == 0.0 && customers.items[G].tree_used == 3.0);
	assert_true(customers.items[GS].weight_used == 3.0 && customers.items[GS].used == 2);
	assert_true(customers.items[ROOT].tree_used == 1.0 && customers.items[ROOT].used == 1);
	json_decref(root);
}

/* Properties */

static void test_half_life_is_exact_over_any_split(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 200; seed++) {
		struct customers customers = pool(10.0 + seed * 37.0, false);
		int64_t t = 0;
		double expected;

		srand(seed);
		customers.items[ANN].rup = 0.5 + rand() % 1000;
		customers.items[ANN].weight_used = 1.0 + rand() % 100;
		expected = customers.items[ANN].weight_used +
			   (customers.items[ANN].rup - customers.items[ANN].weight_used) *
				   pow(0.5, 5000.0 / customers.halflife);
		while (t < 5000) {
			t += 1 + rand() % (int)(5000 - t);
			customers_update(&customers, BEGIN + t);
		}
		check_near("rup", customers.items[ANN].rup, expected, expected * 1e-12, "split", seed);
	}
}

/* 1000 random matches, some within an interval, others lasting for many intervals. */
static void test_the_time_of_a_match_is_charged(void **state)
{
	struct { int64_t since; double weight; } held[100] = { { 0, 0.0 } };
	struct customers customers = tree();
	double charged = 0.0;
	int64_t now = BEGIN;

	(void)state;
	srand(17);
	for (int i = 0; i < 2000; i++) {
		size_t at = (size_t)rand() % 100;

		now += rand() % 30;
		if (rand() % 4 == 0)
			customers_update(&customers, now);
		if (held[at].since == 0) {
			held[at].since = now;
			held[at].weight = (1 + rand() % 64) / 4.0;
			customers_add_match(&customers, BOB, held[at].weight, now);
			continue;
		}
		charged += (double)(now - held[at].since) * held[at].weight;
		customers_remove_match(&customers, BOB, held[at].weight, held[at].since, now);
		held[at].since = 0;
	}
	for (size_t at = 0; at < 100; at++)
		if (held[at].since != 0) {
			charged += (double)(now + 1 - held[at].since) * held[at].weight;
			customers_remove_match(&customers, BOB, held[at].weight, held[at].since, now + 1);
		}
	customers_update(&customers, now + 1);
	assert_true(customers.items[BOB].weight_accumulated == charged);
	assert_true(customers.items[GS].weight_accumulated == charged);
	assert_true(customers.items[G].weight_accumulated == 0.0);
	assert_true(customers.items[BOB].used == 0 && customers.items[BOB].weight_used == 0.0 &&
		    customers.items[G].tree_used == 0.0);
}

static void test_a_match_reported_late_is_charged_from_its_begin(void **state)
{
	struct customers customers = pool(3600.0, true);

	(void)state;
	customers_update(&customers, BEGIN + 100);
	customers_add_match(&customers, ANN, 3.0, BEGIN + 60);
	customers_update(&customers, BEGIN + 110);
	assert_true(customers.items[ANN].weight_accumulated == 150.0);
	customers_add_match(&customers, ANN, 1.0, BEGIN + 20);
	customers_remove_match(&customers, ANN, 1.0, BEGIN + 20, BEGIN + 30);
	customers_update(&customers, BEGIN + 120);
	assert_true(customers.items[ANN].weight_accumulated == 190.0);
}

static void test_a_clock_that_goes_back_changes_no_priority(void **state)
{
	struct customers customers = pool(3600.0, true);
	struct customer before;

	(void)state;
	customers_add_match(&customers, ANN, 3.0, BEGIN);
	customers_update(&customers, BEGIN + 100);
	before = customers.items[ANN];
	customers_update(&customers, BEGIN - 1000000);
	assert_int_equal(customers.last_update, BEGIN - 1000000);
	assert_memory_equal(&before, &customers.items[ANN], sizeof(before));
}

static void test_an_end_reported_late_is_charged_up_to_the_end(void **state)
{
	struct customers customers = pool(3600.0, true);

	(void)state;
	customers_add_match(&customers, ANN, 3.0, BEGIN + 10);
	customers_update(&customers, BEGIN + 100);
	customers_remove_match(&customers, ANN, 3.0, BEGIN + 10, BEGIN + 60);
	customers_update(&customers, BEGIN + 200);
	assert_true(customers.items[ANN].weight_accumulated == 150.0);
}

static void test_a_clock_that_goes_back_takes_no_usage_from_other_submitters(void **state)
{
	struct customers customers = pool(3600.0, true);

	(void)state;
	customers_add_match(&customers, ANN, 1.0, BEGIN);
	customers_add_match(&customers, ANN, 3.0, BEGIN + 90);
	customers_update(&customers, BEGIN + 100);
	customers_remove_match(&customers, ANN, 3.0, BEGIN + 90, BEGIN - 1000000);
	customers_update(&customers, BEGIN - 1000000);
	customers_update(&customers, BEGIN - 999000);
	assert_true(customers.items[ANN].weight_accumulated == 1100.0);
}

static void check_finite(const struct customer *customer)
{
	const double values[] = { customer->rup,	 customer->factor,
				  customer->weight_used, customer->tree_used,
				  customer->uncharged,	 customer->weight_uncharged,
				  customer->accumulated, customer->weight_accumulated,
				  customer_eup(customer) };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_true(isfinite(values[i]));
	assert_true(customer->rup >= RUP_LEAST && customer->accumulated >= 0.0 && customer->weight_accumulated >= 0.0);
}

static void test_numbers_stay_finite_whatever_happens(void **state)
{
	const double weights[] = { 0.0, DBL_TRUE_MIN, 1e-9, 1.0, 1e18, 1e300, DBL_MAX };
	const int64_t times[] = { INT64_MIN, -1, 0, 1, BEGIN, 1ll << 53, INT64_MAX };
	const double halflives[] = { DBL_TRUE_MIN, 1e-5, 86400.0, DBL_MAX };

	(void)state;
	srand(4);
	for (int i = 0; i < 2000; i++) {
		struct customers customers = pool(halflives[rand() % 4], rand() % 2);

		for (int step = 0; step < 12; step++) {
			double weight = weights[rand() % 7];
			int64_t now = times[rand() % 7];

			switch (rand() % 3) {
			case 0:
				customers_update(&customers, now);
				break;
			case 1:
				customers_add_match(&customers, ANN, weight, now);
				break;
			default:
				customers_remove_match(&customers, ANN, weight, times[rand() % 7], now);
			}
			check_finite(&customers.items[ANN]);
			check_finite(&customers.items[ROOT]);
		}
	}
}

static void test_counts_neither_wrap_nor_become_negative(void **state)
{
	struct customers customers = pool(3600.0, true);

	(void)state;
	customers_remove_match(&customers, ANN, 5.0, BEGIN, BEGIN);
	assert_int_equal(customers.items[ANN].used, 0);
	assert_true(customers.items[ANN].weight_used == 0.0);
	customers.items[ANN].used = UINT32_MAX;
	customers_add_match(&customers, ANN, 1.0, BEGIN);
	assert_true(customers.items[ANN].used == UINT32_MAX);
}

static void test_a_submitter_at_the_minimum_priority_is_not_stored_again(void **state)
{
	struct customers customers = pool(3600.0, true);

	(void)state;
	customers.items[ANN].changed = false;
	customers_update(&customers, BEGIN + 60);
	assert_false(customers.items[ANN].changed);
	customers.items[ANN].rup = 10.0;
	customers_update(&customers, BEGIN + 120);
	assert_true(customers.items[ANN].changed);
}

static void test_two_updates_in_one_second_charge_once(void **state)
{
	struct customers customers = pool(3600.0, true);
	struct customer before;

	(void)state;
	customers_add_match(&customers, ANN, 2.0, BEGIN);
	customers_update(&customers, BEGIN + 60);
	customers_remove_match(&customers, ANN, 2.0, BEGIN, BEGIN + 70);
	before = customers.items[ANN];
	customers_update(&customers, BEGIN + 60);
	assert_memory_equal(&before, &customers.items[ANN], sizeof(before));
}

static void test_the_last_usage_of_an_idle_submitter_stays(void **state)
{
	struct customers customers = pool(3600.0, true);

	(void)state;
	customers_add_match(&customers, ANN, 2.0, BEGIN);
	customers_update(&customers, BEGIN + 60);
	assert_int_equal(customers.items[ANN].last, BEGIN + 60);
	customers_remove_match(&customers, ANN, 2.0, BEGIN, BEGIN + 60);
	customers_update(&customers, BEGIN + 120);
	assert_int_equal(customers.items[ANN].last, BEGIN + 60);
}

/* Six decimals */

static double through_text(double value)
{
	char text[400];

	snprintf(text, sizeof(text), "%f", value);
	return strtod(text, NULL);
}

static void check_rounding(double value)
{
	if (six_decimals(value) != through_text(value) || signbit(six_decimals(value)) != signbit(through_text(value)))
		fail_msg("%a: %a, through text %a", value, six_decimals(value), through_text(value));
}

static void test_rounding_is_that_of_printing_and_reading(void **state)
{
	uint64_t bits = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		double value;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		value = ldexp((double)(bits >> 11), (int)(bits % 96) - 80);
		check_rounding(value);
		check_rounding(-value);
		check_rounding((double)(bits >> 40) / 2e6);		/* half-way, or next to it */
		check_rounding(nextafter((double)(bits >> 34) / 2e6, i % 2 ? 0.0 : HUGE_VAL));
		check_rounding(ldexp((double)(bits >> 44), -7) / 15625.0);
		check_rounding((double)(bits >> 40) * 0x1p-7);		/* sometimes exactly half-way */
		check_rounding((double)(bits >> 31) * 0x1p-7);
	}
	for (int e = -1074; e < 1024; e++) {
		check_rounding(ldexp(1.0, e));
		check_rounding(nextafter(ldexp(1.0, e), 0.0));
	}
	check_rounding(0.0);
}

static void test_a_customer_belongs_to_the_user_at_the_end_of_its_name(void **state)
{
	(void)state;
	assert_true(customer_is_of("ann@pool", "ann"));
	assert_true(customer_is_of("physics.ann@pool", "ann"));
	assert_true(customer_is_of("ann", "ann"));
	assert_false(customer_is_of("joann@pool", "ann"));
	assert_false(customer_is_of("ann.bob@pool", "ann"));
	assert_false(customer_is_of("bob@ann", "ann"));
	assert_false(customer_is_of("nn@pool", "ann"));
}

/* A group can be matched itself: the job of a submitter that is unknown at present. */
static void test_a_match_of_a_group_is_charged_to_it_once(void **state)
{
	struct customers customers = pool(86400.0, false);

	(void)state;
	items[ANN].is_group = true;
	customers_add_match(&customers, ANN, 2.0, BEGIN);
	assert_int_equal(items[ANN].used, 1);
	assert_int_equal(items[ROOT].used, 0);
	assert_true(items[ANN].weight_used == 2.0 && items[ANN].tree_used == 2.0 && items[ROOT].weight_used == 0.0);
	customers_update(&customers, BEGIN + 10);
	assert_true(items[ANN].weight_accumulated == 20.0 && items[ROOT].weight_accumulated == 0.0);
	customers_remove_match(&customers, ANN, 2.0, BEGIN, BEGIN + 10);
	assert_true(items[ANN].used == 0 && items[ANN].weight_used == 0.0 && items[ANN].tree_used == 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_priorities_change_as_in_the_manual),
		cmocka_unit_test(test_priorities_follow_matches_at_any_time_as_recorded),
		cmocka_unit_test(test_match_between_two_updates_is_charged_more_than_the_program_charges),
		cmocka_unit_test(test_groups_follow_the_use_of_their_subtree_as_recorded),
		cmocka_unit_test(test_half_life_is_exact_over_any_split),
		cmocka_unit_test(test_the_time_of_a_match_is_charged),
		cmocka_unit_test(test_an_end_reported_late_is_charged_up_to_the_end),
		cmocka_unit_test(test_a_match_reported_late_is_charged_from_its_begin),
		cmocka_unit_test(test_a_clock_that_goes_back_changes_no_priority),
		cmocka_unit_test(test_a_clock_that_goes_back_takes_no_usage_from_other_submitters),
		cmocka_unit_test(test_numbers_stay_finite_whatever_happens),
		cmocka_unit_test(test_counts_neither_wrap_nor_become_negative),
		cmocka_unit_test(test_a_submitter_at_the_minimum_priority_is_not_stored_again),
		cmocka_unit_test(test_two_updates_in_one_second_charge_once),
		cmocka_unit_test(test_the_last_usage_of_an_idle_submitter_stays),
		cmocka_unit_test(test_a_match_of_a_group_is_charged_to_it_once),
		cmocka_unit_test(test_rounding_is_that_of_printing_and_reading),
		cmocka_unit_test(test_a_customer_belongs_to_the_user_at_the_end_of_its_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
