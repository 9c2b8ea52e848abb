/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that change, end or disappear in a qmaster, and values outside of their range. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/gridengine/forged_events.h"

#define INSTANCE "all.q@sgehost"

static void empty_event(enum gdi_event type, uint32_t intkey, uint32_t intkey2, const char *strkey, const char *strkey2)
{
	forge_event(&forged, type, intkey, intkey2, strkey, strkey2);
	gdi_write_null(&forged.w);
}

static void next_delivery(const struct reported_fixture *fixture)
{
	forge_begin(&forged, (uint32_t)fixture->g.take->next);
}

/* Usage */

/* Write a list of usage values with these names. */
static const struct gdi_writer *usage_write(struct gdi_writer *writer, const char *const *names, const double *values,
					    size_t n)
{
	size_t list;

	list = forge_list(writer, VALUES(TEXT(UA_name, ""), NUMBER(UA_value, 0)));
	for (size_t i = 0; i < n; i++)
		forge_element(writer, list, VALUES(TEXT(UA_name, names[i]), { .field = UA_value, .real = values[i] }));
	gdi_list_end(writer, list);
	return writer;
}

static const struct gdi_writer *cpu_of(struct gdi_writer *writer, double cpu)
{
	writer->n = 0;
	return usage_write(writer, (const char *[]){ "cpu" }, &cpu, 1);
}

static void pe_task_event(const char *name, double cpu)
{
	forge_event(&forged, GDI_EV_PETASK_ADD, 17, 1, name, "");
	forge_one(&forged.w, VALUES(TEXT(PET_id, name), LIST(PET_scaled_usage, cpu_of(&lists[1], cpu))));
}

static void usage_event(const char *pe_task, double cpu)
{
	forge_event(&forged, GDI_EV_JOB_USAGE, 17, 1, pe_task, "");
	usage_write(&forged.w, (const char *[]){ "cpu" }, &cpu, 1);
}

/* Start task 17.1. */
static void start(struct reported_fixture *fixture)
{
	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 2);
	next_delivery(fixture);
	task_event(GDI_EV_JATASK_MOD, 17, 1, 0x200, 0x80, 0, granted_on(&lists[2], INSTANCE));
	assert_int_equal(deliver(fixture), 0);
}

static double cpu_is(const struct reported_fixture *fixture)
{
	return reported_usage(fixture, &reported_task(fixture, 17, 1)->usage, "cpu");
}

static void test_usage_of_a_deleted_pe_task_counts_no_longer(void **state)
{
	struct reported_fixture *fixture = *state;

	start(fixture);
	next_delivery(fixture);
	usage_event("", 2);
	pe_task_event("1.sgehost", 5);
	pe_task_event("2.sgehost", 8);
	usage_event("", 2);
	assert_int_equal(deliver(fixture), 0);
	assert_float_equal(cpu_is(fixture), 2 + 5 + 8, 0);
	next_delivery(fixture);
	empty_event(GDI_EV_PETASK_DEL, 17, 1, "1.sgehost", "");
	empty_event(GDI_EV_PETASK_DEL, 17, 1, "1.sgehost", "");		/* no longer known */
	empty_event(GDI_EV_PETASK_DEL, 17, 1, "", "");			/* no PE task */
	empty_event(GDI_EV_PETASK_DEL, 17, 9, "2.sgehost", "");
	assert_int_equal(deliver(fixture), 0);
	assert_float_equal(cpu_is(fixture), 2 + 5 + 8, 0);	/* usage never decreases */
	next_delivery(fixture);
	usage_event("2.sgehost", 20);
	assert_int_equal(deliver(fixture), 0);
	assert_float_equal(cpu_is(fixture), 2 + 20, 0);
	assert_int_equal(fixture->g.refused, 0);
}

/* Sums of the largest values stay finite. */
static void test_usage_is_limited_and_values_that_are_none_are_ignored(void **state)
{
	static const char *const names[] = { "cpu", "cpu", "cpu", "mem", "iow", "submission_time", "acct_\001", "vmem" };
	static const double values[] = { NAN, -1, INFINITY, 3, 4, 5, 6, 1e31 };
	struct reported_fixture *fixture = *state;
	const struct usage *usage;

	start(fixture);
	next_delivery(fixture);
	usage_event("", TAKE_USAGE_MOST);
	pe_task_event("1.sgehost", TAKE_USAGE_MOST);
	usage_event("", TAKE_USAGE_MOST);
	assert_int_equal(deliver(fixture), 0);
	assert_float_equal(cpu_is(fixture), TAKE_USAGE_MOST, 0);
	next_delivery(fixture);
	forge_event(&forged, GDI_EV_JOB_USAGE, 17, 1, "", "");
	usage_write(&forged.w, names, values, sizeof(values) / sizeof(*values));
	empty_event(GDI_EV_PETASK_DEL, 17, 1, "1.sgehost", "");
	assert_int_equal(deliver(fixture), 0);
	usage = &reported_task(fixture, 17, 1)->usage;
	assert_float_equal(reported_usage(fixture, usage, "mem"), 3, 0);
	assert_float_equal(reported_usage(fixture, usage, "iow"), 4, 0);
	assert_true(reported_usage(fixture, usage, "vmem") < 0);
	assert_true(reported_usage(fixture, usage, "submission_time") < 0);
	assert_float_equal(cpu_is(fixture), TAKE_USAGE_MOST, 0);	/* the last one that was reported */
	assert_int_equal(fixture->g.refused, 0);
}

/* A list with more names than are used. */
static void test_usage_with_too_many_names_is_cut(void **state)
{
	struct reported_fixture *fixture = *state;
	char texts[100][20];
	const char *names[100];
	const struct usage *usage;
	double values[100];

	start(fixture);
	for (int i = 0; i < 100; i++) {
		snprintf(texts[i], sizeof(texts[i]), "ru_%d", i);
		names[i] = texts[i];
		values[i] = 1;
	}
	next_delivery(fixture);
	forge_event(&forged, GDI_EV_JOB_USAGE, 17, 1, "", "");
	usage_write(&forged.w, names, values, 100);
	pe_task_event("1.sgehost", 5);
	forge_event(&forged, GDI_EV_JOB_USAGE, 17, 1, "", "");
	for (int i = 0; i < 100; i++)
		values[i] = 2;
	usage_write(&forged.w, names, values, 100);
	assert_int_equal(deliver(fixture), 0);
	usage = &reported_task(fixture, 17, 1)->usage;
	assert_int_equal(usage->n, 65);
	assert_float_equal(cpu_is(fixture), 5, 0);
	assert_float_equal(reported_usage(fixture, usage, "ru_62"), 2, 0);
	assert_float_equal(reported_usage(fixture, usage, "ru_63"), 1, 0);	/* the sum has no room for it */
	assert_true(reported_usage(fixture, usage, "ru_64") < 0);
}

/* Tasks */

static void test_a_task_with_another_start_time_was_put_back_in_between(void **state)
{
	struct reported_fixture *fixture = *state;

	start(fixture);
	assert_int_equal(reported_task(fixture, 17, 1)->start_time, 1699999500);
	next_delivery(fixture);
	forge_event(&forged, GDI_EV_JATASK_MOD, 17, 1, "", "");
	forge_one(&forged.w, VALUES(NUMBER(JAT_task_number, 1), NUMBER(JAT_status, 0x80), NUMBER(JAT_state, 0x80),
				    NUMBER(JAT_start_time, 1699999900),
				    LIST(JAT_scaled_usage_list, cpu_of(&lists[1], 7)),
				    LIST(JAT_granted_destin_identifier_list, granted_on(&lists[2], INSTANCE))));
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(reported_task(fixture, 17, 1)->start_time, 1699999900);
	assert_int_equal(fixture->g.refused, 0);
}

static void test_the_record_of_a_pending_task_is_deleted_with_the_task(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 2);
	next_delivery(fixture);
	task_event(GDI_EV_JATASK_ADD, 17, 1, 0, 0x840, 0, NULL);
	empty_event(GDI_EV_JATASK_DEL, 17, 1, "", "");
	empty_event(GDI_EV_JATASK_DEL, 99, 1, "", "");		/* of a job that is not known */
	assert_int_equal(deliver(fixture), 0);
	HEARD("removed 17.1\n");
	assert_null(strstr(heard, "removed 99.1\n"));
	assert_int_equal(ranges_count(&extra_of(fixture, 17)->waiting), 1);
	assert_true(ranges_contain(&extra_of(fixture, 17)->waiting, 2));
	assert_int_equal(fixture->g.refused, 0);
}

static void test_an_end_of_a_task_that_is_not_known_is_refused(void **state)
{
	struct reported_fixture *fixture = *state;

	start(fixture);
	next_delivery(fixture);
	empty_event(GDI_EV_JOB_FINAL_USAGE, 17, 5, "", "");
	empty_event(GDI_EV_JATASK_MOD, 17, 1, "", "");		/* without its element */
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(fixture->g.refused, 2);
	assert_non_null(reported_task(fixture, 17, 1));
}

/* Granted slots */

static void test_a_start_on_no_queue_instance_is_refused(void **state)
{
	static const char *const queues[] = { "all.q", "@sgehost", "all.q@", "" };
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	array_add(fixture, 17, 2);
	for (size_t i = 0; i < sizeof(queues) / sizeof(*queues); i++) {
		next_delivery(fixture);
		task_event(GDI_EV_JATASK_MOD, 17, 1, 0x200, 0x80, 0, granted_on(&lists[2], queues[i]));
		assert_int_equal(deliver(fixture), 0);
		assert_int_equal(fixture->g.refused, i + 1);
		assert_null(reported_task(fixture, 17, 1));
	}
	/* No other task of the job starts until a change of the job is understood. */
	assert_true(ranges_contain(&extra_of(fixture, 17)->sets[HOLD_SYSTEM], 2));
}

/* Jobs */

static const struct request_key *request_of(const struct reported_fixture *fixture, uint32_t number)
{
	const struct jobs *jobs = &reported_state(fixture)->jobs;

	return requests_key(&sched_mirror(fixture->f.sched)->requests, job_fact(jobs, jobs_find(jobs, number), category));
}

/* qalter -p also fixes the order in which urgencies are added. */
static void test_a_changed_priority_leaves_the_requests_unchanged(void **state)
{
	struct reported_fixture *fixture = *state;

	play_some(fixture, "c1-", 1);
	next_delivery(fixture);
	lists[1].n = 0;
	forge_one(&lists[1], VALUES(TEXT(CE_name, "h_rt"), TEXT(CE_stringval, "60")));
	forge_event(&forged, GDI_EV_JOB_ADD, 17, 0, "", "");
	forge_one(&forged.w, VALUES(NUMBER(JB_job_number, 17), TEXT(JB_owner, "ann"), NUMBER(JB_priority, 1024),
				    LIST(JB_hard_resource_list, &lists[1]),
				    LIST(JB_ja_n_h_ids, ranges_of(&lists[0], 1, 1, 1, 0, 0))));
	assert_int_equal(deliver(fixture), 0);
	assert_false(request_of(fixture, 17)->as_typed);
	next_delivery(fixture);
	forge_event(&forged, GDI_EV_JOB_MOD_SCHED_PRIORITY, 17, 0, "", "");
	forge_one(&forged.w, VALUES(NUMBER(JB_job_number, 17), NUMBER(JB_priority, 1024 - 100), NUMBER(JB_jobshare, 3),
				    NUMBER(JB_version, 8)));
	forge_event(&forged, GDI_EV_JOB_MOD, 0, 0, "", "");
	forge_one(&forged.w, VALUES(NUMBER(JB_job_number, 0)));		/* refused */
	assert_int_equal(deliver(fixture), 0);
	run(&fixture->f, NOW);
	assert_int_equal(row(&fixture->f, 17, 0).priority, -100);
	assert_string_equal(reported_text(fixture, request_of(fixture, 17)->hard), "h_rt=60");
	assert_true(request_of(fixture, 17)->as_typed);
	assert_int_equal(known_job(fixture->g.known, 17)->version, 8);
	assert_int_equal(fixture->g.refused, 1);
}

/* Objects of the cluster */

static const struct reported_host *host_of(const struct reported_fixture *fixture, const char *name)
{
	return reported_host_find(reported_state(fixture), strings_find(sched_mirror(fixture->f.sched)->strings, name));
}

static void test_deleted_instances_hosts_and_pes_are_forgotten(void **state)
{
	struct reported_fixture *fixture = *state;
	uint32_t version;
	char gone[100];

	play_some(fixture, "c1-", 1);
	next_delivery(fixture);
	forge_event(&forged, GDI_EV_PE_ADD, 0, 0, "mpi", "");
	forge_one(&forged.w, VALUES(TEXT(PE_name, "mpi"), NUMBER(PE_control_slaves, 1)));
	forge_event(&forged, GDI_EV_EXECHOST_ADD, 0, 0, "ada", "");
	lists[1].n = 0;
	forge_one(&lists[1], VALUES(TEXT(HL_name, "load_avg"), TEXT(HL_value, "0.5")));
	forge_one(&forged.w, VALUES(TEXT(EH_name, "ada"), LIST(EH_load_list, &lists[1])));
	assert_int_equal(deliver(fixture), 0);
	assert_true(known_pe_controls_slaves(fixture->g.known, "mpi"));
	assert_int_equal(host_of(fixture, "ada")->nload, 1);
	next_delivery(fixture);
	empty_event(GDI_EV_PE_DEL, 0, 0, "mpi", "");
	empty_event(GDI_EV_EXECHOST_DEL, 0, 0, "ada", "");
	empty_event(GDI_EV_EXECHOST_DEL, 0, 0, "", "");			/* refused */
	empty_event(GDI_EV_QINSTANCE_DEL, 0, 0, "all.q", "sgehost");
	empty_event(GDI_EV_QINSTANCE_DEL, 0, 0, "all.q", "sgehost");
	empty_event(GDI_EV_USER_DEL, 0, 0, "ann", "");
	empty_event(GDI_EV_PROJECT_DEL, 0, 0, "p1", "");
	empty_event(GDI_EV_NEW_SHARETREE, 0, 0, "", "");
	assert_int_equal(deliver(fixture), 0);
	assert_false(known_pe_controls_slaves(fixture->g.known, "mpi"));
	assert_true(!host_of(fixture, "ada") || host_of(fixture, "ada")->nload == 0);
	assert_int_equal(reported_state(fixture)->ninstances, 0);
	assert_false(known_instance_version(fixture->g.known, INSTANCE, &version));
	assert_false(known_user_version(fixture->g.known, "ann", &version));
	assert_true(known_user_version(fixture->g.known, "bob", &version));
	snprintf(gone, sizeof(gone), "gone %d ann\ngone %d p1\n", GDI_EV_USER_DEL, GDI_EV_PROJECT_DEL);
	HEARD(gone);
	assert_int_equal(fixture->g.refused, 1);
}

static void instance_event(const char *queue, const char *host, uint32_t slots, const struct gdi_writer *changes)
{
	forge_event(&forged, GDI_EV_QINSTANCE_MOD, 0, 0, queue, host);
	forge_one(&forged.w,
		  VALUES(TEXT(QU_qname, queue), TEXT(QU_qhostname, host), NUMBER(QU_job_slots, slots),
			 NUMBER(QU_version, 9), LIST(QU_state_changes, changes)));
}

static const struct gdi_writer *changes_of(struct gdi_writer *writer, const uint32_t changes[][2], size_t n)
{
	size_t list;

	writer->n = 0;
	list = forge_list(writer, VALUES(NUMBER(CQU_state, 0), NUMBER(CQU_until, 0)));
	for (size_t i = 0; i < n; i++)
		forge_element(writer, list, VALUES(NUMBER(CQU_state, changes[i][0]), NUMBER(CQU_until, changes[i][1])));
	gdi_list_end(writer, list);
	return writer;
}

/* The times of a calendar ascend until one is for ever. */
static void test_future_states_end_where_their_times_do_not_ascend(void **state)
{
	static const uint32_t changes[][2] = { { 0x20000, 1000 }, { 0x40000, 2000 }, { 0, 3000 }, { 0x20000, 3000 } };
	static const uint32_t forever[][2] = { { 0x20000, 1000 }, { 0, 0 }, { 0x20000, 5000 } };
	struct reported_fixture *fixture = *state;
	const struct instance *instance;

	play_some(fixture, "c1-", 1);
	next_delivery(fixture);
	instance_event("all.q", "sgehost", 7, changes_of(&lists[0], changes, 4));
	assert_int_equal(deliver(fixture), 0);
	instance = &reported_state(fixture)->instances[0];
	assert_int_equal(instance->nchanges, 3);
	assert_true(instance->changes[0].state == CALENDAR_OFF && instance->changes[1].state == CALENDAR_SUSPENDED &&
		    instance->changes[2].state == CALENDAR_UNSAID && instance->changes[2].until == 3000);
	next_delivery(fixture);
	instance_event("all.q", "sgehost", 7, &lists[0]);		/* unchanged */
	instance_event("all.q", "sgehost", 7, changes_of(&lists[1], forever, 3));
	assert_int_equal(deliver(fixture), 0);
	instance = &reported_state(fixture)->instances[0];
	assert_int_equal(instance->nchanges, 2);
	assert_int_equal(instance->changes[1].until, CALENDAR_FOREVER);
	assert_int_equal(fixture->g.refused, 0);
}

static void test_a_queue_instance_without_a_valid_name_is_refused(void **state)
{
	static const char *const names[][2] = { { "", "ada" }, { "q", "" }, { "q@r", "ada" }, { "q\001", "ada" } };
	struct reported_fixture *fixture = *state;
	size_t before;

	play_some(fixture, "c1-", 1);
	before = reported_state(fixture)->ninstances;
	next_delivery(fixture);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		instance_event(names[i][0], names[i][1], 7, NULL);
	empty_event(GDI_EV_QINSTANCE_DEL, 0, 0, "", "");
	empty_event(GDI_EV_QINSTANCE_SOS, 0, 0, "", "");
	instance_event("b.q", "sgehost", UINT32_MAX, NULL);
	assert_int_equal(deliver(fixture), 0);
	assert_int_equal(fixture->g.refused, 6);
	assert_int_equal(reported_state(fixture)->ninstances, before + 1);
	assert_int_equal(reported_state(fixture)->instances[before].slots, UINT32_MAX - 1);
}

/* Texts that are only shown */

static void test_a_name_that_cannot_be_printed_is_shown_with_question_marks(void **state)
{
	struct reported_fixture *fixture = *state;
	const struct advance_reservation *reservation;

	play_some(fixture, "c1-", 1);
	granted_on(&lists[2], INSTANCE);
	next_delivery(fixture);
	forge_event(&forged, GDI_EV_AR_ADD, 3, 0, "", "");
	forge_one(&forged.w, VALUES(NUMBER(AR_id, 3), TEXT(AR_name, "a\tb\001c\377"), TEXT(AR_owner, "ann"),
				    NUMBER(AR_state, 1), NUMBER(AR_start_time, 1800000000),
				    NUMBER(AR_end_time, 1800003600), LIST(AR_granted_slots, &lists[2])));
	assert_int_equal(deliver(fixture), 0);
	reservation = reported_advance(fixture, 3);
	assert_non_null(reservation);
	assert_string_equal(reported_text(fixture, reservation->name), "a?b?c?");
	assert_int_equal(fixture->g.refused, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPORTED_TEST(test_usage_of_a_deleted_pe_task_counts_no_longer),
		REPORTED_TEST(test_usage_is_limited_and_values_that_are_none_are_ignored),
		REPORTED_TEST(test_usage_with_too_many_names_is_cut),
		REPORTED_TEST(test_a_task_with_another_start_time_was_put_back_in_between),
		REPORTED_TEST(test_the_record_of_a_pending_task_is_deleted_with_the_task),
		REPORTED_TEST(test_an_end_of_a_task_that_is_not_known_is_refused),
		REPORTED_TEST(test_a_start_on_no_queue_instance_is_refused),
		REPORTED_TEST(test_a_changed_priority_leaves_the_requests_unchanged),
		REPORTED_TEST(test_deleted_instances_hosts_and_pes_are_forgotten),
		REPORTED_TEST(test_future_states_end_where_their_times_do_not_ascend),
		REPORTED_TEST(test_a_queue_instance_without_a_valid_name_is_refused),
		REPORTED_TEST(test_a_name_that_cannot_be_printed_is_shown_with_question_marks),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	forged_free();
	return failed;
}
