/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a job are read the same way alone and in an event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "sched/qmaster/members/event.h"
#include "tests/values.h"

#define REQUESTED "\"job_name\":\"a\",\"priority\":-5,\"hold_jid\":[3,4],\"pe\":\"smp\",\"pe_range\":\"1-2\",\"reserve\":true,\"nodes\":2," \
		  "\"project\":null,\"later\":7"

static void test_requests_of_a_job_are_the_same_alone_and_in_an_event(void **state)
{
	static const char in_event[] =
		"{\"seq\":1,\"event\":\"job_add\",\"job_number\":17,\"owner\":\"ann\",\"submission_time\":5," REQUESTED
		"}";
	struct taking alone_taking = { 0 }, taking = { 0 };
	struct event alone, event;

	(void)state;
	event_init(&alone, EVENT_JOB_ADD);
	assert_int_equal(
		event_read_job(read_bytes("{" REQUESTED "}", sizeof("{" REQUESTED "}") - 1), &alone_taking, &alone), 0);
	assert_string_equal(alone.job.name, "a");
	assert_int_equal(alone.job.priority, -5);
	assert_int_equal(alone.job.nhold_jid, 2);
	assert_int_equal(alone.job.hold_jid[1], 4);
	assert_string_equal(alone.job.pe_range, "1-2");
	assert_true(alone.job.reserve);
	assert_int_equal(event_read(event_form("job_add"), read_bytes(in_event, sizeof(in_event) - 1), &taking, &event),
			 0);
	assert_int_equal(alone.job.given | JOB_OWNER | JOB_SUBMISSION_TIME, event.job.given);
	assert_int_equal(alone.job.slurm.given, event.job.slurm.given);
	assert_int_equal(alone.job.slurm.nodes, event.job.slurm.nodes);
	event_clear(&alone, &alone_taking);
	event_clear(&event, &taking);
}

static void test_a_single_job_needs_neither_owner_nor_number(void **state)
{
	struct taking taking = { 0 };
	struct event event;

	(void)state;
	assert_int_equal(event_read(event_form("job_add"), read_bytes("{}", 2), &taking, &event), -EINVAL);
	event_clear(&event, &taking);
	event_init(&event, EVENT_JOB_ADD);
	assert_int_equal(event_read_job(read_bytes("{}", 2), &taking, &event), 0);
	assert_int_equal(event.job.given, 0);
	event_clear(&event, &taking);
}

static void test_a_member_that_is_wrong_is_named(void **state)
{
	static const char line[] = "{\"priority\":5000}";
	struct taking taking = { 0 };
	struct event event;

	(void)state;
	event_init(&event, EVENT_JOB_MODIFY);
	assert_int_equal(event_read_job(read_bytes(line, sizeof(line) - 1), &taking, &event), -EINVAL);
	assert_string_equal(taking.error.text, "priority: 5000 is not in -1023..1024");
	event_clear(&event, &taking);
}

static void test_each_event_is_found_by_its_name(void **state)
{
	(void)state;
	for (enum event_type type = EVENT_SNAPSHOT_BEGIN; type <= EVENT_SUBMITTER_EDIT; type++) {
		const struct event_form *form = event_form(event_name(type));

		assert_non_null(form);
		assert_int_equal(form->type, type);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_of_a_job_are_the_same_alone_and_in_an_event),
		cmocka_unit_test(test_a_single_job_needs_neither_owner_nor_number),
		cmocka_unit_test(test_a_member_that_is_wrong_is_named),
		cmocka_unit_test(test_each_event_is_found_by_its_name),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	values_destroy(&values);
	return failed;
}
