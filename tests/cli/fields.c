/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of values that fairlead stat shows: every format finds its fields in it, each in one
 * column.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/cli/stat/fields.h"

#define ALL UINT32_MAX

static void test_keys_are_json_members_and_unique(void **unused)
{
	(void)unused;
	for (size_t k = 0; k < STAT_FIELDS; k++) {
		const char *key = stat_fields[k].key;
		size_t n = strlen(key);

		assert_int_equal(stat_fields[k].key_bytes, n);
		if (!n)
			continue;
		assert_true(n > 4 && strncmp(key, ",\"", 2) == 0 && strcmp(key + n - 2, "\":") == 0);
		for (size_t i = 0; i < k; i++)
			assert_string_not_equal(stat_fields[i].key, key);
	}
}

/* Two fields may share a column when they are never shown together. */
static void test_no_two_fields_shown_together_share_a_column(void **unused)
{
	const struct stat_field *fields[STAT_FIELDS];

	(void)unused;
	for (enum stat_order order = STAT_IN_TABLE; order < STAT_ORDERS; order++)
		for (unsigned bit = 1; bit < 1 << 5; bit <<= 1) {
			size_t n = stat_fields_choose(order, order == STAT_IN_JOB ? bit : ALL, fields);

			for (size_t k = 1; k < n; k++)
				assert_true(fields[k - 1]->in[order].at < fields[k]->in[order].at);
		}
}

static void test_fields_are_shown_with_the_options_that_request_them(void **unused)
{
	const struct stat_field *fields[STAT_FIELDS];
	size_t always, more;

	(void)unused;
	always = stat_fields_choose(STAT_IN_TABLE, 0, fields);
	assert_string_equal(fields[0]->in[STAT_IN_TABLE].name, "job-ID");
	assert_string_equal(fields[1]->in[STAT_IN_TABLE].name, "prior");
	assert_string_equal(fields[always - 1]->in[STAT_IN_TABLE].name, "ja-task-ID");
	more = stat_fields_choose(STAT_IN_TABLE, SHOW_PRIORITY, fields);
	assert_int_equal(more, always + 4);
	assert_string_equal(fields[2]->in[STAT_IN_TABLE].name, "nurg");
	assert_int_equal(stat_fields_choose(STAT_IN_JOB, PART_PRIORITIES, fields), 13);
	assert_string_equal(fields[12]->in[STAT_IN_JOB].name, "share");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_json_members_and_unique),
		cmocka_unit_test(test_no_two_fields_shown_together_share_a_column),
		cmocka_unit_test(test_fields_are_shown_with_the_options_that_request_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
