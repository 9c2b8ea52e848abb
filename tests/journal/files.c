/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a journal: they stay within their limit and damage no foreign file, and a failed write
 * does not affect the scheduler.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/journal/kept.h"
#include "tests/run/story.h"

enum { RUNS = 60, PART_BYTES = 20 << 10 };

static struct kept_runs kept;

static uint64_t bytes_of(const char *format, const char *path, unsigned k)
{
	char name[PATH_MAX + 16];
	struct stat st;

	snprintf(name, sizeof(name), format, path, k);
	return stat(name, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static uint64_t bytes_in_all(void)
{
	uint64_t sum = bytes_of("%s", kept.path, 0) + bytes_of("%s.new", kept.path, 0);

	for (unsigned k = 1; k < 4 * JOURNAL_FILES; k++)
		sum += bytes_of("%s.%u", kept.path, k);
	return sum;
}

static void test_the_journal_stays_within_its_limit(void **state)
{
	struct story story = { *state, 88172645463325252u, 0, NOW };

	make_cell(story.f);
	kept_begin(&kept, story.f, JOURNAL_FILES * PART_BYTES, true);
	for (unsigned k = 0; k < RUNS; k++) {
		go_on(&story);
		kept_run(&kept, story.now);
		assert_true(bytes_in_all() <= JOURNAL_FILES * PART_BYTES);
	}
	kept_end(&kept);
	assert_true(bytes_of("%s.%u", kept.path, JOURNAL_FILES - 2) > 0);
	assert_int_equal(bytes_of("%s.%u", kept.path, JOURNAL_FILES - 1), 0);
	kept_same(&kept, RUNS, 1, 1, "the last run");
	kept_remove(&kept);
}

static void test_only_the_owner_may_read_the_journal(void **state)
{
	mode_t before = umask(0);
	struct stat st;

	make_cell(*state);
	kept_begin(&kept, *state, 0, false);
	kept_run(&kept, NOW);
	kept_end(&kept);
	umask(before);
	assert_int_equal(stat(kept.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	kept_remove(&kept);
}

/* Check that runs continue without a journal and that existing files are unchanged. */
static void no_journal(struct fixture *fixture, const char *path)
{
	make_cell(fixture);
	kept_begin(&kept, fixture, 0, false);
	kept_run(&kept, NOW);
	kept_run(&kept, NOW + 1);
	kept_end(&kept);
	assert_int_equal(bytes_of("%s", path, 0), 5);
	assert_int_equal(bytes_of("%s.new", kept.path, 0), 0);
	assert_int_equal(bytes_of("%s.%u", kept.path, 1), 0);
}

static void five_bytes(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_int_equal(write(fd, "house", 5), 5);
	close(fd);
}

static void kept_name(void)
{
	snprintf(kept.path, sizeof(kept.path), "/tmp/journal-test.%d", (int)getpid());
}

static void test_a_symbolic_link_is_not_followed(void **state)
{
	char target[PATH_MAX + 16];

	kept_name();
	snprintf(target, sizeof(target), "%s.target", kept.path);
	five_bytes(target);
	kept.keep = true;
	assert_int_equal(symlink(target, kept.path), 0);
	no_journal(*state, target);
	remove(target);
	remove(kept.path);
	kept.keep = false;
}

static void test_a_file_that_is_no_journal_stays(void **state)
{
	kept_name();
	five_bytes(kept.path);
	kept.keep = true;
	no_journal(*state, kept.path);
	remove(kept.path);
	kept.keep = false;
}

static void test_a_file_of_another_user_stays(void **state)
{
	if (geteuid() != 0)
		skip();
	kept_name();
	five_bytes(kept.path);
	assert_int_equal(chown(kept.path, 65534, 65534), 0);
	kept.keep = true;
	no_journal(*state, kept.path);
	remove(kept.path);
	kept.keep = false;
}

/* Simulate a full disk in the middle of a run. */
static void test_a_run_too_large_for_a_part_leaves_only_a_gap(void **state)
{
	struct story story = { *state, 4711, 0, NOW };
	struct rerun_outcome outcome;
	struct error error;

	make_cell(story.f);
	kept_begin(&kept, story.f, JOURNAL_FILES * 512, true);	/* no space even for the state */
	for (unsigned k = 0; k < 4; k++) {
		go_on(&story);
		kept_run(&kept, story.now);
	}
	kept_end(&kept);
	assert_int_equal(bytes_in_all(), 0);
	assert_int_equal(rerun(&(struct rerun_options){ .path = kept.path }, &outcome, &error), -ENOENT);
}

static void test_a_second_one_does_not_write_the_same_file(void **state)
{
	struct kept_runs second = { .keep = true };

	make_cell(*state);
	kept_begin(&kept, *state, 0, false);
	kept_run(&kept, NOW);
	journal_drain(kept.journal);
	kept_begin(&second, *state, 0, false);
	kept_run(&second, NOW + 1);
	kept_end(&second);
	kept_end(&kept);
	assert_true(bytes_of("%s", kept.path, 0) > 0);
	assert_int_equal(bytes_of("%s.%u", kept.path, 1), 0);
	kept_remove(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_the_journal_stays_within_its_limit),
		DISPATCH_TEST(test_only_the_owner_may_read_the_journal),
		DISPATCH_TEST(test_a_symbolic_link_is_not_followed),
		DISPATCH_TEST(test_a_file_that_is_no_journal_stays),
		DISPATCH_TEST(test_a_file_of_another_user_stays),
		DISPATCH_TEST(test_a_run_too_large_for_a_part_leaves_only_a_gap),
		DISPATCH_TEST(test_a_second_one_does_not_write_the_same_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
