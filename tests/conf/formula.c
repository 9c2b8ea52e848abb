/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "conf/formula.h"

#define UNKNOWN DBL_MAX		/* value of check() for *known false */

static double value_of(void *context, const char *name, bool *known)
{
	static const struct { const char *name; double value;
	} values[] = {
		{ "load_avg", 0.3 }, { "mem", 3e9 },	  { "num_proc", 4 }, { "mask", 6.9 },
		{ "zero", 0 },	     { "huge", DBL_MAX }, { "below", -1 },   { "third", 1.0 / 3 },
	};
	size_t i;

	*(int *)context += 1;
	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (!strcmp(values[i].name, name))
			return values[i].value;
	*known = false;
	return 17;
}

static double result(const char *text, int *lookups)
{
	struct formula formula;
	struct error error = { "" };
	bool known = false;
	double value;

	*lookups = 0;
	assert_int_equal(formula_parse(&formula, text, &error), 0);
	assert_string_equal(error.text, "");
	value = formula_value(&formula, value_of, lookups, &known);
	assert_true(known || value == 0);
	formula_free(&formula);
	assert_int_equal(formula.n, 0);
	return known ? value : UNKNOWN;
}

static void check(const char *text, double expected)
{
	int lookups;
	double value = result(text, &lookups);

	if (value != expected)
		fail_msg("%s: %.17g found, %.17g expected", text, value, expected);
}

static void test_terms_are_added_from_left_to_right(void **state)
{
	(void)state;
	check("load_avg", 0.3);
	check("$load_avg", 0.3);
	check("2.5", 2.5);
	check("load_avg*1.37+num_proc*0.25", 0.3 * 1.37 + 4 * 0.25);
	check("third+third*2-load_avg+num_proc", 1.0 / 3 + 1.0 / 3 * 2 - 0.3 + 4);
	check("1-load_avg-load_avg", 1 - 0.3 - 0.3);
	check("huge-huge+1", 1);
	check("1+huge-huge", 0);
}

static void test_a_leading_minus_negates_the_first_term_only(void **state)
{
	(void)state;
	check("-load_avg", -0.3);
	check("-num_proc*2+load_avg", -8 + 0.3);
	check("-num_proc-1", -5);
}

static void test_all_five_operators_work_on_names_and_numbers(void **state)
{
	(void)state;
	check("num_proc*load_avg", 4 * 0.3);
	check("3*num_proc", 12);
	check("num_proc/8", 0.5);
	check("mask&3", 2);
	check("mask|8", 14);
	check("mask^3.99", 5);
}

static void test_bit_operations_use_32_bits(void **state)
{
	(void)state;
	check("4294967303&15", 7);
	check("below|0", 4294967295.0);
	check("mem^0", 3e9);
	check("huge&1", UNKNOWN);
}

static void test_text_after_the_second_operand_is_ignored(void **state)
{
	int lookups;

	(void)state;
	check("num_proc*3*7", 12);
	check("num_proc*3/0+1", 13);
	assert_true(result("num_proc*3*nobody", &lookups) == 12);
	assert_int_equal(lookups, 1);
}

static void test_an_exponent_is_cut_into_two_terms(void **state)
{
	(void)state;
	check("1e-3", UNKNOWN);
	check("load_avg*1e-3", UNKNOWN);
	check("1e3", 1000);
	check("1e+3", UNKNOWN);
}

static void test_unknown_names_and_operators_make_the_whole_unknown(void **state)
{
	int lookups;

	(void)state;
	check("nobody", UNKNOWN);
	check("load_avg+nobody*2", UNKNOWN);
	check("num_proc%2", UNKNOWN);
	check("2*nobody", UNKNOWN);
	check("3K", UNKNOWN);
	assert_true(result("nobody+load_avg", &lookups) == UNKNOWN);
	assert_int_equal(lookups, 1);
}

static void test_results_are_never_infinite_or_nan(void **state)
{
	(void)state;
	check("num_proc/zero", UNKNOWN);
	check("zero/0", UNKNOWN);
	check("huge*10", UNKNOWN);
	check("huge+huge", UNKNOWN);
	check("huge*10-huge*10", UNKNOWN);
}

static void test_a_formula_without_an_operand_is_refused(void **state)
{
	static const char *const texts[] = { "",   "-",	   "+", "a+",  "a--b", "a++b",	"*2",
					     "a*", "a*-3", "$", "a*$", "--a",  "a+$*2", "a**2" };
	struct formula formula;
	struct error error;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		error.text[0] = '\0';
		if (formula_parse(&formula, texts[i], &error) != -EINVAL)
			fail_msg("\"%s\" was taken", texts[i]);
		assert_non_null(strstr(error.text, "a term without attribute found"));
		formula_free(&formula);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terms_are_added_from_left_to_right),
		cmocka_unit_test(test_a_leading_minus_negates_the_first_term_only),
		cmocka_unit_test(test_all_five_operators_work_on_names_and_numbers),
		cmocka_unit_test(test_bit_operations_use_32_bits),
		cmocka_unit_test(test_text_after_the_second_operand_is_ignored),
		cmocka_unit_test(test_an_exponent_is_cut_into_two_terms),
		cmocka_unit_test(test_unknown_names_and_operators_make_the_whole_unknown),
		cmocka_unit_test(test_results_are_never_infinite_or_nan),
		cmocka_unit_test(test_a_formula_without_an_operand_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
