/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of fairlead prio and fairlead share: valid columns, and values fitted to their width.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/cli/slurm/prio.h"
#include "sched/cli/slurm/sshare.h"

/* Prio -o */

static void test_a_format_has_columns_and_text_around_them(void **unused)
{
	struct prio_format format;

	(void)unused;
	assert_int_equal(prio_format_parse(&format, "job %.15i|%9r%Y end"), EXIT_OK);
	assert_int_equal(format.n, 3);
	assert_memory_equal(format.prefix, "job ", format.prefix_bytes);
	assert_int_equal(format.columns[0].field->letter, 'i');
	assert_true(format.columns[0].right);
	assert_int_equal(format.columns[0].width, 15);
	assert_int_equal(format.columns[0].suffix_bytes, 1);
	assert_false(format.columns[1].right);
	assert_int_equal(format.columns[1].width, 9);
	assert_int_equal(format.columns[1].suffix_bytes, 0);
	assert_int_equal(format.columns[2].width, 0);
	assert_memory_equal(format.columns[2].suffix, " end", format.columns[2].suffix_bytes);
}

static void test_every_letter_of_sprio_is_a_column(void **unused)
{
	struct prio_format format;

	(void)unused;
	for (const char *p = "iurcYyAaBbFfJjPpQqSNTt"; *p; p++) {
		char text[] = { '%', *p, '\0' };

		assert_int_equal(prio_format_parse(&format, text), EXIT_OK);
		assert_int_equal(format.columns[0].field->letter, *p);
	}
}

static void test_an_invalid_format_is_refused(void **unused)
{
	static const char *const bad[] = { "",	   "text", "%",	     "%.",     "%10",
					   "%x",   "%i%%", "%i %10", "%1001i", "%99999999999999999999i",
					   "%-5i", "%..5i" };
	struct prio_format format;

	(void)unused;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
		assert_int_equal(prio_format_parse(&format, bad[k]), EXIT_USAGE);
}

static void test_a_format_has_limits(void **unused)
{
	struct prio_format format;
	char text[2 * PRIO_COLUMNS + 3], long_text[PRIO_FORMAT_BYTES + 1];

	(void)unused;
	for (size_t k = 0; k <= PRIO_COLUMNS; k++)
		memcpy(text + 2 * k, "%i", 3);
	assert_int_equal(prio_format_parse(&format, text), EXIT_USAGE);
	text[2 * PRIO_COLUMNS] = '\0';
	assert_int_equal(prio_format_parse(&format, text), EXIT_OK);
	assert_int_equal(format.n, PRIO_COLUMNS);
	memset(long_text, ' ', sizeof(long_text));
	memcpy(long_text, "%i", 2);
	long_text[PRIO_FORMAT_BYTES] = '\0';
	assert_int_equal(prio_format_parse(&format, long_text), EXIT_USAGE);
	long_text[PRIO_FORMAT_BYTES - 1] = '\0';
	assert_int_equal(prio_format_parse(&format, long_text), EXIT_OK);
	assert_int_equal(format.columns[0].suffix_bytes, PRIO_FORMAT_BYTES - 3);
}

static void check_chosen(struct prio *prio, const struct fl_multifactor *multifactor, const char *expected)
{
	char text[PRIO_FORMAT_BYTES];
	struct prio_format format;

	prio_format_choose(prio, multifactor, text);
	assert_string_equal(text, expected);
	assert_int_equal(prio_format_parse(&format, text), EXIT_OK);
}

static void test_without_a_format_columns_without_weight_are_left_out(void **unused)
{
	struct fl_multifactor none = { .weight_tres = "" },
			      some = { .weight_tres = "CPU=1", .weight_age = 1, .weight_qos = 1 };
	struct prio prio = { .is_long = false };
	char *user = NULL;

	(void)unused;
	check_chosen(&prio, &none, "%.15i %9r %.10Y %.10S");
	check_chosen(&prio, &some, "%.15i %9r %.10Y %.10S %.10A %.10Q %.20T");
	prio.norm = true;
	check_chosen(&prio, &some, "%.15i %9r %10y %10a %10q %20t");
	prio.users = (struct names){ .items = &user, .n = 1 };
	check_chosen(&prio, &none, "%.15i %9r %.8u %10y");
	prio.is_long = true;
	check_chosen(&prio, &none, "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t");
	prio.norm = false;
	check_chosen(&prio, &none, "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T");
}

static void check_justified(const char *value, size_t width, bool right, const char *expected)
{
	char text[64];
	char *end = stpcpy(text, value);

	*prio_justify(text, end, width, right) = '\0';
	assert_string_equal(text, expected);
}

static void test_values_are_cut_and_filled_up(void **unused)
{
	(void)unused;
	check_justified("cpu=250,mem=750,node=12", 20, true, "cpu=250,mem=750,node");
	check_justified("cpu=39,mem=0,node=3", 20, true, " cpu=39,mem=0,node=3");
	check_justified("0.2583333", 10, false, "0.2583333 ");
	check_justified("777.00000000000000", 10, false, "777.000000");
	check_justified("", 3, true, "   ");
	check_justified("\xc3\xa9t\xc3\xa9", 4, true, " \xc3\xa9t");
	check_justified("\xc3\xa9t\xc3\xa9", 1, false, " ");
	check_justified("as wide as it is", 0, true, "as wide as it is");
}

static void test_letters_to_sort_by_are_checked(void **unused)
{
	(void)unused;
	assert_int_equal(prio_sort_check("i"), EXIT_OK);
	assert_int_equal(prio_sort_check("-Y,+i"), EXIT_OK);
	assert_int_equal(prio_sort_check("r-Yu"), EXIT_OK);
	assert_int_equal(prio_sort_check(""), EXIT_USAGE);
	assert_int_equal(prio_sort_check("-"), EXIT_USAGE);
	assert_int_equal(prio_sort_check("x"), EXIT_USAGE);
}

/* Share -o */

static void check_column(const struct sshare_column *column, const char *title, int width)
{
	assert_string_equal(column->field->title, title);
	assert_int_equal(column->width, width);
}

static void test_columns_match_by_prefix_in_any_case(void **unused)
{
	struct sshare_columns columns;

	(void)unused;
	assert_int_equal(sshare_columns_parse(&columns, "A,User,raw,rawU,Fair,l,eff%30,norm%-4,GrpTRES,t,p"), EXIT_OK);
	assert_int_equal(columns.n, 11);
	check_column(&columns.items[0], "Account", -20);
	check_column(&columns.items[1], "User", 10);
	check_column(&columns.items[2], "RawShares", 10);
	check_column(&columns.items[3], "RawUsage", 11);
	check_column(&columns.items[4], "FairShare", 10);
	check_column(&columns.items[5], "LevelFS", 10);
	check_column(&columns.items[6], "EffectvUsage", 30);
	check_column(&columns.items[7], "NormShares", -4);
	check_column(&columns.items[8], "GrpTRESMins", 30);
	check_column(&columns.items[9], "TRESRunMins", 30);
	check_column(&columns.items[10], "Partition", 12);
}

static void test_an_unknown_column_is_refused(void **unused)
{
	static const char *const bad[] = { "",		",",	      "colour", "Userx",
					   "User%",	"User%0",     "User%x", "User%5x",
					   "User%1001", "User%-1001", "%5",	"User%99999999999999999999",
					   "Account,ID" };
	struct sshare_columns columns;

	(void)unused;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
		assert_int_equal(sshare_columns_parse(&columns, bad[k]), EXIT_USAGE);
}

static void test_the_number_of_columns_is_limited(void **unused)
{
	struct sshare_columns columns;
	char text[2 * SSHARE_COLUMNS + 3];

	(void)unused;
	for (size_t k = 0; k <= SSHARE_COLUMNS; k++)
		memcpy(text + 2 * k, "U,", 3);
	assert_int_equal(sshare_columns_parse(&columns, text), EXIT_USAGE);
	text[2 * SSHARE_COLUMNS] = '\0';
	assert_int_equal(sshare_columns_parse(&columns, text), EXIT_OK);
	assert_int_equal(columns.n, SSHARE_COLUMNS);
}

static void check_number(double value, int width, const char *expected)
{
	char text[512];

	*sshare_number(text, value, width) = '\0';
	assert_string_equal(text, expected);
}

static void test_numbers_too_wide_are_written_in_powers_of_ten(void **unused)
{
	(void)unused;
	check_number(0.588235294, 11, "0.588235");
	check_number(999.999999, 10, "999.999999");
	check_number(73209.208333, 10, "7.3209e+04");
	check_number(73209.208333, 12, "73209.208333");
	check_number(1e300, 10, "1.000e+300");
	check_number(1e300, 30, "1.00000000000000005250476e+300");
	check_number(HUGE_VAL, 10, "inf");
}

/* Names */

static void test_lists_of_names_add_up(void **unused)
{
	char first[] = "ann,bob,", second[] = "Carl";
	struct messages messages = { .items = NULL };
	struct names names = { 0 };

	(void)unused;
	assert_true(names_have(&names, "anybody"));
	assert_int_equal(names_add(&messages, &names, "prio", "-u", first), EXIT_OK);
	assert_int_equal(names_add(&messages, &names, "prio", "-u", second), EXIT_OK);
	assert_int_equal(names.n, 3);
	assert_true(names_have(&names, "bob"));
	assert_false(names_have(&names, "carl"));
	assert_true(names_have_nocase(&names, "carl"));
	assert_false(names_have_nocase(&names, "dora"));
	names_free(&names);
}

static void test_a_list_without_a_name_is_refused(void **unused)
{
	char empty[] = "", commas[] = ",,";
	struct messages messages = { .items = NULL };
	struct names names = { 0 };

	(void)unused;
	assert_int_equal(names_add(&messages, &names, "prio", "-u", empty), EXIT_USAGE);
	assert_int_equal(names_add(&messages, &names, "prio", "-u", commas), EXIT_USAGE);
	assert_int_equal(names.n, 0);
	names_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_format_has_columns_and_text_around_them),
		cmocka_unit_test(test_every_letter_of_sprio_is_a_column),
		cmocka_unit_test(test_an_invalid_format_is_refused),
		cmocka_unit_test(test_a_format_has_limits),
		cmocka_unit_test(test_without_a_format_columns_without_weight_are_left_out),
		cmocka_unit_test(test_values_are_cut_and_filled_up),
		cmocka_unit_test(test_letters_to_sort_by_are_checked),
		cmocka_unit_test(test_columns_match_by_prefix_in_any_case),
		cmocka_unit_test(test_an_unknown_column_is_refused),
		cmocka_unit_test(test_the_number_of_columns_is_limited),
		cmocka_unit_test(test_numbers_too_wide_are_written_in_powers_of_ten),
		cmocka_unit_test(test_lists_of_names_add_up),
		cmocka_unit_test(test_a_list_without_a_name_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
