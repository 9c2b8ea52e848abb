/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatch loop. Jobs are tried one by one, highest priority first. A job starts, or gets a
 * reservation, or its category is not tried again in this run. The order is the order of the run. A
 * job whose array task has started is inserted again with the priority of its next task.
 *
 * The loop changes only the run's own view of the cluster. dispatch_orders() passes the decisions
 * to the mirror and the qmaster afterwards.
 */
#include <errno.h>

#include "sched/dispatch/book.h"
#include "sched/dispatch/invariants.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/start.h"
#include "urgency/normalize.h"

#define FEW_JOBS 128			/* divisor of the number of pending jobs */

struct round {				/* state of the loop */
	struct dispatch *d;
	struct run *run;
	const struct policy *policy;
	struct orders *orders;
	struct pending pending;
	struct owners owners;		/* running tasks per owner, if maxujobs is set */
	uint32_t reservations;
	struct grant grant;
	bool listed;			/* categories_list() was called */
	/* List of reasons of jobs whose owners have maxujobs tasks; 0: none. */
	uint16_t busy;
};

/* Single jobs */

/* Return a search that begins with a question. The question is about the present. */
static struct search search_of(struct round *round, struct search_question question)
{
	struct dispatch *dispatch = round->d;

	question.counts = dispatch->supply.timed ? COUNT_IN_TIME : COUNT_NOW;
	question.begin = dispatch->supply.now;
	question.end = category_end(question.category, question.begin);
	return (struct search){ .question = question,
				.supply = &dispatch->supply,
				.shared = &dispatch->searches,
				.number = skips_next(&dispatch->searches.skips) };
}

/* Remove an immediate job that has not started. */
static int remove_immediate(struct round *round, const struct pending_job *job, const struct category *category)
{
	const struct decisions *decisions = &round->d->decisions;

	if (!category->now || (decisions->n > 0 && decisions->items[decisions->n - 1].job_number == job->number))
		return 0;
	return decisions_remove(&round->d->decisions, job->number);
}

static uint16_t busy_list(struct round *round)
{
	if (round->busy == 0) {
		round->busy = (uint16_t)why_list(round->d->why);
		why_add(round->d->why, round->busy, WHY_MAXUJOBS, NULL, NULL, 0, round->d->supply.cell->sched.maxujobs);
	}
	return round->busy;
}

/* Exclude a job whose owner has maxujobs tasks. */
static int job_exclude(struct round *round, const struct pending_job *job, const struct category *category)
{
	round->run->waiting.why[job->place] = busy_list(round);
	return remove_immediate(round, job, category);
}

/* Put back the first job whose owner may still start tasks. */
static int put_back_first(struct round *round)
{
	struct category *category;
	struct pending_job job;
	int rc = 0;

	while (rc == 0 && pending_next(&round->pending, &job)) {
		pending_complete(&round->pending, &job);
		if (!owners_are_busy(&round->owners, round->run, job.row))
			return pending_put_back(&round->pending, &job);
		category = categories_of(round->d->categories, job.row);
		rc = category ? job_exclude(round, &job, category) : -ENOMEM;
	}
	return rc;
}

/*
 * Insert the rest of an array after one of its tasks has started or got a reservation, with the
 * priority of its next task. Grid Engine computes the priority of the job that is first in the list
 * at that time. If the owner has reached maxujobs with this task, the array leaves the list and the
 * next job gets a new priority.
 */
static int put_rest(struct round *round, const struct pending_job *job, const struct category *category)
{
	uint32_t array;
	int rc = pending_pass_task(&round->pending, job, &array);

	if (rc || array == NONE)
		return rc;
	if (!owners_are_busy(&round->owners, round->run, job->row))
		return pending_put(&round->pending, array);
	rc = job_exclude(round, job, category);
	return rc ? rc : put_back_first(round);
}

static int start(struct round *round, const struct pending_job *job, struct category *category)
{
	struct dispatch *dispatch = round->d;
	struct policy_given given = { .ntckts = normalize(0.0, 0.0, 0.0) };
	int rc = start_book(dispatch, category, job, &round->grant);

	if (rc)
		return rc;
	ranking_placed(&dispatch->searches.ranking, category->pe && category_is_soft(category));
	if (!invariants_hold(&dispatch->supply, category, &round->grant)) {
		round->orders->withheld++;
		category->verdict->rejected = true;
		why_add(dispatch->why, category->verdict->why, WHY_WITHHELD, "more is used than is available",
			dispatch->supply.cluster.instances[round->grant.entries[0].instance].name, 0, 0);
		return 0;
	}
	if (round->policy->kind->given)
		round->policy->kind->given(round->policy, round->run, round->run->waiting.first[job->place], &given);
	rc = decisions_add(&dispatch->decisions, &dispatch->supply.cluster, job, &round->grant, &given);
	if (rc == 0)
		dispatch->decisions.items[dispatch->decisions.n - 1].backfilled = round->reservations > 0;
	owners_add(&round->owners, round->run, job->row, 1);
	if (dispatch->paused)			/* the job still waits, but without a reason */
		round->run->waiting.why[job->place] = 0;
	return rc || dispatch->paused ? rc : put_rest(round, job, category);
}

/* Reserve a place. `after_now`: a search for now has just failed. */
static int reserve(struct round *round, const struct pending_job *job, struct category *category, bool after_now)
{
	struct search search = search_of(
		round, (struct search_question){ .category = category, .purpose = SEARCH_RESERVE, .silent = true });
	struct schedule_task task = { .job_number = job->number, .task = job->task, .state = SCHEDULE_RESERVING };
	int64_t end;
	int rc;

	rc = search_later(&round->d->reservations, &search, after_now, &round->grant);
	if (rc)
		return rc;
	end = category_end(category, round->grant.begin);
	task.start = round->grant.begin;
	task.duration = schedule_seconds(end, round->grant.begin);
	rc = grant_reserve(&round->d->bookings, category, &round->grant, end);
	if (rc)
		return rc;
	schedule_grant(round->d->lines, &round->d->supply, category, &round->grant, &task);
	round->run->waiting.why[job->place] = (uint16_t)why_list_before(round->d->why, category->verdict->why);
	/* otherwise no list is left */
	if (round->run->waiting.why[job->place] != category->verdict->why)
		why_add(round->d->why, round->run->waiting.why[job->place], WHY_RESERVED, NULL, NULL, 0,
			(double)round->grant.begin);
	if (!round->d->why->is_off)
		pledges_add(&round->d->searches.pledges, &round->d->supply.cluster, job->number, &round->grant);
	round->reservations++;
	review_grant(&round->d->review, &round->grant, false);
	ranking_placed(&round->d->searches.ranking, category->pe && category_is_soft(category));
	return round->reservations < round->d->supply.cell->sched.max_reservation ? put_rest(round, job, category) : 0;
}

static bool can_be_reserved(const struct round *round, const struct category *category)
{
	return round->reservations < round->d->supply.cell->sched.max_reservation && !category->now &&
	       !category->verdict->reservation_rejected;
}

static bool wants_reservation(const struct round *round, uint32_t row)
{
	return job_fact(&round->run->mirror->state->jobs, row, wishes) & JOB_WISHES_RESERVATION;
}

/* Return whether the owner may use the advance reservation. Categories do not cover that. */
static bool is_admitted(const struct round *round, const struct pending_job *job, const struct category *category)
{
	const struct mirror *mirror = round->run->mirror;
	uint32_t class_id = job_fact(&mirror->state->jobs, job->row, class_id),
		 request = job_fact(&mirror->state->jobs, job->row, category);
	uint16_t *why = &round->run->waiting.why[job->place];
	const char *user = mirror_text(mirror, classes_key(&mirror->classes, class_id)->owner);
	uint32_t group = requests_key(&mirror->requests, request)->group;

	if (!category->advance || advance_admits(round->d->supply.cell, category->advance, user,
						 group == NONE ? NULL : mirror_text(mirror, group)))
		return true;
	*why = (uint16_t)why_list_before(round->d->why, category->verdict->why);
	if (*why != category->verdict->why)
		why_add(round->d->why, *why, WHY_ADVANCE_ACCESS, why_text(round->d->why, "%u", category->ar), NULL, 0,
			0);
	return false;
}

/* Try a task of a job: it starts, or gets a reservation, or waits for another run. */
static int job_take(struct round *round, const struct pending_job *job, struct category *category)
{
	bool reserves = can_be_reserved(round, category) && wants_reservation(round, job->row),
	     after_now = !category->verdict->rejected;
	struct search search = search_of(round, (struct search_question){ .category = category,
								   .silent = category->verdict->rejected,
								   .may_reserve = reserves,
								   .shares = category->several && !reserves });
	int rc = -ENOENT;

	if (category->verdict->rejected && !reserves)
		return 0;
	if (reserves)
		ranking_merge(&round->d->searches.ranking);
	ranking_job(&round->d->searches.ranking);
	if (!category_is_possible(&search)) {
		category->verdict->rejected = true;
		category->verdict->reservation_rejected |= reserves;
		return search_side_effects(&search);
	}
	if (!is_admitted(round, job, category))
		return search_side_effects(&search);
	if (after_now) {
		grant_clear(&round->grant);
		rc = category->pe ? search_parallel(&search, &round->grant) : search_sequential(&search, &round->grant);
		if (rc == 0 && !start_can_be_ordered(round->d, round->orders, &round->grant)) {
			match_why(&search, WHY_ORDER_LENGTH, NULL, NULL, 0, (double)round->grant.n);
			category->verdict->rejected = category->verdict->reservation_rejected = true;
			return 0;
		}
		if (rc == 0)
			rc = start(round, job, category);
		if (rc != -ENOENT)
			return rc;
		category->verdict->rejected = true;
	}
	if (!reserves)
		return 0;
	rc = reserve(round, job, category, after_now);
	if (rc == -ENOENT)
		category->verdict->reservation_rejected = true;
	return rc == -ENOENT ? 0 : rc;
}

/*
 * Return whether jobs of the category can be skipped, except for a reservation. They can if it was
 * rejected, its jobs are not immediate, and maxujobs is not set.
 */
static bool is_passed_over(const struct round *round, const struct category *category)
{
	return category->verdict->rejected && !category->now && round->owners.limit == 0;
}

static bool must_wait(const struct round *round, uint32_t place, const struct category *category)
{
	return is_passed_over(round, category) &&
	       (!can_be_reserved(round, category) || !wants_reservation(round, round->run->waiting.rows[place]));
}

static int job_consider(struct round *round, struct pending_job *job)
{
	struct category *category = categories_of(round->d->categories, job->row);
	uint16_t *why = &round->run->waiting.why[job->place];
	uint32_t avoided;
	int rc;

	if (!category)
		return -ENOMEM;
	*why = (uint16_t)category->verdict->why;
	if (must_wait(round, job->place, category))
		return 0;
	pending_complete(&round->pending, job);
	if (owners_are_busy(&round->owners, round->run, job->row))
		return job_exclude(round, job, category);
	avoided = avoided_by(&round->d->searches.avoided, job->number, job->task);
	if (avoided > 0) {
		category = categories_avoiding(round->d->categories, job->row, avoided);
		if (!category)
			return -ENOMEM;
		*why = (uint16_t)category->verdict->why;
	}
	rc = job_take(round, job, category);
	return rc ? rc : remove_immediate(round, job, category);
}

/* Remove all other immediate jobs, since nothing is left to give. */
static int remove_others(struct round *round)
{
	const struct requests *requests = &round->run->mirror->requests;
	struct pending_job job;
	bool any = false;
	int rc = 0;

	pool_each(i, &requests->pool)
		any |= requests_key(requests, i)->now;
	while (any && rc == 0 && pending_next(&round->pending, &job)) {
		struct category *category = categories_of(round->d->categories, job.row);

		pending_complete(&round->pending, &job);
		rc = category ? remove_immediate(round, &job, category) : -ENOMEM;
	}
	return rc;
}

/* Return whether the category is finished, whichever of its jobs comes. */
static bool category_is_over(const void *context, const struct category *category)
{
	const struct round *round = context;

	return is_passed_over(round, category) && !can_be_reserved(round, category);
}

/*
 * Skip jobs that must wait. Most jobs of a long list must wait and only show the reasons of their
 * categories. Their order causes random memory access. Therefore, after a part of the list, all
 * categories are looked up at once, and the loop ends when none of them can start.
 */
static int pass_over(struct round *round)
{
	const struct run *run = round->run;
	const struct category *category;
	uint32_t place;
	int rc = 0;

	if (round->pending.next < run->waiting.n / FEW_JOBS)
		return 0;
	if (!round->listed)
		rc = categories_list(round->d->categories);
	round->listed = true;
	if (rc == 0 && pending_head(&round->pending, &place) &&
	    categories_are_over(round->d->categories, category_is_over, round)) {
		categories_set_why(round->d->categories);
		round->pending.next = run->waiting.n;
	}
	while (rc == 0 && pending_head(&round->pending, &place)) {
		category = categories_at(round->d->categories, place);
		if (!category || !must_wait(round, place, category))
			break;
		run->waiting.why[place] = (uint16_t)category->verdict->why;
		pending_pass(&round->pending);
		if (pending_ahead(&round->pending, &place)) {
			categories_fetch(round->d->categories, place);
			__builtin_prefetch(&run->waiting.why[place], 1);
		}
	}
	return rc;
}

/* The phase */

/*
 * Return whether there is anything to give. A run needs an open instance, or one that could be
 * reserved, to begin. It ends when a job leaves no instance in the list. In a full cluster it ends
 * with the first job. It continues if that job has tried to get a reservation without success,
 * because the full instances are in the list then.
 */
static bool has_work(const struct round *round, bool any_job_seen)
{
	const struct queue_ranking *ranking = &round->d->searches.ranking;

	return queue_list_count(&ranking->list) > 0 ||
	       (!any_job_seen && round->d->supply.reserves && ranking->naside > 0);
}

int dispatch_jobs(struct dispatch *dispatch, struct run *run, const struct policy *policy, struct orders *orders)
{
	struct round round = { .d = dispatch, .run = run, .policy = policy, .orders = orders };
	struct pending_job job;
	int rc;

	run->order.again = false;
	run->order.ranked.n = 0;
	run->counts.reservations = 0;
	if (!dispatch->on)
		return 0;
	rc = owners_count(&round.owners, run);
	pending_begin(&round.pending, run, policy);
	for (bool seen = false; rc == 0 && has_work(&round, seen) && pending_next(&round.pending, &job); seen = true) {
		rc = job_consider(&round, &job);
		if (rc == 0 && has_work(&round, true))
			rc = pass_over(&round);
	}
	if (rc == 0)
		rc = remove_others(&round);
	run->counts.reservations = round.reservations;
	pending_free(&round.pending);
	owners_free(&round.owners);
	grant_free(&round.grant);
	return rc;
}
