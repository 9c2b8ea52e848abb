/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage over time. A pass is made once per PriorityCalcPeriod: earlier usage decays for the time
 * since the last pass, then running tasks are charged for it. A task that has ended is charged up
 * to its end, in the run that learns of the end. At the next pass this charge decays for the whole
 * period, as in Slurm. Sources: Priority Multifactor Plugin; slurm.conf(5) PriorityDecayHalfLife,
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
 * Charge a task up to `until`. If it was charged beyond that, refund the difference: a pass has
 * assumed that the task was running, and its end was reported later.
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
 * Set the time for which a task was charged, when the task is seen for the first time. If a
 * predecessor's last pass may have seen the task, that pass has charged it. Otherwise time before
 * the last pass is not charged to anyone.
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

/* Charge tasks from their last charge to their ends, but at most to `until`. */
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

/* Look up whether the end of any running task was booked before a restart. -EAGAIN: unknown now. */
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

/* If the clock was set back, no charge is refunded: time counts again from the new `until`. */
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
 * Mark a part of all usage to be stored although it has only decayed, so that no stored usage
 * becomes very old.
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

/*
 * Note a decay that is not stored yet. If the clock was set back, or if too many decays are not
 * stored, all usage is stored.
 */
static void note_decay(struct multifactor *multifactor, const struct decay *decay)
{
	multifactor->all_changed |= decay->until < decay->since || multifactor->ndecays == DECAYS_MOST;
	if (multifactor->all_changed || decay->until == decay->since)
		return;
	multifactor->decays[multifactor->ndecays++] = *decay;
	take_turns(multifactor, decay->until);
}

/* Bring all usage up to a later time: decay earlier usage and charge running tasks. */
static void fade(struct multifactor *multifactor, struct run *run, int64_t last, int64_t until)
{
	const struct decay decay = { last, until, half_life_left(multifactor->decay, until - last) };

	associations_decay(&multifactor->tree, decay.left);
	note_decay(multifactor, &decay);
	charge_running(multifactor, run, until);
}

/* Usage reported by the qmaster */

/* Take over reported usage. A report without a time stamp is valid for the time after this pass. */
static void take_reported(struct multifactor *multifactor, struct run *run, bool of_now)
{
	const struct state *state = run->mirror->state;

	for (size_t i = 0; i < state->ntold_usage; i++) {
		const struct reported_usage *reported = &state->reported_usage[i];
		uint32_t to = multifactor_association(multifactor, run, reported->account, reported->user, reported->partition);

		if ((reported->time_stamp == 0) != of_now || to == NONE || !multifactor->tree.items[to].is_user)
			continue;
		multifactor_note(multifactor, to);
		multifactor->resum = true;
		multifactor->tree.items[to].usage =
			(long double)reported->usage *
			half_life_left(multifactor->decay, of_now ? 0 : multifactor->pass - reported->time_stamp);
	}
}

/* Look up whether any end that is still to be booked was booked before. -EAGAIN: unknown now. */
static int settle_ended(const struct run *run)
{
	struct state *state = run->mirror->state;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < state->nended; i++)
		rc = ledger_ends_settle(run->mirror->ledger, &state->ended[i], 1);
	return rc;
}

/*
 * Bring all other usage up to the time of the newest report. A report with a time after the last
 * pass has been decayed and charged up to that time. -EAGAIN: the tasks to be charged cannot be
 * determined now.
 */
static int bring_forward(struct multifactor *multifactor, struct run *run)
{
	struct state *state = run->mirror->state;
	int64_t stamp = 0;

	for (size_t i = 0; i < state->ntold_usage; i++)
		stamp = later(stamp, state->reported_usage[i].time_stamp);
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

void multifactor_take_reported(struct multifactor *multifactor, struct run *run)
{

	multifactor->takes_reports = run->mirror->state->ntold_usage > 0 && bring_forward(multifactor, run) == 0;
	if (multifactor->takes_reports) {
		take_reported(multifactor, run, false);
		slurm_forget_reported(run->mirror, run->mirror->state, true);
	}
}

/* Take over reports without a time stamp, in a pass after its decay and charges. */
static void take_reported_now(struct multifactor *multifactor, struct run *run)
{
	if (multifactor->takes_reports)
		take_reported(multifactor, run, true);
}

/* State of another scheduler */

static void take_values(struct multifactor *multifactor, struct association *association, const struct reported_usage *reported)
{
	const struct association_values *values = &reported->values;

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
		const struct reported_usage *reported = &state->reported_usage[i];
		uint32_t to = reported->has_values ? multifactor_association(multifactor, run, reported->account, reported->user,
									 reported->partition)
					       : NONE;

		if (to == NONE)
			continue;
		take_values(multifactor, &multifactor->tree.items[to], reported);
		multifactor->kept[to] |= reported->usage > 0.0;
		n++;
	}
	multifactor->stale = multifactor->resum = n < multifactor->tree.n || from->reconfigured;
	if (n > 0)
		slurm_forget_reported(run->mirror, state, false);
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

/* Reset all usage: at the scheduled time; with NOW at a start or a new configuration. */
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
 * Return whether this run makes a pass. Tasks that ran while there was no scheduler are charged in
 * its first pass, so this pass waits until they have been reported. Each pass also waits while it
 * cannot be determined whether some ended tasks were booked before.
 */
static bool is_pass(struct multifactor *multifactor, struct run *run)
{
	bool reported = multifactor->pass == 0 || multifactor->passed || run->event > 0;

	return is_due(multifactor, run->now) && reported && run->mirror->state->nended == 0 && settle_running(run) == 0;
}

/*
 * Compute the values that depend on usage before it changes: see classic_account_usage(). The
 * method of 2009 computes all of its values here.
 */
static void compute_before(struct multifactor *multifactor)
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
	take_reported_now(multifactor, run);
	sum_if_needed(multifactor);
}

int multifactor_account(struct multifactor *multifactor, struct run *run)
{
	int64_t last;

	multifactor->is_pass = is_pass(multifactor, run);
	if (!multifactor->is_pass || multifactor->pass == 0)
		take_reported_now(multifactor, run);
	/* sums updated step by step are rounded differently from sums computed after a restart */
	multifactor->resum |= multifactor->is_pass;
	sum_if_needed(multifactor);
	if (multifactor->is_pass || multifactor->stale)
		reset(multifactor, run->now);
	/* a snapshot right after the first pass of an empty cell takes effect at once */
	multifactor->stale |= multifactor->takes_reports;
	if (multifactor->is_pass || multifactor->stale)
		compute_before(multifactor);
	last = multifactor->pass;
	if (multifactor->is_pass && last > 0)
		pass(multifactor, run, last);
	if (multifactor->is_pass) {
		multifactor->pass = run->now;
		multifactor->passed = true;
	}
	if (multifactor->takes_reports)
		slurm_forget_reported(run->mirror, run->mirror->state, false);
	return 0;
}
