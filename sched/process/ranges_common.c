/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids that sets have in common, and ids that are in no other set. The cost depends on the ranges,
 * not on the number of ids.
 */
#include "sched/process/ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/search.h"

uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Return x < m with a * x % m == 1. a and m have no common divisor. */
static uint64_t inverse(uint64_t a, uint64_t m)
{
	int64_t x = 1, next = 0;
	uint64_t rest = a % m, divisor = m;

	while (rest > 1) {
		int64_t quotient = (int64_t)(divisor / rest), new = next - quotient * x;
		uint64_t left = divisor % rest;

		next = x;
		x = new;
		divisor = rest;
		rest = left;
	}
	return m == 1 ? 0 : (uint64_t)(x < 0 ? x + (int64_t)m : x);
}

/*
 * Set the ids that are in both ranges. Their distance is the least common multiple of both steps.
 * false: there are none.
 */
static bool range_common(const struct range *a, const struct range *b, struct range *common)
{
	uint32_t low = a->min > b->min ? a->min : b->min, high = a->max < b->max ? a->max : b->max;
	uint64_t divisor = common_divisor(a->step, b->step), m = b->step / divisor, step = a->step * m, id;
	int64_t between = (int64_t)b->min - a->min;

	if (low > high || between % (int64_t)divisor != 0)
		return false;
	between = between / (int64_t)divisor % (int64_t)m;
	/* a->min + i * a->step is an id of b, and i is the smallest such number */
	id = (uint64_t)(between < 0 ? between + (int64_t)m : between) * inverse(a->step / divisor, m) % m;
	id = a->min + id * a->step;
	if (id < low)
		id += (low - id + step - 1) / step * step;
	if (id > high)
		return false;
	common->min = (uint32_t)id;
	common->max = (uint32_t)(high - (high - id) % step);
	common->step = common->min == common->max ? 1 : (uint32_t)step;
	return true;
}

int ranges_intersect(struct ranges *ranges, const struct ranges *with)
{
	struct ranges result = { 0 };
	int rc = 0;

	for (size_t i = 0, k = 0; i < ranges->n && k < with->n && rc == 0;) {
		struct range common;

		if (range_common(&ranges->items[i], &with->items[k], &common))
			rc = ranges_append(&result, &common);
		if (ranges->items[i].max < with->items[k].max)
			i++;
		else
			k++;
	}
	if (rc) {
		ranges_free(&result);
		return rc;
	}
	ranges_free(ranges);
	*ranges = result;
	return 0;
}

/* Ids in no other set */

#define COVERING_MOST 16	/* ranges that are combined; more are asked for each id */

/* part of a range in which each excepted set has the ids of one of its ranges or no ids */
struct id_window {
	struct range ids;
	const struct ranges *except;
	size_t nexcept;
	/* common ids with each of these ranges; incomplete if n > COVERING_MOST */
	struct range covering[COVERING_MOST];
	size_t n;
};

/* Find the window that begins with `id`. *is_covered is set if one range has all of its ids. */
static void window_find(struct id_window *window, const struct range *range, uint32_t id, bool *is_covered)
{
	const struct range *items[COVERING_MOST], *covering = NULL;
	uint32_t end = range->max;
	size_t n = 0;

	window->n = 0;
	for (size_t k = 0; k < window->nexcept && !covering; k++) {
		const struct ranges *except = &window->except[k];
		const struct range *item;
		size_t at;

		lower_bound(at, except->n, except->items[at].max < id);
		if (at == except->n)
			continue;
		item = &except->items[at];
		if (item->min > id) {
			end = item->min - 1 < end ? item->min - 1 : end;
			continue;
		}
		if (range->step % item->step == 0 && range_contains(item, id))
			covering = item;
		end = covering || item->max < end ? item->max : end;
		if (n < COVERING_MOST)
			items[n] = item;
		n++;
	}
	end = end < range->max ? end : range->max;
	end -= (end - id) % range->step;
	window->ids = (struct range){ id, end, id == end ? 1 : range->step };
	*is_covered = covering != NULL;
	for (size_t k = 0; k < n && k < COVERING_MOST && !covering; k++)
		window->n += range_common(&window->ids, items[k], &window->covering[window->n]);
	window->n = n > COVERING_MOST ? n : window->n;
}

static bool is_covered(const struct id_window *window, uint32_t id)
{
	if (window->n > COVERING_MOST) {
		for (size_t k = 0; k < window->nexcept; k++)
			if (ranges_contain(&window->except[k], id))
				return true;
		return false;
	}
	for (size_t k = 0; k < window->n; k++)
		if (range_contains(&window->covering[k], id))
			return true;
	return false;
}

/*
 * Return the number of ids in a range that are in none of n others. Counts the ids of each range
 * except those that are also in a range before it.
 */
static uint64_t count_outside(const struct range *range, const struct range *others, size_t n)
{
	uint64_t count = range_count(range);
	struct range common;

	for (size_t k = 0; k < n; k++)
		if (range_common(range, &others[k], &common))
			count -= count_outside(&common, others, k);
	return count;
}

/*
 * Find the first ids of a window, up to `limit`. If n arithmetic progressions cover 2^n terms of
 * another one in sequence, they cover all of its terms (Crittenden and Vanden Eynden, 1970), so the
 * search ends there.
 */
static size_t window_first(const struct id_window *window, uint32_t *ids, size_t limit)
{
	uint64_t most = window->n > COVERING_MOST ? UINT64_MAX : 1ull << window->n, covered = 0;
	size_t found = 0;

	for (uint64_t id = window->ids.min; id <= window->ids.max && found < limit && covered < most;
	     id += window->ids.step) {
		bool is = is_covered(window, (uint32_t)id);

		covered = is ? covered + 1 : 0;
		if (!is && ids)
			ids[found] = (uint32_t)id;
		found += !is;
	}
	return found;
}

/* Count, or find, by the way that takes fewer steps. */
static size_t window_take(const struct id_window *window, uint32_t *ids, size_t limit)
{
	uint64_t count;

	if (ids || window->n > COVERING_MOST || range_count(&window->ids) < 1ull << window->n)
		return window_first(window, ids, limit);
	count = count_outside(&window->ids, window->covering, window->n);
	return count < limit ? (size_t)count : limit;
}

size_t ranges_first(const struct ranges *ranges, const struct ranges *except, size_t nexcept, uint32_t *ids,
		    size_t limit)
{
	struct id_window window = { .except = except, .nexcept = nexcept };
	size_t found = 0;

	for (size_t i = 0; i < ranges->n && found < limit; i++) {
		const struct range *range = &ranges->items[i];

		for (uint64_t id = range->min; id <= range->max && found < limit;
		     id = (uint64_t)window.ids.max + range->step) {
			bool covered;

			window_find(&window, range, (uint32_t)id, &covered);
			if (!covered)
				found += window_take(&window, ids ? ids + found : NULL, limit - found);
		}
	}
	return found;
}
