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
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;
	uint64_t last = 0;

	for (unsigned i = 0; i < 7; i++)
		last = publish(fixture, 1000);
	attach(fixture, &attachment);
	assert_true(attach_writer_alive(&attachment));
	segment_close(&fixture->segment);
	assert_false(attach_writer_alive(&attachment));
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&attachment, &view), 0);

	assert_int_equal(segment_create(&fixture->segment, fixture->cell.directory, &small, NULL), 0);
	attach_begin(&attachment, &view);
	assert_int_equal(view.gen, last);

	uint64_t next = publish(fixture, 1);

	assert_true(next > last);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), next);
	assert_int_equal(attach_end(&attachment, &view), 0);
	assert_non_null(attachment.readers.slot);
	assert_int_equal(fixture->segment.readers.table->slot[0].pid, getpid());
	assert_true(attach_writer_alive(&attachment));
	attach_close(&attachment);
}

static void test_a_reader_of_a_retired_file_stays_until_another_one_exists(void **state)
{
	struct fixture *fixture = *state;
	const uint32_t retired = 1;
	struct attachment attachment;
	struct view view;
	char aside[SEGMENT_PATH_BYTES + 8];

	snprintf(aside, sizeof(aside), "%s.aside", fixture->segment.paths.state);
	publish(fixture, 3);
	attach(fixture, &attachment);
	assert_int_equal(
		pwrite(fixture->segment.fd, &retired, sizeof(retired), offsetof(struct segment_header, retired)),
		sizeof(retired));
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), 1);
	assert_int_equal(attach_end(&attachment, &view), 0);
	assert_int_equal(rename(fixture->segment.paths.state, aside), 0);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), 1);
	assert_int_equal(attach_end(&attachment, &view), 0);
	assert_int_equal(rename(aside, fixture->segment.paths.state), 0);
	attach_close(&attachment);
}

static void overwrite(struct fixture *fixture, size_t offset, const void *value, size_t bytes)
{
	assert_int_equal(pwrite(fixture->segment.fd, value, bytes, (off_t)offset), bytes);
}

static void test_a_file_of_another_make_is_refused(void **state)
{
	struct fixture *fixture = *state;
	const uint32_t one = SEGMENT_VERSION + 1, right = SEGMENT_VERSION;
	struct attachment attachment;

	publish(fixture, 1);
	overwrite(fixture, offsetof(struct segment_header, version), &one, sizeof(one));
	assert_int_equal(attach_open(&attachment, fixture->cell.directory, 0), -EPROTO);
	overwrite(fixture, offsetof(struct segment_header, version), &right, sizeof(right));
	overwrite(fixture, offsetof(struct segment_header, file_bytes), &one, sizeof(one));
	assert_int_equal(attach_open(&attachment, fixture->cell.directory, 0), -EPROTO);
	overwrite(fixture, offsetof(struct segment_header, file_bytes), &small.file_bytes, sizeof(small.file_bytes));
	attach(fixture, &attachment);
	attach_close(&attachment);
	overwrite(fixture, 0, "x", 1);
	assert_int_equal(attach_open(&attachment, fixture->cell.directory, 0), -EPROTO);
}

static void test_a_reader_keeps_the_last_run_when_an_incompatible_scheduler_starts(void **state)
{
	struct fixture *fixture = *state;
	const uint32_t other = SEGMENT_VERSION + 1;
	struct attachment attachment, late;
	struct view view;
	uint64_t last = publish(fixture, 1000);

	attach(fixture, &attachment);
	segment_close(&fixture->segment);
	assert_int_equal(segment_create(&fixture->segment, fixture->cell.directory, &small, NULL), 0);
	overwrite(fixture, offsetof(struct segment_header, version), &other, sizeof(other));
	publish(fixture, 1);
	for (unsigned i = 0; i < 2; i++) {
		attach_begin(&attachment, &view);
		assert_int_equal(read_numbers(&view), last);
		assert_int_equal(attach_end(&attachment, &view), 0);
	}
	assert_false(attach_writer_alive(&attachment));
	assert_int_equal(attach_open(&late, fixture->cell.directory, 0), -EPROTO);
	attach_close(&attachment);
}

static void test_records_of_another_version_are_refused(void **state)
{
	struct fixture *fixture = *state;
	const struct segment_options other = { .file_bytes = small.file_bytes, .group = small.group, .records = 1 };
	struct attachment attachment, late;
	struct view view;
	uint64_t last = publish(fixture, 1000);

	assert_int_equal(attach_open(&late, fixture->cell.directory, 1), -EPROTO);
	attach(fixture, &attachment);
	segment_close(&fixture->segment);
	assert_int_equal(segment_create(&fixture->segment, fixture->cell.directory, &other, NULL), 0);
	publish(fixture, 1);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_close(&attachment);
	assert_int_equal(attach_open(&late, fixture->cell.directory, 0), -EPROTO);
	assert_int_equal(attach_open(&late, fixture->cell.directory, 1), 0);
	attach_close(&late);
}

static void test_a_reader_without_a_slot_is_protected_only_by_its_last_check(void **state)
{
	static struct readers others[READER_SLOTS];
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;
	uint64_t last = publish(fixture, 1000);

	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_claim(&others[i], open(fixture->segment.paths.state, O_RDONLY | O_CLOEXEC),
			      &fixture->segment.readers.place);
	assert_non_null(others[READER_SLOTS - 1].slot);
	attach(fixture, &attachment);
	assert_null(attachment.readers.slot);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), last);
	publish(fixture, 1000);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_begin(&attachment, &view);
	for (unsigned i = 0; i < GENERATIONS; i++)
		last = publish(fixture, 1000);
	assert_int_equal(attach_end(&attachment, &view), -ESTALE);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&attachment, &view), 0);
	assert_int_equal(fixture->segment.readers.evictions, 0);
	attach_close(&attachment);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_close(&others[i]);
}

/*
 * More than the file had when the reader attached: the reader maps the additional part in place and
 * trusts no offset beyond it.
 */
static void test_a_file_may_grow_while_readers_use_it(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;
	struct stat st;

	publish(fixture, 1);
	attach(fixture, &attachment);
	const struct segment_header *header = attachment.header;
	uint64_t before = attachment.file_bytes;

	for (unsigned i = 1; i <= 10; i++) {
		uint64_t gen = publish(fixture, i * EXTENT_BYTES / sizeof(uint32_t));

		attach_begin(&attachment, &view);
		assert_int_equal(read_numbers(&view), gen);
		assert_int_equal(attach_end(&attachment, &view), 0);
		assert_int_equal(fstat(attachment.fd, &st), 0);
		assert_int_equal(st.st_size, attachment.file_bytes);
		assert_int_equal(st.st_size, fixture->segment.grown);
	}
	assert_true(attachment.file_bytes > before);
	assert_ptr_equal(attachment.header, header);
	attach_close(&attachment);
}

/*
 * If address space is reserved, the file may end earlier. No value in a segment may crash a reader.
 */
static void test_an_offset_beyond_the_file_is_refused_and_reads_as_zeros(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;
	uint64_t count;

	publish(fixture, 1);
	attach(fixture, &attachment);
	assert_true(attachment.most_bytes > attachment.file_bytes);
	((struct segment_header *)fixture->segment.base)->grown = UINT64_MAX;
	((struct generation *)(fixture->segment.base + PAGE_BYTES) +
	 generation_current(&fixture->segment) % GENERATIONS)
		->tables[TABLE_NUMBERS] = (struct table){ .offset = attachment.file_bytes, .count = 1 };
	attach_begin(&attachment, &view);
	view_table(&view, TABLE_NUMBERS, sizeof(uint32_t), &count);
	assert_int_equal(count, 0);
	assert_int_equal(((const uint8_t *)attachment.header)[attachment.file_bytes], 0);
	assert_int_equal(((const uint8_t *)attachment.header)[attachment.most_bytes - 1], 0);
	attach_end(&attachment, &view);
	attach_close(&attachment);
}

static uint64_t file_bytes(const struct fixture *fixture)
{
	struct stat st;

	assert_int_equal(fstat(fixture->segment.fd, &st), 0);
	return 512 * (uint64_t)st.st_blocks;
}

/* A process with read permission alone creates pages in holes by touching them. */
static void test_touching_the_whole_segment_costs_no_more_than_its_used_part(void **state)
{
	struct fixture *fixture = *state;
	volatile uint8_t sum = 0;
	struct attachment attachment;
	uint64_t most;

	publish(fixture, 5 * EXTENT_BYTES / sizeof(uint32_t));
	publish(fixture, 5 * EXTENT_BYTES / sizeof(uint32_t));
	most = fixture->segment.grown;
	for (unsigned i = 0; i < 3 * RESERVE_RUNS; i++)
		publish(fixture, 1);
	assert_true(file_bytes(fixture) < most / 2);
	attach(fixture, &attachment);
	for (uint64_t at = 0; at < attachment.most_bytes; at += PAGE_BYTES)
		sum = (uint8_t)(sum + ((const volatile uint8_t *)attachment.header)[at]);
	assert_true(file_bytes(fixture) <= most);
	assert_int_equal(fixture->segment.grown, most);
	attach_close(&attachment);
}

static void test_an_ended_scheduler_keeps_the_memory_of_one_generation(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct stat st;

	for (unsigned i = 0; i < GENERATIONS; i++)
		publish(fixture, EXTENT_BYTES / sizeof(uint32_t));
	attach(fixture, &attachment);
	segment_close(&fixture->segment);
	assert_int_equal(fstat(attachment.fd, &st), 0);
	assert_true(st.st_blocks < 2 * (long)EXTENT_BYTES / 512);
	attach_close(&attachment);
}

static void test_a_directory_of_another_user_is_not_trusted(void **state)
{
	static const struct { uid_t owner; mode_t mode; bool good; } cases[] = {
		{ 0, 0755, true }, { 65534, 0755, false }, { 0, 0757, false }, { 0, 0775, false }, { 0, 0755, true } };
	struct fixture *fixture = *state;
	struct attachment attachment;

	if (geteuid() != 0)
		skip();
	publish(fixture, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(chown(fixture->segment.paths.directory, cases[i].owner, (gid_t)-1), 0);
		assert_int_equal(chmod(fixture->segment.paths.directory, cases[i].mode), 0);
		assert_int_equal(attach_open(&attachment, fixture->cell.directory, 0), cases[i].good ? 0 : -EPERM);
		if (cases[i].good)
			attach_close(&attachment);
	}
	assert_int_equal(chown(fixture->segment.paths.directory, 65534, (gid_t)-1), 0);
	/* the owner of the cell */
	assert_int_equal(chown(fixture->cell.directory, 65534, (gid_t)-1), 0);
	attach(fixture, &attachment);
	attach_close(&attachment);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_last_generation_outlives_its_scheduler_and_readers_move_to_the_next),
		TEST(test_a_reader_of_a_retired_file_stays_until_another_one_exists),
		TEST(test_a_file_of_another_make_is_refused),
		TEST(test_a_reader_keeps_the_last_run_when_an_incompatible_scheduler_starts),
		TEST(test_records_of_another_version_are_refused),
		TEST(test_a_reader_without_a_slot_is_protected_only_by_its_last_check),
		TEST(test_a_file_may_grow_while_readers_use_it),
		TEST(test_an_offset_beyond_the_file_is_refused_and_reads_as_zeros),
		TEST(test_touching_the_whole_segment_costs_no_more_than_its_used_part),
		TEST(test_a_directory_of_another_user_is_not_trusted),
		TEST(test_an_ended_scheduler_keeps_the_memory_of_one_generation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
