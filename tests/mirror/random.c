/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random events, with snapshots and orders among them, against a model. The model knows only which
 * tasks wait, were ordered to start, and run, and their usage. Without decay a user's usage is the
 * sum over all its ended and running tasks. No report is lost or counted twice. Usage of a task
 * whose order was voided is not included. Only the usage of tasks of deleted jobs may be booked or
 * not. FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>

#include "tests/mirror/cell.h"
#include "tests/naive/cells.h"

#define JOBS 7
#define TASKS 5
#define EVENTS 30000

enum { ABSENT, WAITING, ORDERED, RUNNING, ENDED };

struct model_job {
	int owner;			/* -1: no such job */
	int64_t submission_time;	/* unique, otherwise they would be the same job */
	int task[TASKS];
	double used[TASKS];		/* usage of running and ordered tasks */
	uint64_t order[TASKS];
};

static const char *const owners[] = { "ann", "bob", "cal" };
static struct model_job jobs[JOBS];
static double ended[3], deleted[3];	/* usage of tasks, by owner */
static uint64_t randomness, orders, births;

static uint64_t below(uint64_t n)
{
	return random_below(&randomness, n);
}

static int count(const struct model_job *job, int kind)
{
	int n = 0;

	for (int t = 0; t < TASKS; t++)
		n += job->task[t] == kind;
	return n;
}

/* Events */

static void tell_add(struct fixture *fixture, uint32_t number, const struct model_job *job)
{
	char tasks[40] = "";

	for (int t = 0; t < TASKS; t++)
		if (job->task[t] == WAITING || job->task[t] == RUNNING)
			sprintf(tasks + strlen(tasks), "%s%d", *tasks ? "," : "", t + 1);
	TELL(fixture, "{'event':'job_add','submission_time':%lld,'job_number':%u,'owner':'%s','tasks':'%s'}",
	     (long long)job->submission_time, number, owners[job->owner], tasks);
}

static void report_usage(struct fixture *fixture, uint32_t number, int t, const struct model_job *job)
{
	TELL(fixture, USAGE "%u,'task':%d,'scaled_usage':{'cpu':%.0f}}", number, t + 1, job->used[t]);
}

static void add(struct fixture *fixture, uint32_t number, struct model_job *job)
{
	*job = (struct model_job){ .owner = (int)below(3), .submission_time = NOW - 1000000 + (int64_t)++births };
	for (int t = 0; t < TASKS; t++)
		job->task[t] = t == 0 || below(2) ? WAITING : ABSENT;
	tell_add(fixture, number, job);
}

static void forget(struct model_job *job)
{
	for (int t = 0; t < TASKS; t++)
		deleted[job->owner] += job->used[t];
	job->owner = -1;
}

static void task_ends(struct model_job *job, int t, int becomes)
{
	ended[job->owner] += job->used[t];
	job->used[t] = 0;
	job->task[t] = becomes;
	if (count(job, WAITING) + count(job, ORDERED) + count(job, RUNNING) == 0)
		job->owner = -1;
}

/* Orders */

static void give_order(struct fixture *fixture, uint32_t number, struct model_job *job, int t)
{
	const struct granted granted = { .queue = "all.q@node", .slots = 2 };

	job->order[t] = ++orders;
	assert_int_equal(mirror_order_start(sched_mirror(fixture->sched), number, (uint32_t)t + 1, NOW, &granted, 1,
					    NULL, orders, &fixture->error),
			 0);
	job->task[t] = ORDERED;
}

static int void_order(struct fixture *fixture, uint32_t number, const struct model_job *job, int t)
{
	return mirror_order_void(sched_mirror(fixture->sched), number, (uint32_t)t + 1, job->order[t], &fixture->error);
}

/* Change tasks so that some ordered ones are no longer pending. */
static void change_tasks(struct fixture *fixture, uint32_t number, struct model_job *job)
{
	char tasks[40] = "";

	for (int t = 0; t < TASKS; t++) {
		if (job->task[t] == ORDERED && below(2)) {
			job->task[t] = ABSENT;
			job->used[t] = 0;
		}
		if (job->task[t] == WAITING || job->task[t] == ORDERED)
			sprintf(tasks + strlen(tasks), "%s%d", *tasks ? "," : "", t + 1);
	}
	TELL(fixture, MODIFY "%u,'tasks':'%s'}", number, tasks);
	if (*tasks || count(job, RUNNING))
		return;
	TELL(fixture, DELETE "%u}", number);
	job->owner = -1;
}

static void ordered_event(struct fixture *fixture, uint32_t number, struct model_job *job, int t)
{
	switch (below(6)) {
	case 0:
	case 1:
		TELL(fixture, START "%u,'task':%d}", number, t + 1);
		job->task[t] = RUNNING;
		assert_int_equal(void_order(fixture, number, job, t), -ENOENT);
		break;
	case 2:
		assert_int_equal(void_order(fixture, number, job, t), 0);
		assert_int_equal(void_order(fixture, number, job, t), -ENOENT);
		job->task[t] = WAITING;
		job->used[t] = 0;
		break;
	case 3:
		job->used[t] += (double)below(1000);
		report_usage(fixture, number, t, job);
		break;
	case 4:
		change_tasks(fixture, number, job);
		break;
	default:
		TELL(fixture, FINISH "%u,'task':%d}", number, t + 1);
		task_ends(job, t, ENDED);
	}
}

static void task_event(struct fixture *fixture, uint32_t number, struct model_job *job, int t)
{
	double *used = &job->used[t];

	if (job->task[t] == ORDERED) {
		ordered_event(fixture, number, job, t);
	} else if (job->task[t] == WAITING && below(2)) {
		give_order(fixture, number, job, t);
	} else if (job->task[t] == WAITING) {
		TELL(fixture, START "%u,'task':%d}", number, t + 1);
		job->task[t] = RUNNING;
	} else if (job->task[t] == RUNNING && below(3) > 0) {
		*used += (double)below(1000);
		report_usage(fixture, number, t, job);
	} else if (job->task[t] == RUNNING && below(3) == 0) {
		TELL(fixture, STATE "%u,'task':%d,'state':'%s'}", number, t + 1, below(2) ? "s" : "r");
	} else if (job->task[t] == RUNNING) {
		bool again = below(3) == 0;

		*used += again ? 0 : 5;
		if (again)
			TELL(fixture, REQUEUE "%u,'task':%d}", number, t + 1);
		else
			TELL(fixture, FINISH "%u,'task':%d,'scaled_usage':{'cpu':%.0f}}", number, t + 1, *used);
		task_ends(job, t, again ? WAITING : ENDED);
	}
}

static void random_event(struct fixture *fixture)
{
	uint32_t number = 1 + (uint32_t)below(JOBS);
	struct model_job *job = &jobs[number - 1];

	if (job->owner < 0) {
		add(fixture, number, job);
	} else if (below(40) == 0) {
		TELL(fixture, DELETE "%u}", number);
		forget(job);
	} else {
		task_event(fixture, number, job, (int)below(TASKS));
	}
}

/* Void orders: all at a snapshot, sometimes one before it. */
static void void_orders(struct fixture *fixture, uint32_t number, struct model_job *job)
{
	for (int t = 0; t < TASKS; t++) {
		if (job->task[t] != ORDERED)
			continue;
		if (below(3) == 0)
			assert_int_equal(void_order(fixture, number, job, t), 0);
		job->task[t] = WAITING;
		job->used[t] = 0;
	}
}

/* Send a snapshot without some jobs, which are then deleted. */
static void random_snapshot(struct fixture *fixture)
{
	SNAPSHOT(fixture);
	for (uint32_t number = 1; number <= JOBS; number++) {
		struct model_job *job = &jobs[number - 1];

		if (job->owner >= 0 && below(6) == 0)
			forget(job);
		if (job->owner < 0)
			continue;
		void_orders(fixture, number, job);
		tell_add(fixture, number, job);
		for (int t = 0; t < TASKS; t++)
			if (job->task[t] == RUNNING) {
				TELL(fixture, START "%u,'task':%d}", number, t + 1);
				report_usage(fixture, number, t, job);
			}
	}
	if (below(4) == 0) {
		REFUSE(fixture, "no job", DELETE "99}");
		events_break(&fixture->events);	/* without effect: the next snapshot is complete */
		SNAPSHOT(fixture);
		for (uint32_t number = 1; number <= JOBS; number++)
			if (jobs[number - 1].owner >= 0)
				forget(&jobs[number - 1]);
	}
	SNAPSHOT_END(fixture);
}

/* Checks after each run */

static void check(const struct fixture *fixture)
{
	double running[3] = { 0 };

	for (uint32_t number = 1; number <= JOBS; number++) {
		const struct model_job *job = &jobs[number - 1];
		size_t expected =
			job->owner < 0
				? 0
				: (size_t)(count(job, ORDERED) + count(job, RUNNING) + (count(job, WAITING) > 0));

		assert_int_equal(rows(fixture, number), expected);
		for (int t = 0; job->owner >= 0 && t < TASKS; t++)
			running[job->owner] += job->task[t] == RUNNING ? job->used[t] : 0;
	}
	for (int k = 0; k < 3; k++) {
		double cpu = used(fixture, FL_USER, owners[k]).cpu, least = ended[k] + running[k];

		if (cpu < least || cpu > least + deleted[k])
			fail_msg("usage of %s is %.0f, not %.0f to %.0f", owners[k], cpu, least, least + deleted[k]);
		ended[k] += cpu - least;	/* usage booked for deleted jobs is certain now */
		deleted[k] = 0;
	}
}

static void test_random_events_lose_no_usage_and_book_none_twice(void **state)
{
	struct fixture *fixture = *state;

	randomness = seed_get("random events");
	put_sched_conf(fixture, 0, "cpu=1", "none");
	reload(fixture);
	for (int k = 0; k < JOBS; k++)
		jobs[k].owner = -1;
	for (int i = 0; i < EVENTS; i++) {
		random_event(fixture);
		if (below(300) == 0)
			random_snapshot(fixture);
		else if (below(12) > 0)
			continue;
		run(fixture, NOW + i);
		check(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_random_events_lose_no_usage_and_book_none_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
