/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: who may, what is refused and why; a damaged file is never more than an error; a full
 * disk is no loss.
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

static void execute(struct store_file *f, const char *sql)
{
	assert_int_equal(sqlite3_exec(f->store->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void put_job(struct store_file *f, uint32_t number)
{
	struct stored_job job = some_job(number);
	struct stored_task task = some_task(number, 1);

	OK(f, store_job_put(f->store, &job, &f->error));
	OK(f, store_task_put(f->store, &task, &f->error));
}

static bool has_job(struct store_file *f, uint32_t number)
{
	struct stored_job job;
	int code = store_job_find(f->store, number, &job, &f->error);

	assert_true(code == 0 || code == -ENOENT);
	return code == 0;
}

/* Who may */

static void test_a_second_writer_is_refused_until_the_first_has_gone(void **state)
{
	struct store_file *f = *state;
	struct store *second;
	int status;

	FAILS(f, store_open(&second, f->path, &f->error), -EBUSY, "another process has the store");
	assert_null(second);
	if (fork() == 0)
		_exit(store_open(&second, f->path, NULL) == -EBUSY ? 0 : 1);
	assert_true(wait(&status) > 0 && status == 0);
	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	reopen(f);
	assert_true(has_job(f, 1));
}

static void test_a_writer_that_was_killed_leaves_no_lock_and_what_it_committed(void **state)
{
	struct store_file *f = *state;
	int status;

	store_close(f->store);
	if (fork() == 0) {
		OPEN(f);
		put_job(f, 1);
		OK(f, store_commit(f->store, &f->error));
		put_job(f, 2);
		kill(getpid(), SIGKILL);
	}
	assert_true(wait(&status) > 0 && WIFSIGNALED(status));
	OPEN(f);
	assert_true(has_job(f, 1));
	assert_false(has_job(f, 2));
}

static void test_others_may_read_while_it_is_written(void **state)
{
	struct store_file *f = *state;
	sqlite3 *reader;
	char text[20];

	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	assert_int_equal(sqlite3_open_v2(f->path, &reader, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT * FROM job", NULL, NULL, NULL), SQLITE_OK);
	for (uint32_t number = 2; number < 50; number++) {
		put_job(f, number);
		OK(f, store_commit(f->store, &f->error));
	}
	assert_string_equal(query_one(&(struct store){ .db = reader }, "SELECT count(*) FROM job", text, sizeof(text)), "1");
	assert_int_equal(sqlite3_exec(reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_string_equal(query_one(&(struct store){ .db = reader }, "SELECT count(*) FROM job", text, sizeof(text)), "49");
	sqlite3_close(reader);
}

static void test_a_new_store_is_for_its_owner_alone(void **state)
{
	struct store_file *f = *state;
	struct stat st;
	char wal[100], receipt[100];

	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	snprintf(wal, sizeof(wal), "%s-wal", f->path);
	assert_int_equal(stat(wal, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	snprintf(receipt, sizeof(receipt), "%s-receipt", f->path);
	assert_int_equal(stat(receipt, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(chmod(f->path, 0640), 0);
	reopen(f);		/* who may read the store may read its receipt */
	assert_int_equal(stat(receipt, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0640);
}

/* What is refused */

static void test_a_newer_version_is_refused_and_left_alone(void **state)
{
	struct store_file *f = *state;
	char text[20];
	sqlite3 *db;

	execute(f, "PRAGMA user_version = 1000");
	store_close(f->store);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EPROTO, "version 1000, of a newer program");
	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	assert_string_equal(query_one(&(struct store){ .db = db }, "PRAGMA user_version", text, sizeof(text)), "1000");
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = " TEXT(STORE_SCHEMA) "; VACUUM", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	OPEN(f);
}

static void test_a_database_of_another_program_is_refused_and_left_alone(void **state)
{
	struct store_file *f = *state;
	char text[20];
	sqlite3 *db;

	store_close(f->store);
	directory_clear(f->directory);
	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE photos (name)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EUCLEAN, "database of another program");
	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	assert_string_equal(query_one(&(struct store){ .db = db }, "PRAGMA journal_mode", text, sizeof(text)), "delete");
	sqlite3_close(db);
}

static void test_what_is_no_file_is_refused(void **state)
{
	struct store_file *f = *state;
	struct store *s;
	char path[100];

	snprintf(path, sizeof(path), "%s/.", f->directory);
	FAILS(f, store_open(&s, path, &f->error), -EISDIR, "Is a directory");
	FAILS(f, store_open(&s, "/nowhere/store", &f->error), -ENOENT, "No such file");
	FAILS(f, store_open(&s, "/dev/null", &f->error), -EINVAL, "no regular file");
	FAILS(f, store_open(&s, "", &f->error), -ENOENT, "No such file");
	snprintf(path, sizeof(path), "%s/store/x", f->directory);
	FAILS(f, store_open(&s, path, &f->error), -ENOTDIR, "Not a directory");
}

/*
 * Each of them is read as what the store holds, so that each must be ours, like the directory in
 * which they stand.
 */
static void test_what_others_could_have_written_is_refused(void **state)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal", "-receipt" };
	struct store_file *f = *state;
	char path[120], other[120];
	int fd;

	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	store_close(f->store);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(path, sizeof(path), "%s%s", f->path, suffixes[i]);
		snprintf(other, sizeof(other), "%s/other", f->directory);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		assert_true(fd >= 0);
		assert_int_equal(fchmod(fd, 0620), 0);
		FAILS(f, store_open(&f->store, f->path, &f->error), -EPERM, "others may change it");
		assert_non_null(strstr(f->error.text, path));
		assert_int_equal(fchmod(fd, 0600), 0);
		assert_int_equal(link(path, other), 0);
		FAILS(f, store_open(&f->store, f->path, &f->error), -EPERM, "another name");
		assert_int_equal(unlink(other), 0);
		if (geteuid() == 0) {
			assert_int_equal(fchown(fd, 12345, (gid_t)-1), 0);
			FAILS(f, store_open(&f->store, f->path, &f->error), -EPERM, "user 12345");
			assert_int_equal(fchown(fd, 0, (gid_t)-1), 0);
		}
		assert_int_equal(rename(path, other) || symlink("other", path), 0);
		FAILS(f, store_open(&f->store, f->path, &f->error), i ? -EINVAL : -ELOOP, path);
		assert_int_equal(unlink(path) || rename(other, path), 0);
		if (i > 0)
			assert_int_equal(unlink(path), 0);
		close(fd);
	}
	assert_int_equal(chmod(f->directory, 01777), 0);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EPERM, "mode 1777");
	assert_int_equal(chmod(f->directory, 0755), 0);
	OPEN(f);
	assert_true(has_job(f, 1));
}

static void copy(const char *from, const char *to)
{
	char command[300];

	snprintf(command, sizeof(command), "cp -p %s %s", from, to);
	assert_int_equal(system(command), 0);
}

static void test_one_that_is_gone_empty_or_foreign_is_refused(void **state)
{
	struct store_file *f = *state;
	char receipt[120], aside[120], other[120];

	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	store_close(f->store);
	f->store = NULL;
	snprintf(receipt, sizeof(receipt), "%s-receipt", f->path);
	snprintf(aside, sizeof(aside), "%s/aside", f->directory);
	snprintf(other, sizeof(other), "%s/other", f->directory);
	assert_int_equal(rename(f->path, aside), 0);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EUCLEAN, "gone or empty");
	assert_non_null(strstr(f->error.text, receipt));
	assert_int_equal(access(f->path, F_OK), -1);
	fclose(fopen(f->path, "w"));
	assert_int_equal(chmod(f->path, 0600), 0);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EUCLEAN, "gone or empty");
	OK(f, store_open(&f->store, other, &f->error));
	store_close(f->store);
	/* it has fewer commits as well; that is not what is wrong with it */
	copy(other, f->path);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EUCLEAN, "not the one that belongs here");
	copy(aside, f->path);
	OPEN(f);
	assert_true(has_job(f, 1));
	store_close(f->store);
	copy(other, f->path);
	assert_int_equal(unlink(receipt), 0);
	OPEN(f);			/* that one is it from now on */
	assert_false(has_job(f, 1));
	assert_int_equal(access(receipt, F_OK), 0);
	store_close(f->store);
	copy(aside, f->path);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EUCLEAN, "not the one that belongs here");
	/* as if the power had failed: which one it was is not known */
	assert_int_equal(truncate(receipt, 0) || truncate(receipt, 71), 0);
	OPEN(f);
	assert_true(has_job(f, 1));
	store_close(f->store);
	assert_int_equal(truncate(receipt, 0) || unlink(f->path), 0);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EUCLEAN, "gone or empty");
	assert_int_equal(unlink(receipt), 0);
	FAILS(f, store_open_known(&f->store, f->path, "SIGN", &f->error), -EUCLEAN, "but SIGN is there");
	OPEN(f);
	assert_false(has_job(f, 1));
}

static void test_a_file_name_is_no_command(void **state)
{
	struct store_file *f = *state;
	char before[200];

	store_close(f->store);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(f->directory), 0);
	OK(f, store_open(&f->store, ":memory:", &f->error));
	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	store_close(f->store);
	OK(f, store_open(&f->store, ":memory:", &f->error));
	assert_true(has_job(f, 1));
	store_close(f->store);
	OK(f, store_open(&f->store, "file:x?mode=memory", &f->error));
	assert_int_equal(access("file:x?mode=memory", F_OK), 0);
	assert_int_equal(chdir(before), 0);
}

/* Damage */

static int see_job(void *context, const struct stored_job *job)
{
	*(size_t *)context += strlen(job->owner) + strlen(job->execution) + strlen(job->waiting) + (job->error ? strlen(job->error) : 0);
	return 0;
}

static int see_task(void *context, const struct stored_task *task)
{
	*(size_t *)context += strlen(task->granted) + (task->usage ? strlen(task->usage) : 0);
	return 0;
}

/* Everything that a program would do; any error is fine. */
static void use(struct store_file *f)
{
	struct stored_job job = some_job(7);
	uint32_t number;
	size_t bytes = 0;

	store_jobs_each(f->store, see_job, &bytes, &f->error);
	store_tasks_each(f->store, see_task, &bytes, &f->error);
	store_next_job_number(f->store, &number, &f->error);
	store_job_put(f->store, &job, &f->error);
	store_task_remove(f->store, 3, 1, &f->error);
	store_job_remove(f->store, 5, &f->error);
	store_commit(f->store, &f->error);
	store_commit(f->store, &f->error);
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
	struct store_file *f = *state;
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL), refused = 0;
	char *good;
	FILE *file;
	size_t size;

	print_message("SEED=%u\n", seed);
	for (uint32_t number = 1; number <= 40; number++)
		put_job(f, number);
	OK(f, store_commit(f->store, &f->error));
	store_close(f->store);
	good = malloc(1 << 20);
	file = fopen(f->path, "r");
	size = fread(good, 1, 1 << 20, file);
	fclose(file);
	for (int i = 0; i < FLIPS; i++) {
		directory_clear(f->directory);
		file = fopen(f->path, "w");
		assert_int_equal(fwrite(good, 1, size, file), size);
		fclose(file);
		flip(f->path, &seed);
		if (store_open(&f->store, f->path, &f->error) == 0)
			use(f);
		else
			refused++;
		store_close(f->store);
	}
	assert_true(refused > FLIPS / 10);
	directory_clear(f->directory);
	OPEN(f);
	free(good);
}

static void test_a_value_that_can_not_be_is_damage(void **state)
{
	struct store_file *f = *state;
	static const char *const damage[] = {
		"UPDATE job SET is_array = 7", "UPDATE job SET uid = -1", "UPDATE job SET owner = CAST(x'61ff' AS TEXT)",
		"UPDATE job SET owner = CAST(x'610062' AS TEXT)", "UPDATE job SET gid = 4294967296",
	};
	struct stored_job job;

	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		execute(f, "BEGIN");
		execute(f, damage[i]);
		FAILS(f, store_job_find(f->store, 1, &job, &f->error), -EUCLEAN, "damaged");
		execute(f, "ROLLBACK");
	}
	assert_true(has_job(f, 1));
}

/* A full disk */

static void fill(const char *path)
{
	static const char block[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
}

/*
 * The store's directory becomes a file system of 1 MiB; skips the test where that is not allowed.
 */
static void small_disk_begin(struct store_file *f)
{
	store_close(f->store);
	f->store = NULL;
	if (mount("fairlead-test", f->directory, "tmpfs", 0, "size=1m,mode=755") != 0) {
		print_message("no tmpfs can be mounted here\n");
		OPEN(f);
		skip();
	}
	OPEN(f);
}

static void small_disk_end(struct store_file *f)
{
	store_close(f->store);
	assert_int_equal(umount(f->directory), 0);
	OPEN(f);
}

static void test_a_full_disk_undoes_the_transaction_and_the_store_recovers(void **state)
{
	struct store_file *f = *state;
	struct stored_job job;
	static char large[600001];
	char filler[100];
	int code = 0;

	small_disk_begin(f);
	put_job(f, 1);
	OK(f, store_commit(f->store, &f->error));
	snprintf(filler, sizeof(filler), "%s/filler", f->directory);
	fill(filler);
	memset(large, 'x', sizeof(large) - 1);
	job = some_job(2);
	job.execution = large;
	put_job(f, 3);
	code = store_job_put(f->store, &job, &f->error);
	if (code == 0)
		code = store_commit(f->store, &f->error);
	else
		FAILS(f, store_commit(f->store, &f->error), code, "disk is full");
	assert_int_equal(code, -ENOSPC);
	assert_false(has_job(f, 2));
	assert_false(has_job(f, 3));
	assert_true(has_job(f, 1));
	assert_int_equal(unlink(filler), 0);
	job.execution = "{}";
	OK(f, store_job_put(f->store, &job, &f->error));
	OK(f, store_commit(f->store, &f->error));
	reopen(f);
	assert_true(has_job(f, 1) && has_job(f, 2) && !has_job(f, 3));
	store_close(f->store);
	fill(filler);
	assert_int_equal(store_open(&f->store, f->path, &f->error), -ENOSPC);
	assert_int_equal(unlink(filler), 0);
	OPEN(f);
	small_disk_end(f);
}

static void test_a_read_only_disk_is_told(void **state)
{
	struct store_file *f = *state;

	small_disk_begin(f);
	store_close(f->store);
	assert_int_equal(mount(NULL, f->directory, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	FAILS(f, store_open(&f->store, f->path, &f->error), -EROFS, "Read-only file system");
	small_disk_end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_a_second_writer_is_refused_until_the_first_has_gone),
		STORE_TEST(test_a_writer_that_was_killed_leaves_no_lock_and_what_it_committed),
		STORE_TEST(test_others_may_read_while_it_is_written),
		STORE_TEST(test_a_new_store_is_for_its_owner_alone),
		STORE_TEST(test_a_newer_version_is_refused_and_left_alone),
		STORE_TEST(test_a_database_of_another_program_is_refused_and_left_alone),
		STORE_TEST(test_what_is_no_file_is_refused),
		STORE_TEST(test_what_others_could_have_written_is_refused),
		STORE_TEST(test_one_that_is_gone_empty_or_foreign_is_refused),
		STORE_TEST(test_a_file_name_is_no_command),
		STORE_TEST(test_a_damaged_file_is_an_error_and_no_crash),
		STORE_TEST(test_a_value_that_can_not_be_is_damage),
		STORE_TEST(test_a_full_disk_undoes_the_transaction_and_the_store_recovers),
		STORE_TEST(test_a_read_only_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
