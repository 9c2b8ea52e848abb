/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage in time. A pass, once in PriorityCalcPeriod: what was used before decays for the time since
 * the last pass, then tasks that run are charged for it. A task that has ended is charged in the
 * run that learns of it, up to its end, and what it is charged decays at the next pass for the
 * whole period, as with Slurm. Priority Multifactor Plugin; slurm.conf(5) PriorityDecayHalfLife,
 * PriorityUsageResetPeriod.
 */
#include <errno.h>
#include <time.h>

#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"
#include "tickets/usage_decay.h"

#define PERIOD_2009 300			/* seconds */

/* Charges */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool pays(const struct multifactor *multifactor, const struct charge *who)
{
	return who->association < multifactor->tree.n && multifactor->tree.items[who->association].is_user &&
	       who->rate > 0.0;
}

/*
 * So that a task is charged up to `until`. What it was charged beyond that is taken back: its end
 * was told after a pass that took it to run on.
 */
static void charge_until(struct multifactor *multifactor, const struct charge *who, struct charged *charged,
			 int64_t until)
{
	int64_t end = later(until, charged->from), seconds = end - charged->until;

	charged->until = end;
	if (seconds == 0 || !pays(multifactor, who))
		return;
	multifactor_note(multifactor, who->association);
	if (seconds > 0) {
		associations_charge(&multifactor->tree, who->association,
				    half_life_charged(multifactor->decay, seconds) * who->rate);
	} else {
		associations_refund(&multifactor->tree, who->association,
				    half_life_charged(multifactor->decay, -seconds) * who->rate);
		multifactor->resum = true;
	}
}

/*
 * For which time a task was charged that is met for the first time: one that a predecessor's last
 * pass may have met was charged by that; of any other what was before the last pass belongs to
 * nobody.
 */
static void charged_find(const struct multifactor *multifactor, int64_t start_time, struct charged *charged)
{
	int64_t until = later(start_time, multifactor->pass);

	if (charged->until == 0)
		*charged = (struct charged){ multifactor->passed ? until : start_time, until };
}

static bool ends_are_charged(const struct slurm_conf *conf)
{
	return conf->charge_ends == CHARGE_ENDS_ALWAYS || conf->enforce_limits || conf->version == PRIORITY_2009;
}

/* What they did since they were charged last, up to their ends or to an earlier time. */
static void charge_ended(struct multifactor *multifactor, struct ended_task *tasks, size_t n, int64_t until)
{
	for (size_t i = 0; i < n; i++) {
		struct ended_task *task = &tasks[i];
		int64_t end = task->end_time && task->end_time < until ? task->end_time : until;

		if (task->settled || multifactor->pass == 0)
			continue;
		charged_find(multifactor, task->start_time, &task->charged);
		if (end < task->charged.until || ends_are_charged(multifactor->conf))
			charge_until(multifactor, &(struct charge){ task->association, task->rate }, &task->charged,
				     end);
	}
}

void multifactor_charge_ended(struct multifactor *multifactor, struct run *run, struct ended_task *tasks, size_t n)
{
	charge_ended(multifactor, tasks, n, run->now);
}

/* Was the end of any of them booked before a restart? -EAGAIN: it can't be told now. */
static int settle_running(const struct run *run)
{
	struct state *state = run->mirror->state;
	int settled = 0;

	for (size_t i = 0; settled >= 0 && i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];

		for (uint32_t t = state->jobs.first_task[row]; settled >= 0 && t != NONE;
		     t = state->tasks.items[t].next)
			settled = ledger_task_settled(run->mirror->ledger, job_fact(&state->jobs, row, number),
						      job_fact(&state->jobs, row, submission), &state->tasks.items[t]);
	}
	if (settled < 0)
		run->mirror->ledger->postponed++;
	return settled < 0 ? settled : 0;
}

/* When the clock was set back nothing is taken back: the time counts again from there. */
static void charge_task(struct multifactor *multifactor, struct run *run, struct task *task, int64_t until)
{
	const struct charge who = mirror_charge(run->mirror, run->mirror->state, task);

	charged_find(multifactor, task->start_time, &task->charged);
	if (until < task->charged.until)
		task->charged.until = later(until, task->start_time);
	else
		charge_until(multifactor, &who, &task->charged, until);
}

static void charge_running(struct multifactor *multifactor, struct run *run, int64_t until)
{
	struct state *state = run->mirror->state;

	for (size_t i = 0; i < run->started.n; i++)
		for (uint32_t t = state->jobs.first_task[run->started.rows[i]]; t != NONE;
		     t = state->tasks.items[t].next)
			/* not started yet; ended already */
			if (!state->tasks.items[t].order && !state->tasks.items[t].settled)
				charge_task(multifactor, run, &state->tasks.items[t], until);
}

/*
 * A part of all usage is stored although it has only decayed, so that no usage that is stored lags
 * far behind.
 */
static void take_turns(struct multifactor *multifactor, int64_t pass)
{
	size_t end = multifactor->turn + multifactor->tree.n / TURNS + 1;

	if (multifactor->turn == 0)
		multifactor->turn_pass = pass;
	for (; multifactor->turn < multifactor->tree.n && multifactor->turn < end; multifactor->turn++)
		if (multifactor_keeps(multifactor, multifactor->turn))
			multifactor_note(multifactor, multifactor->turn);
	if (multifactor->turn == multifactor->tree.n) {
		multifactor->turn = 0;
		multifactor->stored_pass = multifactor->turn_pass;
	}
}

/* When the clock was set back, or too much is still to be stored, all is. */
static void note_decay(struct multifactor *multifactor, const struct decay *decay)
{
	multifactor->all_changed |= decay->until < decay->since || multifactor->ndecays == DECAYS_MOST;
	if (multifactor->all_changed || decay->until == decay->since)
		return;
	multifactor->decays[multifactor->ndecays++] = *decay;
	take_turns(multifactor, decay->until);
}

/* All usage as it is later: what was used before has decayed, and tasks that run have gone on. */
static void fade(struct multifactor *multifactor, struct run *run, int64_t last, int64_t until)
{
	const struct decay decay = { last, until, half_life_left(multifactor->decay, until - last) };

	associations_decay(&multifactor->tree, decay.left);
	note_decay(multifactor, &decay);
	charge_running(multifactor, run, until);
}

/* What the qmaster told */

/* What has no time is as it will be after this pass. */
static void take_told(struct multifactor *multifactor, struct run *run, bool of_now)
{
	const struct state *state = run->mirror->state;

	for (size_t i = 0; i < state->ntold_usage; i++) {
		const struct told_usage *told = &state->told_usage[i];
		uint32_t to = multifactor_association(multifactor, run, told->account, told->user, told->partition);

		if ((told->time_stamp == 0) != of_now || to == NONE || !multifactor->tree.items[to].is_user)
			continue;
		multifactor_note(multifactor, to);
		multifactor->resum = true;
		multifactor->tree.items[to].usage =
			(long double)told->usage *
			half_life_left(multifactor->decay, of_now ? 0 : multifactor->pass - told->time_stamp);
	}
}

/*
 * Tasks that have ended and wait to be booked: was the end of any of them booked before? -EAGAIN:
 * it can't be told now.
 */
static int settle_ended(const struct run *run)
{
	struct state *state = run->mirror->state;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < state->nended; i++)
		rc = ledger_ends_settle(run->mirror->ledger, &state->ended[i], 1);
	return rc;
}

/*
 * Whoever tells usage as it was after the last pass has decayed and charged it up to then: all
 * others are brought up to there. -EAGAIN: it can't be told now who is to be charged.
 */
static int bring_forward(struct multifactor *multifactor, struct run *run)
{
	struct state *state = run->mirror->state;
	int64_t stamp = 0;

	for (size_t i = 0; i < state->ntold_usage; i++)
		stamp = later(stamp, state->told_usage[i].time_stamp);
	stamp = stamp < run->now ? stamp : run->now;
	if (multifactor->pass > 0 && stamp > multifactor->pass) {
		if (settle_running(run) != 0 || settle_ended(run) != 0)
			return -EAGAIN;
		fade(multifactor, run, multifactor->pass, stamp);
		charge_ended(multifactor, state->ended, state->nended, stamp);
	}
	multifactor->pass = later(stamp, multifactor->pass);
	return 0;
}

void multifactor_take_told(struct multifactor *multifactor, struct run *run)
{

	multifactor->told = run->mirror->state->ntold_usage > 0 && bring_forward(multifactor, run) == 0;
	if (multifactor->told) {
		take_told(multifactor, run, false);
		slurm_forget_told(run->mirror, run->mirror->state, true);
	}
}

/* What has no time: in a pass behind what this has done. */
static void take_told_of_now(struct multifactor *multifactor, struct run *run)
{
	if (multifactor->told)
		take_told(multifactor, run, true);
}

/* Where another scheduler has left off */

static void take_values(struct multifactor *multifactor, struct association *association, const struct told_usage *told)
{
	const struct association_values *values = &told->values;

	association->usage = values->usage;
	association->norm_usage = values->norm_usage;
	association->effective_usage = values->effective_usage;
	association->child_usage = values->child_usage;
	association->norm_shares = values->norm_shares;
	association->factor = values->factor;
	association->level_fs = values->level_fs;
	association->rank = values->rank;
	multifactor->all_changed = true;
}

void multifactor_resume(struct multifactor *multifactor, struct run *run, const struct scheduler_event *from)
{
	struct state *state = run->mirror->state;
	size_t n = 0;

	multifactor->passed = from->passed;
	multifactor->pass = from->last_pass;
	multifactor->last_reset = from->last_reset;
	for (size_t i = 0; i < state->ntold_usage; i++) {
		const struct told_usage *told = &state->told_usage[i];
		uint32_t to = told->has_values ? multifactor_association(multifactor, run, told->account, told->user,
									 told->partition)
					       : NONE;

		if (to == NONE)
			continue;
		take_values(multifactor, &multifactor->tree.items[to], told);
		multifactor->kept[to] |= told->usage > 0.0;
		n++;
	}
	multifactor->stale = multifactor->resum = n < multifactor->tree.n || from->reconfigured;
	if (n > 0)
		slurm_forget_told(run->mirror, state, false);
}

/* The pass */

static enum reset_period reset_period(enum usage_reset reset)
{
	static const enum reset_period of[] = {
		[RESET_NONE] = RESETS_NEVER,	[RESET_NOW] = RESETS_NEVER,	  [RESET_DAILY] = RESETS_DAILY,
		[RESET_WEEKLY] = RESETS_WEEKLY, [RESET_MONTHLY] = RESETS_MONTHLY, [RESET_QUARTERLY] = RESETS_QUARTERLY,
		[RESET_YEARLY] = RESETS_YEARLY,
	};

	return of[reset];
}

/*
 * All is forgotten: at the scheduled time, and with NOW when the scheduler starts or reads its
 * configuration.
 */
static void reset(struct multifactor *multifactor, int64_t now)
{
	bool due = multifactor->stale && multifactor->conf->reset == RESET_NOW;

	if (multifactor->last_reset == 0)
		multifactor->last_reset = now;
	if (multifactor->is_pass)
		due |= reset_due(reset_period(multifactor->conf->reset), &multifactor->last_reset, now);
	multifactor->all_changed |= due;
	for (size_t i = 0; due && i < multifactor->tree.n; i++)
		multifactor->tree.items[i].usage = 0.0;
}

static bool is_due(const struct multifactor *multifactor, int64_t now)
{
	uint32_t period = multifactor->conf->version == PRIORITY_2009 ? PERIOD_2009 : multifactor->conf->calc_period;

	return !multifactor->passed || now < multifactor->pass || now - multifactor->pass >= period;
}

/*
 * Tasks that ran while there was no scheduler are charged in its first pass: it waits until they
 * have been told. So does each pass while it can't be told whether some that have ended were booked
 * before.
 */
static bool is_pass(struct multifactor *multifactor, struct run *run)
{
	bool told = multifactor->pass == 0 || multifactor->passed || run->event > 0;

	return is_due(multifactor, run->now) && told && run->mirror->state->nended == 0 && settle_running(run) == 0;
}

/* What has to be known before usage changes: see classic_account_usage(); in 2009 all of it. */
static void look_before(struct multifactor *multifactor)
{
	if (multifactor->tree.n == 0)
		return;
	if (multifactor->conf->method == FAIRSHARE_2009)
		usage_2009(&multifactor->tree, (double)multifactor->conf->cpus * multifactor->conf->half_life * 2.0);
	else if (multifactor->conf->method == FAIRSHARE_CLASSIC)
		classic_account_usage(&multifactor->tree, false);
	else if (multifactor->conf->method == FAIRSHARE_DEPTH_OBLIVIOUS) {
		classic_shares(&multifactor->tree);
		classic_account_usage(&multifactor->tree, true);
	}
}

static void sum_if_needed(struct multifactor *multifactor)
{
	if (multifactor->resum)
		associations_sum(&multifactor->tree);
	multifactor->resum = false;
}

static void pass(struct multifactor *multifactor, struct run *run, int64_t last)
{

	fade(multifactor, run, last, run->now);
	take_told_of_now(multifactor, run);
	sum_if_needed(multifactor);
}

int multifactor_account(struct multifactor *multifactor, struct run *run)
{
	int64_t last;

	multifactor->is_pass = is_pass(multifactor, run);
	if (!multifactor->is_pass || multifactor->pass == 0)
		take_told_of_now(multifactor, run);
	/* sums that were only kept up are rounded otherwise than those after a restart */
	multifactor->resum |= multifactor->is_pass;
	sum_if_needed(multifactor);
	if (multifactor->is_pass || multifactor->stale)
		reset(multifactor, run->now);
	/*
	 * a snapshot right behind the first pass, of an empty cell, does not wait for the next one
	 */
	multifactor->stale |= multifactor->told;
	if (multifactor->is_pass || multifactor->stale)
		look_before(multifactor);
	last = multifactor->pass;
	if (multifactor->is_pass && last > 0)
		pass(multifactor, run, last);
	if (multifactor->is_pass) {
		multifactor->pass = run->now;
		multifactor->passed = true;
	}
	if (multifactor->told)
		slurm_forget_told(run->mirror, run->mirror->state, false);
	return 0;
}
