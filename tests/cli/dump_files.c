/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of the files of a dump, which root may write, and refused paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/cli/cli.h"
#include "sched/cli/dump/files.h"

struct place { char top[40], copy[60], moved[60], other[60]; };

static int setup(void **state)
{
	static struct place place;

	*state = &place;
	strcpy(place.top, "/tmp/fairlead-dump-XXXXXX");
	if (!mkdtemp(place.top))
		return -1;
	snprintf(place.copy, sizeof(place.copy), "%s/copy", place.top);
	snprintf(place.moved, sizeof(place.moved), "%s/moved", place.top);
	snprintf(place.other, sizeof(place.other), "%s/other", place.top);
	return mkdir(place.other, 0700);
}

static int teardown(void **state)
{
	const struct place *place = *state;
	char command[80];

	snprintf(command, sizeof(command), "rm -rf '%s'", place->top);
	return system(command);
}

static bool is_there(const char *directory, const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

static int write_file(int fd, const struct place *place, const char *name)
{
	struct cell_file file = { .name = (char *)(uintptr_t)name, .text = (char *)(uintptr_t)"name x\n" };

	return dump_files(fd, place->copy, &(struct cell_files){ &file, 1 });
}

static void test_a_directory_that_is_exchanged_for_a_link_is_not_followed(void **state)
{
	const struct place *place = *state;
	int fd;

	assert_int_equal(dump_directory_make(place->copy, &fd), EXIT_OK);
	assert_int_equal(rename(place->copy, place->moved), 0);
	assert_int_equal(symlink(place->other, place->copy), 0);
	assert_int_equal(write_file(fd, place, "users/ann"), EXIT_OK);
	assert_true(is_there(place->moved, "users/ann"));
	assert_false(is_there(place->other, "users"));
	close(fd);
}

static void test_names_do_not_lead_out_of_the_directory(void **state)
{
	static const char *const names[] = { "../other/x", "a/../../other/x", "", ".", "..", "a//b", "a/",
					     "./a",	   "link/x" };
	const struct place *place = *state;
	char link[80];
	int fd;

	assert_int_equal(dump_directory_make(place->copy, &fd), EXIT_OK);
	snprintf(link, sizeof(link), "%s/link", place->copy);
	assert_int_equal(symlink(place->other, link), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (write_file(fd, place, names[i]) == EXIT_OK)
			fail_msg("\"%s\" is written", names[i]);
	assert_false(is_there(place->other, "x"));
	assert_int_equal(write_file(fd, place, "sched_conf"), EXIT_OK);
	assert_int_not_equal(write_file(fd, place, "sched_conf"), EXIT_OK);
	close(fd);
}

static void test_a_directory_has_to_be_empty(void **state)
{
	const struct place *place = *state;
	int fd;

	assert_int_equal(dump_directory_make(place->top, &fd), EXIT_NO_DATA);
	assert_int_equal(fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_directory_that_is_exchanged_for_a_link_is_not_followed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_names_do_not_lead_out_of_the_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_directory_has_to_be_empty, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
