/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any kind of damage to a store, its log and its receipt is refused by name, or the contents are
 * exactly the same as before. Without checksums and receipt the contents must often be wrong,
 * otherwise the test detects nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "tests/store/image.h"

static struct {
	unsigned seed;
	struct image closed, killed;	/* the killed one has its last commits only in the log */
	unsigned refused, same, other, unnamed;
	char first[300];		/* the first unexpected results */
} test;

static void put_some(struct store_file *file, uint32_t first, uint32_t last)
{
	char large[9000];

	memset(large, 'y', sizeof(large));
	for (uint32_t i = first; i <= last; i++) {
		struct stored_job job = some_job(i);
		struct stored_task task = some_task(i, 1);

		large[i * 411 % sizeof(large)] = '\0';
		job.execution = i % 8 == 0 ? large : job.execution;
		large[sizeof(large) - 1] = '\0';
		OK(file, store_job_put(file->store, &job, &file->error));
		OK(file, store_task_put(file->store, &task, &file->error));
		OK(file, store_commit(file->store, &file->error));
		large[i * 411 % sizeof(large)] = 'y';
	}
}

static void images_make(struct store_file *file)
{
	put_some(file, 1, 80);
	for (uint32_t i = 40; i < 60; i++)
		OK(file, store_job_remove(file->store, i, &file->error));	/* free pages */
	OK(file, store_commit(file->store, &file->error));
	test.closed.content = content(file->store);
	store_close(file->store);
	image_take(file, &test.closed);
	OPEN(file);
	put_some(file, 81, 88);
	test.killed.content = content(file->store);
	image_take(file, &test.killed);
	assert_true(test.killed.size[LOG] > 8 * 4120);
}

/* Results of the damage */

static void note(const char *what, const char *words)
{
	if (!*test.first)
		snprintf(test.first, sizeof(test.first), "%s: %s", what, words);
}

static void judge(struct store_file *file, const struct image *image, const char *what)
{
	bool opened;

	file->error.text[0] = '\0';
	image_put(file, image);
	opened = store_open(&file->store, file->path, &file->error) == 0;
	if (!opened) {
		test.refused++;
		if (!strstr(file->error.text, "damaged") && !strstr(file->error.text, "acknowledged commits") &&
		    !strstr(file->error.text, "missing or empty") && !strstr(file->error.text, "newer program") &&
		    !strstr(file->error.text, "is not a store")) {
			test.unnamed++;
			note(what, file->error.text);
		}
	} else if (content(file->store) == image->content) {
		test.same++;
	} else {
		test.other++;
		note(what, "opened, with other content");
	}
}

static void judge_flip(struct store_file *file, struct image *image, enum which which, size_t at)
{
	unsigned char bit = (unsigned char)(1u << rand_r(&test.seed) % 8);
	char what[60];

	snprintf(what, sizeof(what), "bit %u of byte %zu of the store%s", bit, at, suffixes[which]);
	image->bytes[which][at] ^= bit;
	judge(file, image, what);
	image->bytes[which][at] ^= bit;
}

static void counts_clear(void)
{
	test.refused = test.same = test.other = test.unnamed = 0;
	test.first[0] = '\0';
}

static void check_counts(const char *what)
{
	print_message("%s: %u refused by name, %u as before, %u with other content\n", what,
		      test.refused - test.unnamed, test.same, test.other);
	if (test.other || test.unnamed)
		fail_msg("%s", test.first);
}

/* Bits */

static void test_no_flipped_bit_of_the_store_passes(void **state)
{
	struct store_file *file = *state;

	counts_clear();
	for (size_t at = 0; at < 100; at++)
		judge_flip(file, &test.closed, STORE, at);
	for (size_t at = 100; at < test.closed.size[STORE]; at += 211)
		judge_flip(file, &test.closed, STORE, at);
	check_counts("bits of the store");
	assert_true(test.refused > 20 * test.same);
}

static void test_no_flipped_bit_of_the_log_passes(void **state)
{
	struct store_file *file = *state;

	counts_clear();
	for (size_t at = 0; at < 60; at++)
		judge_flip(file, &test.killed, LOG, at);
	for (size_t at = 60; at < test.killed.size[LOG]; at += 211)
		judge_flip(file, &test.killed, LOG, at);
	check_counts("bits of the log");
	assert_true(test.refused > 20 * test.same);
}

static void test_no_flipped_bit_of_the_receipt_passes(void **state)
{
	struct store_file *file = *state;

	counts_clear();
	for (size_t at = 0; at < test.closed.size[RECEIPT]; at++)
		judge_flip(file, &test.closed, RECEIPT, at);
	check_counts("bits of the receipt");
	assert_int_equal(test.same, 0);
}

/* Pages and lengths */

static void test_a_lost_blank_or_misplaced_page_is_detected(void **state)
{
	struct store_file *file = *state;
	unsigned char page[PAGE_SIZE], *bytes = test.closed.bytes[STORE];
	size_t pages = test.closed.size[STORE] / PAGE_SIZE;

	counts_clear();
	for (size_t i = 0; i < pages; i++) {
		unsigned char *here = bytes + i * PAGE_SIZE, *there = bytes + (i + 1) % pages * PAGE_SIZE;

		memcpy(page, here, PAGE_SIZE);
		memset(here, 0, PAGE_SIZE);
		judge(file, &test.closed, "a page that is blank");
		memcpy(here, there, PAGE_SIZE);
		judge(file, &test.closed, "a page that is there twice");
		memcpy(there, page, PAGE_SIZE);
		judge(file, &test.closed, "two pages that have changed places");
		memcpy(there, here, PAGE_SIZE);
		memcpy(here, page, PAGE_SIZE);
	}
	check_counts("pages");
	assert_true(test.refused > 2 * pages);
}

static void judge_length(struct store_file *file, struct image *image, enum which which, size_t size)
{
	size_t whole = image->size[which];
	char what[60];

	snprintf(what, sizeof(what), "the store%s cut to %zu bytes", suffixes[which], size);
	image->size[which] = size;
	judge(file, image, what);
	image->size[which] = whole;
}

static void test_no_file_that_was_cut_or_lost_passes(void **state)
{
	struct store_file *file = *state;

	counts_clear();
	for (size_t size = 0; size < test.closed.size[STORE]; size += PAGE_SIZE / 2)
		judge_length(file, &test.closed, STORE, size);
	for (size_t size = 0; size < test.killed.size[LOG]; size += LOG_FRAME_BYTES / 2)
		judge_length(file, &test.killed, LOG, size);
	check_counts("lengths");
	assert_int_equal(test.same, 0);
}

static void test_another_programs_file_and_an_older_copy_do_not_pass(void **state)
{
	struct store_file *file = *state;
	struct image changed = test.closed;

	counts_clear();
	changed.bytes[STORE] = test.killed.bytes[STORE];
	changed.bytes[RECEIPT] = test.killed.bytes[RECEIPT];
	judge(file, &changed, "an older copy");
	changed.bytes[STORE] = malloc(FILE_BYTES);
	memset(changed.bytes[STORE], 'a', FILE_BYTES);
	judge(file, &changed, "a text");
	free(changed.bytes[STORE]);
	check_counts("other files");
	assert_int_equal(test.refused, 2);
}

/* Controls */

static void test_without_checksums_flipped_bits_pass(void **state)
{
	struct store_file *file = *state;
	struct image bare = test.closed;

	bare.bytes[STORE] = malloc(FILE_BYTES);
	memcpy(bare.bytes[STORE], test.closed.bytes[STORE], test.closed.size[STORE]);
	for (size_t end = PAGE_SIZE; end <= bare.size[STORE]; end += PAGE_SIZE)
		memset(bare.bytes[STORE] + end - PAGE_RESERVE, 0, PAGE_RESERVE);
	counts_clear();
	for (size_t at = 100; at < bare.size[STORE]; at += 211)
		judge_flip(file, &bare, STORE, at);
	free(bare.bytes[STORE]);
	print_message("bits of a store without checksums: %u refused, %u with other content\n", test.refused,
		      test.other);
	assert_true(test.other > 100);
}

static void test_without_a_receipt_the_last_commit_is_lost_unnoticed(void **state)
{
	struct store_file *file = *state;
	struct image bare = test.killed;

	bare.size[RECEIPT] = 0;
	counts_clear();
	for (size_t at = 60; at < bare.size[LOG]; at += 211)
		judge_flip(file, &bare, LOG, at);
	print_message("bits of the log, without a receipt: %u refused, %u with other content\n", test.refused,
		      test.other);
	assert_true(test.other > 0);
	/* Commits follow the part that does not fit. */
	assert_true(test.refused > 3 * test.other);
}

/* Changes that are no damage */

static int copy_table(void *old, int columns, char **values, char **names)
{
	char sql[100];

	(void)columns;
	(void)names;
	if (strcmp(values[0], "debited_task") == 0)	/* a table of this version */
		return 0;
	assert_int_equal(sqlite3_exec(old, values[1], NULL, NULL, NULL), SQLITE_OK);
	snprintf(sql, sizeof(sql), "INSERT INTO %s SELECT * FROM s.%s", values[0], values[0]);
	/* The table has a computed column. */
	if (strcmp(values[0], "association_usage") != 0)
		assert_int_equal(sqlite3_exec(old, sql, NULL, NULL, NULL), SQLITE_OK);
	return 0;
}

/* The previous version: pages without room for checksums, and no count. */
static void test_a_store_of_the_version_before_gets_checksums(void **state)
{
	struct store_file *file = *state;
	char text[200], path[120];
	sqlite3 *db;

	put_some(file, 1, 20);
	store_close(file->store);
	snprintf(path, sizeof(path), "%s/old", file->directory);
	snprintf(text, sizeof(text), "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x46724c64; ATTACH '%s' AS s",
		 file->path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, "SELECT name, sql FROM s.sqlite_schema WHERE type = 'table'", copy_table, db, NULL),
		SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db,
			     "DELETE FROM main.meta WHERE key IN ('commits', 'identity'); PRAGMA main.user_version = 3",
			     NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(rename(path, file->path), 0);
	file->store = NULL;
	image_take(file, &test.killed);
	assert_int_equal(test.killed.bytes[STORE][20], 0);
	test.killed.size[RECEIPT] = 0;
	image_put(file, &test.killed);
	OPEN(file);
	assert_string_equal(query_one(file->store, "SELECT count(*) FROM job", text, sizeof(text)), "20");
	store_close(file->store);
	image_take(file, &test.killed);
	for (size_t at = 0; at < test.killed.size[STORE]; at += PAGE_SIZE)
		assert_true(page_stamp(test.killed.bytes[STORE] + at) != 0 &&
			    page_fits(test.killed.bytes[STORE] + at, (uint32_t)(at / PAGE_SIZE + 1)));
	OPEN(file);
	assert_int_equal(file->store->commits, 1);		/* the name of the store */
}

/*
 * When another program is the last to close the store, it copies the log into the store. The pages
 * have no checksums until we open it.
 */
static void test_pages_that_another_program_has_copied_get_their_checksums(void **state)
{
	struct store_file *file = *state;
	char text[20];
	sqlite3 *db;
	unsigned bare = 0;

	image_put(file, &test.killed);
	assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
	assert_string_equal(query_one(&(struct store){ .db = db }, "SELECT count(*) FROM job", text, sizeof(text)),
			    "68");
	sqlite3_close(db);
	image_take(file, &test.closed);
	assert_int_equal(test.closed.size[LOG], 0);
	for (size_t at = 0; at < test.closed.size[STORE]; at += PAGE_SIZE)
		bare += page_stamp(test.closed.bytes[STORE] + at) == 0;
	assert_true(bare > 2);
	OPEN(file);
	assert_true(content(file->store) == test.killed.content);
	store_close(file->store);
	image_take(file, &test.closed);
	for (size_t at = 0; at < test.closed.size[STORE]; at += PAGE_SIZE)
		assert_true(page_stamp(test.closed.bytes[STORE] + at) != 0);
	file->store = NULL;
}

/* Another program that changes the store must confirm the change by rewriting all pages. */
static void test_a_change_by_another_program_is_accepted_when_it_rewrites_all_pages(void **state)
{
	struct store_file *file = *state;
	sqlite3 *db;

	put_some(file, 1, 30);
	for (int vacuum = 0; vacuum < 2; vacuum++) {
		store_close(file->store);
		assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
		assert_int_equal(
			sqlite3_exec(db,
				     vacuum ? "UPDATE job SET owner = 'bob'; VACUUM" : "UPDATE job SET owner = 'eve'",
				     NULL, NULL, NULL),
			SQLITE_OK);
		sqlite3_close(db);
		if (vacuum)
			OPEN(file);
		else
			FAILS(file, store_open(&file->store, file->path, &file->error), -EUCLEAN, "of job");
	}
}

static int begin(void **state)
{
	struct store_file *file;

	test.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	print_message("SEED=%u\n", test.seed);
	if (store_file_setup((void **)&file))
		return -1;
	images_make(file);
	return store_file_teardown((void **)&file) || (*state = NULL);
}

static int end(void **state)
{
	(void)state;
	for (enum which k = STORE; k < FILES; k++) {
		free(test.closed.bytes[k]);
		free(test.killed.bytes[k]);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_no_flipped_bit_of_the_store_passes),
		STORE_TEST(test_no_flipped_bit_of_the_log_passes),
		STORE_TEST(test_no_flipped_bit_of_the_receipt_passes),
		STORE_TEST(test_a_lost_blank_or_misplaced_page_is_detected),
		STORE_TEST(test_no_file_that_was_cut_or_lost_passes),
		STORE_TEST(test_another_programs_file_and_an_older_copy_do_not_pass),
		STORE_TEST(test_without_checksums_flipped_bits_pass),
		STORE_TEST(test_without_a_receipt_the_last_commit_is_lost_unnoticed),
		STORE_TEST(test_pages_that_another_program_has_copied_get_their_checksums),
		STORE_TEST(test_a_store_of_the_version_before_gets_checksums),
		STORE_TEST(test_a_change_by_another_program_is_accepted_when_it_rewrites_all_pages),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
