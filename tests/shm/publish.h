/* SPDX-License-Identifier: Apache-2.0 */
/* A segment for each test, with generations that show whether they were read completely. */
#ifndef TESTS_SHM_PUBLISH_H
#define TESTS_SHM_PUBLISH_H

#include "shm/attach.h"
#include "shm/generation.h"
#include "tests/shm/cell.h"

enum { TABLE_NUMBERS, TABLE_OTHERS };

static const struct segment_options small = { .file_bytes = 256 << 20, .group = -1 };

struct fixture {
	struct shm_cell cell;
	struct segment segment;
};

static inline int setup(void **state)
{
	static struct fixture fixture;

	*state = &fixture;
	return shm_cell_make(&fixture.cell) ? -1
					    : segment_create(&fixture.segment, fixture.cell.directory, &small, NULL);
}

static inline int teardown(void **state)
{
	struct fixture *fixture = *state;

	segment_close(&fixture->segment);
	shm_cell_clear(&fixture->cell);
	return 0;
}

/* Publish a generation whose table has its own number `count` times. Return that number. */
static inline uint64_t publish(struct fixture *fixture, uint64_t count)
{
	struct generation_writer writer;

	assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
	uint32_t *numbers = generation_table(&writer, TABLE_NUMBERS, count, sizeof(*numbers));

	assert_non_null(numbers);
	for (uint64_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)writer.gen;
	generation_publish(&writer);
	assert_int_equal(segment_announce(&fixture->segment), 0);
	return writer.gen;
}

/* Return the number found in the table, which must be the same in each entry. */
static inline uint64_t read_numbers(const struct view *view)
{
	uint64_t count;
	const uint32_t *numbers = view_table(view, TABLE_NUMBERS, sizeof(*numbers), &count);

	assert_true(count > 0);
	for (uint64_t i = 1; i < count; i++)
		assert_int_equal(numbers[i], numbers[0]);
	return numbers[0];
}

static inline void attach(struct fixture *fixture, struct attachment *attachment)
{
	assert_int_equal(attach_open(attachment, fixture->cell.directory, 0), 0);
}

#endif
