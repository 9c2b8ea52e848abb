/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store in a directory of its own, which is removed with it. Include after cmocka.h and its
 * headers.
 */
#ifndef TESTS_STORE_FILE_H
#define TESTS_STORE_FILE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/store/base.h"

struct store_file {
	char directory[64], path[80];
	struct store *store;
	struct error error;
};

static inline void directory_clear(const char *directory)
{
	char path[400];
	DIR *dir = opendir(directory);

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (entry->d_name[0] != '.')
			remove(path);
	}
	if (dir)
		closedir(dir);
}

/*
 * Make a directory for a store in use and one for images of it, both in memory if /dev/shm exists.
 * Return 0 or -1.
 */
static inline int live_and_image_make(char live[80], char image[80])
{
	const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(live, 80, "%s/fairlead-live-XXXXXX", root);
	snprintf(image, 80, "%s/fairlead-image-XXXXXX", root);
	return mkdtemp(live) && mkdtemp(image) ? 0 : -1;
}

static inline int live_and_image_remove(const char *live, const char *image)
{
	directory_clear(live);
	directory_clear(image);
	return rmdir(live) || rmdir(image) ? -1 : 0;
}

/* Open the store. On failure f->error explains the reason. */
#define OPEN(f) do {							\
	if (store_open(&(f)->store, (f)->path, &(f)->error) != 0)	\
		fail_msg("%s", (f)->error.text);			\
} while (0)

/* Check that a call succeeds. */
#define OK(f, call) do {						\
	if ((call) != 0)						\
		fail_msg("%s: %s", #call, (f)->error.text);		\
} while (0)

/* Check that a call fails with a code and a reason that contains `words`. */
#define FAILS(f, call, code, words) do {				\
	(f)->error.text[0] = '\0';					\
	assert_int_equal(call, code);					\
	if (!strstr((f)->error.text, words))				\
		fail_msg("\"%s\" is not in: %s", words, (f)->error.text); \
} while (0)

static inline void reopen(struct store_file *file)
{
	store_close(file->store);
	OPEN(file);
}

static inline int store_file_make(struct store_file *file)
{
	*file = (struct store_file){ .store = NULL };
	snprintf(file->directory, sizeof(file->directory), "%s/fairlead-store-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(file->directory))
		return -1;
	snprintf(file->path, sizeof(file->path), "%s/store", file->directory);
	return 0;
}

static inline int store_file_setup(void **state)
{
	static struct store_file file;

	*state = &file;
	return store_file_make(&file) || store_open(&file.store, file.path, &file.error);
}

static inline int store_file_teardown(void **state)
{
	struct store_file *file = *state;

	store_close(file->store);
	directory_clear(file->directory);
	return rmdir(file->directory);
}

/* Return a job with a value in every member. */
static inline struct stored_job some_job(uint32_t number)
{
	return (struct stored_job){ .job_number = number,
				    .owner = "ann",
				    .uid = 1000,
				    .gid = 100,
				    .group = "users",
				    .submission_time = 1700000000,
				    .job = "{\"job_name\":\"sleep\"}",
				    .execution = "{\"command\":[\"sleep\",\"1\"]}",
				    .waiting = "1-10,12",
				    .is_array = true,
				    .hold_user = "2",
				    .hold_operator = "",
				    .hold_system = "3-4" };
}

static inline struct stored_task some_task(uint32_t number, uint32_t id)
{
	return (struct stored_task){ .job_number = number,
				     .task_id = id,
				     .state = STORED_RUNNING,
				     .attempt = 1,
				     .boot = "b7",
				     .start_time = 1700000007,
				     .granted = "[{\"queue\":\"all.q@node\",\"slots\":1}]",
				     .granted_pe = "",
				     .state_letters = "r",
				     .directory = "/var/lib/x",
				     .usage = "{\"cpu\":1.5}" };
}

/* Return text columns as one string, for comparison. */
static inline const char *query_one(struct store *store, const char *sql, char *text, size_t size)
{
	sqlite3_stmt *statement = NULL;

	text[0] = '\0';
	assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL), SQLITE_OK);
	if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
		snprintf(text, size, "%s", sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return text;
}

#define STORE_TEST(FUNCTION) cmocka_unit_test_setup_teardown(FUNCTION, store_file_setup, store_file_teardown)

#endif
