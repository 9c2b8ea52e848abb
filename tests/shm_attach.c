/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/shm_publish.h"

static void test_the_last_generation_outlives_its_scheduler_and_readers_move_to_the_next(void **state)
{
	struct fixture *f = *state;
	struct attachment a;
	struct view view;
	uint64_t last = 0;

	for (unsigned i = 0; i < 7; i++)
		last = publish(f, 1000);
	attach(f, &a);
	assert_true(attach_writer_alive(&a));
	segment_close(&f->segment);
	assert_false(attach_writer_alive(&a));
	attach_begin(&a, &view);
	assert_int_equal(read_order(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);

	struct reader_slot *slot = a.readers.slot;

	assert_int_equal(segment_create(&f->segment, f->cell.directory, &small, NULL), 0);
	attach_begin(&a, &view);
	assert_int_equal(view.gen, last);

	uint64_t next = publish(f, 1);

	assert_true(next > last);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_begin(&a, &view);
	assert_int_equal(read_order(&view), next);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_ptr_equal(a.readers.slot, slot);
	assert_true(attach_writer_alive(&a));
	attach_close(&a);
}

static void test_a_reader_of_a_retired_file_stays_until_there_is_another(void **state)
{
	struct fixture *f = *state;
	const uint32_t retired = 1;
	struct attachment a;
	struct view view;
	char aside[SEGMENT_PATH_BYTES + 8];

	snprintf(aside, sizeof(aside), "%s.aside", f->segment.paths.state);
	publish(f, 3);
	attach(f, &a);
	assert_int_equal(pwrite(f->segment.fd, &retired, sizeof(retired), offsetof(struct segment_header, retired)), sizeof(retired));
	attach_begin(&a, &view);
	assert_int_equal(read_order(&view), 1);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_int_equal(rename(f->segment.paths.state, aside), 0);
	attach_begin(&a, &view);
	assert_int_equal(read_order(&view), 1);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_int_equal(rename(aside, f->segment.paths.state), 0);
	attach_close(&a);
}

static void overwrite(struct fixture *f, size_t offset, const void *value, size_t bytes)
{
	assert_int_equal(pwrite(f->segment.fd, value, bytes, (off_t)offset), bytes);
}

static void test_a_file_of_another_make_is_refused(void **state)
{
	struct fixture *f = *state;
	const uint32_t one = SEGMENT_VERSION + 1, right = SEGMENT_VERSION;
	struct attachment a;

	publish(f, 1);
	overwrite(f, offsetof(struct segment_header, version), &one, sizeof(one));
	assert_int_equal(attach_open(&a, f->cell.directory), -EPROTO);
	overwrite(f, offsetof(struct segment_header, version), &right, sizeof(right));
	overwrite(f, offsetof(struct segment_header, file_bytes), &one, sizeof(one));
	assert_int_equal(attach_open(&a, f->cell.directory), -EPROTO);
	overwrite(f, offsetof(struct segment_header, file_bytes), &small.file_bytes, sizeof(small.file_bytes));
	attach(f, &a);
	attach_close(&a);
	overwrite(f, 0, "x", 1);
	assert_int_equal(attach_open(&a, f->cell.directory), -EPROTO);
}

static void test_a_reader_that_was_there_before_an_incompatible_scheduler_keeps_the_last_run(void **state)
{
	struct fixture *f = *state;
	const uint32_t other = SEGMENT_VERSION + 1;
	struct attachment a, late;
	struct view view;
	uint64_t last = publish(f, 1000);

	attach(f, &a);
	segment_close(&f->segment);
	assert_int_equal(segment_create(&f->segment, f->cell.directory, &small, NULL), 0);
	overwrite(f, offsetof(struct segment_header, version), &other, sizeof(other));
	publish(f, 1);
	for (unsigned i = 0; i < 2; i++) {
		attach_begin(&a, &view);
		assert_int_equal(read_order(&view), last);
		assert_int_equal(attach_end(&a, &view), 0);
	}
	assert_false(attach_writer_alive(&a));
	assert_int_equal(attach_open(&late, f->cell.directory), -EPROTO);
	attach_close(&a);
}

static void test_a_reader_without_a_slot_is_protected_by_its_last_look_alone(void **state)
{
	static struct readers others[READER_SLOTS];
	struct fixture *f = *state;
	struct attachment a;
	struct view view;
	uint64_t last = publish(f, 1000);

	for (unsigned i = 0; i < READER_SLOTS; i++)
		assert_int_equal(readers_claim(&others[i], f->segment.paths.readers), 0);
	assert_non_null(others[READER_SLOTS - 1].slot);
	attach(f, &a);
	assert_null(a.readers.slot);
	attach_begin(&a, &view);
	assert_int_equal(read_order(&view), last);
	publish(f, 1000);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_begin(&a, &view);
	for (unsigned i = 0; i < GENERATIONS; i++)
		last = publish(f, 1000);
	assert_int_equal(attach_end(&a, &view), -ESTALE);
	attach_begin(&a, &view);
	assert_int_equal(read_order(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_int_equal(f->segment.readers.evictions, 0);
	attach_close(&a);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_close(&others[i]);
}

static void test_an_ended_scheduler_keeps_the_memory_of_one_generation(void **state)
{
	struct fixture *f = *state;
	struct attachment a;
	struct stat st;

	for (unsigned i = 0; i < GENERATIONS; i++)
		publish(f, EXTENT_BYTES / sizeof(uint32_t));
	attach(f, &a);
	segment_close(&f->segment);
	assert_int_equal(fstat(a.fd, &st), 0);
	assert_true(st.st_blocks < 2 * (long)EXTENT_BYTES / 512);
	attach_close(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_last_generation_outlives_its_scheduler_and_readers_move_to_the_next),
		TEST(test_a_reader_of_a_retired_file_stays_until_there_is_another),
		TEST(test_a_file_of_another_make_is_refused),
		TEST(test_a_reader_that_was_there_before_an_incompatible_scheduler_keeps_the_last_run),
		TEST(test_a_reader_without_a_slot_is_protected_by_its_last_look_alone),
		TEST(test_an_ended_scheduler_keeps_the_memory_of_one_generation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
