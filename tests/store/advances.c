/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations: committed ones are restored unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/store/file.h"

struct found {
	size_t n;
	struct stored_advance last;
	char owner[20], reservation[60];
};

static int note(void *context, const struct stored_advance *advance)
{
	struct found *found = context;

	found->n++;
	found->last = *advance;
	snprintf(found->owner, sizeof(found->owner), "%s", advance->owner);
	snprintf(found->reservation, sizeof(found->reservation), "%s", advance->reservation);
	return 0;
}

static struct found find(struct store_file *file)
{
	struct found found = { 0 };

	OK(file, store_advances_each(file->store, note, &found, &file->error));
	return found;
}

static void test_a_committed_reservation_is_restored_unchanged(void **state)
{
	struct store_file *file = *state;
	struct stored_advance advance = { .number = 7,
					  .owner = "ann",
					  .uid = 20101,
					  .submission_time = 1700000000,
					  .start_time = 1700000010,
					  .end_time = 1700003610,
					  .reservation = "{\"granted\":[]}" };
	struct found found;

	OK(file, store_advance_put(file->store, &advance, &file->error));
	OK(file, store_commit(file->store, &file->error));
	advance.deleted = true;
	OK(file, store_advance_put(file->store, &advance, &file->error));
	store_rollback(file->store);
	found = find(file);
	assert_false(found.last.deleted);
	OK(file, store_advance_put(file->store, &advance, &file->error));
	OK(file, store_commit(file->store, &file->error));
	store_close(file->store);
	OPEN(file);
	found = find(file);
	assert_int_equal(found.n, 1);
	assert_true(found.last.number == 7 && found.last.uid == 20101 && found.last.submission_time == 1700000000 &&
		    found.last.start_time == 1700000010 && found.last.end_time == 1700003610 && found.last.deleted);
	assert_string_equal(found.owner, "ann");
	assert_string_equal(found.reservation, "{\"granted\":[]}");
	OK(file, store_advance_remove(file->store, 7, &file->error));
	FAILS(file, store_advance_remove(file->store, 7, &file->error), -ENOENT, "no advance reservation 7");
	assert_int_equal(find(file).n, 0);
}

static void test_numbers_of_reservations_and_jobs_are_separate(void **state)
{
	struct store_file *file = *state;
	uint32_t number;

	OK(file, store_next_job_number(file->store, &number, &file->error));
	OK(file, store_next_job_number(file->store, &number, &file->error));
	OK(file, store_next_advance_number(file->store, &number, &file->error));
	assert_int_equal(number, 1);
	OK(file,
	   store_advance_put(file->store, &(struct stored_advance){ .number = 2, .reservation = "{}" }, &file->error));
	OK(file, store_next_advance_number(file->store, &number, &file->error));
	assert_int_equal(number, 3);
	FAILS(file, store_advance_put(file->store, &(struct stored_advance){ .number = 0 }, &file->error), -EINVAL,
	      "allowed are 1 to 9999999");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_a_committed_reservation_is_restored_unchanged),
		STORE_TEST(test_numbers_of_reservations_and_jobs_are_separate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
