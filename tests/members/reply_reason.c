/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the reasons of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "sched/qmaster/members/reply_reason.h"

#define PAGE "man/fairlead-socket.5.scd"

static void test_each_reason_has_a_word_that_leads_back_to_it(void **state)
{
	(void)state;
	for (int k = 0; k < REPLY_REASONS; k++) {
		const char *word = reply_reason_word((enum reply_reason)k);

		assert_non_null(word);
		assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz_"), strlen(word));
		assert_int_equal(reply_reason_find(word), k);
	}
}

static void test_a_word_that_is_missing_or_unknown_is_another_reason(void **state)
{
	(void)state;
	assert_int_equal(reply_reason_find(NULL), REPLY_OTHER);
	assert_int_equal(reply_reason_find(""), REPLY_OTHER);
	assert_int_equal(reply_reason_find("no_jo"), REPLY_OTHER);
	assert_int_equal(reply_reason_find("no_job "), REPLY_OTHER);
}

static void test_the_manual_describes_each_word(void **state)
{
	static char page[1u << 17];
	FILE *file = fopen(PAGE, "r");
	char word[60];
	size_t n;

	(void)state;
	assert_non_null(file);
	n = fread(page, 1, sizeof(page) - 1, file);
	page[n] = '\0';
	fclose(file);
	for (int k = REPLY_OTHER + 1; k < REPLY_REASONS; k++) {
		snprintf(word, sizeof(word), "_%s_", reply_reason_word((enum reply_reason)k));
		if (!strstr(page, word))
			fail_msg("%s does not have the reason %s", PAGE, word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_reason_has_a_word_that_leads_back_to_it),
		cmocka_unit_test(test_a_word_that_is_missing_or_unknown_is_another_reason),
		cmocka_unit_test(test_the_manual_describes_each_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
