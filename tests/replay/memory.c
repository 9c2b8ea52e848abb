/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ended jobs leave no memory in use, for a trace of any length. When memory runs out at any single
 * allocation, a replay ends with that error and leaks no memory.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/replay/play.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

/* Make a job with different names, on queues of which one is subordinate to the other. */
static struct trace_job job_make(uint32_t number, char names[4][32])
{
	struct trace_job job = play_job(number, number * 7, 1 + number % 50, 1 + number % 3);

	for (int i = 0; i < 3; i++)
		snprintf(names[i], 32, "%s%u", i == 0 ? "name" : i == 1 ? "group" : "account", number);
	job.name = names[0];
	job.group = names[1];
	job.project = names[2];
	job.limit_s = number % 4 ? 10 + number : 0;
	job.queue = number % 5 ? "all.q" : "low.q";
	return job;
}

static void cell_make(struct play *play)
{
	play_begin(play);
	play_policy(play, 15, 0, "max_reservation 3\n");
	play_queue(play, "all.q", "ada bly", 4, "subordinate_list low.q=3\n");
	play_queue(play, "low.q", "ada bly", 4, "");
	play_put(play, "calendar/night", "calendar_name night\nyear NONE\nweek mon-sun=22:14-22:15=suspended\n");
	play_queue(play, "night.q", "ada", 1, "calendar night\n");
	play->options.queues = true;
}

struct held {				/* memory held by a scheduler */
	uint64_t strings, jobs, tasks, requests, classes, debited, records;
};

static struct held held_by(struct play *play)
{
	const struct mirror *mirror = sched_mirror(play->sched);

	return (struct held){ strings_holders(mirror->strings),
			      mirror->state->jobs.used,
			      mirror->state->tasks.pool.used,
			      mirror->requests.pool.used,
			      mirror->classes.pool.used,
			      mirror->state->ndebited,
			      (uint64_t)alive };
}

static void give_some(struct play *play, uint32_t first, uint32_t n)
{
	char names[4][32];

	for (uint32_t i = first; i < first + n; i++)
		play_give(play, job_make(i, names));
	play_finish(play);
}

static void test_ended_jobs_leave_no_memory_in_use(void **state)
{
	struct held before, after;
	struct play play;

	(void)state;
	cell_make(&play);
	give_some(&play, 1, 3000);
	before = held_by(&play);
	give_some(&play, 3001, 6000);
	after = held_by(&play);
	assert_int_equal(after.jobs, 0);
	assert_int_equal(after.tasks, 0);
	assert_int_equal(after.requests, 0);
	assert_int_equal(after.debited, 0);
	assert_int_equal(after.classes, before.classes);
	assert_int_equal(after.strings, before.strings);
	if (after.records > before.records + 50)
		fail_msg("%" PRIu64 " allocations are alive, and were %" PRIu64, after.records, before.records);
	play_end(&play);
}

/* Play to the end. Return 0 or the error. */
static int play_all(struct play *play)
{
	struct replay_watch watch = { .context = NULL };
	char names[4][32];
	int rc = replay_create(&play->replay, play->sched, &play->options, &watch, &play->error);

	for (uint32_t i = 1; i <= 12 && rc == 0; i++) {
		struct trace_job job = job_make(i, names);

		rc = replay_job(play->replay, &job, &play->error);
	}
	return rc ? rc : replay_finish(play->replay, &play->error);
}

/* Return 0 if it continued without the memory, or -ENOENT if there was enough memory. */
static int play_with(long allocations)
{
	struct play play;
	int rc;

	cell_make(&play);
	play.options.think = allocations % 2;
	play_create_sched(&play);
	left = allocations;
	rc = play_all(&play);
	rc = rc == 0 && left >= 0 ? -ENOENT : rc;
	left = -1;
	play_end(&play);
	return rc;
}

static void test_a_replay_without_memory_ends_without_a_leak(void **state)
{
	unsigned failures = 0;
	long before;

	(void)state;
	assert_int_equal(play_with(-1), 0);
	before = alive;
	for (long n = 0, rc = 0; rc != -ENOENT; n += n < 150 ? 1 : 1 + n / 60) {
		rc = play_with(n);
		if (rc && rc != -ENOMEM && rc != -ENOENT)
			fail_msg("allocation %ld fails: %ld", n, rc);
		if (alive != before)
			fail_msg("allocation %ld fails: %ld are left", n, alive - before);
		failures += rc == -ENOMEM;
	}
	assert_true(failures > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ended_jobs_leave_no_memory_in_use),
		cmocka_unit_test(test_a_replay_without_memory_ends_without_a_leak),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
