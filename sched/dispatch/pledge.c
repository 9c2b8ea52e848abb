/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/pledge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/advance.h"
#include "sched/dispatch/dispatch.h"
#include "sched/mirror/state.h"

#define LOOKS_MOST 1000000u	/* of a run: reasons must not cost more than the run */

void pledges_begin(struct dispatch *d)
{
	d->pledges.n = 0;
	d->pledges.looks = LOOKS_MOST;
	memset(d->pledges.texts, 0, sizeof(d->pledges.texts));
}

void pledges_free(struct dispatch *d)
{
	free(d->pledges.items);
	free(d->pledges.by_instance);
	free(d->pledges.by_host);
	d->pledges = (struct pledges){ .items = NULL };
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

static int tables_begin(struct dispatch *d)
{
	struct pledges *p = &d->pledges;
	int rc = table_clear(&p->by_instance, &p->ninstances, d->cluster.ninstances);

	return rc ? rc : table_clear(&p->by_host, &p->nhosts, d->cluster.nhosts);
}

static void enter(const struct pledges *p, uint32_t *at, uint32_t number)
{
	if (*at == 0 || p->items[number].begin < p->items[*at - 1].begin)
		*at = number + 1;
}

void pledges_add(struct dispatch *d, uint32_t job_number, const struct grant *g)
{
	struct pledges *p = &d->pledges;
	size_t capacity = p->capacity ? 2 * p->capacity : 16;

	if (d->why->untold || (p->n == 0 && tables_begin(d)))
		return;
	if (p->n == p->capacity) {
		if (array_grow(&p->items, capacity, sizeof(*p->items)))
			return;
		p->capacity = capacity;
	}
	p->items[p->n] = (struct pledge){ job_number, g->begin };
	for (size_t i = 0; i < g->n; i++) {
		uint32_t instance = g->entries[i].instance;

		enter(p, &p->by_instance[instance], (uint32_t)p->n);
		enter(p, &p->by_host[d->cluster.instances[instance].host], (uint32_t)p->n);
	}
	p->n++;
}

/* The earliest job; NULL. */
static const struct pledge *pledge_at(const struct pledges *p, enum level level, uint32_t object)
{
	uint32_t at = 0;

	if (p->n == 0)
		return NULL;
	if (level != LEVEL_GLOBAL)
		at = level == LEVEL_HOST ? p->by_host[object] : p->by_instance[object];
	else
		for (uint32_t i = 0; i < p->n; i++)
			enter(p, &at, i);
	return at ? &p->items[at - 1] : NULL;
}

static bool advance_is_at(struct dispatch *d, const struct advance *a, enum level level, uint32_t object)
{
	if (level == LEVEL_QUEUE)
		return advance_has(a, object);
	for (size_t i = 0; i < a->nplaces && d->pledges.looks > 0; i++, d->pledges.looks--)
		if (level == LEVEL_GLOBAL || d->cluster.instances[a->places[i].instance].host == object)
			return true;
	return false;
}

/* The earliest advance reservation that the search's time meets; NULL. */
static const struct advance *advance_at(const struct search *s, enum level level, uint32_t object)
{
	const struct advance *first = NULL;

	for (size_t i = 0; i < s->d->advances.n && s->d->pledges.looks > 0; i++, s->d->pledges.looks--) {
		const struct advance *a = &s->d->advances.items[i];

		if (a->told->end_time <= s->begin || a->told->start_time >= s->end || (first && a->told->start_time >= first->told->start_time))
			continue;
		if (advance_is_at(s->d, a, level, object))
			first = a;
	}
	return first;
}

static const char *job_text(const struct search *s, const char *resource, const struct pledge *job, int64_t takes)
{
	struct pledges *p = &s->d->pledges;
	struct pledge_text *known = &p->texts[(job->job_number * 31u + (uint32_t)takes) % (sizeof(p->texts) / sizeof(*p->texts))];

	if (known->resource != resource || known->job.job_number != job->job_number || known->job.begin != job->begin || known->takes != takes)
		*known = (struct pledge_text){ resource, why_text(s->d->why, "%.60s: job %u, %" PRId64 ", %" PRId64, resource, job->job_number,
								 job->begin, takes), *job, takes };
	return known->text;
}

const char *pledge_keeper(const struct search *s, const char *resource, enum level level, uint32_t object)
{
	const struct pledge *job = pledge_at(&s->d->pledges, level, object);
	double limit = s->category->limit;
	int64_t takes = limit < (double)UINT32_MAX ? (int64_t)limit : s->end == TIMELINE_NEVER ? 0 : s->end - s->begin;
	const struct advance *advance;

	if (s->d->why->untold)
		return NULL;
	if (job && job->begin < s->end)
		return job_text(s, resource, job, takes);
	advance = advance_at(s, level, object);
	return !advance ? NULL : why_text(s->d->why, "%.60s: advance reservation %u, %" PRId64 ", %" PRId64, resource, advance->number,
					  advance->told->start_time > s->begin ? advance->told->start_time : 0, takes);
}
