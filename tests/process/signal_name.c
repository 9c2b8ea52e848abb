/* SPDX-License-Identifier: Apache-2.0 */
/* Signals as users write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>

#include "sched/process/signal_name.h"

static void test_a_name_with_and_without_sig_in_either_case_and_a_number_are_the_same(void **state)
{
	static const char *const texts[] = { "SIGTERM", "TERM", "sigterm", "Term", "15" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(signal_number(texts[i]), SIGTERM);
}

static void test_every_signal_has_a_name(void **state)
{
	(void)state;
	assert_int_equal(signal_number("SIGUSR2"), SIGUSR2);
	assert_int_equal(signal_number("SIGTSTP"), SIGTSTP);
	assert_int_equal(signal_number("SIGKILL"), SIGKILL);
	assert_int_equal(signal_number("SIGCLD"), SIGCHLD);
	assert_int_equal(signal_number("SIGRTMIN"), SIGRTMIN);
	assert_int_equal(signal_number("SIGRTMIN+3"), SIGRTMIN + 3);
	assert_int_equal(signal_number("RTMAX-1"), SIGRTMAX - 1);
}

static void test_an_invalid_signal_name_is_refused(void **state)
{
	static const char *const texts[] = {
		"",	"0",	    "-1",      "65",	  "99999999999", "SIG",	   "SIGNAL",	 "TERM ",
		" 15x", "RTMIN+99", "RTMIN-1", "RTMAX+1", "RTMAX-99",	 "RTMIN+", "SIGSIGTERM",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (signal_number(texts[i]))
			fail_msg("\"%s\" is %d", texts[i], signal_number(texts[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_with_and_without_sig_in_either_case_and_a_number_are_the_same),
		cmocka_unit_test(test_every_signal_has_a_name),
		cmocka_unit_test(test_an_invalid_signal_name_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
