/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time until which an object has too little room. This is the inverse of match_object(), which
 * returns how much room there is at a time.
 */
#include <math.h>

#include "sched/dispatch/search/host_room.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/search.h"

/* Relative tolerance: much more than rounding errors. */
#define DOUBT 1e-9

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Return the maximum that may be booked of a consumable so that `slots` slots still fit.
 * match_object() divides the amount left, so its limit may differ from this one in the last bit.
 * Therefore the limit is checked, or a margin is kept.
 */
static double limit_of(const struct offer *offer, double need, uint32_t slots, enum doubt doubt)
{
	double total = need * slots, limit = offer->fixed - total, margin = DOUBT * (fabs(offer->fixed) + total);

	if (doubt == DOUBT_IS_ENOUGH)
		return limit + margin;
	return offer->fixed - limit >= total && match_slots_in(offer->fixed - limit, need, slots) == slots
		       ? limit
		       : limit - margin;
}

static int64_t line_lack(const struct search *search, uint32_t line, double limit)
{
	if (limit < 0)
		return TIMELINE_NEVER;
	return timeline_above(&search->supply->cluster.timelines, line, limit, search->question.end);
}

static int64_t consumable_lack(const struct search *search, size_t k, enum level level, uint32_t object, uint32_t slots,
			       enum doubt doubt)
{
	struct column *column = &search->supply->cluster.columns[search->supply->cluster.consumables[k]];
	const struct offer *offer =
		category_offer(&search->supply->cluster, search->question.category, column, level, object);
	double need = search->question.category->need[k];
	int64_t lack;

	if (!offer || !offer->fixed_text || (column->complex->consumable == CONSUMABLE_JOB && level != LEVEL_GLOBAL))
		return INT64_MIN;
	if (column->complex->relop == RELOP_EXCL) {
		lack = offer->fixed == 0 ? INT64_MIN : line_lack(search, offer->used_line, 0);
		return offer->fixed == 0 || need == 0 ? lack : later_of(lack, line_lack(search, offer->shared_line, 0));
	}
	if (need <= 0 || offer->used_line == TIMELINE_EMPTY)
		return INT64_MIN;
	return line_lack(search, offer->used_line,
			 limit_of(offer, need, complex_is_per_slot(column->complex) ? slots : 1, doubt));
}

int64_t shortage_end(const struct search *search, enum level level, uint32_t object, uint32_t slots, enum doubt doubt)
{
	int64_t lack = INT64_MIN;

	for (size_t k = 0; k < search->supply->cluster.nconsumables; k++)
		lack = later_of(lack, consumable_lack(search, k, level, object, slots, doubt));
	return lack;
}
