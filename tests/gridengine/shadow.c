/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shadow decides again in each run about the reported state. Reports of starts are held back
 * until their runs are audited. Calls to the mirror are recorded (--wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sched/qmaster/gdi/registration.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/shadow_inside.h"
#include "tests/dispatch/cell.h"
#include "tests/gridengine/forge.h"

#define RUNS_MOST 20

/* Forged deliveries */

static struct held {
	struct sge g;
	struct intake intake;
	struct gridengine_options options;
	struct forge forge;
	struct gdi_writer granted;
	struct post_record record;
	int64_t runs[RUNS_MOST];	/* times of the computed runs */
	size_t nruns;
	char reported[200];			/* "<3 all": deliveries, up to which event */
	unsigned freed;
} h;

void __wrap_sge_deliver(struct sge *sge, const struct post_record *record, uint32_t below);
void __wrap_post_record_free(struct post *post, struct post_record *record);

void __wrap_sge_deliver(struct sge *sge, const struct post_record *record, uint32_t below)
{
	size_t n = strlen(h.reported);

	(void)sge;
	(void)record;
	snprintf(h.reported + n, sizeof(h.reported) - n, below < UINT32_MAX ? "%s<%u" : "%sall", n ? " " : "", (unsigned)below);
}

void __wrap_post_record_free(struct post *post, struct post_record *record)
{
	(void)post;
	(void)record;
	h.freed++;
}

static int run_noted(void *context, int64_t now, struct error *error)
{
	(void)context;
	(void)error;
	if (h.nruns == RUNS_MOST)
		fail_msg("run after run, the last at %lld", (long long)now);
	h.runs[h.nruns++] = now;
	return 0;
}

/* Write a task event, on that queue instance since that time; NULL: the task waits. */
static void task_event(enum gdi_event type, uint32_t job, const char *queue, uint32_t start_time)
{
	struct forge_value values[] = {
		{ .field = JAT_task_number, .number = 1 },
		{ .field = JAT_status, .number = queue ? KNOWN_TRANSFERRING : KNOWN_IDLE },
		{ .field = JAT_start_time, .number = start_time },
		{ .field = JAT_granted_destin_identifier_list, .list = queue ? &h.granted : NULL },
	};

	h.granted.n = 0;
	if (queue)
		forge_one(&h.granted,
			  (struct forge_value[]){ { .field = JG_qname, .text = queue },
						  { .field = JG_slots, .number = 1 } },
			  2);
	forge_event(&h.forge, type, job, 1, "", "");
	forge_one(&h.forge.w, values, sizeof(values) / sizeof(*values));
}

static void keep(void)
{
	struct gdi_delivery delivery;
	struct error error;

	forge_end(&h.forge);
	assert_int_equal(gdi_delivery_check(h.forge.w.bytes, h.forge.w.n, &delivery, &error), 0);
	h.record = (struct post_record){ .kind = POST_DELIVERY, .bytes = h.forge.w.bytes, .n = h.forge.w.n };
	assert_true(shadow_keeps(&h.g, &h.record));
}

/* Conclude without an answer of the qmaster: held reports are audited without numbers. */
static void conclude_held(void)
{
	h.g.shadow->ask_again_ns = UINT64_MAX;
	h.g.shadow->due_ns = 0;
	shadow_turn(&h.g);
}

static int held_setup(void **state)
{
	struct fixture *fixture;
	struct error error;

	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	h = (struct held){ .options = { .shadow = true }, .intake = { .run = run_noted } };
	h.g = (struct sge){ .sched = fixture->sched,
			    .intake = &h.intake,
			    .options = &h.options,
			    .known = known_create(),
			    .updated = true };
	return !h.g.known || place_begin(&h.g, &error) || shadow_open(&h.g, &error) ? -1 : 0;
}

static int held_teardown(void **state)
{
	shadow_close(&h.g);
	place_end(&h.g);
	known_destroy(h.g.known);
	gdi_writer_free(&h.forge.w);
	gdi_writer_free(&h.granted);
	return teardown(state);
}

static void test_a_start_of_a_shadow_run_waits_in_the_next_run(void **state)
{
	struct fixture *fixture = *state;
	struct intake intake = { .mirror = sched_mirror(fixture->sched), .orders = sched_orders(fixture->sched) };
	struct shadow shadow = { 0 };
	struct sge sge = { .sched = fixture->sched, .intake = &intake, .shadow = &shadow };
	struct fl_health health;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	for (int k = 0; k < 3; k++) {
		run(fixture, NOW + k);
		assert_int_equal(fl_health(fixture->view, &health), 0);
		assert_int_equal(health.starts, 2);
		shadow_ran(&sge);
		assert_null(orders_after(intake.orders, 0));
	}
}

/* Enrolment belongs to a start: the run decided on the state before it. */
static void test_starts_of_two_runs_are_audited_one_after_the_other(void **state)
{
	(void)state;
	forge_begin(&h.forge, 50);
	task_event(GDI_EV_JATASK_ADD, 18, NULL, 0);
	task_event(GDI_EV_JATASK_MOD, 18, "all.q@ada", NOW);
	task_event(GDI_EV_JATASK_ADD, 19, NULL, 0);
	task_event(GDI_EV_JATASK_MOD, 19, "all.q@bly", NOW + 2);
	keep();
	conclude_held();
	assert_int_equal(h.nruns, 2);
	assert_int_equal(h.runs[0], NOW);
	assert_int_equal(h.runs[1], NOW + 2);
	assert_string_equal(h.reported, "<50 <52 all");
}

static void test_a_task_that_was_put_back_and_starts_again_is_of_the_next_run(void **state)
{
	(void)state;
	forge_begin(&h.forge, 50);
	task_event(GDI_EV_JATASK_ADD, 19, NULL, 0);
	task_event(GDI_EV_JATASK_MOD, 19, "all.q@ada", NOW);
	task_event(GDI_EV_JATASK_MOD, 19, NULL, 0);
	task_event(GDI_EV_JATASK_MOD, 19, "all.q@bly", NOW + 2);
	keep();
	conclude_held();
	assert_int_equal(h.nruns, 2);
	assert_int_equal(h.runs[1], NOW + 2);
	assert_string_equal(h.reported, "<50 <53 all");
	assert_int_equal(h.freed, 1);
}

/* Tasks that are held or in error have a record before they start. */
static void test_a_task_enrolled_before_another_starts_begins_with_its_own_start(void **state)
{
	(void)state;
	forge_begin(&h.forge, 50);
	task_event(GDI_EV_JATASK_MOD, 17, "all.q@ada", NOW);
	task_event(GDI_EV_JATASK_ADD, 19, NULL, 0);
	task_event(GDI_EV_JATASK_MOD, 18, "all.q@ada", NOW);
	task_event(GDI_EV_JATASK_MOD, 19, "all.q@bly", NOW + 2);
	keep();
	conclude_held();
	assert_int_equal(h.nruns, 2);
	assert_string_equal(h.reported, "<50 <53 all");
}

/* No message of a qmaster can cause a run to be audited repeatedly. */
static void test_events_that_have_all_the_same_number_are_one_run(void **state)
{
	(void)state;
	forge_begin(&h.forge, 50);
	task_event(GDI_EV_JATASK_MOD, 18, "all.q@ada", NOW);
	h.forge.number = 50;
	task_event(GDI_EV_JATASK_MOD, 19, "all.q@bly", NOW + 2);
	keep();
	conclude_held();
	assert_int_equal(h.nruns, 1);
	assert_string_equal(h.reported, "<50 all");
}

#define HELD_TEST(name) cmocka_unit_test_setup_teardown(name, held_setup, held_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_start_of_a_shadow_run_waits_in_the_next_run),
		HELD_TEST(test_starts_of_two_runs_are_audited_one_after_the_other),
		HELD_TEST(test_a_task_that_was_put_back_and_starts_again_is_of_the_next_run),
		HELD_TEST(test_a_task_enrolled_before_another_starts_begins_with_its_own_start),
		HELD_TEST(test_events_that_have_all_the_same_number_are_one_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
