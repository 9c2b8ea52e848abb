/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which watchdog the environment announces, and when it is fed. tests/daemon/serve.c has that of a
 * scheduler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/process/watchdog.h"

/* Return the interval in microseconds that these values of the variables announce; 0: none. */
static uint64_t interval(const char *usec, const char *pid)
{
	struct watchdog watchdog;

	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	if (usec)
		setenv("WATCHDOG_USEC", usec, 1);
	if (pid)
		setenv("WATCHDOG_PID", pid, 1);
	watchdog_begin(&watchdog);
	assert_true((watchdog.due_ns == UINT64_MAX) == (watchdog.interval_ns == 0));
	return watchdog.interval_ns / 1000;
}

static void test_the_interval_is_half_of_that_of_the_manager(void **unused)
{
	char own[20];

	(void)unused;
	snprintf(own, sizeof(own), "%d", getpid());
	assert_int_equal(interval("60000000", NULL), 30000000);
	assert_int_equal(interval("60000000", own), 30000000);
}

static void test_there_is_no_watchdog_of_another_process_and_none_without_a_number(void **unused)
{
	(void)unused;
	assert_int_equal(interval(NULL, NULL), 0);
	assert_int_equal(interval("60000000", "1"), 0);
	assert_int_equal(interval("60000000", ""), 0);
	assert_int_equal(interval("0", NULL), 0);
	assert_int_equal(interval("-5", NULL), 0);
	assert_int_equal(interval("5s", NULL), 0);
	assert_int_equal(interval("18446744073709551615", NULL), 0);
	assert_int_equal(interval("99999999999999999999", NULL), 0);
}

static void test_a_watchdog_is_fed_once_in_an_interval(void **unused)
{
	struct watchdog watchdog, none = { .due_ns = UINT64_MAX };
	uint64_t due_ns;

	(void)unused;
	unsetenv("WATCHDOG_PID");
	setenv("WATCHDOG_USEC", "3600000000", 1);
	watchdog_begin(&watchdog);
	watchdog_feed(&watchdog);
	due_ns = watchdog.due_ns;
	assert_true(due_ns > watchdog.interval_ns);
	watchdog_feed(&watchdog);
	assert_true(watchdog.due_ns == due_ns);
	watchdog_feed(&none);
	assert_true(none.due_ns == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_interval_is_half_of_that_of_the_manager),
		cmocka_unit_test(test_there_is_no_watchdog_of_another_process_and_none_without_a_number),
		cmocka_unit_test(test_a_watchdog_is_fed_once_in_an_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
