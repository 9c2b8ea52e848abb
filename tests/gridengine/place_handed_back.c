/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler role is handed back to a built-in thread that has made a run since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/gridengine/played.h"

static void test_the_role_is_handed_back_after_settling_and_a_run_of_the_other_scheduler(void **unused)
{
	struct sge *sge = ours(plain);
	const struct client we = us();
	struct client starts = builtin;

	(void)unused;
	place_hand_back(sge);
	assert_int_equal(place_state(sge), PLACE_HANDING_BACK);
	assert_false(t.dispatches);
	pass(S);
	assert_int_equal(t.roles, 0);
	t.settled = true;
	pass(S);
	assert_int_equal(t.role, POST_NONE);
	has_the_place(&we);		/* not noticed yet */
	wait_for_question();
	has_the_place(NULL);
	assert_string_equal(t.actions, "stop start ");	/* the thread may be idle and displaced */
	trigger_answer(GDI_INFO, "scheduler has been started");
	starts.busy = 1;
	has_the_place(&starts);
	assert_int_equal(shown().done, 0);
	wait_for_question();
	has_the_place(&builtin);
	assert_int_equal(shown().done, 1);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_OBSERVER);	/* not even a standby takes it now */
	place_end(sge);
}

static void test_an_unsettled_scheduler_does_not_hand_back(void **unused)
{
	struct sge *sge = ours(plain);

	(void)unused;
	place_hand_back(sge);
	pass(59 * S);
	assert_int_equal(place_state(sge), PLACE_HANDING_BACK);
	pass(2 * S);
	assert_int_equal(place_state(sge), PLACE_OURS);
	assert_int_equal(t.resumes, 1);
	assert_true(t.dispatches);
	assert_int_equal(shown().done, 1);
	assert_non_null(strstr(shown().reason, "not handed back"));
	place_end(sge);
}

static void test_a_cell_is_not_left_without_a_scheduler(void **unused)
{
	struct sge *sge = ours(plain);

	(void)unused;
	t.settled = true;
	place_hand_back(sge);
	pass(S);
	has_the_place(NULL);
	trigger_answer(GDI_ERROR, "no thread");
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_int_equal(shown().done, 1);
	assert_non_null(strstr(shown().reason, "cannot be started: no thread"));
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(sge), PLACE_OURS);
	place_end(sge);
}

static void test_a_connection_lost_while_settling_keeps_the_role(void **unused)
{
	struct sge *sge = ours(plain);
	struct client before = us();

	(void)unused;
	before.connection = CONNECTION - 1;
	place_hand_back(sge);
	posted(POST_LOST, 0, "closed");
	assert_int_equal(shown().done, 1);
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&before);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(sge), PLACE_OURS);
	place_end(sge);
}

static void test_a_connection_lost_after_the_hand_back_changes_no_state(void **unused)
{
	struct sge *sge = ours(plain);

	(void)unused;
	t.settled = true;
	place_hand_back(sge);
	pass(S);
	posted(POST_LOST, 0, "closed");
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_string_equal(t.actions, "stop start ");
	place_end(sge);
}

static void test_a_scheduler_without_the_role_hands_back_nothing(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_hand_back(sge);
	has_the_place(&builtin);
	assert_int_equal(shown().done, 1);
	assert_int_equal(t.role, POST_OBSERVER);
	place_end(sge);
}

static void test_handing_back_an_empty_role_starts_the_built_in_thread(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	pass(10 * S);
	has_the_place(&builtin);
	place_hand_back(sge);
	has_the_place(NULL);
	assert_string_equal(t.actions, "stop start ");
	trigger_answer(GDI_INFO, "scheduler has been started");
	has_the_place(&builtin);
	assert_int_equal(shown().done, 1);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	place_end(sge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_role_is_handed_back_after_settling_and_a_run_of_the_other_scheduler),
		cmocka_unit_test(test_an_unsettled_scheduler_does_not_hand_back),
		cmocka_unit_test(test_a_cell_is_not_left_without_a_scheduler),
		cmocka_unit_test(test_a_connection_lost_while_settling_keeps_the_role),
		cmocka_unit_test(test_a_connection_lost_after_the_hand_back_changes_no_state),
		cmocka_unit_test(test_a_scheduler_without_the_role_hands_back_nothing),
		cmocka_unit_test(test_handing_back_an_empty_role_starts_the_built_in_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
