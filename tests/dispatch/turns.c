/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns of hosts to give slots to a parallel job: as early as the first of its instances in the
 * queue list, except for those of excluded cluster queues.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* By load ada would be the first host. By first.q, which has the lowest seq_no, bly is first. */
static void put_first_queue(struct fixture *fixture, const char *complex_values)
{
	static const char queue[] =
		"qname %s\nhostlist %s\nseq_no %u\nslots 4\nqtype BATCH\npe_list mpi\nh_rt %s\ncomplex_values %s\n";

	put_text(fixture, "queue/all.q", queue, "all.q", "ada bly", 1, "INFINITY", "NONE");
	put_text(fixture, "queue/first.q", queue, "first.q", "bly", 0, "0:10:0", complex_values);
	put_pe(fixture, "mpi", 100, "1");
	set_sched_conf(fixture, "queue_sort_method", "seqno");
	reload(fixture);
	report_instance(fixture, "first.q@bly", 4);
}

/* Return the host that had the first turn. */
static const char *first(struct fixture *fixture, unsigned slots, const char *requests)
{
	static char name[100];

	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'%u','hard_resource_list':'%s'}", slots, requests);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	snprintf(name, sizeof(name), "%s", strchr(row(fixture, 1, 0).queue, '@') + 1);
	TELL(fixture, DELETE "1}");
	return name;
}

static void test_a_queue_that_cannot_serve_one_slot_is_skipped(void **state)
{
	struct fixture *fixture = *state;

	put_first_queue(fixture, "mem=1G");
	assert_string_equal(first(fixture, 1, "mem=2G"), "ada");
	assert_string_equal(first(fixture, 1, "mem=1G"), "bly");
	assert_string_equal(first(fixture, 1, "h_rt=0:20:0"), "ada");
}

static void test_numeric_requests_of_several_slots_are_not_checked(void **state)
{
	struct fixture *fixture = *state;

	put_first_queue(fixture, "mem=1G");
	assert_string_equal(first(fixture, 2, "mem=2G"), "bly");
	assert_string_equal(first(fixture, 2, "h_rt=0:20:0"), "bly");
}

static void test_text_requests_are_checked_for_any_number_of_slots(void **state)
{
	struct fixture *fixture = *state;

	put_host(fixture, "ada", "arch=lx,mem=8G", "np_load_avg=0.1,num_proc=4");
	put_host(fixture, "bly", "arch=lx,mem=8G", "np_load_avg=0.2,num_proc=4");
	put_first_queue(fixture, "arch=sol");
	assert_string_equal(first(fixture, 2, "arch=lx"), "ada");
}

static void test_each_request_counts(void **state)
{
	struct fixture *fixture = *state;

	put_host(fixture, "ada", "arch=lx,mem=8G", "np_load_avg=0.1,num_proc=4");
	put_host(fixture, "bly", "arch=lx,mem=8G", "np_load_avg=0.2,num_proc=4");
	put_first_queue(fixture, "arch=lx,mem=1G");
	assert_string_equal(first(fixture, 1, "arch=lx"), "bly");
	assert_string_equal(first(fixture, 1, "arch=lx,mem=2G"), "ada");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_queue_that_cannot_serve_one_slot_is_skipped),
		DISPATCH_TEST(test_numeric_requests_of_several_slots_are_not_checked),
		DISPATCH_TEST(test_text_requests_are_checked_for_any_number_of_slots),
		DISPATCH_TEST(test_each_request_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
