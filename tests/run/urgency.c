/* SPDX-License-Identifier: Apache-2.0 */
/* Urgency with weight 0: it is computed only if pending jobs are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* Run with these weights, with a running job of -p 1024 and a pending job of -p 0. */
static void run_with(struct fixture *fixture, const char *report, const char *urgency, const char *priority)
{
	set_sched_conf(fixture, "report_pjob_tickets", report);
	set_sched_conf(fixture, "weight_urgency", urgency);
	set_sched_conf(fixture, "weight_priority", priority);
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','priority':1024,'deadline':1700000500}");
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'none.q'}");
	run(fixture, NOW);
}

#define RUNNING_TERMS(nurg_, npprior_) do {					\
	const struct fl_job running = row(fixture, 1, 0);			\
										\
	if (running.nurg != (nurg_) || running.npprior != (npprior_))		\
		fail_msg("nurg %g, npprior %g", running.nurg, running.npprior);	\
} while (0)

static void test_urgency_without_a_weight_is_not_computed(void **state)
{
	struct fixture *fixture = *state;

	run_with(fixture, "FALSE", "0", "0");
	RUNNING_TERMS(0.0, 1.0);
	assert_true(row(fixture, 1, 0).prio == row(fixture, 1, 0).ntckts * 0.5);
}

static void test_a_weight_of_the_priority_needs_no_urgency(void **state)
{
	struct fixture *fixture = *state;

	run_with(fixture, "FALSE", "0", "0.5");
	RUNNING_TERMS(0.0, 1.0);
	assert_true(row(fixture, 1, 0).prio == row(fixture, 1, 0).ntckts * 0.5 + 0.5);
}

static void test_an_urgency_with_a_weight_counts(void **state)
{
	struct fixture *fixture = *state;

	run_with(fixture, "FALSE", "0.25", "0");
	RUNNING_TERMS(1.0, 1.0);
}

static void test_urgency_without_a_weight_is_shown_if_pending_jobs_are_reported(void **state)
{
	struct fixture *fixture = *state;

	run_with(fixture, "TRUE", "0", "0");
	RUNNING_TERMS(1.0, 1.0);
	assert_true(row(fixture, 1, 0).prio == row(fixture, 1, 0).ntckts * 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_urgency_without_a_weight_is_not_computed),
		DISPATCH_TEST(test_a_weight_of_the_priority_needs_no_urgency),
		DISPATCH_TEST(test_an_urgency_with_a_weight_counts),
		DISPATCH_TEST(test_urgency_without_a_weight_is_shown_if_pending_jobs_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
