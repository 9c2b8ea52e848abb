/* SPDX-License-Identifier: Apache-2.0 */
/* What running tasks use, and what load they still cause: booked before a run looks for room. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"

static uint32_t pe_number(const struct cell *cell, const char *name)
{
	for (size_t i = 0; i < cell->npes; i++)
		if (strcmp(cell->pes[i].name, name) == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}

static uint32_t granted_instance(const struct run *run, const struct dispatch *d, const struct granted_entry *granted)
{
	const struct state *state = run->mirror->state;
	uint32_t told = index_find(&state->instance_index, state->instance_names, granted->queue);

	return told == INDEX_NONE ? UINT32_MAX : cluster_instance(&d->cluster, told);
}

/* What it has in instances that are there. */
static int task_grant(const struct run *run, struct dispatch *d, const struct task *t, struct grant *g)
{
	grant_clear(g);
	if (t->granted_pe != NONE)
		g->pe = pe_number(d->cell, strings_text(run->strings, t->granted_pe));
	for (size_t k = 0; k < t->ngranted; k++) {
		uint32_t instance = granted_instance(run, d, &t->granted[k]);

		if (instance != UINT32_MAX && grant_add(g, instance, t->granted[k].slots, false))
			return -ENOMEM;
		g->slots += t->granted[k].slots;
	}
	return 0;
}

/* The host of an instance that there is no more. */
static uint32_t lost_host(const struct run *run, const struct dispatch *d, const struct granted_entry *granted)
{
	const char *at = granted_instance(run, d, granted) == UINT32_MAX ? strchr(strings_text(run->strings, granted->queue), '@') : NULL;

	return at ? cluster_host(&d->cluster, at + 1) : UINT32_MAX;
}

/* What it has in others is taken from their hosts. */
static int lost_book(const struct run *run, struct dispatch *d, const struct task *t, struct category *category, int64_t begin, int64_t end)
{
	int rc = 0;

	for (size_t k = 0; k < t->ngranted && rc == 0; k++) {
		uint32_t host = lost_host(run, d, &t->granted[k]);

		if (host != UINT32_MAX)
			rc = grant_book_host(d, category, host, t->granted[k].slots, k == 0, begin, end);
	}
	return rc;
}

static int64_t runtime_of(const struct dispatch *d, const struct task *t)
{
	return d->now > t->start_time ? d->now - t->start_time : 0;
}

/* A task that should have ended is taken to end one interval from now. */
static int64_t end_of(const struct dispatch *d, const struct task *t, int64_t duration)
{
	int64_t end = duration == TIMELINE_NEVER ? TIMELINE_NEVER : t->start_time + duration;

	return end > d->now ? end : d->now + d->cell->sched.schedule_interval;
}

/* Nobody asks what was booked in the past: one change there does for all tasks of a line. */
static int64_t began_at(const struct dispatch *d, const struct task *t)
{
	return t->start_time < d->now ? BOOKINGS_PAST : d->now;
}

void running_span(const struct dispatch *d, const struct task *t, int64_t duration, int64_t *begin, int64_t *end)
{
	*begin = began_at(d, t);
	*end = end_of(d, t, duration);
}

struct running_walk {
	const struct run *run;
	struct dispatch *d;
	struct grant grant;		/* scratch */
	double shares;			/* of load corrections, of the job at hand */
	uint64_t nth;			/* the task, of all that run or are suspended */
	/* running_unlimited() */
	int64_t beyond;
	struct unlimited_tasks *unlimited;
};

/* Until when a task is taken to run. */
static int64_t task_end(const struct running_walk *w, const struct task *t, const struct category *category)
{
	return end_of(w->d, t, category_running_duration(w->d, category, t->wallclock_limit, &w->grant));
}

/* The load that it still causes. */
static void task_load(struct running_walk *w, double share)
{
	const struct grant *g = &w->grant;
	struct dispatch *d = w->d;

	for (size_t k = 0; k < g->n && share > 0; k++) {
		load_correct_host(&d->cluster, d->cluster.instances[g->entries[k].instance].host, share, g->entries[k].slots);
		w->shares += share;
	}
}

static double share_of(const struct dispatch *d, const struct task *t)
{
	uint32_t decay = d->cell->sched.load_adjustment_decay_time;

	return decay > 0 ? load_share(runtime_of(d, t), decay) : 0.0;
}

static int task_book(struct running_walk *w, const struct task *t, struct category *category)
{
	struct dispatch *d = w->d;
	int64_t begin = began_at(d, t), end;
	const struct grant *g = &w->grant;
	int rc = task_grant(w->run, d, t, &w->grant);

	if (rc)
		return rc;
	task_load(w, share_of(d, t));
	end = task_end(w, t, category);
	rc = grant_book_running(d, category, g, begin, end, &(struct quota_turn){ t->start_time, w->nth });
	return rc ? rc : lost_book(w->run, d, t, category, begin, end);
}

static int task_tell(struct running_walk *w, const struct task *t, struct category *category)
{
	int rc = task_grant(w->run, w->d, t, &w->grant);
	int64_t end = rc ? 0 : task_end(w, t, category);

	if (rc)
		return rc;
	schedule_grant(w->d, category, &w->grant, &(struct schedule_task){ job_fact(&w->run->mirror->state->jobs, t->row, number), t->id,
			t->suspended ? SCHEDULE_SUSPENDED : SCHEDULE_RUNNING, t->start_time, schedule_seconds(end, t->start_time) });
	return 0;
}

/* The same, where what was booked in the run before is kept. */
static int task_keep(struct running_walk *w, const struct task *t, struct category *category)
{
	struct dispatch *d = w->d;
	double share = share_of(d, t);
	int rc = share > 0 ? task_grant(w->run, d, t, &w->grant) : 0;

	if (rc)
		return rc;
	if (share > 0)
		task_load(w, share);
	return bookings_task(d, w->run, (uint32_t)(t - w->run->mirror->state->tasks.items), category);
}

/* In the order of the job list. */
static int walk(struct running_walk *w, bool suspended, int (*visit)(struct running_walk *w, const struct task *t, struct category *category))
{
	const struct state *state = w->run->mirror->state;
	int rc = 0;

	w->nth = 0;
	for (size_t i = 0; i < w->run->started.n && rc == 0; i++) {
		uint32_t row = w->run->started.rows[i];

		w->shares = 0.0;
		for (uint32_t t = state->jobs.first_task[row]; t != NONE && rc == 0; t = state->tasks.items[t].next) {
			struct category *category;

			w->nth++;
			if (state->tasks.items[t].suspended != suspended)
				continue;
			category = categories_of_running(w->d->categories, row);
			rc = category ? visit(w, &state->tasks.items[t], category) : -ENOMEM;
		}
		load_correct_global(&w->d->cluster, w->shares);
	}
	return rc;
}

/*
 * Those that run first, then those that are suspended. When they began says in which order quota
 * sets come, so lines are told afterwards.
 */
int running_book(const struct run *run, struct dispatch *d)
{
	struct running_walk w = { .run = run, .d = d };
	int (*visit)(struct running_walk *w, const struct task *t, struct category *category) = d->bookings.keeps ? task_keep : task_book;
	int rc = walk(&w, false, visit);

	rc = rc ? rc : walk(&w, true, visit);
	if (rc == 0 && d->bookings.keeps)
		rc = bookings_end(d);
	quotas_order(d->quotas);
	if (d->lines && d->timed) {
		rc = rc ? rc : walk(&w, false, task_tell);
		rc = rc ? rc : walk(&w, true, task_tell);
	}
	grant_free(&w.grant);
	return rc;
}

static int task_unlimited(struct running_walk *w, const struct task *t, struct category *category)
{
	int rc = task_grant(w->run, w->d, t, &w->grant);
	int64_t end = rc ? 0 : task_end(w, t, category);

	if (rc || end <= w->beyond || !category_runs_without_limit(w->d, category, t->wallclock_limit, &w->grant))
		return rc;
	if (w->unlimited->n++ == 0 || end > w->unlimited->end) {
		w->unlimited->job_number = job_fact(&w->run->mirror->state->jobs, t->row, number);
		w->unlimited->end = end;
	}
	return 0;
}

int running_unlimited(const struct run *run, struct dispatch *d, int64_t beyond, struct unlimited_tasks *found)
{
	struct running_walk w = { .run = run, .d = d, .beyond = beyond, .unlimited = found };
	int rc;

	*found = (struct unlimited_tasks){ 0 };
	rc = walk(&w, false, task_unlimited);
	rc = rc ? rc : walk(&w, true, task_unlimited);
	grant_free(&w.grant);
	return rc;
}

/* In instances that there are, and on the hosts of others. */
int running_parts(const struct run *run, struct dispatch *d, const struct task *t, struct category *category, struct booked_task *b)
{
	struct grant g = { .entries = NULL };
	int rc = task_grant(run, d, t, &g);

	rc = rc ? rc : grant_record(d, category, &g, b);
	b->duration = category_running_duration(d, category, t->wallclock_limit, &g);
	for (size_t k = 0; k < t->ngranted && rc == 0; k++) {
		uint32_t host = lost_host(run, d, &t->granted[k]);

		if (host != UINT32_MAX)
			rc = grant_record_host(d, category, host, t->granted[k].slots, k == 0, b);
	}
	grant_free(&g);
	return rc;
}
