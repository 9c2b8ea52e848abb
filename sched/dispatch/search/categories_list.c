/* SPDX-License-Identifier: Apache-2.0 */
/* The categories of all waiting jobs, in memory order: for a loop that will need most of them. */
#include <errno.h>

#include "sched/dispatch/search/categories.h"

int categories_list(struct categories *categories)
{
	const struct waiting_columns *columns = &categories->run->waiting;

	categories->places = categories->run->scratch.members;
	for (size_t i = 0; i < columns->n; i++) {
		uint32_t number = columns->first[i] == NONE ? NONE : categories_number(categories, columns->rows[i]);

		categories->places[i] = number;
		if (number != NONE)
			categories->items[number].listed = true;
		else if (columns->first[i] != NONE)
			return -ENOMEM;
	}
	return 0;
}

bool categories_are_over(struct categories *categories,
			 bool (*is_over)(const void *context, const struct category *category), const void *context)
{
	for (; categories->over < categories->n; categories->over++) {
		const struct categories_item *item = &categories->items[categories->over];

		if (item->listed && (!item->category || !is_over(context, item->category)))
			return false;
	}
	return true;
}

void categories_set_why(struct categories *categories)
{
	const struct run *run = categories->run;

	for (uint32_t place = 0; place < run->waiting.n; place++) {
		const struct category *category =
			run->waiting.why[place] == run->unreached ? categories_at(categories, place) : NULL;

		if (category)
			run->waiting.why[place] = (uint16_t)category->verdict->why;
	}
}
