/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a file from its end: pieces, unfinished ends, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/trace/tail.h"

static char path[] = "/tmp/fairlead-tail-XXXXXX";

static void given(const char *text, size_t n)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

/* Return all lines, the last one first, with a '|' after each. */
static const char *lines(int64_t most)
{
	static char all[4096];
	struct trace_tail tail;
	struct error error;
	char *line;
	int rc = trace_tail_open(&tail, path, most, &error);

	all[0] = '\0';
	while (rc == 0 && (rc = trace_tail_next(&tail, &line, &error)) == 0)
		strcat(strcat(all, line), "|");
	assert_int_equal(rc, 1);
	trace_tail_close(&tail);
	return all;
}

static void test_lines_are_returned_from_the_last_one_on(void **state)
{
	(void)state;
	given("one\ntwo\n\nfour\n", 14);
	assert_string_equal(lines(1 << 20), "four||two|one|");
	given("", 0);
	assert_string_equal(lines(1 << 20), "");
}

static void test_an_unfinished_line_is_not_read_yet(void **state)
{
	(void)state;
	given("one\ntwo\nthr", 11);
	assert_string_equal(lines(1 << 20), "two|one|");
	given("thr", 3);
	assert_string_equal(lines(1 << 20), "");
}

static void test_text_before_the_bound_is_not_read(void **state)
{
	(void)state;
	given("one\ntwo\nthree\n", 14);
	assert_string_equal(lines(10), "three|");	/* half of "two" is no line */
	assert_string_equal(lines(6), "");
	assert_string_equal(lines(14), "three|two|one|");
}

/* Pieces are 64 KiB: lines that cross their bounds, and longer ones. */
static void test_lines_may_be_longer_than_a_piece(void **state)
{
	enum { BYTES = 200000 };
	char *text = malloc(3 * BYTES), *line;
	struct trace_tail tail;
	struct error error;
	size_t n = 0;

	(void)state;
	for (int k = 0; k < 2; k++, n++) {
		memset(text + n, 'a' + k, BYTES);
		n += BYTES;
		text[n] = '\n';
	}
	for (int k = 0; k < 9000; k++)
		n += (size_t)sprintf(text + n, "%d\n", k);
	given(text, n);
	assert_int_equal(trace_tail_open(&tail, path, 1 << 20, &error), 0);
	for (int k = 9000; k-- > 0;) {
		assert_int_equal(trace_tail_next(&tail, &line, &error), 0);
		assert_int_equal(atoi(line), k);
	}
	for (int k = 1; k >= 0; k--) {
		assert_int_equal(trace_tail_next(&tail, &line, &error), 0);
		assert_int_equal(strlen(line), BYTES);
		assert_true(line[0] == 'a' + k && line[BYTES - 1] == 'a' + k);
	}
	assert_int_equal(trace_tail_next(&tail, &line, &error), 1);
	trace_tail_close(&tail);
	free(text);
}

static void test_a_special_file_is_refused(void **state)
{
	struct trace_tail tail;
	struct error error;

	(void)state;
	assert_int_equal(trace_tail_open(&tail, "/tmp", 100, &error), -EINVAL);
	trace_tail_close(&tail);
	assert_int_equal(trace_tail_open(&tail, "/tmp/fairlead-nosuch/file", 100, &error), -ENOENT);
	trace_tail_close(&tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_returned_from_the_last_one_on),
		cmocka_unit_test(test_an_unfinished_line_is_not_read_yet),
		cmocka_unit_test(test_text_before_the_bound_is_not_read),
		cmocka_unit_test(test_lines_may_be_longer_than_a_piece),
		cmocka_unit_test(test_a_special_file_is_refused),
	};
	int fd = mkstemp(path), failures;

	if (fd < 0)
		return 1;
	close(fd);
	failures = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failures;
}
