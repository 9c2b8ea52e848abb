/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call to the disk and each allocation that a small life of a store makes fails in turn, once
 * or from then on; and each time the process dies or the power fails afterwards. What was
 * acknowledged is there then, what was refused is not, what nobody was told of is there as a whole
 * or not at all, and the store is sound. A disk that does not cut the log back when it says so must
 * be noticed, and one that forgets what it has synced.
 *
 * TRANSACTIONS=n in the environment: how long the life is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "tests/failing_memory.h"
#include "tests/store/faulty_disk.h"
#include "tests/store/file.h"

#define TRANSACTIONS_MAX 60

enum fate { NOT_TRIED, ACKNOWLEDGED, REFUSED, UNSURE };

static struct {
	char live[80], image[80];
	unsigned seed, images;
	uint32_t transactions;
	enum fate fate[TRANSACTIONS_MAX + 1];	/* by number of transaction and of its job */
	unsigned refused, unsure, not_opened;	/* lives in which that happened */
	/* images that lack what was acknowledged, have what was refused, can't be opened */
	unsigned lost, ran, damaged;
	char first[400];		/* of these, in words */
} test;

/* What is found */

static void note(unsigned *count, const char *what, const char *image, const char *why)
{
	static const char *const calls[] = { "open", "read", "write", "sync", "truncate", "unlink" };

	if (!*test.first)
		snprintf(test.first, sizeof(test.first), "%s %s after %s %llu (errno %d, %llu times): %s", image, what, calls[disk.call],
			 (unsigned long long)disk.first, disk.error, (unsigned long long)disk.times, why);
	++*count;
}

static int see_job(void *context, const struct stored_job *job)
{
	((uint8_t *)context)[job->job_number] |= 1;
	return 0;
}

static int see_task(void *context, const struct stored_task *task)
{
	((uint8_t *)context)[task->job_number] |= 2;
	return 0;
}

static void image_check(const char *image)
{
	uint8_t seen[TRANSACTIONS_MAX + 1] = { 0 };
	char path[100], text[100], number[20];
	struct error error = { "" };
	struct store *s;

	test.images++;
	snprintf(path, sizeof(path), "%s/store", test.image);
	if (store_open(&s, path, &error) || store_jobs_each(s, see_job, seen, &error) || store_tasks_each(s, see_task, seen, &error) ||
	    strcmp(query_one(s, "PRAGMA integrity_check", text, sizeof(text)), "ok") != 0) {
		note(&test.damaged, "is damaged", image, error.text);
	} else {
		for (uint32_t i = 1; i <= test.transactions; i++) {
			snprintf(number, sizeof(number), "%u", i);
			if (test.fate[i] == ACKNOWLEDGED && seen[i] != 3)
				note(&test.lost, "lacks what was acknowledged", image, number);
			else if (test.fate[i] == REFUSED && seen[i] != 0)
				note(&test.ran, "has what was refused", image, number);
			else if (seen[i] != 0 && seen[i] != 3)
				note(&test.damaged, "has half a transaction", image, number);
		}
	}
	store_close(s);
	directory_clear(test.image);
}

static void crash_and_cut(void)
{
	disk_crash(test.image);
	image_check("after a crash the store");
	disk_cut(test.image);
	image_check("after a power failure the store");
}

/* A life */

static int transact(struct store *s, uint32_t number, struct error *error)
{
	struct stored_job job = some_job(number);
	struct stored_task task = some_task(number, 1);
	char padding[6000], text[20];
	int code;

	snprintf(text, sizeof(text), "%u", number);
	memset(padding, 'x', sizeof(padding));
	padding[number * 997 % sizeof(padding)] = '\0';
	job.execution = padding;	/* pages come and go */
	padding[sizeof(padding) - 1] = '\0';
	code = store_job_put(s, &job, error);
	if (code == 0)
		code = store_meta_put(s, "last", text, error);
	if (code == 0)
		code = store_task_put(s, &task, error);
	return store_commit(s, code ? NULL : error);
}

/* One process. False: it has ended, since it can't go on. */
static bool live(uint32_t first, uint32_t last)
{
	char path[100];
	struct error error;
	struct store *s;
	bool looked = disk.failed, sure = true;

	snprintf(path, sizeof(path), "%s/store", test.live);
	if (store_open(&s, path, &error) != 0) {
		test.not_opened++;
		return false;
	}
	sqlite3_exec(s->db, "PRAGMA wal_autocheckpoint = 12", NULL, NULL, NULL);
	for (uint32_t i = first; sure && i <= last; i++) {
		int code = transact(s, i, &error);

		test.fate[i] = code == 0 ? ACKNOWLEDGED : code == -ENOTRECOVERABLE ? UNSURE : REFUSED;
		test.refused += test.fate[i] == REFUSED;
		test.unsure += test.fate[i] == UNSURE;
		sure = test.fate[i] != UNSURE;
		if (disk.failed && !looked)
			crash_and_cut();
		looked |= disk.failed;
	}
	store_close(s);
	return sure;
}

static void whole_life(void)
{
	memset(test.fate, 0, sizeof(test.fate));
	if (live(1, test.transactions / 2))
		live(test.transactions / 2 + 1, test.transactions);
	crash_and_cut();
	disk_forget();
	directory_clear(test.live);
}

static void life_with_fault(enum disk_call call, uint64_t first, uint64_t times, int error)
{
	disk_watch(test.live, ++test.seed);
	disk.call = call;
	disk.first = first;
	disk.times = times;
	disk.error = error;
	whole_life();
}

/* Every call of a kind, as often as a life makes it. */
static unsigned all_faults(enum disk_call call, uint64_t times, int error)
{
	uint64_t calls;

	disk_watch(test.live, ++test.seed);
	whole_life();
	calls = disk.calls[call];
	for (uint64_t n = 1; n <= calls; n++)
		life_with_fault(call, n, times, error);
	return (unsigned)calls;
}

static void counts_clear(void)
{
	test.images = test.refused = test.unsure = test.not_opened = test.lost = test.ran = test.damaged = 0;
	test.first[0] = '\0';
}

static void check_nothing_wrong(void)
{
	if (test.lost || test.ran || test.damaged)
		fail_msg("%u lost something, %u had what was refused, %u were damaged; %s", test.lost, test.ran, test.damaged, test.first);
}

static void check_all(const char *name, enum disk_call call, const int *errors, size_t n)
{
	unsigned calls = 0;

	counts_clear();
	for (size_t i = 0; i < n; i++)
		for (uint64_t times = 1; times != 0; times = times == 1 ? UINT64_MAX : 0)
			calls = all_faults(call, times, errors[i]);
	print_message("%u %ss, each fails in %zu ways: %u images; transactions refused %u, unsure %u, stores not opened %u\n", calls, name, 2 * n, test.images,
		      test.refused, test.unsure, test.not_opened);
	assert_true(calls > 0);
	check_nothing_wrong();
}

static void test_writes_that_fail_lose_nothing_and_leave_nothing(void **state)
{
	(void)state;
	check_all("write", CALL_WRITE, (const int[]){ EIO, ENOSPC, 0 }, 3);
	assert_true(test.refused > 0);
}

static void test_syncs_that_fail_lose_nothing_and_leave_nothing(void **state)
{
	(void)state;
	check_all("sync", CALL_SYNC, (const int[]){ EIO, ENOSPC }, 2);
	assert_true(test.refused > 0 && test.unsure > 0);
}

static void test_a_disk_that_is_gone_loses_nothing_and_leaves_nothing(void **state)
{
	static const int error[] = { EIO };

	(void)state;
	disk.goes = true;
	check_all("write", CALL_WRITE, error, 1);
	assert_true(test.unsure > 0);
	check_all("sync", CALL_SYNC, error, 1);
	assert_true(test.unsure > 0);
	disk.goes = false;
}

static void test_files_that_can_not_be_cut_lose_nothing_and_leave_nothing(void **state)
{
	(void)state;
	check_all("truncation", CALL_TRUNCATE, (const int[]){ EIO }, 1);
}

static void test_reads_that_fail_lose_nothing_and_leave_nothing(void **state)
{
	(void)state;
	check_all("read", CALL_READ, (const int[]){ EIO }, 1);
}

static void test_files_that_can_not_be_opened_or_removed_lose_nothing(void **state)
{
	(void)state;
	check_all("open", CALL_OPEN, (const int[]){ EIO, EMFILE }, 2);
	check_all("removal", CALL_UNLINK, (const int[]){ EIO }, 1);
}

/* Memory */

static void test_allocations_that_fail_lose_nothing_and_leave_nothing(void **state)
{
	(void)state;
#ifdef CAN_FAIL
	uint32_t whole = test.transactions;
	unsigned n = 0;
	bool failed;

	counts_clear();
	test.transactions = 4;
	do {
		disk_watch(test.live, ++test.seed);
		memset(test.fate, 0, sizeof(test.fate));
		left = n++;
		live(1, test.transactions);
		failed = left < 0;
		left = -1;
		crash_and_cut();
		disk_forget();
		directory_clear(test.live);
	} while (failed);
	test.transactions = whole;
	print_message("%u allocations, each fails: %u images; transactions refused %u, unsure %u, stores not opened %u\n", n, test.images, test.refused,
		      test.unsure, test.not_opened);
	assert_true(n > 200);
	check_nothing_wrong();
#else
	skip();
#endif
}

/* Controls */

static void test_a_log_that_is_not_cut_back_has_what_was_refused(void **state)
{
	(void)state;
	counts_clear();
	disk.keeps = true;
	all_faults(CALL_SYNC, 1, EIO);
	disk.keeps = false;
	print_message("%u images, %u have what was refused\n", test.images, test.ran);
	assert_true(test.ran > 0);
}

static void test_a_disk_that_forgets_loses_what_was_acknowledged(void **state)
{
	(void)state;
	counts_clear();
	disk.forgets = true;
	for (int i = 0; i < 10; i++)
		life_with_fault(CALL_OPEN, 0, 0, 0);
	disk.forgets = false;
	print_message("%u images, %u lack what was acknowledged, %u are damaged\n", test.images, test.lost, test.damaged);
	assert_true(test.lost + test.damaged > 5);
}

static int begin(void **state)
{
	const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	(void)state;
	test.transactions = getenv("TRANSACTIONS") ? (uint32_t)atoi(getenv("TRANSACTIONS")) : 8;
	test.transactions = test.transactions < TRANSACTIONS_MAX ? test.transactions : TRANSACTIONS_MAX;
	test.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	print_message("SEED=%u\n", test.seed);
	snprintf(test.live, sizeof(test.live), "%s/fairlead-live-XXXXXX", root);
	snprintf(test.image, sizeof(test.image), "%s/fairlead-image-XXXXXX", root);
	return mkdtemp(test.live) && mkdtemp(test.image) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	directory_clear(test.live);
	directory_clear(test.image);
	return rmdir(test.live) || rmdir(test.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_that_fail_lose_nothing_and_leave_nothing),
		cmocka_unit_test(test_syncs_that_fail_lose_nothing_and_leave_nothing),
		cmocka_unit_test(test_a_disk_that_is_gone_loses_nothing_and_leaves_nothing),
		cmocka_unit_test(test_files_that_can_not_be_cut_lose_nothing_and_leave_nothing),
		cmocka_unit_test(test_reads_that_fail_lose_nothing_and_leave_nothing),
		cmocka_unit_test(test_files_that_can_not_be_opened_or_removed_lose_nothing),
		cmocka_unit_test(test_allocations_that_fail_lose_nothing_and_leave_nothing),
		cmocka_unit_test(test_a_log_that_is_not_cut_back_has_what_was_refused),
		cmocka_unit_test(test_a_disk_that_forgets_loses_what_was_acknowledged),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
