/* SPDX-License-Identifier: Apache-2.0 */
/* A started task goes from one state of its life to the next, and back when its turn is undone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>

#include "sched/qmaster/local/inside.h"
#include "tests/store/file.h"

static struct local *cell_of(struct store_file *file)
{
	static struct local local;
	struct stored_job job = some_job(17);

	local = (struct local){ .store = file->store };
	OK(file, store_job_put(file->store, &job, &file->error));
	return &local;
}

static struct local_task *task(struct local *local, uint32_t id)
{
	struct local_task *local_task = local_task_find(local, 17, id);

	assert_non_null(local_task);
	return local_task;
}

static int row_read(void *l, const struct stored_task *stored)
{
	struct error error;

	return local_task_read(l, stored, &error);
}

/* Undo a turn of the store and memory as trouble.c does. */
static void turn_undo(struct store_file *file, struct local *local)
{
	store_rollback(file->store);
	local_tasks_undo(local);
	OK(file, store_tasks_each(file->store, row_read, local, &file->error));
}

/* Return a running task as an earlier turn has left it. */
static struct local_task *task_watched(struct store_file *file, struct local *local, uint32_t id)
{
	struct stored_task stored = some_task(17, id);

	OK(file, store_task_put(file->store, &stored, &file->error));
	OK(file, store_commit(file->store, &file->error));
	assert_int_equal(row_read(local, &stored), 0);
	local_task_becomes(task(local, id), TASK_WATCHED);
	return task(local, id);
}

static void test_a_row_of_a_running_task_marks_it_as_to_be_searched(void **state)
{
	struct local *local = cell_of(*state);
	struct stored_task running = some_task(17, 3), ended = some_task(17, 4);

	ended.state = STORED_ENDED;
	ended.ending = "{\"failed\":0,\"exit_status\":99,\"signal\":0,\"requeue\":true}";
	running.deleted = true;
	assert_int_equal(row_read(local, &running), 0);
	assert_int_equal(row_read(local, &ended), 0);
	assert_int_equal(task(local, 3)->life, TASK_SOUGHT);
	assert_int_equal(task(local, 3)->removal, REMOVAL_DELETE);
	assert_int_equal(task(local, 4)->life, TASK_ENDED);
	assert_int_equal(task(local, 4)->ending.exit_status, 99);
	assert_true(task(local, 4)->ending.requeue);
	local_tasks_free(&local->tasks);
}

static void test_an_undone_start_leaves_no_trace(void **state)
{
	struct store_file *file = *state;
	struct local *local = cell_of(file);

	OK(file, store_commit(file->store, &file->error));
	local_task_due(local, local_task_new(local, 17, 3, TASK_STARTING));
	assert_int_equal(local->tasks.ndue, 1);
	turn_undo(file, local);
	assert_null(local_task_find(local, 17, 3));
	assert_int_equal(local->tasks.ndue, 0);
	local_tasks_free(&local->tasks);
}

static void test_an_undone_end_leaves_a_task_that_is_searched(void **state)
{
	struct store_file *file = *state;
	struct local *local = cell_of(file);
	struct local_task *local_task = task_watched(file, local, 3);

	local_task_becomes(local_task, TASK_ENDED);
	local_task->ending = (struct task_ending){ .exit_status = 7, .requeue = true };
	local_task->usage.cpu_s = 9;
	local_task_due(local, local_task);
	OK(file, local_task_save(local, local_task, &file->error));
	turn_undo(file, local);
	assert_ptr_equal(task(local, 3), local_task);
	assert_int_equal(local_task->life, TASK_SOUGHT);
	assert_int_equal(local_task->ending.exit_status, 0);
	assert_false(local_task->ending.requeue);
	assert_false(local_task->commit.due);
	assert_true(local_task->usage.cpu_s == 9);	/* observed, regardless of the stored state */
	local_tasks_free(&local->tasks);
}

static void test_a_deletion_that_is_undone_is_the_one_before(void **state)
{
	struct store_file *file = *state;
	struct local *local = cell_of(file);
	struct local_task *task = task_watched(file, local, 3);

	task->removal = REMOVAL_FORCE;
	local_task_due(local, task);
	OK(file, local_task_save(local, task, &file->error));
	turn_undo(file, local);
	assert_int_equal(task->life, TASK_WATCHED);
	assert_int_equal(task->removal, REMOVAL_NONE);

	task->removal = task->committed_removal = REMOVAL_DELETE;
	OK(file, local_task_save(local, task, &file->error));
	OK(file, store_commit(file->store, &file->error));
	task->removal = REMOVAL_FORCE;
	turn_undo(file, local);
	assert_int_equal(task->removal, REMOVAL_DELETE);
	local_tasks_free(&local->tasks);
}

static void test_a_task_that_was_to_start_again_has_its_last_attempt(void **state)
{
	struct store_file *file = *state;
	struct local *local = cell_of(file);
	struct local_task *local_task = task_watched(file, local, 3);

	local_task->commit.void_attempt = local_task->attempt;
	local_task->attempt = 2;
	local_task_becomes(local_task, TASK_STARTING);
	local_task_due(local, local_task);
	OK(file, local_task_save(local, local_task, &file->error));
	turn_undo(file, local);
	assert_int_equal(task(local, 3)->attempt, 1);
	assert_int_equal(task(local, 3)->life, TASK_SOUGHT);
	assert_int_equal(task(local, 3)->commit.void_attempt, 0);
	local_tasks_free(&local->tasks);
}

static void test_booked_usage_stays_booked(void **state)
{
	struct store_file *file = *state;
	struct local *local = cell_of(file);
	struct local_task *local_task = task_watched(file, local, 3);

	local_task_becomes(local_task, TASK_ENDED);
	OK(file, local_task_save(local, local_task, &file->error));
	OK(file, store_commit(file->store, &file->error));
	local_task_becomes(local_task, TASK_BOOKED);
	OK(file, store_task_remove(file->store, 17, 3, &file->error));
	turn_undo(file, local);
	assert_int_equal(task(local, 3)->life, TASK_BOOKED);
	local_tasks_free(&local->tasks);
}

/* Return whether this change of state aborts the process. */
static bool is_stopped(enum task_life from, enum task_life to)
{
	struct local_task task = { .life = from };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		close(STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		local_task_becomes(&task, to);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_a_task_never_returns_to_an_earlier_state(void **state)
{
	(void)state;
	assert_true(is_stopped(TASK_BOOKED, TASK_ENDED));
	assert_true(is_stopped(TASK_BOOKED, TASK_SOUGHT));
	assert_true(is_stopped(TASK_ENDED, TASK_WATCHED));
	assert_true(is_stopped(TASK_STARTING, TASK_ENDED));
	assert_true(is_stopped(TASK_UNSPAWNED, TASK_STARTING));
	assert_false(is_stopped(TASK_ENDED, TASK_SOUGHT));
	assert_false(is_stopped(TASK_WATCHED, TASK_ENDED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_a_row_of_a_running_task_marks_it_as_to_be_searched),
		STORE_TEST(test_an_undone_start_leaves_no_trace),
		STORE_TEST(test_an_undone_end_leaves_a_task_that_is_searched),
		STORE_TEST(test_a_deletion_that_is_undone_is_the_one_before),
		STORE_TEST(test_a_task_that_was_to_start_again_has_its_last_attempt),
		STORE_TEST(test_booked_usage_stays_booked),
		cmocka_unit_test(test_a_task_never_returns_to_an_earlier_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
