/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/process/ranges.h"

#define UNIVERSE 60u
#define EXCEPTS 20	/* more than are combined */

static struct ranges parsed(const char *text)
{
	struct ranges ranges;

	assert_int_equal(ranges_parse(&ranges, text), 0);
	return ranges;
}

static void check_text(const struct ranges *ranges, const char *expected)
{
	char text[200];

	assert_int_equal(ranges_format(ranges, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void check_rewritten(const char *from, const char *to)
{
	struct ranges ranges = parsed(from);

	check_text(&ranges, to);
	ranges_free(&ranges);
}

static void test_text_is_sorted_joined_and_cut_to_its_step(void **state)
{
	(void)state;
	check_rewritten("", "");
	check_rewritten("7", "7");
	check_rewritten("1-10:2,17", "1-9:2,17");
	check_rewritten("17,1-10", "1-10,17");
	check_rewritten("3,1,2", "1-3");
	check_rewritten("5-5:9", "5");
	check_rewritten("1-9:2,11", "1-11:2");
	check_rewritten("4294967295", "4294967295");
	check_rewritten("1-4294967295:4294967295", "1");
	check_rewritten("2-4294967295:4294967293", "2-4294967295:4294967293");
}

static void test_interlaced_ranges_become_the_same_ids_in_order(void **state)
{
	(void)state;
	check_rewritten("1-9:2,2-10:2", "1-10");
	check_rewritten("1-7:3,2-5:3,20-30:10", "1-2,4-5,7,20-30:10");
}

static void test_text_that_is_no_list_of_ids_is_refused(void **state)
{
	static const char *const bad[] = {
		"0",
		"1,",
		",1",
		"1,,2",
		"-5",
		"5-",
		"5-4",
		"1-5:0",
		"1-5:",
		"5:2",
		"1 ",
		" 1",
		"1-2-3",
		"1:2:3",
		"a",
		"+1",
		"4294967296",
		"1-4294967296",
		"99999999999999999999999",
		"1.5",
		"1;2",
		"0x10",
		"1,1",
		"1-5,5",
		"1-9:2,3",
		"1-100,50-60",
		"1-4294967295,7",
		"1-9:2,2-10:4,10",
	};
	struct ranges ranges;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (ranges_parse(&ranges, bad[i]) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_null(ranges.items);
	}
}

/* "2,4,6,..." */
static char *many_ids(uint32_t n)
{
	char *text = malloc(9u * n), *p = text;

	for (uint32_t i = 1; i <= n; i++)
		p += sprintf(p, "%u,", 2 * i);
	p[-1] = '\0';
	return text;
}

static void test_huge_lists_end_in_an_error_not_in_exhaustion(void **state)
{
	char *most = many_ids(1000000), *more = many_ids(1000001);
	struct ranges ranges;

	(void)state;
	assert_int_equal(ranges_parse(&ranges, most), 0);
	assert_int_equal(ranges_count(&ranges), 1000000);
	ranges_free(&ranges);
	assert_int_equal(ranges_parse(&ranges, more), -EINVAL);
	assert_int_equal(ranges_parse(&ranges, "1-4294967295:2,2-4294967295:4"), -EINVAL);
	free(most);
	free(more);
}

static void test_counting_does_not_expand(void **state)
{
	struct ranges ranges = parsed("1-4294967295");

	(void)state;
	assert_int_equal(ranges_count(&ranges), 4294967295u);
	assert_true(ranges_contain(&ranges, 4294967295u));
	assert_false(ranges_contain(&ranges, 0));
	ranges_free(&ranges);
}

static void test_the_search_for_first_ids_skips_a_held_block_at_once(void **state)
{
	struct ranges ranges = parsed("1-4294967295"),
		      held[2] = { parsed("1-4000000000"), parsed("4000000002-4294967290") };
	uint32_t ids[9];

	(void)state;
	assert_int_equal(ranges_first(&ranges, held, 2, ids, 9), 6);
	assert_int_equal(ids[0], 4000000001u);
	assert_int_equal(ids[1], 4294967291u);
	assert_int_equal(ids[5], 4294967295u);
	for (int i = 0; i < 2; i++)
		ranges_free(&held[i]);
	ranges_free(&ranges);
}

static void test_sets_that_together_hold_all_ids_are_skipped_at_once(void **state)
{
	/* the second set ends early; from there the even ids are in the last three */
	struct ranges ranges = parsed("1-4294967294"),
		      held[] = { parsed("1-4294967293:2"), parsed("2-4000000000:2"), parsed("2-4294967292:3"),
				 parsed("3-4294967293:3"), parsed("4-4294967290:3") };
	uint32_t id;

	(void)state;
	assert_int_equal(ranges_first(&ranges, held, 5, &id, 1), 1);
	assert_int_equal(id, 4294967294u);
	assert_int_equal(ranges_first(&ranges, held, 5, NULL, SIZE_MAX), 1);
	assert_int_equal(ranges_first(&ranges, held, 1, NULL, SIZE_MAX), 2147483647);
	/* even ids that are not 2 modulo 3 */
	ranges_free(&held[1]);
	assert_int_equal(ranges_first(&ranges, held, 3, NULL, SIZE_MAX), 1431655765);
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		ranges_free(&held[i]);
	ranges_free(&ranges);
}

static void test_many_sets_with_different_steps_are_counted(void **state)
{
	/* the multiples of 2 to 16: the others have no divisor below 17 */
	struct ranges ranges = parsed("1-232792560"), held[15];
	char text[40];

	(void)state;
	for (uint32_t s = 2; s < 17; s++) {
		snprintf(text, sizeof(text), "%u-232792560:%u", s, s);
		held[s - 2] = parsed(text);
	}
	assert_int_equal(ranges_first(&ranges, held, 15, NULL, SIZE_MAX),
			 232792560ull * 1 / 2 * 2 / 3 * 4 / 5 * 6 / 7 * 10 / 11 * 12 / 13);
	for (size_t i = 0; i < 15; i++)
		ranges_free(&held[i]);
	ranges_free(&ranges);
}

static void check_common(const char *a, const char *b, const char *both)
{
	struct ranges ranges = parsed(a), with = parsed(b);

	assert_int_equal(ranges_intersect(&ranges, &with), 0);
	check_text(&ranges, both);
	ranges_free(&ranges);
	ranges_free(&with);
}

static void test_common_ids_are_found_by_ranges(void **state)
{
	(void)state;
	check_common("1-4294967295", "1-4294967294", "1-4294967294");
	check_common("1-4294967293:4", "1-4294967291:6", "1-4294967281:12");
	check_common("3-4294967293:10", "8-4294967288:10", "");
	check_common("1-10,20-30:5", "5-25", "5-10,20-25:5");
	check_common("1-100", "", "");
	check_common("", "1-100", "");
	check_common("2-4294967293:4294967291", "1-4294967295", "2-4294967293:4294967291");
	/* steps whose common multiple exceeds every id */
	check_common("7-4294836232:65537", "7-4294770696:65539", "7");
	check_common("1-4294967295:65536", "3-4294967295:65537", "4294901761");
	check_common("1-4294967295:65536", "2-4294967295:65537", "");
}

static void test_taking_and_giving_back_restores_the_range(void **state)
{
	struct ranges ranges = parsed("1-99:2");

	(void)state;
	assert_int_equal(ranges_remove(&ranges, 51), 0);
	check_text(&ranges, "1-49:2,53-99:2");
	assert_int_equal(ranges_remove(&ranges, 51), -ENOENT);
	assert_int_equal(ranges_remove(&ranges, 52), -ENOENT);
	assert_int_equal(ranges_add(&ranges, 51), 0);
	check_text(&ranges, "1-99:2");
	assert_int_equal(ranges_add(&ranges, 51), -EEXIST);
	assert_int_equal(ranges_add(&ranges, 52), 0);
	check_text(&ranges, "1-51:2,52,53-99:2");
	ranges_free(&ranges);
}

static void test_only_later_ranges_can_be_appended(void **state)
{
	struct ranges ranges = parsed("5-9");

	(void)state;
	assert_int_equal(ranges_append(&ranges, &(struct range){ 9, 12, 1 }), -EINVAL);
	assert_int_equal(ranges_append(&ranges, &(struct range){ 10, 12, 1 }), 0);
	assert_int_equal(ranges_append(&ranges, &(struct range){ 20, 24, 2 }), 0);
	check_text(&ranges, "5-12,20-24:2");
	ranges_free(&ranges);
}

static void test_format_returns_the_length_that_it_needs(void **state)
{
	struct ranges ranges = parsed("10-20,30-40:5");
	char text[6];

	(void)state;
	assert_int_equal(ranges_format(&ranges, NULL, 0), 13);
	assert_int_equal(ranges_format(&ranges, text, sizeof(text)), 13);
	assert_string_equal(text, "10-20");
	ranges_free(&ranges);
}

static void test_equal_sets_are_equal_however_written(void **state)
{
	struct ranges a = parsed("1-8"), b = { 0 }, ranges = parsed("1-7"), d = parsed("1-7:2");

	(void)state;
	for (uint32_t id = 8; id > 0; id -= 2)
		assert_int_equal(ranges_add(&b, id), 0);
	assert_false(ranges_equal(&a, &b));
	for (uint32_t id = 1; id < 8; id += 2)
		assert_int_equal(ranges_add(&b, id), 0);
	assert_true(ranges_equal(&a, &b));
	assert_true(ranges_equal(&b, &a));
	assert_false(ranges_equal(&a, &ranges));
	assert_false(ranges_equal(&ranges, &d));
	ranges_free(&a);
	ranges_free(&b);
	ranges_free(&ranges);
	ranges_free(&d);
}

/* Comparison with a set of flags */

static unsigned seed;

static uint32_t drawn(uint32_t below)
{
	return (uint32_t)rand_r(&seed) % below;
}

static void check_like(const struct ranges *ranges, const bool *in, uint32_t base)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < UNIVERSE; i++) {
		assert_int_equal(ranges_contain(ranges, base + i), in[i]);
		count += in[i];
	}
	assert_int_equal(ranges_count(ranges), count);
	for (size_t i = 0; i < ranges->n; i++) {
		const struct range *range = &ranges->items[i];

		assert_true(range->min <= range->max && range->step >= 1 &&
			    (range->max - range->min) % range->step == 0);
		assert_true(range->min != range->max || range->step == 1);
		assert_true(i == 0 || ranges->items[i - 1].max < range->min);
	}
}

static void check_first(const struct ranges *ranges, const struct ranges *except, const bool *in,
			const bool (*held)[UNIVERSE], uint32_t base)
{
	uint32_t ids[UNIVERSE], limit = drawn(UNIVERSE + 1), sets = drawn(EXCEPTS + 1);
	size_t n = ranges_first(ranges, except, sets, ids, limit), k = 0;

	for (uint32_t i = 0; i < UNIVERSE && k < limit; i++) {
		bool is_held = false;

		for (uint32_t s = 0; s < sets; s++)
			is_held |= held[s][i];
		if (in[i] && !is_held) {
			assert_true(k < n);
			assert_int_equal(ids[k++], base + i);
		}
	}
	assert_int_equal(k, n);
	assert_int_equal(ranges_first(ranges, except, sets, NULL, limit), n);
	n = ranges_first(ranges, NULL, 0, ids, limit);
	assert_int_equal(ranges_first(ranges, NULL, 0, NULL, limit), n);
}

static void check_common_randomly(const struct ranges *ranges, const struct ranges *with, const bool *in,
				  const bool *is_with, uint32_t base)
{
	struct ranges common;
	bool both[UNIVERSE];

	for (uint32_t i = 0; i < UNIVERSE; i++)
		both[i] = in[i] && is_with[i];
	assert_int_equal(ranges_copy(&common, ranges), 0);
	assert_int_equal(ranges_intersect(&common, with), 0);
	check_like(&common, both, base);
	ranges_free(&common);
}

static void change_randomly(struct ranges *ranges, bool *in, uint32_t base)
{
	uint32_t i = drawn(UNIVERSE);

	if (drawn(2)) {
		assert_int_equal(ranges_add(ranges, base + i), in[i] ? -EEXIST : 0);
		in[i] = true;
	} else {
		assert_int_equal(ranges_remove(ranges, base + i), in[i] ? 0 : -ENOENT);
		in[i] = false;
	}
}

static void fill_randomly(struct ranges *ranges, bool *in, uint32_t base)
{
	uint32_t step = 1 + drawn(7), offset = drawn(UNIVERSE), length = drawn(UNIVERSE), last = offset;

	*ranges = (struct ranges){ 0 };
	memset(in, 0, UNIVERSE * sizeof(*in));
	for (uint32_t i = offset; i < UNIVERSE && i <= offset + length; last = i, i += step)
		in[i] = true;
	assert_int_equal(
		ranges_append(ranges, &(struct range){ base + offset, base + last, last == offset ? 1 : step }), 0);
	for (uint32_t k = drawn(2) ? drawn(20) : 0; k > 0; k--)
		change_randomly(ranges, in, base);
}

static void one_walk(uint32_t base)
{
	struct ranges ranges, again, except[EXCEPTS];
	bool in[UNIVERSE], held[EXCEPTS][UNIVERSE];
	char text[2000];

	fill_randomly(&ranges, in, base);
	for (int s = 0; s < EXCEPTS; s++)
		fill_randomly(&except[s], held[s], base);
	for (int step = 0; step < 30; step++) {
		change_randomly(&ranges, in, base);
		check_like(&ranges, in, base);
		check_first(&ranges, except, in, (const bool (*)[UNIVERSE])held, base);
		check_common_randomly(&ranges, &except[step % EXCEPTS], in, held[step % EXCEPTS], base);
		assert_true(ranges_format(&ranges, text, sizeof(text)) < sizeof(text));
		again = parsed(text);
		assert_true(ranges_equal(&ranges, &again));
		assert_int_equal(ranges_equal(&ranges, &except[0]), memcmp(in, held[0], sizeof(in)) == 0);
		ranges_free(&again);
	}
	ranges_free(&ranges);
	for (int s = 0; s < EXCEPTS; s++)
		ranges_free(&except[s]);
}

static void test_random_walks_agree_with_a_set_of_flags(void **state)
{
	const char *given = getenv("SEED");

	(void)state;
	seed = given ? (unsigned)strtoul(given, NULL, 10) : 20240601u;
	print_message("seed %u\n", seed);
	for (int i = 0; i < 2000; i++)
		one_walk(i % 2 ? 1 : UINT32_MAX - UNIVERSE + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_sorted_joined_and_cut_to_its_step),
		cmocka_unit_test(test_interlaced_ranges_become_the_same_ids_in_order),
		cmocka_unit_test(test_text_that_is_no_list_of_ids_is_refused),
		cmocka_unit_test(test_huge_lists_end_in_an_error_not_in_exhaustion),
		cmocka_unit_test(test_counting_does_not_expand),
		cmocka_unit_test(test_the_search_for_first_ids_skips_a_held_block_at_once),
		cmocka_unit_test(test_sets_that_together_hold_all_ids_are_skipped_at_once),
		cmocka_unit_test(test_many_sets_with_different_steps_are_counted),
		cmocka_unit_test(test_common_ids_are_found_by_ranges),
		cmocka_unit_test(test_taking_and_giving_back_restores_the_range),
		cmocka_unit_test(test_only_later_ranges_can_be_appended),
		cmocka_unit_test(test_format_returns_the_length_that_it_needs),
		cmocka_unit_test(test_equal_sets_are_equal_however_written),
		cmocka_unit_test(test_random_walks_agree_with_a_set_of_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
