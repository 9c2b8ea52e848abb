/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short life of a store whose calls to the disk or whose allocations fail. Afterwards the process
 * is killed or the power fails, and each image of the disk is checked. For one file of a program.
 * TRANSACTIONS=n in the environment sets the length of the life.
 */
#ifndef TESTS_STORE_FAULTY_LIFE_H
#define TESTS_STORE_FAULTY_LIFE_H

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
	unsigned refused, unsure, not_opened;	/* number of lives with this event */
	/* Images without acknowledged data, with refused data, that cannot be opened. */
	unsigned lost, ran, damaged;
	char first[400];		/* the first of them, in words */
} test;

/* Found images */

static void note(unsigned *count, const char *what, const char *image, const char *why)
{
	static const char *const calls[] = { "open", "read", "write", "sync", "truncate", "unlink" };

	if (!*test.first)
		snprintf(test.first, sizeof(test.first), "%s %s after %s %llu (errno %d, %llu times): %s", image, what,
			 calls[disk.call], (unsigned long long)disk.first, disk.error, (unsigned long long)disk.times,
			 why);
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
	struct store *store;

	test.images++;
	snprintf(path, sizeof(path), "%s/store", test.image);
	if (store_open(&store, path, &error) || store_jobs_each(store, see_job, seen, &error) ||
	    store_tasks_each(store, see_task, seen, &error) ||
	    strcmp(query_one(store, "PRAGMA integrity_check", text, sizeof(text)), "ok") != 0) {
		note(&test.damaged, "is damaged", image, error.text);
	} else {
		for (uint32_t i = 1; i <= test.transactions; i++) {
			snprintf(number, sizeof(number), "%u", i);
			if (test.fate[i] == ACKNOWLEDGED && seen[i] != 3)
				note(&test.lost, "acknowledged data is missing", image, number);
			else if (test.fate[i] == REFUSED && seen[i] != 0)
				note(&test.ran, "refused data is present", image, number);
			else if (seen[i] != 0 && seen[i] != 3)
				note(&test.damaged, "has half a transaction", image, number);
		}
	}
	store_close(store);
	directory_clear(test.image);
}

/* A life */

static int transact(struct store *store, uint32_t number, struct error *error)
{
	struct stored_job job = some_job(number);
	struct stored_task task = some_task(number, 1);
	char padding[6000], text[20];
	int code;

	snprintf(text, sizeof(text), "%u", number);
	memset(padding, 'x', sizeof(padding));
	padding[number * 997 % sizeof(padding)] = '\0';
	job.execution = padding;	/* adds and frees pages */
	padding[sizeof(padding) - 1] = '\0';
	code = store_job_put(store, &job, error);
	if (code == 0)
		code = store_meta_put(store, "last", text, error);
	if (code == 0)
		code = store_task_put(store, &task, error);
	return store_commit(store, code ? NULL : error);
}

/* Run a process. Return false if it had to end. */
static bool live(uint32_t first, uint32_t last)
{
	char path[100];
	struct error error;
	struct store *store;
	bool looked = disk.failed, sure = true;

	snprintf(path, sizeof(path), "%s/store", test.live);
	if (store_open(&store, path, &error) != 0) {
		test.not_opened++;
		return false;
	}
	sqlite3_exec(store->db, "PRAGMA wal_autocheckpoint = 12", NULL, NULL, NULL);
	for (uint32_t i = first; sure && i <= last; i++) {
		int code = transact(store, i, &error);

		test.fate[i] = code == 0 ? ACKNOWLEDGED : code == -ENOTRECOVERABLE ? UNSURE : REFUSED;
		test.refused += test.fate[i] == REFUSED;
		test.unsure += test.fate[i] == UNSURE;
		sure = test.fate[i] != UNSURE;
		if (disk.failed && !looked)
			disk_images_check(test.image, image_check);
		looked |= disk.failed;
	}
	store_close(store);
	return sure;
}

static void counts_clear(void)
{
	test.images = test.refused = test.unsure = test.not_opened = test.lost = test.ran = test.damaged = 0;
	test.first[0] = '\0';
}

static void check_nothing_wrong(void)
{
	if (test.lost || test.ran || test.damaged)
		fail_msg("%u lost data, %u had refused data, %u were damaged; %s", test.lost, test.ran,
			 test.damaged, test.first);
}

static int begin(void **state)
{
	(void)state;
	test.transactions = getenv("TRANSACTIONS") ? (uint32_t)atoi(getenv("TRANSACTIONS")) : 8;
	test.transactions = test.transactions < TRANSACTIONS_MAX ? test.transactions : TRANSACTIONS_MAX;
	test.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	print_message("SEED=%u\n", test.seed);
	return live_and_image_make(test.live, test.image);
}

static int end(void **state)
{
	(void)state;
	return live_and_image_remove(test.live, test.image);
}

#endif
