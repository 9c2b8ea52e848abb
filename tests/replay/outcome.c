/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a replay, against what a person would count from the same starts and ends. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sched/replay/outcome/answers.h"
#include "sched/trace/trace.h"

#define T0 1700000000

struct told {			/* a job, times from T0; start or end < 0: it has none */
	const char *user, *project;
	int64_t submit, start, end;
	uint32_t slots;
};

static struct trace_job trace_of(const struct told *t, uint64_t index)
{
	return (struct trace_job){ .line = index + 1, .number = (uint32_t)index + 100, .submit = T0 + t->submit, .user = t->user,
				   .project = t->project, .slots = t->slots, .run_s = t->end >= 0 && t->start >= 0 ? t->end - t->start : 100 };
}

static void tell_one(struct outcome *o, uint64_t index, const struct told *t)
{
	const struct replay_watch *w = outcome_watch(o);
	struct trace_job job = trace_of(t, index);
	struct granted granted = { .queue = "all.q@node1", .slots = t->slots };
	struct replay_task task = { .index = index, .job = &job, .submit = job.submit, .slots = t->slots };

	w->submitted(w->context, &task);
	if (t->start < 0)
		return;
	task.start = T0 + t->start;
	task.granted = (struct grants){ &granted, 1 };
	w->started(w->context, &task);
	if (t->end >= 0)
		w->ended(w->context, &task, T0 + t->end);
}

static void tell_run(struct outcome *o, int64_t now, uint64_t slots)
{
	const struct replay_watch *w = outcome_watch(o);

	w->ran(w->context, &(struct replay_run){ .now = T0 + now, .slots = slots });
}

static struct outcome *told(const struct told *jobs, size_t n, uint64_t slots, int64_t until)
{
	struct outcome *o;

	assert_int_equal(outcome_create(&o, "fair"), 0);
	tell_run(o, 0, slots);
	for (size_t k = 0; k < n; k++)
		tell_one(o, k, &jobs[k]);
	tell_run(o, until, slots);
	assert_int_equal(outcome_error(o), 0);
	return o;
}

#define N(JOBS) (sizeof(JOBS) / sizeof(*(JOBS)))

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-12 * (1.0 + fabs(b)))
		fail_msg("%.17g, and %.17g was due", a, b);
}

static void test_quantiles_are_values_by_the_nearest_rank(void **unused)
{
	double values[100];
	struct distribution d;

	(void)unused;
	for (size_t k = 0; k < 100; k++)
		values[k] = (double)k + 1;
	distribution_of(&d, values, 100);
	near(d.median, 50);
	near(d.p95, 95);
	near(d.p25, 25);
	near(d.mean, 50.5);
	distribution_of(&d, values, 3);
	near(d.median, 2);
	near(d.p95, 3);
	near(d.p5, 1);
	distribution_of(&d, values, 0);
	near(d.most, 0);
}

static void test_waiting_and_slowdown_are_those_of_jobs_that_started(void **unused)
{
	static const struct told jobs[] = {
		{ "ann", NULL, 0, 0, 100, 1 }, { "ann", NULL, 0, 100, 102, 1 }, { "bob", NULL, 50, 150, 250, 1 }, { "bob", NULL, 60, -1, -1, 1 },
	};
	struct outcome *o = told(jobs, N(jobs), 2, 300);
	struct answers a;

	(void)unused;
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(a.jobs, 4);
	assert_int_equal(a.started, 3);
	assert_int_equal(a.waiting, 1);
	near(a.wait.mean, 200.0 / 3);
	near(a.wait.median, 100);
	near(a.slowdown.least, 1);
	near(a.slowdown.median, 2);
	near(a.slowdown.most, 10.2);	/* (100 + 2) / 10: two seconds count as ten */
	assert_int_equal(a.longest[0].job, 3);
	assert_int_equal(a.longest[0].wait_s, 240);
	assert_false(a.longest[0].started);
	answers_free(&a);
	outcome_destroy(o);
}

static void test_utilisation_is_of_the_slots_there_were(void **unused)
{
	static const struct told jobs[] = { { "ann", NULL, 0, 0, 100, 2 }, { "bob", NULL, 0, 100, 200, 1 } };
	struct outcome *o;
	struct answers a;

	(void)unused;
	assert_int_equal(outcome_create(&o, "fair"), 0);
	tell_run(o, 0, 2);
	tell_run(o, 50, 4);
	tell_one(o, 0, &jobs[0]);
	tell_one(o, 1, &jobs[1]);
	assert_int_equal(answers_make(&a, o), 0);
	near(a.whole.slots, (50 * 2 + 150 * 4) / 200.0);
	near(a.whole.used, 300.0 / 700);
	answers_free(&a);
	outcome_destroy(o);
}

static void test_the_ends_of_the_trace_can_be_left_out(void **unused)
{
	static const struct told jobs[] = { { "ann", NULL, 0, 0, 5, 1 }, { "ann", NULL, 50, 50, 60, 1 }, { "ann", NULL, 100, 100, 900, 1 } };
	struct outcome *o = told(jobs, N(jobs), 1, 900);
	struct answers a;

	(void)unused;
	assert_int_equal(answers_make(&a, o), 0);
	near(a.whole.used, 815.0 / 900);
	assert_int_equal(a.inner.begin, T0 + 5);
	assert_int_equal(a.inner.end, T0 + 95);
	near(a.inner.used, 10.0 / 90);
	answers_free(&a);
	outcome_destroy(o);
}

static void test_what_a_vacated_job_ran_is_used_and_lost(void **unused)
{
	static const struct told jobs[] = { { "ann", NULL, 0, 10, -1, 2 } };
	struct outcome *o = told(jobs, 1, 2, 20);
	const struct replay_watch *w = outcome_watch(o);
	struct trace_job job = trace_of(&jobs[0], 0);
	struct replay_task task = { .job = &job, .submit = T0, .start = T0 + 10, .slots = 2, .how = REPLAY_END_VACATED };
	struct answers a;

	(void)unused;
	w->ended(w->context, &task, T0 + 40);
	task.start = T0 + 70;
	w->started(w->context, &task);
	task.how = REPLAY_END_DONE;
	w->ended(w->context, &task, T0 + 100);
	assert_int_equal(answers_make(&a, o), 0);
	near(a.lost_slot_s, 60);
	near(a.by[BY_USER].items[0].slot_s, 120);
	near(a.wait.most, 10);
	assert_int_equal(a.ended, 1);
	answers_free(&a);
	outcome_destroy(o);
}

static void test_users_come_by_what_they_ran(void **unused)
{
	static const struct told jobs[] = { { "ann", "atlas", 0, 0, 10, 1 }, { "bob", "atlas", 0, 10, 40, 1 }, { "eve", NULL, 0, 40, 50, 6 } };
	struct outcome *o = told(jobs, N(jobs), 6, 50);
	struct answers a;

	(void)unused;
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(a.by[BY_USER].n, 3);
	assert_string_equal(a.by[BY_USER].items[0].name, "eve");
	near(a.by[BY_USER].items[0].received, 0.6);
	assert_string_equal(a.by[BY_USER].items[2].name, "ann");
	assert_int_equal(a.by[BY_PROJECT].n, 2);
	assert_string_equal(a.by[BY_PROJECT].items[0].name, "");
	assert_int_equal(a.by[BY_PROJECT].items[1].jobs, 2);
	near(a.by[BY_PROJECT].items[1].wait.most, 10);
	assert_int_equal(a.by[BY_SIZE].n, 2);
	assert_string_equal(a.by[BY_SIZE].items[1].name, "5-16 slots");
	answers_free(&a);
	outcome_destroy(o);
}

static void test_who_starts_behind_one_submitted_later_is_overtaken(void **unused)
{
	static const struct told jobs[] = {
		{ "ann", NULL, 0, 100, 200, 1 }, { "bob", NULL, 0, 50, 60, 1 }, { "bob", NULL, 10, 60, 70, 1 }, { "eve", NULL, 20, 100, 110, 1 },
		{ "eve", NULL, 30, -1, -1, 1 },	 { "eve", NULL, 40, 300, 310, 1 },
	};
	struct outcome *o = told(jobs, N(jobs), 6, 400);
	struct answers a;

	(void)unused;
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(a.overtaken, 2);	/* the first by the third; the last but one */
	answers_free(&a);
	outcome_destroy(o);
}

static void test_jobs_starve_by_the_median_of_their_class(void **unused)
{
	struct told jobs[12];
	struct outcome *o;
	struct answers a;

	(void)unused;
	for (size_t k = 0; k < 10; k++)
		jobs[k] = (struct told){ "ann", NULL, 0, 400, 500, 1 };
	/* more than ten times 400, and an hour */
	jobs[10] = (struct told){ "bob", NULL, 0, 4001, 4101, 1 };
	/* all of its class wait as long */
	jobs[11] = (struct told){ "bob", NULL, 0, 9000, 9100, 64 };
	o = told(jobs, N(jobs), 64, 9100);
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(a.starving, 1);
	assert_int_equal(a.nlongest, LONGEST_WAITS);
	assert_int_equal(a.longest[0].job, 11);
	assert_int_equal(a.longest[1].job, 10);
	assert_int_equal(a.longest[2].job, 0);
	answers_free(&a);
	outcome_destroy(o);
}

static void test_what_the_trace_has_recorded_is_an_outcome_of_its_own(void **unused)
{
	static const struct told jobs[] = { { "ann", NULL, 0, 10, 110, 1 }, { "bob", NULL, 5, 110, 210, 1 } };
	struct outcome *o, *recorded;
	struct answers a, b;
	struct distance d;

	(void)unused;
	assert_int_equal(outcome_create(&o, "fair"), 0);
	tell_run(o, 0, 1);
	for (size_t k = 0; k < N(jobs); k++) {
		const struct replay_watch *w = outcome_watch(o);
		struct trace_job job = trace_of(&jobs[k], k);
		struct replay_task task = { .index = k, .job = &job, .submit = job.submit, .slots = 1 };

		job.start = k == 0 ? T0 + 40 : T0 + 105;
		w->submitted(w->context, &task);
		task.start = T0 + jobs[k].start;
		w->started(w->context, &task);
		w->ended(w->context, &task, T0 + jobs[k].end);
	}
	assert_int_equal(outcome_recorded(&recorded, o, "as recorded"), 0);
	assert_int_equal(answers_make(&a, recorded), 0);
	assert_int_equal(answers_make(&b, o), 0);
	near(a.wait.mean, 70);
	assert_int_equal(a.whole.end, T0 + 205);
	assert_int_equal(distance_between(&d, &a, &b), 0);
	assert_int_equal(d.jobs, 2);
	near(d.earlier, 0.5);
	near(d.mean_s, -12.5);
	near(d.mean_absolute_s, 17.5);
	answers_free(&a);
	answers_free(&b);
	outcome_destroy(recorded);
	outcome_destroy(o);
}

static void test_nothing_is_recorded_where_the_trace_knows_no_starts(void **unused)
{
	static const struct told jobs[] = { { "ann", NULL, 0, 10, 110, 1 } };
	struct outcome *o = told(jobs, 1, 1, 110), *recorded;

	(void)unused;
	assert_int_equal(outcome_recorded(&recorded, o, "as recorded"), -ENODATA);
	assert_null(recorded);
	outcome_destroy(o);
}

static void test_who_receives_later_is_apart_although_the_sum_is_equal(void **unused)
{
	static const struct told one[] = { { "ann", NULL, 0, 0, 100, 1 }, { "bob", NULL, 0, 100, 200, 1 } };
	static const struct told other[] = { { "ann", NULL, 0, 100, 200, 1 }, { "bob", NULL, 0, 0, 100, 1 } };
	struct outcome *o = told(one, 2, 1, 200), *p = told(other, 2, 1, 200);
	struct answers a, b;
	struct distance d;

	(void)unused;
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(answers_make(&b, p), 0);
	assert_int_equal(distance_between(&d, &a, &b), 0);
	near(d.users, 1.0);
	near(d.projects, 0.0);		/* nobody has one */
	answers_free(&a);
	answers_free(&b);
	outcome_destroy(o);
	outcome_destroy(p);
}

static void test_shares_are_as_far_apart_as_what_would_have_to_move(void **unused)
{
	static const struct told one[] = { { "ann", NULL, 0, 0, 60, 1 }, { "bob", NULL, 0, 0, 40, 1 } };
	static const struct told other[] = { { "ann", NULL, 0, 0, 60, 1 }, { "eve", NULL, 0, 0, 40, 1 } };
	struct outcome *o = told(one, 2, 2, 60), *p = told(other, 2, 2, 60);
	struct answers a, b;
	struct distance d;

	(void)unused;
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(answers_make(&b, p), 0);
	assert_int_equal(distance_between(&d, &a, &b), 0);
	near(d.users, 0.4);
	near(d.same, 1.0);
	answers_free(&a);
	answers_free(&b);
	outcome_destroy(o);
	outcome_destroy(p);
}

static void test_a_refused_job_is_counted_and_no_job(void **unused)
{
	struct outcome *o;
	struct outcome_counts counts;
	struct answers a;
	struct trace_job job = { .line = 17, .user = "ann" };
	const struct replay_watch *w;

	(void)unused;
	assert_int_equal(outcome_create(&o, "fair"), 0);
	w = outcome_watch(o);
	w->refused(w->context, &(struct replay_task){ .index = 0, .job = &job }, "no queue has 100 slots");
	assert_int_equal(answers_make(&a, o), -ENODATA);
	tell_one(o, 1, &(struct told){ "ann", NULL, 0, 0, 10, 1 });
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(a.jobs, 1);
	outcome_counts(o, &counts);
	assert_int_equal(counts.refused, 1);
	assert_int_equal(counts.refused_line, 17);
	assert_string_equal(counts.refused_why, "no queue has 100 slots");
	answers_free(&a);
	outcome_destroy(o);
}

static void test_an_axis_has_round_steps_and_reaches_the_end(void **unused)
{
	struct axis a;

	(void)unused;
	assert_int_equal(axis_make(&a, T0, T0 + 22000000, AXIS_STEPS), 0);
	assert_int_equal(a.step, 43200);
	assert_true(a.n <= AXIS_STEPS && a.bounds[a.n] >= T0 + 22000000 && a.bounds[a.n - 1] < T0 + 22000000);
	axis_free(&a);
	assert_int_equal(axis_make(&a, T0, T0, AXIS_STEPS), 0);
	assert_int_equal(a.n, 1);
	axis_free(&a);
	assert_int_equal(axis_make(&a, 0, INT64_C(1) << 60, AXIS_STEPS), 0);
	assert_true(a.n <= AXIS_STEPS);
	axis_free(&a);
}

/* Against counting second by second */

#define SECONDS 400
#define JOBS 60

static void check_series(const struct series *s, const struct axis *axis, const double *each)
{
	for (size_t k = 0; k < axis->n; k++) {
		double sum = 0.0;

		for (int64_t t = axis->bounds[k]; t < axis->bounds[k + 1] && t < T0 + SECONDS; t++)
			sum += each[t - T0];
		near(s->values[k], sum);
	}
}

static void test_pictures_are_what_is_counted_second_by_second(void **unused)
{
	unsigned seed = (unsigned)time(NULL);
	struct told jobs[JOBS];
	double used[SECONDS] = { 0 }, ann[SECONDS] = { 0 }, waiting[SECONDS] = { 0 };
	struct series s, slots;
	struct axis axis;
	struct answers a;
	struct outcome *o;

	(void)unused;
	printf("seed %u\n", seed);
	srand(seed);
	for (size_t k = 0; k < JOBS; k++) {
		int64_t submit = rand() % 100, start = submit + rand() % 100, end = k == 0 ? SECONDS : start + rand() % 200;

		jobs[k] = (struct told){ rand() % 2 ? "ann" : "bob", NULL, submit, start, end, 1 + (uint32_t)rand() % 9 };
		for (int64_t t = start; t < end; t++)
			used[t] += jobs[k].slots;
		for (int64_t t = start; t < end && !strcmp(jobs[k].user, "ann"); t++)
			ann[t] += jobs[k].slots;
		for (int64_t t = submit; t < start; t++)
			waiting[t] += 1;
	}
	o = told(jobs, JOBS, 1000, SECONDS);
	assert_int_equal(answers_make(&a, o), 0);
	assert_int_equal(axis_make(&axis, T0, T0 + SECONDS, 30), 0);
	assert_int_equal(answers_used(&s, &a, &axis), 0);
	check_series(&s, &axis, used);
	series_free(&s);
	assert_int_equal(answers_received(&s, &a, &axis, BY_USER, outcome_find(o, OUTCOME_USER, "ann")), 0);
	check_series(&s, &axis, ann);
	series_free(&s);
	assert_int_equal(answers_waiting(&s, &slots, &a, &axis), 0);
	check_series(&s, &axis, waiting);
	series_free(&s);
	series_free(&slots);
	axis_free(&axis);
	answers_free(&a);
	outcome_destroy(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles_are_values_by_the_nearest_rank),
		cmocka_unit_test(test_waiting_and_slowdown_are_those_of_jobs_that_started),
		cmocka_unit_test(test_utilisation_is_of_the_slots_there_were),
		cmocka_unit_test(test_the_ends_of_the_trace_can_be_left_out),
		cmocka_unit_test(test_what_a_vacated_job_ran_is_used_and_lost),
		cmocka_unit_test(test_users_come_by_what_they_ran),
		cmocka_unit_test(test_who_starts_behind_one_submitted_later_is_overtaken),
		cmocka_unit_test(test_jobs_starve_by_the_median_of_their_class),
		cmocka_unit_test(test_what_the_trace_has_recorded_is_an_outcome_of_its_own),
		cmocka_unit_test(test_nothing_is_recorded_where_the_trace_knows_no_starts),
		cmocka_unit_test(test_who_receives_later_is_apart_although_the_sum_is_equal),
		cmocka_unit_test(test_shares_are_as_far_apart_as_what_would_have_to_move),
		cmocka_unit_test(test_a_refused_job_is_counted_and_no_job),
		cmocka_unit_test(test_an_axis_has_round_steps_and_reaches_the_end),
		cmocka_unit_test(test_pictures_are_what_is_counted_second_by_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
