/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves compared with a naive comparison of the two lists, job by job, for random cells and
 * changes. FAIRLEAD_SEED=n sets the seed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/whatif/moves.h"
#include "sched/whatif/targets.h"
#include "tests/run/story.h"
#include "tests/whatif/proof.h"

enum { CELLS = 6, RUNS = 10, JOBS_MOST = 400 };

/* Naively */

struct waiting { uint32_t numbers[JOBS_MOST]; size_t n; };

static struct waiting waiting_of(const struct fl_view *view)
{
	struct waiting waiting = { .n = 0 };
	struct fl_job job;

	while (fl_get(view, FL_PENDING, waiting.n, &job) == 0)
		waiting.numbers[waiting.n++] = job.job_number;
	return waiting;
}

static size_t place_of(const struct waiting *waiting, uint32_t number)
{
	for (size_t k = 0; k < waiting->n; k++)
		if (waiting->numbers[k] == number)
			return k + 1;
	return 0;
}

/*
 * Return how many jobs pending in both lists are before it in the first, minus those in the second.
 */
static int places_of(const struct waiting *a, const struct waiting *b, uint32_t number)
{
	int places = 0;

	for (size_t k = 0; k < a->n && a->numbers[k] != number; k++)
		places += place_of(b, a->numbers[k]) > 0;
	for (size_t k = 0; k < b->n && b->numbers[k] != number; k++)
		places -= place_of(a, b->numbers[k]) > 0;
	return places;
}

static void check_moves(const struct moves *moves, const struct fl_view *before, const struct fl_view *after,
			uint64_t seed)
{
	struct waiting a = waiting_of(before), b = waiting_of(after);
	uint64_t up = 0, down = 0, both = 0;

	assert_int_equal(moves->nbefore, a.n);
	for (size_t k = 0; k < a.n; k++) {
		int places = place_of(&b, a.numbers[k]) ? places_of(&a, &b, a.numbers[k]) : 0;

		if (moves->places[k] != places || moves->after[k] != place_of(&b, a.numbers[k]))
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %u moves by %d to %u, naively by %d to %zu", seed,
				 a.numbers[k], moves->places[k], moves->after[k], places, place_of(&b, a.numbers[k]));
		both += place_of(&b, a.numbers[k]) > 0;
		up += places > 0;
		down += places < 0;
	}
	assert_int_equal(moves->jobs, both);
	assert_int_equal(moves->up, up);
	assert_int_equal(moves->down, down);
	assert_int_equal(moves->begun, a.n - both);
	assert_int_equal(moves->back, b.n - both);
}

/* Check that the longest moves come first and that no omitted job moved farther. */
static void check_most(const struct moves *moves, size_t most)
{
	assert_int_equal(moves->nmost, moves->up + moves->down < most ? moves->up + moves->down : most);
	for (size_t i = 0; i < moves->nmost; i++) {
		assert_int_equal(moves->most[i].places, moves->places[moves->most[i].before - 1]);
		assert_true(i == 0 || abs(moves->most[i - 1].places) >= abs(moves->most[i].places));
	}
	for (size_t k = 0; most > 0 && moves->nmost == most && k < moves->nbefore; k++) {
		bool is_in = false;

		for (size_t i = 0; i < moves->nmost; i++)
			is_in |= moves->most[i].before == k + 1;
		assert_true(is_in || abs(moves->places[k]) <= abs(moves->most[most - 1].places));
	}
}

static void check_sums(const struct moves *moves, const struct moved_sum *sums, size_t n)
{
	uint64_t jobs = 0, up = 0, down = 0, starts = 0, waits = 0;
	int64_t places = 0;

	for (size_t i = 0; i < n; i++) {
		jobs += sums[i].jobs;
		up += sums[i].up;
		down += sums[i].down;
		starts += sums[i].starts;
		waits += sums[i].waits;
		places += sums[i].places;
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(sums[i].name, sums[k].name);
	}
	assert_int_equal(jobs, moves->jobs);
	assert_int_equal(up, moves->up);
	assert_int_equal(down, moves->down);
	assert_int_equal(starts, moves->starting);
	assert_int_equal(waits, moves->waiting);
	assert_int_equal(places, 0);
}

/* Return whether the run has started the task: it is in state t, and had no order before. */
static bool starts_now(const struct fl_view *view, uint32_t number, uint32_t task, char *queue)
{
	struct fl_job job;

	*queue = '\0';
	for (size_t k = 0; fl_find(view, number, k, &job) == 0; k++)
		if (job.is_started && job.task == task && strchr(job.state, 't')) {
			snprintf(queue, 200, "%s", job.queue);
			return true;
		}
	return false;
}

static void check_starts(const struct moves *moves, const struct fl_view *before, const struct fl_view *after)
{
	char a[200], b[200];

	for (size_t i = 0; i < moves->nstarts; i++) {
		const struct moved_start *start = &moves->starts[i];
		bool in_before = starts_now(before, start->job_number, start->task, a),
		     in_after = starts_now(after, start->job_number, start->task, b);

		assert_int_equal(in_before, start->how != MOVED_STARTS);
		assert_int_equal(in_after, start->how != MOVED_WAITS);
		assert_string_equal(start->before, a);
		assert_string_equal(start->after, b);
	}
}

static void suppose_something(struct story *story, struct suppositions *list)
{
	struct event event;

	assert_int_equal(suppose_set(list, "--set",
				     ONE_OF(story, "weight_urgency=5", "weight_ticket=0", "weight_priority=0",
					    "weight_waiting_time=1"),
				     NULL),
			 0);
	if (below(story, 2))
		assert_int_equal(suppose_slots(list, "--queue", ONE_OF(story, "all.q@ada", "all.q@bly", "fast.q@ada"),
					       below(story, 9)),
				 0);
	if (below(story, 2) && is_there(story->f, 1 + below(story, 20)))
		return;
	event_init(&event, EVENT_JOB_DELETE);
	event.task.job_number = 1 + below(story, 30);
	if (is_there(story->f, event.task.job_number))
		assert_int_equal(suppose_event(list, "--job", &event), 0);
}

static void compare(struct story *story, uint64_t seed)
{
	struct suppositions list = { 0 };
	struct fl_cell *result = NULL;
	struct moves moves;
	struct whatif *whatif;
	size_t most = below(story, 12);

	suppose_something(story, &list);
	if (whatif_open(&whatif, story->f->view, &story->f->error) ||
	    whatif_run(whatif, &list, &result, &story->f->error))
		fail_msg("%s", story->f->error.text);
	assert_int_equal(moves_find(&moves, story->f->view, fl_begin(result), most), 0);
	check_moves(&moves, story->f->view, fl_begin(result), seed);
	check_most(&moves, most);
	check_sums(&moves, moves.users, moves.nusers);
	check_sums(&moves, moves.projects, moves.nprojects);
	check_starts(&moves, story->f->view, fl_begin(result));
	moves_free(&moves);
	fl_detach(result);
	whatif_close(whatif);
	suppose_nothing(&list);
}

static void test_moves_equal_those_of_a_naive_comparison(void **state)
{
	uint64_t seed = seed_of();

	for (unsigned cell = 0; cell < CELLS; cell++, seed++) {
		struct story story = { *state, STORY_START(seed), 0, NOW };

		make_cell(story.f);
		for (unsigned k = 0; k < RUNS; k++) {
			go_on(&story);
			run(story.f, story.now);
			compare(&story, seed);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
	}
}

static void test_a_run_compared_with_itself_has_no_moves(void **state)
{
	struct fixture *fixture = *state;
	struct targets targets;
	struct moves moves;

	make_cell(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'bob','tasks':'1-90'}");
	run(fixture, NOW);
	assert_int_equal(moves_find(&moves, fixture->view, fixture->view, 10), 0);
	assert_false(moves_any(&moves));
	assert_int_equal(moves.jobs, 1);
	moves_free(&moves);
	assert_int_equal(targets_find(&targets, fixture->view, fixture->view), 0);
	assert_int_equal(targets.different, 0);
	assert_true(targets.n > 1);
	targets_free(&targets);
}

static void test_targets_of_both_runs_are_shown_side_by_side(void **state)
{
	struct suppositions list = { 0 };
	struct fixture *fixture = *state;
	struct fl_cell *result;
	struct whatif *whatif;
	struct targets targets;
	size_t new = 0;

	make_cell(fixture);
	for (unsigned k = 1; k < 4; k++)
		TELL(fixture, ADD "%u,'owner':'ann'}", k);
	TELL(fixture, ADD "9,'owner':'bob'}");
	run(fixture, NOW);
	assert_int_equal(suppose_sharer(&list, "--user ann", SUPPOSE_USER, "ann", SUPPOSE_SHARES, 30, &fixture->error),
			 0);
	assert_int_equal(whatif_open(&whatif, fixture->view, &fixture->error), 0);
	assert_int_equal(whatif_run(whatif, &list, &result, &fixture->error), 0);
	assert_int_equal(targets_find(&targets, fixture->view, fl_begin(result)), 0);
	for (size_t i = 0; i < targets.n; i++) {
		new += !targets.items[i].in_before;
		assert_true(i == 0 || strcmp(targets.items[i - 1].name, targets.items[i].name) < 0);
		if (strcmp(targets.items[i].name, "/ann") == 0)
			assert_true(targets.items[i].after[0] > 0.7);		/* 30 of 40 */
	}
	assert_true(targets.different >= 1 && new == 0);	/* the user has a copy of `default` */
	targets_free(&targets);
	fl_detach(result);
	whatif_close(whatif);
	suppose_nothing(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_moves_equal_those_of_a_naive_comparison),
		DISPATCH_TEST(test_a_run_compared_with_itself_has_no_moves),
		DISPATCH_TEST(test_targets_of_both_runs_are_shown_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
