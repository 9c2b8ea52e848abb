/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "shm/segment.h"
#include "tests/shm/cell.h"

static const struct segment_options small = { .file_bytes = 64 << 20, .group = -1 };

static void paths_of(struct shm_cell *cell, struct segment_paths *paths)
{
	assert_int_equal(segment_paths(paths, cell->directory), 0);
	assert_int_equal(lstat(paths->directory, &(struct stat){ 0 }), -1);
}

static void check_made(const struct segment_paths *paths, struct other_owner *other_owner)
{
	struct stat st;
	int fd = place_make(paths, other_owner);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(st.st_uid, geteuid());
	close(fd);
}

static void test_a_directory_is_made_once_and_found_again(void **state)
{
	struct segment_paths paths;
	struct other_owner other_owner;
	struct stat before, after;
	mode_t mask = umask(077);

	paths_of(*state, &paths);
	assert_int_equal(place_open(&paths), -ENOENT);
	check_made(&paths, &other_owner);
	assert_int_equal(stat(paths.directory, &before), 0);
	check_made(&paths, &other_owner);
	assert_int_equal(stat(paths.directory, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_string_equal(other_owner.path, "");
	umask(mask);
}

static void stranger_make(unsigned kind, const char *path)
{
	switch (kind) {
	case 0:
		assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(chmod(path, 0777), 0);
		break;
	case 1:
		close(open(path, O_CREAT | O_WRONLY, 0600));
		break;
	case 2:
		assert_int_equal(symlink("/tmp", path), 0);
		break;
	case 3:
		assert_int_equal(symlink("nowhere", path), 0);
		break;
	default:
		assert_int_equal(mkfifo(path, 0666), 0);
	}
}

/* Handle foreign files as root. */
static void test_a_foreign_directory_is_renamed_and_kept(void **state)
{
	static const char *const what[] = { "a directory that others may write", "a file", "a link", "a link",
					    "a pipe, socket or device" };
	struct segment_paths paths;
	struct other_owner other_owner;
	struct stat before, after;

	paths_of(*state, &paths);
	for (unsigned kind = 0; kind < 5; kind++) {
		stranger_make(kind, paths.directory);
		assert_int_equal(lstat(paths.directory, &before), 0);
		assert_int_equal(place_open(&paths), -EPERM);
		check_made(&paths, &other_owner);
		assert_string_equal(other_owner.what, what[kind]);
		assert_int_equal(other_owner.owner, geteuid());
		assert_int_equal(lstat(other_owner.path, &after), 0);
		assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
		assert_int_equal(rmdir(paths.directory), 0);
	}
}

static int make_as_nobody(const struct segment_paths *paths, int *status)
{
	struct other_owner other_owner;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(65534) || setuid(65534))
			_exit(100);
		int fd = place_make(paths, &other_owner);

		_exit(fd >= 0										? 0
		      : fd == -EPERM && other_owner.owner == 0 && !strcmp(other_owner.path, paths->directory) ? 1
													: 2);
	}
	return waitpid(pid, status, 0) == pid && WIFEXITED(*status) ? WEXITSTATUS(*status) : 101;
}

static void test_an_ordinary_user_leaves_foreign_files_unchanged(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_paths paths;
	struct stat st;
	int status;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(cell->shm, 0777), 0);		/* the other user could move it */
	paths_of(cell, &paths);
	assert_int_equal(mkdir(paths.directory, 0755), 0);
	assert_int_equal(make_as_nobody(&paths, &status), 1);
	assert_int_equal(stat(paths.directory, &st), 0);
	assert_int_equal(st.st_uid, 0);
}

static void test_root_takes_over_the_directory_of_the_owner_of_the_cell(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_paths paths;
	struct other_owner other_owner;
	struct stat before, after;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(cell->directory, 65534, 65534), 0);
	paths_of(cell, &paths);
	assert_int_equal(mkdir(paths.directory, 0700), 0);
	assert_int_equal(chown(paths.directory, 65534, 65534), 0);
	assert_int_equal(stat(paths.directory, &before), 0);
	check_made(&paths, &other_owner);
	assert_int_equal(stat(paths.directory, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_string_equal(other_owner.path, "");
}

static void test_an_error_names_its_file(void **state)
{
	struct shm_cell *cell = *state;
	static const char *const names[] = { "lock", "state", "state.new" };
	struct segment_trouble trouble;
	struct segment_paths paths;
	struct segment segment;
	char path[SEGMENT_PATH_BYTES + 32];

	paths_of(cell, &paths);
	assert_int_equal(mkdir(paths.directory, 0755), 0);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", paths.directory, names[i]);
		assert_int_equal(mkdir(path, 0755), 0);
		assert_true(segment_create(&segment, cell->directory, &small, &trouble) < 0);
		assert_string_equal(trouble.path, path);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(segment_create(&segment, cell->directory, &small, &trouble), 0);
	segment_close(&segment);
}

/*
 * Create the link that the owner of the cell could have made to a foreign file before root took
 * over.
 */
static void test_a_second_name_of_another_file_is_left_unchanged(void **state)
{
	struct shm_cell *cell = *state;
	struct segment_trouble trouble;
	struct segment_paths paths;
	char victim[SEGMENT_PATH_BYTES];
	struct segment segment;
	struct stat st;

	paths_of(cell, &paths);
	snprintf(victim, sizeof(victim), "%s/victim", cell->shm);
	int fd = open(victim, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, "victim", 6), 6);
	close(fd);
	assert_int_equal(mkdir(paths.directory, 0755), 0);
	assert_int_equal(link(victim, paths.lock), 0);
	assert_int_equal(segment_create(&segment, cell->directory, &small, &trouble), -EISDIR);
	assert_string_equal(trouble.path, paths.lock);
	assert_int_equal(stat(victim, &st), 0);
	assert_int_equal(st.st_size, 6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, shm_cell_setup, shm_cell_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_directory_is_made_once_and_found_again),
		TEST(test_a_foreign_directory_is_renamed_and_kept),
		TEST(test_an_ordinary_user_leaves_foreign_files_unchanged),
		TEST(test_root_takes_over_the_directory_of_the_owner_of_the_cell),
		TEST(test_an_error_names_its_file),
		TEST(test_a_second_name_of_another_file_is_left_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
