/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/run/booking.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/run/account.h"

/* Begin a new list with cpu, mem and io. */
static int begin_list(struct run *run, struct usage *list)
{
	static const char *const names[] = { "cpu", "mem", "io" };

	for (size_t i = 0; list->n == i && i < sizeof(names) / sizeof(*names); i++) {
		uint32_t name = usage_name(&run->mirror->usage_names, run->strings, names[i]);

		if (name == UINT32_MAX || usage_add(list, name, 0.0))
			return -ENOMEM;
	}
	return 0;
}

static int book_to(struct run *run, struct usage *usage, struct usage *long_term, const struct usage *difference)
{
	if (begin_list(run, usage) || begin_list(run, long_term))
		return -ENOMEM;
	for (size_t i = 0; i < difference->n; i++)
		if (usage_add(usage, difference->items[i].name, difference->items[i].value) ||
		    usage_add(long_term, difference->items[i].name, difference->items[i].value))
			return -ENOMEM;
	return 0;
}

static struct object *class_object(struct run *run, uint32_t class_id, enum sharer_kind kind)
{
	uint32_t id = run->mirror->classes.items[class_id].sharer[kind];

	return id == TICKETS_NONE ? NULL : &run->mirror->objects[kind].items[id];
}

/*
 * Book a difference. A user's usage is booked to the user's own list, or to the list for the
 * project. A project's usage is always booked to its own list as well.
 */
static int book_difference(struct run *run, uint32_t class_id, struct object *user, struct object *project,
			   const struct usage *difference)
{
	if (user && project) {
		struct usage_in_project *usage =
			object_in_project(user, run->strings, classes_key(&run->mirror->classes, class_id)->project);

		if (!usage || book_to(run, &usage->usage, &usage->long_term, difference))
			return -ENOMEM;
	} else if (user && book_to(run, &user->usage, &user->long_term, difference)) {
		return -ENOMEM;
	}
	return project ? book_to(run, &project->usage, &project->long_term, difference) : 0;
}

/* Usage booked before */

int booking_find(struct run *run, struct booking *booking)
{
	int rc;

	booking->before = NULL;
	if (!class_object(run, booking->class_id, SHARER_USER) && !class_object(run, booking->class_id, SHARER_PROJECT))
		return 0;
	rc = ledger_find(run->mirror->ledger, run->mirror->state, booking->number, booking->submission_time,
			 &booking->before);
	for (size_t i = 0; booking->before && i < booking->before->ntasks; i++)
		booking->before->tasks[i].is_started = false;
	return rc;
}

/* Raise the values of `to` to those of `from`. -ENOMEM: only a part is raised. */
static int raise_all(struct usage *to, const struct usage *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (from->items[i].value > 0 && usage_raise(to, from->items[i].name, from->items[i].value) < 0)
			return -ENOMEM;
	return 0;
}

static int note_task(struct run *run, const struct booking *booking, uint32_t id, int64_t start_time)
{
	return ledger_note_task(run->mirror->ledger,
				&(struct ledger_task){ booking->number, id, booking->submission_time, start_time });
}

int booking_add_started(struct run *run, struct booking *booking, const struct task *task)
{
	struct debited_task *known =
		booking->before ? debited_get_task(booking->before, task->id, task->start_time) : NULL;
	bool grown = false;

	if (!known)
		return booking->before ? -ENOMEM : 0;
	known->is_started = true;
	for (size_t i = 0; i < task->usage.n; i++) {
		const struct usage_item *item = &task->usage.items[i];
		int raised = booking_counts(run, item->name) ? usage_raise(&known->usage, item->name, item->value) : 0;

		if (raised < 0)
			return -ENOMEM;
		grown |= raised;
	}
	return grown ? note_task(run, booking, task->id, task->start_time) : 0;
}

/*
 * Move the known usage of a task to its end, in addition to the usage reported with the end. A run
 * that fails leaves it there for the next run.
 */
static int take_known(struct run *run, struct booking *booking, struct ended_task *task)
{
	struct debited_task *known = debited_find_task(booking->before, task->id, task->start_time);

	if (!known)
		return 0;
	if (raise_all(&task->usage, &known->usage) || note_task(run, booking, task->id, task->start_time))
		return -ENOMEM;
	debited_remove_task(booking->before, known);
	return 0;
}

static bool has_usage(const struct usage *usage, uint32_t name)
{
	for (size_t i = 0; i < usage->n; i++)
		if (usage->items[i].name == name)
			return true;
	return false;
}

int booking_add_ended(struct run *run, struct booking *booking, struct ended_task *task)
{
	uint32_t finished_jobs = usage_name(&run->mirror->usage_names, run->strings, "finished_jobs");
	bool counts = task->ending == TASK_FINISHED && !has_usage(&task->usage, finished_jobs);

	if (finished_jobs == UINT32_MAX || (booking->before && take_known(run, booking, task)))
		return -ENOMEM;
	booking->finished += task->ending == TASK_FINISHED;
	for (size_t i = 0; i < task->usage.n; i++) {
		const struct usage_item *item = &task->usage.items[i];

		if (booking_counts(run, item->name) && usage_add(&booking->ended, item->name, item->value))
			return -ENOMEM;
	}
	return counts ? usage_add(&booking->ended, finished_jobs, 1.0) : 0;
}

/* Sum up in Grid Engine's order: first ended tasks, then started tasks. */
static int sum_all(const struct booking *booking, struct usage *sum)
{
	int rc = usage_copy(sum, &booking->ended);

	for (size_t k = 0; rc == 0 && k < booking->before->ntasks; k++) {
		const struct usage *usage = &booking->before->tasks[k].usage;

		for (size_t i = 0; rc == 0 && i < usage->n; i++)
			rc = usage_add(sum, usage->items[i].name, usage->items[i].value);
	}
	return rc;
}

bool booking_has_rest(const struct booking *booking)
{
	return booking->before && booking->before->ntasks > 0;
}

void booking_keep_rest(struct booking *booking)
{
	for (size_t i = 0; booking->before && i < booking->before->usage.n; i++) {
		struct usage_item *item = &booking->before->usage.items[i];

		item->value = fmax(item->value - usage_get(&booking->ended, item->name), 0.0);
	}
}

/* Booking */

static bool is_same_usage(const struct usage *a, const struct usage *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (a->items[i].name != b->items[i].name || a->items[i].value != b->items[i].value)
			return false;
	return a->n == b->n;
}

/*
 * Note the booking in the ledger. Most jobs have no new usage since the last run and are not noted.
 */
static int note_booking(struct run *run, const struct booking *booking, struct ledger_sum **sum)
{
	const struct class_key *key = classes_key(&run->mirror->classes, booking->class_id);
	const uint32_t *sharer = run->mirror->classes.items[booking->class_id].sharer;
	struct ledger *ledger = run->mirror->ledger;

	if (!ledger)
		return 0;
	for (uint32_t k = SHARER_USER; k <= SHARER_PROJECT; k++)
		if (sharer[k] != TICKETS_NONE && ledger_note_object(ledger, k, sharer[k]))
			return -ENOMEM;
	*sum = ledger_sum(ledger, key->owner, key->project);
	return *sum && ledger_note_job(ledger, booking->number) == 0 ? 0 : -ENOMEM;
}

static void add_to_ledger(struct run *run, const struct booking *booking, const struct usage *difference,
			  struct ledger_sum *sum)
{
	const char *const names[] = { "cpu", "mem", "io", "ru_wallclock" };
	double *const values[] = { &sum->cpu, &sum->mem, &sum->io, &sum->wallclock };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint32_t string = strings_find(run->strings, names[i]);
		uint32_t name = string == NONE ? INDEX_NONE
					       : index_find(&run->mirror->usage_names.by_string,
							    run->mirror->usage_names.strings, string);

		*values[i] += name == INDEX_NONE ? 0.0 : usage_get(difference, name);
	}
	sum->tasks += booking->finished;
}

static int book(struct run *run, const struct booking *booking, const struct usage *sum, struct object *user,
		struct object *project)
{
	struct debited *before = booking->before;
	bool forgotten = before->reported < (user ? user : project)->reported;
	struct usage difference = { 0 }, booked = { 0 };
	struct ledger_sum *noted = NULL;
	/*
	 * at least the amount booked before; the qmaster may have reported more of it than of the
	 * tasks
	 */
	int rc = usage_copy(&difference, sum) || usage_copy(&booked, sum) ||
				 (!forgotten && raise_all(&booked, &before->usage))
			 ? -ENOMEM
			 : 0;

	if (rc == 0 && (forgotten || !is_same_usage(&before->usage, &booked)))
		rc = note_booking(run, booking, &noted);
	if (rc != 0)
		goto out;
	/* add all names first, so that booking itself needs no memory and is never done by half */
	for (size_t i = 0; i < sum->n; i++)
		difference.items[i].value = 0.0;
	rc = book_difference(run, booking->class_id, user, project, &difference);
	if (rc != 0)
		goto out;
	if (forgotten)
		usage_free(&before->usage);
	for (size_t i = 0; i < sum->n; i++)
		difference.items[i].value =
			fmax(sum->items[i].value - usage_get(&before->usage, sum->items[i].name), 0.0);
	book_difference(run, booking->class_id, user, project, &difference);
	if (noted)
		add_to_ledger(run, booking, &difference, noted);
	usage_free(&before->usage);
	before->usage = booked;
	booked = (struct usage){ 0 };
	before->reported = run->mirror->report_count;
	before->replaced = false;
out:
	usage_free(&difference);
	usage_free(&booked);
	return rc;
}

/* Fast path for most jobs: one task, and all names exist in the lists to book to. */
#define MOST_NAMES 16

static bool list_has(const struct usage *list, const struct usage *names)
{
	bool has = list->n >= 3;	/* begin_list() was called */

	for (size_t i = 0; has && i < names->n; i++)
		has = has_usage(list, names->items[i].name);
	return has;
}

static bool lists_have(const struct usage *usage, const struct usage *long_term, const struct usage *names)
{
	return list_has(usage, names) && list_has(long_term, names);
}

static bool objects_have(struct run *run, uint32_t class_id, struct object *user, struct object *project,
			 const struct usage *names)
{
	const struct usage_in_project *usage = NULL;

	if (user && project)
		usage = object_find_project(user, classes_key(&run->mirror->classes, class_id)->project);
	if (user && (project ? !usage || !lists_have(&usage->usage, &usage->long_term, names)
			     : !lists_have(&user->usage, &user->long_term, names)))
		return false;
	return !project || lists_have(&project->usage, &project->long_term, names);
}

static bool same_names(const struct usage *a, const struct usage *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++)
		same = a->items[i].name == b->items[i].name;
	return same;
}

/* Return the total usage of a job if it is the usage of its only task. Otherwise NULL. */
static const struct usage *plain_sum(const struct booking *booking)
{
	static const struct usage nothing;
	const struct usage *sum = booking->before->ntasks == 0 ? &nothing : &booking->before->tasks[0].usage;

	if (booking->ended.n > 0 || booking->before->ntasks > 1 || sum->n > MOST_NAMES ||
	    !same_names(sum, &booking->before->usage))
		return NULL;
	return sum;
}

/* Book like book(), in place. */
static int book_plain(struct run *run, const struct booking *booking, const struct usage *sum, struct object *user,
		      struct object *project)
{
	struct usage *before = &booking->before->usage;
	struct usage_item items[MOST_NAMES];
	const struct usage difference = { items, sum->n };
	struct ledger_sum *noted = NULL;
	bool grown = false;

	for (size_t i = 0; i < sum->n; i++) {
		items[i] = (struct usage_item){ sum->items[i].name,
						fmax(sum->items[i].value - before->items[i].value, 0.0) };
		grown |= sum->items[i].value > before->items[i].value;
	}
	if (grown && note_booking(run, booking, &noted))
		return -ENOMEM;
	booking->before->reported = run->mirror->report_count;
	if (!grown)
		return 0;
	book_difference(run, booking->class_id, user, project, &difference);
	if (noted)
		add_to_ledger(run, booking, &difference, noted);
	for (size_t i = 0; i < sum->n; i++)
		before->items[i].value = fmax(sum->items[i].value, before->items[i].value);
	return 0;
}

/* Forget the other tasks: the qmaster's sum contains only the tasks that it shows. */
static int forget_others(struct run *run, const struct booking *booking)
{
	for (size_t i = booking->before->ntasks; i-- > 0;) {
		struct debited_task *task = &booking->before->tasks[i];

		if (task->is_started)
			continue;
		if (note_task(run, booking, task->id, task->start_time))
			return -ENOMEM;
		debited_remove_task(booking->before, task);
	}
	return 0;
}

int booking_enter(struct run *run, struct booking *booking)
{
	struct object *user = class_object(run, booking->class_id, SHARER_USER),
		      *project = class_object(run, booking->class_id, SHARER_PROJECT);
	bool has_report =
		booking->before && (booking->before->replaced || booking->before->reported < (user ? user : project)->reported);
	const struct usage *plain;
	struct usage sum = { 0 };
	int rc = has_report ? forget_others(run, booking) : 0;

	if (!booking->before || rc != 0)
		return rc;
	if (user)
		account_decay(run, user);
	if (project)
		account_decay(run, project);
	plain = has_report ? NULL : plain_sum(booking);
	if (plain && objects_have(run, booking->class_id, user, project, plain))
		return book_plain(run, booking, plain, user, project);
	rc = sum_all(booking, &sum);
	if (rc == 0)
		rc = book(run, booking, &sum, user, project);
	usage_free(&sum);
	return rc;
}
