/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/explain/comparison.h"
#include "tests/run/detached.h"

struct both {
	struct explainer *explainer;
	struct explanation x[2];
	struct job_comparison comparison;
};

/* Compare two jobs of the currently published run. */
static void compare(struct fixture *fixture, uint32_t a, uint32_t b, struct both *both)
{
	struct error error = { .text = "" };
	const uint32_t jobs[] = { a, b };

	assert_int_equal(explainer_create(&both->explainer, fixture->view, &error), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(explain_job(both->explainer, jobs[i], 0, &both->x[i], &error), 0);
	explanations_compare(fixture->view, &both->x[0], &both->x[1], &both->comparison);
}

static void compared_free(struct both *both)
{
	explanation_free(&both->x[0]);
	explanation_free(&both->x[1]);
	explainer_destroy(both->explainer);
}

#define ASSERT_SENTENCE(F, A, B, TEXT) do {				\
	struct both both;						\
									\
	compare(F, A, B, &both);					\
	assert_string_equal(both.comparison.sentence, TEXT);		\
	compared_free(&both);						\
} while (0)

/* Configure the defaults of an installation, but without shares. */
static void configure(struct fixture *fixture)
{
	set_sched_conf(fixture, "weight_urgency", "0.1");
	set_sched_conf(fixture, "weight_priority", "1");
	set_sched_conf(fixture, "weight_ticket", "0.01");
	set_sched_conf(fixture, "weight_waiting_time", "0");
	set_sched_conf(fixture, "weight_deadline", "3600000");
	reload(fixture);
}

static void jobs_run(struct fixture *fixture, int64_t now)
{
	sched_dispatch(fixture->sched, false);
	run(fixture, now);
}

static void test_the_term_that_counts_more_is_named(void **state)
{
	struct fixture *fixture = *state;

	configure(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'bob','priority':100}");
	jobs_run(fixture, NOW);
	ASSERT_SENTENCE(
		fixture, 1, 2,
		"Job 2 is before job 1 because of its priority, which contributes 0.048828 more. Without this difference both "
		"would have the same priority.");
	ASSERT_SENTENCE(
		fixture, 2, 1,
		"Job 2 is before job 1 because of its priority, which contributes 0.048828 more. Without this difference both "
		"would have the same priority.");
}

static void test_opposing_contributions_are_named(void **state)
{
	struct fixture *fixture = *state;

	configure(fixture);
	TELL(fixture, ADD "1,'owner':'ann','deadline':1700000100}");
	TELL(fixture, ADD "2,'owner':'bob','priority':100}");
	jobs_run(fixture, NOW);
	ASSERT_SENTENCE(
		fixture, 1, 2,
		"Job 1 is before job 2 because of its urgency, which contributes 0.1 more, mainly for its deadline. "
		"Without this difference the order would be reversed. In contrast, its priority contributes 0.048828 less.");
}

static void test_the_earlier_submission_decides_between_equal_priorities(void **state)
{
	struct fixture *fixture = *state;

	configure(fixture);
	TELL(fixture, "{'event':'job_add','job_number':1,'owner':'ann','submission_time':1699999000}");
	TELL(fixture, "{'event':'job_add','job_number':2,'owner':'bob','submission_time':1699998990}");
	TELL(fixture, "{'event':'job_add','job_number':3,'owner':'cal','submission_time':1699999000}");
	jobs_run(fixture, NOW);
	ASSERT_SENTENCE(fixture, 1, 2,
			"Job 2 is before job 1 because both have the same priority and it was submitted 10 s earlier.");
	ASSERT_SENTENCE(
		fixture, 3, 1,
		"Job 1 is before job 3 because both have the same priority and the same submission time, and its number is "
		"smaller.");
}

static void test_a_job_without_priority_cannot_be_compared(void **state)
{
	struct fixture *fixture = *state;

	configure(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hold':{'u':'1'}}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	jobs_run(fixture, NOW);
	ASSERT_SENTENCE(fixture, 1, 2,
			"Job 1 has no priority: it is held (u): its owner or an operator can release it.");
}

static void test_contributions_differ_by_the_difference_of_the_priorities(void **state)
{
	struct fixture *fixture = *state;
	double all = 0.0, prio;
	struct both both;

	configure(fixture);
	TELL(fixture, ADD "1,'owner':'ann','deadline':1700000100,'hard_resource_list':'mem=1G'}");
	TELL(fixture, ADD "2,'owner':'bob','priority':100}");
	jobs_run(fixture, NOW);
	compare(fixture, 1, 2, &both);
	for (size_t i = 0; i < both.comparison.nterms; i++)
		all += both.comparison.terms[i].first - both.comparison.terms[i].second;
	prio = derived_value(&both.x[0].derivation, both.x[0].prio) -
	       derived_value(&both.x[1].derivation, both.x[1].prio);
	assert_int_equal(both.comparison.nterms, 3);
	assert_true(all - prio < 1e-12 && prio - all < 1e-12);
	compared_free(&both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_the_term_that_counts_more_is_named),
		DISPATCH_TEST(test_opposing_contributions_are_named),
		DISPATCH_TEST(test_the_earlier_submission_decides_between_equal_priorities),
		DISPATCH_TEST(test_a_job_without_priority_cannot_be_compared),
		DISPATCH_TEST(test_contributions_differ_by_the_difference_of_the_priorities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
