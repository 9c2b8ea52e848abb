/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs, tasks and small records: committed ones are restored unchanged, uncommitted ones are not.
 */
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
	assert_true(is_same_text(a->owner, b->owner) && is_same_text(a->group, b->group) &&
		    is_same_text(a->job, b->job) && is_same_text(a->execution, b->execution) &&
		    is_same_text(a->waiting, b->waiting) && is_same_text(a->hold_user, b->hold_user) &&
		    is_same_text(a->hold_operator, b->hold_operator) && is_same_text(a->hold_system, b->hold_system) &&
		    is_same_text(a->error, b->error));
}

static void assert_same_task(const struct stored_task *a, const struct stored_task *b)
{
	assert_int_equal(a->job_number, b->job_number);
	assert_int_equal(a->task_id, b->task_id);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->attempt, b->attempt);
	assert_true(a->start_time == b->start_time);
	assert_int_equal(a->deleted, b->deleted);
	assert_true(is_same_text(a->boot, b->boot) && is_same_text(a->granted, b->granted) &&
		    is_same_text(a->granted_pe, b->granted_pe) && is_same_text(a->state_letters, b->state_letters) &&
		    is_same_text(a->directory, b->directory) && is_same_text(a->usage, b->usage) &&
		    is_same_text(a->ending, b->ending));
}

static void check_job(struct store_file *file, const struct stored_job *expected)
{
	struct stored_job found;

	OK(file, store_job_find(file->store, expected->job_number, &found, &file->error));
	assert_same_job(&found, expected);
}

static void check_task(struct store_file *file, const struct stored_task *expected)
{
	struct stored_task found;

	OK(file, store_task_find(file->store, expected->job_number, expected->task_id, &found, &file->error));
	assert_same_task(&found, expected);
}

/* Round trips */

static void test_jobs_and_tasks_are_restored_unchanged(void **state)
{
	struct store_file *file = *state;
	struct stored_job job = some_job(17), wrong = some_job(18);
	struct stored_task task = some_task(17, 3), ended = some_task(17, 4);

	wrong.error = "";
	ended.state = STORED_ENDED;
	ended.usage = NULL;
	ended.ending = "{\"exit_status\":0}";
	ended.deleted = true;
	OK(file, store_job_put(file->store, &job, &file->error));
	OK(file, store_job_put(file->store, &wrong, &file->error));
	OK(file, store_task_put(file->store, &task, &file->error));
	OK(file, store_task_put(file->store, &ended, &file->error));
	check_job(file, &job);
	OK(file, store_commit(file->store, &file->error));
	reopen(file);
	check_job(file, &job);
	check_job(file, &wrong);
	check_task(file, &task);
	check_task(file, &ended);
}

static void test_a_changed_job_keeps_its_tasks(void **state)
{
	struct store_file *file = *state;
	struct stored_job job = some_job(17);
	struct stored_task task = some_task(17, 3);

	OK(file, store_job_put(file->store, &job, &file->error));
	OK(file, store_task_put(file->store, &task, &file->error));
	job.waiting = "";
	job.owner = "bob";
	job.error = "no such directory";
	OK(file, store_job_put(file->store, &job, &file->error));
	task.state = STORED_STARTING;
	task.attempt = 2;
	OK(file, store_task_put(file->store, &task, &file->error));
	OK(file, store_commit(file->store, &file->error));
	check_job(file, &job);
	check_task(file, &task);
}

static void test_a_job_is_deleted_with_its_tasks(void **state)
{
	struct store_file *file = *state;
	struct stored_job job = some_job(17);
	struct stored_task task = some_task(17, 3);

	OK(file, store_job_put(file->store, &job, &file->error));
	OK(file, store_task_put(file->store, &task, &file->error));
	OK(file, store_job_remove(file->store, 17, &file->error));
	OK(file, store_commit(file->store, &file->error));
	FAILS(file, store_job_find(file->store, 17, &job, &file->error), -ENOENT, "no job 17");
	FAILS(file, store_task_find(file->store, 17, 3, &task, &file->error), -ENOENT, "no task 3 of job 17");
}

static void test_all_texts_and_numbers_are_restored(void **state)
{
	struct store_file *file = *state;
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
	OK(file, store_job_put(file->store, &job, &file->error));
	OK(file, store_task_put(file->store, &task, &file->error));
	OK(file, store_commit(file->store, &file->error));
	reopen(file);
	check_job(file, &job);
	check_task(file, &task);
	free(large);
}

/* Refused rows */

static void test_a_refused_row_leaves_the_transaction_unchanged(void **state)
{
	struct store_file *file = *state;
	struct stored_job job = some_job(17), bad = some_job(0);
	struct stored_task task = some_task(99, 1);

	OK(file, store_job_put(file->store, &job, &file->error));
	FAILS(file, store_job_put(file->store, &bad, &file->error), -EINVAL, "job number is 0");
	bad.job_number = STORE_JOB_NUMBER_MAX + 1;
	FAILS(file, store_job_put(file->store, &bad, &file->error), -EINVAL, "10000000");
	bad.job_number = 18;
	bad.owner = "\xff";
	FAILS(file, store_job_put(file->store, &bad, &file->error), -EINVAL, "UTF-8");
	bad.owner = "\xed\xa0\x80";
	FAILS(file, store_job_put(file->store, &bad, &file->error), -EINVAL, "UTF-8");
	FAILS(file, store_task_put(file->store, &task, &file->error), -ENOENT, "no job 99");
	task = some_task(17, 0);
	FAILS(file, store_task_put(file->store, &task, &file->error), -EINVAL, "task 0");
	task = some_task(17, 1);
	task.state = (enum stored_state)7;
	FAILS(file, store_task_put(file->store, &task, &file->error), -EINVAL, "state");
	FAILS(file, store_job_remove(file->store, 4, &file->error), -ENOENT, "no job 4");
	FAILS(file, store_task_remove(file->store, 17, 4, &file->error), -ENOENT, "no task 4 of job 17");
	OK(file, store_commit(file->store, &file->error));
	reopen(file);
	check_job(file, &job);
	FAILS(file, store_job_find(file->store, 18, &bad, &file->error), -ENOENT, "no job 18");
}

/* Transactions */

static void test_only_committed_rows_stay(void **state)
{
	struct store_file *file = *state;
	struct stored_job one = some_job(1), two = some_job(2), three = some_job(3);

	assert_false(store_is_open_transaction(file->store));
	OK(file, store_job_put(file->store, &one, &file->error));
	assert_true(store_is_open_transaction(file->store));
	OK(file, store_commit(file->store, &file->error));
	assert_false(store_is_open_transaction(file->store));
	OK(file, store_commit(file->store, &file->error));
	OK(file, store_job_put(file->store, &two, &file->error));
	store_rollback(file->store);
	store_rollback(file->store);
	FAILS(file, store_job_find(file->store, 2, &two, &file->error), -ENOENT, "no job 2");
	OK(file, store_job_put(file->store, &three, &file->error));
	reopen(file);
	check_job(file, &one);
	FAILS(file, store_job_find(file->store, 3, &three, &file->error), -ENOENT, "no job 3");
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

	snprintf(seen->text + strlen(seen->text), sizeof(seen->text) - strlen(seen->text), "%u.%u ", task->job_number,
		 task->task_id);
	return 0;
}

static void test_jobs_and_tasks_are_read_in_order(void **state)
{
	struct store_file *file = *state;
	const uint32_t numbers[] = { 100, 9, 20, 1 }, ids[] = { 10, 9, 100 };
	struct seen jobs = { .stop_at = 0 }, tasks = { .stop_at = 0 }, some = { .stop_at = 9 };

	for (size_t i = 0; i < 4; i++) {
		struct stored_job job = some_job(numbers[i]);

		OK(file, store_job_put(file->store, &job, &file->error));
		for (size_t k = 0; k < 3 && i < 2; k++) {
			struct stored_task task = some_task(numbers[i], ids[k]);

			OK(file, store_task_put(file->store, &task, &file->error));
		}
	}
	OK(file, store_jobs_each(file->store, see_job, &jobs, &file->error));
	OK(file, store_tasks_each(file->store, see_task, &tasks, &file->error));
	assert_int_equal(store_jobs_each(file->store, see_job, &some, &file->error), 42);
	assert_string_equal(jobs.text, "1 9 20 100 ");
	assert_string_equal(tasks.text, "9.9 9.10 9.100 100.9 100.10 100.100 ");
	assert_string_equal(some.text, "1 9 ");
	OK(file, store_commit(file->store, &file->error));
}

/* Numbers */

static uint32_t next_number(struct store_file *file)
{
	uint32_t number = 0;

	OK(file, store_next_job_number(file->store, &number, &file->error));
	return number;
}

static void test_numbers_continue_after_a_restart_and_skip_existing_jobs(void **state)
{
	struct store_file *file = *state;
	struct stored_job job = some_job(3);

	OK(file, store_job_put(file->store, &job, &file->error));
	assert_int_equal(next_number(file), 1);
	assert_int_equal(next_number(file), 2);
	assert_int_equal(next_number(file), 4);
	OK(file, store_commit(file->store, &file->error));
	assert_int_equal(next_number(file), 5);
	reopen(file);
	assert_int_equal(next_number(file), 5);
}

static void test_numbers_begin_again_after_the_greatest(void **state)
{
	struct store_file *file = *state;
	struct stored_job one = some_job(1), last = some_job(STORE_JOB_NUMBER_MAX);
	uint32_t number;

	OK(file, store_job_put(file->store, &one, &file->error));
	OK(file, store_job_put(file->store, &last, &file->error));
	OK(file, store_meta_put(file->store, "job_number", "9999997", &file->error));
	assert_int_equal(next_number(file), 9999998);
	assert_int_equal(next_number(file), 2);
	OK(file, store_meta_put(file->store, "job_number", "9999999999", &file->error));
	FAILS(file, store_next_job_number(file->store, &number, &file->error), -EUCLEAN,
	      "job_number is \"9999999999\"");
}

static void test_small_things_are_found_by_name(void **state)
{
	struct store_file *file = *state;
	char value[6];

	FAILS(file, store_meta_get(file->store, "boot", value, sizeof(value), &file->error), -ENOENT, "no boot");
	OK(file, store_meta_put(file->store, "boot", "one", &file->error));
	OK(file, store_meta_put(file->store, "boot", "seven", &file->error));
	OK(file, store_commit(file->store, &file->error));
	reopen(file);
	OK(file, store_meta_get(file->store, "boot", value, sizeof(value), &file->error));
	assert_string_equal(value, "seven");
	OK(file, store_meta_put(file->store, "boot", "longer", &file->error));
	FAILS(file, store_meta_get(file->store, "boot", value, sizeof(value), &file->error), -EFBIG,
	      "more than 5 bytes");
	OK(file, store_commit(file->store, &file->error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_jobs_and_tasks_are_restored_unchanged),
		STORE_TEST(test_a_changed_job_keeps_its_tasks),
		STORE_TEST(test_a_job_is_deleted_with_its_tasks),
		STORE_TEST(test_all_texts_and_numbers_are_restored),
		STORE_TEST(test_a_refused_row_leaves_the_transaction_unchanged),
		STORE_TEST(test_only_committed_rows_stay),
		STORE_TEST(test_jobs_and_tasks_are_read_in_order),
		STORE_TEST(test_numbers_continue_after_a_restart_and_skip_existing_jobs),
		STORE_TEST(test_numbers_begin_again_after_the_greatest),
		STORE_TEST(test_small_things_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
