/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares that each policy promises to users with jobs, as published by its runs, compared with a
 * manual division.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conf/cell.h"
#include "conf/base/report.h"
#include "sched/detach.h"
#include "sched/replay/outcome/answers.h"
#include "sched/replay/outcome/promises.h"
#include "sched/trace/trace.h"

#define T0 1700000000
#define RUN_S 36000		/* with nothing that waits there is a run each hour */

struct sharer_with_job {
	const char *user, *project;
};

/* Replay jobs of one slot that are submitted at the same time, one for each user. */
static void replay_of(struct outcome *outcome, const char *directory, const struct sharer_with_job *users, size_t n,
		      uint64_t slots, uint32_t sample_s, int64_t run_s)
{
	struct replay_options options = { .sample_s = sample_s };
	struct report report = { 0 };
	struct cell_files files = { 0 };
	struct error error = { "" };
	struct cell cell = { 0 };
	struct replay *replay;
	struct sched *sched;

	assert_int_equal(cell_load(&cell, directory, &report), 0);
	assert_int_equal(replay_cell_of_slots(&files, &cell, slots, &error), 0);
	assert_int_equal(sched_create_detached(&sched, directory, &files, 0, &report, &error), 0);
	assert_int_equal(replay_create(&replay, sched, &options, outcome_watch(outcome), &error), 0);
	for (size_t k = 0; k < n; k++) {
		struct trace_job job = { .line = k + 1,
					 .number = (uint32_t)k + 1,
					 .submit = T0,
					 .run_s = run_s,
					 .limit_s = run_s,
					 .slots = 1,
					 .cpu_s = -1,
					 .user = users[k].user,
					 .project = users[k].project };

		assert_int_equal(replay_job(replay, &job, &error), 0);
	}
	assert_int_equal(replay_finish(replay, &error), 0);
	assert_int_equal(outcome_error(outcome), 0);
	replay_destroy(replay);
	sched_destroy(sched);
	cell_free(&cell);
	cell_files_free(&files);
	report_free(&report);
}

static struct outcome *played(const char *directory, const struct sharer_with_job *users, size_t n)
{
	struct outcome *outcome;

	assert_int_equal(outcome_create(&outcome, "played"), 0);
	replay_of(outcome, directory, users, n, 64, 60, RUN_S);
	return outcome;
}

/* Return the promised share in a sample while all of them run. */
static double promised(const struct outcome *outcome, enum promise_kind kind, const char *name)
{
	const struct promises *promises = outcome_promises(outcome);
	uint32_t who = outcome_find(outcome, kind == PROMISE_USER ? OUTCOME_USER : OUTCOME_PROJECT, name);
	size_t n;
	const struct promise_sample *sample = promises_samples(promises, &n);

	assert_true(n >= 3);
	for (size_t k = sample[n / 2].begin[kind]; k < sample[n / 2].end[kind]; k++)
		if (promises_items(promises)[k].who == who)
			return (double)promises_items(promises)[k].lasting;
	return 0.0;
}

static void near(double is, double due)
{
	if (fabs(is - due) > 1e-6)
		fail_msg("%.9f, and %.9f was due", is, due);
}

#define N(USERS) (sizeof(USERS) / sizeof(*(USERS)))

/*
 * conf/default: science 60 (atlas 70: ann 40, bob 30, others 10 each; borealis 30), teaching 30
 * (cosmos 20, cal 20, dot 10), others 10
 */
static void test_a_share_tree_promises_to_active_nodes(void **unused)
{
	static const struct sharer_with_job users[] = {
		{ "ann", "atlas" }, { "bob", "atlas" }, { "eve", "borealis" }, { "dot", NULL }, { "ann", "cosmos" }
	};
	struct outcome *outcome = played("conf/default", users, N(users));
	double science = 60.0 / 90, teaching = 30.0 / 90;

	(void)unused;
	near(promised(outcome, PROMISE_PROJECT, "atlas"), science * 70 / 100);
	near(promised(outcome, PROMISE_PROJECT, "borealis"), science * 30 / 100);
	near(promised(outcome, PROMISE_PROJECT, "cosmos"), teaching * 20 / 30);
	near(promised(outcome, PROMISE_USER, "ann"), science * 70 / 100 * 40 / 70);
	near(promised(outcome, PROMISE_USER, "bob"), science * 70 / 100 * 30 / 70);
	near(promised(outcome, PROMISE_USER, "eve"), science * 30 / 100);
	near(promised(outcome, PROMISE_USER, "dot"), teaching * 10 / 30);
	outcome_destroy(outcome);
}

/*
 * conf/multifactor: physics 60 (atlas 2: ann 1, bob 1; cosmos 1: bob 1, cal 2), chemistry 40 (dot:
 * parent, eve 1)
 */
static void test_associations_promise_shares_to_users_with_jobs(void **unused)
{
	static const struct sharer_with_job users[] = {
		{ "ann", "atlas" }, { "bob", "atlas" }, { "cal", "cosmos" }, { "eve", "chemistry" }
	};
	struct outcome *outcome = played("conf/multifactor", users, N(users));

	(void)unused;
	near(promised(outcome, PROMISE_PROJECT, "chemistry"), 0.4);
	near(promised(outcome, PROMISE_PROJECT, "atlas"), 0.6 * 2 / 3);
	near(promised(outcome, PROMISE_PROJECT, "cosmos"), 0.6 * 1 / 3);
	near(promised(outcome, PROMISE_USER, "eve"), 0.4);
	near(promised(outcome, PROMISE_USER, "ann"), 0.6 * 2 / 3 / 2);
	near(promised(outcome, PROMISE_USER, "cal"), 0.6 * 1 / 3 * 2 / 3);
	outcome_destroy(outcome);
}

/* No user has a factor of its own: in the long run they have equal parts. */
static void test_equal_factors_promise_equal_parts(void **unused)
{
	static const struct sharer_with_job users[] = { { "ann", NULL }, { "bob", NULL }, { "eve", NULL } };
	struct outcome *outcome = played("conf/userprio", users, N(users));
	const struct promises *promises = outcome_promises(outcome);
	size_t n, found = 0;
	const struct promise_sample *sample = promises_samples(promises, &n);

	(void)unused;
	for (size_t k = 0; k < n && found == 0; k++)
		for (size_t i = sample[k].begin[PROMISE_USER]; i < sample[k].end[PROMISE_USER]; i++, found++)
			near((double)promises_items(promises)[i].lasting, 1.0 / 3);
	assert_int_equal(found, 3);
	assert_true(outcome_find(outcome, OUTCOME_USER, "eve") > 0 &&
		    outcome_find(outcome, OUTCOME_USER, "eve@example.org") == 0);
	outcome_destroy(outcome);
}

static void test_promises_are_bounded_for_any_number_of_samples(void **unused)
{
	static const struct sharer_with_job users[] = { { "ann", "atlas" }, { "eve", "borealis" } };
	struct answers answers;
	struct outcome *outcome;
	size_t n;

	(void)unused;
	assert_int_equal(outcome_create(&outcome, "played"), 0);
	replay_of(outcome, "conf/default", users, N(users), 64, 1, INT64_C(3600) * 3 * PROMISE_SAMPLES);
	promises_samples(outcome_promises(outcome), &n);
	assert_in_range(n, PROMISE_SAMPLES / 4, PROMISE_SAMPLES);
	near(promised(outcome, PROMISE_PROJECT, "atlas"), 0.7);
	assert_int_equal(answers_make(&answers, outcome), 0);
	near(answers.projects.distance_lasting, 0.2);		/* 0.5 each, because both run one slot */
	near(answers.projects.unmet, 0.0);			/* and no job waits */
	near(answers.by[BY_PROJECT].items[0].promised + answers.by[BY_PROJECT].items[1].promised, 1.0);
	answers_free(&answers);
	outcome_destroy(outcome);
}

static void test_a_promised_share_that_is_not_received_is_measured(void **unused)
{
	static const struct sharer_with_job users[] = { { "ann", "atlas" }, { "eve", "borealis" } };
	struct answers a;
	struct outcome *outcome;

	(void)unused;
	assert_int_equal(outcome_create(&outcome, "played"), 0);
	replay_of(outcome, "conf/default", users, N(users), 1, 1, RUN_S);
	assert_int_equal(answers_make(&a, outcome), 0);
	/*
	 * The jobs run one after the other. borealis is promised 0.3 while it waits, which is half
	 * of the time.
	 */
	if (fabs(a.projects.unmet - 0.15) > 0.01 || fabs(a.users.unmet - 0.15) > 0.01)
		fail_msg("%f of projects, %f of users, and 0.15 was due", a.projects.unmet, a.users.unmet);
	answers_free(&a);
	outcome_destroy(outcome);
}

static void test_a_policy_without_promises_is_measured_by_the_promises_of_another(void **unused)
{
	static const struct sharer_with_job users[] = { { "ann", "atlas" }, { "eve", "borealis" } };
	struct answers a, b;
	struct outcome *outcome, *other;

	(void)unused;
	assert_int_equal(outcome_create(&outcome, "played"), 0);
	assert_int_equal(outcome_create(&other, "without shares"), 0);
	replay_of(outcome, "conf/default", users, N(users), 1, 1, RUN_S);
	replay_of(other, "conf/default", users, N(users), 1, 0, RUN_S);		/* without samples */
	assert_int_equal(answers_make(&a, outcome), 0);
	assert_int_equal(answers_make(&b, other), 0);
	assert_int_equal(b.projects.samples, 0);
	assert_int_equal(answers_measure(&b, outcome), 0);
	near(b.projects.unmet, a.projects.unmet);
	near(b.users.distance_lasting, a.users.distance_lasting);
	near(b.by[BY_USER].items[0].promised, 0.0);
	answers_free(&b);
	answers_free(&a);
	outcome_destroy(other);
	outcome_destroy(outcome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_share_tree_promises_to_active_nodes),
		cmocka_unit_test(test_associations_promise_shares_to_users_with_jobs),
		cmocka_unit_test(test_equal_factors_promise_equal_parts),
		cmocka_unit_test(test_a_promised_share_that_is_not_received_is_measured),
		cmocka_unit_test(test_a_policy_without_promises_is_measured_by_the_promises_of_another),
		cmocka_unit_test(test_promises_are_bounded_for_any_number_of_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
