/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a store: permissions, refusals and their reasons. A damaged file is always just an error,
 * and a full disk loses no data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "tests/store/file.h"

#define FLIPS 400

static void execute(struct store_file *file, const char *sql)
{
	assert_int_equal(sqlite3_exec(file->store->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void put_job(struct store_file *file, uint32_t number)
{
	struct stored_job job = some_job(number);
	struct stored_task task = some_task(number, 1);

	OK(file, store_job_put(file->store, &job, &file->error));
	OK(file, store_task_put(file->store, &task, &file->error));
}

static bool has_job(struct store_file *file, uint32_t number)
{
	struct stored_job job;
	int code = store_job_find(file->store, number, &job, &file->error);

	assert_true(code == 0 || code == -ENOENT);
	return code == 0;
}

/* Permissions */

static void test_a_second_writer_is_refused_until_the_first_has_ended(void **state)
{
	struct store_file *file = *state;
	struct store *second;
	int status;

	FAILS(file, store_open(&second, file->path, &file->error), -EBUSY, "another process has the store");
	assert_null(second);
	if (fork() == 0)
		_exit(store_open(&second, file->path, NULL) == -EBUSY ? 0 : 1);
	assert_true(wait(&status) > 0 && status == 0);
	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	reopen(file);
	assert_true(has_job(file, 1));
}

static void test_a_killed_writer_leaves_no_lock_and_keeps_committed_data(void **state)
{
	struct store_file *file = *state;
	int status;

	store_close(file->store);
	if (fork() == 0) {
		OPEN(file);
		put_job(file, 1);
		OK(file, store_commit(file->store, &file->error));
		put_job(file, 2);
		kill(getpid(), SIGKILL);
	}
	assert_true(wait(&status) > 0 && WIFSIGNALED(status));
	OPEN(file);
	assert_true(has_job(file, 1));
	assert_false(has_job(file, 2));
}

static void test_other_processes_may_read_during_a_write(void **state)
{
	struct store_file *file = *state;
	sqlite3 *reader;
	char text[20];

	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	assert_int_equal(sqlite3_open_v2(file->path, &reader, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT * FROM job", NULL, NULL, NULL), SQLITE_OK);
	for (uint32_t number = 2; number < 50; number++) {
		put_job(file, number);
		OK(file, store_commit(file->store, &file->error));
	}
	assert_string_equal(query_one(&(struct store){ .db = reader }, "SELECT count(*) FROM job", text, sizeof(text)),
			    "1");
	assert_int_equal(sqlite3_exec(reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_string_equal(query_one(&(struct store){ .db = reader }, "SELECT count(*) FROM job", text, sizeof(text)),
			    "49");
	sqlite3_close(reader);
}

static void test_a_new_store_is_private_to_its_owner(void **state)
{
	struct store_file *file = *state;
	struct stat st;
	char wal[100], receipt[100];

	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	assert_int_equal(stat(file->path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	snprintf(wal, sizeof(wal), "%s-wal", file->path);
	assert_int_equal(stat(wal, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	snprintf(receipt, sizeof(receipt), "%s-receipt", file->path);
	assert_int_equal(stat(receipt, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(chmod(file->path, 0640), 0);
	reopen(file);		/* a reader of the store may read its receipt */
	assert_int_equal(stat(receipt, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0640);
}

/* Refused stores */

static void test_a_newer_version_is_refused_and_unchanged(void **state)
{
	struct store_file *file = *state;
	char text[20];
	sqlite3 *db;

	execute(file, "PRAGMA user_version = 1000");
	store_close(file->store);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EPROTO, "version 1000, of a newer program");
	assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
	assert_string_equal(query_one(&(struct store){ .db = db }, "PRAGMA user_version", text, sizeof(text)), "1000");
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = " TEXT(STORE_SCHEMA) "; VACUUM", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	OPEN(file);
}

static void test_a_database_of_another_program_is_refused_and_unchanged(void **state)
{
	struct store_file *file = *state;
	char text[20];
	sqlite3 *db;

	store_close(file->store);
	directory_clear(file->directory);
	assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE photos (name)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EUCLEAN, "database of another program");
	assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
	assert_string_equal(query_one(&(struct store){ .db = db }, "PRAGMA journal_mode", text, sizeof(text)),
			    "delete");
	sqlite3_close(db);
}

static void test_a_special_file_is_refused(void **state)
{
	struct store_file *file = *state;
	struct store *store;
	char path[100];

	snprintf(path, sizeof(path), "%s/.", file->directory);
	FAILS(file, store_open(&store, path, &file->error), -EISDIR, "Is a directory");
	FAILS(file, store_open(&store, "/nowhere/store", &file->error), -ENOENT, "No such file");
	FAILS(file, store_open(&store, "/dev/null", &file->error), -EINVAL, "not a regular file");
	FAILS(file, store_open(&store, "", &file->error), -ENOENT, "No such file");
	snprintf(path, sizeof(path), "%s/store/x", file->directory);
	FAILS(file, store_open(&store, path, &file->error), -ENOTDIR, "Not a directory");
}

/* Any of these files is read as content of the store, so it must be ours, like its directory. */
static void test_a_file_that_others_could_have_written_is_refused(void **state)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal", "-receipt" };
	struct store_file *file = *state;
	char path[120], other[120];
	int fd;

	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	store_close(file->store);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(path, sizeof(path), "%s%s", file->path, suffixes[i]);
		snprintf(other, sizeof(other), "%s/other", file->directory);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		assert_true(fd >= 0);
		assert_int_equal(fchmod(fd, 0620), 0);
		FAILS(file, store_open(&file->store, file->path, &file->error), -EPERM, "others may change it");
		assert_non_null(strstr(file->error.text, path));
		assert_int_equal(fchmod(fd, 0600), 0);
		assert_int_equal(link(path, other), 0);
		FAILS(file, store_open(&file->store, file->path, &file->error), -EPERM, "second name");
		assert_int_equal(unlink(other), 0);
		if (geteuid() == 0) {
			assert_int_equal(fchown(fd, 12345, (gid_t)-1), 0);
			FAILS(file, store_open(&file->store, file->path, &file->error), -EPERM, "user 12345");
			assert_int_equal(fchown(fd, 0, (gid_t)-1), 0);
		}
		assert_int_equal(rename(path, other) || symlink("other", path), 0);
		FAILS(file, store_open(&file->store, file->path, &file->error), i ? -EINVAL : -ELOOP, path);
		assert_int_equal(unlink(path) || rename(other, path), 0);
		if (i > 0)
			assert_int_equal(unlink(path), 0);
		close(fd);
	}
	assert_int_equal(chmod(file->directory, 01777), 0);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EPERM, "mode 1777");
	assert_int_equal(chmod(file->directory, 0755), 0);
	OPEN(file);
	assert_true(has_job(file, 1));
}

static void copy(const char *from, const char *to)
{
	char command[300];

	snprintf(command, sizeof(command), "cp -p %s %s", from, to);
	assert_int_equal(system(command), 0);
}

static void test_a_missing_empty_or_foreign_store_is_refused(void **state)
{
	struct store_file *file = *state;
	char receipt[120], aside[120], other[120];

	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	store_close(file->store);
	file->store = NULL;
	snprintf(receipt, sizeof(receipt), "%s-receipt", file->path);
	snprintf(aside, sizeof(aside), "%s/aside", file->directory);
	snprintf(other, sizeof(other), "%s/other", file->directory);
	assert_int_equal(rename(file->path, aside), 0);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EUCLEAN, "missing or empty");
	assert_non_null(strstr(file->error.text, receipt));
	assert_int_equal(access(file->path, F_OK), -1);
	fclose(fopen(file->path, "w"));
	assert_int_equal(chmod(file->path, 0600), 0);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EUCLEAN, "missing or empty");
	OK(file, store_open(&file->store, other, &file->error));
	store_close(file->store);
	/* The store also has fewer commits, but that is not the reason. */
	copy(other, file->path);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EUCLEAN, "not the one that belongs here");
	copy(aside, file->path);
	OPEN(file);
	assert_true(has_job(file, 1));
	store_close(file->store);
	copy(other, file->path);
	assert_int_equal(unlink(receipt), 0);
	OPEN(file);			/* from now on the other store is the right one */
	assert_false(has_job(file, 1));
	assert_int_equal(access(receipt, F_OK), 0);
	store_close(file->store);
	copy(aside, file->path);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EUCLEAN, "not the one that belongs here");
	/* Simulate a power failure: the previous store is unknown. */
	assert_int_equal(truncate(receipt, 0) || truncate(receipt, 71), 0);
	OPEN(file);
	assert_true(has_job(file, 1));
	store_close(file->store);
	assert_int_equal(truncate(receipt, 0) || unlink(file->path), 0);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EUCLEAN, "missing or empty");
	assert_int_equal(unlink(receipt), 0);
	FAILS(file, store_open_known(&file->store, file->path, "SIGN", &file->error), -EUCLEAN, "but SIGN exists");
	OPEN(file);
	assert_false(has_job(file, 1));
}

static void test_a_file_name_is_no_command(void **state)
{
	struct store_file *file = *state;
	char before[200];

	store_close(file->store);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(file->directory), 0);
	OK(file, store_open(&file->store, ":memory:", &file->error));
	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	store_close(file->store);
	OK(file, store_open(&file->store, ":memory:", &file->error));
	assert_true(has_job(file, 1));
	store_close(file->store);
	OK(file, store_open(&file->store, "file:x?mode=memory", &file->error));
	assert_int_equal(access("file:x?mode=memory", F_OK), 0);
	assert_int_equal(chdir(before), 0);
}

/* Damage */

static int see_job(void *context, const struct stored_job *job)
{
	*(size_t *)context += strlen(job->owner) + strlen(job->execution) + strlen(job->waiting) +
			      (job->error ? strlen(job->error) : 0);
	return 0;
}

static int see_task(void *context, const struct stored_task *task)
{
	*(size_t *)context += strlen(task->granted) + (task->usage ? strlen(task->usage) : 0);
	return 0;
}

/* Do everything that a program would do. Any error is acceptable. */
static void use(struct store_file *file)
{
	struct stored_job job = some_job(7);
	uint32_t number;
	size_t bytes = 0;

	store_jobs_each(file->store, see_job, &bytes, &file->error);
	store_tasks_each(file->store, see_task, &bytes, &file->error);
	store_next_job_number(file->store, &number, &file->error);
	store_job_put(file->store, &job, &file->error);
	store_task_remove(file->store, 3, 1, &file->error);
	store_job_remove(file->store, 5, &file->error);
	store_commit(file->store, &file->error);
	store_commit(file->store, &file->error);
}

static void flip(const char *path, unsigned *seed)
{
	int fd = open(path, O_RDWR);
	off_t size = lseek(fd, 0, SEEK_END);

	for (int i = 1 + rand_r(seed) % 8; i > 0; i--) {
		off_t at = rand_r(seed) % 3 ? rand_r(seed) % size : rand_r(seed) % 4 * 4096 + rand_r(seed) % 120;
		unsigned char byte = (unsigned char)rand_r(seed);

		if (at < size)
			assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
}

static void test_a_damaged_file_is_an_error_and_no_crash(void **state)
{
	struct store_file *store_file = *state;
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL), refused = 0;
	char *good;
	FILE *file;
	size_t size;

	print_message("SEED=%u\n", seed);
	for (uint32_t number = 1; number <= 40; number++)
		put_job(store_file, number);
	OK(store_file, store_commit(store_file->store, &store_file->error));
	store_close(store_file->store);
	good = malloc(1 << 20);
	file = fopen(store_file->path, "r");
	size = fread(good, 1, 1 << 20, file);
	fclose(file);
	for (int i = 0; i < FLIPS; i++) {
		directory_clear(store_file->directory);
		file = fopen(store_file->path, "w");
		assert_int_equal(fwrite(good, 1, size, file), size);
		fclose(file);
		flip(store_file->path, &seed);
		if (store_open(&store_file->store, store_file->path, &store_file->error) == 0)
			use(store_file);
		else
			refused++;
		store_close(store_file->store);
	}
	assert_true(refused > FLIPS / 10);
	directory_clear(store_file->directory);
	OPEN(store_file);
	free(good);
}

static void test_a_value_that_can_not_be_is_damage(void **state)
{
	struct store_file *file = *state;
	static const char *const damage[] = {
		"UPDATE job SET is_array = 7",
		"UPDATE job SET uid = -1",
		"UPDATE job SET owner = CAST(x'61ff' AS TEXT)",
		"UPDATE job SET owner = CAST(x'610062' AS TEXT)",
		"UPDATE job SET gid = 4294967296",
	};
	struct stored_job job;

	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		execute(file, "BEGIN");
		execute(file, damage[i]);
		FAILS(file, store_job_find(file->store, 1, &job, &file->error), -EUCLEAN, "damaged");
		execute(file, "ROLLBACK");
	}
	assert_true(has_job(file, 1));
}

/* Full disk */

static void fill(const char *path)
{
	static const char block[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
}

/* Mount a file system of 1 MiB on the store's directory. Skip the test if this is not permitted. */
static void small_disk_begin(struct store_file *file)
{
	store_close(file->store);
	file->store = NULL;
	if (mount("fairlead-test", file->directory, "tmpfs", 0, "size=1m,mode=755") != 0) {
		print_message("no tmpfs can be mounted here\n");
		OPEN(file);
		skip();
	}
	OPEN(file);
}

static void small_disk_end(struct store_file *file)
{
	store_close(file->store);
	assert_int_equal(umount(file->directory), 0);
	OPEN(file);
}

static void test_a_full_disk_undoes_the_transaction_and_the_store_recovers(void **state)
{
	struct store_file *file = *state;
	struct stored_job job;
	static char large[600001];
	char filler[100];
	int code = 0;

	small_disk_begin(file);
	put_job(file, 1);
	OK(file, store_commit(file->store, &file->error));
	snprintf(filler, sizeof(filler), "%s/filler", file->directory);
	fill(filler);
	memset(large, 'x', sizeof(large) - 1);
	job = some_job(2);
	job.execution = large;
	put_job(file, 3);
	code = store_job_put(file->store, &job, &file->error);
	if (code == 0)
		code = store_commit(file->store, &file->error);
	else
		FAILS(file, store_commit(file->store, &file->error), code, "disk is full");
	assert_int_equal(code, -ENOSPC);
	assert_false(has_job(file, 2));
	assert_false(has_job(file, 3));
	assert_true(has_job(file, 1));
	assert_int_equal(unlink(filler), 0);
	job.execution = "{}";
	OK(file, store_job_put(file->store, &job, &file->error));
	OK(file, store_commit(file->store, &file->error));
	reopen(file);
	assert_true(has_job(file, 1) && has_job(file, 2) && !has_job(file, 3));
	store_close(file->store);
	fill(filler);
	assert_int_equal(store_open(&file->store, file->path, &file->error), -ENOSPC);
	assert_int_equal(unlink(filler), 0);
	OPEN(file);
	small_disk_end(file);
}

static void test_a_read_only_disk_is_reported(void **state)
{
	struct store_file *file = *state;

	small_disk_begin(file);
	store_close(file->store);
	assert_int_equal(mount(NULL, file->directory, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	FAILS(file, store_open(&file->store, file->path, &file->error), -EROFS, "Read-only file system");
	small_disk_end(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_a_second_writer_is_refused_until_the_first_has_ended),
		STORE_TEST(test_a_killed_writer_leaves_no_lock_and_keeps_committed_data),
		STORE_TEST(test_other_processes_may_read_during_a_write),
		STORE_TEST(test_a_new_store_is_private_to_its_owner),
		STORE_TEST(test_a_newer_version_is_refused_and_unchanged),
		STORE_TEST(test_a_database_of_another_program_is_refused_and_unchanged),
		STORE_TEST(test_a_special_file_is_refused),
		STORE_TEST(test_a_file_that_others_could_have_written_is_refused),
		STORE_TEST(test_a_missing_empty_or_foreign_store_is_refused),
		STORE_TEST(test_a_file_name_is_no_command),
		STORE_TEST(test_a_damaged_file_is_an_error_and_no_crash),
		STORE_TEST(test_a_value_that_can_not_be_is_damage),
		STORE_TEST(test_a_full_disk_undoes_the_transaction_and_the_store_recovers),
		STORE_TEST(test_a_read_only_disk_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
