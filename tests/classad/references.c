/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/classad/values.h"

static struct classad_reads reads;

/* Return "names of MY | names of TARGET". */
static const char *references_of(const struct classad *my, const char *text)
{
	static char shown[1024];
	struct classad_expression *expression;
	size_t n = 0;

	classad_reads_free(&reads);
	assert_int_equal(classad_parse(&expression, text, NULL), 0);
	assert_int_equal(classad_references(expression, my, &reads), 0);
	classad_expression_free(expression);
	for (size_t i = 0; i < reads.mine.n; i++)
		n += (size_t)snprintf(shown + n, sizeof(shown) - n, "%s ", reads.mine.items[i]);
	n += (size_t)snprintf(shown + n, sizeof(shown) - n, "|");
	for (size_t i = 0; i < reads.theirs.n; i++)
		n += (size_t)snprintf(shown + n, sizeof(shown) - n, " %s", reads.theirs.items[i]);
	return shown;
}

static void test_names_belong_to_the_ad_in_which_they_are_looked_up(void **unused)
{
	struct classad *my = ad_of("RequestMemory = 512");

	(void)unused;
	assert_string_equal(references_of(my, "TARGET.Memory >= MY.RequestMemory"), "RequestMemory | Memory");
	assert_string_equal(references_of(my, "Memory >= RequestMemory"), "Memory RequestMemory | Memory");
	assert_string_equal(references_of(NULL, "MY.a + My.A + TARGET.b"), "a | b");
	assert_string_equal(references_of(my, "1 + 2"), "|");
	assert_false(reads.time);
	classad_free(my);
}

static void test_own_attributes_are_followed(void **unused)
{
	struct classad *my = ad_of(
		"Requirements = Fits && Loop\nFits = TARGET.Cpus >= RequestCpus\nRequestCpus = 2\nLoop = Requirements || time() > 5");

	(void)unused;
	assert_string_equal(references_of(my, "Requirements"), "Fits Loop RequestCpus Requirements | Cpus");
	assert_true(reads.time);
	assert_string_equal(references_of(my, "TARGET.Fits"), "| Fits");
	assert_false(reads.time);
	classad_free(my);
}

static void test_a_folded_expression_has_no_references(void **unused)
{
	(void)unused;
	assert_string_equal(references_of(NULL, "false && TARGET.Cpus > 1"), "|");
	assert_string_equal(references_of(NULL, "ifThenElse(true, MY.A, MY.B)"), "A |");
	assert_string_equal(references_of(NULL, "CurrentTime > 5"), "CurrentTime | CurrentTime");
	assert_true(reads.time);
}

static void test_names_in_nested_ads_are_references(void **unused)
{
	struct classad *my = ad_of("N = [a = Cpus; b = [c = TARGET.Memory]]");

	(void)unused;
	assert_string_equal(references_of(my, "N.a"), "a Cpus N | a Cpus Memory");
	assert_false(reads.time);
	assert_string_equal(references_of(my, "isClassAd(MY)"), "MY |");
	assert_true(reads.time && reads.any);
	references_of(my, "TARGET[MY.Which]");
	assert_true(reads.any);
	references_of(my, "eval(Which)");
	assert_true(reads.any);
	references_of(my, "N[Which]");
	assert_false(reads.any);
	assert_string_equal(references_of(my, "TARGET.T.N"), "Cpus N | Cpus Memory N T");
	classad_free(my);
}

static void test_constant_subscripts_are_references(void **unused)
{
	(void)unused;
	assert_string_equal(references_of(NULL, "TARGET[\"Memory\"] > 5"), "Memory TARGET | Memory");
	assert_string_equal(references_of(NULL, "MY.N[\"a\"]"), "a N | a");
	assert_string_equal(references_of(NULL, "MY.L[MY.i]"), "i L |");
	assert_string_equal(references_of(NULL, "MY.L[2]"), "L |");
}

static void test_an_attribute_with_the_name_of_an_ad_is_a_reference(void **unused)
{
	struct classad *my = ad_of("Parent = Cpus > 1 && Self\nSelf = Memory");

	(void)unused;
	assert_string_equal(references_of(my, "Parent"), "Cpus Memory Parent Self | Cpus Memory");
	classad_free(my);
}

static void test_names_are_sorted_and_unique(void **unused)
{
	struct classad_names names = { 0 };

	(void)unused;
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), i % 2 ? "name%d" : "NAME%d", i * 37 % 50);
		assert_int_equal(classad_names_add(&names, name), 0);
	}
	assert_int_equal(names.n, 50);
	assert_true(classad_names_have(&names, "Name49"));
	assert_false(classad_names_have(&names, "Name50"));
	classad_names_free(&names);
	assert_int_equal(names.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_belong_to_the_ad_in_which_they_are_looked_up),
		cmocka_unit_test(test_own_attributes_are_followed),
		cmocka_unit_test(test_a_folded_expression_has_no_references),
		cmocka_unit_test(test_names_in_nested_ads_are_references),
		cmocka_unit_test(test_constant_subscripts_are_references),
		cmocka_unit_test(test_an_attribute_with_the_name_of_an_ad_is_a_reference),
		cmocka_unit_test(test_names_are_sorted_and_unique),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	classad_reads_free(&reads);
	return failed;
}
