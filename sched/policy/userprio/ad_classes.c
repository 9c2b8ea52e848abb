/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of jobs. Jobs with the same request and the same submitter have one ad. It consists of
 * the request's ad, the attributes that are known of every job, and the attributes that
 * condor_submit would have added. Attributes of single jobs, such as the job's number, are added
 * only if some expression reads them. Each such job is then a class of its own.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/gridengine/resource_list.h"
#include "conf/base/number.h"
#include "sched/policy/userprio/inside.h"

#define TEXT_BYTES 1280

/* Attributes that expressions read */

static const struct { const char *name; unsigned bit; } by_job[] = {
	{ "JobPrio", BY_JOB_PRIO }, { "ClusterId", BY_CLUSTER }, { "ProcId", BY_PROC }, { "QDate", BY_SUBMISSION },
	{ "PreJobPrio1", BY_OTHER_PRIOS }, { "PreJobPrio2", BY_OTHER_PRIOS }, { "PostJobPrio1", BY_OTHER_PRIOS },
	{ "PostJobPrio2", BY_OTHER_PRIOS },
};

static void ask(struct ad_classes *classes, const struct classad_reads *reads)
{
	for (size_t i = 0; i < sizeof(by_job) / sizeof(*by_job); i++)
		if (reads->any || classad_names_have(&reads->mine, by_job[i].name) ||
		    classad_names_have(&reads->theirs, by_job[i].name))
			classes->by_job |= by_job[i].bit;
}

int ad_classes_ask(struct ad_classes *classes, const struct classad_expression *expression)
{
	struct classad_reads reads = { 0 };
	int rc = expression ? classad_references(expression, NULL, &reads) : 0;

	ask(classes, &reads);
	classad_reads_free(&reads);
	return rc;
}

/* The ad of a class */

static int set_text(struct classad *ad, const char *name, const char *text)
{
	const struct classad_value value = { .type = CLASSAD_STRING, .text = text, .bytes = strlen(text) };

	return *text ? classad_set_value(ad, name, &value) : 0;
}

static int set_integer(struct classad *ad, const char *name, int64_t integer)
{
	const struct classad_value value = { .type = CLASSAD_INT, .integer = integer };

	return classad_set_value(ad, name, &value);
}

/* Set an attribute unless the job's own ad has it. */
static int set_default(struct classad *ad, const struct classad *said, const char *name, int64_t integer)
{
	return said && classad_find(said, name) ? 0 : set_integer(ad, name, integer);
}

static int set_by_job(struct classad *ad, const struct ad_key *key, unsigned asked)
{
	static const char *const others[] = { NULL, "PreJobPrio1", "PreJobPrio2", "PostJobPrio1", "PostJobPrio2" };
	int rc = asked & BY_JOB_PRIO ? set_integer(ad, "JobPrio", key->prios[0]) : 0;

	for (size_t i = 1; asked & BY_OTHER_PRIOS && i < sizeof(others) / sizeof(*others) && rc == 0; i++)
		rc = set_integer(ad, others[i], key->prios[i]);
	if (rc == 0 && asked & BY_CLUSTER)
		rc = set_integer(ad, "ClusterId", key->cluster);
	if (rc == 0 && asked & BY_PROC)
		rc = set_integer(ad, "ProcId", key->proc);
	return rc == 0 && asked & BY_SUBMISSION ? set_integer(ad, "QDate", key->submission) : rc;
}

static int set_owner(const struct userprio_policy *policy, const struct run *run, struct classad *ad,
		     const struct ad_key *key, uint32_t customer)
{
	const struct mirror *mirror = run->mirror;
	const struct class_key *class = classes_key(&mirror->classes, key->class_id);
	char group[TEXT_BYTES];
	const char *name =
		customer == CUSTOMER_NONE ? "" : strings_text(run->strings, policy->accountant.names[customer]);
	int length = (int)(strrchr(name, '@') ? strrchr(name, '@') - name : 0);
	int rc = set_text(ad, "Owner", mirror_text(mirror, class->owner));

	if (rc == 0)
		rc = set_text(ad, "User", name);
	if (rc == 0)
		rc = set_text(ad, "AcctGroup", mirror_text(mirror, class->accounting_group));
	if (rc == 0)
		rc = set_text(ad, "AcctGroupUser", mirror_text(mirror, class->accounting_group_user));
	if (rc || (class->accounting_group == NONE && class->accounting_group_user == NONE))
		return rc;
	snprintf(group, sizeof(group), "%.*s", length, name);
	return set_text(ad, "AccountingGroup", group);
}

/*
 * Set the Requirements of a job without any, as condor_submit builds them from its requests. A
 * partitionable slot never grants more than it has, whatever the Requirements are.
 */
static int set_requirements(struct classad *ad, const struct classad *said)
{
	static const char *const requested[] = { "Cpus", "Memory", "Disk" };
	char text[512] = "true";
	struct error error;
	size_t length = strlen(text);

	if (said && classad_find(said, "Requirements"))
		return 0;
	for (size_t i = 0; said && i < sizeof(requested) / sizeof(*requested); i++) {
		char name[32];

		snprintf(name, sizeof(name), "Request%s", requested[i]);
		if (classad_find(said, name))
			length += (size_t)snprintf(text + length, sizeof(text) - length, " && TARGET.%s >= MY.%s",
						   requested[i], name);
	}
	return classad_set(ad, "Requirements", text, &error);
}

static bool is_attribute(const char *name)
{
	return *name && !isdigit((unsigned char)*name) &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

/* Set the amounts of Grid Engine's consumables that the job takes: RequestX for complex X. */
static int set_consumables(struct classad *ad, const struct run *run, const struct ad_key *key, uint32_t slots)
{
	const struct request_key *request = requests_key(&run->mirror->requests, key->request);
	struct resource_list list;
	int rc;

	if (request->hard == NONE)
		return 0;
	rc = resource_list_read(&list, run->cell, mirror_text(run->mirror, request->hard));
	for (size_t i = 0; rc == 0 && i < list.n; i++) {
		const struct complex *complex = list.items[i].complex;
		struct classad_value value = { .type = CLASSAD_REAL };
		char name[160];

		if (!complex || complex->consumable == CONSUMABLE_NO || complex->relop == RELOP_EXCL ||
		    !is_attribute(complex->name) || number_parse(resource_value(&list.items[i]), &value.real) != 0 ||
		    !isfinite(value.real))
			continue;
		value.real *= complex_is_per_slot(complex) ? slots : 1;
		if (snprintf(name, sizeof(name), "Request%s", complex->name) < (int)sizeof(name))
			rc = classad_set_value(ad, name, &value);
	}
	resource_list_free(&list);
	return rc;
}

static int ad_fill(const struct userprio_policy *policy, const struct run *run, const struct ad_key *key,
		   struct ad_class *class)
{
	const struct request_facts *facts = &run->mirror->requests.facts[key->request];
	int rc = set_owner(policy, run, class->ad, key, class->customer);

	if (rc == 0)
		rc = set_default(class->ad, facts->ad, "RequestCpus", class->parallel ? 1 : facts->slots);
	if (rc == 0)
		rc = set_default(class->ad, facts->ad, "JobUniverse", class->parallel ? 11 : 5);
	if (rc == 0)
		rc = set_by_job(class->ad, key, key->asked);
	if (rc == 0)
		rc = set_requirements(class->ad, facts->ad);
	if (rc == 0)
		rc = set_consumables(class->ad, run, key, class->parallel ? 1 : facts->slots);
	classad_set_base(class->ad, facts->ad);
	return rc;
}

/* Return a number of the job's own ad, at least `least`. */
static double number_of(struct userprio_cell *cell, const struct classad *ad, const char *name, double least)
{
	struct classad_value value;
	double number;

	classad_attribute(&(struct classad_pair){ .my = ad }, name, &cell->room, &value);
	if (!classad_number(&value, &number) || !(number >= least))
		number = least;
	classad_room_reset(&cell->room);
	return number < UINT32_MAX ? number : UINT32_MAX;
}

static void class_clear(struct ad_class *class)
{
	classad_free(class->ad);
	*class = (struct ad_class){ .refusal = NONE };
}

static int class_make(struct userprio_policy *policy, const struct run *run, uint32_t number)
{
	struct ad_classes *classes = &policy->in_force->classes;
	const struct ad_key *key = pool_key(&classes->keys, number);
	const struct request_facts *facts = &run->mirror->requests.facts[key->request];
	const struct class_submitter *of = &policy->in_force->submitters.classes[key->class_id];
	struct ad_class *class = &classes->items[number];

	class_clear(class);
	class->customer = of->customer;
	class->parallel = requests_key(&run->mirror->requests, key->request)->pe != NONE;
	class->ad = classad_create();
	if (!class->ad || ad_fill(policy, run, key, class)) {
		class_clear(class);
		return -ENOMEM;
	}
	class->cpus = (uint32_t)number_of(policy->in_force, class->ad, "RequestCpus", 1.0);
	class->cpus = class->parallel ? facts->slots : class->cpus;
	class->weight = policy->conf->use_slot_weights ? class->cpus : 1.0;
	class->request_made = facts->made;
	class->class_made = run->mirror->classes.made[key->class_id];
	class->made = ++classes->made;
	return facts->ad && classes->by_job == 0 ? ad_classes_ask(classes, classad_find(facts->ad, "Requirements")) : 0;
}

/* Class of a job */

static struct ad_key key_of(const struct ad_classes *classes, const struct run *run, uint32_t row)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	struct ad_key key = { .request = job_fact(jobs, row, category),
			      .class_id = job_fact(jobs, row, class_id),
			      .asked = classes->by_job };
	struct condor_job job;

	if (classes->by_job == 0)
		return key;
	job = job_condor(jobs, row);
	if (classes->by_job & BY_JOB_PRIO)
		key.prios[0] = job.job_prio;
	if (classes->by_job & BY_OTHER_PRIOS) {
		key.prios[1] = job.pre_job_prio1;
		key.prios[2] = job.pre_job_prio2;
		key.prios[3] = job.post_job_prio1;
		key.prios[4] = job.post_job_prio2;
	}
	key.cluster = classes->by_job & BY_CLUSTER ? job.cluster : 0;
	key.proc = classes->by_job & BY_PROC && job.given & CONDOR_PROC ? job.proc : 0;
	key.submission = classes->by_job & BY_SUBMISSION ? job_fact(jobs, row, submission) : 0;
	return key;
}

static int rows_reserve(struct ad_classes *classes, size_t n)
{
	if (n <= classes->rows_capacity)
		return 0;
	n += n / 8 + 64;
	if (array_grow(&classes->rows, n, sizeof(*classes->rows)))
		return -ENOMEM;
	for (size_t i = classes->rows_capacity; i < n; i++)
		classes->rows[i].class = NONE;
	classes->rows_capacity = n;
	return 0;
}

static uint32_t class_add(struct ad_classes *classes, const struct ad_key *key)
{
	uint32_t number = pool_find(&classes->keys, key);
	bool is_new;

	if (number != UINT32_MAX)
		return number;
	if (pool_reserve(&classes->keys))
		return NONE;
	if (classes->keys.capacity > classes->capacity) {
		if (array_grow(&classes->items, classes->keys.capacity, sizeof(*classes->items)))
			return NONE;
		memset(classes->items + classes->capacity, 0,
		       (classes->keys.capacity - classes->capacity) * sizeof(*classes->items));
		classes->capacity = classes->keys.capacity;
	}
	number = pool_hold(&classes->keys, key, &is_new);
	classes->items[number] = (struct ad_class){ .refusal = NONE };
	return number;
}

static bool is_fresh(const struct ad_classes *classes, const struct run *run, uint32_t number)
{
	const struct ad_key *key = pool_key(&classes->keys, number);
	const struct ad_class *class = &classes->items[number];

	return class->request_made == run->mirror->requests.facts[key->request].made &&
	       class->class_made == run->mirror->classes.made[key->class_id];
}

/* Return the last class of a job; NONE: the job has changed since, or the class is unknown. */
uint32_t ad_classes_known(const struct ad_classes *classes, const struct run *run, uint32_t row)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	const struct row_class *known = row < classes->rows_capacity ? &classes->rows[row] : NULL;

	if (!known || known->class == NONE || known->request != job_fact(jobs, row, category) ||
	    known->class_id != job_fact(jobs, row, class_id))
		return NONE;
	return pool_alive(&classes->keys, known->class) && is_fresh(classes, run, known->class) ? known->class : NONE;
}

uint32_t ad_classes_of(struct userprio_policy *policy, const struct run *run, uint32_t row)
{
	struct ad_classes *classes = &policy->in_force->classes;
	uint32_t number = classes->by_job == 0 ? ad_classes_known(classes, run, row) : NONE;
	struct ad_key key;

	if (number != NONE)
		return number;
	if (rows_reserve(classes, run->mirror->state->jobs.rows > row ? run->mirror->state->jobs.rows : row + 1))
		return NONE;
	key = key_of(classes, run, row);
	number = class_add(classes, &key);
	if (number == NONE || (!is_fresh(classes, run, number) && class_make(policy, run, number)))
		return NONE;
	classes->rows[row] = (struct row_class){ key.request, key.class_id, number };
	return number;
}

/* Classes for the negotiator */

/* Remove the classes that this run has not seen, if they are more than half of all classes. */
static void sweep(struct ad_classes *classes, uint64_t run)
{
	size_t old = 0;

	pool_each(i, &classes->keys)
		old += classes->items[i].seen != run;
	if (2 * old < classes->keys.used || old < 1024)
		return;
	pool_each(i, &classes->keys)
		if (classes->items[i].seen != run) {
			class_clear(&classes->items[i]);
			pool_drop(&classes->keys, i);
		}
}

static int given_reserve(struct ad_classes *classes)
{
	if (!classes->nothing && !(classes->nothing = classad_create()))
		return -ENOMEM;
	if (classes->keys.n <= classes->given_capacity)
		return 0;
	if (array_grow(&classes->given, classes->keys.capacity, sizeof(*classes->given)))
		return -ENOMEM;
	classes->given_capacity = classes->keys.capacity;
	return 0;
}

/*
 * Pass all classes to the negotiator. Numbers without jobs have an empty ad, because a class of a
 * request that no longer exists must not be read.
 */
int ad_classes_give(struct userprio_policy *policy, const struct run *run)
{
	struct ad_classes *classes = &policy->in_force->classes;

	sweep(classes, run->number);
	if (given_reserve(classes))
		return -ENOMEM;
	for (uint32_t i = 0; i < classes->keys.n; i++) {
		bool lives =
			pool_alive(&classes->keys, i) && classes->items[i].ad && classes->items[i].seen == run->number;

		classes->given[i] = lives ? (struct request_class){ classes->items[i].ad, classes->items[i].made }
					  : (struct request_class){ classes->nothing, 0 };
	}
	classes->ngiven = classes->keys.n;
	return negotiator_classes(policy->in_force->negotiator, classes->given, classes->ngiven);
}

void ad_classes_create(struct ad_classes *classes)
{
	*classes = (struct ad_classes){ 0 };
	pool_create(&classes->keys, sizeof(struct ad_key));
}

void ad_classes_free(struct ad_classes *classes)
{
	for (size_t i = 0; i < classes->keys.n && classes->items; i++)
		classad_free(pool_alive(&classes->keys, (uint32_t)i) ? classes->items[i].ad : NULL);
	pool_destroy(&classes->keys);
	classad_free(classes->nothing);
	free(classes->items);
	free(classes->rows);
	free(classes->given);
	*classes = (struct ad_classes){ 0 };
}
