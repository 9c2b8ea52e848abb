/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that still run in a queue instance that no longer exists. Their consumables stay booked on
 * the host, and on the cluster.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* Start a job of two slots with 6G and two licences in old.q on the host ada. */
static void start_in_old_queue(struct fixture *fixture)
{
	put_queue(fixture, "old.q", "ada", "4", "");
	reload(fixture);
	report_instance(fixture, "old.q@ada", 4);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'2','hard_resource_list':'mem=3G,lic=1'}");
	TELL(fixture,
	     "{'event':'task_start','start_time':1699999500,'granted':[{'queue':'old.q@ada','slots':2}],'granted_pe':'mpi','job_number':1}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'mem=4G','hard_queue_list':'all.q@ada'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'mem=2G','hard_queue_list':'all.q@ada'}");
}

static void remove_old_queue(struct fixture *fixture)
{
	TELL(fixture, "{'event':'queue_instance_delete','queue':'old.q@ada'}");
	put_away(fixture, "queue/old.q");
	reload(fixture);
}

static void test_memory_of_a_task_in_a_removed_instance_stays_booked_on_its_host(void **state)
{
	struct fixture *fixture = *state;

	start_in_old_queue(fixture);
	remove_old_queue(fixture);
	run(fixture, NOW);
	WAITS(fixture, 2, "not enough mem is left: 2G, and 4G is needed");
	assert_int_equal(started(fixture, 3), 1);
	TELL(fixture, FINISH "1,'task':1}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 2), 1);
}

/* As long as the instance exists, the result is the same. */
static void test_memory_of_a_task_in_an_instance_is_booked_on_its_host(void **state)
{
	struct fixture *fixture = *state;

	start_in_old_queue(fixture);
	run(fixture, NOW);
	WAITS(fixture, 2, "not enough mem is left: 2G, and 4G is needed");
	assert_int_equal(started(fixture, 3), 1);
}

/* A host that the cell does not have either cannot be booked. The task only holds its licences. */
static void test_a_task_in_a_removed_instance_of_a_removed_host_keeps_its_licences(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=3'}");
	TELL(fixture,
	     "{'event':'task_start','start_time':1699999500,'granted':[{'queue':'old.q@gone','slots':1}],'job_number':1}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=3'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'lic=2'}");
	run(fixture, NOW);
	WAITS(fixture, 2, "not enough lic is left: 2, and 3 is needed");
	assert_int_equal(started(fixture, 3), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_memory_of_a_task_in_an_instance_is_booked_on_its_host),
		DISPATCH_TEST(test_memory_of_a_task_in_a_removed_instance_stays_booked_on_its_host),
		DISPATCH_TEST(test_a_task_in_a_removed_instance_of_a_removed_host_keeps_its_licences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
