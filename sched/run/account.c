/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/run/account.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/run/booking.h"

/* Configuration */

double weight_bounded(double value)
{
	return fmin(fmax(value, -1e100), 1e100);
}

static int names_know(struct mirror *mirror, const struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (usage_name(&mirror->usage_names, mirror->strings, pairs->items[i].name) == UINT32_MAX)
			return -ENOMEM;
	return 0;
}

/*
 * Configure the weights and half-lives of single usage names. Without a list, finished_jobs is
 * forgotten at once.
 */
int account_configure(struct account *account, struct mirror *mirror, const struct cell *cell)
{
	static const struct pair finished_jobs = { .name = "finished_jobs", .value = -1.0 };
	const struct pairs *weights = &cell->sched.usage_weight_list, *decays = &cell->sched.halflife_decay_list;
	const struct pairs implicit = { .items = (struct pair *)&finished_jobs, .n = 1 };
	size_t n;

	account->decay.constant = decay_constant(60.0 * cell->sched.halftime);
	decays = decays->n > 0 ? decays : &implicit;
	if (names_know(mirror, weights) || names_know(mirror, decays))
		return -ENOMEM;
	n = mirror->usage_names.n;
	if (array_grow(&account->decay_by_name, n, sizeof(double)) ||
	    array_grow(&account->weight_by_name, n, sizeof(double)) ||
	    array_grow(&account->weight_listed, n, sizeof(bool)) ||
	    array_grow(&account->decay.factors, n + 1, sizeof(double)) ||
	    array_grow(&account->weight_parts, n, sizeof(double)))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		account->decay_by_name[i] = NAN;
		account->weight_by_name[i] = 0.0;
		account->weight_listed[i] = false;
	}
	account->weights =
		(struct usage_weights){ .by_name = account->weight_by_name, .listed = account->weight_listed, .n = n };
	for (size_t i = 0; i < weights->n; i++) {
		uint32_t name = usage_name(&mirror->usage_names, mirror->strings, weights->items[i].name);

		account->weight_by_name[name] = weight_bounded(weights->items[i].value);
		account->weight_listed[name] = true;
		account->weights.sum += weight_bounded(weights->items[i].value);
	}
	for (size_t i = 0; i < n; i++)
		account->weight_parts[i] =
			account->weights.sum > 0 ? account->weight_by_name[i] / account->weights.sum : 0.0;
	account->weights.parts = account->weight_parts;
	for (size_t i = 0; i < decays->n; i++)
		account->decay_by_name[usage_name(&mirror->usage_names, mirror->strings, decays->items[i].name)] =
			decay_constant(decays->items[i].value);
	account->decay.by_name = account->decay_by_name;
	account->decay.n = n;
	account->decay.minutes = 0;		/* the factors are not computed yet */
	return 0;
}

void account_free(struct account *account)
{
	free(account->decay_by_name);
	free(account->weight_by_name);
	free(account->weight_listed);
	free(account->weight_parts);
	free(account->booked);
	free(account->decay.factors);
	*account = (struct account){ 0 };
}

/* Decay */

void account_decay(struct run *run, struct object *object)
{
	if (object->time_stamp == run->now)
		return;
	usage_decay(&object->usage, &run->account->decay, object->time_stamp, run->now, &run->counts.clamped);
	for (size_t i = 0; i < object->nprojects; i++)
		usage_decay(&object->projects[i].usage, &run->account->decay, object->time_stamp, run->now,
			    &run->counts.clamped);
	object->time_stamp = run->now;
}

/* Apply a changed half-life. It applies from now on. Usage up to now decays by the old one. */
static int halftime_changed(struct run *run)
{
	uint32_t old = run->account->last_halftime, new = run->cell->sched.halftime;

	if (old == new)
		return 0;
	for (uint32_t k = SHARER_USER; k <= SHARER_PROJECT; k++)
		for (uint32_t i = 0; i < run->mirror->objects[k].n; i++)
			if (run->mirror->objects[k].items[i].time_stamp &&
			    ledger_note_object(run->mirror->ledger, k, i))
				return -ENOMEM;
	run->account->last_halftime = new;
	run->account->decay.minutes = 0;
	run->account->decay.constant = decay_constant(60.0 * (old ? old : new));
	for (int k = SHARER_USER; k <= SHARER_PROJECT; k++)
		for (size_t i = 0; i < run->mirror->objects[k].n; i++)
			account_decay(run, &run->mirror->objects[k].items[i]);
	run->account->decay.constant = decay_constant(60.0 * new);
	run->account->decay.minutes = 0;
	return 0;
}

/* Running and ended tasks */

static void mark_booked(struct run *run, uint32_t row, const struct booked_to *to)
{
	struct state *state = run->mirror->state;

	for (uint32_t i = state->jobs.first_task[row]; i != NONE; i = state->tasks.items[i].next)
		state->tasks.items[i].booked = *to;
}

/*
 * Add the usage of tasks whose start is confirmed, so that a failed start leaves no usage. A task
 * whose end was booked before a restart is booked already. -EAGAIN: it is not known yet whether it
 * is.
 */
static int add_started(struct run *run, uint32_t row, struct booking *booking)
{
	const struct state *state = run->mirror->state;

	for (uint32_t i = state->jobs.first_task[row]; i != NONE; i = state->tasks.items[i].next) {
		struct task *task = &state->tasks.items[i];
		int settled;

		if (task->order || task->usage.n == 0)
			continue;
		settled = ledger_task_settled(run->mirror->ledger, booking->number, booking->submission_time, task);
		if (settled < 0)
			return settled;
		if (!settled && booking_add_started(run, booking, task))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Return whether the reported usage of a job is booked. Most jobs have reported no usage since the
 * previous run. Booking them would change nothing except that their users and projects decay. With
 * a ledger the answer is always no.
 */
static bool is_all_booked(const struct run *run, uint32_t row, const struct booked_to *to)
{
	const struct state *state = run->mirror->state;
	bool all = !run->mirror->ledger;

	for (uint32_t i = state->jobs.first_task[row]; all && i != NONE; i = state->tasks.items[i].next) {
		const struct booked_to *booked = &state->tasks.items[i].booked;

		all = booked->accounts == to->accounts && booked->user == to->user && booked->project == to->project;
	}
	return all;
}

static void decay_only(struct run *run, const struct booked_to *to)
{
	if (to->user != TICKETS_NONE)
		account_decay(run, &run->mirror->objects[SHARER_USER].items[to->user]);
	if (to->project != TICKETS_NONE)
		account_decay(run, &run->mirror->objects[SHARER_PROJECT].items[to->project]);
}

static int book_running(struct run *run)
{
	struct state *state = run->mirror->state;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];
		const struct ticket_class *class = &run->mirror->classes.items[job_fact(&state->jobs, row, class_id)];
		const struct booked_to to = { run->mirror->accounts, class->sharer[SHARER_USER],
					      class->sharer[SHARER_PROJECT] };

		if (is_all_booked(run, row, &to)) {
			decay_only(run, &to);
			continue;
		}

		struct booking booking = { .number = job_fact(&state->jobs, row, number),
					   .class_id = job_fact(&state->jobs, row, class_id),
					   .submission_time = job_fact(&state->jobs, row, submission) };

		rc = booking_find(run, &booking);
		if (rc == 0)
			rc = add_started(run, row, &booking);
		if (rc == 0)
			rc = booking_enter(run, &booking);
		if (rc == 0)
			mark_booked(run, row, &to);
		if (rc == -EAGAIN) {
			run->mirror->ledger->postponed++;
			rc = 0;
		}
	}
	return rc;
}

static int add_ended(struct run *run, struct ended_task *tasks, size_t n, struct booking *booking)
{
	for (size_t i = 0; i < n; i++)
		if (!tasks[i].settled && booking_add_ended(run, booking, &tasks[i]))
			return -ENOMEM;
	return 0;
}

/*
 * Return whether ended tasks must be booked. Tasks of a deleted job are no longer booked, unless
 * another task of the job ended before: the booked usage of all its tasks is one sum.
 */
static bool is_to_be_booked(const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tasks[i].ending != JOB_DELETED && !tasks[i].settled)
			return true;
	return false;
}

/* Request again whether the tasks are booked, since this is not known yet. */
static void drop_ends(struct run *run, uint32_t row, const struct ended_task *tasks, size_t n)
{
	struct state *state = run->mirror->state;

	ledger_drop_ends(run->mirror->ledger, tasks, n);
	for (uint32_t i = row == INDEX_NONE ? NONE : state->jobs.first_task[row]; i != NONE;
	     i = state->tasks.items[i].next)
		state->tasks.items[i].asked = false;
}

/*
 * Book the ends first, because a snapshot may show a task again that has ended. Charging them must
 * not fail after that, since the next run would charge them again. `row` is the job's row if the
 * job continues.
 */
static int book_ends(struct run *run, const struct account_also *also, struct booking *booking, uint32_t row,
		     struct ended_task *tasks, size_t n)
{
	bool booked = is_to_be_booked(tasks, n), noted = booked || also->ended;
	int rc = noted ? ledger_note_ends(run->mirror->ledger, tasks, n) : 0;

	if (rc != 0)
		return rc;
	if (booked)
		rc = add_ended(run, tasks, n, booking);
	if (rc == 0 && booked && row != INDEX_NONE)
		rc = add_started(run, row, booking);
	if (rc == 0 && booked)
		rc = ledger_note_job(run->mirror->ledger, booking->number);
	if (rc == 0)
		rc = ledger_reserve_closed(run->mirror->ledger);
	if (rc == 0 && booked)
		rc = booking_enter(run, booking);
	if (rc != 0 && noted)
		drop_ends(run, row, tasks, n);
	else if (rc == 0 && also->ended)
		also->ended(also->context, tasks, n);
	return rc;
}

/*
 * Remove the debited usage that is no longer needed. The debited usage is kept for a job that was
 * not booked at its end or that was missing in a snapshot, because the job may be reported again.
 */
static void book_rest(struct run *run, struct booking *booking, uint32_t row, const struct ended_task *tasks, size_t n)
{
	bool goes_on = row == INDEX_NONE
			       ? !tasks[n - 1].closes
			       : run->mirror->state->jobs.first_task[row] != NONE || booking_has_rest(booking);
	bool booked = is_to_be_booked(tasks, n);

	if (booked)
		booking_keep_rest(booking);
	if (booked ? goes_on : ledger_has_job(run->mirror->ledger, booking->number))
		return;
	debited_remove(run->mirror->state, booking->number);
	if (booked)
		ledger_note_closed(run->mirror->ledger, booking->number);
}

/* Book all tasks of one job that have ended since the last run. */
static int book_ended(struct run *run, const struct account_also *also, struct ended_task *tasks, size_t n)
{
	struct booking booking = { .number = tasks[0].number,
				   .class_id = tasks[0].class_id,
				   .submission_time = tasks[0].submission_time };
	uint32_t row = tasks[n - 1].closes ? INDEX_NONE : jobs_find(&run->mirror->state->jobs, booking.number);
	int rc;

	if (row != INDEX_NONE)		/* ended tasks leave the sum */
		mark_booked(run, row, &(struct booked_to){ .accounts = 0 });
	rc = ledger_ends_settle(run->mirror->ledger, tasks, n);

	if (rc == 0)
		rc = booking_find(run, &booking);
	if (rc == 0)
		rc = book_ends(run, also, &booking, row, tasks, n);
	if (rc == 0)
		book_rest(run, &booking, row, tasks, n);
	usage_free(&booking.ended);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const struct ended_task *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->turn < y->turn ? -1 : 1;
}

/* Book all ended tasks. Tasks for which the ledger cannot answer yet are left for the next run. */
static int book_all_ended(struct run *run, const struct account_also *also)
{
	struct state *state = run->mirror->state;
	struct ended_task *ended = state->ended;
	size_t begin = 0;
	int rc = 0;

	if (state->nended == 0)
		return 0;
	for (size_t i = 0; i < state->nended; i++)
		ended[i].turn = (uint32_t)i;
	qsort(ended, state->nended, sizeof(*ended), by_number);
	while (rc == 0 && begin < state->nended) {
		size_t end = begin + 1;

		while (end < state->nended && ended[end].number == ended[begin].number && !ended[end - 1].closes)
			end++;
		rc = book_ended(run, also, ended + begin, end - begin);
		if (rc == 0)
			begin = end;
	}
	for (size_t i = 0; i < begin; i++)
		ended_task_free(run->mirror, &ended[i]);
	memmove(ended, ended + begin, (state->nended - begin) * sizeof(*ended));
	state->nended -= begin;
	return rc == -EAGAIN ? 0 : rc;
}

/*
 * Forget the debited usage of jobs that were missing in a snapshot, and of numbers that never
 * belonged to a job, once the booked usage is stored.
 */
static void forget_debited(struct mirror *mirror)
{
	struct state *state = mirror->state;

	for (size_t i = state->ndebited; i-- > 0; )
		if (jobs_find(&state->jobs, state->debited_numbers[i]) == INDEX_NONE &&
		    !ledger_has_job(mirror->ledger, state->debited_numbers[i]))
			debited_remove(state, state->debited_numbers[i]);
}

int run_account(struct run *run, const struct account_also *also)
{
	int rc = halftime_changed(run);

	if (run->mirror->ledger)
		run->mirror->ledger->postponed = 0;
	if (rc == 0)
		rc = book_all_ended(run, also);
	if (rc == 0)
		rc = book_running(run);
	if (rc == 0 && run->mirror->state->ndebited > run->started.n)
		forget_debited(run->mirror);
	return rc;
}

size_t account_unbooked(const struct mirror *mirror)
{
	return mirror->state->nended + (mirror->ledger ? mirror->ledger->postponed : 0);
}
