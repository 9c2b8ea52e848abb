/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of submitters in a cycle. The jobs of a submitter are in its order, and adjacent jobs
 * that are equal in all significant attributes form one request. A submitter that has slots and no
 * requests is included too, because its share counts.
 *
 * A parallel job requests its slots one by one and starts when it has been granted all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/policy/userprio/inside.h"

static uint32_t place_at(const struct run *run, uint32_t at)
{
	return (uint32_t)run->order.items[at];
}

/* Return the number of tasks of a job that may be matched in this cycle. */
static uint32_t tasks_left(const struct userprio_cell *cell, const struct run *run, uint32_t place)
{
	struct started_job job = starts_of(&cell->started, place);
	uint32_t tasks = run_tasks_of(run, place), taken = job.started + job.reserved;

	return tasks > taken ? tasks - taken : 0;
}

/* Compute the classes of all eligible jobs, so that the negotiator can compare them. */
int requests_classes(struct userprio_policy *policy, struct run *run)
{
	struct userprio_cell *cell = policy->in_force;

	for (size_t i = 0; i < cell->submitters.n; i++) {
		const struct submitter *submitter = &cell->submitters.items[i];

		for (uint32_t k = submitter->begin; k < submitter->begin + submitter->n; k++) {
			uint32_t place = place_at(run, k), class = ad_classes_of(policy, run, run->waiting.rows[place]);

			if (class == NONE)
				return -ENOMEM;
			if (cell->classes.items[class].seen != run->number) {
				cell->classes.items[class].seen = run->number;
				cell->classes.items[class].place = place;
				cell->classes.items[class].refusal = NONE;
			}
		}
	}
	return ad_classes_give(policy, run);
}

/* Memory */

static int asking_reserve(struct userprio_cell *cell, size_t n)
{
	struct requests_of_cycle *requests = &cell->requests;
	return array_reserve(&requests->submitters_capacity, n, COLUMN(requests->submitters),
			     COLUMN(requests->first_run), COLUMN(cell->shown));
}

static int clusters_find(struct userprio_cell *cell)
{
	struct requests_of_cycle *requests = &cell->requests;

	if (cell->classes.ngiven > requests->clusters_capacity) {
		if (array_grow(&requests->clusters, cell->classes.given_capacity, sizeof(*requests->clusters)))
			return -ENOMEM;
		requests->clusters_capacity = cell->classes.given_capacity;
	}
	for (uint32_t c = 0; c < cell->classes.ngiven; c++)
		requests->clusters[c] = negotiator_cluster(cell->negotiator, c);
	return 0;
}

int requests_names(struct userprio_policy *policy, const struct run *run)
{
	struct requests_of_cycle *requests = &policy->in_force->requests;
	size_t n = policy->accountant.customers.n;

	if (n > requests->names_capacity) {
		if (array_grow(&requests->names, policy->accountant.capacity, sizeof(*requests->names)))
			return -ENOMEM;
		requests->names_capacity = policy->accountant.capacity;
	}
	for (size_t i = 0; i < n; i++)
		requests->names[i] = strings_text(run->strings, policy->accountant.names[i]);
	return 0;
}

/* Requests */

struct filling {			/* requests of one submitter */
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	uint32_t submitter;		/* index among the cycle's submitters */
	uint32_t cluster, class;	/* values of the current request */
	int32_t prio;
};

/*
 * Return whether a job belongs to the current request. If dispatch knows instances, two classes may
 * differ in ways that no ad shows.
 */
static bool goes_on(const struct filling *filling, uint32_t class)
{
	const struct requests_of_cycle *requests = &filling->u->requests;

	return requests->first_run[filling->submitter] < requests->nruns &&
	       filling->cluster == requests->clusters[class] &&
	       (filling->places->reported_alone || filling->class == class);
}

static int submitter_begin(struct filling *filling, const struct submitter *submitter, int32_t prio)
{
	struct requests_of_cycle *requests = &filling->u->requests;
	const struct customer *customer = &filling->p->accountant.customers.items[submitter->customer];
	const struct uncharged *uncharged = &filling->u->submitters.uncharged[submitter->customer];
	uint32_t running = customer->used + uncharged->slots;
	double weight = customer->weight_used + uncharged->weight;

	if (asking_reserve(filling->u, requests->nsubmitters + 1))
		return -ENOMEM;
	filling->submitter = (uint32_t)requests->nsubmitters++;
	filling->prio = prio;
	requests->first_run[filling->submitter] = (uint32_t)requests->nruns;
	requests->submitters[filling->submitter] =
		(struct cycle_submitter){ .name = requests->names[submitter->customer],
					  .customer = submitter->customer,
					  .running = filling->p->conf->weighted_demand ? weight : running,
					  .job_prio = prio };
	filling->u->shown[filling->submitter] = (struct shown_submitter){ .customer = submitter->customer,
									  .running = running,
									  .weight_running = weight };
	return 0;
}

/* Add a job of which `tasks` may be matched. Its demand counts all of its tasks. */
static int job_add(struct filling *filling, uint32_t at, uint32_t class, uint32_t tasks)
{
	struct requests_of_cycle *requests = &filling->u->requests;
	const struct ad_class *ad_class = &filling->u->classes.items[class];
	uint32_t count = ad_class->parallel ? tasks * ad_class->cpus : tasks;
	uint32_t place = place_at(filling->run, at),
		 wanted = tasks + (submitters_tasks(filling->run, place) - run_tasks_of(filling->run, place));
	double weight = ad_class->weight * wanted;

	if (!goes_on(filling, class)) {
		if (array_reserve(&requests->runs_capacity, requests->nruns + 1, COLUMN(requests->runs),
				  COLUMN(requests->cursors)))
			return -ENOMEM;
		requests->runs[requests->nruns] = (struct request_run){ .class = class, .first = at };
		requests->cursors[requests->nruns++] = at;
		filling->cluster = requests->clusters[class];
		filling->class = class;
	}
	requests->runs[requests->nruns - 1].count += count;
	requests->submitters[filling->submitter].idle += filling->p->conf->weighted_demand ? weight : wanted;
	filling->u->shown[filling->submitter].idle += wanted;
	filling->u->shown[filling->submitter].weight_idle += weight;
	return 0;
}

static int submitter_fill(struct filling *filling, const struct submitter *submitter)
{
	const struct jobs *jobs = &filling->run->mirror->state->jobs;
	int rc = submitter_begin(
		filling, submitter,
		submitter->n > 0
			? job_condor(jobs, filling->run->waiting.rows[place_at(filling->run, submitter->begin)])
				  .job_prio
			: 0);

	for (uint32_t k = submitter->begin; k < submitter->begin + submitter->n && rc == 0; k++) {
		uint32_t place = place_at(filling->run, k), row = filling->run->waiting.rows[place],
			 tasks = tasks_left(filling->u, filling->run, place);
		uint32_t class = tasks > 0 ? ad_classes_of(filling->p, filling->run, row) : NONE;

		if (tasks == 0)
			continue;
		if (class == NONE)
			return -ENOMEM;
		if (filling->p->conf->use_global_job_prios && job_condor(jobs, row).job_prio != filling->prio)
			rc = submitter_begin(filling, submitter, job_condor(jobs, row).job_prio);
		rc = rc ? rc : job_add(filling, k, class, tasks);
	}
	return rc;
}

/* Make the requests. Call after requests_classes(). */
int requests_take(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	struct userprio_cell *cell = policy->in_force;
	struct requests_of_cycle *requests = &cell->requests;
	struct filling filling = { .p = policy, .u = cell, .run = run, .places = places };
	int rc;

	requests->nsubmitters = requests->nruns = 0;
	rc = clusters_find(cell);
	for (size_t i = 0; i < cell->submitters.n && rc == 0; i++)
		rc = submitter_fill(&filling, &cell->submitters.items[i]);
	for (size_t s = 0; s < requests->nsubmitters && rc == 0; s++) {
		requests->submitters[s].requests = array_end(requests->runs, requests->first_run[s]);
		requests->submitters[s].n =
			(s + 1 < requests->nsubmitters ? requests->first_run[s + 1] : requests->nruns) -
			requests->first_run[s];
	}
	return rc;
}

uint32_t requests_next(struct userprio_cell *cell, const struct run *run, uint32_t submitter, uint32_t request)
{
	struct requests_of_cycle *requests = &cell->requests;
	const struct submitter *s =
		&cell->submitters.items[cell->submitters.of_customer[requests->submitters[submitter].customer]];
	uint32_t *at = &requests->cursors[requests->first_run[submitter] + request];

	/* tasks that this run starts, or keeps a slot for, are counted by job */
	while (*at < s->begin + s->n && tasks_left(cell, run, place_at(run, *at)) == 0)
		++*at;
	return *at < s->begin + s->n ? place_at(run, *at) : NONE;
}

void requests_free(struct requests_of_cycle *requests)
{
	free(requests->submitters);
	free(requests->names);
	free(requests->runs);
	free(requests->cursors);
	free(requests->first_run);
	free(requests->clusters);
	*requests = (struct requests_of_cycle){ 0 };
}
