/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power loss at any moment: acknowledged transactions are present, no transaction is present in
 * part, and the store is intact. The negative control, a store that does not wait for the disk,
 * must lose data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "tests/store/power_vfs.h"
#include "tests/store/file.h"

#define STEPS 300
#define JOBS 12

static struct {
	char live[80], image[80];
	unsigned seed;
	int writes_left;		/* until the power fails; 0: it has failed */
	uint32_t acknowledged;		/* acknowledged version */
	uint32_t at_cut;		/* version when the power failed */
	unsigned cuts, lost, damaged;
} test;

/* The stored data: each transaction raises the version of all jobs and their tasks by one */

static int store_version(struct store *store, uint32_t version, struct error *error)
{
	char text[3000];
	int code = 0;

	snprintf(text, sizeof(text), "%u", version);
	for (uint32_t i = 1; code == 0 && i <= JOBS; i++) {
		struct stored_job job = some_job(i);
		struct stored_task task = some_task(i, 1 + version % 3);
		char padding[2500];

		memset(padding, 'x', sizeof(padding));
		padding[rand_r(&test.seed) % sizeof(padding)] = '\0';
		padding[sizeof(padding) - 1] = '\0';
		job.waiting = text;
		job.execution = padding;	/* adds and frees pages */
		code = store_job_put(store, &job, error);
		task.boot = text;
		if (code == 0)
			code = store_task_put(store, &task, error);
		if (code == 0 && version > 3)
			code = store_task_remove(store, i, 1 + (version - 1) % 3, error);
	}
	return code == 0 ? store_meta_put(store, "version", text, error) : code;
}

static int see_version(void *context, const struct stored_job *job)
{
	uint32_t version = (uint32_t)strtoul(job->waiting, NULL, 10), *common = context;

	*common = *common == 0 ? version : *common == version ? version : UINT32_MAX;
	return 0;
}

/* Return the common version of all rows of a store; UINT32_MAX: several versions. */
static uint32_t version_of(struct store *store)
{
	uint32_t version = 0;
	char text[20] = "0";
	int code = store_meta_get(store, "version", text, sizeof(text), NULL);

	if ((code != 0 && code != -ENOENT) || store_jobs_each(store, see_version, &version, NULL) != 0)
		return UINT32_MAX;
	return version == strtoul(text, NULL, 10) ? version : UINT32_MAX;
}

/* Power */

static void count_down(void)
{
	if (test.writes_left == 0 || --test.writes_left > 0)
		return;
	power_cut(test.image);
	test.at_cut = test.acknowledged;
}

static void check_image(void)
{
	char path[100], text[100];
	struct error error;
	struct store *store;
	uint32_t version = UINT32_MAX;
	int code;

	snprintf(path, sizeof(path), "%s/store", test.image);
	code = store_open(&store, path, &error);
	test.cuts++;
	if (code == 0 && strcmp(query_one(store, "PRAGMA integrity_check", text, sizeof(text)), "ok") == 0)
		version = version_of(store);
	if (version == UINT32_MAX)
		test.damaged++;
	else if (version < test.at_cut || version > test.at_cut + 1)
		test.lost++;
	store_close(store);
	directory_clear(test.image);
}

static void step(struct store *store, uint32_t version)
{
	struct error error = { "" };
	bool after = rand_r(&test.seed) % 3 == 0;	/* time of the acknowledgement */

	test.writes_left = after ? 0 : 1 + rand_r(&test.seed) % 30;
	if (store_version(store, version, &error) || store_commit(store, &error))
		fail_msg("%s", error.text);
	test.acknowledged = version;
	if (!after && test.writes_left > 0)
		after = true;
	test.writes_left = 0;
	if (after) {
		power_cut(test.image);
		test.at_cut = version;
	}
	check_image();
}

static void work(const char *pragma)
{
	struct error error;
	struct store *s;
	char path[100];

	test.cuts = test.lost = test.damaged = test.acknowledged = 0;
	snprintf(path, sizeof(path), "%s/store", test.live);
	power_watch(test.live, test.seed);
	assert_int_equal(store_open(&s, path, &error), 0);
	assert_int_equal(sqlite3_exec(s->db, pragma, NULL, NULL, NULL), SQLITE_OK);
	power.written = count_down;
	for (uint32_t version = 1; version <= STEPS; version++)
		step(s, version);
	power.written = NULL;
	store_close(s);
	power_forget();
	directory_clear(test.live);
	print_message("%u power failures, %u lost data, %u left damage\n", test.cuts, test.lost, test.damaged);
}

static void test_acknowledged_data_survives_power_loss(void **state)
{
	(void)state;
	work("PRAGMA wal_autocheckpoint = 20");
	assert_int_equal(test.cuts, STEPS);
	assert_int_equal(test.lost, 0);
	assert_int_equal(test.damaged, 0);
}

static void test_a_store_that_does_not_wait_for_the_disk_loses_something(void **state)
{
	(void)state;
	work("PRAGMA wal_autocheckpoint = 20; PRAGMA synchronous = NORMAL");
	assert_true(test.lost > STEPS / 10);
	work("PRAGMA wal_autocheckpoint = 20; PRAGMA synchronous = OFF");
	assert_true(test.lost + test.damaged > STEPS / 10);
	assert_true(test.damaged > 0);
}

static int begin(void **state)
{
	(void)state;
	test.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	print_message("SEED=%u\n", test.seed);
	return live_and_image_make(test.live, test.image);
}

static int end(void **state)
{
	(void)state;
	return live_and_image_remove(test.live, test.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acknowledged_data_survives_power_loss),
		cmocka_unit_test(test_a_store_that_does_not_wait_for_the_disk_loses_something),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
