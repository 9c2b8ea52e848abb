/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What starts where a policy has negotiated it: there is room, it is booked, and it is a decision.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/dispatch/pending.h"
#include "sched/dispatch/places.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/match.h"
#include "sched/qmaster/orders.h"
#include "urgency/normalize.h"

static const struct startable *startable_of(struct negotiated *n, uint32_t place)
{
	struct run *run = n->run;
	uint32_t i = index_find(&n->array_index, n->array_places, place), row = run->waiting.rows[place], first = run->waiting.first[place];
	struct startable *array;

	if (i != INDEX_NONE)
		return &n->arrays[i];
	if (array_grow(&n->arrays, n->narrays + 1, sizeof(*n->arrays)) || array_grow(&n->array_places, n->narrays + 1, sizeof(*n->array_places)) ||
	    index_reserve(&n->array_index, n->array_places))
		return NULL;
	array = &n->arrays[n->narrays];
	*array = (struct startable){ 0 };
	while (first + array->n < run->pending.n && run->pending.job[first + array->n] == place)
		array->n++;
	array->ids = malloc(array->n * sizeof(*array->ids));
	if (!array->ids || job_startable(run->mirror->state, jobs_find_extra(&run->mirror->state->jobs, row), run_task_allowance(run, row),
					 array->ids, array->n, &array->n)) {
		free(array->ids);
		return NULL;
	}
	n->array_places[n->narrays] = place;
	index_insert(&n->array_index, n->array_places, (uint32_t)n->narrays);
	return &n->arrays[n->narrays++];
}

/* -EAGAIN: there is no such task any more. */
static int job_of(struct negotiated *n, uint32_t task, double key, struct pending_job *job)
{
	const struct jobs *j = &n->run->mirror->state->jobs;
	uint32_t place = n->run->pending.job[task], row = n->run->waiting.rows[place], k = task - n->run->waiting.first[place];
	const struct job_extra *extra = jobs_find_extra(j, row);
	const struct startable *array;

	*job = (struct pending_job){ .place = place, .row = row, .number = job_fact(j, row, number), .task = 1,
				     .is_array = extra && extra->is_array, .prio = key, .array = NONE };
	if (!job->is_array)
		return 0;
	array = startable_of(n, place);
	if (!array || k >= array->n)
		return array ? -EAGAIN : -ENOMEM;
	job->task = array->ids[k];
	return 0;
}

static struct policy_given given_of(const struct negotiated *n, uint32_t task)
{
	struct policy_given given = { .ntckts = normalize(0.0, 0.0, 0.0) };

	if (n->policy->kind->given)
		n->policy->kind->given(n->policy, n->run, task, &given);
	return given;
}

/* A task that is to avoid some hosts has a category of its own. */
static struct category *category_for(struct negotiated *n, const struct pending_job *job)
{
	uint32_t avoided = n->d->navoided > 0 ? avoided_by(n->d, job->number, job->task) : 0;
	struct category *category = avoided > 0 ? categories_avoiding(n->d->categories, job->row, avoided) :
						  categories_of(n->d->categories, job->row);

	if (category)
		learn_nothing(category);
	return category;
}

static int book(struct negotiated *n, const struct pending_job *job, struct category *category, uint32_t task)
{
	struct dispatch *d = n->d;
	struct schedule_task line = { .job_number = job->number, .task = job->task, .state = SCHEDULE_STARTING, .start = d->now,
				      .duration = schedule_seconds(timeline_after(d->now, category->duration), d->now) };
	const struct policy_given given = given_of(n, task);
	size_t bytes = 0;
	int rc;

	for (size_t k = 0; k < n->grant.n; k++)
		bytes += orders_instance_bytes(n->orders, d->cluster.instances[n->grant.entries[k].instance].name);
	if (!orders_fit(n->orders, bytes))
		return -EAGAIN;
	rc = grant_book(d, category, &n->grant, d->now, timeline_after(d->now, category->duration));
	if (rc)
		return rc;
	schedule_grant(d, category, &n->grant, &line);
	dispatch_load(d, &n->grant);
	dispatch_review(d, &n->grant, true);
	if (!invariants_hold(d, category, &n->grant)) {
		n->orders->withheld++;
		return -EAGAIN;
	}
	return decisions_add(&d->decisions, &d->cluster, job, &n->grant, &given);
}

/* As many slots as are wanted, on one instance; a job without a parallel environment. */
static bool has_room(struct search *s, uint32_t instance, uint32_t slots)
{
	uint32_t host = s->d->cluster.instances[instance].host;
	bool as_master;

	return category_is_possible(s) && match_object(s, LEVEL_GLOBAL, 0, slots) >= slots && match_host(s, host) &&
	       match_static(s, instance, &as_master) && match_has_forced(s, instance) && match_quotas(s, instance, slots) >= slots &&
	       match_object(s, LEVEL_HOST, host, slots) >= slots && match_object(s, LEVEL_QUEUE, instance, slots) >= slots;
}

static int start_told(struct negotiated *n, const struct pending_job *job, uint32_t task, uint32_t told, uint32_t slots)
{
	const char *queue = strings_text(n->run->strings, n->run->mirror->state->instance_names[told]);
	const struct policy_given given = given_of(n, task);

	if (!orders_fit(n->orders, orders_instance_bytes(n->orders, queue)))
		return -EAGAIN;
	return decisions_add_at(&n->d->decisions, job, &(struct decision_entry){ queue, slots }, &given);
}

int places_start(void *self, uint32_t task, uint32_t told, uint32_t slots, double key, uint32_t *id)
{
	struct negotiated *n = self;
	uint32_t i = instance_of(n, told);
	struct category *category;
	struct pending_job job;
	struct search s;
	int rc = job_of(n, task, key, &job);

	*id = job.task;
	if (rc || i == NONE)
		return rc ? rc : start_told(n, &job, task, told, slots);
	category = category_for(n, &job);
	if (!category)
		return -ENOMEM;
	if (category->pe)
		return -EAGAIN;
	n->d->searches++;
	s = places_search(n, category);
	s.with = &category->pes[0];
	if (!has_room(&s, i, slots))
		return -EAGAIN;
	grant_clear(&n->grant);
	n->grant.begin = n->d->now;
	n->grant.slots = slots;
	rc = grant_add(&n->grant, i, slots, false);
	return rc ? rc : book(n, &job, category, task);
}

static void grant_tell(const struct negotiated *n, void (*each)(void *context, uint32_t instance, uint32_t slots), void *context)
{
	for (size_t k = 0; k < n->grant.n; k++)
		each(context, n->d->cluster.instances[n->grant.entries[k].instance].told, n->grant.entries[k].slots);
}

int places_start_parallel(void *self, uint32_t task, const uint32_t *instances, uint32_t ninstances, double key, uint32_t *id,
			  void (*each)(void *context, uint32_t instance, uint32_t slots), void *context)
{
	struct negotiated *n = self;
	unsigned char *only = calloc(n->d->cluster.ninstances + 1, 1);
	struct category *category;
	struct pending_job job;
	struct search s;
	int rc = only ? job_of(n, task, key, &job) : -ENOMEM;

	category = rc == 0 ? category_for(n, &job) : NULL;
	if (rc == 0 && !category)
		rc = -ENOMEM;
	for (uint32_t k = 0; rc == 0 && k < ninstances; k++)
		if (instance_of(n, instances[k]) != NONE)
			only[instance_of(n, instances[k])] = 1;
	if (rc == 0) {
		n->d->searches++;
		s = places_search(n, category);
		s.only = only;
		grant_clear(&n->grant);
		ranking_job(n->d);
		rc = category->pe && category_is_possible(&s) ? search_parallel(&s, &n->grant) : -ENOENT;
		rc = rc == -ENOENT ? -EAGAIN : rc;
	}
	rc = rc ? rc : book(n, &job, category, task);
	*id = rc ? 0 : job.task;
	if (rc == 0)
		grant_tell(n, each, context);
	free(only);
	return rc;
}

void places_started_free(struct negotiated *n)
{
	for (size_t i = 0; i < n->narrays; i++)
		free(n->arrays[i].ids);
	free(n->arrays);
	free(n->array_places);
	index_free(&n->array_index);
	grant_free(&n->grant);
}
