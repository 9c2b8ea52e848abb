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

static bool pays(const struct multifactor *m, const struct charge *who)
{
	return who->association < m->tree.n && m->tree.items[who->association].is_user && who->rate > 0.0;
}

/*
 * So that a task is charged up to `until`. What it was charged beyond that is taken back: its end
 * was told after a pass that took it to run on.
 */
static void charge_until(struct multifactor *m, const struct charge *who, struct charged *charged, int64_t until)
{
	int64_t end = later(until, charged->from), seconds = end - charged->until;

	charged->until = end;
	if (seconds == 0 || !pays(m, who))
		return;
	multifactor_note(m, who->association);
	if (seconds > 0) {
		associations_charge(&m->tree, who->association, half_life_charged(m->decay, seconds) * who->rate);
	} else {
		associations_refund(&m->tree, who->association, half_life_charged(m->decay, -seconds) * who->rate);
		m->resum = true;
	}
}

/*
 * For which time a task was charged that is met for the first time: one that a predecessor's last
 * pass may have met was charged by that; of any other what was before the last pass belongs to
 * nobody.
 */
static void charged_find(const struct multifactor *m, int64_t start_time, struct charged *charged)
{
	int64_t until = later(start_time, m->pass);

	if (charged->until == 0)
		*charged = (struct charged){ m->passed ? until : start_time, until };
}

static bool ends_are_charged(const struct slurm_conf *conf)
{
	return conf->charge_ends == CHARGE_ENDS_ALWAYS || conf->enforce_limits || conf->version == PRIORITY_2009;
}

/* What they did since they were charged last, up to their ends or to an earlier time. */
static void charge_ended(struct multifactor *m, struct ended_task *tasks, size_t n, int64_t until)
{
	for (size_t i = 0; i < n; i++) {
		struct ended_task *t = &tasks[i];
		int64_t end = t->end_time && t->end_time < until ? t->end_time : until;

		if (t->settled || m->pass == 0)
			continue;
		charged_find(m, t->start_time, &t->charged);
		if (end < t->charged.until || ends_are_charged(m->conf))
			charge_until(m, &(struct charge){ t->association, t->rate }, &t->charged, end);
	}
}

void multifactor_charge_ended(struct multifactor *m, struct run *run, struct ended_task *tasks, size_t n)
{
	charge_ended(m, tasks, n, run->now);
}

/* Was the end of any of them booked before a restart? -EAGAIN: it can't be told now. */
static int settle_running(const struct run *run)
{
	struct state *state = run->mirror->state;
	int settled = 0;

	for (size_t i = 0; settled >= 0 && i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];

		for (uint32_t t = state->jobs.first_task[row]; settled >= 0 && t != NONE; t = state->tasks.items[t].next)
			settled = ledger_task_settled(run->mirror->ledger, job_fact(&state->jobs, row, number), job_fact(&state->jobs, row, submission),
						      &state->tasks.items[t]);
	}
	if (settled < 0)
		run->mirror->ledger->postponed++;
	return settled < 0 ? settled : 0;
}

/* When the clock was set back nothing is taken back: the time counts again from there. */
static void charge_task(struct multifactor *m, struct run *run, struct task *t, int64_t until)
{
	const struct charge who = mirror_charge(run->mirror, run->mirror->state, t);

	charged_find(m, t->start_time, &t->charged);
	if (until < t->charged.until)
		t->charged.until = later(until, t->start_time);
	else
		charge_until(m, &who, &t->charged, until);
}

static void charge_running(struct multifactor *m, struct run *run, int64_t until)
{
	struct state *state = run->mirror->state;

	for (size_t i = 0; i < run->started.n; i++)
		for (uint32_t t = state->jobs.first_task[run->started.rows[i]]; t != NONE; t = state->tasks.items[t].next)
			/* not started yet; ended already */
			if (!state->tasks.items[t].order && !state->tasks.items[t].settled)
				charge_task(m, run, &state->tasks.items[t], until);
}

/*
 * A part of all usage is stored although it has only decayed, so that no usage that is stored lags
 * far behind.
 */
static void take_turns(struct multifactor *m, int64_t pass)
{
	size_t end = m->turn + m->tree.n / TURNS + 1;

	if (m->turn == 0)
		m->turn_pass = pass;
	for (; m->turn < m->tree.n && m->turn < end; m->turn++)
		if (multifactor_keeps(m, m->turn))
			multifactor_note(m, m->turn);
	if (m->turn == m->tree.n) {
		m->turn = 0;
		m->stored_pass = m->turn_pass;
	}
}

/* When the clock was set back, or too much is still to be stored, all is. */
static void note_decay(struct multifactor *m, const struct decay *decay)
{
	m->all_changed |= decay->until < decay->since || m->ndecays == DECAYS_MOST;
	if (m->all_changed || decay->until == decay->since)
		return;
	m->decays[m->ndecays++] = *decay;
	take_turns(m, decay->until);
}

/* All usage as it is later: what was used before has decayed, and tasks that run have gone on. */
static void fade(struct multifactor *m, struct run *run, int64_t last, int64_t until)
{
	const struct decay decay = { last, until, half_life_left(m->decay, until - last) };

	associations_decay(&m->tree, decay.left);
	note_decay(m, &decay);
	charge_running(m, run, until);
}

/* What the qmaster told */

/* What has no time is as it will be after this pass. */
static void take_told(struct multifactor *m, struct run *run, bool of_now)
{
	const struct state *state = run->mirror->state;

	for (size_t i = 0; i < state->ntold_usage; i++) {
		const struct told_usage *told = &state->told_usage[i];
		uint32_t to = multifactor_association(m, run, told->account, told->user, told->partition);

		if ((told->time_stamp == 0) != of_now || to == NONE || !m->tree.items[to].is_user)
			continue;
		multifactor_note(m, to);
		m->resum = true;
		m->tree.items[to].usage = (long double)told->usage * half_life_left(m->decay, of_now ? 0 : m->pass - told->time_stamp);
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
static int bring_forward(struct multifactor *m, struct run *run)
{
	struct state *state = run->mirror->state;
	int64_t stamp = 0;

	for (size_t i = 0; i < state->ntold_usage; i++)
		stamp = later(stamp, state->told_usage[i].time_stamp);
	stamp = stamp < run->now ? stamp : run->now;
	if (m->pass > 0 && stamp > m->pass) {
		if (settle_running(run) != 0 || settle_ended(run) != 0)
			return -EAGAIN;
		fade(m, run, m->pass, stamp);
		charge_ended(m, state->ended, state->nended, stamp);
	}
	m->pass = later(stamp, m->pass);
	return 0;
}

void multifactor_take_told(struct multifactor *m, struct run *run)
{

	m->told = run->mirror->state->ntold_usage > 0 && bring_forward(m, run) == 0;
	if (m->told) {
		take_told(m, run, false);
		slurm_forget_told(run->mirror, run->mirror->state, true);
	}
}

/* What has no time: in a pass behind what this has done. */
static void take_told_of_now(struct multifactor *m, struct run *run)
{
	if (m->told)
		take_told(m, run, true);
}

/* Where another scheduler has left off */

static void take_values(struct multifactor *m, struct association *a, const struct told_usage *told)
{
	const struct association_values *v = &told->values;

	a->usage = v->usage;
	a->norm_usage = v->norm_usage;
	a->effective_usage = v->effective_usage;
	a->child_usage = v->child_usage;
	a->norm_shares = v->norm_shares;
	a->factor = v->factor;
	a->level_fs = v->level_fs;
	a->rank = v->rank;
	m->all_changed = true;
}

void multifactor_resume(struct multifactor *m, struct run *run, const struct scheduler_event *from)
{
	struct state *state = run->mirror->state;
	size_t n = 0;

	m->passed = from->passed;
	m->pass = from->last_pass;
	m->last_reset = from->last_reset;
	for (size_t i = 0; i < state->ntold_usage; i++) {
		const struct told_usage *told = &state->told_usage[i];
		uint32_t to = told->has_values ? multifactor_association(m, run, told->account, told->user, told->partition) : NONE;

		if (to == NONE)
			continue;
		take_values(m, &m->tree.items[to], told);
		m->kept[to] |= told->usage > 0.0;
		n++;
	}
	m->stale = m->resum = n < m->tree.n || from->reconfigured;
	if (n > 0)
		slurm_forget_told(run->mirror, state, false);
}

/* The pass */

static enum reset_period reset_period(enum usage_reset reset)
{
	static const enum reset_period of[] = {
		[RESET_NONE] = RESETS_NEVER, [RESET_NOW] = RESETS_NEVER, [RESET_DAILY] = RESETS_DAILY, [RESET_WEEKLY] = RESETS_WEEKLY,
		[RESET_MONTHLY] = RESETS_MONTHLY, [RESET_QUARTERLY] = RESETS_QUARTERLY, [RESET_YEARLY] = RESETS_YEARLY,
	};

	return of[reset];
}

/*
 * All is forgotten: at the scheduled time, and with NOW when the scheduler starts or reads its
 * configuration.
 */
static void reset(struct multifactor *m, int64_t now)
{
	bool due = m->stale && m->conf->reset == RESET_NOW;

	if (m->last_reset == 0)
		m->last_reset = now;
	if (m->is_pass)
		due |= reset_due(reset_period(m->conf->reset), &m->last_reset, now);
	m->all_changed |= due;
	for (size_t i = 0; due && i < m->tree.n; i++)
		m->tree.items[i].usage = 0.0;
}

static bool is_due(const struct multifactor *m, int64_t now)
{
	uint32_t period = m->conf->version == PRIORITY_2009 ? PERIOD_2009 : m->conf->calc_period;

	return !m->passed || now < m->pass || now - m->pass >= period;
}

/*
 * Tasks that ran while there was no scheduler are charged in its first pass: it waits until they
 * have been told. So does each pass while it can't be told whether some that have ended were booked
 * before.
 */
static bool is_pass(struct multifactor *m, struct run *run)
{
	bool told = m->pass == 0 || m->passed || run->event > 0;

	return is_due(m, run->now) && told && run->mirror->state->nended == 0 && settle_running(run) == 0;
}

/* What has to be known before usage changes: see classic_account_usage(); in 2009 all of it. */
static void look_before(struct multifactor *m)
{
	if (m->tree.n == 0)
		return;
	if (m->conf->method == FAIRSHARE_2009)
		usage_2009(&m->tree, (double)m->conf->cpus * m->conf->half_life * 2.0);
	else if (m->conf->method == FAIRSHARE_CLASSIC)
		classic_account_usage(&m->tree, false);
	else if (m->conf->method == FAIRSHARE_DEPTH_OBLIVIOUS) {
		classic_shares(&m->tree);
		classic_account_usage(&m->tree, true);
	}
}

static void sum_if_needed(struct multifactor *m)
{
	if (m->resum)
		associations_sum(&m->tree);
	m->resum = false;
}

static void pass(struct multifactor *m, struct run *run, int64_t last)
{

	fade(m, run, last, run->now);
	take_told_of_now(m, run);
	sum_if_needed(m);
}

int multifactor_account(struct multifactor *m, struct run *run)
{
	int64_t last;

	m->is_pass = is_pass(m, run);
	if (!m->is_pass || m->pass == 0)
		take_told_of_now(m, run);
	/* sums that were only kept up are rounded otherwise than those after a restart */
	m->resum |= m->is_pass;
	sum_if_needed(m);
	if (m->is_pass || m->stale)
		reset(m, run->now);
	/*
	 * a snapshot right behind the first pass, of an empty cell, does not wait for the next one
	 */
	m->stale |= m->told;
	if (m->is_pass || m->stale)
		look_before(m);
	last = m->pass;
	if (m->is_pass && last > 0)
		pass(m, run, last);
	if (m->is_pass) {
		m->pass = run->now;
		m->passed = true;
	}
	if (m->told)
		slurm_forget_told(run->mirror, run->mirror->state, false);
	return 0;
}
