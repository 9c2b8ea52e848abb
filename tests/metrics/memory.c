/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that are made while memory is missing: there is no page, or one that says so, and the next
 * page is complete. No memory leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sched/metrics/exporter.h"
#include "sched/process/clock.h"
#include "tests/reader/cell.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

static struct exporter exporter;
static bool ran_out;			/* an allocation has failed in the last page */

static void run_publish(struct fixture *fixture)
{
	fill(fixture);
	run_head(fixture->w.directory)->run = 1;
	run_head(fixture->w.directory)->now = clock_date();
	publish(fixture);
}

static void exporter_begin(const struct fixture *fixture)
{
	exporter_open(&exporter, &(struct exporter_options){ .cell = fixture->cell.directory,
							     .limits = buckets_usual,
							     .users = -1,
							     .names = NAMES_SLURM | NAMES_GRID });
}

/* Make a page. Returns NULL if memory has run out. */
static char *page_make(enum exposition_format format)
{
	char *text = NULL, *page;
	size_t bytes;
	int rc = exporter_scrape(&exporter, format, &text, &bytes);

	ran_out = left == -1;
	left = -1;
	if (rc) {
		assert_int_equal(rc, -ENOMEM);
		assert_null(text);
		return NULL;
	}
	page = strndup(text, bytes);
	free(text);
	return page;
}

static void test_a_page_without_memory_is_missing_or_says_so(void **state)
{
	run_publish(*state);
	for (int format = 0; format < PAGE_FORMATS; format++) {
		bool again = true;
		long n = 0;

		for (; again; n++) {
			long before = alive;
			char *page;

			exporter_begin(*state);
			left = n;
			page = page_make(format);
			again = ran_out;
			if (page && !strstr(page, "fairlead_up 1\n"))
				assert_non_null(strstr(page, "fairlead_up 0\n"));
			free(page);
			page = page_make(format);
			assert_non_null(page);
			if (!strstr(page, "fairlead_up 1\n") || !strstr(page, "fairlead_jobs{"))
				fail_msg("after allocation %ld: %s", n, page);
			free(page);
			exporter_close(&exporter);
			if (n > 0 && alive > before)		/* the first line of the log takes memory */
				fail_msg("allocation %ld: %ld blocks are left", n, alive - before);
		}
		print_message("%ld allocations\n", n);
		assert_true(n > 50);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_page_without_memory_is_missing_or_says_so, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
