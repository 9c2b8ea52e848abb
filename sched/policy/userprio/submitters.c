/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who submits: jobs are of the submitter that their accounting group, their user and their domain
 * name. HTCondor's manual, "User Priorities and Negotiation", "Group Accounting".
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/policy/userprio/inside.h"

#define NAME_BYTES 1024

/* Names */

/* White space makes a name no submitter's; so does one that is too long for an order. */
static bool is_valid(const char *name, int length)
{
	if (length < 0 || length >= NAME_BYTES)
		return false;
	for (; *name; name++)
		if (isspace((unsigned char)*name))
			return false;
	return true;
}

static bool name_of_class(const struct userprio_cell *u, const struct run *run, uint32_t class_id, char name[NAME_BYTES])
{
	const struct mirror *m = run->mirror;
	const struct class_key *key = classes_key(&m->classes, class_id);
	const char *group = mirror_text(m, key->accounting_group), *user = mirror_text(m, key->accounting_group_user);
	const char *domain = mirror_text(m, key->uid_domain);
	int length;

	user = *user ? user : mirror_text(m, key->owner);
	domain = *domain ? domain : u->conf->uid_domain;
	length = snprintf(name, NAME_BYTES, "%s%s%s@%s", group, *group ? "." : "", user, domain);
	return *user && is_valid(name, length);
}

static int classes_reserve(struct submitters *s, size_t n)
{
	if (n <= s->classes_capacity)
		return 0;
	n += n / 2 + 64;
	if (array_grow(&s->classes, n, sizeof(*s->classes)))
		return -ENOMEM;
	memset(s->classes + s->classes_capacity, 0, (n - s->classes_capacity) * sizeof(*s->classes));
	s->classes_capacity = n;
	return 0;
}

static int class_find(struct userprio_policy *p, struct run *run, uint32_t class_id)
{
	struct submitters *s = &p->in_force->submitters;
	struct class_submitter *of = &s->classes[class_id];
	char name[NAME_BYTES];

	if (of->made == run->mirror->classes.made[class_id]) {
		if (of->customer != CUSTOMER_NONE)
			p->accountant.hidden[of->customer] = false;
		return 0;
	}
	of->customer = CUSTOMER_NONE;
	if (name_of_class(p->in_force, run, class_id, name)) {
		of->customer = accountant_customer(&p->accountant, run->strings, p->conf, name);
		if (of->customer == CUSTOMER_NONE)
			return -ENOMEM;
	}
	of->made = run->mirror->classes.made[class_id];
	return 0;
}

static int class_list(struct userprio_policy *p, struct run *run, uint32_t row)
{
	uint32_t class_id = job_fact(&run->mirror->state->jobs, row, class_id);

	p->in_force->submitters.classes[class_id].listed = run->number;
	return class_find(p, run, class_id);
}

/* In the order of the list, which is the same for whoever makes this run once more. */
int submitters_of_classes(struct userprio_policy *p, struct run *run)
{
	int rc = classes_reserve(&p->in_force->submitters, run->mirror->classes.pool.n);

	for (size_t k = 0; k < run->waiting.n && rc == 0; k++)
		rc = class_list(p, run, run->waiting.rows[k]);
	for (size_t k = 0; k < run->started.n && rc == 0; k++)
		rc = class_list(p, run, run->started.rows[k]);
	return rc;
}

/* CUSTOMER_NONE: of nobody, or no memory. */
uint32_t submitters_customer(struct userprio_policy *p, struct run *run, uint32_t class_id)
{
	return class_find(p, run, class_id) ? CUSTOMER_NONE : p->in_force->submitters.classes[class_id].customer;
}

/*
 * Some job is of it: a task that has ended keeps a class until it is accounted, but no job here,
 * and whoever makes this run once more is told nothing of it.
 */
static bool has_jobs(const struct submitters *s, const struct run *run, uint32_t class_id)
{
	return s->classes[class_id].listed == run->number && s->classes[class_id].customer != CUSTOMER_NONE;
}

/* Of a run */

int submitters_reserve(struct submitters *s, size_t n)
{
	if (n <= s->customers_capacity)
		return 0;
	n += n / 2 + 64;
	if (array_grow(&s->of_customer, n, sizeof(*s->of_customer)) || array_grow(&s->waited, n, sizeof(*s->waited)) ||
	    array_grow(&s->has_jobs, n, sizeof(*s->has_jobs)) || array_grow(&s->uncharged, n, sizeof(*s->uncharged)))
		return -ENOMEM;
	memset(s->has_jobs + s->customers_capacity, 0, (n - s->customers_capacity) * sizeof(*s->has_jobs));
	memset(s->waited + s->customers_capacity, 0, (n - s->customers_capacity) * sizeof(*s->waited));
	s->customers_capacity = n;
	return 0;
}

static int items_reserve(struct submitters *s)
{
	size_t n = s->capacity + s->capacity / 2 + 64;

	if (s->n < s->capacity)
		return 0;
	if (array_grow(&s->items, n, sizeof(*s->items)) || array_grow(&s->by_place, n, sizeof(*s->by_place)))
		return -ENOMEM;
	s->capacity = n;
	return 0;
}

static int submitter_add(struct submitters *s, uint32_t customer, struct submitter **submitter)
{
	if (s->of_customer[customer] == NONE) {
		if (items_reserve(s))
			return -ENOMEM;
		s->of_customer[customer] = (uint32_t)s->n;
		s->items[s->n++] = (struct submitter){ .customer = customer };
	}
	*submitter = &s->items[s->of_customer[customer]];
	return 0;
}

/*
 * Tasks of a job that may start: run->pending has no more of them than there are slots, and demand
 * is all of them.
 */
uint32_t submitters_tasks(const struct run *run, uint32_t place)
{
	uint32_t n = run_tasks_of(run, place), row = run->waiting.rows[place];
	const struct job_extra *extra = n >= run->tasks_per_job ? jobs_find_extra(&run->mirror->state->jobs, row) : NULL;
	size_t all = n;

	if (extra && extra->is_array && job_startable(run->mirror->state, extra, run_task_allowance(run, row), NULL, UINT32_MAX, &all))
		all = n;
	return all > n ? (uint32_t)all : n;
}

/*
 * All who have jobs that take part, how many, with how many tasks. A job of nobody takes no part.
 */
int submitters_collect(struct userprio_policy *p, struct run *run)
{
	struct submitters *s = &p->in_force->submitters;
	const struct jobs *j = &run->mirror->state->jobs;
	struct waiting_columns *w = &run->waiting;

	if (submitters_reserve(s, p->accountant.customers.n))
		return -ENOMEM;
	memset(s->of_customer, 0xff, p->accountant.customers.n * sizeof(*s->of_customer));
	pool_each(c, &run->mirror->classes.pool)
		if (has_jobs(s, run, c))
			s->has_jobs[s->classes[c].customer] = run->number;
	s->n = 0;
	for (size_t k = 0; k < w->n; k++) {
		uint32_t customer;
		struct submitter *of;

		if (w->first[k] == NONE)
			continue;
		customer = s->classes[job_fact(j, w->rows[k], class_id)].customer;
		if (customer == CUSTOMER_NONE) {
			w->first[k] = NONE;
			continue;
		}
		if (submitter_add(s, customer, &of))
			return -ENOMEM;
		of->n++;
		of->tasks += submitters_tasks(run, (uint32_t)k);
	}
	return 0;
}

/* Sum up the claims that the accountant charges to no customer, by the submitters that have them. */
static void uncharged_collect(struct submitters *s, const struct accountant *a)
{
	if (a->customers.n > 0)
		memset(s->uncharged, 0, a->customers.n * sizeof(*s->uncharged));
	pool_each(i, &a->keys) {
		const struct claim *claim = &a->claims[i];

		if (!claim->free_of_charge)
			continue;
		s->uncharged[claim->customer].slots++;
		s->uncharged[claim->customer].weight += claim->weight;
	}
}

/*
 * Add the submitters that have slots, and some job here, if it only is held: a claim alone submits
 * nothing. Jobs on slots that nobody is charged for run all the same.
 */
int submitters_add_users(struct userprio_policy *p, const struct run *run)
{
	struct submitters *s = &p->in_force->submitters;
	const struct customers *c = &p->accountant.customers;
	struct submitter *of;
	uint32_t from = (uint32_t)s->customers_capacity;

	if (submitters_reserve(s, c->n))
		return -ENOMEM;
	for (uint32_t i = from; i < c->n; i++)		/* those that claims have brought */
		s->of_customer[i] = NONE;
	uncharged_collect(s, &p->accountant);
	for (uint32_t i = (uint32_t)p->accountant.ngroups; i < c->n; i++)
		if ((c->items[i].used > 0 || s->uncharged[i].slots > 0) && s->has_jobs[i] == run->number && submitter_add(s, i, &of))
			return -ENOMEM;
	return 0;
}

/* Does somebody have more to start than when the last run was over? */
bool submitters_want_more(const struct submitters *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].tasks > s->waited[s->items[i].customer])
			return true;
	return false;
}

/* The run is over: so many tasks of each wait on. */
void submitters_remember(struct userprio_policy *p, const struct run *run)
{
	struct submitters *s = &p->in_force->submitters;
	const struct started *started = &p->in_force->started;

	if (s->customers_capacity > 0)
		memset(s->waited, 0, s->customers_capacity * sizeof(*s->waited));
	for (size_t i = 0; i < s->n; i++)
		s->waited[s->items[i].customer] = s->items[i].tasks;
	for (size_t i = 0; i < started->n; i++) {
		uint32_t row = run->waiting.rows[started->places[i]];
		uint32_t *waited = &s->waited[s->classes[job_fact(&run->mirror->state->jobs, row, class_id)].customer];

		*waited -= started->items[i].started < *waited ? started->items[i].started : *waited;
	}
}

void submitters_free(struct submitters *s)
{
	free(s->classes);
	free(s->items);
	free(s->by_place);
	free(s->of_customer);
	free(s->waited);
	free(s->has_jobs);
	free(s->uncharged);
	*s = (struct submitters){ 0 };
}
