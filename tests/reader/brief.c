/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/reader/cell.h"

struct briefs {
	struct fl_brief items[16];
	size_t n;
};

static void keep(void *context, const struct fl_brief *brief)
{
	struct briefs *briefs = context;

	assert_true(briefs->n < 16);
	briefs->items[briefs->n++] = *brief;
}

static const struct fl_brief *brief_of(const struct briefs *briefs, uint32_t number)
{
	for (size_t k = 0; k < briefs->n; k++)
		if (briefs->items[k].job_number == number)
			return &briefs->items[k];
	fail_msg("job %u was not visited", number);
	return NULL;
}

static struct briefs pending(const struct fl_view *view)
{
	struct briefs briefs = { .n = 0 };

	assert_int_equal(fl_each_pending(view, keep, &briefs), 0);
	return briefs;
}

static void test_each_pending_job_is_visited_once(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	const struct briefs briefs = pending(view);
	struct fl_job job;

	assert_int_equal(briefs.n, fl_count(view, FL_PENDING));
	for (size_t k = 0; fl_get(view, FL_PENDING, k, &job) == 0; k++) {
		const struct fl_brief *brief = brief_of(&briefs, job.job_number);

		assert_false(brief->is_started);
		assert_int_equal(brief->submission_time, job.submission_time);
		assert_int_equal(brief->is_held, strchr(job.state, 'h') != NULL);
		assert_int_equal(brief->is_in_error, strchr(job.state, 'E') != NULL);
	}
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_the_tasks_of_an_array_are_counted(void **state)
{
	struct fixture *fixture = *state;
	const struct briefs briefs = pending(fl_begin(fixture->reader));

	assert_int_equal(brief_of(&briefs, numbers[ROW_ARRAY])->tasks, 5);	/* 3-9:2,12 */
	assert_int_equal(brief_of(&briefs, numbers[ROW_PLAIN])->tasks, 1);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_the_reason_is_the_first_one_that_fl_why_reports(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	const struct briefs briefs = pending(view);
	size_t with = 0;

	for (size_t k = 0; k < briefs.n; k++) {
		const char *reason = fl_reason(briefs.items[k].reason);
		struct fl_why why;

		if (fl_why(view, briefs.items[k].job_number, 0, &why)) {
			assert_int_equal(briefs.items[k].reason, FL_NO_REASON);
			assert_null(reason);
			continue;
		}
		with++;
		assert_string_equal(reason, why.kind);
	}
	assert_true(with >= 2);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_groups_and_requests_have_the_texts_of_their_jobs(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	const struct briefs briefs = pending(view);
	const struct fl_brief *brief = brief_of(&briefs, numbers[ROW_ARRAY]);
	struct fl_job_request request;
	struct fl_job_group group;

	assert_int_equal(fl_job_group(view, brief->group, &group), 0);
	assert_string_equal(group.owner, "anna");
	assert_string_equal(group.project, "blue");
	assert_string_equal(group.department, "");
	assert_int_equal(fl_job_request(view, brief->request, &request), 0);
	assert_string_equal(request.hard_resources, "arch=x");
	assert_string_equal(request.pe, "mpi*");
	assert_int_equal(request.slots, 2);
	assert_int_equal(fl_job_group(view, fl_job_groups(view), &group), -ENOENT);
	assert_int_equal(fl_job_request(view, fl_job_requests(view), &request), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_each_started_task_is_visited_in_order(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct briefs briefs = { .n = 0 };
	struct fl_job job;

	fl_each_started(view, keep, &briefs);
	assert_int_equal(briefs.n, fl_count(view, FL_STARTED));
	for (size_t k = 0; k < briefs.n; k++) {
		assert_int_equal(fl_get(view, FL_STARTED, k, &job), 0);
		assert_true(briefs.items[k].is_started);
		assert_int_equal(briefs.items[k].job_number, job.job_number);
		assert_int_equal(briefs.items[k].task, job.task);
		assert_int_equal(briefs.items[k].start_time, job.start_time);
		assert_int_equal(briefs.items[k].slots, job.slots);
		assert_string_equal(briefs.items[k].state, job.state);
		assert_string_equal(briefs.items[k].queue, job.queue);
	}
	assert_int_equal(fl_end(fixture->reader), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_pending_job_is_visited_once),
		TEST(test_the_tasks_of_an_array_are_counted),
		TEST(test_the_reason_is_the_first_one_that_fl_why_reports),
		TEST(test_groups_and_requests_have_the_texts_of_their_jobs),
		TEST(test_each_started_task_is_visited_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
