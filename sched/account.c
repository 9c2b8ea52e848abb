/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: what tasks have used is booked to their user and project, each difference to what was booked before once, and decays from run to
 * run. share_tree(5), sched_conf(5) halftime, halflife_decay_list.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run.h"

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
static void halftime_changed(struct sched *s)
{
	uint32_t old = s->last_halftime, new = s->cell->sched.halftime;

	if (old == new)
		return;
	s->last_halftime = new;
	s->decay.constant = decay_constant(60.0 * (old ? old : new));
	for (int k = SHARER_USER; k <= SHARER_PROJECT; k++)
		for (size_t i = 0; i < s->mirror.objects[k].n; i++)
			account_decay(s, &s->mirror.objects[k].items[i]);
	s->decay.constant = decay_constant(60.0 * new);
}

/* ---- booking ------------------------------------------------------------------------------------------------------------------ */

static bool is_booked(const char *name)
{
	static const char *const names[] = { "cpu", "io", "iow", "mem", "vmem", "finished_jobs" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return strncmp(name, "acct_", 5) == 0 || strncmp(name, "ru_", 3) == 0;
}

static int add_usage(const struct sched *s, struct usage *sum, const struct usage *usage)
{
	const struct usage_names *names = &s->mirror.usage_names;

	for (size_t i = 0; i < usage->n; i++)
		if (is_booked(strings_text(s->strings, names->strings[usage->items[i].name])) &&
		    usage_add(sum, usage->items[i].name, usage->items[i].value))
			return -ENOMEM;
	return 0;
}

/* New lists begin with cpu, mem and io. */
static int begin_list(struct sched *s, struct usage *list)
{
	static const char *const names[] = { "cpu", "mem", "io" };

	for (size_t i = 0; list->n == i && i < sizeof(names) / sizeof(*names); i++) {
		uint32_t name = usage_name(&s->mirror.usage_names, s->strings, names[i]);

		if (name == UINT32_MAX || usage_add(list, name, 0.0))
			return -ENOMEM;
	}
	return 0;
}

static int book_to(struct sched *s, struct usage *usage, struct usage *long_term, const struct usage *difference)
{
	if (begin_list(s, usage) || begin_list(s, long_term))
		return -ENOMEM;
	for (size_t i = 0; i < difference->n; i++)
		if (usage_add(usage, difference->items[i].name, difference->items[i].value) ||
		    usage_add(long_term, difference->items[i].name, difference->items[i].value))
			return -ENOMEM;
	return 0;
}

static struct object *class_object(struct sched *s, uint32_t class_id, enum sharer_kind kind)
{
	uint32_t id = s->mirror.classes.items[class_id].sharer[kind];

	return id == TICKETS_NONE ? NULL : &s->mirror.objects[kind].items[id];
}

/* A user's usage counts in his own list, or in that for the project; a project's always in its own, too. */
static int book_difference(struct sched *s, uint32_t class_id, struct object *user, struct object *project, const struct usage *difference)
{
	if (user && project) {
		struct usage_in_project *p = object_in_project(user, s->strings, classes_key(&s->mirror.classes, class_id)->project);

		if (!p || book_to(s, &p->usage, &p->long_term, difference))
			return -ENOMEM;
	} else if (user && book_to(s, &user->usage, &user->long_term, difference)) {
		return -ENOMEM;
	}
	return project ? book_to(s, &project->usage, &project->long_term, difference) : 0;
}

/*
 * Book what a job has used in all beyond what was booked before. What was booked before the qmaster told the usage of the user (of the
 * project, if there is no user object) is none of that. Without user and project object there is nobody to book to.
 */
static int book(struct sched *s, uint32_t number, uint32_t class_id, const struct usage *sum)
{
	struct object *user = class_object(s, class_id, SHARER_USER), *project = class_object(s, class_id, SHARER_PROJECT);
	struct usage difference = { 0 }, booked = { 0 };
	struct debited *before;
	int code = -ENOMEM;

	if (!user && !project)
		return 0;
	if (user)
		account_decay(s, user);
	if (project)
		account_decay(s, project);
	before = debited_add(s->mirror.state, number);
	if (!before || usage_copy(&difference, sum) || usage_copy(&booked, sum))
		goto out;
	/* all names first, so that booking itself needs no memory and is never done by half */
	for (size_t i = 0; i < sum->n; i++)
		difference.items[i].value = 0.0;
	code = book_difference(s, class_id, user, project, &difference);
	if (code != 0)
		goto out;
	if (before->told < (user ? user : project)->told)
		usage_free(&before->usage);
	for (size_t i = 0; i < sum->n; i++)
		difference.items[i].value = fmax(sum->items[i].value - usage_get(&before->usage, sum->items[i].name), 0.0);
	book_difference(s, class_id, user, project, &difference);
	usage_free(&before->usage);
	before->usage = booked;
	booked = (struct usage){ 0 };
	before->told = s->mirror.tellings;
out:
	usage_free(&difference);
	usage_free(&booked);
	return code;
}

/* ---- running and ended tasks ----------------------------------------------------------------------------------------------------- */

/* Of tasks whose start is confirmed: one that turns out not to have started leaves nothing behind. */
static int sum_started(const struct sched *s, uint32_t row, struct usage *sum)
{
	const struct state *state = s->mirror.state;

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		if (!state->tasks.items[t].order && add_usage(s, sum, &state->tasks.items[t].usage))
			return -ENOMEM;
	return 0;
}

static int book_running(struct sched *s)
{
	struct state *state = s->mirror.state;
	int code = 0;

	for (size_t i = 0; code == 0 && i < s->run.started.n; i++) {
		uint32_t row = s->run.started.rows[i];
		struct usage sum = { 0 };

		code = sum_started(s, row, &sum);
		if (code == 0)
			code = book(s, job_fact(&state->jobs, row, number), job_fact(&state->jobs, row, class_id), &sum);
		usage_free(&sum);
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

static int sum_ended(struct sched *s, const struct ended_task *tasks, size_t n, struct usage *sum)
{
	uint32_t finished_jobs = usage_name(&s->mirror.usage_names, s->strings, "finished_jobs");

	if (finished_jobs == UINT32_MAX)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		bool counts = tasks[i].ending == TASK_FINISHED && !has_usage(&tasks[i].usage, finished_jobs);

		if (add_usage(s, sum, &tasks[i].usage) || (counts && usage_add(sum, finished_jobs, 1.0)))
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

/* All tasks of one job that ended since the last run. */
static int book_ended(struct sched *s, const struct ended_task *tasks, size_t n)
{
	struct state *state = s->mirror.state;
	uint32_t number = tasks[0].number, row = tasks[n - 1].closes ? INDEX_NONE : jobs_find(&state->jobs, number);
	bool goes_on = row != INDEX_NONE && state->jobs.first_task[row] != NONE;
	struct usage ended = { 0 }, sum = { 0 };
	int code = sum_ended(s, tasks, n, &ended);

	if (code == 0)
		code = usage_copy(&sum, &ended);
	if (code == 0 && goes_on)
		code = sum_started(s, row, &sum);
	if (code == 0 && is_to_be_booked(tasks, n))
		code = book(s, number, tasks[0].class_id, &sum);
	if (code == 0 && goes_on)
		keep_rest(s, number, &ended);
	else if (code == 0)
		debited_remove(state, number);
	usage_free(&ended);
	usage_free(&sum);
	return code;
}

static int by_number(const void *a, const void *b)
{
	const struct ended_task *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->turn < y->turn ? -1 : 1;
}

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
	return code;
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
	int code;

	halftime_changed(s);
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
