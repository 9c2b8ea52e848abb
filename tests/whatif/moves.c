/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves against a naive comparison of the two lists, job by job, for random cells and changes.
 * FAIRLEAD_SEED=n begins elsewhere.
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
	struct waiting w = { .n = 0 };
	struct fl_job j;

	while (fl_get(view, FL_PENDING, w.n, &j) == 0)
		w.numbers[w.n++] = j.job_number;
	return w;
}

static size_t place_of(const struct waiting *w, uint32_t number)
{
	for (size_t k = 0; k < w->n; k++)
		if (w->numbers[k] == number)
			return k + 1;
	return 0;
}

/* How many of those that wait in both stand before it in the first, less those in the second. */
static int places_of(const struct waiting *a, const struct waiting *b, uint32_t number)
{
	int places = 0;

	for (size_t k = 0; k < a->n && a->numbers[k] != number; k++)
		places += place_of(b, a->numbers[k]) > 0;
	for (size_t k = 0; k < b->n && b->numbers[k] != number; k++)
		places -= place_of(a, b->numbers[k]) > 0;
	return places;
}

static void check_moves(const struct moves *m, const struct fl_view *before, const struct fl_view *after, uint64_t seed)
{
	struct waiting a = waiting_of(before), b = waiting_of(after);
	uint64_t up = 0, down = 0, both = 0;

	assert_int_equal(m->nbefore, a.n);
	for (size_t k = 0; k < a.n; k++) {
		int places = place_of(&b, a.numbers[k]) ? places_of(&a, &b, a.numbers[k]) : 0;

		if (m->places[k] != places || m->after[k] != place_of(&b, a.numbers[k]))
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %u moves by %d to %u, naively by %d to %zu", seed, a.numbers[k], m->places[k], m->after[k],
				 places, place_of(&b, a.numbers[k]));
		both += place_of(&b, a.numbers[k]) > 0;
		up += places > 0;
		down += places < 0;
	}
	assert_int_equal(m->jobs, both);
	assert_int_equal(m->up, up);
	assert_int_equal(m->down, down);
	assert_int_equal(m->begun, a.n - both);
	assert_int_equal(m->back, b.n - both);
}

/* The farthest come first, and nobody who is left out went farther. */
static void check_most(const struct moves *m, size_t most)
{
	assert_int_equal(m->nmost, m->up + m->down < most ? m->up + m->down : most);
	for (size_t i = 0; i < m->nmost; i++) {
		assert_int_equal(m->most[i].places, m->places[m->most[i].before - 1]);
		assert_true(i == 0 || abs(m->most[i - 1].places) >= abs(m->most[i].places));
	}
	for (size_t k = 0; most > 0 && m->nmost == most && k < m->nbefore; k++) {
		bool is_in = false;

		for (size_t i = 0; i < m->nmost; i++)
			is_in |= m->most[i].before == k + 1;
		assert_true(is_in || abs(m->places[k]) <= abs(m->most[most - 1].places));
	}
}

static void check_sums(const struct moves *m, const struct moved_sum *sums, size_t n)
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
	assert_int_equal(jobs, m->jobs);
	assert_int_equal(up, m->up);
	assert_int_equal(down, m->down);
	assert_int_equal(starts, m->starting);
	assert_int_equal(waits, m->waiting);
	assert_int_equal(places, 0);
}

/* Tasks that the run has started are in state t, and have no order that was known before. */
static bool starts_now(const struct fl_view *view, uint32_t number, uint32_t task, char *queue)
{
	struct fl_job j;

	*queue = '\0';
	for (size_t k = 0; fl_find(view, number, k, &j) == 0; k++)
		if (j.is_started && j.task == task && strchr(j.state, 't')) {
			snprintf(queue, 200, "%s", j.queue);
			return true;
		}
	return false;
}

static void check_starts(const struct moves *m, const struct fl_view *before, const struct fl_view *after)
{
	char a[200], b[200];

	for (size_t i = 0; i < m->nstarts; i++) {
		const struct moved_start *s = &m->starts[i];
		bool in_before = starts_now(before, s->job_number, s->task, a), in_after = starts_now(after, s->job_number, s->task, b);

		assert_int_equal(in_before, s->how != MOVED_STARTS);
		assert_int_equal(in_after, s->how != MOVED_WAITS);
		assert_string_equal(s->before, a);
		assert_string_equal(s->after, b);
	}
}

static void suppose_something(struct story *s, struct suppositions *list)
{
	struct event e;

	assert_int_equal(suppose_set(list, "--set", ONE_OF(s, "weight_urgency=5", "weight_ticket=0", "weight_priority=0", "weight_waiting_time=1"), NULL), 0);
	if (below(s, 2))
		assert_int_equal(suppose_slots(list, "--queue", ONE_OF(s, "all.q@ada", "all.q@bly", "fast.q@ada"), below(s, 9)), 0);
	if (below(s, 2) && is_there(s->f, 1 + below(s, 20)))
		return;
	event_init(&e, EVENT_JOB_DELETE);
	e.task.job_number = 1 + below(s, 30);
	if (is_there(s->f, e.task.job_number))
		assert_int_equal(suppose_event(list, "--job", &e), 0);
}

static void compare(struct story *s, uint64_t seed)
{
	struct suppositions list = { 0 };
	struct fl_cell *result = NULL;
	struct moves m;
	struct whatif *w;
	size_t most = below(s, 12);

	suppose_something(s, &list);
	if (whatif_open(&w, s->f->view, &s->f->error) || whatif_run(w, &list, &result, &s->f->error))
		fail_msg("%s", s->f->error.text);
	assert_int_equal(moves_find(&m, s->f->view, fl_begin(result), most), 0);
	check_moves(&m, s->f->view, fl_begin(result), seed);
	check_most(&m, most);
	check_sums(&m, m.users, m.nusers);
	check_sums(&m, m.projects, m.nprojects);
	check_starts(&m, s->f->view, fl_begin(result));
	moves_free(&m);
	fl_detach(result);
	whatif_close(w);
	suppose_nothing(&list);
}

static void test_moves_are_those_of_a_naive_comparison(void **state)
{
	uint64_t seed = seed_of();

	for (unsigned cell = 0; cell < CELLS; cell++, seed++) {
		struct story s = { *state, STORY_START(seed), 0, NOW };

		make_cell(s.f);
		for (unsigned k = 0; k < RUNS; k++) {
			go_on(&s);
			run(s.f, s.now);
			compare(&s, seed);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
	}
}

static void test_nobody_moves_against_the_run_itself(void **state)
{
	struct fixture *f = *state;
	struct targets t;
	struct moves m;

	make_cell(f);
	TELL(f, ADD "1,'owner':'ann'}");
	TELL(f, ADD "2,'owner':'bob','tasks':'1-90'}");
	run(f, NOW);
	assert_int_equal(moves_find(&m, f->view, f->view, 10), 0);
	assert_false(moves_any(&m));
	assert_int_equal(m.jobs, 1);
	moves_free(&m);
	assert_int_equal(targets_find(&t, f->view, f->view), 0);
	assert_int_equal(t.different, 0);
	assert_true(t.n > 1);
	targets_free(&t);
}

static void test_targets_of_both_runs_stand_side_by_side(void **state)
{
	struct suppositions list = { 0 };
	struct fixture *f = *state;
	struct fl_cell *result;
	struct whatif *w;
	struct targets t;
	size_t new = 0;

	make_cell(f);
	for (unsigned k = 1; k < 4; k++)
		TELL(f, ADD "%u,'owner':'ann'}", k);
	TELL(f, ADD "9,'owner':'bob'}");
	run(f, NOW);
	assert_int_equal(suppose_sharer(&list, "--user ann", SUPPOSE_USER, "ann", SUPPOSE_SHARES, 30, &f->error), 0);
	assert_int_equal(whatif_open(&w, f->view, &f->error), 0);
	assert_int_equal(whatif_run(w, &list, &result, &f->error), 0);
	assert_int_equal(targets_find(&t, f->view, fl_begin(result)), 0);
	for (size_t i = 0; i < t.n; i++) {
		new += !t.items[i].in_before;
		assert_true(i == 0 || strcmp(t.items[i - 1].name, t.items[i].name) < 0);
		if (strcmp(t.items[i].name, "/ann") == 0)
			assert_true(t.items[i].after[0] > 0.7);		/* 30 of 40 */
	}
	assert_true(t.different >= 1 && new == 0);	/* there was a copy of `default` for him */
	targets_free(&t);
	fl_detach(result);
	whatif_close(w);
	suppose_nothing(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_moves_are_those_of_a_naive_comparison),
		DISPATCH_TEST(test_nobody_moves_against_the_run_itself),
		DISPATCH_TEST(test_targets_of_both_runs_stand_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
