/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random schedules of everything that may or may not be reported about usage (booking_reported.h).
 * The scheduler is killed at any moment, or its store cannot be written. Beside it the rule is
 * computed (booking_rule.h). After each run all sums must equal those of the rule exactly, because
 * all values are whole numbers. Without decay the decayed sums must be equal as well. With decay
 * they match those of a naive computation to 1e-9.
 *
 * Controls: debits set to the sum of each run, as if tasks were not separate; a store that loses
 * them; unreported values. SEED=n begins with that schedule, SCHEDULES=n sets their number, STEPS=n
 * their length. The events of a failing schedule are printed up to the wrong step. Schedules that
 * failed once are always run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

#include "tests/run/booking_reported.h"

/* Flaws of the controls */

/* Set the debited usage to the sum of this run alone. */
static void forget_tasks(void)
{
	struct state *state = w.f->sched->mirror.state;

	for (size_t i = 0; i < state->ndebited; i++) {
		struct debited *debited = &state->debited[i];
		uint32_t row = jobs_find(&state->jobs, state->debited_numbers[i]);

		while (debited->ntasks > 0)
			debited_remove_task(debited, &debited->tasks[0]);
		for (size_t k = 0; k < debited->usage.n; k++) {
			debited->usage.items[k].value = 0;
			for (uint32_t t = row == INDEX_NONE ? NONE : state->jobs.first_task[row]; t != NONE;
			     t = state->tasks.items[t].next)
				debited->usage.items[k].value +=
					usage_get(&state->tasks.items[t].usage, debited->usage.items[k].name);
		}
	}
}

static void spoil(void)
{
	struct state *state = w.f->sched->mirror.state;

	if (w.flaw == FORGETS_TASKS)
		forget_tasks();
	for (size_t i = 0; w.flaw == BELIEVES_THE_LAST_VALUE && i < state->tasks.pool.n; i++)
		if (state->tasks.items[i].row != NONE && dice(4) == 0)
			for (size_t k = 0; k < state->tasks.items[i].usage.n; k++)
				state->tasks.items[i].usage.items[k].value += 1;
}

/* Runs and restarts */

static void die(void)
{
	w.kills++;
	say("the scheduler dies");
	if (w.flaw == FORGETS_ROWS)
		assert_int_equal(sqlite3_exec(file.store->db, "DELETE FROM debited_task", NULL, NULL, NULL), SQLITE_OK);
	kill_and_restart(w.f);
	rule_die();
	for (unsigned j = 0; j < JOBS; j++)
		if (w.jobs[j].rescheduled)
			/* For the store it is another job: see fairlead-events(5). */
			new_job(j);
	if (dice(3) == 0) {
		run(w.f, w.now);		/* before the first report */
		rule_run();
	}
	if (dice(3))
		report_snapshot();
}

static bool dies(void)
{
	return w.stored && dice(12) == 0;
}

static double value_of(const struct usage *usage, unsigned n)
{
	struct sched *sched = w.f->sched;
	uint32_t name = usage_name(&sched->mirror.usage_names, sched->strings, names[n]);

	return usage_get(usage, name);
}

/* Return 0 if the usage is right. */
static unsigned compare(const char *what, const struct usage *long_term, const struct usage *usage,
			const double *booked, const double *decayed)
{
	unsigned wrong = 0;

	for (unsigned n = 0; n < NAMES; n++) {
		double got = value_of(long_term, n), now = value_of(usage, n);
		bool near = fabs(now - decayed[n]) <= (w.halftime ? 1e-9 * decayed[n] : 0);

		if (got == booked[n] && near)
			continue;
		wrong++;
		if (w.trace)
			fprintf(w.trace, "WRONG: %s %s: booked %.17g, not %.17g; decayed %.17g, not %.17g\n", what,
				names[n], got, booked[n], now, decayed[n]);
	}
	return wrong;
}

static const struct object *object_of(enum sharer_kind kind, const char *name)
{
	const struct mirror *mirror = &w.f->sched->mirror;

	return &mirror->objects[kind]
			.items[objects_find(&mirror->objects[kind], strings_find(w.f->sched->strings, name))];
}

static unsigned wrong_sums(void)
{
	static const struct usage nothing;
	unsigned wrong = 0;

	for (unsigned u = 0; u < 2; u++) {
		struct object *object = (struct object *)object_of(SHARER_USER, users[u]);

		account_decay(&w.f->sched->run, object);
		wrong += compare(users[u], &object->long_term, &object->usage, w.booked[u][0], w.decayed[u][0]);
		for (unsigned p = 1; p < 3; p++) {
			uint32_t name = strings_find(w.f->sched->strings, projects[p]);
			const struct usage_in_project *in = name == NONE ? NULL : object_find_project(object, name);

			wrong += compare(projects[p], in ? &in->long_term : &nothing, in ? &in->usage : &nothing,
					 w.booked[u][p], w.decayed[u][p]);
		}
	}
	for (unsigned p = 1; p < 3; p++) {
		struct object *object = (struct object *)object_of(SHARER_PROJECT, projects[p]);
		double booked[NAMES], decayed[NAMES];

		for (unsigned n = 0; n < NAMES; n++) {
			booked[n] = w.booked[0][p][n] + w.booked[1][p][n];
			decayed[n] = w.decayed[0][p][n] + w.decayed[1][p][n];
		}
		account_decay(&w.f->sched->run, object);
		wrong += compare(projects[p], &object->long_term, &object->usage, booked, decayed);
	}
	return wrong;
}

/* Return how many records of the history, by user and project, are wrong. */
static unsigned wrong_history(void)
{
	unsigned wrong = 0;

	for (unsigned u = 0; u < 2; u++)
		for (unsigned p = 0; p < 3; p++) {
			char sql[200];

			snprintf(sql, sizeof(sql),
				 "SELECT CAST(sum(cpu) AS INTEGER) FROM history WHERE user = '%s' AND project = '%s'",
				 users[u], projects[p]);
			wrong += strtod(ask(sql), NULL) != w.booked[u][p][0];
		}
	if (wrong && w.trace)
		fprintf(w.trace, "WRONG: history\n");
	return wrong;
}

/* Wrong sums. */
static unsigned step(void)
{
	unsigned wrong;

	w.now += 1 + dice(3) * dice(300);
	for (unsigned i = dice(8); i > 0; i--)
		something_happens();
	if (dice(6) == 0)
		report_snapshot();
	if (dies())
		die();
	run(w.f, w.now);
	rule_run();
	say("run");
	wrong = wrong_sums();
	if (wrong)
		return wrong;
	spoil();
	if (!w.stored)
		return 0;
	if (dies()) {
		die();
		return 0;
	}
	if (dice(6) == 0)
		return 0;			/* the store cannot be written */
	OK(&file, store_usage_save(file.store, w.now, &file.error));
	if (dice(10) == 0) {
		store_rollback(file.store);
		return 0;
	}
	if (dies()) {
		die();
		return 0;
	}
	OK(&file, store_commit(file.store, &file.error));
	rule_keep();
	say("commit");
	return wrong_history();
}

/* Schedules */

static void begin(struct fixture *fixture, unsigned seed, enum flaw flaw)
{
	FILE *trace = w.trace;
	unsigned kills = w.kills, events = w.events, regressions = w.regressions;

	memset(&w, 0, sizeof(w));
	w.trace = trace;
	w.kills = kills;
	w.events = events;
	w.regressions = regressions;
	w.f = fixture;
	w.flaw = flaw;
	w.seed = seed;
	w.now = NOW;
	w.halftime = dice(3) ? 0 : 1 + dice(3);
	w.stored = flaw == FORGETS_ROWS || dice(4);
	for (unsigned j = 0; j < JOBS; j++)
		new_job(j);
	put_sched_conf(fixture, w.halftime, "cpu=1", "finished_jobs=0");
	put_project(fixture, "blue");
}

static void end(struct fixture *fixture)
{
	fl_detach(fixture->reader);
	fixture->reader = NULL;
	fixture->view = NULL;
	store_close(file.store);
	file.store = NULL;
	sched_destroy(fixture->sched);
	directory_clear(file.directory);
	sched_begin(fixture);
	if (w.stored)
		attach(fixture);
	else
		OPEN(&file);
}

/* Return the first wrong step, counted from 1; 0: none. */
static unsigned live(struct fixture *fixture, unsigned seed, unsigned steps, enum flaw flaw)
{
	begin(fixture, seed, flaw);
	end(fixture);
	if (w.halftime)
		w.decayed_until = w.decayed_until_kept = w.now;
	for (unsigned i = 1; i <= steps; i++)
		if (step() > 0)
			return i;
	return 0;
}

static unsigned number(const char *name, unsigned otherwise)
{
	return getenv(name) ? (unsigned)strtoul(getenv(name), NULL, 10) : otherwise;
}

static void is_right(struct fixture *fixture, unsigned seed, unsigned steps)
{
	unsigned wrong = live(fixture, seed, steps, NONE_AT_ALL);

	if (!wrong)
		return;
	w.trace = stderr;
	fprintf(stderr, "SEED=%u goes wrong in step %u:\n", seed, wrong);
	live(fixture, seed, wrong, NONE_AT_ALL);
	w.trace = NULL;
	fail_msg("SEED=%u SCHEDULES=1 STEPS=%u", seed, wrong);
}

static void test_reported_usage_is_booked_once_whatever_happens(void **state)
{
	unsigned seed = number("SEED", (unsigned)time(NULL)), schedules = number("SCHEDULES", 50),
		 steps = number("STEPS", 40);

	print_message("SEED=%u\n", seed);
	w.kills = w.events = w.regressions = 0;
	for (unsigned i = 0; i < schedules; i++)
		is_right(*state, seed + i, steps);
	print_message("%u schedules, %u events, %u kills, %u values that went back\n", schedules, w.events, w.kills,
		      w.regressions);
	assert_true(schedules < 50 || (w.kills > schedules && w.regressions > schedules));
}

static void test_schedules_that_were_wrong_once_are_right(void **state)
{
	static const unsigned seeds[] = {
		132, 709,	/* a deleted job without started tasks returns */
		2, 3,		/* a reschedule in the run that books its end */
	};

	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		is_right(*state, seeds[i], 40);
}

static void is_caught(struct fixture *fixture, enum flaw flaw)
{
	unsigned caught = 0;

	for (unsigned i = 0; i < 8; i++)
		caught += live(fixture, 1 + i, 40, flaw) > 0;
	print_message("%u of 8 schedules go wrong\n", caught);
	assert_true(caught >= 4);
}

static void test_debits_set_to_the_sum_of_each_run_are_caught(void **state)
{
	is_caught(*state, FORGETS_TASKS);
}

static void test_tasks_that_the_store_forgets_are_caught(void **state)
{
	is_caught(*state, FORGETS_ROWS);
}

static void test_unreported_values_are_caught(void **state)
{
	is_caught(*state, BELIEVES_THE_LAST_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_reported_usage_is_booked_once_whatever_happens),
		CELL_TEST(test_schedules_that_were_wrong_once_are_right),
		CELL_TEST(test_debits_set_to_the_sum_of_each_run_are_caught),
		CELL_TEST(test_tasks_that_the_store_forgets_are_caught),
		CELL_TEST(test_unreported_values_are_caught),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
