/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Job starts that a policy has negotiated: check that there is room, book it, and add a decision.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "sched/dispatch/book.h"
#include "sched/dispatch/invariants.h"
#include "sched/dispatch/pending.h"
#include "sched/dispatch/places.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/start.h"
#include "sched/qmaster/orders.h"
#include "urgency/normalize.h"

static const struct startable *startable_of(struct negotiated *negotiated, uint32_t place)
{
	struct run *run = negotiated->run;
	uint32_t i = index_find(&negotiated->array_index, negotiated->array_places, place),
		 row = run->waiting.rows[place], first = run->waiting.first[place];
	struct startable *array;

	if (i != INDEX_NONE)
		return &negotiated->arrays[i];
	if (array_grow(&negotiated->arrays, negotiated->narrays + 1, sizeof(*negotiated->arrays)) ||
	    array_grow(&negotiated->array_places, negotiated->narrays + 1, sizeof(*negotiated->array_places)) ||
	    index_reserve(&negotiated->array_index, negotiated->array_places))
		return NULL;
	array = &negotiated->arrays[negotiated->narrays];
	*array = (struct startable){ 0 };
	while (first + array->n < run->pending.n && run->pending.job[first + array->n] == place)
		array->n++;
	array->ids = malloc(array->n * sizeof(*array->ids));
	if (!array->ids || job_startable(run->mirror->state, jobs_find_extra(&run->mirror->state->jobs, row),
					 run_task_allowance(run, row), array->ids, array->n, &array->n)) {
		free(array->ids);
		return NULL;
	}
	negotiated->array_places[negotiated->narrays] = place;
	index_insert(&negotiated->array_index, negotiated->array_places, (uint32_t)negotiated->narrays);
	return &negotiated->arrays[negotiated->narrays++];
}

/* Get the job of a task. Return 0, -EAGAIN if there is no such task any more, or -ENOMEM. */
static int job_of(struct negotiated *negotiated, uint32_t task, double key, struct pending_job *job)
{
	const struct jobs *jobs = &negotiated->run->mirror->state->jobs;
	uint32_t place = negotiated->run->pending.job[task], row = negotiated->run->waiting.rows[place],
		 k = task - negotiated->run->waiting.first[place];
	const struct job_extra *extra = jobs_find_extra(jobs, row);
	const struct startable *array;

	*job = (struct pending_job){ .place = place, .row = row, .number = job_fact(jobs, row, number), .task = 1,
				     .is_array = extra && extra->is_array, .prio = key, .array = NONE };
	if (!job->is_array)
		return 0;
	array = startable_of(negotiated, place);
	if (!array || k >= array->n)
		return array ? -EAGAIN : -ENOMEM;
	job->task = array->ids[k];
	return 0;
}

static struct policy_given given_of(const struct negotiated *negotiated, uint32_t task)
{
	struct policy_given given = { .ntckts = normalize(0.0, 0.0, 0.0) };

	if (negotiated->policy->kind->given)
		negotiated->policy->kind->given(negotiated->policy, negotiated->run, task, &given);
	return given;
}

/* Return the category of a task. A task that avoids some hosts has its own category. */
static struct category *category_for(struct negotiated *negotiated, const struct pending_job *job)
{
	uint32_t avoided = avoided_by(&negotiated->d->searches.avoided, job->number, job->task);
	struct category *category = avoided > 0 ? categories_avoiding(negotiated->d->categories, job->row, avoided) :
						  categories_of(negotiated->d->categories, job->row);

	if (category)
		prevent_learning(category);
	return category;
}

static int book(struct negotiated *negotiated, const struct pending_job *job, struct category *category, uint32_t task)
{
	struct dispatch *dispatch = negotiated->d;
	const struct policy_given given = given_of(negotiated, task);
	int rc;

	if (!start_can_be_ordered(dispatch, negotiated->orders, &negotiated->grant))
		return -EAGAIN;
	rc = start_book(dispatch, category, job, &negotiated->grant);
	if (rc)
		return rc;
	if (!invariants_hold(&dispatch->supply, category, &negotiated->grant)) {
		negotiated->orders->withheld++;
		return -EAGAIN;
	}
	return decisions_add(&dispatch->decisions, &dispatch->supply.cluster, job, &negotiated->grant, &given);
}

/*
 * Return whether one instance has room for all slots. Only for jobs without a parallel environment.
 */
static bool has_room(const struct negotiated *negotiated, struct category *category, uint32_t instance, uint32_t slots)
{
	const struct search_question question = { .category = category, .counts = places_counts(negotiated) };
	struct search found = places_search(negotiated, question), *search = &found;
	uint32_t host = search->supply->cluster.instances[instance].host;
	bool as_master;

	search->with = &category->pes[0];
	return category_is_possible(search) && match_object(search, LEVEL_GLOBAL, 0, slots) >= slots &&
	       match_host(search, host) && match_static(search, instance, &as_master) &&
	       match_has_forced(search, instance) && match_quotas(search, instance, slots) >= slots &&
	       match_object(search, LEVEL_HOST, host, slots) >= slots &&
	       match_object(search, LEVEL_QUEUE, instance, slots) >= slots;
}

static int start_reported(struct negotiated *negotiated, const struct pending_job *job, uint32_t task,
			  uint32_t reported, uint32_t slots)
{
	const char *queue =
		strings_text(negotiated->run->strings, negotiated->run->mirror->state->instance_names[reported]);
	const struct policy_given given = given_of(negotiated, task);

	if (!orders_fit(negotiated->orders, orders_instance_bytes(negotiated->orders, queue)))
		return -EAGAIN;
	return decisions_add_at(&negotiated->d->decisions, job, &(struct decision_entry){ queue, slots }, &given);
}

int places_start(void *self, uint32_t task, uint32_t reported, uint32_t slots, double key, uint32_t *id)
{
	struct negotiated *negotiated = self;
	uint32_t i = instance_of(negotiated, reported);
	struct category *category;
	struct pending_job job;
	int rc = job_of(negotiated, task, key, &job);

	*id = job.task;
	if (rc || i == NONE)
		return rc ? rc : start_reported(negotiated, &job, task, reported, slots);
	category = category_for(negotiated, &job);
	if (!category)
		return -ENOMEM;
	if (category->pe)
		return -EAGAIN;
	skips_next(&negotiated->d->searches.skips);
	if (!has_room(negotiated, category, i, slots))
		return -EAGAIN;
	grant_clear(&negotiated->grant);
	negotiated->grant.begin = negotiated->d->supply.now;
	negotiated->grant.slots = slots;
	rc = grant_add(&negotiated->grant, i, slots, false);
	return rc ? rc : book(negotiated, &job, category, task);
}

static void grant_report(const struct negotiated *negotiated,
			 void (*each)(void *context, uint32_t instance, uint32_t slots), void *context)
{
	for (size_t k = 0; k < negotiated->grant.n; k++)
		each(context, negotiated->d->supply.cluster.instances[negotiated->grant.entries[k].instance].reported,
		     negotiated->grant.entries[k].slots);
}

/*
 * Search places for a parallel job among some instances. Return 0, -EAGAIN if there are none, or
 * -ENOMEM.
 */
static int search_among(struct negotiated *negotiated, struct category *category, const unsigned char *only)
{
	const struct search_question question = {
		.category = category, .counts = places_counts(negotiated), .only = only
	};
	struct search search = places_search(negotiated, question);
	int rc;

	grant_clear(&negotiated->grant);
	ranking_job(&negotiated->d->searches.ranking);
	rc = category->pe && category_is_possible(&search) ? search_parallel(&search, &negotiated->grant) : -ENOENT;
	return rc == -ENOENT ? -EAGAIN : rc;
}

int places_start_parallel(void *self, uint32_t task, const uint32_t *instances, uint32_t ninstances, double key,
			  uint32_t *id, void (*each)(void *context, uint32_t instance, uint32_t slots), void *context)
{
	struct negotiated *negotiated = self;
	unsigned char *only = calloc(negotiated->d->supply.cluster.ninstances + 1, 1);
	struct category *category;
	struct pending_job job;
	int rc = only ? job_of(negotiated, task, key, &job) : -ENOMEM;

	category = rc == 0 ? category_for(negotiated, &job) : NULL;
	if (rc == 0 && !category)
		rc = -ENOMEM;
	for (uint32_t k = 0; rc == 0 && k < ninstances; k++)
		if (instance_of(negotiated, instances[k]) != NONE)
			only[instance_of(negotiated, instances[k])] = 1;
	if (rc == 0) {
		skips_next(&negotiated->d->searches.skips);
		rc = search_among(negotiated, category, only);
	}
	rc = rc ? rc : book(negotiated, &job, category, task);
	*id = rc ? 0 : job.task;
	if (rc == 0)
		grant_report(negotiated, each, context);
	free(only);
	return rc;
}

void places_started_free(struct negotiated *negotiated)
{
	for (size_t i = 0; i < negotiated->narrays; i++)
		free(negotiated->arrays[i].ids);
	free(negotiated->arrays);
	free(negotiated->array_places);
	index_free(&negotiated->array_index);
	grant_free(&negotiated->grant);
}
