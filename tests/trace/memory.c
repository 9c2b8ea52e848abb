/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: for an SWF file it does not grow with the lines, but with different names. When memory
 * runs out, the caller gets the error and no memory is leaked.
 */
#include "tests/failing_memory.h"
#include "tests/trace/given.h"

#include <malloc.h>

#define LINES 100000

/* Write jobs of this many users. */
static void lines_put(unsigned users)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fprintf(file, "; UnixStartTime: 1296571124\n");
	for (unsigned i = 0; i < LINES; i++)
		fprintf(file, "%u %u 0 1 1 -1 -1 1 9 -1 1 %u 1 -1 1 2 -1 -1\n", i, i, i % users);
	assert_int_equal(fclose(file), 0);
}

static size_t held_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* Return how much more memory is held after all lines than after the first thousand. */
static size_t growth(void)
{
	size_t before;

	assert_int_equal(opened(NULL), 0);
	for (unsigned i = 0; i < 1000; i++)
		next();
	before = held_bytes();
	assert_int_equal(jobs(), LINES - 1000);
	return held_bytes() - before;
}

static void test_memory_grows_with_names_and_not_with_lines(void **state)
{
	(void)state;
	lines_put(500);
	assert_int_equal(growth(), 0);
#ifdef CAN_FAIL				/* sanitizers count on their own */
	lines_put(50000);
	assert_true(growth() > 49000 * 8);
#endif
}

#ifdef CAN_FAIL
static const char *const traces[] = {
	"; Computer: x\n; Queue: 1 batch\n1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 1 2 -1 -1\n2 2 0 1 1 -1 -1 1 9 -1 1 -1 70000 -1 1 2 -1 -1\n",
	"q:h:users:ann:a:1:sge:0:1:2:3:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:NONE:staff:NONE:1:0:0:0:0:-l h_rt=5:0:NONE:0:0:0\n",
	"JobID|User|Submit|Elapsed|NCPUS|JobName\n1|ann|1700000000|60|8|x\n2||1700000000|60|8|y\n",
};

static void test_exhausted_memory_is_reported_without_a_leak(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(traces); i++)
		for (int sort = 0; sort < 2; sort++) {
			const struct trace_options options = { .sort = sort };
			bool done = false;

			put(traces[i], strlen(traces[i]));
			for (long n = 0; !done; n++) {
				long before = alive;
				int rc;

				left = n;
				rc = trace_open(&trace, path, &options, &error);
				while (rc == 0)
					rc = trace_next(trace, &job, &error);
				done = left >= 0;
				left = -1;
				trace_close(trace);
				trace = NULL;
				assert_int_equal(rc, done ? 1 : -ENOMEM);
				assert_int_equal(alive, before);
				assert_true(n < 1000);
			}
		}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_memory_grows_with_names_and_not_with_lines, setup, teardown),
#ifdef CAN_FAIL
		cmocka_unit_test_setup_teardown(test_exhausted_memory_is_reported_without_a_leak, setup,
						teardown),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
