/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call to the disk in a short life of a store fails in turn, once or from then on. Each time
 * the process is killed or the power fails afterwards. Acknowledged transactions are present then,
 * refused ones are not, and unanswered ones are present as a whole or not at all. The store is
 * intact. A disk that does not cut back the log and still reports success must be detected, and so
 * must a disk that loses synced data. TRANSACTIONS=n in the environment sets the length of the
 * life.
 */
#include "tests/store/faulty_life.h"

static void whole_life(void)
{
	memset(test.fate, 0, sizeof(test.fate));
	if (live(1, test.transactions / 2))
		live(test.transactions / 2 + 1, test.transactions);
	disk_images_check(test.image, image_check);
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

/* Fail every call of a kind, as often as a life makes it. */
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

static void check_all(const char *name, enum disk_call call, const int *errors, size_t n)
{
	unsigned calls = 0;

	counts_clear();
	for (size_t i = 0; i < n; i++)
		for (uint64_t times = 1; times != 0; times = times == 1 ? UINT64_MAX : 0)
			calls = all_faults(call, times, errors[i]);
	print_message(
		"%u %ss, each fails in %zu ways: %u images; transactions refused %u, unsure %u, stores not opened %u\n",
		calls, name, 2 * n, test.images, test.refused, test.unsure, test.not_opened);
	assert_true(calls > 0);
	check_nothing_wrong();
}

static void test_failing_writes_lose_no_data_and_leave_none(void **state)
{
	(void)state;
	check_all("write", CALL_WRITE, (const int[]){ EIO, ENOSPC, 0 }, 3);
	assert_true(test.refused > 0);
}

static void test_failing_syncs_lose_no_data_and_leave_none(void **state)
{
	(void)state;
	check_all("sync", CALL_SYNC, (const int[]){ EIO, ENOSPC }, 2);
	assert_true(test.refused > 0 && test.unsure > 0);
}

static void test_a_failing_disk_loses_no_data_and_leaves_none(void **state)
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

static void test_failing_truncations_lose_no_data_and_leave_none(void **state)
{
	(void)state;
	check_all("truncation", CALL_TRUNCATE, (const int[]){ EIO }, 1);
}

static void test_failing_reads_lose_no_data_and_leave_none(void **state)
{
	(void)state;
	check_all("read", CALL_READ, (const int[]){ EIO }, 1);
}

static void test_failing_opens_and_removals_lose_no_data(void **state)
{
	(void)state;
	check_all("open", CALL_OPEN, (const int[]){ EIO, EMFILE }, 2);
	check_all("removal", CALL_UNLINK, (const int[]){ EIO }, 1);
}

/* Controls */

static void test_a_log_that_is_not_cut_back_has_refused_data(void **state)
{
	(void)state;
	counts_clear();
	disk.keeps = true;
	all_faults(CALL_SYNC, 1, EIO);
	disk.keeps = false;
	print_message("%u images, %u have refused data\n", test.images, test.ran);
	assert_true(test.ran > 0);
}

static void test_a_disk_that_forgets_loses_acknowledged_data(void **state)
{
	(void)state;
	counts_clear();
	disk.forgets = true;
	for (int i = 0; i < 10; i++)
		life_with_fault(CALL_OPEN, 0, 0, 0);
	disk.forgets = false;
	print_message("%u images, acknowledged data is missing in %u, %u are damaged\n", test.images, test.lost,
		      test.damaged);
	assert_true(test.lost + test.damaged > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_writes_lose_no_data_and_leave_none),
		cmocka_unit_test(test_failing_syncs_lose_no_data_and_leave_none),
		cmocka_unit_test(test_a_failing_disk_loses_no_data_and_leaves_none),
		cmocka_unit_test(test_failing_truncations_lose_no_data_and_leave_none),
		cmocka_unit_test(test_failing_reads_lose_no_data_and_leave_none),
		cmocka_unit_test(test_failing_opens_and_removals_lose_no_data),
		cmocka_unit_test(test_a_log_that_is_not_cut_back_has_refused_data),
		cmocka_unit_test(test_a_disk_that_forgets_loses_acknowledged_data),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
