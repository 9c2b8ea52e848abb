/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations: what is committed comes back as it was. */
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

static struct found find(struct store_file *f)
{
	struct found found = { 0 };

	OK(f, store_advances_each(f->store, note, &found, &f->error));
	return found;
}

static void test_what_is_committed_comes_back_as_it_was(void **state)
{
	struct store_file *f = *state;
	struct stored_advance advance = { .number = 7, .owner = "ann", .uid = 20101, .submission_time = 1700000000, .start_time = 1700000010,
					  .end_time = 1700003610, .reservation = "{\"granted\":[]}" };
	struct found found;

	OK(f, store_advance_put(f->store, &advance, &f->error));
	OK(f, store_commit(f->store, &f->error));
	advance.deleted = true;
	OK(f, store_advance_put(f->store, &advance, &f->error));
	store_rollback(f->store);
	found = find(f);
	assert_false(found.last.deleted);
	OK(f, store_advance_put(f->store, &advance, &f->error));
	OK(f, store_commit(f->store, &f->error));
	store_close(f->store);
	OPEN(f);
	found = find(f);
	assert_int_equal(found.n, 1);
	assert_true(found.last.number == 7 && found.last.uid == 20101 && found.last.submission_time == 1700000000 && found.last.start_time == 1700000010 &&
		    found.last.end_time == 1700003610 && found.last.deleted);
	assert_string_equal(found.owner, "ann");
	assert_string_equal(found.reservation, "{\"granted\":[]}");
	OK(f, store_advance_remove(f->store, 7, &f->error));
	FAILS(f, store_advance_remove(f->store, 7, &f->error), -ENOENT, "no advance reservation 7");
	assert_int_equal(find(f).n, 0);
}

static void test_their_numbers_are_not_those_of_jobs(void **state)
{
	struct store_file *f = *state;
	uint32_t number;

	OK(f, store_next_job_number(f->store, &number, &f->error));
	OK(f, store_next_job_number(f->store, &number, &f->error));
	OK(f, store_next_advance_number(f->store, &number, &f->error));
	assert_int_equal(number, 1);
	OK(f, store_advance_put(f->store, &(struct stored_advance){ .number = 2, .reservation = "{}" }, &f->error));
	OK(f, store_next_advance_number(f->store, &number, &f->error));
	assert_int_equal(number, 3);
	FAILS(f, store_advance_put(f->store, &(struct stored_advance){ .number = 0 }, &f->error), -EINVAL, "allowed are 1 to 9999999");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_what_is_committed_comes_back_as_it_was),
		STORE_TEST(test_their_numbers_are_not_those_of_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
