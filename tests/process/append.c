/* SPDX-License-Identifier: Apache-2.0 */
/* Text appended to a file in directories where other users may write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/append.h"

static char directory[] = "/tmp/fairlead-append-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[2][100];
	static unsigned turn;

	turn = !turn;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", directory, name);
	return paths[turn];
}

static void assert_contents(const char *name, const char *expected)
{
	FILE *file = fopen(path_of(name), "r");
	char text[100];

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static void test_text_is_appended_to_a_file_that_is_made(void **state)
{
	(void)state;
	assert_int_equal(append_text(path_of("file"), "one\n", 4), 0);
	assert_int_equal(append_text(path_of("file"), "two\n", 4), 0);
	assert_contents("file", "one\ntwo\n");
}

static void test_a_link_a_pipe_and_another_users_file_are_refused(void **state)
{
	(void)state;
	assert_int_equal(append_text(path_of("target"), "old\n", 4), 0);
	assert_int_equal(symlink(path_of("target"), path_of("link")), 0);
	assert_int_equal(append_text(path_of("link"), "new\n", 4), -ELOOP);
	assert_string_equal(append_error_text(-ELOOP), "it is a symbolic link");
	assert_contents("target", "old\n");

	assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
	assert_int_equal(append_text(path_of("pipe"), "new\n", 4), -ENXIO);

	if (geteuid() == 0) {
		assert_int_equal(append_text(path_of("his"), "his\n", 4), 0);
		assert_int_equal(chown(path_of("his"), 65534, 65534), 0);
		assert_int_equal(append_text(path_of("his"), "new\n", 4), -EPERM);
		assert_contents("his", "his\n");
	}
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int end(void **state)
{
	static const char *const names[] = { "file", "target", "link", "pipe", "his" };

	(void)state;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		unlink(path_of(names[k]));
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_appended_to_a_file_that_is_made),
		cmocka_unit_test(test_a_link_a_pipe_and_another_users_file_are_refused),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
