/* SPDX-License-Identifier: Apache-2.0 */
/* When jobs that wait are given their reservations, as a real Grid Engine 8.1.9 has decided in the same cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch_cell.h"

/* One host, ada, with a.q and b.q of four slots each; both can hold parallel jobs of the PE of their name. */
static int reserve_setup(void **state)
{
	struct fixture *f;

	if (dispatch_setup(state))
		return -1;
	f = *state;
	set_sched_conf(f, "max_reservation", "5");
	set_sched_conf(f, "default_duration", "0:20:0");
	set_sched_conf(f, "params", "DURATION_OFFSET=0");
	put_queue(f, "a.q", "ada", "4", "");
	put_queue(f, "b.q", "ada", "4", "");
	put_pe(f, "a", 99, "$fill_up");
	put_pe(f, "b", 99, "$fill_up");
	reload(f);
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@ada'}");
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	tell_instance(f, "a.q@ada", 4);
	tell_instance(f, "b.q@ada", 4);
	return 0;
}

#define RESERVE_TEST(name) cmocka_unit_test_setup_teardown(name, reserve_setup, teardown)

/* When the job is to begin; 0: it has no reservation. */
static int64_t reserved(const struct fixture *f, uint32_t number)
{
	struct fl_why why;

	for (size_t k = 0; fl_why(f->view, number, k, &why) == 0; k++)
		if (strcmp(why.kind, "reserved") == 0)
			return (int64_t)why.had;
	return 0;
}

/* Else none would be left in the list with job 6, and the run would end. */
static void test_reservations_that_begin_now_fill_no_instance(void **state)
{
	struct fixture *f = *state;

	set_sched_conf(f, "job_load_adjustments", "np_load_avg=0.01");
	put_queue(f, "a.q", "ada", "4", "load_thresholds slots=2\n");
	put_queue(f, "b.q", "ada", "1", "");
	reload(f);
	tell_instance(f, "b.q@ada", 1);
	TELL(f, ADD "1,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=500'}");
	TELL(f, ADD "2,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=500'}");
	TELL(f, ADD "3,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=60'}");
	TELL(f, ADD "4,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(f, ADD "5,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(f, ADD "6,'owner':'ann','hard_queue_list':'b.q'}");
	TELL(f, ADD "7,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=70','reserve':true}");
	run(f, NOW);
	assert_true(started(f, 1) == 1 && started(f, 2) == 1 && started(f, 6) == 1);
	assert_int_equal(reserved(f, 4), NOW);
	assert_int_equal(reserved(f, 5), NOW);
	assert_int_equal(reserved(f, 7), NOW + 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESERVE_TEST(test_reservations_that_begin_now_fill_no_instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
