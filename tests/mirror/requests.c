/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a job other than resources: how they are reported and changed, and when two jobs have
 * the same requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"

static uint32_t request(const struct fixture *fixture, uint32_t number)
{
	const struct jobs *jobs = &sched_mirror(fixture->sched)->state->jobs;

	return job_fact(jobs, jobs_find(jobs, number), category);
}

static uint32_t category(const struct fixture *fixture, uint32_t number)
{
	return sched_mirror(fixture->sched)->requests.facts[request(fixture, number)].category;
}

/* Return -q, -soft -q, -masterq, -ckpt, group, -now, -R as in the table. */
static const char *asked(const struct fixture *fixture, uint32_t number)
{
	static char text[400];
	const struct mirror *mirror = sched_mirror(fixture->sched);
	const struct jobs *jobs = &mirror->state->jobs;
	const struct request_key *key = requests_key(&mirror->requests, request(fixture, number));

	snprintf(text, sizeof(text), "%s|%s|%s|%s|%s|%u|%u", strings_text(mirror->strings, key->hard_queues),
		 strings_text(mirror->strings, key->soft_queues), strings_text(mirror->strings, key->master_queues),
		 strings_text(mirror->strings, key->ckpt), strings_text(mirror->strings, key->group), key->now,
		 job_fact(jobs, jobs_find(jobs, number), wishes) & JOB_WISHES_RESERVATION);
	return text;
}

#define ALL "'hard_queue_list':'all.q@@fast,b*','soft_queue_list':'c.q','master_queue_list':'all.q@node','checkpoint':'blcr'," \
	    "'group':'staff','reserve':true,'now':true"

static void test_a_job_has_no_requests_that_were_not_reported(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann'," ALL "}");
	TELL(fixture,
	     ADD "3,'owner':'ann','hard_queue_list':'','checkpoint':'','group':'','reserve':false,'now':false}");
	assert_string_equal(asked(fixture, 1), "|||||0|0");
	assert_string_equal(asked(fixture, 2), "all.q@@fast,b*|c.q|all.q@node|blcr|staff|1|1");
	assert_string_equal(asked(fixture, 3), "|||||0|0");
	assert_int_equal(request(fixture, 1), request(fixture, 3));
}

static void test_a_change_affects_only_the_members_that_it_names(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'," ALL "}");
	TELL(fixture, MODIFY "1,'priority':5}");
	assert_string_equal(asked(fixture, 1), "all.q@@fast,b*|c.q|all.q@node|blcr|staff|1|1");
	TELL(fixture, MODIFY "1,'hard_queue_list':'d.q','master_queue_list':''}");
	assert_string_equal(asked(fixture, 1), "d.q|c.q||blcr|staff|1|1");
	TELL(fixture, MODIFY "1,'now':false,'checkpoint':'dmtcp'}");
	assert_string_equal(asked(fixture, 1), "d.q|c.q||dmtcp|staff|0|1");
	TELL(fixture, MODIFY "1,'reserve':false,'group':'users','soft_queue_list':'e.q'}");
	assert_string_equal(asked(fixture, 1), "d.q|e.q||dmtcp|users|0|0");
	TELL(fixture, MODIFY "1,'reserve':true,'now':true}");
	assert_string_equal(asked(fixture, 1), "d.q|e.q||dmtcp|users|1|1");
}

static void test_a_row_that_is_used_again_keeps_no_wish(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','reserve':true}");
	TELL(fixture, DELETE "1}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	assert_string_equal(asked(fixture, 2), "|||||0|0");
}

static void test_each_request_except_the_group_makes_a_category(void **state)
{
	static const char *const alone[] = { "'hard_queue_list':'q'", "'soft_queue_list':'q'",
					     "'master_queue_list':'q'", "'checkpoint':'q'", "'now':true" };
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','group':'staff'}");
	TELL(fixture, ADD "3,'owner':'ann','reserve':true}");
	assert_int_equal(category(fixture, 2), category(fixture, 1));
	assert_int_equal(category(fixture, 3), category(fixture, 1));
	assert_int_not_equal(request(fixture, 2), request(fixture, 1));
	for (uint32_t k = 0; k < 5; k++) {
		TELL(fixture, ADD "%u,'owner':'ann',%s}", 10 + k, alone[k]);
		TELL(fixture, ADD "%u,'owner':'bob','group':'users',%s}", 20 + k, alone[k]);
		assert_int_equal(category(fixture, 10 + k), category(fixture, 20 + k));
		for (uint32_t other = 0; other < k; other++)
			assert_int_not_equal(category(fixture, 10 + k), category(fixture, 10 + other));
		assert_int_not_equal(category(fixture, 10 + k), category(fixture, 1));
	}
}

static void test_only_the_form_of_a_text_is_checked(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD
	     "1,'owner':'ann','hard_queue_list':',,no such@@,','checkpoint':'none such','group':'d\xc3\xa9p\xc3\xb4t'}");
	REFUSE(fixture, "hard_queue_list: byte 0x09", ADD "2,'owner':'ann','hard_queue_list':'a\\tb'}");
	REFUSE(fixture, "reserve: true or false is expected", ADD "2,'owner':'ann','reserve':'y'}");
	REFUSE(fixture, "checkpoint: a string is expected", MODIFY "1,'checkpoint':1}");
	assert_string_equal(asked(fixture, 1), ",,no such@@,||" "|none such|d\xc3\xa9p\xc3\xb4t|0|0");
}

static void test_the_last_of_several_values_for_a_complex_counts(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex",
	    "slots s INT <= YES YES 1 1000\narch a STRING == YES NO NONE 0\ngpu g INT <= YES YES 0 500\n"
	    "np_load_avg nla DOUBLE >= NO NO 0 0\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'g=1,arch=x,gpu=3'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'arch=x,gpu=3'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'arch=x,gpu=3,g=1'}");
	run(fixture, NOW);
	CHECK(row(fixture, 1, 0).rrcontr, 2500);
	CHECK(row(fixture, 2, 0).rrcontr, 2500);
	CHECK(row(fixture, 3, 0).rrcontr, 1500);
	assert_int_equal(category(fixture, 1), category(fixture, 2));
	assert_int_not_equal(category(fixture, 3), category(fixture, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_job_has_no_requests_that_were_not_reported),
		TEST(test_a_change_affects_only_the_members_that_it_names),
		TEST(test_a_row_that_is_used_again_keeps_no_wish),
		TEST(test_each_request_except_the_group_makes_a_category),
		TEST(test_only_the_form_of_a_text_is_checked),
		TEST(test_the_last_of_several_values_for_a_complex_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
