/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of an array whose tasks are in several states, compared with a division that lists every
 * id.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/cli/stat/parts.h"

#define IDS 60
#define RANGES 40
#define ROUNDS 20000

struct list {
	struct fl_range items[RANGES];
	size_t n;
	unsigned char has[IDS + 1];
};

static unsigned seed;

static uint32_t below(uint32_t n)
{
	return (uint32_t)rand_r(&seed) % n;
}

/* Add sorted ranges with random steps to the list. */
static void list_add(struct list *list)
{
	for (uint32_t id = 1 + below(10); id <= IDS && list->n < RANGES;) {
		struct fl_range *range = &list->items[list->n++];
		uint32_t step = 1 + below(5), count = below(8);

		while (id + count * step > IDS)
			count--;
		*range = (struct fl_range){ id, id + count * step, count ? step : 1 };
		for (uint32_t k = 0; k <= count; k++)
			list->has[id + k * step] = 1;
		id = range->max + 1 + below(20);
	}
}

/* Write ids as ranges: from each id on the longest range, if that has three ids or neighbours. */
static void text_of_ids(char *text, const uint32_t *ids, size_t n)
{
	*text = '\0';
	for (size_t i = 0, length; i < n; i += length) {
		for (length = 1; i + length < n && ids[i + length] - ids[i + length - 1] == ids[i + 1] - ids[i];)
			length++;
		if (length == 2 && ids[i + 1] - ids[i] > 1)
			length = 1;
		text += sprintf(text, " %u-%u:%u", ids[i], ids[i + length - 1], length > 1 ? ids[i + 1] - ids[i] : 1);
	}
}

static void text_of_row(char *text, const struct fl_job *row)
{
	*text = '\0';
	for (size_t i = 0; i < row->nranges; i++)
		text += sprintf(text, " %u-%u:%u", row->tasks[i].min, row->tasks[i].max, row->tasks[i].step);
}

static void compare(const struct list *all, const struct list *held, const struct list *in_error)
{
	struct fl_job job = { .tasks = all->items,
			      .nranges = all->n,
			      .held = held->items,
			      .nheld = held->n,
			      .in_error = in_error->items,
			      .nin_error = in_error->n,
			      .state = "qw" },
		      row;
	char expected[4096], found[4096];
	struct stat_parts parts;
	uint32_t ids[IDS];

	if (held->n + in_error->n == 0)
		return;
	assert_true(stat_parts_find(&parts, &job));
	for (unsigned part = 0; part < STAT_PARTS; part++) {
		size_t n = 0;

		for (uint32_t id = 1; id <= IDS; id++)
			if (all->has[id] &&
			    (held->has[id] ? PART_HELD : 0) + (in_error->has[id] ? PART_ERROR : 0) == (int)part)
				ids[n++] = id;
		text_of_ids(expected, ids, n);
		*found = '\0';
		if (stat_part(&parts, &job, part, &row))
			text_of_row(found, &row);
		assert_string_equal(found, expected);
	}
	stat_parts_clear(&parts);
}

static void test_each_part_has_the_ids_of_its_states_in_the_fewest_ranges(void **state)
{
	(void)state;
	seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	print_message("SEED=%u\n", seed);
	for (int round = 0; round < ROUNDS; round++) {
		struct list all = { 0 }, held = { 0 }, in_error = { 0 };

		list_add(&all);
		for (uint32_t k = below(3); k > 0; k--)
			list_add(&held);
		for (uint32_t k = below(3); k > 0; k--)
			list_add(&in_error);
		compare(&all, &held, &in_error);
	}
}

/* With all ids of the largest array, a division by ids would take minutes and 16 GiB. */
static void test_the_cost_is_that_of_the_ranges_and_not_of_their_ids(void **state)
{
	const struct fl_range all = { 1, UINT32_MAX, 1 }, even = { 2, UINT32_MAX - 1, 2 }, third = { 3, UINT32_MAX, 3 };
	struct fl_job job = { .tasks = &all, .nranges = 1, .held = &even, .nheld = 1, .state = "qw" }, row;
	struct stat_parts parts;
	char text[200];

	(void)state;
	assert_true(stat_parts_find(&parts, &job));
	assert_true(stat_part(&parts, &job, 0, &row));
	text_of_row(text, &row);
	assert_string_equal(text, " 1-4294967295:2");
	assert_true(stat_part(&parts, &job, PART_HELD, &row));
	text_of_row(text, &row);
	assert_string_equal(text, " 2-4294967294:2");
	stat_parts_clear(&parts);

	job.held = &third;	/* 1.4 billion ranges are too many */
	assert_false(stat_parts_find(&parts, &job));
}

static void test_broken_ranges_are_one_row(void **state)
{
	static const struct fl_range all = { 1, 10, 1 },
				     broken[] = { { 0, 5, 1 }, { 5, 4, 1 }, { 1, 5, 0 }, { 1, 6, 2 } };
	struct fl_job job = { .tasks = &all, .nranges = 1, .nheld = 1, .state = "qw" };
	struct stat_parts parts;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		job.held = &broken[i];
		assert_false(stat_parts_find(&parts, &job));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_part_has_the_ids_of_its_states_in_the_fewest_ranges),
		cmocka_unit_test(test_the_cost_is_that_of_the_ranges_and_not_of_their_ids),
		cmocka_unit_test(test_broken_ranges_are_one_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
