/* SPDX-License-Identifier: Apache-2.0 */
/* Urgency: what a job's requests, its waiting and its deadline bring; sge_priority(5). */
#include <string.h>

#include "conf/gridengine/resource_list.h"
#include "conf/number.h"
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
 * What a category brings comes from the request of the job that was met first, which may add in
 * another order: it shows in last bits only, and then the request with those bits is looked for.
 */
static uint32_t request_that_counts(const struct subject *s)
{
	const struct requests *r = &s->run->mirror->requests;
	uint32_t category = r->facts[s->request].category;
	double wanted = s->g->rrcontr[s->request];

	if (r->facts[s->request].rrcontr == wanted)
		return s->request;
	pool_each(i, &r->pool)
		if (r->facts[i].category == category && r->facts[i].rrcontr == wanted)
			return i;
	return s->request;
}

static const char *text_or_null(const struct subject *s, uint32_t id)
{
	return id == NONE ? NULL : mirror_text(s->run->mirror, id);
}

/* One resource: value x urgency x slots, or its urgency alone where the value is no number. */
static uint32_t derive_resource(const struct subject *s, const struct resource *resource, uint32_t slots)
{
	const struct complex *c = resource->complex;
	uint32_t urgency, value = DERIVED_NONE, contribution;
	char name[TEXT_BYTES];
	double number = 0.0;

	urgency = derive_given(s->d, text_made(name, "urgency of %s", c->name), c->urgency, "complex");
	derived_holder(s->d, urgency, HOLDER_RESOURCE, c->name);
	if (complex_is_text(c)) {
		contribution = derive(s->d, text_made(name, "contribution of %s", c->name), OPERATION_SAME, 1, urgency);
		slots = DERIVED_NONE;
	} else {
		if (number_parse(resource_value(resource), &number))
			number = 0.0;
		value = derive_given(s->d, text_made(name, "%s requested", c->name), number, "-l");
		contribution = derive(s->d, text_made(name, "contribution of %s", c->name), OPERATION_PRODUCT, 3, value, urgency, slots);
	}
	sections_row(s->x, text_made(name, "%s=%s", c->name, resource_value(resource)), ROW(value, urgency, slots, contribution));
	return contribution;
}

static uint32_t derive_slots(const struct subject *s, uint32_t request)
{
	const struct requests *r = &s->run->mirror->requests;
	const struct request_key *key = requests_key(r, request);
	const char *pe = text_or_null(s, key->pe);
	uint32_t slots = derived_unit(s->d, derive_whole(s->d, "slots", r->facts[request].assumed, pe ? "pe urgency_slots" : "sequential"), "slots");

	if (pe)
		sections_note(s->x, "%s %s: urgency_slots of the parallel environment takes the range as %u slots.", pe, mirror_text(s->run->mirror, key->pe_range),
			     r->facts[request].assumed);
	return slots;
}

/* The slots' own urgency first, then the hard requests by name. */
static uint32_t derive_resources(const struct subject *s)
{
	const struct cell *cell = s->run->cell;
	const struct complex *complex = cell_complex(cell, "slots");
	uint32_t request = request_that_counts(s), slots, urgency, one, rrcontr;
	const struct request_key *key = requests_key(&s->run->mirror->requests, request);
	struct resource_list list = { 0 };

	if (resource_list_read(&list, cell, text_or_null(s, key->hard)))
		s->d->rc = -ENOMEM;
	if (!key->as_typed && list.n > 0)
		qsort(list.items, list.n, sizeof(*list.items), by_name);
	sections_begin(s->x, "Urgency of what it requests");
	sections_columns(s->x, COLUMNS_OF(URGENCY_COLUMNS));
	slots = derive_slots(s, request);
	urgency = derive_given(s->d, "urgency of slots", complex ? complex->urgency : 0.0, "complex");
	derived_holder(s->d, urgency, HOLDER_RESOURCE, "slots");
	one = derive_given(s->d, "one", 1.0, "constant");
	rrcontr = derive(s->d, "contribution of slots", OPERATION_PRODUCT, 3, urgency, one, slots);
	sections_row(s->x, "slots", ROW(DERIVED_NONE, urgency, slots, rrcontr));
	for (size_t i = 0; i < list.n; i++)
		if (list.items[i].complex)
			rrcontr = derive(s->d, "contributions so far", OPERATION_SUM, 2, rrcontr, derive_resource(s, &list.items[i], slots));
	resource_list_free(&list);
	rrcontr = derive(s->d, "rrcontr", OPERATION_SAME, 1, rrcontr);
	sections_row(s->x, "rrcontr", ROW(DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, rrcontr));
	return rrcontr;
}

static uint32_t derive_waiting(const struct subject *s)
{
	uint32_t weight = derive_given(s->d, "weight_waiting_time", s->g->urgency.weight_waiting_time, "sched_conf");
	uint32_t now = derived_unit(s->d, derive_whole(s->d, "now", s->run->now, "run"), "epoch s");
	uint32_t then = derived_unit(s->d, derive_whole(s->d, "submission_time", job_fact(subject_jobs(s), s->row, submission), "job"), "epoch s");
	uint32_t waited = derived_unit(s->d, derive(s->d, "waiting time", OPERATION_WRAPPED, 2, now, then), "s");
	uint32_t wtcontr = derive(s->d, "wtcontr", OPERATION_PRODUCT, 2, weight, waited);

	sections_row(s->x, "waiting", ROW(waited, weight, wtcontr));
	return wtcontr;
}

static uint32_t derive_deadline(const struct subject *s)
{
	const struct job_extra *extra = jobs_find_extra(subject_jobs(s), s->row);
	int64_t deadline = extra ? extra->numbers.deadline : 0;
	uint32_t weight, now, then, left, one, bounded, dlcontr;

	if (deadline == 0)
		return derive_given(s->d, "dlcontr", 0.0, "no deadline");
	weight = derive_given(s->d, "weight_deadline", s->g->urgency.weight_deadline, "sched_conf");
	now = derived_unit(s->d, derive_whole(s->d, "now", s->run->now, "run"), "epoch s");
	then = derived_unit(s->d, derive_whole(s->d, "deadline", deadline, "job"), "epoch s");
	left = derived_unit(s->d, derive(s->d, "time left", OPERATION_WRAPPED_SIGNED, 2, then, now), "s");
	one = derive_whole(s->d, "at least", 1, "constant");
	bounded = derived_unit(s->d, derive(s->d, "time that counts", OPERATION_GREATEST, 2, left, one), "s");
	dlcontr = derive(s->d, "dlcontr", OPERATION_QUOTIENT, 2, weight, bounded);
	sections_row(s->x, "deadline", ROW(left, weight, dlcontr));
	return dlcontr;
}

uint32_t gridengine_derive_urgency(const struct subject *s)
{
	uint32_t rrcontr = derive_resources(s), wtcontr, dlcontr, urg;

	sections_begin(s->x, "Urgency in sum");
	sections_columns(s->x, COLUMNS_OF("", "seconds", "weight", "contribution"));
	sections_row(s->x, "resources", ROW(DERIVED_NONE, DERIVED_NONE, rrcontr));
	wtcontr = derive_waiting(s);
	dlcontr = derive_deadline(s);
	urg = derive(s->d, "urg", OPERATION_SUM, 3, wtcontr, dlcontr, rrcontr);
	sections_row(s->x, "urg", ROW(DERIVED_NONE, DERIVED_NONE, urg));
	value_add(s->x, "rrcontr", rrcontr);
	value_add(s->x, "wtcontr", wtcontr);
	value_add(s->x, "dlcontr", dlcontr);
	value_add(s->x, "urg", urg);
	return urg;
}
