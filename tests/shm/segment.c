/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/wait.h>

#include "shm/generation.h"
#include "tests/shm/cell.h"

static const struct segment_options small = { .file_bytes = 64 << 20, .group = -1 };

static void publish(struct segment *segment)
{
	struct generation_writer writer;

	assert_int_equal(generation_begin(&writer, segment), 0);
	generation_publish(&writer);
}

static uint64_t current(const struct segment *segment)
{
	return ((const struct segment_header *)segment->base)->current;
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

static void test_one_directory_has_one_name_in_any_spelling(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_paths a, b;
	char other[128];

	snprintf(other, sizeof(other), "%s/../cell/.", cell->directory);
	assert_int_equal(segment_paths(&a, cell->directory), 0);
	assert_int_equal(segment_paths(&b, other), 0);
	assert_string_equal(a.state, b.state);
	assert_string_not_equal(a.state, a.lock);
	assert_memory_equal(a.state, cell->shm, strlen(cell->shm));
	assert_int_equal(segment_paths(&b, cell->shm), 0);
	assert_string_not_equal(a.state, b.state);
}

static void test_a_name_that_is_no_directory_is_refused(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_paths paths;
	char name[400];

	snprintf(name, sizeof(name), "%s/none", cell->shm);
	assert_int_equal(segment_paths(&paths, name), -ENOENT);
	close(open(name, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(segment_paths(&paths, name), -ENOTDIR);
	snprintf(name, sizeof(name), "%s/%0230d", cell->shm, 0);
	assert_int_equal(mkdir(name, 0700), 0);
	assert_int_equal(segment_paths(&paths, name), -ENAMETOOLONG);
}

static void test_a_second_scheduler_gets_the_pid_of_the_first(void **state)
{
	struct shm_cell *cell = *state;
	struct segment first, second;
	struct segment_trouble trouble;

	assert_int_equal(segment_create(&first, cell->directory, &small, NULL), 0);
	assert_int_equal(segment_create(&second, cell->directory, &small, &trouble), -EBUSY);
	assert_int_equal(trouble.pid, getpid());
	assert_string_equal(trouble.path, first.paths.lock);
	segment_close(&first);
	assert_int_equal(segment_create(&second, cell->directory, &small, &trouble), 0);
	segment_close(&second);
	segment_close(&second);
}

static void test_a_segment_is_invisible_before_it_is_announced(void **state)
{
	struct shm_cell *cell = *state;
	struct segment segment;

	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	publish(&segment);
	assert_int_equal(access(segment.paths.state, F_OK), -1);
	assert_int_equal(segment_announce(&segment), 0);
	assert_int_equal(access(segment.paths.state, F_OK), 0);
	assert_int_equal(segment_announce(&segment), 0);
	segment_close(&segment);
}

static void test_generation_numbers_grow_over_restarts_and_the_old_file_is_retired(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_header old;
	struct segment segment;

	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	publish(&segment);
	publish(&segment);
	assert_int_equal(segment_announce(&segment), 0);
	assert_int_equal(current(&segment), 2);
	int fd = open(segment.paths.state, O_RDONLY);

	segment_close(&segment);
	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	assert_int_equal(current(&segment), 0);
	publish(&segment);
	assert_int_equal(current(&segment), 3);
	assert_int_equal(pread(fd, &old, sizeof(old), 0), sizeof(old));
	assert_int_equal(old.retired, 0);
	assert_int_equal(segment_announce(&segment), 0);
	assert_int_equal(pread(fd, &old, sizeof(old), 0), sizeof(old));
	assert_int_equal(old.retired, 1);
	close(fd);
	segment_close(&segment);
}

static void test_a_file_that_is_no_segment_does_not_disturb_the_next_scheduler(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_header joke = { .magic = SEGMENT_MAGIC, .current = UINT64_MAX - 1 };
	struct segment_paths paths;
	struct segment segment;

	assert_int_equal(segment_paths(&paths, cell->directory), 0);
	assert_int_equal(mkdir(paths.directory, 0755), 0);
	for (size_t bytes = 0; bytes <= sizeof(joke); bytes += sizeof(joke)) {
		int fd = open(paths.state, O_CREAT | O_TRUNC | O_WRONLY, 0600);

		assert_int_equal(write(fd, &joke, bytes), bytes);
		close(fd);
		assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
		publish(&segment);
		assert_int_equal(current(&segment), 1);
		assert_int_equal(segment_announce(&segment), 0);
		segment_close(&segment);
	}
}

static void test_files_of_a_killed_predecessor_are_removed(void **state)
{
	struct shm_cell *cell = *state;
	struct segment segment;
	char name[SEGMENT_PATH_BYTES + 8];
	pid_t pid = fork();

	if (pid == 0) {
		if (segment_create(&segment, cell->directory, &small, NULL) || segment_alloc(&segment, 1) == 0)
			_exit(1);
		raise(SIGKILL);
	}
	int status;

	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	snprintf(name, sizeof(name), "%s.new", segment.paths.state);
	assert_int_equal(access(name, F_OK), 0);
	publish(&segment);
	assert_int_equal(segment_announce(&segment), 0);
	assert_int_equal(access(name, F_OK), -1);
	segment_close(&segment);
	assert_int_equal(segment_create(&segment, cell->directory, &small, NULL), 0);
	segment_close(&segment);
	assert_int_equal(access(name, F_OK), -1);
}

static void test_files_have_the_requested_permissions(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_options options = small;
	struct segment segment;
	struct shmid_ds table;
	mode_t mask = umask(077);

	for (int i = 0; i < 2; i++) {
		options.mode = i ? 0640 : 0;
		assert_int_equal(segment_create(&segment, cell->directory, &options, NULL), 0);
		assert_int_equal(segment_announce(&segment), 0);
		assert_int_equal(mode_of(segment.paths.state), i ? 0640 : 0644);
		assert_int_equal(shmctl(segment.readers.place.shmid, IPC_STAT, &table), 0);
		assert_int_equal(table.shm_perm.mode & 0777, i ? 0660 : 0666);
		assert_int_equal(mode_of(segment.paths.directory), 0755);
		assert_int_equal(mode_of(segment.paths.lock), 0600);
		segment_close(&segment);
	}
	umask(mask);
}

/* Run `body` in a child, so that limits and mounts end with it. Return its exit status. */
static int in_child(int (*body)(struct shm_cell *), struct shm_cell *cell)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(body(cell));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int create_beyond_file_limit(struct shm_cell *cell)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };
	struct segment segment;

	setrlimit(RLIMIT_FSIZE, &limit);
	return segment_create(&segment, cell->directory, &small, NULL) != -EFBIG;
}

static void test_a_limit_on_file_sizes_is_an_error_and_no_signal(void **state)
{
	assert_int_equal(in_child(create_beyond_file_limit, *state), 0);
}

/* Fill 8 MiB of memory below 64 MiB of address space. */
static int fill_small_tmpfs(struct shm_cell *cell)
{
	struct segment segment;
	uint64_t at = 1, full = 0;
	int populated = 0;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "tmpfs", 0, "size=8m"))
		return 77;
	setenv("FAIRLEAD_SHM", "/mnt", 1);
	if (segment_create(&segment, cell->directory, &small, NULL))
		return 1;
	for (; at && !full; populated += !full) {
		at = segment_alloc(&segment, EXTENT_BYTES);
		full = at && segment_populate(&segment, at, EXTENT_BYTES) == -ENOMEM ? at : 0;
		if (at && !full)
			memset(segment.base + at, 1, EXTENT_BYTES);
	}
	if (!full || populated < 2)
		return 2;
	segment_free(&segment, full, EXTENT_BYTES);
	segment_free(&segment, EXTENT_BYTES, EXTENT_BYTES);
	at = segment_alloc(&segment, EXTENT_BYTES);
	return segment_populate(&segment, at, EXTENT_BYTES) ? 3 : 0;
}

static void test_full_shared_memory_is_an_error_and_no_signal(void **state)
{
	int status = in_child(fill_small_tmpfs, *state);

	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

static int create_in_full_tmpfs(struct shm_cell *cell)
{
	struct segment segment;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "tmpfs", 0, "size=64k"))
		return 77;
	setenv("FAIRLEAD_SHM", "/mnt", 1);
	return segment_create(&segment, cell->directory, &small, NULL) != -ENOMEM || access("/mnt/.", F_OK);
}

static void test_exhausted_memory_for_the_header_leaves_no_files(void **state)
{
	int status = in_child(create_in_full_tmpfs, *state);

	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, shm_cell_setup, shm_cell_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_directory_has_one_name_in_any_spelling),
		TEST(test_a_name_that_is_no_directory_is_refused),
		TEST(test_a_second_scheduler_gets_the_pid_of_the_first),
		TEST(test_a_segment_is_invisible_before_it_is_announced),
		TEST(test_generation_numbers_grow_over_restarts_and_the_old_file_is_retired),
		TEST(test_a_file_that_is_no_segment_does_not_disturb_the_next_scheduler),
		TEST(test_files_of_a_killed_predecessor_are_removed),
		TEST(test_files_have_the_requested_permissions),
		TEST(test_a_limit_on_file_sizes_is_an_error_and_no_signal),
		TEST(test_full_shared_memory_is_an_error_and_no_signal),
		TEST(test_exhausted_memory_for_the_header_leaves_no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
