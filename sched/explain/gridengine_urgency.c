/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Urgency: contributions of a job's requests, its waiting time and its deadline; sge_priority(5).
 */
#include <string.h>

#include "conf/gridengine/resource_list.h"
#include "conf/base/number.h"
#include "sched/explain/gridengine.h"
#include "sched/run/account.h"

#define URGENCY_COLUMNS "resource", "value", "urgency", "slots", "contribution"

static int by_name(const void *a, const void *b)
{
	const struct resource *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(resource_value(x), resource_value(y));
}

/*
 * Return the request from which the urgency of the category was computed. It is the request of the
 * first job of the category, which may add its resources in another order. The sum can then differ
 * in its last bits, and the request with these bits is searched for.
 */
static uint32_t request_that_counts(const struct subject *subject)
{
	const struct requests *requests = &subject->run->mirror->requests;
	uint32_t category = requests->facts[subject->request].category;
	double wanted = subject->g->rrcontr[subject->request];

	if (requests->facts[subject->request].rrcontr == wanted)
		return subject->request;
	pool_each(i, &requests->pool)
		if (requests->facts[i].category == category && requests->facts[i].rrcontr == wanted)
			return i;
	return subject->request;
}

static const char *text_or_null(const struct subject *subject, uint32_t id)
{
	return id == NONE ? NULL : mirror_text(subject->run->mirror, id);
}

/*
 * Derive the contribution of a resource: value x urgency x slots, or its urgency alone if the value
 * is not a number.
 */
static uint32_t derive_resource(const struct subject *subject, const struct resource *resource, uint32_t slots)
{
	const struct complex *complex = resource->complex;
	uint32_t urgency, value = DERIVED_NONE, contribution;
	char name[TEXT_BYTES];
	double number = 0.0;

	urgency =
		derive_given(subject->d, text_made(name, "urgency of %s", complex->name), complex->urgency, "complex");
	derived_holder(subject->d, urgency, HOLDER_RESOURCE, complex->name);
	if (complex_is_text(complex)) {
		contribution = derive(subject->d, text_made(name, "contribution of %s", complex->name), OPERATION_SAME,
				      1, urgency);
		slots = DERIVED_NONE;
	} else {
		if (number_parse(resource_value(resource), &number))
			number = 0.0;
		value = derive_given(subject->d, text_made(name, "%s requested", complex->name), number, "-l");
		contribution = derive(subject->d, text_made(name, "contribution of %s", complex->name),
				      OPERATION_PRODUCT, 3, value, urgency, slots);
	}
	sections_row(subject->x, text_made(name, "%s=%s", complex->name, resource_value(resource)),
		     ROW(value, urgency, slots, contribution));
	return contribution;
}

static uint32_t derive_slots(const struct subject *subject, uint32_t request)
{
	const struct requests *requests = &subject->run->mirror->requests;
	const struct request_key *key = requests_key(requests, request);
	const char *pe = text_or_null(subject, key->pe);
	uint32_t slots = derived_unit(subject->d,
				      derive_whole(subject->d, "slots", requests->facts[request].assumed,
						   pe ? "pe urgency_slots" : "sequential"),
				      "slots");

	if (pe)
		sections_note(subject->x,
			      "%s %s: urgency_slots of the parallel environment counts %u slots for the range.", pe,
			      mirror_text(subject->run->mirror, key->pe_range), requests->facts[request].assumed);
	return slots;
}

/* Derive the contribution of slots first, then of the hard requests by name. */
static uint32_t derive_resources(const struct subject *subject)
{
	const struct cell *cell = subject->run->cell;
	const struct complex *complex = cell_complex(cell, "slots");
	uint32_t request = request_that_counts(subject), slots, urgency, one, rrcontr;
	const struct request_key *key = requests_key(&subject->run->mirror->requests, request);
	struct resource_list list = { 0 };

	if (resource_list_read(&list, cell, text_or_null(subject, key->hard)))
		subject->d->rc = -ENOMEM;
	if (!key->as_typed && list.n > 0)
		qsort(list.items, list.n, sizeof(*list.items), by_name);
	sections_begin(subject->x, "Urgency of its requests");
	sections_columns(subject->x, COLUMNS_OF(URGENCY_COLUMNS));
	slots = derive_slots(subject, request);
	urgency = derive_given(subject->d, "urgency of slots", complex ? complex->urgency : 0.0, "complex");
	derived_holder(subject->d, urgency, HOLDER_RESOURCE, "slots");
	one = derive_given(subject->d, "one", 1.0, "constant");
	rrcontr = derive(subject->d, "contribution of slots", OPERATION_PRODUCT, 3, urgency, one, slots);
	sections_row(subject->x, "slots", ROW(DERIVED_NONE, urgency, slots, rrcontr));
	for (size_t i = 0; i < list.n; i++)
		if (list.items[i].complex)
			rrcontr = derive(subject->d, "contributions so far", OPERATION_SUM, 2, rrcontr,
					 derive_resource(subject, &list.items[i], slots));
	resource_list_free(&list);
	rrcontr = derive(subject->d, "rrcontr", OPERATION_SAME, 1, rrcontr);
	sections_row(subject->x, "rrcontr", ROW(DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, rrcontr));
	return rrcontr;
}

static uint32_t derive_waiting(const struct subject *subject)
{
	uint32_t weight =
		derive_given(subject->d, "weight_waiting_time", subject->g->urgency.weight_waiting_time, "sched_conf");
	uint32_t now = derived_unit(subject->d, derive_whole(subject->d, "now", subject->run->now, "run"), "epoch s");
	uint32_t then = derived_unit(subject->d,
				     derive_whole(subject->d, "submission_time",
						  job_fact(subject_jobs(subject), subject->row, submission), "job"),
				     "epoch s");
	uint32_t waited =
		derived_unit(subject->d, derive(subject->d, "waiting time", OPERATION_WRAPPED, 2, now, then), "s");
	uint32_t wtcontr = derive(subject->d, "wtcontr", OPERATION_PRODUCT, 2, weight, waited);

	sections_row(subject->x, "waiting", ROW(waited, weight, wtcontr));
	return wtcontr;
}

static uint32_t derive_deadline(const struct subject *subject)
{
	const struct job_extra *extra = jobs_find_extra(subject_jobs(subject), subject->row);
	int64_t deadline = extra ? extra->numbers.deadline : 0;
	uint32_t weight, now, then, left, one, bounded, dlcontr;

	if (deadline == 0)
		return derive_given(subject->d, "dlcontr", 0.0, "no deadline");
	weight = derive_given(subject->d, "weight_deadline", subject->g->urgency.weight_deadline, "sched_conf");
	now = derived_unit(subject->d, derive_whole(subject->d, "now", subject->run->now, "run"), "epoch s");
	then = derived_unit(subject->d, derive_whole(subject->d, "deadline", deadline, "job"), "epoch s");
	left = derived_unit(subject->d, derive(subject->d, "time left", OPERATION_WRAPPED_SIGNED, 2, then, now), "s");
	one = derive_whole(subject->d, "at least", 1, "constant");
	bounded =
		derived_unit(subject->d, derive(subject->d, "time that counts", OPERATION_GREATEST, 2, left, one), "s");
	dlcontr = derive(subject->d, "dlcontr", OPERATION_QUOTIENT, 2, weight, bounded);
	sections_row(subject->x, "deadline", ROW(left, weight, dlcontr));
	return dlcontr;
}

uint32_t gridengine_derive_urgency(const struct subject *subject)
{
	uint32_t rrcontr = derive_resources(subject), wtcontr, dlcontr, urg;

	sections_begin(subject->x, "Urgency in sum");
	sections_columns(subject->x, COLUMNS_OF("", "seconds", "weight", "contribution"));
	sections_row(subject->x, "resources", ROW(DERIVED_NONE, DERIVED_NONE, rrcontr));
	wtcontr = derive_waiting(subject);
	dlcontr = derive_deadline(subject);
	urg = derive(subject->d, "urg", OPERATION_SUM, 3, wtcontr, dlcontr, rrcontr);
	sections_row(subject->x, "urg", ROW(DERIVED_NONE, DERIVED_NONE, urg));
	value_add(subject->x, "rrcontr", rrcontr);
	value_add(subject->x, "wtcontr", wtcontr);
	value_add(subject->x, "dlcontr", dlcontr);
	value_add(subject->x, "urg", urg);
	return urg;
}
