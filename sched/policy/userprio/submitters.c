/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The submitter of each job: its name consists of the job's accounting group, user and domain.
 * Source: HTCondor's manual, "User Priorities and Negotiation", "Group Accounting".
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/policy/userprio/inside.h"

#define NAME_BYTES 1024

/* Names */

/* Return whether a name has no white space and is not too long for an order. */
static bool is_valid(const char *name, int length)
{
	if (length < 0 || length >= NAME_BYTES)
		return false;
	for (; *name; name++)
		if (isspace((unsigned char)*name))
			return false;
	return true;
}

static bool name_of_class(const struct userprio_cell *cell, const struct run *run, uint32_t class_id,
			  char name[NAME_BYTES])
{
	const struct mirror *mirror = run->mirror;
	const struct class_key *key = classes_key(&mirror->classes, class_id);
	const char *group = mirror_text(mirror, key->accounting_group),
		   *user = mirror_text(mirror, key->accounting_group_user);
	const char *domain = mirror_text(mirror, key->uid_domain);
	int length;

	user = *user ? user : mirror_text(mirror, key->owner);
	domain = *domain ? domain : cell->conf->uid_domain;
	length = snprintf(name, NAME_BYTES, "%s%s%s@%s", group, *group ? "." : "", user, domain);
	return *user && is_valid(name, length);
}

static int classes_reserve(struct submitters *submitters, size_t n)
{
	if (n <= submitters->classes_capacity)
		return 0;
	n += n / 2 + 64;
	if (array_grow(&submitters->classes, n, sizeof(*submitters->classes)))
		return -ENOMEM;
	memset(submitters->classes + submitters->classes_capacity, 0,
	       (n - submitters->classes_capacity) * sizeof(*submitters->classes));
	submitters->classes_capacity = n;
	return 0;
}

static int class_find(struct userprio_policy *policy, struct run *run, uint32_t class_id)
{
	struct submitters *submitters = &policy->in_force->submitters;
	struct class_submitter *of = &submitters->classes[class_id];
	char name[NAME_BYTES];

	if (of->made == run->mirror->classes.made[class_id]) {
		if (of->customer != CUSTOMER_NONE)
			policy->accountant.hidden[of->customer] = false;
		return 0;
	}
	of->customer = CUSTOMER_NONE;
	if (name_of_class(policy->in_force, run, class_id, name)) {
		of->customer = accountant_customer(&policy->accountant, run->strings, policy->conf, name);
		if (of->customer == CUSTOMER_NONE)
			return -ENOMEM;
	}
	of->made = run->mirror->classes.made[class_id];
	return 0;
}

static int class_list(struct userprio_policy *policy, struct run *run, uint32_t row)
{
	uint32_t class_id = job_fact(&run->mirror->state->jobs, row, class_id);

	policy->in_force->submitters.classes[class_id].listed = run->number;
	return class_find(policy, run, class_id);
}

/*
 * Find the submitters of all classes in the order of the list, which is the same for a process that
 * repeats this run.
 */
int submitters_of_classes(struct userprio_policy *policy, struct run *run)
{
	int rc = classes_reserve(&policy->in_force->submitters, run->mirror->classes.pool.n);

	for (size_t k = 0; k < run->waiting.n && rc == 0; k++)
		rc = class_list(policy, run, run->waiting.rows[k]);
	for (size_t k = 0; k < run->started.n && rc == 0; k++)
		rc = class_list(policy, run, run->started.rows[k]);
	return rc;
}

/* Return the customer of a class; CUSTOMER_NONE: it has none, or memory is exhausted. */
uint32_t submitters_customer(struct userprio_policy *policy, struct run *run, uint32_t class_id)
{
	return class_find(policy, run, class_id) ? CUSTOMER_NONE
						 : policy->in_force->submitters.classes[class_id].customer;
}

/*
 * Return whether a job of the class is in the list. A task that has ended keeps its class until it
 * is accounted, but has no job here. A process that repeats this run does not know it.
 */
static bool has_jobs(const struct submitters *submitters, const struct run *run, uint32_t class_id)
{
	return submitters->classes[class_id].listed == run->number &&
	       submitters->classes[class_id].customer != CUSTOMER_NONE;
}

/* Submitters of a run */

int submitters_reserve(struct submitters *submitters, size_t n)
{
	if (n <= submitters->customers_capacity)
		return 0;
	n += n / 2 + 64;
	if (array_grow(&submitters->of_customer, n, sizeof(*submitters->of_customer)) ||
	    array_grow(&submitters->waited, n, sizeof(*submitters->waited)) ||
	    array_grow(&submitters->has_jobs, n, sizeof(*submitters->has_jobs)) ||
	    array_grow(&submitters->uncharged, n, sizeof(*submitters->uncharged)))
		return -ENOMEM;
	memset(submitters->has_jobs + submitters->customers_capacity, 0,
	       (n - submitters->customers_capacity) * sizeof(*submitters->has_jobs));
	memset(submitters->waited + submitters->customers_capacity, 0,
	       (n - submitters->customers_capacity) * sizeof(*submitters->waited));
	submitters->customers_capacity = n;
	return 0;
}

static int submitter_add(struct submitters *submitters, uint32_t customer, struct submitter **submitter)
{
	if (submitters->of_customer[customer] == NONE) {
		if (array_reserve(&submitters->capacity, submitters->n + 1, COLUMN(submitters->items),
				  COLUMN(submitters->by_place)))
			return -ENOMEM;
		submitters->of_customer[customer] = (uint32_t)submitters->n;
		submitters->items[submitters->n++] = (struct submitter){ .customer = customer };
	}
	*submitter = &submitters->items[submitters->of_customer[customer]];
	return 0;
}

/*
 * Return the number of tasks of a job that may start. run->pending has at most as many of them as
 * there are slots, but demand counts all.
 */
uint32_t submitters_tasks(const struct run *run, uint32_t place)
{
	uint32_t n = run_tasks_of(run, place), row = run->waiting.rows[place];
	const struct job_extra *extra =
		n >= run->tasks_per_job ? jobs_find_extra(&run->mirror->state->jobs, row) : NULL;
	size_t all = n;

	if (extra && extra->is_array &&
	    job_startable(run->mirror->state, extra, run_task_allowance(run, row), NULL, UINT32_MAX, &all))
		all = n;
	return all > n ? (uint32_t)all : n;
}

/*
 * Collect the submitters with eligible jobs, and count their jobs and tasks. A job without a
 * submitter is not eligible.
 */
int submitters_collect(struct userprio_policy *policy, struct run *run)
{
	struct submitters *submitters = &policy->in_force->submitters;
	const struct jobs *jobs = &run->mirror->state->jobs;
	struct waiting_columns *columns = &run->waiting;

	if (submitters_reserve(submitters, policy->accountant.customers.n))
		return -ENOMEM;
	memset(submitters->of_customer, 0xff, policy->accountant.customers.n * sizeof(*submitters->of_customer));
	pool_each(c, &run->mirror->classes.pool)
		if (has_jobs(submitters, run, c))
			submitters->has_jobs[submitters->classes[c].customer] = run->number;
	submitters->n = 0;
	for (size_t k = 0; k < columns->n; k++) {
		uint32_t customer;
		struct submitter *of;

		if (columns->first[k] == NONE)
			continue;
		customer = submitters->classes[job_fact(jobs, columns->rows[k], class_id)].customer;
		if (customer == CUSTOMER_NONE) {
			columns->first[k] = NONE;
			continue;
		}
		if (submitter_add(submitters, customer, &of))
			return -ENOMEM;
		of->n++;
		of->tasks += submitters_tasks(run, (uint32_t)k);
	}
	return 0;
}

/*
 * Sum up the claims that the accountant charges to no customer, by the submitters that have them.
 */
static void uncharged_collect(struct submitters *submitters, const struct accountant *accountant)
{
	if (accountant->customers.n > 0)
		memset(submitters->uncharged, 0, accountant->customers.n * sizeof(*submitters->uncharged));
	pool_each(i, &accountant->keys) {
		const struct claim *claim = &accountant->claims[i];

		if (!claim->free_of_charge)
			continue;
		submitters->uncharged[claim->customer].slots++;
		submitters->uncharged[claim->customer].weight += claim->weight;
	}
}

/*
 * Add the submitters that have slots and at least one job in the list, even if the job is held. A
 * submitter that has only a claim is not added. Jobs on slots that no customer is charged for run
 * nevertheless.
 */
int submitters_add_users(struct userprio_policy *policy, const struct run *run)
{
	struct submitters *submitters = &policy->in_force->submitters;
	const struct customers *customers = &policy->accountant.customers;
	struct submitter *of;
	uint32_t from = (uint32_t)submitters->customers_capacity;

	if (submitters_reserve(submitters, customers->n))
		return -ENOMEM;
	/* customers that claims have added */
	for (uint32_t i = from; i < customers->n; i++)
		submitters->of_customer[i] = NONE;
	uncharged_collect(submitters, &policy->accountant);
	for (uint32_t i = (uint32_t)policy->accountant.ngroups; i < customers->n; i++)
		if ((customers->items[i].used > 0 || submitters->uncharged[i].slots > 0) &&
		    submitters->has_jobs[i] == run->number && submitter_add(submitters, i, &of))
			return -ENOMEM;
	return 0;
}

/* Return whether any submitter has more tasks to start than at the end of the last run. */
bool submitters_want_more(const struct submitters *submitters)
{
	for (size_t i = 0; i < submitters->n; i++)
		if (submitters->items[i].tasks > submitters->waited[submitters->items[i].customer])
			return true;
	return false;
}

/* Remember the number of tasks of each submitter that are still pending at the end of the run. */
void submitters_remember(struct userprio_policy *policy, const struct run *run)
{
	struct submitters *submitters = &policy->in_force->submitters;
	const struct started *started = &policy->in_force->started;

	if (submitters->customers_capacity > 0)
		memset(submitters->waited, 0, submitters->customers_capacity * sizeof(*submitters->waited));
	for (size_t i = 0; i < submitters->n; i++)
		submitters->waited[submitters->items[i].customer] = submitters->items[i].tasks;
	for (size_t i = 0; i < started->n; i++) {
		uint32_t row = run->waiting.rows[started->places[i]];
		uint32_t *waited =
			&submitters->waited[submitters->classes[job_fact(&run->mirror->state->jobs, row, class_id)]
						    .customer];

		*waited -= started->items[i].started < *waited ? started->items[i].started : *waited;
	}
}

void submitters_free(struct submitters *submitters)
{
	free(submitters->classes);
	free(submitters->items);
	free(submitters->by_place);
	free(submitters->of_customer);
	free(submitters->waited);
	free(submitters->has_jobs);
	free(submitters->uncharged);
	*submitters = (struct submitters){ 0 };
}
