/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Job by job, best first: it starts, or gets a reservation, or its category is not looked at again
 * in this run. The order is that of the run; a job whose array task has started is put in again by
 * the priority of its next one.
 *
 * Nothing but the run's own picture of the cluster changes here: what was decided is told to the
 * mirror and the qmaster afterwards (dispatch_orders()).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/decisions.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/pending.h"
#include "sched/dispatch/phase.h"
#include "sched/qmaster/orders.h"
#include "urgency/normalize.h"

#define FEW_JOBS 128			/* one of so many that wait */

struct round {				/* all that one run's loop keeps */
	struct dispatch *d;
	struct run *run;
	const struct policy *policy;
	struct orders *orders;
	struct pending pending;
	struct owners owners;		/* running tasks of each, if maxujobs is set */
	uint32_t reservations;
	struct grant grant;
	bool listed;			/* categories_list() */
	/* the list of reasons of jobs whose owners have maxujobs tasks; 0: none has */
	uint16_t busy;
};

/* One job */

static struct search search_of(struct round *r, struct category *category)
{
	return (struct search){ .number = ++r->d->searches, .d = r->d, .category = category, .begin = r->d->now,
				.end = timeline_after(r->d->now, category->duration), .timed = r->d->timed };
}

/* Only what the qmaster takes in one order. */
static bool can_be_ordered(const struct round *r, const struct grant *g)
{
	const struct orders *o = r->orders;
	size_t bytes = 0;

	for (size_t k = 0; k < g->n && orders_fit(o, bytes); k++)
		bytes += orders_instance_bytes(o, r->d->cluster.instances[g->entries[k].instance].name);
	return orders_fit(o, bytes);
}

/* Who wants to start now or not at all is gone if it has not. */
static int remove_immediate(struct round *r, const struct pending_job *job, const struct category *category)
{
	const struct decisions *d = &r->d->decisions;
	uint32_t *number;

	if (!category->now || (d->n > 0 && d->items[d->n - 1].job_number == job->number))
		return 0;
	number = array_add(&r->d->decisions.removals, &r->d->decisions.nremovals, sizeof(*number));
	if (!number)
		return -ENOMEM;
	*number = job->number;
	return 0;
}

static uint16_t busy_list(struct round *r)
{
	if (r->busy == 0) {
		r->busy = (uint16_t)why_list(r->d->why);
		why_add(r->d->why, r->busy, WHY_MAXUJOBS, NULL, NULL, 0, r->d->cell->sched.maxujobs);
	}
	return r->busy;
}

/* Its owner has maxujobs tasks. */
static int job_exclude(struct round *r, const struct pending_job *job, const struct category *category)
{
	r->run->waiting.why[job->place] = busy_list(r);
	return remove_immediate(r, job, category);
}

/* The first job of which tasks may start still. */
static int put_back_first(struct round *r)
{
	struct category *category;
	struct pending_job job;
	int rc = 0;

	while (rc == 0 && pending_next(&r->pending, &job)) {
		pending_complete(&r->pending, &job);
		if (!owners_are_busy(&r->owners, r->run, job.row))
			return pending_put_back(&r->pending, &job);
		category = categories_of(r->d->categories, job.row);
		rc = category ? job_exclude(r, &job, category) : -ENOMEM;
	}
	return rc;
}

/*
 * An array of which a task has started, or got a reservation, comes by the priority of its next
 * one. Grid Engine ranks whatever job is first in the list then: where that task was the last one
 * that the array's owner may have at a time, the array is out of it, and the next job is ranked.
 */
static int put_rest(struct round *r, const struct pending_job *job, const struct category *category)
{
	uint32_t array;
	int rc = pending_pass_task(&r->pending, job, &array);

	if (rc || array == NONE)
		return rc;
	if (!owners_are_busy(&r->owners, r->run, job->row))
		return pending_put(&r->pending, array);
	rc = job_exclude(r, job, category);
	return rc ? rc : put_back_first(r);
}

static int start(struct round *r, const struct pending_job *job, struct category *category)
{
	struct dispatch *d = r->d;
	struct schedule_task task = { .job_number = job->number, .task = job->task, .state = SCHEDULE_STARTING, .start = d->now,
				      .duration = schedule_seconds(timeline_after(d->now, category->duration), d->now) };
	struct policy_given given = { .ntckts = normalize(0.0, 0.0, 0.0) };
	int rc = grant_book(d, category, &r->grant, d->now, timeline_after(d->now, category->duration));

	if (rc)
		return rc;
	schedule_grant(d, category, &r->grant, &task);
	dispatch_load(d, &r->grant);
	dispatch_review(d, &r->grant, true);
	d->placed_soft = category->pe && category_is_soft(category);
	if (!invariants_hold(d, category, &r->grant)) {
		r->orders->withheld++;
		category->verdict->rejected = true;
		why_add(d->why, category->verdict->why, WHY_WITHHELD, "more is used than there is", d->cluster.instances[r->grant.entries[0].instance].name, 0, 0);
		return 0;
	}
	if (r->policy->kind->given)
		r->policy->kind->given(r->policy, r->run, r->run->waiting.first[job->place], &given);
	rc = decisions_add(&d->decisions, &d->cluster, job, &r->grant, &given);
	if (rc == 0)
		d->decisions.items[d->decisions.n - 1].backfilled = r->reservations > 0;
	owners_add(&r->owners, r->run, job->row, 1);
	if (d->paused)			/* it waits still, and for nothing */
		r->run->waiting.why[job->place] = 0;
	return rc || d->paused ? rc : put_rest(r, job, category);
}

/* `after_now`: a search for a place now was in vain just before. */
static int reserve(struct round *r, const struct pending_job *job, struct category *category, bool after_now)
{
	struct search s = search_of(r, category);
	struct schedule_task task = { .job_number = job->number, .task = job->task, .state = SCHEDULE_RESERVING };
	int rc;

	s.after_now = after_now;
	rc = search_later(&s, &r->grant);
	if (rc)
		return rc;
	task.start = r->grant.begin;
	task.duration = schedule_seconds(timeline_after(r->grant.begin, category->duration), r->grant.begin);
	rc = grant_reserve(r->d, category, &r->grant, timeline_after(r->grant.begin, category->duration));
	if (rc)
		return rc;
	schedule_grant(r->d, category, &r->grant, &task);
	r->run->waiting.why[job->place] = (uint16_t)why_list_before(r->d->why, category->verdict->why);
	/* else there is no list left */
	if (r->run->waiting.why[job->place] != category->verdict->why)
		why_add(r->d->why, r->run->waiting.why[job->place], WHY_RESERVED, NULL, NULL, 0, (double)r->grant.begin);
	pledges_add(r->d, job->number, &r->grant);
	r->reservations++;
	dispatch_review(r->d, &r->grant, false);
	r->d->placed_soft = category->pe && category_is_soft(category);
	return r->reservations < r->d->cell->sched.max_reservation ? put_rest(r, job, category) : 0;
}

static bool can_be_reserved(const struct round *r, const struct category *category)
{
	return r->reservations < r->d->cell->sched.max_reservation && !category->now && !category->verdict->reservation_rejected;
}

static bool wants_reservation(const struct round *r, uint32_t row)
{
	return job_fact(&r->run->mirror->state->jobs, row, wishes) & JOB_WISHES_RESERVATION;
}

/* Categories say nothing of who may use an advance reservation. */
static bool is_admitted(const struct round *r, const struct pending_job *job, const struct category *category)
{
	const struct mirror *m = r->run->mirror;
	uint32_t class_id = job_fact(&m->state->jobs, job->row, class_id), request = job_fact(&m->state->jobs, job->row, category);
	uint16_t *why = &r->run->waiting.why[job->place];
	const char *user = mirror_text(m, classes_key(&m->classes, class_id)->owner);
	uint32_t group = requests_key(&m->requests, request)->group;

	if (!category->advance || advance_admits(r->d, category->advance, user, group == NONE ? NULL : mirror_text(m, group)))
		return true;
	*why = (uint16_t)why_list_before(r->d->why, category->verdict->why);
	if (*why != category->verdict->why)
		why_add(r->d->why, *why, WHY_ADVANCE_ACCESS, why_text(r->d->why, "%u", category->ar), NULL, 0, 0);
	return false;
}

/* A task of a job: it starts, or waits for its reservation, or for another run. */
static int job_take(struct round *r, const struct pending_job *job, struct category *category)
{
	struct search s = search_of(r, category);
	bool reserves = can_be_reserved(r, category) && wants_reservation(r, job->row), after_now = !category->verdict->rejected;
	int rc = -ENOENT;

	if (category->verdict->rejected && !reserves)
		return 0;
	if (reserves)
		ranking_merge(r->d);
	ranking_job(r->d);
	s.silent = category->verdict->rejected;
	s.shares = category->several && !reserves;
	s.may_reserve = reserves;
	if (!category_is_possible(&s)) {
		category->verdict->rejected = true;
		category->verdict->reservation_rejected |= reserves;
		return search_in_vain(&s);
	}
	if (!is_admitted(r, job, category))
		return search_in_vain(&s);
	if (after_now) {
		grant_clear(&r->grant);
		rc = category->pe ? search_parallel(&s, &r->grant) : search_sequential(&s, &r->grant);
		if (rc == 0 && !can_be_ordered(r, &r->grant)) {
			match_why(&s, WHY_ORDER_LENGTH, NULL, NULL, 0, (double)r->grant.n);
			category->verdict->rejected = category->verdict->reservation_rejected = true;
			return 0;
		}
		if (rc == 0)
			rc = start(r, job, category);
		if (rc != -ENOENT)
			return rc;
		category->verdict->rejected = true;
	}
	if (!reserves)
		return 0;
	rc = reserve(r, job, category, after_now);
	if (rc == -ENOENT)
		category->verdict->reservation_rejected = true;
	return rc == -ENOENT ? 0 : rc;
}

/* Its category is not looked at again, unless for a reservation, and nobody need be told. */
static bool is_passed_over(const struct round *r, const struct category *category)
{
	return category->verdict->rejected && !category->now && r->owners.limit == 0;
}

static bool must_wait(const struct round *r, uint32_t place, const struct category *category)
{
	return is_passed_over(r, category) && (!can_be_reserved(r, category) || !wants_reservation(r, r->run->waiting.rows[place]));
}

static int job_look(struct round *r, struct pending_job *job)
{
	struct category *category = categories_of(r->d->categories, job->row);
	uint16_t *why = &r->run->waiting.why[job->place];
	uint32_t avoided;
	int rc;

	if (!category)
		return -ENOMEM;
	*why = (uint16_t)category->verdict->why;
	if (must_wait(r, job->place, category))
		return 0;
	pending_complete(&r->pending, job);
	if (owners_are_busy(&r->owners, r->run, job->row))
		return job_exclude(r, job, category);
	avoided = r->d->navoided > 0 ? avoided_by(r->d, job->number, job->task) : 0;
	if (avoided > 0) {
		category = categories_avoiding(r->d->categories, job->row, avoided);
		if (!category)
			return -ENOMEM;
		*why = (uint16_t)category->verdict->why;
	}
	rc = job_take(r, job, category);
	return rc ? rc : remove_immediate(r, job, category);
}

/* Nothing is left to give: who would not wait for more is gone, too. */
static int remove_others(struct round *r)
{
	const struct requests *requests = &r->run->mirror->requests;
	struct pending_job job;
	bool any = false;
	int rc = 0;

	pool_each(i, &requests->pool)
		any |= requests_key(requests, i)->now;
	while (any && rc == 0 && pending_next(&r->pending, &job)) {
		struct category *category = categories_of(r->d->categories, job.row);

		pending_complete(&r->pending, &job);
		rc = category ? remove_immediate(r, &job, category) : -ENOMEM;
	}
	return rc;
}

/* The same whichever job of it comes. */
static bool category_is_over(const void *context, const struct category *category)
{
	const struct round *r = context;

	return is_passed_over(r, category) && !can_be_reserved(r, category);
}

/*
 * Most jobs of a long list must wait, and all that becomes of them is whose list of reasons they
 * show. Their order leads through memory by leaps, so from some point on it pays to have all
 * categories at hand, and to leave the order when none of them is in question any more.
 */
static int pass_over(struct round *r)
{
	const struct run *run = r->run;
	const struct category *category;
	uint32_t place;
	int rc = 0;

	if (r->pending.next < run->waiting.n / FEW_JOBS)
		return 0;
	if (!r->listed)
		rc = categories_list(r->d->categories);
	r->listed = true;
	if (rc == 0 && pending_head(&r->pending, &place) && categories_are_over(r->d->categories, category_is_over, r)) {
		categories_tell_why(r->d->categories);
		r->pending.next = run->waiting.n;
	}
	while (rc == 0 && pending_head(&r->pending, &place)) {
		category = categories_at(r->d->categories, place);
		if (!category || !must_wait(r, place, category))
			break;
		run->waiting.why[place] = (uint16_t)category->verdict->why;
		pending_pass(&r->pending);
		if (pending_ahead(&r->pending, &place)) {
			categories_fetch(r->d->categories, place);
			__builtin_prefetch(&run->waiting.why[place], 1);
		}
	}
	return rc;
}

/* The phase */

/*
 * A run begins when there is an instance to give, or one that could be reserved; it ends as soon as
 * a job leaves none in the list. (So in a full cluster it ends with the first job, unless that job
 * has wanted a reservation in vain: then the full instances are in the list.)
 */
static bool has_work(const struct round *r, bool any_job_seen)
{
	return queue_list_count(&r->d->list) > 0 || (!any_job_seen && r->d->reserves && r->d->naside > 0);
}

int dispatch_jobs(struct dispatch *d, struct run *run, const struct policy *policy, struct orders *orders)
{
	struct round r = { .d = d, .run = run, .policy = policy, .orders = orders };
	struct pending_job job;
	int rc;

	run->order.again = false;
	run->order.ranked.n = 0;
	run->counts.reservations = 0;
	if (!d->on)
		return 0;
	rc = owners_count(&r.owners, run);
	pending_begin(&r.pending, run, policy);
	for (bool seen = false; rc == 0 && has_work(&r, seen) && pending_next(&r.pending, &job); seen = true) {
		rc = job_look(&r, &job);
		if (rc == 0 && has_work(&r, true))
			rc = pass_over(&r);
	}
	if (rc == 0)
		rc = remove_others(&r);
	run->counts.reservations = r.reservations;
	pending_free(&r.pending);
	owners_free(&r.owners);
	grant_free(&r.grant);
	return rc;
}
