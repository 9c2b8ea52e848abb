/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change is so many steps of its kind. Runs that were made are remembered, so that what was tried
 * for one goal bounds the search for the next; where the priority grows in proportion, arithmetic
 * says where to begin.
 */
#include "sched/explain/advice.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "sched/explain/advice_inside.h"
#include "sched/explain/standing.h"

static const char *const kinds[ADVICE_KINDS] = {
	[ADVICE_PRIORITY] = "priority", [ADVICE_NICE] = "nice", [ADVICE_JOB_PRIO] = "job_prio", [ADVICE_FACTOR] = "factor",
	[ADVICE_WAITING] = "waiting", [ADVICE_USAGE] = "usage",
};
static const char *const goals[ADVICE_GOALS] = { "next", "ten", "first" };

const char *advice_kind_name(enum advice_kind kind)
{
	return kinds[kind];
}

const char *advice_goal_name(enum advice_goal goal)
{
	return goals[goal];
}

uint64_t advice_goal_place(const struct advice *a, enum advice_goal goal)
{
	return goal == ADVICE_FIRST ? 1 : goal == ADVICE_FIRST_TEN ? ADVICE_TEN : a->place - 1;
}

/* Runs */

static struct advice_trial *trial_find(struct advice_lever *l, int64_t steps)
{
	for (size_t i = 0; i < l->ntrials; i++)
		if (l->trials[i].steps == steps)
			return &l->trials[i];
	return NULL;
}

void lever_look(const struct advice_lever *l, const struct fl_view *view, struct advice_trial *t)
{
	struct fl_claimant c;
	struct fl_job job;

	t->place = l->kind == ADVICE_JOB_PRIO ? (fl_claimant(view, l->job->job_number, &c) == 0 ? c.place : 0) :
						standing_rank(view, l->job->job_number);
	t->starts = fl_find(view, l->job->job_number, 0, &job) == 0 && job.is_started && !l->runs_already;
	t->prio = 0.0;
	for (size_t k = 0; fl_find(view, l->job->job_number, k, &job) == 0; k++)
		t->prio = job.prio;
}

static int trial_make(struct advice_lever *l, int64_t steps, struct advice_trial **result)
{
	struct suppositions s = { 0 };
	struct fl_cell *cell = NULL;
	struct advice_trial *t;
	int rc;

	*result = trial_find(l, steps);
	if (*result)
		return 0;
	if (l->ntrials == TRIALS_MOST)
		return error_set(l->error, -E2BIG, "job %u: no answer within %d runs", l->job->job_number, TRIALS_MOST);
	rc = lever_suppose(l, steps, &s);
	rc = rc ? rc : whatif_run(l->whatif, &s, &cell, l->error);
	if (rc == 0) {
		t = &l->trials[l->ntrials++];
		t->steps = steps;
		lever_look(l, fl_begin(cell), t);
		fl_end(cell);
		*result = t;
		l->runs++;
	}
	fl_detach(cell);
	suppose_nothing(&s);
	return rc;
}

/* The search for a goal */

static bool reaches(const struct advice_trial *t, uint64_t goal)
{
	return t->starts || (t->place > 0 && t->place <= goal);
}

struct bracket { int64_t low, high; };	/* does not, does; high 0: none does yet */

/* From what was tried. */
static struct bracket bracket_of(const struct advice_lever *l, uint64_t goal)
{
	struct bracket b = { 0, 0 };

	for (size_t i = 0; i < l->ntrials; i++)
		if (reaches(&l->trials[i], goal) && (!b.high || l->trials[i].steps < b.high))
			b.high = l->trials[i].steps;
	for (size_t i = 0; i < l->ntrials; i++)
		if (!reaches(&l->trials[i], goal) && l->trials[i].steps > b.low && (!b.high || l->trials[i].steps < b.high))
			b.low = l->trials[i].steps;
	return b;
}

static int try(struct advice_lever *l, int64_t steps, uint64_t goal, struct bracket *b)
{
	struct advice_trial *t;
	int rc = trial_make(l, steps, &t);

	if (rc == 0 && reaches(t, goal))
		b->high = steps;
	else if (rc == 0)
		b->low = steps;
	return rc;
}

/* Where the priority would be that of who has the place now, if it grows in proportion. */
static int64_t guess(struct advice_lever *l, uint64_t goal)
{
	const struct advice_trial *most = trial_find(l, l->most);
	double now = l->trials[0].prio, there = lever_prio_at(l, goal);

	if (!l->is_linear || !most || !(most->prio > now) || !(there >= now))
		return 0;
	return (int64_t)fmin(ceil((there - now) / (most->prio - now) * (double)l->most), 0x1p62);
}

/* A run at the guess, and one on its other side. */
static int narrow(struct advice_lever *l, uint64_t goal, struct bracket *b)
{
	int64_t at = guess(l, goal);
	int rc = 0;

	if (at > b->low && at < b->high)
		rc = try(l, at, goal, b);
	at += b->high == at ? -1 : 1;
	if (rc == 0 && at > b->low && at < b->high)
		rc = try(l, at, goal, b);
	return rc;
}

/* The first of growing changes that does. */
static int scan(struct advice_lever *l, uint64_t goal, struct bracket *b)
{
	int rc = 0;

	for (int64_t at = 1; rc == 0 && !b->high && b->low < l->most; at = at > l->most / 4 ? l->most : at * 4)
		if (at > b->low)
			rc = try(l, at, goal, b);
	return rc;
}

static int solve(struct advice_lever *l, uint64_t goal, struct advice_answer *answer)
{
	struct bracket b = bracket_of(l, goal);
	int rc = l->is_scanned ? scan(l, goal, &b) : 0;
	struct advice_trial *t;

	if (rc || !b.high)
		return rc;
	rc = narrow(l, goal, &b);
	while (rc == 0 && b.high - b.low > 1)
		rc = try(l, b.low + (b.high - b.low) / 2, goal, &b);
	if (rc == 0)
		rc = trial_make(l, b.high, &t);
	if (rc)
		return rc;
	answer->found = true;
	answer->value = lever_value(l, b.high);
	answer->place = t->starts ? 0 : t->place;
	return 0;
}

/* Which goals are worth a question: each place once. */
static void ask(struct advice *a)
{
	a->answers[ADVICE_PAST_NEXT].asked = a->place > 1;
	a->answers[ADVICE_FIRST_TEN].asked = a->place > ADVICE_TEN + 1;
	a->answers[ADVICE_FIRST].asked = a->place > 2;
}

static int lever_pull(struct advice_lever *l, struct advice *a)
{
	struct advice_trial *most;
	int rc = 0;

	*a = (struct advice){ .kind = l->kind, .never = l->never, .place = l->trials[0].place, .from = lever_value(l, 0), .most = lever_value(l, l->most) };
	ask(a);
	if (l->never || a->place < 2)
		return 0;
	if (!l->is_scanned)
		rc = trial_make(l, l->most, &most);
	for (int goal = 0; rc == 0 && goal < ADVICE_GOALS; goal++)
		if (a->answers[goal].asked)
			rc = solve(l, advice_goal_place(a, (enum advice_goal)goal), &a->answers[goal]);
	if (rc == 0 && (most = trial_find(l, l->most)))
		a->most_place = most->starts ? 0 : most->place;
	return rc;
}

/* All of them */

static uint64_t own_ahead(const struct fl_view *view, const struct fl_job *job)
{
	struct standing_place s;
	uint64_t n = 0;

	if (standing_find(&s, view, job->job_number) == 0)
		for (size_t i = 0; i < s.nusers; i++)
			if (strcmp(s.users[i].name, job->owner) == 0)
				n = s.users[i].jobs;
	standing_free(&s);
	return n;
}

int advices_find(struct advices *a, const struct fl_view *view, const struct fl_job *job, struct error *error)
{
	int rc = 0;

	*a = (struct advices){ 0 };
	if (job->is_started || standing_rank(view, job->job_number) == 0)
		return 0;
	a->own = own_ahead(view, job);
	for (int kind = 0; rc == 0 && kind < ADVICE_KINDS; kind++) {
		struct advice_lever l = { .kind = (enum advice_kind)kind, .view = view, .job = job, .error = error };

		rc = lever_open(&l);
		if (rc == 0 && l.exists) {
			rc = lever_pull(&l, &a->items[a->n++]);
			a->runs += l.runs;
		}
		lever_close(&l);
	}
	return rc;
}
