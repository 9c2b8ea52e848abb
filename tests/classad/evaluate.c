/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/classad/values.h"

static void test_an_attribute_is_evaluated_in_its_own_ad(void **unused)
{
	struct classad *my = ad_of("Cpus = 4\nShare = Cpus * Weight\nWeight = 2"),
		       *target = ad_of("Cpus = 1\nWant = Cpus + MY.Cpus * 10 + TARGET.Cpus * 100");

	(void)unused;
	assert_string_equal(value_between(my, target, "Share"), "8");
	assert_string_equal(value_between(my, target, "TARGET.Want"), "411");
	assert_string_equal(value_between(my, target, "Want"), "411");
	assert_string_equal(value_between(my, target, "TARGET.Share"), "undefined");
	assert_string_equal(value_between(my, target, "weight"), "2");
	assert_string_equal(value_between(NULL, target, "Cpus"), "1");
	classad_free(my);
	classad_free(target);
}

static void test_a_self_reference_is_undefined(void **unused)
{
	struct classad *my = ad_of("A = B + 1\nB = A\nC = C ?: 5\nD = TARGET.E"), *target = ad_of("E = TARGET.D ?: 7");

	(void)unused;
	assert_string_equal(value_between(my, target, "A"), "undefined");
	assert_string_equal(value_between(my, target, "C"), "5");
	assert_string_equal(value_between(my, target, "D"), "7");
	assert_string_equal(value_between(my, target, "C + C"), "10");
	classad_free(my);
	classad_free(target);
}

/* A0 = A1 + A1, A1 = A2 + A2, ...: 2^n steps */
static struct classad *doubling(int n)
{
	struct classad *ad = ad_of("");
	char name[16], text[64];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "A%d", i);
		snprintf(text, sizeof(text), "A%d + A%d", i + 1, i + 1);
		assert_int_equal(classad_set(ad, name, text, NULL), 0);
	}
	snprintf(name, sizeof(name), "A%d", n);
	assert_int_equal(classad_set(ad, name, "1", NULL), 0);
	return ad;
}

static void test_steps_are_bounded(void **unused)
{
	struct classad *small = doubling(10), *large = doubling(60);

	(void)unused;
	assert_string_equal(value_between(small, NULL, "A0"), "1024");
	assert_string_equal(value_between(large, NULL, "A0"), "error");
	assert_string_equal(value_between(large, NULL, "isError(A0) || true"),
			    "error"); /* The expression has ended, whatever value it gives. */
	assert_int_equal(room.steps, CLASSAD_STEPS_MOST);
	assert_string_equal(value_between(small, NULL, "A0"), "1024");
	classad_free(small);
	classad_free(large);
}

static void test_attributes_in_attributes_are_as_deep_as_is_allowed(void **unused)
{
	struct classad *ad = ad_of("");
	char name[16], text[64];

	(void)unused;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "A%d", i);
		snprintf(text, sizeof(text), "A%d + 0", i + 1);
		assert_int_equal(classad_set(ad, name, text, NULL), 0);
	}
	assert_int_equal(classad_set(ad, "A100", "1", NULL), 0);
	assert_string_equal(value_between(ad, NULL, "A50"), "1");
	assert_string_equal(value_between(ad, NULL, "A30"), "error");
	classad_free(ad);
}

static void test_memory_for_values_is_bounded(void **unused)
{
	struct classad *ad =
		ad_of("A0 = \"0123456789012345678901234567890123456789\"\nA1 = strcat(A0, A0, A0, A0, A0, A0, A0, A0)\n"
		      "A2 = strcat(A1, A1, A1, A1, A1, A1, A1, A1)\nA3 = strcat(A2, A2, A2, A2, A2, A2, A2, A2)\n"
		      "A4 = strcat(A3, A3, A3, A3, A3, A3, A3, A3)\nA5 = strcat(A4, A4, A4, A4, A4, A4, A4, A4)\n"
		      "A6 = strcat(A5, A5, A5, A5, A5, A5, A5, A5)");

	(void)unused;
	assert_string_equal(value_between(ad, NULL, "size(A2)"), "2560");
	assert_string_equal(value_between(ad, NULL, "size(A6)"), "error");
	assert_true(room.capacity <= 2 << 20);
	classad_free(ad);
}

static void test_the_clock_is_the_callers(void **unused)
{
	struct classad *ad = ad_of("CurrentTime = 5");

	(void)unused;
	assert_string_equal(value_of("time()"), "1700000000");
	assert_string_equal(value_of("CurrentTime - time()"), "0");
	assert_string_equal(value_of("MY.CurrentTime"), "undefined");
	assert_string_equal(value_between(ad, NULL, "CurrentTime"), "5");
	classad_free(ad);
}

static void test_overflow_and_non_numbers_are_distinguished(void **unused)
{
	(void)unused;
	assert_string_equal(value_of("(-9223372036854775807 - 1) / -1"), "-9223372036854775808");
	assert_string_equal(value_of("(-9223372036854775807 - 1) % -1"), "0");
	assert_string_equal(value_of("1e308 * 10"), "error");
	assert_string_equal(value_of("real(\"INF\") - 1e308 == 0"), "error");
	assert_string_equal(value_of("int(1e30)"), "error");
	assert_string_equal(value_of("floor(real(\"NaN\"))"), "error");
	assert_string_equal(value_of("real(\"-INF\")"), "real(\"-INF\")");
}

static void test_functions_of_numbers(void **unused)
{
	(void)unused;
	assert_string_equal(value_of("quantize(3, 8)"), "8");
	assert_string_equal(value_of("quantize(1.5, 6.8)"), "6.8");
	assert_string_equal(value_of("quantize(6.8, 1.2)"), "7.199999999999999");
	assert_string_equal(value_of("quantize(0, {4})"), "4");
	assert_string_equal(value_of("quantize(2, {1, 2, \"A\"})"), "2");
	assert_string_equal(value_of("quantize(2.7, {1, 2, 0.5})"), "3.0");
	assert_string_equal(value_of("quantize(3, {1, 2, \"A\"})"), "error");
	assert_string_equal(value_of("quantize(-7, 4)"), "-4");
	assert_string_equal(value_of("quantize(7, 0)"), "7");
	assert_string_equal(value_of("pow(3, 40)"), "-6289078614652622815");
	assert_string_equal(value_of("pow(-2, 3)"), "-8");
	assert_string_equal(value_of("int(\" -12 \")"), "-12");
	assert_string_equal(value_of("real(\"1e3\")"), "1000.0");
	assert_string_equal(value_of("int(\"12 GB\")"), "12");
	assert_string_equal(value_of("int(\"9007199254740993\")"), "9007199254740992");
	assert_string_equal(value_of("int(\"9223372036854775807\")"), "error");
	assert_string_equal(value_of("int(\"nan\")"), "error");
	assert_string_equal(value_of("real(\"0x10\")"), "16.0");
	assert_string_equal(value_of("real(\"GB\")"), "error");
	assert_string_equal(value_of("max({true, 0.5})"), "1.0");
}

static void test_functions_of_texts(void **unused)
{
	(void)unused;
	assert_string_equal(value_of("strcat(\"a\", 1.5, -2, false)"), "\"a1.500000000000000E+00-2false\"");
	assert_string_equal(value_of("strcat(9.95, \" \", 0.1 + 0.2, \" \", 1e20)"),
			    "\"9.949999999999999E+00 3.000000000000000E-01 1.000000000000000E+20\"");
	assert_string_equal(value_of("strcat()"), "\"\"");
	assert_string_equal(value_of("strcat(\"a\", {1, \"b\"})"), "\"a{ 1,\\\"b\\\" }\"");
	assert_string_equal(value_of("toUpper(2.5)"), "\"2.500000000000000E+00\"");
	assert_string_equal(value_of("substr(\"abc\", -9, 2)"), "\"ab\"");
	assert_string_equal(value_of("substr(\"abc\", 1, -9)"), "\"\"");
	assert_string_equal(value_of("substr(\"abc\", 9223372036854775807, 9223372036854775807)"), "\"\"");
	assert_string_equal(value_of("stringListMember(\"b\", \"a, b,c\")"), "true");
	assert_string_equal(value_of("stringListMember(\"B\", \"a, b,c\")"), "false");
	assert_string_equal(value_of("stringListIMember(\"B\", \"a, b,c\")"), "true");
	assert_string_equal(value_of("stringListMember(\"a b\", \"a b;c\", \";\")"), "true");
	assert_string_equal(value_of("stringListMember(\"\", \"a,,b\")"), "false");
	assert_string_equal(value_of("stringListMember(Missing, \"a\")"), "false");
	assert_string_equal(value_of("stringListMember(1, \"1\")"), "error");
}

static void test_functions_of_versions_and_lists(void **unused)
{
	static const char *const ascending[] = { "000", "00", "01", "010", "09", "0", "1", "9", "10" };
	char text[128];

	(void)unused;
	for (size_t i = 0; i + 1 < sizeof(ascending) / sizeof(*ascending); i++) {
		snprintf(text, sizeof(text), "versioncmp(\"%s\", \"%s\")", ascending[i], ascending[i + 1]);
		assert_string_equal(value_of(text), "-1");
	}
	assert_string_equal(value_of("versionGE(split(\"$CondorVersion: 23.10.2 Jan 1 2024 $\")[1], \"23.9\")"),
			    "true");
	assert_string_equal(value_of("version_in_range(\"8.5\", \"8.10\", \"9\")"), "false");
	assert_string_equal(value_of("versionLT(\"1\", 2)"), "error");
	assert_string_equal(value_of("versionEQ(Missing, \"1\")"), "undefined");
	assert_string_equal(value_of("strcmp(\"a\", \"B\") + 10 * stricmp(\"a\", \"B\") + strcmp(10, \"10\")"), "-9");
	assert_string_equal(value_of("split(\"a,b;;c\", \",;\")"), "{ \"a\",\"b\",\"c\" }");
	assert_string_equal(value_of("split(\"  \")"), "{ }");
	assert_string_equal(value_of("stringListSize(\"a, b c\")"), "3");
	assert_string_equal(value_of("sum({1, 2.5, Missing, true})"), "4.5");
	assert_string_equal(value_of("sum({})"), "0");
	assert_string_equal(value_of("sum({Missing})"), "0");
	assert_string_equal(value_of("avg({1, 2})"), "1.5");
	assert_string_equal(value_of("avg({\"a\"})"), "error");
	assert_string_equal(value_of("identicalMember(\"A\", {\"a\"})"), "false");
	assert_string_equal(value_of("identicalMember(1, {1.0, 1})"), "true");
	assert_string_equal(value_of("bool(\"TRUE\") && bool(2) && !bool(\"false\")"), "true");
	assert_string_equal(value_of("bool(\"maybe\")"), "undefined");
	assert_string_equal(value_of("string(1.5) == \"1.5\""), "false");
}

/* Values computed by HTCondor's own library, version 25.14. */
static void test_corner_cases_are_as_in_the_real_library(void **unused)
{
	static const struct { const char *text, *value;
	} rows[] = {
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "min({false})", "false" },
		{ "max({true})", "true" },
		{ "min({undefined,true})", "true" },
		{ "sum({true})", "true" },
		{ "strcat(0.5)", "\"5.000000000000000E-01\"" },
		{ "strcat(1e3)", "\"1.000000000000000E+03\"" },
		{ "toLower(1.5)", "\"1.500000000000000e+00\"" },
		{ "string(0.5)", "\"5.000000000000000E-01\"" },
		{ "quantize(100, {})", "100" },
		{ "quantize(true,{})", "true" },
		{ "quantize(5,0)", "5" },
		{ "quantize(5,-2)", "2" },
		{ "quantize(5.0,2)", "6.0" },
		{ "quantize(true,2)", "2.0" },
		{ "quantize(true, {false})", "true" },
		{ "substr(undefined,error)", "undefined" },
		{ "substr(\"abc\",error,undefined)", "undefined" },
		{ "strcat(\"a\",undefined,error)", "undefined" },
		{ "member(undefined,error)", "undefined" },
		{ "identicalMember(undefined,{undefined})", "true" },
		{ "{1} =?= {1}", "error" },
		{ "1e308*10", "error" },
		{ "bool(\"x\")", "undefined" },
		{ "MY.'x'", "undefined" },
		{ "1 ? : 2", "1" },
		{ "join(\",\",{\"a\",\"b\"})", "\"a,b\"" },
		{ "interval(100)", "\"1:40\"" },
		{ "anyCompare(\"<\",{1,2},1)", "false" },
		{ "allCompare(\"<\",{1,2},3)", "true" },
		{ "strcat({1,\"a\",0.5,true,undefined})", "\"{ 1,\\\"a\\\",5.000000000000000E-01,true,undefined }\"" },
		{ "strcat({})", "\"{  }\"" },
		{ "toUpper({\"a\"})", "\"{ \\\"A\\\" }\"" },
		{ "string({1,2})", "\"{ 1,2 }\"" },
		{ "join(\",\",{\"a\",undefined,1})", "\"a,1\"" },
		{ "join(\",\",{undefined})", "undefined" },
		{ "join({\"a\",\"b\"})", "\"ab\"" },
		{ "join(\"-\",\"a\",\"b\",{\"c\"})", "\"a-b-{ \\\"c\\\" }\"" },
		{ "join(\",\",{error})", "error" },
		{ "join(\",\")", "\"\"" },
		{ "join()", "\"\"" },
		{ "join(undefined,{\"a\",\"b\"})", "\"ab\"" },
		{ "join(1,{\"a\",\"b\"})", "\"a1b\"" },
		{ "join(\",\",{\"\",\"a\",\"\"})", "\"a,\"" },
		{ "join(\",\",{})", "\"\"" },
		{ "join(\",\",\"a\")", "\"a\"" },
		{ "join(\",\",undefined)", "undefined" },
		{ "join({1.5,2})", "\"1.500000000000000E+002\"" },
		{ "join(\",\",{1},2)", "\"{ 1 },2\"" },
		{ "interval(-3700)", "\"-1:01:40\"" },
		{ "interval(90061)", "\"1+01:01:01\"" },
		{ "interval(\"x\")", "error" },
		{ "interval(\"61\")", "\"1:01\"" },
		{ "interval(61.9)", "\"1:01\"" },
		{ "interval(undefined)", "error" },
		{ "interval(-5)", "\"-5\"" },
		{ "interval(true)", "\"1\"" },
		{ "allCompare(\"<\",{1,undefined},3)", "false" },
		{ "anyCompare(\"<\",{undefined,1},3)", "false" },
		{ "anyCompare(\"<\",{\"a\",1},3)", "error" },
		{ "anyCompare(\"=?=\",{1},1)", "error" },
		{ "anyCompare(\"is\",{1},1)", "true" },
		{ "anyCompare(\"isnt\",{1,undefined},undefined)", "true" },
		{ "anyCompare(undefined,{1},1)", "undefined" },
		{ "anyCompare(\"<\",undefined,1)", "undefined" },
		{ "anyCompare(\"<\",{},1)", "false" },
		{ "allCompare(\"<\",{},1)", "true" },
		{ "anyCompare(\"<\",1,1)", "error" },
		{ "anyCompare(\"IS\",{1},1)", "error" },
		{ "string(0.0)", "\"0.0\"" },
		{ "string(1.0)", "\"1.000000000000000E+00\"" },
		{ "strcat(-0.0)", "\"-0.0\"" },
		{ "isClassAd(1)", "false" },
		{ "ceil(1.5)", "2" },
		{ "regexpMember(\"a\",{\"b\",\"a\"})", "true" },
		{ "regexpMember(\"a\",{\"b\"})", "false" },
		{ "regexpMember(\"a\",{})", "false" },
		{ "regexpMember(\"a\",{1,\"a\"})", "error" },
		{ "regexpMember(\"A\",{\"a\"},\"i\")", "true" },
		{ "regexpMember(undefined,{\"a\"})", "undefined" },
		{ "regexpMember(\"a\",undefined)", "undefined" },
		{ "isAbsTime(1)", "false" },
		{ "size({1})", "1" },
		{ "quantize(7,{1,2})", "8" },
		{ "quantize(-7,-2)", "-10" },
		{ "strcat({1},undefined)", "undefined" },
		{ "substr(error,undefined)", "undefined" },
		{ "identicalMember(error,{error})", "true" },
		{ "min({true,false})", "0" },
		{ "sum({true,1})", "2" },
		{ "{1} =?= 1", "false" },
		{ "1 ?: 2 + 3", "4" },
		{ "1 ? : 2 + 3", "4" },
		{ "'a b'", "undefined" },
		{ "'a\\'b' =?= undefined", "true" },
		{ "-9223372036854775808 + 1", "-9223372036854775807" },
		{ "1e308 + 1e308", "error" },
		{ "MY.'Cpus'", "undefined" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(value_of(rows[i].text), rows[i].value) != 0)
			fail_msg("%s is %s, not %s", rows[i].text, value_of(rows[i].text), rows[i].value);
}

static void test_times_have_a_format(void **unused)
{
	(void)unused;
	setenv("TZ", "UTC", 1);
	assert_string_equal(value_of("formatTime(86400, \"%Y-%m-%d %H:%M:%S %j %w %a %b\")"),
			    "\"1970-01-02 00:00:00 002 5 Fri Jan\"");
	assert_string_equal(value_of("formatTime(0)"), "\"Thu Jan  1 00:00:00 1970\"");
	assert_string_equal(value_of("formatTime(Missing, \"%Y\")"), "error");
	assert_string_equal(value_of("formatTime(0, \"%2000Y\")"), "error");
}

static void test_names_are_split_and_words_summed_up(void **unused)
{
	(void)unused;
	assert_string_equal(value_of("splitUserName(\"ann@pool\")"), "{ \"ann\",\"pool\" }");
	assert_string_equal(value_of("splitUserName(\"ann\")[0]"), "\"ann\"");
	assert_string_equal(value_of("splitSlotName(\"slot1_2@host\")[1]"), "\"host\"");
	assert_string_equal(value_of("splitSlotName(\"host\")"), "{ \"\",\"host\" }");
	assert_string_equal(value_of("splitUserName(Missing)"), "error");
	assert_string_equal(
		value_of(
			"stringListSum(\"1, 2,3\") + stringListAvg(\"1,2\") + stringListMin(\"3 2\") + stringListMax(\"4;5.5\", \";\")"),
		"14.5");
	assert_string_equal(value_of("stringListMin(\"\")"), "undefined");
	assert_string_equal(value_of("stringListSum(\"a\")"), "error");
	assert_string_equal(value_of("stringList_regexpMember(\"^b\", \"a, bc\")"), "true");
	assert_string_equal(value_of("stringList_regexpMember(\"^B\", \"a;bc\", \";\", \"i\")"), "true");
}

static void test_requirements_need_a_true_value(void **unused)
{
	static const struct { struct classad_value value; bool is_true, is_number; double number;
	} rows[] = {
		{ { .type = CLASSAD_BOOL, .truth = true }, true, true, 1 },
		{ { .type = CLASSAD_INT, .integer = -3 }, true, true, -3 },
		{ { .type = CLASSAD_REAL, .real = 0.5 }, true, true, 0.5 },
		{ { .type = CLASSAD_REAL }, false, true, 0 },
		{ { .type = CLASSAD_STRING, .text = "true", .bytes = 4 }, false, false, 0 },
		{ { .type = CLASSAD_UNDEFINED }, false, false, 0 },
		{ { .type = CLASSAD_ERROR }, false, false, 0 },
		{ { .type = CLASSAD_LIST }, false, false, 0 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double number = 0;

		assert_int_equal(classad_is_true(&rows[i].value), rows[i].is_true);
		assert_int_equal(classad_number(&rows[i].value, &number), rows[i].is_number);
		assert_true(number == rows[i].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_attribute_is_evaluated_in_its_own_ad),
		cmocka_unit_test(test_a_self_reference_is_undefined),
		cmocka_unit_test(test_steps_are_bounded),
		cmocka_unit_test(test_attributes_in_attributes_are_as_deep_as_is_allowed),
		cmocka_unit_test(test_memory_for_values_is_bounded),
		cmocka_unit_test(test_the_clock_is_the_callers),
		cmocka_unit_test(test_overflow_and_non_numbers_are_distinguished),
		cmocka_unit_test(test_functions_of_numbers),
		cmocka_unit_test(test_functions_of_texts),
		cmocka_unit_test(test_functions_of_versions_and_lists),
		cmocka_unit_test(test_corner_cases_are_as_in_the_real_library),
		cmocka_unit_test(test_times_have_a_format),
		cmocka_unit_test(test_names_are_split_and_words_summed_up),
		cmocka_unit_test(test_requirements_need_a_true_value),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	classad_room_free(&room);
	return failed;
}
