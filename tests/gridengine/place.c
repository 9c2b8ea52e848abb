/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler role is taken or left to its owner, and deliveries come as configured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/gridengine/played.h"

static const struct client other = { "fairlead.99", "elsewhere", "fairlead", 1, 40, QMASTER_DATE, 0 };
static const struct gridengine_options standby = { .standby = true }, shadow = { .shadow = true };

/* Taking it */

static void test_an_empty_role_is_taken(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	posted(POST_CONNECTED, 0, "qmaster");
	assert_int_equal(t.role, POST_NONE);	/* no scheduler is displaced before the current one is known */
	has_the_place(NULL);
	assert_int_equal(place_state(sge), PLACE_TAKING);
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_false(t.dispatches);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(sge), PLACE_OURS);
	assert_true(t.dispatches);
	assert_true(shown().us);
	place_end(sge);
}

static void test_a_living_scheduler_is_not_displaced(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	assert_false(t.dispatches);
	assert_true(shown().builtin && shown().living);
	assert_string_equal(shown().reason, "the built-in scheduler has the scheduler role");
	posted(POST_REGISTERED, 11, "");
	pass(4 * S);
	has_the_place(&builtin);
	wait_for_question();
	has_the_place(NULL);		/* a role that becomes empty later is not taken either */
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	place_end(sge);
}

static void test_a_thread_that_was_just_stopped_is_asked_again(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	wait_for_question();
	has_the_place(&builtin);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(place_state(sge), PLACE_TAKING);
	place_end(sge);
}

static void test_a_user_without_manager_rights_does_not_take_the_role(void **unused)
{
	struct sge *sge = begin(plain);
	struct gdi_writer writer = { 0 };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	question_answer(&writer, false, NULL, 0);
	answer_bytes(&writer);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_non_null(strstr(shown().reason, "not a manager"));
	place_end(sge);
}

static void test_a_living_scheduler_of_another_host_is_recognized_by_its_counters(void **unused)
{
	struct sge *sge = begin(plain);
	struct client lives = other;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&lives);
	assert_non_null(strstr(shown().reason, "whether"));
	wait_for_question();
	has_the_place(&lives);
	lives.heard += 2;
	wait_for_question();
	has_the_place(&lives);
	assert_string_equal(shown().reason, "fairlead.99 on elsewhere has the scheduler role");
	assert_int_equal(t.role, POST_OBSERVER);
	place_end(sge);
}

static void test_a_dead_one_of_another_host_is_replaced_after_two_deliveries(void **unused)
{
	struct sge *sge = begin(plain);
	uint64_t began;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	began = t.now_ns;
	has_the_place(&other);
	while (place_state(sge) != PLACE_TAKING) {
		assert_true(t.now_ns - began < 40 * S);
		wait_for_question();
		has_the_place(&other);
	}
	assert_true(t.now_ns - began > 35 * S);
	place_end(sge);
}

static void test_a_dead_one_of_this_host_is_replaced_at_once(void **unused)
{
	struct sge *sge = begin(plain);
	const struct client dead = { "fairlead.2147483646", "ours", "fairlead", 1, 40, QMASTER_DATE, 1 };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&dead);
	assert_int_equal(place_state(sge), PLACE_TAKING);
	place_end(sge);
}

static void test_a_clock_of_another_scheduler_proves_that_one_is_dead(void **unused)
{
	struct sge *sge = begin(plain);
	const struct client both[] = { other, { "qevent", "third", "qevent", 11, 41, QMASTER_DATE + 36, 0 } };
	struct gdi_writer writer = { 0 };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	question_answer(&writer, true, both, 2);
	answer_bytes(&writer);
	assert_int_equal(place_state(sge), PLACE_TAKING);
	place_end(sge);
}

static void test_attach_stops_the_built_in_thread_and_waits_for_its_end(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_attach(sge);
	assert_int_equal(shown().asked, 1);
	assert_int_equal(shown().done, 0);
	has_the_place(&builtin);
	assert_string_equal(t.actions, "stop ");
	trigger_answer(GDI_INFO, "scheduler thread terminated");
	wait_for_question();
	has_the_place(&builtin);	/* noticed a moment later */
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_SCHEDULER);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(shown().done, 0);
	t.g.updated = true;
	assert_int_equal(shown().done, 1);	/* shown by the run that begins now */
	place_end(sge);
}

static void test_a_built_in_thread_that_does_not_stop_keeps_the_role(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_attach(sge);
	has_the_place(&builtin);
	trigger_answer(GDI_ERROR, "denied");
	while (shown().done == 0) {
		wait_for_question();
		has_the_place(&builtin);
	}
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_non_null(strstr(shown().reason, "cannot be stopped: denied"));
	place_end(sge);
}

static void test_attach_does_not_displace_another_one(void **unused)
{
	struct sge *sge = begin(plain);
	struct client lives = other;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&lives);
	place_attach(sge);
	lives.heard++;
	has_the_place(&lives);
	assert_int_equal(shown().done, 1);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_string_equal(shown().reason, "fairlead.99 on elsewhere has the scheduler role");
	place_end(sge);
}

static void test_a_refused_registration_restarts_the_built_in_thread(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_attach(sge);
	has_the_place(&builtin);
	trigger_answer(GDI_INFO, "scheduler thread terminated");
	wait_for_question();
	has_the_place(NULL);
	posted(POST_REFUSED, 0, "only a manager can");
	assert_string_equal(t.actions, "stop start ");
	place_end(sge);
}

static void test_standby_takes_an_empty_role(void **unused)
{
	struct sge *sge = begin(standby);
	struct client lives = other;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	for (int i = 0; i < 10; i++) {
		wait_for_question();
		lives.heard += 15;
		has_the_place(&lives);
	}
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_SCHEDULER);
	place_end(sge);
}

static void test_a_shadow_takes_the_role_only_on_request(void **unused)
{
	struct sge *sge = begin(shadow);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_int_equal(t.role, POST_OBSERVER);
	assert_true(place_is_shadow(sge));
	place_attach(sge);
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	assert_false(place_is_shadow(sge));
	place_end(sge);
}

/* Configuration */

static void test_the_rhythm_of_deliveries_is_the_configured_one(void **unused)
{
	struct sge *sge = ours(plain);

	(void)unused;
	place_ran(sge);
	assert_int_equal(t.roles, 0);
	t.configuration.sched =
		(struct sched_conf){ .schedule_interval = 3, .flush_submit_sec = 1, .flush_finish_sec = 4 };
	place_ran(sge);
	assert_int_equal(t.roles, 1);
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_int_equal(t.subscription.d_time, 3);
	assert_int_equal(t.subscription.flush_submit, 0);
	assert_int_equal(t.subscription.flush_finish, 3);
	t.configuration.sched = (struct sched_conf){ .schedule_interval = 1000 };
	place_ran(sge);
	assert_int_equal(t.subscription.d_time, 595);
	assert_true(t.subscription.flush_submit == UINT32_MAX);
	place_end(sge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_role_is_taken),
		cmocka_unit_test(test_a_living_scheduler_is_not_displaced),
		cmocka_unit_test(test_a_thread_that_was_just_stopped_is_asked_again),
		cmocka_unit_test(test_a_user_without_manager_rights_does_not_take_the_role),
		cmocka_unit_test(test_a_living_scheduler_of_another_host_is_recognized_by_its_counters),
		cmocka_unit_test(test_a_dead_one_of_another_host_is_replaced_after_two_deliveries),
		cmocka_unit_test(test_a_dead_one_of_this_host_is_replaced_at_once),
		cmocka_unit_test(test_a_clock_of_another_scheduler_proves_that_one_is_dead),
		cmocka_unit_test(test_attach_stops_the_built_in_thread_and_waits_for_its_end),
		cmocka_unit_test(test_a_built_in_thread_that_does_not_stop_keeps_the_role),
		cmocka_unit_test(test_attach_does_not_displace_another_one),
		cmocka_unit_test(test_a_refused_registration_restarts_the_built_in_thread),
		cmocka_unit_test(test_standby_takes_an_empty_role),
		cmocka_unit_test(test_a_shadow_takes_the_role_only_on_request),
		cmocka_unit_test(test_the_rhythm_of_deliveries_is_the_configured_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
