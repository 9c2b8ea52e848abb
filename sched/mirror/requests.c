/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/gridengine/resource_list.h"
#include "conf/number.h"
#include "sched/mirror/slots.h"
#include "tickets/tickets.h"
#include "urgency/resources.h"

struct category_key {		/* string ids */
	uint32_t hard;		/* full names, sorted */
	uint32_t soft, pe, pe_range, hard_queues, soft_queues, master_queues, ckpt, now, ar;
};

void requests_create(struct requests *r, struct strings *strings, struct ads *ads)
{
	*r = (struct requests){ .strings = strings, .ads = ads };
	pool_create(&r->pool, sizeof(struct request_key));
	pool_create(&r->categories, sizeof(struct category_key));
}

void requests_destroy(struct requests *r)
{
	pool_destroy(&r->pool);
	pool_destroy(&r->categories);
	free(r->facts);
	free(r->category);
	*r = (struct requests){ 0 };
}

const struct request_key *requests_key(const struct requests *r, uint32_t id)
{
	return pool_key(&r->pool, id);
}

static const char *text_or_null(const struct requests *r, uint32_t id)
{
	return id == NONE ? NULL : strings_text(r->strings, id);
}

/* Resource lists */

static int by_name(const void *a, const void *b)
{
	const struct resource *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(resource_value(x), resource_value(y));
}

static bool is_numeric(const struct complex *c)
{
	return c->type != TYPE_STRING && c->type != TYPE_CSTRING && c->type != TYPE_HOST && c->type != TYPE_RESTRING;
}

/* A request for a complex that does not exist is passed over. */
static size_t to_requests(const struct resource_list *list, struct request *requests)
{
	size_t known = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct complex *c = list->items[i].complex;

		if (!c)
			continue;
		requests[known] = (struct request){ .urgency = c->urgency, .is_numeric = is_numeric(c) };
		if (requests[known].is_numeric && number_parse(resource_value(&list->items[i]), &requests[known].value) != 0)
			requests[known].value = 0.0;
		known++;
	}
	return known;
}

static int joined(const struct resource_list *list, char **text)
{
	size_t most = 1;
	char *to;

	for (size_t i = 0; i < list->n; i++)
		most += resource_most(&(struct resource){ NULL, list->items[i].name, resource_value(&list->items[i]) }) + 1;
	to = *text = malloc(most);
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		if (i > 0)
			*to++ = ',';
		to = resource_write(to, &(struct resource){ NULL, list->items[i].name, resource_value(&list->items[i]) });
	}
	*to = '\0';
	return 0;
}

/* Facts */

static int contribution(const struct cell *cell, const struct resource_list *list, struct request_facts *facts)
{
	const struct complex *slots = cell_complex(cell, "slots");
	struct request *requests = calloc(list->n + 1, sizeof(*requests));
	uint64_t clamped = 0;

	if (!requests)
		return -ENOMEM;
	facts->rrcontr = resource_contribution(slots ? slots->urgency : 0.0, facts->assumed, requests, to_requests(list, requests));
	facts->rrcontr = tickets_finite(facts->rrcontr, &clamped);
	free(requests);
	return 0;
}

static void category_drop(struct requests *r, uint32_t id)
{
	uint32_t hard = ((const struct category_key *)pool_key(&r->categories, id))->hard;

	if (!pool_drop(&r->categories, id))
		return;
	r->category[id] = (struct category_contribution){ 0 };
	strings_drop(r->strings, hard);
}

static int categories_reserve(struct requests *r)
{
	if (pool_reserve(&r->categories))
		return -ENOMEM;
	if (r->categories.capacity <= r->category_capacity)
		return 0;
	if (array_grow(&r->category, r->categories.capacity, sizeof(*r->category)))
		return -ENOMEM;
	r->category_capacity = r->categories.capacity;
	return 0;
}

static uint32_t category_hold(struct requests *r, const struct request_key *key, const struct resource_list *sorted)
{
	struct category_key category = { NONE, key->soft, key->pe, key->pe_range, key->hard_queues, key->soft_queues, key->master_queues,
					 key->ckpt, key->now, key->ar };
	bool is_new = false;
	char *text = NULL;
	uint32_t id = UINT32_MAX;

	if (categories_reserve(r) == 0 && joined(sorted, &text) == 0 && (category.hard = strings_hold(r->strings, text)) != NONE)
		id = pool_hold(&r->categories, &category, &is_new);
	free(text);
	if (is_new)
		r->category[id] = (struct category_contribution){ 0 };
	else
		strings_drop(r->strings, category.hard);
	return id;
}

/* Category and contribution of a request in this cell; the category is held by it. */
static int facts_of(struct requests *r, const struct cell *cell, const struct request_key *key, struct request_facts *facts,
		    struct error *error)
{
	struct slot_ranges ranges = { 0 };
	struct resource_list list;
	int rc = resource_list_read(&list, cell, text_or_null(r, key->hard)) ? error_set(error, -ENOMEM, "out of memory") : 0;

	if (rc == 0 && key->pe != NONE)
		rc = slots_parse(&ranges, text_or_null(r, key->pe_range), error);
	if (rc == 0) {
		if (!key->as_typed && list.n > 0)
			qsort(list.items, list.n, sizeof(*list.items), by_name);
		facts->assumed = slots_assumed(&ranges, cell, text_or_null(r, key->pe));
		facts->slots = ranges.n > 0 ? ranges.items[0].min : 1;
		rc = contribution(cell, &list, facts);
		if (list.n > 0)
			qsort(list.items, list.n, sizeof(*list.items), by_name);
		facts->category = rc == 0 ? category_hold(r, key, &list) : UINT32_MAX;
		if (facts->category == UINT32_MAX)
			rc = error_set(error, -ENOMEM, "out of memory");
	}
	slots_free(&ranges);
	resource_list_free(&list);
	return rc;
}

/* Holding */

static void key_drop(struct requests *r, const struct request_key *key)
{
	for (int k = 0; k < REQUEST_TEXTS; k++)
		if (key->ids[k] != NONE)		/* most are */
			strings_drop(r->strings, key->ids[k]);
}

/* -ENOMEM: as far as memory went; key_drop() in any case. A range without a pe says nothing. */
static int key_make(struct requests *r, const struct request_texts *texts, struct request_key *key)
{
	bool sequential = !texts->pe || !*texts->pe;
	int rc = 0;

	*key = (struct request_key){ .now = texts->now, .as_typed = texts->as_typed, .ar = texts->ar, .size = texts->size };
	for (int k = 0; k < REQUEST_TEXTS; k++) {
		const char *text = texts->texts[k];

		key->ids[k] = NONE;
		if (!text || !*text || (sequential && &texts->texts[k] == &texts->pe_range))
			continue;
		key->ids[k] = strings_hold(r->strings, text);
		if (key->ids[k] == NONE)
			rc = -ENOMEM;
	}
	return rc;
}

static int facts_reserve(struct requests *r)
{
	if (pool_reserve(&r->pool))
		return -ENOMEM;
	if (r->pool.capacity <= r->facts_capacity)
		return 0;
	if (array_grow(&r->facts, r->pool.capacity, sizeof(*r->facts)))
		return -ENOMEM;
	r->facts_capacity = r->pool.capacity;
	return 0;
}

/*
 * Takes the strings of the key. There is no request before there are its facts: a key that is
 * refused leaves nothing.
 */
static int key_hold(struct requests *r, const struct cell *cell, const struct request_key *key, uint32_t *id, struct error *error)
{
	struct request_facts facts;
	bool is_new;
	int rc;

	*id = pool_find(&r->pool, key);
	if (*id != NONE) {		/* as most do */
		r->pool.holders[*id]++;
		key_drop(r, key);
		return 0;
	}
	rc = ads_hold(r->ads, AD_OF_JOB, key->ad == NONE ? "" : strings_text(r->strings, key->ad), &facts.ad_id, error);
	if (rc == 0)
		rc = facts_reserve(r) == 0 ? facts_of(r, cell, key, &facts, error) : error_set(error, -ENOMEM, "out of memory");
	if (rc != 0) {
		ads_drop(r->ads, facts.ad_id);
		key_drop(r, key);
		return rc;
	}
	facts.ad = facts.ad_id == NONE ? NULL : r->ads->items[facts.ad_id].ad;
	facts.made = ++r->made;
	*id = pool_hold(&r->pool, key, &is_new);	/* has room */
	r->facts[*id] = facts;
	return 0;
}

int requests_hold(struct requests *r, const struct cell *cell, const struct request_texts *texts, uint32_t *id, struct error *error)
{
	struct request_key key;

	*id = NONE;
	if (texts->pe && *texts->pe && !(texts->pe_range && *texts->pe_range))
		return error_set(error, -EINVAL, "\"pe_range\" is missing: pe \"%.60s\" needs a number of slots", texts->pe);
	if (key_make(r, texts, &key)) {
		key_drop(r, &key);
		return error_set(error, -ENOMEM, "out of memory");
	}
	return key_hold(r, cell, &key, id, error);
}

void requests_hold_again(struct requests *r, uint32_t id)
{
	r->pool.holders[id]++;
}

void requests_drop(struct requests *r, uint32_t id)
{
	struct request_key key = *requests_key(r, id);

	if (!pool_drop(&r->pool, id))
		return;
	category_drop(r, r->facts[id].category);
	ads_drop(r->ads, r->facts[id].ad_id);
	r->facts[id] = (struct request_facts){ .ad_id = NONE };
	key_drop(r, &key);
}

int requests_reload(struct requests *r, const struct cell *cell)
{
	int rc = 0;

	pool_each(id, &r->pool) {
		struct request_facts facts = r->facts[id];

		if (facts_of(r, cell, requests_key(r, id), &facts, NULL) != 0) {
			rc = -ENOMEM;
			continue;
		}
		category_drop(r, r->facts[id].category);
		facts.made = ++r->made;
		r->facts[id] = facts;
	}
	return rc;
}
