/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at any single allocation, a transaction is undone as a whole and can be
 * repeated. No memory leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/store/slurm_cell.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

static int see_job(void *context, const struct stored_job *job)
{
	*(uint32_t *)context += job->job_number;
	return 0;
}

static int see_task(void *context, const struct stored_task *task)
{
	*(uint32_t *)context += task->task_id;
	return 0;
}

/* Make and read every kind of change. */
static int transaction(struct error *error)
{
	struct store *store = file.store;
	struct stored_job job, found;
	struct stored_task task;
	uint32_t number = 0, sum = 0;
	int code = store_next_job_number(store, &number, error);

	job = some_job(number);
	task = some_task(number, 3);
	if (code == 0)
		code = store_job_put(store, &job, error);
	if (code == 0)
		code = store_task_put(store, &task, error);
	if (code == 0)
		code = store_job_find(store, number, &found, error);
	if (code == 0)
		code = store_task_find(store, number, 3, &task, error);
	if (code == 0)
		code = store_jobs_each(store, see_job, &sum, error);
	if (code == 0)
		code = store_tasks_each(store, see_task, &sum, error);
	if (code == 0)
		code = number != 1 || sum != 4 ? -EPROTO : store_task_remove(store, number, 3, error);
	if (code == 0)
		code = store_usage_save_all(store, NOW, error);
	return code == 0 ? store_commit(store, error) : code;
}

/* Undo the transaction after any failure, whose reason is memory. */
static void undo(int code, long n)
{
	if (code != -ENOMEM)
		fail_msg("allocation %ld: %s (%s)", n, strerror(-code), file.error.text);
	store_rollback(file.store);
	assert_false(store_is_open_transaction(file.store));
}

static long transaction_with_failures(void)
{
	long n = 0;
	int code;

	do {
		left = n++;
		code = transaction(&file.error);
		left = -1;
		if (code != 0)
			undo(code, n - 1);
	} while (code != 0);
	return n;
}

static long open_with_failures(struct fixture *fixture)
{
	const struct store_usage_options options = { .reported_again = true };
	long n = 0;
	int code;

	store_close(file.store);
	do {
		left = n++;
		code = store_open(&file.store, file.path, &file.error);
		if (code == 0)
			code = store_usage_attach(file.store, sched_durable(fixture->sched), &options, &file.error);
		left = -1;
		if (code != 0 && code != -ENOMEM)
			fail_msg("allocation %ld: %s (%s)", n - 1, strerror(-code), file.error.text);
		if (code != 0)
			store_close(file.store);
	} while (code != 0);
	return n;
}

static void test_no_transaction_is_made_by_half(void **state)
{
	struct fixture *fixture = *state;
	char text[100];

	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, START "1}");
	TELL(fixture, USAGE "1,'scaled_usage':{'cpu':10,'mem':2}}");
	run(fixture, NOW);
	assert_true(transaction_with_failures() > 20);
	assert_string_equal(query_one(file.store, "SELECT count(*) FROM job", text, sizeof(text)), "1");
	assert_string_equal(query_one(file.store, "SELECT count(*) FROM task", text, sizeof(text)), "0");
	assert_string_equal(query_one(file.store, "SELECT cpu || ' ' || mem FROM history", text, sizeof(text)),
			    "10.0 2.0");
	assert_string_equal(
		query_one(file.store, "SELECT usage ->> 'cpu' FROM usage WHERE name = 'red'", text, sizeof(text)),
		"10");
	sched_destroy(fixture->sched);
	sched_begin(fixture);
	assert_true(open_with_failures(fixture) > 20);
	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, START "1}");
	TELL(fixture, USAGE "1,'scaled_usage':{'cpu':11,'mem':2}}");
	fl_detach(fixture->reader);
	fixture->reader = NULL;
	fixture->view = NULL;
	run_and_save(fixture, NOW);
	assert_string_equal(query_one(file.store, "SELECT cpu || ' ' || mem FROM history", text, sizeof(text)),
			    "11.0 2.0");
}

static void test_no_pass_is_stored_or_read_by_half(void **state)
{
	struct fixture *fixture = *state;
	char text[100];

	put_slurm(fixture, "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n");
	TELL(fixture, ASSOCIATION_USAGE, "phys", "bob", "2000");
	run(fixture, NOW);
	put_associations(fixture, "");
	reload(fixture);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "1000");
	run(fixture, NOW);
	assert_true(transaction_with_failures() > 20);
	assert_string_equal(
		query_one(file.store,
			  "SELECT group_concat(user || ' ' || usage_raw || ' ' || value) FROM association_usage, meta "
			  "WHERE key = 'pass'",
			  text, sizeof(text)),
		"ann 1000.0 1700000000,bob 2000.0 1700000000");
	put_associations(fixture, BOB);
	fl_detach(fixture->reader);
	fixture->reader = NULL;
	fixture->view = NULL;
	sched_destroy(fixture->sched);
	sched_begin(fixture);
	assert_true(open_with_failures(fixture) > 20);
	run(fixture, NOW);
	CHECK(share(fixture, "ann").raw_usage, 1000.0);
	CHECK(share(fixture, "bob").raw_usage, 2000.0);
}

static void test_reloads_without_memory_lose_no_usage(void **state)
{
	struct fixture *fixture = *state;
	unsigned failures = 0;

	put_slurm(fixture, "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n");
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "1000");
	run(fixture, NOW);
	for (long n = 0; n < 600; n++) {
		struct report report = { 0 };

		left = n;
		failures += sched_reload(fixture->sched, &report, &fixture->error) != 0;
		left = -1;
		report_free(&report);
		assert_non_null(multifactor_of(fixture));
	}
	assert_true(failures > 20);
	reload(fixture);
	run(fixture, NOW);
	CHECK(share(fixture, "ann").raw_usage, 1000.0);
}

static void test_no_memory_leaks(void **state)
{
	long kept[3];			/* the first round fills the libraries' own caches */

	(void)state;
	for (int round = 0; round < 3; round++) {
		struct fixture *fixture;
		long before = alive;

		assert_int_equal(store_cell_setup((void **)&fixture), 0);
		start_job(fixture, 1, "ann");
		report_cpu(fixture, 1, 1, 10);
		run(fixture, NOW);
		if (round == 2)
			transaction_with_failures();
		else
			OK(&file, transaction(&file.error));
		assert_int_equal(store_cell_teardown((void **)&fixture), 0);
		kept[round] = alive - before;
	}
	assert_int_equal(kept[2], kept[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_no_transaction_is_made_by_half),
		CELL_TEST(test_no_pass_is_stored_or_read_by_half),
		CELL_TEST(test_reloads_without_memory_lose_no_usage),
		cmocka_unit_test(test_no_memory_leaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
