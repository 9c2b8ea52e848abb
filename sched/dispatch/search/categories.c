/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/categories.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"

struct verdict_key {
	uint32_t category, access;
	uint32_t avoided;		/* 0: by all jobs alike */
};

struct categories_key {
	struct verdict_key verdict;
	uint32_t project;
};

static const char *text_of(const struct categories *a, uint32_t id)
{
	return id == NONE ? NULL : strings_text(a->run->strings, id);
}

static struct verdict *verdict_of(struct categories *a, const struct verdict_key *key)
{
	struct verdict *verdict, **item;
	uint32_t id;
	bool is_new;

	id = pool_find(&a->verdict_keys, key);
	if (id != UINT32_MAX)
		return a->verdicts[id];
	verdict = malloc(sizeof(*verdict));
	if (!verdict || pool_reserve(&a->verdict_keys) || !(item = array_add(&a->verdicts, &a->nverdicts, sizeof(*item)))) {
		free(verdict);
		return NULL;
	}
	*verdict = (struct verdict){ .why = why_list(a->d->why) };
	pool_hold(&a->verdict_keys, key, &is_new);
	return *item = verdict;
}

static bool is_range_on_a_host(const struct categories *a, const struct category *category)
{
	bool any = false;

	for (size_t i = 0; i < category->npes && category->pe; i++)
		any |= a->d->cell->pes[category->pes[i].pe].rule == RULE_PE_SLOTS;
	return any && (category->ranges.n > 1 || (category->ranges.n == 1 && category->ranges.items[0].min != category->ranges.items[0].max));
}

static int jobs_count(struct categories *a)
{
	const struct jobs *j = &a->run->mirror->state->jobs;
	const struct requests *requests = &a->run->mirror->requests;
	bool is_new;

	for (size_t i = 0; i < j->list_end; i++) {
		uint32_t row = j->list[i], request = row == NONE ? NONE : job_fact(j, row, category);
		struct verdict_key key;

		if (request == NONE)
			continue;
		if (pool_reserve(&a->jobs))
			return -ENOMEM;
		key = (struct verdict_key){ requests->facts[request].category,
					    standing_of(a, job_fact(j, row, class_id), requests_key(requests, request)->group).number, 0 };
		pool_hold(&a->jobs, &key, &is_new);
	}
	a->counted = true;
	return 0;
}

/*
 * Are there several jobs of the category, running and held ones among them? Found out where it
 * matters.
 */
static int several_find(struct categories *a, struct category *category, const struct verdict_key *key)
{
	uint32_t id;

	if (!is_range_on_a_host(a, category))
		return 0;
	if (!a->counted && jobs_count(a))
		return -ENOMEM;
	id = pool_find(&a->jobs, key);
	category->several = id != UINT32_MAX && a->jobs.holders[id] > 1;
	return 0;
}

static void destroy(struct category *category)
{
	category_destroy(category);
	free(category);
}

static struct category_facts asked_for(const struct categories *a, uint32_t row, uint32_t avoided)
{
	const struct jobs *j = &a->run->mirror->state->jobs;
	const struct class_key *class = classes_key(&a->run->mirror->classes, job_fact(j, row, class_id));
	const struct request_key *key = requests_key(&a->run->mirror->requests, job_fact(j, row, category));

	return (struct category_facts){
		.user = text_of(a, class->owner), .group = text_of(a, key->group), .project = text_of(a, class->project),
		.hard = text_of(a, key->hard), .soft = text_of(a, key->soft), .pe = text_of(a, key->pe), .pe_range = text_of(a, key->pe_range),
		.ckpt = text_of(a, key->ckpt), .hard_queues = text_of(a, key->hard_queues), .soft_queues = text_of(a, key->soft_queues),
		.master_queues = text_of(a, key->master_queues), .now = key->now, .ar = key->ar, .avoided = avoided,
	};
}

/* NULL: no memory. */
static struct category *make(struct categories *a, const struct category_facts *facts)
{
	struct category *category = malloc(sizeof(*category));

	if (category && category_create(category, a->d, facts)) {
		destroy(category);
		return NULL;
	}
	return category;
}

static uint64_t made_of(const struct categories *a, uint32_t request)
{
	return a->run->mirror->requests.facts[request].made;
}

/* One that an earlier run has left, or a new one. What is for single jobs is not kept. */
static struct category *kept_or_new(struct categories *a, uint32_t row, uint32_t avoided, bool *is_kept)
{
	const struct category_facts facts = asked_for(a, row, avoided);
	uint32_t request = job_fact(&a->run->mirror->state->jobs, row, category);
	bool keeps = facts.ar == 0 && avoided == 0;
	struct category *category = keeps ? kept_take(&a->kept, request, made_of(a, request)) : NULL;
	int rc = category ? category_renew(category, a->d, &facts) : -ENOENT;

	*is_kept = rc == 0;
	if (rc != -ENOENT)
		return rc == 0 ? category : NULL;
	if (category)
		kept_drop(&a->kept, request);
	category = make(a, &facts);
	*is_kept = category && keeps && kept_put(&a->kept, request, made_of(a, request), category, true);
	return category;
}

static struct verdict_key verdict_key_of(const struct categories *a, uint32_t row, uint32_t number)
{
	const struct jobs *j = &a->run->mirror->state->jobs;

	if (a->any_access)
		return ((const struct categories_key *)pool_key(&a->keys, number))->verdict;
	return (struct verdict_key){ a->run->mirror->requests.facts[job_fact(j, row, category)].category, 0, a->items[number].avoided };
}

static struct category *category_make(struct categories *a, uint32_t row, uint32_t number)
{
	struct categories_item *item = &a->items[number];
	const struct verdict_key key = verdict_key_of(a, row, number);
	struct category *category = kept_or_new(a, row, key.avoided, &item->is_kept);
	struct verdict *verdict = !category || a->any_access ? NULL : &category->own_verdict;

	if (verdict)
		*verdict = (struct verdict){ .why = why_list(a->d->why) };
	else if (category)
		verdict = verdict_of(a, &key);
	if (category && (!verdict || several_find(a, category, &key))) {
		if (!item->is_kept)
			destroy(category);
		return NULL;
	}
	if (category)
		category->verdict = verdict;
	return category;
}

/* NONE: no memory. */
static uint32_t item_add(struct categories *a, uint32_t avoided)
{
	size_t capacity = 2 * a->capacity + 64;

	if (a->n == a->capacity) {
		if (array_grow(&a->items, capacity, sizeof(*a->items)))
			return NONE;
		a->capacity = capacity;
	}
	a->items[a->n] = (struct categories_item){ .avoided = avoided };
	return (uint32_t)a->n++;
}

/* Owners make no difference. Few tasks avoid hosts, each others. */
static uint32_t number_plain(struct categories *a, uint32_t category, uint32_t avoided)
{
	uint32_t number;

	for (size_t i = a->n; avoided > 0 && i-- > 0; )
		if (a->items[i].avoided == avoided)
			return (uint32_t)i;
	number = item_add(a, avoided);
	if (avoided == 0 && number != NONE)
		a->known[category] = number + 1;
	return number;
}

/* NONE: no memory. */
static uint32_t number_find(struct categories *a, uint32_t row, uint32_t avoided)
{
	const struct jobs *j = &a->run->mirror->state->jobs;
	const struct requests *requests = &a->run->mirror->requests;
	uint32_t request = job_fact(j, row, category), id;
	uint32_t category = requests->facts[request].category;
	struct standing standing;
	struct categories_key key;
	bool is_new;

	if (!a->any_access)
		return number_plain(a, category, avoided);
	standing = standing_of(a, job_fact(j, row, class_id), requests_key(requests, request)->group);
	if (standing.number == NONE || pool_reserve(&a->keys))
		return NONE;
	key = (struct categories_key){ { category, standing.number, avoided }, standing.project };
	id = pool_find(&a->keys, &key);
	if (id != UINT32_MAX)
		return id;
	id = item_add(a, avoided);
	return id == NONE ? NONE : pool_hold(&a->keys, &key, &is_new);
}

static inline uint32_t number_of(struct categories *a, uint32_t row)
{
	uint32_t known = a->known[a->run->mirror->requests.facts[job_fact(&a->run->mirror->state->jobs, row, category)].category];

	return known > 0 ? known - 1 : number_find(a, row, 0);
}

static struct category *category_at(struct categories *a, uint32_t row, uint32_t number)
{
	if (number == NONE)
		return NULL;
	if (!a->items[number].category)
		a->items[number].category = category_make(a, row, number);
	return a->items[number].category;
}

struct category *categories_of_running(struct categories *a, uint32_t row)
{
	uint32_t request = job_fact(&a->run->mirror->state->jobs, row, category);
	const struct category *kept = a->any_access ? NULL : kept_look(&a->kept, request, made_of(a, request));
	struct category *category;

	if (kept)
		return (struct category *)kept;
	if (!a->any_access && requests_key(&a->run->mirror->requests, request)->ar == 0) {
		const struct category_facts facts = asked_for(a, row, 0);

		category = make(a, &facts);
		if (!category || kept_put(&a->kept, request, made_of(a, request), category, false))
			return category;
		destroy(category);
	}
	return categories_of(a, row);
}

struct category *categories_of(struct categories *a, uint32_t row)
{
	return category_at(a, row, number_of(a, row));
}

struct category *categories_avoiding(struct categories *a, uint32_t row, uint32_t avoided)
{
	return category_at(a, row, number_find(a, row, avoided));
}

int categories_list(struct categories *a)
{
	const struct waiting_columns *w = &a->run->waiting;

	a->places = a->run->scratch.members;
	for (size_t i = 0; i < w->n; i++) {
		uint32_t number = w->first[i] == NONE ? NONE : number_of(a, w->rows[i]);

		a->places[i] = number;
		if (number != NONE)
			a->items[number].listed = true;
		else if (w->first[i] != NONE)
			return -ENOMEM;
	}
	return 0;
}

bool categories_are_over(struct categories *a, bool (*is_over)(const void *context, const struct category *category), const void *context)
{
	for (; a->over < a->n; a->over++) {
		const struct categories_item *item = &a->items[a->over];

		if (item->listed && (!item->category || !is_over(context, item->category)))
			return false;
	}
	return true;
}

void categories_tell_why(struct categories *a)
{
	const struct run *run = a->run;

	for (uint32_t place = 0; place < run->waiting.n; place++) {
		const struct category *category = run->waiting.why[place] == run->unreached ? categories_at(a, place) : NULL;

		if (category)
			run->waiting.why[place] = (uint16_t)category->verdict->why;
	}
}

/* Whom the cell's objects tell apart; nobody is known yet. NULL: no memory. */
static struct categories *create(struct run *run, struct dispatch *d)
{
	struct categories *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->run = run;
	a->d = d;
		pool_create(&a->verdict_keys, sizeof(struct verdict_key));
	pool_create(&a->keys, sizeof(struct categories_key));
	pool_create(&a->jobs, sizeof(struct verdict_key));
	a->relevant = calloc(d->cell->nusersets + 1, sizeof(*a->relevant));
	if (a->relevant)
		standings_begin(a);
	return a;
}

static void items_free(struct categories *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].category && !a->items[i].is_kept)
			destroy(a->items[i].category);
	for (size_t i = 0; i < a->nverdicts; i++)
		free(a->verdicts[i]);
	free(a->verdicts);
	a->verdicts = NULL;
	a->n = a->nverdicts = a->over = 0;
}

int categories_begin(struct categories **categories, struct run *run, struct dispatch *d)
{
	struct categories *a = *categories ? *categories : (*categories = create(run, d));
	size_t known = run->mirror->requests.category_capacity + 1;

	if (!a || !a->relevant)
		return -ENOMEM;
	items_free(a);
	a->counted = false;
	a->places = NULL;
	pool_clear(&a->by_owner);
	pool_clear(&a->verdict_keys);
	pool_clear(&a->keys);
	pool_clear(&a->jobs);
	text_set_clear(&a->access_texts);
	kept_begin(&a->kept);
	if (known > a->known_capacity) {
		if (array_grow(&a->known, known, sizeof(*a->known)))
			return -ENOMEM;
		a->known_capacity = known;
	}
	memset(a->known, 0, known * sizeof(*a->known));
	return 0;
}

void categories_free(struct categories *a)
{
	if (!a)
		return;
	items_free(a);
	free(a->items);
	kept_free(&a->kept);
	free(a->known);
	free(a->standing);
	free(a->relevant);
	pool_destroy(&a->by_owner);
	text_set_free(&a->access_texts);
	pool_destroy(&a->verdict_keys);
	pool_destroy(&a->keys);
	pool_destroy(&a->jobs);
	free(a);
}
