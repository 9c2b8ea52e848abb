/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines: single properties, and random bookings compared with a list of steps. FAIRLEAD_SEED=n
 * sets the seed.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sched/dispatch/timeline/changes.h"
#include "sched/dispatch/timeline/timeline.h"
#include "tests/failing_memory.h"
#include "tests/naive/cells.h"

static struct timelines t;
static uint64_t randomness;

static uint64_t below(uint64_t n)
{
	return random_below(&randomness, n);
}

static int setup(void **state)
{
	(void)state;
	timelines_create(&t);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	timelines_destroy(&t);
	return 0;
}

static void book(uint32_t *line, int64_t begin, int64_t end, double amount)
{
	assert_int_equal(timeline_book(&t, line, begin, end, amount), 0);
}

#define assert_max(line, begin, end, wanted) assert_true(timeline_max(&t, line, begin, end) == (wanted))
#define assert_below(line, limit, wanted) assert_true(timeline_below(&t, line, limit) == (wanted))
#define assert_above(line, limit, before, wanted) assert_true(timeline_above(&t, line, limit, before) == (wanted))
#define assert_change(line, before, wanted) assert_true(timeline_change(&t, line, before) == (wanted))
#define assert_next(line, from, wanted) assert_true(timeline_next(&t, line, from) == (wanted))

/* Sentences */

static void test_an_empty_line_has_no_bookings(void **state)
{
	(void)state;
	assert_max(TIMELINE_EMPTY, INT64_MIN, TIMELINE_NEVER, 0);
	assert_below(TIMELINE_EMPTY, 0, INT64_MIN);
	assert_below(TIMELINE_EMPTY, -1, TIMELINE_NEVER);
	assert_above(TIMELINE_EMPTY, 0, TIMELINE_NEVER, INT64_MIN);
	assert_change(TIMELINE_EMPTY, TIMELINE_NEVER, INT64_MIN);
	assert_next(TIMELINE_EMPTY, INT64_MIN, TIMELINE_NEVER);
}

static void test_a_booking_counts_from_its_begin_to_before_its_end(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	book(&line, 100, 200, 3);
	assert_max(line, 0, 100, 0);
	assert_max(line, 0, 101, 3);
	assert_max(line, 150, 160, 3);
	assert_max(line, 199, 300, 3);
	assert_max(line, 200, 300, 0);
	assert_max(line, 150, 150, 0);
	assert_max(line, 160, 150, 0);
	assert_below(line, 3, INT64_MIN);
	assert_below(line, 2, 200);
	assert_above(line, 2, 100, INT64_MIN);
	assert_above(line, 2, 101, 200);
	assert_above(line, 3, 101, INT64_MIN);
	assert_change(line, 200, 100);
	assert_next(line, 101, 200);
	assert_next(line, 201, TIMELINE_NEVER);
}

static void test_bookings_that_overlap_add_up(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	book(&line, 100, 200, 3);
	book(&line, 150, 250, 4);
	assert_max(line, 100, 150, 3);
	assert_max(line, 100, 151, 7);
	assert_max(line, 200, 400, 4);
	assert_below(line, 6, 200);
	assert_below(line, 4, 200);
	assert_below(line, 3, 250);
	assert_below(line, -1, TIMELINE_NEVER);
	assert_above(line, 6, TIMELINE_NEVER, 200);
	assert_above(line, 3, TIMELINE_NEVER, 250);
	assert_above(line, 2, 150, 150);
	assert_change(line, 250, 200);
}

static void test_a_booking_for_ever_never_ends(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	book(&line, 100, TIMELINE_NEVER, 2);
	book(&line, 110, 120, 1);
	assert_max(line, TIMELINE_NEVER - 1, TIMELINE_NEVER, 2);
	assert_below(line, 2, 120);
	assert_below(line, 1, TIMELINE_NEVER);
	assert_above(line, 2, TIMELINE_NEVER, 120);
	assert_above(line, 1, TIMELINE_NEVER, TIMELINE_NEVER);
	assert_change(line, TIMELINE_NEVER, 120);
}

static void test_adjacent_bookings_leave_no_change_between_them(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	book(&line, 100, 200, 2);
	book(&line, 200, 300, 2);
	assert_change(line, 300, 100);
	assert_below(line, 1, 300);
	book(&line, 200, 300, -1);
	assert_change(line, 300, 200);
}

static void test_a_booking_of_zero_has_no_effect(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	book(&line, 200, 100, 2);
	book(&line, 200, 200, 2);
	book(&line, 100, 200, 0);
	book(&line, 100, 200, 1e-30);
	assert_true(line == TIMELINE_EMPTY);
}

static void test_a_negative_booking_removes_the_booking(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	book(&line, 100, 200, 0.1);
	book(&line, 150, 250, 0.7);
	book(&line, 150, 250, -0.7);
	book(&line, 100, 200, -0.1);
	assert_true(line == TIMELINE_EMPTY);
	assert_int_equal(t.n, 1);
	book(&line, 1, 2, 1);
	book(&line, 3, 4, 1);
	assert_int_equal(t.n, 1);	/* the node is reused */
}

static void test_fractions_leave_no_residue(void **state)
{
	static const double amounts[] = { 0.6, 0.1, 1e15 + 0.5, 0.7, 1e-3, 3.3 };
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	for (int i = 0; i < 600; i++)
		book(&line, i, 2000 - i, amounts[i % 6]);
	assert_max(line, 2000, TIMELINE_NEVER, 0);
	assert_below(line, 0, 2000);
	assert_max(line, 1999, 2000, 0.6 + 0.1 - 0.1);
	assert_max(line, 0, 1, 0.6);
}

static void test_integers_are_exact_up_to_2_to_the_53(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	book(&line, 0, 10, 0x1p53 - 1);
	book(&line, 5, 20, 1);
	assert_max(line, 0, 5, 0x1p53 - 1);
	assert_max(line, 0, 6, 0x1p53);
	assert_max(line, 10, 11, 1);
	assert_below(line, 0x1p53 - 1, 10);
}

static void test_amounts_out_of_range_are_refused(void **state)
{
	uint32_t line = TIMELINE_EMPTY;

	(void)state;
	assert_int_equal(timeline_book(&t, &line, 0, 1, NAN), -ERANGE);
	assert_int_equal(timeline_book(&t, &line, 0, 1, INFINITY), -ERANGE);
	assert_int_equal(timeline_book(&t, &line, 0, 1, -1e300), -ERANGE);
	book(&line, 0, 1, 0x1p66);
	assert_int_equal(timeline_book(&t, &line, 0, 1, 0x1p20), -ERANGE);
	assert_max(line, 0, 1, 0x1p66);
	assert_below(line, INFINITY, INT64_MIN);
	assert_below(line, -INFINITY, TIMELINE_NEVER);
	timelines_clear(&t);
	line = TIMELINE_EMPTY;
	book(&line, 0, 1, 0x1p20);
	assert_max(line, 0, 1, 0x1p20);
}

/* The list of steps */

#define LINES 8
#define STEPS 1000

struct steps {			/* amount[i] from at[i] on; at[0] is INT64_MIN */
	int64_t at[STEPS];
	double amount[STEPS];
	size_t n;
};

static struct steps naive[LINES];
static uint32_t lines[LINES];

static void all_clear(void)
{
	timelines_clear(&t);
	for (size_t i = 0; i < LINES; i++) {
		naive[i] = (struct steps){ .at = { INT64_MIN }, .n = 1 };
		lines[i] = TIMELINE_EMPTY;
	}
}

/* Return the step that begins at this time. It is made if it does not exist. */
static size_t step_at(struct steps *s, int64_t at)
{
	size_t i = 0;

	while (i < s->n && s->at[i] < at)
		i++;
	if (i < s->n && s->at[i] == at)
		return i;
	assert_true(s->n < STEPS);
	memmove(&s->at[i + 1], &s->at[i], (s->n - i) * sizeof(*s->at));
	memmove(&s->amount[i + 1], &s->amount[i], (s->n - i) * sizeof(*s->amount));
	s->at[i] = at;
	s->amount[i] = s->amount[i - 1];
	s->n++;
	return i;
}

static void steps_book(struct steps *steps, int64_t begin, int64_t end, double amount)
{
	size_t first, last;

	if (begin >= end)
		return;
	first = step_at(steps, begin);
	last = end == TIMELINE_NEVER ? steps->n : step_at(steps, end);
	for (; first < last; first++)
		steps->amount[first] += amount;
}

static double steps_max(const struct steps *steps, int64_t begin, int64_t end)
{
	double most = 0;

	for (size_t i = 0; i < steps->n && begin < end; i++)
		if (steps->at[i] < end && (i + 1 == steps->n || steps->at[i + 1] > begin) && steps->amount[i] > most)
			most = steps->amount[i];
	return most;
}

static int64_t steps_below(const struct steps *steps, double limit)
{
	size_t i = steps->n;

	while (i > 0 && steps->amount[i - 1] <= limit)
		i--;
	return i == steps->n ? TIMELINE_NEVER : steps->at[i];
}

static int64_t steps_above(const struct steps *steps, double limit, int64_t before)
{
	size_t found = steps->n, next;

	for (size_t i = 0; i < steps->n && steps->at[i] < before; i++)
		if (steps->amount[i] > limit)
			found = i;
	for (next = found + 1; next < steps->n && steps->amount[next] == steps->amount[next - 1]; next++)
		;
	return found == steps->n ? INT64_MIN : next < steps->n ? steps->at[next] : TIMELINE_NEVER;
}

static bool steps_change_at(const struct steps *steps, size_t i)
{
	return steps->amount[i] != (i > 0 ? steps->amount[i - 1] : 0);
}

static int64_t steps_before(const struct steps *steps, int64_t before)
{
	int64_t found = INT64_MIN;

	for (size_t i = 0; i < steps->n && steps->at[i] < before; i++)
		if (steps_change_at(steps, i))
			found = steps->at[i];
	return found;
}

static int64_t steps_next(const struct steps *steps, int64_t from)
{
	for (size_t i = 0; i < steps->n; i++)
		if (steps->at[i] >= from && steps_change_at(steps, i))
			return steps->at[i];
	return TIMELINE_NEVER;
}

static int64_t any_moment(int64_t span)
{
	switch (below(30)) {
	case 0:  return TIMELINE_NEVER;
	case 1:  return INT64_MIN + (int64_t)below(2);
	default: return (int64_t)below((uint64_t)span);
	}
}

/* Return a multiple of 1/4, which is exact in the list as well. */
static double any_amount(void)
{
	return (double)below(40) / 4 - (below(10) == 0 ? 9 : 0);
}

static void check_one(size_t i, int64_t span)
{
	int64_t begin = any_moment(span), end = any_moment(span);
	double limit = any_amount() * (double)below(8);

	assert_max(lines[i], begin, end, steps_max(&naive[i], begin, end));
	assert_below(lines[i], limit, steps_below(&naive[i], limit));
	assert_above(lines[i], fabs(limit), end, steps_above(&naive[i], fabs(limit), end));
	assert_change(lines[i], begin, steps_before(&naive[i], begin));
	assert_next(lines[i], begin, steps_next(&naive[i], begin));
}

/* Check the change times of all lines together, from one on. */
static void check_moments(struct changes_view *view, const struct changes *changes, int64_t least, int64_t span)
{
	int64_t at = any_moment(span), before = INT64_MIN, from = TIMELINE_NEVER;

	at = at > least ? at : least;
	for (size_t i = 0; i < LINES; i++) {
		int64_t change = steps_before(&naive[i], at), next = steps_next(&naive[i], at);

		before = change >= least && change > before ? change : before;
		from = next < from ? next : from;
	}
	assert_int_equal(changes_gather(view, changes), 0);
	assert_true(changes_before(view, at) == before);
	assert_true(changes_from(view, at) == from);
}

static void test_random_bookings_give_the_same_as_a_list_of_steps(void **state)
{
	(void)state;
	for (int round = 0; round < 1500; round++) {
		int64_t span = 3 + (int64_t)below(round % 2 ? 20 : 2000);

		all_clear();
		for (int k = 0; k < 300; k++) {
			size_t i = below(LINES);
			int64_t begin = any_moment(span), end = any_moment(span);
			double amount = any_amount();

			if (k % 40 == 0)	/* initially many at once, and again later */
				timelines_gather(&t);
			book(&lines[i], begin, end, amount);
			steps_book(&naive[i], begin, end, amount);
			if (k % 40 == round % 20)
				timelines_settle(&t);
			if (k % 40 >= round % 20)
				check_one(i, span);
		}
	}
}

/* Half of the lines belong to other objects or columns and to another view. */
static void test_candidate_times_are_the_changes_of_lines_in_the_view(void **state)
{
	struct changes changes = { 0 };

	(void)state;
	t.changes = &changes;
	for (int round = 0; round < 300; round++) {
		int64_t span = 3 + (int64_t)below(round % 2 ? 20 : 2000), least = (int64_t)below((uint64_t)span / 2);
		bool columns[3] = { true, false, true }, objects[3] = { true, true, false };
		struct changes_view view = { .columns = columns, .objects = objects };
		uint32_t other = TIMELINE_EMPTY;

		changes_begin(&changes, least);
		all_clear();
		assert_true(changes_are_none(&view));
		for (int k = 0; k < 200; k++) {
			size_t i = below(LINES);
			int64_t begin = any_moment(span), end = any_moment(span);
			double amount = below(3) ? 1 : -1;

			changes_source(&changes, below(2) ? 0 : 2, (uint32_t)below(2));
			book(&lines[i], begin, end, amount);
			steps_book(&naive[i], begin, end, amount);
			changes_source(&changes, k % 2 ? 1 : k % 3 ? 2 : CHANGES_IGNORED, 2);
			book(&other, any_moment(span), any_moment(span), 1);
			if (below(8) == 0)
				check_moments(&view, &changes, least, span);
		}
		free(view.items);
	}
	changes_free(&changes);
}

struct booking {
	int64_t begin, end;
	double amount;
};

static void test_removing_all_bookings_in_any_order_leaves_empty_lines(void **state)
{
	static struct booking all[500];

	(void)state;
	for (int round = 0; round < 200; round++) {
		uint32_t line = TIMELINE_EMPTY;
		size_t n = 1 + below(500);

		timelines_clear(&t);
		for (size_t k = 0; k < n; k++) {
			all[k] = (struct booking){ (int64_t)below(50), (int64_t)(50 + below(500)),
						   (double)below(1000000) / 7e3 };
			book(&line, all[k].begin, all[k].end, all[k].amount);
		}
		for (; n > 0; n--) {
			size_t k = below(n);

			book(&line, all[k].begin, all[k].end, -all[k].amount);
			all[k] = all[n - 1];
		}
		assert_true(line == TIMELINE_EMPTY);
	}
}

/* Memory */

static void test_without_memory_no_booking_is_made(void **state)
{
#ifndef CAN_FAIL
	(void)state;
	skip();
#else
	uint32_t line = TIMELINE_EMPTY, k = 0;
	int refused = 0;

	(void)state;
	all_clear();
	for (; k < 4000; k++) {
		left = 0;
		int error = timeline_book(&t, &line, k, 5000 + k, k);

		left = -1;
		if (error) {
			assert_int_equal(error, -ENOMEM);
			assert_max(line, 0, TIMELINE_NEVER, k * (k - 1) / 2.0);
			book(&line, k, 5000 + k, k);
			refused++;
		}
	}
	assert_max(line, 0, TIMELINE_NEVER, 3999 * 4000 / 2.0);
	assert_true(refused > 2);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_empty_line_has_no_bookings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_booking_counts_from_its_begin_to_before_its_end, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_bookings_that_overlap_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_booking_for_ever_never_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_adjacent_bookings_leave_no_change_between_them, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_booking_of_zero_has_no_effect, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_negative_booking_removes_the_booking, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fractions_leave_no_residue, setup, teardown),
		cmocka_unit_test_setup_teardown(test_integers_are_exact_up_to_2_to_the_53, setup, teardown),
		cmocka_unit_test_setup_teardown(test_amounts_out_of_range_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_bookings_give_the_same_as_a_list_of_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_candidate_times_are_the_changes_of_lines_in_the_view, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_removing_all_bookings_in_any_order_leaves_empty_lines, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_without_memory_no_booking_is_made, setup, teardown),
	};

	randomness = seed_get("timeline");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
