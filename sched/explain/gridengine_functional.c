/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functional tickets: fshare of the task's user, project and department, and its job share. Each is
 * compared to the shares of all tasks that count before it; sched_conf(5)
 * weight_tickets_functional. Formulas are those of tickets/functional.c.
 */
#include <errno.h>
#include <math.h>

#include "conf/base/columns.h"
#include "sched/explain/gridengine.h"

#define FUNCTIONAL_COLUMNS \
	"by", "fshare", "active", "share", "of all shares", "pool", "part of the pool", "weight", "tickets"
#define WEIGHT_LIMIT 1e100		/* same as in tickets/functional.c */
#define KIND_JOB SHARER_KINDS		/* after the kinds of objects */
#define KINDS (SHARER_KINDS + 1)

/* Order in which kinds are added. */
static const int kinds_in_order[KINDS] = { SHARER_USER, SHARER_DEPARTMENT, SHARER_PROJECT, KIND_JOB };

/*
 * Sum of shares while it grows. If the same line is added twice in a row, its count is increased.
 */
struct share_sum {
	struct line_operand *items;
	size_t n, capacity;
};

struct functional {			/* functional tickets of one task */
	const struct subject *s;
	bool shared;			/* share_functional_shares */
	/* Number of picks that count. The last one is the task itself if it was picked. */
	size_t picks;
	bool picked;
	uint32_t pool;			/* weight_tickets_functional */
	uint32_t weights[KINDS];
};

static uint32_t class_of_pending(const struct subject *subject, uint32_t task)
{
	return job_fact(subject_jobs(subject), subject->run->waiting.rows[subject->run->pending.job[task]], class_id);
}

/* Return the object of a class if it has functional shares. */
static uint32_t object_of(const struct subject *subject, uint32_t class_id, int kind)
{
	uint32_t object = subject->run->mirror->classes.items[class_id].sharer[kind];

	return object == TICKETS_NONE || subject->run->mirror->objects[kind].sharers[object].fshare == 0 ? TICKETS_NONE
													 : object;
}

/* Return the class of counting task `k`: first running tasks, then picked ones. */
static uint32_t class_at(const struct functional *functional, size_t k)
{
	const struct running_columns *running = &functional->s->run->running;

	return k < running->active ? running->class_id[k]
				   : class_of_pending(functional->s,
						      functional->s->e->witness.functional.tasks[k - running->active]);
}

/* Sums of shares */

static void sum_add(struct functional *functional, struct share_sum *sum, uint32_t line)
{
	if (sum->n > 0 && sum->items[sum->n - 1].line == line) {
		sum->items[sum->n - 1].times++;
		return;
	}
	if (array_reserve(&sum->capacity, sum->n + 1, COLUMN(sum->items))) {
		functional->s->d->rc = -ENOMEM;
		return;
	}
	sum->items[sum->n++] = (struct line_operand){ line, 1 };
}

struct adding {				/* state of a sum, by object of the kind */
	uint32_t *lines;		/* share of the object; DERIVED_NONE: not derived yet */
	uint32_t *active;		/* tasks so far that refer to it */
};

/*
 * Derive a running task's part of the share of its object, or the whole share without
 * share_functional_shares.
 */
static uint32_t running_share(const struct functional *functional, int kind, uint32_t object)
{
	const struct sharer *sharer = &functional->s->run->mirror->objects[kind].sharers[object];
	const char *who = gridengine_sharer_name(functional->s, kind, object);
	char name[TEXT_BYTES];
	uint32_t fshare =
		derive_whole(functional->s->d, text_made(name, "fshare of %s %s", gridengine_kind_name(kind), who),
			     sharer->fshare, gridengine_kind_name(kind));

	derived_holder(functional->s->d, fshare, gridengine_holder_kind(kind), who);
	if (!functional->shared)
		return fshare;
	return derive(functional->s->d, text_made(name, "share of each running task of %s", who), OPERATION_QUOTIENT, 2,
		      fshare,
		      derived_unit(functional->s->d,
				   derive_whole(functional->s->d, text_made(name, "running tasks of %s", who),
						sharer->running, "run"),
				   "tasks"));
}

/* Derive the share of a picked task: the whole share of the object, as for its first task. */
static uint32_t picked_share(const struct functional *functional, int kind, uint32_t object)
{
	const char *who = gridengine_sharer_name(functional->s, kind, object);
	char name[TEXT_BYTES];
	uint32_t line = derive_whole(
		functional->s->d, text_made(name, "fshare of %s %s", gridengine_kind_name(kind), who),
		functional->s->run->mirror->objects[kind].sharers[object].fshare, gridengine_kind_name(kind));

	return derived_holder(functional->s->d, line, gridengine_holder_kind(kind), who);
}

/*
 * Add the shares of all tasks. With share_functional_shares, an object with running tasks is added
 * once for each of them. An object without running tasks is added with its first picked task.
 * Otherwise each task adds the whole share of its object.
 */
static void add_all(struct functional *functional, int kind, const struct adding *adding, struct share_sum *sum)
{
	size_t running = functional->s->run->running.active;

	for (size_t k = 0; k < running + functional->picks && !functional->s->d->rc; k++) {
		uint32_t object = object_of(functional->s, class_at(functional, k), kind);

		if (object == TICKETS_NONE)
			continue;
		if (k >= running && functional->shared && ++adding->active[object] > 1)
			continue;
		if (adding->lines[object] == DERIVED_NONE)
			adding->lines[object] = k < running ? running_share(functional, kind, object)
							    : picked_share(functional, kind, object);
		sum_add(functional, sum, adding->lines[object]);
	}
}

static uint32_t derive_sum_of_kind(struct functional *functional, int kind)
{
	size_t n = functional->s->run->mirror->objects[kind].n;
	struct adding a = { malloc((n + 1) * sizeof(uint32_t)), calloc(n + 1, sizeof(uint32_t)) };
	struct share_sum sum = { 0 };
	char name[TEXT_BYTES];
	uint32_t line;

	for (size_t i = 0; i < n && a.lines && a.active; i++) {
		a.lines[i] = DERIVED_NONE;
		a.active[i] = functional->s->run->mirror->objects[kind].sharers[i].running;
	}
	if (!a.lines || !a.active)
		functional->s->d->rc = -ENOMEM;
	else
		add_all(functional, kind, &a, &sum);
	line = derive_from(functional->s->d, PRECISION_DOUBLE,
			   text_made(name, "shares of all tasks by %s", gridengine_kind_name(kind)), OPERATION_SUM,
			   sum.items, sum.n);
	free(a.lines);
	free(a.active);
	free(sum.items);
	return line;
}

static uint32_t derive_sum_of_jobs(struct functional *functional)
{
	size_t running = functional->s->run->running.active;
	double of_running = 0.0, of_picked = 0.0;
	uint32_t a, b;

	for (size_t k = 0; k < running + functional->picks; k++)
		*(k < running ? &of_running : &of_picked) +=
			functional->s->run->mirror->classes.items[class_at(functional, k)].jobshare;
	a = derive_given(functional->s->d, "job shares of running tasks", of_running, "-js");
	b = derive_given(functional->s->d, "job shares of tasks picked", of_picked, "-js");
	return derive(functional->s->d, "job shares of all tasks", OPERATION_SUM, 2, a, b);
}

/* Weights */

/* Derive the weights. For running tasks only kinds that are in use count. */
static void derive_weights(struct functional *f, const bool used[KINDS])
{
	static const char *const names[KINDS] = { [SHARER_USER] = "weight_user",
						  [SHARER_PROJECT] = "weight_project",
						  [SHARER_DEPARTMENT] = "weight_department",
						  [KIND_JOB] = "weight_job" };
	const struct ticket_params *params = &f->s->g->tickets;
	const double values[KINDS] = { [SHARER_USER] = params->weight_user,
				       [SHARER_PROJECT] = params->weight_project,
				       [SHARER_DEPARTMENT] = params->weight_department,
				       [KIND_JOB] = params->weight_job };
	struct line_operand terms[KINDS];
	uint32_t sum;

	for (int i = 0; i < KINDS; i++) {
		int k = kinds_in_order[i];

		f->weights[k] = derive_given(f->s->d, names[k],
					     used[k] ? fmin(fmax(values[k], -WEIGHT_LIMIT), WEIGHT_LIMIT) : 0.0,
					     used[k] ? "sched_conf" : "no such shares are in use");
		terms[i] = (struct line_operand){ f->weights[k], 1 };
	}
	sum = derive_from(f->s->d, PRECISION_DOUBLE, "sum of the weights", OPERATION_SUM, terms, KINDS);
	for (int k = 0; k < KINDS && derived_value(f->s->d, sum) > 0; k++)
		f->weights[k] = derive(f->s->d, names[k], OPERATION_QUOTIENT, 2, f->weights[k], sum);
}

/* Parts of the tickets */

/* Derive the number of tasks that share the object, including this task. */
static uint32_t derive_active(const struct functional *functional, int kind, uint32_t object)
{
	uint32_t running = functional->s->run->mirror->objects[kind].sharers[object].running, before = 0, a, b;

	a = derived_unit(functional->s->d, derive_whole(functional->s->d, "running tasks", running, "run"), "tasks");
	if (functional->s->pending == NONE)
		return a;
	for (size_t k = 0; k < functional->picks - functional->picked; k++)
		before += object_of(functional->s,
				    class_of_pending(functional->s, functional->s->e->witness.functional.tasks[k]),
				    kind) == object;
	b = derived_unit(functional->s->d, derive_whole(functional->s->d, "tasks picked before", before, "run"),
			 "tasks");
	return derive(functional->s->d, "active tasks", OPERATION_SUM, 3, a, b,
		      derive_whole(functional->s->d, "this task", 1, "constant"));
}

/*
 * Derive the sum for a task that was not picked, whose tickets are estimated. A thousandth keeps
 * the sum from being 0.
 */
static uint32_t derive_estimated_sum(const struct functional *functional, uint32_t sum, uint32_t share)
{
	uint32_t thousandth = derive_given(functional->s->d, "a thousandth", 0.001, "constant");

	if (share == DERIVED_NONE)
		return derive(functional->s->d, "shares of all, for an estimate", OPERATION_SUM, 2, sum, thousandth);
	return derive(functional->s->d, "shares of all, for an estimate", OPERATION_SUM, 3, sum, thousandth, share);
}

/* Derive weight x (share x pool / sum); 0 if share or sum is 0. */
static uint32_t derive_part(const struct functional *functional, int kind, const char *label, uint32_t fshare,
			    uint32_t active, uint32_t share, uint32_t sum)
{
	uint32_t shares = share, part, tickets;
	char name[TEXT_BYTES];

	if (functional->s->pending != NONE && !functional->picked)
		sum = derive_estimated_sum(functional, sum,
					   kind == KIND_JOB || !functional->shared ? share : DERIVED_NONE);
	if (derived_value(functional->s->d, share) == 0 || derived_value(functional->s->d, sum) == 0)
		return DERIVED_NONE;
	part = derive_in(functional->s->d, PRECISION_DOUBLE, "share x pool", OPERATION_PRODUCT, 2, shares,
			 functional->pool);
	part = derive(functional->s->d, text_made(name, "part of the pool by %s", label), OPERATION_QUOTIENT, 2, part,
		      sum);
	tickets = derive(functional->s->d, text_made(name, "functional tickets by %s", label), OPERATION_PRODUCT, 2,
			 functional->weights[kind], part);
	sections_row(functional->s->x, label,
		     ROW(fshare, active, share, sum, functional->pool, part, functional->weights[kind], tickets));
	return tickets;
}

static uint32_t derive_object(const struct functional *functional, int kind, uint32_t sum)
{
	uint32_t object = object_of(functional->s, functional->s->class_id, kind), fshare, active = DERIVED_NONE, share;
	char name[TEXT_BYTES], label[TEXT_BYTES];
	const char *who;

	if (object == TICKETS_NONE)
		return DERIVED_NONE;
	who = gridengine_sharer_name(functional->s, kind, object);
	fshare = derive_whole(functional->s->d, text_made(name, "fshare of %s %s", gridengine_kind_name(kind), who),
			      functional->s->run->mirror->objects[kind].sharers[object].fshare,
			      gridengine_kind_name(kind));
	derived_holder(functional->s->d, fshare, gridengine_holder_kind(kind), who);
	share = fshare;
	if (functional->shared) {
		active = derive_active(functional, kind, object);
		share = derive(functional->s->d, text_made(name, "share of the task by %s", gridengine_kind_name(kind)),
			       OPERATION_QUOTIENT, 2, fshare, active);
	}
	return derive_part(functional, kind, text_made(label, "%s %s", gridengine_kind_name(kind), who), fshare, active,
			   share, sum);
}

static uint32_t derive_job(const struct functional *functional, uint32_t sum)
{
	uint32_t jobshare = derive_whole(functional->s->d, "job share", subject_class(functional->s)->jobshare, "-js");

	return derive_part(functional, KIND_JOB, "job share", jobshare, DERIVED_NONE, jobshare, sum);
}

/* The task */

static bool brings_nothing(const struct subject *subject)
{
	for (int k = 0; k < SHARER_KINDS; k++)
		if (object_of(subject, subject->class_id, k) != TICKETS_NONE)
			return false;
	return subject_class(subject)->jobshare == 0;
}

/* Find the picks that count for the task: up to its own. If it was not picked, all but the last. */
static void find_picks(struct functional *functional)
{
	const struct picked_tasks *picked = &functional->s->e->witness.functional;

	if (functional->s->pending == NONE)
		return;
	while (functional->picks < picked->n && picked->tasks[functional->picks] != functional->s->pending)
		functional->picks++;
	functional->picked = functional->picks < picked->n;
	functional->picks = functional->picked ? functional->picks + 1 : picked->n > 0 ? picked->n - 1 : 0;
}

static void note_picks(const struct functional *functional)
{
	const struct picked_tasks *picked = &functional->s->e->witness.functional;

	if (functional->s->pending == NONE)
		sections_note(functional->s->x, "It is running: %zu running task%s the pool.",
			      functional->s->run->running.active,
			      functional->s->run->running.active == 1 ? " has" : "s share");
	else if (functional->picked && picked->n == 1)
		sections_note(functional->s->x, "No other pending task was picked.");
	else if (functional->picked)
		sections_note(
			functional->s->x,
			"%zu pending tasks were picked one by one. "
			"It is number %zu, and each task before it reduces its tickets.",
			picked->n, functional->picks);
	else
		sections_note(
			functional->s->x,
			"It is after the %zu task%s that %s picked (max_functional_jobs_to_schedule %u). "
			"Its tickets are those estimated for the next task of its class.",
			picked->n, picked->n == 1 ? "" : "s", picked->n == 1 ? "was" : "were",
			functional->s->g->tickets.max_functional_jobs_to_schedule);
}

static uint32_t derive_all(struct functional *functional)
{
	uint32_t sums[KINDS], terms_of[KINDS];
	struct line_operand terms[KINDS];
	bool used[KINDS];
	size_t n = 0;

	functional->pool =
		derived_unit(functional->s->d,
			     derive_whole(functional->s->d, "weight_tickets_functional",
					  (int64_t)functional->s->g->tickets.functional_tickets, "sched_conf"),
			     "tickets");
	for (int k = 0; k < KINDS; k++) {
		sums[k] = k == KIND_JOB ? derive_sum_of_jobs(functional) : derive_sum_of_kind(functional, k);
		used[k] = functional->s->pending != NONE || derived_value(functional->s->d, sums[k]) > 0;
	}
	derive_weights(functional, used);
	for (int i = 0; i < KINDS; i++) {
		int k = kinds_in_order[i];

		terms_of[i] = k == KIND_JOB ? derive_job(functional, sums[k]) : derive_object(functional, k, sums[k]);
		if (terms_of[i] != DERIVED_NONE)
			terms[n++] = (struct line_operand){ terms_of[i], 1 };
	}
	return derive_from(functional->s->d, PRECISION_DOUBLE, "ftckt", OPERATION_SUM, terms, n);
}

uint32_t gridengine_derive_functional(const struct subject *subject)
{
	struct functional functional = { .s = subject, .shared = subject->g->tickets.share_functional_shares };
	uint32_t line;

	sections_begin(subject->x, "Functional tickets");
	sections_columns(subject->x, COLUMNS_OF(FUNCTIONAL_COLUMNS));
	if (!(subject->g->tickets.functional_tickets > 0) || brings_nothing(subject) ||
	    (subject->pending != NONE && subject->e->witness.functional.n == 0)) {
		sections_note(subject->x, !(subject->g->tickets.functional_tickets > 0)
						  ? "weight_tickets_functional is 0: there are no functional tickets."
					  : brings_nothing(subject)
						  ? "The job, its user, project and department have no shares."
						  : "No task was picked.");
		return derive_given(subject->d, "ftckt", 0.0, "no functional shares");
	}
	find_picks(&functional);
	line = derive_all(&functional);
	sections_row(subject->x, "ftckt",
		     ROW(DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE,
			 DERIVED_NONE, line));
	note_picks(&functional);
	return line;
}
