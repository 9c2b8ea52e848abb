/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/kept.h"

#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/search/search.h"

#define MOST_KEPT 16384			/* a kilobyte each, or so */

static void item_drop(struct kept_categories *k, struct kept_category *item)
{
	if (!item->category)
		return;
	category_destroy(item->category);
	free(item->category);
	*item = (struct kept_category){ .category = NULL };
	k->n--;
}

void kept_free(struct kept_categories *k)
{
	for (size_t i = 0; i < k->capacity; i++)
		item_drop(k, &k->items[i]);
	free(k->items);
	*k = (struct kept_categories){ .items = NULL };
}

void kept_begin(struct kept_categories *k)
{
	uint64_t runs = k->runs + 1;

	if (k->n >= MOST_KEPT)
		kept_free(k);
	k->runs = runs;
}

struct category *kept_take(struct kept_categories *k, uint32_t request, uint64_t made)
{
	struct kept_category *item = request < k->capacity ? &k->items[request] : NULL;

	if (!item || !item->category || item->made != made || item->run == k->runs)
		return NULL;
	item->run = k->runs;
	return item->category;
}

void kept_drop(struct kept_categories *k, uint32_t request)
{
	item_drop(k, &k->items[request]);
}

static bool reserve(struct kept_categories *k, uint32_t request)
{
	size_t capacity = (size_t)request + request / 4 + 64;

	if (request < k->capacity)
		return true;
	if (array_grow(&k->items, capacity, sizeof(*k->items)))
		return false;
	memset(k->items + k->capacity, 0, (capacity - k->capacity) * sizeof(*k->items));
	k->capacity = capacity;
	return true;
}

const struct category *kept_look(const struct kept_categories *k, uint32_t request, uint64_t made)
{
	return request < k->capacity && k->items[request].made == made ? k->items[request].category : NULL;
}

bool kept_put(struct kept_categories *k, uint32_t request, uint64_t made, struct category *category, bool takes)
{
	struct kept_category *item;

	if (k->n >= MOST_KEPT || !reserve(k, request))
		return false;
	item = &k->items[request];
	if (item->category && item->run == k->runs)
		return false;
	item_drop(k, item);
	*item = (struct kept_category){ category, made, takes ? k->runs : 0 };
	k->n++;
	return true;
}
