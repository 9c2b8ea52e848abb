/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: what tasks have used is booked to their user and project, each difference to what was booked before once, and decays from run to
 * run. share_tree(5), sched_conf(5) halftime, halflife_decay_list.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/booking.h"
#include "sched/multifactor/multifactor.h"

/* ---- decay ------------------------------------------------------------------------------------------------------------------- */

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

/* ---- running and ended tasks ----------------------------------------------------------------------------------------------------- */

/*
 * Of tasks whose start is confirmed: one that turns out not to have started leaves nothing behind. What a task used whose end was booked
 * before a restart is booked already. -EAGAIN: it can't be told now.
 */
static int sum_started(struct sched *s, uint32_t row, struct usage *sum)
{
	const struct state *state = s->mirror.state;

	for (uint32_t i = state->jobs.first_task[row]; i != NONE; i = state->tasks.items[i].next) {
		struct task *t = &state->tasks.items[i];
		int settled;

		if (t->order || t->usage.n == 0)
			continue;
		settled = ledger_task_settled(s->mirror.ledger, job_fact(&state->jobs, row, number),
					      job_fact(&state->jobs, row, submission), t);
		if (settled < 0)
			return settled;
		if (!settled && booking_add(s, sum, &t->usage))
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

		code = sum_started(s, row, &b.sum);
		if (code == 0)
			code = booking_enter(s, &b);
		usage_free(&b.sum);
		if (code == -EAGAIN) {
			s->mirror.ledger->postponed++;
			code = 0;
		}
	}
	return code;
}

/* What remains booked for a job that goes on: all but what its ended tasks used. */
static void keep_rest(struct sched *s, uint32_t number, const struct usage *ended)
{
	struct debited *before = debited_find(s->mirror.state, number);

	for (size_t i = 0; before && i < before->usage.n; i++) {
		struct usage_item *item = &before->usage.items[i];

		item->value = fmax(item->value - usage_get(ended, item->name), 0.0);
	}
}

static bool has_usage(const struct usage *usage, uint32_t name)
{
	for (size_t i = 0; i < usage->n; i++)
		if (usage->items[i].name == name)
			return true;
	return false;
}

static int sum_ended(struct sched *s, const struct ended_task *tasks, size_t n, struct usage *sum, uint64_t *finished)
{
	uint32_t finished_jobs = usage_name(&s->mirror.usage_names, s->strings, "finished_jobs");

	if (finished_jobs == UINT32_MAX)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		bool counts = tasks[i].ending == TASK_FINISHED && !has_usage(&tasks[i].usage, finished_jobs);

		if (tasks[i].settled)
			continue;
		*finished += tasks[i].ending == TASK_FINISHED;
		if (booking_add(s, sum, &tasks[i].usage) || (counts && usage_add(sum, finished_jobs, 1.0)))
			return -ENOMEM;
	}
	return 0;
}

/* A deleted job's tasks are booked no more, unless another one ended before: what was booked for all of them is one sum. */
static bool is_to_be_booked(const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tasks[i].ending != JOB_DELETED)
			return true;
	return false;
}

/* `b` NULL: they are not booked. What they are charged must not fail any more, since the run that takes it up again would charge it again. */
static int book_ends(struct sched *s, const struct booking *b, struct ended_task *tasks, size_t n)
{
	int code = b || s->multifactor ? ledger_note_ends(s->mirror.ledger, tasks, n) : 0;

	if (code != 0)
		return code;
	code = b ? booking_enter(s, b) : 0;
	if (code != 0)
		ledger_drop_ends(s->mirror.ledger, tasks, n);
	else if (s->multifactor)
		multifactor_charge_ended(s, tasks, n);
	return code;
}

/* What remains debited. Of a job that was not booked at its end what was booked before stays known: it may be told again. */
static void book_rest(struct sched *s, uint32_t number, bool goes_on, bool booked, const struct usage *ended)
{
	if (goes_on) {
		keep_rest(s, number, ended);
		return;
	}
	debited_remove(s->mirror.state, number);
	if (booked)
		ledger_note_closed(s->mirror.ledger, number);
}

/* All tasks of one job that ended since the last run. */
static int book_ended(struct sched *s, struct ended_task *tasks, size_t n)
{
	struct state *state = s->mirror.state;
	struct booking b = { .number = tasks[0].number, .class_id = tasks[0].class_id, .submission_time = tasks[0].submission_time };
	uint32_t row = tasks[n - 1].closes ? INDEX_NONE : jobs_find(&state->jobs, b.number);
	bool goes_on = row != INDEX_NONE && state->jobs.first_task[row] != NONE, to_be_booked = is_to_be_booked(tasks, n);
	struct usage ended = { 0 };
	int code = ledger_ends_settle(s->mirror.ledger, tasks, n);

	if (code == 0)
		code = sum_ended(s, tasks, n, &ended, &b.finished);
	if (code == 0)
		code = usage_copy(&b.sum, &ended);
	if (code == 0 && goes_on)
		code = sum_started(s, row, &b.sum);
	if (code == 0)
		code = goes_on ? ledger_note_job(s->mirror.ledger, b.number) : ledger_reserve_closed(s->mirror.ledger);
	if (code == 0)
		code = book_ends(s, to_be_booked ? &b : NULL, tasks, n);
	if (code == 0)
		book_rest(s, b.number, goes_on, to_be_booked, &ended);
	usage_free(&ended);
	usage_free(&b.sum);
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

/* Jobs that a snapshot no longer had, and numbers that never were a job's. */
static void forget_debited(struct state *state)
{
	for (size_t i = state->ndebited; i-- > 0; )
		if (jobs_find(&state->jobs, state->debited_numbers[i]) == INDEX_NONE)
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
		forget_debited(s->mirror.state);
	return code;
}

/* ---- for the tree ------------------------------------------------------------------------------------------------------------------ */

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
