/* SPDX-License-Identifier: Apache-2.0 */
/* Files between scheduler and shepherd when memory is missing: no record counts as damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "sched/shepherd/record.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

static const char begun[] = "{\"shepherd\":100,\"shepherd_start\":1,\"pid\":101,\"pid_start\":2}";
static const char ended[] =
	"{\"start_time\":10.5,\"end_time\":20.5,\"wait_status\":256,\"exit_status\":1,\"signal\":0,\"core\":false,\"failed\":0,"
	"\"text\":\"fine\",\"usage\":{\"ru_wallclock\":1.5,\"ru_utime\":0.5,\"ru_stime\":0.25,\"ru_maxrss\":100,\"ru_ixrss\":0,"
	"\"ru_ismrss\":0,\"ru_idrss\":0,\"ru_isrss\":0,\"ru_minflt\":1,\"ru_majflt\":2,\"ru_nswap\":0,\"ru_inblock\":3,"
	"\"ru_oublock\":4,\"ru_msgsnd\":0,\"ru_msgrcv\":0,\"ru_nsignals\":0,\"ru_nvcsw\":5,\"ru_nivcsw\":6,\"cpu\":0.75,\"mem\":0,"
	"\"io\":0.125,\"maxvmem\":102400}}";

/*
 * The memory of Jansson: its first allocation fails on request. Later ones do not, because Jansson
 * 2.14 crashes when memory ends in the middle of a text.
 */
static bool json_fails;

static void *json_memory(size_t size)
{
	bool refused = json_fails;

	json_fails = false;
	errno = refused ? ENOMEM : errno;
	return refused ? NULL : __libc_malloc(size);
}

static char dir[64];
static int dirfd = -1;

static int setup(void **state)
{
	(void)state;
	json_set_alloc_funcs(json_memory, __libc_free);
	umask(022);
	strcpy(dir, "/tmp/fairlead-test-XXXXXX");
	dirfd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return dirfd < 0;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	close(dirfd);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void put(const char *name, const char *text)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void test_a_record_that_cannot_be_read_for_lack_of_memory_is_not_damaged(void **state)
{
	struct error error = { "" };
	struct attempt attempt;
	long n = 0, living = alive;
	int rc;

	(void)state;
	put("begun", begun);
	put("exit", ended);
	do {
		json_fails = n == 0;
		left = n++ - 1;
		rc = attempt_look(dirfd, &attempt, &error);
		left = -1;
		if (rc != 0 && rc != -ENOMEM)
			fail_msg("allocation %ld: %s", n - 2, error.text);
		if (rc)
			assert_false(attempt.exited);
		assert_int_equal(alive, living);
	} while (rc);
	assert_true(attempt.exited && attempt.exit.wait_status == 256);
	assert_true(n > 2);
}

static void test_a_config_that_cannot_be_written_leaves_the_old_one(void **state)
{
	struct error error = { "" };
	long n = 0;
	int rc;

	(void)state;
	assert_int_equal(attempt_config_write(dirfd, "{\"a\":1}", &error), 0);
	do {
		char text[20] = "";
		int fd;

		left = n++;
		rc = attempt_config_write(dirfd, "{\"b\":2}", &error);
		left = -1;
		fd = openat(dirfd, "config", O_RDONLY);
		assert_int_equal(read(fd, text, sizeof(text) - 1), 7);
		close(fd);
		assert_string_equal(text, rc ? "{\"a\":1}" : "{\"b\":2}");
	} while (rc);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_record_that_cannot_be_read_for_lack_of_memory_is_not_damaged),
		TEST(test_a_config_that_cannot_be_written_leaves_the_old_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
