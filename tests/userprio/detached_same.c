/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of a run of algorithm userprio that a detached scheduler gets in a shorter form than the
 * live one had.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/run/detached.h"
#include "tests/userprio/pool.h"

static const char config[] =
	"UID_DOMAIN = pool\nNEGOTIATOR_INTERVAL = 60\nNEGOTIATOR_MIN_INTERVAL = 0\nNEGOTIATOR_CYCLE_DELAY = 0\nPRIORITY_HALFLIFE = 3600\n"
	"PREEMPTION_REQUIREMENTS = True\nMAXJOBRETIREMENTTIME = 0\n";

static void show(FILE *out, const struct fl_view *view)
{
	struct fl_submitter submitter;
	struct fl_customer customer;

	for (size_t k = 0; fl_submitter(view, k, &submitter) == 0; k++)
		fprintf(out, "submitter %s idle %u running %u share %a\n", submitter.name, submitter.idle, submitter.running, submitter.share);
	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++)
		fprintf(out, "customer %s %u %a\n", customer.name, customer.used, customer.rup);
}

static void pool_make(struct fixture *fixture, unsigned slots)
{
	put(fixture, "condor_config", config);
	reload(fixture);
	slots_add(fixture, slots);
}

/*
 * Return the results of the cycle at `now`, which a second run repeats. The caller frees the text.
 */
static char *cycle_twice(struct fixture *fixture, int64_t now)
{
	uint64_t after = sched_orders(fixture->sched)->last;
	char *once, *again;

	run(fixture, now);
	once = shown(fixture->view, show, sched_orders(fixture->sched), after);
	again = shown_again(fixture, show, after, NULL);
	assert_string_equal(once, again);
	free(again);
	return once;
}

static void test_a_deleted_submitter_with_a_slot_being_vacated_was_hidden(void **state)
{
	static const struct customer_edit bad = { EDIT_FACTOR, 1e6, 0 }, deletion = { EDIT_DELETE, 0, 0 };
	struct fixture *fixture = *state;
	char *text;

	pool_make(fixture, 1);
	jobs_add(fixture, 1, 1, "bob", "");
	run(fixture, NOW);
	take_orders(fixture);
	task_confirm(fixture, 1, NOW);
	assert_int_equal(sched_edit_customer(fixture->sched, NOW, "bob@pool", &bad, &fixture->error), 0);
	jobs_add(fixture, 2, 1, "ann", "");
	run(fixture, NOW + 60);
	assert_int_equal(vacates(fixture), 1);
	take_orders(fixture);
	assert_int_equal(sched_edit_customer(fixture->sched, NOW + 60, "ann@pool", &deletion, &fixture->error), 0);
	text = cycle_twice(fixture, NOW + 120);
	assert_non_null(strstr(text, "\"hidden\":true,\"name\":\"ann@pool\""));
	free(text);
}

static void test_a_task_that_has_ended_is_no_job_of_a_submitter(void **state)
{
	struct fixture *fixture = *state;
	char *text;

	pool_make(fixture, 4);
	jobs_add(fixture, 1, 1, "bob", ",'tasks':'1-2'");
	run(fixture, NOW);
	take_orders(fixture);
	for (unsigned task = 1; task <= 2; task++)
		TELL(fixture,
		     "{'event':'task_start','job_number':1,'task':%u,'start_time':%d,'granted':[{'queue':'slot%u@m','slots':1}]}",
		     task, NOW, task);
	tell(fixture, "{'event':'task_finish','job_number':1,'task':2}");
	tell(fixture, "{'event':'job_modify','job_number':1,'accounting_group':'bio'}");
	text = cycle_twice(fixture, NOW + 60);
	assert_non_null(strstr(text, "customer bob@pool 1 "));	/* bob has the other slot */
	assert_null(strstr(text, "submitter bob@pool"));
	free(text);
}

/* NOW is 80000 s after midnight. */
static void test_a_past_submitter_is_dropped_in_the_first_cycle_of_a_day(void **state)
{
	struct fixture *fixture = *state;
	char *text;

	put_text(fixture, "condor_config", "%sPURGE_AFTER_DAYS = 1\n", config);
	reload(fixture);
	slots_add(fixture, 1);
	jobs_add(fixture, 1, 1, "bob", "");
	run(fixture, NOW);
	take_orders(fixture);
	task_confirm(fixture, 1, NOW);
	TELL(fixture, "{'event':'task_finish','job_number':1,'end_time':%d}", NOW + 60);
	free(cycle_twice(fixture, NOW + 120));
	free(cycle_twice(fixture, NOW + 86400));
	text = cycle_twice(fixture, NOW + 86400 + 3000);	/* bob is past now, but not on that day */
	assert_non_null(strstr(text, "customer bob@pool"));
	free(text);
	text = cycle_twice(fixture, NOW + 86400 + 7000);
	assert_null(strstr(text, "customer bob@pool"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_a_deleted_submitter_with_a_slot_being_vacated_was_hidden),
		POOL_TEST(test_a_task_that_has_ended_is_no_job_of_a_submitter),
		POOL_TEST(test_a_past_submitter_is_dropped_in_the_first_cycle_of_a_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
