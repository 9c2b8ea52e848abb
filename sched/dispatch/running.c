/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/running.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/book.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/schedule.h"
#include "sched/run/run.h"

static uint32_t pe_number(const struct cell *cell, const char *name)
{
	for (size_t i = 0; i < cell->npes; i++)
		if (strcmp(cell->pes[i].name, name) == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}

static uint32_t granted_instance(const struct run *run, const struct supply *supply,
				 const struct granted_entry *granted)
{
	const struct state *state = run->mirror->state;
	uint32_t reported = index_find(&state->instance_index, state->instance_names, granted->queue);

	return reported == INDEX_NONE ? UINT32_MAX : cluster_instance(&supply->cluster, reported);
}

/* Build the grant of a task from the instances that exist. */
static int task_grant(const struct run *run, struct supply *supply, const struct task *task, struct grant *grant)
{
	grant_clear(grant);
	if (task->granted_pe != NONE)
		grant->pe = pe_number(supply->cell, strings_text(run->strings, task->granted_pe));
	for (size_t k = 0; k < task->ngranted; k++) {
		uint32_t instance = granted_instance(run, supply, &task->granted[k]);

		if (instance != UINT32_MAX && grant_add(grant, instance, task->granted[k].slots, false))
			return -ENOMEM;
		grant->slots += task->granted[k].slots;
	}
	return 0;
}

/* Return the host of an instance that no longer exists. */
static uint32_t lost_host(const struct run *run, const struct supply *supply, const struct granted_entry *granted)
{
	const char *at = granted_instance(run, supply, granted) == UINT32_MAX
				 ? strchr(strings_text(run->strings, granted->queue), '@')
				 : NULL;

	return at ? cluster_host(&supply->cluster, at + 1) : UINT32_MAX;
}

/* Book the slots in instances that no longer exist on their hosts. */
static int lost_book(const struct run *run, struct bookings *bookings, const struct task *task,
		     const struct category *category, int64_t begin, int64_t end)
{
	int rc = 0;

	for (size_t k = 0; k < task->ngranted && rc == 0; k++) {
		uint32_t host = lost_host(run, bookings->supply, &task->granted[k]);

		if (host != UINT32_MAX)
			rc = grant_book_host(bookings, category, host, task->granted[k].slots, k == 0, begin, end);
	}
	return rc;
}

static int64_t runtime_of(const struct supply *supply, const struct task *task)
{
	return supply->now > task->start_time ? supply->now - task->start_time : 0;
}

/*
 * Return the expected end of a task. A task that should have ended is assumed to end one
 * schedule_interval from now.
 */
static int64_t end_of(const struct supply *supply, const struct task *task, int64_t duration)
{
	int64_t end = duration == TIMELINE_NEVER ? TIMELINE_NEVER : task->start_time + duration;

	return end > supply->now ? end : supply->now + supply->cell->sched.schedule_interval;
}

/*
 * Return the begin to book. Bookings in the past are not queried, so all tasks that began in the
 * past begin at one common time.
 */
static int64_t began_at(const struct supply *supply, const struct task *task)
{
	return task->start_time < supply->now ? BOOKINGS_PAST : supply->now;
}

struct running_walk {
	const struct run *run;
	struct bookings *bookings;
	struct supply *supply;		/* of `bookings` */
	struct categories *categories;
	struct schedule_lines *lines;	/* NULL: not wanted */
	struct grant grant;		/* scratch */
	double shares;			/* load corrections of the current job */
	/* number of the task among all running and suspended tasks */
	uint64_t nth;
	/* for running_unlimited() */
	int64_t beyond;
	struct unlimited_tasks *unlimited;
};

/* Return the time until which a task is assumed to run. */
static int64_t task_end(const struct running_walk *walk, const struct task *task, const struct category *category)
{
	int64_t duration = category_running_duration(walk->supply, category, task->wallclock_limit, &walk->grant);

	return end_of(walk->supply, task, duration);
}

/* Add the load that the task still causes. */
static void task_load(struct running_walk *walk, double share)
{
	const struct grant *grant = &walk->grant;
	struct supply *supply = walk->supply;

	for (size_t k = 0; k < grant->n && share > 0; k++) {
		load_correct_host(&supply->cluster, supply->cluster.instances[grant->entries[k].instance].host,
				  share, grant->entries[k].slots);
		walk->shares += share;
	}
}

static double share_of(const struct supply *supply, const struct task *task)
{
	uint32_t decay = supply->cell->sched.load_adjustment_decay_time;

	return decay > 0 ? load_share(runtime_of(supply, task), decay) : 0.0;
}

static int task_book(struct running_walk *walk, const struct task *task, const struct category *category)
{
	struct supply *supply = walk->supply;
	int64_t begin = began_at(supply, task), end;
	const struct grant *grant = &walk->grant;
	int rc = task_grant(walk->run, supply, task, &walk->grant);

	if (rc)
		return rc;
	task_load(walk, share_of(supply, task));
	end = task_end(walk, task, category);
	rc = grant_book_running(walk->bookings, category, grant, begin, end,
				&(struct quota_turn){ task->start_time, walk->nth });
	return rc ? rc : lost_book(walk->run, walk->bookings, task, category, begin, end);
}

static int task_write(struct running_walk *walk, const struct task *task, const struct category *category)
{
	int rc = task_grant(walk->run, walk->supply, task, &walk->grant);
	int64_t end = rc ? 0 : task_end(walk, task, category);

	if (rc)
		return rc;
	schedule_grant(walk->lines, walk->supply, category, &walk->grant,
		       &(struct schedule_task){ job_fact(&walk->run->mirror->state->jobs, task->row, number), task->id,
						task->suspended ? SCHEDULE_SUSPENDED : SCHEDULE_RUNNING,
						task->start_time, schedule_seconds(end, task->start_time) });
	return 0;
}

/*
 * Record what a task uses and how long it is assumed to run: parts in existing instances, and on
 * the hosts of instances that no longer exist.
 */
static int parts_record(struct bookings *bookings, const struct run *run, const struct task *task,
			const struct category *category, struct booked_task *booked_task)
{
	struct supply *supply = bookings->supply;
	struct grant grant = { .entries = NULL };
	int rc = task_grant(run, supply, task, &grant);

	rc = rc ? rc : grant_record(bookings, category, &grant, booked_task);
	booked_task->duration = category_running_duration(supply, category, task->wallclock_limit, &grant);
	for (size_t k = 0; k < task->ngranted && rc == 0; k++) {
		uint32_t host = lost_host(run, supply, &task->granted[k]);

		if (host != UINT32_MAX)
			rc = grant_record_host(bookings, category, host, task->granted[k].slots, k == 0, booked_task);
	}
	grant_free(&grant);
	return rc;
}

/* Book a task when the bookings of the previous run are kept. */
static int task_keep(struct running_walk *walk, const struct task *task, const struct category *category)
{
	struct supply *supply = walk->supply;
	double share = share_of(supply, task);
	struct booked_task *booked;
	bool has_changed;
	int rc = share > 0 ? task_grant(walk->run, supply, task, &walk->grant) : 0;

	if (rc)
		return rc;
	if (share > 0)
		task_load(walk, share);
	rc = bookings_find(walk->bookings, walk->run, (uint32_t)(task - walk->run->mirror->state->tasks.items), &booked,
			   &has_changed);
	if (rc == 0 && has_changed)
		rc = parts_record(walk->bookings, walk->run, task, category, booked);
	return rc ? rc
		  : bookings_renew(walk->bookings, booked, began_at(supply, task),
				   end_of(supply, task, booked->duration));
}

typedef int running_visit(struct running_walk *running_walk, const struct task *task, const struct category *category);

/* Visit the started tasks in the order of the job list. */
static int walk(struct running_walk *running_walk, bool suspended, running_visit *visit)
{
	const struct state *state = running_walk->run->mirror->state;
	int rc = 0;

	running_walk->nth = 0;
	for (size_t i = 0; i < running_walk->run->started.n && rc == 0; i++) {
		uint32_t row = running_walk->run->started.rows[i];

		running_walk->shares = 0.0;
		for (uint32_t task = state->jobs.first_task[row]; task != NONE && rc == 0;
		     task = state->tasks.items[task].next) {
			const struct category *category;

			running_walk->nth++;
			if (state->tasks.items[task].suspended != suspended)
				continue;
			category = categories_of_running(running_walk->categories, row);
			rc = category ? visit(running_walk, &state->tasks.items[task], category) : -ENOMEM;
		}
		load_correct_global(&running_walk->supply->cluster, running_walk->shares);
	}
	return rc;
}

/*
 * Book the running tasks first, then the suspended ones. Their start times determine the order of
 * the quota sets, so `schedule` lines are written afterwards.
 */
int running_book(struct bookings *bookings, struct categories *categories, const struct run *run,
		 struct schedule_lines *lines)
{
	struct running_walk running_walk = {
		.run = run, .bookings = bookings, .supply = bookings->supply, .categories = categories, .lines = lines
	};
	running_visit *visit = bookings->keeps ? task_keep : task_book;
	int rc = walk(&running_walk, false, visit);

	rc = rc ? rc : walk(&running_walk, true, visit);
	if (rc == 0 && bookings->keeps)
		rc = bookings_end(bookings);
	quotas_order(bookings->supply->quotas);
	if (lines && bookings->supply->timed) {
		rc = rc ? rc : walk(&running_walk, false, task_write);
		rc = rc ? rc : walk(&running_walk, true, task_write);
	}
	grant_free(&running_walk.grant);
	return rc;
}

static int task_unlimited(struct running_walk *walk, const struct task *task, const struct category *category)
{
	int rc = task_grant(walk->run, walk->supply, task, &walk->grant);
	int64_t end = rc ? 0 : task_end(walk, task, category);

	if (rc || end <= walk->beyond ||
	    !category_runs_without_limit(walk->supply, category, task->wallclock_limit, &walk->grant))
		return rc;
	if (walk->unlimited->n++ == 0 || end > walk->unlimited->end) {
		walk->unlimited->job_number = job_fact(&walk->run->mirror->state->jobs, task->row, number);
		walk->unlimited->end = end;
	}
	return 0;
}

int running_unlimited(struct bookings *bookings, struct categories *categories, const struct run *run, int64_t beyond,
		      struct unlimited_tasks *found)
{
	struct running_walk running_walk = { .run = run,
					     .bookings = bookings,
					     .supply = bookings->supply,
					     .categories = categories,
					     .beyond = beyond,
					     .unlimited = found };
	int rc;

	*found = (struct unlimited_tasks){ 0 };
	rc = walk(&running_walk, false, task_unlimited);
	rc = rc ? rc : walk(&running_walk, true, task_unlimited);
	grant_free(&running_walk.grant);
	return rc;
}
