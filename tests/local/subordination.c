/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspensions by subordinate lists, step by step as observed with a real Grid Engine 8.1.9 on one
 * host: the states of its tasks after each start, end and manual change.
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

static void below(struct host *host, uint32_t above, uint32_t tasks, uint32_t queue, uint32_t seq_no, bool longest)
{
	host->queues[above].tasks = tasks;
	host->entries[host->nentries++] = (struct subordination_entry){ above, queue, 0, seq_no, longest, true };
}

/* Start a task in this queue and in another (or the same). Return its number. */
static size_t start_both(struct host *host, uint32_t queue, uint32_t other, int64_t start_time)
{
	size_t i = host->ntasks++;

	host->in[i][0] = queue;
	host->in[i][1] = other;
	host->tasks[i] = (struct subordination_task){ .queues = host->in[i], .nqueues = 2, .start_time = start_time };
	return i;
}

static size_t start(struct host *host, uint32_t queue, int64_t start_time)
{
	return start_both(host, queue, queue, start_time);
}

/* Return the letters of all tasks that have not ended: r or S. */
static const char *letters(struct host *host)
{
	static char text[TASKS_MOST + 1];
	struct subordination_task left[TASKS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < host->ntasks; i++)
		if (!host->ended[i])
			left[n++] = host->tasks[i];
	assert_int_equal(subordination_slotwise(host->queues, QUEUES, host->entries, host->nentries, left, n), 0);
	memset(text, 0, sizeof(text));
	for (size_t i = 0, k = 0; i < host->ntasks; i++) {
		if (host->ended[i])
			continue;
		text[k] = left[k].held ? 'h' : left[k].preempted ? 'S' : 'r';
		host->tasks[i].preempted = left[k++].preempted;
	}
	return text;
}

static void test_the_highest_sequence_number_is_first_and_its_shortest_task(void **state)
{
	struct host host = { 0 };
	size_t fifth;

	(void)state;
	below(&host, A, 2, B, 1, false);
	below(&host, A, 2, C, 2, false);
	start(&host, C, 10), start(&host, C, 12);
	assert_string_equal(letters(&host), "rr");
	start(&host, B, 14);
	assert_string_equal(letters(&host), "rSr");
	start(&host, A, 16), fifth = start(&host, A, 16);
	assert_string_equal(letters(&host), "SSSrr");
	host.ended[fifth] = true;
	assert_string_equal(letters(&host), "SSrr");
	start(&host, A, 20), start(&host, A, 20), start(&host, A, 20);
	assert_string_equal(letters(&host), "SSSrrrr");
}

static void test_tasks_are_counted_instead_of_slots_also_in_the_lower_queue_alone(void **state)
{
	struct host host = { 0 };

	(void)state;
	below(&host, A, 2, B, 0, false);
	start_both(&host, A, B, 10), start(&host, B, 12);
	assert_string_equal(letters(&host), "rr");
	host = (struct host){ 0 };
	below(&host, A, 2, B, 0, false);
	start(&host, B, 10), start(&host, B, 12), start(&host, B, 14), start(&host, B, 16);
	assert_string_equal(letters(&host), "rrSS");
	host.ended[0] = true;
	assert_string_equal(letters(&host), "rrS");
}

static void test_the_longest_task_is_suspended_first_and_resumed_last_when_the_action_requests_it(void **state)
{
	struct host host = { 0 };
	size_t x, y;

	(void)state;
	below(&host, A, 3, B, 0, true);
	start(&host, B, 10), start(&host, B, 12), start(&host, B, 14);
	x = start(&host, A, 16), y = start(&host, A, 18);
	assert_string_equal(letters(&host), "SSrrr");
	host.ended[x] = true;
	assert_string_equal(letters(&host), "Srrr");
	host.ended[y] = true;
	assert_string_equal(letters(&host), "rrr");
}

static void test_the_last_of_equals_is_suspended_and_resumes_first(void **state)
{
	struct host host = { 0 };
	size_t x;

	(void)state;
	below(&host, A, 2, B, 0, false);
	for (int i = 0; i < 4; i++)
		start(&host, B, 10);
	assert_string_equal(letters(&host), "rrSS");
	x = start(&host, A, 12), start(&host, A, 14);
	assert_string_equal(letters(&host), "SSSSrr");
	host.ended[x] = true;
	assert_string_equal(letters(&host), "SSSrr");
}

static void test_queues_of_one_number_are_one_and_the_first_action_counts(void **state)
{
	struct host host = { 0 };

	(void)state;
	below(&host, A, 2, B, 1, false);
	below(&host, A, 2, C, 1, false);
	start(&host, C, 10), start(&host, B, 12), start(&host, A, 14);
	assert_string_equal(letters(&host), "rSr");
	host = (struct host){ 0 };
	below(&host, A, 4, B, 1, true);
	below(&host, A, 4, C, 1, false);
	start(&host, B, 10), start(&host, B, 12), start(&host, C, 14), start(&host, C, 16);
	start(&host, A, 18);
	assert_string_equal(letters(&host), "Srrrr");
	start(&host, A, 20);
	assert_string_equal(letters(&host), "SSrrrr");
	start(&host, A, 22);
	assert_string_equal(letters(&host), "SSrSrrr");
	start(&host, A, 24);
	assert_string_equal(letters(&host), "SSSSrrrr");
}

static void test_each_list_on_the_way_up_counts_and_the_lowest_queue_is_first(void **state)
{
	struct host host = { 0 };

	(void)state;
	below(&host, A, 3, B, 0, false);
	below(&host, B, 2, C, 0, false);
	start(&host, C, 10), start(&host, C, 12), start(&host, C, 14);
	assert_string_equal(letters(&host), "rrS");
	start(&host, B, 16);
	assert_string_equal(letters(&host), "rSSr");
	start(&host, B, 18);
	assert_string_equal(letters(&host), "SSSrr");
	start(&host, B, 20);
	assert_string_equal(letters(&host), "SSSrrr");
	start(&host, A, 22);
	assert_string_equal(letters(&host), "SSSrrSr");
}

static void test_depth_decides_before_sequence_numbers(void **state)
{
	struct host host = { 0 };

	(void)state;
	below(&host, A, 3, B, 5, false);
	below(&host, A, 3, C, 1, false);
	below(&host, C, 9, D, 0, false);
	start(&host, D, 10), start(&host, B, 12), start(&host, C, 14);
	assert_string_equal(letters(&host), "rrr");
	start(&host, A, 16);
	assert_string_equal(letters(&host), "Srrr");
	start(&host, A, 18);
	assert_string_equal(letters(&host), "SSrrr");
	start(&host, A, 20);
	assert_string_equal(letters(&host), "SSSrrr");
}

static void test_a_task_held_for_another_reason_does_not_count_and_an_ending_task_is_left_unchanged(void **state)
{
	struct host host = { 0 };

	(void)state;
	below(&host, A, 2, B, 1, false);
	below(&host, A, 2, C, 2, false);
	start(&host, B, 10), start(&host, B, 10), start(&host, C, 12);
	host.tasks[0].held = host.tasks[1].held = true;
	assert_string_equal(letters(&host), "hhr");
	host.tasks[0].held = host.tasks[1].held = false;
	assert_string_equal(letters(&host), "rrS");
	host = (struct host){ 0 };
	below(&host, A, 1, B, 0, false);
	start(&host, B, 10), start(&host, B, 12);
	host.tasks[1].spared = true;
	assert_string_equal(letters(&host), "Sr");
}

static void test_a_task_below_two_lists_resumes_when_both_allow_it(void **state)
{
	struct host host = { 0 };
	size_t x, y;

	(void)state;
	below(&host, A, 1, C, 0, false);
	below(&host, B, 1, C, 0, false);
	start(&host, C, 10);
	x = start(&host, A, 12), y = start(&host, B, 14);
	assert_string_equal(letters(&host), "Srr");
	host.ended[x] = true;
	assert_string_equal(letters(&host), "Sr");
	host.ended[y] = true;
	assert_string_equal(letters(&host), "r");
}

static void test_without_its_list_a_task_resumes_and_cyclic_lists_end(void **state)
{
	struct host host = { 0 };

	(void)state;
	below(&host, A, 1, B, 0, false);
	start(&host, A, 10), start(&host, B, 12);
	assert_string_equal(letters(&host), "rS");
	host.nentries = 0;
	assert_string_equal(letters(&host), "rr");
	below(&host, A, 1, B, 0, false);
	below(&host, B, 1, C, 0, false);
	below(&host, C, 1, A, 0, false);
	assert_int_equal(strlen(letters(&host)), 2);
}

static void test_queue_wise_lists_count_used_slots_and_may_have_cycles(void **state)
{
	struct subordination_queue queues[QUEUES] = {
		[A] = { .slots = 2, .used = 2 }, [B] = { .slots = 2, .used = 1 }, [C] = { .slots = 0 }
	};
	const struct subordination_entry entries[] = {
		{ .above = A, .below = B },
		{ .above = B, .below = A },
		{ .above = B, .below = D, .slots = 1 },
		{ .above = A, .below = C, .slots = 3 },
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
		cmocka_unit_test(test_the_highest_sequence_number_is_first_and_its_shortest_task),
		cmocka_unit_test(test_tasks_are_counted_instead_of_slots_also_in_the_lower_queue_alone),
		cmocka_unit_test(test_the_longest_task_is_suspended_first_and_resumed_last_when_the_action_requests_it),
		cmocka_unit_test(test_the_last_of_equals_is_suspended_and_resumes_first),
		cmocka_unit_test(test_queues_of_one_number_are_one_and_the_first_action_counts),
		cmocka_unit_test(test_each_list_on_the_way_up_counts_and_the_lowest_queue_is_first),
		cmocka_unit_test(test_depth_decides_before_sequence_numbers),
		cmocka_unit_test(
			test_a_task_held_for_another_reason_does_not_count_and_an_ending_task_is_left_unchanged),
		cmocka_unit_test(test_a_task_below_two_lists_resumes_when_both_allow_it),
		cmocka_unit_test(test_without_its_list_a_task_resumes_and_cyclic_lists_end),
		cmocka_unit_test(test_queue_wise_lists_count_used_slots_and_may_have_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
