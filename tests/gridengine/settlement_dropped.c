/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage that a scripted qmaster has dropped after a restart, or because an attribute of the user
 * was changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/gridengine/scripted.h"

/* State that the qmaster drops */

static void put_usage(struct fixture *fixture)
{
	q.users[0].oticket = q.users[0].version = 5;
	scripted_report_user(&q.users[0], GDI_EV_USER_ADD);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 10);
	run_and_send(NOW);
	turn();
	CHECK(scripted_value(&q.users[0].usage, "cpu"), 10);
}

static void report_both(struct fixture *fixture)
{
	TELL(fixture, USAGE "1,'scaled_usage':{'cpu':10,'mem':1,'io':0}}");
}

/* Book cpu 10 and mem 1. */
static void put_both(struct fixture *fixture)
{
	put_usage(fixture);
	report_both(fixture);
	run_and_send(NOW);
	turn();
	CHECK(scripted_value(&q.users[0].long_term, "mem"), 1);
}

/* Report the usage of ann after a restart of the qmaster. Her job 1 runs, or is gone. */
static void restarted(struct fixture *fixture, double cpu, double mem, bool runs)
{
	q.users[0].long_term = q.users[0].usage =
		(struct scripted_values){ .names = { "cpu", "mem" }, .values = { cpu, mem }, .n = 2 };
	q.users[0].version = 0;
	settlement_stop(&q.g);
	SNAPSHOT(fixture);
	if (runs) {
		TELL(fixture, ADD "1,'owner':'ann'}");
		TELL(fixture, START "1}");
		report_both(fixture);
	}
	scripted_report_user(&q.users[0], GDI_EV_USER_LIST);
	SNAPSHOT_END(fixture);
	settlement_updated(&q.g);
	run_and_send(NOW + 1);
	turn();
	run_and_send(NOW + 2);
	turn();
}

/* The same, with this usage in the qmaster's entry of job 1. */
static void restarted_with(struct fixture *fixture, double cpu, double mem, double job_cpu, double job_mem)
{
	assert_int_equal(q.users[0].nentries, 1);
	q.users[0].entries[0].values =
		(struct scripted_values){ .names = { "cpu", "mem" }, .values = { job_cpu, job_mem }, .n = 2 };
	restarted(fixture, cpu, mem, true);
}

/*
 * We have booked cpu 10 and mem 1, all of job 1. Another scheduler has booked cpu 8 of other jobs,
 * and cpu 4 of job 1. The qmaster has lost half of mem. The remaining cpu 6 of job 1 is booked by
 * the next run.
 */
static void test_usage_is_kept_if_each_side_is_ahead_in_another_part(void **state)
{
	put_both(*state);
	restarted_with(*state, 12, 0.5, 4, 0.5);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 18);
	CHECK(scripted_value(&q.users[0].long_term, "mem"), 1);
	CHECK(scripted_value(scripted_entry(0, 1), "cpu"), 10);
	CHECK(scripted_value(scripted_entry(0, 1), "mem"), 1);
}

/* The same with other entries around that of job 1, which is reported twice. */
static void test_entries_of_jobs_are_merged_in_any_order_and_once(void **state)
{
	static const uint32_t numbers[] = { 9, 1, 5, 1, 7 };
	struct scripted_user *ann = &q.users[0];

	put_both(*state);
	assert_int_equal(ann->nentries, 1);
	ann->nentries = sizeof(numbers) / sizeof(*numbers);
	ann->entries = realloc(ann->entries, ann->nentries * sizeof(*ann->entries));
	assert_non_null(ann->entries);
	for (size_t i = 0; i < ann->nentries; i++)
		ann->entries[i] = (struct scripted_entry){
			numbers[i], { .names = { "cpu", "mem" }, .values = { 4, 0.5 }, .n = 2 }
		};
	restarted(*state, 12, 0.5, true);
	CHECK(scripted_value(&ann->long_term, "cpu"), 18);
	CHECK(scripted_value(&ann->long_term, "mem"), 1);
	CHECK(scripted_value(scripted_entry(0, 1), "cpu"), 10);
	CHECK(scripted_value(scripted_entry(0, 1), "mem"), 1);
}

/* Without its entry, the next run cannot book what the qmaster has lost of a job that is gone. */
static void test_usage_of_jobs_that_are_gone_is_kept_if_each_side_is_ahead(void **state)
{
	put_both(*state);
	q.users[0].nentries = 0;
	restarted(*state, 12, 0.5, false);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 12);
	CHECK(scripted_value(&q.users[0].long_term, "mem"), 1);
	CHECK(scripted_value(&q.users[0].usage, "mem"), 1);
	restarted(*state, 11, 3, false);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 12);
	CHECK(scripted_value(&q.users[0].long_term, "mem"), 3);
}

static void test_usage_that_the_qmaster_has_lost_is_sent_again(void **state)
{
	put_both(*state);
	restarted_with(*state, 4, 0.5, 4, 0.5);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
	CHECK(scripted_value(&q.users[0].long_term, "mem"), 1);
}

static void test_usage_that_another_scheduler_has_booked_is_taken(void **state)
{
	put_both(*state);
	restarted_with(*state, 14, 2, 4, 0.5);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 20);
	CHECK(scripted_value(&q.users[0].long_term, "mem"), 2.5);
}

/* Usage in projects */

/* Book cpu 10 and mem 1 in project red. */
static void put_red(struct fixture *fixture)
{
	q.users[0].oticket = q.users[0].version = 5;
	scripted_report_user(&q.users[0], GDI_EV_USER_ADD);
	scripted_report_user(&q.users[2], GDI_EV_PROJECT_ADD);
	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, START "1}");
	report_both(fixture);
	run_and_send(NOW);
	turn();
	assert_string_equal(q.users[0].in, "red");
	CHECK(scripted_value(&q.users[0].in_project_ever, "cpu"), 10);
	CHECK(scripted_value(&q.users[0].in_project_ever, "mem"), 1);
}

/* Another scheduler has booked cpu 2 more, and the qmaster has lost half of mem. */
static void test_usage_in_a_project_is_kept_if_each_side_is_ahead(void **state)
{
	put_red(*state);
	q.users[0].nentries = q.users[2].nentries = 0;
	q.users[0].in_project = q.users[0].in_project_ever =
		(struct scripted_values){ .names = { "cpu", "mem" }, .values = { 12, 0.5 }, .n = 2 };
	restarted(*state, 0, 0, false);
	CHECK(scripted_value(&q.users[0].in_project_ever, "cpu"), 12);
	CHECK(scripted_value(&q.users[0].in_project_ever, "mem"), 1);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 0);
}

/* The job is still known, with cpu 4 of it booked by another scheduler. */
static void test_an_entry_of_a_job_in_a_project_is_merged_with_the_usage_in_it(void **state)
{
	struct fixture *fixture = *state;

	put_red(fixture);
	q.users[0].in_project = q.users[0].in_project_ever =
		(struct scripted_values){ .names = { "cpu", "mem" }, .values = { 12, 0.5 }, .n = 2 };
	assert_int_equal(q.users[0].nentries, 1);
	q.users[0].entries[0].values =
		(struct scripted_values){ .names = { "cpu", "mem" }, .values = { 4, 0.5 }, .n = 2 };
	q.users[0].version = 0;
	settlement_stop(&q.g);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, START "1}");
	report_both(fixture);
	scripted_report_user(&q.users[2], GDI_EV_PROJECT_LIST);
	scripted_report_user(&q.users[0], GDI_EV_USER_LIST);
	SNAPSHOT_END(fixture);
	settlement_updated(&q.g);
	for (int i = 1; i < 3; i++) {
		run_and_send(NOW + i);
		turn();
	}
	CHECK(scripted_value(&q.users[0].in_project_ever, "cpu"), 18);
	CHECK(scripted_value(&q.users[0].in_project_ever, "mem"), 1);
	CHECK(scripted_value(scripted_entry(0, 1), "cpu"), 10);
}

/* The qmaster has lost the project of the user, and is ahead in the usage without a project. */
static void test_a_lost_project_of_a_user_is_sent_again(void **state)
{
	put_red(*state);
	q.users[0].nentries = q.users[2].nentries = 0;
	q.users[0].in[0] = '\0';
	restarted(*state, 3, 0, false);
	assert_string_equal(q.users[0].in, "red");
	CHECK(scripted_value(&q.users[0].in_project_ever, "cpu"), 10);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 3);
}

/* Deleted users */

static void test_usage_of_a_deleted_user_is_forgotten(void **state)
{
	struct fixture *fixture = *state;
	size_t orders;

	put_usage(fixture);
	usage_gone(&q.g, GDI_EV_USER_DEL, "nobody");
	usage_gone(&q.g, GDI_EV_PROJECT_DEL, "ann");
	CHECK(scripted_value(&q.users[0].usage, "cpu"), 10);
	usage_gone(&q.g, GDI_EV_USER_DEL, "ann");
	strcpy(q.users[0].name, "-");
	orders = count_seen(PACKED_USER, 0);
	report_cpu(fixture, 1, 1, 12);
	run_and_send(NOW + 15);
	turn();
	assert_int_equal(count_seen(PACKED_USER, 0), orders);	/* the qmaster would refuse them */
	q.users[0].usage.n = q.users[0].long_term.n = q.users[0].nentries = 0;
	strcpy(q.users[0].name, "ann");
	q.users[0].version = 1;
	scripted_report_user(&q.users[0], GDI_EV_USER_ADD);
	report_cpu(fixture, 1, 1, 15);
	run_and_send(NOW + 30);
	turn();
	run_and_send(NOW + 45);
	turn();
	assert_true(count_seen(PACKED_USER, 0) > orders);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 15 - 10);	/* since the deletion */
}

/* Changes by administrators */

static void empty(uint32_t oticket)
{
	q.users[0].usage.n = 0;
	q.users[0].version += 2;
	q.users[0].oticket = oticket;
	scripted_changed(&q.users[0]);
}

static void test_a_changed_user_gets_its_usage_back(void **state)
{
	put_usage(*state);
	empty(77);
	turn();
	turn();
	CHECK(scripted_value(&q.users[0].usage, "cpu"), 10);
}

static void test_a_user_with_cleared_usage_starts_from_zero(void **state)
{
	struct fixture *fixture = *state;

	put_usage(fixture);
	empty(q.users[0].oticket);	/* qconf -clearusage, of all */
	turn();
	turn();
	CHECK(scripted_value(&q.users[0].usage, "cpu"), 0);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 10);
	report_cpu(fixture, 1, 1, 13);
	run_and_send(NOW + 15);
	turn();
	CHECK(scripted_value(&q.users[0].usage, "cpu"), 3);
	CHECK(scripted_value(&q.users[0].long_term, "cpu"), 13);
	empty(0);			/* qconf -clearusage ann also clears her shares */
	turn();
	turn();
	CHECK(scripted_value(&q.users[0].usage, "cpu"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRIPTED(test_a_changed_user_gets_its_usage_back),
		SCRIPTED(test_usage_is_kept_if_each_side_is_ahead_in_another_part),
		SCRIPTED(test_entries_of_jobs_are_merged_in_any_order_and_once),
		SCRIPTED(test_usage_of_jobs_that_are_gone_is_kept_if_each_side_is_ahead),
		SCRIPTED(test_usage_that_the_qmaster_has_lost_is_sent_again),
		SCRIPTED(test_usage_that_another_scheduler_has_booked_is_taken),
		SCRIPTED(test_usage_in_a_project_is_kept_if_each_side_is_ahead),
		SCRIPTED(test_an_entry_of_a_job_in_a_project_is_merged_with_the_usage_in_it),
		SCRIPTED(test_a_lost_project_of_a_user_is_sent_again),
		SCRIPTED(test_usage_of_a_deleted_user_is_forgotten),
		SCRIPTED(test_a_user_with_cleared_usage_starts_from_zero),
	};

	return cmocka_run_group_tests_name("usage that the qmaster drops", tests, NULL, NULL);
}
