/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/advance.h"

#include <string.h>

#include "conf/base/search.h"
#include "conf/lists.h"
#include "sched/mirror/state.h"

/* Access */

struct advance *advance_find(const struct advances *advances, uint32_t number)
{
	uint32_t i = advances->n > 0 ? index_find(&advances->index, advances->numbers, number) : INDEX_NONE;

	return i == INDEX_NONE ? NULL : &advances->items[i];
}

static const struct advance_place *place_of(const struct advance *advance, uint32_t instance)
{
	size_t at;

	lower_bound(at, advance->nplaces, advance->places[at].instance < instance);
	return at < advance->nplaces && advance->places[at].instance == instance ? &advance->places[at] : NULL;
}

bool advance_has(const struct advance *advance, uint32_t instance)
{
	return place_of(advance, instance) != NULL;
}

bool advance_has_queue(const struct advance *advance, const struct cluster *cluster, uint32_t queue)
{
	for (size_t i = 0; i < advance->nplaces; i++)
		if (cluster->instances[advance->places[i].instance].queue == queue)
			return true;
	return false;
}

uint32_t advance_place(const struct advance *advance, uint32_t instance)
{
	const struct advance_place *place = place_of(advance, instance);

	return place ? advance->first_place + (uint32_t)(place - advance->places) : UINT32_MAX;
}

struct offer *advance_offer(const struct advance *advance, const struct cluster *cluster, size_t k, uint32_t instance)
{
	const struct advance_place *place = advance->keeps[k] ? place_of(advance, instance) : NULL;

	return place ? &advance->offers[(size_t)(place - advance->places) * cluster->nconsumables + k] : NULL;
}

/* Permission */

static bool names(const struct cell *cell, const struct strlist *list, const char *user, const char *group)
{
	const struct category principal = { .user = user, .group = group };

	for (size_t i = 0; i < list->n; i++) {
		char *set = list->items[i] + 1;
		const struct strlist one = { .items = &set, .n = 1 };

		if (list->items[i][0] == '@' ? category_in_lists(cell, &principal, &one)
					     : strcmp(list->items[i], user) == 0)
			return true;
	}
	return false;
}

bool advance_admits(const struct cell *cell, const struct advance *advance, const char *user, const char *group)
{
	return (advance->access.n == 0 || names(cell, &advance->access, user, group)) &&
	       !names(cell, &advance->no_access, user, group);
}

bool advance_lasts(const struct advance *advance, const char *complex, double *seconds)
{
	if (strcmp(complex, "h_rt") != 0 && strcmp(complex, "s_rt") != 0)
		return false;
	*seconds = (double)(advance->reported->end_time - advance->reported->start_time);
	return true;
}
