/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/gridengine/resource_list.h"
#include "conf/base/number.h"
#include "sched/mirror/slots.h"
#include "tickets/tickets.h"
#include "urgency/resources.h"

struct category_key {		/* string ids */
	uint32_t hard;		/* full names, sorted */
	uint32_t soft, pe, pe_range, hard_queues, soft_queues, master_queues, ckpt, now, ar;
};

void requests_create(struct requests *requests, struct strings *strings, struct ads *ads)
{
	*requests = (struct requests){ .strings = strings, .ads = ads };
	pool_create(&requests->pool, sizeof(struct request_key));
	pool_create(&requests->categories, sizeof(struct category_key));
}

void requests_destroy(struct requests *requests)
{
	pool_destroy(&requests->pool);
	pool_destroy(&requests->categories);
	free(requests->facts);
	free(requests->category);
	*requests = (struct requests){ 0 };
}

const struct request_key *requests_key(const struct requests *requests, uint32_t id)
{
	return pool_key(&requests->pool, id);
}

static const char *text_or_null(const struct requests *requests, uint32_t id)
{
	return id == NONE ? NULL : strings_text(requests->strings, id);
}

/* Resource lists */

static int by_name(const void *a, const void *b)
{
	const struct resource *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(resource_value(x), resource_value(y));
}

static bool is_numeric(const struct complex *complex)
{
	return complex->type != TYPE_STRING && complex->type != TYPE_CSTRING && complex->type != TYPE_HOST &&
	       complex->type != TYPE_RESTRING;
}

/* Convert the list. Requests for unknown complexes are skipped. */
static size_t to_requests(const struct resource_list *list, struct request *requests)
{
	size_t known = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct complex *complex = list->items[i].complex;

		if (!complex)
			continue;
		requests[known] = (struct request){ .urgency = complex->urgency, .is_numeric = is_numeric(complex) };
		if (requests[known].is_numeric &&
		    number_parse(resource_value(&list->items[i]), &requests[known].value) != 0)
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
		most += resource_most(
				&(struct resource){ NULL, list->items[i].name, resource_value(&list->items[i]) }) +
			1;
	to = *text = malloc(most);
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		if (i > 0)
			*to++ = ',';
		to = resource_write(to,
				    &(struct resource){ NULL, list->items[i].name, resource_value(&list->items[i]) });
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
	facts->rrcontr = resource_contribution(slots ? slots->urgency : 0.0, facts->assumed, requests,
					       to_requests(list, requests));
	facts->rrcontr = tickets_finite(facts->rrcontr, &clamped);
	free(requests);
	return 0;
}

static void category_drop(struct requests *requests, uint32_t id)
{
	uint32_t hard = ((const struct category_key *)pool_key(&requests->categories, id))->hard;

	if (!pool_drop(&requests->categories, id))
		return;
	requests->category[id] = (struct category_contribution){ 0 };
	strings_drop(requests->strings, hard);
}

static int categories_reserve(struct requests *requests)
{
	if (pool_reserve(&requests->categories))
		return -ENOMEM;
	return array_reserve(&requests->category_capacity, requests->categories.capacity, COLUMN(requests->category));
}

static uint32_t category_hold(struct requests *requests, const struct request_key *key,
			      const struct resource_list *sorted)
{
	struct category_key category = {
		NONE,	   key->soft, key->pe, key->pe_range, key->hard_queues, key->soft_queues, key->master_queues,
		key->ckpt, key->now,  key->ar
	};
	bool is_new = false;
	char *text = NULL;
	uint32_t id = UINT32_MAX;

	if (categories_reserve(requests) == 0 && joined(sorted, &text) == 0 &&
	    (category.hard = strings_hold(requests->strings, text)) != NONE)
		id = pool_hold(&requests->categories, &category, &is_new);
	free(text);
	if (is_new)
		requests->category[id] = (struct category_contribution){ 0 };
	else
		strings_drop(requests->strings, category.hard);
	return id;
}

/* Compute category and contribution of a request in this cell. The request holds the category. */
static int facts_of(struct requests *requests, const struct cell *cell, const struct request_key *key,
		    struct request_facts *facts, struct error *error)
{
	struct slot_ranges ranges = { 0 };
	struct resource_list list;
	int rc = resource_list_read(&list, cell, text_or_null(requests, key->hard))
			 ? error_set(error, -ENOMEM, "out of memory")
			 : 0;

	if (rc == 0 && key->pe != NONE)
		rc = slots_parse(&ranges, text_or_null(requests, key->pe_range), error);
	if (rc == 0) {
		if (!key->as_typed && list.n > 0)
			qsort(list.items, list.n, sizeof(*list.items), by_name);
		facts->assumed = slots_assumed(&ranges, cell, text_or_null(requests, key->pe));
		facts->slots = ranges.n > 0 ? ranges.items[0].min : 1;
		rc = contribution(cell, &list, facts);
		if (list.n > 0)
			qsort(list.items, list.n, sizeof(*list.items), by_name);
		facts->category = rc == 0 ? category_hold(requests, key, &list) : UINT32_MAX;
		if (facts->category == UINT32_MAX)
			rc = error_set(error, -ENOMEM, "out of memory");
	}
	slots_free(&ranges);
	resource_list_free(&list);
	return rc;
}

/* Holding */

static void key_drop(struct requests *requests, const struct request_key *key)
{
	for (int k = 0; k < REQUEST_TEXTS; k++)
		if (key->ids[k] != NONE)		/* most are NONE */
			strings_drop(requests->strings, key->ids[k]);
}

/*
 * Hold the strings of a key. A range without a pe is ignored. -ENOMEM: only a part is held. Call
 * key_drop() in any case.
 */
static int key_make(struct requests *requests, const struct request_texts *texts, struct request_key *key)
{
	bool sequential = !texts->pe || !*texts->pe;
	int rc = 0;

	*key = (struct request_key){
		.now = texts->now, .as_typed = texts->as_typed, .ar = texts->ar, .size = texts->size
	};
	for (int k = 0; k < REQUEST_TEXTS; k++) {
		const char *text = texts->texts[k];

		key->ids[k] = NONE;
		if (!text || !*text || (sequential && &texts->texts[k] == &texts->pe_range))
			continue;
		key->ids[k] = strings_hold(requests->strings, text);
		if (key->ids[k] == NONE)
			rc = -ENOMEM;
	}
	return rc;
}

static int facts_reserve(struct requests *requests)
{
	if (pool_reserve(&requests->pool))
		return -ENOMEM;
	return array_reserve(&requests->facts_capacity, requests->pool.capacity, COLUMN(requests->facts));
}

/*
 * Hold a request and take over the strings of the key. A request is created after its facts, so a
 * key that is refused leaves no trace.
 */
static int key_hold(struct requests *requests, const struct cell *cell, const struct request_key *key, uint32_t *id,
		    struct error *error)
{
	struct request_facts facts;
	bool is_new;
	int rc;

	*id = pool_find(&requests->pool, key);
	if (*id != NONE) {		/* usual case */
		requests->pool.holders[*id]++;
		key_drop(requests, key);
		return 0;
	}
	rc = ads_hold(requests->ads, AD_OF_JOB, key->ad == NONE ? "" : strings_text(requests->strings, key->ad),
		      &facts.ad_id, error);
	if (rc == 0)
		rc = facts_reserve(requests) == 0 ? facts_of(requests, cell, key, &facts, error)
						  : error_set(error, -ENOMEM, "out of memory");
	if (rc != 0) {
		ads_drop(requests->ads, facts.ad_id);
		key_drop(requests, key);
		return rc;
	}
	facts.ad = facts.ad_id == NONE ? NULL : requests->ads->items[facts.ad_id].ad;
	facts.made = ++requests->made;
	*id = pool_hold(&requests->pool, key, &is_new);	/* memory is reserved */
	requests->facts[*id] = facts;
	return 0;
}

int requests_hold(struct requests *requests, const struct cell *cell, const struct request_texts *texts, uint32_t *id,
		  struct error *error)
{
	struct request_key key;

	*id = NONE;
	if (texts->pe && *texts->pe && !(texts->pe_range && *texts->pe_range))
		return error_set(error, -EINVAL, "\"pe_range\" is missing: pe \"%.60s\" needs a number of slots",
				 texts->pe);
	if (key_make(requests, texts, &key)) {
		key_drop(requests, &key);
		return error_set(error, -ENOMEM, "out of memory");
	}
	return key_hold(requests, cell, &key, id, error);
}

void requests_hold_again(struct requests *requests, uint32_t id)
{
	requests->pool.holders[id]++;
}

void requests_drop(struct requests *requests, uint32_t id)
{
	struct request_key key = *requests_key(requests, id);

	if (!pool_drop(&requests->pool, id))
		return;
	category_drop(requests, requests->facts[id].category);
	ads_drop(requests->ads, requests->facts[id].ad_id);
	requests->facts[id] = (struct request_facts){ .ad_id = NONE };
	key_drop(requests, &key);
}

int requests_reload(struct requests *requests, const struct cell *cell)
{
	int rc = 0;

	pool_each(id, &requests->pool) {
		struct request_facts facts = requests->facts[id];

		if (facts_of(requests, cell, requests_key(requests, id), &facts, NULL) != 0) {
			rc = -ENOMEM;
			continue;
		}
		category_drop(requests, requests->facts[id].category);
		facts.made = ++requests->made;
		requests->facts[id] = facts;
	}
	return rc;
}
