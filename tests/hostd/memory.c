/* SPDX-License-Identifier: Apache-2.0 */
/* Scans of a spool when memory or descriptors are missing: no task seems to have ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/hostd/spool.h"
#include "sched/hostd/tasks.h"
#include "tests/failing_memory.h"

#define GROUPS 5u		/* of 1.1 and its two PE tasks, of 2.1 and of 3.1 */

static char dir[64];

static void group_put(const char *path, unsigned group)
{
	char name[200];
	FILE *out;

	snprintf(name, sizeof(name), "%s/active_jobs/%s", dir, path);
	assert_int_equal(mkdir(name, 0755), 0);
	strcat(name, "/addgrpid");
	out = fopen(name, "w");
	assert_non_null(out);
	fprintf(out, "%u\n", group);
	assert_int_equal(fclose(out), 0);
}

static int setup(void **state)
{
	char active[100];

	(void)state;
	umask(022);
	strcpy(dir, "/tmp/fairlead-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(active, sizeof(active), "%s/active_jobs", dir);
	if (mkdir(active, 0755))
		return -1;
	group_put("1.1", 20001);
	group_put("1.1/1.node", 20002);
	group_put("1.1/2.node", 20003);
	group_put("2.1", 20004);
	group_put("3.1", 20005);
	return 0;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void assert_complete(struct spool_scan *scan)
{
	assert_int_equal(scan->n, GROUPS);
	assert_int_equal(scan->odd, 0);
	spool_free(scan);
}

#ifdef CAN_FAIL
static void test_a_scan_without_memory_is_an_error(void **state)
{
	struct error error = { "" };
	struct spool_scan scan;
	long n = 0, living;
	int rc;

	(void)state;
	assert_int_equal(spool_scan(&scan, dir, &error), 0);
	assert_complete(&scan);
	living = alive;
	do {
		left = n;
		rc = spool_scan(&scan, dir, &error);
		left = -1;
		if (rc) {
			assert_int_equal(rc, -ENOMEM);
			assert_true(*error.text);
			assert_true(scan.n == 0 && !scan.entries);
		}
		n++;
	} while (rc);
	assert_complete(&scan);
	assert_int_equal(alive, living);
	assert_true(n > 3);
}

/* Tasks that could not be added are added by a later scan. */
static void test_tasks_without_memory_are_added_later(void **state)
{
	struct host_options options = HOST_OPTIONS;
	struct wire_task listed = { .job_number = 1, .task = 1, .start_time = 100, .tickets = 5 };
	struct error error = { "" };
	struct spool_scan scan;
	struct tasks_here *tasks;
	struct host *host;
	long n = 0;
	bool ran_out;

	(void)state;
	options.force = LEVER_NONE;
	assert_int_equal(spool_scan(&scan, dir, &error), 0);
	do {
		assert_int_equal(host_open(&host, &options, &error), 0);
		left = 0;
		assert_int_equal(tasks_create(&tasks, host), -ENOMEM);
		left = -1;
		assert_int_equal(tasks_create(&tasks, host), 0);
		left = n++;
		tasks_found(tasks, &scan);
		tasks_receive(tasks, &listed, 1);
		ran_out = left == -1;
		left = -1;
		if (ran_out)
			assert_true(tasks_failed(tasks) > 0 || tasks_count(tasks) == 3);
		assert_int_equal(tasks_failed(tasks), 0);
		tasks_found(tasks, &scan);
		assert_int_equal(tasks_failed(tasks), 0);
		assert_int_equal(tasks_count(tasks), 3);
		tasks_destroy(tasks);
		host_close(host);
	} while (ran_out);
	assert_true(n > 3);
	spool_free(&scan);
}
#endif

static void test_a_scan_without_descriptors_is_an_error(void **state)
{
	struct rlimit before, few;
	struct error error = { "" };
	struct spool_scan scan;
	rlim_t n = 4;
	int rc;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	do {
		few.rlim_cur = n++;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		rc = spool_scan(&scan, dir, &error);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		if (rc)
			assert_int_equal(rc, -EMFILE);
	} while (rc);
	assert_complete(&scan);
	assert_true(n > 6);
}

static void test_a_path_that_is_too_long_is_refused(void **state)
{
	static char path[5000];
	struct error error = { "" };
	struct spool_scan scan;

	(void)state;
	memset(path, 'a', sizeof(path) - 1);
	assert_int_equal(spool_scan(&scan, path, &error), -ENAMETOOLONG);
	assert_non_null(strstr(error.text, "too long"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef CAN_FAIL
		TEST(test_a_scan_without_memory_is_an_error),
		TEST(test_tasks_without_memory_are_added_later),
#endif
		TEST(test_a_scan_without_descriptors_is_an_error),
		TEST(test_a_path_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
