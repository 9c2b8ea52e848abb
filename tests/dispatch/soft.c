/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order in which parallel jobs with soft requests leave the queue list, observed with sequential
 * jobs of one slot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

static void put_small_queue(const struct fixture *fixture, const char *name, const char *pe_list,
			    const char *complex_values)
{
	char file[100];

	snprintf(file, sizeof(file), "queue/%s", name);
	put_text(fixture, file,
		 "qname %s\nhostlist ada bly\nseq_no 0\nslots 1\nqtype BATCH\npe_list %s\ncomplex_values %s\n", name,
		 pe_list, complex_values);
}

/*
 * Create hosts of the same load with three queues of one slot each on both. all.q is for a first
 * job, after which the list is not sorted again.
 */
static int soft_setup(void **state)
{
	static const char *const queues[] = { "a.q", "b.q", "c.q" };
	struct fixture *fixture;

	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	set_sched_conf(fixture, "weight_ticket", "0");
	set_sched_conf(fixture, "weight_urgency", "0");
	set_sched_conf(fixture, "job_load_adjustments", "NONE");
	put_host(fixture, "bly", "mem=8G", "np_load_avg=0.1,num_proc=4");
	put_pe(fixture, "one", 100, "$fill_up");
	put_pe(fixture, "two", 100, "$fill_up");
	for (size_t i = 0; i < 3; i++)
		put_small_queue(fixture, queues[i], i < 2 ? "mpi" : "NONE", "NONE");
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	report_instance(fixture, "all.q@ada", 1);
	for (size_t i = 0; i < 3; i++) {
		char name[20];

		snprintf(name, sizeof(name), "%s@ada", queues[i]);
		report_instance(fixture, name, 1);
		snprintf(name, sizeof(name), "%s@bly", queues[i]);
		report_instance(fixture, name, 1);
	}
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q'}");
	for (unsigned job = 11; job <= 16; job++)
		TELL(fixture, ADD "%u,'owner':'bob'}", job);
	return 0;
}

/* Return where the jobs from 11 on started. */
static const char *order(struct fixture *fixture)
{
	static char text[200];

	text[0] = '\0';
	run(fixture, NOW);
	for (uint32_t job = 11; job <= 16; job++)
		if (started(fixture, job)) {
			strcat(text, row(fixture, job, 0).queue);
			strcat(text, " ");
		}
	return text;
}

static void test_violations_count_in_all_admitting_queues(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture,
	     ADD "2,'owner':'ann','pe':'mpi','pe_range':'50','hard_queue_list':'*@bly','soft_queue_list':'b.q'}");
	assert_string_equal(order(fixture), "b.q@ada b.q@bly a.q@ada a.q@bly c.q@ada c.q@bly ");
}

static void test_access_lists_of_hosts_do_not_affect_soft_order(void **state)
{
	struct fixture *fixture = *state;

	put_project(fixture, "red");
	put_text(
		fixture, "hosts/ada",
		"hostname ada\nload_scaling NONE\ncomplex_values NONE\nload_values np_load_avg=0.1,num_proc=4\nuser_lists NONE\n"
		"xuser_lists NONE\nprojects NONE\nxprojects red\nusage_scaling NONE\n");
	reload(fixture);
	TELL(fixture, ADD "2,'owner':'ann','project':'red','pe':'mpi','pe_range':'50','soft_queue_list':'b.q'}");
	assert_string_equal(order(fixture), "b.q@ada b.q@bly a.q@ada a.q@bly c.q@ada c.q@bly ");
}

static void test_configured_queue_values_do_not_affect_soft_order(void **state)
{
	struct fixture *fixture = *state;

	put_small_queue(fixture, "b.q", "mpi", "mem=1G");
	reload(fixture);
	TELL(fixture,
	     ADD "2,'owner':'ann','pe':'mpi','pe_range':'50','hard_resource_list':'mem=2G','soft_queue_list':'b.q'}");
	assert_string_equal(order(fixture), "b.q@ada b.q@bly a.q@ada a.q@bly c.q@ada c.q@bly ");
}

/*
 * By seq_no a.q would come first. Queues that the job's -q does not name count as equal, whatever
 * requests they violate.
 */
static void test_queues_that_do_not_admit_the_job_violate_no_request(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture,
	     ADD "2,'owner':'ann','pe':'mpi','pe_range':'50','hard_queue_list':'b.q','soft_queue_list':'c.q'}");
	assert_string_equal(order(fixture), "b.q@ada b.q@bly a.q@ada a.q@bly c.q@ada c.q@bly ");
}

/*
 * PE `one` gives three slots. PE `two` has two left and is not tried. Its search would have moved
 * b.q to the head.
 */
static void test_fewer_slots_than_were_found_are_not_tried_in_other_pes(void **state)
{
	struct fixture *fixture = *state;

	put_pe(fixture, "two", 2, "$fill_up");
	put_small_queue(fixture, "a.q", "one", "NONE");
	put_small_queue(fixture, "b.q", "two", "NONE");
	put_small_queue(fixture, "c.q", "one", "NONE");
	reload(fixture);
	TELL(fixture, ADD "2,'owner':'ann','pe':'*o*','pe_range':'2-3','soft_queue_list':'c.q'}");
	assert_string_equal(order(fixture), "a.q@bly b.q@ada b.q@bly ");
}

#define SOFT_TEST(name) cmocka_unit_test_setup_teardown(name, soft_setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SOFT_TEST(test_violations_count_in_all_admitting_queues),
		SOFT_TEST(test_access_lists_of_hosts_do_not_affect_soft_order),
		SOFT_TEST(test_configured_queue_values_do_not_affect_soft_order),
		SOFT_TEST(test_queues_that_do_not_admit_the_job_violate_no_request),
		SOFT_TEST(test_fewer_slots_than_were_found_are_not_tried_in_other_pes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
