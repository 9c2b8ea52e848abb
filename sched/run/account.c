/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: what tasks have used is booked to their user and project, each difference to what was
 * booked before once, and decays from run to run. share_tree(5), sched_conf(5) halftime,
 * halflife_decay_list.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run/booking.h"
#include "sched/policy/multifactor/multifactor.h"

/* Decay */

void account_decay(struct sched *s, struct object *o)
{
	struct run *run = &s->run;

	if (o->time_stamp == run->now)
		return;
	usage_decay(&o->usage, &s->decay, o->time_stamp, run->now, &run->clamped);
	for (size_t i = 0; i < o->nprojects; i++)
		usage_decay(&o->projects[i].usage, &s->decay, o->time_stamp, run->now, &run->clamped);
	o->time_stamp = run->now;
}

/* A new half-life holds from now on: what has been used up to now decays by the old one. */
static int halftime_changed(struct sched *s)
{
	uint32_t old = s->last_halftime, new = s->cell->sched.halftime;

	if (old == new)
		return 0;
	for (uint32_t k = SHARER_USER; k <= SHARER_PROJECT; k++)
		for (uint32_t i = 0; i < s->mirror.objects[k].n; i++)
			if (s->mirror.objects[k].items[i].time_stamp && ledger_note_object(s->mirror.ledger, k, i))
				return -ENOMEM;
	s->last_halftime = new;
	s->decay.constant = decay_constant(60.0 * (old ? old : new));
	for (int k = SHARER_USER; k <= SHARER_PROJECT; k++)
		for (size_t i = 0; i < s->mirror.objects[k].n; i++)
			account_decay(s, &s->mirror.objects[k].items[i]);
	s->decay.constant = decay_constant(60.0 * new);
	return 0;
}

/* Running and ended tasks */

/*
 * Of tasks whose start is confirmed: one that turns out not to have started leaves nothing behind.
 * What a task used whose end was booked before a restart is booked already. -EAGAIN: it can't be
 * told now.
 */
static int add_started(struct sched *s, uint32_t row, struct booking *b)
{
	const struct state *state = s->mirror.state;

	for (uint32_t i = state->jobs.first_task[row]; i != NONE; i = state->tasks.items[i].next) {
		struct task *t = &state->tasks.items[i];
		int settled;

		if (t->order || t->usage.n == 0)
			continue;
		settled = ledger_task_settled(s->mirror.ledger, b->number, b->submission_time, t);
		if (settled < 0)
			return settled;
		if (!settled && booking_add_started(s, b, t))
			return -ENOMEM;
	}
	return 0;
}

static int book_running(struct sched *s)
{
	struct state *state = s->mirror.state;
	int code = 0;

	for (size_t i = 0; code == 0 && i < s->run.started.n; i++) {
		uint32_t row = s->run.started.rows[i];
		struct booking b = { .number = job_fact(&state->jobs, row, number), .class_id = job_fact(&state->jobs, row, class_id),
				     .submission_time = job_fact(&state->jobs, row, submission) };

		code = booking_meet(s, &b);
		if (code == 0)
			code = add_started(s, row, &b);
		if (code == 0)
			code = booking_enter(s, &b);
		if (code == -EAGAIN) {
			s->mirror.ledger->postponed++;
			code = 0;
		}
	}
	return code;
}

static int add_ended(struct sched *s, struct ended_task *tasks, size_t n, struct booking *b)
{
	for (size_t i = 0; i < n; i++)
		if (!tasks[i].settled && booking_add_ended(s, b, &tasks[i]))
			return -ENOMEM;
	return 0;
}

/*
 * A deleted job's tasks are booked no more, unless another one ended before: what was booked for
 * all of them is one sum.
 */
static bool is_to_be_booked(const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tasks[i].ending != JOB_DELETED && !tasks[i].settled)
			return true;
	return false;
}

/* It can't be told yet whether they are booked: each is asked for again. */
static void drop_ends(struct sched *s, uint32_t row, const struct ended_task *tasks, size_t n)
{
	struct state *state = s->mirror.state;

	ledger_drop_ends(s->mirror.ledger, tasks, n);
	for (uint32_t i = row == INDEX_NONE ? NONE : state->jobs.first_task[row]; i != NONE; i = state->tasks.items[i].next)
		state->tasks.items[i].asked = false;
}

/*
 * The ends first, as a snapshot may show a task again that has ended. What they are charged must
 * not fail any more, since the run that takes it up again would charge it again. `row`: of the job,
 * if it goes on.
 */
static int book_ends(struct sched *s, struct booking *b, uint32_t row, struct ended_task *tasks, size_t n)
{
	bool booked = is_to_be_booked(tasks, n), noted = booked || s->multifactor;
	int code = noted ? ledger_note_ends(s->mirror.ledger, tasks, n) : 0;

	if (code != 0)
		return code;
	if (booked)
		code = add_ended(s, tasks, n, b);
	if (code == 0 && booked && row != INDEX_NONE)
		code = add_started(s, row, b);
	if (code == 0 && booked)
		code = ledger_note_job(s->mirror.ledger, b->number);
	if (code == 0)
		code = ledger_reserve_closed(s->mirror.ledger);
	if (code == 0 && booked)
		code = booking_enter(s, b);
	if (code != 0 && noted)
		drop_ends(s, row, tasks, n);
	else if (code == 0 && s->multifactor)
		multifactor_charge_ended(s, tasks, n);
	return code;
}

/*
 * What remains debited. Of a job that was not booked at its end, or that a snapshot did not have,
 * what was booked before stays known: it may be told again.
 */
static void book_rest(struct sched *s, struct booking *b, uint32_t row, const struct ended_task *tasks, size_t n)
{
	bool goes_on = row == INDEX_NONE ? !tasks[n - 1].closes : s->mirror.state->jobs.first_task[row] != NONE || booking_has_rest(b);
	bool booked = is_to_be_booked(tasks, n);

	if (booked)
		booking_keep_rest(b);
	if (booked ? goes_on : ledger_has_job(s->mirror.ledger, b->number))
		return;
	debited_remove(s->mirror.state, b->number);
	if (booked)
		ledger_note_closed(s->mirror.ledger, b->number);
}

/* All tasks of one job that ended since the last run. */
static int book_ended(struct sched *s, struct ended_task *tasks, size_t n)
{
	struct booking b = { .number = tasks[0].number, .class_id = tasks[0].class_id, .submission_time = tasks[0].submission_time };
	uint32_t row = tasks[n - 1].closes ? INDEX_NONE : jobs_find(&s->mirror.state->jobs, b.number);
	int code = ledger_ends_settle(s->mirror.ledger, tasks, n);

	if (code == 0)
		code = booking_meet(s, &b);
	if (code == 0)
		code = book_ends(s, &b, row, tasks, n);
	if (code == 0)
		book_rest(s, &b, row, tasks, n);
	usage_free(&b.ended);
	return code;
}

static int by_number(const void *a, const void *b)
{
	const struct ended_task *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->turn < y->turn ? -1 : 1;
}

/* Those of which the ledger can't be asked now stay for the next run. */
static int book_all_ended(struct sched *s)
{
	struct state *state = s->mirror.state;
	struct ended_task *ended = state->ended;
	size_t begin = 0;
	int code = 0;

	if (state->nended == 0)
		return 0;
	for (size_t i = 0; i < state->nended; i++)
		ended[i].turn = (uint32_t)i;
	qsort(ended, state->nended, sizeof(*ended), by_number);
	while (code == 0 && begin < state->nended) {
		size_t end = begin + 1;

		while (end < state->nended && ended[end].number == ended[begin].number && !ended[end - 1].closes)
			end++;
		code = book_ended(s, ended + begin, end - begin);
		if (code == 0)
			begin = end;
	}
	for (size_t i = 0; i < begin; i++) {
		classes_drop(&s->mirror.classes, ended[i].class_id);
		usage_free(&ended[i].usage);
	}
	memmove(ended, ended + begin, (state->nended - begin) * sizeof(*ended));
	state->nended -= begin;
	return code == -EAGAIN ? 0 : code;
}

/*
 * Jobs that a snapshot no longer had, and numbers that never were a job's; but not before what was
 * booked for them is kept.
 */
static void forget_debited(struct mirror *m)
{
	struct state *state = m->state;

	for (size_t i = state->ndebited; i-- > 0; )
		if (jobs_find(&state->jobs, state->debited_numbers[i]) == INDEX_NONE && !ledger_has_job(m->ledger, state->debited_numbers[i]))
			debited_remove(state, state->debited_numbers[i]);
}

int run_account(struct sched *s)
{
	int code = halftime_changed(s);

	if (s->mirror.ledger)
		s->mirror.ledger->postponed = 0;
	if (code == 0)
		code = book_all_ended(s);
	if (code == 0)
		code = book_running(s);
	if (code == 0 && s->mirror.state->ndebited > s->run.started.n)
		forget_debited(&s->mirror);
	return code;
}

/* For the tree */

static double user_usage(void *context, uint32_t user)
{
	struct sched *s = context;
	struct object *o = &s->mirror.objects[SHARER_USER].items[user];

	account_decay(s, o);
	return usage_combine(&o->usage, &s->weights);
}

static double user_in_project_usage(void *context, uint32_t user, uint32_t project)
{
	struct sched *s = context;
	struct object *o = &s->mirror.objects[SHARER_USER].items[user];
	const struct usage_in_project *p;

	account_decay(s, o);
	p = object_find_project(o, s->mirror.objects[SHARER_PROJECT].items[project].name);
	return p ? usage_combine(&p->usage, &s->weights) : 0.0;
}

static double project_usage(void *context, uint32_t project)
{
	struct sched *s = context;
	struct object *o = &s->mirror.objects[SHARER_PROJECT].items[project];

	account_decay(s, o);
	return usage_combine(&o->usage, &s->weights);
}

struct sharetree_sources account_sources(struct sched *s)
{
	return (struct sharetree_sources){ user_usage, user_in_project_usage, project_usage, s };
}
