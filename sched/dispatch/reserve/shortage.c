/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one object has room for, in time: the other way round of match_object(), which says how much
 * there is at a moment.
 */
#include <math.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/reserve/host_capacity.h"

/* part of an amount: far more than rounding can make of it */
#define DOUBT 1e-9

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * The most that may be booked of a consumable so that there are still so many slots. match_object()
 * divides what is left; this limit may differ in the last bit from the one that this comes to, so
 * it is tried, or kept away from.
 */
static double limit_of(const struct offer *o, double need, uint32_t slots, enum doubt doubt)
{
	double total = need * slots, limit = o->fixed - total, margin = DOUBT * (fabs(o->fixed) + total);

	if (doubt == DOUBT_IS_ENOUGH)
		return limit + margin;
	return o->fixed - limit >= total && match_slots_in(o->fixed - limit, need, slots) == slots ? limit : limit - margin;
}

static int64_t line_lack(const struct search *s, uint32_t line, double limit)
{
	if (limit < 0)
		return TIMELINE_NEVER;
	return timeline_above(&s->d->cluster.timelines, line, limit, s->end);
}

static int64_t consumable_lack(const struct search *s, size_t k, enum level level, uint32_t object, uint32_t slots, enum doubt doubt)
{
	struct column *column = &s->d->cluster.columns[s->d->cluster.consumables[k]];
	const struct offer *o = category_offer(&s->d->cluster, s->category, column, level, object);
	double need = s->category->need[k];
	int64_t lack;

	if (!o || !o->fixed_text || (column->complex->consumable == CONSUMABLE_JOB && level != LEVEL_GLOBAL))
		return INT64_MIN;
	if (column->complex->relop == RELOP_EXCL) {
		lack = o->fixed == 0 ? INT64_MIN : line_lack(s, o->used_line, 0);
		return o->fixed == 0 || need == 0 ? lack : later_of(lack, line_lack(s, o->shared_line, 0));
	}
	if (need <= 0 || o->used_line == TIMELINE_EMPTY)
		return INT64_MIN;
	return line_lack(s, o->used_line, limit_of(o, need, column->complex->consumable == CONSUMABLE_JOB ? 1 : slots, doubt));
}

int64_t shortage_end(const struct search *s, enum level level, uint32_t object, uint32_t slots, enum doubt doubt)
{
	int64_t lack = INT64_MIN;

	for (size_t k = 0; k < s->d->cluster.nconsumables; k++)
		lack = later_of(lack, consumable_lack(s, k, level, object, slots, doubt));
	return lack;
}
