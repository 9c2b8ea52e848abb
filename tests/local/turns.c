/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The waiting time of one user depends neither on the requests of another user nor on the number of
 * that user's connections.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "sched/qmaster/local/turns.h"

#define CONNECTIONS 64

/* A user with many connections that sends a new request as soon as one is answered. */
struct crowd {
	struct waiter waiters[CONNECTIONS];
	uint64_t cost_ns;	/* cost of a request */
	uint64_t served;
};

static void crowd_join(struct turns *turns, struct crowd *crowd, uid_t uid, uint64_t cost_ns)
{
	*crowd = (struct crowd){ .cost_ns = cost_ns };
	for (size_t i = 0; i < CONNECTIONS; i++) {
		crowd->waiters[i].uid = uid;
		turns_add(turns, &crowd->waiters[i]);
	}
}

/* Make a turn. Return the ns that it has taken. Crowds send their next requests after it. */
static uint64_t turn(struct turns *turns, struct crowd *crowds, size_t n, uint64_t other_ns)
{
	uint64_t sum = 0;
	struct waiter *waiter;

	turns_begin(turns);
	while ((waiter = turns_next(turns)) != NULL) {
		uint64_t ns = other_ns;

		for (size_t i = 0; i < n; i++)
			if (waiter >= crowds[i].waiters && waiter < crowds[i].waiters + CONNECTIONS) {
				ns = crowds[i].cost_ns;
				crowds[i].served++;
			}
		turns_charge(turns, waiter->uid, ns);
		sum += ns;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < CONNECTIONS; k++)
			if (!crowds[i].waiters[k].waits)
				turns_add(turns, &crowds[i].waiters[k]);
	return sum;
}

static void test_a_request_is_served_in_its_turn_regardless_of_other_users(void **state)
{
	const uint64_t costs[] = { 1000, 100000, TURN_NS, 20 * (uint64_t)TURN_NS };

	(void)state;
	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		struct turns turns = { 0 };
		struct crowd crowd;
		struct waiter one = { .uid = 2 };

		crowd_join(&turns, &crowd, 1, costs[i]);
		for (int k = 0; k < 100; k++) {
			uint64_t before = crowd.served, ns;

			turns_add(&turns, &one);
			ns = turn(&turns, &crowd, 1, 1000);
			assert_false(one.waits);
			assert_true(ns <= TURN_NS + costs[i] + 1000);
			assert_true(crowd.served - before <= 1 + TURN_NS / costs[i]);
		}
		turns_free(&turns);
	}
}

static void test_users_share_the_processor_whatever_their_requests_cost(void **state)
{
	const uint64_t costs[] = { 10000, 1000000, 40000000 };
	struct turns turns = { 0 };
	struct crowd crowds[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		crowd_join(&turns, &crowds[i], (uid_t)(10 + i), costs[i]);
	for (int k = 0; k < 4000; k++)
		turn(&turns, crowds, 3, 0);
	/* All requests of the first user are served, because they are less than its share. */
	assert_int_equal(crowds[0].served, 4000 * CONNECTIONS);
	for (size_t i = 1; i < 3; i++) {
		double share = (double)(crowds[i].served * costs[i]) / (4000.0 * TURN_NS);

		assert_true(share > 0.99 && share < 1.01);
	}
	turns_free(&turns);
}

static void test_requests_of_a_user_are_served_in_the_order_in_which_they_came(void **state)
{
	struct turns turns = { 0 };
	struct waiter waiters[CONNECTIONS];
	size_t next = 0;

	(void)state;
	for (size_t i = 0; i < CONNECTIONS; i++) {
		waiters[i] = (struct waiter){ .uid = 1 };
		turns_add(&turns, &waiters[i]);
	}
	while (turns_wait(&turns)) {
		struct waiter *waiter;

		turns_begin(&turns);
		while ((waiter = turns_next(&turns)) != NULL) {
			assert_ptr_equal(waiter, &waiters[next++]);
			turns_charge(&turns, 1, TURN_NS / 3 + 1);
		}
		assert_true(next % 3 == 0 || next == CONNECTIONS);
	}
	assert_int_equal(next, CONNECTIONS);
	turns_free(&turns);
}

static void test_a_removed_client_is_not_served_and_keeps_its_debt(void **state)
{
	struct turns turns = { 0 };
	struct waiter first = { .uid = 1 }, second = { .uid = 1 }, third = { .uid = 1 };

	(void)state;
	turns_add(&turns, &first);
	turns_add(&turns, &second);
	turns_remove(&turns, &second);
	turns_remove(&turns, &second);
	turns_begin(&turns);
	assert_ptr_equal(turns_next(&turns), &first);
	assert_null(turns_next(&turns));
	turns_charge(&turns, 1, 3 * TURN_NS);
	turns_add(&turns, &third);
	turns_begin(&turns);
	assert_null(turns_next(&turns));
	turns_begin(&turns);
	assert_null(turns_next(&turns));
	turns_begin(&turns);
	assert_ptr_equal(turns_next(&turns), &third);
	turns_free(&turns);
}

static void test_random_requests_are_all_served(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	struct turns turns = { 0 };
	struct waiter waiters[200] = { { 0 } };
	size_t waiting = 0;

	(void)state;
	print_message("seed %u\n", seed);
	for (size_t i = 0; i < 200; i++)
		waiters[i].uid = (uid_t)(i % 17);
	for (int k = 0; k < 20000; k++) {
		struct waiter *waiter = &waiters[(size_t)rand_r(&seed) % 200];

		if (waiter->waits && rand_r(&seed) % 2) {
			turns_remove(&turns, waiter);
			waiting--;
		} else if (!waiter->waits) {
			turns_add(&turns, waiter);
			waiting++;
		}
		if (rand_r(&seed) % 8 == 0) {
			turns_begin(&turns);
			while ((waiter = turns_next(&turns)) != NULL) {
				waiting--;
				turns_charge(&turns, waiter->uid, (uint64_t)rand_r(&seed) % (2 * TURN_NS));
			}
		}
	}
	for (int k = 0; k < 1000 && turns_wait(&turns); k++) {
		turns_begin(&turns);
		while (turns_next(&turns))
			waiting--;
	}
	assert_int_equal(waiting, 0);
	turns_free(&turns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_request_is_served_in_its_turn_regardless_of_other_users),
		cmocka_unit_test(test_users_share_the_processor_whatever_their_requests_cost),
		cmocka_unit_test(test_requests_of_a_user_are_served_in_the_order_in_which_they_came),
		cmocka_unit_test(test_a_removed_client_is_not_served_and_keeps_its_debt),
		cmocka_unit_test(test_random_requests_are_all_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
