/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neighbouring ranges never interlace: items[i].max < items[i + 1].min. An id is found by binary
 * search, and sets are compared side by side.
 */
#include "sched/process/ranges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/search.h"

/* Return the number of items for which memory is allocated if `n` are in use. */
static size_t room(size_t n)
{
	size_t items = 1;

	while (items < n)
		items *= 2;
	return n ? items : 0;
}

uint64_t range_count(const struct range *range)
{
	return (uint64_t)(range->max - range->min) / range->step + 1;
}

bool range_contains(const struct range *range, uint32_t id)
{
	return id >= range->min && id <= range->max && (id - range->min) % range->step == 0;
}

static struct range range_single(uint32_t id)
{
	return (struct range){ id, id, 1 };
}

static struct range range_between(uint32_t min, uint32_t max, uint32_t step)
{
	return (struct range){ min, max, min == max ? 1 : step };
}

/*
 * Join `b` to `a` if its ids continue those of `a`. Two single ids are joined only if they are
 * neighbours.
 */
static bool range_join(struct range *a, const struct range *b)
{
	uint32_t step = a->min != a->max ? a->step : b->min != b->max ? b->step : 1;

	if ((b->min != b->max && b->step != step) || b->min - a->max != step)
		return false;
	*a = range_between(a->min, b->max, step);
	return true;
}

/*
 * Append to a list under construction and join ranges if possible. `items` has room for all
 * appended items.
 */
static void items_push(struct range *items, size_t *n, struct range range)
{
	if (*n == 0 || !range_join(&items[*n - 1], &range))
		items[(*n)++] = range;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct ranges){ 0 };
}

int ranges_copy(struct ranges *to, const struct ranges *from)
{
	*to = (struct ranges){ 0 };
	if (from->n == 0)
		return 0;
	to->items = malloc(room(from->n) * sizeof(*to->items));
	if (!to->items)
		return -ENOMEM;
	memcpy(to->items, from->items, from->n * sizeof(*to->items));
	to->n = from->n;
	return 0;
}

/* Queries */

/* Return the index of the first item whose `max` is not below `id`; `n` if there is none. */
static size_t item_at(const struct ranges *ranges, uint32_t id)
{
	size_t at;

	lower_bound(at, ranges->n, ranges->items[at].max < id);
	return at;
}

bool ranges_contain(const struct ranges *ranges, uint32_t id)
{
	size_t i = item_at(ranges, id);

	return i < ranges->n && range_contains(&ranges->items[i], id);
}

uint64_t ranges_count(const struct ranges *ranges)
{
	uint64_t count = 0;

	for (size_t i = 0; i < ranges->n; i++)
		count += range_count(&ranges->items[i]);
	return count;
}

/*
 * Return up to which id both ranges have the same ids, beginning with `x`. 0: they differ after
 * `x`.
 */
static uint32_t common_end(const struct range *a, const struct range *b, uint32_t x)
{
	if (a->max == x || b->max == x)
		return x;
	if (a->step != b->step)
		return 0;
	return a->max < b->max ? a->max : b->max;
}

bool ranges_equal(const struct ranges *a, const struct ranges *b)
{
	size_t i = 0, j = 0;
	uint32_t x = a->n ? a->items[0].min : 0, y = b->n ? b->items[0].min : 0;

	while (i < a->n && j < b->n) {
		const struct range *range = &a->items[i], *h = &b->items[j];
		uint32_t end = x == y ? common_end(range, h, x) : 0;

		if (end == 0)
			return false;
		x = end == range->max ? (++i < a->n ? a->items[i].min : 0) : end + range->step;
		y = end == h->max ? (++j < b->n ? b->items[j].min : 0) : end + h->step;
	}
	return i == a->n && j == b->n;
}

size_t ranges_format(const struct ranges *ranges, char *text, size_t size)
{
	size_t length = 0;
	char one[40];

	if (size)
		*text = '\0';
	for (size_t i = 0; i < ranges->n; i++) {
		const struct range *range = &ranges->items[i];
		int n = snprintf(one, sizeof(one), "%s%u", i ? "," : "", range->min);

		if (range->max != range->min)
			n += snprintf(one + n, sizeof(one) - (size_t)n, "-%u", range->max);
		if (range->step != 1)
			n += snprintf(one + n, sizeof(one) - (size_t)n, ":%u", range->step);
		if (length < size)
			snprintf(text + length, size - length, "%s", one);
		length += (size_t)n;
	}
	return length;
}

/* Changes */

/* Replace the `old` items from index `at` on by `n` items. */
static int items_replace(struct ranges *ranges, size_t at, size_t old, const struct range *items, size_t n)
{
	size_t total = ranges->n - old + n;

	if (total == 0) {
		ranges_free(ranges);
		return 0;
	}
	if (total > room(ranges->n)) {
		struct range *more = realloc(ranges->items, room(total) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		ranges->items = more;
	}
	memmove(ranges->items + at + n, ranges->items + at + old, (ranges->n - at - old) * sizeof(*items));
	memcpy(ranges->items + at, items, n * sizeof(*items));
	ranges->n = total;
	return 0;
}

int ranges_remove(struct ranges *ranges, uint32_t id)
{
	size_t at = item_at(ranges, id), n = 0;
	struct range parts[2], range;

	if (at == ranges->n || !range_contains(&ranges->items[at], id))
		return -ENOENT;
	range = ranges->items[at];
	if (id > range.min)
		parts[n++] = range_between(range.min, id - range.step, range.step);
	if (id < range.max)
		parts[n++] = range_between(id + range.step, range.max, range.step);
	return items_replace(ranges, at, 1, parts, n);
}

int ranges_append(struct ranges *ranges, const struct range *range)
{
	struct range parts[2];
	size_t n = 0, old = ranges->n ? 1 : 0;

	if (old && range->min <= ranges->items[ranges->n - 1].max)
		return -EINVAL;
	if (old)
		items_push(parts, &n, ranges->items[ranges->n - 1]);
	items_push(parts, &n, *range);
	return items_replace(ranges, ranges->n - old, old, parts, n);
}

/* Add an id between its neighbours. It is joined with both, one or none of them. */
int ranges_add(struct ranges *ranges, uint32_t id)
{
	size_t at = item_at(ranges, id), first = at, old = 0, n = 0;
	struct range parts[5];

	if (at < ranges->n && range_contains(&ranges->items[at], id))
		return -EEXIST;
	if (at > 0) {
		first--;
		old++;
		items_push(parts, &n, ranges->items[first]);
	}
	/* between the ids of a range with a step */
	if (at < ranges->n && ranges->items[at].min < id) {
		struct range range = ranges->items[at];
		uint32_t below = id - (id - range.min) % range.step;

		items_push(parts, &n, range_between(range.min, below, range.step));
		items_push(parts, &n, range_single(id));
		items_push(parts, &n, range_between(below + range.step, range.max, range.step));
		old++;
	} else {
		items_push(parts, &n, range_single(id));
		if (at < ranges->n) {
			items_push(parts, &n, ranges->items[at]);
			old++;
		}
	}
	return items_replace(ranges, first, old, parts, n);
}
