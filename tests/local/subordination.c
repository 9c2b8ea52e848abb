/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What subordinate lists suspend, step by step as a real Grid Engine 8.1.9 was seen to do on one
 * host: the letters of its tasks after each start, end and change by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sched/qmaster/local/subordination.h"

enum { A, B, C, D, QUEUES };

#define TASKS_MOST 20

struct host {
	struct subordination_queue queues[QUEUES];
	struct subordination_entry entries[8];
	size_t nentries;
	struct subordination_task tasks[TASKS_MOST];
	uint32_t in[TASKS_MOST][2];
	bool ended[TASKS_MOST];
	size_t ntasks;
};

static void below(struct host *h, uint32_t above, uint32_t tasks, uint32_t queue, uint32_t seq_no, bool longest)
{
	h->queues[above].tasks = tasks;
	h->entries[h->nentries++] = (struct subordination_entry){ above, queue, 0, seq_no, longest, true };
}

/* One more in this queue, and in another (or the same). Its number. */
static size_t start_both(struct host *h, uint32_t queue, uint32_t other, int64_t start_time)
{
	size_t i = h->ntasks++;

	h->in[i][0] = queue;
	h->in[i][1] = other;
	h->tasks[i] = (struct subordination_task){ .queues = h->in[i], .nqueues = 2, .start_time = start_time };
	return i;
}

static size_t start(struct host *h, uint32_t queue, int64_t start_time)
{
	return start_both(h, queue, queue, start_time);
}

/* The letters of all tasks that have not ended: r or S. */
static const char *letters(struct host *h)
{
	static char text[TASKS_MOST + 1];
	struct subordination_task left[TASKS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < h->ntasks; i++)
		if (!h->ended[i])
			left[n++] = h->tasks[i];
	assert_int_equal(subordination_slotwise(h->queues, QUEUES, h->entries, h->nentries, left, n), 0);
	memset(text, 0, sizeof(text));
	for (size_t i = 0, k = 0; i < h->ntasks; i++) {
		if (h->ended[i])
			continue;
		text[k] = left[k].held ? 'h' : left[k].preempted ? 'S' : 'r';
		h->tasks[i].preempted = left[k++].preempted;
	}
	return text;
}

static void test_the_highest_sequence_number_goes_first_and_the_shortest_of_it(void **state)
{
	struct host h = { 0 };
	size_t fifth;

	(void)state;
	below(&h, A, 2, B, 1, false);
	below(&h, A, 2, C, 2, false);
	start(&h, C, 10), start(&h, C, 12);
	assert_string_equal(letters(&h), "rr");
	start(&h, B, 14);
	assert_string_equal(letters(&h), "rSr");
	start(&h, A, 16), fifth = start(&h, A, 16);
	assert_string_equal(letters(&h), "SSSrr");
	h.ended[fifth] = true;
	assert_string_equal(letters(&h), "SSrr");
	start(&h, A, 20), start(&h, A, 20), start(&h, A, 20);
	assert_string_equal(letters(&h), "SSSrrrr");
}

static void test_tasks_are_counted_not_slots_and_those_of_the_lower_queue_alone_too(void **state)
{
	struct host h = { 0 };

	(void)state;
	below(&h, A, 2, B, 0, false);
	start_both(&h, A, B, 10), start(&h, B, 12);
	assert_string_equal(letters(&h), "rr");
	h = (struct host){ 0 };
	below(&h, A, 2, B, 0, false);
	start(&h, B, 10), start(&h, B, 12), start(&h, B, 14), start(&h, B, 16);
	assert_string_equal(letters(&h), "rrSS");
	h.ended[0] = true;
	assert_string_equal(letters(&h), "rrS");
}

static void test_the_longest_is_suspended_first_and_goes_on_last_where_the_action_says_so(void **state)
{
	struct host h = { 0 };
	size_t x, y;

	(void)state;
	below(&h, A, 3, B, 0, true);
	start(&h, B, 10), start(&h, B, 12), start(&h, B, 14);
	x = start(&h, A, 16), y = start(&h, A, 18);
	assert_string_equal(letters(&h), "SSrrr");
	h.ended[x] = true;
	assert_string_equal(letters(&h), "Srrr");
	h.ended[y] = true;
	assert_string_equal(letters(&h), "rrr");
}

static void test_between_equals_the_last_one_is_suspended_and_goes_on_first(void **state)
{
	struct host h = { 0 };
	size_t x;

	(void)state;
	below(&h, A, 2, B, 0, false);
	for (int i = 0; i < 4; i++)
		start(&h, B, 10);
	assert_string_equal(letters(&h), "rrSS");
	x = start(&h, A, 12), start(&h, A, 14);
	assert_string_equal(letters(&h), "SSSSrr");
	h.ended[x] = true;
	assert_string_equal(letters(&h), "SSSrr");
}

static void test_queues_of_one_number_are_one_and_the_first_action_counts(void **state)
{
	struct host h = { 0 };

	(void)state;
	below(&h, A, 2, B, 1, false);
	below(&h, A, 2, C, 1, false);
	start(&h, C, 10), start(&h, B, 12), start(&h, A, 14);
	assert_string_equal(letters(&h), "rSr");
	h = (struct host){ 0 };
	below(&h, A, 4, B, 1, true);
	below(&h, A, 4, C, 1, false);
	start(&h, B, 10), start(&h, B, 12), start(&h, C, 14), start(&h, C, 16);
	start(&h, A, 18);
	assert_string_equal(letters(&h), "Srrrr");
	start(&h, A, 20);
	assert_string_equal(letters(&h), "SSrrrr");
	start(&h, A, 22);
	assert_string_equal(letters(&h), "SSrSrrr");
	start(&h, A, 24);
	assert_string_equal(letters(&h), "SSSSrrrr");
}

static void test_each_list_on_the_way_up_counts_and_the_lowest_queue_goes_first(void **state)
{
	struct host h = { 0 };

	(void)state;
	below(&h, A, 3, B, 0, false);
	below(&h, B, 2, C, 0, false);
	start(&h, C, 10), start(&h, C, 12), start(&h, C, 14);
	assert_string_equal(letters(&h), "rrS");
	start(&h, B, 16);
	assert_string_equal(letters(&h), "rSSr");
	start(&h, B, 18);
	assert_string_equal(letters(&h), "SSSrr");
	start(&h, B, 20);
	assert_string_equal(letters(&h), "SSSrrr");
	start(&h, A, 22);
	assert_string_equal(letters(&h), "SSSrrSr");
}

static void test_depth_decides_before_sequence_numbers(void **state)
{
	struct host h = { 0 };

	(void)state;
	below(&h, A, 3, B, 5, false);
	below(&h, A, 3, C, 1, false);
	below(&h, C, 9, D, 0, false);
	start(&h, D, 10), start(&h, B, 12), start(&h, C, 14);
	assert_string_equal(letters(&h), "rrr");
	start(&h, A, 16);
	assert_string_equal(letters(&h), "Srrr");
	start(&h, A, 18);
	assert_string_equal(letters(&h), "SSrrr");
	start(&h, A, 20);
	assert_string_equal(letters(&h), "SSSrrr");
}

static void test_who_is_held_otherwise_does_not_count_and_who_is_to_end_is_left_alone(void **state)
{
	struct host h = { 0 };

	(void)state;
	below(&h, A, 2, B, 1, false);
	below(&h, A, 2, C, 2, false);
	start(&h, B, 10), start(&h, B, 10), start(&h, C, 12);
	h.tasks[0].held = h.tasks[1].held = true;
	assert_string_equal(letters(&h), "hhr");
	h.tasks[0].held = h.tasks[1].held = false;
	assert_string_equal(letters(&h), "rrS");
	h = (struct host){ 0 };
	below(&h, A, 1, B, 0, false);
	start(&h, B, 10), start(&h, B, 12);
	h.tasks[1].spared = true;
	assert_string_equal(letters(&h), "Sr");
}

static void test_a_task_below_two_lists_goes_on_when_both_allow_it(void **state)
{
	struct host h = { 0 };
	size_t x, y;

	(void)state;
	below(&h, A, 1, C, 0, false);
	below(&h, B, 1, C, 0, false);
	start(&h, C, 10);
	x = start(&h, A, 12), y = start(&h, B, 14);
	assert_string_equal(letters(&h), "Srr");
	h.ended[x] = true;
	assert_string_equal(letters(&h), "Sr");
	h.ended[y] = true;
	assert_string_equal(letters(&h), "r");
}

static void test_without_its_list_a_task_goes_on_and_lists_that_go_round_end(void **state)
{
	struct host h = { 0 };

	(void)state;
	below(&h, A, 1, B, 0, false);
	start(&h, A, 10), start(&h, B, 12);
	assert_string_equal(letters(&h), "rS");
	h.nentries = 0;
	assert_string_equal(letters(&h), "rr");
	below(&h, A, 1, B, 0, false);
	below(&h, B, 1, C, 0, false);
	below(&h, C, 1, A, 0, false);
	assert_int_equal(strlen(letters(&h)), 2);
}

static void test_queue_wise_lists_go_by_slots_in_use_and_may_go_round(void **state)
{
	struct subordination_queue queues[QUEUES] = { [A] = { .slots = 2, .used = 2 }, [B] = { .slots = 2, .used = 1 }, [C] = { .slots = 0 } };
	const struct subordination_entry entries[] = {
		{ .above = A, .below = B }, { .above = B, .below = A }, { .above = B, .below = D, .slots = 1 }, { .above = A, .below = C, .slots = 3 },
		{ .above = C, .below = C },
	};

	(void)state;
	subordination_queuewise(queues, QUEUES, entries, 5);
	assert_false(queues[A].suspended);
	assert_true(queues[B].suspended);
	assert_false(queues[C].suspended);
	assert_true(queues[D].suspended);
	queues[A].used = 1;
	queues[B].used = 2;
	subordination_queuewise(queues, QUEUES, entries, 5);
	assert_true(queues[A].suspended);
	assert_false(queues[B].suspended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_highest_sequence_number_goes_first_and_the_shortest_of_it),
		cmocka_unit_test(test_tasks_are_counted_not_slots_and_those_of_the_lower_queue_alone_too),
		cmocka_unit_test(test_the_longest_is_suspended_first_and_goes_on_last_where_the_action_says_so),
		cmocka_unit_test(test_between_equals_the_last_one_is_suspended_and_goes_on_first),
		cmocka_unit_test(test_queues_of_one_number_are_one_and_the_first_action_counts),
		cmocka_unit_test(test_each_list_on_the_way_up_counts_and_the_lowest_queue_goes_first),
		cmocka_unit_test(test_depth_decides_before_sequence_numbers),
		cmocka_unit_test(test_who_is_held_otherwise_does_not_count_and_who_is_to_end_is_left_alone),
		cmocka_unit_test(test_a_task_below_two_lists_goes_on_when_both_allow_it),
		cmocka_unit_test(test_without_its_list_a_task_goes_on_and_lists_that_go_round_end),
		cmocka_unit_test(test_queue_wise_lists_go_by_slots_in_use_and_may_go_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
