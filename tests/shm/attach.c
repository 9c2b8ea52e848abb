/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "tests/shm/publish.h"

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
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);

	assert_int_equal(segment_create(&f->segment, f->cell.directory, &small, NULL), 0);
	attach_begin(&a, &view);
	assert_int_equal(view.gen, last);

	uint64_t next = publish(f, 1);

	assert_true(next > last);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), next);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_non_null(a.readers.slot);
	assert_int_equal(f->segment.readers.table->slot[0].pid, getpid());
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
	assert_int_equal(read_numbers(&view), 1);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_int_equal(rename(f->segment.paths.state, aside), 0);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), 1);
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
	assert_int_equal(attach_open(&a, f->cell.directory, 0), -EPROTO);
	overwrite(f, offsetof(struct segment_header, version), &right, sizeof(right));
	overwrite(f, offsetof(struct segment_header, file_bytes), &one, sizeof(one));
	assert_int_equal(attach_open(&a, f->cell.directory, 0), -EPROTO);
	overwrite(f, offsetof(struct segment_header, file_bytes), &small.file_bytes, sizeof(small.file_bytes));
	attach(f, &a);
	attach_close(&a);
	overwrite(f, 0, "x", 1);
	assert_int_equal(attach_open(&a, f->cell.directory, 0), -EPROTO);
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
		assert_int_equal(read_numbers(&view), last);
		assert_int_equal(attach_end(&a, &view), 0);
	}
	assert_false(attach_writer_alive(&a));
	assert_int_equal(attach_open(&late, f->cell.directory, 0), -EPROTO);
	attach_close(&a);
}

static void test_records_of_another_version_are_refused(void **state)
{
	struct fixture *f = *state;
	const struct segment_options other = { .file_bytes = small.file_bytes, .group = small.group, .records = 1 };
	struct attachment a, late;
	struct view view;
	uint64_t last = publish(f, 1000);

	assert_int_equal(attach_open(&late, f->cell.directory, 1), -EPROTO);
	attach(f, &a);
	segment_close(&f->segment);
	assert_int_equal(segment_create(&f->segment, f->cell.directory, &other, NULL), 0);
	publish(f, 1);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_close(&a);
	assert_int_equal(attach_open(&late, f->cell.directory, 0), -EPROTO);
	assert_int_equal(attach_open(&late, f->cell.directory, 1), 0);
	attach_close(&late);
}

static void test_a_reader_without_a_slot_is_protected_by_its_last_look_alone(void **state)
{
	static struct readers others[READER_SLOTS];
	struct fixture *f = *state;
	struct attachment a;
	struct view view;
	uint64_t last = publish(f, 1000);

	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_claim(&others[i], open(f->segment.paths.state, O_RDONLY | O_CLOEXEC), &f->segment.readers.place);
	assert_non_null(others[READER_SLOTS - 1].slot);
	attach(f, &a);
	assert_null(a.readers.slot);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), last);
	publish(f, 1000);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_begin(&a, &view);
	for (unsigned i = 0; i < GENERATIONS; i++)
		last = publish(f, 1000);
	assert_int_equal(attach_end(&a, &view), -ESTALE);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_int_equal(f->segment.readers.evictions, 0);
	attach_close(&a);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_close(&others[i]);
}

/*
 * More than the file had when the reader came: it maps what it grows by, in place, and believes no
 * offset beyond.
 */
static void test_a_file_grows_under_its_readers(void **state)
{
	struct fixture *f = *state;
	struct attachment a;
	struct view view;
	struct stat st;

	publish(f, 1);
	attach(f, &a);
	const struct segment_header *header = a.header;
	uint64_t before = a.file_bytes;

	for (unsigned i = 1; i <= 10; i++) {
		uint64_t gen = publish(f, i * EXTENT_BYTES / sizeof(uint32_t));

		attach_begin(&a, &view);
		assert_int_equal(read_numbers(&view), gen);
		assert_int_equal(attach_end(&a, &view), 0);
		assert_int_equal(fstat(a.fd, &st), 0);
		assert_int_equal(st.st_size, a.file_bytes);
		assert_int_equal(st.st_size, f->segment.grown);
	}
	assert_true(a.file_bytes > before);
	assert_ptr_equal(a.header, header);
	attach_close(&a);
}

/*
 * Where the address space is reserved there may be no file yet: nobody dies of what a segment says.
 */
static void test_what_lies_behind_the_end_of_the_file_is_refused_and_reads_as_zeros(void **state)
{
	struct fixture *f = *state;
	struct attachment a;
	struct view view;
	uint64_t count;

	publish(f, 1);
	attach(f, &a);
	assert_true(a.most_bytes > a.file_bytes);
	((struct segment_header *)f->segment.base)->grown = UINT64_MAX;
	((struct generation *)(f->segment.base + PAGE_BYTES) + generation_current(&f->segment) % GENERATIONS)->tables[TABLE_NUMBERS] =
		(struct table){ .offset = a.file_bytes, .count = 1 };
	attach_begin(&a, &view);
	view_table(&view, TABLE_NUMBERS, sizeof(uint32_t), &count);
	assert_int_equal(count, 0);
	assert_int_equal(((const uint8_t *)a.header)[a.file_bytes], 0);
	assert_int_equal(((const uint8_t *)a.header)[a.most_bytes - 1], 0);
	attach_end(&a, &view);
	attach_close(&a);
}

static uint64_t file_bytes(const struct fixture *f)
{
	struct stat st;

	assert_int_equal(fstat(f->segment.fd, &st), 0);
	return 512 * (uint64_t)st.st_blocks;
}

/* Who may only read makes pages in holes by touching them. */
static void test_touching_all_there_is_costs_no_more_than_was_once_used(void **state)
{
	struct fixture *f = *state;
	volatile uint8_t sum = 0;
	struct attachment a;
	uint64_t most;

	publish(f, 5 * EXTENT_BYTES / sizeof(uint32_t));
	publish(f, 5 * EXTENT_BYTES / sizeof(uint32_t));
	most = f->segment.grown;
	for (unsigned i = 0; i < 3 * RESERVE_RUNS; i++)
		publish(f, 1);
	assert_true(file_bytes(f) < most / 2);
	attach(f, &a);
	for (uint64_t at = 0; at < a.most_bytes; at += PAGE_BYTES)
		sum = (uint8_t)(sum + ((const volatile uint8_t *)a.header)[at]);
	assert_true(file_bytes(f) <= most);
	assert_int_equal(f->segment.grown, most);
	attach_close(&a);
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

static void test_a_directory_of_somebody_else_is_not_believed(void **state)
{
	static const struct { uid_t owner; mode_t mode; bool good; } cases[] = {
		{ 0, 0755, true }, { 65534, 0755, false }, { 0, 0757, false }, { 0, 0775, false }, { 0, 0755, true } };
	struct fixture *f = *state;
	struct attachment a;

	if (geteuid() != 0)
		skip();
	publish(f, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(chown(f->segment.paths.directory, cases[i].owner, (gid_t)-1), 0);
		assert_int_equal(chmod(f->segment.paths.directory, cases[i].mode), 0);
		assert_int_equal(attach_open(&a, f->cell.directory, 0), cases[i].good ? 0 : -EPERM);
		if (cases[i].good)
			attach_close(&a);
	}
	assert_int_equal(chown(f->segment.paths.directory, 65534, (gid_t)-1), 0);
	/* who decides about the cell */
	assert_int_equal(chown(f->cell.directory, 65534, (gid_t)-1), 0);
	attach(f, &a);
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
		TEST(test_records_of_another_version_are_refused),
		TEST(test_a_reader_without_a_slot_is_protected_by_its_last_look_alone),
		TEST(test_a_file_grows_under_its_readers),
		TEST(test_what_lies_behind_the_end_of_the_file_is_refused_and_reads_as_zeros),
		TEST(test_touching_all_there_is_costs_no_more_than_was_once_used),
		TEST(test_a_directory_of_somebody_else_is_not_believed),
		TEST(test_an_ended_scheduler_keeps_the_memory_of_one_generation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
