/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that is killed repeatedly, and a qmaster that keeps unacknowledged events: at the end
 * all usage is booked, each second once. Negative controls: acknowledging before the commit must
 * lose usage, and a store that loses bookings must count some usage twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

#include "tests/store/cell.h"

#define JOBS 6
#define TASKS 4
#define STEPS 250

enum flaw { FLAWLESS, ACKNOWLEDGES_TOO_EARLY, FORGETS_WHAT_WAS_BOOKED };
/* Ended and not acknowledged by the scheduler, or acknowledged. */
enum phase_of_task { WAITS, RUNS, HAS_ENDED, GONE };

struct toy_task {
	enum phase_of_task phase;
	/* Use since its start, in whole seconds, so that sums are exact. */
	uint64_t cpu;
	int64_t start_time;
	bool requeued;			/* how it ended */
};

static const char *const owners[] = { "ann", "bob", "cal" };

static struct {
	struct fixture *f;
	enum flaw flaw;
	struct toy_task tasks[JOBS][TASKS];
	/* When all its tasks have ended another job gets the number. */
	int64_t submission_time[JOBS];
	uint64_t used[3];		/* total use of all tasks of each user */
	uint64_t finished;
	int64_t now;
	unsigned seed, kills;
} toy;

static unsigned dice(unsigned sides)
{
	return (unsigned)rand_r(&toy.seed) / 7 % sides;
}

static const char *owner_of(unsigned job)
{
	return owners[job % 3];
}

/* Reports of the qmaster */

static void report_job(unsigned j)
{
	char ids[40] = "";

	for (unsigned t = 0; t < TASKS; t++)
		if (toy.tasks[j][t].phase != GONE)
			snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s%u", *ids ? "," : "", t + 1);
	TELL(toy.f,
	     "{'event':'job_add','submission_time':%lld,'job_number':%u,'owner':'%s','project':'%s','tasks':'%s'}",
	     (long long)toy.submission_time[j], j + 1, owner_of(j), j % 2 ? "red" : "none", ids);
}

static void report_start(unsigned j, unsigned t)
{
	TELL(toy.f,
	     "{'event':'task_start','start_time':%lld,'granted':[{'queue':'all.q@node','slots':1}],'job_number':%u,'task':%u}",
	     (long long)toy.tasks[j][t].start_time, j + 1, t + 1);
}

static void report_usage(unsigned j, unsigned t)
{
	TELL(toy.f, USAGE "%u,'task':%u,'scaled_usage':{'cpu':%llu}}", j + 1, t + 1,
	     (unsigned long long)toy.tasks[j][t].cpu);
}

static void report_end(unsigned j, unsigned t)
{
	if (toy.tasks[j][t].requeued)
		TELL(toy.f, REQUEUE "%u,'task':%u}", j + 1, t + 1);
	else
		TELL(toy.f, "{'event':'task_finish','job_number':%u,'task':%u,'scaled_usage':{'cpu':%llu}}", j + 1,
		     t + 1, (unsigned long long)toy.tasks[j][t].cpu);
}

/* Send a snapshot. Tasks whose end was not acknowledged are shown as started, and end again. */
static void report_snapshot(void)
{
	SNAPSHOT(toy.f);
	for (unsigned j = 0; j < JOBS; j++) {
		report_job(j);
		for (unsigned t = 0; t < TASKS; t++)
			if (toy.tasks[j][t].phase == RUNS || toy.tasks[j][t].phase == HAS_ENDED) {
				report_start(j, t);
				report_usage(j, t);
			}
	}
	SNAPSHOT_END(toy.f);
	for (unsigned j = 0; j < JOBS; j++)
		for (unsigned t = 0; t < TASKS; t++)
			if (toy.tasks[j][t].phase == HAS_ENDED)
				report_end(j, t);
}

/* Random events */

static void use_some(unsigned j, unsigned t)
{
	uint64_t cpu = dice(100);

	toy.tasks[j][t].cpu += cpu;
	toy.used[j % 3] += cpu;
}

static void something_happens(void)
{
	unsigned j = dice(JOBS), t = dice(TASKS);
	struct toy_task *task = &toy.tasks[j][t];

	if (task->phase == WAITS) {
		*task = (struct toy_task){ .phase = RUNS, .start_time = toy.now };
		report_start(j, t);
	} else if (task->phase == RUNS && dice(3)) {
		use_some(j, t);
		report_usage(j, t);
	} else if (task->phase == RUNS) {
		use_some(j, t);
		task->requeued = dice(4) == 0;
		if (task->requeued)
			report_usage(j, t);
		task->phase = HAS_ENDED;
		toy.finished += !task->requeued;
		report_end(j, t);
	}
}

static void submit(unsigned j)
{
	memset(toy.tasks[j], 0, sizeof(toy.tasks[j]));
	toy.submission_time[j] = toy.now;
}

/* Acknowledge everything up to now: the qmaster drops ended tasks. */
static void acknowledged(void)
{
	for (unsigned j = 0; j < JOBS; j++) {
		unsigned gone = 0;

		for (unsigned t = 0; t < TASKS; t++) {
			struct toy_task *task = &toy.tasks[j][t];

			if (task->phase == HAS_ENDED)
				*task = (struct toy_task){ .phase = task->requeued ? WAITS : GONE };
			gone += task->phase == GONE;
		}
		if (gone == TASKS) {
			submit(j);
			report_job(j);
		}
	}
}

static void restart(void)
{
	toy.kills++;
	if (toy.flaw == FORGETS_WHAT_WAS_BOOKED)
		assert_int_equal(
			sqlite3_exec(file.store->db, "DELETE FROM debited; DELETE FROM ended", NULL, NULL, NULL),
			SQLITE_OK);
	kill_and_restart(toy.f);
	if (dice(2))
		run_and_save(toy.f, toy.now);	/* before the qmaster has connected */
	report_snapshot();
}

static bool dies(void)
{
	return dice(6) == 0;
}

static void step(void)
{
	toy.now += 1 + dice(30);
	for (unsigned i = dice(12); i > 0; i--)
		something_happens();
	if (dies())
		return restart();
	run(toy.f, toy.now);
	if (toy.flaw == ACKNOWLEDGES_TOO_EARLY)
		acknowledged();
	if (dies())
		return restart();
	OK(&file, store_usage_save(file.store, toy.now, &file.error));
	if (dies())
		return restart();
	OK(&file, store_commit(file.store, &file.error));
	if (dies())
		return restart();
	acknowledged();
	if (dice(20) == 0)
		report_snapshot();
}

static uint64_t booked(const char *sql)
{
	char text[40];

	return strtoull(query_one(file.store, sql, text, sizeof(text)), NULL, 10);
}

/* Return how many sums are wrong. */
static unsigned wrong_sums(void)
{
	unsigned wrong = 0;

	run_and_save(toy.f, toy.now + 1);
	for (unsigned u = 0; u < 3; u++) {
		char sql[200];

		snprintf(sql, sizeof(sql), "SELECT CAST(sum(long_term_usage ->> 'cpu') AS INTEGER) FROM usage "
			 "WHERE kind = 'user' AND name = '%s'", owners[u]);
		wrong += booked(sql) != toy.used[u];
		snprintf(sql, sizeof(sql), "SELECT CAST(sum(cpu) AS INTEGER) FROM history WHERE user = '%s'",
			 owners[u]);
		wrong += booked(sql) != toy.used[u];
	}
	wrong += booked("SELECT sum(tasks) FROM history") != toy.finished;
	return wrong;
}

static unsigned live(struct fixture *fixture, enum flaw flaw)
{
	unsigned seed = toy.seed;

	memset(&toy, 0, sizeof(toy));
	toy.seed = seed;
	toy.f = fixture;
	toy.flaw = flaw;
	toy.now = NOW;
	for (unsigned j = 0; j < JOBS; j++)
		submit(j);
	report_snapshot();
	for (int i = 0; i < STEPS; i++)
		step();
	return wrong_sums();
}

static void test_everything_used_is_booked_once_however_often_the_scheduler_dies(void **state)
{
	assert_int_equal(live(*state, FLAWLESS), 0);
	assert_true(toy.kills > STEPS / 5 && toy.finished > STEPS / 5);
}

static void test_acknowledging_before_the_commit_loses_usage(void **state)
{
	assert_true(live(*state, ACKNOWLEDGES_TOO_EARLY) > 0);
}

static void test_a_store_that_forgets_booked_usage_counts_twice(void **state)
{
	assert_true(live(*state, FORGETS_WHAT_WAS_BOOKED) > 0);
}

static int seed_print(void **state)
{
	(void)state;
	toy.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	print_message("SEED=%u\n", toy.seed);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_everything_used_is_booked_once_however_often_the_scheduler_dies),
		CELL_TEST(test_acknowledging_before_the_commit_loses_usage),
		CELL_TEST(test_a_store_that_forgets_booked_usage_counts_twice),
	};

	return cmocka_run_group_tests(tests, seed_print, NULL);
}
