/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/pledge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/advance.h"
#include "sched/dispatch/search/search.h"
#include "sched/mirror/state.h"

#define CHECKS_MOST 1000000u	/* limit per run: reasons must not cost more than the run */

void pledges_begin(struct pledges *pledges)
{
	pledges->n = 0;
	pledges->checks_left = CHECKS_MOST;
	memset(pledges->texts, 0, sizeof(pledges->texts));
}

void pledges_free(struct pledges *pledges)
{
	free(pledges->items);
	free(pledges->by_instance);
	free(pledges->by_host);
	*pledges = (struct pledges){ .items = NULL };
}

static int table_clear(uint32_t **table, size_t *n, size_t wanted)
{
	if (*n < wanted) {
		if (array_grow(table, wanted, sizeof(**table)))
			return -ENOMEM;
		*n = wanted;
	}
	if (wanted > 0)
		memset(*table, 0, wanted * sizeof(**table));
	return 0;
}

static int tables_begin(struct pledges *pledges, const struct cluster *cluster)
{
	int rc = table_clear(&pledges->by_instance, &pledges->ninstances, cluster->ninstances);

	return rc ? rc : table_clear(&pledges->by_host, &pledges->nhosts, cluster->nhosts);
}

static void enter(const struct pledges *pledges, uint32_t *at, uint32_t number)
{
	if (*at == 0 || pledges->items[number].begin < pledges->items[*at - 1].begin)
		*at = number + 1;
}

void pledges_add(struct pledges *pledges, const struct cluster *cluster, uint32_t job_number, const struct grant *grant)
{
	size_t capacity = pledges->capacity ? 2 * pledges->capacity : 16;

	if (pledges->n == 0 && tables_begin(pledges, cluster))
		return;
	if (pledges->n == pledges->capacity) {
		if (array_grow(&pledges->items, capacity, sizeof(*pledges->items)))
			return;
		pledges->capacity = capacity;
	}
	pledges->items[pledges->n] = (struct pledge){ job_number, grant->begin };
	for (size_t i = 0; i < grant->n; i++) {
		uint32_t instance = grant->entries[i].instance;

		enter(pledges, &pledges->by_instance[instance], (uint32_t)pledges->n);
		enter(pledges, &pledges->by_host[cluster->instances[instance].host], (uint32_t)pledges->n);
	}
	pledges->n++;
}

/* Return the job with the earliest reservation at an object, or NULL. */
static const struct pledge *pledge_at(const struct pledges *pledges, enum level level, uint32_t object)
{
	uint32_t at = 0;

	if (pledges->n == 0)
		return NULL;
	if (level != LEVEL_GLOBAL)
		at = level == LEVEL_HOST ? pledges->by_host[object] : pledges->by_instance[object];
	else
		for (uint32_t i = 0; i < pledges->n; i++)
			enter(pledges, &at, i);
	return at ? &pledges->items[at - 1] : NULL;
}

static bool advance_is_at(const struct search *search, const struct advance *advance, enum level level, uint32_t object)
{
	uint32_t *checks_left = &search->shared->pledges.checks_left;

	if (level == LEVEL_QUEUE)
		return advance_has(advance, object);
	for (size_t i = 0; i < advance->nplaces && *checks_left > 0; i++, --*checks_left)
		if (level == LEVEL_GLOBAL ||
		    search->supply->cluster.instances[advance->places[i].instance].host == object)
			return true;
	return false;
}

/* Return the earliest advance reservation that overlaps the search's time, or NULL. */
static const struct advance *advance_at(const struct search *search, enum level level, uint32_t object)
{
	const struct advance *first = NULL;

	for (size_t i = 0; i < search->supply->advances.n && search->shared->pledges.checks_left > 0;
	     i++, search->shared->pledges.checks_left--) {
		const struct advance *advance = &search->supply->advances.items[i];

		if (advance->reported->end_time <= search->question.begin ||
		    advance->reported->start_time >= search->question.end ||
		    (first && advance->reported->start_time >= first->reported->start_time))
			continue;
		if (advance_is_at(search, advance, level, object))
			first = advance;
	}
	return first;
}

static const char *job_text(const struct search *search, const char *resource, const struct pledge *job, int64_t takes)
{
	struct pledges *pledges = &search->shared->pledges;
	struct pledge_text *known = &pledges->texts[(job->job_number * 31u + (uint32_t)takes) %
						    (sizeof(pledges->texts) / sizeof(*pledges->texts))];

	if (known->resource != resource || known->job.job_number != job->job_number || known->job.begin != job->begin ||
	    known->takes != takes)
		*known = (struct pledge_text){ resource,
					       why_text(search->shared->why, "%.60s: job %u, %" PRId64 ", %" PRId64,
							resource, job->job_number, job->begin, takes),
					       *job, takes };
	return known->text;
}

const char *pledge_keeper(const struct search *search, const char *resource, enum level level, uint32_t object)
{
	const struct pledge *job = pledge_at(&search->shared->pledges, level, object);
	double limit = search->question.category->limit;
	int64_t takes = limit < (double)UINT32_MAX	? (int64_t)limit
			: search->question.end == TIMELINE_NEVER ? 0
							: search->question.end - search->question.begin;
	const struct advance *advance;

	if (search->shared->why->is_off)
		return NULL;
	if (job && job->begin < search->question.end)
		return job_text(search, resource, job, takes);
	advance = advance_at(search, level, object);
	return !advance
		       ? NULL
		       : why_text(search->shared->why, "%.60s: advance reservation %u, %" PRId64 ", %" PRId64, resource,
				  advance->number,
				  advance->reported->start_time > search->question.begin ? advance->reported->start_time
											 : 0,
				  takes);
}
