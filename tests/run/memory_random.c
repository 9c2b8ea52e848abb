/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory runs out at any allocation of random events and runs. An event without memory is refused
 * and changes nothing; a run without memory can be repeated. The repeated run is complete: a
 * detached scheduler computes the same results from it. No memory leaks. SEED=n or FAIRLEAD_SEED=n
 * sets the seed.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/run/story.h"
#include "tests/mirror/census.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

enum { RUNS = 40, FAILED_RUNS = 6, ALLOCATIONS_MOST = 400 };

static struct { bool on; unsigned long events, runs; } scarce;

int __wrap_mirror_apply(struct mirror *mirror, const struct event *event, struct error *error);
int __real_mirror_apply(struct mirror *mirror, const struct event *event, struct error *error);

/* Repeat an event with each of its allocations failing, until none fails. */
int __wrap_mirror_apply(struct mirror *mirror, const struct event *event, struct error *error)
{
	for (long n = 0;; n++) {
		struct census before = census_take(mirror), after;
		char what[60];
		bool failed;
		int rc;

		left = scarce.on ? n : -1;
		rc = __real_mirror_apply(mirror, event, error);
		failed = scarce.on && left < 0;
		left = -1;
		if (!failed || rc == 0)
			return rc;
		if (rc != -ENOMEM)
			fail_msg("event %d, allocation %ld: %d %s", event->type, n, rc, error->text);
		scarce.events++;
		after = census_take(mirror);
		snprintf(what, sizeof(what), "event %d, allocation %ld", event->type, n);
		census_check(what, &before, &after);
	}
}

/* Repeat a run with allocations at random places failing. */
static void run_scarce(struct story *story)
{
	struct fixture *fixture = story->f;

	for (int k = 0; k < FAILED_RUNS; k++) {
		int rc;

		left = (long)below(story, ALLOCATIONS_MOST);
		rc = sched_run(fixture->sched, story->now, 1, &fixture->error);
		left = -1;
		if (rc != 0 && rc != -ENOMEM)
			fail_msg("a run without memory: %s", fixture->error.text);
		scarce.runs += rc != 0;
	}
	run(fixture, story->now);
}

static void report_advance(struct story *story)
{
	uint32_t number = 900 + below(story, 2);

	if (below(story, 3) == 0)
		tell(story->f, "{'event':'advance_reservation_delete','number':%u}", number);	/* may be unknown */
	else
		TELL(story->f,
		     "{'event':'advance_reservation','owner':'ann','number':%u,'start_time':%" PRId64
		     ",'end_time':%" PRId64 ",'granted':[{'queue':'all.q@%s','slots':%u}]}",
		     number, story->now + 100, story->now + 900, ONE_OF(story, "ada", "bly"), 1 + below(story, 2));
}

static void show_orders_only(FILE *out, const struct fl_view *view)
{
	(void)out;
	(void)view;
}

static void one_life(uint64_t seed, bool with_failures)
{
	struct fixture *fixture;
	struct story story = { NULL, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

	assert_int_equal(dispatch_setup((void **)&fixture), 0);
	story.f = fixture;
	make_cell(fixture);
	/* Otherwise a start without memory for it leaves the place of the PE unknown. */
	TELL(fixture, "{'event':'parallel_environment','pe':'mpi','place':1}");
	for (unsigned k = 0; k < RUNS; k++) {
		char *before, *again;
		uint64_t after;

		scarce.on = with_failures;
		go_on(&story);
		report_advance(&story);
		scarce.on = false;
		if (with_failures)
			run_scarce(&story);
		after = sched_orders(fixture->sched)->last;
		story.now += 10;
		run(fixture, story.now);
		before = shown(fixture->view, show_orders_only, sched_orders(fixture->sched), after);
		again = shown_again(fixture, show_orders_only, after, NULL);
		check_same(before, again, seed, k);
		free(before);
		free(again);
	}
	assert_int_equal(teardown((void **)&fixture), 0);
}

static void test_events_and_runs_without_memory_leave_a_complete_state(void **state)
{
	const char *given = getenv("FAIRLEAD_SEED") ? getenv("FAIRLEAD_SEED") : getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	long before, kept[3];		/* the first round fills the libraries' own caches */

	(void)state;
	print_message("FAIRLEAD_SEED=%" PRIu64 "\n", seed);
	for (int round = 0; round < 3; round++) {
		before = alive;
		one_life(seed, round != 1);
		kept[round] = alive - before;
	}
	print_message("%lu events and %lu runs without memory\n", scarce.events, scarce.runs);
	assert_true(scarce.events > 100);
	assert_true(scarce.runs > 20);
	assert_int_equal(kept[2], kept[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_and_runs_without_memory_leave_a_complete_state),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
