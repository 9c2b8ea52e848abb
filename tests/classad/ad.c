/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/failing_memory.h"
#include "tests/classad/values.h"

static const char *text_of(const struct classad *ad)
{
	static char text[65536];

	assert_true(classad_text(ad, text, sizeof(text)) < sizeof(text));
	return text;
}

static void test_names_have_no_case_and_keep_that_of_the_first(void **unused)
{
	struct classad *ad = ad_of("Memory = 5\ncpus = 2\nMEMORY = Cpus + 1");

	(void)unused;
	assert_int_equal(classad_count(ad), 2);
	assert_string_equal(text_of(ad), "cpus = 2\nMemory = Cpus + 1\n");
	assert_non_null(classad_find(ad, "mEmOrY"));
	classad_unset(ad, "CPUS");
	assert_null(classad_find(ad, "cpus"));
	assert_string_equal(text_of(ad), "Memory = Cpus + 1\n");
	classad_free(ad);
}

static void test_a_printed_ad_reads_back_the_same(void **unused)
{
	static const char lines[] =
		"A = \"x\\\"y; ]\"\nB = { 1,2.5,\"z\" }\nC = A =?= undefined || B[0] > 1\nD = 1000.0\n";
	struct classad
		*ad = ad_of(lines),
		*brackets = ad_of(
			"[ A = \"x\\\"y; ]\"; B = { 1,2.5,\"z\" };\n C = A =?= undefined || B[0] > 1; D = 1000.0; ]");

	(void)unused;
	assert_string_equal(text_of(ad), lines);
	assert_string_equal(text_of(brackets), lines);
	classad_free(ad);
	classad_free(brackets);
}

static void test_a_syntax_error_is_reported_with_line_and_column(void **unused)
{
	static const struct { const char *text, *why; } rows[] = {
		{ "A = 1\nB", "line 2: no =, Name = expression is allowed" },
		{ "A = 1\n\n  B =  1 +", "line 3, column 11: the expression ends, a value expected" },
		{ "1A = 3", "line 1: attribute \"1A\": a name begins with a letter or _" },
		{ "A B = 3", "line 1: attribute A B: letters, digits and _ are allowed" },
		{ "[ A = 1;\n B = 2 3; ]", "line 2, column 8: found 3, an operator expected" },
		{ "[ A = 1", "line 1: no ] that ends the ad" },
		{ "[ A = 1 ] x", "line 1: text after the ] that ends the ad" },
		{ "= 1", "line 1: attribute \"\": a name begins with a letter or _" },
	};
	struct classad *ad;
	struct error error;

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(classad_read(&ad, rows[i].text, &error), -EINVAL);
		assert_null(ad);
		assert_string_equal(error.text, rows[i].why);
	}
}

static void test_an_attribute_missing_in_an_ad_is_found_in_the_ad_below_it(void **unused)
{
	struct classad *slot = ad_of("Cpus = 4\nRank = Prio * 2\nPrio = 1"), *moment = ad_of("Prio = 10");

	(void)unused;
	classad_set_base(moment, slot);
	assert_string_equal(value_between(moment, NULL, "Rank"), "20");
	assert_string_equal(value_between(moment, NULL, "MY.Cpus"), "4");
	assert_string_equal(value_between(slot, NULL, "Rank"), "2");
	assert_int_equal(classad_count(moment), 1);
	classad_set_base(moment, NULL);
	assert_string_equal(value_between(moment, NULL, "Rank"), "undefined");
	classad_free(moment);
	classad_free(slot);
}

static void set_number(struct classad *ad, const char *name, double real)
{
	assert_int_equal(classad_set_value(ad, name, &(struct classad_value){ .type = CLASSAD_REAL, .real = real }), 0);
}

static void set_text(struct classad *ad, const char *name, const char *text)
{
	assert_int_equal(classad_set_value(ad, name,
					   &(struct classad_value){
						   .type = CLASSAD_STRING, .text = text, .bytes = strlen(text) }),
			 0);
}

static void test_a_value_replaces_the_previous_value(void **unused)
{
	struct classad *ad = ad_of("Prio = Cpus + 1");
	struct classad_value list = { .type = CLASSAD_LIST };

	(void)unused;
	set_number(ad, "prio", 0.1);
	assert_null(classad_expression_text(classad_find(ad, "Prio")));
	assert_string_equal(text_of(ad), "Prio = 0.1\n");
	set_text(ad, "Prio", "ann");
	assert_string_equal(text_of(ad), "Prio = \"ann\"\n");
	set_text(ad, "Prio", "a user with a very long name");
	set_text(ad, "Prio", "b\"o\nb\\");
	assert_string_equal(text_of(ad), "Prio = \"b\\\"o?b\\\"\n");
	set_number(ad, "Prio", 3);
	assert_string_equal(text_of(ad), "Prio = 3.0\n");
	assert_int_equal(classad_set_value(ad, "Prio", &list), -EINVAL);
	assert_int_equal(classad_set_value(ad, "no name", &(struct classad_value){ .type = CLASSAD_BOOL }), -EINVAL);
	classad_free(ad);
}

static void test_a_refused_attribute_leaves_the_ad_unchanged(void **unused)
{
	struct classad *ad = ad_of("A = 1");
	struct error error;

	(void)unused;
	assert_int_equal(classad_set(ad, "A", "2 +", &error), -EINVAL);
	assert_string_equal(text_of(ad), "A = 1\n");
	classad_free(ad);
}

static void test_an_ad_has_a_bounded_number_of_attributes(void **unused)
{
	struct classad *ad = ad_of("");
	char name[16];
	struct error error;

	(void)unused;
	for (int i = 0; i < 4096; i++) {
		snprintf(name, sizeof(name), "A%d", i);
		assert_int_equal(classad_set(ad, name, "1", NULL), 0);
	}
	assert_int_equal(classad_set(ad, "B", "1", &error), -EINVAL);
	assert_string_equal(error.text, "attribute B: an ad has 4096 attributes at most");
	assert_int_equal(classad_set(ad, "a17", "2", NULL), 0);
	assert_string_equal(value_between(ad, NULL, "A4095 + A17"), "3");
	classad_free(ad);
}

static void test_text_is_cut_at_the_end_of_the_buffer(void **unused)
{
	struct classad *ad = ad_of("Name = \"abc\"");
	char text[8];

	(void)unused;
	assert_int_equal(classad_text(ad, text, sizeof(text)), strlen("Name = \"abc\"\n"));
	assert_string_equal(text, "Name = ");
	assert_int_equal(classad_text(ad, NULL, 0), strlen("Name = \"abc\"\n"));
	classad_free(ad);
}

#ifdef CAN_FAIL
static void test_exhausted_memory_leaks_nothing(void **unused)
{
	long before = alive;
	int rc = -ENOMEM;

	(void)unused;
	for (long n = 0; rc; n++) {
		struct classad *ad;
		struct error error;

		left = n;
		rc = classad_read(
			&ad,
			"A = strcat(\"a\", B, {1, 2})\nB = 0.5\nC = regexp(\"a+\", B) && MY.X\nD = 1\nE = 2\nF = 3\n",
			&error);
		left = -1;
		assert_true(rc == 0 || rc == -ENOMEM);
		classad_free(ad);
		assert_int_equal(alive, before);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_have_no_case_and_keep_that_of_the_first),
		cmocka_unit_test(test_a_printed_ad_reads_back_the_same),
		cmocka_unit_test(test_a_syntax_error_is_reported_with_line_and_column),
		cmocka_unit_test(test_an_attribute_missing_in_an_ad_is_found_in_the_ad_below_it),
		cmocka_unit_test(test_a_value_replaces_the_previous_value),
		cmocka_unit_test(test_a_refused_attribute_leaves_the_ad_unchanged),
		cmocka_unit_test(test_an_ad_has_a_bounded_number_of_attributes),
		cmocka_unit_test(test_text_is_cut_at_the_end_of_the_buffer),
#ifdef CAN_FAIL
		cmocka_unit_test(test_exhausted_memory_leaks_nothing),
#endif
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	classad_room_free(&room);
	return failed;
}
