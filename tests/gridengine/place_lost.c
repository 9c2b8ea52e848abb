/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler role is doubted, lost or kept, and given up at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/gridengine/played.h"

static const struct gridengine_options again = { .again = true };

static void test_a_thread_that_starts_with_the_qmaster_is_noticed_soon(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	assert_true(place_due_ns(sge) <= t.now_ns + S);
	wait_for_question();
	has_the_place(&builtin);
	assert_true(t.disowned);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_false(t.dispatches);
	place_end(sge);
}

/* The same while an operator waits for the role: the thread is stopped, as if it had been there. */
static void test_a_thread_that_starts_with_the_qmaster_does_not_undo_an_attach(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	place_attach(sge);
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	wait_for_question();
	has_the_place(&builtin);
	assert_true(t.disowned);
	assert_string_equal(t.actions, "stop ");
	assert_int_equal(shown().done, 0);
	trigger_answer(GDI_INFO, "scheduler thread terminated");
	wait_for_question();
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(sge), PLACE_OURS);
	updated();
	assert_int_equal(shown().done, 1);
	wait_for_question();
	has_the_place(&builtin);		/* later, it is not */
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_string_equal(t.actions, "");
	place_end(sge);
}

static void test_orders_stop_at_the_first_doubt(void **unused)
{
	struct sge *sge = ours(plain);
	unsigned stops = t.stops;

	(void)unused;
	posted(POST_SILENCE, 0, "no delivery");
	assert_int_equal(place_state(sge), PLACE_DOUBTFUL);
	assert_false(place_is_ours(sge));
	assert_int_equal(t.stops, stops + 1);
	assert_false(t.dispatches);
	assert_false(t.disowned);
	has_the_place(&builtin);
	assert_true(t.disowned);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_OBSERVER);	/* the role is not taken back */
	place_end(sge);
}

static void test_a_silence_ends_when_the_role_is_still_ours(void **unused)
{
	struct sge *sge = ours(plain);
	const struct client we = us();

	(void)unused;
	posted(POST_SILENCE, 0, "no delivery");
	has_the_place(&we);
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_int_equal(t.roles, 1);
	assert_false(t.disowned);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(sge), PLACE_OURS);
	place_end(sge);
}

/*
 * Deliveries have arrived all the time: the registration is valid, and the post does not repeat it.
 */
static void test_a_doubt_is_over_with_an_answer_that_came_late(void **unused)
{
	struct sge *sge = begin(plain);
	const struct client we = us();
	unsigned roles;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	updated();
	roles = t.roles;
	wait_for_question();
	wait_for_question();
	assert_int_equal(place_state(sge), PLACE_DOUBTFUL);
	assert_false(t.dispatches);
	has_the_place(&we);
	assert_int_equal(place_state(sge), PLACE_OURS);
	assert_true(t.dispatches);
	assert_int_equal(t.roles, roles);
	place_event(sge, GDI_EV_ACK_TIMEOUT);
	assert_int_equal(place_state(sge), PLACE_DOUBTFUL);
	place_hand_back(sge);
	has_the_place(&we);
	assert_int_equal(place_state(sge), PLACE_HANDING_BACK);
	place_end(sge);
}

static void test_the_option_again_retakes_the_role_at_intervals(void **unused)
{
	struct sge *sge = ours(again);
	uint64_t lost;

	(void)unused;
	pass(100 * S);
	posted(POST_SILENCE, 0, "no delivery");
	has_the_place(&builtin);
	assert_string_equal(t.actions, "stop ");
	trigger_answer(GDI_INFO, "scheduler thread terminated");
	wait_for_question();
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(sge), PLACE_OURS);
	posted(POST_SILENCE, 0, "no delivery");
	lost = t.now_ns;
	has_the_place(&builtin);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	while (t.said != SAID_TRIGGER) {
		wait_for_question();
		has_the_place(&builtin);
	}
	assert_true(t.now_ns - lost >= 60 * S);
	place_end(sge);
}

static void test_after_a_lost_connection_the_role_is_taken_only_when_it_is_empty(void **unused)
{
	struct sge *sge = ours(plain);
	struct client before = us();

	(void)unused;
	before.connection = CONNECTION - 1;
	posted(POST_LOST, 0, "closed");
	assert_int_equal(place_state(sge), PLACE_DOUBTFUL);
	posted(POST_CONNECTED, 0, "another");
	assert_int_equal(t.roles, 0);
	has_the_place(&before);		/* the scheduler was this process */
	assert_int_equal(t.role, POST_SCHEDULER);
	posted(POST_REGISTERED, 1, "");
	posted(POST_LOST, 0, "closed");
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	place_end(sge);
}

static void test_an_answer_that_was_lost_is_not_waited_for(void **unused)
{
	struct sge *sge = begin(plain);
	struct post_record lost = { .kind = POST_ANSWER };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	lost.number = t.number;
	assert_true(place_answered(sge, &lost));
	assert_false(place_answered(sge, &lost));
	posted(POST_LOST, 0, "closed");
	assert_true(place_due_ns(sge) == UINT64_MAX);
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_int_equal(place_state(sge), PLACE_TAKING);
	place_end(sge);
}

static void test_a_missing_answer_is_requested_again(void **unused)
{
	struct sge *sge = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	wait_for_question();
	assert_non_null(strstr(shown().reason, "not answered"));
	has_the_place(NULL);
	assert_int_equal(place_state(sge), PLACE_TAKING);
	place_end(sge);
}

/* A usage order of a scheduler that was displaced without notice makes the next one lose usage. */
static void test_usage_is_sent_only_after_an_answer_that_proves_the_role(void **unused)
{
	struct sge *sge = ours(plain);
	const struct client we = us();
	uint64_t number = t.number;

	(void)unused;
	assert_false(place_is_proven(sge));
	assert_false(place_is_proven(sge));
	assert_int_equal(t.number, number + 1);		/* only a single question at a time */
	has_the_place(&we);
	assert_true(place_is_proven(sge));
	assert_int_equal(place_state(sge), PLACE_OURS);
	t.now_ns += S;					/* a run took place, or the machine was busy */
	assert_false(place_is_proven(sge));
	assert_int_equal(t.number, number + 2);
	has_the_place(&builtin);
	assert_false(place_is_proven(sge));
	assert_true(t.disowned);
	assert_int_equal(place_state(sge), PLACE_WATCHING);
	place_end(sge);
}

static void test_without_an_answer_that_proves_the_role_the_next_run_asks_again(void **unused)
{
	struct sge *sge = ours(plain);
	const struct client we = us();
	uint64_t number = t.number;

	(void)unused;
	assert_false(place_is_proven(sge));
	has_the_place(NULL);
	assert_false(place_is_proven(sge));
	assert_int_equal(t.number, number + 1);
	place_ran(sge);
	assert_false(place_is_proven(sge));
	assert_int_equal(t.number, number + 2);
	has_the_place(&we);
	assert_true(place_is_proven(sge));
	posted(POST_LOST, 0, "closed");
	assert_false(place_is_proven(sge));
	place_end(sge);
}

static void test_the_scheduler_ends_on_a_shutdown_event_of_the_qmaster(void **unused)
{
	struct sge *sge = ours(plain);

	(void)unused;
	place_event(sge, GDI_EV_SCHEDDMONITOR);
	assert_int_equal(t.hurries, 1);
	assert_false(t.ends);
	place_event(sge, GDI_EV_SHUTDOWN);
	assert_true(t.ends);
	place_end(sge);
}

static bool ends_with(const struct client *who)
{
	struct gdi_writer writer = { 0 };
	struct post_record record = { .kind = POST_ANSWER };
	uint64_t number = place_last_question(&t.g);

	assert_int_equal(number, t.number);
	assert_false(place_last_answer(&t.g, number, &record));
	question_answer(&writer, true, who, 1);
	record = (struct post_record){ .kind = POST_ANSWER, .number = number, .bytes = writer.bytes, .n = writer.n };
	assert_true(place_last_answer(&t.g, number, &record));
	gdi_writer_free(&writer);
	return t.disowned;
}

static void test_at_the_end_only_our_own_role_is_given_up(void **unused)
{
	struct sge *sge = ours(plain);
	const struct client we = us();

	(void)unused;
	assert_false(ends_with(&we));
	assert_true(ends_with(&builtin));
	place_end(sge);
	sge = ours(plain);
	posted(POST_SILENCE, 0, "no delivery");
	assert_int_equal(place_last_question(sge), 0);	/* in doubt as well */
	assert_true(t.disowned);
	place_end(sge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thread_that_starts_with_the_qmaster_is_noticed_soon),
		cmocka_unit_test(test_a_thread_that_starts_with_the_qmaster_does_not_undo_an_attach),
		cmocka_unit_test(test_orders_stop_at_the_first_doubt),
		cmocka_unit_test(test_a_silence_ends_when_the_role_is_still_ours),
		cmocka_unit_test(test_a_doubt_is_over_with_an_answer_that_came_late),
		cmocka_unit_test(test_the_option_again_retakes_the_role_at_intervals),
		cmocka_unit_test(test_after_a_lost_connection_the_role_is_taken_only_when_it_is_empty),
		cmocka_unit_test(test_an_answer_that_was_lost_is_not_waited_for),
		cmocka_unit_test(test_a_missing_answer_is_requested_again),
		cmocka_unit_test(test_usage_is_sent_only_after_an_answer_that_proves_the_role),
		cmocka_unit_test(test_without_an_answer_that_proves_the_role_the_next_run_asks_again),
		cmocka_unit_test(test_the_scheduler_ends_on_a_shutdown_event_of_the_qmaster),
		cmocka_unit_test(test_at_the_end_only_our_own_role_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
