/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs, tasks and small things: what is committed comes back as it was, what is not does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/store/file.h"

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void assert_same_job(const struct stored_job *a, const struct stored_job *b)
{
	assert_int_equal(a->job_number, b->job_number);
	assert_int_equal(a->uid, b->uid);
	assert_int_equal(a->gid, b->gid);
	assert_true(a->submission_time == b->submission_time);
	assert_int_equal(a->is_array, b->is_array);
	assert_true(is_same_text(a->owner, b->owner) && is_same_text(a->group, b->group) && is_same_text(a->job, b->job) &&
		    is_same_text(a->execution, b->execution) && is_same_text(a->waiting, b->waiting) &&
		    is_same_text(a->hold_user, b->hold_user) && is_same_text(a->hold_operator, b->hold_operator) &&
		    is_same_text(a->hold_system, b->hold_system) && is_same_text(a->error, b->error));
}

static void assert_same_task(const struct stored_task *a, const struct stored_task *b)
{
	assert_int_equal(a->job_number, b->job_number);
	assert_int_equal(a->task_id, b->task_id);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->attempt, b->attempt);
	assert_true(a->start_time == b->start_time);
	assert_int_equal(a->deleted, b->deleted);
	assert_true(is_same_text(a->boot, b->boot) && is_same_text(a->granted, b->granted) && is_same_text(a->granted_pe, b->granted_pe) &&
		    is_same_text(a->state_letters, b->state_letters) && is_same_text(a->directory, b->directory) &&
		    is_same_text(a->usage, b->usage) && is_same_text(a->ending, b->ending));
}

static void check_job(struct store_file *f, const struct stored_job *expected)
{
	struct stored_job found;

	OK(f, store_job_find(f->store, expected->job_number, &found, &f->error));
	assert_same_job(&found, expected);
}

static void check_task(struct store_file *f, const struct stored_task *expected)
{
	struct stored_task found;

	OK(f, store_task_find(f->store, expected->job_number, expected->task_id, &found, &f->error));
	assert_same_task(&found, expected);
}

/* Round trips */

static void test_jobs_and_tasks_come_back_as_they_were(void **state)
{
	struct store_file *f = *state;
	struct stored_job job = some_job(17), wrong = some_job(18);
	struct stored_task task = some_task(17, 3), ended = some_task(17, 4);

	wrong.error = "";
	ended.state = STORED_ENDED;
	ended.usage = NULL;
	ended.ending = "{\"exit_status\":0}";
	ended.deleted = true;
	OK(f, store_job_put(f->store, &job, &f->error));
	OK(f, store_job_put(f->store, &wrong, &f->error));
	OK(f, store_task_put(f->store, &task, &f->error));
	OK(f, store_task_put(f->store, &ended, &f->error));
	check_job(f, &job);
	OK(f, store_commit(f->store, &f->error));
	reopen(f);
	check_job(f, &job);
	check_job(f, &wrong);
	check_task(f, &task);
	check_task(f, &ended);
}

static void test_a_job_that_changes_keeps_its_tasks(void **state)
{
	struct store_file *f = *state;
	struct stored_job job = some_job(17);
	struct stored_task task = some_task(17, 3);

	OK(f, store_job_put(f->store, &job, &f->error));
	OK(f, store_task_put(f->store, &task, &f->error));
	job.waiting = "";
	job.owner = "bob";
	job.error = "no such directory";
	OK(f, store_job_put(f->store, &job, &f->error));
	task.state = STORED_STARTING;
	task.attempt = 2;
	OK(f, store_task_put(f->store, &task, &f->error));
	OK(f, store_commit(f->store, &f->error));
	check_job(f, &job);
	check_task(f, &task);
}

static void test_a_job_goes_with_its_tasks(void **state)
{
	struct store_file *f = *state;
	struct stored_job job = some_job(17);
	struct stored_task task = some_task(17, 3);

	OK(f, store_job_put(f->store, &job, &f->error));
	OK(f, store_task_put(f->store, &task, &f->error));
	OK(f, store_job_remove(f->store, 17, &f->error));
	OK(f, store_commit(f->store, &f->error));
	FAILS(f, store_job_find(f->store, 17, &job, &f->error), -ENOENT, "no job 17");
	FAILS(f, store_task_find(f->store, 17, 3, &task, &f->error), -ENOENT, "no task 3 of job 17");
}

static void test_all_texts_and_numbers_come_back(void **state)
{
	struct store_file *f = *state;
	struct stored_job job = some_job(STORE_JOB_NUMBER_MAX);
	struct stored_task task = some_task(STORE_JOB_NUMBER_MAX, UINT32_MAX);
	char *large = malloc((1u << 20) + 1);

	memset(large, 'x', 1u << 20);
	large[1u << 20] = '\0';
	job.owner = "Robert'); DROP TABLE job;--";
	job.job = "{\"a\":\"\\\"\\u0001 'quoted' \\\\ \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\x85\"}";
	job.execution = large;
	job.group = "?1 :a @b $c";
	job.uid = job.gid = UINT32_MAX;
	job.submission_time = INT64_MAX;
	task.start_time = INT64_MIN;
	task.attempt = UINT32_MAX;
	OK(f, store_job_put(f->store, &job, &f->error));
	OK(f, store_task_put(f->store, &task, &f->error));
	OK(f, store_commit(f->store, &f->error));
	reopen(f);
	check_job(f, &job);
	check_task(f, &task);
	free(large);
}

/* What is refused */

static void test_what_is_refused_leaves_the_transaction_as_it_was(void **state)
{
	struct store_file *f = *state;
	struct stored_job job = some_job(17), bad = some_job(0);
	struct stored_task task = some_task(99, 1);

	OK(f, store_job_put(f->store, &job, &f->error));
	FAILS(f, store_job_put(f->store, &bad, &f->error), -EINVAL, "job number is 0");
	bad.job_number = STORE_JOB_NUMBER_MAX + 1;
	FAILS(f, store_job_put(f->store, &bad, &f->error), -EINVAL, "10000000");
	bad.job_number = 18;
	bad.owner = "\xff";
	FAILS(f, store_job_put(f->store, &bad, &f->error), -EINVAL, "UTF-8");
	bad.owner = "\xed\xa0\x80";
	FAILS(f, store_job_put(f->store, &bad, &f->error), -EINVAL, "UTF-8");
	FAILS(f, store_task_put(f->store, &task, &f->error), -ENOENT, "no job 99");
	task = some_task(17, 0);
	FAILS(f, store_task_put(f->store, &task, &f->error), -EINVAL, "task 0");
	task = some_task(17, 1);
	task.state = (enum stored_state)7;
	FAILS(f, store_task_put(f->store, &task, &f->error), -EINVAL, "state");
	FAILS(f, store_job_remove(f->store, 4, &f->error), -ENOENT, "no job 4");
	FAILS(f, store_task_remove(f->store, 17, 4, &f->error), -ENOENT, "no task 4 of job 17");
	OK(f, store_commit(f->store, &f->error));
	reopen(f);
	check_job(f, &job);
	FAILS(f, store_job_find(f->store, 18, &bad, &f->error), -ENOENT, "no job 18");
}

/* Transactions */

static void test_only_what_is_committed_stays(void **state)
{
	struct store_file *f = *state;
	struct stored_job one = some_job(1), two = some_job(2), three = some_job(3);

	assert_false(store_is_open_transaction(f->store));
	OK(f, store_job_put(f->store, &one, &f->error));
	assert_true(store_is_open_transaction(f->store));
	OK(f, store_commit(f->store, &f->error));
	assert_false(store_is_open_transaction(f->store));
	OK(f, store_commit(f->store, &f->error));
	OK(f, store_job_put(f->store, &two, &f->error));
	store_rollback(f->store);
	store_rollback(f->store);
	FAILS(f, store_job_find(f->store, 2, &two, &f->error), -ENOENT, "no job 2");
	OK(f, store_job_put(f->store, &three, &f->error));
	reopen(f);
	check_job(f, &one);
	FAILS(f, store_job_find(f->store, 3, &three, &f->error), -ENOENT, "no job 3");
}

/* In order */

struct seen {
	char text[200];
	int stop_at;
};

static int see_job(void *context, const struct stored_job *job)
{
	struct seen *seen = context;

	snprintf(seen->text + strlen(seen->text), sizeof(seen->text) - strlen(seen->text), "%u ", job->job_number);
	return seen->stop_at && job->job_number == (uint32_t)seen->stop_at ? 42 : 0;
}

static int see_task(void *context, const struct stored_task *task)
{
	struct seen *seen = context;

	snprintf(seen->text + strlen(seen->text), sizeof(seen->text) - strlen(seen->text), "%u.%u ", task->job_number, task->task_id);
	return 0;
}

static void test_jobs_and_tasks_come_in_order(void **state)
{
	struct store_file *f = *state;
	const uint32_t numbers[] = { 100, 9, 20, 1 }, ids[] = { 10, 9, 100 };
	struct seen jobs = { .stop_at = 0 }, tasks = { .stop_at = 0 }, some = { .stop_at = 9 };

	for (size_t i = 0; i < 4; i++) {
		struct stored_job job = some_job(numbers[i]);

		OK(f, store_job_put(f->store, &job, &f->error));
		for (size_t k = 0; k < 3 && i < 2; k++) {
			struct stored_task task = some_task(numbers[i], ids[k]);

			OK(f, store_task_put(f->store, &task, &f->error));
		}
	}
	OK(f, store_jobs_each(f->store, see_job, &jobs, &f->error));
	OK(f, store_tasks_each(f->store, see_task, &tasks, &f->error));
	assert_int_equal(store_jobs_each(f->store, see_job, &some, &f->error), 42);
	assert_string_equal(jobs.text, "1 9 20 100 ");
	assert_string_equal(tasks.text, "9.9 9.10 9.100 100.9 100.10 100.100 ");
	assert_string_equal(some.text, "1 9 ");
	OK(f, store_commit(f->store, &f->error));
}

/* Numbers */

static uint32_t next_number(struct store_file *f)
{
	uint32_t number = 0;

	OK(f, store_next_job_number(f->store, &number, &f->error));
	return number;
}

static void test_numbers_go_on_after_a_restart_and_skip_jobs_that_are_there(void **state)
{
	struct store_file *f = *state;
	struct stored_job job = some_job(3);

	OK(f, store_job_put(f->store, &job, &f->error));
	assert_int_equal(next_number(f), 1);
	assert_int_equal(next_number(f), 2);
	assert_int_equal(next_number(f), 4);
	OK(f, store_commit(f->store, &f->error));
	assert_int_equal(next_number(f), 5);
	reopen(f);
	assert_int_equal(next_number(f), 5);
}

static void test_numbers_begin_again_after_the_greatest(void **state)
{
	struct store_file *f = *state;
	struct stored_job one = some_job(1), last = some_job(STORE_JOB_NUMBER_MAX);
	uint32_t number;

	OK(f, store_job_put(f->store, &one, &f->error));
	OK(f, store_job_put(f->store, &last, &f->error));
	OK(f, store_meta_put(f->store, "job_number", "9999997", &f->error));
	assert_int_equal(next_number(f), 9999998);
	assert_int_equal(next_number(f), 2);
	OK(f, store_meta_put(f->store, "job_number", "9999999999", &f->error));
	FAILS(f, store_next_job_number(f->store, &number, &f->error), -EUCLEAN, "job_number is \"9999999999\"");
}

static void test_small_things_are_found_by_name(void **state)
{
	struct store_file *f = *state;
	char value[6];

	FAILS(f, store_meta_get(f->store, "boot", value, sizeof(value), &f->error), -ENOENT, "no boot");
	OK(f, store_meta_put(f->store, "boot", "one", &f->error));
	OK(f, store_meta_put(f->store, "boot", "seven", &f->error));
	OK(f, store_commit(f->store, &f->error));
	reopen(f);
	OK(f, store_meta_get(f->store, "boot", value, sizeof(value), &f->error));
	assert_string_equal(value, "seven");
	OK(f, store_meta_put(f->store, "boot", "longer", &f->error));
	FAILS(f, store_meta_get(f->store, "boot", value, sizeof(value), &f->error), -EFBIG, "more than 5 bytes");
	OK(f, store_commit(f->store, &f->error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_jobs_and_tasks_come_back_as_they_were),
		STORE_TEST(test_a_job_that_changes_keeps_its_tasks),
		STORE_TEST(test_a_job_goes_with_its_tasks),
		STORE_TEST(test_all_texts_and_numbers_come_back),
		STORE_TEST(test_what_is_refused_leaves_the_transaction_as_it_was),
		STORE_TEST(test_only_what_is_committed_stays),
		STORE_TEST(test_jobs_and_tasks_come_in_order),
		STORE_TEST(test_numbers_go_on_after_a_restart_and_skip_jobs_that_are_there),
		STORE_TEST(test_numbers_begin_again_after_the_greatest),
		STORE_TEST(test_small_things_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
