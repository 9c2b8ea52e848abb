/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are described by the values that they share with other jobs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/mirror/cell.h"

static struct job_like plain(struct fixture *fixture)
{
	struct mirror *mirror = sched_mirror(fixture->sched);

	return (struct job_like){ .job_number = 9,
				  .class_of = mirror_job_row(mirror, 1),
				  .request_of = mirror_job_row(mirror, 2),
				  .name_of = mirror_job_row(mirror, 3),
				  .submission_time = NOW - 5,
				  .priority = 7,
				  .reserve = true };
}

static void report_models(struct fixture *fixture)
{
	TELL(fixture,
	     "{'event':'job_add','job_number':1,'owner':'ann','project':'red','job_name':'one','submission_time':1700000000}");
	TELL(fixture,
	     "{'event':'job_add','job_number':2,'owner':'bob','job_name':'two','hard_resource_list':'h_rt=60','submission_time':1700000000}");
	TELL(fixture,
	     "{'event':'job_add','job_number':3,'owner':'cal','job_name':'three','submission_time':1700000000}");
}

static void add_plain(struct fixture *fixture)
{
	const struct job_like like = plain(fixture);

	assert_int_equal(mirror_job_add_like(sched_mirror(fixture->sched), &like, &fixture->error), 0);
}

static void test_a_job_takes_class_request_and_name_from_others(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	report_models(fixture);
	add_plain(fixture);
	run(fixture, NOW);
	assert_int_equal(fl_find(fixture->view, 9, 0, &job), 0);
	assert_string_equal(job.owner, "ann");
	assert_string_equal(job.project, "red");
	assert_string_equal(job.hard_resources, "h_rt=60");
	assert_string_equal(job.name, "three");
	assert_int_equal(job.submission_time, NOW - 5);
	assert_int_equal(job.priority, 7);
}

static void test_shared_values_stay_after_their_models_are_gone(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	report_models(fixture);
	add_plain(fixture);
	TELL(fixture, "{'event':'job_delete','job_number':1}");
	TELL(fixture, "{'event':'job_delete','job_number':2}");
	TELL(fixture, "{'event':'job_delete','job_number':3}");
	run(fixture, NOW);
	assert_int_equal(fl_find(fixture->view, 9, 0, &job), 0);
	assert_string_equal(job.owner, "ann");
	assert_string_equal(job.hard_resources, "h_rt=60");
	assert_string_equal(job.name, "three");
}

static void check_refused(struct fixture *fixture, struct job_like like, int rc, const char *why)
{
	assert_int_equal(mirror_job_add_like(sched_mirror(fixture->sched), &like, &fixture->error), rc);
	assert_string_equal(fixture->error.text, why);
}

static void test_an_impossible_model_is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct job_like like;

	report_models(fixture);
	assert_int_equal(mirror_job_row(sched_mirror(fixture->sched), 8), UINT32_MAX);
	like = plain(fixture);
	like.class_of = UINT32_MAX;
	check_refused(fixture, like, -ENOENT, "a job that job 9 refers to does not exist");
	like = plain(fixture);
	like.name_of = 3;
	check_refused(fixture, like, -ENOENT, "a job that job 9 refers to does not exist");
	like = plain(fixture);
	like.job_number = 2;
	check_refused(fixture, like, -EEXIST, "job 2 exists already");
	like = plain(fixture);
	like.priority = 1025;
	check_refused(fixture, like, -EINVAL, "job 9: number, priority or submission time is out of range");
	run(fixture, NOW);
	assert_int_equal(fl_count(fixture->view, FL_PENDING), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_job_takes_class_request_and_name_from_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shared_values_stay_after_their_models_are_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_impossible_model_is_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
