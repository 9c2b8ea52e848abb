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

static struct local *cell_of(struct store_file *f)
{
	static struct local l;
	struct stored_job job = some_job(17);

	l = (struct local){ .store = f->store };
	OK(f, store_job_put(f->store, &job, &f->error));
	return &l;
}

static struct local_task *task(struct local *l, uint32_t id)
{
	struct local_task *t = local_task_find(l, 17, id);

	assert_non_null(t);
	return t;
}

static int row_read(void *l, const struct stored_task *stored)
{
	struct error error;

	return local_task_read(l, stored, &error);
}

/* The store and memory as trouble.c does it. */
static void turn_undo(struct store_file *f, struct local *l)
{
	store_rollback(f->store);
	local_tasks_undo(l);
	OK(f, store_tasks_each(f->store, row_read, l, &f->error));
}

/* One that runs, as an earlier turn has left it. */
static struct local_task *task_watched(struct store_file *f, struct local *l, uint32_t id)
{
	struct stored_task stored = some_task(17, id);

	OK(f, store_task_put(f->store, &stored, &f->error));
	OK(f, store_commit(f->store, &f->error));
	assert_int_equal(row_read(l, &stored), 0);
	local_task_becomes(task(l, id), TASK_WATCHED);
	return task(l, id);
}

static void test_a_row_of_a_running_task_says_that_it_is_to_be_sought(void **state)
{
	struct local *l = cell_of(*state);
	struct stored_task running = some_task(17, 3), ended = some_task(17, 4);

	ended.state = STORED_ENDED;
	ended.ending = "{\"failed\":0,\"exit_status\":99,\"signal\":0,\"requeue\":true}";
	running.deleted = true;
	assert_int_equal(row_read(l, &running), 0);
	assert_int_equal(row_read(l, &ended), 0);
	assert_int_equal(task(l, 3)->life, TASK_SOUGHT);
	assert_int_equal(task(l, 3)->removal, REMOVAL_DELETE);
	assert_int_equal(task(l, 4)->life, TASK_ENDED);
	assert_int_equal(task(l, 4)->ending.exit_status, 99);
	assert_true(task(l, 4)->ending.requeue);
	local_tasks_free(&l->tasks);
}

static void test_a_start_that_is_undone_leaves_nothing(void **state)
{
	struct store_file *f = *state;
	struct local *l = cell_of(f);

	OK(f, store_commit(f->store, &f->error));
	local_task_due(l, local_task_new(l, 17, 3, TASK_STARTING));
	assert_int_equal(l->tasks.ndue, 1);
	turn_undo(f, l);
	assert_null(local_task_find(l, 17, 3));
	assert_int_equal(l->tasks.ndue, 0);
	local_tasks_free(&l->tasks);
}

static void test_an_end_that_is_undone_leaves_a_task_that_is_sought(void **state)
{
	struct store_file *f = *state;
	struct local *l = cell_of(f);
	struct local_task *t = task_watched(f, l, 3);

	local_task_becomes(t, TASK_ENDED);
	t->ending = (struct task_ending){ .exit_status = 7, .requeue = true };
	t->usage.cpu_s = 9;
	local_task_due(l, t);
	OK(f, local_task_save(l, t, &f->error));
	turn_undo(f, l);
	assert_ptr_equal(task(l, 3), t);
	assert_int_equal(t->life, TASK_SOUGHT);
	assert_int_equal(t->ending.exit_status, 0);
	assert_false(t->ending.requeue);
	assert_false(t->commit.due);
	assert_true(t->usage.cpu_s == 9);	/* it was seen, whatever is stored */
	local_tasks_free(&l->tasks);
}

static void test_a_deletion_that_is_undone_is_the_one_before(void **state)
{
	struct store_file *f = *state;
	struct local *l = cell_of(f);
	struct local_task *t = task_watched(f, l, 3);

	t->removal = REMOVAL_FORCE;
	local_task_due(l, t);
	OK(f, local_task_save(l, t, &f->error));
	turn_undo(f, l);
	assert_int_equal(t->life, TASK_WATCHED);
	assert_int_equal(t->removal, REMOVAL_NONE);

	t->removal = t->committed_removal = REMOVAL_DELETE;
	OK(f, local_task_save(l, t, &f->error));
	OK(f, store_commit(f->store, &f->error));
	t->removal = REMOVAL_FORCE;
	turn_undo(f, l);
	assert_int_equal(t->removal, REMOVAL_DELETE);
	local_tasks_free(&l->tasks);
}

static void test_one_that_was_to_begin_again_has_its_last_attempt(void **state)
{
	struct store_file *f = *state;
	struct local *l = cell_of(f);
	struct local_task *t = task_watched(f, l, 3);

	t->commit.void_attempt = t->attempt;
	t->attempt = 2;
	local_task_becomes(t, TASK_STARTING);
	local_task_due(l, t);
	OK(f, local_task_save(l, t, &f->error));
	turn_undo(f, l);
	assert_int_equal(task(l, 3)->attempt, 1);
	assert_int_equal(task(l, 3)->life, TASK_SOUGHT);
	assert_int_equal(task(l, 3)->commit.void_attempt, 0);
	local_tasks_free(&l->tasks);
}

static void test_what_a_run_has_booked_stays_booked(void **state)
{
	struct store_file *f = *state;
	struct local *l = cell_of(f);
	struct local_task *t = task_watched(f, l, 3);

	local_task_becomes(t, TASK_ENDED);
	OK(f, local_task_save(l, t, &f->error));
	OK(f, store_commit(f->store, &f->error));
	local_task_becomes(t, TASK_BOOKED);
	OK(f, store_task_remove(f->store, 17, 3, &f->error));
	turn_undo(f, l);
	assert_int_equal(task(l, 3)->life, TASK_BOOKED);
	local_tasks_free(&l->tasks);
}

/* Whether a process that tries it is stopped. */
static bool is_stopped(enum task_life from, enum task_life to)
{
	struct local_task t = { .life = from };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		close(STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		local_task_becomes(&t, to);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_nothing_comes_back_to_life(void **state)
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
		STORE_TEST(test_a_row_of_a_running_task_says_that_it_is_to_be_sought),
		STORE_TEST(test_a_start_that_is_undone_leaves_nothing),
		STORE_TEST(test_an_end_that_is_undone_leaves_a_task_that_is_sought),
		STORE_TEST(test_a_deletion_that_is_undone_is_the_one_before),
		STORE_TEST(test_one_that_was_to_begin_again_has_its_last_attempt),
		STORE_TEST(test_what_a_run_has_booked_stays_booked),
		cmocka_unit_test(test_nothing_comes_back_to_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
