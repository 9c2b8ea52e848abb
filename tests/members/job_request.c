/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of jobs: what is read is written again, the scheduler gets the same values as from an
 * event, and changes are applied. SEED selects the random requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "sched/qmaster/members/job_request.h"
#include "sched/qmaster/members/event.h"
#include "sched/qmaster/members/value_write.h"
#include "tests/values.h"
#include "tests/members/stored.h"

static uint64_t seed;

static size_t drawn(size_t below)		/* splitmix64 */
{
	uint64_t z = seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (size_t)((z ^ z >> 31) % below);
}

static void take(const char *text, struct job_request *request)
{
	taking_clear(&taking);
	assert_int_equal(job_request_read(request, &taking, object_of(text)), 0);
}

static void assert_request(const struct job_request *request, const char *expected)
{
	struct out out;

	assert_int_equal(out_open_memory(&out, 1u << 20), 0);
	job_request_write(&out, request);
	assert_written(&out, expected);
}

static void test_values_are_typed_and_written_in_their_order(void **state)
{
	static const char row[] = "{\"priority\":-5,\"job_name\":\"n\xc3\xa9\",\"tasks\":\"1-3,5\",\"reserve\":true,\"hold_jid\":[3,3,1],\"deadline\":4000000000,"
				  "\"hold_jid_ad\":[],\"jobshare\":4294967295,\"rank\":\"a \\\"b\\\"\",\"max_job_retirement_time\":\"60\",\"job_prio\":-2147483648}";
	struct job_request request;
	int64_t number;

	(void)state;
	take(row, &request);
	assert_string_equal(request.fault.text, "");
	assert_request(&request, row);
	assert_int_equal(request.spec.priority, -5);
	assert_string_equal(request.tasks, "1-3,5");
	assert_int_equal(request.spec.nhold_jid, 3);
	assert_true(request.spec.reserve && !request.spec.now);
	assert_true(request.spec.given & JOB_HOLD_JID_AD && !(request.spec.given & JOB_TASKS));
	assert_true(job_request_integer(&request, "job_prio", &number) && number == INT32_MIN);
	assert_false(job_request_integer(&request, "job_name", &number));
	assert_false(job_request_integer(&request, "ar", &number));
	assert_string_equal(job_request_text(&request, "rank"), "a \"b\"");
	assert_null(job_request_text(&request, "priority"));
}

static void test_other_forms_of_a_value_are_kept(void **state)
{
	static const char row[] = "{\"project\":null,\"max_job_retirement_time\":60,\"ad\":{\"A\":1.50,\"B\":{\"expr\":\"x\"}},\"later\":[{}],\"enrolled\":\"1-2\",\"hold\":{\"u\":\"1\"}}";
	struct job_request request;

	(void)state;
	take(row, &request);
	assert_string_equal(request.fault.text, "");
	assert_request(&request, "{\"project\":null,\"max_job_retirement_time\":60,\"ad\":{\"A\":1.5,\"B\":{\"expr\":\"x\"}},\"later\":[{}],\"enrolled\":\"1-2\",\"hold\":{\"u\":\"1\"}}");
	assert_string_equal(request.spec.condor.max_job_retirement_time, "60");
	assert_int_equal(request.spec.condor.ad.n, 2);
	assert_false(request.spec.given & JOB_PROJECT);
	assert_true(job_request_has(&request, "project"));
}

static void test_the_first_wrong_member_is_the_fault_and_all_are_kept(void **state)
{
	static const char row[] = "{\"job_name\":\"a\\u0001\",\"priority\":5000,\"hold_jid\":[1,\"x\"],\"reserve\":\"y\"}";
	struct job_request request;
	int64_t number;

	(void)state;
	take(row, &request);
	assert_string_equal(request.fault.text, "job_name: byte 0x01 in it is not a printable character");
	assert_request(&request, row);
	/* checks with messages of their own see them */
	assert_string_equal(request.spec.name, "a\x01");
	assert_true(job_request_integer(&request, "priority", &number) && number == 5000);
	assert_int_equal(request.spec.given, 0);
}

static void test_lists_of_a_user_are_settled_later(void **state)
{
	static const char row[] = "{\"hold_jid\":[\"a*\",2],\"reserve\":1,\"hard_resource_list\":\"m=1GB\",\"after_ok\":[1]}";
	struct job_request request;
	struct values job;
	const struct value *jobs;

	(void)state;
	assert_non_null(object_of(row));
	assert_non_null(values_copy(&values, &job));
	taking_clear(&taking);
	assert_int_equal(job_request_ask(&request, &taking, job.items), 0);
	assert_request(&request, row);
	assert_true(request.spec.nhold_jid == 0 && !request.spec.hard);
	assert_string_equal(request.fault.text, "reserve: true or false is expected, not an integer");
	jobs = value_member(object_of("{\"hold_jid\":[7,2]}"), "hold_jid");
	assert_int_equal(job_request_settle(&request, &taking, "hold_jid", jobs), 0);
	assert_int_equal(job_request_set_text(&request, &taking, "hard_resource_list", "mem=1G"), 0);
	assert_request(&request, "{\"hold_jid\":[7,2],\"reserve\":1,\"hard_resource_list\":\"mem=1G\",\"after_ok\":[1]}");
	assert_int_equal(request.spec.hold_jid[0], 7);
	assert_string_equal(request.spec.hard, "mem=1G");
	values_destroy(&job);
}

static void test_members_are_set_one_by_one_and_checked(void **state)
{
	struct job_request request;
	struct error error;

	(void)state;
	job_request_init(&request);
	taking_clear(&taking);
	assert_int_equal(job_request_set_bool(&request, &taking, "reserve", true), 0);
	assert_int_equal(job_request_set_text(&request, &taking, "rank", "a+"), 0);
	assert_int_equal(job_request_set_integer(&request, &taking, "later", 7), 0);
	assert_int_equal(job_request_set_bool(&request, &taking, "later", false), 0);
	assert_request(&request, "{\"reserve\":true,\"rank\":\"a+\",\"later\":false}");
	assert_true(request.spec.reserve && request.spec.given & JOB_RESERVE);
	assert_int_equal(job_request_check(&request, &taking, &error), 0);
	assert_int_equal(job_request_set_integer(&request, &taking, "priority", 5000), 0);
	assert_int_equal(job_request_check(&request, &taking, &error), -EINVAL);
	assert_string_equal(error.text, "priority: 5000 is not in -1023..1024");
	/* a later value repairs the fault */
	assert_int_equal(job_request_set_integer(&request, &taking, "priority", 500), 0);
	assert_int_equal(job_request_check(&request, &taking, &error), 0);
	assert_int_equal(request.spec.priority, 500);
}

static void test_changes_replace_add_and_reset_members(void **state)
{
	struct job_request request, changes;
	struct values job;

	(void)state;
	assert_non_null(object_of("{\"priority\":-5,\"job_name\":\"a\",\"hold_jid\":[1],\"project\":\"p\"}"));
	assert_non_null(values_copy(&values, &job));
	taking_clear(&taking);
	assert_int_equal(job_request_read(&request, &taking, job.items), 0);
	assert_int_equal(job_request_ask(&changes, &taking, object_of("{\"project\":null,\"priority\":-7,\"account\":\"x\"}")), 0);
	assert_int_equal(job_request_set_jobs(&changes, &taking, (struct number_list){ (const uint32_t[]){ 8, 9 }, 2 }), 0);
	assert_int_equal(job_request_update(&request, &taking, &changes), 0);
	assert_request(&request, "{\"priority\":-7,\"job_name\":\"a\",\"hold_jid\":[8,9],\"project\":null,\"account\":\"x\"}");
	assert_int_equal(request.spec.priority, -7);
	assert_int_equal(request.spec.nhold_jid, 2);
	assert_null(request.spec.project);
	assert_false(request.spec.given & JOB_PROJECT);
	assert_true(request.spec.given & JOB_ACCOUNT);
	values_destroy(&job);
}

/* Random requests */

static void text_draw(char *to)
{
	static const char *const pieces[] = { "a", "/", " ", "\\n", "\\\"", "\xc3\xa9", "1", "=", "*", "\\u0007", "\xf0\x9f\x98\x80" };

	*to = '\0';
	strcat(to, "\"");
	for (size_t n = drawn(6); n > 0; n--)
		strcat(to, pieces[drawn(n > 3 ? 11 : 9)]);
	strcat(to, "\"");
}

static void value_draw(char *to)
{
	static const char *const others[] = { "null", "true", "false", "[]", "{}", "[1,2]", "[1,0]", "1.5", "1e20", "{\"A\":1}" };

	if (drawn(2))
		text_draw(to);
	else if (drawn(2))
		sprintf(to, "%lld", (long long)drawn(1u << drawn(31)) - (long long)drawn(2000));
	else
		strcpy(to, others[drawn(10)]);
}

static void request_draw(char *to)
{
	const struct event_form *form = event_form_of(EVENT_JOB_ADD);
	size_t begin = drawn(form->nmembers), step = 1 + 2 * drawn(10), n = drawn(12);

	strcpy(to, "{");
	for (size_t i = 0; i < n; i++) {
		const char *name = form->members[(begin + i * step) % form->nmembers].name;

		if (strstr(to, name) || strcmp(name, "hold") == 0 || strcmp(name, "error") == 0)
			continue;
		sprintf(to + strlen(to), "%s\"%s\":", to[1] ? "," : "", drawn(20) ? name : "unknown");
		value_draw(to + strlen(to));
		if (strstr(to, "unknown"))
			break;
	}
	strcat(to, "}");
}

static void assert_same_as_event(const struct job_request *request, const char *text)
{
	struct taking of_event = { .blocks = NULL };
	struct event event;
	int rc;

	event_init(&event, EVENT_JOB_ADD);
	rc = event_read_job(object_of(text), &of_event, &event);
	if (strstr(text, "\"tasks\""))
		goto end;
	assert_int_equal(rc, *request->fault.text ? -EINVAL : 0);
	if (rc)
		assert_string_equal(request->fault.text, of_event.error.text);
	else
		assert_true(event.job.given == request->spec.given && event.job.condor.given == request->spec.condor.given &&
			    event.job.slurm.given == request->spec.slurm.given &&
			    event.job.priority == request->spec.priority && event.job.nhold_jid == request->spec.nhold_jid &&
			    event.job.deadline == request->spec.deadline && event.job.condor.ad.n == request->spec.condor.ad.n);
end:
	event_clear(&event, &of_event);
}

static void test_random_requests_are_written_as_they_were_and_read_as_in_events(void **state)
{
	const char *given = getenv("SEED");
	size_t right = 0;

	(void)state;
	seed = given ? strtoull(given, NULL, 0) : 20261129u;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < 30000; i++) {
		struct job_request request;
		char text[4000], *normal;
		struct out out;

		request_draw(text);
		assert_int_equal(out_open_memory(&out, 1u << 20), 0);
		value_write(&out, object_of(text));
		normal = out_detach(&out);
		take(text, &request);
		assert_request(&request, normal);
		right += !*request.fault.text;
		assert_same_as_event(&request, text);
		free(normal);
	}
	print_message("%zu requests without fault\n", right);
	assert_true(right > 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_typed_and_written_in_their_order),
		cmocka_unit_test(test_other_forms_of_a_value_are_kept),
		cmocka_unit_test(test_the_first_wrong_member_is_the_fault_and_all_are_kept),
		cmocka_unit_test(test_lists_of_a_user_are_settled_later),
		cmocka_unit_test(test_members_are_set_one_by_one_and_checked),
		cmocka_unit_test(test_changes_replace_add_and_reset_members),
		cmocka_unit_test(test_random_requests_are_written_as_they_were_and_read_as_in_events),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
