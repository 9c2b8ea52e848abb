/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits and cycles on a full or failing disk, or one that loses its power: acknowledged edits are
 * present then, a refused edit is neither active nor present, and no change is present in part.
 * Each call to the disk in a short life fails in turn. A disk that loses synced data must be
 * detected. STEPS=n in the environment sets the length of the life.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "tests/store/faulty_disk.h"
#include "tests/userprio/accounts.h"

struct disk_fault {
	enum disk_call call;
	uint64_t nth, times;		/* calls after the creation of the store; 0: none fails */
	int error;
};

static struct {
	char live[80], image[80];
	struct disk_fault fault;
	uint64_t calls;			/* of its kind, in the last life */
	unsigned seed, steps;
	char *acknowledged, *attempted;	/* required contents; allowed contents or NULL */
	unsigned images, wrong, refused, unsure;
	char first[200];
} test;

/* Found contents */

static void note(const char *what, const char *image)
{
	static const char *const calls[] = { "open", "read", "write", "sync", "truncate", "unlink" };

	if (!*test.first)
		snprintf(test.first, sizeof(test.first), "%s %s; %s %llu (errno %d, %llu times)", image, what,
			 calls[disk.call], (unsigned long long)disk.first, disk.error, (unsigned long long)disk.times);
	test.wrong++;
}

/* Check an image beside the live store. */
static void image_check(const char *image)
{
	struct userprio_policy lives = it.policy;
	struct store *store = NULL;
	struct error error = { "" };
	char path[100];
	char *found;

	snprintf(path, sizeof(path), "%s/store", test.image);
	policy_begin();
	it.policy.accountant.customers.six_decimals = false;
	test.images++;
	if (store_open(&store, path, &error) || rows_load(store, &it.durable, &error)) {
		note("cannot be read", image);
	} else {
		found = all_of_it();
		if (strcmp(found, test.acknowledged) != 0 && (!test.attempted || strcmp(found, test.attempted) != 0))
			note("differs from the acknowledged state", image);
		free(found);
	}
	store_close(store);
	policy_end();
	it.policy = lives;
	directory_clear(test.image);
}

/* A life */

static void replace(char **text, char *by)
{
	free(*text);
	*text = by;
}

static bool is_edit(unsigned step)
{
	return step % 3 != 2;
}

static void act(unsigned step)
{
	static const enum customer_edit_kind kinds[] = { EDIT_FACTOR, EDIT_CEILING, EDIT_DELETE, EDIT_FLOOR,
							 EDIT_RESET_ALL };
	int64_t now = BEGIN_TIME + 50 * (int64_t)step;
	char name[32], slot[32];

	snprintf(name, sizeof(name), "u%u@pool", step % 4);
	snprintf(slot, sizeof(slot), "slot%u@node", step);
	if (is_edit(step)) {
		edit(name, kinds[step % 5], 2.0 + step, step % 2 ? 60 : 0, now);
		return;
	}
	cycle(now);
	claim_begin(slot, step, name, 1.0 + step % 3, now);
	if (step > 6) {
		snprintf(slot, sizeof(slot), "slot%u@node", step - 3);
		claim_end(slot, step - 3, now);
	}
}

/* Make a step. Return 0, or -ENOTRECOVERABLE if the result is unknown and the process ends. */
static int step_make(unsigned step)
{
	char *before = all_of_it(), *after;
	struct error error = { "" };
	int rc;

	act(step);
	replace(&test.attempted, all_of_it());
	rc = store_rows_save(file.store, &error);
	rc = store_commit(file.store, rc ? NULL : &error);
	if (rc == 0) {
		replace(&test.acknowledged, test.attempted);
		test.attempted = NULL;
	} else if (rc != -ENOTRECOVERABLE) {
		replace(&test.attempted, NULL);
		test.refused++;
		if (is_edit(step)) {
			userprio_unedit(&it.policy.policy, run_of());
			after = all_of_it();
			assert_string_equal(before, after);
			free(after);
		}
	}
	test.unsure += rc == -ENOTRECOVERABLE;
	free(before);
	return rc == -ENOTRECOVERABLE ? rc : 0;
}

static void live(void)
{
	bool looked = false;
	uint64_t made;

	snprintf(file.path, sizeof(file.path), "%.70s/store", test.live);
	policy_begin();
	it.policy.accountant.customers.six_decimals = false;
	replace(&test.attempted, NULL);
	OPEN(&file);
	accounts_attach();
	it.policy.accountant.customers.last_update = BEGIN_TIME;
	OK(&file, store_rows_save(file.store, &file.error));
	OK(&file, store_commit(file.store, &file.error));
	replace(&test.acknowledged, all_of_it());
	sqlite3_exec(file.store->db, "PRAGMA wal_autocheckpoint = 8", NULL, NULL, NULL);
	made = disk.calls[test.fault.call];
	disk.call = test.fault.call;
	disk.first = made + test.fault.nth;
	disk.times = test.fault.times;
	disk.error = test.fault.error;
	for (unsigned step = 1; step <= test.steps; step++) {
		int rc = step_make(step);

		if (disk.failed && !looked)
			disk_images_check(test.image, image_check);
		looked |= disk.failed;
		if (rc)
			break;
	}
	test.calls = disk.calls[test.fault.call] - made;
	store_close(file.store);
	file.store = NULL;
	disk_images_check(test.image, image_check);
	policy_end();
	disk_forget();
	directory_clear(test.live);
}

/* Fail every call of a kind, as often as a life makes it. */
static unsigned all_faults(enum disk_call call, uint64_t times, int error)
{
	uint64_t calls;

	disk_watch(test.live, ++test.seed);
	test.fault = (struct disk_fault){ .call = call };
	live();
	calls = test.calls;
	for (uint64_t n = 1; n <= calls; n++) {
		disk_watch(test.live, ++test.seed);
		test.fault = (struct disk_fault){ call, n, times, error };
		live();
	}
	return (unsigned)calls;
}

static void check_all(const char *name, enum disk_call call, const int *errors, size_t n)
{
	unsigned calls = 0;

	test.images = test.wrong = test.refused = test.unsure = 0;
	test.first[0] = '\0';
	for (size_t i = 0; i < n; i++)
		for (uint64_t times = 1; times != 0; times = times == 1 ? UINT64_MAX : 0)
			calls = all_faults(call, times, errors[i]);
	print_message("%u %ss, each fails in %zu ways: %u images; transactions refused %u, unsure %u\n", calls, name,
		      2 * n, test.images, test.refused, test.unsure);
	if (test.wrong)
		fail_msg("%u images are wrong: %s", test.wrong, test.first);
	assert_true(calls > 0);
}

static void test_failing_writes_lose_no_edit_and_leave_none(void **state)
{
	(void)state;
	check_all("write", CALL_WRITE, (const int[]){ ENOSPC, EIO, 0 }, 3);
	assert_true(test.refused > 0);
}

static void test_failing_syncs_lose_no_edit_and_leave_none(void **state)
{
	(void)state;
	check_all("sync", CALL_SYNC, (const int[]){ EIO, ENOSPC }, 2);
	assert_true(test.refused > 0);
}

/* The negative control. */
static void test_a_disk_that_forgets_loses_edits(void **state)
{
	(void)state;
	test.images = test.wrong = 0;
	for (unsigned k = 0; k < 5; k++) {
		disk_watch(test.live, ++test.seed);
		test.fault = (struct disk_fault){ .call = CALL_WRITE };
		disk.forgets = true;
		live();
		disk.forgets = false;
	}
	print_message("%u images, %u differ from the acknowledged state\n", test.images, test.wrong);
	assert_true(test.wrong > 0);
}

static int begin(void **state)
{
	const char *steps = getenv("STEPS"), *seed = getenv("SEED");

	if (setup(state) || condor_defaults(&it.conf))
		return -1;
	it.f = *state;
	it.keeper = (struct row_keeper){ &it.policy.policy, &userprio_rows };
	it.durable = (struct durable){ sched_durable(it.f->sched)->run, &it.keeper, 1 };
	test.seed = seed ? (unsigned)atoi(seed) : (unsigned)time(NULL);
	test.steps = steps ? (unsigned)atoi(steps) : 10;
	print_message("SEED=%u STEPS=%u\n", test.seed, test.steps);
	return live_and_image_make(test.live, test.image);
}

static int end(void **state)
{
	int code = teardown(state);

	free(test.acknowledged);
	free(test.attempted);
	condor_free(&it.conf);
	return live_and_image_remove(test.live, test.image) || code;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_writes_lose_no_edit_and_leave_none),
		cmocka_unit_test(test_failing_syncs_lose_no_edit_and_leave_none),
		cmocka_unit_test(test_a_disk_that_forgets_loses_edits),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
