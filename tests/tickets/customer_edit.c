/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tickets/condor_case.h"
#include "conf/base/error.h"
#include "tickets/customers.h"

#define BEGIN 1700000000
#define DEFAULT_FACTOR 1000.0

enum { ROOT, MOST = 8 };

static struct customer items[MOST];
static const char *names[MOST];
static struct error why;

static struct customers pool(void)
{
	customer_begin(&items[ROOT], ROOT, true, DEFAULT_FACTOR);
	names[ROOT] = "<none>";
	return (struct customers){
		.items = items, .n = 1, .root = ROOT, .last_update = BEGIN, .halflife = 86400.0, .six_decimals = true
	};
}

static uint32_t customer_named(struct customers *customers, const char *name)
{
	for (uint32_t i = 0; i < customers->n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	assert_true(customers->n < MOST);
	names[customers->n] = name;
	customer_begin(&items[customers->n], ROOT, false, 0.0);		/* not seen before */
	return (uint32_t)customers->n++;
}

static int edit(struct customers *customers, uint32_t customer, enum customer_edit_kind kind, double value,
		int64_t duration, int64_t now)
{
	return customer_edit(customers, customer, &(struct customer_edit){ kind, value, duration }, now, &why);
}

/* Choose factors like the accountant at the first read. */
static void choose_factors(struct customers *customers)
{
	for (size_t i = 0; i < customers->n; i++)
		if (customers->items[i].factor < FACTOR_LEAST)
			customers->items[i].factor = DEFAULT_FACTOR;
}

/* Recorded commands: "-setceiling NAME 42 -duration 3600" */

static const struct { const char *option; enum customer_edit_kind kind; } options[] = {
	{ "-setceiling", EDIT_CEILING }, { "-setfloor", EDIT_FLOOR }, { "-setfactor", EDIT_FACTOR },
	{ "-cancelceilinglease", EDIT_CANCEL_CEILING_LEASE }, { "-cancelfloorlease", EDIT_CANCEL_FLOOR_LEASE },
	{ "-cancelfactorlease", EDIT_CANCEL_FACTOR_LEASE },
};

static int play(struct customers *customers, const char *command, int64_t now, uint32_t *customer)
{
	static char words[MOST * 8][64];
	static size_t used;
	char option[32] = "", *name = words[used++ % (MOST * 8)];
	double value = 0.0;
	int64_t duration = 0;

	assert_true(sscanf(command, "%31s %63s %lf -duration %" SCNd64, option, name, &value, &duration) >= 2);
	*customer = customer_named(customers, name);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (strcmp(options[i].option, option) == 0)
			return edit(customers, *customer, options[i].kind, value, duration, now);
	fail_msg("%s", command);
	return 0;
}

static void check_setting(const json_t *row, const char *name, double found, const char *what)
{
	if (json_object_get(row, name) && case_number(row, name) != found)
		fail_msg("%s: the %s is %g, not %g", what, name, found, case_number(row, name));
}

static void check_settings(const json_t *row, const struct customer *customer, const char *what)
{
	check_setting(row, "ceiling", (double)customer->ceiling, what);
	check_setting(row, "floor", (double)customer->floor, what);
	check_setting(row, "factor", customer->factor, what);
}

static void test_leases_are_granted_refused_and_cancelled_as_recorded(void **state)
{
	json_t *root = condor_case("p20-peer-leases"), *row;
	struct customers customers = pool();
	size_t i;

	(void)state;
	json_array_foreach(case_member(root, "commands"), i, row) {
		const char *command = json_string_value(case_member(row, "do")),
			   *says = json_string_value(json_object_get(row, "out_contains"));
		bool refused = !json_is_integer(case_member(row, "rc"));
		uint32_t customer;
		int rc = play(&customers, command, BEGIN + 1, &customer);

		if ((rc < 0) != refused)
			fail_msg("%s: %d", command, rc);
		if (refused && says && !strstr(why.text, says))
			fail_msg("%s: \"%s\" does not contain \"%s\"", command, why.text, says);
		check_settings(row, &customers.items[customer], command);
	}
	json_decref(root);
}

static void test_leases_end_with_the_first_cycle_at_or_after_their_end(void **state)
{
	json_t *root = condor_case("p20-peer-leases"), *row;
	struct customers customers = pool();
	uint32_t customer = 0;
	size_t i;

	(void)state;
	json_array_foreach(case_member(root, "expiry"), i, row) {
		const char *command = json_string_value(json_object_get(row, "do"));
		int64_t now = BEGIN + (int64_t)case_number(row, "at");

		if (command) {
			assert_int_equal(play(&customers, command, now, &customer), 0);
		} else {
			customers_end_leases(&customers, now);
			choose_factors(&customers);
		}
		check_settings(row, &customers.items[customer], command ? command : "a cycle");
	}
	json_decref(root);
}

static void test_factors_and_priorities_make_the_effective_priority(void **state)
{
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@cs.example.org");

	(void)state;
	choose_factors(&customers);
	assert_true(customer_eup(&customers.items[ann]) == 500.0);
	assert_int_equal(edit(&customers, ann, EDIT_FACTOR, 4.0, 0, BEGIN), 0);
	assert_true(customer_eup(&customers.items[ann]) == 2.0);
	assert_int_equal(edit(&customers, ann, EDIT_FACTOR, 0.5, 0, BEGIN), -EINVAL);
	assert_true(customers.items[ann].factor == 4.0);
	assert_int_equal(edit(&customers, ann, EDIT_PRIORITY, 10.0, 0, BEGIN), 0);
	assert_true(customer_eup(&customers.items[ann]) == 40.0);
	assert_int_equal(edit(&customers, ann, EDIT_PRIORITY, 0.1, 0, BEGIN), 0);
	assert_true(customers.items[ann].rup == RUP_LEAST);
}

static void test_permanent_value_ends_the_lease(void **state)
{
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@pool");

	(void)state;
	assert_int_equal(edit(&customers, ann, EDIT_CEILING, 42.0, 90, BEGIN), 0);
	assert_int_equal(edit(&customers, ann, EDIT_CEILING, 7.0, 0, BEGIN + 10), 0);
	assert_int_equal(customers_end_leases(&customers, BEGIN + 90), 0);
	assert_true(customers.items[ann].ceiling == 7);
	assert_int_equal(edit(&customers, ann, EDIT_CANCEL_CEILING_LEASE, 0.0, 0, BEGIN + 100), -ENOENT);
}

static void test_an_expired_lease_is_replaced_by_the_next(void **state)
{
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@pool");

	(void)state;
	assert_int_equal(edit(&customers, ann, EDIT_FLOOR, 5.0, 0, BEGIN), 0);
	assert_int_equal(edit(&customers, ann, EDIT_FLOOR, 20.0, 90, BEGIN), 0);
	assert_int_equal(edit(&customers, ann, EDIT_FLOOR, 30.0, 90, BEGIN + 89), -EALREADY);
	assert_int_equal(edit(&customers, ann, EDIT_FLOOR, 30.0, 90, BEGIN + 90), 0);
	assert_true(customers.items[ann].floor == 30 && customers.items[ann].leases[SETTING_FLOOR].before == 5.0);
}

static void test_usage_restarts_and_priority_stays(void **state)
{
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@pool");

	(void)state;
	customers_add_match(&customers, ann, 4.0, BEGIN);
	customers_update(&customers, BEGIN + 3600);
	assert_int_equal(edit(&customers, ann, EDIT_RESET_USAGE, 0.0, 0, BEGIN + 3600), 0);
	assert_true(customers.items[ann].weight_accumulated == 0.0 && customers.items[ann].accumulated == 0.0);
	assert_int_equal(customers.items[ann].begin, BEGIN + 3600);
	assert_true(customers.items[ann].rup > RUP_LEAST && customers.items[ann].weight_used == 4.0);
}

static void test_a_deleted_submitter_is_charged_from_then_on(void **state)
{
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@pool");

	(void)state;
	assert_int_equal(edit(&customers, ann, EDIT_CEILING, 3.0, 90, BEGIN), 0);
	customers_add_match(&customers, ann, 4.0, BEGIN);
	customers_update(&customers, BEGIN + 100);
	assert_int_equal(edit(&customers, ann, EDIT_DELETE, DEFAULT_FACTOR, 0, BEGIN + 150), 0);
	assert_true(customers.items[ann].ceiling == CEILING_NONE &&
		    customers.items[ann].leases[SETTING_CEILING].until == 0);
	customers_update(&customers, BEGIN + 200);
	assert_true(customers.items[ann].weight_accumulated == 200.0 && customers.items[ann].accumulated == 50.0);
	customers_remove_match(&customers, ann, 4.0, BEGIN, BEGIN + 210);
	customers_update(&customers, BEGIN + 300);
	assert_true(customers.items[ann].weight_accumulated == 240.0 && customers.items[ann].used == 0);
}

static void test_stored_values_are_set_with_six_decimals_only_in_such_a_pool(void **state)
{
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@pool");

	(void)state;
	for (int rounded = 1; rounded >= 0; rounded--) {
		customers.six_decimals = rounded;
		customers.items[ann].changed = false;
		assert_int_equal(edit(&customers, ann, EDIT_ACCUMULATED, 12.34567891, 0, BEGIN), 0);
		assert_int_equal(edit(&customers, ann, EDIT_BEGIN, 1600000000.0, 0, BEGIN), 0);
		assert_int_equal(edit(&customers, ann, EDIT_LAST, 1600000001.0, 0, BEGIN), 0);
		assert_true(customers.items[ann].weight_accumulated == (rounded ? 12.345679 : 12.34567891));
		assert_int_equal(customers.items[ann].begin, 1600000000);
		assert_int_equal(customers.items[ann].last, 1600000001);
		assert_true(customers.items[ann].changed);
	}
}

/* Nothing is subtracted in advance if the last update is not before the deletion. */
static void test_a_submitter_deleted_at_an_update_is_charged_in_full_afterwards(void **state)
{
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@pool");

	(void)state;
	customers.six_decimals = false;
	customers_add_match(&customers, ann, 4.0, BEGIN);
	customers_update(&customers, BEGIN + 100);
	assert_int_equal(edit(&customers, ann, EDIT_DELETE, DEFAULT_FACTOR, 0, BEGIN + 90), 0);
	assert_true(customers.items[ann].weight_uncharged == 0.0);
	customers_update(&customers, BEGIN + 200);
	assert_true(customers.items[ann].weight_accumulated == 400.0);
}

static void refused(enum customer_edit_kind kind, double value, int64_t duration)
{
	struct customers customers = pool();
	struct customer before;
	uint32_t ann = customer_named(&customers, "ann@pool");

	before = customers.items[ann];
	why.text[0] = '\0';
	assert_int_equal(edit(&customers, ann, kind, value, duration, BEGIN), -EINVAL);
	assert_true(why.text[0] != '\0');
	assert_memory_equal(&before, &customers.items[ann], sizeof(before));
}

static void test_values_out_of_range_are_refused_without_effect(void **state)
{
	static const double odd[] = { NAN, HUGE_VAL, -HUGE_VAL, DBL_MAX, -DBL_MAX };

	(void)state;
	for (enum customer_edit_kind kind = EDIT_FACTOR; kind <= EDIT_LAST; kind++)
		for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
			refused(kind, odd[i], 0);
	refused(EDIT_FACTOR, 0.999, 0);
	refused(EDIT_CEILING, -2.0, 0);
	refused(EDIT_CEILING, 1.5, 0);
	refused(EDIT_FLOOR, -1.0, 0);
	refused(EDIT_ACCUMULATED, -1.0, 0);
	refused(EDIT_BEGIN, -1.0, 0);
	refused(EDIT_LAST, 1e16, 0);
	refused(EDIT_FACTOR, 2.0, -1);
	refused(EDIT_FACTOR, 2.0, (int64_t)INT32_MAX + 1);
	refused(EDIT_PRIORITY, 2.0, 60);
}

static void test_the_ends_of_each_range_are_allowed(void **state)
{
	static const struct { enum customer_edit_kind kind; double least, most; } ends[] = {
		{ EDIT_FACTOR, 1.0, 1e150 },	   { EDIT_PRIORITY, -1e150, 1e150 },
		{ EDIT_CEILING, -1.0, 0x1p53 },	   { EDIT_FLOOR, 0.0, 0x1p53 },
		{ EDIT_ACCUMULATED, 0.0, 1e150 },  { EDIT_BEGIN, 0.0, 0x1p53 },
		{ EDIT_LAST, 0.0, 0x1p53 },
	};
	struct customers customers = pool();
	uint32_t ann = customer_named(&customers, "ann@pool");

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		assert_int_equal(edit(&customers, ann, ends[i].kind, ends[i].least, 0, BEGIN), 0);
		assert_int_equal(edit(&customers, ann, ends[i].kind, ends[i].most, 0, BEGIN), 0);
	}
	assert_true(customers.items[ann].ceiling == 1LL << 53 && customers.items[ann].last == 1LL << 53);
	assert_int_equal(edit(&customers, ann, EDIT_CEILING, 2.0, INT32_MAX, BEGIN), 0);
	assert_int_equal(customers.items[ann].leases[SETTING_CEILING].until, (int64_t)BEGIN + INT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leases_are_granted_refused_and_cancelled_as_recorded),
		cmocka_unit_test(test_leases_end_with_the_first_cycle_at_or_after_their_end),
		cmocka_unit_test(test_factors_and_priorities_make_the_effective_priority),
		cmocka_unit_test(test_permanent_value_ends_the_lease),
		cmocka_unit_test(test_an_expired_lease_is_replaced_by_the_next),
		cmocka_unit_test(test_usage_restarts_and_priority_stays),
		cmocka_unit_test(test_a_deleted_submitter_is_charged_from_then_on),
		cmocka_unit_test(test_stored_values_are_set_with_six_decimals_only_in_such_a_pool),
		cmocka_unit_test(test_a_submitter_deleted_at_an_update_is_charged_in_full_afterwards),
		cmocka_unit_test(test_values_out_of_range_are_refused_without_effect),
		cmocka_unit_test(test_the_ends_of_each_range_are_allowed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
