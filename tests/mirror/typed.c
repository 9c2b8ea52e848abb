/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that the reader of JSON refuses. The mirror refuses them, too, because other qmasters give
 * it typed events. A refused event has no effect.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"
#include "tests/mirror/census.h"

static const struct granted granted[] = { { .queue = "all.q@node", .slots = 1 } };

/* Check that the call is refused with a text, and leaves the mirror as it was. */
#define REFUSED(fixture, code, words, call) do {								\
	struct census before = census_take(sched_mirror((fixture)->sched)), after;				\
	(fixture)->error.text[0] = '\0';									\
	assert_int_equal(call, code);										\
	if (!strstr((fixture)->error.text, words))								\
		fail_msg("\"%s\" is not in: %s", words, (fixture)->error.text);					\
	after = census_take(sched_mirror((fixture)->sched));							\
	census_check(#call, &before, &after);									\
} while (0)

static int add(struct fixture *fixture, struct job_spec spec)
{
	return mirror_job_add(sched_mirror(fixture->sched), &spec, &fixture->error);
}

static int modify(struct fixture *fixture, struct job_spec spec)
{
	return mirror_job_modify(sched_mirror(fixture->sched), &spec, &fixture->error);
}

static void test_numbers_and_times_of_jobs_have_limits(void **state)
{
	struct fixture *fixture = *state;

	REFUSED(fixture, -EINVAL, "\"job_number\" is 0", add(fixture, (struct job_spec){ .owner = "ann" }));
	REFUSED(fixture, -EINVAL, "\"owner\" is missing", add(fixture, (struct job_spec){ .job_number = 1 }));
	REFUSED(fixture, -EINVAL, "\"owner\" is missing",
		add(fixture, (struct job_spec){ .job_number = 1, .owner = "" }));
	REFUSED(fixture, -EINVAL, "\"priority\" is -1024: allowed are -1023 to 1024",
		add(fixture, (struct job_spec){
				     .job_number = 1, .owner = "ann", .given = JOB_PRIORITY, .priority = -1024 }));
	REFUSED(fixture, -EINVAL, "\"priority\" is 1025",
		add(fixture, (struct job_spec){
				     .job_number = 1, .owner = "ann", .given = JOB_PRIORITY, .priority = 1025 }));
	REFUSED(fixture, -EINVAL, "\"submission_time\" is negative",
		add(fixture, (struct job_spec){ .job_number = 1,
						.owner = "ann",
						.given = JOB_SUBMISSION_TIME,
						.submission_time = -1 }));
	for (int k = 0; k < 2; k++)
		assert_int_equal(add(fixture, (struct job_spec){ .job_number = 1 + (uint32_t)k,
								 .owner = "ann",
								 .given = JOB_PRIORITY,
								 .priority = k ? 1024 : -1023 }),
				 0);
	REFUSED(fixture, -EINVAL, "\"owner\" is empty",
		modify(fixture, (struct job_spec){ .job_number = 1, .given = JOB_OWNER }));
	REFUSED(fixture, -EINVAL, "\"owner\" is empty",
		modify(fixture, (struct job_spec){ .job_number = 1, .given = JOB_OWNER, .owner = "" }));
	REFUSED(fixture, -EINVAL, "\"priority\" is 2000",
		modify(fixture, (struct job_spec){ .job_number = 1, .given = JOB_PRIORITY, .priority = 2000 }));
	REFUSED(fixture, -ENOENT, "there is no job 7",
		mirror_job_keep(sched_mirror(fixture->sched), 7, &fixture->error));
}

static void test_jobs_like_others_have_the_same_limits(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	const struct job_like wrong[] = { { .job_number = 0 },
					  { .job_number = 2, .priority = -1024 },
					  { .job_number = 2, .priority = 1025 },
					  { .job_number = 2, .submission_time = -1 } };

	TELL(fixture, ADD "1,'owner':'ann'}");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		REFUSED(fixture, -EINVAL, "out of range", mirror_job_add_like(mirror, &wrong[i], &fixture->error));
	REFUSED(fixture, -EEXIST, "job 1 exists already",
		mirror_job_add_like(mirror, &(struct job_like){ .job_number = 1 }, &fixture->error));
	for (int k = 0; k < 3; k++) {
		const struct job_like like = { .job_number = 2,
					       .class_of = k == 0 ? 999 : 0,
					       .request_of = k == 1 ? 999 : 0,
					       .name_of = k == 2 ? 999 : 0 };

		REFUSED(fixture, -ENOENT, "a job that job 2 refers to does not exist",
			mirror_job_add_like(mirror, &like, &fixture->error));
	}
}

static void test_states_of_tasks_are_some_letters(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	const char *const wrong[] = { "", "q", "rx", "rrrrrrrrrrrrrrrr" };

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		REFUSED(fixture, -EINVAL, "allowed are the letters h r t s S T",
			mirror_task_state(mirror, 1, 1, wrong[i], &fixture->error));
	assert_int_equal(mirror_task_state(mirror, 1, 1, "rs", &fixture->error), 0);
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).state, "rs");
}

static void test_usage_is_a_number_that_is_not_negative(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	static const double wrong[] = { -1, NAN, HUGE_VAL, -HUGE_VAL, 1e300 };

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 5);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const struct usage_value value = { "cpu", wrong[i] };
		const struct usage_values usage = { &value, 1 };
		const struct debited_usage debited = { 1, usage };
		const struct project_usage projects[] = { { .project = "red", .usage = usage },
							  { .project = "red", .long_term = usage } };
		const struct object_usage objects[] = {
			{ .name = "ann", .time_stamp = NOW, .usage = usage },
			{ .name = "ann", .time_stamp = NOW, .long_term = usage },
			{ .name = "ann", .time_stamp = NOW, .debited = &debited, .ndebited = 1 },
			{ .name = "ann", .time_stamp = NOW, .projects = &projects[0], .nprojects = 1 },
			{ .name = "ann", .time_stamp = NOW, .projects = &projects[1], .nprojects = 1 },
		};

		REFUSED(fixture, -EINVAL, "usage \"cpu\" is", mirror_usage(mirror, 1, 1, &usage, &fixture->error));
		REFUSED(fixture, -EINVAL, "usage \"cpu\" is",
			mirror_task_finish(mirror, 1, 1, 0, &usage, &fixture->error));
		for (size_t k = 0; k < sizeof(objects) / sizeof(*objects); k++)
			REFUSED(fixture, -EINVAL, "usage \"cpu\" is",
				mirror_user_usage(mirror, &objects[k], &fixture->error));
	}
	assert_int_equal(mirror_usage_raise(mirror, 1, 2, NULL, 0), -ENOENT);
	assert_int_equal(mirror_usage_raise(mirror, 9, 1, NULL, 0), -ENOENT);
	run(fixture, NOW);
	assert_true(row(fixture, 1, 0).cpu == 5);
}

static void test_advance_reservations_have_a_number_and_slots(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	struct advance_event event = { .owner = "ann", .state = "w", .start_time = NOW, .end_time = NOW + 60,
				       .granted = { granted, 1 } };

	REFUSED(fixture, -EINVAL, "\"number\" is 0", mirror_advance(mirror, &event, &fixture->error));
	event.number = 1;
	event.granted.n = 0;
	REFUSED(fixture, -EINVAL, "\"granted\" is empty", mirror_advance(mirror, &event, &fixture->error));
	event.granted.n = 1;
	event.state = "x";
	REFUSED(fixture, -EINVAL, "\"state\" is \"x\"", mirror_advance(mirror, &event, &fixture->error));
	event.state = "wr";
	REFUSED(fixture, -EINVAL, "\"state\" is \"wr\"", mirror_advance(mirror, &event, &fixture->error));
	event.state = "w";
	event.end_time = NOW;
	REFUSED(fixture, -EINVAL, "is not after", mirror_advance(mirror, &event, &fixture->error));
	event.end_time = NOW + 1;
	assert_int_equal(mirror_advance(mirror, &event, &fixture->error), 0);
}

static void test_queue_instances_have_a_queue_and_a_host(void **state)
{
	struct fixture *fixture = *state;
	static const char *const wrong[] = { "", "all.q", "@node", "all.q@" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		REFUSED(fixture, -EINVAL, "allowed is QUEUE@HOST",
			mirror_queue_instance(sched_mirror(fixture->sched), wrong[i], 1, "", &fixture->error));
}

static void test_slots_and_claims_have_names_and_finite_numbers(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	static const struct ad_attribute cpus = { "Cpus", "2" };
	static const char *const wrong[] = { "", "slot1", "@node", "slot1@" };
	const struct claim_event claims[] = { { .slot = "slot1@node", .submitter = "ann", .weight = NAN },
					      { .slot = "slot1@node", .submitter = "ann", .current_rank = HUGE_VAL },
					      { .slot = "slot1@node", .submitter = "ann", .preempting_rank = NAN } };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		REFUSED(fixture, -EINVAL, "allowed is NAME@MACHINE",
			mirror_slot(mirror, &(struct slot_event){ wrong[i], NULL, { &cpus, 1 }, UINT64_MAX },
				    &fixture->error));
	assert_int_equal(mirror_slot(mirror, &(struct slot_event){ "slot1@node", NULL, { &cpus, 1 }, UINT64_MAX },
				     &fixture->error),
			 0);
	for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++)
		REFUSED(fixture, -EINVAL, "finite numbers are expected",
			mirror_claim(mirror, &claims[i], &fixture->error));
	REFUSED(fixture, -EINVAL, "since: it is negative",
		mirror_claim(mirror, &(struct claim_event){ .slot = "slot1@node", .submitter = "ann", .since = -1 },
			     &fixture->error));
}

static void test_state_of_the_accountant_is_finite_and_follows_that_of_the_scheduler(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	const struct customer_event customer = { .name = "ann" }, odd = { .name = "ann", .values.factor = NAN };
	const struct charge_event charge = { .slot = "slot1@node", .customer = "ann", .values.weight = HUGE_VAL };
	const struct winner_event winner = { .slot = "slot1@node", .customer = "ann", .values.rank = NAN };

	REFUSED(fixture, -EINVAL, "a scheduler_state event must come first",
		mirror_customer(mirror, &customer, &fixture->error));
	TELL(fixture, "{'event':'scheduler_state'}");
	REFUSED(fixture, -EINVAL, "finite numbers", mirror_customer(mirror, &odd, &fixture->error));
	REFUSED(fixture, -EINVAL, "finite numbers", mirror_charged_slot(mirror, &charge, &fixture->error));
	REFUSED(fixture, -EINVAL, "finite numbers", mirror_winner(mirror, &winner, &fixture->error));
}

static void test_a_snapshot_has_no_start_that_is_only_ordered(void **state)
{
	struct fixture *fixture = *state;
	struct event event;

	event_init(&event, EVENT_TASK_START);
	event.task.job_number = event.task.task = 1;
	event.task.granted = (struct grants){ granted, 1 };
	event.task.order = 5;
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	assert_int_equal(mirror_apply(sched_mirror(fixture->sched), &event, &fixture->error), -EINVAL);
	assert_non_null(strstr(fixture->error.text, "must not contain unconfirmed starts"));
	SNAPSHOT_END(fixture);
	assert_int_equal(mirror_apply(sched_mirror(fixture->sched), &event, &fixture->error), 0);
}

/*
 * Jobs come and go for a long time, until the list of jobs has more gaps than jobs and is closed
 * up. The remaining jobs keep their order.
 */
static void test_a_list_with_many_gaps_keeps_its_order(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	enum { JOBS = 9000, STAY = 500 };
	struct fl_job job;
	uint32_t number = 0;

	for (uint32_t i = 1; i <= JOBS; i++) {
		assert_int_equal(add(fixture, (struct job_spec){ .job_number = i,
								 .owner = "ann",
								 .given = JOB_SUBMISSION_TIME,
								 .submission_time = NOW }),
				 0);
		if (i % STAY != 0)
			assert_int_equal(mirror_job_delete(mirror, i, &fixture->error), 0);
	}
	assert_true(mirror->state->jobs.list_end < JOBS / 2);
	assert_int_equal(mirror->state->jobs.used, JOBS / STAY);
	for (size_t i = 0; i < mirror->state->jobs.list_end; i++) {
		uint32_t row = mirror->state->jobs.list[i];

		if (row == NONE)
			continue;
		assert_int_equal(mirror->state->jobs.place[row], i);
		assert_int_equal(job_fact(&mirror->state->jobs, row, number), number += STAY);
	}
	assert_int_equal(number, JOBS);
	run(fixture, NOW);
	for (size_t k = 0; k < JOBS / STAY; k++) {
		assert_int_equal(fl_get(fixture->view, FL_PENDING, k, &job), 0);
		assert_int_equal(job.job_number, STAY * (k + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers_and_times_of_jobs_have_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_jobs_like_others_have_the_same_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_states_of_tasks_are_some_letters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_usage_is_a_number_that_is_not_negative, setup, teardown),
		cmocka_unit_test_setup_teardown(test_advance_reservations_have_a_number_and_slots, setup, teardown),
		cmocka_unit_test_setup_teardown(test_queue_instances_have_a_queue_and_a_host, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slots_and_claims_have_names_and_finite_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_state_of_the_accountant_is_finite_and_follows_that_of_the_scheduler, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_snapshot_has_no_start_that_is_only_ordered, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_list_with_many_gaps_keeps_its_order, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
