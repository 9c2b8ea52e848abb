/* SPDX-License-Identifier: Apache-2.0 */
/* Figures about a replay, compared with a manual count of the same starts and ends. */
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

struct reported {			/* a job, times from T0; start or end < 0: none */
	const char *user, *project;
	int64_t submit, start, end;
	uint32_t slots;
};

static struct trace_job trace_of(const struct reported *reported, uint64_t index)
{
	return (struct trace_job){ .line = index + 1,
				   .number = (uint32_t)index + 100,
				   .submit = T0 + reported->submit,
				   .user = reported->user,
				   .project = reported->project,
				   .slots = reported->slots,
				   .run_s = reported->end >= 0 && reported->start >= 0 ? reported->end - reported->start
										       : 100 };
}

static void report_one(struct outcome *outcome, uint64_t index, const struct reported *reported)
{
	const struct replay_watch *watch = outcome_watch(outcome);
	struct trace_job job = trace_of(reported, index);
	struct granted granted = { .queue = "all.q@node1", .slots = reported->slots };
	struct replay_task task = { .index = index, .job = &job, .submit = job.submit, .slots = reported->slots };

	watch->submitted(watch->context, &task);
	if (reported->start < 0)
		return;
	task.start = T0 + reported->start;
	task.granted = (struct grants){ &granted, 1 };
	watch->started(watch->context, &task);
	if (reported->end >= 0)
		watch->ended(watch->context, &task, T0 + reported->end);
}

static void report_run(struct outcome *outcome, int64_t now, uint64_t slots)
{
	const struct replay_watch *watch = outcome_watch(outcome);

	watch->ran(watch->context, &(struct replay_run){ .now = T0 + now, .slots = slots });
}

static struct outcome *reported(const struct reported *jobs, size_t n, uint64_t slots, int64_t until)
{
	struct outcome *outcome;

	assert_int_equal(outcome_create(&outcome, "fair"), 0);
	report_run(outcome, 0, slots);
	for (size_t k = 0; k < n; k++)
		report_one(outcome, k, &jobs[k]);
	report_run(outcome, until, slots);
	assert_int_equal(outcome_error(outcome), 0);
	return outcome;
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
	struct distribution distribution;

	(void)unused;
	for (size_t k = 0; k < 100; k++)
		values[k] = (double)k + 1;
	distribution_of(&distribution, values, 100);
	near(distribution.median, 50);
	near(distribution.p95, 95);
	near(distribution.p25, 25);
	near(distribution.mean, 50.5);
	distribution_of(&distribution, values, 3);
	near(distribution.median, 2);
	near(distribution.p95, 3);
	near(distribution.p5, 1);
	distribution_of(&distribution, values, 0);
	near(distribution.most, 0);
}

static void test_waiting_and_slowdown_are_those_of_started_jobs(void **unused)
{
	static const struct reported jobs[] = {
		{ "ann", NULL, 0, 0, 100, 1 },
		{ "ann", NULL, 0, 100, 102, 1 },
		{ "bob", NULL, 50, 150, 250, 1 },
		{ "bob", NULL, 60, -1, -1, 1 },
	};
	struct outcome *outcome = reported(jobs, N(jobs), 2, 300);
	struct answers answers;

	(void)unused;
	assert_int_equal(answers_make(&answers, outcome), 0);
	assert_int_equal(answers.jobs, 4);
	assert_int_equal(answers.started, 3);
	assert_int_equal(answers.waiting, 1);
	near(answers.wait.mean, 200.0 / 3);
	near(answers.wait.median, 100);
	near(answers.slowdown.least, 1);
	near(answers.slowdown.median, 2);
	near(answers.slowdown.most, 10.2);	/* (100 + 2) / 10: two seconds count as ten */
	assert_int_equal(answers.longest[0].job, 3);
	assert_int_equal(answers.longest[0].wait_s, 240);
	assert_false(answers.longest[0].started);
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_utilisation_is_relative_to_the_existing_slots(void **unused)
{
	static const struct reported jobs[] = { { "ann", NULL, 0, 0, 100, 2 }, { "bob", NULL, 0, 100, 200, 1 } };
	struct outcome *outcome;
	struct answers answers;

	(void)unused;
	assert_int_equal(outcome_create(&outcome, "fair"), 0);
	report_run(outcome, 0, 2);
	report_run(outcome, 50, 4);
	report_one(outcome, 0, &jobs[0]);
	report_one(outcome, 1, &jobs[1]);
	assert_int_equal(answers_make(&answers, outcome), 0);
	near(answers.whole.slots, (50 * 2 + 150 * 4) / 200.0);
	near(answers.whole.used, 300.0 / 700);
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_the_ends_of_the_trace_can_be_left_out(void **unused)
{
	static const struct reported jobs[] = { { "ann", NULL, 0, 0, 5, 1 },
					    { "ann", NULL, 50, 50, 60, 1 },
					    { "ann", NULL, 100, 100, 900, 1 } };
	struct outcome *outcome = reported(jobs, N(jobs), 1, 900);
	struct answers answers;

	(void)unused;
	assert_int_equal(answers_make(&answers, outcome), 0);
	near(answers.whole.used, 815.0 / 900);
	assert_int_equal(answers.inner.begin, T0 + 5);
	assert_int_equal(answers.inner.end, T0 + 95);
	near(answers.inner.used, 10.0 / 90);
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_usage_of_a_vacated_job_is_used_and_lost(void **unused)
{
	static const struct reported jobs[] = { { "ann", NULL, 0, 10, -1, 2 } };
	struct outcome *outcome = reported(jobs, 1, 2, 20);
	const struct replay_watch *watch = outcome_watch(outcome);
	struct trace_job job = trace_of(&jobs[0], 0);
	struct replay_task task = {
		.job = &job, .submit = T0, .start = T0 + 10, .slots = 2, .how = REPLAY_END_VACATED
	};
	struct answers answers;

	(void)unused;
	watch->ended(watch->context, &task, T0 + 40);
	task.start = T0 + 70;
	watch->started(watch->context, &task);
	task.how = REPLAY_END_DONE;
	watch->ended(watch->context, &task, T0 + 100);
	assert_int_equal(answers_make(&answers, outcome), 0);
	near(answers.lost_slot_s, 60);
	near(answers.by[BY_USER].items[0].slot_s, 120);
	near(answers.wait.most, 10);
	assert_int_equal(answers.ended, 1);
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_users_are_sorted_by_their_usage(void **unused)
{
	static const struct reported jobs[] = { { "ann", "atlas", 0, 0, 10, 1 },
					    { "bob", "atlas", 0, 10, 40, 1 },
					    { "eve", NULL, 0, 40, 50, 6 } };
	struct outcome *outcome = reported(jobs, N(jobs), 6, 50);
	struct answers answers;

	(void)unused;
	assert_int_equal(answers_make(&answers, outcome), 0);
	assert_int_equal(answers.by[BY_USER].n, 3);
	assert_string_equal(answers.by[BY_USER].items[0].name, "eve");
	near(answers.by[BY_USER].items[0].received, 0.6);
	assert_string_equal(answers.by[BY_USER].items[2].name, "ann");
	assert_int_equal(answers.by[BY_PROJECT].n, 2);
	assert_string_equal(answers.by[BY_PROJECT].items[0].name, "");
	assert_int_equal(answers.by[BY_PROJECT].items[1].jobs, 2);
	near(answers.by[BY_PROJECT].items[1].wait.most, 10);
	assert_int_equal(answers.by[BY_SIZE].n, 2);
	assert_string_equal(answers.by[BY_SIZE].items[1].name, "5-16 slots");
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_a_job_that_starts_after_a_later_submission_is_overtaken(void **unused)
{
	static const struct reported jobs[] = {
		{ "ann", NULL, 0, 100, 200, 1 },  { "bob", NULL, 0, 50, 60, 1 },  { "bob", NULL, 10, 60, 70, 1 },
		{ "eve", NULL, 20, 100, 110, 1 }, { "eve", NULL, 30, -1, -1, 1 }, { "eve", NULL, 40, 300, 310, 1 },
	};
	struct outcome *outcome = reported(jobs, N(jobs), 6, 400);
	struct answers answers;

	(void)unused;
	assert_int_equal(answers_make(&answers, outcome), 0);
	assert_int_equal(answers.overtaken, 2);	/* the first by the third, and the last but one */
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_jobs_starve_by_the_median_of_their_class(void **unused)
{
	struct reported jobs[12];
	struct outcome *outcome;
	struct answers answers;

	(void)unused;
	for (size_t k = 0; k < 10; k++)
		jobs[k] = (struct reported){ "ann", NULL, 0, 400, 500, 1 };
	/* more than ten times 400, and more than an hour */
	jobs[10] = (struct reported){ "bob", NULL, 0, 4001, 4101, 1 };
	/* All jobs of its class wait equally long. */
	jobs[11] = (struct reported){ "bob", NULL, 0, 9000, 9100, 64 };
	outcome = reported(jobs, N(jobs), 64, 9100);
	assert_int_equal(answers_make(&answers, outcome), 0);
	assert_int_equal(answers.starving, 1);
	assert_int_equal(answers.nlongest, LONGEST_WAITS);
	assert_int_equal(answers.longest[0].job, 11);
	assert_int_equal(answers.longest[1].job, 10);
	assert_int_equal(answers.longest[2].job, 0);
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_the_recorded_schedule_is_an_outcome_of_its_own(void **unused)
{
	static const struct reported jobs[] = { { "ann", NULL, 0, 10, 110, 1 }, { "bob", NULL, 5, 110, 210, 1 } };
	struct outcome *outcome, *recorded;
	struct answers a, b;
	struct distance distance;

	(void)unused;
	assert_int_equal(outcome_create(&outcome, "fair"), 0);
	report_run(outcome, 0, 1);
	for (size_t k = 0; k < N(jobs); k++) {
		const struct replay_watch *watch = outcome_watch(outcome);
		struct trace_job job = trace_of(&jobs[k], k);
		struct replay_task task = { .index = k, .job = &job, .submit = job.submit, .slots = 1 };

		job.start = k == 0 ? T0 + 40 : T0 + 105;
		watch->submitted(watch->context, &task);
		task.start = T0 + jobs[k].start;
		watch->started(watch->context, &task);
		watch->ended(watch->context, &task, T0 + jobs[k].end);
	}
	assert_int_equal(outcome_recorded(&recorded, outcome, "as recorded"), 0);
	assert_int_equal(answers_make(&a, recorded), 0);
	assert_int_equal(answers_make(&b, outcome), 0);
	near(a.wait.mean, 70);
	assert_int_equal(a.whole.end, T0 + 205);
	assert_int_equal(distance_between(&distance, &a, &b), 0);
	assert_int_equal(distance.jobs, 2);
	near(distance.earlier, 0.5);
	near(distance.mean_s, -12.5);
	near(distance.mean_absolute_s, 17.5);
	answers_free(&a);
	answers_free(&b);
	outcome_destroy(recorded);
	outcome_destroy(outcome);
}

static void test_recorded_figures_need_starts_in_the_trace(void **unused)
{
	static const struct reported jobs[] = { { "ann", NULL, 0, 10, 110, 1 } };
	struct outcome *outcome = reported(jobs, 1, 1, 110), *recorded;

	(void)unused;
	assert_int_equal(outcome_recorded(&recorded, outcome, "as recorded"), -ENODATA);
	assert_null(recorded);
	outcome_destroy(outcome);
}

static void test_a_later_share_makes_a_distance_despite_equal_sums(void **unused)
{
	static const struct reported one[] = { { "ann", NULL, 0, 0, 100, 1 }, { "bob", NULL, 0, 100, 200, 1 } };
	static const struct reported other[] = { { "ann", NULL, 0, 100, 200, 1 }, { "bob", NULL, 0, 0, 100, 1 } };
	struct outcome *outcome = reported(one, 2, 1, 200), *p = reported(other, 2, 1, 200);
	struct answers a, b;
	struct distance distance;

	(void)unused;
	assert_int_equal(answers_make(&a, outcome), 0);
	assert_int_equal(answers_make(&b, p), 0);
	assert_int_equal(distance_between(&distance, &a, &b), 0);
	near(distance.users, 1.0);
	near(distance.projects, 0.0);		/* no job has a project */
	answers_free(&a);
	answers_free(&b);
	outcome_destroy(outcome);
	outcome_destroy(p);
}

static void test_the_distance_of_shares_is_the_part_that_would_have_to_move(void **unused)
{
	static const struct reported one[] = { { "ann", NULL, 0, 0, 60, 1 }, { "bob", NULL, 0, 0, 40, 1 } };
	static const struct reported other[] = { { "ann", NULL, 0, 0, 60, 1 }, { "eve", NULL, 0, 0, 40, 1 } };
	struct outcome *outcome = reported(one, 2, 2, 60), *p = reported(other, 2, 2, 60);
	struct answers a, b;
	struct distance distance;

	(void)unused;
	assert_int_equal(answers_make(&a, outcome), 0);
	assert_int_equal(answers_make(&b, p), 0);
	assert_int_equal(distance_between(&distance, &a, &b), 0);
	near(distance.users, 0.4);
	near(distance.same, 1.0);
	answers_free(&a);
	answers_free(&b);
	outcome_destroy(outcome);
	outcome_destroy(p);
}

static void test_a_refused_job_is_counted_and_no_job(void **unused)
{
	struct outcome *outcome;
	struct outcome_counts counts;
	struct answers answers;
	struct trace_job job = { .line = 17, .user = "ann" };
	const struct replay_watch *watch;

	(void)unused;
	assert_int_equal(outcome_create(&outcome, "fair"), 0);
	watch = outcome_watch(outcome);
	watch->refused(watch->context, &(struct replay_task){ .index = 0, .job = &job }, "no queue has 100 slots");
	assert_int_equal(answers_make(&answers, outcome), -ENODATA);
	report_one(outcome, 1, &(struct reported){ "ann", NULL, 0, 0, 10, 1 });
	assert_int_equal(answers_make(&answers, outcome), 0);
	assert_int_equal(answers.jobs, 1);
	outcome_counts(outcome, &counts);
	assert_int_equal(counts.refused, 1);
	assert_int_equal(counts.refused_line, 17);
	assert_string_equal(counts.refused_why, "no queue has 100 slots");
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_an_axis_has_round_steps_and_reaches_the_end(void **unused)
{
	struct axis axis;

	(void)unused;
	assert_int_equal(axis_make(&axis, T0, T0 + 22000000, AXIS_STEPS), 0);
	assert_int_equal(axis.step, 43200);
	assert_true(axis.n <= AXIS_STEPS && axis.bounds[axis.n] >= T0 + 22000000 &&
		    axis.bounds[axis.n - 1] < T0 + 22000000);
	axis_free(&axis);
	assert_int_equal(axis_make(&axis, T0, T0, AXIS_STEPS), 0);
	assert_int_equal(axis.n, 1);
	axis_free(&axis);
	assert_int_equal(axis_make(&axis, 0, INT64_C(1) << 60, AXIS_STEPS), 0);
	assert_true(axis.n <= AXIS_STEPS);
	axis_free(&axis);
}

/* Comparison with a count second by second */

#define SECONDS 400
#define JOBS 60

static void check_series(const struct series *series, const struct axis *axis, const double *each)
{
	for (size_t k = 0; k < axis->n; k++) {
		double sum = 0.0;

		for (int64_t t = axis->bounds[k]; t < axis->bounds[k + 1] && t < T0 + SECONDS; t++)
			sum += each[t - T0];
		near(series->values[k], sum);
	}
}

static void test_figures_match_a_count_second_by_second(void **unused)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	struct reported jobs[JOBS];
	double used[SECONDS] = { 0 }, ann[SECONDS] = { 0 }, waiting[SECONDS] = { 0 };
	struct series series, slots;
	struct axis axis;
	struct answers answers;
	struct outcome *outcome;

	(void)unused;
	printf("seed %u\n", seed);
	srand(seed);
	for (size_t k = 0; k < JOBS; k++) {
		int64_t submit = rand() % 100, start = submit + rand() % 100,
			end = k == 0 ? SECONDS : start + rand() % 200;

		jobs[k] =
			(struct reported){ rand() % 2 ? "ann" : "bob", NULL, submit, start, end, 1 + (uint32_t)rand() % 9 };
		for (int64_t t = start; t < end; t++)
			used[t] += jobs[k].slots;
		for (int64_t t = start; t < end && !strcmp(jobs[k].user, "ann"); t++)
			ann[t] += jobs[k].slots;
		for (int64_t t = submit; t < start; t++)
			waiting[t] += 1;
	}
	outcome = reported(jobs, JOBS, 1000, SECONDS);
	assert_int_equal(answers_make(&answers, outcome), 0);
	assert_int_equal(axis_make(&axis, T0, T0 + SECONDS, 30), 0);
	assert_int_equal(answers_used(&series, &answers, &axis), 0);
	check_series(&series, &axis, used);
	series_free(&series);
	assert_int_equal(
		answers_received(&series, &answers, &axis, BY_USER, outcome_find(outcome, OUTCOME_USER, "ann")), 0);
	check_series(&series, &axis, ann);
	series_free(&series);
	assert_int_equal(answers_waiting(&series, &slots, &answers, &axis), 0);
	check_series(&series, &axis, waiting);
	series_free(&series);
	series_free(&slots);
	axis_free(&axis);
	answers_free(&answers);
	outcome_destroy(outcome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles_are_values_by_the_nearest_rank),
		cmocka_unit_test(test_waiting_and_slowdown_are_those_of_started_jobs),
		cmocka_unit_test(test_utilisation_is_relative_to_the_existing_slots),
		cmocka_unit_test(test_the_ends_of_the_trace_can_be_left_out),
		cmocka_unit_test(test_usage_of_a_vacated_job_is_used_and_lost),
		cmocka_unit_test(test_users_are_sorted_by_their_usage),
		cmocka_unit_test(test_a_job_that_starts_after_a_later_submission_is_overtaken),
		cmocka_unit_test(test_jobs_starve_by_the_median_of_their_class),
		cmocka_unit_test(test_the_recorded_schedule_is_an_outcome_of_its_own),
		cmocka_unit_test(test_recorded_figures_need_starts_in_the_trace),
		cmocka_unit_test(test_a_later_share_makes_a_distance_despite_equal_sums),
		cmocka_unit_test(test_the_distance_of_shares_is_the_part_that_would_have_to_move),
		cmocka_unit_test(test_a_refused_job_is_counted_and_no_job),
		cmocka_unit_test(test_an_axis_has_round_steps_and_reaches_the_end),
		cmocka_unit_test(test_figures_match_a_count_second_by_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
