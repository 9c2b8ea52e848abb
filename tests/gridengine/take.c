/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries of a real qmaster, and the resulting state of the mirror. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/gridengine/reported.h"

static void test_a_total_update_is_complete_at_its_end(void **state)
{
	struct reported_fixture *fixture = *state;
	struct fl_job job;
	uint32_t version = 0;

	play_some(fixture, "c1-", 1);
	assert_int_equal(fixture->rc, 0);
	assert_true(fixture->g.updated);
	HEARD("configuration begins\nsched_conf\nconfiguration ends\nconfigured\n");
	HEARD("user ann version 2\nuser bob version 2\n");
	HEARD("updated\ndelivered\n");
	assert_int_equal(fixture->g.refused, 0);
	run(&fixture->f, NOW);
	job = row(&fixture->f, 1, 0);
	assert_string_equal(job.owner, "ann");
	assert_int_equal(job.priority, -5);
	assert_string_equal(job.state, "Eqw");
	assert_true(known_instance_version(fixture->g.known, "all.q@sgehost", &version) && version == 1);
	assert_false(known_instance_version(fixture->g.known, "all.q@other", &version));
	assert_true(known_job(fixture->g.known, 1) && !known_job(fixture->g.known, 1)->is_array);
}

static void test_a_job_that_is_submitted_waits(void **state)
{
	struct reported_fixture *fixture = *state;

	play(fixture, "c1-");
	run(&fixture->f, NOW);
	assert_string_equal(row(&fixture->f, 7, 0).state, "qw");
	assert_string_equal(row(&fixture->f, 7, 0).name, "viaus");
	assert_int_equal(fixture->g.refused, 0);
}

static void test_a_start_is_visible_with_all_its_instances(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct task *task;

	play_some(fixture, "c1-", 1);
	play_on(fixture, "s11-");
	task = reported_task(fixture, 8056, 1);
	assert_non_null(task);
	assert_int_equal(task->ngranted, 2);
	assert_string_equal(reported_text(fixture, task->granted[0].queue), "all.q@sgehost");
	assert_string_equal(reported_text(fixture, task->granted[1].queue), "all.q@hosttwo");
	assert_string_equal(reported_text(fixture, task->granted_pe), "mpi");
	assert_int_equal(task->wallclock_limit, UINT32_MAX);
	assert_string_equal(task->state, "r");		/* the host has reported usage */
	HEARD("enrolled 8056.1\nstarted 8056.1\n");
	assert_true(known_pe_controls_slaves(fixture->g.known, "mpi"));
	assert_int_equal(fixture->g.refused, 0);
}

/* The master's cpu 9.9, and 5.85 of the task on the second host. */
static void test_usage_of_pe_tasks_counts_for_the_task(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	play_on(fixture, "s11-");
	assert_float_equal(reported_usage(fixture, &reported_task(fixture, 8056, 1)->usage, "cpu"), 9.9 + 5.85, 1e-6);
	assert_float_equal(reported_usage(fixture, &reported_task(fixture, 8057, 1)->usage, "cpu"), 10.29 + 5.43, 1e-6);
	assert_true(reported_usage(fixture, &reported_task(fixture, 8057, 1)->usage, "maxvmem") < 0);
}

/* past_usage of two PE tasks, 0.02649, plus the master's own 0.192303. */
static void test_the_end_of_a_task_includes_usage_of_its_pe_tasks(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct state *s;

	play_some(fixture, "c1-", 1);
	play_on(fixture, "s9-");
	s = reported_state(fixture);
	assert_null(reported_task(fixture, 8048, 1));
	assert_int_equal(s->nended, 1);
	assert_float_equal(reported_usage(fixture, &s->ended[0].usage, "cpu"), 0.192303 + 0.02649, 1e-6);
	assert_true(is_known(fixture->g.known, 8048, 1, KNOWN_FINISHED));
	HEARD("finished 8048.1\n");
}

static void test_a_finished_job_is_kept_until_it_is_removed(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	play_on(fixture, "s8-");
	assert_null(known_job(fixture->g.known, 8018));
	HEARD("finished 8018.1\n");
	HEARD("removed 8018.1\n");
	HEARD("removed 8018.0\n");
	assert_int_equal(jobs_find(&reported_state(fixture)->jobs, 8018), INDEX_NONE);
	assert_int_not_equal(jobs_find(&reported_state(fixture)->jobs, 8016), INDEX_NONE);
	run(&fixture->f, NOW);
	assert_int_equal(rows(&fixture->f, 8016), 0);
	assert_int_equal(fixture->g.refused, 0);
}

/*
 * Tasks of 8019 wait for single tasks of 8018, 8020 for the whole job. Two of 8018 have ended, and
 * the third is started.
 */
static void test_jobs_wait_for_their_predecessors(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct job_extra *extra;
	uint32_t number;

	play_some(fixture, "c1-", 1);
	fixture->g.take->next = 0;
	play_until(fixture, "s8-", 91);
	assert_non_null(reported_task(fixture, 8018, 3));
	extra = jobs_find_extra(&reported_state(fixture)->jobs, jobs_find(&reported_state(fixture)->jobs, 8019));
	assert_int_equal(ranges_first(&extra->waiting, extra->sets, TASK_BARS, NULL, 9), 2);
	assert_int_equal(ranges_first(&extra->waiting, extra->sets, TASK_BARS, &number, 1), 1);
	assert_true(ranges_contain(&extra->sets[HOLD_ARRAY], 3));
	run(&fixture->f, NOW);
	assert_string_equal(row(&fixture->f, 8020, 0).state, "hqw");
	play_until(fixture, "s8-", 103);
	run(&fixture->f, NOW + 1);
	assert_string_equal(row(&fixture->f, 8020, 0).state, "qw");
}

static void test_a_task_that_was_put_back_waits_and_avoids_its_host(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct reported_host *host;

	play_some(fixture, "c1-", 1);
	fixture->g.take->next = 0;
	play_some(fixture, "s10-", 3);
	assert_int_equal(fixture->rc, 0);
	assert_null(reported_task(fixture, 8049, 1));
	host = reported_host_find(reported_state(fixture), strings_find(sched_mirror(fixture->f.sched)->strings, "sgehost"));
	assert_true(host && host->navoided_by == 1 && host->avoided_by[0].job_number == 8049);
	run(&fixture->f, NOW);
	assert_string_equal(row(&fixture->f, 8049, 0).state, "qw");
	assert_true(is_known(fixture->g.known, 8049, 1, KNOWN_IDLE));
}

/* The task was put back and then deleted: it has no end that could be booked. */
static void test_a_task_deleted_while_it_waits_does_not_start(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	play_on(fixture, "s10-");
	assert_true(is_known(fixture->g.known, 8049, 1, KNOWN_FINISHED));
	run(&fixture->f, NOW);
	assert_int_equal(rows(&fixture->f, 8049), 0);
	assert_int_not_equal(jobs_find(&reported_state(fixture)->jobs, 8049), INDEX_NONE);
}

static void test_suspended_tasks_are_known_by_their_letters(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	play_on(fixture, "s3-");
	assert_string_equal(reported_task(fixture, 8005, 1)->state, "r");
	assert_string_equal(reported_task(fixture, 8006, 1)->state, "T");
	assert_true(reported_task(fixture, 8006, 1)->suspended);
}

static void test_the_rest_of_an_array_waits(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct state *s;
	struct job_extra *extra;

	play_some(fixture, "c1-", 1);
	play_on(fixture, "s2-");
	s = reported_state(fixture);
	extra = jobs_find_extra(&s->jobs, jobs_find(&s->jobs, 8004));
	assert_true(extra->is_array && extra->task_concurrency == 2);
	assert_int_equal(ranges_count(&extra->waiting), 3);
	assert_true(ranges_contain(&extra->waiting, 4) && ranges_contain(&extra->waiting, 6));
	assert_non_null(reported_task(fixture, 8004, 3));
	assert_null(reported_task(fixture, 8004, 1));
	assert_int_equal(s->nended, 2);
}

static void test_advance_reservations_begin_and_end(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct advance_reservation *reservation;

	play_some(fixture, "c1-", 1);
	fixture->g.take->next = 0;
	play_some(fixture, "s7-", 1);
	reservation = reported_advance(fixture, 1);
	assert_non_null(reservation);
	assert_string_equal(reported_text(fixture, reservation->state), "r");
	assert_string_equal(reported_text(fixture, reservation->hard), "lic=2");
	assert_string_equal(reported_text(fixture, reservation->access), "ann,bob");
	assert_int_equal(reservation->granted[0].slots, 3);
	assert_int_equal(reservation->end_time - reservation->start_time, 600);
	play_on(fixture, "s7-");
	assert_null(reported_advance(fixture, 1));
}

/* A refused order of the kind -2: all lists are sent again with continued numbers. */
static void test_a_second_update_in_the_middle_of_life_replaces_all(void **state)
{
	struct reported_fixture *fixture = *state;

	play(fixture, "c1-");
	assert_int_not_equal(jobs_find(&reported_state(fixture)->jobs, 7), INDEX_NONE);
	play_on(fixture, "k1-");
	assert_int_equal(jobs_find(&reported_state(fixture)->jobs, 7), INDEX_NONE);
	assert_int_not_equal(jobs_find(&reported_state(fixture)->jobs, 19), INDEX_NONE);
	assert_null(known_job(fixture->g.known, 7));
	assert_int_equal(known_tree_version(fixture->g.known), 3);
	HEARD("project p1 version 3\n");
}

/*
 * Job 17 ended while no scheduler was connected. Its usage must be booked, and its instances are
 * gone.
 */
static void test_an_ended_task_that_is_not_removed_is_booked_once(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct state *s;

	play_on(fixture, "k1-");
	s = reported_state(fixture);
	assert_int_equal(s->nended, 1);
	assert_int_equal(s->ended[0].number, 17);
	assert_true(is_known(fixture->g.known, 17, 1, KNOWN_FINISHED));
	assert_int_not_equal(jobs_find(&s->jobs, 17), INDEX_NONE);
	run(&fixture->f, NOW);
	assert_int_equal(rows(&fixture->f, 17), 0);
	booked = true;
	play_on(fixture, "k1-");
	assert_int_equal(reported_state(fixture)->nended, 0);
	assert_int_not_equal(jobs_find(&reported_state(fixture)->jobs, 17), INDEX_NONE);
	run(&fixture->f, NOW + 1);
	assert_int_equal(rows(&fixture->f, 17), 0);
}

/* A list of three ranges: {first, last, step} each. */
static void forge_ranges(struct gdi_writer *writer, const uint32_t ranges[3][3])
{
	size_t list = forge_list(writer, VALUES(NUMBER(RN_min, 0), NUMBER(RN_max, 0), NUMBER(RN_step, 0)));

	for (int k = 0; k < 3; k++)
		forge_element(writer, list,
			      VALUES(NUMBER(RN_min, ranges[k][0]), NUMBER(RN_max, ranges[k][1]),
				     NUMBER(RN_step, ranges[k][2])));
	gdi_list_end(writer, list);
}

/* qsub -pe mpi 1,2,4,6,8- comes as 1-2, 4-6 with a step of 2, and 8-9999999. */
static void test_slots_of_a_job_and_of_an_advance_reservation_keep_their_step(void **state)
{
	static const uint32_t list[3][3] = { { 1, 2, 0 }, { 4, 6, 2 }, { 8, 9999999, 1 } };
	struct reported_fixture *fixture = *state;
	struct gdi_writer ranges = { 0 }, one = { 0 }, granted = { 0 };
	struct forge forged = { 0 };
	const struct request_key *key;

	play_some(fixture, "c1-", 1);
	forge_ranges(&ranges, list);
	forge_ranges(&one, (const uint32_t[3][3]){ { 1, 1, 1 }, { 2, 2, 1 }, { 3, 3, 1 } });
	forge_one(&granted, VALUES(TEXT(JG_qname, "all.q@ada"), NUMBER(JG_slots, 4)));
	forge_begin(&forged, (uint32_t)fixture->g.take->next);
	forge_event(&forged, GDI_EV_JOB_ADD, 17, 0, "", "");
	forge_one(&forged.w, VALUES(NUMBER(JB_job_number, 17), TEXT(JB_owner, "ann"),
				    NUMBER(JB_submission_time, 1699999000), NUMBER(JB_priority, 1024),
				    TEXT(JB_pe, "mpi"), LIST(JB_pe_range, &ranges), LIST(JB_ja_n_h_ids, &one)));
	forge_event(&forged, GDI_EV_AR_ADD, 3, 0, "", "");
	forge_one(&forged.w, VALUES(NUMBER(AR_id, 3), TEXT(AR_owner, "ann"), NUMBER(AR_state, 1),
				    NUMBER(AR_start_time, 1800000000), NUMBER(AR_end_time, 1800003600),
				    TEXT(AR_pe, "mpi"), LIST(AR_pe_range, &ranges), LIST(AR_granted_slots, &granted)));
	forge_end(&forged);
	reported_deliver(fixture, forged.w.bytes, forged.w.n);
	assert_int_equal(fixture->rc, 0);
	assert_int_equal(fixture->g.refused, 0);
	key = requests_key(&sched_mirror(fixture->f.sched)->requests,
			   job_fact(&reported_state(fixture)->jobs, jobs_find(&reported_state(fixture)->jobs, 17), category));
	assert_string_equal(reported_text(fixture, key->pe_range), "1-2,4-6:2,8-");
	assert_string_equal(reported_text(fixture, reported_advance(fixture, 3)->pe_range), "1-2,4-6:2,8-");
	gdi_writer_free(&ranges);
	gdi_writer_free(&one);
	gdi_writer_free(&granted);
	gdi_writer_free(&forged.w);
}

static void assert_ids(const struct reported_fixture *fixture, uint32_t job_number, int set, const char *ids)
{
	const struct jobs *jobs = &reported_state(fixture)->jobs;
	const struct job_extra *extra = jobs_find_extra(jobs, jobs_find(jobs, job_number));
	char text[64] = "";

	if (extra)
		ranges_format(&extra->sets[set], text, sizeof(text));
	assert_string_equal(text, ids);
}

/* 23 and 24.3 were restarted and run again, 24.2 was restarted and is held, 25 is held and runs. */
static void test_restarted_and_held_tasks_are_known_whether_they_run_or_not(void **state)
{
	struct reported_fixture *fixture = *state;

	play(fixture, "u1-");
	assert_int_equal(fixture->g.refused, 0);
	assert_true(reported_task(fixture, 23, 1) && reported_task(fixture, 24, 1) && reported_task(fixture, 24, 3) &&
		    reported_task(fixture, 25, 1));
	assert_null(reported_task(fixture, 24, 2));
	assert_ids(fixture, 23, TASK_RESTARTED, "1");
	assert_ids(fixture, 23, HOLD_USER, "");
	assert_ids(fixture, 24, TASK_RESTARTED, "2-3");
	assert_ids(fixture, 24, HOLD_USER, "2");
	assert_ids(fixture, 24, TASK_ENROLLED, "2");
	assert_ids(fixture, 25, TASK_RESTARTED, "");
	assert_ids(fixture, 25, HOLD_USER, "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPORTED_TEST(test_a_total_update_is_complete_at_its_end),
		REPORTED_TEST(test_a_job_that_is_submitted_waits),
		REPORTED_TEST(test_a_start_is_visible_with_all_its_instances),
		REPORTED_TEST(test_usage_of_pe_tasks_counts_for_the_task),
		REPORTED_TEST(test_the_end_of_a_task_includes_usage_of_its_pe_tasks),
		REPORTED_TEST(test_a_finished_job_is_kept_until_it_is_removed),
		REPORTED_TEST(test_jobs_wait_for_their_predecessors),
		REPORTED_TEST(test_a_task_that_was_put_back_waits_and_avoids_its_host),
		REPORTED_TEST(test_restarted_and_held_tasks_are_known_whether_they_run_or_not),
		REPORTED_TEST(test_a_task_deleted_while_it_waits_does_not_start),
		REPORTED_TEST(test_suspended_tasks_are_known_by_their_letters),
		REPORTED_TEST(test_the_rest_of_an_array_waits),
		REPORTED_TEST(test_advance_reservations_begin_and_end),
		REPORTED_TEST(test_a_second_update_in_the_middle_of_life_replaces_all),
		REPORTED_TEST(test_an_ended_task_that_is_not_removed_is_booked_once),
		REPORTED_TEST(test_slots_of_a_job_and_of_an_advance_reservation_keep_their_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
