/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search for the least change that reaches a goal. A change is a number of steps of its kind. Runs
 * of earlier searches are kept, so that the runs for one goal narrow the search for the next. If
 * the priority grows in proportion to the steps, the search begins at the computed value.
 */
#include "sched/explain/advice.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "sched/explain/advice_inside.h"
#include "sched/explain/standing.h"

static const char *const kinds[ADVICE_KINDS] = {
	[ADVICE_PRIORITY] = "priority", [ADVICE_NICE] = "nice", [ADVICE_JOB_PRIO] = "job_prio",
	[ADVICE_FACTOR] = "factor", [ADVICE_WAITING] = "waiting", [ADVICE_USAGE] = "usage",
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

uint64_t advice_goal_place(const struct advice *advice, enum advice_goal goal)
{
	return goal == ADVICE_FIRST ? 1 : goal == ADVICE_FIRST_TEN ? ADVICE_TEN : advice->place - 1;
}

/* Runs */

static struct advice_trial *trial_find(struct advice_change *change, int64_t steps)
{
	for (size_t i = 0; i < change->ntrials; i++)
		if (change->trials[i].steps == steps)
			return &change->trials[i];
	return NULL;
}

void change_read(const struct advice_change *change, const struct fl_view *view, struct advice_trial *trial)
{
	struct fl_claimant claimant;
	struct fl_job job;

	trial->place = change->kind == ADVICE_JOB_PRIO
			       ? (fl_claimant(view, change->job->job_number, &claimant) == 0 ? claimant.place : 0)
			       : standing_rank(view, change->job->job_number);
	trial->starts = fl_find(view, change->job->job_number, 0, &job) == 0 && job.is_started && !change->runs_already;
	trial->prio = 0.0;
	for (size_t k = 0; fl_find(view, change->job->job_number, k, &job) == 0; k++)
		trial->prio = job.prio;
}

static int trial_make(struct advice_change *change, int64_t steps, struct advice_trial **result)
{
	struct suppositions suppositions = { 0 };
	struct fl_cell *cell = NULL;
	struct advice_trial *trial;
	int rc;

	*result = trial_find(change, steps);
	if (*result)
		return 0;
	if (change->ntrials == TRIALS_MOST)
		return error_set(change->error, -E2BIG, "job %u: no answer within %d runs", change->job->job_number,
				 TRIALS_MOST);
	rc = change_suppose(change, steps, &suppositions);
	rc = rc ? rc : whatif_run(change->whatif, &suppositions, &cell, change->error);
	if (rc == 0) {
		trial = &change->trials[change->ntrials++];
		trial->steps = steps;
		change_read(change, fl_begin(cell), trial);
		fl_end(cell);
		*result = trial;
		change->runs++;
	}
	fl_detach(cell);
	suppose_nothing(&suppositions);
	return rc;
}

/* The search for a goal */

static bool reaches(const struct advice_trial *trial, uint64_t goal)
{
	return trial->starts || (trial->place > 0 && trial->place <= goal);
}

/* steps that do not reach the goal, steps that do; high 0: none known */
struct bracket { int64_t low, high; };

/* Compute the bracket from the runs made so far. */
static struct bracket bracket_of(const struct advice_change *change, uint64_t goal)
{
	struct bracket bracket = { 0, 0 };

	for (size_t i = 0; i < change->ntrials; i++)
		if (reaches(&change->trials[i], goal) && (!bracket.high || change->trials[i].steps < bracket.high))
			bracket.high = change->trials[i].steps;
	for (size_t i = 0; i < change->ntrials; i++)
		if (!reaches(&change->trials[i], goal) && change->trials[i].steps > bracket.low &&
		    (!bracket.high || change->trials[i].steps < bracket.high))
			bracket.low = change->trials[i].steps;
	return bracket;
}

static int try(struct advice_change *change, int64_t steps, uint64_t goal, struct bracket *bracket)
{
	struct advice_trial *trial;
	int rc = trial_make(change, steps, &trial);

	if (rc == 0 && reaches(trial, goal))
		bracket->high = steps;
	else if (rc == 0)
		bracket->low = steps;
	return rc;
}

/*
 * Return the number of steps at which the priority would equal that of the job now in the goal's
 * position. Assumes that the priority grows in proportion.
 */
static int64_t guess(struct advice_change *change, uint64_t goal)
{
	const struct advice_trial *most = trial_find(change, change->most);
	double now = change->trials[0].prio, there = change_prio_at(change, goal);

	if (!change->is_linear || !most || !(most->prio > now) || !(there >= now))
		return 0;
	return (int64_t)fmin(ceil((there - now) / (most->prio - now) * (double)change->most), 0x1p62);
}

/* Make a run at the guess, and one on its other side. */
static int narrow(struct advice_change *change, uint64_t goal, struct bracket *bracket)
{
	int64_t at = guess(change, goal);
	int rc = 0;

	if (at > bracket->low && at < bracket->high)
		rc = try(change, at, goal, bracket);
	at += bracket->high == at ? -1 : 1;
	if (rc == 0 && at > bracket->low && at < bracket->high)
		rc = try(change, at, goal, bracket);
	return rc;
}

/* Try growing changes until one reaches the goal. */
static int scan(struct advice_change *change, uint64_t goal, struct bracket *bracket)
{
	int rc = 0;

	for (int64_t at = 1;
	     rc == 0 && !bracket->high && bracket->low<change->most; at = at> change->most / 4 ? change->most : at * 4)
		if (at > bracket->low)
			rc = try(change, at, goal, bracket);
	return rc;
}

static int solve(struct advice_change *change, uint64_t goal, struct advice_answer *answer)
{
	struct bracket bracket = bracket_of(change, goal);
	int rc = change->is_scanned ? scan(change, goal, &bracket) : 0;
	struct advice_trial *trial;

	if (rc || !bracket.high)
		return rc;
	rc = narrow(change, goal, &bracket);
	while (rc == 0 && bracket.high - bracket.low > 1)
		rc = try(change, bracket.low + (bracket.high - bracket.low) / 2, goal, &bracket);
	if (rc == 0)
		rc = trial_make(change, bracket.high, &trial);
	if (rc)
		return rc;
	answer->found = true;
	answer->value = change_value(change, bracket.high);
	answer->place = trial->starts ? 0 : trial->place;
	return 0;
}

/* Choose the goals to search for, each position once. */
static void ask(struct advice *advice)
{
	advice->answers[ADVICE_PAST_NEXT].asked = advice->place > 1;
	advice->answers[ADVICE_FIRST_TEN].asked = advice->place > ADVICE_TEN + 1;
	advice->answers[ADVICE_FIRST].asked = advice->place > 2;
}

static int change_search(struct advice_change *change, struct advice *advice)
{
	struct advice_trial *most;
	int rc = 0;

	*advice = (struct advice){ .kind = change->kind,
				   .never = change->never,
				   .place = change->trials[0].place,
				   .from = change_value(change, 0),
				   .most = change_value(change, change->most) };
	ask(advice);
	if (change->never || advice->place < 2)
		return 0;
	if (!change->is_scanned)
		rc = trial_make(change, change->most, &most);
	for (int goal = 0; rc == 0 && goal < ADVICE_GOALS; goal++)
		if (advice->answers[goal].asked)
			rc = solve(change, advice_goal_place(advice, (enum advice_goal)goal), &advice->answers[goal]);
	if (rc == 0 && (most = trial_find(change, change->most)))
		advice->most_place = most->starts ? 0 : most->place;
	return rc;
}

/* Advice of all kinds */

static uint64_t own_ahead(const struct fl_view *view, const struct fl_job *job)
{
	struct standing_place place;
	uint64_t n = 0;

	if (standing_find(&place, view, job->job_number) == 0)
		for (size_t i = 0; i < place.nusers; i++)
			if (strcmp(place.users[i].name, job->owner) == 0)
				n = place.users[i].jobs;
	standing_free(&place);
	return n;
}

int advices_find(struct advices *advices, const struct fl_view *view, const struct fl_job *job, struct error *error)
{
	int rc = 0;

	*advices = (struct advices){ 0 };
	if (job->is_started || standing_rank(view, job->job_number) == 0)
		return 0;
	advices->own = own_ahead(view, job);
	for (int kind = 0; rc == 0 && kind < ADVICE_KINDS; kind++) {
		struct advice_change change = {
			.kind = (enum advice_kind)kind, .view = view, .job = job, .error = error
		};

		rc = change_open(&change);
		if (rc == 0 && change.exists) {
			rc = change_search(&change, &advices->items[advices->n++]);
			advices->runs += change.runs;
		}
		change_close(&change);
	}
	return rc;
}
