/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/categories.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/lists.h"

struct verdict_key {
	uint32_t category, access;
	uint32_t avoided;		/* avoided_by() of the task; 0: it avoids no hosts */
};

struct categories_key {
	struct verdict_key verdict;
	uint32_t project;
};

static const char *text_of(const struct categories *categories, uint32_t id)
{
	return id == NONE ? NULL : strings_text(categories->run->strings, id);
}

static struct verdict *verdict_of(struct categories *categories, const struct verdict_key *key)
{
	struct verdict *verdict, **item;
	uint32_t id;
	bool is_new;

	id = pool_find(&categories->verdict_keys, key);
	if (id != UINT32_MAX)
		return categories->verdicts[id];
	verdict = malloc(sizeof(*verdict));
	if (!verdict || pool_reserve(&categories->verdict_keys) ||
	    !(item = array_add(&categories->verdicts, &categories->nverdicts, sizeof(*item)))) {
		free(verdict);
		return NULL;
	}
	*verdict = (struct verdict){ .why = why_list(categories->why) };
	pool_hold(&categories->verdict_keys, key, &is_new);
	return *item = verdict;
}

/*
 * Return whether hosts that are ruled out make a difference: they are not tried with other amounts,
 * and other jobs of the category neither tag their instances nor check their quotas.
 */
static bool may_rule_out(const struct categories *categories, const struct category *category)
{
	bool any = false;

	for (size_t i = 0; i < category->npes && category->pe; i++)
		any |= categories->supply->cell->pes[category->pes[i].pe].rule == RULE_PE_SLOTS;
	return any && (category->by_name || quotas_reach_far(categories->supply->quotas) || category->ranges.n > 1 ||
		       (category->ranges.n == 1 && category->ranges.items[0].min != category->ranges.items[0].max));
}

static int jobs_count(struct categories *categories)
{
	const struct jobs *jobs = &categories->run->mirror->state->jobs;
	const struct requests *requests = &categories->run->mirror->requests;
	bool is_new;

	for (size_t i = 0; i < jobs->list_end; i++) {
		uint32_t row = jobs->list[i], request = row == NONE ? NONE : job_fact(jobs, row, category);
		struct verdict_key key;

		if (request == NONE)
			continue;
		if (pool_reserve(&categories->jobs))
			return -ENOMEM;
		key = (struct verdict_key){ requests->facts[request].category,
					    standing_of(categories, job_fact(jobs, row, class_id),
							requests_key(requests, request)->group)
						    .number,
					    0 };
		pool_hold(&categories->jobs, &key, &is_new);
	}
	categories->counted = true;
	return 0;
}

/*
 * Find out whether the category has several jobs, including running and held jobs. Done only where
 * it makes a difference.
 */
static int several_find(struct categories *categories, struct category *category, const struct verdict_key *key)
{
	uint32_t id;

	if (!may_rule_out(categories, category))
		return 0;
	if (!categories->counted && jobs_count(categories))
		return -ENOMEM;
	id = pool_find(&categories->jobs, key);
	category->several = id != UINT32_MAX && categories->jobs.holders[id] > 1;
	return 0;
}

static void destroy(struct category *category)
{
	category_destroy(category);
	free(category);
}

static struct category_facts asked_for(const struct categories *categories, uint32_t row, uint32_t avoided)
{
	const struct jobs *jobs = &categories->run->mirror->state->jobs;
	const struct class_key *class = classes_key(&categories->run->mirror->classes, job_fact(jobs, row, class_id));
	const struct request_key *key = requests_key(&categories->run->mirror->requests, job_fact(jobs, row, category));

	return (struct category_facts){
		.user = text_of(categories, class->owner),
		.group = text_of(categories, key->group),
		.project = text_of(categories, class->project),
		.hard = text_of(categories, key->hard),
		.soft = text_of(categories, key->soft),
		.pe = text_of(categories, key->pe),
		.pe_range = text_of(categories, key->pe_range),
		.ckpt = text_of(categories, key->ckpt),
		.hard_queues = text_of(categories, key->hard_queues),
		.soft_queues = text_of(categories, key->soft_queues),
		.master_queues = text_of(categories, key->master_queues),
		.now = key->now,
		.ar = key->ar,
		.advance = key->ar ? advance_find(&categories->supply->advances, key->ar) : NULL,
		.avoided = avoided,
	};
}

/* Create a category with these facts. NULL: memory is exhausted. */
static struct category *make(struct categories *categories, const struct category_facts *facts)
{
	struct category *category = malloc(sizeof(*category));

	if (category && category_create(category, categories->supply, facts)) {
		destroy(category);
		return NULL;
	}
	return category;
}

static uint64_t made_of(const struct categories *categories, uint32_t request)
{
	return categories->run->mirror->requests.facts[request].made;
}

/*
 * Return a category that an earlier run has left, or a new one. Categories of single jobs are not
 * kept.
 */
static struct category *kept_or_new(struct categories *categories, uint32_t row, uint32_t avoided, bool *is_kept)
{
	const struct category_facts facts = asked_for(categories, row, avoided);
	uint32_t request = job_fact(&categories->run->mirror->state->jobs, row, category);
	bool keeps = facts.ar == 0 && avoided == 0;
	struct category *category = keeps ? kept_take(&categories->kept, request, made_of(categories, request)) : NULL;
	int rc = category ? category_renew(category, categories->supply, &facts) : -ENOENT;

	*is_kept = rc == 0;
	if (rc != -ENOENT)
		return rc == 0 ? category : NULL;
	if (category)
		kept_drop(&categories->kept, request);
	category = make(categories, &facts);
	*is_kept =
		category && keeps && kept_put(&categories->kept, request, made_of(categories, request), category, true);
	return category;
}

static struct verdict_key verdict_key_of(const struct categories *categories, uint32_t row, uint32_t number)
{
	const struct jobs *jobs = &categories->run->mirror->state->jobs;

	if (categories->any_access)
		return ((const struct categories_key *)pool_key(&categories->keys, number))->verdict;
	return (struct verdict_key){ categories->run->mirror->requests.facts[job_fact(jobs, row, category)].category, 0,
				     categories->items[number].avoided };
}

static struct category *category_make(struct categories *categories, uint32_t row, uint32_t number)
{
	struct categories_item *item = &categories->items[number];
	const struct verdict_key key = verdict_key_of(categories, row, number);
	struct category *category = kept_or_new(categories, row, key.avoided, &item->is_kept);
	struct verdict *verdict = !category || categories->any_access ? NULL : &category->own_verdict;

	if (verdict)
		*verdict = (struct verdict){ .why = why_list(categories->why) };
	else if (category)
		verdict = verdict_of(categories, &key);
	if (category && (!verdict || several_find(categories, category, &key))) {
		if (!item->is_kept)
			destroy(category);
		return NULL;
	}
	if (category)
		category->verdict = verdict;
	return category;
}

/* Add an item without a category and return its number. NONE: memory is exhausted. */
static uint32_t item_add(struct categories *categories, uint32_t avoided)
{
	size_t capacity = 2 * categories->capacity + 64;

	if (categories->n == categories->capacity) {
		if (array_grow(&categories->items, capacity, sizeof(*categories->items)))
			return NONE;
		categories->capacity = capacity;
	}
	categories->items[categories->n] = (struct categories_item){ .avoided = avoided };
	return (uint32_t)categories->n++;
}

/*
 * Number a category when owners make no difference. Few tasks avoid hosts, and each avoids
 * different hosts.
 */
static uint32_t number_plain(struct categories *categories, uint32_t category, uint32_t avoided)
{
	uint32_t number;

	for (size_t i = categories->n; avoided > 0 && i-- > 0; )
		if (categories->items[i].avoided == avoided)
			return (uint32_t)i;
	number = item_add(categories, avoided);
	if (avoided == 0 && number != NONE)
		categories->known[category] = number + 1;
	return number;
}

uint32_t categories_number_find(struct categories *categories, uint32_t row, uint32_t avoided)
{
	const struct jobs *jobs = &categories->run->mirror->state->jobs;
	const struct requests *requests = &categories->run->mirror->requests;
	uint32_t request = job_fact(jobs, row, category), id;
	uint32_t category = requests->facts[request].category;
	struct standing standing;
	struct categories_key key;
	bool is_new;

	if (!categories->any_access)
		return number_plain(categories, category, avoided);
	standing = standing_of(categories, job_fact(jobs, row, class_id), requests_key(requests, request)->group);
	if (standing.number == NONE || pool_reserve(&categories->keys))
		return NONE;
	key = (struct categories_key){ { category, standing.number, avoided }, standing.project };
	id = pool_find(&categories->keys, &key);
	if (id != UINT32_MAX)
		return id;
	id = item_add(categories, avoided);
	return id == NONE ? NONE : pool_hold(&categories->keys, &key, &is_new);
}

static struct category *category_at(struct categories *categories, uint32_t row, uint32_t number)
{
	if (number == NONE)
		return NULL;
	if (!categories->items[number].category)
		categories->items[number].category = category_make(categories, row, number);
	return categories->items[number].category;
}

struct category *categories_of_running(struct categories *categories, uint32_t row)
{
	uint32_t request = job_fact(&categories->run->mirror->state->jobs, row, category);
	const struct category *kept =
		categories->any_access ? NULL : kept_read(&categories->kept, request, made_of(categories, request));
	struct category *category;

	if (kept)
		return (struct category *)kept;
	if (!categories->any_access && requests_key(&categories->run->mirror->requests, request)->ar == 0) {
		const struct category_facts facts = asked_for(categories, row, 0);

		category = make(categories, &facts);
		if (!category || kept_put(&categories->kept, request, made_of(categories, request), category, false))
			return category;
		destroy(category);
	}
	return categories_of(categories, row);
}

struct category *categories_of(struct categories *categories, uint32_t row)
{
	return category_at(categories, row, categories_number(categories, row));
}

struct category *categories_avoiding(struct categories *categories, uint32_t row, uint32_t avoided)
{
	return category_at(categories, row, categories_number_find(categories, row, avoided));
}

/*
 * Create the table without owners, and find the usersets that matter. Return NULL if memory is
 * exhausted.
 */
static struct categories *create(struct run *run, struct supply *supply, struct why *why)
{
	struct categories *categories = calloc(1, sizeof(*categories));
	bool *relevant = calloc(supply->cell->nusersets + 1, sizeof(*relevant));

	if (!categories || !relevant) {
		free(categories);
		free(relevant);
		return NULL;
	}
	categories->run = run;
	categories->supply = supply;
	categories->why = why;
	categories->relevant = relevant;
	pool_create(&categories->verdict_keys, sizeof(struct verdict_key));
	pool_create(&categories->keys, sizeof(struct categories_key));
	pool_create(&categories->jobs, sizeof(struct verdict_key));
	standings_begin(categories);
	return categories;
}

static void items_free(struct categories *categories)
{
	for (size_t i = 0; i < categories->n; i++)
		if (categories->items[i].category && !categories->items[i].is_kept)
			destroy(categories->items[i].category);
	for (size_t i = 0; i < categories->nverdicts; i++)
		free(categories->verdicts[i]);
	free(categories->verdicts);
	categories->verdicts = NULL;
	categories->n = categories->nverdicts = categories->over = 0;
}

int categories_begin(struct categories **categories, struct run *run, struct supply *supply, struct why *why)
{
	struct categories *table = *categories ? *categories : (*categories = create(run, supply, why));
	size_t known = run->mirror->requests.category_capacity + 1;

	if (!table)
		return -ENOMEM;
	items_free(table);
	table->counted = false;
	table->places = NULL;
	pool_clear(&table->by_owner);
	pool_clear(&table->verdict_keys);
	pool_clear(&table->keys);
	pool_clear(&table->jobs);
	text_set_clear(&table->access_texts);
	kept_begin(&table->kept);
	if (known > table->known_capacity) {
		if (array_grow(&table->known, known, sizeof(*table->known)))
			return -ENOMEM;
		table->known_capacity = known;
	}
	memset(table->known, 0, known * sizeof(*table->known));
	return 0;
}

void categories_free(struct categories *categories)
{
	if (!categories)
		return;
	items_free(categories);
	free(categories->items);
	kept_free(&categories->kept);
	free(categories->known);
	free(categories->standing);
	free(categories->relevant);
	pool_destroy(&categories->by_owner);
	text_set_free(&categories->access_texts);
	pool_destroy(&categories->verdict_keys);
	pool_destroy(&categories->keys);
	pool_destroy(&categories->jobs);
	free(categories);
}
