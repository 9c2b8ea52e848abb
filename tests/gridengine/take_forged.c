/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries that a qmaster could make, well formed or not, and the resulting state of the mirror.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/gridengine/forged_events.h"

static void test_repeated_events_are_skipped(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	play(fixture, "c1-");
	assert_int_equal(reported_state(fixture)->jobs.used, 7);
	assert_int_equal(fixture->g.refused, 0);
	play(fixture, "c1-");
	assert_int_equal(reported_state(fixture)->jobs.used, 7);
	assert_int_equal(fixture->g.refused, 0);
	assert_null(strstr(strstr(heard, "configured") + 1, "configured"));
}

static void test_a_gap_in_the_numbers_is_an_error(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	forge_begin(&forged, 16);
	job_event(GDI_EV_JOB_ADD, 77, 0, "ann", ranges_of(&lists[0], 1, 1, 1, 0, 0), NULL);
	assert_int_equal(deliver(fixture), -EPROTO);
	assert_non_null(strstr(fixture->error.text, "has sent event 16 instead of event 15"));
	assert_null(known_job(fixture->g.known, 77));
}

/* Deliver the lists of a total update up to a kind. All are empty except that of jobs. */
static int update_deliver(struct reported_fixture *fixture, enum gdi_event last, uint32_t job)
{
	static const enum gdi_event order[] = { GDI_EV_CALENDAR_LIST, GDI_EV_CENTRY_LIST, GDI_EV_EXECHOST_LIST,
						GDI_EV_JOB_LIST,      GDI_EV_PE_LIST,	  GDI_EV_CQUEUE_LIST,
						GDI_EV_SCHED_CONF,    GDI_EV_AR_LIST };

	forge_begin(&forged, (uint32_t)fixture->g.take->next);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (order[i] == GDI_EV_JOB_LIST) {
			job_event(GDI_EV_JOB_LIST, job, 0, "ann", ranges_of(&lists[0], 1, 1, 1, 0, 0), NULL);
		} else {
			forge_event(&forged, order[i], 0, 0, "", "");
			gdi_write_null(&forged.w);
		}
		if (order[i] == last)
			break;
	}
	return deliver(fixture);
}

static void test_an_interrupted_update_changes_no_state(void **state)
{
	struct reported_fixture *fixture = *state;

	play(fixture, "c1-");
	heard[0] = '\0';
	assert_int_equal(update_deliver(fixture, GDI_EV_CQUEUE_LIST, 99), -EPROTO);
	assert_non_null(strstr(fixture->error.text, "ends after event 21"));
	assert_string_equal(heard, "");
	assert_false(mirror_in_snapshot(fixture->f.intake.mirror));
	assert_int_not_equal(jobs_find(&reported_state(fixture)->jobs, 7), INDEX_NONE);
	assert_non_null(known_job(fixture->g.known, 7));
	take_registered(&fixture->g);
	assert_false(fixture->g.updated);
	assert_int_equal(update_deliver(fixture, GDI_EV_AR_LIST, 99), 0);
	assert_true(fixture->g.updated);
	assert_int_equal(reported_state(fixture)->jobs.used, 1);
	assert_null(known_job(fixture->g.known, 7));
}

static void test_lists_out_of_order_are_no_update(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	forge_begin(&forged, 15);
	forge_event(&forged, GDI_EV_PE_LIST, 0, 0, "", "");
	gdi_write_null(&forged.w);
	forge_event(&forged, GDI_EV_JOB_LIST, 0, 0, "", "");
	gdi_write_null(&forged.w);
	assert_int_equal(deliver(fixture), -EPROTO);
	assert_non_null(strstr(fixture->error.text, "has event 16, JOB_LIST, out of order"));
}

static void test_an_unprintable_name_is_refused_and_reported_once(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	forge_begin(&forged, 15);
	for (int k = 0; k < 2; k++)
		job_event(GDI_EV_JOB_ADD, 17, 0, "an\x1bn", ranges_of(&lists[0], 1, 1, 1, 0, 0), NULL);
	job_event(GDI_EV_JOB_ADD, 18, 0, "ann", ranges_of(&lists[0], 1, 1, 1, 0, 0), NULL);
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(fixture->g.refused, 2);
	assert_int_equal(fixture->g.take->reported.n, 1);
	assert_null(known_job(fixture->g.known, 17));
	assert_non_null(known_job(fixture->g.known, 18));
}

static void test_a_change_that_cannot_be_understood_holds_the_job_until_one_can(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 9);
	forge_begin(&forged, 16);
	job_event(GDI_EV_JOB_MOD, 17, 0x80, "", ranges_of(&lists[0], 1, 9, 1, 0, 0), NULL);
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(fixture->g.refused, 1);
	run(&fixture->f, NOW);
	assert_string_equal(row(&fixture->f, 17, 0).state, "hqw");
	forge_begin(&forged, 17);
	job_event(GDI_EV_JOB_MOD, 17, 0x80, "ann", ranges_of(&lists[0], 1, 9, 1, 0, 0), NULL);
	assert_int_equal(deliver(fixture), 0);
	run(&fixture->f, NOW + 1);
	assert_string_equal(row(&fixture->f, 17, 0).state, "qw");
}

static void test_ids_are_held_in_any_list(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct job_extra *extra;

	play_some(fixture, "c1-", 1);
	forge_begin(&forged, 15);
	job_event(GDI_EV_JOB_ADD, 17, 0x80, "ann", ranges_of(&lists[0], 1, 4, 1, 9, 12),
		  ranges_of(&lists[1], 5, 8, 1, 20, 20));
	job_event(GDI_EV_JOB_ADD, 18, 0x80, "ann", ranges_of(&lists[0], 1, 9, 4, 2, 3), NULL);
	job_event(GDI_EV_JOB_ADD, 19, 0, "ann", NULL, ranges_of(&lists[1], 1, 1, 1, 0, 0));
	assert_int_equal(deliver(fixture), 0);
	extra = extra_of(fixture, 17);
	assert_int_equal(ranges_count(&extra->waiting), 13);
	assert_int_equal(ranges_count(&extra->sets[HOLD_USER]), 5);
	assert_int_equal(ranges_count(&extra_of(fixture, 18)->waiting), 5);
	run(&fixture->f, NOW);
	assert_string_equal(row(&fixture->f, 19, 0).state, "hqw");
	assert_int_equal(fixture->g.refused, 0);
}

/* A refused start leaves the task with a record: it waits and starts first. */
static void test_an_enrolled_task_waits_with_its_hold_and_its_error(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct job_extra *extra;

	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 9);
	forge_begin(&forged, 16);
	task_event(GDI_EV_JATASK_ADD, 17, 3, 0, 0x840, 0, NULL);
	task_event(GDI_EV_JATASK_ADD, 17, 4, 0, 0x850, 1, NULL);
	task_event(GDI_EV_JATASK_ADD, 17, 5, 0, 0x8840, 0, NULL);
	job_event(GDI_EV_JOB_MOD, 17, 0x80, "ann", ranges_of(&lists[0], 1, 2, 1, 6, 9), NULL);
	assert_int_equal(deliver(fixture), 0);
	extra = extra_of(fixture, 17);
	assert_int_equal(ranges_count(&extra->waiting), 9);
	assert_int_equal(ranges_count(&extra->sets[TASK_ENROLLED]), 3);
	assert_true(ranges_contain(&extra->sets[HOLD_USER], 4) && ranges_count(&extra->sets[HOLD_USER]) == 1);
	assert_true(ranges_contain(&extra->sets[TASK_ERROR], 5) && ranges_count(&extra->sets[TASK_ERROR]) == 1);
	assert_true(is_known(fixture->g.known, 17, 3, KNOWN_IDLE) && !is_known(fixture->g.known, 17, 6, KNOWN_IDLE));
	forge_begin(&forged, 20);
	task_event(GDI_EV_JATASK_MOD, 17, 4, 0, 0x840, 0, NULL);
	task_event(GDI_EV_JATASK_MOD, 17, 5, 0, 0x840, 0, NULL);
	assert_int_equal(deliver(fixture), 0);
	extra = extra_of(fixture, 17);
	assert_true(extra->sets[HOLD_USER].n == 0 && extra->sets[TASK_ERROR].n == 0);
	assert_int_equal(fixture->g.refused, 0);
}

static void test_a_started_task_is_put_back_deleted_or_started_again(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 3);
	forge_begin(&forged, 16);
	for (uint32_t id = 1; id <= 3; id++)
		task_event(GDI_EV_JATASK_MOD, 17, id, 0x80, 0x80, 0, granted_on(&lists[2], "all.q@sgehost"));
	job_event(GDI_EV_JOB_MOD, 17, 0x80, "ann", NULL, NULL);
	assert_int_equal(deliver(fixture), 0);
	assert_true(reported_task(fixture, 17, 1) && reported_task(fixture, 17, 2) && reported_task(fixture, 17, 3));
	assert_int_equal(reported_task(fixture, 17, 1)->wallclock_limit, 600);
	forge_begin(&forged, 20);
	task_event(GDI_EV_JATASK_MOD, 17, 1, 0, 0x840, 0, NULL);
	forge_event(&forged, GDI_EV_JATASK_DEL, 17, 2, "", "");
	gdi_write_null(&forged.w);
	task_event(GDI_EV_JATASK_MOD, 17, 3, 0x80, 0x100, 0, granted_on(&lists[2], "all.q@sgehost"));
	assert_int_equal(deliver(fixture), 0);
	assert_true(!reported_task(fixture, 17, 1) && !reported_task(fixture, 17, 2));
	assert_string_equal(reported_task(fixture, 17, 3)->state, "s");
	assert_true(ranges_contain(&extra_of(fixture, 17)->sets[TASK_ENROLLED], 1) &&
		    ranges_count(&extra_of(fixture, 17)->waiting) == 1);
	forge_begin(&forged, 23);
	task_event(GDI_EV_JATASK_MOD, 17, 1, 0x200, 0x80, 0, granted_on(&lists[2], "all.q@sgehost"));
	assert_int_equal(deliver(fixture), 0);
	assert_string_equal(reported_task(fixture, 17, 1)->state, "t");
	assert_int_equal(fixture->g.refused, 0);
}

/* qdel of a task that qmod -rj has put back: it has a record, which the scheduler has to remove. */
static void test_a_task_deleted_after_it_was_put_back_is_removed_unbooked(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 1);
	forge_begin(&forged, 16);
	task_event(GDI_EV_JATASK_MOD, 17, 1, 0x80, 0x80, 0, granted_on(&lists[2], "all.q@sgehost"));
	task_event(GDI_EV_JATASK_MOD, 17, 1, 0, 0x840, 0, NULL);
	forge_event(&forged, GDI_EV_JOB_FINAL_USAGE, 17, 1, "", "");
	gdi_write_null(&forged.w);
	assert_int_equal(deliver(fixture), 0);
	HEARD("finished 17.1 unbooked");
	assert_true(is_known(fixture->g.known, 17, 1, KNOWN_FINISHED));
	assert_int_equal(fixture->g.refused, 0);
}

/* The task's own event confirms the start, whatever it contains. */
static void test_an_ordered_start_is_confirmed_by_its_event(void **state)
{
	const struct granted granted = { .queue = "all.q@sgehost", .slots = 1 };
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 2);
	assert_int_equal(
		mirror_order_start(fixture->f.intake.mirror, 17, 1, NOW, &granted, 1, NULL, 5, &fixture->error), 0);
	assert_int_equal(
		mirror_order_start(fixture->f.intake.mirror, 17, 2, NOW, &granted, 1, NULL, 6, &fixture->error), 0);
	forge_begin(&forged, 16);
	task_event(GDI_EV_JATASK_ADD, 17, 1, 0, 0x840, 0, NULL);
	task_event(GDI_EV_JATASK_MOD, 17, 1, 0x200, 0x80, 0, granted_on(&lists[2], "all.q@sgehost"));
	job_event(GDI_EV_JOB_MOD, 17, 0x80, "ann", ranges_of(&lists[0], 2, 2, 1, 0, 0), NULL);
	task_event(GDI_EV_JATASK_ADD, 17, 2, 0, 0x840, 0, NULL);
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(reported_task(fixture, 17, 1)->order, 0);
	assert_int_equal(reported_task(fixture, 17, 2)->order, 6);
	HEARD("enrolled 17.1\nstarted 17.1\nenrolled 17.2\n");
	assert_int_equal(mirror_order_void(fixture->f.intake.mirror, 17, 2, 6, &fixture->error), 0);
	assert_true(ranges_contain(&extra_of(fixture, 17)->sets[TASK_ENROLLED], 2));
}

static void test_requests_keep_their_order_and_unusual_characters(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct mirror *mirror = sched_mirror(fixture->f.sched);
	const struct request_key *key;
	size_t list;

	play_some(fixture, "c1-", 1);
	lists[2].n = lists[3].n = 0;
	list = forge_list(&lists[2], VALUES(NUMBER(CE_name, 0), NUMBER(CE_stringval, 0)));
	forge_element(&lists[2], list, VALUES(TEXT(CE_name, "s_rt"), TEXT(CE_stringval, "a,b")));
	forge_element(&lists[2], list, VALUES(TEXT(CE_name, "arch"), TEXT(CE_stringval, "x\\")));
	forge_element(&lists[2], list, VALUES(TEXT(CE_name, "h_rt"), TEXT(CE_stringval, "c d=e")));
	gdi_list_end(&lists[2], list);
	forge_one(&lists[3], VALUES(TEXT(QR_name, "all.q@[a,b]")));
	forge_begin(&forged, 15);
	forge_event(&forged, GDI_EV_JOB_ADD, 17, 0, "", "");
	forge_one(&forged.w, VALUES(NUMBER(JB_job_number, 17), TEXT(JB_owner, "ann"),
				    LIST(JB_hard_resource_list, &lists[2]), LIST(JB_hard_queue_list, &lists[3]),
				    LIST(JB_ja_n_h_ids, ranges_of(&lists[0], 1, 1, 1, 0, 0))));
	assert_int_equal(deliver(fixture), 0);
	key = requests_key(&mirror->requests,
			   job_fact(&reported_state(fixture)->jobs, jobs_find(&reported_state(fixture)->jobs, 17), category));
	assert_string_equal(reported_text(fixture, key->hard), "s_rt=a\\,b,arch=x\\\\,h_rt=c d=e");
	assert_string_equal(reported_text(fixture, key->hard_queues), "all.q@[a\\,b]");
}

static void test_a_queue_instance_is_reported_when_it_changes(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct instance *instance = NULL;

	play_some(fixture, "c1-", 1);
	lists[0].n = 0;
	forge_one(&lists[0], VALUES(NUMBER(CQU_state, 0x20000), NUMBER(CQU_until, 1800000000)));
	forge_begin(&forged, 15);
	forge_event(&forged, GDI_EV_QINSTANCE_MOD, 0, 0, "all.q", "sgehost");
	forge_one(&forged.w,
		  VALUES(TEXT(QU_qname, "all.q"), TEXT(QU_qhostname, "sgehost"), NUMBER(QU_job_slots, 7),
			 NUMBER(QU_state, 0x4 | 0x4000), NUMBER(QU_version, 9), LIST(QU_state_changes, &lists[0])));
	forge_event(&forged, GDI_EV_QINSTANCE_SOS, 0, 0, "all.q", "sgehost");
	gdi_write_null(&forged.w);
	assert_int_equal(deliver(fixture), 0);
	instance = &reported_state(fixture)->instances[0];
	assert_int_equal(reported_state(fixture)->ninstances, 1);
	assert_true(instance->slots == 7 && instance->nchanges == 1 && instance->changes[0].state == CALENDAR_OFF);
	assert_string_equal(instance->state, "dES");
	forge_begin(&forged, 17);
	forge_event(&forged, GDI_EV_QINSTANCE_USOS, 0, 0, "all.q", "sgehost");
	gdi_write_null(&forged.w);
	forge_event(&forged, GDI_EV_CQUEUE_DEL, 0, 0, "all.q", "");
	gdi_write_null(&forged.w);
	forge_event(&forged, GDI_EV_QINSTANCE_SOS, 0, 0, "all.q", "sgehost");
	gdi_write_null(&forged.w);
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(reported_state(fixture)->ninstances, 0);
	assert_int_equal(fixture->g.refused, 1);
}

static void host_event(const char *complex_value, const char *load)
{
	lists[0].n = lists[1].n = 0;
	forge_one(&lists[0], VALUES(TEXT(CE_name, "mem"), TEXT(CE_stringval, complex_value)));
	forge_one(&lists[1], VALUES(TEXT(HL_name, "load_avg"), TEXT(HL_value, load)));
	forge_event(&forged, GDI_EV_EXECHOST_MOD, 0, 0, "ada", "");
	forge_one(&forged.w, VALUES(TEXT(EH_name, "ada"), LIST(EH_consumable_config_list, &lists[0]),
				    LIST(EH_load_list, &lists[1]), NUMBER(EH_processors, 2)));
}

static void test_load_reports_change_no_configuration(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct reported_host *host;
	unsigned before = hosts_reported;

	play_some(fixture, "c1-", 1);
	forge_begin(&forged, 15);
	host_event("8G", "0.5");
	host_event("8G", "0.75");
	host_event("4G", "0.75");
	host_event("4G", "1.5");
	forge_event(&forged, GDI_EV_EXECHOST_MOD, 0, 0, "ada", "");
	gdi_write_null(&forged.w);
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(hosts_reported - before, 2);
	host = reported_host_find(reported_state(fixture), strings_find(sched_mirror(fixture->f.sched)->strings, "ada"));
	assert_string_equal(reported_text(fixture, host->load[0].value), "1.5");
	assert_int_equal(fixture->g.refused, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPORTED_TEST(test_repeated_events_are_skipped),
		REPORTED_TEST(test_a_gap_in_the_numbers_is_an_error),
		REPORTED_TEST(test_an_interrupted_update_changes_no_state),
		REPORTED_TEST(test_lists_out_of_order_are_no_update),
		REPORTED_TEST(test_an_unprintable_name_is_refused_and_reported_once),
		REPORTED_TEST(test_a_change_that_cannot_be_understood_holds_the_job_until_one_can),
		REPORTED_TEST(test_ids_are_held_in_any_list),
		REPORTED_TEST(test_an_enrolled_task_waits_with_its_hold_and_its_error),
		REPORTED_TEST(test_a_started_task_is_put_back_deleted_or_started_again),
		REPORTED_TEST(test_a_task_deleted_after_it_was_put_back_is_removed_unbooked),
		REPORTED_TEST(test_an_ordered_start_is_confirmed_by_its_event),
		REPORTED_TEST(test_requests_keep_their_order_and_unusual_characters),
		REPORTED_TEST(test_a_queue_instance_is_reported_when_it_changes),
		REPORTED_TEST(test_load_reports_change_no_configuration),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	forged_free();
	return failed;
}
