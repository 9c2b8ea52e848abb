/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key files are created once, never overwritten, and trusted only if no other user could have
 * changed them.
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
#include <unistd.h>

#include "sched/wire/hub.h"
#include "sched/wire/keys.h"
#include "sched/wire/publisher.h"
#include "sched/wire/spoke.h"
#include "tests/failing_memory.h"

static char dir[64];

static const char *in_dir(const char *name)
{
	static char paths[4][200];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void put(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(in_dir(name), mode), 0);
}

static int setup(void **state)
{
	(void)state;
	umask(0);		/* modes must not depend on it */
	strcpy(dir, "/tmp/fairlead-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(in_dir(name), &st), 0);
	return st.st_mode & 07777;
}

static void test_a_pair_has_a_secret_that_only_its_owner_can_read(void **state)
{
	struct error error = { "" };
	struct key secret, public;

	(void)state;
	assert_int_equal(keys_make(dir, NULL, &error), 0);
	assert_int_equal(mode_of("scheduler.key"), 0600);
	assert_int_equal(mode_of("scheduler.pub"), 0644);
	assert_int_equal(mode_of("hosts"), 0755);
	assert_int_equal(key_read(in_dir("scheduler.key"), true, &secret, &error), 0);
	assert_int_equal(key_read(in_dir("scheduler.pub"), false, &public, &error), 0);
	assert_string_not_equal(secret.text, public.text);
	assert_int_equal(keys_make(dir, "node1", &error), 0);
	assert_int_equal(mode_of("hosts/node1.key"), 0600);
	assert_int_equal(mode_of("hosts/node1.pub"), 0644);
}

static void test_keys_are_never_overwritten(void **state)
{
	struct error error = { "" };
	struct key before, after;

	(void)state;
	assert_int_equal(keys_make(dir, "node1", &error), 0);
	assert_int_equal(key_read(in_dir("hosts/node1.key"), true, &before, &error), 0);
	assert_int_equal(keys_make(dir, "node1", &error), -EEXIST);
	assert_non_null(strstr(error.text, "not overwritten"));
	assert_int_equal(key_read(in_dir("hosts/node1.key"), true, &after, &error), 0);
	assert_string_equal(before.text, after.text);
	assert_int_equal(unlink(in_dir("hosts/node1.key")), 0);
	/* The public key exists: no half of a pair is left. */
	assert_int_equal(keys_make(dir, "node1", &error), -EEXIST);
	assert_int_not_equal(access(in_dir("hosts/node1.key"), F_OK), 0);
}

static void test_a_link_at_the_path_of_a_key_is_not_followed(void **state)
{
	struct error error = { "" };

	(void)state;
	assert_int_equal(mkdir(in_dir("hosts"), 0755), 0);
	assert_int_equal(symlink(in_dir("elsewhere"), in_dir("hosts/node1.key")), 0);
	assert_int_equal(keys_make(dir, "node1", &error), -EEXIST);
	assert_int_not_equal(access(in_dir("elsewhere"), F_OK), 0);
}

static void test_keys_below_an_untrusted_directory_are_refused(void **state)
{
	struct host_keys keys = { 0 };
	struct error error;
	struct key key;

	(void)state;
	assert_int_equal(keys_make(dir, "node1", &error), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(key_read(in_dir("hosts/node1.key"), true, &key, &error), -EPERM);
	assert_non_null(strstr(error.text, "mode 0777"));
	assert_int_equal(host_keys_read(&keys, dir, &error), -EPERM);
	/* No other user can move our file away. */
	assert_int_equal(chmod(dir, 01777), 0);
	assert_int_equal(key_read(in_dir("hosts/node1.key"), true, &key, &error), 0);
	assert_int_equal(chmod(in_dir("hosts"), 0775), 0);
	assert_int_equal(key_read(in_dir("hosts/node1.key"), true, &key, &error), -EPERM);
	assert_int_equal(chmod(in_dir("hosts"), 0755), 0);
	assert_int_equal(link(in_dir("hosts/node1.key"), in_dir("copy")), 0);
	assert_int_equal(key_read(in_dir("hosts/node1.key"), true, &key, &error), -EPERM);
	assert_non_null(strstr(error.text, "second name"));
}

static void test_names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const names[] = { "", ".", "..", "../x", "a/b", "-x", ".x", "a b", "a\n", "\xc3\xa9" };
	struct error error = { "" };
	char longer[300];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(keys_make(dir, names[i], &error), -EINVAL);
	memset(longer, 'a', sizeof(longer));
	longer[299] = '\0';
	assert_int_equal(keys_make(dir, longer, &error), -EINVAL);
}

static void test_a_secret_readable_by_others_is_refused(void **state)
{
	struct error error = { "" };
	struct key key;

	(void)state;
	assert_int_equal(keys_make(dir, NULL, &error), 0);
	assert_int_equal(chmod(in_dir("scheduler.key"), 0640), 0);
	assert_int_equal(key_read(in_dir("scheduler.key"), true, &key, &error), -EPERM);
	assert_non_null(strstr(error.text, "0600 is expected"));
	assert_int_equal(chmod(in_dir("scheduler.pub"), 0666), 0);
	assert_int_equal(key_read(in_dir("scheduler.pub"), false, &key, &error), -EPERM);
	assert_non_null(strstr(error.text, "0644 is expected"));
	if (geteuid() == 0) {
		assert_int_equal(chmod(in_dir("scheduler.pub"), 0644), 0);
		assert_int_equal(chown(in_dir("scheduler.pub"), 12345, 0), 0);
		assert_int_equal(key_read(in_dir("scheduler.pub"), false, &key, &error), -EPERM);
	}
}

static void test_files_without_a_key_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"# only a comment\n",
		"tooshort\n",
		"0123456789012345678901234567890123456789 \n0123456789012345678901234567890123456789\n",
		"012345678901234567890123456789012345678~\n",
		"01234567890123456789012345678901234567890\n",
	};
	struct error error = { "" };
	struct key key;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put("k", texts[i], 0600);
		assert_int_equal(key_read(in_dir("k"), true, &key, &error), -EINVAL);
	}
	/* A key may begin with #. */
	put("k", "# a comment\n\n#123456789012345678901234567890123456789\r\n", 0600);
	assert_int_equal(key_read(in_dir("k"), true, &key, &error), 0);
	assert_string_equal(key.text, "#123456789012345678901234567890123456789");
	assert_int_equal(key_read(dir, true, &key, &error), -EINVAL);
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	/* The call does not wait for a writer. */
	assert_int_equal(key_read(in_dir("pipe"), true, &key, &error), -EINVAL);
	assert_int_equal(key_read(in_dir("none"), true, &key, &error), -ENOENT);
}

static void test_one_bad_key_leaves_the_known_hosts_unchanged(void **state)
{
	struct host_keys keys = { 0 };
	struct error error = { "" };
	struct key key;

	(void)state;
	assert_int_equal(host_keys_read(&keys, dir, &error), -ENOENT);
	assert_int_equal(keys_make(dir, "node1", &error), 0);
	assert_int_equal(keys_make(dir, "node2", &error), 0);
	put("hosts/README", "not a key\n", 0644);
	assert_int_equal(host_keys_read(&keys, dir, &error), 0);
	assert_int_equal(keys.n, 2);
	assert_int_equal(key_read(in_dir("hosts/node2.pub"), false, &key, &error), 0);
	assert_string_equal(host_keys_find(&keys, key.text)->name, "node2");
	assert_null(host_keys_find(&keys, "0123456789012345678901234567890123456789"));
	put("hosts/node3.pub", "rubbish\n", 0644);
	assert_int_equal(host_keys_read(&keys, dir, &error), -EINVAL);
	assert_int_equal(keys.n, 2);
	put("hosts/node3.pub", key.text, 0644);
	assert_int_equal(host_keys_read(&keys, dir, &error), -EINVAL);
	assert_non_null(strstr(error.text, "same key"));
	assert_int_equal(unlink(in_dir("hosts/node3.pub")), 0);
	assert_int_equal(chmod(in_dir("hosts"), 0777), 0);
	/* Any user could add hosts. */
	assert_int_equal(host_keys_read(&keys, dir, &error), -EPERM);
	assert_int_equal(keys.n, 2);
	host_keys_free(&keys);
}

static void test_a_path_that_is_too_long_is_refused_by_each_end(void **state)
{
	static const char endpoint[] = "tcp://127.0.0.1:1";
	static char path[5000];
	struct host_keys keys = { 0 };
	struct error error = { "" };
	struct wire_publisher *publisher;
	struct spoke *spoke;
	struct hub *hub;

	(void)state;
	memset(path, 'a', sizeof(path) - 1);
	assert_int_equal(host_keys_read(&keys, path, &error), -ENAMETOOLONG);
	assert_int_equal(hub_open(&hub, &(struct hub_options){ .endpoint = endpoint, .keys = path },
				  &(struct hub_calls){ 0 }, &error),
			 -ENAMETOOLONG);
	assert_int_equal(spoke_open(&spoke, &(struct spoke_options){ .scheduler = endpoint, .keys = path, .name = "node1" },
				    &(struct spoke_calls){ 0 }, &error),
			 -ENAMETOOLONG);
	assert_int_equal(publisher_open(&publisher, &(struct publisher_options){ endpoint, path },
					&(struct publisher_calls){ 0 }, &error),
			 -ENAMETOOLONG);
	assert_non_null(strstr(error.text, "too long"));
	assert_true(!hub && !spoke && !publisher);
	assert_true(keys_make(path, "node1", &error) < 0);
	path[4090] = '\0';		/* the directory fits, and its files do not */
	assert_int_equal(host_keys_read(&keys, path, &error), -ENAMETOOLONG);
	assert_true(keys_make(path, "node1", &error) < 0);
}

#ifdef CAN_FAIL
static void test_keys_that_cannot_be_read_for_lack_of_memory_leave_the_known_hosts(void **state)
{
	struct host_keys keys = { 0 };
	struct error error = { "" };
	long n = 0, living;
	int rc;

	(void)state;
	assert_int_equal(keys_make(dir, "node1", &error), 0);
	assert_int_equal(keys_make(dir, "node2", &error), 0);
	assert_int_equal(host_keys_read(&keys, dir, &error), 0);
	assert_int_equal(keys_make(dir, "node3", &error), 0);
	living = alive;
	do {
		left = n++;
		rc = host_keys_read(&keys, dir, &error);
		left = -1;
		assert_int_equal(keys.n, rc ? 2 : 3);
		if (rc)
			assert_int_equal(rc, -ENOMEM);
		assert_int_equal(alive, living);
	} while (rc);
	assert_true(n > 2);
	host_keys_free(&keys);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_pair_has_a_secret_that_only_its_owner_can_read),
		TEST(test_keys_are_never_overwritten),
		TEST(test_a_link_at_the_path_of_a_key_is_not_followed),
		TEST(test_keys_below_an_untrusted_directory_are_refused),
		TEST(test_names_that_lead_elsewhere_are_refused),
		TEST(test_a_secret_readable_by_others_is_refused),
		TEST(test_files_without_a_key_are_refused),
		TEST(test_one_bad_key_leaves_the_known_hosts_unchanged),
		TEST(test_a_path_that_is_too_long_is_refused_by_each_end),
#ifdef CAN_FAIL
		TEST(test_keys_that_cannot_be_read_for_lack_of_memory_leave_the_known_hosts),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
