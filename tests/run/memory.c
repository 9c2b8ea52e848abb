/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory runs out at any single allocation while a published run is rebuilt and computed again, or
 * the segment is too small for its results. The attempt fails with -ENOMEM and leaks nothing. A run
 * can be repeated with memory and gives as many orders. Its decisions can differ, because the
 * failed run has already moved queue instances in their list. Random events; FAIRLEAD_SEED=n sets
 * the seed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/run/story.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

enum { EVENTS = 4, SEGMENT_BYTES = 64 << 20, STEP_BYTES = 131072 };

static void show_nothing(FILE *out, const struct fl_view *view)
{
	(void)out;
	(void)view;
}

/* Publish a run of a random cell. Return its results. */
static char *publish(struct fixture *fixture, struct fl_run *published)
{
	const char *given = getenv("FAIRLEAD_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	struct story story = { fixture, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

	make_cell(fixture);
	for (unsigned k = 0; k < EVENTS; k++) {
		uint64_t after = sched_orders(fixture->sched)->last;

		go_on(&story);
		run(fixture, story.now);
		if (k + 1 == EVENTS) {
			fl_run(fixture->view, published);
			return shown(fixture->view, show_nothing, sched_orders(fixture->sched), after);
		}
	}
	return NULL;
}

static char *results_shown(struct sched *sched)
{
	struct fl_cell *reader;
	char *text;

	assert_int_equal(fl_attach_descriptor(&reader, sched_descriptor(sched)), 0);
	text = shown(fl_begin(reader), show_nothing, sched_orders(sched), 0);
	assert_int_equal(fl_end(reader), 0);
	fl_detach(reader);
	return text;
}

/* Return the number of start orders in the results of a run. */
static unsigned starts_in(const char *text)
{
	unsigned n = 0;

	while ((text = strstr(text, "\"order\":\"start\"")) != NULL) {
		text++;
		n++;
	}
	return n;
}

static int detach(struct sched **sched, struct fixture *fixture, uint64_t bytes)
{
	const struct detach_options options = { .segment_bytes = bytes };
	int rc = sched_detach(sched, &fixture->view->view, &options, &fixture->error);

	if (rc == 0)
		sched_orders(*sched)->limits = order_line_limits;
	return rc;
}

static void test_a_rebuilt_run_is_the_same_after_each_failed_allocation(void **state)
{
	struct fixture *fixture = *state;
	struct fl_run published;
	char *expected = publish(fixture, &published);
	long allocations = -1, of_detaching = 0, before = alive;
	bool failed;

	assert_true(starts_in(expected) > 0);
	do {
		struct sched *sched;
		char *again;
		int rc, run_rc;

		left = ++allocations;
		rc = detach(&sched, fixture, SEGMENT_BYTES);
		run_rc = rc ? 0 : sched_run(sched, published.now, published.event, &fixture->error);
		failed = left < 0;
		left = -1;
		if ((rc && rc != -ENOMEM && !(rc == -EINVAL && strstr(fixture->error.text, "out of memory"))) ||
		    (run_rc && run_rc != -ENOMEM))
			fail_msg("allocation %ld: %d %d %s", allocations, rc, run_rc, fixture->error.text);
		if (rc) {
			of_detaching = allocations;
			assert_null(sched);
			assert_int_equal(alive, before);
			continue;
		}
		if (run_rc && sched_run(sched, published.now, published.event, &fixture->error))
			fail_msg("allocation %ld: repeated: %s", allocations, fixture->error.text);
		again = results_shown(sched);
		if (run_rc)
			assert_int_equal(starts_in(again), starts_in(expected));
		else
			check_same(expected, again, (uint64_t)allocations, 0);
		free(again);
		sched_destroy(sched);
		assert_int_equal(alive, before);
	} while (failed);
	print_message("%ld allocations to detach, %ld in all\n", of_detaching, allocations);
	assert_true(of_detaching > 100);
	assert_true(allocations > of_detaching + 20);
	free(expected);
}

/* The sizes grow until the run fits. Each failed run can be repeated, and fails again. */
static void test_a_run_is_refused_while_the_segment_is_too_small(void **state)
{
	struct fixture *fixture = *state;
	struct fl_run published;
	char *expected = publish(fixture, &published), *again;
	unsigned detached = 0, refused = 0;
	struct sched *sched;
	int rc;

	for (uint64_t bytes = STEP_BYTES;; bytes += STEP_BYTES) {
		rc = detach(&sched, fixture, bytes);
		if (rc && rc != -ENOMEM && rc != -EFBIG)
			fail_msg("%" PRIu64 " bytes: %d %s", bytes, rc, fixture->error.text);
		refused += rc != 0;
		if (rc)
			continue;
		rc = sched_run(sched, published.now, published.event, &fixture->error);
		if (rc == 0)
			break;
		detached++;
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(sched_run(sched, published.now, published.event, &fixture->error), -ENOMEM);
		sched_destroy(sched);
	}
	again = results_shown(sched);
	check_same(expected, again, 0, 0);
	print_message("%u sizes too small to detach, %u too small to publish\n", refused, detached);
	assert_true(detached > 10);
	free(again);
	free(expected);
	sched_destroy(sched);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_rebuilt_run_is_the_same_after_each_failed_allocation),
		DISPATCH_TEST(test_a_run_is_refused_while_the_segment_is_too_small),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
