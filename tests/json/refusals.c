/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines about refused events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/process/log.h"
#include "sched/qmaster/json/refusals.h"

static char got[1 << 16];

/* Return standard error after `n` refusals for each of the texts. */
static const char *log_of(struct refusals *refusals, const char *const *texts, size_t ntexts, unsigned n)
{
	int both[2], before = dup(STDERR_FILENO);
	ssize_t bytes;

	assert_int_equal(pipe(both), 0);
	dup2(both[1], STDERR_FILENO);
	for (unsigned i = 0; i < n; i++)
		for (size_t k = 0; k < ntexts; k++)
			refusals_report(refusals, texts[k]);
	dup2(before, STDERR_FILENO);
	close(before);
	close(both[1]);
	bytes = read(both[0], got, sizeof(got) - 1);
	close(both[0]);
	got[bytes > 0 ? bytes : 0] = '\0';
	return got;
}

static void test_the_first_tenth_and_hundredth_of_a_kind_are_reported(void **unused)
{
	static const char *const texts[] = { "job_add: owner: missing" };
	struct refusals refusals = { 0 };

	(void)unused;
	assert_string_equal(log_of(&refusals, texts, 1, 250),
			    "program: refused from the qmaster: job_add: owner: missing\n"
			    "program: refused from the qmaster: job_add: owner: missing (10 of this kind so far)\n"
			    "program: refused from the qmaster: job_add: owner: missing (100 of this kind so far)\n");
}

static void test_kinds_of_refusals_are_distinguished(void **unused)
{
	static const char *const texts[] = { "job_add: owner: missing", "event: \"bogus\" is unknown", "no JSON" };
	struct refusals refusals = { 0 };

	(void)unused;
	assert_string_equal(log_of(&refusals, texts, 3, 2),
			    "program: refused from the qmaster: job_add: owner: missing\n"
			    "program: refused from the qmaster: event: \"bogus\" is unknown\n"
			    "program: refused from the qmaster: no JSON\n");
}

static void test_a_peer_that_makes_up_kinds_does_not_fill_the_log(void **unused)
{
	struct refusals refusals = { 0 };
	unsigned lines = 0;

	(void)unused;
	for (unsigned i = 0; i < 5000; i++) {
		char text[32];
		const char *const texts[] = { text };

		snprintf(text, sizeof(text), "kind%u: x", i);
		lines += *log_of(&refusals, texts, 1, 1) != '\0';
	}
	assert_in_range(lines, REFUSALS_KINDS, REFUSALS_KINDS + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_tenth_and_hundredth_of_a_kind_are_reported),
		cmocka_unit_test(test_kinds_of_refusals_are_distinguished),
		cmocka_unit_test(test_a_peer_that_makes_up_kinds_does_not_fill_the_log),
	};

	unsetenv("JOURNAL_STREAM");
	log_open("program", false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
