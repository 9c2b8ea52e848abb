/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More categories than marks in the queue list: their common requests are checked together, without
 * a visible effect.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define CATEGORIES 400			/* about twice as many as have marks */
#define SLOTS 150			/* slots of each host */

static int sieve_setup(void **state)
{
	struct fixture *fixture;

	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	set_sched_conf(fixture, "weight_urgency", "0");
	put(fixture, "complex", COMPLEXES LICENCE MEMORY "rare r BOOL == YES NO 0 0\ngpu gpu INT <= YES YES 0 0\n");
	put_host(fixture, "ada", "NONE", "np_load_avg=0.1,num_proc=4");
	put_host(fixture, "bly", "rare=FALSE", "np_load_avg=0.2,num_proc=4");
	put_host(fixture, "cor", "rare=TRUE,gpu=50", "np_load_avg=0.3,num_proc=4");
	put_queue(fixture, "all.q", "ada bly cor", "150", "");
	reload(fixture);
	report_instance(fixture, "all.q@ada", SLOTS);
	report_instance(fixture, "all.q@bly", SLOTS);
	report_instance(fixture, "all.q@cor", SLOTS);
	return 0;
}

/* Add jobs that each have a category of their own. */
static void add_all(struct fixture *fixture, const char *wanted)
{
	for (unsigned number = 1; number <= CATEGORIES; number++)
		TELL(fixture, ADD "%u,'owner':'ann','hard_resource_list':'h_rt=%u%s'}", number, 1000 + number, wanted);
}

static unsigned started_to(struct fixture *fixture, unsigned last)
{
	unsigned n = 0;

	for (unsigned number = 1; number <= last; number++)
		n += started(fixture, number);
	return n;
}

static unsigned count_of(const struct fixture *fixture, uint32_t number, const char *kind)
{
	struct fl_why why;

	for (size_t k = 0; fl_why(fixture->view, number, k, &why) == 0; k++)
		if (strcmp(why.kind, kind) == 0)
			return why.count;
	return 0;
}

static void test_the_first_jobs_get_the_resource_of_the_few_hosts(void **state)
{
	struct fixture *fixture = *state;

	add_all(fixture, ",rare=TRUE");
	run(fixture, NOW);
	assert_int_equal(started_to(fixture, SLOTS), SLOTS);
	assert_int_equal(started_to(fixture, CATEGORIES), SLOTS);
}

static void test_a_consumable_of_few_hosts_is_counted(void **state)
{
	struct fixture *fixture = *state;

	add_all(fixture, ",gpu=1");
	run(fixture, NOW);
	assert_int_equal(started_to(fixture, 50), 50);
	assert_int_equal(started_to(fixture, CATEGORIES), 50);
	WAITS(fixture, 51, "gpu");
	WAITS(fixture, CATEGORIES, "gpu");
}

static void test_reasons_count_all_hosts_without_the_resource(void **state)
{
	struct fixture *fixture = *state;

	put_host(fixture, "cor", "rare=FALSE", "np_load_avg=0.3,num_proc=4");
	reload(fixture);
	add_all(fixture, ",rare=TRUE");
	run(fixture, NOW);
	assert_int_equal(started_to(fixture, CATEGORIES), 0);
	for (unsigned number = 1; number <= CATEGORIES; number += CATEGORIES - 1) {
		assert_int_equal(count_of(fixture, number, "no_attribute"), 1);
		assert_int_equal(count_of(fixture, number, "attribute"), 2);
	}
}

static void test_other_jobs_start_on_other_hosts(void **state)
{
	struct fixture *fixture = *state;

	add_all(fixture, ",rare=TRUE");
	TELL(fixture, ADD "%u,'owner':'ann','hard_resource_list':'h_rt=1'}", CATEGORIES + 1);
	run(fixture, NOW);
	assert_int_equal(started(fixture, CATEGORIES + 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_first_jobs_get_the_resource_of_the_few_hosts, sieve_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_consumable_of_few_hosts_is_counted, sieve_setup, teardown),
		cmocka_unit_test_setup_teardown(test_reasons_count_all_hosts_without_the_resource, sieve_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_other_jobs_start_on_other_hosts, sieve_setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
