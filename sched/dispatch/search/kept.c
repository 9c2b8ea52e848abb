/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/kept.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/search.h"

#define MOST_KEPT 16384			/* about one kilobyte each */

static void item_drop(struct kept_categories *categories, struct kept_category *item)
{
	if (!item->category)
		return;
	category_destroy(item->category);
	free(item->category);
	*item = (struct kept_category){ .category = NULL };
	categories->n--;
}

void kept_free(struct kept_categories *categories)
{
	for (size_t i = 0; i < categories->capacity; i++)
		item_drop(categories, &categories->items[i]);
	free(categories->items);
	*categories = (struct kept_categories){ .items = NULL };
}

void kept_begin(struct kept_categories *categories)
{
	uint64_t runs = categories->runs + 1;

	if (categories->n >= MOST_KEPT)
		kept_free(categories);
	categories->runs = runs;
}

struct category *kept_take(struct kept_categories *categories, uint32_t request, uint64_t made)
{
	struct kept_category *item = request < categories->capacity ? &categories->items[request] : NULL;

	if (!item || !item->category || item->made != made || item->run == categories->runs)
		return NULL;
	item->run = categories->runs;
	return item->category;
}

void kept_drop(struct kept_categories *categories, uint32_t request)
{
	item_drop(categories, &categories->items[request]);
}

static bool reserve(struct kept_categories *categories, uint32_t request)
{
	size_t capacity = (size_t)request + request / 4 + 64;

	if (request < categories->capacity)
		return true;
	if (array_grow(&categories->items, capacity, sizeof(*categories->items)))
		return false;
	memset(categories->items + categories->capacity, 0,
	       (capacity - categories->capacity) * sizeof(*categories->items));
	categories->capacity = capacity;
	return true;
}

const struct category *kept_read(const struct kept_categories *categories, uint32_t request, uint64_t made)
{
	return request < categories->capacity && categories->items[request].made == made
		       ? categories->items[request].category
		       : NULL;
}

bool kept_put(struct kept_categories *categories, uint32_t request, uint64_t made, struct category *category,
	      bool takes)
{
	struct kept_category *item;

	if (categories->n >= MOST_KEPT || !reserve(categories, request))
		return false;
	item = &categories->items[request];
	if (item->category && item->run == categories->runs)
		return false;
	item_drop(categories, item);
	*item = (struct kept_category){ category, made, takes ? categories->runs : 0 };
	categories->n++;
	return true;
}
