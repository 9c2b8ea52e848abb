/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of a dump are written, by root perhaps, and where not. */
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
#include "sched/cli/dump_files.h"

struct place { char top[40], copy[60], moved[60], other[60]; };

static int setup(void **state)
{
	static struct place p;

	*state = &p;
	strcpy(p.top, "/tmp/fairlead-dump-XXXXXX");
	if (!mkdtemp(p.top))
		return -1;
	snprintf(p.copy, sizeof(p.copy), "%s/copy", p.top);
	snprintf(p.moved, sizeof(p.moved), "%s/moved", p.top);
	snprintf(p.other, sizeof(p.other), "%s/other", p.top);
	return mkdir(p.other, 0700);
}

static int teardown(void **state)
{
	const struct place *p = *state;
	char command[80];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->top);
	return system(command);
}

static bool is_there(const char *directory, const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

static int write_file(int fd, const struct place *p, const char *name)
{
	struct cell_file file = { .name = (char *)(uintptr_t)name, .text = (char *)(uintptr_t)"name x\n" };

	return dump_files(fd, p->copy, &(struct cell_files){ &file, 1 });
}

static void test_a_directory_that_is_exchanged_for_a_link_is_not_followed(void **state)
{
	const struct place *p = *state;
	int fd;

	assert_int_equal(dump_directory_make(p->copy, &fd), EXIT_OK);
	assert_int_equal(rename(p->copy, p->moved), 0);
	assert_int_equal(symlink(p->other, p->copy), 0);
	assert_int_equal(write_file(fd, p, "users/ann"), EXIT_OK);
	assert_true(is_there(p->moved, "users/ann"));
	assert_false(is_there(p->other, "users"));
	close(fd);
}

static void test_names_lead_to_no_other_place(void **state)
{
	static const char *const names[] = { "../other/x", "a/../../other/x", "", ".", "..", "a//b", "a/", "./a", "link/x" };
	const struct place *p = *state;
	char link[80];
	int fd;

	assert_int_equal(dump_directory_make(p->copy, &fd), EXIT_OK);
	snprintf(link, sizeof(link), "%s/link", p->copy);
	assert_int_equal(symlink(p->other, link), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (write_file(fd, p, names[i]) == EXIT_OK)
			fail_msg("\"%s\" is written", names[i]);
	assert_false(is_there(p->other, "x"));
	assert_int_equal(write_file(fd, p, "sched_conf"), EXIT_OK);
	assert_int_not_equal(write_file(fd, p, "sched_conf"), EXIT_OK);
	close(fd);
}

static void test_a_directory_has_to_be_empty(void **state)
{
	const struct place *p = *state;
	int fd;

	assert_int_equal(dump_directory_make(p->top, &fd), EXIT_NO_DATA);
	assert_int_equal(fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_directory_that_is_exchanged_for_a_link_is_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names_lead_to_no_other_place, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_directory_has_to_be_empty, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
