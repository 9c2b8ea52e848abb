/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trust in files: owner, mode, type and link of a file, of its directory, and of the directories
 * above.
 */
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
#include <sys/wait.h>
#include <unistd.h>

#include "sched/process/trust.h"

#define OTHER 12345
#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof(*(ARRAY)))

static char dir[64];
static struct error error;

static const char *in_dir(const char *name)
{
	static char paths[4][300];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void make(const char *name, mode_t mode)
{
	assert_int_equal(mkdir(in_dir(name), 0755), 0);
	assert_int_equal(chmod(in_dir(name), mode), 0);
}

static void put(const char *name, mode_t mode)
{
	int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void own(const char *name, uid_t uid)
{
	assert_int_equal(lchown(in_dir(name), uid, (gid_t)-1), 0);
}

static int setup(void **state)
{
	(void)state;
	umask(0);
	strcpy(dir, "/tmp/fairlead-test-XXXXXX");
	return mkdtemp(dir) ? chmod(dir, 0755) : -1;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Return 0 or -errno. */
static int tried(const char *path, int flags, unsigned others)
{
	int fd = trust_open(path, flags, 0600, others, &error);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void refused(int rc, int code, const char *words)
{
	assert_int_equal(rc, code);
	if (!strstr(error.text, words))
		fail_msg("\"%s\" is not in: %s", words, error.text);
}

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("only root can give files away\n");
		skip();
	}
}

/* Target of a path */

static void test_a_file_is_accepted_by_its_mode(void **state)
{
	static const struct { mode_t mode; int write, read;
	} modes[] = {
		{ 0600, 0, 0 },		  { 0400, 0, 0 },
		{ 0644, 0, -EPERM },	  { 0640, 0, -EPERM },
		{ 0604, 0, -EPERM },	  { 0664, -EPERM, -EPERM },
		{ 0620, -EPERM, -EPERM }, { 0602, -EPERM, -EPERM },
		{ 0666, -EPERM, -EPERM }, { 01666, -EPERM, -EPERM },
	};

	(void)state;
	put("file", 0600);
	for (size_t i = 0; i < COUNT(modes); i++) {
		assert_int_equal(chmod(in_dir("file"), modes[i].mode), 0);
		assert_int_equal(tried(in_dir("file"), O_RDONLY, TRUST_WRITE), modes[i].write);
		assert_int_equal(tried(in_dir("file"), O_RDONLY, TRUST_READ), modes[i].read);
	}
	refused(tried(in_dir("file"), O_RDONLY, TRUST_READ), -EPERM,
		"mode 1666, so others may change it; 1600 is expected");
	refused(tried(in_dir("file"), O_RDONLY, TRUST_READ), -EPERM, in_dir("file"));
}

static void test_a_directory_is_accepted_by_mode_and_sticky_only_on_the_way(void **state)
{
	static const struct { mode_t mode; int itself, below;
	} modes[] = {
		{ 0755, 0, 0 },		  { 0700, 0, 0 },	    { 0775, -EPERM, -EPERM },
		{ 0777, -EPERM, -EPERM }, { 0757, -EPERM, -EPERM }, { 01777, -EPERM, 0 },
		{ 01775, -EPERM, 0 },	  { 02755, 0, 0 },	    { 02775, -EPERM, -EPERM },
	};

	(void)state;
	make("way", 0755);
	put("way/file", 0600);
	for (size_t i = 0; i < COUNT(modes); i++) {
		assert_int_equal(chmod(in_dir("way"), modes[i].mode), 0);
		assert_int_equal(tried(in_dir("way"), O_RDONLY | O_DIRECTORY, TRUST_WRITE), modes[i].itself);
		assert_int_equal(tried(in_dir("way/file"), O_RDONLY, TRUST_WRITE), modes[i].below);
	}
}

static void test_owners_are_root_and_ourselves(void **state)
{
	(void)state;
	need_root();
	make("way", 0755);
	put("way/file", 0600);
	own("way/file", OTHER);
	refused(tried(in_dir("way/file"), O_RDONLY, TRUST_WRITE), -EPERM,
		"/way/file: it belongs to user 12345 and has mode 0600; only root may own it");
	own("way/file", 0);
	assert_int_equal(tried(in_dir("way/file"), O_RDONLY, TRUST_WRITE), 0);
	own("way", OTHER);
	refused(tried(in_dir("way/file"), O_RDONLY, TRUST_WRITE), -EPERM, "/way: it belongs to user 12345");
	assert_int_equal(chmod(in_dir("way"), 01777), 0);
	refused(tried(in_dir("way/file"), O_RDONLY, TRUST_WRITE), -EPERM, "/way: it belongs to user 12345");
}

static int as_other(void)
{
	own("own", OTHER);
	own("own/file", OTHER);
	own("foreign/file", OTHER + 1);
	if (setuid(OTHER) || tried(in_dir("own/file"), O_RDONLY, TRUST_WRITE))
		return 1;
	/* Root needs no write access to our files to act as us. */
	if (tried(in_dir("roots/file"), O_RDONLY, TRUST_WRITE))
		return 2;
	if (tried(in_dir("foreign/file"), O_RDONLY, TRUST_WRITE) != -EPERM ||
	    !strstr(error.text, "only root or user 12345 may own it"))
		return 3;
	return 0;
}

static void test_an_ordinary_user_trusts_root_and_itself(void **state)
{
	static const char *const names[] = { "own", "roots", "foreign" };
	char path[40];
	int status;

	(void)state;
	need_root();
	for (size_t i = 0; i < COUNT(names); i++) {
		make(names[i], 0755);
		snprintf(path, sizeof(path), "%s/file", names[i]);
		put(path, 0644);
	}
	if (fork() == 0)
		_exit(as_other());
	assert_true(wait(&status) > 0 && WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_a_special_file_is_refused_without_waiting(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	make("directory", 0755);
	put("file", 0600);
	refused(tried(in_dir("pipe"), O_RDONLY, TRUST_WRITE), -EINVAL, "not a regular file");
	refused(tried(in_dir("directory"), O_RDONLY, TRUST_WRITE), -EINVAL, "not a regular file");
	refused(tried(in_dir("directory"), O_RDWR, TRUST_WRITE), -EISDIR, "Is a directory");
	refused(tried(in_dir("file"), O_RDONLY | O_DIRECTORY, TRUST_WRITE), -ENOTDIR, "Not a directory");
	refused(tried(in_dir("file/below"), O_RDONLY, TRUST_WRITE), -ENOTDIR, "Not a directory");
	refused(tried(in_dir("nothing"), O_RDONLY, TRUST_WRITE), -ENOENT, "No such file");
	refused(tried("", O_RDONLY, TRUST_WRITE), -ENOENT, "No such file");
	refused(tried("/dev/null", O_RDONLY, TRUST_WRITE), -EINVAL, "not a regular file");
}

static void test_a_file_with_a_second_name_is_refused(void **state)
{
	(void)state;
	put("file", 0600);
	assert_int_equal(link(in_dir("file"), in_dir("other")), 0);
	refused(tried(in_dir("file"), O_RDONLY, TRUST_WRITE), -EPERM, "second name");
	assert_int_equal(unlink(in_dir("other")), 0);
	assert_int_equal(tried(in_dir("file"), O_RDONLY, TRUST_WRITE), 0);
}

/* Links */

static void test_links_on_the_way_are_resolved_and_checked(void **state)
{
	(void)state;
	make("real", 0755);
	put("real/file", 0600);
	assert_int_equal(symlink("real", in_dir("near")), 0);
	assert_int_equal(symlink(in_dir("near"), in_dir("far")), 0);
	assert_int_equal(symlink("../real/./file", in_dir("real/again")), 0);
	assert_int_equal(tried(in_dir("far/file"), O_RDONLY | O_NOFOLLOW, TRUST_WRITE), 0);
	assert_int_equal(tried(in_dir("far//.././far/file"), O_RDONLY, TRUST_WRITE), 0);
	assert_int_equal(tried(in_dir("far/again"), O_RDONLY, TRUST_WRITE), 0);
	assert_int_equal(tried(in_dir("near"), O_RDONLY | O_DIRECTORY, TRUST_WRITE), 0);
	refused(tried(in_dir("far/again"), O_RDONLY | O_NOFOLLOW, TRUST_WRITE), -ELOOP, "it is a link");
	assert_int_equal(symlink("circle", in_dir("circle")), 0);
	refused(tried(in_dir("circle"), O_RDONLY, TRUST_WRITE), -ELOOP, "symbolic links");
	assert_int_equal(symlink("nowhere", in_dir("dangling")), 0);
	refused(tried(in_dir("dangling"), O_RDONLY, TRUST_WRITE), -ENOENT, "/nowhere");
	assert_int_equal(chmod(in_dir("real"), 0777), 0);
	refused(tried(in_dir("far/file"), O_RDONLY, TRUST_WRITE), -EPERM, "/real: it belongs");
}

static void test_a_link_made_by_another_user_is_refused_wherever_it_leads(void **state)
{
	(void)state;
	need_root();
	make("shared", 01777);
	make("real", 0755);
	put("real/file", 0600);
	assert_int_equal(symlink(in_dir("real"), in_dir("shared/link")), 0);
	assert_int_equal(tried(in_dir("shared/link/file"), O_RDONLY, TRUST_WRITE), 0);
	own("shared/link", OTHER);
	refused(tried(in_dir("shared/link/file"), O_RDONLY, TRUST_WRITE), -EPERM,
		"/shared/link: it belongs to user 12345");
	refused(tried(in_dir("shared/link"), O_RDONLY | O_DIRECTORY, TRUST_WRITE), -EPERM,
		"/shared/link: it belongs to user 12345");
}

static void test_links_in_a_trusted_directory_are_not_followed(void **state)
{
	int at;

	(void)state;
	put("file", 0600);
	assert_int_equal(symlink("file", in_dir("link")), 0);
	at = trust_open(dir, O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, &error);
	assert_true(at >= 0);
	refused(trust_openat(at, dir, "link", O_RDWR | O_CREAT, 0600, TRUST_WRITE, &error), -ELOOP, in_dir("link"));
	close(at);
}

/* Our own directories */

static void test_a_directory_is_made_only_below_a_trusted_one(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	make("shared", 01777);
	make("open", 0777);
	fd = trust_make(in_dir("shared/new/"), &error);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0755);
	close(fd);
	refused(trust_make(in_dir("open/new"), &error), -EPERM, "/open: it belongs");
	assert_int_equal(access(in_dir("open/new"), F_OK), -1);
	refused(trust_make(in_dir("nothing/new"), &error), -ENOENT, "/nothing");
	assert_int_equal(chdir(dir), 0);
	fd = trust_make("relative", &error);
	assert_true(fd >= 0 && access(in_dir("relative"), F_OK) == 0);
	close(fd);
	assert_int_equal(chdir("/"), 0);
}

static void test_a_survey_finds_files_that_others_could_have_changed(void **state)
{
	(void)state;
	make("cell", 0755);
	make("cell/users", 0755);
	make("cell/spool", 0777);
	put("cell/sched_conf", 0644);
	put("cell/users/ann", 0644);
	assert_int_equal(trust_survey(in_dir("cell"), "spool", &error), 0);
	assert_int_equal(chmod(in_dir("cell/users/ann"), 0664), 0);
	refused(trust_survey(in_dir("cell"), "spool", &error), -EPERM, "/cell/users/ann: it belongs");
	assert_int_equal(chmod(in_dir("cell/users/ann"), 0644) || chmod(in_dir("cell/users"), 0777), 0);
	refused(trust_survey(in_dir("cell"), "spool", &error), -EPERM, "/cell/users: it belongs");
	assert_int_equal(chmod(in_dir("cell/users"), 0755) || chmod(in_dir("cell/sched_conf"), 0666), 0);
	refused(trust_survey(in_dir("cell"), "spool", &error), -EPERM, "/cell/sched_conf: it belongs");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_file_is_accepted_by_its_mode),
		TEST(test_a_directory_is_accepted_by_mode_and_sticky_only_on_the_way),
		TEST(test_owners_are_root_and_ourselves),
		TEST(test_an_ordinary_user_trusts_root_and_itself),
		TEST(test_a_special_file_is_refused_without_waiting),
		TEST(test_a_file_with_a_second_name_is_refused),
		TEST(test_links_on_the_way_are_resolved_and_checked),
		TEST(test_a_link_made_by_another_user_is_refused_wherever_it_leads),
		TEST(test_links_in_a_trusted_directory_are_not_followed),
		TEST(test_a_directory_is_made_only_below_a_trusted_one),
		TEST(test_a_survey_finds_files_that_others_could_have_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
