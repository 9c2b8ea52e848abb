/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

#define SLOTS "slots s INT <= YES YES 1 1000\nnp_load_avg nla DOUBLE >= NO NO 0 0\n"

static const struct complex *entry(const char *line, const char *name)
{
	char text[400];

	snprintf(text, sizeof(text), SLOTS "%s\n", line);
	cell_dir_write(&dir, "complex", text);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	return cell_complex(&dir.cell, name);
}

static void test_a_missing_file_has_the_complex_of_an_installation(void **state)
{
	const struct cell *cell = cell_dir_load(&dir);
	const struct complex *slots = cell_complex(cell, "slots"), *load = cell_complex(cell, "np_load_avg");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(cell->ncomplexes, 52);
	assert_int_equal(slots->consumable, CONSUMABLE_YES);
	assert_true(slots->urgency == 1000);
	assert_string_equal(slots->default_value, "1");
	assert_true(slots->consumption == 1 && load->consumption == 0);
	assert_int_equal(load->type, TYPE_DOUBLE);
	assert_int_equal(load->relop, RELOP_GE);
	assert_int_equal(load->requestable, REQUESTABLE_NO);
	assert_ptr_equal(cell_complex(cell, "h"), cell_complex(cell, "hostname"));
	assert_null(cell_complex(cell, "nothing"));
}

static void test_all_columns_of_an_entry_are_read(void **state)
{
	const struct complex *complex = entry("scratch scr MEMORY <= FORCED JOB 0 1.5K # fast disk", "scr");

	(void)state;
	assert_string_equal(complex->name, "scratch");
	assert_int_equal(complex->type, TYPE_MEMORY);
	assert_int_equal(complex->relop, RELOP_LE);
	assert_int_equal(complex->requestable, REQUESTABLE_FORCED);
	assert_int_equal(complex->consumable, CONSUMABLE_JOB);
	assert_string_equal(complex->default_value, "0");
	assert_true(complex->urgency == 1536);
}

static void test_the_default_is_consumed_without_a_request(void **state)
{
	(void)state;
	assert_true(entry("scratch scr MEMORY <= YES YES 1.5K 0", "scr")->consumption == 1536);
	assert_true(entry("left l TIME <= YES JOB 0:1:30 0", "left")->consumption == 90);
	assert_true(entry("alone a BOOL EXCL YES YES TRUE 0", "alone")->consumption == 1);
	assert_true(entry("lic l INT <= YES NO NONE 0", "lic")->consumption == 0);
}

static void test_words_have_short_forms_and_any_case(void **state)
{
	const struct complex *complex = entry("lic l int <= y j 0 -11.5", "lic");

	(void)state;
	assert_int_equal(complex->requestable, REQUESTABLE_YES);
	assert_int_equal(complex->consumable, CONSUMABLE_JOB);
	assert_true(complex->urgency == -11.5);
	complex = entry("lic l INT < f n NONE 0", "lic");
	assert_int_equal(complex->requestable, REQUESTABLE_FORCED);
	assert_int_equal(complex->relop, RELOP_LT);
	assert_string_equal(complex->default_value, "");
}

static void test_entries_of_real_cells_are_accepted(void **state)
{
	(void)state;
	entry("excl ex BOOL EXCL YES YES 0 1000", "excl");
	entry("slow slow BOOL == YES NO FALSE -1450.25", "slow");
	entry("sstn sstn STRING != YES NO NONE 0", "sstn");
	entry("rx rx RESTRING == YES NO NONE 7.25", "rx");
	entry("mem mem MEMORY <= YES YES 173M 0", "mem");
	entry("dur dur TIME <= YES NO 0:0:0 0.75", "dur");
	entry("part p INT <= NO YES 1 0", "part");
	entry("same same INT != YES NO 0 0", "same");
}

static void test_entries_are_sorted_and_found_by_both_names(void **state)
{
	(void)state;
	cell_dir_write(&dir, "complex", "zeta z INT <= YES NO 0 0\n" SLOTS "alpha a INT <= YES NO 0 0\n");
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_string_equal(dir.cell.complexes[0].name, "alpha");
	assert_string_equal(dir.cell.complexes[3].name, "zeta");
	assert_string_equal(cell_complex(&dir.cell, "z")->name, "zeta");
	assert_string_equal(cell_complex(&dir.cell, "alpha")->name, "alpha");
}

static void test_a_complex_without_slots_is_a_warning(void **state)
{
	(void)state;
	cell_dir_write(&dir, "complex", "np_load_avg nla DOUBLE >= NO NO 0 0\n");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "complex", 0, "\"slots\" is missing"));
}

/* A fault in the complex must not bring one for each parameter that uses it. */
static void test_a_broken_complex_brings_no_faults_elsewhere(void **state)
{
	(void)state;
	cell_dir_write(&dir, "complex", "np_load_avg nla DOUBLE >= NO NO 0\n");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_missing_file_has_the_complex_of_an_installation),
		TEST(test_all_columns_of_an_entry_are_read),
		TEST(test_the_default_is_consumed_without_a_request),
		TEST(test_words_have_short_forms_and_any_case),
		TEST(test_entries_of_real_cells_are_accepted),
		TEST(test_entries_are_sorted_and_found_by_both_names),
		TEST(test_a_complex_without_slots_is_a_warning),
		TEST(test_a_broken_complex_brings_no_faults_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
