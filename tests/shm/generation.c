/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/shm/publish.h"

static uint64_t blocks(const struct fixture *fixture)
{
	struct stat st;

	assert_int_equal(fstat(fixture->segment.fd, &st), 0);
	return (uint64_t)st.st_blocks;
}

static void test_a_reader_sees_the_newest_generation(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;

	assert_int_equal(attach_open(&attachment, fixture->cell.directory, 0), -ENOENT);
	publish(fixture, 10);
	attach(fixture, &attachment);
	for (int i = 0; i < 20; i++) {
		uint64_t gen = publish(fixture, 10 + (uint64_t)i);

		attach_begin(&attachment, &view);
		assert_int_equal(read_numbers(&view), gen);
		assert_int_equal(view.gen, gen);
		assert_int_equal(attach_end(&attachment, &view), 0);
	}
	attach_close(&attachment);
}

static void test_a_generation_is_invisible_before_it_is_published(void **state)
{
	struct fixture *fixture = *state;
	struct generation_writer writer;
	struct attachment attachment;
	struct view view;
	uint64_t gen = publish(fixture, 10);

	attach(fixture, &attachment);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
		memset(generation_table(&writer, TABLE_NUMBERS, 10, 4), 0xff, 40);
		attach_begin(&attachment, &view);
		assert_int_equal(read_numbers(&view), gen);
		assert_int_equal(attach_end(&attachment, &view), 0);
		generation_abandon(&writer);
	}
	assert_true(publish(fixture, 10) > gen);
	attach_close(&attachment);
}

static void test_a_slow_reader_keeps_its_generation_and_numbers_skip_it(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;
	uint64_t last = publish(fixture, 1000), slow = last;

	attach(fixture, &attachment);
	attach_begin(&attachment, &view);
	for (int i = 0; i < 20; i++) {
		uint64_t gen = publish(fixture, 1000);

		assert_true(gen > last);
		assert_int_not_equal(gen % GENERATIONS, slow % GENERATIONS);
		assert_true(generation_shown(&fixture->segment, slow, slow));
		last = gen;
	}
	assert_int_equal(read_numbers(&view), slow);
	assert_int_equal(attach_end(&attachment, &view), 0);
	for (unsigned i = 0; i < GENERATIONS; i++)
		publish(fixture, 1);
	assert_false(generation_shown(&fixture->segment, slow, slow));
	assert_true(generation_shown(&fixture->segment, slow, UINT64_MAX));
	assert_int_equal(fixture->segment.readers.evictions, 0);
	attach_close(&attachment);
}

static void test_when_all_directories_are_read_the_oldest_readers_are_evicted(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment[GENERATIONS];
	struct view view[GENERATIONS];

	for (unsigned i = 0; i < GENERATIONS; i++) {
		publish(fixture, 100);
		attach(fixture, &attachment[i]);
		attach_begin(&attachment[i], &view[i]);
	}
	assert_int_equal(fixture->segment.readers.evictions, 0);
	publish(fixture, 100);
	assert_int_equal(fixture->segment.readers.evictions, 1);
	assert_int_equal(attach_end(&attachment[0], &view[0]), -ESTALE);
	for (unsigned i = 1; i < GENERATIONS; i++) {
		assert_int_equal(read_numbers(&view[i]), view[i].gen);
		assert_int_equal(attach_end(&attachment[i], &view[i]), 0);
	}
	for (unsigned i = 0; i < GENERATIONS; i++)
		attach_close(&attachment[i]);
}

static void test_two_directories_take_turns_unless_a_reader_is_slow(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;

	for (int i = 0; i < 5; i++)
		publish(fixture, 1000);
	size_t two = fixture->segment.extents_held;

	attach(fixture, &attachment);
	attach_begin(&attachment, &view);
	for (int i = 0; i < 5; i++)
		publish(fixture, 1000);
	assert_int_equal(fixture->segment.extents_held, two / 2 * 3);
	assert_int_equal(attach_end(&attachment, &view), 0);
	for (int i = 0; i < 2; i++)
		publish(fixture, 1000);
	assert_int_equal(fixture->segment.extents_held, two);
	attach_close(&attachment);
}

static void test_a_reader_without_a_slot_detects_that_its_generation_is_gone(void **state)
{
	struct fixture *fixture = *state;
	struct attachment attachment;
	struct view view;

	publish(fixture, 1);
	((struct segment_header *)fixture->segment.base)->readers.shmid = -1;
	attach(fixture, &attachment);
	assert_null(attachment.readers.slot);
	attach_begin(&attachment, &view);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_begin(&attachment, &view);
	for (unsigned i = 0; i < GENERATIONS; i++)
		publish(fixture, 1);
	assert_int_equal(attach_end(&attachment, &view), -ESTALE);
	attach_close(&attachment);
}

static void test_tables_keep_their_memory_and_return_it_when_they_shrink(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t many = 5 * EXTENT_BYTES / sizeof(uint32_t);

	for (unsigned i = 0; i < 2 * GENERATIONS; i++)
		publish(fixture, 100);
	size_t held = fixture->segment.extents_held;
	uint64_t before = blocks(fixture);

	for (unsigned i = 0; i < GENERATIONS; i++)
		publish(fixture, many);
	assert_int_equal(fixture->segment.extents_held, held + 2 * 4);
	for (unsigned i = 0; i < GENERATIONS; i++)
		publish(fixture, many - many / 10);
	assert_int_equal(fixture->segment.extents_held, held + 2 * 4);
	for (unsigned i = 0; i < 2 * RESERVE_RUNS; i++)
		publish(fixture, 100);
	assert_int_equal(fixture->segment.extents_held, held);
	assert_true(blocks(fixture) <= before + GENERATIONS * EXTENT_BYTES / 512);
}

static void test_memory_stays_while_an_evicted_reader_may_read_it(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t many = 5 * EXTENT_BYTES / sizeof(uint32_t);
	struct attachment attachment[GENERATIONS];
	struct view view[GENERATIONS];

	for (unsigned i = 0; i < GENERATIONS; i++) {
		publish(fixture, many);
		attach(fixture, &attachment[i]);
		attach_begin(&attachment[i], &view[i]);
	}
	publish(fixture, 1);
	assert_int_equal(fixture->segment.readers.evictions, 1);
	for (unsigned i = 0; i < 2 * RESERVE_RUNS; i++)
		segment_reclaim(&fixture->segment);
	segment_trim(&fixture->segment);
	assert_int_equal(fixture->segment.extents_idle, 4);
	for (unsigned i = 0; i < GENERATIONS; i++)
		assert_int_equal(attach_end(&attachment[i], &view[i]), i ? 0 : -ESTALE);
	for (unsigned i = 0; i < 2 * RESERVE_RUNS; i++)
		publish(fixture, 1);
	assert_int_equal(fixture->segment.extents_idle, 0);
	for (unsigned i = 0; i < GENERATIONS; i++)
		attach_close(&attachment[i]);
}

/* Return word `n` of a row's chunk of results. */
static uint32_t word_at(const struct view *view, uint64_t row, unsigned n)
{
	const uint32_t *words = view_results(view, row, 0, (n + 1) * sizeof(*words));

	assert_non_null(words);
	return words[n];
}

static void test_chunks_are_in_order_and_dropped_when_unused(void **state)
{
	struct fixture *fixture = *state;
	struct generation_writer writer;
	struct attachment a;
	struct view view;

	for (size_t chunks = 5; chunks-- > 0;)
		for (unsigned g = 0; g < GENERATIONS; g++) {
			assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
			assert_null(generation_results(&writer, 1, EXTENT_BYTES));
			for (size_t i = 0; i < chunks; i++)
				*((uint32_t *)generation_results(&writer, i, EXTENT_BYTES) + 7) = (uint32_t)(100 + i);
			writer.directory->rows = chunks * CHUNK_ROWS;
			generation_publish(&writer);
			assert_int_equal(segment_announce(&fixture->segment), 0);
			attach(fixture, &a);
			attach_begin(&a, &view);
			for (size_t i = 0; i < chunks; i++)
				assert_int_equal(word_at(&view, i * CHUNK_ROWS, 7), 100 + i);
			assert_null(view_results(&view, chunks * CHUNK_ROWS, 0, 1));
			attach_close(&a);
		}
	/* Two directories have a chunk more than needed. */
	assert_int_equal(fixture->segment.extents_held, 2);
}

/*
 * Publish a generation of this many chunks of results and extents per chunk. The last word of each
 * is its number.
 */
static void publish_chunks(struct fixture *fixture, size_t chunks, size_t extents)
{
	struct generation_writer writer;

	assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
	for (size_t i = 0; i < chunks; i++) {
		uint32_t *words = generation_results(&writer, i, extents * EXTENT_BYTES - CACHELINE);

		assert_non_null(words);
		words[extents * EXTENT_BYTES / sizeof(*words) - 1] = (uint32_t)(100 + i);
		assert_null(generation_results(&writer, i, extents * EXTENT_BYTES + CACHELINE));
	}
	writer.directory->rows = chunks * CHUNK_ROWS;
	generation_publish(&writer);
	assert_int_equal(segment_announce(&fixture->segment), 0);
}

static void test_chunks_have_the_size_that_their_generation_states(void **state)
{
	struct fixture *fixture = *state;
	struct attachment a;
	struct view view;

	for (size_t extents = 3; extents > 0; extents--)
		for (unsigned g = 0; g < GENERATIONS; g++) {
			publish_chunks(fixture, 2, extents);
			attach(fixture, &a);
			attach_begin(&a, &view);
			for (size_t i = 0; i < 2; i++)
				assert_int_equal(
					word_at(&view, i * CHUNK_ROWS, extents * EXTENT_BYTES / sizeof(uint32_t) - 1),
					100 + i);
			assert_int_equal(view.directory->bytes, sizeof(struct generation) + 2 * extents * EXTENT_BYTES);
			assert_int_equal(attach_end(&a, &view), 0);
			attach_close(&a);
			if (g > 0)
				assert_int_equal(fixture->segment.extents_held, 2 * 2 * extents);
		}
}

/*
 * For any head: a column that is not completely in the file, or begins at an invalid offset, does
 * not exist.
 */
static void test_columns_are_within_the_file_or_not_at_all(void **state)
{
	struct fixture *fixture = *state;
	struct attachment a;
	struct view view;

	publish_chunks(fixture, 1, 1);
	attach(fixture, &a);
	attach_begin(&a, &view);
	uint64_t rest = view.file_bytes - view.directory->results[0];

	assert_non_null(view_results(&view, 0, CACHELINE, rest - CACHELINE));
	assert_null(view_results(&view, 0, CACHELINE, rest));
	assert_null(view_results(&view, 0, rest, 1));
	assert_null(view_results(&view, 0, rest + CACHELINE, 1));
	assert_null(view_results(&view, 0, UINT64_MAX - CACHELINE + 1, 2 * CACHELINE));
	assert_null(view_results(&view, 0, 8, 8));
	assert_null(view_results(&view, CHUNK_ROWS, 0, 1));
	assert_int_equal(attach_end(&a, &view), 0);
	attach_close(&a);
}

static void test_no_memory_keeps_the_generation_before_in_force(void **state)
{
	struct fixture *fixture = *state;
	struct generation_writer writer;
	struct attachment attachment;
	struct view view;
	uint64_t gen = publish(fixture, 10);
	size_t i = 0;

	attach(fixture, &attachment);
	assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
	assert_null(generation_table(&writer, TABLE_NUMBERS, UINT64_MAX, 4));
	assert_null(generation_table(&writer, TABLE_NUMBERS, small.file_bytes / 4, 4));
	while (generation_results(&writer, i, EXTENT_BYTES))
		i++;
	assert_true(i > 100);
	generation_abandon(&writer);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), gen);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_close(&attachment);
}

static void test_a_run_reports_its_occupied_memory(void **state)
{
	struct fixture *fixture = *state;
	struct generation_writer writer;

	assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
	struct generation *directory = writer.directory;

	assert_non_null(generation_results(&writer, 0, EXTENT_BYTES));
	assert_non_null(generation_table(&writer, TABLE_NUMBERS, 1, 4));
	assert_non_null(generation_table(&writer, TABLE_OTHERS, 0, 8));
	generation_publish(&writer);
	assert_int_equal(directory->bytes, sizeof(struct generation) + EXTENT_BYTES + PAGE_BYTES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_reader_sees_the_newest_generation),
		TEST(test_a_generation_is_invisible_before_it_is_published),
		TEST(test_a_slow_reader_keeps_its_generation_and_numbers_skip_it),
		TEST(test_two_directories_take_turns_unless_a_reader_is_slow),
		TEST(test_when_all_directories_are_read_the_oldest_readers_are_evicted),
		TEST(test_a_reader_without_a_slot_detects_that_its_generation_is_gone),
		TEST(test_tables_keep_their_memory_and_return_it_when_they_shrink),
		TEST(test_memory_stays_while_an_evicted_reader_may_read_it),
		TEST(test_chunks_are_in_order_and_dropped_when_unused),
		TEST(test_chunks_have_the_size_that_their_generation_states),
		TEST(test_columns_are_within_the_file_or_not_at_all),
		TEST(test_no_memory_keeps_the_generation_before_in_force),
		TEST(test_a_run_reports_its_occupied_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
