/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/classad/values.h"

#define MY                                                                                                  \
	"Cpus = 4\nN = [a=1;b=a+1;c=Cpus;d=Memory;e=TARGET.Memory;f=MY.a;g=[h=a;i=MY.a]]\n"                 \
	"L = {[A=1],[A=2]}\nX = 1+1"
#define TARGET "Memory = 100\nCpus = 8\nT = [z=Cpus;y=TARGET.Cpus;w=X]"
#define N_TEXT "[ a = 1; b = a + 1; c = Cpus; d = Memory; e = TARGET.Memory; f = MY.a; g = [ h = a; i = MY.a ] ]"

struct row {
	const char *text, *value;
};

/* Compare values between the two ads above. */
static void rows_check(const struct row *rows, size_t n)
{
	struct classad *my = ad_of(MY), *target = ad_of(TARGET);

	for (size_t i = 0; i < n; i++) {
		const char *value = value_between(my, target, rows[i].text);

		if (strcmp(value, rows[i].value) != 0)
			fail_msg("%s is %s, not %s", rows[i].text, value, rows[i].value);
	}
	classad_free(my);
	classad_free(target);
}

#define ROWS_CHECK(ROWS) rows_check(ROWS, sizeof(ROWS) / sizeof(*(ROWS)))

/* The rows of these tests have been computed by HTCondor's own library, version 25.14. */

static void test_a_name_means_the_ad_or_the_nearest_ad_around_it(void **unused)
{
	static const struct row rows[] = {
		{ "[a = 1; b = a + 1].b", "2" },
		{ "N.b", "2" },
		{ "N.c", "4" },
		{ "N.d", "undefined" },
		{ "N.e", "100" },
		{ "N.f", "1" },
		{ "N.g.h", "1" },
		{ "N.g.i", "1" },
		{ "N.g.a", "1" },
		{ "N.g.Cpus", "4" },
		{ "N.Memory", "undefined" },
		{ "N.zzz", "undefined" },
		{ "T.z", "8" },
		{ "T.y", "4" },
		{ "T.w", "undefined" },
		{ "TARGET.T.z", "8" },
		{ "[b=N.a].b", "1" },
		{ "[a=Memory].a", "undefined" },
		{ "[a=TARGET.Cpus].a", "8" },
		{ "[Cpus=Cpus].Cpus", "undefined" },
		{ "[a=b;b=a].a", "undefined" },
		{ "[a=Cpus;Cpus=2].a", "2" },
		{ "[x={a,b};a=1;b=[c=a]].x[1].c", "1" },
		{ "[f=eval(\"a+1\");a=2].f", "3" },
		{ "[a=CurrentTime].a == time()", "true" },
	};

	(void)unused;
	ROWS_CHECK(rows);
}

static void test_an_attribute_is_selected_from_each_item_of_a_list(void **unused)
{
	static const struct row rows[] = {
		{ "L.A", "{ 1,2 }" },
		{ "L.B", "{ undefined,undefined }" },
		{ "{[A=1],3}.A", "{ 1,error }" },
		{ "{[A=1],undefined}.A", "{ 1,undefined }" },
		{ "{[A=1],{[A=2]}}.A", "{ 1,{ 2 } }" },
		{ "{}.A", "{ }" },
		{ "max({[v=3],[v=5]}.v)", "5" },
		{ "eval(\"{[A=1],[A=2]}\").A", "{ 1,2 }" },
		{ "{[A=[b=Cpus]]}.A[0].b", "undefined" },
		{ "L[1].A", "2" },
		{ "[a=1].a.b", "error" },
		{ "[a=undefined].a.b", "undefined" },
		{ "error.A", "error" },
		{ "undefined.A", "undefined" },
		{ "\"x\".a", "error" },
	};

	(void)unused;
	ROWS_CHECK(rows);
}

static void test_an_ad_is_a_value(void **unused)
{
	static const struct row rows[] = {
		{ "isClassAd(N)", "true" },
		{ "isClassAd(L)", "false" },
		{ "isClassAd(MY)", "true" },
		{ "isClassAd(TARGET)", "true" },
		{ "[a=PARENT.Cpus].a", "4" },
		{ "[a=1;b=[c=PARENT.a]].b.c", "1" },
		{ "[a=SELF.b;b=3].a", "3" },
		{ "N.TARGET.Memory", "100" },
		{ "N.PARENT.Cpus", "4" },
		{ "[my=3;x=my].x", "3" },
		{ "[parent=3;x=parent.y].x", "error" },
		{ "N[\"A\"]", "1" },
		{ "N[\"Cpus\"]", "undefined" },
		{ "N[1]", "error" },
		{ "N[undefined]", "undefined" },
		{ "TARGET[\"memory\"]", "100" },
		{ "size(N)", "7" },
		{ "size([])", "0" },
		{ "[a=1;A=2].a", "2" },
		{ "['x y'=2].'x y'", "2" },
		{ "N =?= N", "error" },
		{ "N =?= 1", "false" },
		{ "N =!= undefined", "true" },
		{ "N == N", "error" },
		{ "!N", "error" },
		{ "N && true", "error" },
		{ "(N ?: 3).a", "1" },
		{ "ifThenElse(true,N,1).b", "2" },
		{ "member(N,{N})", "error" },
		{ "int(N)", "error" },
		{ "-[a=1].a", "-1" },
	};

	(void)unused;
	ROWS_CHECK(rows);
}

static void test_the_text_of_an_ad_is_its_source_with_blanks_around_operators(void **unused)
{
	static const struct row rows[] = {
		{ "N", N_TEXT },
		{ "string(N) == \"" N_TEXT "\"", "true" },
		{ "string(T)", "\"[ w = X; y = TARGET.Cpus; z = Cpus ]\"" },
		{ "string([ccc=1;bb=2;a=3;AB=4])", "\"[ a = 3; AB = 4; bb = 2; ccc = 1 ]\"" },
		{ "string([])", "\"[  ]\"" },
		{ "unparse(X)", "\"1 + 1\"" },
		{ "join(\",\",{[a=1],2})", "\"[ a = 1 ],2\"" },
		{ "toUpper([a=b])", "\"[ A = B ]\"" },
		{ "string([a=!b;c=~d;d=-e;f=- 5;g=-1.5;h=1 -2;i=a-2])",
		  "\"[ a =  !b; c =  ~d; d =  -e; f =  -5; g = -1.500000000000000E+00; h = 1 - 2; i = a - 2 ]\"" },
		{ "string([h=a&&b||c;i=(a+b)*c;j=a?b:c;k=a?:b;l=x[1];m=x.y;n=f(1,2);o=f();p={};q=[]])",
		  "\"[ h = a && b || c; i = (a + b) * c; j = a ? b : c; k = a ?: b; l = x[1]; m = x.y; n = f(1,2); o = f(); p = {  }; q = [  ] ]\"" },
		{ "string([a=a is b;b=a=!=b;c=TRUE;d=my.X;e='b';f='x y'])",
		  "\"[ a = a is b; b = a isnt b; c = true; d = my.X; e = b; f = 'x y' ]\"" },
		{ "size(string([a=\"\\\"\\\"\"]))", "14" },
		{ "string([a={ {1},[x=1] };b=-9223372036854775808;c=9223372036854775808])",
		  "\"[ a = { { 1 },[ x = 1 ] }; b = -9223372036854775808; c = 0 ]\"" },
	};

	(void)unused;
	ROWS_CHECK(rows);
}

static void test_a_broken_ad_is_refused_with_the_column(void **unused)
{
	(void)unused;
	assert_string_equal(refusal_of("[a 1]"), "column 4: found 1, = after the attribute's name expected");
	assert_string_equal(refusal_of("[a = 1 b = 2]"), "column 8: found b, an operator, ; or ] expected");
	assert_string_equal(refusal_of("[;]"), "column 2: found ;, an attribute's name, or ] expected");
	assert_string_equal(refusal_of("[true = 1]"), "column 2: found true, an attribute's name, or ] expected");
	assert_string_equal(refusal_of("1 + [a = (2]"), "column 12: found ], an operator, or ) expected");
	assert_string_equal(refusal_of("[a = 1"), "column 7: the expression ends, an operator, ; or ] expected");
	assert_string_equal(refusal_of("[a = 1]]"), "column 8: found ], an operator expected");
	assert_string_equal(refusal_of("[a=1].[b=2]"), "column 7: found [, a name after the point expected");
	assert_string_equal(value_of("[a=1;;b=2;].b"), "2");
}

static char *repeated(const char *begin, const char *middle, size_t n, const char *end)
{
	char *text = malloc(strlen(begin) + n * strlen(middle) + strlen(end) + 1), *at;

	assert_non_null(text);
	at = stpcpy(text, begin);
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, middle);
	stpcpy(at, end);
	return text;
}

static void test_memory_of_nested_ads_is_bounded(void **unused)
{
	char *many = repeated("size([x = 1", ";x=1", 4000, "])"), *too_many = repeated("[x = 1", ";x=1", 5000, "]");
	char *list = repeated("A = {1", ",[a=1]", 900, "}\nB = size(A)"), *sums = repeated("B", " + B", 39, "");
	struct classad *my = ad_of(list);

	(void)unused;
	assert_string_equal(value_of(many), "1");
	assert_non_null(strstr(refusal_of(too_many), "nested ads of more than 1048576 bytes"));
	assert_string_equal(value_between(my, NULL, "B + B"), "1802");
	assert_string_equal(value_between(my, NULL, sums), "error");	/* the room is full */
	assert_string_equal(value_between(my, NULL, "B"), "901");
	classad_free(my);
	free(many);
	free(too_many);
	free(list);
	free(sums);
}

static void test_conditions_of_all_nested_ads_have_one_limit(void **unused)
{
	char *inner = repeated("[x=", "a?b:", 600, "1]"), *outer = repeated("", "a?b:", 600, inner);
	char *few = repeated("", "a?b:", 400, inner);

	(void)unused;
	assert_string_equal(value_of(few), "undefined");
	assert_non_null(strstr(refusal_of(outer), "no more than 1000 conditions"));
	free(inner);
	free(outer);
	free(few);
}

static uint32_t steps_of(const struct classad *my, const char *text)
{
	struct classad_expression *expression;
	struct classad_value value;

	assert_int_equal(classad_parse(&expression, text, NULL), 0);
	classad_evaluate(expression, &(struct classad_pair){ my, NULL }, &room, &value);
	classad_expression_free(expression);
	classad_room_reset(&room);
	return room.steps;
}

/* Each text has 16 million bytes without a limit, and takes a step for 64 bytes. */
static void test_a_text_larger_than_the_room_is_not_written_to_its_end(void **unused)
{
	static const struct { const char *begin, *end; } calls[] = {
		{ "string({", "})" }, { "strcat({", "})" }, { "join(\",\",{", "})" }, { "strcat(", ")" },
		{ "join(\",\",", ")" }, { "eval({", "})" }, { "toUpper({", "})" },
	};
	char *list = repeated("A = {1", ",1", 20000, "}");
	struct classad *my = ad_of(list);

	(void)unused;
	for (size_t k = 0; k < sizeof(calls) / sizeof(*calls); k++) {
		char *begin = repeated(calls[k].begin, "A,", 400, "A"), *text = repeated(begin, "", 0, calls[k].end);

		assert_string_equal(value_between(my, NULL, text), "error");
		assert_in_range(steps_of(my, text), 1, 60000);
		free(begin);
		free(text);
	}
	assert_string_equal(value_between(my, NULL, "size(string({A,A}))"), "80015");
	classad_free(my);
	free(list);
}

static void test_eval_counts_the_work_on_a_text_that_is_no_expression(void **unused)
{
	char *folded = repeated("F = \"1", "+1+member(1,{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18})", 40, " ]\"");
	struct classad *my = ad_of(folded);
	uint32_t steps = steps_of(my, "eval(F)");

	(void)unused;
	assert_string_equal(value_between(my, NULL, "eval(F)"), "error");
	assert_in_range(steps, strlen(folded) / 8 + 40, 1000);
	classad_free(my);
	free(folded);
}

static void test_an_ad_of_eval_stays_until_the_room_is_reset(void **unused)
{
	struct classad *my = ad_of("A = eval(strcat(\"[a = \", Cpus, \"; b = a + 1]\"))\nCpus = 4");
	struct classad_value value;
	char text[64];

	(void)unused;
	classad_attribute(&(struct classad_pair){ my, NULL }, "A", &room, &value);
	assert_int_equal(value.type, CLASSAD_AD);
	assert_int_equal(classad_value_text(&value, text, sizeof(text)), 20);
	assert_string_equal(text, "[ a = 4; b = a + 1 ]");
	assert_int_equal(classad_set_value(my, "C", &value), -22);
	classad_room_reset(&room);
	assert_string_equal(value_between(my, NULL, "A.b"), "5");
	classad_free(my);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_means_the_ad_or_the_nearest_ad_around_it),
		cmocka_unit_test(test_an_attribute_is_selected_from_each_item_of_a_list),
		cmocka_unit_test(test_an_ad_is_a_value),
		cmocka_unit_test(test_the_text_of_an_ad_is_its_source_with_blanks_around_operators),
		cmocka_unit_test(test_a_broken_ad_is_refused_with_the_column),
		cmocka_unit_test(test_memory_of_nested_ads_is_bounded),
		cmocka_unit_test(test_conditions_of_all_nested_ads_have_one_limit),
		cmocka_unit_test(test_a_text_larger_than_the_room_is_not_written_to_its_end),
		cmocka_unit_test(test_eval_counts_the_work_on_a_text_that_is_no_expression),
		cmocka_unit_test(test_an_ad_of_eval_stays_until_the_room_is_reset),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	classad_room_free(&room);
	return failed;
}
